"""Answers for people: plain aligned tables, numbers with as many digits as their interval allows.

A page is made from the JSON object of an answer alone (contracts.md 2), so that it shows nothing that the object does not hold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import floor, isnan, log10
from typing import Any

from analyzer.cards import FRENCH, SPANISH, Deck, denomination, denomination_text
from analyzer.errors import counted, one_of

Row = Mapping[str, Any]
Cells = Sequence[str]

SIGNS = "±♣♦♥♠▁█─●◂▸"             # every sign that a page may hold besides ASCII
BARS, ASCII_BARS = " ▁▂▃▄▅▆▇█", " .:-=+*#%@"
NAMED = 0.005                      # smallest chance that gets a bar
UNKNOWN = "?"
MANY_VALUES = 5                    # of which those with few zero bids get no row
FEWEST_ZEROS = 0.01                # share of all zero bids below which they are few
_SUM_IN_WORDS = {"over": "over", "exact": "where the sum is exact", "under": "under"}
HELD_NAMES = {
    "trump": "trump", "seat": "speaks", "low-cards": "cards 2 to 6", "longest-suit": "longest suit", "highest-card": "highest card", "trumps": "trumps held",
}  # fmt: skip
MOST_ROWS = 18                     # of an answer on a page: every bid of the largest hand
BOLD, GREEN = "\033[1m", "\033[32m"
NOT_BOLD, NO_COLOR = "\033[22m", "\033[39m"
SUIT_COLORS = {"♠": "\033[94m", "♥": "\033[91m", "♦": "\033[33m", "♣": GREEN}     # four, as on bridge screens
_ESCAPES = re.compile("\033\\[[0-9]*m")
_SUIT_SIGNS = re.compile(f"[{''.join(SUIT_COLORS)}]")


@dataclass(frozen=True)
class Style:
    """How a page is dressed."""

    ascii: bool = False
    color: bool = False

    @property
    def plus_minus(self) -> str:
        return "+-" if self.ascii else "±"

    def paint(self, text: str, code: str) -> str:
        """Return the text bold or in a colour, where there are colours; a colour inside bold text leaves it bold."""
        return f"{code}{text}{NOT_BOLD if code == BOLD else NO_COLOR}" if self.color else text


@dataclass(frozen=True)
class Table:
    """Cells under headings; the columns named in `left` are aligned there, all others right."""

    headings: Cells
    rows: Sequence[Cells]
    left: frozenset[int] = frozenset()
    title: str = ""


Page = Sequence[str | Table]


def text(page: Page, style: Style) -> str:
    """Return the page for a terminal: its paragraphs and tables, with an empty line between, and every suit in its colour."""
    plain = "\n\n".join(_text_table(part, style) if isinstance(part, Table) else part for part in page) + "\n"
    return _SUIT_SIGNS.sub(lambda sign: style.paint(sign[0], SUIT_COLORS[sign[0]]), plain)


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

def simulate_page(document: Row, style: Style) -> Page:
    """Return the page of `simulate`: by seat, then by bid, or by hand size where there are several; with whole games their winners first."""
    page: list[str | Table] = [_title(document)]
    unit = unit_of(document)
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
    """Return the page of `zero`: the answer in words, zero bids by side, what a made zero has to pay, then by what the bidder holds and by policy."""
    if not document["results"]:
        return [_title(document), f"Nobody bid zero. {basis(document)}"]
    unit = unit_of(document)
    body = [
        [row["side"], row["scored_as"], f"{row['n']:,}", f"{row['share']:.1%}", percent(row, "p_made", style), score(row, "score", style)]
        for row in document["results"]
    ]
    page: list[str | Table] = [_title(document), style.paint(_zero_made_text(document, style), BOLD)]
    page.append(Table(["sum of bids", "scored as", "zero bids", "share", "made %", unit], body, frozenset({0, 1})))
    if document["break_even"]:
        page += _break_even_part(document, style)
    for by in dict.fromkeys(row["by"] for row in document["by"]):
        heading = " + ".join(HELD_NAMES[name] for name in by.split("+"))
        page.append(_zero_table([row for row in document["by"] if row["by"] == by], "value", heading, unit, style))
    if document["policies_compared"]:
        page.append(_zero_table(document["policies_compared"], "policy", "players", unit, style))
    notes = [f"Share: of all zero bids{'; values with fewer than 1 % of them: --json' if document['by'] else ''}."]
    if document["by"] or document["policies_compared"]:
        notes[:0] = ["Bid %: of the hands that may bid zero. Under, exact, over: made %."]
    return [*page, f"{' '.join(notes)} {basis(document)}"]


def _zero_made_text(document: Row, style: Style) -> str:
    """Return how often zero is bid and made, in words."""
    total = document["total"]
    made = [f"{percent(row, 'p_made', style)} % {_SUM_IN_WORDS[row['side']]}" for row in reversed(document["results"])]
    often = f"{percent(total, 'p_bid', style)} % of the hands that may bid zero do"
    return f"A zero bid is made {', '.join(made[:-1])}{' and ' if made[:-1] else ''}{made[-1]}; {often}."


def _break_even_part(document: Row, style: Style) -> Page:
    """Return what a made zero has to pay, in words and as a table of a row per kind of hands."""
    rows, unit = document["break_even"], unit_of(document)
    names = list(dict.fromkeys(row["bonus"] for row in rows))
    paid = {row["bonus"]: row["paid"] for row in rows}
    headings = ["", "n", f"zero {unit}", "best other", "zero gains", *(_bonus_heading(name, paid[name]) for name in names)]
    body = []
    for hands in dict.fromkeys(row["hands"] for row in rows):
        same = {row["bonus"]: row for row in rows if row["hands"] == hands}
        first = next(iter(same.values()))
        cells = [_break_even(same[name], style) if name in same else "" for name in names]
        body.append([hands, f"{first['n']:,}", *(score(first, name, style) for name in ("zero", "other", "gain")), *cells])
    held = ", the other bonus held" if len(names) > 2 else ""
    note = (
        f"Last columns: what a made zero would have to pay{held}, to score as much as the best other bid. Bidders do not adapt\n"
        "to it; compare shows what they would do. Best other bid: the same deals with a one or a two in place of the zero, whichever does better\n"
        "with like hands in the other half of the deals. Close: the quarter of zero bids and bids of one on which zero matters least. Last:\n"
        f"of the last to bid, who knows the sum. n: bids in {counted(document['break_even_deals'], 'deals')}."
    )
    return ["\n".join(_worth_text(rows, unit, style)), Table(headings, body, frozenset({0})), note]


def _bonus_heading(name: str, paid: float | None) -> str:
    if name == "all":
        return "made zero" if paid is None else f"made zero (now {paid:g})"
    return name if paid is None else f"{name} (now {paid:g})"


def _break_even(row: Row, style: Style) -> str:
    """Return the bonus at which zero is worth the best other bid, or where there is no one bonus the change that it takes."""
    return score(row, "change", style) if row["paid"] is None else measured(row["break_even"], row["break_even_low"], row["break_even_high"], style)


def _worth_text(rows: Sequence[Row], unit: str, style: Style) -> Cells:
    """Return what zero bids earn over the best other bid, and what they would have to be paid, in sentences."""
    bids = {row["bonus"]: row for row in rows if row["hands"] == "zero bids"}
    if not bids:
        return ["Every zero bid was forced: the rules left no other low bid."]
    every, apart = bids["all"], [row for name, row in bids.items() if name != "all" and row["paid"] is not None]
    at = "At " + " and ".join(f"{row['paid']:g} {row['bonus']}" for row in apart) + " a" if apart else "A"
    gain = measured(every["gain"], every["gain_low"], every["gain_high"], style).removeprefix("-")
    text = f"{at} zero bid earns {gain} {unit} {'more' if every['gain'] > 0 else 'less'} than the best other bid"
    if every["change"] is not None:
        change = measured(every["change"], every["change_low"], every["change_high"], style).removeprefix("-")
        text += f"; it would be worth the same if a made zero paid {change} {'more' if every['change'] > 0 else 'less'}"
    last = [row for row in rows if row["hands"].startswith("last") and row["break_even"] is not None]
    worth = [f"{measured(row['break_even'], row['break_even_low'], row['break_even_high'], style)} {row['bonus']} (now {row['paid']:g})" for row in last]
    return [f"{text}.", *([f"The zero bids of the last bidder, who knows the sum, would be worth the same at {' and at '.join(worth)}."] if worth else [])]


def _zero_table(rows: Sequence[Row], name: str, heading: str, unit: str, style: Style) -> Table:
    """Return zero bids by one thing: how often bid, their share, how often made on each side, and what they score."""
    sides = [side for side in ("under", "exact", "over") if any(row["side"] == side for row in rows)]
    made = {(row[name], row["side"]): percent(row, "p_made", style) for row in rows}
    body = []
    whole = [row for row in rows if row["side"] is None]
    for row in whole:
        if len(whole) < MANY_VALUES or (row["share"] or 0) >= FEWEST_ZEROS:
            cells = [made.get((row[name], side), "-") for side in sides]
            body.append([str(row[name]), percent(row, "p_bid", style), f"{row['share'] or 0:.1%}", *cells, score(row, "score", style)])
    return Table([heading, "bid %", "share", *sides, unit], body, frozenset({0}))


def duel_page(document: Row, style: Style) -> Page:
    """Return the page of `duel`: every policy against the last, field by field, then every policy against every other."""
    last, unit = document["policies"][-1], unit_of(document)
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


COMPARED = {                        # columns of `compare`: heading, group of seats, what of it, scale
    True: [
        ("made %", "all", "p_made"), ("zero bids %", "bid 0", "share"), ("over %", "sum over", "share"), ("exact %", "sum exact", "share"),
        ("under %", "sum under", "share"), ("zero over made %", "zero over", "p_made"), ("zero under made %", "zero under", "p_made"),
        ("{unit}", "all", "score"), ("spread", "all", "spread"),
    ],
    False: [
        ("soloist %", "soloist", "share"), ("made %", "soloist", "p_made"), ("nobody %", "nobody", "share"), ("soloist {unit}", "soloist", "score"),
        ("{unit}", "all", "score"), ("spread", "all", "spread"),
    ],
}  # fmt: skip
MOST_CHANGES = 3                   # changed rules that a sentence names
MOVES = {                          # what the answer of `compare` says of a variant, in this order
    True: [("zero bids", "bid 0", "share"), ("sums over", "sum over", "share"), ("bids made", "all", "p_made")],
    False: [("deals with a soloist", "soloist", "share"), ("contracts made", "soloist", "p_made")],
}


def compare_page(document: Row, style: Style) -> Page:
    """Return the page of `compare`: the answer in words, the figures of every variant and their differences, seats and bids, then luck and skill."""
    unit, variants = unit_of(document), document["variants"]
    names = [row["variant"] for row in variants]
    found = {(row["variant"], row["bidders"], row["group"]): row for row in document["results"]}
    has_bids = document["game"] != "spanish-solo"
    columns = [(heading.format(unit=unit), group, what) for heading, group, what in COMPARED[has_bids]]
    columns = [column for column in columns if any((name, "adapted", column[1]) in found for name in names)]
    sides = [(name, bidders) for name in names for bidders in ("kept", "adapted") if (name, bidders) != (names[0], "kept")]
    body = [[*side, *(_figure(found.get((*side, group)), what, style) for _, group, what in columns)] for side in sides]
    page: list[str | Table] = [_compared_title(document), style.paint("\n".join(_changes_text(document, found, style)), BOLD)]
    page.append(Table(["variant", "bidders", *(heading for heading, _, _ in columns)], body, frozenset({0, 1})))
    body = [[*side, *(_figure(found.get((*side, group)), f"{what}_difference", style) for _, group, what in columns)] for side in sides[1:]]
    page.append(f"Against {names[0]}, on the same deals:")
    page.append(Table(["variant", "bidders", *(heading for heading, _, _ in columns)], body, frozenset({0, 1})))
    page += [f"Adapting, luck and skill ({unit}):", _adapted_table(document, style)]
    seats = [group for group in dict.fromkeys(row["group"] for row in document["results"]) if group.startswith("seat ") or group in _SPEAKERS]
    page += ["Seats, adapted bidders:", _by_group(found, names, seats, unit, style)]
    bids = [group for group in dict.fromkeys(row["group"] for row in document["results"]) if group.startswith("bid ") or group in _SOLO_CONTRACTS]
    page += [f"{'Bids' if has_bids else 'Contracts'}, adapted bidders:", _by_group(found, names, bids, unit, style)]
    return [*page, _compared_note(document, unit)]


_SPEAKERS = ("dealer", "declarer", "soloist")
_SOLO_CONTRACTS = ("juego", "juego-diamonds", "bola", "bola-diamonds", "sin-pedir", "sin-pedir-diamonds", "nobody")


def _compared_title(document: Row) -> str:
    names = ", ".join(row["variant"] for row in document["variants"])
    return f"{document['game']}, {names} on the same deals, {document['players']} players"


def _figure(row: Row | None, what: str, style: Style) -> str:
    """Return a share in percent or points, with sign where it is a difference; "-" where a group has none."""
    if row is None or row[what] is None:
        return "-"
    if row[what] == row[f"{what}_low"] == row[f"{what}_high"] == 0:
        return "0"
    is_share = what.startswith(("share", "p_made"))
    is_points = what.startswith("score") or what.endswith("_difference")
    return measured(row[what], row[f"{what}_low"], row[f"{what}_high"], style, scale=100 if is_share else 1, signed=is_points)


def _changes_text(document: Row, found: Mapping[tuple[str, str, str], Row], style: Style) -> list[str]:
    """Return a sentence for every variant but the first: what the points alone change, and what players do about it."""
    unit, has_bids = unit_of(document), document["game"] != "spanish-solo"
    said = []
    for variant in document["variants"][1:]:
        name, changes = variant["variant"], variant["changes"]
        more = f" and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
        told = f" ({', '.join(changes[:MOST_CHANGES])}{more})" if changes else ""
        parts = [f"the same {'bids' if has_bids else 'calls'} score {_more_or_less(found.get((name, 'kept', 'all')), unit, style)}"]
        moves = [(what, found[name, "adapted", group], key) for what, group, key in MOVES[has_bids] if (name, "adapted", group) in found]
        parts.append("with adapted bidders " + ", ".join(_moved(what, row, key, style) for what, row, key in moves))
        parts.append(f"a seat then scores {_more_or_less(found.get((name, 'adapted', 'all')), unit, style)}")
        said.append(f"Under {name}{told}: {'; '.join(parts)}.")
    return said


def _moved(what: str, row: Row, key: str, style: Style) -> str:
    """Return how a share moved against the first variant: "zero bids fall by 1.8 ± 0.1 to 22.3 ± 0.1 %"."""
    share, difference, low, high = (row[f"{key}{end}"] for end in ("", "_difference", "_difference_low", "_difference_high"))
    if share is None or difference is None:
        return f"nothing is known of {what}"
    if low is None or low <= 0 <= high:
        return f"{what} stay near {percent(row, key, style)} %"
    moved = measured(abs(difference), min(abs(low), abs(high)), max(abs(low), abs(high)), style, scale=100)
    return f"{what} {'rise' if difference > 0 else 'fall'} by {moved} to {percent(row, key, style)} %"


def _more_or_less(row: Row | None, unit: str, style: Style) -> str:
    if row is None or row["score_difference"] is None:
        return "nothing that can be compared"
    mean, low, high = (row[f"score_difference{end}"] for end in ("", "_low", "_high"))
    if low is None or low <= 0 <= high:
        return f"as much, {measured(mean, low, high, style, signed=True)} {unit}" if mean or low else "as much"
    if mean > 0:
        return f"{measured(mean, low, high, style)} {unit} more"
    return f"{measured(-mean, -high, -low, style)} {unit} less"


def _adapted_table(document: Row, style: Style) -> Table:
    """Return how bidders adapted to each variant, what it changes in their bids and what it brings, and luck and skill under it."""
    adapted = {name: [row for row in document["adaptations"] if row["variant"] == name] for name in (row["variant"] for row in document["variants"])}
    said = [name for name in ("calls", "bids") if any(row[f"{name}_asked"] for row in document["variants"])]
    changed = [f"{name} changed %" for name in said]
    headings = ["variant", "rounds", "last moved", *changed, "one adapts", "all adapt", "left out", "luck", "skill", "deals to tell"]
    body = []
    for row in document["variants"]:
        found = adapted[row["variant"]]
        cells = [row["variant"], ", ".join(str(each["rounds"]) for each in found), ", ".join(_last_moved(each, style) for each in found)]
        cells += ["-" if row[f"{name}_changed"] is None else percent(row, f"{name}_changed", style) for name in said]
        cells += ["-" if row[name] is None else _gain(row, name, style) for name in ("alone", "answered")]
        cells += [f"{row['left_out']:,}", measured(row["luck"], row["luck_low"], row["luck_high"], style), score(row, "skill", style), _deals_to_tell(row)]
        body.append(cells)
    return Table(headings, body, frozenset({0, 2}))


def _last_moved(row: Row, style: Style) -> str:
    if row["moved"] is None:
        return "does not adapt"
    moved = measured(row["movement"], row["movement_low"], row["movement_high"], style, scale=100, signed=True)
    return f"{row['moved']} {moved} %{'' if row['settled'] else ', not settled'}"


def _deals_to_tell(row: Row) -> str:
    if row["deals_needed"] is None:
        return "unsettled"
    return f"{row['deals_needed']:,.0f} ({row['deals_needed_low']:,.0f} to {row['deals_needed_high']:,.0f})"


def _by_group(found: Mapping[tuple[str, str, str], Row], names: Cells, groups: Cells, unit: str, style: Style) -> Table:
    """Return share, made and points of groups of seats under every variant, with adapted bidders."""
    kinds = [(what, heading) for what, heading in (("share", "%"), ("p_made", "made %"), ("score", unit), ("spread", "spread"))
             if any(found.get((name, "adapted", group), {}).get(what) is not None for name in names for group in groups)]  # fmt: skip
    body = [
        [group, name, *(_figure(found.get((name, "adapted", group)), what, style) for what, _ in kinds)]
        for group in groups for name in names if (name, "adapted", group) in found
    ]  # fmt: skip
    return Table(["", "variant", *(heading for _, heading in kinds)], body, frozenset({0, 1}))


def _compared_note(document: Row, unit: str) -> str:
    variants = document["variants"]
    first, asked = variants[0]["variant"], max(row["asked_deals"] for row in variants)
    notes = [
        f"Kept: calls and bids of {first}. Adapted: bidders that make the most of each scheme among others who do. Spread: standard deviation of a seat's",
        f"{unit} per deal. Changed: calls and bids of {first} that adapted bidders would not make with the same hand after the same calls and bids, in",
        f"{asked:,} deals.",
        f"One adapts: what a seat gains that bids for the scheme while the others bid for {first}. All adapt: what a seat gains against kept bids once all do.",
        f"Left out: deals in which the kept bids are not allowed. Skill: learned above rules-1 in one seat of the same {variants[0]['contested']:,} deals.",
        "Deals to tell: (2.8 luck / skill)^2, after which the difference in skill shows.",
    ]
    return "\n".join([*notes, basis(document)])


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
    table = Table(["table", "all others", unit_of(document), made], body, frozenset({0, 1}))
    note = f"{unit_of(document).capitalize()} above the other seats, with the odd seat in every place. n = {document['results'][0]['n']:,} deals each"
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


def report_page(document: Row, folder: str) -> Page:
    """Return the page of `report`: what was found, and where it lies."""
    size = sum(row["bytes"] for row in document["results"])
    findings = "\n".join(f"* {finding}." for finding in document["findings"])
    where = f"{folder}/index.html; {counted(len(document['results']), 'files')}, {size / 1000:,.0f} kB"
    return [f"{document['title']}\n{document['question']}", findings, where]


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
        return f"Exact, all {document['deals']:,} deals counted; players {by}."
    return f"n = {counted(document['deals'], 'deals')}, {100 * document['level']:.6g} % intervals, players {by}, seed {document['seed']}."


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


def unit_of(document: Row) -> str:
    """Return in what the game is scored."""
    return "chips" if document["game"] == "spanish-solo" else "points"


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# ---------------------------------------------------------------- what to bid

SCALE_WIDTH = 24                   # signs of the scale on which intervals are drawn
ON_SCALE = 5                       # best answers that it has room for; an arrow stands for what lies off it
MOST_NAMED = 3                     # answers that a sentence names
MOST_ADVISED = 100                 # times the deals played that a sentence advises
FEWEST_KNOWN = 200                 # independent deals below which the page warns
ANSWERS = {"bid": "bid", "call": "call", "gulash": "cards", "trump": "trump", "ask": "card", "give": "card"}
VERBS = {"bid": "bid {}", "call": "call {}", "gulash": "hand on {}", "trump": "name {}", "ask": "ask for {}", "give": "give {}"}
_SPOKEN = re.compile(r"\b(\d+|in )([CDHS])\b")      # "5H", "juego in S"


@dataclass(frozen=True)
class Scale:
    """Points on a line, from its left end to its right."""

    low: float
    high: float

    def share(self, points: float) -> float:
        """Return how far from the left the points lie, 0 to 1; what lies off the scale lies at its end."""
        span = self.high - self.low
        return min(max((points - self.low) / span, 0.0), 1.0) if span else 0.5

    def ends(self) -> tuple[str, str]:
        """Return the points at its ends as text."""
        digits = max(0, 1 - floor(log10(self.high - self.low))) if self.high > self.low else 1
        return _unsigned_zero(f"{self.low:+.{digits}f}"), _unsigned_zero(f"{self.high:+.{digits}f}")


def scale_of(rows: Sequence[Row]) -> Scale:
    """Return the scale with room for the intervals of the best answers."""
    best = rows[:ON_SCALE]
    return Scale(min(_known(row, "ev_low", "ev") for row in best), max(_known(row, "ev_high", "ev") for row in best))


def bid_page(document: Row, style: Style) -> Page:
    """Return the page of `bid`: what to say, then every answer with what it brings, how often it is made and the tricks it leads to, then why."""
    page: list[str | Table] = [question(document, style), style.paint(headline(document, style), BOLD)]
    if document["results"][0]["ev"] is not None:
        page.append(bids_table(document, style))
    page.append(_legend(document, style))
    if document.get("explanation"):
        second = f", and not {action_text(document, document['results'][1], style)}" if len(document["results"]) > 1 else ""
        page += [f"Why {action_text(document, document['results'][0], style)}{second}:", *explain_part(document["explanation"], style)]
    if document.get("against"):
        page += _against_part(document, style)
    return page


def question(document: Row, style: Style) -> str:
    """Return the hand that was asked about, as held now, with what is known about trump, calls, bids and cards."""
    situation, deck = document["situation"], _deck(document)
    hand, moved = _held(situation, deck)
    known = [f"{deck.glyphs(hand, style.ascii)} in seat {situation['seat']}"]
    known += [f"{what} {_cards_together(deck, cards, style)}" for what, cards in moved if cards]
    speaker = situation.get("soloist") if situation.get("declarer") is None else situation["declarer"]
    if situation.get("contract"):
        known.append(f"contract {_call(situation['contract'], style)}{'' if speaker is None else f' by seat {speaker}'}")
    elif calls := _calls(situation):
        known.append(", ".join(f"seat {seat} {_call(call, style)}" for seat, call in calls))
    if situation.get("trump"):
        turnup = f", shown by {_card(deck, situation['turnup'], style)}" if situation.get("turnup") else ""
        known.append("no trump" if situation["trump"] == "NT" else f"trump {_suit(situation['trump'], style)}{turnup}")
    if situation.get("exchange"):
        known.append(f"{_card(deck, situation['exchange']['asked'], style)} asked for and held by seat {situation['exchange']['from']}")
    if spoken := [f"seat {seat} bid {bid}" for seat, bid in enumerate(situation.get("bids") or ()) if bid is not None]:
        known.append(", ".join(spoken))
    if seen := [_card(deck, card, style) + ("" if seat is None else f" in seat {seat}") for card, seat in situation.get("seen") or ()]:
        known.append(f"seen {', '.join(seen)}")
    return f"{_title(document)}: {'; '.join(known)}"


def headline(document: Row, style: Style) -> str:
    """Return the answer of `bid` in a few sentences: to win the game, where that was asked, and for points, and how sure that is."""
    best, unit = document["results"][0], unit_of(document)
    said = _capital(imperative(document, best, style))
    if best["ev"] is not None:
        said += f": {estimate(best, 'ev', style)} {unit}"
    if best["p_made"] is not None:
        said += f", made {estimate(best, 'p_made', style)} %"
    return " ".join([*_to_win(document, style), f"{said}.", _how_sure(document, style)]).rstrip()


def imperative(document: Row, row: Row, style: Style) -> str:
    """Return what to do: "bid 3", "pass", "call juego in ♠", "ask for ♣7"."""
    said = action_text(document, row, style)
    return said if said == "pass" else VERBS[document["situation"]["decision"]].format(said)


def action_text(document: Row, row: Row, style: Style) -> str:
    """Return an answer as a player says it: "3", "5♥", "bola in ♠ asking ♥A", "♠9 ♣42"."""
    decision, action, deck = document["situation"]["decision"], row["action"], _deck(document)
    if decision == "trump":
        return _suit(action, style)
    if decision in ("gulash", "ask", "give"):
        return _cards_together(deck, action if isinstance(action, list) else [action], style)
    said = _call(str(action), style)
    if row.get("trump") and not said.endswith("diamonds"):
        said += f" in {_suit(row['trump'], style)}"
    if row.get("asks"):
        said += f" asking {_card(deck, row['asks'], style)}"
    return said


def bids_table(document: Row, style: Style) -> Table:
    """Return the table of the best answers; the third column is `interval_bar`, the last one `bars`."""
    rows = best_rows(document)
    scale, highest, has_game = scale_of(rows), _highest(rows), "p_win" in rows[0]
    body = []
    for row in rows:
        cells = [
            action_text(document, row, style),
            estimate(row, "ev", style),
            interval_bar(row, scale, style),
            estimate(row, "p_made", style),
            *([percent(row, "p_win", style)] if has_game else []),
            "best" if row is rows[0] else estimate(row, "regret", style),
        ]
        is_best = row is rows[0]
        body.append([*(style.paint(cell, BOLD) if is_best else cell for cell in cells), bars(row["tricks"], highest, style, row["action"])])
    numbers = "".join(str(number % 10) for number in range(len(rows[0]["tricks"])))
    left, right = scale.ends()
    line = left + right.rjust(SCALE_WIDTH - len(left))
    headings = [ANSWERS[document["situation"]["decision"]], unit_of(document), line, "made %", *(["win %"] if has_game else []), "behind", numbers]
    return Table(headings, body, frozenset({2, len(headings) - 1}))


def best_rows(document: Row) -> Sequence[Row]:
    """Return the answers that the page shows: the best for points, and the best to win the game."""
    rows, to_win = document["results"], document.get("best_to_win")
    return [row for place, row in enumerate(rows) if place < MOST_ROWS or row["action"] == to_win]


def interval_bar(row: Row, scale: Scale, style: Style) -> str:
    """Return the interval of the points as a line on the scale, its mean as a dot."""
    line, dot, below, above = "-o<>" if style.ascii else "─●◂▸"
    if row["ev"] < scale.low:
        return below.ljust(SCALE_WIDTH)
    if row["ev"] > scale.high:
        return above.rjust(SCALE_WIDTH)
    left, middle, right = (round(scale.share(_known(row, name, "ev")) * (SCALE_WIDTH - 1)) for name in ("ev_low", "ev", "ev_high"))
    return (" " * left + line * (middle - left) + dot + line * (right - middle)).ljust(SCALE_WIDTH)


def estimate(row: Row, name: str, style: Style) -> str:
    """Return points, or a chance in percent, with their interval; what a network announces has none, and - stands for what cannot be."""
    is_chance, signed = name.startswith("p_"), name == "ev"
    if row[name] is None:
        return "-"
    if not row["n"]:
        return f"{row[name] * (100 if is_chance else 1):{'+' if signed else ''}.1f}"
    return measured(row[name], row[f"{name}_low"], row[f"{name}_high"], style, 100 if is_chance else 1, signed)


def situations_page(documents: Sequence[Row], style: Style) -> Page:
    """Return the page of `bid` for many situations, each with its `number`: a line for each."""
    if not documents:
        return ["No situation was answered."]
    body = []
    for document in documents:
        best, *others = document["results"]
        hand, _ = _held(document["situation"], _deck(document))
        body.append([
            str(document["number"]),
            _deck(document).glyphs(hand, style.ascii),
            _known_shortly(document["situation"], style),
            imperative(document, best, style),
            estimate(best, "ev", style),
            estimate(best, "p_made", style),
            action_text(document, others[0], style) if others else "-",
            estimate(others[0], "regret", style) if others else "-",
            _settled_shortly(document, style),
        ])  # fmt: skip
    headings = ["", "hand", "known", "answer", unit_of(documents[0]), "made %", "next best", "behind", "settled"]
    deals = sorted({document["deals"] for document in documents})
    n = f"{deals[0]:,} deals" if len(deals) == 1 else f"{deals[0]:,} to {deals[-1]:,} deals"
    players = one_of(dict.fromkeys(name for document in documents for name in document["policies"]))
    level, seed = f"{100 * documents[0]['level']:.6g} % intervals", f"seed {documents[0]['seed']}"
    rests_on = f"n = {n} each, {level}, players {players}, {seed}." if deals[-1] else f"The word of {players}: no deal was played."
    return [f"{documents[0]['game']}, {counted(len(documents), 'situations')}", Table(headings, body, frozenset({1, 2, 3, 6, 8})), rests_on]


def _legend(document: Row, style: Style) -> str:
    """Return what stands below the table: how to read it, what the deals are worth, what the network says at once, and what all this rests on."""
    rows, shown = document["results"], best_rows(document)
    decision, tricks = document["situation"]["decision"], len(rows[0]["tricks"])
    lines = []
    if len(shown) < len(rows):
        lines.append(f"{len(rows) - len(shown)} others below these are left out; --json and --csv have them.")
    if decision == "bid" and document["deals"]:
        spoken = {row["action"] for row in rows}
        if barred := [str(bid) for bid in range(tricks) if bid not in spoken]:
            lines.append(f"The rules forbid {', '.join(barred)} here.")
    if rows[0]["ev"] is not None:
        arrows = "<>" if style.ascii else "◂▸"
        off = f" ({arrows[0]} or {arrows[1]}: off it)" if any(interval_bar(row, scale_of(shown), style).strip() in arrows for row in shown) else ""
        lines.append(f"Scale: {unit_of(document)}{off}. Last column: chance of 0 to {tricks - 1} tricks, a full bar is {_highest(shown):.0%}.")
    return "\n".join([*lines, *_worth(document), *_at_a_glance(document, style), _rests_on(document)])


def _rests_on(document: Row) -> str:
    if document["deals"]:
        return basis(document)
    policy = document["instant"]["policy"]
    if document["results"][0]["ev"] is None:
        return f"What {policy} does at once; no deal was played."
    return f"What the network of {policy} announces; no deal was played, and reports/calibration says how far its word holds."


def _worth(document: Row) -> Cells:
    """Return what the others' calls do to the deals, and a warning where few independent ones are left."""
    if not document["deals"]:
        return []
    if not document["conditioned"]:
        return ["The others' calls do not weigh their hands."] if _others_spoke(document["situation"]) else []
    if document["results"][0]["exact"]:
        return ["The others' calls weigh their hands: each deal counts by how likely they say so with it."]
    size = document["results"][0]["ess"]
    few = ", which is few: more deals make the intervals trustworthy" if size < FEWEST_KNOWN else ""
    return [f"The others' calls weigh their hands; {counted(document['deals'], 'deals')} are worth {size:,.0f} independent ones{few}."]


