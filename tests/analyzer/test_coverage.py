"""Intervals hold the truth as often as they say, over hundreds of races with other seeds, also where a race stopped as soon as it was precise enough."""

from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pytest

from analyzer import advice, situation
from analyzer.advice import advise
from analyzer.race import CHAINS, Race, Sample, rounds
from analyzer.rules import load
from kernels.compiled import JIT

LEAST = 0.93            # share of the intervals of 95 % that hold the truth
RACES, RUNS = 300, 200
DEALS = 6_000
LESS = (0, 0, 1, 3)     # points that the four actions are worth less: two are equal, one is close, one drops out


# ---------------------------------------------------------------- made-up scores, of which the truth is known

class Scores(NamedTuple):
    """Scores of 0 to 13, a made bid 10 or more."""

    values: tuple[int, ...]
    chances: tuple[float, ...]
    sticks: float = 0.0     # share of the worlds of a chain that repeat the one before
    precision: float = 1.0  # points, by which some races stop early and some do not

    def drawn(self, rng):
        """Return scores of shape (chains, worlds)."""
        scores = rng.choice(self.values, (CHAINS, DEALS // CHAINS), p=self.chances)
        repeats = rng.random(scores.shape) < self.sticks
        for before, now in pairwise(range(scores.shape[1])):
            scores[:, now] = np.where(repeats[:, now], scores[:, before], scores[:, now])
        return scores

    @property
    def mean(self):
        return float(np.dot(self.values, self.chances))

    @property
    def made(self):
        return sum(chance for value, chance in zip(self.values, self.chances, strict=True) if value >= 10)


BELL = [NormalDist(6, 2.5).cdf(edge + 0.5) for edge in range(13)]
KINDS = {
    "normal": Scores(tuple(range(14)), (BELL[0], *np.diff(BELL), 1 - BELL[-1]), precision=0.13),
    "skewed": Scores((0, 1, 2, 13), (0.45, 0.3, 0.2, 0.05), precision=0.14),
    "made once in a hundred": Scores((0, 12), (0.99, 0.01), precision=0.06),
    "sticking": Scores((0, 1, 2, 13), (0.3, 0.2, 0.1, 0.4), sticks=0.8, precision=0.9),
}


def raced(worlds, precision):
    """Return a race over scores, shape (chains, worlds) by action, held as the advisor holds it, and whether it stopped early."""
    asked = situation.from_question(load("oh-hell"), "..32.A", turnup="2C")
    race = Race(asked, 0.95, CHAINS, False)
    nothing = [np.zeros(n, np.int64) for n in (4, 5, 64)]
    done = 0
    for end in rounds(len(asked.actions), DEALS):
        for action in race.racing:
            scores = worlds[action][:, done:end]
            made = (scores + LESS[action] >= 10).sum(axis=1)
            race.add(action, Sample(scores, scores[:, :0], np.full(CHAINS, end - done), made, *nothing))
        race.take_look()
        done = end
        if race.lead(race.points) >= -precision:
            break
    return race, done < DEALS // CHAINS


def holds(row, name, truth):
    return row[f"{name}_low"] <= truth <= row[f"{name}_high"]


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_truth(kind):
    """Of values, of shares made, and of all regrets of a race together; and what it settles on is best."""
    rng, scores = np.random.default_rng(1), KINDS[kind]
    worth = [scores.mean - less for less in LESS]
    held, stopped, wrong = {"ev": [], "p_made": [], "regret": []}, 0, 0
    for _ in range(RACES):
        race, is_early = raced([scores.drawn(rng) - less for less in LESS], scores.precision)
        rows = race.rows(True)
        best = rows[0]["action"]
        stopped += is_early
        wrong += race.lead(race.points) > 0 and worth[best] < max(worth)
        held["ev"] += [holds(row, "ev", worth[row["action"]]) for row in rows]
        held["p_made"] += [holds(row, "p_made", scores.made) for row in rows]
        held["regret"].append(all(holds(row, "regret", worth[best] - worth[row["action"]]) for row in rows))
    shares = {name: np.mean(found) for name, found in held.items()}
    print(f"{kind}: {shares}, {stopped / RACES:.2f} stopped early, {wrong} settled on a wrong action")
    assert min(shares.values()) >= LEAST
    assert 0.2 * RACES < stopped < RACES
    assert wrong <= 0.05 * RACES


# ---------------------------------------------------------------- a real position, counted out

N_DEALS = 18_480        # C(12, 3) C(9, 3)


def small_deck(bids):
    """Return the dealer of three players, three cards each, who has seen all but twelve of the other cards lie in nobody's hand."""
    rules = load("oh-hell", players=3)
    deck, hand, live = rules.deck, "SQ C7 D2", "S2 S5 S9 SJ SA H3 H8 HQ HA D4 DT CK"
    gone = deck.mask & ~deck.hand(f"{hand} S7 {live}")
    return situation.from_question(rules, hand, turnup="S7", bids=bids, seen=" ".join(map(deck.card_text, deck.cards(gone))))


def counted_out(asked, policy):
    """Return the rows by action, of all deals, each as likely as the bids heard with it."""
    rows = {row["action"]: row for row in advise(asked, policies=[policy]).results}
    assert all(row["exact"] and row["n"] == N_DEALS for row in rows.values())
    return rows


@pytest.fixture
def drawn(monkeypatch):
    """Return `advise` that draws worlds even where it could count them out."""
    def draw(*question, **effort):
        with monkeypatch.context() as patch:
            patch.setattr(advice.exact, "rows", lambda *_: None)
            patch.setattr(advice, "BURN_IN", 300)       # enough where a dozen cards change places
            return advise(*question, **effort, jobs=1)

    return draw


@pytest.mark.skipif(not JIT, reason="needs more deals than plain Python plays")
def test_drawn_worlds_hold_the_values_of_all_deals(drawn):
    """After 0 and 2 the hook leaves the dealer 0, 2 and 3, the first two nearly equal."""
    asked, deals = small_deck("0,2"), 2500
    exact = counted_out(asked, "rules")
    held, stopped, sizes = {"ev": [], "p_made": [], "regret": []}, 0, []
    for seed in range(RUNS):
        answer = drawn(asked, policies=["rules"], seed=seed, deals=deals, precision=0.2)
        stopped += answer.deals < deals
        best = exact[answer.results[0]["action"]]["ev"]
        for name in ("ev", "p_made"):
            held[name] += [holds(row, name, exact[row["action"]][name]) for row in answer.results]
        held["regret"].append(all(holds(row, "regret", best - exact[row["action"]]["ev"]) for row in answer.results))
        sizes.append(answer.results[0]["ess"] / answer.results[0]["n"])
    shares = {name: np.mean(found) for name, found in held.items()}
    print(f"{shares}, {stopped} of {RUNS} stopped early, effective size {np.mean(sizes):.2f} of the worlds")
    assert min(shares.values()) >= LEAST
    assert 0.2 * RUNS < stopped < RUNS
    assert np.mean(sizes) > 0.2


@pytest.mark.skipif(not JIT, reason="needs more deals than plain Python plays")
@pytest.mark.parametrize(("policy", "bids"), [("rules", "0,2"), ("rules", "1,0"), ("learned", "0,2"), ("learned", "0,0")])
def test_a_long_run_comes_to_the_values_of_all_deals(policy, bids, drawn):
    asked = small_deck(bids)
    exact = counted_out(asked, policy)
    for row in drawn(asked, policies=[policy], deals=100_000).results[:2]:
        found = exact[row["action"]]
        assert row["n"] == 100_000
        assert row["ev_high"] - row["ev_low"] < 0.3
        assert holds(row, "ev", found["ev"])
        assert holds(row, "p_made", found["p_made"])
        assert row["tricks"] == pytest.approx(found["tricks"], abs=0.012)
