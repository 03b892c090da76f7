"""Tests of significance for paired values: whether a mean difference is more than a chance of the queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toysearch.errors import ArgumentError, unknown
from toysearch.experiments.bootstrap import RESAMPLES, bootstrap_test
from toysearch.experiments.permutation import PERMUTATIONS, sign_flip_test

DECIMALS = 12
"""Differences are taken to so many decimal places: what is left is rounding, and would break ties by chance."""

_MOST_EXACT = 50  # untied differences: the exact distribution of Wilcoxon's statistic is asked for up to here
_MOST_TIED = 17  # tied differences: all sign flips of their ranks are gone through up to here


class TestResult(NamedTuple):
    """What a test says of the differences between a system and a baseline.

    Attributes
    ----------
    test : str
        Its name.
    n : int
        How many queries.
    mean : float
        The mean difference.
    low, high : float
        Its interval of level 1 − alpha; infinite where so few queries allow none.
    p : float
        Two-sided.
    effect : float
        Cohen's d_z: the mean difference in deviations of the differences. 0 where all are 0, infinite where all are
        the same but not 0, NaN of one query.
    """

    test: str
    n: int
    mean: float
    low: float
    high: float
    p: float
    effect: float


class _Asked(NamedTuple):
    """What a test may need to know besides the differences."""

    alpha: float
    seed: int
    permutations: int
    resamples: int


class SignificanceTest(NamedTuple):
    """A test: what gives (p, low, high), what it asks, how the interval is made, and where both come from."""

    function: Callable[[np.ndarray, _Asked], tuple[float, float, float]]
    asks: str
    interval: str
    source: str


def _student_interval(differences: np.ndarray, alpha: float) -> tuple[float, float]:
    """The mean ± the quantile of Student's distribution times the standard error."""
    from scipy.special import stdtrit

    n, mean = differences.size, float(differences.mean())
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * float(differences.std(ddof=1)) / math.sqrt(n)
    return mean - half, mean + half


def _t(differences: np.ndarray, asked: _Asked) -> tuple[float, float, float]:
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(differences, 0).pvalue), *_student_interval(differences, asked.alpha)


def _wilcoxon(differences: np.ndarray, asked: _Asked) -> tuple[float, float, float]:
    from scipy.stats import rankdata, wilcoxon

    moved = differences[differences != 0]
    sizes = np.abs(moved)
    if np.unique(sizes).size == sizes.size:
        p = float(wilcoxon(moved, method="exact" if moved.size <= _MOST_EXACT else "approx").pvalue)
    elif moved.size <= _MOST_TIED:  # the normal distribution is no likeness of so few
        signed = np.sign(moved) * rankdata(sizes)
        p = float(sign_flip_test(signed[:, np.newaxis], permutations=2**_MOST_TIED).p[0])
    else:
        p = float(wilcoxon(moved, method="approx").pvalue)
    return p, *_student_interval(differences, asked.alpha)


def _sign(differences: np.ndarray, asked: _Asked) -> tuple[float, float, float]:
    from scipy.stats import binomtest

    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(wins, wins + losses).pvalue), *_student_interval(differences, asked.alpha)


def _permutation(differences: np.ndarray, asked: _Asked) -> tuple[float, float, float]:
    found = sign_flip_test(
        differences[:, np.newaxis], alpha=asked.alpha, seed=asked.seed, permutations=asked.permutations
    )
    return float(found.p[0]), float(found.low[0]), float(found.high[0])


def _bootstrap(differences: np.ndarray, asked: _Asked) -> tuple[float, float, float]:
    return bootstrap_test(differences, alpha=asked.alpha, seed=asked.seed, resamples=asked.resamples)


_STUDENT = "Student's, of the mean"
TESTS: Mapping[str, SignificanceTest] = MappingProxyType(
    {
        "t": SignificanceTest(_t, "is the mean difference 0?", _STUDENT, "Student, Biometrika 6, 1908"),
        "wilcoxon": SignificanceTest(
            _wilcoxon, "are the differences symmetric about 0, by their signed ranks?", _STUDENT, "Wilcoxon 1945"
        ),
        "sign": SignificanceTest(_sign, "are wins as likely as losses?", _STUDENT, "Conover 1999, §3.4"),
        "permutation": SignificanceTest(
            _permutation, "are the systems' names exchangeable within each query?", "of typical values", "Fisher 1935"
        ),
        "bootstrap": SignificanceTest(
            _bootstrap, "is the mean difference of all queries there could be 0?", "studentised", "Sakai 2006"
        ),
    }
)
"""The tests by name."""


