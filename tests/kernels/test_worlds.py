"""Worlds: how often a chain deals every hand, against all deals counted one by one; what is known stays; the same worlds however the chains are split.

Small decks: cards seen in nobody's hand leave a dozen live ones. A mean over chains counts with the error that the chains show (batch means).
"""

from collections import Counter
from functools import cache
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from analyzer import situation
from analyzer.advice import BURN_IN, SLIPS
from analyzer.errors import ImpossibleError
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels.compiled import JIT
from kernels.layout import NONE, WORLD
from tests.kernels.tools import name_of, scaled, wild

ERRORS = 5              # standard errors that a frequency may be off
SHORT_BURN_IN, FEW_SWAPS = scaled(200, 80), 12
CHAINS, WORLDS = scaled(600, 24), scaled(40, 8)


@cache
def table_of(game, variant="base", players=None):
    return load(game, variant, (), players)


def ask(game, hand, variant="base", players=None, **said):
    return situation.from_question(table_of(game, variant, players), hand, **said)


def engine_of(asked, policy):
    return Engine(Run(asked.rules, [policy], pool=asked.pool, setup=asked.setup))


def script_of(asked, **known):
    setup = asked.setup.copy()
    setup["slips"], setup["swaps"], setup["burn_in"] = 0.1, FEW_SWAPS, SHORT_BURN_IN
    for name, value in known.items():
        setup[name] = value
    return setup


def drawn(asked, policy="rules", chains=8, n=4, seed=1, **known):
    """Return the hands of worlds, shape (chains, n, seats)."""
    engine = engine_of(asked, policy)
    return engine.draw(0, chains, n, script_of(asked, seed=seed, **known))["hands"][:, :, :asked.rules.players]


# ---------------------------------------------------------------- against all deals

TURNUP = "S7"
LIVE = {"SQ C7": "S2 S5 S9 SJ H3 H8 HQ HA D4 DT CK", "SQ C7 D2": "S2 S5 S9 SJ SA H3 H8 HQ HA D4 DT CK"}       # cards not seen, by the hand of the seat asked


def small_deck(bids, dealer=2, hand="SQ C7"):
    """Return a seat of three that has seen all but a dozen of the other cards lie in nobody's hand."""
    deck = table_of("oh-hell", players=3).deck
    gone = deck.mask & ~deck.hand(f"{hand} {TURNUP} {LIVE[hand]}")
    return ask("oh-hell", hand, players=3, turnup=TURNUP, dealer=dealer, bids=bids, seen=" ".join(map(deck.card_text, deck.cards(gone))))


def live_cards(asked):
    return asked.rules.deck.cards(asked.rules.deck.mask & ~asked.hand & ~int(asked.setup[0]["stock"]) & ~(1 << asked.turnup))


def others(asked):
    return [seat for seat in range(asked.rules.players) if seat != asked.seat]


def all_worlds(asked):
    """Return every way to lay the live cards: full hands for two other seats, the rest nobody's."""
    live = live_cards(asked)
    hands = []
    for one in combinations(live, asked.cards):
        for other in combinations([card for card in live if card not in one], asked.cards):
            masks = [asked.hand] * 3
            for seat, cards in zip(others(asked), (one, other), strict=True):
                masks[seat] = sum(1 << card for card in cards)
            hands.append(masks)
    worlds = np.zeros(len(hands), WORLD)
    worlds["hands"][:, :3] = hands
    return worlds


def lies(hands, asked):
    """Return of every live card whether it lies with the one other seat, the other, or nobody, and of every two cards whether they lie with each other's seats
    or in one hand: shape (..., facts) of 0 and 1."""
    one, other = (np.stack([hands[..., seat] >> card & 1 for card in live_cards(asked)], axis=-1) for seat in others(asked))
    apart = (one[..., :, None] & other[..., None, :]).reshape(*one.shape[:-1], -1)
    pairs = [held[..., i] & held[..., j] for held in (one, other) for i, j in combinations(range(one.shape[-1]), 2)]
    return np.concatenate([one, other, 1 - one - other, apart, np.stack(pairs, axis=-1)], axis=-1).astype(np.float64)


