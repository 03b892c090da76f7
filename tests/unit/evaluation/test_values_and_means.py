"""The three means and other aggregates: exact on small numbers, scipy's elsewhere, 0 and refusal where they end."""

import math
import statistics

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import gmean

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.values_and_means import FLOOR, aggregated, arithmetic, geometric, harmonic

positive = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20)


@given(positive)
def test_they_are_scipys(values):
    assert arithmetic(values) == pytest.approx(sum(values) / len(values), rel=1e-9)
    assert geometric(values) == pytest.approx(stats.gmean(values), rel=1e-9)
    assert harmonic(values) == pytest.approx(stats.hmean(values), rel=1e-9)


def test_a_zero_makes_two_of_them_zero_and_a_floor_raises_it():
    assert (arithmetic([1, 0]), geometric([1, 0]), harmonic([1, 0])) == (0.5, 0.0, 0.0)
    assert geometric([1, 0], floor=0.00001) == pytest.approx(math.sqrt(0.00001))
    assert geometric([4, 1], floor=2) == pytest.approx(math.sqrt(8))


def test_no_numbers_have_no_mean():
    assert all(math.isnan(mean([])) for mean in (arithmetic, geometric, harmonic))


@pytest.mark.parametrize("mean", [geometric, harmonic])
def test_a_negative_number_is_refused(mean):
    with raising(ArgumentError, f"a {mean.__name__} mean needs numbers of at least 0, and -2 is negative"):
        mean([1, -2])
    assert arithmetic([1, -2]) == -0.5


VALUES = [0.25, 1.0, 0.0, 0.7, math.nan, 0.1]
DEFINED = VALUES[:4] + VALUES[5:]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("mean", np.mean(DEFINED)),
        ("gm", gmean(np.maximum(DEFINED, 0.00001))),
        ("hm", 0.0),
        ("median", statistics.median(DEFINED)),
        ("min", 0.0),
        ("max", 1.0),
        ("sum", 2.05),
    ],
)
def test_of_the_defined_values(how: str, expected: float) -> None:
    assert aggregated(VALUES, how) == pytest.approx(expected, abs=1e-12)


def test_an_unknown_one() -> None:
    with raising(ArgumentError, "unknown aggregate 'geometric'. Aggregates: mean, gm, hm, median, min, max, sum"):
        evaluate({"1": ["a"]}, {"1": {"a": 1}}, "AP").aggregate("AP", "geometric")


def test_a_query_without_anything_costs_gmap_most() -> None:
    run = {"1": ["a"], "2": ["x"]}
    result = evaluate(run, {"1": {"a": 1}, "2": {"a": 1}}, "AP GMAP NumRet")
    assert result["AP"] == 0.5
    assert result["GMAP"] == result.aggregate("AP", "gm") == pytest.approx(math.sqrt(FLOOR), abs=1e-12)
    assert result.aggregates("min") == {"AP": 0, "GMAP": 0, "NumRet": 2}
    assert result.aggregates() == result.means == {"AP": 0.5, "GMAP": result["GMAP"], "NumRet": 2}


def test_an_undefined_value_does_not_depend_on_ties() -> None:
    result = evaluate({"1": {"a": 2, "b": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"b": 0}}, "AP", undefined="nan")
    assert (result.tied_queries, result.tie_remark) == ((), "")
