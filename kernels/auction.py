"""From the deal to the first lead: calls, gulashes, bids, and what a soloist or dealer names.

Every decision comes from the script of the question (`setup`) as long as it has one, then from the policy of the seat. The steps return False where the deal
goes no further: thrown in, script ended with `stop`, or a script that breaks the rules (`facts.fault`). Rules: rules.md 1.1-1.3, 2.1, 2.3, 3.1, 4.1.
"""

import numpy as np

from kernels.bits import bit, count_cards
from kernels.choices import announce_bids, choose_asked, choose_bid, choose_call, choose_given, choose_gulash, choose_trump
from kernels.compiled import njit
from kernels.layout import (
    NONE,
    PASS,
    AllPass,
    Contract,
    Decision,
    Denomination,
    Direction,
    First,
    Hook,
    Mode,
    Rebids,
    TrumpSource,
)
from kernels.listening import chance_of_bid, chance_of_call, hear, is_heard

HIGHEST_LEVEL_CALL = 1 + (13 - 1) * 5 + Denomination.NT   # 13NT
ANY_TRUMP = 0b1111
NOT_DIAMONDS = 0b1101
ONLY_DIAMONDS = 0b0010


@njit
def turn_to(table, deal, seat, decision):
    """Show the table to a seat: its own hand and what everybody knows."""
    table.seat = seat
    table.hand = deal.hands[seat]
    table.decision = decision


@njit
def stop_at(facts, decision):
    """Stop where the script ends."""
    facts.pending = decision
    return False


@njit
def refuse(facts, decision, number):
    """Stop where the script breaks the rules; number of that call, bid or card from 0."""
    facts.fault = decision
    facts.fault_at = number
    return False


@njit
def make_call(rules, policies, weights, setup, table, deal, facts):
    """Let the seat to speak call, and note the call."""
    policy = policies[deal.policy_of[table.seat]]
    number = facts.n_calls
    if number < setup.n_calls:
        call = setup.calls[number]
        if not ((call == PASS and table.may_pass == 1) or table.lowest_call <= call <= table.highest_call):
            return refuse(facts, Decision.CALL, number)
        if table.n_gulash >= setup.exchanged and is_heard(deal, table, policy):      # before a gulash other cards were held
            choice = choose_call(policy, rules, weights, table, deal.memo[table.seat], deal.rng)
            if not hear(deal, table, chance_of_call(rules, setup.slips, table, np.int64(call), choice)):
                return False
    elif setup.stop != 0:
        return stop_at(facts, Decision.CALL)
    else:
        call = choose_call(policy, rules, weights, table, deal.memo[table.seat], deal.rng)
    facts.calls[number] = call
    facts.call_seats[number] = table.seat
    facts.n_calls = number + 1
    if call == PASS:
        table.passes += 1
        table.passed[table.seat] = 1
    else:
        table.high = call
        table.high_seat = table.seat
        table.passes = 0
    return True


@njit
def is_level_auction_over(rules, table):
    """Return whether an Israeli Whist auction is closed (rules.md 1.1)."""
    if table.high == PASS:
        return table.passes == rules.n_seats
    if table.high == HIGHEST_LEVEL_CALL:
        return True
    if rules.auction_reentry == 1:
        return table.passes >= rules.auction_end_passes
    still_in = 0
    for seat in range(rules.n_seats):
        still_in += 1 - table.passed[seat]
    return still_in == 0 or (still_in == 1 and rules.auction_end_passes == 3)


@njit
def open_auction(rules, table, deal):
    """Clear the calls, and what the seats thought, for a fresh auction."""
    table.high = PASS
    table.high_seat = NONE
    table.passes = 0
    for seat in range(rules.n_seats):
        table.passed[seat] = 0
        deal.memo[seat, 0] = 0.0


