"""What every legal call or bid is worth: deals played onward once per action, every seat aiming at its own bid.

World i is the same deal for every action: it depends on the seed and i alone. All actions play the same first worlds; then those that are certainly worse than
the best drop out, round by round, and the others play on, the best two to the end. All intervals hold however often one looks (`stats.mean_sequence`).
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer import results, stats
from analyzer.cards import denomination_text
from analyzer.errors import counted, one_of
from analyzer.output import document
from analyzer.simulation import Engine, Interrupted, Run
from analyzer.situation import Situation
from kernels.layout import NONE, SUIT_BITS, SUITS

FIRST_LOOK = 100            # worlds: the intervals of means are asymptotic
FIRST_ROUND = 20_000        # playouts, shared by all actions
GROWTH = 1.5                # worlds after a round, times those before it
NAMED = 4                   # actions that a note names
BLOCK = 512                 # worlds a call of the kernel

Ints = NDArray[np.int64]
Row = dict[str, Any]


@dataclass(frozen=True)
class Advice:
    """The value of every action. `advise` makes it."""

    situation: Situation
    policies: Sequence[str]     # by seat from the dealer's next
    seed: int
    deals: int                  # worlds that the best played
    level: float
    results: list[Row]          # best first, keys of contracts.md 2
    settled: bool               # no other action can be better, or not by the precision asked for
    interrupted: bool
    notes: list[str]
    conditioned: bool = False   # do the others' calls and bids weigh the hidden hands

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of the answer."""
        return document(
            "bid", self.situation.rules, self.policies, self.seed, self.deals, self.level, self.results,
            situation=self.situation.to_json(), conditioned=self.conditioned, best=self.results[0]["action"], settled=self.settled,
        )  # fmt: skip