def truth(asked, policy, **known):
    """Return how often each fact of `lies` is so, over all deals by how likely the others say with them what they said."""
    every = all_worlds(asked)
    weights = engine_of(asked, policy).weigh(every, script_of(asked, **known))[:, others(asked)].prod(axis=1)
    return weights @ lies(every["hands"][:, :3], asked) / weights.sum()


def fits(found, expected):
    """Do worlds, shape (chains, worlds, facts), have the frequencies expected, within `ERRORS` standard errors of the means by chain?"""
    chains, worlds, _ = found.shape
    means = found.mean(axis=1)
    error = np.maximum(means.std(axis=0, ddof=1) / sqrt(chains), np.sqrt(expected * (1 - expected) / (chains * worlds)))     # no luckier than single deals
    return (np.abs(means.mean(axis=0) - expected) <= ERRORS * error + 1e-12).all()


@pytest.mark.parametrize("policy", ["rules", "learned"])
@pytest.mark.parametrize(("bids", "dealer"), [("1,0", 2), ("2", 1), ("0,2", 2)])
def test_worlds_come_as_often_as_what_was_said_with_them_is_likely(bids, dealer, policy):
    asked = small_deck(bids, dealer)
    expected, uniform = truth(asked, policy), lies(all_worlds(asked)["hands"][:, :3], asked).mean(axis=0)
    found = lies(drawn(asked, policy, CHAINS, WORLDS), asked)
    assert fits(found, expected)
    assert not fits(found, uniform) or not JIT                  # enough worlds to tell the two apart


@pytest.mark.skipif(not JIT, reason="needs more swaps than plain Python makes")
@pytest.mark.parametrize(("hand", "bids"), [("SQ C7", "2,0"), ("SQ C7 D2", "3,1"), ("SQ C7 D2", "0,3"), ("SQ C7 D2", "1,1")])
def test_the_first_world_of_a_chain_has_forgotten_the_deal_that_it_started_from(hand, bids):
    """With the swaps and slips of the advisor: bids that hardly any deal explains, too."""
    asked = small_deck(bids, hand=hand)
    known = {"slips": SLIPS, "burn_in": BURN_IN}
    assert fits(lies(drawn(asked, "rules", 3000, 1, **known), asked), truth(asked, "rules", **known))


@pytest.mark.parametrize("bids", [None, "1,0"])
def test_where_nobody_is_heard_all_deals_come_alike(bids):
    """Nobody has spoken, or random players have, whose words tell nothing. Every hidden card is in the stock in its share: seven of eleven."""
    asked = small_deck(bids)
    expected = lies(all_worlds(asked)["hands"][:, :3], asked).mean(axis=0)
    assert expected[22:33] == pytest.approx(7 / 11)
    found = lies(drawn(asked, "rules" if bids is None else "random", CHAINS, WORLDS, burn_in=0), asked)
    assert fits(found, expected)
    assert fits(found[:, :1], expected)                         # the start of every chain is dealt


@pytest.mark.parametrize(("policy", "game", "hand", "said"), [
    ("rules", "oh-hell", "..32.A", {"turnup": "2C", "bids": "1 2"}),
    ("learned", "israeli-whist", "AKQ32.T9.K87.J54", {"calls": "pass 5H pass"}),
    (wild(), "israeli-whist", "AKQ32.T9.K87.J54", {"contract": "6S", "bids": "3"}),
    ("rules", "spanish-solo", "7AK4.73.A53.QJ6", {"calls": "pass juego", "pool": 4}),
], ids=lambda value: name_of(value) if isinstance(value, str) else str(value))
def test_chances_of_drawn_worlds_are_those_of_weighed_ones(policy, game, hand, said):
    """What a chain remembers of a world is what asking everybody anew finds."""
    asked = ask(game, hand, **said)
    engine, setup = engine_of(asked, policy), script_of(asked)
    worlds = engine.draw(0, scaled(20, 2), scaled(10, 2), setup).reshape(-1)
    assert worlds["chances"][:, others(asked)].tolist() == engine.weigh(worlds, setup)[:, others(asked)].tolist()
    assert len(set(map(bytes, worlds["hands"]))) > len(worlds) / 4


