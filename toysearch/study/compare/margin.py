"""Not worse by a margin or more: two one-sided tests, the verdict in words, and the queries that would settle it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, counted, expect_finite, groups_of
from toysearch.evaluation.intervals import half_widths
from toysearch.study.compare.comparison_verdict import for_comparisons, p_of
from toysearch.study.compare.power import MOST_QUERIES, POWER, queries_needed
from toysearch.study.compare.significance import DECIMALS, Pair, effect_size, mean_of
from toysearch.study.compare.tested_differences import p_stated

if TYPE_CHECKING:
    from toysearch.study.compare.comparison import Comparison


def check_margin(margin: float) -> None:
    """Refuse an invalid margin."""
    expect_finite(margin, "margin")
    if margin <= 0:
        raise ArgumentError(f"margin must be a number above 0, such as 0.01, not {margin:g}")


class OneSided(NamedTuple):
    """Two one-sided t tests of a mean gain against a margin."""

    # p_not_worse, p_not_better: p of "the mean is at most −margin", and of "it is at least margin"
    p_not_worse: float
    p_not_better: float


def two_one_sided(gains: np.ndarray, margin: float) -> OneSided:
    """Test whether a mean gain is above −margin, and whether it is below margin, by Student's t.

    >>> found = two_one_sided(np.array([0.1, 0.2, 0.0, 0.1, 0.1]), 0.3)
    >>> round(found.p_not_worse, 4), round(found.p_not_better, 4)
    (0.0001, 0.0016)
    """
    # gains: (queries,) float64, positive where the system is better. Schuirmann, "A comparison of the two one-sided
    # tests procedure and the power approach", J. of Pharmacokinetics and Biopharmaceutics 15, 1987.
    from scipy.special import stdtr

    n, p_values = len(gains), list[float]()
    if n < 2:
        return OneSided(1.0, 1.0)
    for distances in ((gains + margin).round(DECIMALS), (margin - gains).round(DECIMALS)):
        if np.ptp(distances):
            p_values.append(float(stdtr(n - 1, -effect_size(distances) * math.sqrt(n))))
        else:
            p_values.append(0.0 if distances[0] > 0 else 1.0)
    return OneSided(*p_values)


def least_gain(gains: np.ndarray, alpha: float) -> float:
    """Return the lower end of the one-sided interval of a mean gain at level 1 − alpha."""
    # It is above −margin exactly if p_not_worse is below alpha.
    from scipy.special import stdtrit

    if len(gains) < 2:
        return -math.inf
    return mean_of(gains) - float(half_widths(gains[:, np.newaxis], float(stdtrit(len(gains) - 1, 1 - alpha)))[0])


def queries_to_settle(gains: np.ndarray, margin: float, alpha: float) -> float:
    """Number of queries that would settle it with a power of 0.8, if mean and deviation of the gains stay the same.

    A mean above −margin is to be shown not worse; one below it, worse than 0. NaN for one query.
    """
    if len(gains) < 2:
        return math.nan
    to_margin = effect_size((gains + margin).round(DECIMALS))
    if to_margin > 0:
        return queries_needed(to_margin, alpha=alpha, one_sided=True)
    return queries_needed(effect_size(gains.round(DECIMALS)), alpha=alpha)


def settled_by(queries: float, gain: float, n: int, kind: tuple[str, str]) -> str:
    """Say how many queries would settle what n queries do not."""
    if n < 2:
        return f"one {kind[0]} settles nothing"
    stays = f"if the mean difference stays at {gain + 0.0:+.4f}"
    if math.isinf(queries):
        return f"{stays}, {MOST_QUERIES:,} {kind[1]} would not settle it with power {POWER:g}"
    return f"{counted(int(queries), *kind)} would settle it with power {POWER:g} {stays} ({n:,} now)"


class MarginVerdict(NamedTuple):
    """Verdict on a pair of a comparison by its margin."""

    # measure, system, other: the pair
    measure: str
    system: str
    other: str
    margin: float
    n: int  # the number of queries
    gain: float  # the mean difference, positive if the system is better
    least: float  # the lower end of its one-sided interval, corrected as p is
    # p_not_worse, p_equivalent: corrected p of the tests that the gain is above −margin, and also below margin
    p_not_worse: float
    p_equivalent: float
    # verdict: "equivalent", "better", "not worse", "worse" or "not settled": the first that holds; better and worse by
    # the test of the comparison
    verdict: str
    queries: float  # the number of queries that would settle it
    sentence: str  # the verdict in words


def margin_verdicts(comparison: Comparison) -> Iterator[MarginVerdict]:
    """Judge each pair by the margin of the comparison, for measures that have a better side."""
    how, measures = comparison.how, len(comparison.measures)
    sides = {one.text: one.sign for one in comparison.measures if one.definition.better}
    judged = [(pair, sides[pair.measure]) for pair in comparison.pairs if pair.measure in sides]
    families = groups_of(("" if how.shares_measures else one[0].measure, one) for one in judged)
    for family in families.values():
        gains = [side * comparison.differences(pair) for pair, side in family]
        tests = [two_one_sided(each, how.margin) for each in gains]
        not_worse = np.array([test.p_not_worse for test in tests])
        p_not_worse = how.corrected(not_worse, measures).tolist()
        p_equivalent = how.corrected([max(test) for test in tests], measures).tolist()
        levels = (how.alpha / how.factors(not_worse, measures)).tolist()
        planned = how.level_of_first(len(family), measures)
        rows = zip(family, gains, levels, p_not_worse, p_equivalent, strict=True)
        for (pair, _), of_pair, level, p_margin, p_both in rows:
            numbers = len(of_pair), mean_of(of_pair), least_gain(of_pair, level), p_margin, p_both
            queries = queries_to_settle(of_pair, how.margin, planned)
            yield _judged(MarginVerdict(*pair[:3], how.margin, *numbers, "", queries, ""), pair, comparison)


def _judged(found: MarginVerdict, pair: Pair, comparison: Comparison) -> MarginVerdict:
    is_shown, by = bool(comparison.verdict(pair)), f"by {found.margin:g} or more"
    p_pair = p_of(comparison, [pair])
    alpha, than = comparison.how.alpha, f"than {found.other} in {found.measure}"
    how_many = for_comparisons(comparison)
    if found.p_equivalent <= alpha:
        difference = f"differs from {found.other} in {found.measure} by less than {found.margin:g}"
        verdict, sentence = "equivalent", f"{found.system} {difference} ({p_stated(found.p_equivalent)}{how_many})."
    elif is_shown and found.gain > 0:
        verdict, sentence = "better", f"{found.system} is better {than} ({p_pair})."
    elif found.p_not_worse <= alpha:
        p_tested = p_stated(found.p_not_worse)
        verdict, sentence = "not worse", f"{found.system} is not worse {than} {by} ({p_tested}{how_many})."
    elif is_shown:
        is_far = max(pair.sign * pair.result.low, pair.sign * pair.result.high) <= -found.margin
        verdict = "worse"
        sentence = f"{found.system} is worse {than} ({p_pair}), {'and so' if is_far else 'and may be so'} {by}."
    else:
        number = settled_by(found.queries, found.gain, found.n, comparison.kind)
        verdict, sentence = "not settled", f"Whether {found.system} is worse {than} {by} is not settled: {number}."
    return found._replace(verdict=verdict, sentence=sentence)
