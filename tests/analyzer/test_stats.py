"""Intervals agree with scipy where it knows them, and cover the truth as often as they say, also when somebody peeks."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from analyzer import stats

LEVELS = pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
# An Israeli Whist bid of 4: made, one, two or three tricks off.
SCORES, CHANCES = np.array([26, -10, -20, -30]), np.array([0.4, 0.4, 0.15, 0.05])


@LEVELS
def test_students_quantile_is_scipys(level):
    freedom = np.array([1, 2, 3, 4, 5, 7, 10, 30, 1000, 10**6])
    np.testing.assert_allclose(stats.student_quantile(level, freedom), scipy_stats.t.ppf(0.5 + level / 2, freedom), rtol=1e-5)


@LEVELS
def test_wilson_is_scipys(level):
    for made, n in [(0, 1), (1, 1), (3, 10), (0, 40), (40, 40), (611, 1000)]:
        expected = scipy_stats.binomtest(made, n).proportion_ci(level, method="wilson")
        np.testing.assert_allclose(stats.wilson(made, n, level)[1:], expected, atol=1e-12)


def test_no_deals_say_nothing():
    assert stats.wilson(0, 0)[1:] == (0, 1)
    assert stats.proportion_sequence(0, 0)[1:] == (0, 1)
    for interval in (stats.mean_interval(0, 0, 0), stats.mean_interval(5, 25, 1), stats.mean_sequence(5, 25, 1)):
        assert np.isnan(interval.low)
        assert np.isnan(interval.high)


@LEVELS
def test_mean_interval_is_scipys(level):
    values = np.random.default_rng(1).integers(-50, 50, 17)
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval(level)
    np.testing.assert_allclose(stats.mean_interval(values.sum(), (values**2).sum(), len(values), level)[1:], expected, rtol=1e-5)


def test_mean_interval_works_element_by_element():
    totals, squares, n = np.array([10, 300]), np.array([60, 1900]), np.array([5, 100])
    whole = stats.mean_interval(totals, squares, n)
    for i in range(2):
        assert [column[i] for column in whole] == list(map(float, stats.mean_interval(totals[i], squares[i], n[i])))


def test_equal_outcomes_claim_no_certainty():
    made_all = stats.mean_interval(total=100, total_sq=1000, n=10, spread=20)
    assert made_all.low < 10 < made_all.high
    assert stats.mean_sequence(1000, 10000, 100, spread=20).low < 10


def test_sums_that_no_values_have_say_nothing():
    for squares in (-5, 10):
        assert np.isnan(stats.mean_interval(100, squares, 10, spread=20).low)
    assert stats.mean_interval(0.3, 0.1 * 0.1 * 9 - 1e-17, 9).high >= 0.3 / 9


def test_squares_and_spreads_do_not_run_over():
    assert stats.mean_interval(0, 2 * 10**24, 2, spread=4 * 10**12).high > 10**12
    chips = np.array([[10**12, 0], [-(10**12), 0], [10**12, 0]])
    assert stats.paired_difference(chips, baseline=1).high[0] > 10**12
    assert stats.wide(chips).dtype == object
    assert stats.wide(np.array([30, -10])).dtype == np.int64


def test_paired_difference_is_scipys():
    scores = np.random.default_rng(2).integers(-30, 60, (200, 3))
    gain = stats.paired_difference(scores, baseline=2)
    expected = scipy_stats.ttest_rel(scores[:, 0], scores[:, 2]).confidence_interval()
    np.testing.assert_allclose([gain.low[0], gain.high[0]], expected, rtol=1e-5)
    assert (gain.mean[2], gain.low[2], gain.high[2]) == (0, 0, 0)


def test_effective_sample_size():
    weights = np.array([1, 1, 1, 0.5])
    assert stats.effective_sample_size(weights.sum(), (weights**2).sum()) == pytest.approx(3.5**2 / 3.25)
    assert stats.effective_sample_size(12.0, 12.0) == 12
    assert stats.effective_sample_size(0.0, 0.0) == 0


@pytest.mark.parametrize("share", [0.02, 0.3, 0.61])
def test_wilson_covers_as_often_as_it_says(share):
    made = np.arange(201)
    interval = stats.wilson(made, 200)
    covering = (interval.low <= share) & (share <= interval.high)
    assert scipy_stats.binom.pmf(made, 200, share)[covering].sum() == pytest.approx(0.95, abs=0.025)


def test_mean_interval_covers_as_often_as_it_says():
    values = np.random.default_rng(3).choice(SCORES, (4000, 100), p=CHANCES)
    interval = stats.mean_interval(values.sum(axis=1), (values**2).sum(axis=1), 100)
    truth = SCORES @ CHANCES
    assert ((interval.low <= truth) & (truth <= interval.high)).mean() == pytest.approx(0.95, abs=0.012)   # 3.5 standard errors


def test_several_values_of_a_deal_count_as_their_deal():
    rng = np.random.default_rng(4)
    share, runs, deals = 0.4, 2000, 150
    n = rng.integers(0, 4, (runs, deals))
    made = n * (rng.random((runs, deals)) < share)              # zero bids of a deal all made or all missed
    sums = made.sum(axis=1), n.sum(axis=1), (made**2).sum(axis=1), (n**2).sum(axis=1), (made * n).sum(axis=1)
    size = stats.independent_size(*sums)
    assert np.all(size < sums[1])
    for interval in (stats.wilson(sums[0] * size / sums[1], size), stats.ratio_interval(*sums, deals)):
        assert ((interval.low <= share) & (share <= interval.high)).mean() == pytest.approx(0.95, abs=0.02)


def test_one_value_a_deal_needs_no_allowance():
    values = np.random.default_rng(5).choice(SCORES, 300, p=CHANCES)
    total, total_sq = values.sum(), (values**2).sum()
    np.testing.assert_allclose(stats.ratio_interval(total, 300, total_sq, 300, total, 300), stats.mean_interval(total, total_sq, 300))
    np.testing.assert_allclose(stats.ratio_sequence(total, 300, total_sq, 300, total, 300), stats.mean_sequence(total, total_sq, 300))
    assert stats.independent_size(120, 300, 120, 300, 120) == pytest.approx(300)
    assert stats.independent_size(300, 300, 300, 300, 300) == 300


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_proportion_sequence_holds_while_somebody_peeks(share):
    made = (np.random.default_rng(6).random((500, 5000)) < share).cumsum(axis=1)
    looks = np.unique(np.geomspace(1, 5000, 120).astype(int))
    always = stats.proportion_sequence(made[:, looks - 1], looks)
    once = stats.wilson(made[:, looks - 1], looks)
    missed = [((interval.low > share) | (interval.high < share)).any(axis=1).mean() for interval in (always, once)]
    assert missed[0] <= 0.05
    assert missed[1] > 0.2           # what peeking does to an interval for one n


def test_mean_sequence_holds_while_somebody_peeks():
    values = np.random.default_rng(7).choice(SCORES, (500, 10_000), p=CHANCES)
    looks = np.unique(np.geomspace(100, 10_000, 100).astype(int))
    total, total_sq = values.cumsum(axis=1)[:, looks - 1], (values**2).cumsum(axis=1)[:, looks - 1]
    truth = SCORES @ CHANCES
    always = stats.mean_sequence(total, total_sq, looks, spread=np.ptp(SCORES))
    once = stats.mean_interval(total, total_sq, looks)
    missed = [((interval.low > truth) | (interval.high < truth)).any(axis=1).mean() for interval in (always, once)]
    assert missed[0] <= 0.05
    assert missed[1] > 0.15


def test_a_sequence_is_at_most_twice_as_wide_as_an_interval_for_one_n():
    n = np.array([1000, 10_000, 100_000])
    assert np.all(stats.mean_sequence(0 * n, n, n).high < 2 * stats.mean_interval(0 * n, n, n).high)
    always, once = stats.proportion_sequence(n // 3, n), stats.wilson(n // 3, n)
    assert np.all(always.high - always.low < 2.3 * (once.high - once.low))


def test_sequence_edges_are_where_the_likelihood_says():
    for made, n in [(0, 7), (7, 7), (2, 9), (300, 1000)]:
        interval = stats.proportion_sequence(made, n, 0.9)
        for p in (float(interval.low), float(interval.high)):
            if 0 < p < 1:
                mixture = scipy_stats.betabinom(n, 0.5, 0.5).pmf(made)
                assert scipy_stats.binom.pmf(made, n, p) / mixture == pytest.approx(0.1, rel=1e-6)
