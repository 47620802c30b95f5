"""How likely a seat says what it said: its policy's own choice, or now and then a slip near it.

A slip halves with each step away from the choice, so that no hand is impossible, and a hand that almost says it is more likely than one that is far from it.
The share of slips, `setup.slips`, is ours [D]: nobody plays exactly as a policy does.
"""

import numpy as np

from kernels.bits import lowest_card
from kernels.compiled import njit
from kernels.layout import PASS, Player, TrumpSource

OTHER_TRUMP = np.int64(2)        # steps between two calls of the same number


@njit
def steps_between(rules, call, other, lowest):
    """Return how far two calls lie apart; a pass lies one step below the lowest call."""
    if call == other:
        return np.int64(0)
    if rules.trump_source == TrumpSource.SOLOIST:
        return abs(call - other)
    if call == PASS or other == PASS:
        return (call + other - 1) // 5 - (lowest - 1) // 5 + 1
    return abs((call - 1) // 5 - (other - 1) // 5) + (OTHER_TRUMP if (call - 1) % 5 != (other - 1) % 5 else np.int64(0))


@njit
def slipped(slips, is_choice, steps, total):
    """Return the chance of what was said: `total` sums 2^-steps over everything that was legal."""
    share = slips / (np.int64(1) << steps) / total
    return share + 1.0 - slips if is_choice else share


@njit
def chance_of_call(rules, slips, table, said, choice):
    """Return P(a seat that would choose one call says another)."""
    total = 0.0
    if table.may_pass == 1:
        total += 1.0 / (np.int64(1) << steps_between(rules, np.int64(PASS), choice, table.lowest_call))
    for call in range(table.lowest_call, table.highest_call + 1):
        total += 1.0 / (np.int64(1) << steps_between(rules, np.int64(call), choice, table.lowest_call))
    return slipped(slips, said == choice, steps_between(rules, said, choice, table.lowest_call), total)


@njit
def chance_of_bid(slips, legal, said, choice):
    """Return P(a seat that would choose one bid says another)."""
    total = 0.0
    left = legal
    while left != 0:
        bid = lowest_card(left)
        left &= left - 1
        total += 1.0 / (np.int64(1) << abs(bid - choice))
    return slipped(slips, said == choice, abs(said - choice), total)


@njit
def is_heard(deal, table, policy):
    """Return whether what the seat at the table says tells of its hand. A random player's words tell nothing."""
    return deal.listens >> table.seat & 1 == 1 and policy.player != Player.RANDOM


@njit
def hear(deal, table, chance):
    """Note how likely the seat at the table says what it said; return whether the world is still in (`deal.least`)."""
    deal.chances[table.seat] *= chance
    deal.heard *= chance
    return deal.heard > deal.least