# ---------------------------------------------------------------- what is known

QUESTIONS = [
    ("oh-hell", "..32.A", None, {"turnup": "2C", "bids": "1 2", "seen": "C7 D8@0 HA HK"}),
    ("oh-hell", "AK.Q..", 7, {"turnup": "2C", "bids": "1 0 0 1", "seen": "CA@6 S2@6"}),
    ("jabberwocky", "AK.Q.2.3", 3, {"turnup": "2C", "bids": "1 2"}),
    ("israeli-whist", "AKQ32.T9.K87.J54", None, {"calls": "pass 5H pass", "seen": "HA@1 S4@0"}),
    ("spanish-solo", "7AK4.73.A53.QJ6", None, {"calls": "pass juego", "seen": "CA@0"}),
]


@pytest.mark.parametrize(("game", "hand", "players", "said"), QUESTIONS)
def test_hands_are_hands_and_what_was_seen_stays_where_it_lies(game, hand, players, said):
    asked = ask(game, hand, players=players, **said)
    hands = drawn(asked, chains=scaled(60, 4), n=scaled(20, 4))
    assert (np.bitwise_count(hands) == asked.cards).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(hands, axis=2)) == asked.cards * asked.rules.players).all()       # no card twice
    out = np.bitwise_or.reduce(hands.reshape(-1, asked.rules.players), axis=1)
    assert not (out & ~asked.rules.deck.mask).any()
    assert (hands[:, :, asked.seat] == asked.hand).all()
    for card, holder in asked.seen:
        if holder == NONE:
            assert not (out >> card & 1).any()
        else:
            assert (hands[:, :, holder] >> card & 1).all()
    if asked.turnup != NONE:
        assert not (out >> asked.turnup & 1).any()


def test_the_stock_is_dealt_anew():
    asked = ask("oh-hell", "..32.A", turnup="2C", bids="1 2")
    known = asked.hand | 1 << asked.turnup
    hands = drawn(asked, chains=scaled(100, 20), n=scaled(20, 4), burn_in=50)
    stocks = asked.rules.deck.mask & ~known & ~np.bitwise_or.reduce(hands, axis=2)
    assert int(np.bitwise_or.reduce(stocks.reshape(-1))) == asked.rules.deck.mask & ~known      # every hidden card is there now and then
    ever_held = np.bitwise_or.reduce(hands[:, :, [0, 1, 3]].reshape(-1, 3), axis=0)
    assert (np.bitwise_count(ever_held) > scaled(40, 20)).all()


def test_voids_are_respected_in_every_world():
    asked = ask("oh-hell", "..32.A", turnup="2C", bids="1 2")
    voids = np.zeros((1, 7), np.int64)
    voids[0, 0], voids[0, 3] = 0b1000, 0b0110                   # seat 0 has no spade, seat 3 neither diamonds nor hearts
    hands = drawn(asked, chains=scaled(40, 4), n=scaled(10, 4), voids=voids)
    suit = [sum(1 << rank for rank in range(13)) << 16 * k for k in range(4)]
    assert not (hands[:, :, 0] & suit[3]).any()
    assert not (hands[:, :, 3] & (suit[1] | suit[2])).any()


