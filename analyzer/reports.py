"""Reports: what a definition asks, run, and written as one folder: a page, the same in Markdown, every table, every plot, and what it all rests on.

A step is a command of tricklab with its options by their long names. Everything is made from the JSON objects that the commands answer with.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from itertools import product
from math import isnan
from os.path import isfile
from pathlib import Path
from typing import Any, Protocol

from analyzer import __version__, output, plots, results, rulebook, tables
from analyzer.errors import ImpossibleError, TricklabError, UsageError, counted, did_you_mean, one_of, shown
from analyzer.plots import Drawn, Plot, Point

SHIPPED = Path(__file__).parent / "data" / "reports"
TEMPLATES = Path(__file__).parent / "templates"
DEFINITION, MANIFEST = "definition.toml", "manifest.json"
DEFAULTS = ("game", "seed", "level", "deals", "players", "policy")      # said once for all steps that take them
INSTEAD = {"deals": "games", "policy": "policies"}          # what a step may say in their place
ABOUT_STEP = ("kind", "name", "title", "each", "tables")
COUNTS = ("deals", "games")                                 # what `--scale` multiplies
FEWEST = 100                                                # deals that it leaves
MOST_ROWS = 80                                             # of a table on the page; the CSV has all
HIDDEN = ("rules", "situation", "instant", "explanation")   # parts of an answer that hold no table
WORDS = {
    "cards": "cards a hand", "difference": "above the other seats", "ev": "worth", "exact_rate": "made", "made": "times made", "side": "sum of bids",
    "swap_difference": "against the last in the same seat", "tricks_mean": "tricks",
}  # fmt: skip

Row = dict[str, Any]


class Commands(Protocol):
    """The commands that steps may be."""

    def kinds(self) -> Sequence[str]:
        """Return their names."""

    def options(self, kind: str) -> dict[str, bool]:
        """Return the options that a step may give, by their long names, and whether each may be given several times."""

    def arguments(self, kind: str) -> list[str]:
        """Return the arguments after the game, by name."""

    def check(self, words: Sequence[str]) -> None:
        """Raise what the command line would raise, as far as that is known before a deal is played."""

    def answer(self, words: Sequence[str]) -> Row:
        """Return the JSON object of the answer."""


@dataclass(frozen=True)
class Run:
    """One command line of a step."""

    words: tuple[str, ...]
    each: Row                   # the values that set it apart from the other runs of the step

    @property
    def line(self) -> str:
        """The command as it is typed."""
        return shlex.join(("tricklab", *self.words))


@dataclass(frozen=True)
class Step:
    """A command, once or for each of some values."""

    name: str
    title: str
    tables: list[str] | None    # of the answers, that the report has; all, if None
    runs: list[Run]


@dataclass(frozen=True)
class Definition:
    """What a report is to say. `read` makes it."""

    name: str
    content: bytes              # of the file
    title: str
    question: str
    level: float
    steps: list[Step]
    plots: list[Plot]


@dataclass(frozen=True)
class Table:
    """The rows of one list of a step's answers, all runs together; the values of `each` are their first columns."""

    step: str
    name: str
    rows: list[Row]
    documents: list[Row]        # that of each row

    @property
    def file(self) -> str:
        return f"{self.step}-{self.name}.csv".replace("_", "-")


# ---------------------------------------------------------------- definitions

