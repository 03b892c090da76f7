"""Permutation tests: how often a difference is as large if the systems' names are drawn by lot.

Under the null hypothesis that two systems are the same, each query's two values could as well have changed places:
the sign of each difference is a toss. All tosses of all queries are the rows of one matrix, and the test is its
product with the differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

PERMUTATIONS = 100_000
"""How many are drawn by default: p is then known to ±0.0014 where it is 0.05."""

ROUNDING = 1e-10
"""Sums that differ by this share of the sum of all sizes are equal: they were added up in another order."""

_BLOCK = 1 << 20  # how many signs at a time: 8 MB of them


class SignFlips(NamedTuple):
    """What a sign-flip test says of each column of differences."""

    p: np.ndarray  # (systems,) float64; two-sided
    # low, high: (systems,) float64; the interval of the mean difference; infinite where so few queries allow none
    low: np.ndarray
    high: np.ndarray
    exact: bool  # whether all sign flips were gone through


def sign_flip_test(
    differences: np.ndarray, *, alpha: float = 0.05, seed: int = 0, permutations: int = PERMUTATIONS
) -> SignFlips:
    """The paired permutation test of Fisher, of the mean difference, two-sided, for many systems at once.

    differences: (queries, systems) float64.

    p is the share of sign flips whose sum is at least as far from 0 as the one observed. Flipping all signs changes
    nothing, so 2ⁿ⁻¹ flips are all there are. Where that is more than `permutations`, so many are drawn, and the one
    observed is counted among them: p = (count + 1) / (permutations + 1), never 0.

    The interval holds the values that the test would not reject as the mean difference: by the theorem of typical
    values its ends are quantiles of the means of subsets of the differences (those that a flip leaves alone, and
    those that it turns).

    Fisher, The Design of Experiments, 1935, §21. Smucker, Allan & Carterette, "A comparison of statistical significance
    tests for information retrieval evaluation", CIKM 2007. The count plus one: Phipson & Smyth, Statistical
    Applications in Genetics and Molecular Biology 9(1), 2010. Interval: Hartigan, "Using subsample values as typical
    values", JASA 64, 1969.
    """
    n, systems = differences.shape
    exact = n <= 63 and 2 ** (n - 1) <= permutations
    # The first flip turns nothing: it is the one observed.
    total = 2 ** (n - 1) if exact else permutations + 1
    whole = differences.sum(axis=0)
    slack = ROUNDING * np.abs(differences).sum(axis=0)
    as_far = np.zeros(systems, dtype=np.int64)
    typical = np.empty((2 * total, systems))
    done = 0
    for turned in _flips(n, total, exact, seed):
        of_turned = turned @ differences
        sizes = turned.sum(axis=1)[:, np.newaxis]
        as_far += (np.abs(whole - 2 * of_turned) >= np.abs(whole) - slack).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            typical[2 * done : 2 * (done + len(turned))] = np.concatenate(
                [of_turned / sizes, (whole - of_turned) / (n - sizes)]
            )
        done += len(turned)
    rank = int(alpha * total + 1e-9)
    low, high = _ends(typical, rank)
    return SignFlips(as_far / total, low, high, exact)


def _flips(n: int, total: int, exact: bool, seed: int) -> Iterator[np.ndarray]:
    """Rows of 1 for a sign that is turned and 0 for one that is not; the first of all turns none."""
    rng = np.random.default_rng(seed)
    most = max(1, _BLOCK // n)
    for start in range(0, total, most):
        rows = min(most, total - start)
        if exact:
            numbers = np.arange(start, start + rows, dtype=np.int64)
            yield ((numbers[:, np.newaxis] >> np.arange(n)) & 1).astype(np.float64)
        else:
            tossed = rng.integers(0, 256, size=(rows, -(-n // 8)), dtype=np.uint8)
            turned = np.unpackbits(tossed, axis=1, count=n)
            turned[: start == 0] = 0
            yield turned.astype(np.float64)


def _ends(typical: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The `rank`-th value of each column from below and from above, the mean of no difference left out."""
    systems = typical.shape[1]
    if rank == 0:
        return np.full(systems, -np.inf), np.full(systems, np.inf)
    low = np.partition(np.where(np.isnan(typical), np.inf, typical), rank - 1, axis=0)[rank - 1]
    high = np.partition(np.where(np.isnan(typical), -np.inf, typical), -rank, axis=0)[-rank]
    return low, high
