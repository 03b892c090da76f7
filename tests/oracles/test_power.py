"""Power: scipy's noncentral t distribution, Cohen's and G*Power's numbers, and simulated experiments."""

import math

import numpy as np
import pytest
from scipy import stats

from toysearch.base.errors import ArgumentError
from toysearch.study.compare.power import detectable_difference, power, queries_needed


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("n", [2, 3, 7, 10, 25, 50, 225, 1_000, 4_785, 100_000])
def test_power_is_what_scipys_noncentral_t_says(n, alpha):
    critical = stats.t.isf(alpha / 2, n - 1)
    for effect in np.geomspace(1e-4, 20, 60):
        shift = effect * math.sqrt(n)
        expected = stats.nct.sf(critical, n - 1, shift)
        if shift < 9:  # scipy's own lower tail is NaN for some that are larger
            expected += stats.nct.sf(critical, n - 1, -shift)
        assert power(effect, n, alpha=alpha) == pytest.approx(expected, abs=1e-9)
        assert power(-effect, n, alpha=alpha) == power(effect, n, alpha=alpha)


@pytest.mark.parametrize(
    ("effect", "n"),
    [(0.2, 199), (0.5, 34), (0.8, 15)],  # G*Power 3.1, difference between two dependent means, two-sided 0.05, 0.8
)
def test_as_many_queries_are_needed_as_gpower_says(effect, n):
    assert queries_needed(effect) == n
    assert power(effect, n) >= 0.8 > power(effect, n - 1)
    assert queries_needed(-effect) == n


def test_gpowers_power():
    assert power(0.5, 34) == pytest.approx(0.8077775, abs=1e-6)


@pytest.mark.parametrize("n", [2, 5, 25, 50, 225])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_the_detectable_difference_is_detected_so_often(n, wanted):
    found = detectable_difference(0.3, n, wanted=wanted)
    assert power(found / 0.3, n) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("n", [10, 30, 50, 113, 225, 1000])
@pytest.mark.parametrize("systems", [20, 30, 41, 60, 100, 300])
def test_it_is_found_for_the_levels_of_many_pairs_too(n, systems):
    alpha = 0.05 / math.comb(systems, 2)
    effect = detectable_difference(1.0, n, alpha=alpha)
    critical = stats.t.isf(alpha / 2, n - 1)
    assert stats.nct.sf(critical, n - 1, effect * math.sqrt(n)) == pytest.approx(0.8, abs=1e-7)


def test_simulated_experiments_find_it_so_often():
    rng, n, times = np.random.default_rng(11), 30, 4_000
    drawn = rng.normal(0, 1, (times, n)) + detectable_difference(1.0, n)
    rejected = (stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05).mean()
    assert abs(rejected - 0.8) < 3 * math.sqrt(0.8 * 0.2 / times)


def test_the_ends():
    assert queries_needed(0.0) == math.inf
    assert queries_needed(1e-5) == math.inf
    assert queries_needed(math.inf) == 2
    assert math.isnan(queries_needed(math.nan))
    assert detectable_difference(0.0, 30) == 0
    assert detectable_difference(0.1, 1) == math.inf
    assert power(1.0, 1) == 0
    assert power(0.0, 30) == pytest.approx(0.05)


@pytest.mark.parametrize("wanted", [0.05, 1.0, 0.0])
def test_a_power_out_of_range_is_refused(wanted):
    for asked in (lambda: queries_needed(0.5, wanted=wanted), lambda: detectable_difference(0.1, 20, wanted=wanted)):
        with pytest.raises(ArgumentError) as refused:
            asked()
        assert str(refused.value) == f"the power is a number between alpha, 0.05, and 1, not {wanted:g}"


def test_alpha_is_refused_before_the_power():
    with pytest.raises(ArgumentError, match=r"^alpha must be a number between 0 and 1, not 5$"):
        detectable_difference(0.1, 58, alpha=5)


@pytest.mark.parametrize(("deviation", "n"), [(-1.0, 20), (float("nan"), 20), (0.2, 0), (0.2, -1)])
def test_no_difference_is_detectable_with_a_deviation_or_a_number_that_cannot_be(deviation, n):
    with pytest.raises(ArgumentError, match=r"^expected a deviation of at least 0 and a query or more, not "):
        detectable_difference(deviation, n)
