"""What to call, bid, name, ask for and give: random, or the best by a scheme's own score table and learned tables of chances.

Expected tricks come from a table of P(a card takes a trick). What a bid is worth comes from a table by (expected tricks - bid): the chances of ending above or
below it, counted in self-play of players who aim at that bid, times the scheme's points. Zero bids have tables of their own, counted while their holders duck.
"""

import numpy as np

from kernels.bits import bit, count_cards, highest_card, lowest_card, suit_mask, trump_mask
from kernels.compiled import njit, small
from kernels.heuristics import (
    EXPECT_CARDS,
    EXPECT_KIND,
    EXPECT_LEFT,
    NO_TRUMP,
    PLAIN,
    TRUMP,
    card_expectation,
    expected_tricks,
    unseen_cards,
)
from kernels.layout import (
    AIM_BUCKETS,
    AIM_STEP,
    HIGHER,
    LENGTHS,
    MAX_SEATS,
    MAX_SUM,
    MEMO,
    NONE,
    PASS,
    SOLO_BUCKETS,
    SUITS,
    WORTH_SHAPE,
    ZERO_BUCKETS,
    ZERO_STEP,
    Contract,
    Denomination,
    PoolLoss,
    PoolWin,
    Rebids,
)
from kernels.rng import below, uniform

WORTH_SIDE = WORTH_SHAPE[3] * WORTH_SHAPE[4]
WORTH_ROLE = WORTH_SHAPE[2] * WORTH_SIDE
WORTH_CARDS = WORTH_SHAPE[1] * WORTH_ROLE
SIDES_CARDS = MAX_SEATS * (MAX_SUM + 1) * 3
SIDES_LEFT = (MAX_SUM + 1) * 3
FORBIDDEN = 1e18       # units: more than any score
SEVEN = np.int64(0b1111111)
EXPLORED = 3.0         # tricks on either side of the expected ones that a training bid explores


@small
def bid_value(rules, weights, policy, cards, role, bid, expected, ducked, to_speak, sum_so_far):
    """Return the expected score of a bid, in units, larger is better.

    role: layout.ROLES; expected: tricks the hand takes in natural play; ducked: tricks it cannot avoid when
    it ducks; to_speak: seats that bid after this one.
    """
    if bid == 0:
        bucket = min(np.int64(ducked / ZERO_STEP), np.int64(ZERO_BUCKETS - 1)) + AIM_BUCKETS
    else:
        bucket = min(max(np.int64((expected - bid) / AIM_STEP + AIM_BUCKETS * 0.5), np.int64(0)), np.int64(AIM_BUCKETS - 1))
    at = policy.worth + cards * WORTH_CARDS + role * WORTH_ROLE + bid * WORTH_SHAPE[4] + bucket
    if rules.score_by_side >> bid & 1 == 0:
        return weights[at]
    share = policy.sides + cards * SIDES_CARDS + to_speak * SIDES_LEFT + min(sum_so_far + bid, np.int64(MAX_SUM)) * 3
    return weights[share] * weights[at] + weights[share + 1] * weights[at + WORTH_SIDE] + weights[share + 2] * weights[at + 2 * WORTH_SIDE]


@small
def role_of(leads, trump):
    """Return the role of a bidder (layout.ROLES); leads: 1 or 0."""
    return leads + 2 if trump == Denomination.NT else leads


@small
def near_bids(expected):
    """Return the bids within three tricks of the expectation, as far as the tables reach; farther ones are hopeless."""
    middle = np.int64(max(expected, 0.0))
    return SEVEN << middle - 3 if middle >= 3 else SEVEN >> 3 - middle


@small
def sure_tricks(hand, unseen, trump):
    """Return the number of boss trumps in a hand: those above every trump that is out, so that no play avoids their tricks."""
    out = unseen & trump_mask(trump)
    own = hand & trump_mask(trump)
    return count_cards(own >> highest_card(out)) if out != 0 else count_cards(own)


