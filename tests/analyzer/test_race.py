"""Which action is best, and how sure that is: looks, pairs, drop-outs and effective sizes, on made-up scores of chains."""

from itertools import pairwise, takewhile

import numpy as np
import pytest
from scipy import stats as scipy_stats

from analyzer import situation
from analyzer.race import CHAINS, EVEN_LOOKS, WINS, Race, Sample, rounds, share_of_look
from analyzer.rules import load


def asked(variant="base"):
    """Return a seat with four bids to choose from."""
    return situation.from_question(load("oh-hell", variant), "..32.A", turnup="2C")


def race(n_chains=CHAINS, has_game=False, variant="base", favour=None):
    return Race(asked(variant), 0.95, n_chains, has_game, favour)


def sample(scores, wins=None):
    """Return worlds with these scores, shape (chains, worlds); bids are made where the score is 10 or more."""
    scores = np.asarray(scores)
    n = np.full(len(scores), scores.shape[1])
    tricks, trumps, cards = (np.zeros(size, np.int64) for size in (4, 5, 64))
    tricks[0] = scores.size
    return Sample(scores, np.zeros((len(scores), 0), np.int64) if wins is None else np.asarray(wins), n, (scores >= 10).sum(axis=1), tricks, trumps, cards)


def play(running, *blocks):
    """Give each action still in its block of scores, and take a look."""
    for action in running.racing:
        running.add(action, sample(blocks[action]))
    running.take_look()


def noise(rng, n_chains=CHAINS, worlds=20):
    return rng.integers(0, 11, (n_chains, worlds))


def by_action(running, is_chained=True):
    return {row["action"]: row for row in running.rows(is_chained)}


# ---------------------------------------------------------------- looks

def test_the_looks_share_the_chance_to_miss():
    """Looks 10, 11, ... have c/2, c/6, c/12, ...: together c (1 - 1 / (n + 1)), c what two of the first ten have."""
    n = 100_000
    shares = [share_of_look(look) for look in range(EVEN_LOOKS + n)]
    assert sum(shares) + 2 * shares[0] / (n + 1) == pytest.approx(1, abs=1e-9)
    assert all(later <= earlier for earlier, later in pairwise(shares))