@njit
def hold_level_auction(rules, policies, weights, setup, table, deal, facts):
    """Hold Israeli Whist auctions, with gulashes between them, until a contract stands or the deal is thrown in."""
    n_seats = rules.n_seats
    table.highest_call = HIGHEST_LEVEL_CALL
    while True:
        open_auction(rules, table, deal)
        minimum = 1 + (rules.auction_min_bid + rules.gulash_min_bid_step * table.n_gulash - 1) * 5
        seat = (table.dealer + 1) % n_seats if rules.auction_first == First.DEALER_LEFT else table.dealer
        while not is_level_auction_over(rules, table):
            if rules.auction_reentry == 1 or table.passed[seat] == 0:
                turn_to(table, deal, seat, Decision.CALL)
                table.lowest_call = max(table.high + 1, minimum)
                table.may_pass = 0 if rules.auction_forced_last == 1 and table.high == PASS and table.passes == n_seats - 1 else 1
                if not make_call(rules, policies, weights, setup, table, deal, facts):
                    return False
            seat = (seat + 1) % n_seats
        if table.high != PASS:
            close_level_auction(table, facts, table.high, table.high_seat)
            return True
        if rules.auction_all_pass != AllPass.GULASH or table.n_gulash == rules.gulash_max:
            facts.played = 0
            return False
        if not pass_cards(rules, policies, weights, setup, table, deal, facts):
            return False


@njit
def close_level_auction(table, facts, call, seat):
    """Note declarer, contract and trump of an Israeli Whist deal."""
    table.declarer = seat
    table.contract = call
    table.trump = (call - 1) % 5
    table.leader = seat
    facts.declarer = seat
    facts.contract = call


@njit
def hear_contract(rules, policies, weights, setup, table, deal):
    """Listen to a contract whose calls are not known: the declarer named its trump when nothing had been called, and calls no higher number now."""
    if deal.listens >> setup.declarer & 1 == 0:
        return True
    open_auction(rules, table, deal)
    turn_to(table, deal, setup.declarer, Decision.CALL)
    policy = policies[deal.policy_of[setup.declarer]]
    if not is_heard(deal, table, policy):
        return True
    table.highest_call = HIGHEST_LEVEL_CALL
    table.lowest_call = 1 + (rules.auction_min_bid - 1) * 5
    table.may_pass = 1
    can_raise = rules.auction_end_passes == 4 or rules.contract_declarer_rebids == Rebids.AT_LEAST
    said = table.lowest_call + (setup.contract - 1) % 5 if can_raise else setup.contract
    choice = choose_call(policy, rules, weights, table, deal.memo[table.seat], deal.rng)
    if not hear(deal, table, chance_of_call(rules, setup.slips, table, said, choice)):
        return False
    if not can_raise or setup.contract == HIGHEST_LEVEL_CALL:
        return True
    table.high = setup.contract
    table.high_seat = setup.declarer
    table.lowest_call = setup.contract + 1
    choice = choose_call(policy, rules, weights, table, deal.memo[table.seat], deal.rng)
    return hear(deal, table, chance_of_call(rules, setup.slips, table, np.int64(PASS), choice))


@njit
def note_gulash(table, facts):
    """Note that a gulash is over."""
    facts.gulash_after[table.n_gulash] = facts.n_calls
    table.n_gulash += 1
    facts.n_gulash = table.n_gulash


@njit
def pass_cards(rules, policies, weights, setup, table, deal, facts):
    """Hold a gulash: every seat hands cards to a neighbour before it looks at those it gets (IW-V1)."""
    n_seats = rules.n_seats
    number = table.n_gulash
    if number < setup.exchanged:
        note_gulash(table, facts)
        return True
    for seat in range(n_seats):
        turn_to(table, deal, seat, Decision.GULASH)
        given = np.int64(0)
        if number < setup.n_gulash:
            given = setup.gulash[number, seat]
            if given != 0 and (given & ~deal.hands[seat] != 0 or count_cards(given) != rules.gulash_cards):
                return refuse(facts, Decision.GULASH, number)
        if given == 0:
            if setup.stop != 0:
                return stop_at(facts, Decision.GULASH)
            given = choose_gulash(policies[deal.policy_of[seat]], rules, weights, table, deal.rng)
        facts.gulash[number, seat] = given
    step = n_seats - 1
    if rules.gulash_direction == Direction.LEFT:
        step = 1
    elif rules.gulash_direction == Direction.ACROSS:
        step = 2
    for seat in range(n_seats):
        deal.hands[seat] &= ~facts.gulash[number, seat]
    for seat in range(n_seats):
        deal.hands[(seat + step) % n_seats] |= facts.gulash[number, seat]
    note_gulash(table, facts)
    return True