def _others_spoke(situation: Row) -> bool:
    bidders = [seat for seat, bid in enumerate(situation.get("bids") or ()) if bid is not None]
    return any(seat != situation["seat"] for seat in (*bidders, *(seat for seat, _ in _calls(situation))))


def _at_a_glance(document: Row, style: Style) -> Cells:
    instant = document.get("instant")
    if not instant or not document["deals"]:
        return []
    said = action_text(document, instant, style)
    for row in instant["bids"][:1]:
        said += f", {row['ev']:+.1f} {unit_of(document)}, made {100 * row['p_made']:.1f} %"
    return [f"At a glance, without playing a deal: {said}."]


def _how_sure(document: Row, style: Style) -> str:
    """Return whether the best is settled; if not, what else it may be, and how many deals may tell."""
    best, *others = document["results"]
    if not document["deals"]:
        return "This is the network's word." if best["ev"] is not None else ""
    if not others:
        return "Nothing else is allowed."
    if not document["settled"]:
        return f"Not settled: {one_of(_doubtful(document, style))} may be as good; {_deals_that_tell(document)}."
    second = action_text(document, others[0], style)
    if others[0]["regret_low"] == others[0]["regret_high"] == 0:
        return f"{_capital(second)} is exactly as good."
    return f"Next best is {second}, {estimate(others[0], 'regret', style)} behind."


