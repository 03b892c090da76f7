"""The three means: exact on small numbers, scipy's elsewhere, 0 and refusal where they end."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raising import raising
from scipy import stats

from toysearch.base.errors import ArgumentError
from toysearch.evaluation.result import arithmetic, geometric, harmonic, means

positive = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20)


@given(positive)
def test_they_are_scipys(values):
    found = means(values)
    assert found.arithmetic == pytest.approx(sum(values) / len(values), rel=1e-9)
    assert found.geometric == pytest.approx(stats.gmean(values), rel=1e-9)
    assert found.harmonic == pytest.approx(stats.hmean(values), rel=1e-9)


@given(positive)
def test_they_fall_from_the_arithmetic_to_the_harmonic(values):
    found = means(values)
    assert found.arithmetic >= found.geometric * (1 - 1e-12) >= found.harmonic * (1 - 1e-11)


@given(positive)
def test_the_order_of_the_numbers_does_not_matter(values):
    assert means(values) == means(values[::-1])


def test_a_zero_makes_two_of_them_zero_and_a_floor_raises_it():
    assert means([1, 0]) == (0.5, 0.0, 0.0)
    assert geometric([1, 0], floor=0.00001) == pytest.approx(math.sqrt(0.00001))
    assert geometric([4, 1], floor=2) == pytest.approx(math.sqrt(8))


def test_no_numbers_have_no_mean():
    assert all(math.isnan(mean([])) for mean in (arithmetic, geometric, harmonic))
    with raising(ArgumentError, "a mean needs at least one number"):
        means([])


@pytest.mark.parametrize("mean", [geometric, harmonic])
def test_a_negative_number_is_refused(mean):
    with raising(ArgumentError, f"a {mean.__name__} mean needs numbers of at least 0, and -2 is negative"):
        mean([1, -2])
    assert arithmetic([1, -2]) == -0.5


def test_a_number_that_is_not_finite_is_refused():
    with raising(ArgumentError, "a mean needs finite numbers, and inf is not finite"):
        means([1, math.inf])
