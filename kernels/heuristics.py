"""Which card to play: random, or towards a target with what a seat can see.

Chances are sums and products in a fixed order of float64 without exp or log, so every machine chooses the same card; ties go to the lowest card.
"""

import numpy as np

from kernels.bits import bit, count_cards, lowest_card, suit_mask, trump_mask
from kernels.compiled import njit, small
from kernels.layout import (
    EXPECT_SHAPE,
    HIGHER,
    KINDS,
    LENGTHS,
    NONE,
    ODDS_SHAPE,
    Contract,
    Side,
)
from kernels.legal import beats

PLAIN, TRUMP, NO_TRUMP = np.int64(0), np.int64(1), np.int64(2)
ODDS_U = ODDS_SHAPE[1] * ODDS_SHAPE[2]
ODDS_K = ODDS_SHAPE[2]
EXPECT_CARDS = EXPECT_SHAPE[1] * KINDS * LENGTHS * HIGHER
EXPECT_LEFT = KINDS * LENGTHS * HIGHER
EXPECT_KIND = LENGTHS * HIGHER
ALL_SEATS = np.int64((1 << 7) - 1)


@small
def unseen_cards(rules, table):
    """Return the cards that are neither in the own hand nor played nor turned up."""
    return rules.deck_mask & ~table.hand & ~table.seen


@small
def card_kind(suit, trump, trumps_out):
    """Return plain, trump or no-trump; a plain card that nobody can ruff counts as no-trump."""
    plain = PLAIN if trumps_out > 0 else NO_TRUMP
    return TRUMP if suit == trump else plain


@small
def card_expectation(weights, base, suit_cards, suit_unseen, card):
    """Return P(the card takes a trick) from a table slice [kind, length, higher] that starts at base."""
    length = min(count_cards(suit_cards), np.int64(LENGTHS - 1))
    return weights[base + length * HIGHER + count_cards(suit_unseen >> card)]


@njit
def expected_tricks(weights, base, hand, unseen, trump):
    """Return the sum over a hand of P(the card takes a trick), from the slice [kind, length, higher] of a table that starts at base."""
    total = 0.0
    trumps_out = count_cards(unseen & trump_mask(trump))
    left = hand
    while left != 0:                         # one loop over all suits: its end is the only branch that is hard to predict
        card = lowest_card(left)
        left &= left - 1
        suit = card >> 4
        mask = suit_mask(suit)
        total += card_expectation(weights, base + card_kind(suit, trump, trumps_out) * EXPECT_KIND, hand & mask, unseen & mask, card)
    return total


@small
def willingness(policy, table, seat):
    """Return the chance that a seat beats a card when it can, by what it still needs."""
    will = policy.will_needs if table.bids[seat] > table.tricks[seat] else policy.will_full
    return policy.will_unknown if table.bids[seat] == NONE else will


@small
def hold_chance(policy, rules, table, weights, unseen, card, rivals):
    """Return the chance that a card which is winning the trick is not beaten by the rivals (bits of seats) still to play.

    Each rival is taken alone: it holds none of k outstanding cards with probability C(u-k, r) / C(u, r), u unseen, r cards in its hand. It beats the card in
    the suit led unless it has shown out of it, or by a trump if it is out of the suit led.
    """
    n_behind = rules.n_seats - table.n_played - 1
    if n_behind == 0:
        return 1.0
    left = table.cards - table.trick_no
    led = table.led if table.led != NONE else card >> 4
    trump = table.trump
    trumps = trump_mask(trump)
    row = policy.odds + count_cards(unseen) * ODDS_U + left
    higher = 1.0 - weights[row + count_cards((unseen & suit_mask(card >> 4)) >> card) * ODDS_K]
    any_trump = 1.0 - weights[row + count_cards(unseen & trumps) * ODDS_K]
    none_led = weights[row + count_cards(unseen & suit_mask(led)) * ODDS_K]
    is_trump = card >> 4 == trump
    leads_trump = led == trump
    by_suit = 0.0 if is_trump and not leads_trump else higher
    by_ruff = 0.0 if leads_trump else higher if is_trump else any_trump
    chance = 1.0
    seat = table.seat
    for _ in range(n_behind):                # no branches: which seat is void or full is not predictable
        seat = seat + 1 if seat + 1 < rules.n_seats else np.int64(0)
        voids = table.voids[seat]
        will = willingness(policy, table, seat)
        follows = 0.0 if voids >> led & 1 == 1 else will
        ruffs = (1.0 if voids >> led & 1 == 1 else none_led) * (1.0 if rules.play_must_trump == 1 else will)
        beaten = follows * by_suit + (0.0 if voids >> trump & 1 == 1 else ruffs) * by_ruff
        chance *= 1.0 - (beaten if rivals >> seat & 1 == 1 else 0.0)
    return chance


@small
def takes_trick(table, card, trumps):
    """Return whether a card would lead or head the trick as it lies."""
    return table.led == NONE or beats(card, table.best_card, trumps)


@small
def different_cards(rules, table, legal, unseen):
    """Return the legal cards that are worth telling apart: of cards that touch, with nothing unseen or winning between them and equal card points, the lowest.

    From every legal card a flood runs upwards over cards that are no longer out, 1, 2, 4 and 8 ranks at a time; a legal card that it reaches touches a lower
    one. Source: parallel prefix fill (Kogge-Stone), as for sliding pieces of bitboard chess.
    """
    blockers = unseen if table.led == NONE else unseen | bit(table.best_card)
    passes = rules.touching & ~blockers
    flood = legal
    flood |= passes & flood << 1
    passes &= passes << 1
    flood |= passes & flood << 2
    passes &= passes << 2
    flood |= passes & flood << 4
    passes &= passes << 4
    flood |= passes & flood << 8
    return legal & ~(flood << 1 & rules.touching)


