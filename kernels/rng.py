"""Random numbers: one counter-based stream for the deal, the game and each seat.

Deal i depends on (seed, i) alone. A stream starts from a mixing function of (seed, game, deal, purpose), not from a sum, so streams never run into each other,
and two policies or variants that decide differently still meet the same cards.
Source: splitmix64 and its finaliser (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014; constants of Stafford's variant 13).
"""

import numpy as np

from kernels.compiled import njit, small

GAMMA = np.uint64(0x9E3779B97F4A7C15)
M1 = np.uint64(0xBF58476D1CE4E5B9)
M2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


@small
def mix(z):
    """Return 64 well mixed bits of a uint64."""
    z = (z ^ (z >> S30)) * M1
    z = (z ^ (z >> S27)) * M2
    return z ^ (z >> S31)


@njit
def deal_key(seed, game, deal):
    """Return the key of a deal, a uint64 that its streams start from."""
    z = mix(seed + GAMMA)
    z = mix(z ^ (np.uint64(game) * M1 + GAMMA))
    return mix(z ^ (np.uint64(deal) * M2 + GAMMA))


@small
def stream(key, purpose):
    """Return the start of a stream: `purpose` is a seat or a Purpose."""
    return mix(key ^ (np.uint64(purpose) * GAMMA + M1))


@small
def draw(rng, k):
    """Return the next uint64 of stream k."""
    rng[k] += GAMMA
    return mix(rng[k])


@small
def scale(word, n):
    """Return a number below n from 32 bits in an int64. Uneven by at most n / 2^32 = 1.2e-8 for 52 cards. Source: Lemire, 2019, without the rejection."""
    return (word * n) >> np.int64(32)


@small
def below(rng, k, n):
    """Return a uniform number 0..n-1 from stream k."""
    return scale(np.int64(draw(rng, k) >> S32), n)


@small
def uniform(rng, k):
    """Return a uniform number in [0, 1) with 32 bits from stream k."""
    return np.float64(np.int64(draw(rng, k) >> S32)) / 4294967296.0
