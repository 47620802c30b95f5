"""Dealing: uniform over all deals that agree with what is known."""

import numpy as np

from kernels.bits import bit, count_cards, lowest_card, nth_bit
from kernels.compiled import njit
from kernels.layout import NONE, SUIT_BITS, Denomination, Exhausted, Purpose, TrumpSource
from kernels.rng import LOW, S32, below, draw, scale

ATTEMPTS = 1000   # deals tried before known voids count as impossible


@njit
def deal_pack(rng, pack, hands, sizes, n_seats):
    """Fill every hand to its size from the pack and return what is left, uniform over all ways.

    One 64-bit word serves two cards. The n-th card of what is left is drawn, so no array is shuffled.
    """
    left = count_cards(pack)
    half = np.int64(-1)
    for seat in range(n_seats):
        hand = hands[seat]
        missing = sizes[seat] - count_cards(hand)
        if missing == left:
            hands[seat] = hand | pack
            return np.int64(0)
        for _ in range(missing):
            if half < 0:
                word = draw(rng, Purpose.DEAL)
                half = np.int64(word & LOW)
                number = scale(np.int64(word >> S32), left)
            else:
                number = scale(half, left)
                half = np.int64(-1)
            card = nth_bit(pack, number)
            pack ^= card
            hand |= card
            left -= 1
        hands[seat] = hand
    return pack


@njit
def deal_constrained(rng, pack, deal, n_seats, voids):
    """Deal first the cards that some seat cannot hold and return (what is left in the pack, weight).

    The constrained cards come in random order; each goes to a seat that may hold it, or to the stock, in proportion to the free places. That is not uniform
    under two or more different voids: the weight, the product of the numbers of allowed places, makes weighted frequencies exact. A dead end starts again,
    which changes all weights by one factor. Weight 0: no deal found in `ATTEMPTS`.
    Returns the unconstrained rest of the pack with the cards that went to the stock taken out.
    """
    hands = deal.hands
    sizes = deal.sizes
    start = deal.start
    constrained = np.int64(0)
    for seat in range(n_seats):
        start[seat] = hands[seat]
        if count_cards(hands[seat]) < sizes[seat]:
            for suit in range(4):
                if voids[seat] >> suit & 1:
                    constrained |= pack & (np.int64(0x1FFF) << (suit * SUIT_BITS))
    places = count_cards(pack)
    for seat in range(n_seats):
        places -= sizes[seat] - count_cards(hands[seat])
    for _ in range(ATTEMPTS):
        for seat in range(n_seats):
            hands[seat] = start[seat]
        stock_places = places
        stock = np.int64(0)
        weight = 1.0
        todo = constrained
        while todo != 0:
            card = nth_bit(todo, below(rng, Purpose.DEAL, count_cards(todo)))
            todo ^= card
            suit = lowest_card(card) // SUIT_BITS
            allowed = stock_places
            for seat in range(n_seats):
                if not voids[seat] >> suit & 1:
                    allowed += sizes[seat] - count_cards(hands[seat])
            if allowed == 0:
                weight = 0.0
                break
            weight *= allowed
            place = below(rng, Purpose.DEAL, allowed)
            for seat in range(n_seats):
                if not voids[seat] >> suit & 1:
                    free = sizes[seat] - count_cards(hands[seat])
                    if 0 <= place < free:
                        hands[seat] |= card
                    place -= free
            if place >= 0:
                stock |= card
                stock_places -= 1
        rest = pack & ~constrained
        missing = np.int64(0)
        for seat in range(n_seats):
            missing += sizes[seat] - count_cards(hands[seat])
        if weight > 0.0 and missing <= count_cards(rest):
            return rest, weight
    return np.int64(0), 0.0


@njit
def deal_cards(rules, setup, table, deal, facts):
    """Deal hands, stock and turn-up, and set trump where the turn-up decides it.

    Cards that `setup` holds fixed lie where it says; the rest is uniform (under voids: weighted, `facts.weight`).
    """
    rng = deal.rng
    n_seats = rules.n_seats
    cards = table.cards
    pack = rules.deck_mask & ~setup.stock
    turnup = setup.turnup
    turns_up = rules.trump_source == TrumpSource.TURNUP and setup.no_turnup == 0
    exhausted = n_seats * cards == count_cards(rules.deck_mask)
    if turns_up and not exhausted and turnup != NONE:
        pack &= ~bit(turnup)
    is_void = np.int64(0)
    for seat in range(n_seats):
        deal.hands[seat] = setup.held[seat]
        deal.sizes[seat] = cards
        pack &= ~setup.held[seat]
        is_void |= setup.voids[seat]
    facts.weight = 1.0
    if is_void != 0:
        pack, facts.weight = deal_constrained(rng, pack, deal, n_seats, setup.voids)
        if facts.weight == 0.0:
            return
    left = deal_pack(rng, pack, deal.hands, deal.sizes, n_seats)
    stock = rules.deck_mask
    for seat in range(n_seats):
        facts.hands[seat] = deal.hands[seat]
        stock &= ~deal.hands[seat]
    trump = np.int64(Denomination.NT)
    if turns_up:
        if not exhausted:
            if turnup == NONE:
                if is_void != 0:
                    left = stock & ~setup.stock
                turnup = lowest_card(nth_bit(left, below(rng, Purpose.DEAL, count_cards(left))))
            stock &= ~bit(turnup)
            table.seen |= bit(turnup)
            trump = turnup >> 4
        elif rules.trump_when_exhausted == Exhausted.DEALER_LAST:
            if turnup == NONE:
                turnup = lowest_card(nth_bit(deal.hands[table.dealer], below(rng, Purpose.DEAL, cards)))
            trump = turnup >> 4
        elif rules.trump_when_exhausted == Exhausted.CUT:
            trump = turnup >> 4 if turnup != NONE else below(rng, Purpose.DEAL, np.int64(4))
            turnup = np.int64(NONE)
    if rules.trump_source == TrumpSource.TURNUP or rules.trump_source == TrumpSource.NONE:
        table.trump = trump
    deal.stock = stock
    table.turnup = turnup if turns_up else np.int64(NONE)
    facts.turnup = table.turnup
