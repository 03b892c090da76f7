"""Resampling: the p-value of a permutation test and the interval of a bootstrap, for paired differences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

PERMUTATIONS = 100_000
"""The default number of sign flips: a p of 0.05 is then known to ±0.0014."""

ROUNDING = 1e-10
"""Sums within this share of the sum of all sizes are equal: they differ only in the order of addition."""

_BLOCK = 1 << 20  # signs flipped at a time: 8 MB


class SignFlips(NamedTuple):
    """The outcome of a sign-flip test for each column of differences."""

    p: np.ndarray  # (systems,) float64; two-sided
    # low, high: (systems,) float64; the interval of the mean difference; infinite if there are too few queries
    low: np.ndarray
    high: np.ndarray
    exact: bool  # whether all sign flips were enumerated


def sign_flip_test(
    differences: np.ndarray, *, alpha: float = 0.05, seed: int = 0, permutations: int = PERMUTATIONS
) -> SignFlips:
    """Fisher's paired two-sided permutation test of the mean difference, for many systems at once."""
    # differences: (queries, systems) float64. p is the share of sign flips whose sum is at least as far from 0 as the
    # observed one. Flipping all signs changes nothing, so there are 2ⁿ⁻¹ distinct flips. If that exceeds
    # `permutations`, that many are drawn and the observed one is counted too: p = (count + 1) / (permutations + 1),
    # never 0. The interval holds the values that the test would not reject as the mean difference: by the theorem of
    # typical values its ends are quantiles of the means of subsets of the differences (the unflipped and the flipped
    # ones). Fisher, The Design of Experiments, 1935, §21. Smucker, Allan & Carterette, "A
    # comparison of statistical significance tests for information retrieval evaluation", CIKM 2007. The count plus one:
    # Phipson & Smyth, Statistical Applications in Genetics and Molecular Biology 9(1), 2010. Interval: Hartigan, "Using
    # subsample values as typical values", JASA 64, 1969.
    n, systems = differences.shape
    exact = n <= 63 and 2 ** (n - 1) <= permutations
    # The first flip changes no sign: it is the observed one.
    total = 2 ** (n - 1) if exact else permutations + 1
    whole = differences.sum(axis=0)
    slack = ROUNDING * np.abs(differences).sum(axis=0)
    as_far = np.zeros(systems, dtype=np.int64)
    typical = np.empty((2 * total, systems))
    filled = 0
    for turned in _flips(n, total, exact, seed):
        of_turned = turned @ differences
        sizes = turned.sum(axis=1)[:, np.newaxis]
        as_far += (np.abs(whole - 2 * of_turned) >= np.abs(whole) - slack).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            typical[2 * filled : 2 * (filled + len(turned))] = np.concatenate(
                [of_turned / sizes, (whole - of_turned) / (n - sizes)]
            )
        filled += len(turned)
    rank = int(alpha * total + 1e-9)
    low, high = _ends(typical, rank)
    return SignFlips(as_far / total, low, high, exact)


def _flips(n: int, total: int, exact: bool, seed: int) -> Iterator[np.ndarray]:
    """Rows of 1 for a flipped sign and 0 for an unflipped one; the first row flips none."""
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
    """The `rank`-th lowest and highest value of each column, without the mean of the empty subset."""
    systems = typical.shape[1]
    if rank == 0:
        return np.full(systems, -np.inf), np.full(systems, np.inf)
    low = np.partition(np.where(np.isnan(typical), np.inf, typical), rank - 1, axis=0)[rank - 1]
    high = np.partition(np.where(np.isnan(typical), -np.inf, typical), -rank, axis=0)[-rank]
    return low, high


RESAMPLES = 10_000
"""The default number of samples: a p of 0.05 is then known to ±0.004."""

_RESAMPLES_AT_ONCE = 1 << 20  # the number of values drawn at a time


class Bootstrapped(NamedTuple):
    """The outcome of the bootstrap for a mean difference: the two-sided p and the interval."""

    p: float
    low: float
    high: float


def bootstrap_test(
    differences: np.ndarray, *, alpha: float = 0.05, seed: int = 0, resamples: int = RESAMPLES
) -> Bootstrapped:
    """The studentised paired bootstrap test of the mean difference, two-sided.

    >>> found = bootstrap_test(np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.0, 0.2]))
    >>> found.p < 0.05 < 0.2 < found.high, found.low > 0
    (True, True)
    """
    # differences: (queries,) float64. With d̄ the mean and s the deviation of the n differences, t = √n·d̄ / s. Samples
    # of n are drawn with replacement from the differences minus d̄, for which the null hypothesis is true, and t* is
    # computed for each: p = (number of |t*| ≥ |t|, plus 1) / (resamples + 1). The interval is d̄ ± q·s/√n, where q is
    # the matching quantile of |t*|: it holds the values that the test would not reject. Sakai, "Evaluating evaluation
    # metrics based on the bootstrap", SIGIR 2006. Efron & Tibshirani, An Introduction to the Bootstrap, 1993, §16.4.
    # The symmetric interval: Hall, J. of the Royal Statistical Society B 50, 1988.
    n, mean = differences.size, float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    drawn = np.concatenate(list(_ratios(differences - mean, seed, resamples)))
    as_far = int((drawn >= abs(mean / error) * (1 - 1e-12)).sum())
    rank = int(alpha * (resamples + 1) + 1e-9)
    farthest = float(np.partition(drawn, -rank)[-rank]) if rank else math.inf
    return Bootstrapped((as_far + 1) / (resamples + 1), mean - farthest * error, mean + farthest * error)


def _ratios(centred: np.ndarray, seed: int, resamples: int) -> Iterator[np.ndarray]:
    """|t*| of samples, some at a time; infinite for a sample of equal values other than 0."""
    rng, n = np.random.default_rng(seed), centred.size
    rows = max(1, _RESAMPLES_AT_ONCE // n)
    for start in range(0, resamples, rows):
        sample = centred[rng.integers(n, size=(min(rows, resamples - start), n))]
        means = np.abs(sample.mean(axis=1))
        same = (sample == sample[:, :1]).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = means / (sample.std(axis=1, ddof=1) / math.sqrt(n))
        ratios[same] = np.where(sample[same, 0] == 0, 0, np.inf)
        yield ratios
