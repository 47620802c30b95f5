"""Options that mean the same in every command (contracts.md 1).

A command takes them in groups: `command` gives it one option for each field of each parameter whose type is a dataclass.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from analyzer.errors import ImpossibleError, UsageError, did_you_mean, shown

if TYPE_CHECKING:
    from analyzer.output import Sink
    from analyzer.rules import Rules

MOST_POOL = 10**9       # chips that a deal may start with
GAMES = ("israeli-whist", "jabberwocky", "oh-hell", "spanish-solo")

option = partial(typer.Option, show_default=False)       # where the default says nothing, or the help says it
argument = partial(typer.Argument, show_default=False)


def count(*names: str, help: str, low: int = 0, high: int | None = None, default: str | bool = False) -> Any:
    """Return an option that takes a whole number from `low` on, at most `high`."""

    def parse(text: str | int) -> int:
        return int(_number(names[-1], text, int, low, high))

    return typer.Option(*names, metavar="N", help=help, parser=parse, show_default=default)


def quantity(*names: str, metavar: str, help: str, above: float = 0, below: float | None = None, default: str | bool = False) -> Any:
    """Return an option that takes a number greater than `above`, less than `below`."""

    def parse(text: str | float) -> float:
        return _number(names[-1], text, float, above, below)

    return typer.Option(*names, metavar=metavar, help=help, parser=parse, show_default=default)


def _number(name: str, text: object, kind: type[int] | type[float], low: float, high: float | None) -> float:
    if kind is int:
        expected = f"a whole number {f'of at least {low}' if high is None else f'from {low} to {high}'}"
    else:
        expected = f"a number above {low}{'' if high is None else f' and below {high}'}"
    try:
        value = kind(str(text))
    except ValueError:
        raise UsageError(f"{name}: found {shown(text)}, expected {expected}") from None
    fits = low <= value <= (value if high is None else high) if kind is int else low < value < (inf if high is None else high)
    if not fits:
        raise UsageError(f"{name}: found {shown(text)}, expected {expected}")
    return value


Game = Annotated[str, argument(metavar="GAME", help=", ".join(GAMES), autocompletion=lambda: list(GAMES))]
Deals = Annotated[int, count("-n", "--deals", low=1, help="Number of deals.", default=True)]
Cards = Annotated[int | None, count("--cards", low=1, help="Cards a hand; without it deal i takes schedule[i mod length].")]
Pool = Annotated[int, count("--pool", help=f"Spanish Solo: chips in the pool before the deal, at most {MOST_POOL:,}.", default=True)]
Dealer = Annotated[int | None, count("--dealer", help="Dealer's seat; without it the deal number modulo players.")]


@dataclass(frozen=True)
class TableOptions:
    """The rules at the table."""

    variant: Annotated[str, typer.Option(metavar="NAME", help="Rule variant or a TOML file; a+b stacks variants.")] = "base"
    set: Annotated[
        list[str] | None, option("--set", metavar="FIELD=VALUE", help="Change one rule, such as score.zero_miss.base=-25; repeat for more.")
    ] = None
    players: Annotated[int | None, count("--players", low=1, help="Number of seats.", default="the game's")] = None

    def rules(self, game: str) -> "Rules":
        """Return the rules asked for."""
        from analyzer import rules

        return rules.load(game, self.variant, self.set or (), self.players)


@dataclass(frozen=True)
class PolicyOptions:
    """Who sits in the seats."""

    policy: Annotated[str | None, typer.Option(metavar="NAME", help="Policy of all seats: a name or a TOML file.", show_default="the strongest")] = None
    policies: Annotated[
        str | None, option(metavar="A,B,...", help="Policy of each seat, from the dealer's left (Spanish Solo: right).")
    ] = None

    def names(self, rules: "Rules") -> list[str]:
        """Return one policy name per seat.

        Raises
        ------
        UsageError
            Both options were given, or not one policy per seat.
        """
        from analyzer import policies

        if self.policies is None:
            return [self.policy or policies.default(rules.game)] * rules.players
        if self.policy is not None:
            raise UsageError("--policy and --policies exclude each other; leave one out")
        names = [name.strip() for name in self.policies.split(",")]
        if len(names) != rules.players:
            raise UsageError(f"--policies: found {len(names)}, expected {rules.players}, one per seat; --policy NAME sets all seats")
        return names


@dataclass(frozen=True)
class EffortOptions:
    """How long to count, and how sure to be."""

    seed: Annotated[int, count("--seed", high=2**63 - 1, help="The same seed deals the same cards.", default=True)] = 1
    level: Annotated[float, quantity("--level", metavar="P", below=1, help="Chance that an interval covers the truth.", default=True)] = 0.95
    jobs: Annotated[int | None, count("-j", "--jobs", low=1, help="Threads.", default="all cores")] = None
    precision: Annotated[
        float | None, quantity("--precision", metavar="X", help="Stop when the score is known within X points; exit code 4 where it is not reached.")
    ] = None
    seconds: Annotated[float | None, quantity("--seconds", metavar="T", help="Stop after T seconds.")] = None


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes and what it looks like."""

    format: Annotated[str | None, typer.Option(metavar="FORMAT", help="table, json, csv or md.", show_default="table")] = None
    json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False
    csv: Annotated[bool, typer.Option("--csv", help="Same as --format csv.")] = False
    output: Annotated[Path | None, option("-o", "--output", metavar="FILE", help="Write the answer to a file.")] = None
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress and no notes.")] = False
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR set.")] = False
    ascii: Annotated[bool, typer.Option("--ascii", help="No signs besides ASCII.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")] = False

    @property
    def sink(self) -> "Sink":
        """The output asked for; a file that cannot be written is told now, before the work."""
        from analyzer.output import Format, Sink, check_writable

        formats = {name for name in (self.format, "json" if self.json else None, "csv" if self.csv else None) if name is not None}
        if len(formats) > 1:
            raise UsageError(f"found the formats {' and '.join(sorted(formats))}; expected one of them")
        name = formats.pop() if formats else Format.TABLE.value
        known = [known.value for known in Format]
        if name not in known:
            raise UsageError(f"--format: found {shown(name)}, expected {', '.join(known)}{did_you_mean(name, known)}")
        check_writable(self.output)
        return Sink(Format(name), self.output, self.quiet, self.ascii, not self.no_color)


