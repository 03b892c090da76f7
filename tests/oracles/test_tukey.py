"""Randomised Tukey HSD: all arrangements of few values, and a slow loop that shuffles each query by itself."""

import itertools
import math
import random

import numpy as np
import pytest

from toysearch.study.compare.significance import paired_test, randomised_tukey, sign_flip_test

# Sakai, Information Access Evaluation Methodology (in Japanese), 2015, Table 5.1: three systems on twenty topics.
SAKAI = np.array(
    [
        [0.70, 0.30, 0.20, 0.60, 0.40, 0.40, 0.00, 0.70, 0.10, 0.30, 0.50, 0.40, 0.00, 0.60, 0.50, 0.30, 0.10, 0.50,
         0.20, 0.10],
        [0.50, 0.10, 0.00, 0.20, 0.40, 0.30, 0.00, 0.50, 0.30, 0.30, 0.40, 0.40, 0.10, 0.40, 0.20, 0.10, 0.10, 0.60,
         0.30, 0.20],
        [0.00, 0.00, 0.20, 0.10, 0.30, 0.30, 0.10, 0.20, 0.40, 0.40, 0.40, 0.30, 0.30, 0.20, 0.20, 0.20, 0.10, 0.50,
         0.40, 0.30],
    ]
).T  # fmt: skip


def ranges(rows: list[list[float]]) -> float:
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return max(means) - min(means)


def by_a_slow_loop(values: np.ndarray, times: int) -> np.ndarray:
    """The share of shuffles, the values as they are among them, whose range is at least each pair's difference."""
    rng, systems = random.Random(7), values.shape[1]
    means = values.mean(axis=0)
    count = np.ones((systems, systems))
    for _ in range(times):
        rows = []
        for row in values.tolist():
            rng.shuffle(row)
            rows.append(row)
        most = ranges(rows)
        for a in range(systems):
            for b in range(systems):
                count[a, b] += most >= abs(means[a] - means[b]) - 1e-9
    return count / (times + 1)


@pytest.mark.system
@pytest.mark.parametrize("values", [SAKAI, SAKAI[:8], np.hstack([SAKAI, SAKAI[::-1]])], ids=["all", "eight", "six"])
def test_a_slow_loop_says_the_same(values):
    times = 4_000
    expected, found = by_a_slow_loop(values, times), randomised_tukey(values).p
    error = 4 * np.sqrt(expected * (1 - expected) * (1 / times + 1 / 20_000)) + 2e-3
    assert (np.abs(expected - found) < error).all()


@pytest.mark.parametrize("seed", range(4))
def test_all_arrangements_of_three_queries_say_the_same(seed):
    values = np.random.default_rng(seed).random((3, 3)).round(1)
    means = values.mean(axis=0)
    every = [ranges(list(rows)) for rows in itertools.product(*map(itertools.permutations, values.tolist()))]
    assert len(every) == 6**3
    found = randomised_tukey(values).p
    for a, b in itertools.combinations(range(3), 2):
        expected = sum(most >= abs(means[a] - means[b]) - 1e-9 for most in every) / len(every)
        assert abs(found[a, b] - expected) < 4 * math.sqrt(expected * (1 - expected) / 20_000) + 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_of_two_systems_it_is_the_sign_flip_test(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((40, 1)) + rng.normal(0, 0.1, (40, 2)) + [0, 0.02]
    p = sign_flip_test(values[:, :1] - values[:, 1:]).p[0]
    found = randomised_tukey(values)
    assert abs(found.p[0, 1] - p) < 4 * math.sqrt(p * (1 - p) / 20_000) + 1e-3


def test_of_many_systems_at_once_none_is_moved_to_another_query():
    # The mean of all systems is the same in every permutation: with one constant column per query, ranges are 0.
    values = np.repeat(np.arange(30.0)[:, np.newaxis], 300, axis=1)
    assert randomised_tukey(values, permutations=50).critical == pytest.approx(0, abs=1e-9)


def test_the_paired_t_test_of_the_same_book():
    found = paired_test(SAKAI[:, 0] - SAKAI[:, 1])
    assert found.mean == pytest.approx(0.0750, abs=5e-5)
    assert found.effect == pytest.approx(0.473, abs=5e-4)
    assert found.effect * math.sqrt(20) == pytest.approx(2.116, abs=5e-4)
    assert found.p == pytest.approx(0.048, abs=5e-4)
    assert found.high - found.mean == pytest.approx(0.0742, abs=5e-5)
