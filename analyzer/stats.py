"""Intervals, from counts and integer sums alone, so that results can be merged in any order.

Every function takes numbers or arrays and works element by element. `level` is the chance that an interval covers the truth, .95 for most. Two kinds:

* fixed n (`wilson`, `mean_interval`, `ratio_interval`, `fieller_interval`, `linear_interval`,
  `paired_difference`): right for a number of deals chosen before the first one was looked at;
* anytime (`proportion_sequence`, `mean_sequence`, `ratio_sequence`, `fieller_sequence`): right at all numbers of deals together, so one may look after every
  deal and stop when one likes.
"""

from math import lgamma
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
ROUNDING = 1e-12   # relative error of a sum of squares about the mean
TUNED_TO = 3_000   # number of deals at which `mean_sequence` is narrowest; at most an eighth wider than the best from 1,000 to 100,000 deals


class Interval(NamedTuple):
    """An estimate and its interval; NaN where there are too few deals to say."""

    mean: Floats
    low: Floats
    high: Floats


def wide(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return whole numbers of which all squares together are exact: Python's own, which never overflow, where int64 cannot hold them."""
    largest = int(np.abs(values).max(initial=0))
    return values if largest * largest * values.size < 2**63 else values.astype(object)


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal lies in -z..z with probability `level`."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def student_quantile(level: float, freedom: ArrayLike) -> Floats:
    """Return t such that Student's t with `freedom` degrees of freedom (>= 1) lies in -t..t with probability `level`.

    Notes
    -----
    Relative error below 1e-5. Source: G. W. Hill, Algorithm 396: Student's t-quantiles, Communications of the ACM 13 (1970), page 619;
    its second branch (`far`) serves where few degrees of freedom meet a high level.
    """
    n = np.asarray(freedom, dtype=np.float64)
    tail = 1 - level
    with np.errstate(all="ignore"):
        a = 1 / (n - 0.5)
        b = 48 / a**2
        c = ((20700 * a / b - 98) * a - 16) * a + 96.36
        d = ((94.5 / (b + c) - 3) / b + 1) * np.sqrt(a * np.pi / 2) * n
        y = (d * tail) ** (2 / n)
        far = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) + 1 / y
        x = -normal_quantile(level)
        c = c + np.where(n < 5, 0.3 * (n - 4.5) * (x + 0.6), 0)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        z = x * x
        near = np.expm1(a * (((((0.4 * z + 6.3) * z + 36) * z + 94.5) / c - z - 3) / b + 1) ** 2 * z)
        t = np.sqrt(n * np.where(y > 0.05 + a, near, far))
        t = np.where(n == 2, np.sqrt(2 / (tail * (2 - tail)) - 2), t)
        return np.where(n == 1, 1 / np.tan(tail * np.pi / 2), t)


def wilson(made: ArrayLike, n: ArrayLike, level: float = 0.95) -> Interval:
    """Return the share made and its Wilson score interval; n = 0 gives NaN in 0..1.

    Notes
    -----
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), page 209. `made` and `n` need not be whole:
    see `effective_sample_size`.
    """
    made, n = np.asarray(made, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = normal_quantile(level)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = made / n
        centre = (made + z * z / 2) / (n + z * z)
        radius = z * np.sqrt(n * share * (1 - share) + z * z / 4) / (n + z * z)
    low = np.where(made == 0, 0.0, centre - radius)
    high = np.where(made == n, 1.0, centre + radius)
    return Interval(share, np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0))


def mean_interval(total: ArrayLike, total_sq: ArrayLike, n: ArrayLike, level: float = 0.95, spread: ArrayLike = 0.0) -> Interval:
    """Return the mean and its Student interval; fewer than two deals give NaN.

    Parameters
    ----------
    total, total_sq, n : sum, sum of squares and number of values
    spread : largest minus smallest value that is possible: equal values claim no certainty
    """
    n = np.asarray(n, dtype=np.float64)
    mean, variance = _moments(total, total_sq, n, spread)
    with np.errstate(invalid="ignore"):
        radius = student_quantile(level, np.where(n > 1, n - 1, np.nan)) * np.sqrt(variance / n)
    return Interval(mean, mean - radius, mean + radius)


def ratio_interval(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: ArrayLike, level: float = 0.95, spread: ArrayLike = 0.0
) -> Interval:
    """Return the mean of values that come several to a deal, with an interval that allows for their dependence within the deal.

    Parameters
    ----------
    total, n : sums over deals of the deal's sum and number of values
    total_sq, n_sq, cross : sums over deals of their squares and of their product
    deals : number of deals
    spread : largest minus smallest value that is possible: equal values claim no certainty

    Notes
    -----
    The ratio estimator of cluster sampling. Source: W. G. Cochran, Sampling Techniques, 3rd edition, chapter 6.
    """
    deals = np.asarray(deals, dtype=np.float64)
    mean, variance = _ratio(total, n, total_sq, n_sq, cross, deals, spread)
    with np.errstate(invalid="ignore", divide="ignore"):
        radius = student_quantile(level, np.where(deals > 1, deals - 1, np.nan)) * np.sqrt(variance * deals / (deals - 1))
    return Interval(mean, mean - radius, mean + radius)


