"""Zero bids, over against under: how often bid and made, by what the bidder holds and by policy, and what a made zero has to pay to be worth bidding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analyzer import policies as policy_files
from analyzer import stats
from analyzer.cards import FRENCH
from analyzer.errors import UsageError, did_you_mean, one_of, shown
from analyzer.output import document
from analyzer.questions import GULASH_STEP
from analyzer.results import ALL_HANDS, ZeroTally, clustered_share, interval_row, may_bid_zero
from analyzer.simulation import CHUNK, Engine, Run, by_chunk, entry_points
from kernels.layout import FACTS, HIGHER, LENGTHS, MAX_HAND, MAX_SEATS, NONE, RANKS, SUIT_BITS, SUITS, Denomination, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analyzer.rules import Rules

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Records = NDArray[np.void]
    Row = dict[str, Any]

LOW_CARDS = FRENCH.ranks.index("6") + 1       # ranks that count as low: 2 to 6
SUIT = (1 << RANKS) - 1
OTHERS = (1, 2)                               # bids tried in place of zero
CLOSE = 0.25                                  # share of the low bids that counts as close: those on which zero matters least
STEP = 2                                      # buckets of like hands: half a trick expected, two tricks that the bids so far are ahead
BREAK_EVEN = 50_000                           # deals whose low bids are tried: a zero bid against another is known within 0.2 points


# ---------------------------------------------------------------- splits

@dataclass(frozen=True)
class Split:
    """By what zero bids are told apart: the names of the values, and which of them every seat has, as a place in `values`."""

    values: tuple[str | int, ...]
    places: Callable[[Rules, Records], Ints]


def held(rules: Rules, facts: Records) -> Ints:
    """Return the hands as they are when bids are made, after every gulash; shape (deals, seats)."""
    hands: Ints = facts["hands"][:, : rules.players].copy()
    for number in range(int(facts["n_gulash"].max(initial=0))):
        given = np.where(facts["n_gulash"][:, None] > number, facts["gulash"][:, number, : rules.players], 0)
        hands = hands & ~given | np.roll(given, GULASH_STEP[rules.fields["gulash"]["direction"]], axis=1)
    return hands


def spoken(rules: Rules, facts: Records) -> Ints:
    """Return how many seats speak between the declarer, or the dealer where there is no auction, and each seat; shape (deals, seats)."""
    start = facts["declarer"] if rules.auction == "levels" else facts["dealer"]
    return np.asarray((np.arange(rules.players) - start[:, None] - 1) % rules.players)


def suits(hands: Ints) -> Ints:
    """Return every hand by suit, C D H S: bit r set: it holds rank r; the suits are the last axis."""
    return np.asarray(hands[..., None] >> SUIT_BITS * np.arange(SUITS) & SUIT)


def _trump(rules: Rules, facts: Records) -> Ints:
    return np.repeat((facts["trump"] == Denomination.NT)[:, None].astype(np.int64), rules.players, axis=1)


def _low_cards(rules: Rules, facts: Records) -> Ints:
    low = suits(held(rules, facts)) & (1 << LOW_CARDS) - 1
    return np.asarray(np.bitwise_count(low).sum(axis=2, dtype=np.int64))


def _longest_suit(rules: Rules, facts: Records) -> Ints:
    return np.asarray(np.bitwise_count(suits(held(rules, facts))).max(axis=2), dtype=np.int64)


def _highest_card(rules: Rules, facts: Records) -> Ints:
    ranks = np.bitwise_or.reduce(suits(held(rules, facts)), axis=2)
    return np.asarray(np.log2(ranks).astype(np.int64))


def _trumps(rules: Rules, facts: Records) -> Ints:
    trump = np.minimum(facts["trump"], SUITS - 1)[:, None, None]
    trumps = np.take_along_axis(np.bitwise_count(suits(held(rules, facts))), trump, axis=2)[:, :, 0]
    return np.where(facts["trump"][:, None] == Denomination.NT, 0, trumps).astype(np.int64)


SPLITS = {
    "trump": Split(("suit", "none"), _trump),
    "seat": Split(tuple(range(1, MAX_SEATS + 1)), spoken),
    "low-cards": Split(tuple(range(MAX_HAND + 1)), _low_cards),
    "longest-suit": Split(tuple(range(RANKS + 1)), _longest_suit),
    "highest-card": Split(tuple(FRENCH.ranks), _highest_card),
    "trumps": Split(tuple(range(RANKS + 1)), _trumps),
}


def joint(names: str) -> Split:
    """Return a split, or of several with + between their names the split by all of them together.

    Raises
    ------
    UsageError
        There is no such split, or it is named twice.
    """
    parts = names.split("+")
    for place, name in enumerate(parts):
        if name not in SPLITS:
            raise UsageError(f"--by: found {shown(name)}, expected {one_of(SPLITS)}, or several with + between them{did_you_mean(name, SPLITS)}")
        if name in parts[:place]:
            raise UsageError(f"--by: {names} has {name} twice; name it once")
    if len(parts) == 1:
        return SPLITS[names]
    splits = [SPLITS[name] for name in parts]
    sizes = [len(split.values) for split in splits]

    def places(rules: Rules, facts: Records) -> Ints:
        return np.asarray(np.ravel_multi_index(tuple(split.places(rules, facts) for split in splits), sizes))

    return Split(tuple(" + ".join(map(str, values)) for values in product(*(split.values for split in splits))), places)


# ---------------------------------------------------------------- break-even

LOW_BID = np.dtype([
    ("deal", np.int64),
    ("bid", np.int64),                           # 0 or 1, as the policy bid
    ("like", np.int64, (5,)),                    # alike in all of these: a bucket of hands, told apart by what the bidder knows
    ("zero", np.float64),                        # score of a zero bid, in units, larger is better
    ("others", np.float64, (len(OTHERS),)),      # of the other bids in its place in the same deal; NaN: not tried
    ("side", np.int64),                          # of all bids together, this one being zero
    ("last", np.bool_),                          # the bidder speaks last and knows the side
    ("paid", np.float64),                        # how much more zero would score for every unit more that a made zero pays on this side
])  # fmt: skip


class Bonus(NamedTuple):
    """What a made zero bid is paid."""

    name: str                # "under", "over", "exact", or "all" for all sides together
    sides: tuple[Side, ...]
    paid: float | None       # points; None where it differs between these sides or with the number of cards


def bonuses(rules: Rules, cards: int | None = None) -> list[Bonus]:
    """Return what a made zero is paid, side by side where sides differ, and all together. Israeli Whist always has one bonus under and one over."""
    points = rules.points()[sorted(set(rules.schedule)) if cards is None else [cards], :, 0, 0] * rules.unit

    def bonus(name: str, *sides: Side) -> Bonus:
        paid = np.unique(points[:, sides])
        return Bonus(name, sides, float(paid[0]) if len(paid) == 1 else None)

    together = bonus("all", *Side)
    whist = rules.auction == "levels"
    if not whist and (points == points[:, :1]).all():
        return [together]
    alike = [side for side in (Side.OVER, Side.UNDER) if np.array_equal(points[:, side], points[:, Side.EXACT])]
    home = Side[rules.fields["contract"]["exact13"].upper()] if whist else (*alike, Side.EXACT)[0]
    groups = {side: [side] for side in Side}
    if home != Side.EXACT:
        groups[home] += groups.pop(Side.EXACT)
    return [*(bonus(side.name.lower(), *sides) for side, sides in groups.items()), together]


def expected_tricks(rules: Rules, hands: Ints, trump: Ints, cards: Ints, turnup: Ints) -> Floats:
    """Return the tricks that hands take in natural play, by the table of P(a card takes a trick) that bidders of `rules` use; shape (n,)."""
    expect = policy_files.learned_tables("rules-1", policy_files.family(rules), rules.players)["expect"]
    gone = np.where(turnup >= 0, np.int64(1) << np.maximum(turnup, 0), 0)
    mine, unseen = suits(hands), suits(rules.deck.mask & ~hands & ~gone)
    kind = np.where(trump[:, None] == np.arange(SUITS), 1, np.where(trump[:, None] == Denomination.NT, 2, 0))
    length = np.minimum(np.bitwise_count(mine), LENGTHS - 1)
    total = np.zeros(len(hands))
    for rank in range(RANKS):
        higher = np.minimum(np.bitwise_count(unseen >> rank), HIGHER - 1)
        total += np.where(mine >> rank & 1, expect[cards[:, None], cards[:, None], kind, length, higher], 0).sum(axis=1)
    return total


def low_bids(engine: Engine, facts: Records, first: int) -> Records:
    """Return the bids of zero and one of deals `first` on that might have been another low bid, LOW_BID of shape (n,).

    The deal is played again with the other bid in the same place. Those before bid as they did; those after answer as they like.
    """
    rules = engine.run.rules
    turn = spoken(rules, facts)
    if rules.auction == "levels":
        turn = (turn + 1) % rules.players                  # the declarer's number is the first
    bids = facts["bids"][:, : rules.players]
    deals, seats = np.nonzero((facts["played"] == 1)[:, None] & may_bid_zero(rules, facts) & (bids <= 1))
    number = turn[deals, seats] - (rules.auction == "levels" and rules.fields["contract"]["declarer_rebids"] == "none")
    script = engine.setup.copy()
    tried = np.zeros((1 + len(OTHERS), len(deals)), FACTS)
    for i, (deal, seat) in enumerate(zip(deals.tolist(), seats.tolist(), strict=True)):
        for k, bid in enumerate((0, *OTHERS)):
            if bid == bids[deal, seat]:
                tried[k, i] = facts[deal]
            elif bids[deal, seat] == 0 or bid == 0:
                script["n_bids"], script["bids"] = number[i] + 1, NONE
                script["bids"][0, number[i]] = bid
                tried[k, i] = engine.play(first + deal, 1, setup=script)[0][0, 0]
    sign = -1 if rules.fields["score"].get("low_wins") else 1
    scores = np.where(tried["played"] == 1, sign * tried["scores"][:, np.arange(len(deals)), seats], np.nan)
    zero = tried[0]
    low = np.zeros(len(deals), LOW_BID)
    low["deal"], low["bid"] = first + deals, bids[deals, seats]
    low["like"] = _like(rules, facts, turn, deals, seats)
    low["zero"], low["others"] = scores[0], scores[1:].T
    low["side"] = np.sign(zero["bids"][:, : rules.players].sum(axis=1) - zero["cards"]) + Side.EXACT
    low["last"] = (turn[deals, seats] == rules.players - 1) & _is_heard(rules)
    low["paid"] = sign * _paid(rules, zero, seats)
    had_choice: Flags = np.isfinite(low["zero"]) & np.isfinite(low["others"]).any(axis=1)
    return low[had_choice]


def _is_heard(rules: Rules) -> bool:
    """Return whether bidders hear the bids before theirs."""
    return rules.auction == "levels" or rules.fields["bidding"]["mode"] == "sequential"


def _like(rules: Rules, facts: Records, turn: Ints, deals: Ints, seats: Ints) -> Ints:
    """Return what the bidder knows, roughly: bid, cards, turn, half tricks expected, and how far the bids so far are ahead of an even share, in two tricks."""
    bids, mine = facts["bids"][:, : rules.players], turn[deals, seats]
    cards = facts["cards"][deals]
    strength = expected_tricks(rules, held(rules, facts)[deals, seats], facts["trump"][deals], cards, facts["turnup"][deals])
    so_far = np.where(turn[deals] < mine[:, None], bids[deals], 0).sum(axis=1)
    ahead = so_far - cards * mine / rules.players if _is_heard(rules) else np.zeros(len(deals))
    return np.column_stack([bids[deals, seats], cards, mine, np.rint(STEP * strength), np.rint(ahead / STEP)]).astype(np.int64)


def _paid(rules: Rules, facts: Records, seats: Ints) -> Ints:
    """Return how much more the seats would score for every unit more that a made zero pays."""
    dearer = rules.record()
    dearer["points"][:, :, :, 0, 0] += 1
    scored = facts.copy()
    entry_points().score(dearer, scored)
    at = np.arange(len(facts)), seats
    more: Ints = (scored["scores"] - facts["scores"])[at]
    return more


def second_best(low: Records) -> tuple[Floats, Floats]:
    """Return the score of the best other bid of each low bid, and how far a zero is from it on like hands.

    Both are told by the other half of the like hands, so that luck is no gain: the bid that does better there is judged here.
    """
    _, like = np.unique(low["like"], axis=0, return_inverse=True)
    like = like.reshape(-1)
    order = np.argsort(like, kind="stable")
    half = np.zeros(len(low), np.int64)
    half[order] = (np.arange(len(low)) - np.searchsorted(like[order], like[order])) % 2
    scores = np.column_stack([low["zero"], low["others"]])
    known = np.isfinite(scores)
    here, there = 2 * like + half, 2 * like + 1 - half
    means = np.full_like(scores, np.nan)
    for k in range(scores.shape[1]):
        n, total = (np.bincount(here[known[:, k]], weights, 2 * len(low))[there] for weights in (None, scores[known[:, k], k]))
        np.divide(total, n, out=means[:, k], where=n > 0)
    worth = np.where(known, np.nan_to_num(means, nan=np.finfo(float).min), -np.inf)
    picked = 1 + np.argmax(worth[:, 1:], axis=1)
    rows = np.arange(len(low))
    return scores[rows, picked], np.nan_to_num(np.abs(means[:, 0] - means[rows, picked]), nan=np.inf)


def break_even(rules: Rules, low: Records, cards: int | None = None, level: float = 0.95, anytime: bool = False) -> list[Row]:
    """Return what a made zero has to pay for a zero bid to score as much as the best other bid, a row per kind of hands and bonus.

    Parameters
    ----------
    low : LOW_BID, shape (n,)
    cards : hand size, if all deals have the same

    Notes
    -----
    `hands`: "zero bids"; "bids of one", where zero is tried against the one that was bid; "close", the quarter of both on which zero matters least; where sides
    are paid apart also "last, under" and so on, zero bids of the last to speak, who knows the side.
    `gain` = `zero` - `other` in points, larger is better. It grows by `p_paid` for every point more that a made zero pays on the sides of `bonus`, so
    `change` = - gain / p_paid (twice the share where a rule doubles scores) is where it is 0, all other bonuses held, and `break_even` = `paid` + `change`.
    Nobody bids or plays otherwise for it.
    """
    other, distance = second_best(low)
    nearest = np.quantile(distance, CLOSE, method="lower") if len(low) else 0.0
    is_zero, all_bonuses = low["bid"] == 0, bonuses(rules, cards)
    groups = [("zero bids", is_zero, all_bonuses), ("close", distance <= nearest, all_bonuses), ("bids of one", low["bid"] == 1, all_bonuses)]
    groups += [(f"last, {bonus.name}", is_zero & low["last"] & np.isin(low["side"], bonus.sides), [bonus]) for bonus in all_bonuses[:-1]]
    return [row for name, chosen, those in groups if chosen.any() for row in _worth(rules, name, low[chosen], other[chosen], those, level, anytime)]


def _worth(rules: Rules, name: str, low: Records, other: Floats, those: Sequence[Bonus], level: float, anytime: bool) -> list[Row]:
    """Return the rows of `break_even` for low bids of one kind, each with the score of the best other bid."""
    ratio: Callable[..., stats.Interval] = stats.ratio_sequence if anytime else stats.ratio_interval
    fieller: Callable[..., stats.Interval] = stats.fieller_sequence if anytime else stats.fieller_interval
    sign = -1 if rules.fields["score"].get("low_wins") else 1
    _, deal = np.unique(low["deal"], return_inverse=True)
    one = np.ones(len(low))
    said: Row = {"n": len(low), "deals": int(deal.max()) + 1}
    for key, scores in (("zero", sign * low["zero"]), ("other", sign * other), ("gain", low["zero"] - other)):
        said |= interval_row(key, ratio(*_sums(deal, scores, one), level), (), rules.unit)
    rows = []
    for bonus in those:
        paid = np.where(np.isin(low["side"], bonus.sides), low["paid"], 0)
        change = fieller(*_sums(deal, other - low["zero"], paid), level)
        worth = stats.Interval(*(end * rules.unit + (np.nan if bonus.paid is None else bonus.paid) for end in change))
        rows.append({
            "hands": name, "bonus": bonus.name, "paid": bonus.paid, **said,
            **interval_row("p_paid", clustered_share(*_sums(deal, (paid != 0).astype(float), one)[:-1], level, anytime), ()),
            **interval_row("change", change, (), rules.unit),
            **interval_row("break_even", worth, ()),
        })  # fmt: skip
    return rows


def _sums(deal: Ints, total: Floats, n: Floats) -> tuple[Any, Any, Any, Any, Any, int]:
    """Return what the ratio of two kinds of numbers rests on, the deal being the unit: sums as in `stats.ratio_interval`."""
    a, b = np.bincount(deal, total), np.bincount(deal, n)
    return a.sum(), b.sum(), (a * a).sum(), (b * b).sum(), (a * b).sum(), len(a)


# ---------------------------------------------------------------- the study

@dataclass
class Count:
    """What is known of some deals: zero bids of the players, of each policy compared, and the low bids tried otherwise."""

    tally: ZeroTally
    compared: dict[str, ZeroTally]
    low: list[Records] = field(default_factory=list)


class ZeroBids:
    """Zero bids of a table, counted while it plays.

    Parameters
    ----------
    rules : rules of the table
    policies : one for all seats or one per seat, from the dealer's next
    by : names of splits; several with + between them make one
    compare : policies that play the same deals in all seats
    break_even : number of deals, from the first, in which every bid of zero and one is also played otherwise
    seed, cards, dealer : as in `simulation.Run`

    Raises
    ------
    UsageError
        A game without bids, no such split or policy.
    """

    def __init__(
        self,
        rules: Rules,
        policies: Sequence[str],
        *,
        by: Sequence[str] = tuple(SPLITS),
        compare: Sequence[str] = (),
        break_even: int = BREAK_EVEN,
        seed: int = 1,
        cards: int | None = None,
        dealer: int | None = None,
    ) -> None:
        if not rules.has_bids:
            raise UsageError(f"zero: {rules.game} has no bids of tricks; expected a game that has: israeli-whist, jabberwocky, oh-hell")
        self.rules = rules
        self.policies = list(policies) * rules.players if len(policies) == 1 else list(policies)
        self.splits = {name: joint(name) for name in by}
        self.tried = break_even
        self.compared = list(dict.fromkeys(compare))

        def engine(*names: str) -> Engine:
            return Engine(Run(rules, names, seed=seed, cards=cards, dealer=dealer))

        self.engine = engine(*self.policies)
        self.others = {name: engine(name) for name in self.compared if {name} != set(self.policies)}
        self.counted = self._nothing()

    def _nothing(self) -> Count:
        return Count(ZeroTally(self.rules, self.splits), {name: ZeroTally(self.rules) for name in self.others})

    @property
    def deals(self) -> int:
        """Deals so far."""
        return self.counted.tally.deals

    def run(
        self, n: int, *, jobs: int | None = None, progress: Callable[[int], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> int:
        """Play deals 0 to n - 1 and return how many were played; all else as in `simulation.run`."""
        return by_chunk(self.count, n, CHUNK, jobs=jobs, consume=self.add, progress=progress, stop=stop)

    def count(self, first: int, n: int) -> Count:
        """Return what is known of deals `first` to `first + n - 1`."""
        facts = self.engine.play(first, n)[0][:, 0]
        found = self._nothing()
        found.tally.add(facts)
        for name, engine in self.others.items():
            found.compared[name].add(engine.play(first, n)[0][:, 0])
        if first < self.tried:
            found.low.append(low_bids(self.engine, facts[: self.tried - first], first))
        return found

    def add(self, found: Count) -> None:
        """Add what is known of the next deals."""
        self.counted.tally.merge(found.tally)
        for name, tally in found.compared.items():
            self.counted.compared[name].merge(tally)
        self.counted.low += found.low

    def precision(self, level: float = 0.95) -> float:
        """Return how far the mean score of a zero bid may be off on either side, in points, however often one has looked."""
        return self.counted.tally.precision(level)

    def document(self, level: float = 0.95, anytime: bool = False) -> dict[str, Any]:
        """Return the JSON object of the answer (contracts.md 2).

        Parameters
        ----------
        level : chance that an interval covers the truth
        anytime : the deals were stopped by looking at the results

        Notes
        -----
        Beyond `results`: `total` and `by`, rows of `ZeroTally.split_rows`; `policies_compared`, the same per policy; `break_even`, rows of `break_even` over
        `break_even_deals` deals.
        """
        tally, run = self.counted.tally, self.engine.run
        low = np.concatenate([np.zeros(0, LOW_BID), *self.counted.low])
        total = [row for row in tally.split_rows(ALL_HANDS, level, anytime) if row["side"] is None]
        return document(
            "zero", self.rules, self.policies, run.seed, tally.deals, level, tally.rows(level, anytime),
            thrown_in=tally.thrown_in,
            total={key: value for row in total for key, value in row.items() if key not in ("by", "value", "side", "scored_as")},
            by=[row for name in self.splits for row in tally.split_rows(name, level, anytime)],
            policies_compared=[
                {"policy": name, **{key: value for key, value in row.items() if key not in ("by", "value")}}
                for name in self.compared
                for row in self.counted.compared.get(name, tally).split_rows(ALL_HANDS, level, anytime)
            ],
            break_even_deals=min(self.tried, tally.deals),
            break_even=break_even(self.rules, low, run.cards, level, anytime),
        )  # fmt: skip


def zero_bids(rules: Rules, policies: Sequence[str], deals: int, *, level: float = 0.95, jobs: int | None = None, **how: Any) -> dict[str, Any]:
    """Return the JSON object of `zero` for deals 0 to `deals` - 1; `how`: by, compare, break_even, seed, cards, dealer of `ZeroBids`."""
    study = ZeroBids(rules, policies, **how)
    study.run(deals, jobs=jobs)
    return study.document(level)
