"""Power: the smallest difference that n queries can show, and the number of queries that a difference needs."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import partial

from toysearch.base import ArgumentError, expect
from toysearch.evaluation.intervals import check_alpha

__all__ = ["detectable_difference", "queries_needed"]

POWER = 0.8
"""Wanted probability of detecting a true difference."""

MOST_QUERIES = 1_000_000
"""Highest number of queries: a difference that needs more counts as undetectable."""


def power(effect: float, n: int, *, alpha: float = 0.05, one_sided: bool = False) -> float:
    """Probability that the paired t test detects an effect with n queries; one-sided, an effect above 0."""
    # With t' from the noncentral t distribution with n − 1 degrees of freedom and noncentrality effect·√n, and c the
    # quantile 1 − alpha/2 of Student's: P(|t'| > c); one-sided, 1 − alpha and P(t' > c). Cohen, Statistical Power
    # Analysis for the Behavioral Sciences, 1988, §2.3.5. For retrieval: Webber, Moffat & Zobel, "Statistical power in
    # retrieval experimentation", CIKM 2008; Sakai, "Topic set size design", Information Retrieval Journal 19, 2016.
    from scipy.special import nctdtr, stdtrit

    if n < 2:
        return 0.0
    if math.isinf(effect):
        return 1.0
    shift, freedom = abs(effect) * math.sqrt(n), n - 1
    critical = float(stdtrit(freedom, 1 - (alpha if one_sided else alpha / 2)))
    below, not_beyond = float(nctdtr(freedom, shift, critical)), float(nctdtr(freedom, -shift, critical))
    # scipy gives NaN where a tail is negligible
    wrong_side = 0.0 if math.isnan(not_beyond) else 1 - not_beyond
    return 1 - (0.0 if math.isnan(below) else below) + (0.0 if one_sided else wrong_side)


def detectable_difference(deviation: float, n: int, *, alpha: float = 0.05, wanted: float = POWER) -> float:
    """Smallest mean difference that the paired t test detects with n queries at the wanted power.

    Parameters
    ----------
    deviation : float
        The standard deviation of the differences (n − 1 in its denominator), at least 0.
    n : int
        The number of queries. With one the result is infinite.
    alpha : float, default 0.05
        The level of the test.
    wanted : float, default 0.8
        The power, above alpha and below 1.

    Raises
    ------
    ArgumentError
        If a number is out of range.

    Examples
    --------
    >>> round(detectable_difference(0.1, 34), 4)
    0.0495
    """
    expect(float, deviation=deviation)
    expect(int, n=n)
    if not deviation >= 0 or n < 1:
        raise ArgumentError(f"expected a deviation of at least 0 and a query or more, not {deviation:g} and {n}")
    _check(alpha, wanted)
    if n < 2:
        return math.inf
    from scipy.optimize import brentq

    highest = 1.0
    while power(highest, n, alpha=alpha) < wanted:
        highest *= 2
    return deviation * float(brentq(lambda effect: power(effect, n, alpha=alpha) - wanted, 0.0, highest, xtol=1e-10))


def queries_needed(effect: float, *, alpha: float = 0.05, wanted: float = POWER, one_sided: bool = False) -> float:
    """Number of queries that the paired t test needs to detect an effect at the wanted power.

    Parameters
    ----------
    effect : float
        Cohen's d_z. Infinite gives two queries; 0, or an effect that needs more than a million, infinite; NaN, NaN.
    alpha : float, default 0.05
        The level of the test.
    wanted : float, default 0.8
        The power, above alpha and below 1.
    one_sided : bool, default False
        Whether the test asks only if the mean is above 0; a negative effect then needs infinitely many.

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
    with_queries = partial(power, effect, alpha=alpha, one_sided=one_sided)
    if (one_sided and effect <= 0) or with_queries(MOST_QUERIES) < wanted:
        return math.inf
    return float(bisect_left(range(MOST_QUERIES), wanted, 2, key=with_queries))


def _check(alpha: float, wanted: float) -> None:
    check_alpha(alpha)
    expect(float, wanted=wanted)
    if not alpha < wanted < 1:
        raise ArgumentError(f"the power is a number between alpha, {alpha:g}, and 1, not {wanted:g}")
