"""Spanish Solo for the learned players: what their networks see, and what they choose.

Cards: three networks, for a soloist, a defender and a seat in a deal without a soloist. Contract, trump, card asked and card given: the chances of everything
that may become of a deal (`outcome_of`), for every contract and trump that the seat may aim at and for a pass, times what each pays under the rules in force.
"""

import numpy as np

from kernels.bidding import contract_chance, named_suits
from kernels.bits import bit, count_cards, highest_card, lowest_card, suit_mask, trump_mask
from kernels.compiled import njit, small
from kernels.features import bounded, number
from kernels.heuristics import (
    ALL_SEATS,
    EXPECT_CARDS,
    EXPECT_KIND,
    EXPECT_LEFT,
    PLAIN,
    TRUMP,
    card_expectation,
    card_kind,
    different_cards,
    expected_tricks,
    hold_chance,
    lowest_ranked,
    takes_trick,
    unseen_cards,
)
from kernels.layout import (
    BID_OWN,
    BID_SHARED,
    NONE,
    OUTPUTS,
    PASS,
    PLAY_OWN,
    PLAY_SHARED,
    SUIT_BITS,
    SUITS,
    UNITS,
    Contract,
    Decision,
    PoolLoss,
    PoolWin,
    Tape,
)
from kernels.learned import FAR, choose_by_score, note, open_work
from kernels.network import chances, shared
from kernels.rng import below, uniform

SOLOIST, DEFENDER, ALONE = np.int64(0), np.int64(1), np.int64(2)
N_CONTRACTS = len(Contract)
# What becomes of a deal for a seat: own contract made, failed (two a contract), another's made, failed, nobody's: from least points alone to most alone
THEIRS = 2 * N_CONTRACTS
NOBODY = 2 * THEIRS + 2        # neither least nor most
OUTCOMES = NOBODY + 3
CHANCES = UNITS        # scratch behind the shared first layer
PRICES = UNITS + OUTPUTS
ONE_A_SUIT = np.int64(0x0001_0001_0001_0001)
EVERY_SUIT = np.int64(0b1111)
DECIDES = 22           # of the numbers of a card: chance that it makes or stops the contract at once
NEARLY = 0.9999        # a chance that counts as certain
NEAR = 0.75            # share of explored calls that are one of the two lowest


@small
def role_of(declarer, seat):
    """Return whether a seat plays as SOLOIST, DEFENDER or ALONE."""
    return ALONE if declarer == NONE else SOLOIST if declarer == seat else DEFENDER


@small
def net_of(policy, role):
    """Return the network of a role's cards."""
    return policy.net_soloist if role == SOLOIST else policy.net_defender if role == DEFENDER else policy.net_alone


@njit
def outcome_of(rules, facts, seat):
    """Return what became of a deal for a seat, 0 to OUTCOMES - 1."""
    if facts.declarer == NONE:
        place = np.int64(NOBODY)
        for other in range(rules.n_seats):
            place += np.int64(facts.points[other] < facts.points[seat]) - np.int64(facts.points[other] > facts.points[seat])
        return place
    soloist = facts.declarer
    if facts.contract >= Contract.BOLA:
        is_made = facts.tricks[soloist] == facts.cards
    else:
        is_made = facts.points[soloist] >= target_of(rules, soloist, facts.dealer)
    return (np.int64(0) if seat == soloist else np.int64(THEIRS)) + 2 * (facts.contract - 1) + (np.int64(0) if is_made else np.int64(1))


@small
def gain_of(outcome):
    """Return what an outcome is worth to whoever plays the cards, from -1 to 1: chips do not change the best card, since a deal has one contract."""
    if outcome > NOBODY - 3:
        return (outcome - NOBODY) * 0.5
    return 1.0 if (outcome < THEIRS) == (outcome % 2 == 0) else -1.0


@small
def target_of(rules, soloist, dealer):
    """Return the points that a soloist's juego needs."""
    return rules.juego_reduced_target if (soloist - dealer) % rules.n_seats == rules.juego_reduced_seat else rules.juego_target


@njit
def points_in(rules, cards):
    """Return the card points of a mask."""
    total = np.int64(0)
    for rank in range(rules.n_ranks):
        total += rules.card_points[rank] * count_cards(cards & ONE_A_SUIT << rank)
    return total


# ---------------------------------------------------------------- cards

