"""Training: play deals with players who draw by chances, and sum the slopes of what they should have chosen.

Cards and calls learn by policy gradient: the slope of the chance of what was chosen, times how much the seat's score beat what a critic expected at that
moment (REINFORCE with a baseline: Williams, 1992), plus a little for variety. Bids learn the chances of what became of them (cross-entropy).
"""

import math

import numpy as np

from kernels.bits import bit, count_cards, nth_bit
from kernels.compiled import entry, njit
from kernels.entry import seat_policies
from kernels.layout import (
    BID_OWN,
    BID_SHARED,
    BID_SIZE,
    CALL_OWN,
    CALL_SHARED,
    CALL_SIZE,
    MAX_SEATS,
    NONE,
    OUTPUTS,
    PLAY_OWN,
    PLAY_SHARED,
    PLAY_SIZE,
    SHORTEST,
    SPANS,
    SUIT_BITS,
    SUITS,
    UNITS,
    Purpose,
    Side,
    Tape,
    TrumpSource,
)
from kernels.network import back, back_inputs, back_outputs, chances, hidden, score, shared
from kernels.play import play_deal
from kernels.rng import below, deal_key, stream
from kernels.solo import gain_of, net_of, outcome_of, role_of

# Scratch in front of the tape: shared first layer, a candidate's hidden layer, its pulls, the sum of the pulls, pulls of the outputs
LAYER, HIDDEN, PULL, PULLS, OUT = 0, UNITS, 2 * UNITS, 3 * UNITS, 4 * UNITS
NEXT = OUT + OUTPUTS             # by seat: what the critic said at its next choice
AHEAD = NEXT + MAX_SEATS         # by seat: how much better than expected its next choice was
PLAY_CRITIC = (PLAY_SHARED + 1) * UNITS
CALL_CRITIC = (CALL_SHARED + 1) * UNITS
# Numbers of each network of a family, in the order of their slopes
SIZES = {
    "exact-bid": {"play": PLAY_SIZE, "bid": BID_SIZE, "call": CALL_SIZE, "gulash": CALL_SIZE},
    "spanish-solo": {"soloist": PLAY_SIZE, "defender": PLAY_SIZE, "alone": PLAY_SIZE, "contract": BID_SIZE, "pass": BID_SIZE},
}
# Inputs of its critics, one after the other: networks of these inputs and one output
CRITICS = {"exact-bid": (PLAY_SHARED, CALL_SHARED, CALL_SHARED), "spanish-solo": (PLAY_SHARED, PLAY_SHARED, PLAY_SHARED)}
STRONG = np.int64(16)            # one of so many deals of Spanish Solo gives a seat a hand near a slam; what the others call then does not count
# What a chunk of deals reports: decisions, squared error of the critic and scores of cards and calls; bids and their log loss
PLAYS, PLAY_ERROR, PLAY_SPREAD, CALLS, CALL_ERROR, CALL_SPREAD, BIDS, BID_LOSS = range(8)
REPORTED = 8


@njit
def learn_choice(weights, net, slopes, slopes_at, critic, critic_at, critic_slopes, work, n_shared, n_own, row, gain, variety, trace, report, reported):
    """Add the slopes of one drawn choice and of the critic; gain: the seat's score in usual stakes.

    Choices come last first. How much better than expected a choice was: what the critic said at the seat's next choice (at the last one: what it scored) less
    what it says now, plus `trace` times the same of the next choice (generalised advantage estimation: Schulman and others, 2016).
    """
    seat, at, n, chosen = row[1], row[2], row[3], row[4]
    shared(critic, critic_at, work, at, n_shared, LAYER)
    value = score(critic, critic_at + n_shared * UNITS, work, LAYER, np.int64(0), LAYER)
    ahead = work[NEXT + seat] - value + trace * work[AHEAD + seat]
    work[NEXT + seat] = value
    work[AHEAD + seat] = ahead
    back(critic, critic_at + n_shared * UNITS, critic_slopes, critic_at + n_shared * UNITS, work, LAYER, ahead, PULL)
    back_inputs(critic_slopes, critic_at, work, at, n_shared, PULL)
    report[reported] += 1.0
    report[reported + 1] += (gain - value) * (gain - value)
    report[reported + 2] += gain * gain
    scores = at + n_shared + n * n_own
    most = work[scores]
    for k in range(1, n):
        most = max(most, work[scores + k])
    total = 0.0
    for k in range(n):
        total += math.exp(work[scores + k] - most)
    mixed = 0.0
    for k in range(n):
        chance = math.exp(work[scores + k] - most) / total
        mixed -= chance * math.log(chance + 1e-12)
    shared(weights, net, work, at, n_shared, LAYER)
    for k in range(UNITS):
        work[PULLS + k] = 0.0
    own = net + n_shared * UNITS
    own_slopes = slopes_at + n_shared * UNITS
    for k in range(n):
        chance = math.exp(work[scores + k] - most) / total
        pull = ((1.0 if k == chosen else 0.0) - chance) * ahead - variety * chance * (math.log(chance + 1e-12) + mixed)
        inputs = at + n_shared + k * n_own
        hidden(weights, own, work, inputs, n_own, LAYER, HIDDEN)
        back(weights, own + n_own * UNITS, slopes, own_slopes + n_own * UNITS, work, HIDDEN, pull, PULL)
        back_inputs(slopes, own_slopes, work, inputs, n_own, PULL)
        for j in range(UNITS):
            work[PULLS + j] += work[PULL + j]
    back_inputs(slopes, slopes_at, work, at, n_shared, PULLS)


