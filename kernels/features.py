"""What a network sees: the table as its seat may see it, in numbers of about the size of 1.

One function a network: what all candidates of a decision share, and what a candidate has of its own. Stakes are the scheme's own scores, so one network serves
a family of schemes.
"""

import numpy as np

from kernels.bits import bit, count_cards, lowest_card, suit_mask, trump_mask
from kernels.compiled import njit, small
from kernels.heuristics import (
    ALL_SEATS,
    EXPECT_CARDS,
    EXPECT_KIND,
    EXPECT_LEFT,
    card_expectation,
    card_kind,
    expected_tricks,
    hold_chance,
    takes_trick,
)
from kernels.layout import HIGHER, LENGTHS, MAX_HAND, MAX_TRICKS, NONE, SUIT_BITS, SUITS, Denomination, Hook, Mode, Side, TrumpLead

STAKES_BID = MAX_TRICKS + 1
STAKES_SIDE = (MAX_HAND + 1) * STAKES_BID
STAKES_CARDS = 3 * STAKES_SIDE
NEXT_SEATS = 3         # opponents whose needs are seen one by one


@small
def side_of(table):
    """Return over, exact or under by the bids spoken."""
    return np.int64(Side.OVER) if table.bid_sum > table.cards else np.int64(Side.EXACT) if table.bid_sum == table.cards else np.int64(Side.UNDER)


@small
def number(truth):
    """Return 1 for true, 0 for false."""
    return 1.0 if truth else 0.0


@small
def bounded(value, low, high):
    """Return a value no lower and no higher than the bounds."""
    return min(max(value, low), high)


@njit
def put_stakes(policy, weights, work, at, cards, side, bid):
    """Put what is at stake, in usual stakes: making against one over and one under, and the next trick over and under."""
    row = policy.stakes + cards * STAKES_CARDS + side * STAKES_SIDE + bid * STAKES_BID
    over = min(bid + 1, cards)
    under = max(bid - 1, np.int64(0))
    work[at] = weights[row + bid] - weights[row + over]
    work[at + 1] = weights[row + bid] - weights[row + under]
    work[at + 2] = weights[row + min(bid + 2, cards)] - weights[row + over]
    work[at + 3] = weights[row + under] - weights[row + max(bid - 2, np.int64(0))]


@njit
def put_play(policy, rules, weights, table, unseen, at):
    """Put the PLAY_SHARED numbers of a seat that is to play a card, and return (need, expected tricks of the hand).

    The need of a seat is its bid less its tricks. Chances and expectations: heuristics.py.
    """
    work = table.work
    n_seats = rules.n_seats
    seat = table.seat
    left = table.cards - table.trick_no
    bid = table.bids[seat]
    need = bid - table.tricks[seat]
    trump = table.trump
    trumps = trump_mask(trump)
    trumps_out = count_cards(unseen & trumps)
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    rest = expected_tricks(weights, base, table.hand, unseen, trump) * policy.rest
    share = 1.0 / left
    work[at] = 1.0
    work[at + 1] = left / 16
    work[at + 2] = table.cards / 16
    work[at + 3] = n_seats / 8
    work[at + 4] = bounded(need, np.int64(-4), np.int64(8)) / 4
    work[at + 5] = number(need == 0)
    work[at + 6] = number(need < 0)
    work[at + 7] = number(need > left)
    work[at + 8] = number(need == left)
    work[at + 9] = bounded(need * share, -2.0, 2.0)
    work[at + 10] = bid / 4
    work[at + 11] = number(table.led == NONE)
    work[at + 12] = number(table.n_played == n_seats - 1)
    work[at + 13] = (n_seats - 1 - table.n_played) / 4
    all_needs = max(need, np.int64(0))
    behind_need = np.int64(0)
    behind_full = np.int64(0)
    behind = n_seats - 1 - table.n_played
    other = seat
    for k in range(1, n_seats):
        other = other + 1 if other + 1 < n_seats else np.int64(0)
        its = table.bids[other] - table.tricks[other] if table.bids[other] != NONE else np.int64(0)
        all_needs += max(its, np.int64(0))
        behind_need += 1 if k <= behind and its > 0 else 0
        behind_full += 1 if k <= behind and its == 0 else 0
        if k <= NEXT_SEATS:
            place = at + 33 + 3 * k
            work[place] = bounded(its, np.int64(-1), np.int64(4)) / 4
            work[place + 1] = number(its == 0)
            work[place + 2] = number(its < 0 or its > left)
    for k in range(n_seats, NEXT_SEATS + 1):
        for j in range(3):
            work[at + 33 + 3 * k + j] = 0.0
    work[at + 14] = (all_needs - max(need, np.int64(0))) * share
    work[at + 15] = bounded((all_needs - left) * share, -2.0, 2.0)
    work[at + 16] = (table.bid_sum - table.cards) / 4
    winner = table.best_seat
    has_winner = table.led != NONE and table.bids[winner] != NONE
    its = table.bids[winner] - table.tricks[winner] if has_winner else np.int64(0)
    work[at + 17] = number(has_winner and its > 0)
    work[at + 18] = number(has_winner and its == 0)
    work[at + 19] = number(has_winner and its < 0)
    work[at + 20] = behind_need / 4
    work[at + 21] = behind_full / 4
    work[at + 22] = count_cards(table.hand & trumps) * share
    work[at + 23] = trumps_out / 8
    work[at + 24] = number(trump == Denomination.NT)
    work[at + 25] = bounded(rest - need, -4.0, 6.0)
    work[at + 26] = rest * share
    work[at + 27] = bounded(abs(rest - need), 0.0, 6.0)
    side = side_of(table)
    put_stakes(policy, weights, work, at + 28, table.cards, side, bid)
    row = policy.stakes + table.cards * STAKES_CARDS + side * STAKES_SIDE + bid * STAKES_BID + table.tricks[seat]
    work[at + 32] = weights[row + 1] - weights[row]
    work[at + 33] = number(rules.play_must_trump == 1)
    locked = rules.play_trump_lead != TrumpLead.ANYTIME and table.broken == 0
    work[at + 34] = number(locked)
    work[at + 35] = number(rules.bidding_mode == Mode.SECRET)
    work[at + 45] = number(trumps_out == 0)
    suits = 0
    for suit in range(SUITS):
        suits += 1 if table.hand & suit_mask(suit) != 0 else 0
    work[at + 46] = suits / 4
    work[at + 47] = number(side == Side.OVER)
    return need, rest


