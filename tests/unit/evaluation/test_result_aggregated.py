from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from raising import raising
from scipy.stats import gmean, hmean

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.result import AGGREGATES, FLOOR, aggregated

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


def test_the_harmonic_mean_of_positive_values() -> None:
    assert aggregated([0.25, 1.0, 0.7], "hm") == pytest.approx(hmean([0.25, 1.0, 0.7]), abs=1e-12)


@pytest.mark.parametrize("how", AGGREGATES)
def test_of_no_values(how: str) -> None:
    value = aggregated([math.nan], how)
    assert value == 0 if how == "sum" else math.isnan(value)


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


def test_a_measure_that_was_not_evaluated() -> None:
    with raising(ArgumentError, "RR was not evaluated; there are AP"):
        evaluate({"1": ["a"]}, {"1": {"a": 1}}, "AP").aggregate("RR", "min")


def test_where_lower_is_better_the_highest_is_worst() -> None:
    result = evaluate({"1": ["a"], "2": ["x", "b"]}, {"1": {"a": 1}, "2": {"b": 1}}, "SetE SetF FP")
    assert [query_id for query_id, _ in result.worst("SetE")] == ["2", "1"]
    assert [query_id for query_id, _ in result.worst("FP")] == ["2", "1"]
    assert [query_id for query_id, _ in result.worst("SetF")] == ["2", "1"]
