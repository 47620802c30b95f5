"""Deals by the chunk: threads, progress, Ctrl-C. The only caller of `kernels.entry.play`."""

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from analyzer import policies as policy_files
from analyzer.errors import ImpossibleError
from analyzer.policies import Policy
from analyzer.rules import Rules
from kernels import layout
from kernels.layout import NONE, Worlds

CHUNK = 1024               # deals a call of the kernel: 1.6 MB of facts, which fit the cache of a core
CHUNK_GAMES = 32
EXTRA_DEALS = 20           # most deals that a tie adds to a game of a fixed number; then it counts as unfinished [D]

Result = TypeVar("Result")


def silent(message: str) -> None:
    """Say nothing."""


tell: Callable[[str], None] = silent       # gets a line before a first run compiles and on rules that no player was trained on; the command line prints it


def entry_points() -> ModuleType:
    """Return `kernels.entry`, and tell why the first run on a machine takes long before it does."""
    from kernels import compiled, entry

    if compiled.JIT and not entry.play.signatures and not compiled.is_warm(entry.play):
        tell("first run: compiling for this machine, about 18 s; later runs start at once")
    return entry


def make_ready() -> None:
    """Load the kernel and, in a first run, compile it, so that a clock started now counts deals alone."""
    scratch = (np.zeros(1, dtype) for dtype in (layout.TABLE, layout.DEAL))
    nothing = np.zeros(0, layout.WORLD), np.zeros((0, 1), layout.FACTS), np.zeros(0, layout.GAME)
    entry_points().play(np.zeros(1, layout.RULES), np.zeros(1, layout.POLICY), np.zeros(1), empty_setup(), *scratch, *nothing)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `done` deals or games were played and consumed."""

    def __init__(self, done: int) -> None:
        super().__init__()
        self.done = done


@dataclass(frozen=True)
class Run:
    """What to play: everything that the cards and decisions of deal i follow from, but i.

    `policies` has one for all seats or one per seat, names or policies at hand, from the dealer's next (in whole games: from player 0).
    """

    rules: Rules
    policies: Sequence[str | Policy]
    seed: int = 1
    cards: int | None = None
    dealer: int | None = None
    pool: int = 0
    games: bool = False
    setup: np.ndarray | None = field(default=None, repr=False)     # a question, SETUP of shape (1,); the fields above are written over it


def empty_setup() -> np.ndarray:
    """Return a SETUP, shape (1,), that knows and decides nothing."""
    setup = np.zeros(1, dtype=layout.SETUP)
    for name in ("dealer", "turnup", "contract", "declarer", "named_by", "trump", "asked", "given"):
        setup[name] = NONE
    setup["turned"] = 1
    return setup


class Engine:
    """A run made ready for the kernels; one may serve several threads."""

    def __init__(self, run: Run) -> None:
        seated = list(run.policies) * run.rules.players if len(run.policies) == 1 else list(run.policies)
        self.run = run
        self.rules = run.rules.record()
        loaded = {name: policy_files.load(name) for name in dict.fromkeys(seated) if isinstance(name, str)}
        policies = [loaded[policy] if isinstance(policy, str) else policy for policy in seated]
        self.policies, self.weights = policy_files.compile_policies(policies, run.rules)
        for scheme in (policy.plays_for for policy in policies if policy.plays_for):
            self.rules["score_by_side"] |= scheme.record()["score_by_side"]
        for policy in dict.fromkeys(policies):
            if new := policy_files.untrained(policy, run.rules, run.cards):
                tell(f"{policy.name} plays here by its networks of {policy_files.net_family(run.rules)}, which were not trained on {', '.join(new)}")
        self.setup = run.setup.copy() if run.setup is not None else empty_setup()
        setup = self.setup[0]
        setup["seed"] = run.seed % 2**64
        setup["games"] = run.games
        setup["turned"] = not run.games
        if run.dealer is not None:
            setup["dealer"] = run.dealer
        if run.cards is not None:
            setup["cards"] = run.cards
        setup["pool"] = run.pool

    @property
    def deals_per_game(self) -> int:
        """The most deals of one game."""
        if not self.run.games:
            return 1
        game = self.run.rules.fields["game"]
        end = game["end"]
        if end == "schedule":
            n_deals = len(self.run.rules.schedule)
        elif "deals" in end:
            n_deals = int(end["deals"])
        else:
            return int(game["max_deals"])
        return min(n_deals + EXTRA_DEALS, int(game["max_deals"])) if game["tie"] == "sudden_death" else n_deals

    def play(
        self, first: int, n: int, setup: np.ndarray | None = None, seats: Sequence[int] | None = None, worlds: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play deals or games `first` to `first + n - 1`.

        Parameters
        ----------
        setup : SETUP of shape (1,), instead of the run's own; of shape (2,) in games that a question stands in, the second of later deals
        seats : which of the run's policies sit where, instead of the first in the first seat; of two per seat the second half plays the cards
        worlds : WORLD of shape (n,), the hands of these deals, instead of dealt ones

        Returns
        -------
        facts : FACTS, shape (n, most deals of a game)
        games : GAME, shape (n,)
        """
        setup = (self.setup if setup is None else setup).copy()
        setup["first"] = first
        policies = self.policies if seats is None else self.policies[list(seats)]
        facts = np.zeros((n, self.deals_per_game), dtype=layout.FACTS)
        games = np.zeros(n, dtype=layout.GAME)
        if worlds is None:
            worlds = np.zeros(0, layout.WORLD)
        else:
            setup["worlds"], setup["voids"] = Worlds.PLAYED, 0
        self._enter(policies, setup, worlds, facts, games)
        return facts, games

    def replay(self, numbers: np.ndarray, setups: np.ndarray) -> np.ndarray:
        """Play these numbers of deals, each by a script of its own: SETUP, shape (n,). Return FACTS, shape (n,)."""
        facts = np.zeros(len(setups), dtype=layout.FACTS)
        setups["first"] = numbers
        scratch = (np.zeros(1, layout.TABLE), np.zeros(1, layout.DEAL), np.zeros(0, layout.WORLD))
        games = np.zeros(1, dtype=layout.GAME)
        enter = entry_points().play
        for k in range(len(setups)):
            enter(self.rules, self.policies, self.weights, setups[k:k + 1], *scratch, facts[k:k + 1, None], games)
        return facts

    def _enter(self, policies: np.ndarray, setup: np.ndarray, worlds: np.ndarray, facts: np.ndarray, games: np.ndarray) -> Any:
        """Call the kernel, and return the TABLE as it was left."""
        table = np.zeros(1, layout.TABLE)
        entry_points().play(self.rules, policies, self.weights, setup, table, np.zeros(1, layout.DEAL), worlds, facts, games)
        return table[0]

    def draw(self, first: int, chains: int, n: int, setup: np.ndarray, drawn: int = 0, last: np.ndarray | None = None) -> np.ndarray:
        """Return the next n worlds of each chain, WORLD of shape (chains, n): hands in proportion to how likely everybody says what the setup tells.

        Parameters
        ----------
        first, chains : the first chain, and how many
        setup : SETUP of shape (1,) with everything said, `burn_in`, `swaps` and `slips`
        drawn, last : worlds of each chain so far, and the last ones, WORLD of shape (chains,)

        Raises
        ------
        ImpossibleError
            No deal agrees with what the setup tells.
        """
        worlds = np.zeros((chains, n), layout.WORLD)
        if last is not None:
            worlds[:, 0] = last
        setup = setup.copy()
        setup["chain"], setup["drawn"] = n, drawn
        self._think(Worlds.DRAWN, first, setup, worlds.reshape(-1))
        if not worlds["hands"][:, :, :self.run.rules.players].all():
            raise ImpossibleError("no deal agrees with the cards that are known; check what was shown, given and received")
        return worlds

    def weigh(self, worlds: np.ndarray, setup: np.ndarray) -> np.ndarray:
        """Return how likely each seat says what the setup tells with the hands of `worlds`, WORLD of shape (n,); float64, shape (n, MAX_SEATS)."""
        worlds = worlds.copy()
        self._think(Worlds.WEIGHED, 0, setup, worlds)
        return np.asarray(worlds["chances"])

    def _think(self, what: Worlds, first: int, setup: np.ndarray, worlds: np.ndarray) -> None:
        """Draw or weigh worlds. What a seat says is judged by its policy without slips of its own: those of the setup stand for all."""
        setup = setup.copy()
        setup["worlds"], setup["first"], setup["stop"] = what, first, 1
        policies = self.policies.copy()
        policies["explore"], policies["slips"] = 0, 0
        self._enter(policies, setup, worlds, np.zeros((1, 1), layout.FACTS), np.zeros(0, layout.GAME))

    def stop(self, setup: np.ndarray | None = None, announce: bool = False) -> tuple[np.record, np.record]:
        """Play deal 0 up to the first decision that the script does not make, or breaks the rules by.

        Parameters
        ----------
        setup : SETUP of shape (1,), instead of the run's own
        announce : a learned seat lays what it thinks of its bids into `work` (`layout.ANNOUNCED`)

        Returns
        -------
        TABLE as the seat asked sees it, and FACTS so far
        """
        setup = (self.setup if setup is None else setup).copy()
        setup["stop"] = 2 if announce else 1
        facts = np.zeros((1, 1), layout.FACTS)
        table = self._enter(self.policies, setup, np.zeros(0, layout.WORLD), facts, np.zeros(1, layout.GAME))
        return table, facts[0, 0]