def read(what: str, commands: Commands, scale: float = 1.0) -> Definition:
    """Return the definition of a TOML file, or the shipped one of a game, every step checked as far as that is possible before a deal is played.

    Parameters
    ----------
    scale : factor of all numbers of deals and games, which stay at 100 or what the definition says, whichever is less

    Raises
    ------
    UsageError
        An unknown key, step, option, game, variant or policy.
    ImpossibleError
        No TOML, or a value of the wrong kind.
    TricklabError
        No such file.
    """
    content = _content(what)
    path = Path(what)
    name = path.parent.resolve().name if path.name == DEFINITION else path.stem
    told = rulebook.parse(shown(what), content)
    _check_keys(what, told, ("title", "question", "step", "plot", *DEFAULTS))
    defaults = {key: told[key] for key in DEFAULTS if key in told}
    level = defaults.get("level", 0.95)
    if not isinstance(level, float) or not 0 < level < 1:
        raise ImpossibleError(f"{what}: level: found {shown(level)}, expected a number above 0 and below 1")
    steps: list[Step] = []
    for number, step in enumerate(_list_of(what, told, "step"), 1):
        steps.append(_step(f"{what}: step {number}", step, defaults, commands, scale))
        if [step.name for step in steps].count(steps[-1].name) > 1:
            raise UsageError(f"{what}: two steps are called {steps[-1].name!r}; give one of them another name")
    drawn = [_plot(f"{what}: plot {number}", plot, steps) for number, plot in enumerate(_list_of(what, told, "plot"), 1)]
    if len({plot.name for plot in drawn}) < len(drawn):
        raise UsageError(f"{what}: found the plots {one_of(plot.name for plot in drawn)}, expected different names")
    return Definition(name, content, _text(what, told, "title"), _text(what, told, "question"), level, steps, drawn)


def _content(what: str) -> bytes:
    games = rulebook.game_names()
    path = SHIPPED / f"{what}.toml" if what in games else Path(what)
    if what not in games and not isfile(what):
        if rulebook.is_file_name(what):
            raise TricklabError(f"{what}: no such file; expected a definition in TOML")
        raise UsageError(f"report: {shown(what)} is no game and no file{did_you_mean(what, games)}; expected {one_of(games)} or a definition in TOML")
    try:
        return path.read_bytes()
    except OSError as error:
        raise TricklabError(f"{what}: cannot be read ({error.strerror}); expected a definition in TOML") from None