def advise(
    asked: Situation,
    *,
    policies: Sequence[str],
    deals: int = 20_000,
    seed: int = 1,
    level: float = 0.95,
    jobs: int | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Advice:
    """Return what every legal call or bid is worth.

    Parameters
    ----------
    policies : one for all seats or one per seat, from the dealer's next; the seat asked follows its own after the action
    deals : the most worlds per action
    jobs : threads, all cores if None; the result does not depend on it
    precision : stop when no action can be better than the best by more, in points
    seconds : stop after that time; the first worlds of every action are played in any case
    progress : gets the worlds played so far and `deals`

    Raises
    ------
    Interrupted
        Ctrl-C before the first worlds were played; later the advice is partial and says so.

    Notes
    -----
    A deal that is thrown in counts as score 0. `p_made` and `tricks` are shares of the deals that were played; in Spanish Solo `p_made` of those in which the
    seat became soloist.

    The intervals of regret share the error between the actions (Bonferroni): they settle on a wrong best with a probability of at most 1 - level.
    """
    race = _Race(asked, Engine(Run(asked.rules, policies, seed=seed, dealer=asked.dealer, pool=asked.pool, setup=asked.setup)), level, precision)
    deadline = None if seconds is None else time.monotonic() + seconds
    late = interrupted = False
    with ThreadPoolExecutor(threads := jobs or os.cpu_count() or 1) as pool:
        try:
            for end in _rounds(len(asked.actions), deals):
                for _ in race.run(pool, threads, end):
                    if progress:
                        progress(race.worlds, deals)
                    if late := deadline is not None and time.monotonic() >= deadline:
                        break
                race.drop_hopeless()
                if late or race.is_certified:
                    break
        except KeyboardInterrupt:
            if not race.worlds:
                raise Interrupted(0) from None
            interrupted = True
    names = list(policies) * asked.rules.players if len(policies) == 1 else list(policies)
    rows = race.rows()
    settled = race.is_certified or race.is_settled
    notes = _notes(asked, rows, settled, race.worlds)
    if race.worlds < deals:
        how = "interrupted" if interrupted else "stopped by the clock" if late else "precise enough"
        again = "" if how == "precise enough" else f"; --deals {race.worlds} prints the same again"
        notes.append(f"{how} after {race.worlds:,} of {counted(deals, 'deals')}{again}")
    return Advice(asked, names, seed, race.worlds, level, rows, settled, interrupted, notes)


def _rounds(n_actions: int, deals: int) -> Iterator[int]:
    """Yield the number of worlds at the end of each round, the same for any `deals` but for the last: --deals N repeats what the clock stopped after N."""
    end = max(FIRST_LOOK, FIRST_ROUND // n_actions)
    while end < deals:
        yield end
        end = int(end * GROWTH)
    yield deals


def _notes(asked: Situation, rows: Sequence[Row], settled: bool, worlds: int) -> list[str]:
    notes = []
    if asked.others_spoke:
        notes.append("what the others called or bid does not weigh their hands: every deal that fits your own hand counts alike")
    if not settled:
        doubtful = [str(row["action"]) for row in rows if row is rows[0] or row["regret_low"] is None or row["regret_low"] <= 0]
        named = doubtful[:NAMED] + ([f"one of {len(doubtful) - NAMED} more"] if len(doubtful) > NAMED else [])
        notes.append(f"not settled after {counted(worlds, 'deals')} each: {one_of(named)} may be best; more --deals may tell")
    return notes


# ---------------------------------------------------------------- deals

class _Sample(NamedTuple):
    """A block of worlds under one action."""

    scores: Ints        # by world, in units
    aimed: int          # worlds in which the seat had a bid or a contract
    made: int
    tricks: Ints        # worlds by tricks of the seat
    trumps: Ints        # worlds by trump, where the seat played the contract that it called
    asked: Ints         # worlds by card that it asked for then


def _play(engine: Engine, asked: Situation, action: int, first: int, n: int) -> _Sample:
    """Play worlds `first` to `first + n - 1` under an action."""
    facts = engine.play(first, n, asked.answered(engine.setup, action))[0][:, 0]
    seat = asked.seat
    played = facts["played"] == 1
    tricks = facts["tricks"][:, seat]
    if asked.rules.has_bids:
        aimed, made = played, played & (facts["bids"][:, seat] == tricks)
    else:
        aimed = facts["declarer"] == seat
        made = aimed & results.solo_made(asked.rules, facts)
    chosen = aimed & (facts["contract"] == action)
    return _Sample(
        facts["scores"][:, seat],
        int(np.count_nonzero(aimed)),
        int(np.count_nonzero(made)),
        np.bincount(tricks[played], minlength=asked.cards + 1),
        np.bincount(facts["trump"][chosen], minlength=SUITS + 1),
        np.bincount(facts["asked"][chosen & (facts["asked"] != NONE)], minlength=SUITS * SUIT_BITS),
    )


class _Race:
    """The actions, by their places in `asked.actions`, those still in, and integer sums over the worlds they played; pairs of actions for differences."""

    def __init__(self, asked: Situation, engine: Engine, level: float, precision: float | None) -> None:
        n_actions = len(asked.actions)
        self.asked = asked
        self.engine = engine
        self.level = level
        self.precision = precision
        self.spread = np.array([score_spread(asked, action) for action in asked.actions])
        self.sign = -1 if asked.rules.fields.get("score", {}).get("low_wins") else 1
        self.racing = list(range(n_actions))
        self.worlds = 0                                                   # played by those still in
        pairs = (n_actions, n_actions)
        self.n = np.zeros(pairs, dtype=np.int64)                          # worlds that both played
        self.total = np.zeros(pairs, dtype=object)                        # scores of the first in them; squares of chips outgrow int64
        self.square = np.zeros(pairs, dtype=object)
        self.cross = np.zeros(pairs, dtype=object)                        # products of both scores
        self.aimed = np.zeros(n_actions, dtype=np.int64)
        self.made = np.zeros(n_actions, dtype=np.int64)
        self.tricks = np.zeros((n_actions, asked.cards + 1), dtype=np.int64)
        self.trumps = np.zeros((n_actions, SUITS + 1), dtype=np.int64)
        self.cards_asked = np.zeros((n_actions, SUITS * SUIT_BITS), dtype=np.int64)

    def run(self, pool: ThreadPoolExecutor, threads: int, end: int) -> Iterator[None]:
        """Play the actions still in up to world `end`, and yield after each block that all of them have played."""
        blocks = iter(range(self.worlds, end, BLOCK))
        waiting: deque[list[Future[_Sample]]] = deque()
        try:
            while True:
                while sum(map(len, waiting)) < threads + len(self.racing) and (first := next(blocks, None)) is not None:
                    n = min(BLOCK, end - first)
                    waiting.append([pool.submit(_play, self.engine, self.asked, self.asked.actions[i], first, n) for i in self.racing])
                if not waiting:
                    return
                self.add([future.result() for future in waiting[0]])
                waiting.popleft()
                yield
        finally:
            for future in (future for futures in waiting for future in futures):
                future.cancel()

    def add(self, samples: Sequence[_Sample]) -> None:
        """Count a block of worlds, one sample per action still in."""
        scores = stats.wide(np.array([sample.scores for sample in samples]))
        pairs = np.ix_(self.racing, self.racing)
        self.n[pairs] += scores.shape[1]
        self.total[pairs] += scores.sum(axis=1)[:, None]
        self.square[pairs] += (scores * scores).sum(axis=1)[:, None]
        self.cross[pairs] += scores @ scores.T
        for action, sample in zip(self.racing, samples, strict=True):
            self.aimed[action] += sample.aimed
            self.made[action] += sample.made
            self.tricks[action] += sample.tricks
            self.trumps[action] += sample.trumps
            self.cards_asked[action] += sample.asked
        self.worlds += scores.shape[1]

    @property
    def best(self) -> int:
        """The action still in with the best mean; of equal ones the lowest."""
        return self._ranking(self.racing)[0]

    def _ranking(self, actions: Iterable[int]) -> list[int]:
        """Return the actions, the one with the best mean first."""
        mean = self.sign * self.total.diagonal() / np.maximum(self.n.diagonal(), 1)
        return sorted(actions, key=lambda action: (-mean[action], action))

    def regret(self) -> stats.Interval:
        """Return how far each action lies behind the best on the worlds that both played, in units; the best itself exactly 0."""
        best, n_others = self.best, max(len(self.asked.actions) - 1, 1)
        total = self.sign * (self.total[best] - self.total[:, best])
        square = self.square[best] + self.square[:, best] - 2 * self.cross[best]
        spread = self.spread + self.spread[best]
        spread[best] = 0
        return stats.mean_sequence(total, square, self.n[best], 1 - (1 - self.level) / n_others, spread)

    def drop_hopeless(self) -> None:
        """Leave those in that may be the best, and the best two in any case: by how much the best is better is asked too."""
        if self.worlds >= FIRST_LOOK:
            low, ahead = self.regret().low, self._ranking(self.racing)[:2]
            self.racing = [action for action in self.racing if action in ahead or not low[action] > 0]

    @property
    def is_settled(self) -> bool:
        """Whether every other action is certainly worse than the best."""
        return self.worlds >= FIRST_LOOK and self._lead() > 0

    @property
    def is_certified(self) -> bool:
        """Whether no action can be better than the best by more than the precision asked for."""
        return self.precision is not None and self.worlds >= FIRST_LOOK and self._lead() * self.asked.rules.unit >= -self.precision

    def _lead(self) -> float:
        """Return by how much the best is better than any other at least, in units; infinite where there is no other."""
        return float(np.delete(self.regret().low, self.best).min(initial=np.inf))

    def rows(self) -> list[Row]:
        """Return one row per action, the best first."""
        unit = self.asked.rules.unit
        n, regret = self.n.diagonal(), self.regret()
        value = stats.mean_sequence(self.total.diagonal(), self.square.diagonal(), n, self.level, self.spread)
        share = stats.proportion_sequence(self.made, self.aimed, self.level)
        rows = []
        for i in sorted(self._ranking(range(len(self.asked.actions))), key=lambda action: action != self.best):
            has_aim = self.aimed[i] > 0
            row: Row = {"action": self.asked.action_text(self.asked.actions[i])}
            if not self.asked.rules.has_bids:
                row |= self._choices(i)
            row |= _interval("ev", value, i, unit)
            row |= _interval("p_made", share, i) if has_aim else dict.fromkeys(("p_made", "p_made_low", "p_made_high"))
            row["tricks"] = (self.tricks[i] / max(self.tricks[i].sum(), 1)).tolist()
            row |= _interval("regret", regret, i, unit) if i != self.best else dict.fromkeys(("regret", "regret_low", "regret_high"), 0.0)
            row |= {"n": int(n[i]), "ess": float(n[i]), "exact": False}
            rows.append(row)
        return rows

    def _choices(self, action: int) -> Row:
        """Return the trump that the soloist names and the card that he asks for, each the most frequent over the worlds."""
        trumps, asked = self.trumps[action], self.cards_asked[action]
        return {
            "trump": denomination_text(int(trumps.argmax())) if trumps.any() else None,
            "asks": self.asked.rules.deck.card_text(int(asked.argmax())) if asked.any() else None,
        }


def _interval(name: str, interval: stats.Interval, at: int, unit: float = 1.0) -> Row:
    values = (float(column[at]) * unit for column in interval)
    return {key: None if np.isnan(value) else value for key, value in zip((name, f"{name}_low", f"{name}_high"), values, strict=True)}


def score_spread(asked: Situation, action: int) -> int:
    """Return the largest minus the smallest score that the seat can have after the action, or a little more, in units."""
    rules = asked.rules
    if not rules.has_bids:
        record = rules.record()[0]
        chips = asked.pool + rules.players * int(record["pool_ante"] + record["pool_pass_fee"])
        return 2 * ((rules.players - 1) * int(record["contract_value"].max()) + chips)
    points = rules.points()[asked.cards, :, : asked.cards + 1, : asked.cards + 1]
    if asked.decision == "bid":
        points = points[:, action]
    factor = 2 if rules.fields["score"].get("all_same_double") else 1
    return factor * int(max(points.max(), 0) - min(points.min(), 0))