@njit
def legal_bids(rules, cards, bid_sum, is_last, lowest):
    """Return a mask, bit b set: b may be bid; never empty. The hook binds the last speaker alone (OH-A3, IW-A6), and not where it leaves nothing [D]."""
    free = (np.int64(2) << cards) - (np.int64(1) << lowest)
    if rules.bidding_hook == Hook.NONE or not is_last or cards < rules.bidding_hook_min_hand:
        return free
    gap = cards - bid_sum
    if rules.bidding_hook == Hook.MUST_EXCEED:
        bound = free & (np.int64(-2) << gap) if gap >= 0 else free
        return bound if bound != 0 else free
    fitting = free & (np.int64(1) << gap) if gap >= 0 else np.int64(0)
    if rules.bidding_hook == Hook.NOT_EQUAL:
        return free & ~fitting
    return fitting if fitting != 0 else free


@njit
def make_bids(rules, policies, weights, setup, table, deal, facts):
    """Let every seat say how many tricks it will take; who speaks first and last follows from the rules."""
    n_seats = rules.n_seats
    hidden = rules.bidding_mode != Mode.SEQUENTIAL
    first = (table.dealer + 1) % n_seats
    n_speakers = n_seats
    lowest = np.int64(0)
    if rules.trump_source == TrumpSource.AUCTION:
        first = table.declarer
        lowest = (table.contract - 1) // 5 + 1
        if rules.contract_declarer_rebids == Rebids.NONE:
            table.bids[first] = lowest
            deal.bids[first] = lowest
            table.bid_sum = lowest
            table.n_spoken = 1
            first = (first + 1) % n_seats
            n_speakers = n_seats - 1
    for number in range(n_speakers):
        seat = (first + number) % n_seats
        turn_to(table, deal, seat, Decision.BID)
        policy = policies[deal.policy_of[seat]]
        table.legal_bids = legal_bids(rules, table.cards, table.bid_sum, number == n_speakers - 1, lowest if seat == table.declarer else np.int64(0))
        if number < setup.n_bids and setup.bids[number] != NONE:
            bid = setup.bids[number]
            if bid < 0 or bid > table.cards or table.legal_bids >> bid & 1 == 0:
                return refuse(facts, Decision.BID, number)
            if is_heard(deal, table, policy):
                choice = choose_bid(policy, rules, weights, table, deal.rng)
                if not hear(deal, table, chance_of_bid(setup.slips, table.legal_bids, bid, choice)):
                    return False
        elif number >= setup.n_bids and setup.stop != 0:
            if setup.stop == 2:
                announce_bids(policy, rules, weights, table)
            return stop_at(facts, Decision.BID)
        else:
            bid = choose_bid(policy, rules, weights, table, deal.rng)
        deal.bids[seat] = bid
        if not hidden:
            table.bids[seat] = bid
            table.bid_sum += bid
            table.n_spoken += 1
    if rules.bidding_mode == Mode.SIMULTANEOUS:
        for seat in range(n_seats):
            table.bids[seat] = deal.bids[seat]
            table.bid_sum += deal.bids[seat]
        table.n_spoken = n_seats
    for seat in range(n_seats):
        facts.bids[seat] = deal.bids[seat]
    return True


@njit
def hold_contract_auction(rules, policies, weights, setup, table, deal, facts):
    """Hold a Spanish Solo auction: a pass is final and costs a fee; the last bidder is the soloist (rules.md 3.1)."""
    n_seats = rules.n_seats
    open_auction(rules, table, deal)
    table.highest_call = Contract.SIN_PEDIR_DIAMONDS
    table.pool += rules.pool_ante * n_seats
    seat = (table.dealer + 1) % n_seats
    still_in = n_seats
    while still_in > 1 or (still_in == 1 and table.high == PASS):
        if table.passed[seat] == 0:
            turn_to(table, deal, seat, Decision.CALL)
            table.lowest_call = table.high + 1
            table.may_pass = 1
            if not make_call(rules, policies, weights, setup, table, deal, facts):
                return False
            if table.passed[seat] == 1:
                still_in -= 1
                table.pool += rules.pool_pass_fee
        seat = (seat + 1) % n_seats
    if table.high != PASS:
        table.declarer = table.high_seat
        table.contract = table.high
        facts.declarer = table.high_seat
        facts.contract = table.high
    table.leader = (table.dealer + 1) % n_seats
    return True


