"""How likely a seat says what it said, against a twin in plain Python: the policy's own choice, or a slip that halves with each step away from it.

The twin takes the choice from a deal that is played on from there, and what was legal from the referee.
"""

from collections import Counter
from copy import copy
from functools import cache
from math import prod
from random import Random

import numpy as np
import pytest

from analyzer import situation
from analyzer.cards import call
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels.compiled import JIT
from kernels.layout import WORLD
from tests import oracle, twins
from tests.kernels.tools import name_of, scaled, setup_of, wild

SLIPS = 0.1
CONTRACTS = ["pass", "juego", "juego-diamonds", "bola", "bola-diamonds", "sin-pedir", "sin-pedir-diamonds"]
POLICIES = ["rules", wild()]
TABLES = [
    ("oh-hell", "base", 4), ("oh-hell", "must-exceed", 3), ("oh-hell", "dealers-last-card", 5), ("jabberwocky", "base", 4),
    ("israeli-whist", "base", 4), ("israeli-whist", "no-reentry", 4), ("israeli-whist", "forced-last", 4), ("israeli-whist", "declarer-rebids", 4),
    ("spanish-solo", "base", 3), ("spanish-solo", "trump-later", 3),
]


# ---------------------------------------------------------------- the twin

def steps(decision, one, other, legal):
    """Return how far two answers lie apart; a pass of Israeli Whist lies one step below the lowest number that may be called, another trump two steps away."""
    if decision == "bid":
        return abs(one - other)
    if one in CONTRACTS and other in CONTRACTS:
        return abs(CONTRACTS.index(one) - CONTRACTS.index(other))
    if "pass" in (one, other):
        higher = max(one, other, key=lambda answer: answer != "pass")
        return oracle.contract_number(higher) - min(oracle.contract_number(answer) for answer in legal if answer != "pass") + 1
    apart = abs(oracle.contract_number(one) - oracle.contract_number(other))
    return apart + 2 * (oracle.contract_trump(one) != oracle.contract_trump(other))


def chance(decision, legal, choice, said):
    """Return P(a seat that would choose one answer gives another)."""
    weights = {answer: 0.5 ** steps(decision, choice, answer, legal) for answer in legal}
    return SLIPS * weights[said] / sum(weights.values()) + (1 - SLIPS) * (said == choice)


@cache
def table_of(game, variant, players):
    return load(game, variant, (), players)


@cache
def seated(game, variant, players, policies):
    return Engine(Run(table_of(game, variant, players), policies))


def engine(book, *policies):
    return seated(book.game, book.variant, book.players, policies)


def worlds_of(*hands):
    """Return worlds with these hands, a list of masks each."""
    worlds = np.zeros(len(hands), WORLD)
    for world, masks in zip(worlds, hands, strict=True):
        world["hands"][:len(masks)] = masks
    return worlds


def random_record(book, rng):
    """Return a deal in which everything said is drawn from what is legal, so that most of it is no policy's choice."""
    return oracle.random_record(book.game, rng, changes=book.fields, n=book.players)


def spoken(record):
    """Yield every call and bid of a deal: what its seat sees, and what it says."""
    for now, said in twins.moments(record):
        if now.decision in ("call", "bid"):
            yield copy(now), dict(now.made), said


def all_said(record):
    """Return how much is decided when everybody has spoken."""
    *_, now = (now for now, _ in twins.moments(record))
    return now.made | {"card": 0, "give": 0}


def hands_of(book, record):
    return [book.deck.hand(hand) for hand in record["hands"]]


def heard(book, policies, record, made, said=None):
    """Return by seat how likely it says what a deal's script says so far, and then one answer more."""
    setup = twins.script(record, book, made)
    setup["slips"] = SLIPS
    if said is not None:
        decision, answer = said
        name = "calls" if decision == "call" else "bids"
        setup[name][0, setup[f"n_{name}"][0]] = call(answer, book.auction) if decision == "call" else answer
        setup[f"n_{name}"] += 1
    return engine(book, *policies).weigh(worlds_of(hands_of(book, record)), setup)[0, :book.players]


