"""Many comparisons at once: corrected p-values, Tukey's honestly significant difference, tested pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toysearch.base.argument_checks import checked, numbers
from toysearch.base.errors import ArgumentError, unknown
from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.experiments.stats.significance import (
    DECIMALS,
    ROUNDING,
    TestResult,
    effect_size,
    paired_tests,
)

__all__ = ["CORRECTIONS", "corrected", "randomised_tukey"]


class Correction(NamedTuple):
    """A correction of p-values: its function, the quantity it keeps below alpha, and its source."""

    function: Callable[[np.ndarray], np.ndarray]
    holds: str
    source: str


def _none(p: np.ndarray) -> np.ndarray:
    return p


def _bonferroni(p: np.ndarray) -> np.ndarray:
    return p * p.size


def _holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    # A larger p-value can never be rejected before a smaller one.
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return adjusted


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"))


_WISE = "the probability of any false rejection"
CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "holm": Correction(_holm, _WISE, "Holm, Scand. J. Statistics 6, 1979"),
        "bonferroni": Correction(_bonferroni, _WISE, "Dunn, JASA 56, 1961"),
        "bh": Correction(
            _benjamini_hochberg,
            "the expected share of false rejections among all rejections",
            "Benjamini & Hochberg, JRSS B 57, 1995",
        ),
        "none": Correction(_none, "the probability of a false rejection in each single comparison", ""),
    }
)
"""The corrections by name. Bonferroni and Holm are valid for tests of any dependence; Benjamini and Hochberg is valid
for independent or positively dependent tests, such as those against one baseline."""


@checked
def corrected(p_values: ArrayLike, correction: str = "holm") -> np.ndarray:
    """The p-values, corrected for their number; compare each with alpha.

    With m p-values, p₍₁₎ ≤ … ≤ p₍ₘ₎: Bonferroni gives m·p; Holm max over j ≤ i of (m − j + 1)·p₍ⱼ₎; Benjamini and
    Hochberg min over j ≥ i of (m/j)·p₍ⱼ₎; all are capped at 1.

    Parameters
    ----------
    p_values : array_like of float
        Any shape, each in [0, 1]. NaN (a comparison that could not be made) stays NaN and does not count.
    correction : {"holm", "bonferroni", "bh", "none"}, default "holm"
        One of `CORRECTIONS`.

    Returns
    -------
    ndarray of float64
        Same shape as `p_values`.

    Raises
    ------
    ArgumentError
        If the correction is unknown, or a value is not in [0, 1].

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    Benjamini & Hochberg, "Controlling the false discovery rate", J. of the Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    >>> corrected([0.01, 0.04, 0.03], "bonferroni").round(6).tolist()
    [0.03, 0.12, 0.09]
    >>> corrected([0.01, 0.04, 0.03], "bh").round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    if correction not in CORRECTIONS:
        raise unknown("correction", correction, CORRECTIONS)
    values = numbers(p_values, "p_values").copy()
    defined = ~np.isnan(values)
    of_defined = values[defined]
    if not ((of_defined >= 0) & (of_defined <= 1)).all():
        wrong = of_defined[(of_defined < 0) | (of_defined > 1)][0]
        raise ArgumentError(f"a p-value must be a number from 0 to 1, not {wrong:g}")
    if of_defined.size:
        values[defined] = np.minimum(CORRECTIONS[correction].function(of_defined), 1)
    return values


PERMUTATIONS = 20_000
"""The default number of permutations: a p of 0.05 is then known to ±0.003."""

_BLOCK = 1 << 20  # the number of values permuted at a time


class HonestDifferences(NamedTuple):
    """The outcome for all pairs of systems."""

    p: np.ndarray  # (systems, systems) float64, corrected for all pairs; 1 on the diagonal
    # The difference of two means at which p is at most alpha: half the width of the simultaneous intervals of all
    # differences. Infinite if there are too few permutations
    critical: float