@njit
def learn_bid(weights, net, slopes, slopes_at, work, at, outcome, report):
    """Add the slopes of the chance of what became of a bid or contract: one of OUTPUTS outcomes."""
    shared(weights, net, work, at, BID_SHARED, LAYER)
    own = net + BID_SHARED * UNITS
    inputs = at + BID_SHARED
    hidden(weights, own, work, inputs, BID_OWN, LAYER, HIDDEN)
    chances(weights, own, work, inputs, BID_OWN, LAYER, OUT)
    became = OUT + outcome
    report[BIDS] += 1.0
    report[BID_LOSS] -= math.log(work[became] + 1e-12)
    for k in range(OUTPUTS):
        work[OUT + k] = -work[OUT + k]
    work[became] += 1.0
    own_slopes = slopes_at + BID_SHARED * UNITS
    back_outputs(weights, own + BID_OWN * UNITS, slopes, own_slopes + BID_OWN * UNITS, work, HIDDEN, OUT, PULL)
    back_inputs(slopes, own_slopes, work, inputs, BID_OWN, PULL)
    back_inputs(slopes, slopes_at, work, at, BID_SHARED, PULL)


@njit
def strong_cards(rules, cards, rng):
    """Return cards of a hand near a slam: the highest of a long suit and up to three of each other, half the time one less."""
    hand = np.int64(0)
    suit = below(rng, Purpose.GAME, np.int64(SUITS))
    length = 4 + below(rng, Purpose.GAME, rules.n_ranks - 3)
    for _ in range(SUITS):
        for k in range(min(length, cards - count_cards(hand))):
            hand |= bit(suit * SUIT_BITS + rules.n_ranks - 1 - k)
        suit = (suit + 1) % SUITS
        length = below(rng, Purpose.GAME, np.int64(4))
    if below(rng, Purpose.GAME, np.int64(2)) == 0:
        hand ^= nth_bit(hand, below(rng, Purpose.GAME, count_cards(hand)))
    return hand


@njit
def learn_solo(rules, policy, weights, facts, table, row, variety, trace, critic, slopes, critic_slopes, report):
    """Add the slopes of one decision of Spanish Solo: a card, or the chances of what became of a contract."""
    seat = row[1]
    outcome = outcome_of(rules, facts, seat)
    if row[0] == Tape.PLAY:
        role = role_of(facts.declarer, seat)
        net = net_of(policy, role)
        learn_choice(weights, net, slopes, role * PLAY_SIZE, critic, role * PLAY_CRITIC, critic_slopes, table.work,
                     np.int64(PLAY_SHARED), np.int64(PLAY_OWN), row, gain_of(outcome), variety, trace, report, np.int64(PLAYS))
    else:
        net = policy.net_pass if row[5] == 1 else policy.net_contract
        learn_bid(weights, net, slopes, 3 * PLAY_SIZE + row[5] * BID_SIZE, table.work, row[2], outcome, report)