def choice_of(book, policies, record, now, made):
    """Return what the policy of a seat says where a deal's script ends, out of a deal that is played on from there."""
    [fact] = engine(book, *policies).play(0, 1, twins.script(record, book, made))[0][:, 0]
    assert not fact["fault"]
    if now.decision == "bid":
        return int(fact["bids"][now.seat])
    number = fact["calls"][made["calls"]]
    return next(answer for answer in now.legal_calls if call(answer, book.auction) == number)


def legal(now):
    return now.legal_calls if now.decision == "call" else now.legal_bids


# ---------------------------------------------------------------- the facts

@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players"), TABLES)
def test_what_everybody_says_is_as_likely_as_the_twin_finds(game, variant, players, policy):
    """A world counts by the product over all that a seat said: each call and bid in view of what was said before it."""
    book, rng = table_of(game, variant, players), Random(1)
    for _ in range(scaled(30, 1)):
        record = random_record(book, rng)
        expected = dict.fromkeys(range(players), 1.0)
        for now, made, said in spoken(record):
            expected[now.seat] *= chance(now.decision, legal(now), choice_of(book, [policy], record, now, made), said)
        assert heard(book, [policy], record, all_said(record)) == pytest.approx(list(expected.values()), rel=1e-9)


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players"), TABLES)
def test_the_chances_of_all_that_is_legal_sum_to_one(game, variant, players, policy):
    book, rng = table_of(game, variant, players), Random(2)
    for _ in range(scaled(15, 1)):
        record = random_record(book, rng)
        for now, made, _ in spoken(record):
            before = heard(book, [policy], record, made)[now.seat]
            after = [heard(book, [policy], record, made, (now.decision, answer))[now.seat] for answer in legal(now)]
            assert sum(after) == pytest.approx(before, rel=1e-9)
            assert min(after) > 0               # no hand is impossible


@pytest.mark.parametrize(("game", "variant", "players"), [TABLES[0], TABLES[4], TABLES[8]])
def test_every_seat_is_judged_by_its_own_policy_and_random_players_are_not_heard(game, variant, players):
    book, rng = table_of(game, variant, players), Random(4)
    policies = ["rules", wild(), "random", wild(2)][:players]
    for _ in range(scaled(30, 1)):
        record = random_record(book, rng)
        mixed = heard(book, policies, record, all_said(record))
        for place, policy in enumerate(policies):
            seat = (record["dealer"] + 1 + place) % players
            alone = 1 if policy == "random" else heard(book, [policy], record, all_said(record))[seat]
            assert mixed[seat] == alone


def test_slips_of_a_policy_are_not_counted_twice():
    """A beginner bids as rules-1 does but for its slips: those that the question allows stand for all."""
    book, rng = table_of("oh-hell", "base", 4), Random(5)
    for _ in range(scaled(20, 1)):
        record = random_record(book, rng)
        chances = [heard(book, [policy], record, all_said(record)) for policy in ("beginner", "rules-1")]
        assert chances[0].tolist() == chances[1].tolist()


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players"), [TABLES[0], TABLES[4], TABLES[8]])
def test_one_world_leaves_nothing_to_the_next(game, variant, players, policy):
    book, rng = table_of(game, variant, players), Random(6)
    for _ in range(scaled(10, 1)):
        record = random_record(book, rng)
        setup = twins.script(record, book, all_said(record))
        setup["slips"] = SLIPS
        hands = hands_of(book, record)
        others = hands[1:] + hands[:1]
        one, other, again = engine(book, policy).weigh(worlds_of(hands, others, hands), setup)
        assert one.tolist() == again.tolist()
        assert engine(book, policy).weigh(worlds_of(others), setup)[0].tolist() == other.tolist()


# ---------------------------------------------------------------- honesty

@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players"), TABLES)
def test_a_swap_changes_only_the_chances_of_the_two_seats_that_it_touches(game, variant, players, policy):
    """A policy asked what it would have said sees its own hand alone."""
    book, rng = table_of(game, variant, players), Random(7)
    changed = Counter()
    for _ in range(scaled(30, 2)):
        record = random_record(book, rng)
        if book.auction == "none" and record["turnup"] in oracle.parse_hand(record["hands"][record["dealer"]]):
            continue
        setup = twins.script(record, book, all_said(record) | {"ask": 0})
        setup["slips"] = SLIPS
        hands = hands_of(book, record)
        one, other = rng.sample(range(players), 2)
        swaps = [list(hands)]
        for _ in range(scaled(20, 2)):
            both = 1 << rng.choice(book.deck.cards(hands[one])) | 1 << rng.choice(book.deck.cards(hands[other]))
            swaps.append([hand ^ both if seat in (one, other) else hand for seat, hand in enumerate(hands)])
        chances = engine(book, policy).weigh(worlds_of(*swaps), setup)
        for seat in range(players):
            if seat not in (one, other):
                assert (chances[:, seat] == chances[0, seat]).all()
            else:
                changed[seat] += int((chances[:, seat] != chances[0, seat]).sum())
    assert sum(changed.values()) > 0 or not JIT


