"""Pairs of systems, tested on the same queries, and their p-values corrected for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.experiments.stats.corrections import corrected
from toysearch.laboratory.experiments.stats.significance import DECIMALS, TestResult, effect_size, paired_tests
from toysearch.laboratory.experiments.stats.tukey import randomised_tukey

TUKEY = "tukey"
"""The name of the randomised Tukey HSD test, which is for all pairs."""


class Pair(NamedTuple):
    """A system against another one, by a measure."""

    # measure, system, other: the measure's text form and the names; `other` is the baseline, where there is one
    measure: str
    system: str
    other: str
    result: TestResult  # of the differences, value of `system` less that of `other`
    p: float  # the test's p, corrected for all comparisons made
    # wins, ties, losses: in how many queries `system` is better than `other`, as good, worse
    wins: int
    ties: int
    losses: int


class Procedure(NamedTuple):
    """How systems are compared."""

    test: str  # one of `toysearch.laboratory.experiments.stats.significance.TESTS`, or "tukey"
    correction: str  # one of `toysearch.laboratory.experiments.stats.corrections.CORRECTIONS`
    alpha: float  # the level at which a difference counts as one
    seed: int  # of what a test draws
    family: str = "all"  # "all" | "measure": which tests are corrected together: all, or those by one measure

    @property
    def shares_measures(self) -> bool:
        """Whether the number of measures counts in the correction."""
        return self.family == "all" and self.correction != "none"


def tested_pairs(
    values: Mapping[str, np.ndarray],
    measures: Sequence[Measure],
    names: Sequence[str],
    compared: Sequence[tuple[str, str]],
    how: Procedure,
) -> tuple[Pair, ...]:
    """The pairs by each measure, tested, and p corrected for all of them, or for those by the same measure.

    values: measure → (queries, systems) float64.
    """
    places = np.array([[names.index(first), names.index(second)] for first, second in compared])
    # Tukey's test corrects for all pairs of systems, but by one measure.
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
        final = [p for row in rows for p in corrected(row, how.correction).tolist()]
    keys = [(str(measure), *pair) for measure in measures for pair in compared]
    return tuple(
        Pair(*key, result, p, *outcome) for key, result, p, outcome in zip(keys, results, final, outcomes, strict=True)
    )


def mean_of(values: np.ndarray) -> float:
    """The mean, rounded once: it does not depend on the order of the queries.

    values: (queries,) float64.
    """
    return math.fsum(values.tolist()) / len(values)


def _honest(table: np.ndarray, places: np.ndarray, differences: np.ndarray, how: Procedure) -> list[TestResult]:
    """Tukey's test of all pairs by one measure; every interval has the same width."""
    p_values, critical = randomised_tukey(table, alpha=how.alpha, seed=how.seed)
    results = []
    for (first, second), own in zip(places.tolist(), differences.T, strict=True):
        mean = mean_of(own)
        effect = effect_size(own) if len(own) > 1 else math.nan
        p = float(p_values[first, second])
        ends = round(mean - critical, DECIMALS), round(mean + critical, DECIMALS)
        results.append(TestResult(how.test, len(own), mean, *ends, p, effect))
    return results
