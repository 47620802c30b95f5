"""The choices of a seat: which kind of player makes them. A new kind is a member of `Player` and a branch in each function here."""

import numpy as np

from kernels.bidding import ask_for_strongest, best_trump, bid_by_expectation, call_by_value, call_contract, give_weakest, pass_weakest
from kernels.bits import count_cards, lowest_card, nth_bit
from kernels.compiled import njit
from kernels.heuristics import aim_at_bid, take_points, unseen_cards
from kernels.layout import PASS, Player, TrumpSource
from kernels.learned import announce_learned_bids, learned_bid, learned_call, learned_gulash, play_for_bid
from kernels.rng import below, uniform
from kernels.solo import ask_by_chances, call_by_chances, give_by_chances, name_by_chances, play_for_points


@njit
def choose_call(policy, rules, weights, table, memo, rng):
    """Return the call of the seat to speak, pass or one from lowest_call to highest_call. A random player passes half the time where it may."""
    if policy.player == Player.RANDOM:
        if table.lowest_call > table.highest_call or (table.may_pass == 1 and below(rng, table.seat, np.int64(2)) == 0):
            return np.int64(PASS)
        return table.lowest_call + below(rng, table.seat, table.highest_call - table.lowest_call + 1)
    if policy.player == Player.RULES:
        if rules.trump_source == TrumpSource.SOLOIST:
            return call_contract(policy, rules, weights, table, rng)
        return call_by_value(policy, rules, weights, table, memo, rng)
    if policy.player == Player.LEARNED:
        if rules.trump_source == TrumpSource.SOLOIST:
            return call_by_chances(policy, rules, weights, table, rng)
        return learned_call(policy, rules, weights, table, memo, rng)
    raise ValueError("a player that no branch of choose_call plays")


@njit
def choose_gulash(policy, rules, weights, table, rng):
    """Return the mask of cards that a seat hands over in a gulash."""
    if policy.player == Player.RANDOM:
        given = np.int64(0)
        for _ in range(rules.gulash_cards):
            hand = table.hand & ~given
            given |= nth_bit(hand, below(rng, table.seat, count_cards(hand)))
        return given
    if policy.player == Player.RULES:
        return pass_weakest(policy, rules, weights, table)
    if policy.player == Player.LEARNED:
        return learned_gulash(policy, rules, weights, table, rng)
    raise ValueError("a player that no branch of choose_gulash plays")


@njit
def slips(policy, table, rng):
    """Return whether the seat fails to do what it means to."""
    return policy.slips > 0.0 and uniform(rng, table.seat) < policy.slips


@njit
def slipped_bid(policy, table, bid, rng):
    """Return the bid, or where the seat slips and the rules let it a bid beside it."""
    if slips(policy, table, rng):
        other = bid - 1 + 2 * below(rng, table.seat, np.int64(2))
        if other >= 0 and table.legal_bids >> other & 1:
            return other
    return bid


@njit
def choose_bid(policy, rules, weights, table, rng):
    """Return the bid of the seat to speak, one of table.legal_bids."""
    if policy.player == Player.RANDOM:
        return lowest_card(nth_bit(table.legal_bids, below(rng, table.seat, count_cards(table.legal_bids))))
    if policy.player == Player.RULES:
        return slipped_bid(policy, table, bid_by_expectation(policy, rules, weights, table, rng), rng)
    if policy.player == Player.LEARNED:
        return slipped_bid(policy, table, learned_bid(policy, rules, weights, table, rng), rng)
    raise ValueError("a player that no branch of choose_bid plays")


@njit
def announce_bids(policy, rules, weights, table):
    """Lay what a seat that can tell thinks of each of its bids on the table."""
    if policy.player == Player.LEARNED:
        announce_learned_bids(policy, rules, weights, table)


@njit
def choose_trump(policy, rules, weights, table, rng):
    """Return the suit that the soloist, or the dealer where all passed, makes trump, one of table.legal_trumps."""
    if policy.player == Player.RANDOM:
        return lowest_card(nth_bit(table.legal_trumps, below(rng, table.seat, count_cards(table.legal_trumps))))
    if policy.player == Player.RULES:
        trump, _, _ = best_trump(policy, rules, weights, table.hand, unseen_cards(rules, table), table.legal_trumps, table.cards)
        return trump
    if policy.player == Player.LEARNED:
        return name_by_chances(policy, rules, weights, table, rng)
    raise ValueError("a player that no branch of choose_trump plays")


@njit
def choose_asked(policy, rules, weights, table, rng):
    """Return the card that the soloist of a bola asks for, one he does not hold."""
    if policy.player == Player.RANDOM:
        missing = rules.deck_mask & ~table.hand
        return lowest_card(nth_bit(missing, below(rng, table.seat, count_cards(missing))))
    if policy.player == Player.RULES:
        return ask_for_strongest(policy, rules, weights, table)
    if policy.player == Player.LEARNED:
        return ask_by_chances(policy, rules, weights, table)
    raise ValueError("a player that no branch of choose_asked plays")


@njit
def choose_given(policy, rules, weights, table, rng):
    """Return the card that the soloist of a bola gives back, any of the 13 he holds."""
    if policy.player == Player.RANDOM:
        return lowest_card(nth_bit(table.hand, below(rng, table.seat, count_cards(table.hand))))
    if policy.player == Player.RULES:
        return give_weakest(policy, rules, weights, table)
    if policy.player == Player.LEARNED:
        return give_by_chances(policy, rules, weights, table)
    raise ValueError("a player that no branch of choose_given plays")


@njit
def choose_card(policy, rules, weights, table, legal, rng):
    """Return the card that the seat to play plays; legal: mask of at least two cards."""
    if policy.player == Player.RANDOM or slips(policy, table, rng):
        return lowest_card(nth_bit(legal, below(rng, table.seat, count_cards(legal))))
    if policy.player == Player.RULES:
        if rules.trump_source == TrumpSource.SOLOIST:
            return take_points(policy, rules, weights, table, legal)
        return aim_at_bid(policy, rules, weights, table, legal)
    if policy.player == Player.LEARNED:
        if rules.trump_source == TrumpSource.SOLOIST:
            return play_for_points(policy, rules, weights, table, legal, rng)
        return play_for_bid(policy, rules, weights, table, legal, rng)
    raise ValueError("a player that no branch of choose_card plays")
