"""Learned players of the exact-bid games against their slow twin: what their networks see, and what they choose."""

from collections import Counter

import numpy as np
import pytest

from analyzer import policies, rules
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels.layout import NONE, TAPE, WORK, Tape
from kernels.learned import FIRST, MOST_INPUTS
from tests import twins
from tests.kernels.tools import deals, drawing, exported, scaled, setup_of, taped, wild, written
from tests.learned_twins import Learned, tape

BIDDING = {Tape.PLAY, Tape.BID}
WHIST = {Tape.CALL, *BIDDING}
TABLES = [
    *[("oh-hell", "base", (), players, "", BIDDING) for players in range(3, 8)],
    *[("oh-hell", variant, (), players, "", BIDDING) for variant, players in (
        ("free-discard", 4), ("must-head", 5), ("secret+no-hook", 4), ("simultaneous+no-hook", 3), ("negative", 4), ("no-trump", 4),
        ("dealers-last-card", 4), ("trumps-broken", 5), ("trumps-later", 3), ("must-exceed", 6), ("squares", 4), ("over-counts", 4),
    )],
    *[("jabberwocky", "base", (), players, "", BIDDING) for players in (3, 4, 5)],
    ("jabberwocky", "two-players", (), 2, "", BIDDING),
    *[("israeli-whist", variant, (), 4, "", WHIST) for variant in (
        "base", "declarer-rebids", "three-passes", "no-reentry", "forced-last", "from-four", "guymerin", "oferelyakim",
    )],
    ("israeli-whist", "gulash", ("gulash.min_bid_step=1", "gulash.cards=5"), 4, "pass " * 8, {Tape.GULASH, *WHIST}),
    ("israeli-whist", "forced-last", (), 4, "pass pass pass", WHIST),
    ("israeli-whist", "base", (), 4, "pass 5C pass pass", WHIST),
    ("israeli-whist", "base", (), 4, "5C pass pass pass", BIDDING),
]
COUNTED_AS = {"call": "calls", "gulash": "gulash", "bid": "bids", "card": "card"}

every_table = pytest.mark.parametrize(("game", "variant", "settings", "players", "calls", "kinds"), TABLES)


def decisions(record, calls):
    """Yield the decisions of a deal that its script left to the players."""
    for now, action in twins.moments(record):
        if now.decision != "call" or now.made["calls"] >= len(calls.split()):
            yield now, action


def question(book, calls):
    return setup_of(book, calls=calls, dealer=NONE) if calls else None


# ---------------------------------------------------------------- what they see

@pytest.mark.parametrize("game", ["israeli-whist", "oh-hell", "jabberwocky"])
def test_a_made_bid_is_worth_more_than_a_missed_one_in_every_scheme(game):
    for variant in ["base", *(variant.name for variant in rules.variants(game))]:
        book = load(game, variant)
        assert (policies.usual_stake(book) < 0) == book.fields["score"].get("low_wins", False), variant


@every_table
def test_networks_see_what_their_twin_sees(game, variant, settings, players, calls, kinds):
    book = load(game, variant, settings, players)
    twin, engine = Learned(wild(), book), drawing(book, setup=question(book, calls))
    seen = Counter()
    for number in range(scaled(5, 1)):
        facts, table = taped(engine, 11 * number + len(variant))
        [record] = exported(facts, book, [wild()])
        noted = tape(table)
        at = 0
        for now, action in decisions(record, calls):
            for note in twin.notes(now, action, [note.chosen for note in noted[at:]]):
                found = noted[at]
                assert (found.kind, found.seat, found.chosen, found.what) == (note.kind, note.seat, note.chosen, note.what), now
                np.testing.assert_allclose(found.shared, note.shared, rtol=1e-6, atol=1e-6, err_msg=str(now))
                np.testing.assert_allclose(found.own, note.own, rtol=1e-6, atol=1e-6, err_msg=str(now))
                seen[note.kind] += 1
                at += 1
        assert at == len(noted)
    assert kinds <= set(seen) or scaled(0, 1), seen


# ---------------------------------------------------------------- what they choose

def faults_of(book, policy, n, first, calls=""):
    """Return how often each kind of decision was made, and where the twin would not have decided so."""
    twin, counts, faults = Learned(policy, book), Counter(), []
    for record in exported(deals(book, [policy], n, first, setup=question(book, calls)), book, [policy]):
        for now, action in decisions(record, calls):
            counts[now.decision] += 1
            fault = twin.fault(now, action)
            if fault:
                faults.append(f"deal {record['deal']}, seat {now.seat} with {' '.join(sorted(now.hand))}: {fault}")
    return counts, faults


@every_table
def test_learned_players_decide_as_their_twin(game, variant, settings, players, calls, kinds):
    book = load(game, variant, settings, players)
    counts, faults = faults_of(book, wild(), scaled(5, 1), 7 * len(variant), calls)
    assert faults == []
    names = {"card" if kind == Tape.PLAY else kind.name.lower() for kind in kinds}
    assert names <= set(counts) or scaled(0, 1), counts