@njit
def points_left(rules, table):
    """Return the points still to be won, in cards and tricks."""
    left = points_in(rules, rules.deck_mask) + table.cards * rules.trick_points
    for seat in range(rules.n_seats):
        left -= table.points[seat]
    return left


@njit
def needs(rules, table):
    """Return (what the soloist lacks, what the defenders lack to stop him, what is still to be won) in points, in a slam in tricks."""
    soloist = table.declarer
    if table.contract >= Contract.BOLA:
        left = table.cards - table.trick_no
        lacks = table.cards - table.tricks[soloist]
    else:
        left = points_left(rules, table)
        lacks = target_of(rules, soloist, table.dealer) - table.points[soloist]
    return lacks, left - lacks + 1, left


@njit
def put_suits(rules, table, unseen, at):
    """Put four numbers a suit, trump first, then the longest: length, cards out, is the highest one's own, points out."""
    done = np.int64(0)
    for place in range(SUITS):
        suit = table.trump if place == 0 else longest_suit(table.hand, done)
        done |= bit(suit)
        mine = table.hand & suit_mask(suit)
        theirs = unseen & suit_mask(suit)
        table.work[at] = count_cards(mine) / 4
        table.work[at + 1] = count_cards(theirs) / 6
        table.work[at + 2] = number(mine > theirs)
        table.work[at + 3] = points_in(rules, theirs) / 10
        at += 4


@njit
def longest_suit(hand, done):
    """Return the longest suit whose bit is not among those done, of equal ones the highest."""
    choice = np.int64(NONE)
    longest = np.int64(-1)
    for suit in range(SUITS):
        length = count_cards(hand & suit_mask(suit))
        if done >> suit & 1 == 0 and length >= longest:
            longest = length
            choice = np.int64(suit)
    return choice


@njit
def stands(policy, rules, table, weights, unseen, card, rivals):
    """Return `hold_chance`, compiled once."""
    return hold_chance(policy, rules, table, weights, unseen, card, rivals)


@njit
def put_play(policy, rules, weights, table, unseen, rivals, at):
    """Put the PLAY_SHARED numbers of a seat that is to play a card.

    Return (what its side lacks, what the other lacks, chance that the trick so far is its side's).
    """
    work = table.work
    n_seats = rules.n_seats
    seat = table.seat
    soloist = table.declarer
    left = table.cards - table.trick_no
    trump = table.trump
    trumps = trump_mask(trump)
    next_seat = (seat + 1) % n_seats
    previous = (seat + n_seats - 1) % n_seats
    namer = soloist if soloist != NONE else table.dealer
    is_slam = soloist != NONE and table.contract >= Contract.BOLA
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    lacks, stops, out = np.int64(0), np.int64(0), points_left(rules, table)
    if soloist != NONE:
        lacks, stops, out = needs(rules, table)
        if soloist != seat:
            lacks, stops = stops, lacks
        work[at + 2] = lacks / 30
        work[at + 3] = stops / 30
        work[at + 4] = lacks / out
    else:
        work[at + 2] = (table.points[seat] - table.points[next_seat]) / 15
        work[at + 3] = (table.points[seat] - table.points[previous]) / 15
        work[at + 4] = table.points[seat] / 24
    is_ours = table.led != NONE and rivals >> table.best_seat & 1 == 0
    standing = 0.0
    if table.led != NONE:
        standing = stands(policy, rules, table, weights, unseen, table.best_card, rivals if is_ours else ALL_SEATS & ~rivals)
        standing = standing if is_ours else 1.0 - standing
    work[at] = 1.0
    work[at + 1] = left / 12
    work[at + 5] = table.trick_points / 10
    work[at + 6] = number(table.led == NONE)
    work[at + 7] = number(table.n_played == n_seats - 1)
    work[at + 8] = number(table.n_played == 1)
    work[at + 9] = number(is_ours)
    work[at + 10] = number(table.led != NONE and not is_ours)
    work[at + 11] = standing
    work[at + 12] = count_cards(unseen & trumps) / 8
    work[at + 13] = count_cards(table.hand & trumps) / 6
    work[at + 14] = number(is_slam)
    work[at + 15] = points_in(rules, table.hand) / 20
    work[at + 16] = expected_tricks(weights, base, table.hand, unseen, trump) / 3
    work[at + 17] = points_in(rules, unseen) / 30
    work[at + 18] = out / 72
    work[at + 19] = number(rivals >> next_seat & 1 == 1)
    work[at + 20] = number(rivals >> previous & 1 == 1)
    led = table.led if table.led != NONE else trump
    for k in range(2):
        voids = table.voids[next_seat if k == 0 else previous]
        place = at + 21 + 3 * k
        work[place] = voids >> led & 1
        work[place + 1] = voids >> trump & 1
        work[place + 2] = count_cards(voids) / 3
    work[at + 27] = number(namer == next_seat)
    work[at + 28] = number(namer == seat)
    work[at + 29] = number(rules.play_must_trump == 1)
    work[at + 30] = number(rules.play_must_head == 1)
    work[at + 31] = number(table.contract == Contract.SIN_PEDIR or table.contract == Contract.SIN_PEDIR_DIAMONDS)
    put_suits(rules, table, unseen, at + 32)
    return lacks, stops, standing


