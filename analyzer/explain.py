"""Why an action brings what it brings: how it fails, which cards win, what the sum of the bids does to it, and the deals that decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analyzer import records, results, stats
from analyzer.errors import counted
from kernels.layout import SUIT_BITS, SUITS, Contract, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analyzer.rules import Rules

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Records = NDArray[np.void]
    Row = dict[str, Any]

SHORT_STEP = 5      # card points that a soloist is short: 1 to 5, 6 to 10 and so on


def explain(rules: Rules, seat: int, facts: Records, second: Records | None, chain: int = 1, level: float = 0.95) -> dict[str, Any]:
    """Return why an action brings what it brings.

    Parameters
    ----------
    seat : who acts
    facts : FACTS, shape (worlds,), played after the action
    second : FACTS of the same worlds played after the next best action, None where there is none
    chain : worlds in a row that hang together, from the first on; the intervals take every such chain as one draw
    level : chance that an interval covers the truth

    Returns
    -------
    dict, ready for JSON

    * `n` worlds, `thrown_in` of them, and `aimed`: those in which the seat had a bid or was soloist; `p_missed` of these;
    * `misses`: how far off it was, as shares of `aimed`: `least` to `most` of `measure` above (+) or below (-) what was aimed at, 0 where it was made;
    * `cards`: of the seat, spades first: share `wins` of the `n` deals in which it played the card and took the trick with it, `dealt` False where the card
      only came to it later, in a gulash or a bola;
    * `sides`: sum of the bids against the tricks, empty in Spanish Solo: `share` of the deals, `p_made` and `score` (points) of the seat on this side;
    * `samples`: up to three deals, as deal records (contracts.md 4) with `kind`, `why`, `world` (from 0) and `winners` of the tricks.
    """
    chains = _Chains(chain, level)
    outcome = _outcome(rules, seat, facts)
    tricks = tricks_of(rules, facts)
    ways = list(_ways(outcome))
    aimed = outcome.aimed[:, None]
    return {
        "game": rules.game,
        "seat": seat,
        "n": len(facts),
        "thrown_in": int(np.count_nonzero(facts["played"] == 0)),
        "aimed": int(np.count_nonzero(aimed)),
        "chain": chain,
        "level": level,
        **results.interval_row("p_missed", chains.share(aimed & ~outcome.made[:, None], aimed), 0),
        "misses": [way.row | results.interval_row("share", chains.share(way.worlds[:, None], aimed), 0) for way in ways],
        "cards": _cards(rules, seat, facts, tricks, chains),
        "sides": _sides(rules, seat, facts, outcome, chains) if rules.has_bids else [],
        "samples": list(_samples(rules, seat, facts, second, outcome, ways, tricks)),
    }


@dataclass(frozen=True)
class _Chains:
    """Intervals from worlds of which `length` in a row are one draw."""

    length: int
    level: float

    def share(self, hits: Flags, among: Flags) -> stats.Interval:
        """Return for each column how many of those among which it counts are hits; both of shape (worlds, columns), `among` with one for all too."""
        made, n = self._sums(hits), self._sums(np.broadcast_to(among, hits.shape))
        n_made, n_all = made.sum(axis=0), n.sum(axis=0)
        size = stats.independent_size(n_made, n_all, (made * made).sum(axis=0), (n * n).sum(axis=0), (made * n).sum(axis=0))
        size = np.where((n_made == 0) | (n_made == n_all), np.count_nonzero(n, axis=0), size)      # no spread tells how alike a chain is: one draw each
        return stats.wilson(n_made * size / np.maximum(n_all, 1), size, self.level)

    def mean(self, values: Ints, among: Flags, spread: int) -> stats.Interval:
        """Return for each column the mean of the values of shape (worlds, 1) in the worlds among which it counts.

        As if in one more chain every value lay half the `spread` from the mean, largest minus smallest value that is possible (see `stats.mean_interval`).
        """
        total, n = self._sums(values * among), self._sums(among)
        sums, n_all, squares, n_sq, cross = (kind.sum(axis=0) for kind in (total, n, total * total, n * n, total * n))
        return stats.ratio_interval(sums, n_all, squares + np.square(n.max(axis=0) * spread / 2), n_sq, cross, np.count_nonzero(n, axis=0), self.level)

    def _sums(self, values: Ints | Flags) -> Ints:
        """Return the sums of every chain, shape (chains, columns)."""
        sums: Ints = np.add.reduceat(values.astype(np.int64), np.arange(0, len(values), self.length), axis=0)
        return sums


# ---------------------------------------------------------------- how it ends

class _Outcome(NamedTuple):
    """What the seat made of its bid or contract, by world."""

    aimed: Flags        # it had one
    made: Flags
    off: Ints           # tricks, or in a juego points, above or below it; a soloist is never above
    in_points: Flags
    score: Ints         # in units


def _outcome(rules: Rules, seat: int, facts: Records) -> _Outcome:
    played, score = facts["played"] == 1, facts["scores"][:, seat]
    if rules.has_bids:
        off = facts["tricks"][:, seat] - facts["bids"][:, seat]
        return _Outcome(played, played & (off == 0), off, np.zeros(len(facts), dtype=bool), score)
    aimed, off = facts["declarer"] == seat, -results.solo_short(rules, facts)
    return _Outcome(aimed, aimed & (off == 0), off, facts["contract"] < Contract.BOLA, score)


class _Way(NamedTuple):
    """One way in which the bid or contract ended, and in which worlds."""

    row: Row
    worlds: Flags


def _ways(outcome: _Outcome) -> Iterator[_Way]:
    """Yield all ways that occurred, the furthest below first."""
    step = np.where(outcome.in_points & (outcome.off < 0), SHORT_STEP, 1)
    least = outcome.off // step * step
    for in_points in (False, True):
        of_kind = outcome.aimed & (outcome.in_points == in_points)
        for value in np.unique(least[of_kind]):
            worlds = of_kind & (least == value)
            measure, width = ("card points" if in_points else "tricks"), int(step[worlds][0])
            row = {"measure": measure, "least": int(value), "most": int(value) + width - 1, "n": int(np.count_nonzero(worlds))}
            yield _Way(row, worlds)


# ---------------------------------------------------------------- tricks and cards

class Tricks(NamedTuple):
    """The play of many deals; first axes deals and tricks, as many as the largest hand has cards."""

    played: Flags       # (deals, tricks): was there such a trick
    cards: Ints         # (deals, tricks, seats): in the order played
    seats: Ints         # (deals, tricks, seats): who played them
    turns: Ints         # (deals, tricks): which of them won, 0 the card led

    @property
    def winners(self) -> Ints:
        """Seats, shape (deals, tricks)."""
        return np.take_along_axis(self.seats, self.turns[:, :, None], axis=2)[:, :, 0]


def tricks_of(rules: Rules, facts: Records) -> Tricks:
    """Return who played what to every trick of FACTS and which card won: the highest trump, else the highest of the suit led."""
    n_deals, n_tricks, n_seats = len(facts), int(facts["cards"].max(initial=0)), rules.players
    cards = facts["play"][:, : n_tricks * n_seats].reshape(n_deals, n_tricks, n_seats).astype(np.int64)
    suits, ranks = np.divmod(cards, SUIT_BITS)
    is_trump, follows = suits == facts["trump"][:, None, None], suits == suits[:, :, :1]
    turns = np.where(is_trump, ranks + SUIT_BITS, np.where(follows, ranks, -1)).argmax(axis=2)
    leaders = facts["leader"][:, None] + np.cumsum(turns, axis=1) - turns      # the winner leads: he sits as far on as his card lay
    seats = (leaders[:, :, None] + np.arange(n_seats)) % n_seats
    played = (facts["played"] == 1)[:, None] & (np.arange(n_tricks) < facts["cards"][:, None])
    return Tricks(played, cards, seats, turns)


def _cards(rules: Rules, seat: int, facts: Records, tricks: Tricks, chains: _Chains) -> list[Row]:
    own = (tricks.seats == seat) & tricks.played[:, :, None]
    won = own & (np.arange(rules.players) == tricks.turns[:, :, None])
    held, wins = (_by_card(tricks, flags) for flags in (own, won))
    share = chains.share(wins, held)
    dealt = int(np.bitwise_or.reduce(facts["hands"][:, seat]))
    return [
        {
            "card": rules.deck.card_text(card),
            "dealt": bool(dealt >> card & 1),
            "n": int(np.count_nonzero(held[:, card])),
            **results.interval_row("wins", share, card),
        }
        for card in reversed(rules.deck.cards(rules.deck.mask))
        if held[:, card].any()
    ]


def _by_card(tricks: Tricks, flags: Flags) -> Flags:
    """Return whether a card of each deal is among the flagged ones, shape (deals, cards)."""
    among = np.zeros((len(flags), SUITS * SUIT_BITS), dtype=bool)
    among[np.nonzero(flags)[0], tricks.cards[flags]] = True
    return among


def _sides(rules: Rules, seat: int, facts: Records, outcome: _Outcome, chains: _Chains) -> list[Row]:
    played = outcome.aimed[:, None]
    side = np.sign(facts["bids"][:, : rules.players].sum(axis=1) - facts["cards"]) + Side.EXACT
    on_side = played & (side[:, None] == list(Side))
    share, made = chains.share(on_side, played), chains.share(on_side & outcome.made[:, None], on_side)
    points, aims = rules.points(), np.stack([facts["cards"], facts["bids"][:, seat]], axis=1)[outcome.aimed]
    spread = max((int(np.ptp(points[cards, :, bid, : cards + 1])) for cards, bid in np.unique(aims, axis=0)), default=0)
    score = chains.mean(outcome.score[:, None], on_side, spread)
    return [
        {
            "side": side.name.lower(),
            "n": int(np.count_nonzero(on_side[:, side])),
            **results.interval_row("share", share, side),
            **results.interval_row("p_made", made, side),
            **results.interval_row("score", score, side, rules.unit),
        }
        for side in Side
        if on_side[:, side].any()
    ]


# ---------------------------------------------------------------- deals that decide

def _samples(
    rules: Rules, seat: int, facts: Records, second: Records | None, outcome: _Outcome, ways: list[_Way], tricks: Tricks
) -> Iterator[Row]:
    """Yield a typical deal in which the action pays, one in which the next best would have, and one of its most frequent misses."""
    def told(of: Records, result: _Outcome, world: int) -> str:
        [deal] = records.happened(of[world : world + 1], rules)
        return _told(rules, seat, deal, -int(result.off[world]))

    def sample(kind: str, why: str, world: int) -> Row:
        [deal] = records.happened(facts[world : world + 1], rules)
        return {"kind": kind, "why": why, "world": world, **deal, "winners": tricks.winners[world][tricks.played[world]].tolist()}

    shown = np.zeros(len(facts), dtype=bool)
    if second is not None:
        other = _outcome(rules, seat, second)
        gain = (outcome.score - other.score) * (-1 if rules.fields.get("score", {}).get("low_wins") else 1)
        for kind, why, right, wrong, ahead in (
            ("pays", "Where it pays: {0}; after the next best, {1}.", outcome, other, gain > 0),
            ("costs", "Where it costs: {0}; after the next best, {1}.", other, outcome, gain < 0),
        ):
            decided = ahead & right.made & wrong.aimed & ~wrong.made
            world = _typical(gain, decided if decided.any() else ahead)
            if world is not None:
                shown[world] = True
                yield sample(kind, why.format(told(facts, outcome, world), told(second, other, world)), world)
    usual = max((way for way in ways if way.row["least"] < 0 or way.row["most"] > 0), key=lambda way: way.row["n"], default=None)
    for kind, why, among in (
        ("made", "How it is made: {0}.", outcome.made if second is None else None),
        ("missed", "How it mostly fails: {0}.", None if usual is None else usual.worlds & ~shown),
        ("usual", "A usual deal: {0}.", None if outcome.aimed.any() else ~shown),
    ):
        world = None if among is None else _typical(outcome.score, among)
        if world is not None:
            yield sample(kind, why.format(told(facts, outcome, world)), world)


def _typical(values: Ints, among: Flags) -> int | None:
    """Return the first of the worlds that lies nearest to their median, None where there are none."""
    worlds = np.flatnonzero(among)
    return int(worlds[np.abs(values[worlds] - np.median(values[worlds])).argmin()]) if len(worlds) else None


def _told(rules: Rules, seat: int, deal: Row, short: int) -> str:
    """Return in a clause what became of the seat in a deal."""
    if not deal["play"]:
        return "the deal is thrown in"
    score = f"{deal['scores'][seat]:+,}" if deal["scores"][seat] else "0"
    if rules.has_bids:
        where = f"in {deal['contract']} " if deal["contract"] else ""
        return f"{where}bid {deal['bids'][seat]} takes {counted(deal['tricks'][seat], 'tricks')} and scores {score}"
    if deal["soloist"] is None:
        return f"everybody passes and it scores {score}"
    contract = f"{deal['contract']} in {deal['trump']}"
    if deal["soloist"] != seat:
        return f"seat {deal['soloist']} plays {contract} and it scores {score}"
    measure = "card points" if deal["contract"].startswith("juego") else "tricks"
    return f"{contract} is {f'{counted(short, measure)} short' if short else 'made'} and scores {score}"