@checked
def randomised_tukey(
    values: np.ndarray, *, alpha: float = 0.05, seed: int = 0, permutations: int = PERMUTATIONS
) -> HonestDifferences:
    """The randomised Tukey HSD test for all pairs of systems.

    If all systems were the same, the values of each query could be permuted freely among the systems. Each of many
    permutations gives new means; their largest minus their smallest is the largest difference that any pair shows by
    chance. The p of a pair is the share of permutations, including the observed one, whose range is at least the
    difference of the pair. So p is corrected for all pairs: the probability of any false rejection is at most alpha.
    With two systems it is the sign-flip test. (``tukey_hsd`` of scipy assumes independent samples, but the same
    queries are hard for all systems.)

    Parameters
    ----------
    values : ndarray of float64, shape (queries, systems)
        The value of the measure for each query and system.
    alpha : float, default 0.05
        1 minus the level of the simultaneous intervals.
    seed : int, default 0
        The seed of the permutations.
    permutations : int, default 20,000
        The number of permutations drawn.

    Returns
    -------
    HonestDifferences

    Raises
    ------
    ArgumentError
        If there are fewer than two systems or no query, or a value is not finite.

    References
    ----------
    Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM
    TOIS 30(1), 2012.

    Examples
    --------
    The third system is better; the first two differ by chance:

    >>> first = np.arange(20) / 40
    >>> found = randomised_tukey(np.stack([first, first + 0.01 * (-1.0) ** np.arange(20), first + 0.2], axis=1))
    >>> (found.p < 0.05).tolist()
    [[False, False, True], [False, False, True], [True, True, False]]
    """
    values = numbers(values, "values")
    if values.ndim != 2 or values.shape[1] < 2 or not values.size:
        raise ArgumentError(
            "expected values with one row per query and one column per system (two or more), found shape "
            f"{values.shape}"
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
    """The range of the means in each permutation, one block of permutations at a time."""
    rng = np.random.default_rng(seed)
    queries, systems = values.shape
    rows = max(1, _BLOCK // values.size)
    for start in range(0, permutations, rows):
        some = min(rows, permutations - start)
        shuffled = np.repeat(values.T[:, np.newaxis, :], some, axis=1).reshape(systems, -1)
        columns = np.arange(some * queries)
        for last in range(systems - 1, 0, -1):  # Fisher–Yates shuffle of all columns at once
            chosen = rng.integers(0, last, size=columns.size, dtype=np.uint16, endpoint=True)
            moved = shuffled[chosen, columns]
            shuffled[chosen, columns] = shuffled[last]
            shuffled[last] = moved
        means = shuffled.reshape(systems, some, queries).mean(axis=2)
        yield means.max(axis=0) - means.min(axis=0)


TUKEY = "tukey"
"""The name of the randomised Tukey HSD test, which covers all pairs."""


class Pair(NamedTuple):
    """A system compared with another one by a measure."""

    # measure, system, other: the text form of the measure and the names; `other` is the baseline, if there is one
    measure: str
    system: str
    other: str
    result: TestResult  # the test of the differences, `system` minus `other`
    p: float  # the p of the test, corrected for all comparisons made
    # wins, ties, losses: the number of queries where `system` is better than `other`, equal, worse
    wins: int
    ties: int
    losses: int


class Procedure(NamedTuple):
    """How systems are compared."""

    test: str  # one of `toysearch.laboratory.experiments.stats.significance.TESTS`, or "tukey"
    correction: str  # one of `toysearch.laboratory.experiments.stats.significance.CORRECTIONS`
    alpha: float  # the significance level
    seed: int  # the seed of random tests
    family: str = "all"  # "all" | "measure": correct all tests together, or those by one measure
    tried: int = 0  # the settings tried on the queries in all, which Bonferroni's correction counts; 0: those compared

    @property
    def shares_measures(self) -> bool:
        """Whether the correction counts the measures too."""
        return self.family == "all" and self.correction != "none"

    def comparisons(self, pairs: int, measures: int) -> int:
        """The number of comparisons that p is corrected for: those of this family, or all that were tried."""
        return max(pairs, (self.tried - 1) * measures)

    def multiplied(self, p_values: ArrayLike, measures: int) -> np.ndarray:
        """The p-values of a family, multiplied for all settings tried."""
        values = np.asarray(p_values, dtype=np.float64)
        return np.minimum(values * self.comparisons(values.size, measures), 1)


def tested_pairs(
    values: Mapping[str, np.ndarray],
    measures: Sequence[Measure],
    names: Sequence[str],
    compared: Sequence[tuple[str, str]],
    how: Procedure,
) -> tuple[Pair, ...]:
    """The tested pairs for each measure; p is corrected for all of them or for those by the same measure."""
    # values: measure → (queries, systems) float64.
    places = np.array([[names.index(first), names.index(second)] for first, second in compared])
    # Tukey's test corrects for all pairs of systems by one measure only.
    factor = len(measures) if how.test == TUKEY and how.shares_measures else 1
    results: list[TestResult] = []
    outcomes: list[tuple[int, int, int]] = []
    for measure in measures:
        table = values[str(measure)]
        differences = np.round(table[:, places[:, 0]] - table[:, places[:, 1]], DECIMALS)
        if how.test == TUKEY:
            results += _honest(table, places, differences, how._replace(alpha=how.alpha / factor))
        else:
            results += paired_tests(differences, how.test, alpha=how.alpha, seed=how.seed)
        signs = np.sign(differences) * (-1 if measure.definition.better == "lower" else 1)
        wins, ties, losses = ((signs == side).sum(axis=0).tolist() for side in (1, 0, -1))
        outcomes += zip(wins, ties, losses, strict=True)
    p_values = [result.p for result in results]
    if how.test == TUKEY:
        final = [min(1.0, p * factor) for p in p_values]
    else:
        rows = np.reshape(p_values, (1, -1) if how.shares_measures else (len(measures), -1))
        count = len(measures)
        adjusted = [how.multiplied(row, count) if how.tried else corrected(row, how.correction) for row in rows]
        final = [p for row in adjusted for p in row.tolist()]
    keys = [(str(measure), *pair) for measure in measures for pair in compared]
    return tuple(
        Pair(*key, result, p, *outcome) for key, result, p, outcome in zip(keys, results, final, outcomes, strict=True)
    )


def mean_of(values: np.ndarray) -> float:
    """The mean, rounded once: it does not depend on the order of the queries."""
    # values: (queries,) float64.
    return math.fsum(values.tolist()) / len(values)


def _honest(table: np.ndarray, places: np.ndarray, differences: np.ndarray, how: Procedure) -> list[TestResult]:
    """Tukey's test of all pairs by one measure; every interval has the same width."""
    p_values, critical = randomised_tukey(table, alpha=how.alpha, seed=how.seed)
    results = []
    for (first, second), column in zip(places.tolist(), differences.T, strict=True):
        mean = mean_of(column)
        effect = effect_size(column) if len(column) > 1 else math.nan
        p = float(p_values[first, second])
        ends = round(mean - critical, DECIMALS), round(mean + critical, DECIMALS)
        results.append(TestResult(how.test, len(column), mean, *ends, p, effect))
    return results