@njit
def put_card(policy, rules, weights, table, unseen, rivals, lacks, stops, standing, card, at):
    """Put the PLAY_OWN numbers of a card that may be played; the rest as `put_play` returns it."""
    work = table.work
    suit = card >> 4
    trump = table.trump
    trumps = trump_mask(trump)
    left = table.cards - table.trick_no
    mine = table.hand & suit_mask(suit)
    theirs = unseen & suit_mask(suit)
    base = policy.expect + table.cards * EXPECT_CARDS + (left - 1) * EXPECT_LEFT
    later = card_expectation(weights, base + card_kind(suit, trump, count_cards(unseen & trumps)) * EXPECT_KIND, mine, theirs, card)
    takes = takes_trick(table, card, trumps)
    ours = stands(policy, rules, table, weights, unseen, card, rivals) if takes else standing
    is_slam = table.declarer != NONE and table.contract >= Contract.BOLA
    stake = np.int64(1) if is_slam else table.trick_points + rules.card_points[card & 15] + rules.trick_points
    higher = count_cards(theirs >> card)
    out = count_cards(theirs)
    length = count_cards(mine)
    void_rivals = np.int64(0)
    void_partners = np.int64(0)
    other = table.seat
    for _ in range(rules.n_seats - 1 - table.n_played):
        other = other + 1 if other + 1 < rules.n_seats else np.int64(0)
        void = table.voids[other] >> suit & 1
        void_rivals += void & rivals >> other
        void_partners += void & ~rivals >> other
    work[at] = ours
    work[at + 1] = number(takes)
    work[at + 2] = number(suit == trump)
    work[at + 3] = higher / 4
    work[at + 4] = (out - higher) / 6
    work[at + 5] = (length - 1) / 4
    work[at + 6] = out / 6
    work[at + 7] = number(length == 1)
    work[at + 8] = later
    work[at + 9] = rules.card_points[card & 15] / 5
    work[at + 10] = ours * stake / 10
    work[at + 11] = (1.0 - ours) * stake / 10
    work[at + 12] = number(ours > NEARLY)
    work[at + 13] = points_in(rules, theirs >> card << card) / 10
    work[at + 14] = ours * later
    work[at + 15] = number(table.led != NONE and suit != table.led and suit != trump)
    work[at + 16] = number(higher == 0)
    work[at + 17] = (card & 15) / 8
    work[at + 18] = (count_cards(mine >> card) - 1) / 4
    work[at + 19] = points_in(rules, theirs) / 10
    work[at + 20] = void_rivals / 2
    work[at + 21] = void_partners
    work[at + DECIDES] = ours * number(stake >= lacks)
    work[at + 23] = (1.0 - ours) * number(stake >= stops)


