"""Policy tournament on duplicate deals: every deal is played once per turn of the seats, so that luck of the cards meets everybody alike.

Two fields, called by their names at four seats. `1v3`: one seat is the policy, all others are the last policy named. `3v1`: one seat is the last policy named,
all others are the policy. The games are not zero-sum between policies, so the two say different things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import stats
from analyzer.errors import UsageError, did_you_mean, one_of, shown
from analyzer.results import half_width, interval_row, solo_made
from analyzer.simulation import Engine, Run, by_chunk
from kernels.layout import Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analyzer.policies import Policy
    from analyzer.rules import Rules

    Ints = NDArray[np.int64]
    Sums = NDArray[np.object_]      # Python's own integers: squares of chips outgrow int64
    Records = NDArray[np.void]
    Row = dict[str, Any]

FIELDS = {"1v3": ("1v3",), "3v1": ("3v1",), "all": ("1v3", "3v1")}
CHUNK = 256                # deals that a thread plays at every table before it counts them

# What is known of a seat in a deal: score, bids made, bids; zero bids made by side, zero bids by side.
SCORE, MADE, BIDS = range(3)
ZEROS_MADE, ZEROS = slice(3, 6), slice(6, 9)
# What is counted for either side of a pair, each as the sum of values over the sum of their numbers.
DIFFERENCE, SWAP, POINTS, EXACT, ZERO = range(5)
COUNTED = ZERO + len(Side)
MOMENTS = 5                # sums over deals of value, number, value^2, number^2, value * number


class Duel:
    """Policies that sit at the same deals, and what came of it. Only integer sums are kept.

    Parameters
    ----------
    rules : rules of the table
    policies : two or more names or TOML files; the last is the one that the others are measured against
    field : "1v3", "3v1" or "all" (both)
    seed, cards, dealer, pool : as in `simulation.Run`
    bids_by : policy that calls, bids, names, asks and gives for every seat, so that the policies differ in play alone
    play_by : policy that plays the cards of every seat, so that the policies differ in bidding alone

    Raises
    ------
    UsageError
        Fewer than two policies, an unknown policy or field, or both `bids_by` and `play_by`, which leave nothing to compare.
    """

    def __init__(
        self,
        rules: Rules,
        policies: Sequence[str | Policy],
        field: str = "1v3",
        *,
        seed: int = 1,
        cards: int | None = None,
        dealer: int | None = None,
        pool: int = 0,
        bids_by: str | None = None,
        play_by: str | None = None,
    ) -> None:
        if len(policies) < 2:
            raise UsageError(f"duel: found {len(policies)} policy, expected two or more; the last is the one that the others are measured against")
        if field not in FIELDS:
            raise UsageError(f"--field: found {shown(field)}, expected {one_of(FIELDS)}{did_you_mean(field, FIELDS)}")
        if bids_by is not None and play_by is not None:
            raise UsageError("--bids-by and --play-by exclude each other: together they leave nothing to the policies; leave one out")
        self.rules = rules
        self.policies = [policy if isinstance(policy, str) else policy.name for policy in policies]
        self.fields = FIELDS[field]
        self.bids_by = bids_by
        self.play_by = play_by
        shared = [name for name in (bids_by, play_by) if name is not None]
        self.engine = Engine(Run(rules, [*policies, *shared], seed=seed, cards=cards, dealer=dealer, pool=pool))
        pairs = [self._side(name, policy)[0] for name in self.fields for policy in range(len(policies))]
        self._pairs = list(dict.fromkeys([*pairs, *self._rivals()]))       # the policy in one seat, that in all others
        tables = [table for one, other in self._pairs for table in [*self._turns(one, other), self._alone(other)]]
        self._tables = {table: number for number, table in enumerate(dict.fromkeys(tables))}
        self.sums: Sums = np.zeros((len(self._pairs), 2, COUNTED, MOMENTS), dtype=object)

    @property
    def deals(self) -> int:
        """Deals so far; each was played at every table."""
        return int(self.sums[0, 0, POINTS, 1])

    def run(
        self, n: int, *, jobs: int | None = None, progress: Callable[[int], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> int:
        """Play deals 0 to n - 1 at every table and return how many were played; all else as in `simulation.run`."""
        return by_chunk(self.count, n, CHUNK, jobs=jobs, consume=self.add, progress=progress, stop=stop)

    def count(self, first: int, n: int) -> Sums:
        """Return the sums of deals `first` to `first + n - 1`, of the shape of `sums`."""
        seen = np.stack([self._seen(table, first, n) for table in self._tables])
        places = np.arange(self.rules.players)
        ones = np.ones(n, dtype=np.int64)
        sums = np.zeros_like(self.sums)
        for number, (one, other) in enumerate(self._pairs):
            turns = seen[[self._tables[table] for table in self._turns(one, other)]]
            own = turns[places, :, :, places].sum(axis=0)
            everybody = turns.sum(axis=(0, 3))
            difference = self.rules.players * own[SCORE] - everybody[SCORE]
            swap = own[SCORE] - seen[self._tables[self._alone(other)], SCORE].sum(axis=1)
            for side, (sign, mine) in enumerate(((1, own), (-1, everybody - own))):
                values = stats.wide(np.stack([sign * difference, sign * swap, mine[SCORE], mine[MADE], *mine[ZEROS_MADE]]))
                numbers = np.stack([ones, ones, ones, mine[BIDS], *mine[ZEROS]])
                parts = (values, numbers, values * values, numbers * numbers, values * numbers)
                sums[number, side] = np.stack([part.sum(axis=1) for part in parts], axis=1)
        return sums

    def add(self, sums: Sums) -> None:
        """Add the sums of deals that have not been added yet."""
        self.sums += sums

    def rows(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return one row per field and policy (contracts.md 2).

        Parameters
        ----------
        level : chance that an interval covers the truth
        anytime : the deals were stopped by looking at the results

        Notes
        -----
        `difference`: score of the policy averaged over its turns of the seats, minus the average of the other seats at the same tables.
        `swap_difference`: the policy against the last policy named in the same seat, all other seats the last policy (`3v1`: the policy itself).
        `exact_rate`: bids made; in Spanish Solo, where nobody bids tricks, contracts made as soloist.
        `zero_under`, `zero_exact`, `zero_over`: zero bids made where all bids together are under, exactly or over the number of tricks; null in Spanish Solo.
        """
        return [self._row(name, policy, level, anytime) for name in self.fields for policy in range(len(self.policies))]

    def payoffs(self, level: float = 0.95, anytime: bool = False) -> list[Row]:
        """Return `difference` of every policy in one seat against every other in all other seats; empty for two policies."""
        rows = []
        for pair in self._rivals():
            policy, against = (self.policies[who] for who in pair)
            rows.append({"policy": policy, "against": against, "n": self.deals, **self._mean("difference", pair, 0, DIFFERENCE, level, anytime)})
        return rows

    def precision(self, level: float = 0.95) -> float:
        """Return how far any difference of the rows may be off, in points, however often one has looked."""
        sides = [self._side(name, policy) for name in self.fields for policy in range(len(self.policies))]
        sums = np.array([[self._sums(*side, kind) for side in sides] for kind in (DIFFERENCE, SWAP)])
        widths = [stats.mean_sequence(kind[:, 0], kind[:, 2], self.deals, level) for kind in sums]
        return max(half_width(width, self._scale(0, kind)) for width, kind in zip(widths, (DIFFERENCE, SWAP), strict=True))

    def _rivals(self) -> list[tuple[int, int]]:
        """Return the pairs of the payoff table: none for two policies, of which the rows say all."""
        return list(permutations(range(len(self.policies)), 2)) if len(self.policies) > 2 else []

    def _turns(self, one: int, other: int) -> list[tuple[int, ...]]:
        """Return who sits where from the dealer's next, the one in each place in turn."""
        places = range(self.rules.players)
        return [tuple(one if place == turn else other for place in places) for turn in places]

    def _alone(self, policy: int) -> tuple[int, ...]:
        return (policy,) * self.rules.players

    def _seen(self, table: tuple[int, ...], first: int, n: int) -> Ints:
        """Return what is known of each seat at a table: by kind, deal and place from the dealer's next."""
        players = self.rules.players
        shared = self._alone(len(self.policies))
        seats = table if not (self.bids_by or self.play_by) else shared + table if self.bids_by else table + shared
        facts = self.engine.play(first, n, seats=seats)[0][:, 0]
        scores, bids, tricks = (facts[name][:, :players] for name in ("scores", "bids", "tricks"))
        played = facts["played"][:, None] == 1
        seen = np.zeros((ZEROS.stop, n, players), dtype=np.int64)
        seen[SCORE] = scores
        if self.rules.has_bids:
            made = bids == tricks
            seen[BIDS] = played
            side = np.sign(bids.sum(axis=1) - facts["cards"]) + Side.EXACT
            seen[ZEROS] = (bids == 0) & played & (side == np.arange(len(Side))[:, None])[:, :, None]
            seen[ZEROS_MADE] = seen[ZEROS] * made
        else:
            made = solo_made(self.rules, facts)[:, None]
            seen[BIDS] = np.arange(players) == facts["declarer"][:, None]
        seen[MADE] = seen[BIDS] * made
        place = (np.arange(players) + facts["dealer"][:, None] + 1) % players
        return np.take_along_axis(seen, place[None], axis=2)

    def _side(self, field: str, policy: int) -> tuple[tuple[int, int], int]:
        """Return the pair that a row is read from, and which of the two it is: 0 the one, 1 the others."""
        last = len(self.policies) - 1
        return ((policy, last), 0) if field == "1v3" else ((last, policy), 1)

    def _row(self, field: str, policy: int, level: float, anytime: bool) -> Row:
        pair, side = self._side(field, policy)
        row: Row = {
            "policy": self.policies[policy],
            "field": field,
            **self._mean("score", pair, side, POINTS, level, anytime),
            **self._share("exact_rate", pair, side, EXACT, level, anytime),
            "n": self.deals,
            **self._mean("difference", pair, side, DIFFERENCE, level, anytime),
            **self._mean("swap_difference", pair, side, SWAP, level, anytime),
        }
        for zero in Side:
            name = f"zero_{zero.name.lower()}"
            row |= self._share(name, pair, side, ZERO + zero, level, anytime)
            row[f"{name}_n"] = int(self._sums(pair, side, ZERO + zero)[1]) if self.rules.has_bids else None
        return row

    def _sums(self, pair: tuple[int, int], side: int, kind: int) -> Sums:
        sums: Sums = self.sums[self._pairs.index(pair), side, kind]
        return sums

    def _scale(self, side: int, kind: int) -> float:
        """Return points per unit of a sum."""
        players = self.rules.players
        others = players * (players - 1)
        return self.rules.unit / (others if kind == DIFFERENCE else players if kind == SWAP or side == 0 else others)

    def _mean(self, name: str, pair: tuple[int, int], side: int, kind: int, level: float, anytime: bool) -> Row:
        value, n, value_sq, _, _ = self._sums(pair, side, kind)
        mean = (stats.mean_sequence if anytime else stats.mean_interval)(value, value_sq, n, level)
        return interval_row(name, mean, (), self._scale(side, kind))

    def _share(self, name: str, pair: tuple[int, int], side: int, kind: int, level: float, anytime: bool) -> Row:
        made, n, made_sq, n_sq, cross = self._sums(pair, side, kind)
        if n == 0:
            return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
        size = stats.independent_size(made, n, made_sq, n_sq, cross)
        share = (stats.proportion_sequence if anytime else stats.wilson)(made * size / n, size, level)
        return interval_row(name, share._replace(mean=np.asarray(made / n)), ())


def duel(rules: Rules, policies: Sequence[str], deals: int, *, jobs: int | None = None, **how: Any) -> Duel:
    """Return the duel of two or more policies over deals 0 to `deals` - 1; `how`: field, seed, cards, dealer, pool, bids_by, play_by of `Duel`."""
    contest = Duel(rules, policies, **how)
    contest.run(deals, jobs=jobs)
    return contest
