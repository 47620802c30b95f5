"""Plots of estimates with their intervals, from rows of answers alone: the title says what the numbers show, the alternative text says the numbers.

A plot over words or names has a line for each of them; a plot over numbers, such as players or cards, runs from left to right.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from analyzer import tables
from analyzer.errors import UsageError, did_you_mean, one_of, shown
from analyzer.results import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

INK, PAPER = "#1b1f23", "#ffffff"
# At least 3.5 to 1 against white and against the page in the dark (WCAG 2.2, criterion 1.4.11 asks for 3); the markers tell them apart too.
COLORS = ("#2f7fc1", "#d4641c", "#20926b", "#9a6bc9", "#cf5c93", "#8a8420", "#1f93a3", "#7d8288")
MARKERS = "os^Dvph*"
WIDTH = 4.8                 # inches
LINE = 0.3                  # inches of a line of a plot over names
DPI = 120                   # of a PNG
PALETTE = 64                # colours of a PNG
TITLE_SIGNS = 50            # of a line of the title
AXIS_SIGNS = 36             # of a line beside an axis
LEGEND_SIGNS = 56           # of a line of the legend
FEWEST = 30                 # deals of an estimate that is drawn
MOST_TOLD = 24              # estimates of an alternative text
LETTER = "DejaVuSans"       # how the ids of letters begin
NAMES = ("seat",)           # columns whose numbers are names
MOST_TICKS = 14
WIDE = 20                   # greatest deals over fewest from which their axis is logarithmic
FEW = 3                     # names that a title lists
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "tricklab", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 9.5, "text.color": INK, "axes.edgecolor": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False, "axes.unicode_minus": False,
    "path.simplify": False,
}  # fmt: skip


@dataclass(frozen=True)
class Plot:
    """What is drawn: the estimates `value` of the rows, over the values of `by`, a colour for each value of `group`."""

    name: str
    steps: tuple[str, ...]
    value: str
    by: str
    subject: str                        # what `value` is, as the title begins: "Zero bids made"
    table: str = "results"
    group: str | None = None
    unit: str | None = None             # that of the column, if None
    axis: str | None = None             # what `by` is, as after a number: "low cards"; the name of the column, if None
    where: dict[str, Any] = field(default_factory=dict)      # only rows with this value, or one of these values, of a column
    names: dict[str, str] = field(default_factory=dict)      # what values are called

    @property
    def measure(self) -> str:
        """The unit of the axis."""
        return self.unit or unit_of(self.value)


@dataclass(frozen=True)
class Point:
    """One estimate, times 100 where it is a share."""

    by: Any
    by_label: str
    group: str
    value: float
    low: float
    high: float

    def text(self, plot: Plot) -> str:
        """Return the estimate with its interval and unit."""
        is_gain = plot.measure in ("points", "chips") and not self.value == self.low == self.high == 0
        said = tables.measured(self.value, self.low, self.high, tables.Style(), signed=is_gain).replace(" ", "\N{NO-BREAK SPACE}")
        return f"{said}\N{NO-BREAK SPACE}{plot.measure}".strip()


@dataclass(frozen=True)
class Drawn:
    """A plot and what it says."""

    plot: Plot
    finding: str        # the title
    alt: str            # every estimate in words
    svg: str            # of a file, with its title
    png: bytes
    inline: str         # SVG for a page that has the title already, in the page's own ink


def points(plot: Plot, rows: Sequence[Row], label: Callable[[str, Row], str]) -> list[Point]:
    """Return the estimates of the rows that the plot shows; those that are null or of few deals are left out.

    Parameters
    ----------
    label : returns the value of a column of a row in words

    Raises
    ------
    UsageError
        The rows have no such column, or no interval for it.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    ends = (f"{plot.value}_low", f"{plot.value}_high")
    for name in (plot.value, plot.by, plot.group, *plot.where):
        if rows and name is not None and name not in columns:
            expected = f"{did_you_mean(name, columns)}; expected one of {one_of(columns)}"
            raise UsageError(f"plot {plot.name}: {shown(name)} is no column of table {plot.table}{expected}")
    if rows and not set(ends) <= set(columns):
        having = [name for name in columns if {f"{name}_low", f"{name}_high"} <= set(columns)]
        raise UsageError(f"plot {plot.name}: {plot.value} has no interval; expected one of {one_of(having)}")
    scale = 100 if plot.measure == "%" else 1
    found: list[Point] = []
    for row in rows:
        estimate: list[Any] = [row.get(name) for name in (plot.value, *ends)]
        is_wanted = all(_fits(row, name, wanted, label) for name, wanted in plot.where.items())
        if is_wanted and row.get("n", FEWEST) >= FEWEST and None not in estimate:
            by = f"{row[plot.by]} {plot.axis}" if plot.axis and isinstance(row[plot.by], int) else label(plot.by, row)
            group = label(plot.group, row) if plot.group else ""
            found.append(Point(row[plot.by], plot.names.get(by, by), plot.names.get(group, group), *(scale * value for value in estimate)))
    groups = _in_order(plot, list(dict.fromkeys(point.group for point in found)))
    is_ordered = _is_ordered(plot, found)
    return sorted(found, key=lambda point: (groups.index(point.group), point.by if is_ordered else 0))


