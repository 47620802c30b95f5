"""The shelf of games and variants: TOML files and `--set` become changes of fields.

`data/games/GAME/base.toml` holds a game, `data/games/GAME/NAME.toml` one variant: its `base` (a game, `game:variant` or a file) and only the fields it
changes. The ids in the files are those of the rule descriptions.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import exists, isfile
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from analyzer.errors import RulesError, TricklabError, UsageError, did_you_mean, one_of, shown
from analyzer.fields import FIELDS, FORMULAS, GameRules, field_paths

GAMES = Path(__file__).parent / "data" / "games"
BASE = "base"
ABOUT: dict[str, Any] = {"base": "", "summary": "", "id": "", "aliases": [], "note": ""}     # what a file says besides fields
LITERAL = re.compile("'([^']*)'")


class Change(NamedTuple):
    """A value of a field, and where it was written."""

    value: Any
    source: str


Changes = dict[str, Change]     # by dotted path


@dataclass(frozen=True)
class GameInfo:
    """One game: its name, what it is, how many can play."""

    name: str
    summary: str
    players: list[int]


@dataclass(frozen=True)
class VariantInfo:
    """One variant: what it is called, what it is, what it changes."""

    name: str
    game: str
    id: str
    aliases: tuple[str, ...]
    summary: str
    note: str
    changes: Changes = field(repr=False)      # those of its base included

    @property
    def changed(self) -> dict[str, Any]:
        """The new value of each field, by dotted path."""
        return {path: change.value for path, change in self.changes.items()}


def games() -> list[GameInfo]:
    """Return the games in alphabetical order."""
    return [GameInfo(game, read(GAMES / game / f"{BASE}.toml").summary, checked(game, game_fields(game)).seats) for game in game_names()]


def variants(game: str) -> list[VariantInfo]:
    """Return the variants of a game in alphabetical order, its own before those of the game it is made from.

    Raises
    ------
    UsageError
        where there is no such game
    """
    return [read(path) for path in _variant_files(game)]


def game_names() -> list[str]:
    """Return the names of the games in alphabetical order."""
    return sorted(path.parent.name for path in GAMES.glob(f"*/{BASE}.toml"))


def resolve(game: str, variant: str, settings: Sequence[str] | Mapping[str, Any]) -> tuple[str, Changes]:
    """Return the names of the variants, stacked with +, and all fields of the game under them and the settings."""
    names, changes = _stack(game, variant)
    return names, overlay(overlay(game_fields(game), changes), _settings(game, settings))


def _lineage(game: str) -> list[str]:
    """Return the game, the game it is made from, and so on to one that stands for itself."""
    if game not in game_names():
        raise UsageError(f"{shown(game)} is no game, expected {one_of(game_names())}{did_you_mean(game, game_names())}")
    base = _toml(GAMES / game / f"{BASE}.toml").get("base")
    return [game, *_lineage(base)] if base else [game]


def game_fields(game: str) -> Changes:
    """Return the fields of a game without variant."""
    fields: Changes = {}
    for ancestor in reversed(_lineage(game)):
        fields = overlay(fields, read(GAMES / ancestor / f"{BASE}.toml").changes)
    return fields


def _variant_files(game: str) -> list[Path]:
    return [path for ancestor in _lineage(game) for path in sorted((GAMES / ancestor).glob("*.toml")) if path.stem != BASE]


def overlay(under: Changes, over: Changes) -> Changes:
    """Return the fields of `under` with those of `over` put on them, and what these imply."""
    fields = under | over
    if "score.system" in over and over["score.system"].value != "formula":
        fields = {path: change for path, change in fields.items() if path in over or path not in FORMULAS}
    mode = over.get("bidding.mode")
    if mode and mode.value != "sequential" and "bidding.hook" not in over:
        fields["bidding.hook"] = Change("none", mode.source)
    return fields


def _stack(game: str, variant: str, seen: tuple[Path, ...] = ()) -> tuple[str, Changes]:
    """Return the names of stacked variants, and what they change together."""
    names: list[str] = []
    changes: Changes = {}
    for text in [variant] if isfile(variant) else variant.split("+"):
        if text.strip().lower() == BASE:
            _lineage(game)
            continue
        info = _variant(game, text.strip(), seen)
        for path, change in info.changes.items():
            before = changes.setdefault(path, change)
            if before.value != change.value:
                names.append(info.name)
                raise RulesError(f"{'+'.join(names)}: {path} is {shown(before.value)} in {before.source} and {shown(change.value)} in {change.source}, "
                                 "expected variants that agree; leave one of them out")
        names.append(info.name)
    return "+".join(names) or BASE, changes


def _variant(game: str, text: str, seen: tuple[Path, ...]) -> VariantInfo:
    """Return the variant of this name, id, alias or file."""
    lineage = _lineage(game)
    if is_file_name(text):
        info = read(Path(text), seen)
        if info.game not in lineage:
            raise UsageError(f"{text}: a variant of {info.game}, expected one of {one_of(lineage)}")
        return info
    files = _variant_files(game)
    known = {path.stem: path for path in reversed(files)}       # an own variant before one of the game it is made from
    if text.lower() not in known:
        for path in files:
            about = _toml(path)
            known.update((name.lower(), path) for name in (about.get("id", ""), *about.get("aliases", ())) if name)
    if text.lower() not in known:
        raise UsageError(f"{shown(text)} is no variant of {game}{did_you_mean(text, known) or f'; tricklab variants list {game} shows them'}")
    return read(known[text.lower()], seen)


def is_file_name(text: str) -> bool:
    """Return whether text names a file and not something shipped."""
    return text.endswith((".toml", ".json", ".jsonl")) or "/" in text or "\\" in text


def read(path: Path, seen: tuple[Path, ...] = ()) -> VariantInfo:
    """Return what the TOML file of a game or variant says, with the changes of its bases; `seen` are the files that it is a base of."""
    packaged = path.parent.parent == GAMES
    name = path.stem if packaged else str(path)
    source = f"{path.parent.name}:{name}" if packaged else name
    if path.resolve() in seen:
        raise RulesError(f"{source}: its base leads back to itself, expected a chain of bases that ends at a game")
    content = _toml(path)
    about = {key: content.pop(key, default) for key, default in ABOUT.items()}
    for key, value in about.items():
        if type(value) is not type(ABOUT[key]) or (key == "aliases" and not all(isinstance(alias, str) for alias in value)):
            raise RulesError(f"{source}: {key} is {shown(value)}, expected {'a list of names' if key == 'aliases' else 'text'}")
    changes: Changes = {}
    if packaged and name == BASE:
        game, source = path.parent.name, path.parent.name
    elif not about["base"]:
        raise RulesError(f"{source}: no base, expected base = \"GAME\", \"GAME:VARIANT\" or a file")
    elif is_file_name(about["base"]):
        below = read(path.parent / about["base"], (*seen, path.resolve()))
        game, changes = below.game, below.changes
    else:
        game, _, variant = about["base"].partition(":")
        try:
            changes = _stack(game, variant or BASE, (*seen, path.resolve()))[1]
        except UsageError as error:
            raise UsageError(f"{source}: {error}") from None
    changes = overlay(changes, _changes(game, content, source))
    return VariantInfo(name, game, about["id"], tuple(about["aliases"]), about["summary"], about["note"], changes)


def _toml(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except OSError as error:
        if not exists(path):
            raise TricklabError(f"{path}: no such file; expected a variant in TOML") from None
        raise RulesError(f"{shown(str(path))}: cannot be read ({error.strerror}), expected a TOML file") from None
    return parse(shown(str(path)), content)


def parse(where: str, content: bytes) -> dict[str, Any]:
    """Return what a TOML file says; raises RulesError where it is none."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:      # broken TOML, bytes that are no UTF-8, a number of thousands of digits, deep nesting
        raise RulesError(f"{where}: no TOML ({' '.join(str(error).split())}), expected a whole TOML file") from None