@small
def put_card(policy, rules, weights, table, unseen, need, rest, spoils, card, at):
    """Put the PLAY_OWN numbers of a card that may be played; spoils: 1 where the trick so far is of a seat that needs it."""
    work = table.work
    suit = card >> 4
    trump = table.trump
    trumps = trump_mask(trump)
    mask = suit_mask(suit)
    left = table.cards - table.trick_no
    mine = table.hand & mask
    theirs = unseen & mask
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    later = card_expectation(weights, base + card_kind(suit, trump, count_cards(unseen & trumps)) * EXPECT_KIND, mine, theirs, card)
    takes = takes_trick(table, card, trumps)
    now = hold_chance(policy, rules, table, weights, unseen, card, ALL_SEATS) if takes else 0.0
    higher = count_cards(theirs >> card)
    out = count_cards(theirs)
    length = count_cards(mine)
    above = count_cards(mine >> card) - 1
    miss = bounded(rest - later * policy.rest + now - need, -4.0, 6.0)
    void_seats = np.int64(0)
    other = table.seat
    for _ in range(rules.n_seats - 1 - table.n_played):
        other = other + 1 if other + 1 < rules.n_seats else np.int64(0)
        void_seats += table.voids[other] >> suit & 1
    work[at] = now
    work[at + 1] = number(takes)
    work[at + 2] = number(suit == trump)
    work[at + 3] = higher / 8
    work[at + 4] = (out - higher) / 8
    work[at + 5] = (length - 1) / 4
    work[at + 6] = out / 8
    work[at + 7] = number(length == 1)
    work[at + 8] = later
    work[at + 9] = miss
    work[at + 10] = abs(miss)
    work[at + 11] = number(now > 0.9999)
    work[at + 12] = number(now < 0.0001)
    work[at + 13] = now * later
    work[at + 14] = number(table.led != NONE and suit != table.led and suit != trump)
    work[at + 15] = number(higher == 0)
    work[at + 16] = (card & 15) / 16
    work[at + 17] = above / 4
    work[at + 18] = (length - 1 - above) / 4
    work[at + 19] = void_seats / 4
    work[at + 20] = now * number(need > 0)
    work[at + 21] = now * number(need <= 0)
    work[at + 22] = miss * miss / 4
    work[at + 23] = number(takes) * spoils


