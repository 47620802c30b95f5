"""Entry points: the compiled functions that the analyzer calls. One signature each; only these are cached (compiled.py)."""

import numpy as np

from kernels.bits import bit, lowest_card, trump_mask
from kernels.compiled import entry, njit
from kernels.layout import NONE, AllPass, End, Purpose, Tie, Worlds
from kernels.legal import beats, legal_cards
from kernels.play import play_deal, score_deal
from kernels.rng import below, deal_key, stream
from kernels.worlds import draw_worlds, weigh_worlds


@njit
def leaders(rules, totals):
    """Return (bits of the seats that lead, their number, the leading total)."""
    sign = -1 if rules.score_low_wins == 1 else 1
    best = totals[0]
    for seat in range(rules.n_seats):
        if sign * totals[seat] > sign * best:
            best = totals[seat]
    mask = np.int64(0)
    n_leaders = np.int64(0)
    for seat in range(rules.n_seats):
        if totals[seat] == best:
            mask |= np.int64(1) << seat
            n_leaders += 1
    return mask, n_leaders, best


@njit
def is_game_over(rules, totals, n_deals, was_tied, was_played):
    """Return (over, tied): does the game end after this deal, and has a tie at its end been seen, 0 or 1 (IW-A12, OH-A14)."""
    _, n_leaders, _ = leaders(rules, totals)
    if was_tied == 1:
        return was_played and n_leaders == 1, np.int64(1)
    if rules.game_end == End.SCHEDULE:
        reached = n_deals >= rules.n_schedule
    elif rules.game_end == End.DEALS:
        reached = n_deals >= rules.game_deals
    else:
        highest = totals[0]
        for seat in range(rules.n_seats):
            highest = max(highest, totals[seat])
        reached = was_played and highest >= rules.game_target      # anybody, also where the lowest score wins
    if not reached:
        return False, np.int64(0)
    if n_leaders > 1 and rules.game_tie == Tie.SUDDEN_DEATH:
        return False, np.int64(1)
    return True, np.int64(0)


@njit
def seat_policies(rules, policies, setup, table, deal):
    """Give every seat its policies, by its place after the dealer or by its number: one, or one that bids and one that plays the cards."""
    for seat in range(rules.n_seats):
        place = (seat - table.dealer - 1) % rules.n_seats if setup.turned == 1 else seat
        deal.policy_of[seat] = place
        deal.plays_by[seat] = place + len(policies) - rules.n_seats


@njit
def think_of_worlds(rules, policies, weights, setup, table, deal, fact, worlds):
    """Draw or weigh the worlds of a question, which says who deals and how many cards."""
    table.dealer = setup.dealer
    table.pool = setup.pool
    table.cards = setup.cards
    for seat in range(rules.n_seats):
        table.score[seat] = setup.totals[seat]
    seat_policies(rules, policies, setup, table, deal)
    if setup.worlds == Worlds.DRAWN:
        draw_worlds(rules, policies, weights, setup, table, deal, fact, worlds)
    else:
        weigh_worlds(rules, policies, weights, setup, table, deal, fact, worlds)


