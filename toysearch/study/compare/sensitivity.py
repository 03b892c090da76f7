"""Sensitivity of a comparison: the differences that its queries can show, and the queries that they need."""

from __future__ import annotations

import math
from typing import NamedTuple

from toysearch.base import Rows, expect
from toysearch.study.compare.comparison import Comparison
from toysearch.study.compare.power import POWER, detectable_difference, queries_needed

__all__ = ["Sensitivity", "sensitivity"]


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
        level = how.level_of_first(len(comparison.family(pair)), len(comparison.measures))
        differences, n = comparison.differences(pair), pair.result.n
        detectable = math.inf
        if n > 1:
            detectable = detectable_difference(float(differences.std(ddof=1)), n, alpha=level, wanted=wanted)
        queries = queries_needed(pair.result.effect, alpha=level, wanted=wanted)
        rows.append(Sensitivity(*pair[:3], n, pair.result.mean, detectable, queries))
    return rows
