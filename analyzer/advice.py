"""What every legal answer is worth: worlds that agree with all that the seat knows, played onward once per action, every seat aiming at its own bid.

Worlds come from a Markov chain that follows the others' calls (kernels/worlds.py), or are dealt where nobody else has spoken. All actions play the same first
worlds; then those that are certainly worse than the best drop out, round by round, and the others play on, the best two to the end (race.py).
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import exact, notebook, tables
from analyzer.errors import ImpossibleError, UsageError, counted
from analyzer.instant import favour, instant
from analyzer.output import document
from analyzer.policies import default as strongest
from analyzer.race import CHAINS, WINS, Race, Sample, outcome, rounds
from analyzer.simulation import Engine, Interrupted, Run, empty_setup
from analyzer.situation import Action, Situation, from_json
from kernels.layout import NONE, PASS, SUIT_BITS, SUITS, Player

SLIPS = 0.05                # share of calls and bids that are not the policy's own, where they weigh the hidden hands; ours [D]
BURN_IN = 1_000             # swaps before the first world of a chain, for each call of another seat above a pass,
FEWEST_LOUD = 2             # of which there are thought to be so many at least
SWAPS = 32                  # swaps from one world to the next, at first
MOST_SWAPS = 128
MIXED = 0.3                 # effective worlds for each that was played, below which the swaps are doubled
BLOCK = 10                  # worlds a chain between two looks at the clock
PART = 10                   # chains that one thread plays at a time

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]


@dataclass(frozen=True)
class Standing:
    """Where a whole game stands before the deal of the question."""

    totals: Sequence[float]         # points by seat
    to_come: int | None = None      # deals after this one; needed where the game ends after a number of deals


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
    conditioned: bool           # do the others' calls and bids weigh the hidden hands
    best_to_win: int | str | list[str] | None = None     # with a standing: the action of the best chance to win the game
    settled_to_win: bool | None = None
    more: dict[str, Any] = field(default_factory=dict)   # further parts of the answer: instant, explanation, against

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of the answer."""
        game = {} if self.best_to_win is None else {"best_to_win": self.best_to_win, "settled_to_win": self.settled_to_win}
        return document(
            "bid", self.situation.rules, self.policies, self.seed, self.deals, self.level, self.results, situation=self.situation.to_json(),
            conditioned=self.conditioned, slips=SLIPS if self.conditioned else None, best=self.results[0]["action"], settled=self.settled,
            deals_to_settle=self.deals_to_settle, **game, **self.more,
        )  # fmt: skip

    @property
    def deals_to_settle(self) -> int | None:
        """Return how many deals may tell the best two apart: intervals shrink with the square root of the deals. None where that is not known, or no doubt."""
        second = next((row for row in self.results[1:] if row["n"] == self.deals), None)
        if self.settled or second is None or second["regret_low"] is None or second["regret"] <= 0:
            return None
        return 1000 * ceil(self.deals * float(1 - second["regret_low"] / second["regret"]) ** 2 / 1000)

    def to_frame(self) -> "pd.DataFrame":
        """Return a DataFrame with one row per action, the best first; points, chips and deals say so in the names of their columns."""
        return notebook.frame(self.to_json())

    def __str__(self) -> str:
        style = tables.Style()
        return tables.text(tables.bid_page(self.to_json(), style), style)

    def __repr__(self) -> str:
        return f"<{tables.headline(self.to_json(), tables.Style())}>"

    def _repr_html_(self) -> str:
        return notebook.html(self.to_json())