def _in_order(plot: Plot, groups: Sequence[str]) -> list[str]:
    """Return the groups as `where` lists them, or as they are met."""
    listed = plot.where.get(plot.group or "")
    order = [plot.names.get(str(name), str(name)) for name in listed] if isinstance(listed, list) else []
    return sorted(groups, key=lambda group: order.index(group) if group in order else len(order))


def _fits(row: Row, name: str, wanted: object, label: Callable[[str, Row], str]) -> bool:
    allowed = wanted if isinstance(wanted, list) else [wanted]
    return row.get(name) in allowed or label(name, row) in allowed


def _is_ordered(plot: Plot, found: Sequence[Point]) -> bool:
    """Return whether the plot runs from left to right: it is over numbers that are more than names."""
    return plot.by not in NAMES and all(isinstance(point.by, int | float) and not isinstance(point.by, bool) for point in found)


# ---------------------------------------------------------------- what the numbers show

def finding(plot: Plot, found: Sequence[Point]) -> str:
    """Return the title: what differs most, where intervals do not overlap, or that nothing clearly does."""
    groups = list(dict.fromkeys(point.group for point in found))
    if not found:
        return f"{plot.subject}: nothing of the kind was seen"
    if len(found) == 1:
        return f"{plot.subject}: {found[0].text(plot)} ({_name(found[0])})"
    if len(groups) == 2 and (said := _of_two(plot, found, groups)):
        return f"{plot.subject}: {said}"
    extremes = _extremes(plot, found)
    values = [point.value for point in found]
    if extremes and len(groups) == 1 and len(found) > 2 and _is_ordered(plot, found) and values in (sorted(values), sorted(values, reverse=True)):
        way = "up" if values[0] < values[-1] else "down"
        return f"{plot.subject}: {way} from {found[0].text(plot)} ({_name(found[0])}) to {found[-1].text(plot)} ({_name(found[-1])})"
    least, most = min(found, key=_value), max(found, key=_value)
    return f"{plot.subject}: {extremes or f'no clear difference, {least.text(plot)} ({_name(least)}) to {most.text(plot)} ({_name(most)})'}"


def _extremes(plot: Plot, found: Sequence[Point]) -> str | None:
    """Return the most and the least, or two others where only theirs are clear; None where all intervals overlap."""
    most, least = max(found, key=_value), min(found, key=_value)
    if least.high < most.low:
        return f"most {most.text(plot)} ({_name(most)}), least {least.text(plot)} ({_name(least)})"
    upper, lower = max(found, key=lambda point: point.low), min(found, key=lambda point: point.high)
    return f"more for {_name(upper)}, {upper.text(plot)}, than for {_name(lower)}, {lower.text(plot)}" if lower.high < upper.low else None


def _of_two(plot: Plot, found: Sequence[Point], groups: Sequence[str]) -> str | None:
    """Return which of two groups is above the other, and where; None where they have nothing to compare."""
    ones, others = ({point.by_label: point for point in found if point.group == group} for group in groups)
    pairs = [(one, others[label]) for label, one in ones.items() if label in others]
    above = [(one, other) for one, other in pairs if one.low > other.high]
    below = [(one, other) for one, other in pairs if one.high < other.low]
    if not pairs:
        return None
    if not above and not below:
        extremes = _extremes(plot, found)
        return f"no clear difference between {groups[0]} and {groups[1]}" + (f"; {extremes}" if extremes else "")
    said = []
    for wins, upper, lower in ((above, groups[0], groups[1]), (below, groups[1], groups[0])):
        if wins:
            one, other = max(wins, key=lambda pair: abs(pair[0].value - pair[1].value))
            most = f"most for {one.by_label}, " if len(wins) > 1 else ""
            upper_text, lower_text = (max(one, other, key=_value).text(plot), min(one, other, key=_value).text(plot))
            said.append(f"{upper} above {lower} {_where(wins, len(pairs))}, {most}{upper_text} against {lower_text}")
    return "; ".join(said)


