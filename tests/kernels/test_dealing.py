"""Dealing: uniform over all deals that agree with what is known, against counting by hand and by enumeration."""

from collections import Counter
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest

from analyzer.cards import FRENCH
from analyzer.rules import load
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import NONE
from tests.kernels.tools import scaled

ERRORS = 5      # standard errors that a frequency may be off


def dealt(players, cards, n, seed=1, pack=None, **known):
    """Return the facts of `n` deals of Oh Hell, stopped before the first bid; cards, hands and packs as masks."""
    setup = empty_setup()
    setup["stop"] = 1
    for name, value in known.items():
        if name in ("held", "voids"):
            setup[name][0, :len(value)] = value
        else:
            setup[name] = value
    engine = Engine(Run(load("oh-hell", players=players), ["random"], seed=seed, cards=cards, setup=setup))
    if pack is not None:
        engine.rules["deck_mask"] = pack
    return engine.play(0, n)[0][:, 0]


def close(found, expected, n):
    """Is a share within five standard errors of its expectation; what hardly ever happens may happen five times."""
    return abs(found - expected) <= max(ERRORS * sqrt(expected * (1 - expected) / n), ERRORS / n)


def holds(facts, card):
    """Return who has the card: deals x seats."""
    return facts["hands"] >> card & 1


@pytest.mark.parametrize(("players", "cards"), [(3, 17), (4, 13), (5, 10), (6, 5), (7, 7), (4, 1)])
def test_every_card_goes_to_every_seat_alike(players, cards):
    n = scaled(100_000, 1_000)
    facts = dealt(players, cards, n)
    for card in FRENCH.cards(FRENCH.mask):
        shares = holds(facts, card)[:, :players].mean(axis=0)
        assert all(close(share, cards / 52, n) for share in shares)


def test_hands_do_not_overlap_and_have_their_size():
    facts = dealt(5, 9, scaled(5_000, 200))
    hands = facts["hands"][:, :5]
    assert (np.bitwise_count(hands) == 9).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(hands, axis=1)) == 45).all()
    assert not (np.bitwise_or.reduce(hands, axis=1) & ~FRENCH.mask).any()


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_suit_lengths_are_hypergeometric(seat):
    n = scaled(200_000, 1_000)
    hands = dealt(4, 13, n)["hands"][:, seat]
    for suit in range(4):
        lengths = np.bincount(np.bitwise_count(hands >> suit * 16 & 0x1FFF), minlength=14) / n
        for length, share in enumerate(lengths):
            assert close(share, comb(13, length) * comb(39, 13 - length) / comb(52, 13), n)


def test_two_cards_meet_in_a_hand_as_often_as_they_should():
    n = scaled(100_000, 1_000)
    facts = dealt(4, 13, n)
    for one, other in ((0, 1), (0, 16), (12, 60)):
        together = (holds(facts, one) & holds(facts, other)).sum(axis=1).mean()
        assert close(together, 12 / 51, n)


def test_turnup_is_any_card_of_the_stock():
    n = scaled(100_000, 2_000)
    counts = Counter(dealt(3, 5, n)["turnup"].tolist())
    assert all(close(counts[card] / n, 1 / 52, n) for card in FRENCH.cards(FRENCH.mask))


def test_known_cards_stay_and_the_rest_is_uniform():
    n = scaled(50_000, 1_500)
    mine, theirs, gone, shown = FRENCH.hand("AK2.Q..T9"), FRENCH.hand("J..."), FRENCH.hand("..A.A"), FRENCH.card("H2")
    facts = dealt(4, 6, n, held=[mine, theirs], stock=gone, turnup=shown)
    hands = facts["hands"]
    assert (hands[:, 0] == mine).all()
    assert (hands[:, 1] & theirs == theirs).all()
    assert (facts["turnup"] == shown).all()
    assert (facts["weight"] == 1).all()
    free = FRENCH.mask & ~(mine | theirs | gone | 1 << shown)
    for card in FRENCH.cards(free):
        shares = holds(facts, card).mean(axis=0)
        assert all(close(share, missing / free.bit_count(), n) for share, missing in zip(shares[:4], (0, 5, 6, 6), strict=True))
    assert not (np.bitwise_or.reduce(hands, axis=1) & (gone | 1 << shown)).any()


def test_the_stock_is_dealt_anew():
    mine = FRENCH.hand("AK..2.")
    hands = dealt(3, 3, scaled(3_000, 300), held=[mine], turnup=FRENCH.card("H2"))["hands"]
    ever_held = int(np.bitwise_or.reduce(np.bitwise_or.reduce(hands[:, 1:3], axis=1)))
    assert ever_held == FRENCH.mask & ~mine & ~(1 << FRENCH.card("H2"))


# ---------------------------------------------------------------- known voids, on packs small enough to count

