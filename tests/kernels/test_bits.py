"""Bits of masks, the deck's own order, and random numbers, against plain Python."""

from random import Random

import numpy as np
import pytest

from kernels import bits, layout, legal, rng
from kernels.compiled import kernel
from kernels.layout import SUIT_BITS, Denomination
from tests.kernels.tools import scaled

DECK = [suit * SUIT_BITS + rank for suit in range(4) for rank in range(13)]
WORD = 2**64 - 1


def bit_numbers(mask):
    return [card for card in range(64) if int(mask) >> card & 1]


@pytest.fixture(scope="module")
def masks():
    """Return masks of 1 to 52 cards, single cards and the pack among them."""
    chance = Random(1)
    drawn = [chance.sample(DECK, chance.randint(1, 52)) for _ in range(scaled(2000, 200))]
    return np.array([sum(1 << card for card in cards) for cards in [*([card] for card in DECK), DECK, *drawn]], np.int64)


@kernel
def look(masks, counts, lowest, highest, nth):
    """Fill for every mask its size, its lowest and highest card, and each of its cards in turn as a mask."""
    for k in range(len(masks)):
        counts[k] = bits.count_cards(masks[k])
        lowest[k] = bits.lowest_card(masks[k])
        highest[k] = bits.highest_card(masks[k])
        for n in range(counts[k]):
            nth[k, n] = bits.nth_bit(masks[k], np.int64(n))


def test_counts_and_places_of_cards(masks):
    counts, lowest, highest = (np.zeros(len(masks), np.int64) for _ in range(3))
    nth = np.zeros((len(masks), 52), np.int64)
    look(masks, counts, lowest, highest, nth)
    for k, mask in enumerate(masks):
        cards = bit_numbers(mask)
        assert (counts[k], lowest[k], highest[k]) == (len(cards), cards[0], cards[-1])
        assert [bit_numbers(each) for each in nth[k, :len(cards)]] == [[card] for card in cards]


@kernel
def count_nothing():
    return bits.count_cards(np.int64(0))


def test_an_empty_mask_has_no_cards():
    assert count_nothing() == 0


@kernel
def lay_out(suits, trumps, higher, single):
    """Fill the masks of suits, denominations, cards above a card, and single cards."""
    for suit in range(4):
        suits[suit] = bits.suit_mask(np.int64(suit))
    for trump in range(5):
        trumps[trump] = bits.trump_mask(np.int64(trump))
    for card in range(64):
        higher[card] = bits.higher_cards(np.int64(card)) if card & 15 < 13 else 0
        single[card] = bits.bit(np.int64(card)) if card & 15 < 13 else 0


def test_masks_of_suits_and_higher_cards():
    suits, trumps, higher, single = (np.zeros(n, np.int64) for n in (4, 5, 64, 64))
    lay_out(suits, trumps, higher, single)
    assert [bit_numbers(mask) for mask in suits] == [DECK[13 * suit:13 * suit + 13] for suit in range(4)]
    assert trumps.tolist() == [*suits.tolist(), 0]
    assert Denomination.NT == 4
    for card in DECK:
        assert bit_numbers(single[card]) == [card]
        assert bit_numbers(higher[card]) == [other for other in DECK if other // SUIT_BITS == card // SUIT_BITS and other > card]


@kernel
def contest(wins):
    """Fill for every trump, card played and best card so far whether the card takes the trick."""
    for trump in range(5):
        trumps = bits.trump_mask(np.int64(trump))
        for card in range(64):
            for best in range(64):
                if card & 15 < 13 and best & 15 < 13:
                    wins[trump, card, best] = 1 if legal.beats(np.int64(card), np.int64(best), trumps) else 0


def test_a_card_wins_in_its_suit_or_as_a_trump():
    wins = np.zeros((5, 64, 64), np.int64)
    contest(wins)
    for trump in range(5):
        for card in DECK:
            for best in DECK:
                is_higher = card // SUIT_BITS == best // SUIT_BITS and card > best
                is_ruff = card // SUIT_BITS == trump != best // SUIT_BITS
                assert wins[trump, card, best] == (is_higher or is_ruff)


def test_no_field_of_a_record_hides_behind_a_method_of_numpy():
    for name in ("RULES", "POLICY", "SETUP", "TABLE", "DEAL", "FACTS", "GAME"):
        fields = getattr(layout, name).names
        assert [field for field in fields if hasattr(np.record, field)] == [], name      # without the JIT, table.round is a function


# ---------------------------------------------------------------- random numbers

GAMMA, M1, M2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z):
    """Return the finaliser of splitmix64 in Python's own integers."""
    z = (z ^ z >> 30) * M1 & WORD
    z = (z ^ z >> 27) * M2 & WORD
    return z ^ z >> 31