@njit
def best_bid(rules, weights, policy, cards, role, legal, expected, ducked, to_speak, sum_so_far):
    """Return (bid, value in units) of the legal bid with the highest expected score; of equal ones the lowest.

    Bids near the expectation and zero are looked at; where none of them is legal, the nearest legal bid is.
    """
    choice = np.int64(NONE)
    most = 0.0
    near = legal & (near_bids(expected) | 1)
    if near == 0:
        nearest = max(np.int64(expected), np.int64(0))
        above = legal >> nearest << nearest
        near = bit(lowest_card(above) if above != 0 else highest_card(legal))
    legal = near
    while legal != 0:
        bid = lowest_card(legal)
        legal &= legal - 1
        value = bid_value(rules, weights, policy, cards, role, bid, expected, ducked, to_speak, sum_so_far)
        if bid == 0:
            value -= policy.zero_margin
        if choice == NONE or value > most:
            choice = bid
            most = value
    return choice, most


@njit
def natural_tricks(policy, weights, table, unseen, trump):
    """Return the expected tricks of the whole hand under a trump."""
    return expected_tricks(weights, policy.expect + table.cards * EXPECT_CARDS + table.cards * EXPECT_LEFT, table.hand, unseen, trump)


@njit
def ducked_tricks(policy, weights, table, unseen, trump):
    """Return the tricks that the whole hand takes in spite of ducking."""
    return expected_tricks(weights, policy.duck + table.cards * EXPECT_LEFT, table.hand, unseen, trump)


@njit
def explored_bid(table, expected, around, rng):
    """Return a legal bid for training, at most `around` tricks from the expected ones where the rules let it."""
    aimed = np.int64(max(expected + (2.0 * uniform(rng, table.seat) - 1.0) * around, 0.0) + 0.5)
    above = table.legal_bids >> aimed << aimed
    return lowest_card(above) if above != 0 else highest_card(table.legal_bids)


@njit
def bid_by_expectation(policy, rules, weights, table, rng):
    """Return the bid of the highest expected score, shifted by the seat and by how far the bids so far run ahead of the tricks."""
    unseen = unseen_cards(rules, table)
    cards = table.cards
    n_seats = rules.n_seats
    position = (table.seat - table.leader) % n_seats
    ahead = table.bid_sum - cards * table.n_spoken / n_seats
    expected = natural_tricks(policy, weights, table, unseen, table.trump) + policy.seat_shift * position + policy.sum_shift * ahead
    ducked = max(ducked_tricks(policy, weights, table, unseen, table.trump) + policy.duck_shift * ahead, 0.0)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore:
        return explored_bid(table, expected, EXPLORED, rng)
    sure = sure_tricks(table.hand, unseen, table.trump)
    reachable = table.legal_bids >> sure << sure
    legal = reachable if reachable != 0 else table.legal_bids
    role = role_of(np.int64(1) if position == 0 else np.int64(0), table.trump)
    choice, _ = best_bid(rules, weights, policy, cards, role, legal, expected, ducked, n_seats - table.n_spoken - 1, table.bid_sum)
    return choice


@njit
def count_denominations(policy, weights, table, unseen, memo):
    """Note for each denomination C D H S NT: expected tricks (memo 1-5) and those a zero bid cannot avoid (6-10); clear the rest."""
    cards = table.cards
    expect = policy.expect + cards * EXPECT_CARDS + cards * EXPECT_LEFT
    duck = policy.duck + cards * EXPECT_LEFT
    memo[0] = 1.0
    for k in range(1, MEMO):
        memo[k] = 0.0
    for suit in range(SUITS):
        mine = table.hand & suit_mask(suit)
        theirs = unseen & suit_mask(suit)
        length = min(count_cards(mine), np.int64(LENGTHS - 1)) * HIGHER
        plain = 0.0
        plain_duck = 0.0
        while mine != 0:
            card = lowest_card(mine)
            mine &= mine - 1
            at = length + count_cards(theirs >> card)
            plain += weights[expect + at]
            plain_duck += weights[duck + at]
            memo[1 + suit] += weights[expect + TRUMP * EXPECT_KIND + at]
            memo[6 + suit] += weights[duck + TRUMP * EXPECT_KIND + at]
            memo[5] += weights[expect + NO_TRUMP * EXPECT_KIND + at]
            memo[10] += weights[duck + NO_TRUMP * EXPECT_KIND + at]
        for other in range(SUITS):
            if other != suit:
                memo[1 + other] += plain
                memo[6 + other] += plain_duck


