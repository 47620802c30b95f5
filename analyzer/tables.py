"""Answers for people: plain aligned tables, numbers with as many digits as their interval allows.

A page is made from the JSON object of an answer alone (contracts.md 2), so that it shows nothing that the object does not hold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import floor, isnan, log10
from typing import Any

from analyzer.cards import FRENCH, SPANISH, denomination, denomination_text
from analyzer.errors import counted

Row = Mapping[str, Any]
Cells = Sequence[str]

SIGNS = "±♣♦♥♠▁█─"                # every sign that a page may hold besides ASCII
BARS, ASCII_BARS = " ▁▂▃▄▅▆▇█", " .:-=+*#%@"
NAMED = 0.005                      # smallest chance that gets a bar
UNKNOWN = "?"
MOST_ROWS = 18                     # of an answer on a page: every bid of the largest hand
BOLD, GREEN, RESET = "\033[1m", "\033[32m", "\033[0m"
_ESCAPES = re.compile("\033\\[[0-9]*m")


@dataclass(frozen=True)
class Style:
    """How a page is dressed."""

    ascii: bool = False
    color: bool = False

    @property
    def plus_minus(self) -> str:
        return "+-" if self.ascii else "±"

    def paint(self, text: str, code: str) -> str:
        """Return the text in a colour, where there are colours."""
        return f"{code}{text}{RESET}" if self.color else text


@dataclass(frozen=True)
class Table:
    """Cells under headings; the columns named in `left` are aligned there, all others right."""

    headings: Cells
    rows: Sequence[Cells]
    left: frozenset[int] = frozenset()
    title: str = ""


Page = Sequence[str | Table]


def text(page: Page, style: Style) -> str:
    """Return the page for a terminal: its paragraphs and tables, with an empty line between."""
    return "\n\n".join(_text_table(part, style) if isinstance(part, Table) else part for part in page) + "\n"


def markdown(page: Page) -> str:
    """Return the page as Markdown."""
    return "\n\n".join(_markdown_table(part) if isinstance(part, Table) else part for part in page) + "\n"


# ---------------------------------------------------------------- numbers

def measured(value: float | None, low: float | None, high: float | None, style: Style, scale: float = 1, signed: bool = False) -> str:
    """Return a number with its interval, such as `+8.21 ± 0.08`; the interval decides the digits. Exact numbers stand alone.

    `±` is the longer side of the interval, rounded to one digit, or two that start with 1.
    """
    if value is None or isnan(value):
        return UNKNOWN
    sign = "+" if signed else ""
    if low is None or high is None:
        return f"{value * scale:{sign}.1f} {style.plus_minus} {UNKNOWN}"
    radius = max(high - value, value - low) * scale
    if radius <= 0:
        return f"{value * scale:{sign}.2f}".removesuffix("0").removesuffix(".0")
    digits = decimals(radius)
    number = f"{value * scale:{sign}.{digits}f}"
    return f"{_unsigned_zero(number)} {style.plus_minus} {radius:.{digits}f}"


def decimals(radius: float) -> int:
    """Return how many decimals a number with this half-width deserves."""
    magnitude = floor(log10(radius))
    return max(0, -magnitude + (radius / 10.0**magnitude < 1.95))


def percent(row: Row, name: str, style: Style) -> str:
    """Return a chance with its interval, in percent, without the sign."""
    return measured(row[name], row[f"{name}_low"], row[f"{name}_high"], style, scale=100)


def score(row: Row, name: str, style: Style) -> str:
    """Return points with their interval."""
    return measured(row[name], row[f"{name}_low"], row[f"{name}_high"], style, signed=True)


def bars(chances: Sequence[float], highest: float, style: Style, aimed_at: object = None) -> str:
    """Return one sign per number of tricks, as high as its chance against the highest; the one aimed at is green."""
    ramp = ASCII_BARS if style.ascii else BARS
    signs = [ramp[max(1, round(chance / highest * (len(ramp) - 1)))] if chance >= NAMED else " " for chance in chances]
    return "".join(style.paint(sign, GREEN) if tricks == aimed_at else sign for tricks, sign in enumerate(signs))


def _unsigned_zero(number: str) -> str:
    return number.lstrip("+-") if not number.strip("+-0.") else number


# ---------------------------------------------------------------- pages

def bid_page(document: Row, style: Style) -> Page:
    """Return the page of `bid`: what to say, then every action with what it brings, how often it is made and the tricks it leads to."""
    rows = document["results"][:MOST_ROWS]
    unit = _unit(document)
    highest = max(chance for row in rows for chance in row["tricks"])
    tricks = len(rows[0]["tricks"])
    body = []
    for row in rows:
        cells = [
            action_text(row),
            score(row, "ev", style),
            "-" if row["p_made"] is None else percent(row, "p_made", style),
            "best" if row is rows[0] else measured(row["regret"], row["regret_low"], row["regret_high"], style),
            bars(row["tricks"], highest, style, row["action"]),
        ]
        body.append([style.paint(cell, BOLD) if row is rows[0] and i < 4 else cell for i, cell in enumerate(cells)])
    numbers = "".join(str(number % 10) for number in range(tricks))
    table = Table(["bid" if _asks_bid(document) else "call", unit, "made %", "behind", numbers], body, frozenset({4}))
    worse = len(document["results"]) - len(rows)
    left_out = f"{worse} calls below these are left out; --json and --csv have them. " if worse else ""
    spoken = {row["action"] for row in document["results"]}
    barred = ", ".join(str(bid) for bid in range(tricks) if bid not in spoken) if _asks_bid(document) else ""
    forbidden = f"The rules forbid {barred} here. " if barred else ""
    legend = f"{left_out}{forbidden}Last column: chance of 0 to {tricks - 1} tricks, a full bar is {highest:.0%}. {basis(document)}"
    return [question(document, style), style.paint(headline(document, style), BOLD), table, legend]


def question(document: Row, style: Style) -> str:
    """Return the hand that was asked about, with what is known about trump, calls and bids."""
    situation = document["situation"]
    solo = document["game"] == "spanish-solo"
    deck = SPANISH if solo else FRENCH
    known = [f"{deck.glyphs(deck.hand(situation['hands'][situation['seat']]), style.ascii)} in seat {situation['seat']}"]
    calls = [f"seat {seat} {call}" for seat, call in situation.get("auction") or () if isinstance(call, str)]
    if situation.get("contract"):
        known.append(f"contract {situation['contract']}")
    elif calls:
        known.append(", ".join(calls))
    if situation.get("trump"):
        known.append("no trump" if situation["trump"] == "NT" else f"trump {denomination_text(denomination(situation['trump']), not style.ascii)}")
    spoken = [f"seat {seat} bid {bid}" for seat, bid in enumerate(situation.get("bids") or ()) if bid is not None]
    if spoken:
        known.append(", ".join(spoken))
    return f"{_title(document)}: {'; '.join(known)}"


def headline(document: Row, style: Style) -> str:
    """Return the answer of `bid` in one sentence."""
    rows = document["results"]
    best = rows[0]
    verb = "Bid" if _asks_bid(document) else "Say"
    if best.get("asks"):
        verb = "Choose"
    sentence = f"{verb} {action_text(best)}: {score(best, 'ev', style)} {_unit(document)}"
    if best["p_made"] is not None:
        sentence += f", made {percent(best, 'p_made', style)} %"
    close = [row for row in rows[1:] if row["regret_low"] is not None and row["regret_low"] <= 0]
    if close and not document["settled"]:
        names = [action_text(row) for row in close[:3]]
        more = f" and {len(close) - 3} more" if len(close) > 3 else ""
        return f"{sentence}; {', '.join(names)}{more} may be as good"
    if len(rows) > 1:
        second = rows[1]
        sentence += f"; next best {action_text(second)}, {measured(second['regret'], second['regret_low'], second['regret_high'], style)} behind"
    return sentence


def action_text(row: Row) -> str:
    """Return an action as a player says it."""
    action = row["action"]
    said = " ".join(action) if isinstance(action, list) else str(action)
    if row.get("trump"):
        said += f" in {row['trump']}"
    if row.get("asks"):
        said += f" asking {row['asks']}"
    return said


def simulate_page(document: Row, style: Style) -> Page:
    """Return the page of `simulate`: by seat, then by bid, or by hand size where there are several; with whole games their winners first."""
    page: list[str | Table] = [_title(document)]
    unit = _unit(document)
    if document.get("games"):
        page += _games_part(document["games"], document["policies"], unit, style)
    page.append(_bids_table(document["seats"], ("seat",), unit, style))
    sizes = {row["cards"] for row in document["results"]}
    rows = document["hands"] if len(sizes) > 1 else document["results"]
    page.append(_bids_table(rows, ("cards", "seat") if len(sizes) > 1 else ("seat", "bid"), unit, style))
    if len(sizes) > 1:
        page.append("Every bid: --cards N for one hand size, or --json and --csv.")
    page.append(_seats_note(document) + basis(document))
    return page


def zero_page(document: Row, style: Style) -> Page:
    """Return the page of `zero`: zero bids by side."""
    unit = _unit(document)
    body = [
        [row["side"], row["scored_as"], f"{row['n']:,}", f"{row['share']:.1%}", percent(row, "p_made", style), score(row, "score", style)]
        for row in document["results"]
    ]
    table = Table(["sum of bids", "scored as", "zero bids", "share", "made %", unit], body, frozenset({0, 1}))
    if not body:
        return [_title(document), f"Nobody bid zero. {basis(document)}"]
    return [_title(document), table, f"Share: of all zero bids. {basis(document)}"]


def duel_page(document: Row, style: Style) -> Page:
    """Return the page of `duel`: every policy against the last, field by field, then every policy against every other."""
    last, unit = document["policies"][-1], _unit(document)
    page: list[str | Table] = [_title(document)]
    for field in dict.fromkeys(row["field"] for row in document["results"]):
        rows = [row for row in document["results"] if row["field"] == field]
        one, others = ("the policy", last) if field == "1v3" else (last, "the policy")
        page.append(f"{field}: one seat {one}, all others {others}{_held_equal(document)}.")
        zeros = [name for name in ("zero_under", "zero_exact", "zero_over") if any(row[f"{name}_n"] for row in rows)]
        body = [
            [row["policy"], score(row, "score", style), *(_rate(row, name, style) for name in ("exact_rate", *zeros))]
            + [_gain(row, name, style) for name in ("difference", "swap_difference")]
            for row in rows
        ]
        made = "solo made %" if document["game"] == "spanish-solo" else "made %"
        headings = ["policy", unit, made, *(f"{name.replace('_', ' ')} %" for name in zeros), "difference", "swap difference"]
        page.append(Table(headings, body, frozenset({0})))
    if document["payoffs"]:
        page.append("Difference of the row in one seat, all others the column:")
        page.append(_payoffs_table(document, style))
    best = "; the fewest win" if document["rules"].get("score", {}).get("low_wins") else ""
    page.append(
        f"Every deal with the odd seat in every place. Difference: {unit} above the other seats at the same tables{best}. Swap difference: above {last} in the "
        f"same seat of the same deals.\n{basis(document)}"
    )
    return page


def curve_line(row: Row, updates: int, style: Style) -> str:
    """Return a point of the learning curve of `train`."""
    parts = [f"update {row['update']:,} of {updates:,}"]
    parts += [] if row["made"] is None else [f"made {row['made']:.1%}"]
    parts += [f"{name} {row[key]:.3f}" for name, key in (("critic R2", "critic_r2"), ("bid loss", "bid_loss")) if row[key] is not None]
    parts += [f"{score(row, 'rules', style)} over rules", f"{score(row, 'ancestor', style)} over its ancestor"]
    return "  ".join(parts)


def train_page(document: Row, style: Style) -> Page:
    """Return the page of `train`: what the policy gains over others at the judged tables, or how far it had come where it was interrupted."""
    tables = document["tables"]
    title = f"{document['game']}, trained at {tables[0] if len(tables) == 1 else f'{len(tables)} tables'}, {document['updates']:,} updates"
    seed = f"seed {document['seed']}"
    if not document["results"]:
        curve = [curve_line(row, document["updates"], style) for row in document["curve"]]
        return [title, *(["\n".join(curve)] if curve else []), f"{document['deals']:,} deals so far, {seed}."]
    body = [[row["table"], row["against"], score(row, "difference", style), _rate(row, "exact_rate", style)] for row in document["results"]]
    made = "solo made %" if document["game"] == "spanish-solo" else "made %"
    table = Table(["table", "all others", _unit(document), made], body, frozenset({0, 1}))
    note = f"{_unit(document).capitalize()} above the other seats, with the odd seat in every place. n = {document['results'][0]['n']:,} deals each"
    level = f"{100 * document['level']:.6g} % intervals"
    return [title, table, f"{note}, {level}; trained on {document['deals']:,} others, {seed}.\nPolicy: {document['policies'][0]}"]


def cards_part(cards: Mapping[str, Row], style: Style) -> Page:
    """Return what the networks of a policy were trained on, and what they gain over others, family by family."""
    page: list[str | Table] = []
    for family, card in cards.items():
        body = [[row["table"], row["against"], score(row, "difference", style), _rate(row, "exact_rate", style)] for row in card["strength"]]
        where = counted(len(card["tables"]), "tables")
        page.append(f"Networks for {family}: {card['updates']:,} updates, {card['deals']:,} deals at {where}, seed {card['seed']}.")
        page.append(Table(["table", "all others", "gain", "made %"], body, frozenset({0, 1})))
    return page


def score_page(rows: Sequence[Row], style: Style) -> Page:
    """Return the page of `score`: what every seat scores."""
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
    return [plain_table(rows, names)]


def plain_table(rows: Iterable[Row], names: Sequence[str]) -> Table:
    """Return the named values of the rows; columns of text are aligned left."""
    rows = list(rows)
    left = frozenset(i for i, name in enumerate(names) if any(isinstance(row[name], str) for row in rows))
    return Table(names, [[_value(row[name]) for name in names] for row in rows], left)


def basis(document: Row) -> str:
    """Return what the numbers rest on: deals, level, players, seed."""
    players = list(dict.fromkeys(document["policies"]))
    by = players[0] if len(players) == 1 else ", ".join(document["policies"])
    if all(row.get("exact") for row in document["results"]) and document["results"]:
        return f"Exact: every deal counted; players {by}."
    weighed = _weighed(document)
    return f"n = {document['deals']:,} deals{weighed}, {100 * document['level']:.6g} % intervals, players {by}, seed {document['seed']}."


def _weighed(document: Row) -> str:
    if not document.get("conditioned"):
        return ""
    size = min((row["ess"] for row in document["results"]), default=0)
    return f" weighed by what the others said, worth {size:,.0f} that are not"


def _games_part(games: Row, policies: Cells, unit: str, style: Style) -> Page:
    body = [
        [str(row["seat"]), policy, percent(row, "p_won", style), f"{row['won']:,}", f"{row['shared']:,}", score(row, "total", style)]
        for row, policy in zip(games["players"], policies, strict=True)
    ]
    table = Table(["player", "policy", "won %", "won", "of these shared", unit], body, frozenset({1}))
    said = f"{games['games']:,} games, {games['deals_mean']:.1f} deals each" if games["games"] else "No game was played to its end"
    if games["unfinished"]:
        said += f"; {games['unfinished']:,} unfinished: the leader at the last deal counts as winner"
    if games["pool_mean"] is not None:
        said += f"; {games['pool_mean']:.2f} chips left in the pool"
    return [table, f"{said}."]


def _held_equal(document: Row) -> str:
    if document["bids_by"]:
        return f"; every bid by {document['bids_by']}"
    return f"; every card by {document['play_by']}" if document["play_by"] else ""


def _payoffs_table(document: Row, style: Style) -> Table:
    policies, cells = document["policies"], iter(document["payoffs"])
    body = [[name, *("0" if one == other else _gain(next(cells), "difference", style) for other in range(len(policies)))] for one, name in enumerate(policies)]
    return Table(["", *policies], body, frozenset({0}))


def _rate(row: Row, name: str, style: Style) -> str:
    return "-" if row[name] is None else percent(row, name, style)


def _gain(row: Row, name: str, style: Style) -> str:
    return "0" if row[name] == row[f"{name}_low"] == row[f"{name}_high"] == 0 else score(row, name, style)


def _bids_table(rows: Sequence[Row], by: Sequence[str], unit: str, style: Style) -> Table:
    body = [
        [_value(row[name]) for name in by]
        + [
            f"{row['n']:,}",
            "-" if row["p_made"] is None else percent(row, "p_made", style),
            f"{row['tricks_mean']:.2f}",
            score(row, "score", style),
        ]
        for row in rows
    ]
    return Table([*by, "n", "made %", "tricks", unit], body)


def _seats_note(document: Row) -> str:
    thrown_in = f"{document['thrown_in']:,} deals were thrown in. " if document["thrown_in"] else ""
    if document.get("games"):
        return f"Seats are players. {thrown_in}"
    side = "right" if document["game"] == "spanish-solo" else "left"
    return f"Seat 0 is the dealer's {side}, the last seat the dealer. {thrown_in}"


def _title(document: Row) -> str:
    variant = "base rules" if document["variant"] == "base" else f"variant {document['variant']}"
    return f"{document['game']}, {variant}, {document.get('players', len(document['policies']))} players"


def _unit(document: Row) -> str:
    return "chips" if document["game"] == "spanish-solo" else "points"


def _asks_bid(document: Row) -> bool:
    return isinstance(document["results"][0]["action"], int)


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# ---------------------------------------------------------------- text and Markdown

def _text_table(table: Table, style: Style) -> str:
    cells = [table.headings, *table.rows]
    widths = [max(_width(cell) for cell in column) for column in zip_longest(*cells, fillvalue="")]
    lines = ["  ".join(_aligned(cell, width, i in table.left) for i, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip() for row in cells]
    rule = ("-" if style.ascii else "─") * max(map(_width, lines))
    return "\n".join(([table.title] if table.title else []) + [lines[0], rule, *lines[1:]])


def _markdown_table(table: Table) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").rstrip() for cell in cells) + " |"

    return "\n".join([line(table.headings), line("---" if i in table.left else "---:" for i in range(len(table.headings))), *map(line, table.rows)])


def _aligned(cell: str, width: int, left: bool) -> str:
    gap = " " * (width - _width(cell))
    return cell + gap if left else gap + cell


def _width(cell: str) -> int:
    return len(_ESCAPES.sub("", cell))