@entry
def play(rules_, policies, weights, setups, table_, deal_, worlds, facts, games):
    """Play single deals or whole games from number setup.first on; or draw or weigh worlds, as `setup.worlds` says.

    Parameters
    ----------
    rules_, table_, deal_ : arrays of shape (1,), dtypes RULES, TABLE, DEAL; the last two are scratch of the caller's thread
    policies : POLICY, shape (seats,), or (2 * seats,): those that call and bid, then those that play the cards
    weights : float64, shape (any,): the tables of all policies
    setups : SETUP, shape (1,), or (2,) for games that a question stands in: the question, then what is known of later deals. Scratch too.
    worlds : WORLD, shape (n,) or none: hands of deal k; drawn or weighed ones are filled
    facts : FACTS, shape (n, most deals a game); single deals: (n, 1); for worlds that are drawn or weighed scratch of (1, 1). Filled.
    games : GAME, shape (n,). Filled.
    """
    rules = rules_[0]
    setup = setups[0]
    table = table_[0]
    deal = deal_[0]
    n_seats = rules.n_seats
    table.n_seats = n_seats
    deal.listens = 0
    if setup.worlds > Worlds.PLAYED:
        think_of_worlds(rules, policies, weights, setup, table, deal, facts[0, 0], worlds)
        return
    for g in range(len(games)):
        number = setup.first + g
        game = games[g]
        dealer = setup.dealer
        if dealer == NONE:
            dealer = number % n_seats
            if setup.games == 1:
                deal.rng[Purpose.GAME] = stream(deal_key(setup.seed, number, np.int64(0)), np.int64(Purpose.GAME))
                dealer = below(deal.rng, Purpose.GAME, n_seats)
        table.dealer = dealer
        table.pool = setup.pool
        for seat in range(n_seats):
            game.totals[seat] = setup.totals[seat]
            table.score[seat] = setup.totals[seat]
            if setup.worlds == Worlds.PLAYED:
                setup.held[seat] = worlds[g].hands[seat]
        seat_policies(rules, policies, setup, table, deal)
        is_tied = np.int64(0)
        is_over = False
        n_deals = np.int64(0)
        while not is_over and n_deals < facts.shape[1]:
            known = setups[min(n_deals, len(setups) - 1)]
            place = setup.deals_before + n_deals if setup.games == 1 else number
            table.cards = known.cards if known.cards > 0 else rules.schedule[place % rules.n_schedule]
            if is_tied == 1 and rules.game_end == End.SCHEDULE:        # extra deals of the most cards (OH-A14)
                for k in range(rules.n_schedule):
                    table.cards = max(table.cards, rules.schedule[k])
            fact = facts[g, n_deals]
            play_deal(rules, policies, weights, known, table, deal, fact, number, n_deals)
            n_deals += 1
            if setup.games == 0:
                break
            for seat in range(n_seats):
                game.totals[seat] += fact.scores[seat]
                table.score[seat] = game.totals[seat]
            if fact.played == 1 or rules.auction_all_pass == AllPass.REDEAL_NEXT:
                table.dealer = (table.dealer + 1) % n_seats
            is_over, is_tied = is_game_over(rules, game.totals, setup.deals_before + n_deals, is_tied, fact.played == 1)
        game.n_deals = n_deals
        if setup.games == 1:
            game.finished = 1 if is_over else 0
            game.winners, _, _ = leaders(rules, game.totals)
            game.pool = table.pool


@entry
def score(rules_, facts):
    """Score finished deals again, in place, under other rules; facts: FACTS, shape (n,)."""
    rules = rules_[0]
    for k in range(len(facts)):
        score_deal(rules, facts[k])


@njit
def count_plays(rules, hands, trumps, seat, n_played, led, best_card, best_seat, trumps_played, trick_no):
    """Return the number of complete legal plays from here on."""
    if n_played == rules.n_seats:
        if hands[best_seat] == 0:
            return np.int64(1)
        return count_plays(rules, hands, trumps, best_seat, np.int64(0), np.int64(NONE), np.int64(NONE), best_seat, trumps_played, trick_no + 1)
    n_plays = np.int64(0)
    legal = legal_cards(rules, hands[seat], led, best_card, trumps, trumps_played, trick_no)
    while legal != 0:
        card = lowest_card(legal)
        legal &= legal - 1
        hands[seat] ^= bit(card)
        heads = n_played == 0 or beats(card, best_card, trumps)
        n_plays += count_plays(
            rules, hands, trumps, (seat + 1) % rules.n_seats, n_played + 1, card >> 4 if n_played == 0 else led,
            card if heads else best_card, seat if heads else best_seat, trumps_played | bit(card) & trumps, trick_no)
        hands[seat] ^= bit(card)
    return n_plays


@entry
def perft(rules_, hands, trump, leader):
    """Return the number of complete legal plays of a deal; hands: int64 masks, shape (seats,), of equal size; trump: Denomination."""
    none = np.int64(NONE)
    return count_plays(rules_[0], hands, trump_mask(trump), leader, np.int64(0), none, none, leader, np.int64(0), np.int64(0))