@pytest.mark.parametrize(("game", "players"), [("israeli-whist", 4), ("oh-hell", 5), ("jabberwocky", 3)])
def test_of_equal_scores_the_first_is_taken(game, players):
    zeros = {f"{family}/{net}": np.zeros(policies.net_size(family, net), np.float32) for family, nets in policies.NETS.items() for net in nets}
    book = load(game, players=players)
    counts, faults = faults_of(book, written("zeros", zeros), scaled(12, 1), 0)
    assert faults == []
    assert counts["call" if game == "israeli-whist" else "card"] >= scaled(48, 4)


@pytest.mark.parametrize(("game", "variant", "players"), [
    ("israeli-whist", "base", 4), ("israeli-whist", "gulash", 4), ("oh-hell", "base", 3), ("oh-hell", "secret", 6), ("jabberwocky", "base", 4),
])
def test_networks_of_a_file_and_networks_put_in_place_choose_the_same(game, variant, players):
    book, n = load(game, variant, players=players), scaled(300, 2)
    by_file, by_hand = (Engine(Run(book, [policy])) for policy in (wild(2), wild(1)))
    before, _ = by_hand.play(0, n)
    floats = by_hand.weights.view(np.float32)
    for name, net in policies.networks(policies.load(wild(2)).nets, policies.net_family(book)).items():
        [at] = set(by_hand.policies[f"net_{name}"].tolist())
        floats[at:at + net.size] = net
    wanted, after = by_file.play(0, n)[0], by_hand.play(0, n)[0]
    assert all(np.array_equal(wanted[name], after[name]) for name in wanted.dtype.names)
    assert (before["play"] != after["play"]).any(axis=-1).mean() > 0.5


@pytest.mark.parametrize(("game", "players"), [("israeli-whist", 4), ("oh-hell", 4)])
def test_in_training_choices_are_drawn_by_the_softmax_of_their_scores(game, players):
    book = load(game, players=players)
    twin, engine = Learned(wild(), book), drawing(book)
    surprise, spread = np.zeros(2), np.zeros(2)       # of the first candidate and of the likeliest
    for number in range(scaled(100, 2)):
        for note in tape(taped(engine, number)[1]):
            if note.kind != Tape.BID:
                scores = twin.nets[note.kind.name.lower()].scores(note.shared, note.own).astype(float)
                chances = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                looked_at = [0, int(chances.argmax())]
                surprise += (np.array(looked_at) == note.chosen) - chances[looked_at]
                spread += chances[looked_at] * (1 - chances[looked_at])
    assert (spread > scaled(100, 1)).all()
    assert (abs(surprise) < 5 * np.sqrt(spread)).all()


# ---------------------------------------------------------------- the tape

LONG = [
    *[("oh-hell", variant, (), players, cards, "") for variant, players, cards in (("base", 7, 7), ("free-discard", 3, 17), ("no-trump", 3, 17))],
    ("jabberwocky", "base", (), 5, None, ""),
    *[("israeli-whist", variant, (), 4, None, "") for variant in ("base", "from-four", "guymerin")],
    ("israeli-whist", "gulash", (), 4, None, "pass " * 8),
]
LONGEST = [("israeli-whist", "gulash", ("gulash.max=4", f"gulash.cards={cards}"), 4, None, "pass " * 16) for cards in (3, 13)]


def most_noted(game, variant, settings, players, cards, calls, explore):
    """Return the most decisions and the most numbers on a tape of some deals."""
    book = load(game, variant, settings, players)
    engine = drawing(book, explore, cards=cards, setup=question(book, calls))
    tables = [taped(engine, number)[1] for number in range(scaled(60, 1))]
    for table in tables:
        notes = tape(table)
        assert all(0 <= note.chosen < len(note.own) for note in notes)
        assert FIRST + sum(note.shared.size + note.own.size for note in notes) <= FIRST + table["work_at"] <= WORK
    return max(table["n_tape"] for table in tables), FIRST + max(table["work_at"] for table in tables)


@pytest.mark.parametrize("explore", [0.0, 1.0])
@pytest.mark.parametrize("long", LONG)
def test_the_tape_has_room_for_every_decision(long, explore):
    n, end = most_noted(*long, explore)
    assert 0 < n < TAPE
    assert end + MOST_INPUTS < WORK


@pytest.mark.parametrize("longest", LONGEST)
def test_a_tape_that_is_full_takes_no_more(longest):
    n, end = most_noted(*longest, 1.0)
    assert 0 < n <= TAPE
    assert end <= WORK - MOST_INPUTS


@pytest.mark.parametrize(("game", "players"), [("israeli-whist", 4), ("oh-hell", 7), ("jabberwocky", 3), ("spanish-solo", 3)])
def test_at_the_table_nothing_is_noted(game, players):
    engine = Engine(Run(load(game, players=players), [wild()]))
    for number in range(scaled(20, 1)):
        _, table = taped(engine, number)
        assert (table["n_tape"], table["work_at"]) == (0, 0)