@njit
def play_for_points(policy, rules, weights, table, legal, rng):
    """Return the card of the highest score, or one that decides the contract for sure; once it is made or lost, the card of the lowest rank."""
    seat = table.seat
    soloist = table.declarer
    if soloist != NONE:
        lacks, stops, _ = needs(rules, table)
        if lacks <= 0 or stops <= 0:
            return lowest_ranked(legal)
    unseen = unseen_cards(rules, table)
    cards = different_cards(rules, table, legal, unseen)
    if cards & (cards - 1) == 0:
        return lowest_card(cards)
    role = role_of(soloist, seat)
    net = net_of(policy, role)
    rivals = bit(soloist) if role == DEFENDER else ALL_SEATS & ~bit(seat)
    at = open_work(table)
    lacks, stops, standing = put_play(policy, rules, weights, table, unseen, rivals, at)
    left = cards
    n = 0
    while left != 0:
        card = lowest_card(left)
        left &= left - 1
        own = at + PLAY_SHARED + n * PLAY_OWN
        put_card(policy, rules, weights, table, unseen, rivals, lacks, stops, standing, card, own)
        if role != ALONE and table.work[own + DECIDES] == 1.0:
            return card
        n += 1
    choice = choose_by_score(policy, weights, table, rng, net, PLAY_SHARED, PLAY_OWN, n, at, np.int64(Tape.PLAY))
    for _ in range(choice):
        cards &= cards - 1
    return lowest_card(cards)


# ---------------------------------------------------------------- contract, trump, exchange

@njit
def put_prices(rules, table):
    """Put what each outcome pays the seat from now on, in chips, behind the chances.

    A chip in the pool counts as one that all seats share, for who wins it later is open: deal by deal this is what a seat gets above the mean of all seats.
    """
    work = table.work
    n_seats = rules.n_seats
    others = n_seats - 1
    to_pass = np.int64(0)
    for seat in range(n_seats):
        to_pass += 1 - table.passed[seat]
    fee = rules.pool_pass_fee * (1 - table.passed[table.seat])
    fees = rules.pool_pass_fee * max(to_pass - 1, np.int64(0))          # of all but the soloist
    pool = table.pool + fees
    won = pool if rules.pool_on_win == PoolWin.ALL else np.int64(0)
    lost = pool if rules.pool_on_loss == PoolLoss.DOUBLE else np.int64(0)
    for k in range(N_CONTRACTS):
        value = rules.contract_value[k + 1]
        work[PRICES + 2 * k] = value * others + won + (fees - won) / n_seats
        work[PRICES + 2 * k + 1] = -value * others - lost + (fees + lost) / n_seats
        work[PRICES + THEIRS + 2 * k] = -value - fee + (fees - won) / n_seats
        work[PRICES + THEIRS + 2 * k + 1] = value - fee + (fees + lost) / n_seats
    for place in range(-2, 3):
        stake = place // 2 * rules.nosolo_stake if place % 2 == 0 else place * (rules.nosolo_stake // 2)
        work[PRICES + NOBODY + place] = stake - fee + rules.pool_pass_fee * to_pass / n_seats


@njit
def value_of(weights, net, work, own):
    """Return the expected chips of a candidate whose inputs lie at `own`; the shared first layer and the prices are in the scratch."""
    chances(weights, net + BID_SHARED * UNITS, work, own, BID_OWN, 0, CHANCES)
    value = 0.0
    for k in range(OUTCOMES):
        value += work[CHANCES + k] * work[PRICES + k]
    return value


@njit
def suit_strength(policy, rules, weights, table, hand, unseen, suit, kind):
    """Return (tricks, points) that a suit takes as PLAIN or TRUMP in a whole hand: each card's own points, those it collects and the trick, by its chance."""
    mine = hand & suit_mask(suit)
    theirs = unseen & suit_mask(suit)
    base = policy.expect + table.cards * EXPECT_CARDS + table.cards * EXPECT_LEFT + kind * EXPECT_KIND
    tricks = 0.0
    gained = 0.0
    left = mine
    while left != 0:
        card = lowest_card(left)
        left &= left - 1
        chance = card_expectation(weights, base, mine, theirs, card)
        tricks += chance
        gained += chance * (rules.card_points[card & 15] + 1.0 + policy.trick_gain)
    return tricks, gained


@njit
def put_suit(policy, rules, weights, table, hand, unseen, suit, kind, at):
    """Put seven numbers of a suit in a whole hand, the length, the five highest cards and the tricks; return (tricks, points) as `suit_strength`."""
    work = table.work
    mine = hand & suit_mask(suit)
    tricks, gained = suit_strength(policy, rules, weights, table, hand, unseen, suit, kind)
    top = suit * SUIT_BITS + rules.n_ranks - 1
    work[at] = count_cards(mine) / 4
    for k in range(5):
        work[at + 1 + k] = mine >> top - k & 1
    work[at + 6] = tricks
    return tricks, gained


