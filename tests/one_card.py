"""One-card Oh Hell by enumeration: what every seat scores, and what its best answer to the table would gain.

Play is forced and no bid changes the trick, so a seat bids 1 where P(it wins | its card, the bids before) makes it pay. All deals of one turn-up are counted.
Slow and obvious, compiled only because 5 players have 276 million deals.

    python -m tests.one_card learned 3 4 5       gains of the best answer, and scores beside those of the solution
"""

import sys

import numpy as np
from numba import njit

from analyzer import rules, simulation

RANKS, TURNUP = 13, 2 * 13          # cards here are 0..51, suit * 13 + rank; the turn-up is the two of hearts
TRUMP = 2
SOLVED = {                          # scores of the solution by seat, leader first
    3: (7.0337, 9.1905, 4.4643),
    4: (7.6873, 9.2999, 9.4357, 4.2497),
    5: (8.2611, 9.2854, 9.4231, 9.5433, 4.0031),
}


@njit
def count(bids, players, seat_limit, wins, deals):
    """Count deals and wins by seat, card and the bids before: wins, deals of shape (players, 52, 2 ** players); bids: 0 or 1, of the same shape.

    The bids before are bits, the leader's the lowest. Only seats below seat_limit are counted: bids of the seats behind do not matter to them.
    """
    cards = np.zeros(players, np.int64)
    used = np.zeros(52, np.bool_)
    used[TURNUP] = True
    depth = 0
    cards[0] = -1
    while depth >= 0:
        if cards[depth] >= 0:
            used[cards[depth]] = False
        card = cards[depth] + 1
        while card < 52 and used[card]:
            card += 1
        if card == 52:
            depth -= 1
            continue
        cards[depth] = card
        used[card] = True
        if depth + 1 < players:
            depth += 1
            cards[depth] = -1
            continue
        best = 0
        for seat in range(1, players):
            same = cards[seat] // RANKS == cards[best] // RANKS
            if (same and cards[seat] > cards[best]) or (not same and cards[seat] // RANKS == TRUMP):
                best = seat
        before = 0
        for seat in range(seat_limit):
            deals[seat, cards[seat], before] += 1
            if seat == best:
                wins[seat, cards[seat], before] += 1
            before |= bids[seat, cards[seat], before] << seat


def table_bids(policy, players, settings=(), variant="base"):
    """Return what a policy bids with one card, by seat, card and the bids before."""
    table = rules.load("oh-hell", variant, settings, players)
    engine = simulation.Engine(simulation.Run(table, [policy], cards=1, dealer=players - 1))
    bids = np.zeros((players, 52, 2**players), np.int64)
    for seat in range(players):
        for before in range(2**seat):
            setup = engine.setup.copy()
            setup["turnup"] = TURNUP // RANKS * 16 + TURNUP % RANKS
            setup["n_bids"] = seat
            setup["bids"][0, :seat] = [before >> k & 1 for k in range(seat)]
            for card in range(52):
                if card == TURNUP:
                    continue
                setup["held"] = 0
                setup["held"][0, seat] = 1 << card // RANKS * 16 + card % RANKS
                fact = engine.play(0, 1, setup=setup)[0][0, 0]
                assert fact["fault"] == 0
                bids[seat, card, before] = fact["bids"][seat]
    return bids


def solution(players):
    """Return the bids of the solution: seat by seat 1 where the chance to win is above one half, the dealer as the hook leaves it."""
    bids = np.zeros((players, 52, 2**players), np.int64)
    for seat in range(players):
        wins, deals = (np.zeros(bids.shape, np.int64) for _ in range(2))
        count(bids, players, seat + 1, wins, deals)
        bids[seat] = 2 * wins[seat] > deals[seat]
        if seat == players - 1:
            for before in range(2**seat):
                if before.bit_count() <= 1:
                    bids[seat, :, before] = before.bit_count()       # sums of 1 are forbidden
    return bids


def judged(bids):
    """Return (scores by seat, gains of the best answer by seat) of a table that bids so; a made bid scores 10 and its tricks, a miss its tricks."""
    players = len(bids)
    wins, deals = (np.zeros(bids.shape, np.int64) for _ in range(2))
    count(bids, players, players, wins, deals)
    n = deals[0].sum()
    made = np.where(bids == 1, wins, deals - wins)
    free = np.maximum(wins, deals - wins)
    for before in range(2**players):
        if before.bit_count() <= 1:
            free[-1, :, before] = made[-1, :, before]
    scores = (10 * made + wins).sum(axis=(1, 2)) / n
    return scores, 10 * (free - made).sum(axis=(1, 2)) / n


def made(bids):
    """Return how often each seat of a table that bids so makes its bid."""
    wins, deals = (np.zeros(bids.shape, np.int64) for _ in range(2))
    count(bids, len(bids), len(bids), wins, deals)
    return np.where(bids == 1, wins, deals - wins).sum(axis=(1, 2)) / deals[0].sum()


def worth(bids, seat, card, before, bid, slips, score):
    """Return (expected score, chance to win) of a bid: over all cards of the others, each deal by how likely they bid as they did before.

    slips: share of bids that are not the choice, half as likely with each step from it; score: of (sum of all bids, tricks), arrays or numbers.
    """
    players = len(bids)
    cards = [np.int64(card) if other == seat else np.arange(52).reshape([-1 if axis == other else 1 for axis in range(players)]) for other in range(players)]
    weights, spoken, total = np.ones([1] * players), np.int64(0), np.int64(0)
    best, winner = cards[0], np.int64(0)
    for other in range(players):
        for earlier in [TURNUP, *cards[:other]]:
            weights = weights * (cards[other] != earlier)
        choice = bids[other, cards[other], spoken]
        said = bid if other == seat else choice
        if other < seat:
            said = before >> other & 1
            weights = weights * np.where(said == choice, 1 - slips + slips / 1.5, slips / 3)
        spoken, total = spoken | said << other, total + said
        same = cards[other] // RANKS == best // RANKS
        heads = (same & (cards[other] > best)) | (~same & (cards[other] // RANKS == TRUMP))
        best, winner = np.where(heads, cards[other], best), np.where(heads, other, winner)
    wins = winner == seat
    return (weights * score(total, wins)).sum() / weights.sum(), (weights * wins).sum() / weights.sum()


def main():
    policy, *players = sys.argv[1:]
    for number in map(int, players):
        scores, gains = judged(table_bids(policy, number))
        exact = judged(solution(number))[0]
        for seat in range(number):
            print(f"{number} players, seat {seat + 1}: {scores[seat]:.4f} points, solved {exact[seat]:.4f}; best answer gains {gains[seat]:.4f}")


if __name__ == "__main__":
    main()
