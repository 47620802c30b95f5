"""Hidden cards do not change a choice: the same seat, the same public past, other cards where it cannot look.

A deal is played and cut at a decision. Then two cards change places that its seat cannot see, so that all that was called, bid, named, given and played before
stays legal, and the decision is made again.
"""

import inspect
import json
from copy import copy
from functools import cache
from itertools import combinations
from random import Random

import pytest

from analyzer import records
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels import choices, layout
from kernels.layout import NONE
from tests import oracle, twins
from tests.kernels.tools import deals, name_of, scaled, setup_of, wild

POLICIES = ["random", "rules", wild()]
TABLES = [
    ("oh-hell", "base", 4, "", {"bid", "card"}),
    ("oh-hell", "must-head", 6, "", {"bid", "card"}),
    ("oh-hell", "secret", 3, "", {"bid", "card"}),
    ("oh-hell", "simultaneous+free-discard", 5, "", {"bid", "card"}),
    ("oh-hell", "dealers-last-card", 4, "", {"bid", "card"}),
    ("jabberwocky", "base", 5, "", {"bid", "card"}),
    ("jabberwocky", "two-players", 2, "", {"bid", "card"}),
    ("israeli-whist", "base", 4, "", {"call", "bid", "card"}),
    ("israeli-whist", "gulash", 4, "pass pass pass pass", {"call", "gulash", "bid", "card"}),
    ("israeli-whist", "declarer-rebids", 4, "", {"call", "bid", "card"}),
    ("spanish-solo", "base", 3, "", {"call", "trump", "card"}),
    ("spanish-solo", "base", 3, "bola pass pass", {"call", "trump", "ask", "give", "card"}),
    ("spanish-solo", "trump-later", 3, "pass bola pass", {"call", "trump", "ask", "give", "card"}),
    ("spanish-solo", "parlett", 3, "pass pass pass", {"trump", "card"}),
]
PUBLIC = ("seat", "hand", "decision", "asked_from")      # what tells a world that fits from one that does not


def recorded(book, policies, n, **known):
    return [json.loads(line) for line in records.lines(deals(book, policies, n, **known), book, policies, 1)]


@cache
def engine(game, variant, players, policies):
    return Engine(Run(load(game, variant, (), players), policies))


def engine_of(book, *policies):
    return engine(book.game, book.variant, book.players, policies)


def decided(engine, now, setup):
    """Return what a seat decides where the script ends."""
    [fact] = engine.play(0, 1, setup)[0][:, 0]
    assert not fact["fault"]
    return {
        "call": lambda: fact["calls"][now.made["calls"]],
        "gulash": lambda: fact["gulash"][now.made["gulash"], now.seat],
        "bid": lambda: fact["bids"][now.seat],
        "trump": lambda: fact["trump"],
        "ask": lambda: fact["asked"],
        "give": lambda: fact["given"],
        "card": lambda: fact["play"][now.made["card"]],
    }[now.decision]()


def decision_of(book, setup):
    """Return what the seat to decide sees, None where the script breaks a rule."""
    referee = engine_of(book, "random")
    referee.setup = setup
    table, facts = referee.stop()
    return None if facts["fault"] else table


def cuts(book, record, rng, most):
    """Return moments of a deal, of every kind of decision at most so many."""
    by_kind = {}
    for now, _ in twins.moments(record):
        by_kind.setdefault(now.decision, []).append(copy(now))
        by_kind[now.decision][-1].made = dict(now.made)
    return [now for found in by_kind.values() for now in rng.sample(found, min(most, len(found)))]


