"""Answers to a file or the standard output: complete or not at all, and the same bytes for the same run."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from analyzer import __version__, tables
from analyzer.errors import TricklabError

if TYPE_CHECKING:
    from analyzer.rules import Rules

Row = Mapping[str, Any]


class Format(StrEnum):
    """What an answer looks like."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


@dataclass(frozen=True)
class Sink:
    """Where an answer goes, and how it is dressed."""

    format: Format = Format.TABLE
    file: Path | None = None
    quiet: bool = False
    ascii: bool = False
    color: bool = True

    @property
    def style(self) -> tables.Style:
        """Colour on a terminal only, and only signs that the output can take."""
        to_terminal = self.file is None and sys.stdout.isatty()
        plain = self.ascii or (self.file is None and not _can_write(sys.stdout, tables.SIGNS))
        return tables.Style(ascii=plain, color=self.color and to_terminal and self.format == Format.TABLE and not os.environ.get("NO_COLOR"))

    def show(self, document: Row, page: Callable[[tables.Style], tables.Page]) -> None:
        """Write the answer: `document` as JSON, its results as CSV, or the page made from it as text or Markdown."""
        with writing(self.file) as stream:
            if self.format == Format.JSON:
                stream.write(json_text(document) + "\n")
            elif self.format == Format.CSV:
                stream.write(csv_text(document["results"]))
            elif self.format == Format.MD:
                stream.write(tables.markdown(page(self.style)))
            else:
                stream.write(tables.text(page(self.style), self.style))

    def show_all(self, documents: Iterable[Row], page: Callable[[Sequence[Row], tables.Style], tables.Page]) -> None:
        """Write many answers: a line of JSON each as soon as it is there; once all are, their results as CSV, or one page made from them.

        Each has its `number`, which is the column `situation` of the CSV.
        """
        with writing(self.file) as stream:
            if self.format == Format.JSON:
                for document in documents:
                    stream.write(json_text(document) + "\n")
                    stream.flush()
                return
            answers = list(documents)
            if self.format == Format.CSV:
                stream.write(csv_text([{"situation": document["number"], **row} for document in answers for row in document["results"]]))
            elif self.format == Format.MD:
                stream.write(tables.markdown(page(answers, self.style)))
            else:
                stream.write(tables.text(page(answers, self.style), self.style))

    def note(self, text: str) -> None:
        """Say something beside the answer, on the standard error, unless it was asked to be quiet."""
        if not self.quiet:
            print(f"note: {text}", file=sys.stderr)


def document(
    command: str, rules: Rules, policies: Sequence[str], seed: int, deals: int, level: float, results: Sequence[Row], **more: Any
) -> dict[str, Any]:
    """Return the JSON object of an answer (contracts.md 2): the head, `more` in the order given, then `results`."""
    return {
        "schema": f"tricklab.{command}/1",
        "command": command,
        "game": rules.game,
        "variant": rules.variant,
        "rules": rules.fields,
        "policies": list(policies),
        "seed": seed,
        "deals": deals,
        "version": __version__,
        "level": level,
        **more,
        "results": list(results),
    }


def listing(command: str, results: Sequence[Row], **more: Any) -> dict[str, Any]:
    """Return the JSON object of an answer that rests on no deals."""
    return {"schema": f"tricklab.{command}/1", "command": command, "version": __version__, **more, "results": list(results)}


def field_rows(fields: Row, group: str = "") -> list[dict[str, str]]:
    """Return one row per rule field, its path and its value as `--set` takes them."""
    rows = []
    for name, value in fields.items():
        if isinstance(value, Mapping) and group + name != "game.end":      # the one field whose value is a table
            rows += field_rows(value, f"{group}{name}.")
        else:
            rows.append({"field": group + name, "value": _toml(value)})
    return rows


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def json_text(value: object) -> str:
    """Return one line of JSON; NaN and infinity are refused with ValueError, keys stay in their order."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def csv_text(rows: Sequence[Row]) -> str:
    """Return the rows as CSV: nothing for null, one column per chance of a list, the words or counts of a list in one column."""
    flat = [flattened(row) for row in rows]
    columns = dict.fromkeys(name for row in flat for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


@contextmanager
def writing(path: Path | None) -> Iterator[TextIO]:
    """Open the standard output, or a file that appears complete when the block ends and not at all when it fails.

    Raises
    ------
    TricklabError
        The file cannot be written.
    """
    if path is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    if path.exists() and not path.is_file():      # /dev/stdout, a pipe: nothing to put in place of it
        with _told(path), path.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    target = path.resolve()                       # a link stays a link
    with _told(path):
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with _told(path), open(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(handle)
        with _told(path):
            os.chmod(beside, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            os.replace(beside, target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def check_writable(path: Path | None) -> None:
    """Raise what `writing` would raise, and leave nothing behind."""
    if path is None:
        return
    with _told(path):
        if path.is_dir():
            path.open("w", encoding="utf-8")                                 # fails
        elif path.is_file() or not path.exists():
            tempfile.TemporaryFile(dir=path.resolve().parent).close()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TricklabError(f"cannot write {str(path)!r}: {error.strerror or error}; name a file in a folder that you may write to") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def flattened(row: Row) -> dict[str, Any]:
    """Return the row without lists: one key per chance of a list, the words or counts of a list as one text."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, list) and any(isinstance(item, float) for item in value):
            flat.update({f"{name}_{i}": item for i, item in enumerate(value)})
        elif isinstance(value, list):
            flat[name] = " ".join(map(str, value))
        else:
            flat[name] = value
    return flat