def command(app: typer.Typer, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function a command, its groups of options spread out."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        app.command(name)(spread(function))
        return function

    return register


def check_deal(rules: "Rules", cards: int | None = None, dealer: int | None = None, pool: int = 0) -> None:
    """Refuse a hand size, a dealer or a pool that the game does not have.

    Raises
    ------
    ImpossibleError
        Too many cards, seats or chips, another hand size where all deals are alike, or chips where there is no pool.
    """
    least = 1 if rules.auction == "none" else rules.max_cards
    if cards is not None and not least <= cards <= rules.max_cards:
        expected = f"{least}" if least == rules.max_cards else f"{least} to {rules.max_cards}"
        raise ImpossibleError(f"--cards: found {cards}, expected {expected} in {rules.game} for {rules.players} players")
    if dealer is not None and dealer >= rules.players:
        raise ImpossibleError(f"--dealer: found {dealer}, expected a seat from 0 to {rules.players - 1}")
    if pool and rules.has_bids:
        raise ImpossibleError(f"--pool: found {shown(pool)}, but {rules.game} has no pool; leave it out")
    if pool > MOST_POOL:
        raise ImpossibleError(f"--pool: found {shown(pool)}, expected at most {MOST_POOL:,} chips")


class ListByDefault(TyperGroup):
    """Commands below a name, of which `list` is meant where none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] in GAMES or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


def group(app: typer.Typer, name: str, help: str) -> typer.Typer:
    """Return an application for the commands below `name`."""
    below = typer.Typer(name=name, cls=ListByDefault, help=f"{help} Without a command: list.", rich_markup_mode=None)
    app.add_typer(below)
    return below


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return `function` with each parameter whose type is a dataclass replaced by the fields of that class."""
    groups: dict[str, Any] = {}
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += [(field.name, field.type, field.default) for field in fields(parameter.annotation)]
        else:
            parameters.append((parameter.name, parameter.annotation, parameter.default))

    def spread_out(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        function(**values)

    spread_out.__doc__ = function.__doc__
    spread_out.__annotations__ = {name: annotation for name, annotation, _ in parameters}
    spread_out.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default) for name, annotation, default in parameters]
    )
    return spread_out
