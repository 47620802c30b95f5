"""One deal from the pack to the score. The one engine of all four games: a rule is a field of RULES and one branch."""

import numpy as np

from kernels.auction import come_to_terms, refuse, stop_at, turn_to
from kernels.bits import bit, count_cards, lowest_card, nth_bit, trump_mask
from kernels.choices import choose_card
from kernels.compiled import njit, small
from kernels.dealing import deal_cards
from kernels.layout import MOST_CHIPS, NONE, PASS, Contract, Decision, Mode, Player, PoolLoss, PoolWin, Purpose, Side, TrumpSource
from kernels.legal import beats, legal_cards
from kernels.rng import below, deal_key, stream

SEAT_BITS = 7      # tells LLVM that a seat is never negative, so that no index counts from the end: 4 % of a random deal


@njit
def clear_table(rules, table, facts):
    """Put an empty table and empty facts before a deal."""
    table.trump = NONE
    table.seen = 0
    table.n_gulash = 0
    table.high = PASS
    table.high_seat = NONE
    table.passes = 0
    table.declarer = NONE
    table.contract = NONE
    table.n_spoken = 0
    table.bid_sum = 0
    table.asked = NONE
    table.asked_from = NONE
    table.leader = NONE
    table.led = NONE
    table.best_card = NONE
    table.best_seat = NONE
    table.trick_points = 0
    table.n_played = 0
    table.trick_no = 0
    table.broken = 0
    table.work_at = 0
    table.n_tape = 0
    facts.played = 1
    facts.n_calls = 0
    facts.n_gulash = 0
    facts.declarer = NONE
    facts.contract = NONE
    facts.asked = NONE
    facts.asked_from = NONE
    facts.given = NONE
    facts.trump = NONE
    facts.leader = NONE
    facts.pending = Decision.NONE
    facts.fault = Decision.NONE
    facts.fault_at = 0
    for seat in range(rules.n_seats):
        table.passed[seat] = 0
        table.bids[seat] = NONE
        table.tricks[seat] = 0
        table.points[seat] = 0
        table.voids[seat] = 0
        facts.bids[seat] = NONE
        facts.tricks[seat] = 0
        facts.points[seat] = 0
        facts.scores[seat] = 0


@njit
def show_bids(rules, table, deal, seat):
    """Let a seat that bid in secret see its own bid alone."""
    for other in range(rules.n_seats):
        table.bids[other] = deal.bids[other] if other == seat else NONE


@small
def script_card(setup, facts, legal, number):
    """Return the card that the script plays, NONE where it ends or breaks the rules."""
    if number < setup.n_play:
        card = setup.play[number]
        if bit(card) & legal != 0:
            return card
        refuse(facts, Decision.CARD, number)
    else:
        stop_at(facts, Decision.CARD)
    return np.int64(NONE)


@njit
def play_tricks(rules, policies, weights, setup, table, deal, facts):
    """Play all tricks and note tricks and card points; return False where the script stops or breaks the rules.

    What changes with every card is kept in local names and laid on the table only for a policy that looks: a random deal takes half the time so.
    """
    n_seats = rules.n_seats
    trumps = trump_mask(table.trump)
    has_script = setup.n_play > 0 or setup.stop != 0
    seat = table.leader & SEAT_BITS
    facts.leader = seat
    facts.trump = table.trump
    number = np.int64(0)
    trumps_played = np.int64(0)
    for trick_no in range(table.cards):
        table.trick_no = trick_no
        table.leader = seat
        led = np.int64(NONE)
        best_card = np.int64(NONE)
        best_seat = seat
        trick_points = np.int64(0)
        for n_played in range(n_seats):
            hand = deal.hands[seat]
            legal = legal_cards(rules, hand, led, best_card, trumps, trumps_played, trick_no)
            policy = policies[deal.plays_by[seat]]
            if has_script and (number < setup.n_play or setup.stop != 0):
                card = script_card(setup, facts, legal, number)
                if card == NONE:
                    turn_to(table, deal, seat, Decision.CARD)
                    return False
            elif policy.player == Player.RANDOM:      # sees nothing but its legal cards
                card = lowest_card(nth_bit(legal, below(deal.rng, seat, count_cards(legal))))
            elif legal & (legal - 1) == 0:
                card = lowest_card(legal)
            else:
                turn_to(table, deal, seat, Decision.CARD)
                table.n_played = n_played
                table.led = led
                table.best_card = best_card
                table.best_seat = best_seat
                table.trick_points = trick_points
                table.broken = 1 if trumps_played != 0 else 0
                if rules.bidding_mode == Mode.SECRET:
                    show_bids(rules, table, deal, seat)
                card = choose_card(policy, rules, weights, table, legal, deal.rng)
            facts.play[number] = card
            number += 1
            deal.hands[seat] = hand & ~bit(card)
            table.seen |= bit(card)
            trumps_played |= bit(card) & trumps
            suit = card >> 4
            led = suit if n_played == 0 else led
            shown = np.int64(suit != led) << led
            if rules.play_must_trump == 1:
                shown |= np.int64(suit != led and suit != table.trump) << table.trump
            table.voids[seat] |= shown
            heads = n_played == 0 or beats(card, best_card, trumps)
            best_card = card if heads else best_card
            best_seat = seat if heads else best_seat
            if rules.trick_points != 0:
                trick_points += rules.card_points[card & 15]
            seat = seat + 1 & SEAT_BITS if seat + 1 < n_seats else np.int64(0)
        seat = best_seat
        table.tricks[seat] += 1
        table.points[seat] += trick_points + rules.trick_points
    for seat in range(n_seats):
        facts.tricks[seat] = table.tricks[seat]
        facts.points[seat] = table.points[seat]
    return True


