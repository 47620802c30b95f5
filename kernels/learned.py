"""What the learned players choose: the candidate with the highest score of a network, or the bid with the highest expected score of the scheme.

In training they draw cards and calls by their chances (the softmax of the scores), and note every decision on the tape of the table.
"""

import math

import numpy as np

from kernels.bidding import count_denominations, ducked_tricks, explored_bid, explored_call, natural_tricks, sure_tricks
from kernels.bits import bit, count_cards, highest_card, lowest_card, nth_bit, suit_mask
from kernels.compiled import njit, small
from kernels.features import bounded, number, put_bid, put_bidder, put_card, put_hand, put_play
from kernels.heuristics import (
    EXPECT_CARDS,
    EXPECT_KIND,
    EXPECT_LEFT,
    NO_TRUMP,
    TRUMP,
    different_cards,
    lowest_ranked,
    unseen_cards,
    wanted_tricks,
)
from kernels.layout import (
    ANNOUNCED,
    BID_OWN,
    BID_SHARED,
    CALL_OWN,
    CALL_SHARED,
    HIGHER,
    LENGTHS,
    MAX_HAND,
    MAX_SEATS,
    NONE,
    OUTPUTS,
    PASS,
    PLAY_OWN,
    PLAY_SHARED,
    SUITS,
    TAPE,
    UNITS,
    WORK,
    Denomination,
    Rebids,
    Tape,
)
from kernels.network import chances, expectation, score, shared
from kernels.rng import below, uniform

FIRST = 4 * UNITS + OUTPUTS + 2 * MAX_SEATS      # of the inputs on an empty tape; the shared first layer stands before them, and the learner's scratch
MOST_INPUTS = 1200     # of one decision and its scratch
EXPLORED = 2.0         # tricks on either side of the expected ones that a training bid explores
PRICES_BID = OUTPUTS
DECLARER_BID = 42      # place of the bid of the seat before, which the declarer is for whoever speaks first
PRICES_CARDS = (MAX_HAND + 1) * PRICES_BID
FAR = 1e18             # below any score
REACH = 1.5            # expected tricks that a contract may lack to be thought of
CLOSE = 2.25           # tricks
ZERO_BELOW = 4.5       # expected tricks
CALLS_EXPLORED = 0.3   # share of `explore` that calls are drawn at


@small
def open_work(table):
    """Return where the inputs of a decision go."""
    return FIRST + table.work_at


@small
def note(policy, table, kind, at, end, n, chosen, what):
    """Keep a decision, whose inputs end before `end`, for the learner as long as the tape has room."""
    if policy.draw > 0.0 and table.n_tape < TAPE and end + MOST_INPUTS < WORK:
        row = table.tape[table.n_tape]
        row[0] = kind
        row[1] = table.seat
        row[2] = at
        row[3] = n
        row[4] = chosen
        row[5] = what
        table.n_tape += 1
        table.work_at = end - FIRST


@njit
def drawn(table, rng, at, n):
    """Return a candidate drawn by the softmax of the scores work[at : at + n]."""
    most = table.work[at]
    for k in range(1, n):
        most = max(most, table.work[at + k])
    total = 0.0
    for k in range(n):
        total += math.exp(table.work[at + k] - most)
    left = uniform(rng, table.seat) * total
    for k in range(n - 1):
        left -= math.exp(table.work[at + k] - most)
        if left < 0.0:
            return np.int64(k)
    return np.int64(n - 1)


@njit
def choose_by_score(policy, weights, table, rng, net, n_shared, n_own, n, at, kind):
    """Return the number of the candidate chosen; shared inputs lie at `at`, those of the candidates behind. Of equal scores the first."""
    shared(weights, net, table.work, at, n_shared, 0)
    own = net + n_shared * UNITS
    choice = np.int64(0)
    most = -FAR
    scores = at + n_shared + n * n_own
    for k in range(n):
        value = score(weights, own, table.work, at + n_shared + k * n_own, n_own, 0)
        if policy.draw > 0.0:
            table.work[scores + k] = value
        if value > most:
            most = value
            choice = np.int64(k)
    if policy.draw > 0.0:
        choice = drawn(table, rng, scores, np.int64(n))
        note(policy, table, kind, at, scores + n, np.int64(n), choice, np.int64(0))
    return choice