def paired_test(
    differences: ArrayLike,
    test: str = "t",
    *,
    alpha: float = 0.05,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
) -> TestResult:
    """A two-sided test of a system against a baseline on the same queries.

    The interval is always one of the mean difference: Student's for "t", "wilcoxon" and "sign", of typical values for
    "permutation", studentised for "bootstrap". The tests of ranks and of signs ask nothing of the mean, so their p
    and the interval may disagree; with the other three the interval leaves 0 out exactly where p ≤ alpha.

    Where a choice has to be made: differences are taken to 12 decimal places. If all are 0, p is 1 and the interval
    [0, 0]. One query says nothing: p is 1, the interval infinite. If all are the same but not 0, Student's t is
    infinite and so p of "t" and "bootstrap" is 0, the interval a point. Wilcoxon's test and the sign test drop the
    differences of 0; tied sizes share their mean rank, and then all sign flips of the ranks are gone through for up
    to 17 differences, and the normal distribution is taken beyond; without ties the exact distribution up to 50.

    Parameters
    ----------
    differences : array_like of float, shape (queries,)
        Value of the system less that of the baseline.
    test : {"t", "wilcoxon", "sign", "permutation", "bootstrap"}, default "t"
        One of `TESTS`.
    alpha : float, default 0.05
        One less the level of the interval, between 0 and 1.
    seed : int, default 0
        Of what "permutation" and "bootstrap" draw.
    permutations : int, default 100,000
        How many sign flips "permutation" draws; it goes through all where they are no more.
    resamples : int, default 10,000
        How many samples "bootstrap" draws.

    Returns
    -------
    TestResult

    Raises
    ------
    ArgumentError
        If there is no such test, no difference, one that is no finite number, or alpha is out of range.

    References
    ----------
    Smucker, Allan & Carterette, CIKM 2007, on which test for retrieval. d_z: Cohen, Statistical Power Analysis for
    the Behavioral Sciences, 1988, §2.3.5; Lakens, Frontiers in Psychology 4:863, 2013, equation 6.

    Examples
    --------
    Five queries; t = 2.45 with 4 degrees of freedom:

    >>> found = paired_test([0.1, 0.2, 0.0, 0.1, 0.1])
    >>> round(found.mean, 4), round(found.p, 4), round(found.effect, 4)
    (0.1, 0.0341, 1.4142)
    >>> paired_test([0.1, 0.2, 0.0, 0.1, 0.1], "sign").p
    0.125
    """
    if test not in TESTS:
        raise unknown("test", test, TESTS)
    if not 0 < alpha < 1:
        raise ArgumentError(f"alpha is a number between 0 and 1, not {alpha:g}")
    values = np.round(np.asarray(differences, dtype=np.float64), DECIMALS)
    if values.ndim != 1 or not values.size:
        raise ArgumentError(f"differences are a row of at least one number, not an array of shape {values.shape}")
    if not np.isfinite(values).all():
        raise ArgumentError("a difference is no finite number; leave out the queries without a value")
    n, mean = values.size, float(values.mean())
    if n == 1:
        return TestResult(test, n, mean, -math.inf, math.inf, 1.0, math.nan)
    if not values.any():
        return TestResult(test, n, 0.0, 0.0, 0.0, 1.0, 0.0)
    effect = effect_size(values)
    if math.isinf(effect) and test in ("t", "bootstrap"):
        return TestResult(test, n, mean, mean, mean, 0.0, effect)
    p, low, high = TESTS[test].function(values, _Asked(alpha, seed, permutations, resamples))
    return TestResult(test, n, mean, low, high, p, effect)


def effect_size(differences: np.ndarray) -> float:
    """Cohen's d_z: the mean of the differences by their deviation (n − 1 in its denominator).

    Parameters
    ----------
    differences : ndarray of float64, shape (queries,)
        At least two.

    Returns
    -------
    float
        0 where all are 0, infinite, with the sign of the differences, where all are the same but not 0.

    Examples
    --------
    >>> effect_size(np.array([1.0, 2.0, 3.0])), effect_size(np.array([-0.1, -0.1]))
    (2.0, -inf)
    """
    if (differences == differences[0]).all():  # not by the deviation: rounding would make it a little more than 0
        return math.copysign(math.inf, differences[0]) if differences[0] else 0.0
    return float(differences.mean() / differences.std(ddof=1))
