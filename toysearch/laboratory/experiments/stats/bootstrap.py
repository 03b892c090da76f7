"""The paired bootstrap: what other queries, drawn from those at hand, would have said."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

RESAMPLES = 10_000
"""How many samples are drawn by default: p is then known to ±0.004 where it is 0.05."""

_BLOCK = 1 << 20  # how many values are drawn at a time


class Bootstrapped(NamedTuple):
    """What the bootstrap says of a mean difference: p, two-sided, and its interval."""

    p: float
    low: float
    high: float


def bootstrap_test(
    differences: np.ndarray, *, alpha: float = 0.05, seed: int = 0, resamples: int = RESAMPLES
) -> Bootstrapped:
    """The studentised paired bootstrap test of the mean difference, two-sided.

    differences: (queries,) float64.

    With d̄ the mean and s the deviation of the n differences, t = √n·d̄ / s. Samples of n are drawn, with
    replacement, from the differences less d̄, for which the null hypothesis is true, and t* is computed of each:
    p = (number of |t*| ≥ |t|, plus 1) / (resamples + 1). The interval is d̄ ± q·s/√n, where q is the quantile of
    |t*| that goes with it: the values that the test would not reject.

    Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006. Efron & Tibshirani, An Introduction to
    the Bootstrap, 1993, §16.4. The symmetric interval: Hall, J. of the Royal Statistical Society B 50, 1988.

    >>> found = bootstrap_test(np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.0, 0.2]))
    >>> found.p < 0.05 < 0.2 < found.high, found.low > 0
    (True, True)
    """
    n, mean = differences.size, float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    drawn = np.concatenate(list(_ratios(differences - mean, seed, resamples)))
    as_far = int((drawn >= abs(mean / error) * (1 - 1e-12)).sum())
    rank = int(alpha * (resamples + 1) + 1e-9)
    farthest = float(np.partition(drawn, -rank)[-rank]) if rank else math.inf
    return Bootstrapped((as_far + 1) / (resamples + 1), mean - farthest * error, mean + farthest * error)


def _ratios(centred: np.ndarray, seed: int, resamples: int) -> Iterator[np.ndarray]:
    """|t*| of samples, some at a time; infinite for one whose values are all the same but not 0."""
    rng, n = np.random.default_rng(seed), centred.size
    rows = max(1, _BLOCK // n)
    for start in range(0, resamples, rows):
        sample = centred[rng.integers(n, size=(min(rows, resamples - start), n))]
        means = np.abs(sample.mean(axis=1))
        same = (sample == sample[:, :1]).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = means / (sample.std(axis=1, ddof=1) / math.sqrt(n))
        ratios[same] = np.where(sample[same, 0] == 0, 0, np.inf)
        yield ratios