@small
def is_final(table):
    """Return whether a hand that aims at a contract is the one it will be played with: the auction and the exchange of a bola are over, or foreseen."""
    if table.decision == Decision.TRUMP:
        return table.asked != NONE or (table.contract != Contract.BOLA and table.contract != Contract.BOLA_DIAMONDS)
    return table.decision != Decision.CALL


@njit
def put_aim(policy, rules, weights, table, hand, unseen, trump, at):
    """Put the BID_SHARED numbers of a hand that aims at a contract in a trump, and return (points, tricks) as `suit_strength`."""
    work = table.work
    n_seats = rules.n_seats
    seat = table.seat
    done = np.int64(0)
    tricks = 0.0
    gained = 0.0
    for place in range(SUITS):
        suit = trump if place == 0 else longest_suit(hand & ~suit_mask(trump), done)
        done |= bit(suit)
        more, points = put_suit(policy, rules, weights, table, hand, unseen, suit, TRUMP if place == 0 else PLAIN, at + 1 + 7 * place)
        tricks += more
        gained += points
    n_passed = np.int64(0)
    voids = np.int64(0)
    for other in range(n_seats):
        n_passed += table.passed[other] if other != seat else np.int64(0)
    for suit in range(SUITS):
        voids += 1 if hand & suit_mask(suit) == 0 else 0
    target = target_of(rules, seat, table.dealer)
    work[at] = 1.0
    work[at + 29] = tricks / 4
    work[at + 30] = gained / 24
    work[at + 31] = points_in(rules, hand) / 15
    work[at + 32] = voids / 2
    work[at + 33] = number(table.decision == Decision.CALL)
    work[at + 34] = number(is_final(table))
    work[at + 35] = number((seat - table.dealer) % n_seats == 1)
    work[at + 36] = number(seat == table.dealer)
    work[at + 37] = number(target < rules.juego_target)
    work[at + 38] = (target - 37) / 4
    work[at + 39] = n_passed / 2
    has_high = table.high != PASS and table.decision == Decision.CALL
    work[at + 40] = number(has_high)
    work[at + 41] = number(has_high and table.high % 2 == 0)
    work[at + 42] = number(has_high and table.high >= Contract.BOLA)
    work[at + 43] = min(table.pool, np.int64(40)) / 20
    work[at + 44] = number(rules.play_must_trump == 1)
    work[at + 45] = number(rules.play_must_head == 1)
    work[at + 46] = number(trump == 1)
    work[at + 47] = count_cards(unseen & trump_mask(trump)) / 6
    return gained, tricks


@njit
def put_contract(policy, rules, weights, table, trump, contract, gained, tricks, at):
    """Put the BID_OWN numbers of a contract, `PASS` where nobody has one."""
    work = table.work
    is_juego = number(contract == Contract.JUEGO or contract == Contract.JUEGO_DIAMONDS)
    is_slam = number(contract >= Contract.BOLA)
    over = bounded((gained - target_of(rules, table.seat, table.dealer)) / 10, -3.0, 3.0)
    short = tricks - table.cards
    work[at] = is_juego
    work[at + 1] = number(contract == Contract.BOLA or contract == Contract.BOLA_DIAMONDS)
    work[at + 2] = number(contract >= Contract.SIN_PEDIR)
    work[at + 3] = number(contract == PASS)
    work[at + 4] = number(contract != PASS and contract % 2 == 0)
    work[at + 5] = is_juego * over
    work[at + 6] = is_juego * over * over
    work[at + 7] = contract_chance(policy, rules, weights, table, contract, gained, tricks) if contract != PASS else 0.0
    work[at + 8] = is_slam * short / 4
    work[at + 9] = is_slam * short * short / 16
    work[at + 10] = is_juego * number(table.seat == (table.dealer + 1) % rules.n_seats)
    work[at + 11] = is_juego * tricks / 4
    work[at + 12] = is_slam * number(table.seat == (table.dealer + 1) % rules.n_seats)
    work[at + 13] = contract / 6


