"""Corrections of p-values, and Tukey's test of all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.laboratory.experiments.stats.significance import CORRECTIONS, corrected, randomised_tukey

pytestmark = pytest.mark.system

# Benjamini & Hochberg 1995, §4.1: fifteen comparisons of two treatments of myocardial infarction.
INFARCTION = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
    1.0000,
]  # fmt: skip


@pytest.mark.parametrize(("method", "rejected"), [("none", 9), ("bonferroni", 3), ("holm", 3), ("bh", 4)])
def test_as_many_are_rejected_as_benjamini_and_hochberg_say(method, rejected):
    assert (corrected(INFARCTION, method) <= 0.05).sum() == rejected


@pytest.mark.parametrize("method", CORRECTIONS)
def test_nothing_passes_1_and_the_shape_stays(method):
    found = corrected([[0.5, 0.9], [0.7, 1.0]], method)
    assert found.shape == (2, 2)
    assert found.max() <= 1


@pytest.mark.parametrize("method", CORRECTIONS)
def test_what_could_not_be_compared_does_not_count(method):
    found = corrected([0.02, np.nan, 0.01], method)
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx(corrected([0.02, 0.01], method))


@pytest.mark.parametrize("method", CORRECTIONS)
def test_of_none_and_of_one(method):
    assert corrected([], method).size == 0
    assert np.isnan(corrected([np.nan], method)).all()
    assert corrected([0.04], method).tolist() == [0.04]


def test_the_input_is_left_as_it_was():
    given = np.array([0.04, 0.03])
    corrected(given, "bonferroni")
    assert given.tolist() == [0.04, 0.03]


def test_an_unknown_method_and_no_probability_are_refused():
    with pytest.raises(ArgumentError) as refused:
        corrected([0.1], "hommel")
    assert str(refused.value).startswith("unknown correction 'hommel'")
    with pytest.raises(ArgumentError, match=r"^a p-value must be a number from 0 to 1, not 1\.2$"):
        corrected([0.1, 1.2])


def values(seed: int, queries: int = 30, systems: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((queries, 1)) + rng.normal(0, 0.1, (queries, systems)) + 0.04 * np.arange(systems)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_a_difference_is_significant_where_it_passes_the_critical_one(seed, alpha):
    drawn = values(seed)
    found = randomised_tukey(drawn, alpha=alpha, permutations=999)
    means = drawn.mean(axis=0)
    for a in range(4):
        for b in range(a):
            assert (found.p[a, b] <= alpha) == (abs(means[a] - means[b]) > found.critical)


def test_ties_by_rounding_count_as_large():
    # 0.1 + 0.2 is not 0.3 in binary: of two queries, every arrangement that is as far must count as such.
    drawn = np.array([[0.1 + 0.2, 0.0], [0.3, 0.0]])
    assert randomised_tukey(drawn, permutations=2000).p[0, 1] == pytest.approx(0.5, abs=0.05)


def test_a_seed_makes_it_repeatable():
    drawn = values(4)
    assert (randomised_tukey(drawn, seed=5).p == randomised_tukey(drawn, seed=5).p).all()
    assert (randomised_tukey(drawn, seed=5).p != randomised_tukey(drawn, seed=6).p).any()


def test_too_few_permutations_for_alpha():
    assert randomised_tukey(values(5), permutations=18).critical == math.inf
    assert randomised_tukey(values(5), permutations=19).critical < math.inf


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            np.zeros((3, 1)),
            "expected values with one row per query and one column per system (two or more), found shape (3, 1)",
        ),
        (
            np.zeros((0, 2)),
            "expected values with one row per query and one column per system (two or more), found shape (0, 2)",
        ),
        (
            np.zeros(4),
            "expected values with one row per query and one column per system (two or more), found shape (4,)",
        ),
        (np.array([[0.1, math.nan]]), "values must be finite; drop the queries for which a system has no value"),
    ],
)
def test_what_is_refused(given, message):
    with raising(ArgumentError, message):
        randomised_tukey(given)
