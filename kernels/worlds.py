"""Worlds: hands of the other seats and the stock, drawn in proportion to how likely everybody says with them what was said.

A Markov chain over all deals that agree with what is known: two hidden cards in different places are swapped, and the swap stands with a chance of the ratio
of the likelihoods (Metropolis). The start of a chain is dealt.
"""

import numpy as np

from kernels.auction import come_to_terms
from kernels.bits import bit, count_cards, nth_bit, suit_mask
from kernels.compiled import njit
from kernels.dealing import deal_cards
from kernels.layout import NONE, SUITS, Purpose
from kernels.play import clear_table
from kernels.rng import below, deal_key, stream, uniform

ATTEMPTS = 1000      # deals tried for the start of a chain before what is known counts as impossible


@njit
def listen(rules, policies, weights, setup, table, deal, fact, seats, least):
    """Note in deal.chances how likely each of `seats`, a mask, says what it said; return all of them together, at most `least` where it is too little."""
    trump = table.trump
    seen = table.seen
    pool = table.pool
    clear_table(rules, table, fact)
    table.trump = trump
    table.seen = seen
    deal.listens = seats
    deal.heard = 1.0
    deal.least = least
    for seat in range(rules.n_seats):
        if seats >> seat & 1:
            deal.chances[seat] = 1.0
    come_to_terms(rules, policies, weights, setup, table, deal, fact)
    if table.asked != NONE:                  # back to the hands as dealt
        deal.hands[table.declarer] ^= bit(table.asked)
        deal.hands[table.asked_from] ^= bit(table.asked)
    deal.listens = 0
    table.trump = trump
    table.pool = pool
    table.seen = seen
    return deal.heard


@njit
def hidden_cards(rules, setup, table):
    """Return the cards that may change places: all but those whose place is known."""
    known = setup.stock
    if table.turnup != NONE:
        known |= bit(table.turnup)
    for seat in range(rules.n_seats):
        known |= setup.held[seat]
    return rules.deck_mask & ~known


@njit
def hidden_seats(rules, setup, table):
    """Return the seats, as bits, whose hands are not known in full."""
    seats = np.int64(0)
    for seat in range(rules.n_seats):
        seats |= np.int64(count_cards(setup.held[seat]) < table.cards) << seat
    return seats


@njit
def holder_of(rules, deal, card):
    """Return the seat that holds a card, given as a mask; NONE: it is in the stock."""
    for seat in range(rules.n_seats):
        if deal.hands[seat] & card != 0:
            return np.int64(seat)
    return np.int64(NONE)


@njit
def may_hold(setup, seat, card):
    """Return whether a card, given as a mask, may lie with a seat, or in the stock."""
    return seat == NONE or setup.apart[seat] & card == 0


@njit
def deal_start(rules, setup, table, deal, fact, number):
    """Deal a world that agrees with what is known; return whether there is one."""
    key = deal_key(setup.seed, number, np.int64(0))
    deal.rng[Purpose.DEAL] = stream(key, np.int64(Purpose.DEAL))
    for _ in range(ATTEMPTS):
        clear_table(rules, table, fact)
        deal_cards(rules, setup, table, deal, fact)
        fits = fact.weight > 0.0
        for seat in range(rules.n_seats):
            deal.chances[seat] = 1.0
            fits = fits and deal.hands[seat] & setup.apart[seat] == 0
        if fits:
            return True
    return False


@njit
def try_swap(rules, policies, weights, setup, table, deal, fact, hidden, listeners):
    """Swap two hidden cards if what was said stays likely enough."""
    n = count_cards(hidden)
    card = nth_bit(hidden, below(deal.rng, Purpose.WORLD, n))
    other = nth_bit(hidden, below(deal.rng, Purpose.WORLD, n))
    place = holder_of(rules, deal, card)
    other_place = holder_of(rules, deal, other)
    if place == other_place or not may_hold(setup, place, other) or not may_hold(setup, other_place, card):
        return
    both = card | other
    seats = np.int64(0)
    chance = 1.0
    other_chance = 1.0
    if place != NONE:
        deal.hands[place] ^= both
        seats |= np.int64(1) << place
        chance = deal.chances[place]
    if other_place != NONE:
        deal.hands[other_place] ^= both
        seats |= np.int64(1) << other_place
        other_chance = deal.chances[other_place]
    seats &= listeners
    least = uniform(deal.rng, Purpose.WORLD) * chance * other_chance
    if seats == 0 or listen(rules, policies, weights, setup, table, deal, fact, seats, least) > least:
        return
    if place != NONE:
        deal.hands[place] ^= both
        deal.chances[place] = chance
    if other_place != NONE:
        deal.hands[other_place] ^= both
        deal.chances[other_place] = other_chance


@njit
def note_world(rules, deal, world):
    """Note where the cards lie."""
    for seat in range(rules.n_seats):
        world.hands[seat] = deal.hands[seat]
        world.chances[seat] = deal.chances[seat]


@njit
def draw_worlds(rules, policies, weights, setup, table, deal, fact, worlds):
    """Fill `worlds`, WORLD of shape (n,): `setup.chain` worlds of each chain in turn, chains `setup.first` and following.

    Chains that have `setup.drawn` worlds behind them go on from the one that lies in the first place of theirs. Where no deal agrees with what is known, no
    hand is filled.
    """
    clear_table(rules, table, fact)
    deal_cards(rules, setup, table, deal, fact)          # shows trump
    hidden = hidden_cards(rules, setup, table)
    listeners = hidden_seats(rules, setup, table) if setup.slips >= 0.0 else np.int64(0)
    for seat in range(rules.n_seats):
        for suit in range(SUITS):
            if setup.voids[seat] >> suit & 1:
                setup.apart[seat] |= suit_mask(suit)
    for k in range(len(worlds)):
        chain = setup.first + k // setup.chain
        number = k % setup.chain
        n_swaps = setup.swaps
        if number == 0 and setup.drawn == 0:
            n_swaps = setup.burn_in
            if not deal_start(rules, setup, table, deal, fact, chain):
                return
            listen(rules, policies, weights, setup, table, deal, fact, listeners, 0.0)
        elif number == 0:
            for seat in range(rules.n_seats):
                deal.hands[seat] = worlds[k].hands[seat]
                deal.chances[seat] = worlds[k].chances[seat]
        deal.rng[Purpose.WORLD] = stream(deal_key(setup.seed, chain, setup.drawn + number), np.int64(Purpose.WORLD))
        for _ in range(n_swaps):
            try_swap(rules, policies, weights, setup, table, deal, fact, hidden, listeners)
        note_world(rules, deal, worlds[k])


@njit
def weigh_worlds(rules, policies, weights, setup, table, deal, fact, worlds):
    """Fill in how likely everybody says what he said with the hands of `worlds`, WORLD of shape (n,)."""
    for k in range(len(worlds)):
        clear_table(rules, table, fact)
        for seat in range(rules.n_seats):
            setup.held[seat] = worlds[k].hands[seat]
        deal_cards(rules, setup, table, deal, fact)
        for seat in range(rules.n_seats):
            deal.chances[seat] = 1.0
        listen(rules, policies, weights, setup, table, deal, fact, (np.int64(1) << rules.n_seats) - 1, 0.0)
        note_world(rules, deal, worlds[k])
