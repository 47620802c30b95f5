"""Answers of `bid` for a notebook: a small HTML page without scripts, for light and dark ones, and a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from analyzer import tables
from analyzer.output import flattened

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.tables import Row, Scale, Table

WIDTH, HEIGHT = 160, 12             # of a drawing, in pixels
BAR = 6                             # of a number of tricks
COLORS = {"♠": "#5b8def", "♥": "#e0524d", "♦": "#d98324", "♣": "#3f9e4d"}     # to be read on white and on black
CELL = "padding:1px 8px;white-space:pre;border:0;background:none;"


def html(document: Row) -> str:
    """Return the page of an answer as HTML: nothing in it comes from elsewhere, and its only colours are those of the suits."""
    style = tables.Style()
    page = tables.bid_page(document, style)
    has_values = document["results"][0]["ev"] is not None
    parts = []
    for place, part in enumerate(page):
        if isinstance(part, str):
            parts.append(_paragraph(part, is_bold=place == 1))
        else:
            parts.append(_table(part, _drawn(document) if has_values and place == 2 else {}))
    return f'<div style="font-size:90%">{"".join(parts)}</div>'


def frame(document: Row) -> pd.DataFrame:
    """Return the actions of an answer, the best first: points, chips and deals say so in the names of their columns, all else are chances or words."""
    import pandas as pd

    unit = tables.unit_of(document)
    found = pd.DataFrame([flattened(row) for row in document["results"]])
    units = {"ev": unit, "regret": unit, "n": "deals", "ess": "deals"}
    return found.rename(columns={name: f"{name}_{units[first]}" for name in found.columns if (first := name.split("_")[0]) in units})


def _drawn(document: Row) -> dict[int, list[str]]:
    """Return the cells of the table of answers that are drawings, by column."""
    rows = tables.best_rows(document)
    scale, highest = tables.scale_of(rows), max((chance for row in rows for chance in row["tricks"]), default=1.0)
    last = len(tables.bids_table(document, tables.Style()).headings) - 1
    return {2: [_interval(row, scale) for row in rows], last: [_tricks(row, highest) for row in rows]}


def _interval(row: Row, scale: Scale) -> str:
    """Return the interval of the points as a line with a dot, or a triangle at the end of the scale off which it lies."""
    edge, middle = 4, HEIGHT / 2
    if not scale.low <= row["ev"] <= scale.high:
        x, tip = (edge, 0) if row["ev"] < scale.low else (WIDTH - edge, WIDTH)
        return _svg(WIDTH, f'<path d="M{x} 2V{HEIGHT - 2}L{tip} {middle}Z" fill="currentColor" opacity=".5"/>')
    low, mean, high = (
        edge + scale.share(row["ev"] if row[name] is None else row[name]) * (WIDTH - 2 * edge) for name in ("ev_low", "ev", "ev_high")
    )  # fmt: skip
    line = f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="currentColor" stroke-width="2"/>'
    return _svg(WIDTH, f'{line}<circle cx="{mean:.1f}" cy="{middle}" r="3" fill="currentColor"/>')


def _tricks(row: Row, highest: float) -> str:
    """Return a bar for each number of tricks, as high as its chance; the one aimed at is filled, the others pale."""
    shown = []
    for tricks, chance in enumerate(row["tricks"]):
        height = HEIGHT * chance / highest
        opacity = "1" if tricks == row["action"] else ".45"
        bar = f'<rect x="{tricks * BAR}" y="{HEIGHT - height:.1f}" width="{BAR - 1}" height="{height:.1f}" fill="currentColor" opacity="{opacity}">'
        shown.append(f"{bar}<title>{tricks}: {chance:.1%}</title></rect>")
    return _svg(len(row["tricks"]) * BAR, "".join(shown))


def _svg(width: int, inside: str) -> str:
    return f'<svg width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" style="vertical-align:middle">{inside}</svg>'


def _table(table: Table, drawn: dict[int, list[str]]) -> str:
    """Return a table; the cells of the columns in `drawn` are HTML already, and their heading is stretched over them."""
    lines = [_line("th", table.headings, table.left, {column: _stretched(table.headings[column]) for column in drawn})]
    for place, row in enumerate(table.rows):
        is_best = drawn and place == 0
        lines.append(_line("td", row, table.left, {column: cells[place] for column, cells in drawn.items()}, "font-weight:bold;" if is_best else ""))
    return f'<table style="border-collapse:collapse;margin:6px 0">{"".join(lines)}</table>'


def _line(kind: str, cells: Sequence[str], left: Iterable[int], drawn: dict[int, str], look: str = "") -> str:
    said = []
    for column, cell in enumerate(cells):
        side = "left" if column in left else "right"
        said.append(f'<{kind} style="{CELL}{look}text-align:{side}">{drawn.get(column, _text(cell))}</{kind}>')
    return f'<tr style="background:none">{"".join(said)}</tr>'


def _stretched(heading: str) -> str:
    """Return the ends of a scale at the ends of the column; a heading without blanks, such as 0123, one sign over each bar."""
    words = heading.split()
    spans = "".join(f"<span>{_text(word)}</span>" for word in words) if len(words) > 1 else "".join(f'<span style="width:{BAR}px">{s}</span>' for s in heading)
    how = f"justify-content:space-between;width:{WIDTH}px" if len(words) > 1 else "font-size:8px"
    return f'<span style="display:flex;{how}">{spans}</span>'


def _paragraph(text: str, is_bold: bool) -> str:
    return f'<p style="margin:4px 0;{"font-weight:bold" if is_bold else ""}">{_text(text)}</p>'


def _text(text: Any) -> str:
    """Return text that stands as it is, with the suits in their colours."""
    said = escape(str(text)).replace("\n", "<br>")
    for sign, color in COLORS.items():
        said = said.replace(sign, f'<span style="color:{color}">{sign}</span>')
    return said
