"""Significance tests for paired values: whether a mean difference could be due to the choice of queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toysearch.base import result_tables
from toysearch.base.argument_checks import checked, numbers
from toysearch.base.errors import ArgumentError, unknown
from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.experiments.stats.resampling import PERMUTATIONS, RESAMPLES, bootstrap_test, sign_flip_test

__all__ = ["TESTS", "TestResult", "paired_test"]

DECIMALS = 12
"""The decimal places kept of differences: the rest is rounding error and would break ties at random."""

_MOST_EXACT = 50  # untied differences up to which the exact distribution of Wilcoxon's statistic is used
_TOGETHER = 16  # columns of differences flipped in one product: 50 MB with 100,000 flips
_MOST_TIED = 17  # tied differences up to which all sign flips of the ranks are enumerated


class TestResult(NamedTuple):
    """The result of a test of the differences between a system and a baseline.

    Attributes
    ----------
    test : str
        The name of the test.
    n : int
        The number of queries.
    mean : float
        The mean difference.
    low, high : float
        Its interval of level 1 − alpha; infinite if there are too few queries.
    p : float
        Two-sided.
    effect : float
        Cohen's d_z: the mean difference divided by the standard deviation. 0 if all differences are 0, infinite if
        all are equal but not 0, NaN for one query.
    """

    test: str
    n: int
    mean: float
    low: float
    high: float
    p: float
    effect: float

    def _repr_html_(self) -> str:
        return result_tables.html(self)

    def frame(self, library: str | None = None) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return result_tables.frame(self, library)


TestResult.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a class of tests


class _Asked(NamedTuple):
    """The options of a test."""

    alpha: float
    seed: int
    permutations: int
    resamples: int


_Found = tuple[np.ndarray, np.ndarray, np.ndarray]  # p, low and high of each column


class SignificanceTest(NamedTuple):
    """A test: its function for p and interval, its question, the kind of interval, its source."""

    function: Callable[[np.ndarray, _Asked], _Found]
    asks: str
    interval: str
    source: str


def _student_interval(differences: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The means ± the quantile of Student's distribution times the standard errors."""
    from scipy.special import stdtrit

    n, means = len(differences), differences.mean(axis=0)
    half = stdtrit(n - 1, 1 - alpha / 2) * differences.std(axis=0, ddof=1) / math.sqrt(n)
    return means - half, means + half


def _t(differences: np.ndarray, request: _Asked) -> _Found:
    from scipy.special import stdtr  # not scipy.stats, which takes a second to import

    n = len(differences)
    t = differences.mean(axis=0) * math.sqrt(n) / differences.std(axis=0, ddof=1)
    return 2 * stdtr(n - 1, -np.abs(t)), *_student_interval(differences, request.alpha)


def _wilcoxon(differences: np.ndarray, request: _Asked) -> _Found:
    p = np.array([_wilcoxon_p(column) for column in differences.T])
    return p, *_student_interval(differences, request.alpha)


def _wilcoxon_p(differences: np.ndarray) -> float:
    from scipy.stats import rankdata, wilcoxon

    moved = differences[differences != 0]
    sizes = np.abs(moved)
    if np.unique(sizes).size == sizes.size:
        return float(wilcoxon(moved, method="exact" if moved.size <= _MOST_EXACT else "approx").pvalue)
    if moved.size <= _MOST_TIED:  # too few for the normal approximation
        signed = np.sign(moved) * rankdata(sizes)
        return float(sign_flip_test(signed[:, np.newaxis], permutations=2**_MOST_TIED).p[0])
    return float(wilcoxon(moved, method="approx").pvalue)


def _sign(differences: np.ndarray, request: _Asked) -> _Found:
    from scipy.stats import binomtest

    wins, losses = (differences > 0).sum(axis=0).tolist(), (differences < 0).sum(axis=0).tolist()
    p = np.array([binomtest(won, won + lost).pvalue for won, lost in zip(wins, losses, strict=True)])
    return p, *_student_interval(differences, request.alpha)


def _permutation(differences: np.ndarray, request: _Asked) -> _Found:
    parts = [
        sign_flip_test(
            differences[:, start : start + _TOGETHER],
            alpha=request.alpha,
            seed=request.seed,
            permutations=request.permutations,
        )
        for start in range(0, differences.shape[1], _TOGETHER)
    ]
    p, low, high = (np.concatenate(arrays) for arrays in zip(*(part[:3] for part in parts), strict=True))
    return p, low, high


def _bootstrap(differences: np.ndarray, request: _Asked) -> _Found:
    results = [
        bootstrap_test(column, alpha=request.alpha, seed=request.seed, resamples=request.resamples)
        for column in differences.T
    ]
    p, low, high = np.array(results).T
    return p, low, high


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
            _bootstrap, "is the mean difference over all possible queries 0?", "studentised", "Sakai 2006"
        ),
    }
)
"""The tests by name."""