def _check_keys(place: str, told: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in told:
        if key not in known:
            raise UsageError(f"{place}: {shown(key)} is no key{did_you_mean(key, known)}; expected one of {one_of(known)}")


def _text(place: str, told: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = told.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise ImpossibleError(f"{place}: {key}: found {'nothing' if value is None else shown(value)}, expected text")
    return value


def _file_name(place: str, told: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return a name that files and ids may begin with."""
    name = _text(place, told, key, default)
    if not name.isascii() or not name.replace("-", "").isalnum() or not name[0].isalpha():
        raise ImpossibleError(f"{place}: {key}: found {shown(name)}, expected letters, digits and dashes, a letter first")
    return name


def _list_of(place: str, told: Mapping[str, Any], key: str) -> list[Row]:
    found = told.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(item, dict) for item in found):
        raise ImpossibleError(f"{place}: {key}: found {'nothing' if found is None else shown(found)}, expected at least one [[{key}]]")
    return found


def _step(place: str, told: Row, defaults: Row, commands: Commands, scale: float) -> Step:
    kind = _text(place, told, "kind")
    if kind not in commands.kinds():
        raise UsageError(f"{place}: kind: found {shown(kind)}{did_you_mean(kind, commands.kinds())}; expected {one_of(commands.kinds())}")
    place = f"{place} ({kind})"
    options, arguments = commands.options(kind), commands.arguments(kind)
    _check_keys(place, told, (*ABOUT_STEP, "game", *arguments, *options))
    each = told.get("each", {})
    if not isinstance(each, dict) or not all(isinstance(values, list) and values for values in each.values()):
        raise ImpossibleError(f"{place}: each: found {shown(each)}, expected lists of values, such as each = {{players = [3, 4, 5]}}")
    _check_keys(f"{place}: each", each, ("game", *arguments, *options))
    shared = {key: value for key, value in defaults.items() if (key == "game" or key in options) and INSTEAD.get(key) not in told}
    own = shared | {key: value for key, value in told.items() if key not in ABOUT_STEP}
    runs = []
    for values in product(*each.values()):
        varied = dict(zip(each, values, strict=True))
        words = _words(place, kind, own | varied, options, arguments, scale)
        run = Run(tuple(words), {key.replace("-", "_"): _shortly(value) for key, value in varied.items()})
        try:
            commands.check(run.words)
        except TricklabError as error:
            raise type(error)(f"{place}: {error}") from None
        runs.append(run)
    shown_tables = told.get("tables")
    if shown_tables is not None and not (isinstance(shown_tables, list) and all(isinstance(name, str) for name in shown_tables)):
        raise ImpossibleError(f"{place}: tables: found {shown(shown_tables)}, expected a list of names")
    return Step(_file_name(place, told, "name", kind), _text(place, told, "title", kind.capitalize()), shown_tables, runs)


def _words(place: str, kind: str, told: Row, options: Mapping[str, bool], arguments: Sequence[str], scale: float) -> Iterator[str]:
    """Yield the words of a command line."""
    if not any(key in told for key in COUNTS):
        raise ImpossibleError(f"{place}: deals: found nothing, expected how many")
    yield kind
    yield _text(place, told, "game")
    for name in arguments:
        if name not in told:
            raise ImpossibleError(f"{place}: {name}: found nothing, expected {'a hand' if name == 'hand' else 'a list'}")
        yield from map(str, told[name] if isinstance(told[name], list) else [told[name]])
    for key, value in told.items():
        if key == "game" or key in arguments or value is False:
            continue
        if key in COUNTS and isinstance(value, int):
            value = max(min(FEWEST, value), round(value * scale))
        if value is True:
            yield f"--{key}"
        elif isinstance(value, list) and options[key]:
            for item in value:
                yield from (f"--{key}", str(item))
        else:
            yield from (f"--{key}", _shortly(value))


def _shortly(value: object) -> str:
    """Return a value as a command line takes it, lists with commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _plot(place: str, told: Row, steps: Sequence[Step]) -> Plot:
    known = [field.name for field in fields(Plot)]
    _check_keys(place, told, ("step", *(name for name in known if name != "steps")))
    names = [step.name for step in steps]
    chosen = told.get("step", names[0])
    chosen = chosen if isinstance(chosen, list) else [chosen]
    for name in chosen:
        if name not in names:
            raise UsageError(f"{place}: step: found {shown(name)}{did_you_mean(name, names)}; expected {one_of(names)}")
    where, renamed = told.get("where", {}), told.get("names", {})
    if not isinstance(where, dict):
        raise ImpossibleError(f"{place}: where: found {shown(where)}, expected values of columns, such as where = {{seat = 0}}")
    if not isinstance(renamed, dict) or not all(isinstance(name, str) for name in renamed.values()):
        raise ImpossibleError(f"{place}: names: found {shown(renamed)}, expected words for values, such as names = {{base = \"base rules\"}}")
    words = {key: _text(place, told, key) for key in ("value", "by", "subject")}
    more = {key: _text(place, told, key) for key in ("table", "group", "unit", "axis") if key in told}
    return Plot(_file_name(place, told, "name", words["value"].replace("_", "-")), tuple(chosen), where=where, names=renamed, **words, **more)


# ---------------------------------------------------------------- from answers to tables and plots

def tables_of(step: Step, documents: Sequence[Row]) -> list[Table]:
    """Return the lists of rows of a step's answers, `results` first, as tables over all its runs.

    Raises
    ------
    UsageError
        The step asks for a table that is not there.
    """
    known = list(dict.fromkeys(name for document in documents for name, _ in _lists(document)))
    for name in step.tables or ():
        if name not in known:
            raise UsageError(f"step {step.name}: tables: found {shown(name)}{did_you_mean(name, known)}; expected some of {one_of(known)}")
    found: dict[str, Table] = {}
    for run, document in zip(step.runs, documents, strict=True):
        for name, rows in _lists(document):
            if step.tables is not None and name not in step.tables:
                continue
            table = found.setdefault(name, Table(step.name, name, [], []))
            for row in rows:
                table.rows.append({**_typed(run.each), **{key: value for key, value in row.items() if value is not None or key not in run.each}})
                table.documents.append(document)
    return list(found.values())


def _lists(document: Row) -> Iterator[tuple[str, list[Row]]]:
    yield "results", document["results"]
    for key, value in document.items():
        below = {f"{key}_{name}": item for name, item in value.items()} if isinstance(value, dict) else {key: value}
        for name, rows in below.items():
            if key not in HIDDEN and name != "results" and isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
                yield name, rows


def _typed(each: Row) -> Row:
    """Return the values that set a run apart, whole numbers as numbers."""
    return {key: int(value) if value.isdecimal() else value for key, value in each.items()}


def label(name: str, row: Row, document: Row) -> str:
    """Return the value of a column as a card player says it: "3 players", "dealer"."""
    value = row.get(name)
    if name == "seat" and isinstance(value, int) and not document.get("games"):
        last = len(document["policies"]) - 1
        side, other = ("right", "left") if document["game"] == "spanish-solo" else ("left", "right")
        known = {last: "dealer", 0: f"dealer's {side}", last - 1: f"dealer's {other}"}
        return known.get(value, f"seat {value}")
    if name in ("players", "cards") and isinstance(value, int):
        return counted(value, name)
    if name in ("bid", "seat") and isinstance(value, int):
        return f"{name} {value}"
    return "none" if value is None else str(value)


def drawn(definition: Definition, found: Mapping[str, Sequence[Table]], plot: Plot) -> Drawn:
    """Return a plot of the tables of its steps."""
    chosen = [table for step in plot.steps for table in found[step] if table.name == plot.table]
    if not chosen:
        known = list(dict.fromkeys(table.name for step in plot.steps for table in found[step]))
        raise UsageError(f"plot {plot.name}: table: found {shown(plot.table)}{did_you_mean(plot.table, known)}; expected {one_of(known)}")
    rows = [{"step": table.step, **row} for table in chosen for row in table.rows]
    document_of = {id(row): document for row, document in zip(rows, (document for table in chosen for document in table.documents), strict=True)}
    points: list[Point] = plots.points(plot, rows, lambda name, row: label(name, dict(row), document_of[id(row)]))
    if plot.measure == "points" and {document["game"] for document in document_of.values()} == {"spanish-solo"}:
        plot = replace(plot, unit="chips")
    return plots.draw(plot, points, definition.level, plot.axis or heading(plot.by))


def heading(name: str) -> str:
    """Return a column's name in words."""
    return WORDS.get(name, name.removeprefix("p_").replace("_", " "))


@dataclass(frozen=True)
class Cell:
    """A number or word of a table as it is shown, and what it is sorted by."""

    text: str
    key: str


def shown_table(table: Table) -> tuple[list[str], list[list[Cell]], frozenset[int]]:
    """Return headings, cells and the columns of words of a table for people: an estimate and its interval are one cell, the interval decides the digits."""
    unit = tables.unit_of(table.documents[0])
    found = dict.fromkeys(name for row in table.rows for name in row)
    names = [name for name in found if any(_is_told(row.get(name)) for row in table.rows)]
    columns = [name for name in names if not (name.endswith(("_low", "_high")) and name.rpartition("_")[0] in names)]
    headings = []
    for name in columns:
        measure = results.unit_of(name).replace("points", unit)
        headings.append(f"{heading(name)}, {measure}" if measure else heading(name))
    body = [[_cell(name, row, document) for name in columns] for row, document in zip(table.rows, table.documents, strict=True)]
    words = frozenset(i for i, name in enumerate(columns) if any(isinstance(row.get(name), str | list) for row in table.rows) or name == "seat")
    return headings, body, words


def _is_told(value: object) -> bool:
    """Return whether a value says something in a cell: null does not, and a list of numbers is too long for one."""
    return value is not None and not (isinstance(value, list) and not all(isinstance(item, str) for item in value))


def _cell(name: str, row: Row, document: Row) -> Cell:
    value: Any = row.get(name)
    scale = 100 if results.unit_of(name) == "%" else 1
    if not _is_told(value):
        return Cell("-", "")
    if isinstance(value, list):
        return Cell(", ".join(value) or "-", ", ".join(value))
    if isinstance(value, bool):
        return Cell("yes" if value else "no", str(int(value)))
    if isinstance(value, str) or name in ("players", "cards", "seat", "bid"):
        return Cell(label(name, row, document) if name == "seat" else str(value), str(value))
    if f"{name}_low" in row:
        is_gain = results.unit_of(name) == "points"
        return Cell(tables.measured(value, row[f"{name}_low"], row[f"{name}_high"], tables.Style(), scale, is_gain), f"{value:.6g}")
    return Cell(f"{value:,}" if isinstance(value, int) else "-" if isnan(value) else f"{scale * value:.3g}", f"{value:.9g}")


# ---------------------------------------------------------------- the folder

@dataclass(frozen=True)
class Report:
    """What was written, and where."""

    folder: Path
    manifest: Row


def build(
    definition: Definition, folder: Path, commands: Commands, scale: float = 1.0, progress: Callable[[int, Run], None] = lambda number, run: None
) -> Report:
    """Run a definition and put its report in place of the folder, all of it or, where anything fails, nothing.

    Parameters
    ----------
    folder : new, empty or an older report
    scale : that of `read`, for the record
    progress : gets the number of each run, from 0, before it starts

    Raises
    ------
    TricklabError
        The folder cannot be written, or holds what no report wrote; what a step raises.
    """
    check_folder(folder)
    answers: dict[str, list[Row]] = {}
    found: dict[str, list[Table]] = {}
    pictures: dict[str, Drawn] = {}
    with replacing(folder) as new:
        for step in definition.steps:
            answers[step.name] = []
            for run in step.runs:
                progress(sum(map(len, answers.values())), run)
                answers[step.name].append(commands.answer(run.words))
            found[step.name] = tables_of(step, answers[step.name])
            for plot in definition.plots:                            # a wrong column shows before the next step runs
                if plot.name not in pictures and set(plot.steps) <= set(found):
                    pictures[plot.name] = drawn(definition, found, plot)
        in_order = [pictures[plot.name] for plot in definition.plots]
        files = dict(_files(definition, answers, found, in_order))
        manifest = _manifest(definition, answers, in_order, files, scale)
        files[MANIFEST] = (output.json_text(manifest) + "\n").encode()
        for name, content in files.items():
            (new / name).write_bytes(content)
    return Report(folder, manifest)


def _files(
    definition: Definition, answers: Mapping[str, Sequence[Row]], found: Mapping[str, Sequence[Table]], pictures: Sequence[Drawn]
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of every file but the manifest."""
    yield "index.html", page(definition, answers, found, pictures).encode()
    yield "report.md", markdown(definition, answers, found, pictures).encode()
    yield DEFINITION, definition.content
    for table in (table for tables_of_step in found.values() for table in tables_of_step):
        yield table.file, output.csv_text(table.rows).encode()
    for picture in pictures:
        yield f"{picture.plot.name}.svg", picture.svg.encode()
        yield f"{picture.plot.name}.png", picture.png


def _manifest(
    definition: Definition, answers: Mapping[str, Sequence[Row]], pictures: Sequence[Drawn], files: Mapping[str, bytes], scale: float
) -> Row:
    head = ("game", "variant", "players", "rules", "policies", "seed", "deals", "level")
    runs = [
        {"step": step.name, "command": run.line, **{key: answer[key] for key in head if key in answer}}
        for step in definition.steps
        for run, answer in zip(step.runs, answers[step.name], strict=True)
    ]
    listed = [{"file": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} for name, content in sorted(files.items())]
    again = f"tricklab report {DEFINITION}" + (f" --scale {scale:g}" if scale != 1 else "")
    return output.listing(
        "report", listed, run=again, title=definition.title, question=definition.question, level=definition.level, scale=scale,
        findings=[picture.finding for picture in pictures], runs=runs,
    )  # fmt: skip


def page(definition: Definition, answers: Mapping[str, Sequence[Row]], found: Mapping[str, Sequence[Table]], pictures: Sequence[Drawn]) -> str:
    """Return the report as one HTML page that needs nothing else."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    return templates.get_template("page.html").render(
        title=definition.title, question=definition.question, headline=pictures[0].finding, pictures=pictures, inlined=plots.together(pictures),
        notes={picture.plot.name: _rests_on(picture.plot, answers) for picture in pictures}, steps=_shown_steps(definition, answers, found),
        level=f"{100 * definition.level:.6g}", version=__version__, definition=DEFINITION,
        css=(TEMPLATES / "page.css").read_text(encoding="utf-8"), script=(TEMPLATES / "page.js").read_text(encoding="utf-8"),
    )  # fmt: skip


def markdown(definition: Definition, answers: Mapping[str, Sequence[Row]], found: Mapping[str, Sequence[Table]], pictures: Sequence[Drawn]) -> str:
    """Return the report as Markdown, for pages that show a folder's text."""
    parts: list[str | tables.Table] = [f"# {definition.title}", definition.question, f"**{pictures[0].finding}.**"]
    for picture in pictures:
        parts += [f"## {picture.finding}", f"![{picture.alt}]({picture.plot.name}.svg)", _rests_on(picture.plot, answers)]
    for step in _shown_steps(definition, answers, found):
        parts += [f"## {step['title']}", *(f"    {line}" for line in step["lines"]), step["basis"]]
        for table in step["tables"]:
            body = [[cell.text for cell in row] for row in table["rows"]]
            parts += [f"### {table['caption']}", tables.Table(table["headings"], body, table["words"])]
            parts += [table["note"]] if table["note"] else []
    parts.append(f"Made by tricklab {__version__}; `tricklab report {DEFINITION}` makes it again, to the last digit.")
    return tables.markdown(parts)


def _rests_on(plot: Plot, answers: Mapping[str, Sequence[Row]]) -> str:
    return " ".join(dict.fromkeys(tables.basis(answer) for step in plot.steps for answer in answers[step]))


def _shown_steps(definition: Definition, answers: Mapping[str, Sequence[Row]], found: Mapping[str, Sequence[Table]]) -> list[Row]:
    """Return what page and Markdown show of each step."""
    steps = []
    for step in definition.steps:
        steps.append(
            {
                "name": step.name,
                "title": step.title,
                "lines": [run.line for run in step.runs],
                "basis": " ".join(dict.fromkeys(tables.basis(answer) for answer in answers[step.name])),
                "tables": [_shown_part(table) for table in found[step.name] if table.rows],
            }
        )
    return steps


def _shown_part(table: Table) -> Row:
    headings, rows, words = shown_table(table)
    note = f"The first {MOST_ROWS} of {len(rows):,} rows; {table.file} has all." if len(rows) > MOST_ROWS else ""
    caption = heading(table.name)
    return {"caption": caption[0].upper() + caption[1:], "headings": headings, "rows": rows[:MOST_ROWS], "words": words, "note": note, "file": table.file}


def check_folder(folder: Path) -> None:
    """Raise where a report cannot be put in place of the folder: it is a file, or holds what no report wrote."""
    if folder.exists() and not folder.is_dir():
        raise TricklabError(f"{folder}: a file; name a folder")
    if not folder.exists():
        return
    known = {DEFINITION}
    if isfile(folder / MANIFEST):
        known |= {MANIFEST, *_written(folder / MANIFEST)}
    if strange := sorted(entry.name for entry in folder.iterdir() if entry.name not in known):
        raise TricklabError(f"{folder}: holds {shown(strange[0])}, which no report wrote; move it, or name another folder")


def _written(manifest: Path) -> list[str]:
    """Return the names of the files that a report wrote; none where this is no manifest of a report."""
    import json

    try:
        told = json.loads(manifest.read_bytes())
        return [str(row["file"]) for row in told["results"]] if told["schema"] == "tricklab.report/1" else []
    except (ValueError, KeyError, TypeError):
        return []


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a new folder that takes the place of `folder` when the block ends; where it fails or is interrupted, the old one stays as it was.

    Raises
    ------
    TricklabError
        It cannot be written.
    """
    target = folder.resolve()                      # a link stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise TricklabError(f"cannot write {str(folder)!r}: {error.strerror or error}; name a folder that you may write to") from error
    new, old = beside / "new", beside / "old"
    try:
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException as error:
        if old.exists() and not target.exists():
            old.rename(target)
        if isinstance(error, OSError):
            raise TricklabError(f"cannot write {str(folder)!r}: {error.strerror or error}; what was there stays as it was") from error
        raise
    finally:
        if target.exists() or not old.exists():
            shutil.rmtree(beside, ignore_errors=True)
