"""Power: the smallest difference that so many queries can show, and how many queries a difference needs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from toysearch import display
from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.stats.multiple_comparisons import TUKEY

__all__ = ["Sensitivity", "detectable_difference", "queries_needed", "sensitivity"]

POWER = 0.8
"""How probable it has to be that a difference is found where there is one."""

_FOR_ANY = ("holm", "bonferroni")  # the corrections under which the smallest p has to pass alpha / comparisons

MOST_QUERIES = 1_000_000
"""A difference that needs more is none that could be shown."""

_FAR = 8  # standard errors: nothing is found on the wrong side there; and scipy gives NaN for what is next to nothing


def power(effect: float, n: int, *, alpha: float = 0.05) -> float:
    """The probability that the two-sided paired t test finds an effect, with n queries."""
    # With t' of the noncentral t distribution with n − 1 degrees of freedom and noncentrality effect·√n, and c the
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
    below = float(nctdtr(freedom, shift, critical))
    wrong_side = 1 - float(nctdtr(freedom, -shift, critical)) if shift < _FAR else 0.0
    return 1 - (0.0 if math.isnan(below) else below) + wrong_side


@checked
def detectable_difference(deviation: float, n: int, *, alpha: float = 0.05, wanted: float = POWER) -> float:
    """The smallest mean difference that n queries show with a probability, by the paired t test.

    Parameters
    ----------
    deviation : float
        The standard deviation of the differences (n − 1 in its denominator), at least 0.
    n : int
        How many queries. Fewer than two show nothing: infinite.
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
    _check(alpha, wanted)
    if n < 2:
        return math.inf
    return deviation * _smallest_effect(n, alpha, wanted)


@checked
def queries_needed(effect: float, *, alpha: float = 0.05, wanted: float = POWER) -> float:
    """How many queries an effect needs to be found with a probability, by the paired t test.

    Parameters
    ----------
    effect : float
        Cohen's d_z. Infinite: two queries. 0, or one so small that it needs more than a million: infinite; NaN: NaN.
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


class Sensitivity(NamedTuple):
    """What the queries at hand can show of a pair of systems, by the paired t test.

    Attributes
    ----------
    measure, system, other : str
        Whose difference.
    n : int
        How many queries there are.
    difference : float
        The mean difference observed.
    detectable : float
        The smallest one that so many queries show with the power that is wanted.
    queries : float
        How many queries the one observed needs for it; infinite where there is none, NaN of one query.
    """

    measure: str
    system: str
    other: str
    n: int
    difference: float
    detectable: float
    queries: float

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


@checked
def sensitivity(comparison: Comparison, wanted: float = POWER) -> list[Sensitivity]:
    """The smallest difference that the queries at hand can show, and how many the one observed needs.

    Both take the deviation of the differences as it was observed, and the level that the correction leaves to the
    smallest p: alpha divided by the number of comparisons, where any false rejection counts. The power is that of the
    t test whatever the test was; that of the others differs little, but for the sign test, which has less.

    Parameters
    ----------
    comparison : Comparison
        What was compared.
    wanted : float, default 0.8
        The power, above alpha and below 1.

    Examples
    --------
    >>> from toysearch.laboratory.experiments.comparison import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> old, new = {n: ["b", "a"] for n in judged}, {n: ["a"] if n < "3" else ["b", "a"] for n in judged}
    >>> found = sensitivity(compare({"old": old, "new": new}, judged, "RR"))[0]
    >>> found.n, found.difference, round(found.detectable, 4), found.queries
    (8, 0.1875, 0.2992, 17.0)
    """
    how = comparison.how
    found = []
    for pair in comparison.pairs:
        shared = len(comparison.family(pair)) if how.test == TUKEY or how.correction in _FOR_ANY else 1
        differences, n = comparison.differences(pair), pair.result.n
        deviation = float(differences.std(ddof=1)) if n > 1 else math.nan
        detectable = detectable_difference(deviation, n, alpha=how.alpha / shared, wanted=wanted)
        queries = queries_needed(pair.result.effect, alpha=how.alpha / shared, wanted=wanted)
        found.append(Sensitivity(*pair[:3], n, pair.result.mean, detectable, queries))
    return found


def _smallest_effect(n: int, alpha: float, wanted: float) -> float:
    from scipy.optimize import brentq

    highest = 1.0
    while power(highest, n, alpha=alpha) < wanted:
        highest *= 2
    return float(brentq(lambda effect: power(effect, n, alpha=alpha) - wanted, 0.0, highest, xtol=1e-10))


def _check(alpha: float, wanted: float) -> None:
    if not 0 < alpha < wanted < 1:
        raise ArgumentError(f"the power is a number between alpha, {alpha:g}, and 1, not {wanted:g}")
