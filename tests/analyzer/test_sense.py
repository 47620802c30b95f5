"""Does the advice make sense to a card player: over random hands, and in cases that players of other programs have argued about."""

from functools import cache, partial
from random import Random

import numpy as np
import pytest

from analyzer import advice, situation
from analyzer.advice import Playouts, advise
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels.compiled import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="needs more deals than plain Python plays")
POLICIES = pytest.mark.parametrize("policy", ["rules", "learned"])
table_of = cache(partial(load, "oh-hell"))
OH_HELL = table_of("base")
DECK = OH_HELL.deck
ACE = 12                # rank
CARDS = 7
DEALER = 3              # speaks last


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Let chains start with fewer swaps: a bid that stands out needs no better worlds."""
    monkeypatch.setattr(advice, "BURN_IN", 500)


def ask(hand, turnup, bids, dealer=DEALER, variant="base"):
    """Return the seat that speaks after these bids; hand and turn-up as a mask and a card, or as text."""
    hand = hand if isinstance(hand, str) else DECK.hand_text(hand)
    turnup = turnup if isinstance(turnup, str) else DECK.card_text(turnup)
    return situation.from_question(table_of(variant), hand, turnup=turnup, dealer=dealer, bids=",".join(map(str, bids)))


def value(asked, policy, deals=500, **how):
    return advise(asked, policies=[policy], deals=deals, **how)


def best(answer):
    return answer.results[0]["action"]


def played(policy, n, seed):
    """Yield hand, turn-up, dealer and bids before one of the seats, each in turn, of deals that the policy plays with itself."""
    facts = Engine(Run(OH_HELL, [policy], cards=CARDS, seed=seed)).play(0, n)[0][:, 0]
    for number, fact in enumerate(facts):
        place, dealer = number // 4 % 4, int(fact["dealer"])
        bids = [int(fact["bids"][(dealer + 1 + k) % 4]) for k in range(place)]
        yield int(fact["hands"][(dealer + 1 + place) % 4]), int(fact["turnup"]), dealer, bids


def drawn(rng, n, known):
    """Return a mask of n cards, none of them among those known."""
    return sum(1 << card for card in rng.sample(DECK.cards(DECK.mask & ~known), n))


# ---------------------------------------------------------------- over random hands

@POLICIES
def test_an_ace_for_another_card_of_its_suit_does_not_lower_the_best_bid(policy):
    """Settled answers; by more than one trick in at most one hand of a hundred."""
    rng, n, changes = Random(1), 80, []
    for hand, turnup, dealer, bids in played(policy, n, seed=1):
        aces = {card: card // 16 * 16 + ACE for card in DECK.cards(hand)}
        lower = [card for card, ace in aces.items() if not (hand | 1 << turnup) >> ace & 1]
        if lower:
            card = rng.choice(lower)
            before, after = (value(ask(held, turnup, bids, dealer), policy) for held in (hand, hand ^ (1 << card | 1 << aces[card])))
            if before.settled and after.settled:
                changes.append(best(after) - best(before))
    print(f"{policy}: {len(changes)} settled, change of the best bid {dict(zip(*np.unique(changes, return_counts=True), strict=True))}")
    assert len(changes) >= 12
    assert np.mean(np.array(changes) < -1) <= 0.01
    assert np.mean(changes) > 0.2           # an ace is worth something


@POLICIES
def test_a_dealer_never_bids_what_the_hook_forbids(policy):
    rng = Random(2)
    for _ in range(60):
        turnup = rng.choice(DECK.cards(DECK.mask))
        bids = [rng.randrange(4) for _ in range(3)]
        asked = ask(drawn(rng, CARDS, 1 << turnup), turnup, bids)
        blocked = CARDS - sum(bids)
        answer = value(asked, policy, deals=100)
        assert sorted(row["action"] for row in answer.results) == [bid for bid in range(CARDS + 1) if bid != blocked]


@POLICIES
def test_six_highest_trumps_never_bid_zero(policy):
    """Nor less than six."""
    rng = Random(3)
    for _ in range(40):
        turnup = rng.choice(DECK.cards(DECK.mask))
        trumps = [turnup // 16 * 16 + rank for rank in range(ACE, -1, -1)]
        hand = sum(1 << card for card in [card for card in trumps if card != turnup][:6])
        hand |= drawn(rng, 1, hand | 1 << turnup)
        bids = [rng.randrange(2) for _ in range(rng.randrange(3))]
        assert best(value(ask(hand, turnup, bids), policy)) >= 6


@POLICIES
def test_a_dealer_with_the_ace_of_trump_never_ends_on_zero(policy):
    """Not where the hook takes the sound bid of one from him either. Source: Trickster bots, issue 59."""
    rng = Random(4)
    for number in range(80):
        suit = rng.randrange(4)
        turnup = suit * 16 + rng.randrange(ACE)
        ace = 1 << suit * 16 + ACE
        bids = rng.choice([(2, 2, 2), (1, 2, 3), (4, 1, 1), (0, 3, 3)]) if number % 2 else [rng.randrange(3) for _ in range(3)]
        assert best(value(ask(ace | drawn(rng, CARDS - 1, ace | 1 << turnup), turnup, bids), policy)) > 0


# ---------------------------------------------------------------- public cases

LONE = pytest.mark.parametrize(("hand", "turnup"), [(".765432..A", "2C"), (".765432..K", "AC")], ids=["ace", "boss king"])


@POLICIES
@LONE
def test_one_sure_trick_is_bid(policy, hand, turnup):
    """Others bid 1, 2 and 3; the highest trump that is out takes one trick, low hearts none."""
    answer = value(ask(hand, turnup, [1, 2, 3], variant="no-hook"), policy)
    assert best(answer) == 1
    assert answer.settled


@POLICIES
@LONE
def test_where_the_hook_takes_the_sure_bid_two_is_as_good_as_any(policy, hand, turnup):
    answer = value(ask(hand, turnup, [1, 2, 3]), policy, deals=5000)
    rows = {row["action"]: row for row in answer.results}
    assert 1 not in rows
    assert rows[2]["regret"] < 0.02
    assert rows[2]["regret_low"] <= 0
    assert not answer.settled


@POLICIES
@LONE
def test_where_the_hook_takes_the_sure_bid_two_is_said(policy, hand, turnup):
    """Source: Trickster bots, PR 60: never below the number of boss trumps."""
    assert best(value(ask(hand, turnup, [1, 2, 3]), policy, deals=1000)) == 2


# ---------------------------------------------------------------- what the others say

@pytest.mark.parametrize(("policy", "hand", "turnup", "dealer", "bids", "heard", "ignored"), [
    ("rules", "K93.93..92", "S6", 0, [3, 1, 1], 1, 3),
    ("learned", "KJ5.AJ3.4.", "H4", 2, [4, 0, 0], 2, 4),
])
def test_others_who_bid_high_hold_the_high_cards(policy, hand, turnup, dealer, bids, heard, ignored):
    """Hearing them settles on fewer tricks than their bare bids do."""
    asked = ask(hand, turnup, bids, dealer)
    answers = [value(asked, policy, deals=2000, ignore_calls=ignore) for ignore in (False, True)]
    assert [(best(answer), answer.settled, answer.conditioned) for answer in answers] == [(heard, True, True), (ignored, True, False)]
    with_calls, without = ({row["action"]: row for row in answer.results}[ignored] for answer in answers)
    assert with_calls["ev_high"] < without["ev_low"]


@POLICIES
def test_the_same_hand_bids_more_after_low_bids(policy):
    low, high = (value(ask("KJ5.AJ3.4.", "H4", bids, 2), policy, deals=2000) for bids in ([0, 0, 0], [4, 1, 1]))
    assert best(low) > best(high)


# ---------------------------------------------------------------- what is known

@pytest.mark.parametrize("ignore_calls", [
    False, True,
])
def test_IW_V1_cards_handed_on_lie_where_two_gulashes_can_bring_them(ignore_calls):
    """Those of the first go to the right and perhaps one seat on; with or without calls, no world has them elsewhere."""
    asked = situation.from_question(
        load("israeli-whist", "gulash"), "AKQ3.T93.K3.J543", calls="pass " * 8, gave="S2 H2 D2 S4 H4 D4", got="S3 H3 D3 C3 C4 C5")
    first, second = DECK.hand("S2 H2 D2"), DECK.hand("S4 H4 D4")
    playouts = Playouts(asked, ["rules"], seed=1, standing=None, ignore_calls=ignore_calls)
    hands = playouts.facts(asked.actions[0], 0, 200, playouts.worlds(20, 10))[0]["hands"][:, :4]
    assert (hands[:, 3] & second == second).all()
    assert ((hands[:, 3] | hands[:, 2]) & first == first).all()
