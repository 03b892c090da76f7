"""All pairs of systems at once: Tukey's honestly significant difference, by permutation within queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from toysearch.arguments import numbers
from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.stats.permutation import ROUNDING

PERMUTATIONS = 20_000
"""How many are drawn by default: p is then known to ±0.003 where it is 0.05."""

_BLOCK = 1 << 20  # how many values are permuted at a time


class HonestDifferences(NamedTuple):
    """What is said of all pairs of systems."""

    p: np.ndarray  # (systems, systems) float64; of each pair, corrected for all pairs; 1 on the diagonal
    # By how much two means have to differ so that p is at most alpha: half the width of the simultaneous intervals of
    # all differences. Infinite where so few permutations allow none
    critical: float


def randomised_tukey(
    values: np.ndarray, *, alpha: float = 0.05, seed: int = 0, permutations: int = PERMUTATIONS
) -> HonestDifferences:
    """The randomised Tukey HSD test for all pairs of systems.

    If all systems were the same, each query's values could as well stand in any other order. In each of many
    permutations, within every query, the largest of the new means less the smallest is the most that any pair shows
    by chance; p of a pair is the share of permutations, the one observed among them, in which that is at least its
    own difference. So p is corrected for all pairs: the probability of any false rejection is at most alpha. With two
    systems it is the sign-flip test. (scipy's ``tukey_hsd`` takes the systems' values for independent samples, which
    they are not: the same queries are hard for all.)

    Parameters
    ----------
    values : ndarray of float64, shape (queries, systems)
        The measure's value for each query and system.
    alpha : float, default 0.05
        One less the level of the simultaneous intervals.
    seed : int, default 0
        Of the draw.
    permutations : int, default 20,000
        How many to draw.

    Returns
    -------
    HonestDifferences

    Raises
    ------
    ArgumentError
        If there are fewer than two systems, no query, or a value is not finite.

    References
    ----------
    Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM
    TOIS 30(1), 2012.

    Examples
    --------
    The third system is another one; the first two differ by chance:

    >>> first = np.arange(20) / 40
    >>> found = randomised_tukey(np.stack([first, first + 0.01 * (-1.0) ** np.arange(20), first + 0.2], axis=1))
    >>> (found.p < 0.05).tolist()
    [[False, False, True], [False, False, True], [True, True, False]]
    """
    values = numbers(values, "values")
    if values.ndim != 2 or values.shape[1] < 2 or not values.size:
        raise ArgumentError(
            f"values have a row a query and a column for each of two systems or more, not {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ArgumentError("values must be finite; drop the queries for which a system has no value")
    queries = values.shape[0]
    means = values.mean(axis=0)
    differences = np.abs(means[:, np.newaxis] - means)
    slack = ROUNDING * float(np.abs(values).max(axis=1).sum()) / queries
    ranges = np.concatenate(list(_ranges(values, seed, permutations)))
    as_large = permutations - np.searchsorted(np.sort(ranges), differences - slack)
    p = (as_large + 1) / (permutations + 1)
    np.fill_diagonal(p, 1)
    rank = int(alpha * (permutations + 1) + 1e-9)
    return HonestDifferences(p, float(np.partition(ranges, -rank)[-rank]) if rank else math.inf)


def _ranges(values: np.ndarray, seed: int, permutations: int) -> Iterator[np.ndarray]:
    """The largest less the smallest mean of each permutation, some permutations at a time."""
    rng = np.random.default_rng(seed)
    queries, systems = values.shape
    rows = max(1, _BLOCK // values.size)
    for start in range(0, permutations, rows):
        some = min(rows, permutations - start)
        shuffled = np.repeat(values.T[:, np.newaxis, :], some, axis=1).reshape(systems, -1)
        columns = np.arange(some * queries)
        for last in range(systems - 1, 0, -1):  # Fisher and Yates' shuffle, of all columns at once
            chosen = rng.integers(0, last, size=columns.size, dtype=np.uint16, endpoint=True)
            moved = shuffled[chosen, columns]
            shuffled[chosen, columns] = shuffled[last]
            shuffled[last] = moved
        means = shuffled.reshape(systems, some, queries).mean(axis=2)
        yield means.max(axis=0) - means.min(axis=0)
