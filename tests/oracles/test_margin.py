"""Not worse by a margin: against scipy's one-sided tests on shifted values, and simulated experiments."""

import math

import numpy as np
import pytest
from scipy import stats
from tiers import often

from toysearch.study.compare.margin import least_gain, queries_to_settle, two_one_sided
from toysearch.study.compare.power import power, queries_needed


@pytest.mark.parametrize("n", [2, 5, 58, 225])
@pytest.mark.parametrize("margin", [0.005, 0.02, 0.1])
def test_both_p_are_those_of_scipy_on_shifted_values(n, margin):
    rng = np.random.default_rng(n)
    before = rng.beta(1, 2, n)
    after = before + rng.normal(-0.005, 0.05, n)
    found = two_one_sided(after - before, margin)
    assert found.p_not_worse == pytest.approx(stats.ttest_rel(after + margin, before, alternative="greater").pvalue)
    assert found.p_not_better == pytest.approx(stats.ttest_rel(after - margin, before, alternative="less").pvalue)
    for alpha in (0.01, 0.05, 0.3):
        least = stats.ttest_rel(after, before, alternative="greater").confidence_interval(1 - alpha).low
        assert least_gain(after - before, alpha) == pytest.approx(least)
        assert (least > -margin) == (found.p_not_worse < alpha)


def test_equal_gains_are_certain_and_one_query_says_nothing():
    assert two_one_sided(np.zeros(5), 0.01) == (0, 0)
    assert two_one_sided(np.full(5, -0.02), 0.01) == (1, 0)
    assert two_one_sided(np.full(5, -0.01), 0.01) == (1, 0)
    assert two_one_sided(np.array([0.5]), 0.01) == (1, 1)
    assert least_gain(np.array([0.5]), 0.05) == -math.inf
    assert math.isnan(queries_to_settle(np.array([0.5]), 0.01, 0.05))


@pytest.mark.parametrize("n", [2, 7, 25, 225, 4_785])
def test_one_sided_power_is_what_scipys_noncentral_t_says(n):
    for effect in np.geomspace(1e-4, 5, 30):
        expected = stats.nct.sf(stats.t.isf(0.05, n - 1), n - 1, effect * math.sqrt(n))
        assert power(effect, n, one_sided=True) == pytest.approx(expected, abs=1e-9)


def test_as_many_queries_are_needed_one_sided_as_gpower_says():
    assert queries_needed(0.5, one_sided=True) == 27  # G*Power 3.1, one tail, 0.05, 0.8
    assert queries_needed(0.2, one_sided=True) == 156
    assert queries_needed(-0.2, one_sided=True) == math.inf


@pytest.mark.parametrize("gain", [0.004, -0.006])
def test_simulated_experiments_of_so_many_queries_settle_it_so_often(gain):
    rng, margin, times = np.random.default_rng(3), 0.02, often(10_000, 2_000)
    drawn = rng.normal(0, 0.06, 40)
    gains = (drawn - drawn.mean()) / drawn.std(ddof=1) * 0.06 + gain
    n = int(queries_to_settle(gains, margin, 0.05))
    again = rng.normal(gain, 0.06, (times, n))
    settled = stats.ttest_1samp(again, -margin, axis=1, alternative="greater").pvalue <= 0.05
    assert abs(settled.mean() - 0.8) < 3 * math.sqrt(0.8 * 0.2 / times) + 0.01  # n is a whole number


def test_below_the_margin_it_is_settled_as_worse():
    gains = np.array([-0.1, 0.05, -0.2, -0.1, 0.02])
    effect = gains.mean() / gains.std(ddof=1)
    assert queries_to_settle(gains, 0.01, 0.05) == queries_needed(effect)