@checked
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

    The interval is always an interval of the mean difference: Student's for "t", "wilcoxon" and "sign", of typical
    values for "permutation", studentised for "bootstrap". The rank and sign tests do not test the mean, so their p and
    the interval may disagree; with the other three the interval excludes 0 exactly when p ≤ alpha.

    Conventions: differences are rounded to 12 decimal places. If all are 0, p is 1 and the interval [0, 0]. With one
    query, p is 1 and the interval infinite. If all differences are equal but not 0, Student's t is infinite: p of "t"
    and "bootstrap" is 0, and the interval is a point. Wilcoxon's test and the sign test drop differences of 0. In
    Wilcoxon's test ties share their mean rank, and all sign flips of the ranks are enumerated for up to 17
    differences; beyond that the normal approximation is used. Without ties the exact distribution is used up to 50.

    Parameters
    ----------
    differences : array_like of float, shape (queries,)
        Value of the system minus that of the baseline.
    test : {"t", "wilcoxon", "sign", "permutation", "bootstrap"}, default "t"
        One of `TESTS`.
    alpha : float, default 0.05
        1 minus the level of the interval, between 0 and 1.
    seed : int, default 0
        The seed of "permutation" and "bootstrap".
    permutations : int, default 100,000
        The number of sign flips that "permutation" draws; if there are no more than that, all are enumerated.
    resamples : int, default 10,000
        The number of samples that "bootstrap" draws.

    Returns
    -------
    TestResult

    Raises
    ------
    ArgumentError
        If the test is unknown, there is no difference, a difference is not finite, or alpha is out of range.

    References
    ----------
    Smucker, Allan & Carterette, CIKM 2007, compare the tests for retrieval. d_z: Cohen, Statistical Power Analysis for
    the Behavioral Sciences, 1988, §2.3.5; Lakens, Frontiers in Psychology 4:863, 2013.

    Examples
    --------
    Five queries; t = 2.45 with 4 degrees of freedom:

    >>> found = paired_test([0.1, 0.2, 0.0, 0.1, 0.1])
    >>> round(found.mean, 4), round(found.p, 4), round(found.effect, 4)
    (0.1, 0.0341, 1.4142)
    >>> paired_test([0.1, 0.2, 0.0, 0.1, 0.1], "sign").p
    0.125
    """
    values = numbers(differences, "differences")
    if values.ndim != 1 or not values.size:
        raise ArgumentError(f"differences must be a row of at least one number, not an array of shape {values.shape}")
    column = values[:, np.newaxis]
    return paired_tests(column, test, alpha=alpha, seed=seed, permutations=permutations, resamples=resamples)[0]


def paired_tests(
    differences: np.ndarray,
    test: str = "t",
    *,
    alpha: float = 0.05,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
) -> list[TestResult]:
    """The same test of many systems, each against its own baseline: `paired_test` of each column."""
    # differences: (queries, systems) float64.
    if test not in TESTS:
        raise unknown("test", test, TESTS)
    check_alpha(alpha)
    if permutations < 1 or resamples < 1:
        raise ArgumentError("permutations and resamples must be at least 1")
    values = np.round(differences, DECIMALS)
    if not np.isfinite(values).all():
        raise ArgumentError("differences must be finite; drop the queries without a value")
    n, means = len(values), values.mean(axis=0)
    if n == 1:
        return [TestResult(test, n, mean, -math.inf, math.inf, 1.0, math.nan) for mean in means.tolist()]
    effects = np.array([effect_size(column) for column in values.T])
    p, low, high = np.where(effects == 0, 1.0, 0.0), means.copy(), means.copy()  # the result if no test is needed
    open_ = values.any(axis=0) & ~(np.isinf(effects) & (test in ("t", "bootstrap")))
    if open_.any():
        request = _Asked(alpha, seed, permutations, resamples)
        p[open_], low[open_], high[open_] = TESTS[test].function(values[:, open_], request)
    # The ends are rounded like the differences, so an end of 0 is exactly 0 and includes it.
    columns = (column.tolist() for column in (means, low.round(DECIMALS), high.round(DECIMALS), p, effects))
    return [TestResult(test, n, *row) for row in zip(*columns, strict=True)]


def finite_differences(after: np.ndarray | Sequence[float], before: np.ndarray | Sequence[float]) -> np.ndarray:
    """The differences of the pairs whose two values are finite; a value may be undefined (NaN) or infinite (ESL)."""
    after, before = np.asarray(after, dtype=np.float64), np.asarray(before, dtype=np.float64)
    both = np.isfinite(after) & np.isfinite(before)
    return np.asarray(after[both] - before[both])


def check_alpha(alpha: float) -> None:
    """Refuse an invalid alpha."""
    if not 0 < alpha < 1:
        raise ArgumentError(f"alpha must be a number between 0 and 1, not {alpha:g}")


def effect_size(differences: np.ndarray) -> float:
    """Cohen's d_z: the mean of the differences divided by their standard deviation (denominator n − 1)."""
    # differences: (queries,) float64.
    if (differences == differences[0]).all():  # rounding would make the deviation slightly more than 0
        return math.copysign(math.inf, differences[0]) if differences[0] else 0.0
    return float(differences.mean() / differences.std(ddof=1))


def within_range(measure: Measure, low: float, high: float, change: bool = False) -> tuple[float, float]:
    """An interval clipped to the range of the measure; an infinite interval stays as it is."""
    # The part clipped cannot hold the true mean, so the interval keeps its level. A change is clipped only at the
    # width of the range, because the mean that changes is itself an estimate.
    least, most = measure.definition.range
    if not math.isfinite(low) or not math.isfinite(high):
        return low, high
    if most is None:
        return (low, high) if change else (max(low, least), high)
    least, most = (least - most, most - least) if change else (least, most)
    return max(low, least), min(high, most)