@njit
def play_for_bid(policy, rules, weights, table, legal, rng):
    """Return the card of the highest score; a seat whose score no longer depends on its tricks plays the card of the lowest rank."""
    if wanted_tricks(rules, table) == NONE:
        return lowest_ranked(legal)
    unseen = unseen_cards(rules, table)
    cards = different_cards(rules, table, legal, unseen)
    if cards & (cards - 1) == 0:
        return lowest_card(cards)
    at = open_work(table)
    need, rest = put_play(policy, rules, weights, table, unseen, at)
    spoils = table.work[at + 17]
    left = cards
    n = 0
    while left != 0:
        card = lowest_card(left)
        left &= left - 1
        put_card(policy, rules, weights, table, unseen, need, rest, spoils, card, at + PLAY_SHARED + n * PLAY_OWN)
        n += 1
    choice = choose_by_score(policy, weights, table, rng, policy.net_play, PLAY_SHARED, PLAY_OWN, n, at, np.int64(Tape.PLAY))
    for _ in range(choice):
        cards &= cards - 1
    return lowest_card(cards)


@small
def close_bids(expected):
    """Return the bids within `CLOSE` tricks of the expectation, and zero where it is below `ZERO_BELOW`; farther ones are hardly ever the best."""
    low = np.int64(max(expected - CLOSE + 0.999, 0.0))
    high = np.int64(max(expected + CLOSE, 0.0))
    bids = (np.int64(2) << high) - (np.int64(1) << low)
    return bids | 1 if expected < ZERO_BELOW else bids


@njit
def best_learned_bid(policy, rules, weights, table, legal, expected, ducked, n_spoken, bid_sum, at):
    """Return (bid, expected score in usual stakes) of the best legal bid near the expectation, or zero; inputs shared by all bids lie at `at`."""
    shared(weights, policy.net_bid, table.work, at, BID_SHARED, 0)
    near = legal & close_bids(expected)
    if near == 0:
        nearest = np.int64(max(expected, 0.0))
        above = legal >> nearest << nearest
        near = bit(lowest_card(above) if above != 0 else highest_card(legal))
    choice = np.int64(NONE)
    most = -FAR
    own = at + BID_SHARED
    prices = policy.prices + table.cards * PRICES_CARDS
    while near != 0:
        bid = lowest_card(near)
        near &= near - 1
        put_bid(policy, weights, table, rules.n_seats, n_spoken, bid_sum, expected, ducked, bid, own)
        value = expectation(weights, policy.net_bid + BID_SHARED * UNITS, table.work, own, BID_OWN, 0, prices + bid * PRICES_BID)
        if value > most:
            most = value
            choice = bid
    return choice, most


@njit
def note_bid(policy, rules, weights, table, expected, ducked, n_spoken, bid_sum, bid, call, at):
    """Note the inputs of one bid for the learner; call: the contract that it belongs to, or NONE."""
    if policy.draw > 0.0:
        put_bid(policy, weights, table, rules.n_seats, n_spoken, bid_sum, expected, ducked, bid, at + BID_SHARED)
        note(policy, table, np.int64(Tape.BID), at, at + BID_SHARED + BID_OWN, np.int64(1), np.int64(0), call)


@njit
def learned_bid(policy, rules, weights, table, rng):
    """Return the bid of the highest expected score; in training now and then one near the expected tricks."""
    unseen = unseen_cards(rules, table)
    at = open_work(table)
    expected, ducked = put_hand(policy, rules, weights, table, unseen, table.trump, at)
    declares = np.int64(1) if table.declarer == table.seat else np.int64(0)
    level = (table.contract - 1) // 5 + 1 if table.contract != NONE else np.int64(0)
    leads = np.int64(1) if table.seat == table.leader else np.int64(0)
    put_bidder(rules, table, table.trump, table.n_spoken, table.bid_sum, leads, declares, level, at)
    bid = np.int64(NONE)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore:
        bid = explored_bid(table, expected, EXPLORED, rng)
    else:
        sure = sure_tricks(table.hand, unseen, table.trump)
        reachable = table.legal_bids >> sure << sure
        legal = reachable if reachable != 0 else table.legal_bids
        bid, _ = best_learned_bid(policy, rules, weights, table, legal, expected, ducked, table.n_spoken, table.bid_sum, at)
    note_bid(policy, rules, weights, table, expected, ducked, table.n_spoken, table.bid_sum, bid, np.int64(NONE), at)
    return bid


