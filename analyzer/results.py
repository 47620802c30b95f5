"""Facts of deals to counts, and counts to rows with intervals.

A tally keeps integer sums only, in Python's own integers, as squares of chips outgrow int64: its size does not depend on the number of deals, and tallies of
different deals merge in any order to the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import stats
from analyzer.cards import call_text, denomination_text
from kernels.layout import MAX_HAND, MAX_SEATS, NONE, Contract, Side

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from analyzer.rules import Rules
    from analyzer.zero import Split

    Ints = NDArray[np.int64]
    Sums = NDArray[np.object_]
    Flags = NDArray[np.bool_]
    Records = NDArray[np.void]
    Row = dict[str, Any]

N, MADE, TRICKS, SCORE, SCORE_SQ = range(5)
AXES = ("cards", "seat", "bid")
POINTS = {"alone", "answered", "break_even", "change", "difference", "ev", "gain", "luck", "other", "paid", "regret", "score", "skill", "spread",
          "swap_difference", "total", "zero"}  # fmt: skip
ALL_HANDS = ""         # the split of zero bids that keeps all together


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
    """Zero bids where all bids together are under, exactly or over the number of tricks, and by what the bidders hold.

    Several seats of a deal may bid zero, and what they make is not independent: the intervals treat the deal as the unit.

    Parameters
    ----------
    splits : by what the zero bids are counted besides (`zero.SPLITS`)
    """

    def __init__(self, rules: Rules, splits: Mapping[str, Split] | None = None) -> None:
        self.rules = rules
        self.splits = dict(splits or {})
        self.deals = 0
        self.thrown_in = 0
        sizes = {ALL_HANDS: 1, **{name: len(split.values) for name, split in self.splits.items()}}
        self.sums: dict[str, Sums] = {name: np.zeros((12, size, len(Side)), dtype=object) for name, size in sizes.items()}

    def add(self, facts: Records) -> None:
        """Count a chunk of FACTS."""
        self.deals += len(facts)
        self.thrown_in += int(np.count_nonzero(facts["played"] == 0))
        facts = facts[facts["played"] == 1]
        bids, tricks, scores = (facts[name][:, : self.rules.players] for name in ("bids", "tricks", "scores"))
        side = (np.sign(bids.sum(axis=1) - facts["cards"]) + Side.EXACT)[:, None] == np.arange(len(Side))
        may = may_bid_zero(self.rules, facts)
        zero = may & (bids == 0)
        seen = may, zero, zero & (tricks == 0), stats.wide(zero * scores)
        for name, sums in self.sums.items():
            places = self.splits[name].places(self.rules, facts) if name else np.zeros_like(bids)
            where = np.arange(len(facts))[:, None] * sums.shape[1] + places
            hands, n, made, score = (_summed(values, where, sums.shape[1]) for values in seen)
            score = stats.wide(score)
            parts = (n > 0, n, made, score, n * n, made * made, score * score, n * made, n * score, hands, hands * hands, n * hands)
            for kind, part in enumerate(parts):
                sums[kind] += part.T @ side.astype(np.int64)

    def merge(self, other: ZeroTally) -> None:
        """Add the deals of another tally under the same rules, split alike."""
        self.deals += other.deals
        self.thrown_in += other.thrown_in
        for name, sums in self.sums.items():
            sums += other.sums[name]

    def rows(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return one row per side on which a zero was bid; `share` is the side's part of all zero bids, `score` is in points."""
        wanted = ("side", "scored_as", "n", "share", "made", "p_made", "p_made_low", "p_made_high", "score", "score_low", "score_high")
        return [{key: row[key] for key in wanted} for row in self.split_rows(ALL_HANDS, level, anytime) if row["side"]]

    def split_rows(self, by: str, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return a row for every value of a split that any hand had, all sides together (`side` null), and one for each side on which a zero was bid.

        Notes
        -----
        `hands`: those with this value that might have bid zero, all but a declarer's; `p_bid`: the part of them that did, and came out on this side; `share`:
        part of all zero bids. Counts add up: sides to all sides, values to the rows of `ALL_HANDS`.
        """
        sums = np.concatenate([self.sums[by].sum(axis=2, keepdims=True), self.sums[by]], axis=2)
        deals, n, made, score, n_sq, made_sq, score_sq, n_made, n_score, hands, hands_sq, n_hands = sums
        hands, hands_sq = (np.broadcast_to(kind[:, :1], n.shape) for kind in (hands, hands_sq))
        bid = clustered_share(n, hands, n_sq, hands_sq, n_hands, level, anytime)
        share = clustered_share(made, n, made_sq, n_sq, n_made, level, anytime)
        mean = (stats.ratio_sequence if anytime else stats.ratio_interval)(score, n, score_sq, n_sq, n_score, deals, level, self._spread())
        values = self.splits[by].values if by else (None,)
        total = int(self.sums[ALL_HANDS][1].sum())
        return [
            {
                "by": by,
                "value": value,
                "side": None if side is None else side.name.lower(),
                "scored_as": None if side is None else self._scored_as(side).name.lower(),
                "hands": int(hands[at]),
                "n": int(n[at]),
                **interval_row("p_bid", bid, at),
                "share": int(n[at]) / total if total else None,
                "made": int(made[at]),
                **(interval_row("p_made", share, at) if n[at] else dict.fromkeys(("p_made", "p_made_low", "p_made_high"))),
                **interval_row("score", mean, at, self.rules.unit),
            }
            for place, value in enumerate(values)
            for column, side in enumerate((None, *Side))
            if hands[at := (place, column)] and (side is None or n[at])
        ]

    def precision(self, level: float = 0.95) -> float:
        """Return how far the mean score of a zero bid may be off on either side, in points, however often one has looked."""
        deals, n, _, score, n_sq, _, score_sq, _, n_score, *_ = self.sums[ALL_HANDS][:, 0]
        return half_width(stats.ratio_sequence(score, n, score_sq, n_sq, n_score, deals, level, self._spread()), self.rules.unit)

    def _spread(self) -> int:
        """Return the largest minus the smallest score of a zero bid, in units."""
        points = self.rules.points()[self.rules.schedule, :, 0]
        return int(max(np.ptp(scores[:, : cards + 1]) for cards, scores in zip(self.rules.schedule, points, strict=True)))

    def _scored_as(self, side: Side) -> Side:
        """Return the side with the scores of a zero bid on this side: over or under for exact, where just one of them has them."""
        under, exact, over = (self.rules.points()[:, kind, 0] for kind in Side)
        alike = [kind for kind, scores in ((Side.UNDER, under), (Side.OVER, over)) if np.array_equal(scores, exact)]
        return alike[0] if side == Side.EXACT and len(alike) == 1 else side


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


def may_bid_zero(rules: Rules, facts: Records) -> Flags:
    """Return which seats bid with zero among their bids: all but the declarer of Israeli Whist, who stands by his auction number."""
    declarer = facts["declarer"] if rules.auction == "levels" else np.full(len(facts), NONE)
    may: Flags = np.arange(rules.players) != declarer[:, None]
    return may


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


def deals_frame(facts: Records, rules: Rules, first: int = 0) -> pd.DataFrame:
    """Return what became of every seat in every deal, one row each; deals that were thrown in are left out.

    Parameters
    ----------
    facts : FACTS, shape (n,)
    rules : those that the deals were played by
    first : number of the first deal

    Returns
    -------
    DataFrame: `deal`; `seat` from the dealer's next, 0, to the dealer; `cards` a hand; `trump` (C D H S NT); `contract` (6S, juego; null without one);
    `is_declarer` (Spanish Solo: soloist); `bid_tricks` and `side` (under, exact, over: sum of bids against the tricks), null in Spanish Solo; `taken_tricks`;
    `made`, null where the seat has neither bid nor contract; `score_points` or `score_chips`
    """
    import pandas as pd

    numbers = first + np.flatnonzero(facts["played"] == 1)
    facts = facts[facts["played"] == 1]
    n_seats, n = rules.players, len(facts)
    places = np.argsort((np.arange(n_seats) - facts["dealer"][:, None] - 1) % n_seats, axis=1)     # the seat in each place

    def by_seat(values: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(values, places, axis=1).ravel()

    def by_deal(values: Iterable[Any]) -> NDArray[Any]:
        return np.repeat(np.array(list(values), dtype=object), n_seats)

    bids, tricks, scores = (facts[name][:, :n_seats] for name in ("bids", "tricks", "scores"))
    is_declarer = np.arange(n_seats) == facts["declarer"][:, None]
    contracts = [None if call == NONE else call_text(call, rules.auction) for call in facts["contract"]]
    frame = pd.DataFrame({
        "deal": np.repeat(numbers, n_seats),
        "seat": np.tile(np.arange(n_seats), n),
        "cards": np.repeat(facts["cards"], n_seats),
        "trump": by_deal(denomination_text(trump) for trump in facts["trump"]),
        "contract": by_deal(contracts),
        "is_declarer": by_seat(is_declarer),
        "bid_tricks": pd.array(by_seat(bids), "Int64") if rules.has_bids else pd.array([pd.NA] * n * n_seats, "Int64"),
        "taken_tricks": by_seat(tricks),
    })  # fmt: skip
    if rules.has_bids:
        frame["side"] = by_deal(Side(side).name.lower() for side in np.sign(bids.sum(axis=1) - facts["cards"]) + Side.EXACT)
        frame["made"] = pd.array(by_seat(bids == tricks), "boolean")
    else:
        frame["side"] = None
        frame["made"] = pd.array(by_seat(is_declarer & solo_made(rules, facts)[:, None]), "boolean")
        frame.loc[~frame["is_declarer"], "made"] = pd.NA
    frame["score_points" if rules.has_bids else "score_chips"] = by_seat(scores) * rules.unit
    return frame


def unit_of(column: str) -> str:
    """Return the unit of a column of an answer: "%" of a chance or share, "points" (in Spanish Solo chips), "deals", or "" where it has none."""
    name = column.removesuffix("_low").removesuffix("_high")
    if name.startswith(("p_", "share", "zero_")) or name.endswith(("_rate", "_share", "_changed")) or name == "movement":
        return "%"
    return "points" if name in POINTS or name.removesuffix("_difference") in POINTS else "deals" if name == "deals_needed" else ""


def estimates_frame(rows: Iterable[Row], unit: str = "points") -> pd.DataFrame:
    """Return the rows of an answer one estimate a row: what it is of, `estimate` (its name and unit), `value`, `low`, `high`.

    Parameters
    ----------
    rows : of `results` or another table of an answer (contracts.md 2)
    unit : "points" or "chips"
    """
    import pandas as pd

    found = pd.DataFrame(list(rows))
    names = [name for name in found if {f"{name}_low", f"{name}_high"} <= set(found)]
    of = [name for name in found if name.removesuffix("_low").removesuffix("_high") not in names]
    parts = []
    for name in names:
        part = found[of].copy()
        part["estimate"] = f"{name}_{unit}" if unit_of(name) == "points" else name
        part[["value", "low", "high"]] = found[[name, f"{name}_low", f"{name}_high"]].astype(float)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _summed(values: NDArray[Any], where: Ints, n_values: int) -> NDArray[Any]:
    """Return the sums of what the seats of each deal have, by deal and value of a split; where: places in them."""
    values = values.astype(np.int64) if values.dtype == bool else values
    sums = np.zeros(len(where) * n_values, dtype=values.dtype)
    np.add.at(sums, where, values)
    return sums.reshape(-1, n_values)


def clustered_share(made: Any, n: Any, made_sq: Any, n_sq: Any, cross: Any, level: float, anytime: bool) -> stats.Interval:
    """Return made / n where they come several to a deal; sums as in `stats.independent_size`."""
    size = stats.independent_size(made, n, made_sq, n_sq, cross)
    return (stats.proportion_sequence if anytime else stats.wilson)(made * size / np.maximum(n, 1), size, level)


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
