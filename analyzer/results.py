"""Facts of deals to counts, and counts to rows with intervals.

A tally keeps integer sums only, in Python's own integers, as squares of chips outgrow int64: its size does not depend on the number of deals, and tallies of
different deals merge in any order to the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import stats
from analyzer.cards import call_text
from kernels.layout import MAX_HAND, MAX_SEATS, Contract, Side

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from analyzer.rules import Rules

    Ints = NDArray[np.int64]
    Sums = NDArray[np.object_]
    Flags = NDArray[np.bool_]
    Records = NDArray[np.void]
    Row = dict[str, Any]

N, MADE, TRICKS, SCORE, SCORE_SQ = range(5)
AXES = ("cards", "seat", "bid")


class Tally:
    """Bids, tricks and scores by hand size, seat and bid.

    Single deals count seats from the dealer's next, so that the last seat is the dealer; with `games` seats are players. In Spanish Solo the bid of the soloist
    is his contract and nobody else has one: 0.
    """

    def __init__(self, rules: Rules, games: bool = False) -> None:
        self.rules = rules
        self.games = games
        self.deals = 0
        self.thrown_in = 0
        self.sums: Sums = np.zeros((5, MAX_HAND + 1, MAX_SEATS, MAX_HAND + 1), dtype=object)

    def add(self, facts: Records) -> None:
        """Count a chunk of FACTS."""
        n_seats = self.rules.players
        self.deals += len(facts)
        self.thrown_in += int(np.count_nonzero(facts["played"] == 0))
        facts = facts[facts["played"] == 1]
        seats = np.arange(n_seats)
        cards, tricks, scores = facts["cards"][:, None], facts["tricks"][:, :n_seats], stats.wide(facts["scores"][:, :n_seats])
        axes = cards, seats if self.games else (seats - facts["dealer"][:, None] - 1) % n_seats, self._bids(facts)
        where = np.ravel_multi_index(axes, self.sums.shape[1:])
        sums = np.zeros((len(self.sums), self.sums[N].size), dtype=scores.dtype)
        for kind, values in ((N, 1), (MADE, self._made(facts)), (TRICKS, tricks), (SCORE, scores), (SCORE_SQ, scores * scores)):
            np.add.at(sums[kind], where, values)
        used = sums[N] > 0
        self.sums[:, used.reshape(self.sums[N].shape)] += sums[:, used]

    def merge(self, other: Tally) -> None:
        """Add the deals of another tally under the same rules."""
        self.deals += other.deals
        self.thrown_in += other.thrown_in
        self.sums += other.sums

    def rows(self, level: float = 0.95, anytime: bool = False, by: Sequence[str] = AXES) -> list[Row]:
        """Return one row per hand size, seat and bid that occurred, or per value of the axes in `by` alone.

        Parameters
        ----------
        level : chance that an interval covers the truth
        anytime : the deals were stopped by looking at the results
        by : some of "cards", "seat", "bid"; the others are null in the rows

        Notes
        -----
        `score` in points, `made` and `p_made` null where nobody can make or miss: Spanish Solo without the soloist.
        """
        dropped = tuple(axis for axis, name in enumerate(AXES, start=1) if name not in by)
        sums = self.sums.sum(axis=dropped, keepdims=True)
        places = np.argwhere(sums[N])
        n, made, tricks, score, score_sq = (kind[sums[N] > 0] for kind in sums)
        bids = places[:, AXES.index("bid")]
        spread = self._spread(*places.T) if not dropped else np.zeros(len(places))
        mean = (stats.mean_sequence if anytime else stats.mean_interval)(score, score_sq, n, level, spread)
        share = (stats.proportion_sequence if anytime else stats.wilson)(made, n, level)
        rows = []
        for i, place in enumerate(places):
            cards, seat, bid = (int(at) if name in by else None for name, at in zip(AXES, place, strict=True))
            misses = self.rules.has_bids or ("bid" in by and bids[i] > 0)
            rows.append(
                {
                    "seat": seat,
                    "cards": cards,
                    "bid": bid if self.rules.has_bids or bid is None else call_text(bid, "contracts") if bid else None,
                    "n": int(n[i]),
                    "made": int(made[i]) if misses else None,
                    **(interval_row("p_made", share, i) if misses else dict.fromkeys(("p_made", "p_made_low", "p_made_high"))),
                    "tricks_mean": float(tricks[i] / n[i]),
                    **interval_row("score", mean, i, self.rules.unit),
                }
            )
        return rows

    def precision(self, level: float = 0.95) -> float:
        """Return how far the mean score of any seat may be off, in points, however often one has looked."""
        n, _, _, score, score_sq = self.sums.sum(axis=(1, 3))[:, : self.rules.players]
        return half_width(stats.mean_sequence(score, score_sq, n, level), self.rules.unit)

    def _bids(self, facts: Records) -> Ints:
        bids: Ints = facts["bids"][:, : self.rules.players]
        return bids if self.rules.has_bids else np.where(_is_soloist(facts), facts["contract"][:, None], 0)

    def _made(self, facts: Records) -> Flags:
        tricks: Ints = facts["tricks"][:, : self.rules.players]
        made: Flags = tricks == self._bids(facts) if self.rules.has_bids else _is_soloist(facts) & solo_made(self.rules, facts)[:, None]
        return made

    def _spread(self, cards: Ints, _: Ints, bids: Ints) -> Ints:
        """Return largest minus smallest score of these bids, in units; 0 where the number of cards and the bid do not bound it."""
        if not self.rules.has_bids:
            values = self.rules.record()[0]["contract_value"]
            spread: Ints = 4 * np.where(bids > 0, values[bids], values.max())     # the soloist gets or pays it twice
            return spread
        points = self.rules.points()
        return np.array([np.ptp(points[h, :, bid, : h + 1]) for h, bid in zip(cards, bids, strict=True)], dtype=np.int64)


class ZeroTally:
    """Zero bids where all bids together are under, exactly or over the number of tricks.

    Several seats of a deal may bid zero, and what they make is not independent: the intervals treat the deal as the unit.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.deals = 0
        self.thrown_in = 0
        self.sums: Sums = np.zeros((9, len(Side)), dtype=object)

    def add(self, facts: Records) -> None:
        """Count a chunk of FACTS."""
        self.deals += len(facts)
        self.thrown_in += int(np.count_nonzero(facts["played"] == 0))
        facts = facts[facts["played"] == 1]
        bids, tricks, scores = (facts[name][:, : self.rules.players] for name in ("bids", "tricks", "scores"))
        side = np.sign(bids.sum(axis=1) - facts["cards"]) + Side.EXACT
        zero = bids == 0
        n, made, score = zero.sum(axis=1), (zero & (tricks == 0)).sum(axis=1), stats.wide((zero * scores).sum(axis=1))
        sums = np.zeros(self.sums.shape, dtype=score.dtype)
        for kind, values in enumerate((n > 0, n, made, score, n * n, made * made, score * score, n * made, n * score)):
            np.add.at(sums[kind], side, values)
        self.sums += sums

    def merge(self, other: ZeroTally) -> None:
        """Add the deals of another tally under the same rules."""
        self.deals += other.deals
        self.thrown_in += other.thrown_in
        self.sums += other.sums

    def rows(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return one row per side on which a zero was bid; `share` is the side's part of all zero bids, `score` is in points."""
        n, made = self.sums[1:3]
        share = self._share(level, anytime)
        score = self._score(level, anytime)
        return [
            {
                "side": side.name.lower(),
                "scored_as": self._scored_as(side).name.lower(),
                "n": int(n[side]),
                "share": float(n[side] / n.sum()),
                "made": int(made[side]),
                **interval_row("p_made", share, side),
                **interval_row("score", score, side, self.rules.unit),
            }
            for side in Side
            if n[side]
        ]

    def precision(self, level: float = 0.95) -> float:
        """Return how far the mean score of a zero bid may be off on either side, in points, however often one has looked."""
        return half_width(self._score(level, anytime=True), self.rules.unit)

    def _scored_as(self, side: Side) -> Side:
        """Return the side with the scores of a zero bid on this side: over or under for exact, where just one of them has them."""
        under, exact, over = (self.rules.points()[:, kind, 0] for kind in Side)
        alike = [kind for kind, scores in ((Side.UNDER, under), (Side.OVER, over)) if np.array_equal(scores, exact)]
        return alike[0] if side == Side.EXACT and len(alike) == 1 else side

    def _share(self, level: float, anytime: bool) -> stats.Interval:
        _, n, made, _, n_sq, made_sq, _, n_made, _ = self.sums
        size = stats.independent_size(made, n, made_sq, n_sq, n_made)
        return (stats.proportion_sequence if anytime else stats.wilson)(made * size / np.maximum(n, 1), size, level)

    def _score(self, level: float, anytime: bool) -> stats.Interval:
        deals, n, _, score, n_sq, _, score_sq, _, n_score = self.sums
        return (stats.ratio_sequence if anytime else stats.ratio_interval)(score, n, score_sq, n_sq, n_score, deals, level)


class GamesTally:
    """Totals and winners of whole games, by player."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.games = 0
        self.unfinished = 0
        self.deals = 0
        self.pool = 0
        self.sums: Sums = np.zeros((4, rules.players), dtype=object)      # won, shared, total, total^2

    def add(self, games: Records) -> None:
        """Count a chunk of GAME."""
        self.games += len(games)
        self.unfinished += int(np.count_nonzero(games["finished"] == 0))
        self.deals += int(games["n_deals"].sum())
        self.pool += int(games["pool"].sum())
        won = games["winners"][:, None] >> np.arange(self.rules.players) & 1
        totals = stats.wide(games["totals"][:, : self.rules.players])
        shared = won * (won.sum(axis=1, keepdims=True) > 1)
        self.sums += np.array([kind.sum(axis=0) for kind in (won, shared, totals, totals * totals)])

    def merge(self, other: GamesTally) -> None:
        """Add the games of another tally under the same rules."""
        self.games += other.games
        self.unfinished += other.unfinished
        self.deals += other.deals
        self.pool += other.pool
        self.sums += other.sums

    def summary(self, level: float = 0.95, anytime: bool = False) -> Row:
        """Return number of games, how many were unfinished, deals per game, chips left in the pool per game, and a row per player.

        Notes
        -----
        `won` counts the games in which no player ended better, `shared` those of them in which another did as well: where games are shared, the shares won
        add up to more than 1.
        """
        won, shared, total, total_sq = self.sums
        share = (stats.proportion_sequence if anytime else stats.wilson)(won, self.games, level)
        mean = (stats.mean_sequence if anytime else stats.mean_interval)(total, total_sq, self.games, level)
        players = [
            {
                "seat": seat,
                "won": int(won[seat]),
                "shared": int(shared[seat]),
                **interval_row("p_won", share, seat),
                **interval_row("total", mean, seat, self.rules.unit),
            }
            for seat in range(self.rules.players)
        ]
        return {
            "games": self.games,
            "unfinished": self.unfinished,
            "deals_mean": self.deals / self.games if self.games else None,
            "pool_mean": self.pool / self.games if self.games and not self.rules.has_bids else None,
            "players": players,
        }

    def precision(self, level: float = 0.95) -> float:
        """Return how far the mean total of any player may be off, in points, however often one has looked."""
        _, _, total, total_sq = self.sums
        return half_width(stats.mean_sequence(total, total_sq, self.games, level), self.rules.unit)


def solo_made(rules: Rules, facts: Records) -> Flags:
    """Return whether the soloist made his contract, False in deals without one (rules.md 3.1)."""
    made: Flags = (facts["declarer"] >= 0) & (solo_short(rules, facts) == 0)
    return made


def solo_short(rules: Rules, facts: Records) -> Ints:
    """Return what the soloist lacks, in tricks of a slam and in points of a juego; 0 where he made it and in deals without one (rules.md 3.1)."""
    record = rules.record()[0]
    soloist: Ints = facts["declarer"]
    seat = np.maximum(soloist, 0)
    rows = np.arange(len(facts))
    reduced = (soloist - facts["dealer"]) % rules.players == record["juego_reduced_seat"]
    target = np.where(reduced, record["juego_reduced_target"], record["juego_target"])
    is_slam = facts["contract"] >= Contract.BOLA
    short = np.where(is_slam, facts["cards"] - facts["tricks"][rows, seat], target - facts["points"][rows, seat])
    return np.where(soloist >= 0, np.maximum(short, 0), 0)


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Return the rows as a tidy DataFrame."""
    import pandas as pd

    return pd.DataFrame(list(rows))


def _is_soloist(facts: Records) -> Flags:
    is_soloist: Flags = np.arange(3) == facts["declarer"][:, None]
    return is_soloist


def interval_row(name: str, interval: stats.Interval, at: Any, unit: float = 1.0) -> Row:
    """Return the estimate numbered `at` as `name`, `name_low` and `name_high`, in points of `unit`; null where there are too few deals to say."""
    values = (float(column[at]) * unit for column in interval)
    return {key: None if np.isnan(value) else value for key, value in zip((name, f"{name}_low", f"{name}_high"), values, strict=True)}


def half_width(interval: stats.Interval, unit: float) -> float:
    """Return the largest half-width in points, infinite where a mean has no interval yet."""
    widths = (interval.high - interval.mean)[~np.isnan(interval.mean)]
    return float(np.max(np.where(np.isnan(widths), np.inf, widths), initial=0.0)) * unit if len(widths) else np.inf
