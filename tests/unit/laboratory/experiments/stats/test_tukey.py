"""Randomised Tukey HSD: what must hold of it, and what is refused. Its oracle is in tests/oracles/test_tukey.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.stats.tukey import randomised_tukey


def values(seed: int, queries: int = 30, systems: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((queries, 1)) + rng.normal(0, 0.1, (queries, systems)) + 0.04 * np.arange(systems)


def test_p_is_symmetric_falls_with_the_difference_and_is_never_0():
    drawn = values(1)
    found = randomised_tukey(drawn, permutations=999)
    means = drawn.mean(axis=0)
    pairs = sorted(
        (abs(means[a] - means[b]), -found.p[a, b]) for a in range(4) for b in range(a)
    )  # by rising difference
    assert (found.p == found.p.T).all()
    assert [p for _, p in pairs] == sorted(p for _, p in pairs)
    assert found.p.min() >= 1 / 1000
    assert (np.diag(found.p) == 1).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_a_difference_is_significant_where_it_passes_the_critical_one(seed, alpha):
    drawn = values(seed)
    found = randomised_tukey(drawn, alpha=alpha, permutations=999)
    means = drawn.mean(axis=0)
    for a in range(4):
        for b in range(a):
            assert (found.p[a, b] <= alpha) == (abs(means[a] - means[b]) > found.critical)


def test_identical_systems_do_not_differ():
    drawn = np.repeat(np.random.default_rng(2).random((20, 1)), 3, axis=1)
    found = randomised_tukey(drawn, permutations=500)
    assert (found.p == 1).all()
    assert found.critical == pytest.approx(0, abs=1e-12)


def test_ties_by_rounding_count_as_large():
    # 0.1 + 0.2 is not 0.3 in binary: of two queries, every arrangement that is as far must count as such.
    drawn = np.array([[0.1 + 0.2, 0.0], [0.3, 0.0]])
    assert randomised_tukey(drawn, permutations=2000).p[0, 1] == pytest.approx(0.5, abs=0.05)


def test_the_order_of_the_systems_is_no_matter_but_for_the_draw():
    drawn = values(3)
    there, back = randomised_tukey(drawn), randomised_tukey(drawn[:, ::-1])
    assert there.p == pytest.approx(back.p[::-1, ::-1], abs=0.015)


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
        (np.zeros((3, 1)), "values have a row a query and a column for each of two systems or more, not (3, 1)"),
        (np.zeros((0, 2)), "values have a row a query and a column for each of two systems or more, not (0, 2)"),
        (np.zeros(4), "values have a row a query and a column for each of two systems or more, not (4,)"),
        (np.array([[0.1, math.nan]]), "values must be finite; drop the queries for which a system has no value"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(ArgumentError) as refused:
        randomised_tukey(given)
    assert str(refused.value) == message