@pytest.mark.parametrize("n_actions", [1, 2, 7, 46, 286])
def test_looks_come_at_the_same_worlds_for_any_number_of_deals_but_for_the_last(n_actions):
    always = list(rounds(n_actions, 10**7))
    assert all(earlier < later for earlier, later in pairwise(always))
    for deals in (1, 99, 100, 150, 200, 999, 1000, 1001, 1500, 20_000, 54_321):
        ends = list(rounds(n_actions, deals))
        assert ends[-1] == max(deals // CHAINS, 1)
        assert ends[:-1] == list(takewhile(lambda end, last=ends[-1]: end < last, always))


def test_every_look_has_its_share_of_the_chance_to_miss():
    """The intervals of look k are Student's of the chains' means and miss with .05 share(k); those of regret with the part of it that the best has."""
    favour = np.array([0.1, 0.5, 0.25, 0.15])
    running, rng = race(favour=favour), np.random.default_rng(1)
    worth, spread = [np.zeros((CHAINS, 0), np.int64) for _ in range(4)], running.points.spread
    for look in range(3):
        block = noise(rng)
        blocks = [block, *(np.where(rng.random(block.shape) < 0.5, block, noise(rng)) for _ in range(3))]
        worth = [np.concatenate(pair, axis=1) for pair in zip(worth, blocks, strict=True)]
        play(running, *blocks)
        rows, worlds, best = by_action(running), worth[0].shape[1], running.best(running.points)
        for action in range(4):
            for name, values, width, miss in (
                ("ev", worth[action], spread[action], 0.05), ("regret", worth[best] - worth[action], spread[action] + spread[best], 0.05 * favour[best]),
            ):
                means = values.mean(axis=1)
                variance = (means.var() * CHAINS + (width / worlds / 2) ** 2) / (CHAINS - 1)        # one more world lies half the spread from the mean
                radius = scipy_stats.t.ppf(1 - miss * share_of_look(look) / 2, CHAINS - 1) * np.sqrt(variance / CHAINS)
                if name == "ev" or action != best:
                    assert [rows[action][f"{name}{end}"] for end in ("", "_low", "_high")] == pytest.approx(
                        [means.mean(), means.mean() - radius, means.mean() + radius], rel=1e-4, abs=1e-9)


def test_looking_twice_at_the_same_worlds_costs_nothing():
    running, rng = race(), np.random.default_rng(2)
    play(running, *(noise(rng) for _ in range(4)))
    before = running.rows(True)
    running.take_look()
    assert running.rows(True) == before
    assert running.look == 0


def test_the_actions_share_the_chance_to_miss_alike_unless_some_are_favoured():
    assert race().favour.tolist() == [0.25] * 4


# ---------------------------------------------------------------- pairs of chains

def test_regret_pairs_the_chains_of_both():
    """Scores that rise and fall together with the world tell actions apart that single values hide."""
    running, rng = race(), np.random.default_rng(3)
    block = noise(rng) * 50
    play(running, block, block - 7, block - 7, block - 7)
    rows = by_action(running)
    for action in (1, 2, 3):
        assert rows[action]["regret"] == pytest.approx(7)
        assert rows[action]["regret_low"] > 6
        assert rows[action]["ev_high"] > rows[0]["ev_low"]         # unpaired they overlap


def test_worlds_of_one_chain_count_as_one():
    """Each chain stands still: twenty worlds tell as much as one."""
    running, rng = race(), np.random.default_rng(4)
    means = noise(rng, worlds=1)
    play(running, *(np.repeat(means, 20, axis=1) for _ in range(4)))
    once = race()
    play(once, *(means for _ in range(4)))
    wide, narrow = by_action(once)[0], by_action(running)[0]
    assert narrow["ev_high"] - narrow["ev_low"] > 0.9 * (wide["ev_high"] - wide["ev_low"])


def test_low_scores_win_where_the_rules_say_so():
    running, rng = race(variant="squared-negative"), np.random.default_rng(5)
    block = noise(rng)
    play(running, block + 3, block, block + 3, block + 9)
    rows = running.rows(True)
    assert rows[0]["action"] == 1
    assert [by_action(running)[action]["regret"] for action in range(4)] == [3, 0, 3, 9]


# ---------------------------------------------------------------- drop-outs

def test_an_action_that_dropped_out_keeps_its_numbers():
    """Its regret stays that of the worlds that both played, however the best goes on."""
    running, rng = race(), np.random.default_rng(6)
    block = noise(rng)
    play(running, block + 5, block + 5 - rng.integers(0, 3, block.shape), block, block)
    assert running.racing == [0, 1]
    before = by_action(running)
    low = noise(rng) - 100
    play(running, low + 1, low, None, None)
    after = by_action(running)
    for action in (2, 3):
        assert after[action] == before[action]
    assert (after[0]["n"], after[1]["n"]) == (2 * before[0]["n"], 2 * before[0]["n"])


def test_the_best_two_race_to_the_end():
    """By how much the best is better is asked too."""
    running, rng = race(), np.random.default_rng(7)
    block = noise(rng)
    play(running, block, block + 30, block + 10, block)
    assert running.racing == [1, 2]
    assert running.lead(running.points) > 0


def test_what_may_yet_be_best_stays():
    running, rng = race(), np.random.default_rng(8)
    play(running, *(noise(rng) for _ in range(3)), noise(rng) - 8)
    assert running.racing == [0, 1, 2]


def test_few_chains_drop_nobody():
    running, rng = race(n_chains=CHAINS - 1), np.random.default_rng(9)
    block = noise(rng, CHAINS - 1)
    play(running, block, block + 30, block + 10, block)
    assert running.racing == [0, 1, 2, 3]


def test_a_dropped_action_is_never_best():
    running, rng = race(), np.random.default_rng(10)
    block = noise(rng)
    play(running, block + 5, block + 5 + rng.integers(-3, 4, block.shape), block, block)
    low = noise(rng) - 100
    play(running, low, low + 1, None, None)
    rows = running.rows(True)
    assert rows[0]["action"] == 1
    assert rows[2]["ev"] > rows[0]["ev"]           # the others fell behind it on other worlds
    assert all(row["regret_low"] > 0 for row in rows[2:])


def test_who_is_best_at_games_stays_though_he_is_not_at_points():
    running, rng = race(has_game=True), np.random.default_rng(11)
    block = noise(rng)
    won = rng.integers(0, 2, block.shape) * WINS
    for action, (scores, wins) in enumerate([(block + 9, won * 0), (block, won * 0 + WINS), (block - 9, won * 0), (block - 9, won)]):
        running.add(action, sample(scores, wins))
    running.take_look()
    assert running.racing == [0, 1, 3]             # 2 is third at points, and last at games
    rows = by_action(running)
    assert running.best(running.goals[1]) == 1
    assert (rows[1]["p_win"], rows[0]["p_win"], rows[0]["win_regret"]) == (1, 0, 1)
    assert running.rows(True)[0]["action"] == 0


# ---------------------------------------------------------------- ties

def test_ties_go_to_the_lowest():
    running, rng = race(), np.random.default_rng(12)
    block = noise(rng)
    play(running, block - 1, block, block, block)
    assert [row["action"] for row in running.rows(True)] == [1, 2, 3, 0]
    assert running.lead(running.points) <= 0       # and settle nothing


def test_equal_scores_claim_no_certainty():
    running = race()
    play(running, *(np.full((CHAINS, 10), 10 - action) for action in range(4)))
    assert all(row["ev_low"] < row["ev"] < row["ev_high"] for row in running.rows(True))


# ---------------------------------------------------------------- effective size

def test_independent_worlds_count_as_many():
    running, rng = race(), np.random.default_rng(13)
    play(running, *(noise(rng, worlds=200) for _ in range(4)))
    for row in running.rows(True):
        assert 0.6 * row["n"] < row["ess"] <= row["n"]             # the chains' spread is known to a seventh


@pytest.mark.parametrize("copies", [2, 5, 20])
def test_copies_of_a_world_count_once(copies):
    running, rng = race(), np.random.default_rng(14)
    play(running, *(np.repeat(noise(rng, worlds=30), copies, axis=1) for _ in range(4)))
    for row in running.rows(True):
        assert row["ess"] == pytest.approx(row["n"] / copies, rel=0.5)


def test_worlds_that_do_not_hang_together_need_no_estimate():
    running, rng = race(), np.random.default_rng(15)
    play(running, *(np.repeat(noise(rng), 3, axis=1) for _ in range(4)))
    assert all(row["ess"] == row["n"] for row in running.rows(False))


def test_shares_of_bids_made_know_no_more_than_the_worlds_do():
    """An interval of copies is as wide as one of the worlds that were copied."""
    rng = np.random.default_rng(16)
    once = np.where(rng.random((CHAINS, 30)) < 0.4, 12, 1)
    widths = {}
    for copies in (1, 6):
        running = race()
        play(running, *(np.repeat(once, copies, axis=1) for _ in range(4)))
        row = by_action(running)[0]
        assert row["p_made"] == pytest.approx((once >= 10).mean())
        widths[copies] = row["p_made_high"] - row["p_made_low"]
    assert widths[6] == pytest.approx(widths[1], rel=0.2)


def test_SS_squares_of_chips_are_exact():
    """Scores as large as a pool can be: their squares outgrow 64 bits."""
    running = race()
    chips = np.full((CHAINS, 10), 10**12)
    chips[:, ::2] = -(10**12)
    play(running, *(chips for _ in range(4)))
    assert running.points.squares.tolist() == [chips.size * 10**24] * 4


def test_one_chain_says_nothing():
    running = race(n_chains=1)
    play(running, *([[action, action]] for action in range(4)))
    assert all(row["ev_low"] is None for row in running.rows(True))
    assert running.lead(running.points) == -np.inf
