"""The expected value of a measure if all orders of tied documents are equally likely.

The value is exact: a formula gives it if the measure has one, otherwise the mean over all distinct orders, if few.
McSherry & Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores,
ECIR, has the formulas of P, R, F, RR, AP and nDCG; Cooper 1968 that of the search length. The others follow the same
idea.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from toysearch.base.wide_counts import count_each
from toysearch.evaluation.joined_run import JoinedRun, condensed
from toysearch.evaluation.measures.graded import top_of_scale
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.ties import TieGroups, depends_on_order, in_order, orders, spans, taken


class _Group(NamedTuple):
    """Documents that share the ranks from `first` to `last`; hits are those that are relevant."""

    first: int
    last: int
    grades: np.ndarray

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def ranks(self, cutoff: float | None = None) -> np.ndarray:
        """The ranks of the group that are not below a cutoff."""
        ranks = np.arange(self.first, self.last + 1.0)
        return ranks if cutoff is None else ranks[ranks <= cutoff]


def expected_values(measure: Measure, judged: JoinedRun, groups: TieGroups) -> np.ndarray:
    """The mean of a measure over all orders of the tied documents, for each query.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.evaluation.ties import tie_groups
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base.records import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "b"], [1.0, 1.0])])
    >>> judged = join(run, Qrels.from_dict({"1": {"b": 1}}))
    >>> expected_values(Measure.parse("RR"), judged, tie_groups(run, judged, "rank"))
    array([0.75])
    """
    # Returns (n_queries,) float64. One of two tied documents is relevant: the mean of 1 and 1/2.
    values = measure.values(judged)
    rows = np.flatnonzero(groups.tied & np.isfinite(values))
    if not rows.size or not depends_on_order(measure):
        return values
    some, their_groups = taken(judged, rows), groups.take(rows)
    parameters = dict(measure.parameters)
    if parameters.pop("judged_only", False):
        # Without unjudged documents, a group has its judged documents only, still in any order.
        some, their_groups = _condensed(some, their_groups)
        measure = dataclasses.replace(measure, parameters=tuple(parameters.items()))
    values[rows] = [_expected(measure, some, their_groups, row) for row in range(rows.size)]
    return values


def taken_together(judged: JoinedRun, groups: TieGroups, rel: float | None = None) -> np.ndarray:
    """AP as in `average_precision_score` of scikit-learn: all documents of a group are retrieved at once.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.evaluation.ties import tie_groups
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base.records import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "b"], [1.0, 1.0])])
    >>> judged = join(run, Qrels.from_dict({"1": {"b": 1}}))
    >>> taken_together(judged, tie_groups(run, judged, "rank"))
    array([0.5])
    """
    # Each relevant document counts with the precision at the last rank of its group. This is not a mean over orders.
    # One of two tied documents is relevant: the precision of both, 1/2.
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    _, ends = spans(groups.first)
    found = np.take_along_axis(hits.cumsum(axis=1), ends, axis=1)
    return np.asarray((hits * found / groups.last).sum(axis=1) / np.where(relevant > 0, relevant, np.nan))


def is_plain_average_precision(measure: Measure) -> bool:
    """Whether scikit-learn computes a measure like `taken_together`: AP of the whole ranking."""
    return measure.name == "AP" and measure.cutoff is None and dict(measure.parameters).keys() <= {"rel"}


def _expected(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int) -> float:
    """The expected value for one query."""
    one = taken(judged, np.array([row]))
    if measure.name in _ADDITIVE:
        return _additive(measure, judged, groups, row)
    formula = _FORMULAS.get(measure.name)
    parameters = dict(measure.parameters)
    if formula is None or "first" in parameters:
        return float(measure.values(orders(measure, judged, groups, row)).mean())
    cutoff = {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    return formula(one, list(_groups(judged, groups, row)), **cutoff, **parameters)


def _groups(judged: JoinedRun, groups: TieGroups, row: int) -> Iterator[_Group]:
    """The groups that hold a judged document, from the top; a document without ties is a group of its own."""
    starts, ends = (columns[row] for columns in spans(groups.first))
    for start in np.unique(starts[np.isfinite(judged.ranks[row])]).tolist():
        grades = judged.grades[row, start : int(ends[start]) + 1]
        yield _Group(int(groups.first[row, start]), int(groups.last[row, start]), grades)


def _condensed(judged: JoinedRun, groups: TieGroups) -> tuple[JoinedRun, TieGroups]:
    """The condensed lists, and the groups in them."""
    kept = judged.grades >= 0
    short = condensed(judged)
    first = np.full(short.ranks.shape, np.inf)
    first[np.isfinite(short.ranks)] = groups.first[kept]
    starts, ends = spans(first)
    infinite = np.where(np.isfinite(first), 0, np.inf)
    return short, TieGroups(starts + 1.0 + infinite, ends + 1.0 + infinite)


def _additive(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int) -> float:
    """The value of a measure that is a sum over documents, with terms that depend on one document's rank alone."""
    # Each document is equally often at each rank of its group. So the rotations of a group, one per rank, have the same
    # mean as all its orders.
    first, last, ranks = groups.first[row], groups.last[row], judged.ranks[row]
    beginnings = np.unique(first[first < last])
    turns, group_of_turn = [], []
    for number, beginning in enumerate(beginnings.tolist()):
        group = first == beginning
        size = int(last[group][0] - beginning) + 1
        turned = np.tile(ranks, (size, 1))
        turned[:, group] = beginning + (turned[:, group] - beginning + np.arange(size)[:, np.newaxis]) % size
        turns.append(turned)
        group_of_turn += [number] * size
    arranged = np.concatenate([ranks[np.newaxis], *turns])
    same = np.full(len(arranged), row)
    values = measure.values(in_order(taken(judged, same), arranged, judged.grades[same]))
    base, changes = values[0], values[1:] - values[0]
    means = count_each(group_of_turn, changes, minlength=beginnings.size) / count_each(group_of_turn)
    return float(base + means.sum())