def _doubtful(document: Row, style: Style) -> Cells:
    """Return the first of the answers that may be as good as the best, and how many more there are."""
    close = [row for row in document["results"][1:] if row["regret_low"] is None or row["regret_low"] <= 0]
    names = [action_text(document, row, style) for row in close[:MOST_NAMED]]
    return names + ([f"one of {len(close) - MOST_NAMED} more"] if len(close) > MOST_NAMED else [])


def _deals_that_tell(document: Row) -> str:
    deals = document["deals_to_settle"]
    if deals is None:
        return "more deals may tell"
    if deals > MOST_ADVISED * document["deals"]:
        return f"they are too close for {MOST_ADVISED} times the deals"
    return f"about {deals:,} deals may tell"


def _settled_shortly(document: Row, style: Style) -> str:
    if document["settled"] or not document["deals"]:
        return "yes" if document["settled"] else "-"
    return f"{one_of([action_text(document, document['results'][0], style), *_doubtful(document, style)])}?"


def _to_win(document: Row, style: Style) -> Cells:
    """Return the answer with the best chance to win the game, where it was asked for."""
    if "best_to_win" not in document:
        return []
    rows = [row for row in document["results"] if row["action"] == document["best_to_win"]]
    best, first = max(rows, key=lambda row: row["p_win"]), document["results"][0]
    chance = f"{percent(best, 'p_win', style)} %{'' if document['settled_to_win'] else ', not settled'}"
    points = "as for points" if best is first else f"but {action_text(document, first, style)} for points"
    return [f"To win the game {imperative(document, best, style)} ({chance}), {points}."]