@njit
def put_pass(policy, rules, weights, table, unseen, at):
    """Put the BID_SHARED + BID_OWN numbers of a hand that passes: diamonds first, then the longest suit."""
    work = table.work
    n_seats = rules.n_seats
    seat = table.seat
    done = np.int64(0)
    plain = 0.0
    worth = 0.0
    for place in range(SUITS):
        suit = np.int64(1) if place == 0 else longest_suit(table.hand, done)
        done |= bit(suit)
        start = at + 1 + 9 * place
        tricks, points = put_suit(policy, rules, weights, table, table.hand, unseen, suit, PLAIN, start)
        as_trump, trump_points = suit_strength(policy, rules, weights, table, table.hand, unseen, suit, TRUMP)
        plain += tricks
        worth += points
        work[start + 7] = as_trump - tricks
        work[start + 8] = (trump_points - points) / 10
    next_seat = (seat + 1) % n_seats
    previous = (seat + n_seats - 1) % n_seats
    high = table.high
    work[at] = 1.0
    work[at + 37] = plain / 3
    work[at + 38] = worth / 20
    work[at + 39] = points_in(rules, table.hand) / 15
    work[at + 40] = number(next_seat == (table.dealer + 1) % n_seats)
    work[at + 41] = number(seat == (table.dealer + 1) % n_seats)
    work[at + 42] = table.passed[next_seat]
    work[at + 43] = table.passed[previous]
    work[at + 44] = number(rules.play_must_trump == 1)
    work[at + 45] = number(rules.play_must_head == 1)
    work[at + 46] = number(target_of(rules, next_seat, table.dealer) < rules.juego_target)
    work[at + 47] = number(target_of(rules, previous, table.dealer) < rules.juego_target)
    own = at + BID_SHARED
    work[own] = number(high == PASS)
    work[own + 1] = number(high == Contract.JUEGO)
    work[own + 2] = number(high == Contract.JUEGO_DIAMONDS)
    work[own + 3] = number(high == Contract.BOLA or high == Contract.BOLA_DIAMONDS)
    work[own + 4] = number(high >= Contract.SIN_PEDIR)
    work[own + 5] = number(high != PASS and high % 2 == 0)
    work[own + 6] = number(high != PASS and table.high_seat == next_seat)
    work[own + 7] = number(high != PASS and target_of(rules, table.high_seat, table.dealer) < rules.juego_target)
    work[own + 8] = min(table.pool, np.int64(40)) / 20
    work[own + 9] = table.pool / (table.pool + 8)
    work[own + 10] = (rules.juego_target - 37) / 4
    work[own + 11] = rules.pool_pass_fee / 2
    work[own + 12] = number(high != PASS and table.high_seat == (table.dealer + 1) % n_seats)
    work[own + 13] = table.passed[next_seat] * table.passed[previous]


@njit
def best_aim(policy, rules, weights, table, hand, unseen, trumps, lowest, highest, at):
    """Return (contract, trump, expected chips) of the best contract from `lowest` to `highest` in one of the trumps (bit s: suit s)."""
    choice = np.int64(NONE)
    best_trump = np.int64(NONE)
    most = -FAR
    for suit in range(SUITS):
        trump = np.int64(suit)
        if trumps >> trump & 1 == 1:
            gained, tricks = put_aim(policy, rules, weights, table, hand, unseen, trump, at)
            shared(weights, policy.net_contract, table.work, at, BID_SHARED, 0)
            for contract in range(lowest, highest + 1):
                if contract == PASS or named_suits(contract) >> trump & 1 == 1:
                    put_contract(policy, rules, weights, table, trump, contract, gained, tricks, at + BID_SHARED)
                    value = value_of(weights, policy.net_contract, table.work, at + BID_SHARED)
                    if value > most:
                        most = value
                        choice = np.int64(contract)
                        best_trump = trump
    return choice, best_trump, most


@njit
def note_aim(policy, rules, weights, table, hand, unseen, trump, contract, at):
    """Note the inputs of a chosen contract and trump for the learner."""
    if policy.draw > 0.0:
        gained, tricks = put_aim(policy, rules, weights, table, hand, unseen, trump, at)
        put_contract(policy, rules, weights, table, trump, contract, gained, tricks, at + BID_SHARED)
        note(policy, table, np.int64(Tape.CONTRACT), at, at + BID_SHARED + BID_OWN, np.int64(1), np.int64(0), np.int64(0))


@njit
def explores(policy, table, rng):
    """Return whether this choice is drawn at random, for training."""
    return policy.explore > 0.0 and uniform(rng, table.seat) < policy.explore