def fieller_interval(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: ArrayLike, level: float = 0.95
) -> Interval:
    """Return the ratio total / n (sums as in `ratio_interval`) with an interval that also holds where n is small and uncertain, as of a rare event.

    NaN where it has no bounds: n may as well be 0.

    Notes
    -----
    All r for which the mean of (value - r * number) over deals is not distinguishable from 0. Source: E. C. Fieller, Some problems in interval estimation,
    JRSS B 16 (1954), page 175.
    """
    deals = np.asarray(deals, dtype=np.float64)
    quantile = student_quantile(level, np.where(deals > 1, deals - 1, np.nan))
    return _fieller(total, n, total_sq, n_sq, cross, deals, np.square(quantile))


def linear_interval(value: ArrayLike, slopes: ArrayLike, products: ArrayLike, deals: ArrayLike, level: float = 0.95, anytime: bool = False) -> Interval:
    """Return an estimate that is a smooth function of sums over deals, and its interval (delta method).

    Parameters
    ----------
    value : the estimate
    slopes : (..., k), its slope by each sum, such that the slopes times the sums are 0
    products : (..., k, k), sums over deals of the products of what a deal adds to the sums
    deals : number of deals
    anytime : the interval holds at all numbers of deals together, as that of `mean_sequence`

    Notes
    -----
    Source: K. M. Wolter, Introduction to Variance Estimation, 2nd edition, chapter 6.
    """
    slopes, products = np.asarray(slopes, dtype=np.float64), np.asarray(products, dtype=np.float64)
    value, deals = np.asarray(value, dtype=np.float64), np.asarray(deals, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.maximum(np.einsum("...i,...ij,...j->...", slopes, products, slopes), 0) * deals / (deals - 1)
        enough = np.where(deals > 1, deals, np.nan)
        radius = _sequence_radius(squares * deals, enough, level, TUNED_TO) if anytime else student_quantile(level, enough - 1) * np.sqrt(squares)
    return Interval(value, value - radius, value + radius)


def independent_size(made: ArrayLike, n: ArrayLike, made_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike) -> Floats:
    """Return how many independent trials know as much as `n` that come several to a deal (sums as in `ratio_interval`); n where all or none are made."""
    share, variance = _ratio(made, n, made_sq, n_sq, cross)
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = share * (1 - share) / variance
    return np.where((variance > 0) & (share > 0) & (share < 1), size, n)


def paired_difference(scores: ArrayLike, baseline: int, level: float = 0.95) -> Interval:
    """Return how much each column of `scores` gains over the column `baseline` on the same deals.

    Parameters
    ----------
    scores : (deals, policies or variants), score per deal
    baseline : column to compare with

    Returns
    -------
    Interval of one mean per column, the baseline's exactly 0..0
    """
    scores = np.asarray(scores)
    difference = wide(scores - scores[:, [baseline]])
    return mean_interval(difference.sum(axis=0), (difference * difference).sum(axis=0), len(difference), level)


def effective_sample_size(weights: ArrayLike, weights_sq: ArrayLike) -> Floats:
    """Return how many equally weighted deals know as much: (sum of weights)^2 / sum of squared weights.

    Notes
    -----
    Source: A. Kong, J. S. Liu, W. H. Wong, Sequential imputations and Bayesian missing data problems, JASA 89 (1994), page 278.
    """
    weights, weights_sq = np.asarray(weights, dtype=np.float64), np.asarray(weights_sq, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weights_sq > 0, weights * weights / weights_sq, 0.0)


def proportion_sequence(made: ArrayLike, n: ArrayLike, level: float = 0.95) -> Interval:
    """Return the share made and an interval that holds at all n together.

    Notes
    -----
    All p whose likelihood is more than (1 - level) times that of a Beta(1/2, 1/2) mixture: by Ville's inequality the truth leaves this set at any time
    with probability at most 1 - level. Source: H. Robbins, Statistical methods related to the law of the iterated logarithm,
    Annals of Mathematical Statistics 41 (1970), page 1397.
    """
    made, n = np.broadcast_arrays(np.asarray(made, dtype=np.float64), np.asarray(n, dtype=np.float64))
    log_beta = np.vectorize(lambda a, b: lgamma(a) + lgamma(b) - lgamma(a + b), otypes=[np.float64])
    least = log_beta(made + 0.5, n - made + 0.5) - log_beta(0.5, 0.5) + np.log(1 - level)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = made / n
    inside = np.where(n > 0, share, 0.5)

    def edge(outside: float) -> Floats:
        out, into = np.full(n.shape, outside), inside
        for _ in range(60):
            middle = (out + into) / 2
            with np.errstate(divide="ignore", invalid="ignore"):
                likelihood = np.where(made > 0, made * np.log(middle), 0) + np.where(n > made, (n - made) * np.log1p(-middle), 0)
            out, into = np.where(likelihood < least, middle, out), np.where(likelihood < least, into, middle)
        return out

    return Interval(share, np.where(made > 0, edge(0.0), 0.0), np.where(made < n, edge(1.0), 1.0))


def mean_sequence(
    total: ArrayLike, total_sq: ArrayLike, n: ArrayLike, level: float = 0.95, spread: ArrayLike = 0.0, tuned_to: float = TUNED_TO
) -> Interval:
    """Return the mean and an interval that holds at all n together, for looks from about a hundred deals on; fewer than two deals give NaN.

    Parameters
    ----------
    total, total_sq, n, spread : as in `mean_interval`
    tuned_to : number of deals at which the interval is narrowest

    Notes
    -----
    Asymptotic: exact for normal values, so it is not for a handful of deals. Source: I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas,
    Time-uniform central limit theory and asymptotic confidence sequences, Annals of Statistics 52 (2024), section 2.
    """
    n = np.asarray(n, dtype=np.float64)
    mean, variance = _moments(total, total_sq, n, spread)
    radius = _sequence_radius(variance, n, level, tuned_to)
    return Interval(mean, mean - radius, mean + radius)


def ratio_sequence(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: ArrayLike, level: float = 0.95, spread: ArrayLike = 0.0
) -> Interval:
    """Return the mean of `ratio_interval` and an interval that holds at all numbers of deals together, as `mean_sequence` does."""
    deals = np.asarray(deals, dtype=np.float64)
    mean, variance = _ratio(total, n, total_sq, n_sq, cross, deals, spread)
    with np.errstate(invalid="ignore", divide="ignore"):
        radius = _sequence_radius(variance * deals * deals / (deals - 1), np.where(deals > 1, deals, np.nan), level, TUNED_TO)
    return Interval(mean, mean - radius, mean + radius)


def fieller_sequence(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: ArrayLike, level: float = 0.95
) -> Interval:
    """Return the ratio of `fieller_interval` and an interval that holds at all numbers of deals together, as `mean_sequence` does."""
    deals = np.asarray(deals, dtype=np.float64)
    radius = _sequence_radius(np.ones_like(deals), np.where(deals > 1, deals, np.nan), level, TUNED_TO)
    return _fieller(total, n, total_sq, n_sq, cross, deals, np.square(radius) * deals)


def _fieller(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: Floats, errors_sq: Floats
) -> Interval:
    """Return the ratio and all r where (total - r * n)^2 is at most `errors_sq` times its variance: between the roots of a r^2 - 2 b r + c."""
    total, n = np.asarray(total, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        wide_by = errors_sq * deals / (deals - 1)
        a = n * n - wide_by * (np.asarray(n_sq, dtype=np.float64) - n * n / deals)
        b = total * n - wide_by * (np.asarray(cross, dtype=np.float64) - total * n / deals)
        c = total * total - wide_by * (np.asarray(total_sq, dtype=np.float64) - total * total / deals)
        root = np.sqrt(np.where(a > 0, np.maximum(b * b - a * c, 0), np.nan))
        return Interval(np.where(n != 0, total / n, np.nan), (b - root) / a, (b + root) / a)


def _sequence_radius(variance: Floats, n: Floats, level: float, tuned_to: float) -> Floats:
    log_miss = np.log(1 - level)
    rho_sq = (-2 * log_miss + np.log(1 - 2 * log_miss)) / tuned_to
    with np.errstate(invalid="ignore", divide="ignore"):
        radius: Floats = np.sqrt(variance * 2 * (n * rho_sq + 1) / (n * n * rho_sq) * (np.log(n * rho_sq + 1) / 2 - log_miss))
        return radius


def _moments(total: ArrayLike, total_sq: ArrayLike, n: Floats, spread: ArrayLike) -> tuple[Floats, Floats]:
    """Return mean and variance; the latter as if one more value lay half the `spread` from the mean, so that a run of equal outcomes claims no certainty.

    Sums that no values can have give NaN.

    Source of the extra value: I. Waudby-Smith, A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024), section 3.
    """
    total, total_sq = np.asarray(total, dtype=np.float64), np.asarray(total_sq, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        deviations = total_sq - total * mean
        deviations = np.where(deviations >= -ROUNDING * total_sq, np.maximum(deviations, 0), np.nan) + np.square(np.asarray(spread, dtype=np.float64)) / 4
        return mean, np.where(n > 1, deviations / (n - 1), np.nan)


def _ratio(
    total: ArrayLike, n: ArrayLike, total_sq: ArrayLike, n_sq: ArrayLike, cross: ArrayLike, deals: ArrayLike = np.inf, spread: ArrayLike = 0.0
) -> tuple[Floats, Floats]:
    """Return total / n and the variance of that ratio, as if one more deal lay half the `spread` from it (see `_moments`)."""
    total, n = np.asarray(total, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        deviations = np.asarray(total_sq, dtype=np.float64) - 2 * mean * np.asarray(cross, dtype=np.float64) + mean * mean * np.asarray(n_sq, dtype=np.float64)
        beside = np.asarray(spread, dtype=np.float64) / (2 * np.asarray(deals, dtype=np.float64))
        return mean, np.maximum(deviations, 0) / (n * n) + beside * beside