def _average_precision(
    judged: JoinedRun, groups: list[_Group], cutoff: int | None = None, rel: float | None = None
) -> float:
    total = _blended(groups, lambda grades: np.asarray(_hits(judged, grades, rel), dtype=np.float64), cutoff)
    return total / int(judged.n_relevant(rel)[0])


def _graded_average_precision(judged: JoinedRun, groups: list[_Group], cutoff: int | None = None) -> float:
    """A mixture of the APs at all thresholds."""
    ideal = judged.ideal[0][judged.ideal[0] > 0]
    levels = np.concatenate([[0.0], np.unique(ideal)])
    total = sum(
        (level - below) * _blended(groups, lambda grades, level=level: (grades >= level) * 1.0, cutoff)  # type: ignore[misc]
        for below, level in zip(levels[:-1].tolist(), levels[1:].tolist(), strict=True)
    )
    return float(total / ideal.sum())


def _q_measure(judged: JoinedRun, groups: list[_Group], rel: float | None = None, beta: float = 1.0) -> float:
    relevant = int(judged.n_relevant(rel)[0])
    best = np.concatenate([[0.0], judged.ideal[0][:relevant].cumsum()])

    def worth(grades: np.ndarray) -> np.ndarray:
        return np.where(_hits(judged, grades, rel), 1 + beta * grades, 0)

    def whole(ranks: np.ndarray) -> np.ndarray:
        return np.asarray(ranks + beta * best[np.minimum(ranks, relevant).astype(np.int64)])

    return _blended(groups, worth, None, whole) / relevant


def _blended(
    groups: list[_Group],
    worth: Callable[[np.ndarray], np.ndarray],
    cutoff: int | None,
    whole: Callable[[np.ndarray], np.ndarray] = lambda ranks: ranks,
) -> float:
    """The expected sum, over relevant documents, of the worth found down to the rank of each, over whole(rank)."""
    # In a group of n documents, a relevant one is at each rank with chance 1 / n. Each other document of the group is
    # then above it with chance (rank − first rank) / (n − 1).
    total = above = 0.0
    for group in groups:
        worths = worth(group.grades)
        relevant, own, n = int((worths > 0).sum()), float(worths.sum()), group.size
        ranks = group.ranks(cutoff)
        others = (relevant - 1) * own / max(n - 1, 1)
        total += float(((own + relevant * above + (ranks - group.first) * others) / n / whole(ranks)).sum())
        above += own
    return total