@njit
def think_of_denominations(policy, rules, weights, table, memo):
    """Note for each denomination C D H S NT its expected tricks (memo 1-10), value of the best other bid in defence (11-15), value of the best contract (16-20)
    and its number (21-25)."""
    unseen = unseen_cards(rules, table)
    cards = table.cards
    count_denominations(policy, weights, table, unseen, memo)
    everything = (np.int64(2) << cards) - 1
    contracts = (np.int64(2) << cards) - (np.int64(1) << (rules.auction_min_bid + rules.gulash_min_bid_step * table.n_gulash))
    for trump in range(SUITS + 1):
        expected = memo[1 + trump]
        sure = max(sure_tricks(table.hand, unseen, np.int64(trump)), np.int64(1))
        role = role_of(np.int64(0), trump)
        _, memo[11 + trump] = best_bid(rules, weights, policy, cards, role, everything >> sure << sure, expected, 0.0, np.int64(0), np.int64(0))
        if contracts & near_bids(expected) != 0:
            number, memo[16 + trump] = best_bid(rules, weights, policy, cards, role + 1, contracts, expected, 0.0, rules.n_seats - 1, np.int64(0))
            memo[21 + trump] = number


@njit
def defence_value(policy, rules, weights, table, memo, trump, level):
    """Return the expected score of the best bid against a contract of `level` tricks under a trump."""
    if sure_tricks(table.hand, unseen_cards(rules, table), trump) > 0:
        return memo[11 + trump]
    role = role_of(np.int64(0), trump)
    zero = bid_value(rules, weights, policy, table.cards, role, np.int64(0), 0.0, memo[6 + trump], rules.n_seats - 2, level)
    return max(zero - policy.zero_margin, memo[11 + trump])


@njit
def raise_or_stand(policy, rules, weights, table, memo):
    """Return the call of the high bidder after all others have passed: his denomination with the number worth most, or pass."""
    level = (table.high - 1) // 5 + 1
    trump = (table.high - 1) % 5
    if rules.contract_declarer_rebids == Rebids.AT_LEAST:
        return np.int64(PASS)
    legal = (np.int64(2) << table.cards) - (np.int64(1) << level)
    number, _ = best_bid(rules, weights, policy, table.cards, role_of(np.int64(1), trump), legal, memo[1 + trump], 0.0, rules.n_seats - 1, np.int64(0))
    return 1 + (number - 1) * 5 + trump if number > level else np.int64(PASS)


@njit
def explored_call(table, memo, around, rng):
    """Return a call for training: any denomination, at most `around` tricks from its expected ones."""
    trump = below(rng, table.seat, np.int64(SUITS + 1))
    number = np.int64(max(memo[1 + trump] + (2.0 * uniform(rng, table.seat) - 1.0) * around, 1.0) + 0.5)
    call = 1 + (min(number, table.cards) - 1) * 5 + trump
    if call >= table.lowest_call:
        return call
    return np.int64(PASS) if table.may_pass == 1 else table.lowest_call