def _value(point: Point) -> float:
    return point.value


def _where(wins: Sequence[tuple[Point, Point]], n: int) -> str:
    if len(wins) == n:
        return "throughout" if n > 1 else f"for {wins[0][0].by_label}"
    return f"for {one_of(one.by_label for one, _ in wins).replace(' or ', ' and ')}" if len(wins) <= FEW else f"in {len(wins)} of {n}"


def _name(point: Point) -> str:
    return f"{point.by_label}, {point.group}" if point.group else point.by_label


def alternative(plot: Plot, found: Sequence[Point], level: float) -> str:
    """Return every estimate in words, for those who do not see the plot."""
    told = []
    for group in dict.fromkeys(point.group for point in found[:MOST_TOLD]):
        said = "; ".join(f"{point.by_label} {point.text(plot)}" for point in found[:MOST_TOLD] if point.group == group)
        told.append(f"{group}: {said}" if group else said)
    more = f" {len(found) - MOST_TOLD} more are in the table." if len(found) > MOST_TOLD else ""
    return f"Dots with {100 * level:.6g} % intervals. {'. '.join(told)}.{more}" if told else "There is nothing to draw."


# ---------------------------------------------------------------- drawing

def draw(plot: Plot, found: Sequence[Point], level: float, axis: str) -> Drawn:
    """Return the plot as SVG and PNG, the same bytes again from the same rows.

    Parameters
    ----------
    axis : what `by` is, in words

    Raises
    ------
    UsageError
        More groups than colours.
    """
    import matplotlib

    groups = list(dict.fromkeys(point.group for point in found))
    if len(groups) > len(COLORS):
        raise UsageError(f"plot {plot.name}: found {len(groups)} values of {plot.group}, expected at most {len(COLORS)}; choose some with where")
    said, alt = finding(plot, found), alternative(plot, found, level)
    title = "\n".join(textwrap.wrap(said, TITLE_SIGNS))
    with matplotlib.rc_context(STYLE):
        titled, bare = _figure(plot, found, axis, title), _figure(plot, found, axis, "")
        return Drawn(plot, said, alt, _svg(titled, plot.name, said, alt), _png(titled), _inlined(_svg(bare, plot.name, said, alt)))


