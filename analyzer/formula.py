"""Score formulas: arithmetic that a variant file may contain, read against a whitelist and never by `eval`.

Numbers are exact fractions, so that a third or a tenth of a point is found not to fit `score.unit` instead of being rounded.
"""

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from analyzer.errors import RulesError, did_you_mean, one_of, shown

NAMES = {
    "b": "bid",
    "t": "tricks taken",
    "d": "t - b",
    "h": "cards a hand in this deal",
    "n": "players",
    "hmax": "cards a hand in the largest deal of the schedule",
    "over": "the bids add up to more than the tricks",
    "under": "the bids add up to less than the tricks",
}

MAX_LENGTH = 300       # characters
MAX_DEPTH = 30         # operations inside each other
MAX_EXPONENT = 8
MAX_SIZE = 10**9       # of a number, and of the denominator of a fraction

Number = int | Fraction
Values = Mapping[str, int]
Evaluator = Callable[[Values], Number]

ARITHMETIC: dict[type[ast.operator], Callable[..., Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / b,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS: dict[type[ast.cmpop], Callable[..., bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SIGNS: dict[type[ast.unaryop], Callable[..., Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}
FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {"min": (min, 2, 8), "max": (max, 2, 8), "abs": (abs, 1, 1)}   # arguments: least, most


class FormulaError(RulesError):
    """A formula that is no formula, or has no value for a bid and tricks that can happen."""


@dataclass(frozen=True)
class Formula:
    """A formula that has been read: its text, the names it uses, and the way to its value."""

    text: str
    names: frozenset[str]
    evaluate: Evaluator

    def value(self, values: Values) -> Fraction:
        """Return the value for the given numbers, one for each of `NAMES`.

        Raises
        ------
        FormulaError
            where it divides by zero or leaves the numbers up to a thousand million
        """
        return Fraction(self.evaluate(values))


def parse(text: str) -> Formula:
    """Return a formula as written in a variant file.

    Parameters
    ----------
    text : str, such as ``10 + b**2`` or ``10*b if b > 0 else 5``: numbers, the names of `NAMES`, ``+ - * / // % **``,
        comparisons, ``and or not``, ``x if y else z``, ``min max abs``

    Raises
    ------
    FormulaError
        where it holds anything else or is too long
    """
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"{len(text)} characters, expected at most {MAX_LENGTH}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")   # Python warns of "10if", which is clear enough
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise FormulaError("no formula, expected arithmetic such as '10 + b' or '10*b if b > 0 else 5'") from None
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in NAMES)
    return Formula(text, names, _evaluator(tree, text, 0))


def _evaluator(node: ast.expr, text: str, depth: int) -> Evaluator:
    """Return the function that gives the value of this part of a formula."""
    if depth > MAX_DEPTH:
        raise FormulaError(f"more than {MAX_DEPTH} operations inside each other, expected a simpler formula")

    def part(inner: ast.expr) -> Evaluator:
        return _evaluator(inner, text, depth + 1)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _constant(number)
        case ast.Name(id=name):
            if name not in NAMES:
                raise FormulaError(f"{shown(name)} is no name, expected one of {', '.join(NAMES)}{did_you_mean(name, NAMES)}")
            return lambda values: values[name]
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(part(left), part(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            return _operation(ARITHMETIC[type(op)], part(left), part(right))
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in SIGNS:
            return _operation(SIGNS[type(sign)], part(operand))
        case ast.BoolOp(op=ast.And(), values=parts):
            tests = [part(inner) for inner in parts]
            return lambda values: all(test(values) for test in tests)
        case ast.BoolOp(op=ast.Or(), values=parts):
            tests = [part(inner) for inner in parts]
            return lambda values: any(test(values) for test in tests)
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in COMPARISONS for op in ops):
            return _comparison([part(inner) for inner in [left, *comparators]], [COMPARISONS[type(op)] for op in ops])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, yes, no = part(test), part(body), part(orelse)
            return lambda values: yes(values) if condition(values) else no(values)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            function, least, most = FUNCTIONS[name]
            if not least <= len(args) <= most:
                raise FormulaError(f"{name}() of {len(args)} numbers, expected {least}{f' to {most}' if most > least else ''}")
            return _operation(function, *(part(inner) for inner in args))
    raise FormulaError(f"{shown(ast.get_source_segment(text, node))}, expected numbers, {', '.join(NAMES)}, + - * / // % **, comparisons, and or not, if else, "
                       f"{one_of(FUNCTIONS)}")


def _constant(number: float) -> Evaluator:
    if not isfinite(number):
        raise FormulaError(f"a number without end, expected at most {MAX_SIZE}")
    exact = _checked(number if isinstance(number, int) else Fraction(repr(number)))   # 0.1 means a tenth, not its binary neighbour
    return lambda values: exact


def _operation(function: Callable[..., Number], *parts: Evaluator) -> Evaluator:
    def evaluate(values: Values) -> Number:
        try:
            return _checked(function(*(part(values) for part in parts)))
        except ZeroDivisionError:
            raise FormulaError("a division by zero, expected a number") from None
    return evaluate


def _power(base: Evaluator, exponent: Evaluator) -> Evaluator:
    def power(number: Number, times: Number) -> Number:
        if times != int(times) or not 0 <= times <= MAX_EXPONENT:
            raise FormulaError(f"an exponent of {times}, expected a whole number from 0 to {MAX_EXPONENT}")
        result: Number = 1
        for _ in range(int(times)):
            result = _checked(result * number)
        return result
    return _operation(power, base, exponent)


def _comparison(parts: list[Evaluator], tests: list[Callable[..., bool]]) -> Evaluator:
    def evaluate(values: Values) -> bool:
        numbers = [part(values) for part in parts]
        return all(test(a, b) for test, a, b in zip(tests, numbers, numbers[1:], strict=False))
    return evaluate


def _checked(number: Number) -> Number:
    if not -MAX_SIZE <= number <= MAX_SIZE or number.denominator > MAX_SIZE:
        raise FormulaError(f"a number beyond {MAX_SIZE} or a fraction finer than one of that many parts, expected a score")
    return number