def _against_part(document: Row, style: Style) -> Page:
    """Return what the best answer brings where all other seats play by another policy, and whether it is still the best."""
    first = action_text(document, document["results"][0], style)
    body, said = [], []
    for row in document["against"]:
        best = action_text(document, {"action": row["best"], "trump": row["best_trump"]}, style)
        behind = "best" if row["regret_high"] == 0 else estimate(row, "regret", style)
        body.append([row["policy"], estimate(row, "ev", style), estimate(row, "p_made", style), behind, best])
        if row["survives"]:
            verdict = f"{first} survives"
        elif row["survives"] is not None:
            verdict = f"{first} does not survive: {best} is {behind} better"
        else:
            verdict = f"{first} is best too, but not settled" if behind == "best" else f"not settled whether {first} survives: {best} may be better"
        said.append(f"Against {row['policy']}: {verdict}.")
    table = Table(["all others", f"{first}: {unit_of(document)}", "made %", "behind", "best there"], body, frozenset({0, 4}))
    return [f"Does {first} survive against other players?", table, "\n".join(said)]


def _known_shortly(situation: Row, style: Style) -> str:
    """Return trump, calls and bids in a few signs: "5♥; bids - - 5 3"."""
    known = []
    if situation.get("contract"):
        known.append(_call(situation["contract"], style))
    elif calls := _calls(situation):
        known.append(" ".join(_call(call, style) for _, call in calls))
    if situation.get("trump") and not str(situation.get("contract")).endswith(situation["trump"]):
        known.append(_suit(situation["trump"], style))
    bids = situation.get("bids") or ()
    if any(bid is not None for bid in bids):
        known.append(f"bids {' '.join('-' if bid is None else str(bid) for bid in bids)}")
    return "; ".join(known) or "-"


