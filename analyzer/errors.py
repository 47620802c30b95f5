"""What a user can get wrong, one exception per exit code (contracts.md 1).

A message is one line: where, what was found, what was expected, what to do; the nearest name where a name is wrong.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

SHOWN = 60   # characters of a found value that a message repeats

INTERRUPTED = 130       # exit code after Ctrl-C


class TricklabError(Exception):
    """Anything that tricklab tells its user in one line."""

    exit_code = 1

    def __str__(self) -> str:
        return " ".join(super().__str__().split())      # a name that a user typed may hold a line break


class UsageError(TricklabError):
    """An unknown command, option, game, variant, policy or field, or a count below 1."""

    exit_code = 2


class ImpossibleError(TricklabError):
    """Input that no deal can match: cards, calls or bids that contradict the rules or each other, files that cannot be read."""

    exit_code = 3


class RulesError(ImpossibleError):
    """Rules that are contradictory, or a TOML file that does not say any."""


class PrecisionError(TricklabError):
    """The precision asked for was not reached."""

    exit_code = 4


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that looks most like `name`, case aside, or None where none comes near."""
    by_lower = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """Return the end of a message about a wrong name: " (did you mean 'x'?)", or "" where nothing comes near or `name` is no text."""
    close = nearest(name, names) if isinstance(name, str) else None
    return "" if close is None else f" (did you mean {close!r}?)"


def one_of(names: Iterable[Any]) -> str:
    """Return the names as a card player lists them: "a, b or c"."""
    words = [str(name) for name in names]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(n: int, what: str) -> str:
    """Return a number of things: "1 deal" or "2,000 deals", both from "deals"."""
    return f"{n:,} {what.removesuffix('s') if n == 1 else what}"


def shown(value: object) -> str:
    """Return a found value as a message repeats it: on one line, the middle cut out where it is long."""
    try:
        text = str(value).lower() if isinstance(value, bool) else repr(value)
    except (ValueError, RecursionError):   # Python prints no integer of more than 4300 digits, and no table a thousand deep
        return "a value too long to show"
    return text if len(text) <= SHOWN else f"{text[:SHOWN - 10]}...{text[-7:]}"
