"""Paired tests: worked by hand, where a choice was made, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.laboratory.experiments.stats.significance import TESTS, finite_differences, paired_test

# Student 1908, after Cushny & Peebles 1905: additional hours of sleep of ten patients with two drugs.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def test_students_sleep_data():
    found = paired_test(SLEEP)
    # t = 4.0621, 9 degrees of freedom, p = 0.002833, interval 0.7001 to 2.4599: R's help page of t.test.
    assert found.n == 10
    assert found.mean == pytest.approx(1.58)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.7001142, 2.4598858), abs=5e-8)
    assert found.effect * math.sqrt(10) == pytest.approx(4.0621, abs=5e-5)


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_at_all(test):
    found = paired_test(np.zeros(30), test)
    assert found == (test, 30, 0.0, 0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("test", TESTS)
def test_rounding_is_no_difference(test):
    assert paired_test([0.1 + 0.2 - 0.3] * 30, test).p == 1.0


@pytest.mark.parametrize("test", TESTS)
def test_one_query_says_nothing(test):
    found = paired_test([0.4], test)
    assert found[:6] == (test, 1, 0.4, -math.inf, math.inf, 1.0)
    assert math.isnan(found.effect)


@pytest.mark.parametrize(("test", "p"), [("t", 0), ("bootstrap", 0), ("sign", 1 / 8), ("permutation", 1 / 8)])
def test_the_same_difference_everywhere(test, p):
    found = paired_test([0.1] * 4, test)
    assert found.p == p
    assert found.effect == math.inf


@pytest.mark.system
def test_a_system_and_a_baseline_change_places():
    differences = np.random.default_rng(3).normal(0.02, 0.1, 60)
    for test in TESTS:
        there, back = paired_test(differences, test), paired_test(-differences, test)
        assert there.p == pytest.approx(back.p, abs=0.01 if test == "bootstrap" else 1e-12)
        assert there.effect == -back.effect


@pytest.mark.parametrize("test", TESTS)
def test_a_seed_makes_it_repeatable(test):
    differences = np.random.default_rng(4).normal(0.02, 0.1, 40)
    assert paired_test(differences, test, seed=7) == paired_test(differences, test, seed=7)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_another_seed_draws_others(test):
    differences = np.random.default_rng(4).normal(0.02, 0.1, 40)
    assert paired_test(differences, test, seed=7).p != paired_test(differences, test, seed=8).p


def test_a_lower_alpha_makes_a_wider_interval():
    for test in TESTS:
        wide, narrow = (paired_test(SLEEP, test, alpha=alpha) for alpha in (0.02, 0.2))
        assert wide.low < narrow.low < 1.58 < narrow.high < wide.high
        assert wide.p == narrow.p


@pytest.mark.parametrize(
    ("differences", "settings", "message"),
    [
        ([0.1, 0.2], {"test": "anova"}, "unknown test 'anova'. Tests: t, wilcoxon, sign, permutation, bootstrap"),
        ([0.1, 0.2], {"alpha": 0}, "alpha must be a number between 0 and 1, not 0"),
        ([0.1, 0.2], {"alpha": 1.5}, "alpha must be a number between 0 and 1, not 1.5"),
        ([0.1, 0.2], {"alpha": math.nan}, "alpha must be a number between 0 and 1, not nan"),
        ([0.1, 0.2], {"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ([0.1, 0.2], {"permutations": 0}, "permutations and resamples must be at least 1"),
        ([], {}, "differences must be a row of at least one number, not an array of shape (0,)"),
        ([[0.1]], {}, "differences must be a row of at least one number, not an array of shape (1, 1)"),
        ([0.1, math.nan], {}, "differences must be finite; drop the queries without a value"),
    ],
)
def test_what_is_refused(differences, settings, message):
    with raising(ArgumentError, message):
        paired_test(differences, **settings)


def test_an_interval_that_ends_at_0_ends_at_0():
    # A subset whose mean is 0 on paper has one of 1e-16 in binary: 0 is not left out all the same.
    found = paired_test([0.6, -0.1, 0.2, 0.3, 0.7, 0.4, 0.2, -0.2], "permutation")
    assert found.p == 18 / 256
    assert found.low == 0


def test_what_is_drawn_is_never_all_there_is():
    # No sample is as far, but the one at hand is: p is not 0.
    clear = 0.3 + np.random.default_rng(1).normal(0, 0.01, 40)
    assert paired_test(clear, "bootstrap", resamples=999).p == 1 / 1000
    assert paired_test(clear, "permutation", permutations=999).p == 1 / 1000


def test_a_sample_of_one_value_only_is_as_far_as_can_be():
    # Of samples of three, 3 in 27 hold one value three times; that value is off the mean, so their t is infinite.
    found = paired_test([0.1, 0.2, 0.6], "bootstrap", resamples=20_000)
    far = 3 / 27
    assert found.p >= far - 4 * math.sqrt(far * (1 - far) / 20_000)
    assert found.high == math.inf


def test_differences_are_those_of_pairs_of_finite_values():
    after, before = [1.0, math.inf, math.inf, math.nan, 2.0], [0.5, 1.0, math.inf, 1.0, -math.inf]
    assert finite_differences(after, before).tolist() == [0.5]