def _held(situation: Row, deck: Deck) -> tuple[int, list[tuple[str, list[str]]]]:
    """Return the hand as held now, and the cards handed on and received since the deal."""
    seat = situation["seat"]
    hand = deck.hand(situation["hands"][seat])
    moves = [move for moves in situation.get("gulash") or () for move in moves]
    gave, got = ([card for move in moves if move[end] == seat for card in move["cards"] or ()] for end in ("from", "to"))
    for move in moves:
        if seat in (move["from"], move["to"]) and move["cards"]:
            hand ^= sum(1 << deck.card(card) for card in move["cards"])
    return hand, [("gave", gave), ("got", got)]


def _calls(situation: Row) -> list[tuple[int, str]]:
    return [(seat, call) for seat, call in situation.get("auction") or ()]


def _call(call: str, style: Style) -> str:
    """Return a call, or a text with calls, with the suits as signs."""
    return _SPOKEN.sub(lambda said: said[1] + _suit(said[2], style), call)


def _suit(name: str, style: Style) -> str:
    return denomination_text(denomination(name), not style.ascii)


def _card(deck: Deck, card: str, style: Style) -> str:
    return deck.card_glyph(deck.card(card), style.ascii)


def _cards_together(deck: Deck, cards: Iterable[str], style: Style) -> str:
    return deck.glyphs(sum(1 << deck.card(card) for card in cards), style.ascii)