def advise(
    asked: Situation | Mapping[str, Any],
    *,
    policies: Sequence[str] | None = None,
    deals: int = 20_000,
    seed: int = 1,
    level: float = 0.95,
    jobs: int | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    ignore_calls: bool = False,
    standing: Standing | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Advice:
    """Return what every legal answer is worth.

    Parameters
    ----------
    asked : or its JSON object (contracts.md 5)
    policies : one for all seats or one per seat, from the dealer's next; the seat asked follows its own after the action; the strongest shipped, if None
    deals : the most worlds per action
    jobs : threads, all cores if None; the result does not depend on it
    precision : stop when no action can be better than the best by more, in points
    seconds : stop after that time; the first worlds of every action are played in any case
    ignore_calls : let every deal that fits the seat's own cards count alike, whatever the others said
    standing : count games won too, played on to their end from here
    progress : gets the worlds played so far and `deals`

    Raises
    ------
    Interrupted
        Ctrl-C before the first worlds were played; later the advice is partial and says so.
    ImpossibleError
        No deal agrees with the cards that are known.

    Notes
    -----
    A deal that is thrown in counts as score 0. `p_made` and `tricks` are shares of the deals that were played; in Spanish Solo `p_made` of those in which the
    seat became soloist.

    The intervals of regret together settle on a wrong best with a probability of at most 1 - level (`race.Race.regret`).
    """
    if isinstance(asked, Mapping):
        asked = from_json(asked)
    policies = policies or [strongest(asked.rules.game)]
    names = list(policies) * asked.rules.players if len(policies) == 1 else list(policies)
    playouts = Playouts(asked, policies, seed, standing, ignore_calls)
    is_conditioned = playouts.is_conditioned
    at_once = instant(asked, names)
    more = {"instant": at_once}
    if standing is None and (rows := exact.rows(asked, playouts.engine, playouts.heard if is_conditioned else None)) is not None:
        return Advice(asked, names, seed, rows[0]["n"], level, rows, True, False, _notes_on_calls(asked, ignore_calls), is_conditioned, more=more)
    n_chains = min(CHAINS, deals)
    race = Race(asked, level, n_chains, standing is not None, favour(asked, at_once))
    deadline = None if seconds is None else time.monotonic() + seconds
    how = ""
    with ThreadPoolExecutor(threads := jobs or os.cpu_count() or 1) as pool:
        try:
            for end in rounds(len(asked.actions), deals):
                for _ in playouts.run(race, pool, threads, end):
                    if progress:
                        progress(playouts.drawn * n_chains, deals)
                    if deadline is not None and time.monotonic() >= deadline:
                        how = "stopped by the clock"
                        break
                race.take_look()
                if how:
                    break
                playouts.mix(race)
                if precision is not None and race.lead(race.points) * race.points.unit >= -precision:
                    how = "precise enough"
                    break
        except KeyboardInterrupt:
            if not playouts.drawn:
                raise Interrupted(0) from None
            how = "interrupted"
            race.take_look()
    rows = race.rows(playouts.is_drawn)
    worlds = playouts.drawn * n_chains
    is_certified = precision is not None and race.lead(race.points) * race.points.unit >= -precision
    settled = is_certified or race.lead(race.points) > 0
    notes = _notes_on_calls(asked, ignore_calls)
    if how and worlds < deals // n_chains * n_chains:
        again = "" if how == "precise enough" else f"; --deals {worlds} prints the same again"
        notes.append(f"{how} after {worlds:,} of {counted(deals, 'deals')}{again}")
    won: dict[str, Any] = {}
    if standing is not None:
        to_win = race.goals[1]
        won = {"best_to_win": asked.action_text(asked.actions[race.best(to_win)]), "settled_to_win": race.lead(to_win) > 0}
    return Advice(asked, names, seed, worlds, level, rows, settled, how == "interrupted", notes, is_conditioned, more=more, **won)


def _notes_on_calls(asked: Situation, ignore_calls: bool) -> list[str]:
    notes = []
    if ignore_calls and asked.speakers:
        notes.append("what the others called or bid does not weigh their hands, as asked for: every deal that fits your own hand counts alike")
    elif asked.speakers and asked.gulashes:
        notes.append("calls before a gulash, and which cards others handed on, do not weigh their hands; calls and bids after it do")
    elif asked.speakers and asked.contract != NONE and not asked.calls:
        notes.append("the calls are not known: the contract alone weighs the declarer's hand")
    return notes


# ---------------------------------------------------------------- worlds, played onward

class Playouts:
    """Worlds of a situation and what becomes of them under each action."""

    def __init__(self, asked: Situation, policies: Sequence[str], seed: int, standing: Standing | None, ignore_calls: bool) -> None:
        self.asked = asked
        self.standing = standing
        self.engine = Engine(Run(asked.rules, policies, seed=seed, dealer=asked.dealer, pool=asked.pool, setup=asked.setup, games=standing is not None))
        seats = [(seat - asked.dealer - 1) % asked.rules.players for seat in asked.speakers]
        self.is_conditioned = not ignore_calls and bool((self.engine.policies["player"][seats] != Player.RANDOM).any())
        self.heard = self.engine.setup.copy()
        self.is_drawn = self.is_conditioned or bool(asked.setup["apart"].any())      # dealing does not know of cards that a seat cannot hold
        self.heard["games"], self.heard["turned"] = 0, 1
        self.heard["burn_in"], self.heard["swaps"], self.heard["slips"] = burn_in(asked), SWAPS, SLIPS if self.is_conditioned else NONE
        self.follow_ups = empty_setup()
        if standing is not None:
            self._set_game(standing)
        self.drawn = 0                                          # worlds of every chain
        self.last: dict[int, np.ndarray] = {}                   # of each part of the chains

    def _set_game(self, standing: Standing) -> None:
        """Put the scores and the place of the deal in the game."""
        rules, setup = self.asked.rules, self.engine.setup
        if len(standing.totals) != rules.players:
            raise ImpossibleError(f"scores: found {len(standing.totals)}, expected {rules.players}, one per seat")
        setup["turned"] = 1
        setup["totals"][0, :rules.players] = [round(total / rules.unit) for total in standing.totals]
        length = n_deals_of_game(rules)
        if length is None:
            if standing.to_come is not None:
                raise UsageError(f"--to-come: found {standing.to_come}, but a game of {rules.game} ends by its score here; leave it out")
        elif standing.to_come is None:
            raise UsageError(f"--to-come: missing, expected how many of the {length} deals of a game follow this one")
        elif not 0 <= standing.to_come < length:
            raise ImpossibleError(f"--to-come: found {standing.to_come}, expected 0 to {length - 1}: a game has {length} deals")
        else:
            setup["deals_before"] = length - 1 - standing.to_come
        self.follow_ups["seed"], self.follow_ups["games"] = setup["seed"], 1

    def run(self, race: Race, pool: ThreadPoolExecutor, threads: int, end: int) -> Iterator[None]:
        """Play the actions still in up to world `end` of every chain, and yield after each block that all of them have played."""
        while self.drawn < end:
            n = min(BLOCK, end - self.drawn)
            parts = range(0, race.n_chains, PART)
            waiting: deque[tuple[int, Future[list[Sample]]]] = deque()
            samples: dict[int, list[Sample]] = {}
            todo = iter(parts)
            racing = [self.asked.actions[i] for i in race.racing]
            try:
                while len(samples) < len(parts):
                    while len(waiting) <= threads and (part := next(todo, None)) is not None:
                        waiting.append((part, pool.submit(self.block, part, min(PART, race.n_chains - part), n, racing)))
                    part, future = waiting[0]
                    samples[part] = future.result()
                    waiting.popleft()
            finally:
                for _, future in waiting:
                    future.cancel()
            for place, action in enumerate(race.racing):
                race.add(action, _joined([samples[part][place] for part in parts]))
            self.drawn += n
            yield

    def mix(self, race: Race) -> None:
        """Try more swaps from here on where the worlds of a chain hang together too much."""
        if self.is_drawn and self.heard["swaps"] < MOST_SWAPS:
            best = race.best(race.points)
            if race.effective_size(race.points)[best] < MIXED * self.drawn * race.n_chains:
                self.heard["swaps"] *= 2

    def block(self, part: int, chains: int, n: int, actions: Sequence[Action]) -> list[Sample]:
        """Play the next n worlds of some chains under each action."""
        worlds = None
        if self.is_drawn:
            drawn = self.engine.draw(part, chains, n, self.heard, self.drawn, self.last.get(part))
            self.last[part] = drawn[:, -1].copy()
            worlds = drawn.reshape(-1)
        first = self.drawn * CHAINS + part * n
        return [self._sample(action, first, chains, n, worlds) for action in actions]

    def worlds(self, chains: int, n: int) -> np.ndarray | None:
        """Return the first n worlds of every chain, one chain after the other; None where deals are dealt by their number."""
        return self.engine.draw(0, chains, n, self.heard).reshape(-1) if self.is_drawn else None

    def facts(self, action: Action, first: int, n: int, worlds: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return FACTS, shape (n,), of the question's deal in worlds `first` to `first + n - 1` under an action, and GAME of the same shape."""
        setup = self.asked.answered(self.engine.setup, action)
        if self.standing is not None:
            setup = np.concatenate([setup, self.follow_ups])
        facts, games = self.engine.play(first, n, setup, worlds=worlds)
        return facts[:, 0], games

    def _sample(self, action: Action, first: int, chains: int, n: int, worlds: np.ndarray | None) -> Sample:
        facts, games = self.facts(action, first, chains * n, worlds)
        asked, seat = self.asked, self.asked.seat
        became = outcome(asked, action, facts)
        asks = became.chosen & (facts["asked"] != NONE)
        wins = np.zeros((chains, 0), dtype=np.int64)
        if self.standing is not None:
            winners = games["winners"]
            n_winners = sum(winners >> other & 1 for other in range(asked.rules.players))
            wins = ((winners >> seat & 1) * WINS // np.maximum(n_winners, 1)).reshape(chains, n)
        return Sample(
            facts["scores"][:, seat].reshape(chains, n),
            wins,
            np.count_nonzero(became.aimed.reshape(chains, n), axis=1),
            np.count_nonzero(became.made.reshape(chains, n), axis=1),
            np.bincount(became.tricks[became.played], minlength=asked.cards + 1),
            np.bincount(facts["trump"][became.chosen], minlength=SUITS + 1),
            np.bincount(facts["asked"][asks], minlength=SUITS * SUIT_BITS),
        )


def burn_in(asked: Situation) -> int:
    """Return the swaps before the first world of a chain: more for auctions in which others said much, where a first deal is far from agreeing."""
    loud = sum(call != PASS and seat != asked.seat for seat, call in asked.calls)
    return BURN_IN * max(loud, FEWEST_LOUD)


def n_deals_of_game(rules: Any) -> int | None:
    """Return the deals of a whole game, None where it ends by its score."""
    end = rules.fields["game"]["end"]
    if end == "schedule":
        return len(rules.schedule)
    return int(end["deals"]) if "deals" in end else None


def _joined(samples: Sequence[Sample]) -> Sample:
    """Return the samples of all parts of the chains as one."""
    return Sample(
        np.concatenate([sample.scores for sample in samples]),
        np.concatenate([sample.wins for sample in samples]),
        np.concatenate([sample.aimed for sample in samples]),
        np.concatenate([sample.made for sample in samples]),
        np.sum([sample.tricks for sample in samples], axis=0),
        np.sum([sample.trumps for sample in samples], axis=0),
        np.sum([sample.asked for sample in samples], axis=0),
    )  # fmt: skip