def stream(seed, game, deal, purpose):
    z = mix(seed + GAMMA & WORD)
    z = mix(z ^ (game * M1 + GAMMA & WORD))
    z = mix(z ^ (deal * M2 + GAMMA & WORD))
    return mix(z ^ (purpose * GAMMA + M1 & WORD))


@kernel
def start_streams(seeds, games, deals, purposes, starts):
    """Fill the start of every stream of a grid."""
    for a in range(len(seeds)):
        for b in range(len(games)):
            for c in range(len(deals)):
                key = rng.deal_key(seeds[a], games[b], deals[c])
                for d in range(len(purposes)):
                    starts[a, b, c, d] = rng.stream(key, purposes[d])


@kernel
def draw_many(state, words, numbers, n, shares):
    """Fill words, numbers below n and shares, one after the other from stream 0."""
    for k in range(len(words)):
        words[k] = rng.draw(state, 0)
    for k in range(len(numbers)):
        numbers[k] = rng.below(state, 0, n)
    for k in range(len(shares)):
        shares[k] = rng.uniform(state, 0)


def grid():
    seeds = np.array([0, 1, 2, 3, 2**32, 2**63, WORD], np.uint64)
    games = np.arange(scaled(300, 20))
    deals = np.arange(scaled(30, 4))
    purposes = np.arange(9)
    starts = np.zeros((len(seeds), len(games), len(deals), len(purposes)), np.uint64)
    start_streams(seeds, games, deals, purposes, starts)
    return seeds, games, deals, purposes, starts


def test_mix_gives_the_published_numbers_of_splitmix64():
    # Vigna's splitmix64.c from state 1234567
    assert [mix(1234567 + k * GAMMA & WORD) for k in (1, 2, 3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    state = np.array([1234567], np.uint64)
    words = np.zeros(3, np.uint64)
    draw_many(state, words, np.zeros(0, np.int64), np.int64(1), np.zeros(0))
    assert words.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_streams_start_where_plain_integers_say():
    seeds, games, deals, purposes, starts = grid()
    for a, b, c, d in [(0, 0, 0, 0), (1, 0, 0, 7), (1, 5, 3, 2), (6, len(games) - 1, len(deals) - 1, 8), (5, 2, 1, 6)]:
        assert int(starts[a, b, c, d]) == stream(int(seeds[a]), int(games[b]), int(deals[c]), int(purposes[d]))


def test_no_two_streams_start_alike():
    *_, starts = grid()
    assert len(np.unique(starts)) == starts.size


def test_a_stream_is_drawn_as_plain_integers_say():
    state = np.array([stream(1, 2, 3, 4)], np.uint64)
    words, numbers, shares = np.zeros(20, np.uint64), np.zeros(20, np.int64), np.zeros(20)
    draw_many(state, words, numbers, np.int64(13), shares)
    drawn = [mix(stream(1, 2, 3, 4) + k * GAMMA & WORD) for k in range(1, 61)]
    assert words.tolist() == drawn[:20]
    assert numbers.tolist() == [(word >> 32) * 13 >> 32 for word in drawn[20:40]]
    assert shares.tolist() == [(word >> 32) / 2**32 for word in drawn[40:]]


@pytest.mark.parametrize("n", [1, 2, 3, 13, 36, 52])
def test_numbers_below_n_come_equally_often(n):
    numbers, shares = np.zeros(scaled(200_000, 4000), np.int64), np.zeros(scaled(200_000, 4000))
    draw_many(np.array([stream(1, 0, 0, n)], np.uint64), np.zeros(0, np.uint64), numbers, np.int64(n), shares)
    assert set(np.unique(numbers)) <= set(range(n))
    counts = np.bincount(numbers, minlength=n)
    assert (abs(counts - len(numbers) / n) <= 5 * np.sqrt(len(numbers) / n * (1 - 1 / n))).all()
    assert 0 <= shares.min() <= shares.max() < 1
    assert abs(shares.mean() - 0.5) < 5 / np.sqrt(12 * len(shares))


def test_first_numbers_of_neighbouring_deals_come_equally_often():
    n = scaled(50_000, 2000)
    first = [mix(stream(1, deal, 0, 7) + GAMMA & WORD) >> 32 for deal in range(n)]
    counts = np.bincount([word * 52 >> 32 for word in first], minlength=52)
    assert (abs(counts - n / 52) <= 5 * np.sqrt(n / 52)).all()