def _highest(rows: Sequence[Row]) -> float:
    return max((chance for row in rows for chance in row["tricks"]), default=1.0) or 1.0


def _known(row: Row, name: str, otherwise: str) -> float:
    return float(row[otherwise] if row[name] is None else row[name])


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


# ---------------------------------------------------------------- why

HELD = 0.1                         # smallest share of the deals in which a card came to the seat, for a place on the page


def explain_part(explanation: Row, style: Style) -> Page:
    """Return why a bid or call brings what it brings (`explain.explain`): how it fails, which cards win, over or under, and the deals that decide."""
    page: list[str | Table] = [style.paint(_missed_text(explanation, style), BOLD)]
    ways = [row for row in explanation["misses"] if row["share"] >= NAMED]
    if ways:
        page.append(Table(["outcome", "deals %"], [[_off_text(row), percent(row, "share", style)] for row in ways], frozenset({0})))
    cards = [row for row in explanation["cards"] if row["dealt"] or row["n"] >= HELD * explanation["n"]]
    if cards:
        late = "" if all(row["dealt"] for row in cards) else "; + came to the seat later"
        page += [f"How often each card takes the trick that it is played to, in percent{late}:", _winners_table(cards, _deck(explanation), style)]
    if explanation["sides"]:
        page += [_sum_text(explanation["sides"]), _sides_table(explanation["sides"], style)]
    chains = f" in chains of {explanation['chain']}" if explanation["chain"] > 1 else ""
    below = " Below, > leads to a trick and * wins it." if explanation["samples"] else ""
    page.append(f"n = {explanation['n']:,} deals{chains}, {100 * explanation['level']:.6g} % intervals.{below}")
    for sample in explanation["samples"]:
        page += _sample_part(sample, explanation, style)
    return page