def _settings(game: str, settings: Sequence[str] | Mapping[str, Any]) -> Changes:
    """Return what the settings change; later ones win."""
    if not isinstance(settings, Mapping):
        pairs = [text.partition("=") for text in settings]
        for path, equals, value in pairs:
            if not path.strip() or not equals:
                raise UsageError(f"--set {path}{equals}{value}: expected group.field=value, such as play.must_trump=false")
        settings = {path.strip(): _value(value.strip()) for path, _, value in pairs}
    changes: Changes = {}
    for path, value in settings.items():
        *groups, last = path.split(".")
        table = {last: value}
        for group in reversed(groups):
            table = {group: table}
        changes |= _changes(game, table, f"--set {path}")
    return changes


def _value(text: str) -> Any:
    """Return a TOML value; what is none is text as it stands."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return document["value"] if len(document) == 1 else text


def _changes(game: str, table: Mapping[str, Any], source: str, group: str = "") -> Changes:
    """Return the fields that a nested table sets."""
    known = dict(field_paths(FIELDS[_lineage(game)[-1]]))
    changes: Changes = {}
    for key, value in table.items():
        path = f"{group}{key}"
        if path not in known:
            raise UsageError(_unknown_field(game, path, value, source))
        if not known[path]:
            changes[path] = Change(value, source)
        elif isinstance(value, Mapping):
            changes |= _changes(game, value, source, f"{path}.")
        else:
            raise RulesError(f"{source}: {path} is {shown(value)}, expected a group of fields")
    return changes


def _unknown_field(game: str, path: str, value: object, source: str) -> str:
    while isinstance(value, Mapping) and len(value) == 1:
        [(key, value)] = value.items()
        path = f"{path}.{key}"
    known = [name for name, is_group in field_paths(FIELDS[_lineage(game)[-1]]) if not is_group]
    others = [other for other, model in FIELDS.items() if path in dict(field_paths(model))]
    hint = f"; it is one of {one_of(others)}" if others else did_you_mean(path, known)
    return f"{source}: {shown(path)} is no field of {game}{hint or f', expected one of {one_of(known)}'}"


def checked(game: str, fields: Changes) -> GameRules:
    """Return the fields with every value of the right kind and in its range."""
    over = "score.zero_miss_over."
    if any(path.startswith(over) for path in fields):       # what it leaves out is as in zero_miss
        fields = {path.replace("score.zero_miss.", over): change for path, change in fields.items() if path.startswith("score.zero_miss.")} | fields
    nested: dict[str, Any] = {}
    for path, change in fields.items():
        *groups, last = path.split(".")
        table = nested
        for group in groups:
            table = table.setdefault(group, {})
        table[last] = change.value
    try:
        return FIELDS[_lineage(game)[-1]].model_validate(nested)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    path = ".".join(map(str, fault["loc"]))
    raise RulesError(f"{source_of(game, fields, path)}: {path} {_fault_text(fault)}")


def _fault_text(fault: Any) -> str:
    """Return what pydantic found and what it expected, in our words."""
    kind, found, context = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return "is missing, expected a value"
    expected: dict[str, Callable[[], str]] = {
        "literal_error": lambda: f"{context['expected']}{did_you_mean(found, LITERAL.findall(context['expected']))}",
        "greater_than_equal": lambda: f"at least {context['ge']}",
        "less_than_equal": lambda: f"at most {context['le']}",
        "bool_type": lambda: "true or false",
        "int_type": lambda: "a whole number",
        "float_type": lambda: "a number",
        "finite_number": lambda: "a number with an end",
    }
    return f"is {shown(found)}, expected {expected[kind]() if kind in expected else 'a value of another kind'}"


def source_of(game: str, fields: Changes, *paths: str) -> str:
    """Return where the first of these fields that is not simply the game's was written."""
    sources = [fields[path].source for path in paths if path in fields]
    return next((source for source in sources if source not in _lineage(game)), game)
