"""Actions that race for the deals: sums over the worlds that each has played, and what they tell at every look.

The unit of every interval is one of `CHAINS` chains of worlds: its mean over the worlds played so far. Where calls weigh the hidden hands the worlds of a chain
hang together; where they do not, a chain is a share of independent deals. Looks come at fixed numbers of worlds, and each has its share of the chance to miss,
so that all intervals of all looks hold together.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer import results, stats
from analyzer.cards import denomination_text
from analyzer.situation import Action, Situation
from kernels.layout import NONE, SUIT_BITS, SUITS

CHAINS = 100
FIRST_ROUND = 20_000        # playouts before the first look, shared by all actions,
FIRST_WORLDS = 10           # but not more worlds a chain, nor fewer than two
GROWTH = 1.5                # worlds after a round, times those before it
EVEN_LOOKS = 10             # looks that share 10 / 12 of the chance to miss evenly; all later ones together have the rest
TIE, SMALL = 0.03, 0.002    # points, and share of the largest difference of scores: bids that are less apart are as good
WINS = 420                  # units of a won game: ties of up to seven seats share it in whole numbers

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Row = dict[str, Any]


def rounds(n_actions: int, deals: int) -> Iterator[int]:
    """Yield the worlds a chain at each look, the same for any `deals` but for the last: --deals N repeats what the clock stopped after N."""
    last = max(deals // CHAINS, 1)
    end = min(max(FIRST_ROUND // (n_actions * CHAINS), 2), FIRST_WORLDS)
    while end < last:
        yield end
        end = int(end * GROWTH)
    yield last


def share_of_look(look: int) -> float:
    """Return the part of the chance to miss that look 0, 1, ... has; all parts sum to 1."""
    if look < EVEN_LOOKS:
        return 1 / (EVEN_LOOKS + 2)
    later = look - EVEN_LOOKS + 1
    return 2 / (EVEN_LOOKS + 2) / (later * (later + 1))


@dataclass(frozen=True)
class Sample:
    """A block of worlds under one action; the first axis of each array is the chain."""

    scores: Ints        # (chains, worlds), in units
    wins: Ints          # (chains, worlds), in units of `WINS`; without a game no worlds
    aimed: Ints         # (chains,): worlds in which the seat had a bid or a contract
    made: Ints
    tricks: Ints        # worlds by tricks of the seat
    trumps: Ints        # worlds by trump, where the seat played the contract that it called
    asked: Ints         # worlds by card that it asked for then


class Goal:
    """What is counted, points or games won: sums by action and chain, at every look."""

    def __init__(self, n_actions: int, n_chains: int, spread: Floats, sign: int, unit: float, name: str) -> None:
        self.spread = spread                                        # largest minus smallest value, in units
        self.sign = sign                                            # -1: low scores win
        self.unit = unit
        self.name = name
        self.sums = np.zeros((n_actions, n_chains), dtype=object)   # of chips outgrow int64
        self.squares = np.zeros(n_actions, dtype=object)
        self.looks: list[np.ndarray] = []                           # sums at each look

    def add(self, action: int, values: Ints) -> None:
        """Count the values of a block, of shape (chains, worlds)."""
        values = stats.wide(values)
        self.sums[action] += values.sum(axis=1)
        self.squares[action] += (values * values).sum()


class Race:
    """The actions, by their places in `asked.actions`, those still in, and what they have played."""

    def __init__(self, asked: Situation, level: float, n_chains: int, has_game: bool, favour: Floats | None = None) -> None:
        n_actions = len(asked.actions)
        self.favour = np.full(n_actions, 1 / n_actions) if favour is None else favour       # shares of the chance to name the action wrongly the best
        self.asked = asked
        self.level = level
        self.n_chains = n_chains
        self.racing = list(range(n_actions))
        self.worlds = np.zeros(n_actions, dtype=np.int64)           # a chain
        self.look = -1                                              # the last one
        self.look_worlds: list[int] = []                            # worlds a chain at each look
        sign = -1 if asked.rules.fields.get("score", {}).get("low_wins") else 1
        spread = np.array([score_spread(asked, action) for action in asked.actions], dtype=np.float64)
        self.goals = [Goal(n_actions, n_chains, spread, sign, asked.rules.unit, "")]
        if has_game:
            self.goals.append(Goal(n_actions, n_chains, np.full(n_actions, float(WINS)), 1, 1 / WINS, "win"))
        self.aimed = np.zeros((n_actions, n_chains), dtype=np.int64)
        self.made = np.zeros((n_actions, n_chains), dtype=np.int64)
        self.tricks = np.zeros((n_actions, asked.cards + 1), dtype=np.int64)
        self.trumps = np.zeros((n_actions, SUITS + 1), dtype=np.int64)
        self.cards_asked = np.zeros((n_actions, SUITS * SUIT_BITS), dtype=np.int64)

    def add(self, action: int, sample: Sample) -> None:
        """Count a block of worlds of all chains under an action that is still in."""
        self.worlds[action] += sample.scores.shape[1]
        for goal, values in zip(self.goals, (sample.scores, sample.wins), strict=False):
            goal.add(action, values)
        self.aimed[action] += sample.aimed
        self.made[action] += sample.made
        self.tricks[action] += sample.tricks
        self.trumps[action] += sample.trumps
        self.cards_asked[action] += sample.asked

    def take_look(self) -> None:
        """Note where the actions stand, and let those drop out that are certainly worse than the best at every goal.

        The best two at each goal stay in any case: by how much the best is better is asked too.
        """
        worlds = int(self.worlds[self.racing[0]])
        if worlds in self.look_worlds:
            return
        self.look += 1
        self.look_worlds.append(worlds)
        for goal in self.goals:
            goal.looks.append(goal.sums.copy())
        if self.n_chains < CHAINS:
            return
        stays: set[int] = set()
        for goal in self.goals:
            low = self.regret(goal).low
            ahead = self.ranking(goal, self.racing)[:2]
            stays |= {action for action in self.racing if action in ahead or not low[action] > 0}
        self.racing = [action for action in self.racing if action in stays]

    @property
    def points(self) -> Goal:
        """The goal of points."""
        return self.goals[0]

    def best(self, goal: Goal) -> int:
        """Return the action still in with the best mean; of bids that are as good but for a `TIE` the one nearest to the tricks that it takes, then the one
        made more often, then the higher: where the hook leaves none that can be made, a player names one beside it.
        """
        first = self.ranking(goal, self.racing)[0]
        if not self.worlds[first] or self.asked.decision != "bid":
            return first
        behind = goal.sign * (goal.sums[first].sum() - goal.sums[self.racing].sum(axis=1)) * goal.unit / (self.worlds[first] * self.n_chains)
        tie = min(TIE, SMALL * float(goal.spread.max()) * goal.unit)
        tied = [action for action, lag in zip(self.racing, behind, strict=True) if lag <= tie]

        def sense(action: int) -> tuple[float, int, int]:
            bid, tricks = self.asked.actions[action].said, self.tricks[action]
            taken = float(tricks @ np.arange(len(tricks))) / max(int(tricks.sum()), 1)
            return -round(abs(bid - taken), 1), int(self.made[action].sum()), bid

        return max(tied, key=sense) if len(tied) > 1 else first

    def ranking(self, goal: Goal, actions: Iterable[int]) -> list[int]:
        """Return the actions, the one with the best mean first."""
        mean = goal.sign * goal.sums.sum(axis=1) / np.maximum(self.worlds * self.n_chains, 1)
        return sorted(actions, key=lambda action: (-mean[action], action))

    def regret(self, goal: Goal) -> stats.Interval:
        """Return how far each action lies behind the best on the worlds that both played, in units; the best itself exactly 0.

        The chance to name a wrong best is shared between the actions that may be named (Bonferroni), more of it for those that were expected to be the best
        before a deal was played: then fewer deals settle them.
        """
        best = self.best(goal)
        behind = np.zeros((len(self.worlds), self.n_chains))
        for action, worlds in enumerate(self.worlds.tolist()):
            sums = goal.looks[self.look_worlds.index(worlds)]
            behind[action] = goal.sign * (sums[best] - sums[action])
        spread = goal.spread + goal.spread[best]
        spread[best] = 0
        return self._interval(behind, self.worlds, spread, 1 - (1 - self.level) * float(self.favour[best]))

    def _interval(self, sums: Floats, worlds: Ints, spread: Floats, level: float) -> stats.Interval:
        """Return means over worlds from sums by chain, at the last look; one more world is thought to lie half the spread from the mean."""
        means = sums / np.maximum(worlds, 1)[:, None]
        level = 1 - (1 - level) * share_of_look(self.look)
        return stats.mean_interval(means.sum(axis=1), (means * means).sum(axis=1), self.n_chains, level, spread / np.maximum(worlds, 1))

    def lead(self, goal: Goal) -> float:
        """Return by how much the best is better than any other at least, in units; infinite where there is no other, -infinite where nothing is known."""
        low = np.delete(self.regret(goal).low, self.best(goal))
        return float(np.nan_to_num(low, nan=-np.inf).min(initial=np.inf))

    def effective_size(self, goal: Goal) -> Floats:
        """Return by action how many independent worlds know as much: the spread of single worlds against that of the chains' means.

        At most the worlds played: by luck chains agree better than independent worlds would.
        """
        n = self.worlds * self.n_chains
        total = goal.sums.sum(axis=1).astype(np.float64)
        means = goal.sums.astype(np.float64) / np.maximum(self.worlds, 1)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            of_worlds = goal.squares.astype(np.float64) / n - (total / n) ** 2
            of_means = means.var(axis=1, ddof=1) / self.n_chains if self.n_chains > 1 else np.full(len(n), np.nan)
            size = of_worlds / of_means
        return np.where(np.isfinite(size), np.minimum(size, n), n)

    def rows(self, is_chained: bool) -> list[Row]:
        """Return one row per action, the best first; `is_chained`: the worlds of a chain hang together."""
        n = self.worlds * self.n_chains
        sizes = [self.effective_size(goal) if is_chained else n.astype(np.float64) for goal in self.goals]
        values = [self._interval(goal.sums.astype(np.float64), self.worlds, goal.spread, self.level) for goal in self.goals]
        regrets = [self.regret(goal) for goal in self.goals]
        share = self._made(sizes[0] / np.maximum(n, 1))
        rows = []
        first = self.best(self.points)
        for i in sorted(self.ranking(self.points, range(len(n))), key=lambda action: action != first):
            row: Row = {"action": self.asked.action_text(self.asked.actions[i])}
            row |= named(self.asked, self.asked.actions[i], self.trumps[i], self.cards_asked[i])
            row |= interval("ev", values[0], i, self.points.unit)
            row |= interval("p_made", share, i) if self.aimed[i].any() else dict.fromkeys(("p_made", "p_made_low", "p_made_high"))
            row["tricks"] = (self.tricks[i] / max(self.tricks[i].sum(), 1)).tolist()
            row |= interval("regret", regrets[0], i, self.points.unit) if i != first else dict.fromkeys(("regret", "regret_low", "regret_high"), 0.0)
            for goal, value, regret in list(zip(self.goals, values, regrets, strict=True))[1:]:
                names = f"p_{goal.name}", f"{goal.name}_regret"
                row |= interval(names[0], value, i, goal.unit)
                row |= interval(names[1], regret, i, goal.unit)
            row |= {"n": int(n[i]), "ess": float(sizes[0][i]), "exact": False}
            rows.append(row)
        return rows

    def _made(self, known: Floats) -> stats.Interval:
        """Return the share of bids or contracts made; `known`: independent worlds for each that was played."""
        aimed, made = self.aimed.sum(axis=1), self.made.sum(axis=1)
        size = aimed * np.minimum(known, 1)
        with np.errstate(invalid="ignore"):
            share = made / aimed
        return stats.wilson(share * size, size, 1 - (1 - self.level) * share_of_look(self.look))


class Outcome(NamedTuple):
    """What became of an action in each deal of FACTS; arrays of shape (n,)."""

    played: Flags
    tricks: Ints        # of the seat
    aimed: Flags        # it had a bid or a contract
    made: Flags
    chosen: Flags       # it played the contract that it called


def outcome(asked: Situation, action: Action, facts: np.ndarray) -> Outcome:
    """Return what became of the seat that is asked."""
    seat = asked.seat
    played = facts["played"] == 1
    tricks = facts["tricks"][:, seat]
    if asked.rules.has_bids:
        aimed, made = played, played & (facts["bids"][:, seat] == tricks)
    else:
        aimed = facts["declarer"] == seat
        made = aimed & results.solo_made(asked.rules, facts)
    return Outcome(played, tricks, aimed, made, aimed & (facts["contract"] == (action.said if asked.decision == "call" else asked.contract)))


def named(asked: Situation, action: Action, trumps: np.ndarray, cards: np.ndarray) -> Row:
    """Return, for a Spanish Solo call, the trump that the soloist names and the card that he asks for; each where not given the most frequent."""
    if asked.rules.has_bids or asked.decision != "call":
        return {}
    trump = action.trump if action.trump != NONE else int(trumps.argmax()) if trumps.any() else None
    return {
        "trump": None if trump is None else denomination_text(trump),
        "asks": asked.rules.deck.card_text(int(cards.argmax())) if cards.any() else None,
    }


def interval(name: str, found: stats.Interval, at: int, unit: float = 1.0) -> Row:
    """Return the keys of an estimate and its interval; null where there are too few worlds to say."""
    values = (float(column[at]) * unit for column in found)
    return {key: None if np.isnan(value) else value for key, value in zip((name, f"{name}_low", f"{name}_high"), values, strict=True)}


def score_spread(asked: Situation, action: Action) -> int:
    """Return the largest minus the smallest score that the seat can have after the action, or a little more, in units."""
    rules = asked.rules
    if not rules.has_bids:
        record = rules.record()[0]
        chips = asked.pool + rules.players * int(record["pool_ante"] + record["pool_pass_fee"])
        return 2 * ((rules.players - 1) * int(record["contract_value"].max()) + chips)
    points = rules.points()[asked.cards, :, : asked.cards + 1, : asked.cards + 1]
    if asked.decision == "bid":
        points = points[:, action.said]
    factor = 2 if rules.fields["score"].get("all_same_double") else 1
    return factor * int(max(points.max(), 0) - min(points.min(), 0))
