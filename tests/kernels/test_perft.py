"""Exact numbers of complete legal plays of small deals, against the referee's."""

from itertools import product
from math import factorial
from random import Random

import numpy as np
import pytest

from analyzer.cards import FRENCH
from analyzer.rules import load
from kernels import compiled, entry
from kernels.layout import Denomination
from tests import oracle
from tests.kernels.tools import scaled

FULL_DECK = [suit + rank for suit in "CDHS" for rank in "6789TJQKA"]
PLAY = [
    {"must_trump": must_trump, "must_head": must_head, "trump_lead": lead}
    for must_trump, must_head, lead in product((False, True), (False, True), ("anytime", "after_broken", "after_first_trick"))
]


def kernel_perft(rules, hands, trump, leader):
    masks = np.array([sum(1 << FRENCH.card(card) for card in hand) for hand in hands], dtype=np.int64)
    return entry.perft(rules.record(), masks, int(Denomination[trump]), leader)


@pytest.mark.parametrize("play", PLAY, ids=lambda play: "-".join(str(value) for value in play.values()))
def test_plays_are_counted_as_the_referee_counts(play):
    rng = Random(1)
    for players, cards in [(3, 3), (4, 3), (5, 2)] if compiled.JIT else [(3, 2), (3, 3)]:
        rules = load("oh-hell", settings={"play": play}, players=players)
        for _ in range(scaled(6, 3)):
            dealt = rng.sample(FULL_DECK, players * cards)
            hands = [set(dealt[seat * cards:(seat + 1) * cards]) for seat in range(players)]
            trump, leader = rng.choice(["C", "D", "H", "S", "NT"]), rng.randrange(players)
            counts = oracle.perft_by_card(oracle.rules_of("oh-hell", {"play": play}), hands, trump, leader)
            assert kernel_perft(rules, hands, trump, leader) == sum(counts.values()), (hands, trump, leader, counts)


def test_four_cards_a_hand():
    hands = [{"SA", "S7", "H9", "D6"}, {"SK", "H8", "HA", "C7"}, {"S9", "DQ", "D9", "CA"}]
    for game in ("oh-hell", "jabberwocky", "israeli-whist", "spanish-solo"):
        rules = load(game, players={"israeli-whist": 4}.get(game, 3))
        record = rules.record()
        record["n_seats"] = 3
        masks = np.array([sum(1 << FRENCH.card(card) for card in hand) for hand in hands], dtype=np.int64)
        expected = oracle.perft(oracle.merged(oracle.rules_of("oh-hell"), {"play": rules.fields["play"]}), hands, "H", 1)
        assert entry.perft(record, masks, int(Denomination.H), 1) == expected


@pytest.mark.parametrize(("players", "cards"), [(2, 3), (3, 3), (4, 2), (4, 3)])
def test_where_nobody_can_follow_every_order_is_legal(players, cards):
    hands = [{suit + rank for rank in "AKQJ"[:cards]} for suit in "SHDC"[:players]]
    rules = load("oh-hell", "free-discard", players=max(players, 3))
    record = rules.record()
    record["n_seats"] = players
    masks = np.array([sum(1 << FRENCH.card(card) for card in hand) for hand in hands], dtype=np.int64)
    assert entry.perft(record, masks, int(Denomination.NT), 0) == factorial(cards) ** players


def test_heading_leaves_few_plays():
    hands = [{"S6", "S9"}, {"S7", "ST"}, {"S8", "SJ"}]
    rules = load("oh-hell", settings=["play.must_head=true"], players=3)
    # S9 is headed by ST and SJ alone; S6 by S7 S8, S7 SJ or ST SJ; the second trick is forced
    assert oracle.perft_by_card(oracle.rules_of("oh-hell", {"play": {"must_head": True}}), hands, "NT", 0) == {"S6": 3, "S9": 1}
    assert kernel_perft(rules, hands, "NT", 0) == 4


@pytest.mark.skipif(not compiled.JIT, reason="nothing is compiled")
def test_perft_has_one_signature():
    kernel_perft(load("oh-hell"), [{"SA"}, {"SK"}, {"SQ"}, {"SJ"}], "S", 0)
    assert len(entry.perft.signatures) == 1