@entry
def learn(rules_, policies, weights, setup_, table_, deal_, facts, learners, scale, variety, trace, critic, slopes, critic_slopes, report):
    """Play single deals from number setup.first on and sum the slopes of the learners' decisions.

    Parameters
    ----------
    rules_, policies, weights, setup_, table_, deal_ : as in `entry.play`
    facts : FACTS, shape (n,). Filled.
    learners : bits of the places (dealer's next is 0) whose decisions count
    scale : usual stakes in a unit of score, negative where the lowest score wins; Spanish Solo counts contracts made instead
    variety : usual stakes that a choice by even chances is worth
    trace : share of what later choices brought that an earlier one is credited with
    critic : float32, shape (any,), one after the other as in CRITICS[family]
    slopes : float32, one after the other as in SIZES[family]. Added to.
    critic_slopes : float32, as `critic`. Added to.
    report : float64, shape (REPORTED,). Added to.
    """
    rules = rules_[0]
    setup = setup_[0]
    table = table_[0]
    deal = deal_[0]
    n_seats = rules.n_seats
    table.n_seats = n_seats
    for g in range(len(facts)):
        number = setup.first + g
        fact = facts[g]
        table.dealer = number % n_seats
        table.pool = setup.pool
        table.cards = setup.cards if setup.cards > 0 else rules.schedule[number % rules.n_schedule]
        for seat in range(n_seats):
            table.score[seat] = 0
        seat_policies(rules, policies, setup, table, deal)
        strong = np.int64(NONE)
        if rules.trump_source == TrumpSource.SOLOIST and number % STRONG == 0:
            deal.rng[Purpose.GAME] = stream(deal_key(setup.seed, number, np.int64(0)), np.int64(Purpose.GAME))
            strong = below(deal.rng, Purpose.GAME, n_seats)
            setup.held[strong] = strong_cards(rules, table.cards, deal.rng)
        play_deal(rules, policies, weights, setup, table, deal, fact, number, np.int64(0))
        if strong != NONE:
            setup.held[strong] = 0
        if fact.played == 0:
            continue
        total = np.int64(0)
        for seat in range(n_seats):
            total += fact.bids[seat]
        side = np.int64(Side.UNDER) if total < fact.cards else np.int64(Side.EXACT) if total == fact.cards else np.int64(Side.OVER)
        contract_noted = np.int64(-1)
        for k in range(table.n_tape):
            if table.tape[k, 0] == Tape.BID and table.tape[k, 5] >= 0 and table.tape[k, 5] == fact.contract and table.tape[k, 1] == fact.declarer:
                contract_noted = np.int64(k)
        for seat in range(n_seats):
            table.work[NEXT + seat] = gain_of(outcome_of(rules, fact, seat)) if rules.trump_source == TrumpSource.SOLOIST else fact.scores[seat] * scale
            table.work[AHEAD + seat] = 0.0
        for k in range(table.n_tape - 1, -1, -1):
            row = table.tape[k]
            seat = row[1]
            place = deal.policy_of[seat]
            if learners >> place & 1 == 0 or (strong != NONE and seat != strong and row[0] == Tape.CONTRACT):
                continue
            policy = policies[place]
            if rules.trump_source == TrumpSource.SOLOIST:
                learn_solo(rules, policy, weights, fact, table, row, variety, trace, critic, slopes, critic_slopes, report)
                continue
            gain = fact.scores[seat] * scale
            if row[0] == Tape.PLAY:
                learn_choice(weights, policy.net_play, slopes, np.int64(0), critic, np.int64(0), critic_slopes, table.work,
                             np.int64(PLAY_SHARED), np.int64(PLAY_OWN), row, gain, variety, trace, report, np.int64(PLAYS))
            elif row[0] == Tape.CALL:
                learn_choice(weights, policy.net_call, slopes, np.int64(PLAY_SIZE + BID_SIZE), critic, np.int64(PLAY_CRITIC), critic_slopes, table.work,
                             np.int64(CALL_SHARED), np.int64(CALL_OWN), row, gain, variety, trace, report, np.int64(CALLS))
            elif row[0] == Tape.GULASH:
                learn_choice(weights, policy.net_gulash, slopes, np.int64(PLAY_SIZE + BID_SIZE + CALL_SIZE), critic, np.int64(PLAY_CRITIC + CALL_CRITIC),
                             critic_slopes, table.work, np.int64(CALL_SHARED), np.int64(CALL_OWN), row, gain, variety, trace, report, np.int64(CALLS))
            elif row[5] < 0 or k == contract_noted:
                missed = min(max(fact.tricks[seat] - fact.bids[seat] + SHORTEST, np.int64(0)), np.int64(SPANS - 1))
                learn_bid(weights, policy.net_bid, slopes, np.int64(PLAY_SIZE), table.work, row[2], side * SPANS + missed, report)
