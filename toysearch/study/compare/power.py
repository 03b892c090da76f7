"""Power: the smallest difference that n queries can show, and the number of queries that a difference needs."""

from __future__ import annotations

import math
from typing import NamedTuple

from toysearch.base import ArgumentError, Rows, expect
from toysearch.study.compare.comparison import Comparison
from toysearch.study.compare.significance import TUKEY

__all__ = ["Sensitivity", "detectable_difference", "queries_needed", "sensitivity"]

POWER = 0.8
"""Wanted probability of detecting a true difference."""

_FOR_ANY = ("holm", "bonferroni")  # with these the smallest p is compared with alpha / comparisons

MOST_QUERIES = 1_000_000
"""Highest number of queries: a difference that needs more counts as undetectable."""


def power(effect: float, n: int, *, alpha: float = 0.05) -> float:
    """Probability that the two-sided paired t test detects an effect with n queries."""
    # With t' from the noncentral t distribution with n − 1 degrees of freedom and noncentrality effect·√n, and c the
    # quantile 1 − alpha/2 of Student's: P(|t'| > c). Cohen, Statistical Power Analysis for the Behavioral Sciences,
    # 1988, §2.3.5. For retrieval: Webber, Moffat & Zobel, "Statistical power in retrieval experimentation", CIKM 2008;
    # Sakai, "Topic set size design", Information Retrieval Journal 19, 2016.
    from scipy.special import nctdtr, stdtrit

    if n < 2:
        return 0.0
    if math.isinf(effect):
        return 1.0
    shift, freedom = abs(effect) * math.sqrt(n), n - 1
    critical = float(stdtrit(freedom, 1 - alpha / 2))
    below, not_beyond = float(nctdtr(freedom, shift, critical)), float(nctdtr(freedom, -shift, critical))
    # scipy gives NaN where a tail is negligible
    wrong_side = 0.0 if math.isnan(not_beyond) else 1 - not_beyond
    return 1 - (0.0 if math.isnan(below) else below) + wrong_side


def detectable_difference(deviation: float, n: int, *, alpha: float = 0.05, wanted: float = POWER) -> float:
    """Smallest mean difference that the paired t test detects with n queries at the wanted power.

    Parameters
    ----------
    deviation : float
        The standard deviation of the differences (n − 1 in its denominator), at least 0.
    n : int
        The number of queries. With fewer than two the result is infinite.
    alpha : float, default 0.05
        The level of the test.
    wanted : float, default 0.8
        The power, above alpha and below 1.

    Raises
    ------
    ArgumentError
        If the power is out of range.

    Examples
    --------
    >>> round(detectable_difference(0.1, 34), 4)
    0.0495
    """
    expect(float, deviation=deviation)
    expect(int, n=n)
    _check(alpha, wanted)
    if n < 2:
        return math.inf
    from scipy.optimize import brentq

    highest = 1.0
    while power(highest, n, alpha=alpha) < wanted:
        highest *= 2
    return deviation * float(brentq(lambda effect: power(effect, n, alpha=alpha) - wanted, 0.0, highest, xtol=1e-10))


def queries_needed(effect: float, *, alpha: float = 0.05, wanted: float = POWER) -> float:
    """Number of queries that the paired t test needs to detect an effect at the wanted power.

    Parameters
    ----------
    effect : float
        Cohen's d_z. Infinite gives two queries; 0, or an effect that needs more than a million, infinite; NaN, NaN.
    alpha : float, default 0.05
        The level of the test.
    wanted : float, default 0.8
        The power, above alpha and below 1.

    Returns
    -------
    float
        A whole number, or infinite.

    Raises
    ------
    ArgumentError
        If the power is out of range.

    Examples
    --------
    >>> queries_needed(0.5), queries_needed(0.2)
    (34.0, 199.0)
    """
    expect(float, effect=effect)
    _check(alpha, wanted)
    if math.isnan(effect):
        return math.nan
    if power(effect, MOST_QUERIES, alpha=alpha) < wanted:
        return math.inf
    low, high = 1, MOST_QUERIES  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, middle, alpha=alpha) >= wanted else (middle, high)
    return float(high)


class _Sensitivity(NamedTuple):
    measure: str
    system: str
    other: str
    n: int
    difference: float
    detectable: float
    queries: float


class Sensitivity(Rows, _Sensitivity):
    """Sensitivity of the paired t test for a pair of systems on the queries given.

    Attributes
    ----------
    measure, system, other : str
        The measure and the two systems.
    n : int
        The number of queries.
    difference : float
        The mean difference observed.
    detectable : float
        The smallest difference that these queries show at the wanted power.
    queries : float
        The number of queries that the observed difference needs; infinite if it is 0, NaN for one query.
    """


def sensitivity(comparison: Comparison, wanted: float = POWER) -> list[Sensitivity]:
    """Return the smallest difference that the queries can show, and the number of queries that the observed one needs.

    Both use the observed deviation of the differences, and the level that the correction applies to the smallest p:
    alpha divided by the number of comparisons for Holm and Bonferroni. The power is that of the t test, whichever
    test was used; the other tests differ little, except the sign test, which has less power.

    Parameters
    ----------
    comparison : Comparison
        The comparison of the systems.
    wanted : float, default 0.8
        The power, above alpha and below 1.

    Examples
    --------
    >>> from toysearch.study.compare.comparison import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> old, new = {n: ["b", "a"] for n in judged}, {n: ["a"] if n < "3" else ["b", "a"] for n in judged}
    >>> found = sensitivity(compare({"old": old, "new": new}, judged, "RR"))[0]
    >>> found.n, found.difference, round(found.detectable, 4), found.queries
    (8, 0.1875, 0.2992, 17.0)
    """
    expect(Comparison, comparison=comparison)
    how = comparison.how
    rows = []
    for pair in comparison.pairs:
        family = len(comparison.family(pair)) if how.test == TUKEY or how.correction in _FOR_ANY else 1
        shared = how.comparisons(family, len(comparison.measures))
        differences, n = comparison.differences(pair), pair.result.n
        deviation = float(differences.std(ddof=1)) if n > 1 else math.nan
        detectable = detectable_difference(deviation, n, alpha=how.alpha / shared, wanted=wanted)
        queries = queries_needed(pair.result.effect, alpha=how.alpha / shared, wanted=wanted)
        rows.append(Sensitivity(*pair[:3], n, pair.result.mean, detectable, queries))
    return rows


def _check(alpha: float, wanted: float) -> None:
    if not 0 < alpha < wanted < 1:
        raise ArgumentError(f"the power is a number between alpha, {alpha:g}, and 1, not {wanted:g}")
