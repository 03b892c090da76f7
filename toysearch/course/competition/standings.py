"""The standings, with shared ranks for differences that may be due to chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from toysearch import paired_test
from toysearch.course.competition.history import HistoryLine
from toysearch.laboratory import DECIMALS, paired_tests
from toysearch.laboratory.experiments.stats.power import detectable_difference
from toysearch.laboratory.experiments.stats.significance import corrected

__all__ = ["TeamStanding"]

CORRECTION = "holm"
"""The correction of p for all pairs."""


class Place(NamedTuple):
    """The place of one of several systems."""

    rank: int  # the rank, counted from 1, that it shares with the others of its group
    shared: bool  # whether others share it
    system: int  # the column of the system
    # mean, low, high: its mean over the queries, and the interval of that mean (Student's)
    mean: float
    low: float
    high: float
    behind: float  # the distance of its mean from the best of its group; 0 for the best
    p: float  # of that difference, corrected for all pairs of systems; 1 for the best itself


class TeamStanding(NamedTuple):
    """The line of a team in the table.

    Attributes
    ----------
    place : Place
        Its rank, mean and interval, over the public or the held-out queries.
    entry : HistoryLine
        The best submission of the team on the public queries.
    submissions : int
        The number of accepted submissions of the team.
    """

    place: Place
    entry: HistoryLine
    submissions: int


def shared_places(values: np.ndarray, *, alpha: float = 0.05, lower_is_better: bool = False) -> list[Place]:
    """Systems by descending mean, in groups that share a rank."""
    # values: (queries, systems) float64. The best system is compared with those below it, query by query (Student's
    # paired t), p corrected after Holm for all pairs of systems, because which one is the best was found by looking at
    # all. Its group goes down to the last one before the first that differs significantly from it; that one is the best
    # of the next group, and so on. The rank of a group is the place of its best. Why not Tukey's test of all pairs at
    # once: its critical difference grows with the spread of all systems, so that a single very poor one would make all
    # others share a rank. Holm, Scandinavian Journal of Statistics 6, 1979. Carterette, ACM TOIS 30(1), 2012, on all
    # pairs of systems.
    sign = -1 if lower_is_better else 1
    means = values.mean(axis=0)
    order = np.argsort(np.round(-sign * means, DECIMALS), kind="stable").tolist()
    p = _p_of_pairs(values, alpha)
    groups: list[list[int]] = []
    for system in order:
        if groups and p[groups[-1][0], system] > alpha:
            groups[-1].append(system)
        else:
            groups.append([system])
    places = []
    for group in groups:
        for system in group:
            interval = paired_test(values[:, system], "t", alpha=alpha)
            places.append(
                Place(
                    rank=order.index(group[0]) + 1,
                    shared=len(group) > 1,
                    system=system,
                    mean=float(means[system]),
                    low=interval.low,
                    high=interval.high,
                    behind=float(sign * (means[group[0]] - means[system])) + 0.0,
                    p=float(p[group[0], system]),
                )
            )
    return places


def distinguishable(values: np.ndarray, alpha: float = 0.05) -> float:
    """The difference of two means that is detected with power 0.8 for these numbers of queries and systems."""
    # values: (queries, systems) float64. That of the paired t test with power 0.8, at alpha divided by the number of
    # pairs (where Holm's correction begins), for a pair of systems whose differences are as spread as those of the
    # median pair.
    pairs = list(combinations(range(values.shape[1]), 2))
    if len(values) < 2 or not pairs:
        return math.inf
    spreads = [np.std(values[:, first] - values[:, second], ddof=1) for first, second in pairs]
    spreads = [spread for spread in spreads if spread > 10.0**-DECIMALS]
    if not spreads:
        return math.inf
    return detectable_difference(float(np.median(spreads)), len(values), alpha=alpha / len(pairs))


def _p_of_pairs(values: np.ndarray, alpha: float) -> np.ndarray:
    """The corrected p of each pair of columns; 1 on the diagonal."""
    systems = values.shape[1]
    p = np.ones((systems, systems))
    pairs = list(combinations(range(systems), 2))
    if pairs:
        first, second = (list(column) for column in zip(*pairs, strict=True))
        tests = paired_tests(values[:, first] - values[:, second], "t", alpha=alpha)
        p[first, second] = p[second, first] = corrected([test.p for test in tests], CORRECTION)
    return p


def best_so_far(values: Sequence[float], lower_is_better: bool = False) -> list[int]:
    """For each of several values in order: the index of the best so far, the first of ties."""
    best, indices = 0, []
    for place, value in enumerate(values):
        if (value < values[best]) if lower_is_better else (value > values[best]):
            best = place
        indices.append(best)
    return indices