@njit
def announce_learned_bids(policy, rules, weights, table):
    """Put into table.work[ANNOUNCED + bid * OUTPUTS :] the chances of what becomes of each legal bid."""
    at = open_work(table)
    expected, ducked = put_hand(policy, rules, weights, table, unseen_cards(rules, table), table.trump, at)
    declares = np.int64(1) if table.declarer == table.seat else np.int64(0)
    level = (table.contract - 1) // 5 + 1 if table.contract != NONE else np.int64(0)
    put_bidder(rules, table, table.trump, table.n_spoken, table.bid_sum, np.int64(table.seat == table.leader), declares, level, at)
    shared(weights, policy.net_bid, table.work, at, BID_SHARED, 0)
    own = at + BID_SHARED
    for bid in range(table.cards + 1):
        if table.legal_bids >> bid & 1:
            put_bid(policy, weights, table, rules.n_seats, table.n_spoken, table.bid_sum, expected, ducked, np.int64(bid), own)
            chances(weights, policy.net_bid + BID_SHARED * UNITS, table.work, own, BID_OWN, 0, ANNOUNCED + bid * OUTPUTS)


@njit
def think_of_hand(policy, rules, weights, table, unseen, memo):
    """Note for each denomination C D H S NT: expected tricks (memo 1-5), those that ducking does not avoid (6-10), value of the best contract that may be won
    (16-20, `-FAR` without one) and its number (21-25)."""
    at = open_work(table)
    minimum = rules.auction_min_bid + rules.gulash_min_bid_step * table.n_gulash
    contracts = (np.int64(2) << table.cards) - (np.int64(1) << minimum)
    count_denominations(policy, weights, table, unseen, memo)
    for trump in range(SUITS + 1):
        memo[16 + trump] = -FAR
        if memo[1 + trump] > minimum - REACH:
            expected, ducked = put_hand(policy, rules, weights, table, unseen, np.int64(trump), at)
            put_bidder(rules, table, np.int64(trump), np.int64(0), np.int64(0), np.int64(1), np.int64(1), np.int64(0), at)
            number_, memo[16 + trump] = best_learned_bid(policy, rules, weights, table, contracts, expected, ducked, np.int64(0), np.int64(0), at)
            memo[21 + trump] = number_


@njit
def contract_value(policy, rules, weights, table, unseen, trump, level, at):
    """Return (number, value) of the best contract of at least `level` tricks in a denomination."""
    expected, ducked = put_hand(policy, rules, weights, table, unseen, trump, at)
    put_bidder(rules, table, trump, np.int64(0), np.int64(0), np.int64(1), np.int64(1), np.int64(0), at)
    legal = (np.int64(2) << table.cards) - (np.int64(1) << level)
    return best_learned_bid(policy, rules, weights, table, legal, expected, ducked, np.int64(0), np.int64(0), at)


@njit
def value_of_defence(policy, rules, weights, table, unseen, trump, level, at):
    """Return the value of the best bid against a contract, as if this seat spoke first after its declarer."""
    expected, ducked = put_hand(policy, rules, weights, table, unseen, trump, at)
    put_bidder(rules, table, trump, np.int64(1), level, np.int64(0), np.int64(0), level, at)
    table.work[at + DECLARER_BID] = 1.0
    table.work[at + DECLARER_BID + 1] = level / 4
    everything = (np.int64(2) << table.cards) - 1
    sure = sure_tricks(table.hand, unseen, trump)
    _, value = best_learned_bid(policy, rules, weights, table, everything >> sure << sure, expected, ducked, np.int64(1), level, at)
    return value