def _reciprocal_rank(
    judged: JoinedRun, groups: list[_Group], cutoff: int | None = None, rel: float | None = None
) -> float:
    return _stopping(groups, lambda grades: _hits(judged, grades, rel) * 1.0, cutoff)[0]


def _success(judged: JoinedRun, groups: list[_Group], cutoff: int, rel: float | None = None) -> float:
    return 1 - _stopping(groups, lambda grades: _hits(judged, grades, rel) * 1.0, cutoff)[1]


def _expected_reciprocal_rank(
    judged: JoinedRun, groups: list[_Group], cutoff: int | None = None, max_rel: float | None = None
) -> float:
    top = top_of_scale(judged, max_rel, "ERR")
    return _stopping(groups, lambda grades: np.exp2(np.fmax(grades, 0) - top) - np.exp2(-top), cutoff)[0]


def _stopping(
    groups: list[_Group], chance: Callable[[np.ndarray], np.ndarray], cutoff: int | None
) -> tuple[float, float]:
    """The expected 1 / rank at which a reader stops, and the chance that the reader stops at none of the documents."""
    # Within a group, the chance to read on after i documents is the mean product of their values of 1 − chance, over
    # all choices of i documents.
    value, reading = 0.0, 1.0
    for group in groups:
        ranks = group.ranks(cutoff)
        on = _mean_products(1 - chance(group.grades), group.size)
        value += reading * float(((on[:-1] - on[1:])[: ranks.size] / ranks).sum())
        reading *= float(on[ranks.size])
    return value, reading


def _mean_products(factors: np.ndarray, size: int) -> np.ndarray:
    """The mean product of 0, 1, …, `size` factors over all choices of that many; factors that are not given are 1."""
    means = np.ones(size - factors.size + 1)
    for factor in factors.tolist():
        count = np.arange(1.0, means.size)
        shorter = means[1:] * (means.size - count) / means.size
        means = np.concatenate([[1.0], shorter + count / means.size * factor * means[:-1], [factor * means[-1]]])
    return means


def _binary_preference(judged: JoinedRun, groups: list[_Group], rel: float | None = None) -> float:
    """Of the m judged non-relevant documents in its group, 0, 1, …, m are above a relevant one, equally often."""
    relevant = int(judged.n_relevant(rel)[0])
    most = max(min(int((judged.ideal[0] >= 0).sum()) - relevant, relevant), 1)
    total, above = 0.0, 0
    for group in groups:
        hits = int(_hits(judged, group.grades, rel).sum())
        others = int((group.grades >= 0).sum()) - hits
        total += hits * float((1 - np.minimum(above + np.arange(others + 1), relevant) / most).mean())
        above += others
    return total / relevant


def _search_length(judged: JoinedRun, groups: list[_Group], rel: float | None = None, n: float = 1.0) -> float:
    """The j-th of r relevant documents in random order among m stands, on average, at place j (m + 1) / (r + 1)."""
    found = 0
    for group in groups:
        hits = int(_hits(judged, group.grades, rel).sum())
        if found + hits >= n:
            return group.first - 1 + (n - found) * (group.size + 1) / (hits + 1) - n
        found += hits
    return float("inf")


def _hits(judged: JoinedRun, grades: np.ndarray, rel: float | None) -> np.ndarray:
    return np.asarray((grades >= (judged.threshold if rel is None else rel)) & (grades > 0))


# Sums over documents, with terms that depend on one document's rank alone, and such sums over a constant.
_ADDITIVE = {
    *("P", "R", "R_cap", "F", "MeanP", "Rprec", "RprecMult", "NumRet", "NumRelRet", "CG", "DCG", "nDCG"),
    *("RBP", "RBPres", "Judged", "Hole"),
    *("SetP", "SetR", "SetF", "SetE", "SetRelP", "Fallout", "SetAccuracy", "TP", "FP", "FN", "TN"),
}
_FORMULAS: dict[str, Callable[..., float]] = {
    "AP": _average_precision,
    "GMAP": _average_precision,
    "GAP": _graded_average_precision,
    "Q": _q_measure,
    "RR": _reciprocal_rank,
    "Success": _success,
    "ERR": _expected_reciprocal_rank,
    "Bpref": _binary_preference,
    "ESL": _search_length,
}