@njit
def score_bids(rules, facts):
    """Score a deal of an exact-bid game by the scheme's table, in units."""
    n_seats = rules.n_seats
    total = np.int64(0)
    n_made = np.int64(0)
    for seat in range(n_seats):
        total += facts.bids[seat]
        n_made += 1 if facts.bids[seat] == facts.tricks[seat] else 0
    side = np.int64(Side.UNDER) if total < facts.cards else np.int64(Side.EXACT) if total == facts.cards else np.int64(Side.OVER)
    factor = np.int64(1)
    if rules.score_all_same_double == 1 and (n_made == 0 or n_made == n_seats):
        factor = np.int64(2)
    if rules.score_all_fail_zero == 1 and n_made == 0:
        factor = np.int64(0)
    for seat in range(n_seats):
        facts.scores[seat] = factor * rules.points[facts.cards, side, facts.bids[seat], facts.tricks[seat]]


@njit
def soloist_makes(rules, facts):
    """Return whether the soloist makes his contract (rules.md 3.1)."""
    soloist = facts.declarer
    if facts.contract >= Contract.BOLA:
        return facts.tricks[soloist] == facts.cards
    is_reduced = (soloist - facts.dealer) % rules.n_seats == rules.juego_reduced_seat
    return facts.points[soloist] >= (rules.juego_reduced_target if is_reduced else rules.juego_target)


@njit
def settle_nobody(rules, facts):
    """Settle a deal that all passed: fewest points pay the stake to most, ties share (SS-N4)."""
    fewest = facts.points[0]
    most = facts.points[0]
    for seat in range(rules.n_seats):
        fewest = min(fewest, facts.points[seat])
        most = max(most, facts.points[seat])
    if fewest == most:
        return
    n_fewest = np.int64(0)
    n_most = np.int64(0)
    for seat in range(rules.n_seats):
        n_fewest += 1 if facts.points[seat] == fewest else 0
        n_most += 1 if facts.points[seat] == most else 0
    for seat in range(rules.n_seats):
        if facts.points[seat] == fewest:
            facts.scores[seat] -= rules.nosolo_stake // n_fewest
        if facts.points[seat] == most:
            facts.scores[seat] += rules.nosolo_stake // n_most


@njit
def settle_chips(rules, facts):
    """Pay antes, passes, the contract and the pool of a Spanish Solo deal; chips are zero-sum with the pool."""
    n_seats = rules.n_seats
    pool = facts.pool_before
    for seat in range(n_seats):
        facts.scores[seat] = -rules.pool_ante
        pool += rules.pool_ante
    for number in range(facts.n_calls):
        if facts.calls[number] == PASS:
            facts.scores[facts.call_seats[number]] -= rules.pool_pass_fee
            pool += rules.pool_pass_fee
    soloist = facts.declarer
    if soloist == NONE:
        settle_nobody(rules, facts)
    else:
        value = rules.contract_value[facts.contract]
        is_made = soloist_makes(rules, facts)
        for seat in range(n_seats):
            if seat != soloist:
                facts.scores[seat] -= value if is_made else -value
                facts.scores[soloist] += value if is_made else -value
        if is_made and rules.pool_on_win == PoolWin.ALL:
            facts.scores[soloist] += pool
            pool = np.int64(0)
        if not is_made and rules.pool_on_loss == PoolLoss.DOUBLE:
            doubled = max(min(pool, np.int64(MOST_CHIPS // 2) - pool), np.int64(0))
            facts.scores[soloist] -= doubled
            pool += doubled
    facts.pool_after = pool


@njit
def score_deal(rules, facts):
    """Score a finished deal under the rules in force."""
    if rules.trump_source == TrumpSource.SOLOIST:
        settle_chips(rules, facts)
    elif facts.played == 1:
        score_bids(rules, facts)
    else:
        for seat in range(rules.n_seats):
            facts.scores[seat] = 0


@njit
def play_deal(rules, policies, weights, setup, table, deal, facts, game_no, deal_no):
    """Play deal `deal_no` of game `game_no`; table.dealer, table.cards and table.pool are set."""
    key = deal_key(setup.seed, game_no, deal_no)
    deal.rng[Purpose.DEAL] = stream(key, np.int64(Purpose.DEAL))
    for seat in range(rules.n_seats):
        deal.rng[seat] = stream(key, seat)
    clear_table(rules, table, facts)
    facts.game_no = game_no
    facts.deal_no = deal_no
    facts.dealer = table.dealer
    facts.cards = table.cards
    facts.pool_before = table.pool
    facts.pool_after = table.pool
    deal_cards(rules, setup, table, deal, facts)
    if facts.weight == 0.0:
        return
    if come_to_terms(rules, policies, weights, setup, table, deal, facts):
        if not play_tricks(rules, policies, weights, setup, table, deal, facts):
            return
    if facts.pending == Decision.NONE and facts.fault == Decision.NONE:
        score_deal(rules, facts)
        table.pool = facts.pool_after
    else:
        facts.played = 0