@njit
def lowest_ranked(legal):
    """Return the card of the lowest rank, of equal ranks the lowest suit."""
    choice = lowest_card(legal)
    while legal != 0:
        card = lowest_card(legal)
        legal &= legal - 1
        if card & 15 < choice & 15:
            choice = card
    return choice


@small
def wanted_tricks(rules, table):
    """Return how many of the tricks left a seat wants, NONE where its score no longer depends on it.

    A bid still in reach wants what it lacks. A bid out of reach wants what its own scheme pays: more tricks, fewer, or is indifferent.
    """
    seat = table.seat
    left = table.cards - table.trick_no
    taken = table.tricks[seat]
    need = table.bids[seat] - taken
    if 0 <= need <= left:
        return need
    side = np.int64(Side.OVER) if table.bid_sum > table.cards else np.int64(Side.EXACT) if table.bid_sum == table.cards else np.int64(Side.UNDER)
    gain = rules.points[table.cards, side, table.bids[seat], taken + 1] - rules.points[table.cards, side, table.bids[seat], taken]
    if rules.score_low_wins == 1:
        gain = -gain
    if gain == 0:
        return np.int64(NONE)
    return left if gain > 0 else np.int64(0)


@njit
def aim_at_bid(policy, rules, weights, table, legal):
    """Return the card after which the tricks in hand and the chance of this one come closest to what the seat wants.

    It needs nothing: the least likely winner, the strongest of those. It needs all: the likeliest winner, not on lead the cheapest of those. Between: the least
    square of (expected tricks of the rest + chance of this card - need) plus the risk of an open trick. It is indifferent: the lowest card.
    """
    want = wanted_tricks(rules, table)
    if want == NONE:
        return lowest_ranked(legal)
    unseen = unseen_cards(rules, table)
    cards = different_cards(rules, table, legal, unseen)
    if cards & (cards - 1) == 0:
        return lowest_card(cards)
    left = table.cards - table.trick_no
    trump = table.trump
    trumps = trump_mask(trump)
    trumps_out = count_cards(unseen & trumps)
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    rest = expected_tricks(weights, base, table.hand, unseen, trump) * policy.rest if 0 < want < left else 0.0
    choice = np.int64(NONE)
    least = 0.0
    while cards != 0:
        card = lowest_card(cards)
        cards &= cards - 1
        suit = card >> 4
        later = card_expectation(weights, base + card_kind(suit, trump, trumps_out) * EXPECT_KIND, table.hand & suit_mask(suit), unseen & suit_mask(suit), card)
        now = hold_chance(policy, rules, table, weights, unseen, card, ALL_SEATS) if takes_trick(table, card, trumps) else 0.0
        if want == 0:
            cost = now - later * policy.spare
        elif want == left:
            cost = (later * policy.cheap if table.led != NONE else 0.0) - now
        else:
            miss = rest - later * policy.rest + now - want
            cost = miss * miss + policy.risk * now * (1.0 - now)
        if choice == NONE or cost < least:
            choice = card
            least = cost
    return choice


@njit
def take_points(policy, rules, weights, table, legal):
    """Return the card worth most to the seat's side in a point-trick game (Spanish Solo): points of the trick won or lost, less the strength spent.

    Soloist against both defenders; everybody alone where all passed. A slam counts tricks, not points.
    """
    unseen = unseen_cards(rules, table)
    cards = different_cards(rules, table, legal, unseen)
    if cards & (cards - 1) == 0:
        return lowest_card(cards)
    seat = table.seat
    trump = table.trump
    trumps = trump_mask(trump)
    trumps_out = count_cards(unseen & trumps)
    left = table.cards - table.trick_no
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    is_defender = table.declarer != NONE and table.declarer != seat
    rivals = bit(table.declarer) if is_defender else ALL_SEATS & ~bit(seat)
    partners = ALL_SEATS & ~rivals & ~bit(seat)
    is_slam = table.contract >= Contract.BOLA
    to_come = (rules.n_seats - table.n_played - 1) * policy.trick_gain * 0.5
    choice = np.int64(NONE)
    best = 0.0
    while cards != 0:
        card = lowest_card(cards)
        cards &= cards - 1
        suit = card >> 4
        later = card_expectation(weights, base + card_kind(suit, trump, trumps_out) * EXPECT_KIND, table.hand & suit_mask(suit), unseen & suit_mask(suit), card)
        takes = takes_trick(table, card, trumps)
        is_ours = takes or partners >> table.best_seat & 1 == 1
        holds = hold_chance(policy, rules, table, weights, unseen, card if takes else table.best_card, rivals if is_ours else partners)
        ours = holds if is_ours else 1.0 - holds               # an enemy's trick is ours where a partner behind beats it
        stake = 1.0 if is_slam else table.trick_points + rules.card_points[card & 15] + 1.0 + to_come
        spent = later * (policy.cheap if is_slam else policy.keep)
        value = (2.0 * ours - 1.0) * stake - spent
        if choice == NONE or value > best:
            choice = card
            best = value
    return choice