def _figure(plot: Plot, found: Sequence[Point], axis: str, title: str) -> Figure:
    from matplotlib.figure import Figure

    groups = list(dict.fromkeys(point.group for point in found))
    labels = list(dict.fromkeys(point.by_label for point in found))
    is_ordered = _is_ordered(plot, found) and len(labels) > 1
    slots = len(labels) * (1 if len(groups) <= 1 else 0.4 + 0.45 * len(groups))
    height = 2.8 if is_ordered else max(1.5, 0.8 + LINE * slots)
    height += 0.2 * title.count("\n") + (0.3 if title else 0) + (0.2 * -(-len(groups) // _columns(groups)) if len(groups) > 1 else 0)
    figure = Figure(figsize=(WIDTH, height), facecolor=PAPER, layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor("none")
    (_draw_ordered if is_ordered else _draw_named)(axes, plot, found, groups, labels, axis)
    if len(groups) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=_columns(groups), frameon=False, handletextpad=0.3, columnspacing=1.2, borderaxespad=0.2)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=10.5)
    return figure


def _columns(groups: Sequence[str]) -> int:
    """Return the columns of a legend."""
    return max(1, min(len(groups), LEGEND_SIGNS // (6 + max(map(len, groups)))))


def _draw_named(axes: Axes, plot: Plot, found: Sequence[Point], groups: Sequence[str], labels: Sequence[str], axis: str) -> None:
    """Draw a line for each name, the groups below each other, with the estimates in words on the right where there is one group."""
    width = 0.0 if len(groups) <= 1 else 0.7
    for number, group in enumerate(groups):
        own = [point for point in found if point.group == group]
        at = [labels.index(point.by_label) + width * ((number + 0.5) / len(groups) - 0.5) for point in own]
        axes.errorbar(
            [point.value for point in own], at, xerr=_ends(own), fmt=MARKERS[number], color=COLORS[number], label=group, markersize=5, elinewidth=1.6, capsize=3
        )
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=INK, alpha=0.15, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("\n".join(textwrap.wrap(_axis_label(plot), AXIS_SIGNS)))
    axes.set_ylabel(axis)
    if found and any(point.low < 0 < point.high or point.value < 0 for point in found) and any(point.high > 0 for point in found):
        axes.axvline(0, color=INK, linewidth=0.8)
    if len(groups) == 1 and len(labels) == len(found):
        right = axes.secondary_yaxis("right")
        right.set_yticks(range(len(labels)), [point.text(plot).removesuffix(plot.measure).strip() for point in found])
        right.tick_params(axis="y", length=0)
        right.spines["right"].set_visible(False)
    if not found:
        axes.set_xticks([])
        axes.text(0.5, 0.5, "nothing to draw", transform=axes.transAxes, ha="center", va="center")


def _draw_ordered(axes: Axes, plot: Plot, found: Sequence[Point], groups: Sequence[str], labels: Sequence[str], axis: str) -> None:
    """Draw a line from left to right for each group, the groups beside each other where they share a place."""
    places = sorted({point.by for point in found})
    step = min(after - before for before, after in pairwise(places))
    for number, group in enumerate(groups):
        own = [point for point in found if point.group == group]
        shift = 0.06 * step * (number - (len(groups) - 1) / 2)
        axes.errorbar(
            [point.by + shift for point in own], [point.value for point in own], yerr=_ends(own), fmt=f"{MARKERS[number]}-", color=COLORS[number], label=group,
            markersize=5, linewidth=1.0, elinewidth=1.6, capsize=3,
        )  # fmt: skip
    if len(places) <= MOST_TICKS:
        axes.set_xticks(places)
    if plot.measure == "deals" and max(point.high for point in found) > WIDE * min(point.low for point in found):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(axis="y", color=INK, alpha=0.15, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(axis)
    axes.set_ylabel("\n".join(textwrap.wrap(_axis_label(plot), AXIS_SIGNS)))
    if any(point.low < 0 for point in found) and any(point.high > 0 for point in found):
        axes.axhline(0, color=INK, linewidth=0.8)


def _ends(own: Sequence[Point]) -> list[list[float]]:
    """Return how far the intervals reach to both sides; not below nothing, where rounding would."""
    return [[max(0.0, point.value - point.low) for point in own], [max(0.0, point.high - point.value) for point in own]]


def _axis_label(plot: Plot) -> str:
    return f"{plot.subject}, {plot.measure}" if plot.measure else plot.subject


def _png(figure: Figure) -> bytes:
    """Return the figure in few colours, which takes half the room."""
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    Image.open(drawn).convert("RGB").quantize(PALETTE).save(small, format="png", optimize=True)
    return small.getvalue()


def _svg(figure: Figure, name: str, title: str, alt: str) -> str:
    """Return the figure with its title and its numbers in words; its ids begin with `name`, but for the shapes of letters, which all plots share."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = re.sub(r"-?\d+\.\d{3,}", _rounded, stream.getvalue())
    svg = re.sub(r'(<use [^>]*)transform="translate\((\S+) 0\)"', r'\1x="\2"', svg)      # letters: half the bytes of a plot
    svg = re.sub(r"\s*\n\s*(?=<)", "", svg).replace(" \n", " ")
    svg = svg[svg.index("<svg"):]                    # a document type would name another place
    svg = re.sub(rf'(?:(?<=\bid=")|(?<=href="#)|(?<=url\(#))(?!{LETTER})', f"{name}-", svg)
    words = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(alt)}</desc>'
    return re.sub(r"<svg ([^>]*)>", rf'<svg role="img" aria-labelledby="{name}-title {name}-desc" \1>' + words.replace("\\", "\\\\"), svg, count=1)


def together(pictures: Sequence[Drawn]) -> list[str]:
    """Return the plots as they stand in one page: the shape of each letter only once."""
    known: set[str] = set()

    def once(letter: re.Match[str]) -> str:
        is_new = letter[1] not in known
        known.add(letter[1])
        return letter[0] if is_new else ""

    return [re.sub(rf'<path id="({LETTER}[^"]*)"[^>]*/>', once, picture.inline) for picture in pictures]


def _rounded(number: re.Match[str]) -> str:
    """Return a coordinate to a hundredth of a point, which nobody sees; what is less than 1 may be the scale of a letter."""
    value = float(number[0])
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.4g}"


def _inlined(svg: str) -> str:
    """Return what stands inside a page: no names of other places, the page's ink on its own paper."""
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'(<svg [^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?) height="[^"]*"', r"\1", svg, count=1)
    return svg.replace(INK, "currentColor").replace(f"fill: {PAPER}", "fill: none")