def _missed_text(explanation: Row, style: Style) -> str:
    aimed, thrown_in = explanation["aimed"], explanation["thrown_in"]
    if not aimed:
        return "There is nothing to make or miss: in none of these deals has the seat a bid or contract."
    sentence = f"Missed {percent(explanation, 'p_missed', style)} %"
    if aimed + thrown_in < explanation["n"]:
        sentence += f" of the {aimed:,} deals in which the seat plays a contract"
    missed = [row for row in explanation["misses"] if row["least"] or row["most"]]
    return f"{sentence}, most often {_off_text(max(missed, key=lambda row: row['n']))}." if missed else f"{sentence}."


def _off_text(row: Row) -> str:
    """Return how far from its bid or contract the seat was, in words: "2 tricks too many", "1 to 5 card points short"."""
    if row["least"] <= 0 <= row["most"]:
        return "made"
    if row["measure"] != "tricks":
        return f"{-row['most']} to {-row['least']} {row['measure']} short"
    off = abs(row["least"])
    return f"{counted(off, 'tricks')} too {'few' if row['least'] < 0 else 'many'}"


def _winners_table(cards: Sequence[Row], deck: Deck, style: Style) -> Table:
    """Return a row per suit with its cards, the highest first, and how often each wins."""
    suits: dict[str, list[str]] = {}
    for row in cards:
        glyph = deck.card_glyph(deck.card(row["card"]), style.ascii)
        suits.setdefault(glyph[0], []).append(f"{'' if row['dealt'] else '+'}{glyph[1:]} {percent(row, 'wins', style)}")
    longest = max(map(len, suits.values()))
    body = [[suit, *cells, *[""] * (longest - len(cells))] for suit, cells in suits.items()]
    return Table(["suit", "highest", *[""] * (longest - 1)], body, frozenset(range(longest + 1)))