@njit
def call_by_chances(policy, rules, weights, table, rng):
    """Return the call of the highest expected chips: a contract in its best trump, or pass; in training now and then any."""
    unseen = unseen_cards(rules, table)
    at = open_work(table)
    put_prices(rules, table)
    lowest = table.lowest_call
    highest = table.highest_call
    passes = lowest > highest
    forced = False
    if not passes and explores(policy, table, rng):
        if uniform(rng, table.seat) < NEAR:
            highest = min(highest, lowest + 1)
        lowest += below(rng, table.seat, highest - lowest + 2) - 1
        passes = lowest < table.lowest_call
        highest = lowest
        forced = True
    contract, trump, most = np.int64(PASS), np.int64(NONE), -FAR
    if not passes:
        contract, trump, most = best_aim(policy, rules, weights, table, table.hand, unseen, EVERY_SUIT, lowest, highest, at)
    if not forced and table.may_pass == 1:
        put_pass(policy, rules, weights, table, unseen, at)
        shared(weights, policy.net_pass, table.work, at, BID_SHARED, 0)
        passes = passes or value_of(weights, policy.net_pass, table.work, at + BID_SHARED) >= most
    if not passes:
        note_aim(policy, rules, weights, table, table.hand, unseen, trump, contract, at)
        return contract
    if policy.draw > 0.0:
        put_pass(policy, rules, weights, table, unseen, at)
        note(policy, table, np.int64(Tape.CONTRACT), at, at + BID_SHARED + BID_OWN, np.int64(1), np.int64(0), np.int64(1))
    return np.int64(PASS)


@small
def aimed_contract(table):
    """Return the soloist's contract, `PASS` where all passed."""
    return table.contract if table.contract != NONE else np.int64(PASS)


@small
def possible_trumps(table):
    """Return the suits (bit s: suit s) that may be trump in the soloist's contract: one once it is named."""
    return bit(table.trump) if table.trump != NONE else named_suits(table.contract)


@njit
def name_by_chances(policy, rules, weights, table, rng):
    """Return the trump of the highest expected chips."""
    unseen = unseen_cards(rules, table)
    at = open_work(table)
    put_prices(rules, table)
    contract = aimed_contract(table)
    trumps = table.legal_trumps
    if explores(policy, table, rng):
        for _ in range(below(rng, table.seat, count_cards(trumps))):
            trumps &= trumps - 1
        trumps = bit(lowest_card(trumps))
    _, trump, _ = best_aim(policy, rules, weights, table, table.hand, unseen, trumps, contract, contract, at)
    note_aim(policy, rules, weights, table, table.hand, unseen, trump, contract, at)
    return trump


@njit
def best_gift(policy, rules, weights, table, hand, unseen, at):
    """Return (card, trump, expected chips) of the card whose loss leaves a soloist's hand of 13 the best."""
    choice = np.int64(NONE)
    best_trump = np.int64(NONE)
    most = -FAR
    left = hand
    while left != 0:
        card = lowest_card(left)
        left &= left - 1
        _, trump, value = best_aim(
            policy, rules, weights, table, hand & ~bit(card), unseen | bit(card), possible_trumps(table), table.contract, table.contract, at)
        if value > most:
            choice = card
            best_trump = trump
            most = value
    return choice, best_trump, most


@njit
def ask_by_chances(policy, rules, weights, table):
    """Return the missing card with which a bola has the highest expected chips: of each suit the highest missing one counts."""
    unseen = unseen_cards(rules, table)
    at = open_work(table)
    put_prices(rules, table)
    choice = np.int64(NONE)
    most = -FAR
    for suit in range(SUITS):
        missing = unseen & suit_mask(suit)
        if missing != 0:
            card = highest_card(missing)
            _, _, value = best_gift(policy, rules, weights, table, table.hand | bit(card), unseen & ~bit(card), at)
            if value > most:
                choice = card
                most = value
    return choice


@njit
def give_by_chances(policy, rules, weights, table):
    """Return the card whose loss leaves the highest expected chips."""
    unseen = unseen_cards(rules, table)
    at = open_work(table)
    put_prices(rules, table)
    card, trump, _ = best_gift(policy, rules, weights, table, table.hand, unseen, at)
    note_aim(policy, rules, weights, table, table.hand & ~bit(card), unseen | bit(card), trump, table.contract, at)
    return card