@njit
def call_by_value(policy, rules, weights, table, memo, rng):
    """Return the Israeli Whist call: the contract whose best number is worth more than defending, named as low as the rules let the number be raised later."""
    if memo[0] == 0.0:
        think_of_denominations(policy, rules, weights, table, memo)
    cards = table.cards
    if table.high_seat == table.seat:
        return raise_or_stand(policy, rules, weights, table, memo)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore:
        return explored_call(table, memo, EXPLORED, rng)
    if table.high != PASS:
        pass_value = defence_value(policy, rules, weights, table, memo, (table.high - 1) % 5, (table.high - 1) // 5 + 1)
    else:
        pass_value = 0.0
        for trump in range(SUITS + 1):
            pass_value += defence_value(policy, rules, weights, table, memo, trump, np.int64(policy.usual_level)) / (SUITS + 1)
    can_raise = rules.auction_end_passes == 4 or rules.contract_declarer_rebids == Rebids.AT_LEAST
    choice = np.int64(PASS)
    most = pass_value + policy.call_margin if table.may_pass == 1 else -FORBIDDEN
    for trump in range(SUITS + 1):
        level = (table.lowest_call + 3 - trump) // 5 + 1          # lowest number that makes a legal call in this denomination
        number = np.int64(memo[21 + trump])
        value = memo[16 + trump]
        if number < level:
            legal = (np.int64(2) << cards) - (np.int64(1) << level)
            if legal & near_bids(memo[1 + trump]) == 0:
                continue
            number, value = best_bid(rules, weights, policy, cards, role_of(np.int64(1), trump), legal, memo[1 + trump], 0.0, rules.n_seats - 1, np.int64(0))
        if value > most:
            most = value
            choice = 1 + ((level if can_raise else number) - 1) * 5 + trump
    if choice == PASS and table.may_pass == 0:
        return table.lowest_call
    return choice


@njit
def solo_strength(policy, rules, weights, hand, unseen, trump, cards):
    """Return (card points, tricks) that a hand takes as soloist: each card's own points, those it collects and the trick, by its chance to win."""
    base = policy.expect + cards * EXPECT_CARDS + cards * EXPECT_LEFT
    gained = 0.0
    tricks = 0.0
    for suit in range(SUITS):
        mine = hand & suit_mask(suit)
        theirs = unseen & suit_mask(suit)
        start = base + (TRUMP if suit == trump else PLAIN) * EXPECT_KIND
        left = mine
        while left != 0:
            card = lowest_card(left)
            left &= left - 1
            chance = card_expectation(weights, start, mine, theirs, card)
            tricks += chance
            gained += chance * (rules.card_points[card & 15] + 1.0 + policy.trick_gain)
    return gained, tricks


@njit
def best_trump(policy, rules, weights, hand, unseen, legal_trumps, cards):
    """Return (trump, card points, tricks) of the named suit in which the hand is strongest."""
    choice = np.int64(NONE)
    most_points = 0.0
    most_tricks = 0.0
    for suit in range(SUITS):
        if legal_trumps >> suit & 1:
            gained, tricks = solo_strength(policy, rules, weights, hand, unseen, np.int64(suit), cards)
            if choice == NONE or gained > most_points:
                choice = np.int64(suit)
                most_points = gained
                most_tricks = tricks
    return choice, most_points, most_tricks


@small
def named_suits(contract):
    """Return the suits that may be trump in a contract, bit s for suit s: diamonds are played in diamonds, the others in any other suit (SS-A7)."""
    return np.int64(0b0010) if contract % 2 == 0 else np.int64(0b1101)


@njit
def contract_chance(policy, rules, weights, table, contract, gained, tricks):
    """Return P(the soloist makes the contract) by the strength of his hand."""
    if contract <= Contract.JUEGO_DIAMONDS:
        if (table.seat - table.dealer) % rules.n_seats == rules.juego_reduced_seat:
            gained += rules.juego_target - rules.juego_reduced_target
        return weights[policy.solo + min(np.int64(gained), np.int64(SOLO_BUCKETS - 1))]
    kind = 1 if contract <= Contract.BOLA_DIAMONDS else 2
    return weights[policy.solo + kind * SOLO_BUCKETS + min(np.int64(tricks * 4.0), np.int64(SOLO_BUCKETS - 1))]


@njit
def call_contract(policy, rules, weights, table, rng):
    """Return the Spanish Solo call: the contract of the highest expected chips, or pass when defending costs less."""
    unseen = unseen_cards(rules, table)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore and table.lowest_call <= table.highest_call:
        return table.lowest_call + below(rng, table.seat, table.highest_call - table.lowest_call + 1)
    fees = np.int64(0)
    for seat in range(rules.n_seats):
        if seat != table.seat and table.passed[seat] == 0:
            fees += rules.pool_pass_fee
    choice = np.int64(PASS)
    most = policy.solo_margin - rules.pool_pass_fee
    if table.high != PASS:
        most -= rules.contract_value[table.high] * (2.0 * policy.solo_made - 1.0)
    for contract in range(table.lowest_call, table.highest_call + 1):
        _, gained, tricks = best_trump(policy, rules, weights, table.hand, unseen, named_suits(contract), table.cards)
        chance = contract_chance(policy, rules, weights, table, contract, gained, tricks)
        pool = table.pool + fees
        win = 2.0 * rules.contract_value[contract] + (pool if rules.pool_on_win == PoolWin.ALL else 0)
        loss = 2.0 * rules.contract_value[contract] + (pool if rules.pool_on_loss == PoolLoss.DOUBLE else 0)
        value = chance * win - (1.0 - chance) * loss
        if value > most:
            most = value
            choice = np.int64(contract)
    return choice


@njit
def planned_trump(policy, rules, weights, table, unseen):
    """Return trump, or before it is named the suit that the soloist of this contract would name."""
    if table.trump != NONE:
        return table.trump
    trump, _, _ = best_trump(policy, rules, weights, table.hand, unseen, named_suits(table.contract), table.cards)
    return trump


@njit
def ask_for_strongest(policy, rules, weights, table):
    """Return the missing card that raises the expected tricks most: of each suit only the highest missing one counts."""
    unseen = unseen_cards(rules, table)
    base = policy.expect + table.cards * EXPECT_CARDS + table.cards * EXPECT_LEFT
    trump = planned_trump(policy, rules, weights, table, unseen)
    choice = np.int64(NONE)
    most = 0.0
    for suit in range(SUITS):
        missing = unseen & suit_mask(suit)
        if missing != 0:
            card = highest_card(missing)
            tricks = expected_tricks(weights, base, table.hand | bit(card), unseen & ~bit(card), trump)
            if choice == NONE or tricks > most:
                choice = card
                most = tricks
    return choice


@njit
def give_weakest(policy, rules, weights, table):
    """Return the card whose loss leaves the most expected tricks."""
    unseen = unseen_cards(rules, table)
    base = policy.expect + table.cards * EXPECT_CARDS + table.cards * EXPECT_LEFT
    trump = planned_trump(policy, rules, weights, table, unseen)
    choice = np.int64(NONE)
    most = 0.0
    left = table.hand
    while left != 0:
        card = lowest_card(left)
        left &= left - 1
        tricks = expected_tricks(weights, base, table.hand & ~bit(card), unseen | bit(card), trump)
        if choice == NONE or tricks > most:
            choice = card
            most = tricks
    return choice


@njit
def pass_weakest(policy, rules, weights, table):
    """Return the cards of a gulash: those that the best denomination of the hand misses least, one after the other."""
    unseen = unseen_cards(rules, table)
    trump = np.int64(NONE)
    most = 0.0
    for denomination in range(SUITS + 1):
        tricks = natural_tricks(policy, weights, table, unseen, np.int64(denomination))
        if trump == NONE or tricks > most:
            trump = np.int64(denomination)
            most = tricks
    base = policy.expect + table.cards * EXPECT_CARDS + table.cards * EXPECT_LEFT
    given = np.int64(0)
    for _ in range(rules.gulash_cards):
        hand = table.hand & ~given
        choice = np.int64(NONE)
        kept = 0.0
        left = hand
        while left != 0:
            card = lowest_card(left)
            left &= left - 1
            tricks = expected_tricks(weights, base, hand & ~bit(card), unseen, trump)
            if choice == NONE or tricks > kept:
                choice = card
                kept = tricks
        given |= bit(choice)
    return given