@njit
def put_hand(policy, rules, weights, table, unseen, trump, at):
    """Put the 28 numbers of a whole hand under a trump, from place 1 on, and return (expected tricks, tricks that ducking does not avoid)."""
    work = table.work
    cards = table.cards
    expect = policy.expect + cards * EXPECT_CARDS + cards * EXPECT_LEFT
    duck = policy.duck + cards * EXPECT_LEFT
    trumps_out = count_cards(unseen & trump_mask(trump))
    top = rules.n_ranks - 1
    expected = 0.0
    ducked = 0.0
    spread = 0.0
    done = np.int64(0)
    for place in range(SUITS):                # trump first, then the longest suit, of equal ones the highest
        suit = trump
        if place > 0 or trump == Denomination.NT:
            longest = np.int64(-1)
            for other in range(SUITS):
                length = count_cards(table.hand & suit_mask(other))
                if done >> other & 1 == 0 and other != trump and length >= longest:
                    longest = length
                    suit = np.int64(other)
        done |= bit(suit)
        mine = table.hand & suit_mask(suit)
        theirs = unseen & suit_mask(suit)
        row = min(count_cards(mine), np.int64(LENGTHS - 1)) * HIGHER + card_kind(suit, trump, trumps_out) * EXPECT_KIND
        tricks = 0.0
        losers = 0.0
        left = mine
        while left != 0:
            card = lowest_card(left)
            left &= left - 1
            slot = row + count_cards(theirs >> card)
            chance = weights[expect + slot]
            tricks += chance
            spread += chance * (1.0 - chance)
            losers += weights[duck + slot]
        expected += tricks
        ducked += losers
        honours = 5 if place == 0 else 3
        start = at + 1 if place == 0 else at + 2 + 6 * place
        work[start] = count_cards(mine) / 4
        for k in range(honours):
            work[start + 1 + k] = number(mine >> suit * SUIT_BITS + max(top - k, np.int64(0)) & 1 == 1 and top >= k)
        work[start + honours + 1] = tricks / (2 if place == 0 else 1)
        if place > 0:
            work[start + honours + 2] = losers
    work[at + 26] = expected / 4
    work[at + 27] = ducked
    work[at + 28] = spread
    return expected, ducked


@njit
def put_bidder(rules, table, trump, n_spoken, bid_sum, leads, declares, level, at):
    """Put the numbers 29 to 47 of a seat that is to bid, and the constant.

    n_spoken, bid_sum: bids before this one and their sum; leads, declares: 1 or 0; level: tricks of an Israeli Whist contract, 0 without one.
    """
    work = table.work
    cards = table.cards
    n_seats = rules.n_seats
    work[at] = 1.0
    work[at + 29] = cards / 16
    work[at + 30] = n_seats / 8
    work[at + 31] = number(trump == Denomination.NT)
    work[at + 32] = n_spoken / 4
    work[at + 33] = number(n_spoken == n_seats - 1)
    work[at + 34] = number(leads == 1)
    work[at + 35] = number(declares == 1)
    work[at + 36] = bid_sum / cards
    work[at + 37] = (bid_sum - cards * n_spoken / n_seats) / 4
    other = table.seat
    for k in range(NEXT_SEATS):
        other = other + 1 if other + 1 < n_seats else np.int64(0)
        bid = table.bids[other] if k < n_seats - 1 else np.int64(NONE)
        work[at + 38 + 2 * k] = number(bid != NONE)
        work[at + 39 + 2 * k] = max(bid, np.int64(0)) / 4
    work[at + 44] = number(rules.play_must_trump == 1)
    work[at + 45] = number(rules.play_trump_lead != TrumpLead.ANYTIME)
    work[at + 46] = number(rules.bidding_hook == Hook.NONE)
    work[at + 47] = level / 8


@small
def put_bid(policy, weights, table, n_seats, n_spoken, bid_sum, expected, ducked, bid, at):
    """Put the BID_OWN numbers of a bid."""
    work = table.work
    cards = table.cards
    gap = bounded(expected - bid, -5.0, 5.0)
    ahead = (bid_sum + bid - cards) / 4
    work[at] = bid / 4
    work[at + 1] = gap
    work[at + 2] = abs(gap)
    work[at + 3] = number(bid == 0)
    work[at + 4] = number(bid == 0) * ducked
    work[at + 5] = number(bid == 0) * expected
    work[at + 6] = ahead
    work[at + 7] = number(n_spoken == n_seats - 1) * ahead
    work[at + 8] = number(bid == 1)
    work[at + 9] = gap * gap / 4
    put_stakes(policy, weights, work, at + 10, cards, np.int64(Side.OVER), bid)