@njit
def is_named_by(setup, seat):
    """Return whether the script tells what this seat names, asks for and gives."""
    return setup.named_by == NONE or setup.named_by == seat


@njit
def name_trump(rules, policies, weights, setup, table, deal, facts):
    """Let the soloist, or the dealer where all passed, name trump."""
    namer = table.declarer if table.declarer != NONE else table.dealer
    turn_to(table, deal, namer, Decision.TRUMP)
    if table.declarer == NONE:
        table.legal_trumps = ANY_TRUMP
    else:
        table.legal_trumps = ONLY_DIAMONDS if table.contract % 2 == 0 else NOT_DIAMONDS
    is_told = setup.trump != NONE and is_named_by(setup, namer)
    if is_told and setup.trump <= Denomination.S and table.legal_trumps >> setup.trump & 1 == 1:
        trump = setup.trump
    elif is_told and setup.named_by == NONE:           # who planned a trump may end in a contract without it
        return refuse(facts, Decision.TRUMP, np.int64(0))
    elif setup.stop != 0:
        return stop_at(facts, Decision.TRUMP)
    else:
        trump = choose_trump(policies[deal.policy_of[namer]], rules, weights, table, deal.rng)
    table.trump = trump
    return True


@njit
def exchange_card(rules, policies, weights, setup, table, deal, facts):
    """Let the soloist of a bola ask for a card and give one back; SS-A3: one he does not hold, SS-A4: any of his 13, the card he got included."""
    soloist = table.declarer
    turn_to(table, deal, soloist, Decision.ASK)
    if setup.asked != NONE and is_named_by(setup, soloist):
        asked = setup.asked
        if bit(asked) & rules.deck_mask == 0 or bit(asked) & table.hand != 0:
            return refuse(facts, Decision.ASK, np.int64(0))
    elif setup.stop != 0:
        return stop_at(facts, Decision.ASK)
    else:
        asked = choose_asked(policies[deal.policy_of[soloist]], rules, weights, table, deal.rng)
    holder = (soloist + 1) % rules.n_seats
    while deal.hands[holder] & bit(asked) == 0:
        holder = (holder + 1) % rules.n_seats
    deal.hands[holder] ^= bit(asked)
    deal.hands[soloist] |= bit(asked)
    table.asked = asked
    table.asked_from = holder
    facts.asked = asked
    facts.asked_from = holder
    turn_to(table, deal, soloist, Decision.GIVE)
    if setup.given != NONE and is_named_by(setup, soloist):
        given = setup.given
        if bit(given) & table.hand == 0:
            return refuse(facts, Decision.GIVE, np.int64(0))
    elif setup.stop != 0:
        return stop_at(facts, Decision.GIVE)
    else:
        given = choose_given(policies[deal.policy_of[soloist]], rules, weights, table, deal.rng)
    deal.hands[soloist] ^= bit(given)
    deal.hands[holder] |= bit(given)
    facts.given = given
    return True


@njit
def settle_contract(rules, policies, weights, setup, table, deal, facts):
    """Name trump and exchange cards in the order of the rules (SS-A5)."""
    is_bola = table.contract == Contract.BOLA or table.contract == Contract.BOLA_DIAMONDS
    trump_step = 1 if is_bola and rules.bola_trump_first == 0 else 0
    for step in range(2):
        if step == trump_step:
            if not name_trump(rules, policies, weights, setup, table, deal, facts):
                return False
        elif is_bola and not exchange_card(rules, policies, weights, setup, table, deal, facts):
            return False
    return True


@njit
def come_to_terms(rules, policies, weights, setup, table, deal, facts):
    """Hold everything between the deal and the first lead; return False where no card is played."""
    if rules.trump_source == TrumpSource.SOLOIST:
        return hold_contract_auction(rules, policies, weights, setup, table, deal, facts) and settle_contract(
            rules, policies, weights, setup, table, deal, facts)
    if rules.trump_source == TrumpSource.AUCTION:
        if setup.contract != NONE:
            if not hear_contract(rules, policies, weights, setup, table, deal):
                return False
            close_level_auction(table, facts, setup.contract, setup.declarer)
        elif not hold_level_auction(rules, policies, weights, setup, table, deal, facts):
            return False
    else:
        table.leader = (table.dealer + 1) % rules.n_seats
    return make_bids(rules, policies, weights, setup, table, deal, facts)