def _sum_text(sides: Sequence[Row]) -> str:
    """Return whether the sum of the bids makes a difference that the intervals show."""
    ranked = sorted(sides, key=lambda row: row["p_made"])
    worst, best = ranked[0], ranked[-1]
    if best["p_made_low"] > worst["p_made_high"]:
        return f"The sum of the bids matters: made more often where it is {best['side']} than where it is {worst['side']}."
    return "The sum of the bids makes no clear difference." if len(sides) > 1 else f"The sum of the bids is always {best['side']}."


def _sides_table(sides: Sequence[Row], style: Style) -> Table:
    body = [[row["side"], percent(row, "share", style), percent(row, "p_made", style), score(row, "score", style)] for row in sides]
    return Table(["sum of bids", "deals %", "made %", "points"], body, frozenset({0}))


def _sample_part(sample: Row, explanation: Row, style: Style) -> Page:
    """Return a deal: why it is shown, what was said, every hand with what became of it, and the tricks."""
    deck, asked = _deck(explanation), explanation["seat"]
    seats = [f"{seat} (you)" if seat == asked else str(seat) for seat in range(len(sample["hands"]))]
    columns: dict[str, Sequence[object]] = {
        "seat": seats,
        "hand": [deck.glyphs(deck.hand(hand), style.ascii) for hand in sample["hands"]],
        "bid": sample["bids"],
        "tricks": sample["tricks"],
        "card points": sample["points"] or (),
        unit_of(explanation): [_unsigned_zero(f"{points:+,}") for points in sample["scores"]],
    }
    columns = {heading: column for heading, column in columns.items() if column}
    hands = Table(list(columns), [list(map(str, row)) for row in zip(*columns.values(), strict=True)], frozenset({1}))
    page: list[str | Table] = [style.paint(_call(sample["why"], style), BOLD), _said_text(sample, deck, style), hands]
    if sample["play"]:
        page.append(_tricks_table(sample, deck, seats, style))
    return page


def _said_text(sample: Row, deck: Deck, style: Style) -> str:
    """Return what was known and said before the first card."""
    rounds = sample["auction"] or []
    calls = [call for calls in rounds for call in calls] if rounds and isinstance(rounds[0][0], list) else rounds
    said = [", ".join(f"seat {seat} {_call(call, style)}" for seat, call in calls)] if calls else []
    if sample["contract"] and not calls:
        said.append(f"contract {_call(sample['contract'], style)} by seat {sample['declarer']}")
    if sample["gulash"]:
        said.append(f"{counted(len(sample['gulash']), 'exchanges')} of cards, hands as dealt")
    if sample["exchange"]:
        exchange = sample["exchange"]
        asked, given = (deck.card_glyph(deck.card(exchange[name]), style.ascii) for name in ("asked", "given"))
        said.append(f"seat {exchange['from']} gives {asked} for {given}, hands as dealt")
    if sample["trump"]:
        said.append("no trump" if sample["trump"] == "NT" else f"trump {_suit(sample['trump'], style)}")
    return f"Dealer seat {sample['dealer']}; {'; '.join(said)}." if said else f"Dealer seat {sample['dealer']}."


def _tricks_table(sample: Row, deck: Deck, seats: Cells, style: Style) -> Table:
    """Return a row per trick with the card of every seat."""
    n_seats, leader = len(seats), sample["leader"]
    body = []
    for number, winner in enumerate(sample["winners"]):
        cells = [""] * n_seats
        for turn, card in enumerate(sample["play"][number * n_seats:(number + 1) * n_seats]):
            seat = (leader + turn) % n_seats
            shown = f"{'>' if turn == 0 else ' '}{deck.card_glyph(deck.card(card), style.ascii)}"
            cells[seat] = style.paint(f"{shown}*", BOLD) if seat == winner else shown
        body.append([str(number + 1), *cells])
        leader = winner
    return Table(["trick", *seats], body, frozenset(range(1, n_seats + 1)))


def _deck(document: Row) -> Deck:
    return SPANISH if document["game"] == "spanish-solo" else FRENCH


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
