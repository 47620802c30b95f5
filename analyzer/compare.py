"""Rule and scoring variants on the same deals: what the points alone change, and what players do about it.

The first variant is the measure. Twice: *kept*, bidders call and bid as they did under the first variant; *adapted*, bidders maximise the scheme's own score
table among others who do (`adapting`). Under the first variant both are the same: its bidders are adapted to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import adapting, scoring, stats
from analyzer.cards import call_text
from analyzer.duel import Duel
from analyzer.errors import ImpossibleError, UsageError, counted
from analyzer.output import field_rows
from analyzer.results import interval_row, solo_made
from analyzer.simulation import CHUNK, Engine, Run, by_chunk
from kernels.layout import MAX_GULASHES, NONE, Contract, Decision, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analyzer.adapting import Adapted
    from analyzer.rules import Rules

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Sums = NDArray[np.object_]      # Python's own integers
    Records = NDArray[np.void]
    Row = dict[str, Any]

SCORED = ("score.", "contract.exact13", "juego.", "nosolo.", "pool.", "game.", "schedule")      # fields by which the very same deal is scored again
ASKED = 2048               # deals in which the variants' bidders are asked what they would say in the first variant's place
CONTESTED = 10_240         # deals of skill, and of a seat that adapts alone
BETTER, WORSE = "learned", "rules-1"      # players whose difference is skill
TELLING = 1.96 + 0.84      # standard errors: what is there is found at the 5 % level in four of five trials
FEW = 30                   # bids below which a spread has no interval
KEPT, ADAPTED = "kept", "adapted"
ANSWERED = "answered"      # adapted against kept bidders of the same variant

# What a deal adds to a group of seats: how many there are, how many of them make their bid, points and squares of points, and how many there might be
N, MADE, SCORE, SQUARES, OF = range(5)
PARTS = 5


@dataclass(frozen=True)
class Group:
    """Seats of deals that are counted together; `shares`: how many there are says something, `makes`: they can make or miss."""

    name: str
    shares: bool = False
    makes: bool = True


@dataclass(frozen=True)
class Pair:
    """Sums over the same deals of a variant and what it is measured against: of what it has more, then of the other, and of their products."""

    deals: int
    sums: Sums
    products: Sums

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.deals + other.deals, self.sums + other.sums, self.products + other.products)


@dataclass(frozen=True)
class Counts:
    """Everything that is counted in a chunk of deals."""

    deals: int
    thrown_in: list[int]                          # by variant, adapted
    left_out: list[int]                           # by variant: deals whose kept calls or bids the rules do not allow
    pairs: dict[tuple[str, int], Pair]            # by what is compared and the variant
    asked: dict[tuple[str, int], Sums]            # by what is said and the variant: changed, said, their squares and product
    alone: list[Sums]                             # by variant: points that a seat gains, as sum, squares and number
    contests: list[Sums]                          # by variant: of `Duel`

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.deals + other.deals,
            [one + more for one, more in zip(self.thrown_in, other.thrown_in, strict=True)],
            [one + more for one, more in zip(self.left_out, other.left_out, strict=True)],
            {key: pair + other.pairs[key] for key, pair in self.pairs.items()},
            {key: sums + other.asked[key] for key, sums in self.asked.items()},
            [one + more for one, more in zip(self.alone, other.alone, strict=True)],
            [one + more for one, more in zip(self.contests, other.contests, strict=True)],
        )


class Comparison:
    """Variants at the same deals. `adapt`, then `run`, then read the rows.

    Parameters
    ----------
    tables : two or more rules of one game and number of players; the first are what the others are measured against
    policies : one name for all seats or one per seat
    seed, cards, dealer, pool : as in `simulation.Run`

    Raises
    ------
    UsageError
        Fewer than two variants.
    ImpossibleError
        Variants of different games or numbers of players.

    Notes
    -----
    Deals are those of the first variant's schedule.
    """

    def __init__(
        self, tables: Sequence[Rules], policies: Sequence[str], *, seed: int = 1, cards: int | None = None, dealer: int | None = None, pool: int = 0
    ) -> None:
        if len(tables) < 2:
            found = counted(len(tables), "variants")
            raise UsageError(f"compare: found {found}, expected two or more; name each with --variant, the first is what the others are measured against")
        first = tables[0]
        for rules in tables[1:]:
            if (rules.game, rules.players) != (first.game, first.players):
                found = f"{_short(rules.variant)} of {rules.game} for {rules.players} players, {_short(first.variant)} of {first.game} for {first.players}"
                raise ImpossibleError(f"compare: found {found}; expected variants of one game and number of players, see --players")
        self.names = _told_apart([_short(rules.variant) for rules in tables])
        self.tables = [rules if rules.schedule == first.schedule else _with_schedule(rules, first.schedule) for rules in tables]
        self.policies = list(policies) * first.players if len(policies) == 1 else list(policies)
        self.how: dict[str, Any] = {"seed": seed, "cards": cards, "dealer": dealer, "pool": pool}
        units = [Fraction(rules.unit) for rules in tables]
        self.unit = Fraction(gcd(*(unit.numerator for unit in units)), lcm(*(unit.denominator for unit in units)))      # the largest that measures all
        self.factors = [int(unit / self.unit) for unit in units]
        self.groups = _groups(first)
        self.adapted: list[dict[str, Adapted]] = []
        self.counts: Counts | None = None

    # ---------------------------------------------------------------- playing

    def adapt(self, *, rounds: int = adapting.ROUNDS, jobs: int | None = None, progress: Callable[[int], None] | None = None) -> None:
        """Adapt every policy to every variant, among others of its kind; `progress` gets the number of rounds so far."""
        how = {name: self.how[name] for name in ("seed", "cards", "pool")}
        done = 0

        def tell(made: int) -> None:
            if progress:
                progress(done + made)

        for rules in self.tables:
            found: dict[str, Adapted] = {}
            for name in dict.fromkeys(self.policies):
                found[name] = adapting.adapt(name, rules, rounds=rounds, jobs=jobs, progress=tell, **how)
                done += rounds
            self.adapted.append(found)
        self._sit_down()

    def _sit_down(self) -> None:
        """Seat the players at every table."""
        bidders = [[found[name].policy for name in self.policies] for found in self.adapted]
        first = self.tables[0]
        former = [replace(policy, plays_for=first) for policy in bidders[0]]
        players = first.players

        def engine(rules: Rules, *policies: Any) -> Engine:
            return Engine(Run(rules, policies, **self.how))

        self.engines = [engine(rules, *seated) for rules, seated in zip(self.tables, bidders, strict=True)]
        self.askers = [engine(rules, *seated, *["random"] * players) for rules, seated in zip(self.tables, bidders, strict=True)]
        self.keepers = [None if _scores_the_same_cards(rules, first) else engine(rules, *bidders[0]) for rules in self.tables]
        self.mixed = [engine(rules, *former, *bidders[0]) for rules in self.tables]
        self.contests = [Duel(rules, [BETTER, WORSE], **self.how) for rules in self.tables]

    def run(
        self, n: int, *, jobs: int | None = None, progress: Callable[[int], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> int:
        """Play deals 0 to n - 1 under every variant and return how many were played; all else as in `simulation.run`."""
        return by_chunk(self.count, n, CHUNK, jobs=jobs, consume=self.add, progress=progress, stop=stop)

    def add(self, counts: Counts) -> None:
        """Add the counts of deals that have not been added yet."""
        self.counts = self.counts + counts if self.counts else counts

    @property
    def deals(self) -> int:
        """Deals so far; each was played under every variant."""
        return self.counts.deals if self.counts else 0

    def count(self, first: int, n: int) -> Counts:
        """Return the counts of deals `first` to `first + n - 1`."""
        measure = self.engines[0].play(first, n)[0][:, 0]
        of_measure = self._parts(0, measure)
        thrown_in, left_out, alone, contests = [], [], [], []
        pairs: dict[tuple[str, int], Pair] = {}
        asked: dict[tuple[str, int], Sums] = {}
        for number, engine in enumerate(self.engines):
            adapted = engine.play(first, n)[0][:, 0] if number else measure
            kept = self._kept(number, first, measure)
            may_be_kept = _is_kept(self.tables[number], measure, kept)
            of_adapted, of_kept = self._parts(number, adapted), self._parts(number, kept)
            thrown_in.append(int(np.count_nonzero(adapted["played"] == 0)))
            left_out.append(int(np.count_nonzero(~may_be_kept)))
            everything = np.ones(n, dtype=bool)
            for what, own, other, together in (
                (KEPT, of_kept, of_measure, may_be_kept), (ADAPTED, of_adapted, of_measure, everything), (ANSWERED, of_adapted, of_kept, may_be_kept),
            ):  # fmt: skip
                pairs[what, number] = pair_of(own, other, together)
            asked |= {(said, number): sums for said, sums in self._asked(number, first, measure[:max(ASKED - first, 0)]).items()}
            alone.append(self._alone(number, first, min(n, max(CONTESTED - first, 0))))
            contests.append(self.contests[number].count(first, min(n, max(CONTESTED - first, 0))))
        return Counts(n, thrown_in, left_out, pairs, asked, alone, contests)

    def _kept(self, number: int, first: int, measure: Records) -> Records:
        """Return the deals with the first variant's calls and bids: scored again, or where other rules than scores differ played anew."""
        keeper = self.keepers[number]
        if keeper is None:
            return scoring.score_again(self.tables[number].record(), measure.copy())
        return keeper.replay(first + np.arange(len(measure)), _scripts(self.tables[number], keeper.setup, measure))

    def _parts(self, number: int, facts: Records) -> Ints:
        """Return what each deal adds to each group: shape (groups, PARTS, deals)."""
        rules = self.tables[number]
        players = rules.players
        played = facts["played"][:, None] == 1
        bids = facts["bids"][:, :players]
        scores = stats.wide(facts["scores"][:, :players] * self.factors[number])
        if rules.has_bids:
            made = bids == facts["tricks"][:, :players]
        else:
            made = (np.arange(players) == facts["declarer"][:, None]) & solo_made(rules, facts)[:, None]
        is_in, of = _members(rules, facts, self.groups)
        is_in = is_in & played
        parts = np.zeros((len(self.groups), PARTS, len(facts)), dtype=scores.dtype)
        for part, values in ((N, 1), (MADE, made), (SCORE, scores), (SQUARES, scores * scores)):
            parts[:, part] = (is_in * values).sum(axis=2)
        parts[:, OF] = of * played[:, 0]
        return parts

    def _asked(self, number: int, first: int, measure: Records) -> dict[str, Sums]:
        """Return how many calls and bids of the first variant's deals another's bidders would not make in the same place, after the same calls and bids."""
        rules, engine = self.tables[number], self.askers[number]
        says = (["calls"] if rules.auction != "none" else []) + (["bids"] if rules.has_bids else [])
        n = len(measure)
        changed, said = ({name: np.zeros(n, dtype=np.int64) for name in says} for _ in range(2))

        def ask(name: str, at: Ints, scripts: Records, place: Ints, before: Ints) -> None:
            facts = engine.replay(first + at, scripts)
            open_to_it = facts["fault"] == Decision.NONE
            said[name][at] += open_to_it
            changed[name][at] += open_to_it & (facts[name][np.arange(len(facts)), place] != before)

        if n and number:
            full = _scripts(rules, engine.setup, measure)
            for k in range(int(measure["n_calls"].max()) if "calls" in says else 0):
                at = np.flatnonzero(measure["n_calls"] > k)
                scripts = full[at]
                scripts["n_calls"], scripts["n_bids"] = k, 0
                for name in ("trump", "asked", "given"):
                    scripts[name] = NONE
                ask("calls", at, scripts, np.full(len(at), k), measure["calls"][at, k])
            order = _speakers(rules, measure)
            for k in range(order.shape[1] if "bids" in says else 0):
                at = np.flatnonzero(measure["played"] == 1)
                scripts = full[at]
                scripts["n_bids"] = k
                seat = order[at, k]
                ask("bids", at, scripts, seat, measure["bids"][at, seat])
        return {name: np.array([x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()], dtype=object)
                for name, x, y in ((name, changed[name], said[name]) for name in says)}  # fmt: skip

    def _alone(self, number: int, first: int, n: int) -> Sums:
        """Return what a seat gains by bidding for these scores while others bid for the first variant's, over its turns: sum, sum of squares, deals."""
        players = self.tables[0].players
        engine = self.mixed[number]

        def scores(adapts: int | None) -> Ints:
            facts = engine.play(first, n, seats=[seat + players * (seat == adapts) for seat in range(players)])[0][:, 0]
            place = (facts["dealer"][:, None] + 1 + np.arange(players)) % players
            return np.take_along_axis(facts["scores"][:, :players], place, axis=1)

        if n == 0:
            return np.zeros(3, dtype=object)
        before = scores(None)
        gain = stats.wide(np.sum([scores(place)[:, place] - before[:, place] for place in range(players)], axis=0))
        return np.array([gain.sum(), (gain * gain).sum(), n], dtype=object)

    # ---------------------------------------------------------------- reading

    def rows(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return one row per variant, bidders (kept or adapted) and group of seats.

        Parameters
        ----------
        level : chance that an interval covers the truth
        anytime : the deals were stopped by looking at the results

        Notes
        -----
        `n`: bids (in Spanish Solo seats or contracts) of the group; `share`: its part of all bids, of contracts and sums their part of all deals; `p_made`:
        bids made; `score`: points of a seat per deal, `spread`: their standard deviation. Each has its interval, and `NAME_difference` to the first variant
        with the interval of paired deals; null where a group has none. Deals whose kept bids the rules do not allow are in neither.
        """
        rows = []
        for number, name in enumerate(self.names):
            for bidders in (KEPT, ADAPTED):
                pair = self._pair(bidders, number)
                read = [(what, *measured(what, pair, level, anytime)) for what in ("share", "p_made", "score", "spread")]
                own_n = (pair.sums[:, N] + pair.sums[:, PARTS + N]).astype(np.int64)
                for at, group in enumerate(self.groups):
                    if own_n[at] == 0 and pair.sums[at, PARTS + N] == 0:
                        continue
                    row: Row = {"variant": name, "bidders": bidders, "group": group.name, "n": int(own_n[at])}
                    for what, value, difference in read:
                        told = (what != "share" or group.shares) and (what != "p_made" or group.makes)
                        unit = float(self.unit) if what in ("score", "spread") else 1.0
                        for key, interval in ((what, value), (f"{what}_difference", difference)):
                            row |= interval_row(key, interval, at, unit) if told else dict.fromkeys((key, f"{key}_low", f"{key}_high"))
                    rows.append(row)
        return rows

    def variants(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return one row per variant: what it changes, and what is known of it as a whole.

        Notes
        -----
        `left_out`: deals whose kept calls or bids its rules do not allow. `calls_changed`, `bids_changed`: share of the first variant's calls and bids that the
        bidders adapted to this one would not make with the same hand in the same place, in the first `asked_deals` deals. `alone`: points that a seat gains by
        bidding for these scores while the others still bid for the first variant's, a mean over seats, in the first `contested` deals; null in Spanish Solo,
        where bidders see no scores but the table's. `answered`: change of a seat's points once all adapt, against kept bids. `luck`: standard deviation of a
        seat's score per deal; `skill`: what `learned` scores above `rules-1` in the same seat of the same deals among `rules-1`, also in the first `contested`;
        `deals_needed`: deals after which that difference shows, (2.8 luck / skill)^2, null where the interval of skill holds 0.
        """
        counts = self._counted
        mean_of = stats.mean_sequence if anytime else stats.mean_interval
        share_of = stats.proportion_sequence if anytime else stats.wilson
        first = {row["field"]: row["value"] for row in field_rows(self.tables[0].fields)}
        low_wins = self.tables[0].fields.get("score", {}).get("low_wins")
        rows = []
        for number, name in enumerate(self.names):
            rules = self.tables[number]
            gain, gain_sq, played = counts.alone[number] if rules.has_bids else (0, 0, 0)      # bidders of Spanish Solo see the table's chips themselves
            row: Row = {
                "variant": name,
                "changes": [f"{row['field']}={row['value']}" for row in field_rows(rules.fields) if first.get(row["field"]) != row["value"]],
                "scored_again": self.keepers[number] is None,
                "thrown_in": counts.thrown_in[number],
                "left_out": counts.left_out[number],
            }
            for said in ("calls", "bids"):
                x, y, xx, yy, xy = counts.asked.get((said, number), np.zeros(5, dtype=object))
                size = float(stats.independent_size(x, y, xx, yy, xy))
                share = share_of(x * size / max(y, 1), size, level)
                row |= interval_row(f"{said}_changed", share, ()) if y else dict.fromkeys((f"{said}_changed", f"{said}_changed_low", f"{said}_changed_high"))
                row[f"{said}_asked"] = int(y)
            row |= interval_row("alone", mean_of(gain, gain_sq, played, level), (), rules.unit / rules.players)
            row |= {"contested": min(counts.deals, CONTESTED), "asked_deals": min(counts.deals, ASKED)}
            _, answered = measured("score", self._pair(ANSWERED, number), level, anytime)
            row |= interval_row("answered", answered, 0, float(self.unit))
            luck, _ = measured("spread", self._pair(ADAPTED, number), level, anytime)
            row |= interval_row("luck", luck, 0, float(self.unit))
            row |= self._skill(number, level, anytime, -1 if low_wins else 1)
            row |= _deals_needed(row)
            rows.append(row)
        return rows

    def adaptations(self) -> list[Row]:
        """Return one row per variant and policy: rounds, last movement and whether it settled."""
        return [{"variant": name, **adapted.to_json()} for name, found in zip(self.names, self.adapted, strict=True) for adapted in found.values()]

    def precision(self, level: float = 0.95) -> float:
        """Return how far any variant's mean score of a seat may be off, in points, however often one has looked."""
        widths = []
        for number in range(len(self.names)):
            value, _ = measured("score", self._pair(ADAPTED, number), level, anytime=True)
            widths.append(float(value.high[0] - value.mean[0]) * float(self.unit))
        return max(widths)

    @property
    def _counted(self) -> Counts:
        if self.counts is None:
            raise UsageError("compare: nothing has been counted yet; run it first")
        return self.counts

    def _pair(self, what: str, number: int) -> Pair:
        return self._counted.pairs[what, number]

    def _skill(self, number: int, level: float, anytime: bool, sign: int) -> Row:
        contest = self.contests[number]
        contest.sums = self._counted.contests[number]
        row = contest.rows(level, anytime)[0]
        ends = [row[f"swap_difference{end}"] for end in ("", "_low", "_high")]
        mean, low, high = ends if sign > 0 or None in ends else (-ends[0], -ends[2], -ends[1])
        return {"skill": mean, "skill_low": low, "skill_high": high}


def compare(tables: Sequence[Rules], policies: Sequence[str], deals: int, *, rounds: int = adapting.ROUNDS, jobs: int | None = None, **how: Any) -> Comparison:
    """Return the comparison of two or more variants over deals 0 to `deals` - 1; `how`: seed, cards, dealer, pool of `Comparison`."""
    comparison = Comparison(tables, policies, **how)
    comparison.adapt(rounds=rounds, jobs=jobs)
    comparison.run(deals, jobs=jobs)
    return comparison


# ---------------------------------------------------------------- groups of seats

def _groups(rules: Rules) -> list[Group]:
    """Return the groups of seats that are counted, all of them first; the last seat is the dealer."""
    has_bids = rules.has_bids
    names = [f"seat {place}" for place in range(rules.players - 1)] + ["dealer"]
    groups = [Group("all", makes=has_bids), *(Group(name, makes=has_bids) for name in names)]
    if not has_bids:
        return [*groups, Group("soloist", shares=True), Group("nobody", shares=True, makes=False),
                *(Group(call_text(contract, "contracts"), shares=True) for contract in Contract)]  # fmt: skip
    if rules.auction == "levels":
        groups.append(Group("declarer"))
    groups += [Group(f"sum {side.name.lower()}", shares=True) for side in Side]
    groups += [Group(f"zero {side.name.lower()}", shares=True) for side in Side]
    return [*groups, *(Group(f"bid {bid}", shares=True) for bid in range(rules.max_cards + 1))]


def _members(rules: Rules, facts: Records, groups: Sequence[Group]) -> tuple[Flags, Ints]:
    """Return which seats are in each group, shape (groups, deals, seats), and of how many a deal its share is, shape (groups, 1)."""
    players = rules.players
    seats = np.arange(players)
    shape = (len(facts), players)
    everybody = np.ones(shape, dtype=bool)
    places = (seats - facts["dealer"][:, None] - 1) % players
    speaks = seats == facts["declarer"][:, None]
    members = [everybody, *(places == place for place in range(players))]
    if rules.has_bids:
        bids = facts["bids"][:, :players]
        side = (np.sign(bids.sum(axis=1) - facts["cards"]) + Side.EXACT)[:, None]
        members += [speaks] if rules.auction == "levels" else []
        members += [np.broadcast_to(side == each, shape) for each in Side]
        members += [(bids == 0) & (side == each) for each in Side]
        members += [bids == bid for bid in range(rules.max_cards + 1)]
        one_a_deal: tuple[str, ...] = ("declarer",)
    else:
        members += [speaks, np.broadcast_to(facts["declarer"][:, None] == NONE, shape)]
        members += [speaks & (facts["contract"][:, None] == contract) for contract in Contract]
        one_a_deal = ("soloist", *(call_text(contract, "contracts") for contract in Contract))
    of = [[1 if group.name in one_a_deal else players] for group in groups]
    return np.stack(members), np.array(of, dtype=np.int64)


# ---------------------------------------------------------------- deals played again

def _scores_the_same_cards(rules: Rules, first: Rules) -> bool:
    """Return whether two variants differ in nothing but what a finished deal scores."""
    one, other = ({row["field"]: row["value"] for row in field_rows(each.fields) if not row["field"].startswith(SCORED)} for each in (rules, first))
    return one == other


def _speakers(rules: Rules, facts: Records) -> Ints:
    """Return the seats that name a number of tricks, in the order of the rules: shape (deals, speakers)."""
    players, first = rules.players, facts["dealer"] + 1
    n_speakers = players
    if rules.auction == "levels":
        rebids = rules.fields["contract"]["declarer_rebids"] != "none"
        first, n_speakers = facts["declarer"] + (0 if rebids else 1), players if rebids else players - 1
    order: Ints = (first[:, None] + np.arange(n_speakers)) % players
    return order


def _scripts(rules: Rules, setup: Records, facts: Records) -> Records:
    """Return scripts, SETUP of shape (deals,), of the calls and bids of finished deals; the cards are played anew."""
    scripts = np.repeat(setup, len(facts))
    if rules.auction != "none":
        scripts["n_calls"] = facts["n_calls"]
        scripts["calls"] = facts["calls"]
    if rules.auction == "levels":
        scripts["n_gulash"] = facts["n_gulash"]
        scripts["gulash"] = np.where(np.arange(MAX_GULASHES)[:, None] < facts["n_gulash"][:, None, None], facts["gulash"], 0)
    if rules.has_bids:
        order = _speakers(rules, facts)
        scripts["n_bids"] = order.shape[1] * (facts["played"] == 1)
        scripts["bids"][:, :order.shape[1]] = np.take_along_axis(facts["bids"], order, axis=1)
    else:
        for name in ("trump", "asked", "given"):
            scripts[name] = facts[name]
    return scripts


def _is_kept(rules: Rules, measure: Records, kept: Records) -> Flags:
    """Return in which deals the rules let everybody call and bid as under the first variant."""
    same: Flags = (kept["fault"] == Decision.NONE) & (kept["played"] == measure["played"]) & (kept["contract"] == measure["contract"])
    same &= (kept["declarer"] == measure["declarer"]) & (kept["n_gulash"] == measure["n_gulash"])
    same &= (kept["bids"][:, :rules.players] == measure["bids"][:, :rules.players]).all(axis=1)
    return same


# ---------------------------------------------------------------- sums and estimates

def pair_of(own: Ints, other: Ints, together: Flags) -> Pair:
    """Return the sums of deals that are compared together."""
    both = np.concatenate([own - other, other], axis=1) * together
    if np.abs(both).max(initial=0) ** 2 * both.shape[2] < 2**53:
        exact = both.astype(np.float64)
        products = (exact @ exact.swapaxes(1, 2)).astype(np.int64)
    else:
        exact = stats.wide(both)
        products = np.stack([group @ group.T for group in exact])
    return Pair(int(together.sum()), both.sum(axis=2).astype(object), products.astype(object))


def measured(what: str, pair: Pair, level: float, anytime: bool) -> tuple[stats.Interval, stats.Interval]:
    """Return the estimates of a pair's own side and their differences to the other, by group."""
    other = pair.sums[:, PARTS:]
    own = pair.sums[:, :PARTS] + other
    (value, slopes), (other_value, other_slopes) = (_estimate(what, sums.astype(np.float64)) for sums in (own, other))
    with np.errstate(invalid="ignore"):
        change = value - other_value, np.concatenate([slopes, slopes - other_slopes], axis=1)
    difference = stats.linear_interval(*change, pair.products, pair.deals, level, anytime)
    if what in ("share", "p_made"):
        x, y = (N, OF) if what == "share" else (MADE, N)
        more, cross, less = pair.products[:, :PARTS, :PARTS], pair.products[:, :PARTS, PARTS:], pair.products[:, PARTS:, PARTS:]
        products = more + cross + cross.swapaxes(1, 2) + less
        size = stats.independent_size(own[:, x], own[:, y], products[:, x, x], products[:, y, y], products[:, x, y])
        with np.errstate(invalid="ignore"):
            share = (stats.proportion_sequence if anytime else stats.wilson)(value * size, size, level)
        return share._replace(mean=value), difference
    own_interval = stats.linear_interval(value, np.concatenate([slopes, slopes], axis=1), pair.products, pair.deals, level, anytime)
    if what == "spread":
        return _unknown(own_interval, own[:, N] < FEW), _unknown(difference, np.minimum(own[:, N], other[:, N]) < FEW)
    return own_interval, difference


def _estimate(what: str, sums: Floats) -> tuple[Floats, Floats]:
    """Return estimates from sums over deals, shape (groups, PARTS), and their slopes by each sum."""
    slopes = np.zeros_like(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        if what == "spread":
            n = sums[:, N]
            mean = sums[:, SCORE] / n
            spread = np.sqrt(np.maximum(sums[:, SQUARES] / n - mean * mean, 0))
            scale = np.where(spread > 0, 1 / (2 * spread * n), 0)
            slopes[:, SQUARES], slopes[:, SCORE], slopes[:, N] = scale, -2 * mean * scale, (mean * mean - spread * spread) * scale
            return spread, slopes
        x, y = {"share": (N, OF), "p_made": (MADE, N), "score": (SCORE, N)}[what]
        ratio = sums[:, x] / sums[:, y]
        slopes[:, x], slopes[:, y] = 1 / sums[:, y], -ratio / sums[:, y]
        return ratio, slopes


def _unknown(interval: stats.Interval, where: Flags) -> stats.Interval:
    return interval._replace(low=np.where(where, np.nan, interval.low), high=np.where(where, np.nan, interval.high))


def _deals_needed(row: Row) -> Row:
    """Return after how many deals the difference in skill shows above luck, from the ends of both intervals; null where skill may be none."""
    names = ("deals_needed", "deals_needed_low", "deals_needed_high")
    if None in (row["luck_low"], row["skill_low"]) or row["skill_low"] <= 0:
        return dict.fromkeys(names)
    ends = (row["luck"] / row["skill"], row["luck_low"] / row["skill_high"], row["luck_high"] / row["skill_low"])
    return {name: (TELLING * ratio) ** 2 for name, ratio in zip(names, ends, strict=True)}


def _with_schedule(rules: Rules, schedule: list[int]) -> Rules:
    return replace(rules, checked=rules.checked.model_copy(update={"schedule": schedule}))


def _short(variant: str) -> str:
    """Return the name of a variant, a file's without its folder and ending."""
    return "+".join(Path(name).stem if name.endswith(".toml") else name for name in variant.split("+"))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names of which no two are alike."""
    return [name if names.index(name) == at else f"{name} ({names[:at].count(name) + 1})" for at, name in enumerate(names)]