@njit
def stand_or_raise(policy, rules, weights, table, unseen, memo, rng):
    """Return the call of the high bidder after all others have passed: his denomination with the number worth most, or pass."""
    level = (table.high - 1) // 5 + 1
    trump = (table.high - 1) % 5
    if rules.contract_declarer_rebids == Rebids.AT_LEAST:
        return np.int64(PASS)
    at = open_work(table)
    bid, _ = contract_value(policy, rules, weights, table, unseen, trump, level, at)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore:
        bid = min(level + below(rng, table.seat, np.int64(2)), table.cards)
    call = 1 + (bid - 1) * 5 + trump
    note_bid(policy, rules, weights, table, memo[1 + trump], memo[6 + trump], np.int64(0), np.int64(0), bid, call, at)
    return call if bid > level else np.int64(PASS)


@njit
def learned_call(policy, rules, weights, table, memo, rng):
    """Return the Israeli Whist call of the highest score: pass, or a denomination at the lowest number that leaves room for a raise of one's own.

    The network sees the value of the best contract in each denomination and the value of defending against the one that stands.
    """
    unseen = unseen_cards(rules, table)
    if memo[0] == 0.0:
        think_of_hand(policy, rules, weights, table, unseen, memo)
    if table.high_seat == table.seat:
        return stand_or_raise(policy, rules, weights, table, unseen, memo, rng)
    if policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore * CALLS_EXPLORED:
        return explored_call(table, memo, EXPLORED, rng)
    can_raise = rules.auction_end_passes == 4 or rules.contract_declarer_rebids == Rebids.AT_LEAST
    at = open_work(table)
    own = at + CALL_SHARED
    work = table.work
    scratch = own + (SUITS + 2) * CALL_OWN + 8
    n = np.int64(0)
    best = -FAR
    most_expected = -FAR
    sum_expected = 0.0
    least_ducked = FAR
    calls = np.int64(0)                       # seven bits a call, in order of the candidates
    if table.may_pass == 1:
        n = np.int64(1)
    for trump in range(SUITS + 1):
        expected = memo[1 + trump]
        sum_expected += expected
        most_expected = max(most_expected, expected)
        least_ducked = min(least_ducked, memo[6 + trump])
        level = (table.lowest_call + 3 - trump) // 5 + 1          # lowest number that makes a legal call in this denomination
        bid = np.int64(memo[21 + trump])
        value = memo[16 + trump]
        if level > table.cards or expected <= level - REACH:
            continue
        if bid < level:
            bid, value = contract_value(policy, rules, weights, table, unseen, np.int64(trump), level, scratch)
        called = level if can_raise else bid
        place = own + n * CALL_OWN
        work[place] = 0.0
        work[place + 1] = value
        work[place + 2] = bounded(expected - level, -4.0, 4.0)
        work[place + 3] = (bid - level) / 2
        work[place + 4] = called / 8
        work[place + 5] = number(trump == SUITS)
        work[place + 7] = memo[6 + trump]
        work[place + 8] = expected / 4
        work[place + 10] = trump / 4
        best = max(best, value)
        calls |= (1 + (called - 1) * 5 + trump) << n * 7
        n += 1
    if n == 0:
        return table.lowest_call
    if calls == 0:
        return np.int64(PASS)
    has_high = table.high != PASS
    trump = (table.high - 1) % 5
    level = (table.high - 1) // 5 + 1
    defence = value_of_defence(policy, rules, weights, table, unseen, trump, level, scratch) if has_high else 0.0
    if table.may_pass == 1:
        work[own] = 1.0
        work[own + 1] = defence
        for k in range(2, CALL_OWN):
            work[own + k] = 0.0
        work[own + 7] = memo[6 + trump] if has_high else 0.0
        work[own + 8] = memo[1 + trump] / 4 if has_high else 0.0
    for k in range(table.may_pass, n):
        place = own + k * CALL_OWN
        work[place + 6] = work[place + 1] - defence
        work[place + 9] = number(work[place + 1] >= best)
        work[place + 11] = number(has_high)
    work[at] = 1.0
    work[at + 1] = number(has_high)
    work[at + 2] = level / 8 if has_high else 0.0
    work[at + 3] = number(has_high and trump == SUITS)
    work[at + 4] = table.passes / 4
    work[at + 5] = (table.seat - table.dealer - 1) % rules.n_seats / 4
    work[at + 6] = (table.high_seat - table.seat) % rules.n_seats / 4 if has_high else 0.0
    work[at + 7] = n / 8
    work[at + 8] = best
    work[at + 9] = defence
    work[at + 10] = most_expected - 5.0
    work[at + 11] = best - defence
    work[at + 12] = table.n_gulash / 2
    work[at + 13] = table.may_pass
    work[at + 14] = table.passed[table.seat]
    work[at + 15] = least_ducked
    work[at + 16] = sum_expected / 16
    work[at + 17] = number(can_raise)
    choice = choose_by_score(policy, weights, table, rng, policy.net_call, CALL_SHARED, CALL_OWN, n, at, np.int64(Tape.CALL))
    call = calls >> choice * 7 & 127
    if call != PASS and not can_raise:
        trump = (call - 1) % 5
        start = open_work(table)
        put_hand(policy, rules, weights, table, unseen, trump, start)
        put_bidder(rules, table, trump, np.int64(0), np.int64(0), np.int64(1), np.int64(1), np.int64(0), start)
        note_bid(policy, rules, weights, table, memo[1 + trump], memo[6 + trump], np.int64(0), np.int64(0), (call - 1) // 5 + 1, call, start)
    return call


@njit
def learned_gulash(policy, rules, weights, table, rng):
    """Return the cards handed over in a gulash, one after the other that of the highest score.

    The network sees what a card is worth in the denomination that suits the hand best, in others and to a zero bid, and the suit that it leaves.
    """
    unseen = unseen_cards(rules, table)
    cards = table.cards
    expect = policy.expect + cards * EXPECT_CARDS + cards * EXPECT_LEFT
    duck = policy.duck + cards * EXPECT_LEFT
    work = table.work
    best = np.int64(NONE)
    most = -FAR
    total = 0.0
    for denomination in range(SUITS + 1):
        tricks = natural_tricks(policy, weights, table, unseen, np.int64(denomination))
        total += tricks
        if tricks > most:
            best = np.int64(denomination)
            most = tricks
    ducked = ducked_tricks(policy, weights, table, unseen, best)
    given = np.int64(0)
    for picked in range(rules.gulash_cards):
        hand = table.hand & ~given
        at = open_work(table)
        own = at + CALL_SHARED
        for k in range(CALL_SHARED):
            work[at + k] = 0.0
        work[at] = 1.0
        work[at + 1] = picked / 4
        work[at + 2] = table.n_gulash / 2
        work[at + 3] = most / 4
        work[at + 4] = total / 16
        work[at + 5] = ducked
        work[at + 6] = number(best == Denomination.NT)
        for suit in range(SUITS):
            work[at + 7 + suit] = count_cards(hand & suit_mask(suit)) / 4
            work[at + 11 + suit] = number(best == suit)
        n = np.int64(0)
        left = hand
        while left != 0:
            card = lowest_card(left)
            left &= left - 1
            suit = card >> 4
            mine = hand & suit_mask(suit)
            theirs = unseen & suit_mask(suit)
            length = count_cards(mine)
            slot = min(length, np.int64(LENGTHS - 1)) * HIGHER + count_cards(theirs >> card)
            place = own + n * CALL_OWN
            work[place] = weights[expect + slot]
            work[place + 1] = weights[expect + TRUMP * EXPECT_KIND + slot]
            work[place + 2] = weights[expect + NO_TRUMP * EXPECT_KIND + slot]
            work[place + 3] = weights[duck + slot]
            work[place + 4] = (card & 15) / 16
            work[place + 5] = length / 4
            work[place + 6] = number(length == 1)
            work[place + 7] = number(suit == best)
            work[place + 8] = count_cards(theirs >> card) / 8
            work[place + 9] = count_cards(mine >> card) / 4
            work[place + 10] = number(length <= rules.gulash_cards - picked)
            work[place + 11] = number(suit == best) * (card & 15) / 16
            n += 1
        choice = choose_by_score(policy, weights, table, rng, policy.net_gulash, CALL_SHARED, CALL_OWN, n, at, np.int64(Tape.GULASH))
        given |= nth_bit(hand, choice)
    return given