def hidden_elsewhere(book, record, now, rng, most):
    """Yield setups with two hidden cards in each other's place, which all that happened so far allows."""
    deck = book.deck
    setup = twins.script(record, book, now.made)
    before = decision_of(book, setup)
    known = set(oracle.parse_hand(record["hands"][now.seat])) | {record["turnup"]} | set(record["play"][:now.made["card"]])
    places = [set(oracle.parse_hand(hand)) - known for hand in record["hands"]]
    places.append(oracle.deck_of(record["rules"]) - known - set().union(*places))
    swaps = [(i, j, one, other) for (i, cards), (j, others) in combinations(enumerate(places), 2) for one in sorted(cards) for other in sorted(others)]
    found = 0
    for i, j, one, other in rng.sample(swaps, min(len(swaps), 20 * most)):
        again = setup.copy()
        for seat, change in ((i, deck.card(one)), (j, deck.card(one)), (i, deck.card(other)), (j, deck.card(other))):
            if seat < book.players:
                again["held"][0, seat] ^= 1 << change
        after = decision_of(book, again)
        if after is None or any(before[name] != after[name] for name in PUBLIC):
            continue
        assert before.tobytes() == after.tobytes()           # the table shows nothing of it
        yield again
        found += 1
        if found == most:
            return


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players", "calls", "kinds"), TABLES)
def test_hidden_cards_do_not_change_a_choice(game, variant, players, calls, kinds, policy):
    book, rng = load(game, variant, (), players), Random(1)
    players = engine_of(book, policy)
    setup = setup_of(book, calls=calls, dealer=NONE) if calls else None
    tried = dict.fromkeys(kinds, 0)
    for record in recorded(book, [policy], scaled(20, 1), setup=setup):
        for now in cuts(book, record, rng, scaled(6, 1)):
            action = decided(players, now, twins.script(record, book, now.made))
            for elsewhere in hidden_elsewhere(book, record, now, rng, scaled(3, 1)):
                assert decided(players, now, elsewhere) == action, f"deal {record['deal']}: {now}"
                tried[now.decision] = tried.get(now.decision, 0) + 1
    assert all(tried[kind] for kind in kinds) or scaled(0, 1), tried


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("variant", "decisions"), [("secret", {"bid", "card"}), ("simultaneous", {"bid"})])
def test_bids_that_a_seat_does_not_see_do_not_change_a_choice(variant, decisions, policy):
    book, rng = load("oh-hell", variant), Random(2)
    players = engine_of(book, policy)
    for record in recorded(book, [policy], scaled(10, 2)):
        for now in cuts(book, record, rng, scaled(8, 1)):
            if now.decision not in decisions:
                continue
            setup = twins.script(record, book, now.made)
            action = decided(players, now, setup)
            for k in range(setup["n_bids"][0]):
                if (record["leader"] + k) % book.players != now.seat:
                    setup["bids"][0, k] = rng.randrange(now.cards + 1)
            assert decided(players, now, setup) == action, f"deal {record['deal']}: {now}"


@pytest.mark.parametrize("policy", ["rules", wild()], ids=name_of)
@pytest.mark.parametrize(("game", "calls"), [("oh-hell", ""), ("israeli-whist", ""), ("spanish-solo", "bola pass pass")])
def test_it_does_not_matter_who_sits_in_the_other_seats(game, calls, policy):
    book, rng = load(game), Random(3)
    setup = setup_of(book, calls=calls, dealer=NONE) if calls else None
    for record in recorded(book, [policy], scaled(8, 1), setup=setup):
        for now in cuts(book, record, rng, scaled(6, 2)):
            place = (now.seat - now.dealer - 1) % book.players
            strangers = [policy if k == place else "random" for k in range(book.players)]
            script = twins.script(record, book, now.made)
            assert decided(engine_of(book, *strangers), now, script) == decided(engine_of(book, policy), now, script)


# ---------------------------------------------------------------- honest by construction

def called_by(function):
    """Return a function of the kernels as written, and all that it calls."""
    found, waiting = {}, [function]
    while waiting:
        function = waiting.pop()
        function = getattr(function, "py_func", function)
        if inspect.isfunction(function) and function.__module__.startswith("kernels.") and function.__name__ not in found:
            found[function.__name__] = function
            waiting += [function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__]
    return found


def test_no_policy_is_handed_what_lies_face_down():
    known = {}
    for name, function in vars(choices).items():
        if name.startswith("choose_"):
            known |= called_by(function)
    assert {"choose_card", "choose_call", "choose_given", "aim_at_bid", "bid_by_expectation", "put_play", "learned_call", "play_for_points"} <= set(known)
    for name, function in known.items():
        assert not {"deal", "facts", "setup", "hands", "stock", "deal_", "facts_", "setup_"} & set(inspect.signature(function).parameters), name
        assert not {"DEAL", "FACTS", "SETUP"} & set(function.__code__.co_names), name


def test_the_table_holds_one_hand_and_no_stock():
    fields = set(layout.TABLE.names)
    assert not {"hands", "stock", "policy_of", "plays_by", "rng", "seed", "held", "memo"} & fields
    assert layout.TABLE["hand"].shape == ()