# ---------------------------------------------------------------- a contract without its calls

MINE = "AKQ.T98.K87.J543"        # of the seat asked


def heard_contract(book, policy, hand, contract):
    """Return how likely the declarer, the dealer's next, closes with this contract."""
    asked = situation.from_question(book, MINE, contract=contract)
    setup = asked.setup.copy()
    setup["slips"] = SLIPS
    return engine(book, policy).weigh(worlds_of([hand, asked.hand, 0, 0]), setup)[0, asked.declarer]


def called(book, policy, hand, calls):
    """Return what the dealer's next calls after these calls, and what was legal."""
    [fact] = engine(book, policy).play(0, 1, setup_of(book, hands=[book.deck.hand_text(hand)], calls=calls))[0][:, 0]
    state = oracle.auction_state(book.fields, 3, list(enumerate(calls.split())))
    return next(answer for answer in state.legal if call(answer, "levels") == fact["calls"][len(calls.split())]), state.legal


def random_hands(book, rng, n):
    """Return hands of cards that the seat asked does not hold."""
    pack = book.deck.cards(book.deck.mask & ~book.deck.hand(MINE))
    return [sum(1 << card for card in rng.sample(pack, 13)) for _ in range(n)]


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize("contract", ["5S", "8H", "13NT"])
def test_a_contract_tells_that_its_trump_was_opened_and_nothing_higher_is_called(policy, contract):
    """IW-A2: the high bidder speaks again and may raise himself. So his suit tells of his hand, and that he stops here."""
    book = table_of("israeli-whist", "base", 4)
    opening = "5" + oracle.contract_trump(contract)
    for hand in random_hands(book, Random(8), scaled(20, 1)):
        choice, answers = called(book, policy, hand, "")
        expected = [chance("call", answers, choice, opening)]
        if contract != "13NT":                                  # the auction is closed
            choice, answers = called(book, policy, hand, f"{contract} pass pass pass")
            expected.append(chance("call", answers, choice, "pass"))
        assert heard_contract(book, policy, hand, contract) == pytest.approx(prod(expected), rel=1e-9)


def test_a_contract_that_nobody_could_raise_tells_the_call_itself():
    book = table_of("israeli-whist", "three-passes", 4)
    for hand in random_hands(book, Random(9), scaled(20, 1)):
        choice, answers = called(book, "rules", hand, "")
        assert heard_contract(book, "rules", hand, "7H") == pytest.approx(chance("call", answers, choice, "7H"), rel=1e-9)


# ---------------------------------------------------------------- gulashes

def test_IW_V1_passes_before_a_gulash_are_not_heard():
    """They were made with cards that the seats no longer hold."""
    book = table_of("israeli-whist", "gulash", 4)
    cards = {"gave": "S2 H2 D2", "got": "S3 H3 D3"}
    before = situation.from_question(book, "AKQ3.T93.K3.J543", calls="pass pass pass pass", dealer=3, **cards)
    after = situation.from_question(book, "AKQ3.T93.K3.J543", calls="pass pass pass pass 5S pass", dealer=1, seat=0, **cards)
    for asked, silent in ((before, {0, 1, 2, 3}), (after, {0, 1})):
        setup = asked.setup.copy()
        setup["slips"] = SLIPS
        rest = book.deck.cards(book.deck.mask & ~asked.hand)
        hands = [sum(1 << card for card in rest[place::3]) for place in range(3)]
        hands.insert(asked.seat, asked.hand)
        chances = engine(book, "rules").weigh(worlds_of(hands), setup)[0, :4]
        assert {seat for seat in range(4) if chances[seat] == 1} == silent