def run(
    run: Run,
    n: int,
    *,
    jobs: int | None = None,
    consume: Callable[[np.ndarray, np.ndarray | None], None],
    progress: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Play deals or games 0 to n - 1 and return how many were played.

    Parameters
    ----------
    jobs : threads, all cores if None; the result does not depend on it
    consume : gets every chunk in order: facts, FACTS of shape (deals,), and GAME of shape (games,) or None
    progress : gets the number played so far
    stop : asked after every chunk

    Raises
    ------
    Interrupted
        Ctrl-C, after what was complete has been consumed.
    """
    engine = Engine(run)

    def hand_on(chunk: tuple[np.ndarray, np.ndarray]) -> None:
        facts, games = chunk
        played = np.concatenate([row[:k] for row, k in zip(facts, games["n_deals"], strict=True)]) if run.games else facts[:, 0]
        consume(played, games if run.games else None)

    return by_chunk(engine.play, n, CHUNK_GAMES if run.games else CHUNK, jobs=jobs, consume=hand_on, progress=progress, stop=stop)


def by_chunk(
    work: Callable[[int, int], Result],
    n: int,
    size: int,
    *,
    jobs: int | None = None,
    consume: Callable[[Result], None],
    progress: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Hand `work(first, number)` of deals 0 to n - 1, at most `size` of them at a time, to `consume` in order, and return how many were done.

    `work` runs in several threads at once; all else as in `run`.
    """
    threads = jobs or os.cpu_count() or 1
    chunks = iter(range(0, n, size))
    waiting: deque[Future[Result]] = deque()
    done = 0
    with ThreadPoolExecutor(threads) as pool:

        def fill() -> None:
            while len(waiting) < threads + 1 and (first := next(chunks, None)) is not None:
                waiting.append(pool.submit(work, first, min(size, n - first)))

        try:
            fill()
            while waiting:
                result = waiting.popleft().result()
                fill()
                consume(result)
                done = min(done + size, n)
                if progress:
                    progress(done)
                if stop and stop():
                    break
        except KeyboardInterrupt:
            raise Interrupted(done) from None
        finally:
            for future in waiting:
                future.cancel()
    return done