def test_cards_that_a_seat_cannot_hold_are_never_with_it():
    asked = ask("oh-hell", "..32.A", turnup="2C", bids="1 2")
    apart = np.zeros((1, 7), np.int64)
    apart[0, 0], apart[0, 1] = 0x1FFF << 48, 0x1FFF << 32       # seat 0 holds no spade, seat 1 no heart
    hands = drawn(asked, chains=scaled(40, 4), n=scaled(10, 4), apart=apart)
    assert not (hands[:, :, :2] & apart[0, :2]).any()
    assert (hands[:, :, 1] & apart[0, 0]).any()
    assert (hands[:, :, 0] & apart[0, 1]).any()


def test_SS_the_card_asked_for_lies_with_its_holder():
    asked = ask("spanish-solo", "7AK4.73.A53.QJ6", calls="bola pass pass", trump="S", asked="HA@2")
    assert asked.decision == "give"
    hands = drawn(asked, chains=scaled(40, 4), n=scaled(10, 4))
    assert (hands[:, :, 2] >> asked.asked & 1).all()
    assert (hands[:, :, 0] == asked.hand).all()


def test_IW_V1_cards_that_were_handed_over_lie_with_who_got_them():
    asked = ask("israeli-whist", "AKQ3.T93.K3.J543", "gulash", calls="pass pass pass pass", gave="S2 H2 D2", got="S3 H3 D3")
    given = asked.rules.deck.hand("S2 H2 D2")
    hands = drawn(asked, chains=scaled(40, 4), n=scaled(10, 4))
    assert (hands[:, :, 3] & given == given).all()              # to the right
    assert (hands[:, :, 0] == asked.hand).all()


# ---------------------------------------------------------------- the same worlds again

SPOKEN = [
    ("oh-hell", "..32.A", {"turnup": "2C", "bids": "1 2"}),
    ("israeli-whist", "AKQ32.T9.K87.J54", {"calls": "pass 5H pass"}),
    ("spanish-solo", "7AK4.73.A53.QJ6", {"calls": "pass juego", "pool": 4}),
]


@pytest.mark.parametrize(("game", "hand", "said"), SPOKEN)
def test_a_chain_goes_on_from_its_last_world(game, hand, said):
    asked = ask(game, hand, **said)
    engine, setup = engine_of(asked, wild()), script_of(asked, burn_in=10)
    whole = engine.draw(0, 3, 10, setup)
    start = engine.draw(0, 3, 4, setup)
    rest = engine.draw(0, 3, 6, setup, drawn=4, last=start[:, -1])
    assert np.concatenate([start, rest], axis=1).tobytes() == whole.tobytes()


@pytest.mark.parametrize(("game", "hand", "said"), SPOKEN)
def test_a_chain_is_the_same_in_any_part(game, hand, said):
    asked = ask(game, hand, **said)
    engine, setup = engine_of(asked, wild()), script_of(asked, burn_in=10)
    whole = engine.draw(0, 6, 3, setup)
    parts = [engine.draw(first, chains, 3, setup) for first, chains in ((0, 1), (1, 3), (4, 2))]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_chains_and_seeds_are_independent():
    asked = ask(*SPOKEN[0][:2], **SPOKEN[0][2])
    starts = Counter(tuple(hands) for seed in (1, 2) for hands in drawn(asked, chains=scaled(200, 10), n=1, seed=seed, burn_in=5)[:, 0].tolist())
    assert max(starts.values()) == 1


def test_more_said_does_not_move_the_start():
    """Chain c is dealt from its number alone, so that answers with and without calls meet the same cards."""
    asked = ask(*SPOKEN[0][:2], **SPOKEN[0][2])
    heard, ignored = (drawn(asked, policy, chains=5, n=1, burn_in=0) for policy in ("rules", "random"))
    assert heard.tolist() == ignored.tolist()


def test_no_world_is_said_to_be_none():
    asked = ask("oh-hell", "..32.A", turnup="2C", bids="1 2")
    apart = np.zeros((1, 7), np.int64)
    apart[0, 0] = asked.rules.deck.mask
    with pytest.raises(ImpossibleError, match="no deal agrees"):
        drawn(asked, chains=1, n=1, apart=apart)