C, D, H = (tuple(suit * 16 + rank for rank in range(4)) for suit in range(3))


def all_deals(pack, size, voids, held=(0, 0, 0)):
    """Return every deal of `size` cards each that agrees with the voids and cards known, as tuples of masks."""
    def may_hold(seat, cards):
        return not any(voids[seat] >> card // 16 & 1 for card in cards if not held[seat] >> card & 1)

    deals = [()]
    for seat in range(len(voids)):
        grown = []
        for deal in deals:
            taken = sum(deal)
            left = [card for card in pack if not taken >> card & 1]
            for cards in combinations(left, size):
                mask = sum(1 << card for card in cards)
                if mask & held[seat] == held[seat] and may_hold(seat, cards) and not any(mask & other for other in held[seat + 1:]):
                    grown.append((*deal, mask))
        deals = grown
    return deals


@pytest.mark.parametrize(("pack", "size", "voids", "held"), [
    ((*C[:3], *D[:3], *H[:2]), 2, (0b001, 0b010, 0), (0, 0, 0)),          # two different voids, two cards in the stock
    ((*C[:3], *D[:3], H[0]), 2, (0b001, 0b010, 0b100), (0, 0, 0)),        # three, one in the stock
    ((*C[:2], *D[:4], *H[:2]), 2, (0b010, 0b010, 0), (0, 0, 0)),          # the same void twice, dead ends
    ((*C[:3], *D[:3], *H[:2]), 2, (0b011, 0, 0b100), (0, 1 << C[0], 0)),  # with a card known
    ((*C, *D, *H), 3, (0b001, 0b110, 0), (0, 0, 0)),
])
def test_weighted_deals_match_enumeration(pack, size, voids, held):
    expected = all_deals(pack, size, voids, held)
    n = scaled(200_000, 1_500)
    facts = dealt(3, size, n, pack=sum(1 << card for card in pack), voids=voids, held=held)
    found = Counter()
    squares = Counter()
    for deal, weight in zip(map(tuple, facts["hands"][:, :3].tolist()), facts["weight"].tolist(), strict=True):
        found[deal] += weight
        squares[deal] += weight * weight
    assert set(found) <= set(expected)
    total, share = sum(found.values()), 1 / len(expected)
    all_squares = sum(squares.values())
    for deal in expected:
        error = sqrt(squares[deal] * (1 - 2 * share) + share * share * all_squares)      # of a ratio of sums
        assert abs(found[deal] - share * total) <= max(ERRORS * error, ERRORS * sqrt(share * all_squares))


def test_dealing_without_weights_would_be_far_off():
    pack, voids = (*C[:3], *D[:3], *H[:2]), (0b001, 0b010, 0)
    facts = dealt(3, 2, scaled(100_000, 2_000), pack=sum(1 << card for card in pack), voids=voids)
    expected = all_deals(pack, 2, voids)
    counts = Counter(map(tuple, facts["hands"][:, :3].tolist()))
    off = max(abs(counts[deal] * len(expected) / len(facts) - 1) for deal in expected)
    assert off > 0.25
    assert len(set(facts["weight"].tolist())) > 1


def test_one_void_in_the_pack_needs_no_weight_to_be_right_about_the_rest():
    n = scaled(100_000, 2_000)
    facts = dealt(3, 4, n, voids=[0b1000])                     # seat 0 has no spade
    assert not (facts["hands"][:, 0] >> 48).any()
    spade = FRENCH.card("SA")
    weights = facts["weight"]
    for seat, chance in ((1, 4 / 48), (2, 4 / 48)):            # the other 48 places
        share = (weights * holds(facts, spade)[:, seat]).sum() / weights.sum()
        assert abs(share - chance) <= ERRORS * sqrt(chance * (1 - chance) / n) * sqrt((weights**2).mean()) / weights.mean()


def test_turnup_is_uniform_under_voids_too():
    n = scaled(100_000, 1_500)
    pack, voids = (*C[:3], *D[:3], *H[:2]), (0b001, 0b010, 0)
    facts = dealt(3, 2, n, pack=sum(1 << card for card in pack), voids=voids)
    expected = Counter()
    deals = all_deals(pack, 2, voids)
    for deal in deals:
        stock = [card for card in pack if not sum(deal) >> card & 1]
        for card in stock:
            expected[card] += 1 / len(stock) / len(deals)
    weights = facts["weight"]
    for card in pack:
        share = weights[facts["turnup"] == card].sum() / weights.sum()
        assert abs(share - expected[card]) <= ERRORS * sqrt((weights**2).sum() * expected[card]) / weights.sum()


def test_voids_that_no_deal_matches_have_no_weight():
    facts = dealt(3, 4, scaled(3, 1), voids=[0b1111])
    assert (facts["weight"] == 0).all()
    assert NONE not in facts["dealer"]
