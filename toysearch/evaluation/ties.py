"""Tied documents: documents of a ranking whose order is arbitrary, and the effect of their order on a measure.

Neighbouring documents with equal scores are a *group*: the model does not decide their order. Equality depends on the
rule that orders the run (`toysearch.base.run_order.ordered`): exact scores if the ranking keeps its order, scores
as 32-bit floats if the order is that of trec_eval. If a run was cut at depth k within a group, the documents below the
cut are not retrieved in any order.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Run, count_each
from toysearch.evaluation import JoinedRun, Mapped, Measure, condensed
from toysearch.evaluation.joined_run import JoinedBlocks
from toysearch.evaluation.measures.tied_group import Group


def expected_values(measure: Measure, judged: JoinedRun, groups: TieGroups) -> np.ndarray:
    """Average a measure over all orders of the tied documents, for each query.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.evaluation.ties import tie_groups
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base import Qrels, Run
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
    some, their_groups = judged.of_queries(rows), groups.take(rows)
    parameters = dict(measure.parameters)
    if parameters.pop("judged_only", False):
        # Without unjudged documents, a group has its judged documents only, still in any order.
        judged_columns = some.grades >= 0
        short = condensed(some)
        first = np.full(short.ranks.shape, np.inf)
        first[np.isfinite(short.ranks)] = their_groups.first[judged_columns]
        starts, ends = spans(first)
        infinite = np.where(np.isfinite(first), 0, np.inf)
        some, their_groups = short, TieGroups(starts + 1.0 + infinite, ends + 1.0 + infinite)
        measure = replace(measure, parameters=tuple(parameters.items()))
    formula = measure.definition.over_ties
    parameters |= {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    if callable(formula) and not parameters.keys() <= inspect.signature(formula).parameters.keys():
        formula = None  # there is one for AP, but not for AP(first=2)
    for row, place in enumerate(rows.tolist()):
        if formula is None:
            values[place] = measure.values(orders(measure, some, their_groups, row)).mean()
        elif callable(formula):
            one = some.of_queries(np.array([row]))
            values[place] = formula(one, list(_groups(some, their_groups, row)), **parameters)
        else:
            values[place] = _additive(measure, some, their_groups, row)
    return values


def taken_together(judged: JoinedRun, groups: TieGroups, rel: float | None = None) -> np.ndarray:
    """Compute AP as `average_precision_score` of scikit-learn does: all documents of a group are retrieved at once.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.evaluation.ties import tie_groups
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "b"], [1.0, 1.0])])
    >>> judged = join(run, Qrels.from_dict({"1": {"b": 1}}))
    >>> taken_together(judged, tie_groups(run, judged, "rank"))
    array([0.5])
    """
    # Each relevant document counts with the precision at the last rank of its group. This is not a mean over orders.
    # One of two tied documents is relevant: the precision of both, 1/2.
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    _, ends = spans(groups.first)
    hits_at_ends = np.take_along_axis(hits.cumsum(axis=1), ends, axis=1)
    return np.asarray((hits * hits_at_ends / groups.last).sum(axis=1) / np.where(relevant > 0, relevant, np.nan))


def is_plain_average_precision(measure: Measure) -> bool:
    """True if scikit-learn computes a measure like `taken_together`: AP of the whole ranking."""
    return measure.name == "AP" and measure.cutoff is None and dict(measure.parameters).keys() <= {"rel"}


def _groups(judged: JoinedRun, groups: TieGroups, row: int) -> Iterator[Group]:
    """Yield the groups that hold a judged document, from the top; a document without ties is a group of its own."""
    starts, ends = (columns[row] for columns in spans(groups.first))
    for start in np.unique(starts[np.isfinite(judged.ranks[row])]).tolist():
        grades = judged.grades[row, start : int(ends[start]) + 1]
        yield Group(int(groups.first[row, start]), int(groups.last[row, start]), grades)


def _additive(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int) -> float:
    """Average a measure that is a sum over documents, with terms that depend on one document's rank alone."""
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
    values = measure.values(in_order(judged.of_queries(same), arranged, judged.grades[same]))
    base, changes = values[0], values[1:] - values[0]
    means = count_each(group_of_turn, changes, minlength=beginnings.size) / count_each(group_of_turn)
    return float(base + means.sum())


MOST_ORDERS = 5_040
"""Most orders of the tied documents of a query that are tried one by one if there is no formula."""


class TieGroups(NamedTuple):
    """First and last rank of the group of each judged document of a `JoinedRun`, aligned with its `ranks`."""

    # first, last: (n_queries, width) float64; ranks; both are the document's own rank if it has no ties. Infinite
    # beyond the end of a row.
    first: np.ndarray
    last: np.ndarray

    @property
    def tied(self) -> np.ndarray:
        """Queries in which a judged document is tied with another document: bool, shape (n_queries,)."""
        return np.asarray((self.first < self.last).any(axis=1))

    def take(self, rows: np.ndarray) -> TieGroups:
        """Return the groups of some of the queries."""
        return TieGroups(self.first[rows], self.last[rows])


def tie_groups(run: Run, judged: JoinedRun, rule: str, order: np.ndarray | None = None) -> TieGroups:
    """Find the groups of tied documents in which the judged documents stand."""
    # order: (len(run),) int64, the rows of the run by rank, query by query; None if they are already in this order.
    slices = [run.rows(query_id) for query_id in judged.query_ids]
    # Only the rows from the first of these queries to the last: few of all, if queries are joined in blocks.
    low = min((rows.start for rows in slices if rows.start < rows.stop), default=0)
    high = max((rows.stop for rows in slices), default=0)
    scores = run.scores[low:high] if order is None else run.scores[order[low:high]]
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        scores = scores.astype(np.float32) if rule == "trec_eval" else scores
    begins = np.ones(scores.size + 1, bool)
    begins[1:-1] = scores[1:] != scores[:-1]
    begins[run.offsets[(low <= run.offsets) & (run.offsets <= high)] - low] = True
    starts = np.flatnonzero(begins)
    group = begins[:-1].cumsum() - 1
    offsets = np.array([rows.start - low for rows in slices], np.int64)[:, np.newaxis]
    retrieved = np.isfinite(judged.ranks)
    rows = (np.where(retrieved, judged.ranks, 1).astype(np.int64) - 1 + offsets)[retrieved]
    first, last = np.full((2, *judged.ranks.shape), np.inf)
    before = np.broadcast_to(offsets, retrieved.shape)[retrieved]
    first[retrieved] = starts[group[rows]] - before + 1
    last[retrieved] = starts[group[rows] + 1] - before
    return TieGroups(first, last)


def with_groups(blocks: JoinedBlocks) -> Iterator[tuple[JoinedRun, TieGroups]]:
    """Yield each block with the groups of tied documents in it."""
    for joined in blocks:
        yield joined, tie_groups(blocks.run, joined, blocks.order.rule, blocks.order.rows)


class TiedOrders:
    """Orders of the tied documents of some queries, and their effect on a measure."""

    def __init__(self, judged: JoinedRun, groups: TieGroups) -> None:
        self.judged = judged
        self.rows = np.flatnonzero(groups.tied)
        self._some, self._groups = judged.of_queries(self.rows), groups.take(self.rows)
        self._arranged: dict[Mapped | None, tuple[JoinedRun, JoinedRun]] = {}  # most measures share one worth

    def bounds(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """Bound a measure, for each query, over all orders of the tied documents: the lowest and the highest value."""
        # low, high: (n_queries,) float64, NaN where the measure is undefined. If a measure never falls when a better
        # document replaces a worse one, its extremes are at the orders by falling and by rising worth within each
        # group. For other measures, all orders are tried.
        low = measure.values(self.judged)
        high = low.copy()
        if not self.rows.size or not depends_on_order(measure):
            return low, high
        by_worth = measure.definition.by_worth
        if by_worth == "never" or (by_worth == "uncut" and measure.cutoff):
            for row, query in enumerate(self.rows.tolist()):
                values = measure.values(orders(measure, self._some, self._groups, row))
                low[query], high[query] = values.min(), values.max()
        else:
            up, down = (measure.values(arranged) for arranged in self._extreme_orders(measure))
            low[self.rows], high[self.rows] = np.fmin(up, down), np.fmax(up, down)
        return low, high

    def _extreme_orders(self, measure: Measure) -> tuple[JoinedRun, JoinedRun]:
        gains = dict(measure.parameters).get("gains")  # by which the measure replaces grades
        gains = gains if isinstance(gains, tuple) else ()
        gains = None if measure.definition.better is None else gains  # the number of judged documents: no gain matters
        if gains not in self._arranged:
            grades = self._some.grades
            worth = np.where(np.isnan(grades), -1.0, 1.0) if gains is None else grades  # 0 for an unjudged document
            for grade, gain in gains or ():
                worth = np.where(grades == grade, gain, worth)
            # First the documents worth something, by falling worth, then the unjudged, then the others: Bpref counts
            # documents judged not relevant, and ignores the unjudged. The other extreme is the mirror image.
            order = np.lexsort((-worth, self._groups.first))
            arrays = (worth, grades, *self._groups)
            worth, grades, first, last = (np.take_along_axis(array, order, axis=1) for array in arrays)
            starts, ends = spans(first)
            columns = np.arange(first.shape[1])
            with np.errstate(invalid="ignore"):  # ranks stay infinite beyond the end of a row
                best = np.where(worth > 0, first + (columns - starts), last - (ends - columns))
                worst = np.where(np.isfinite(best), first + last - best, np.inf)
            self._arranged[gains] = in_order(self._some, best, grades), in_order(self._some, worst, grades)
        return self._arranged[gains]


def depends_on_order(measure: Measure) -> bool:
    """True if another order of the documents could change the value of a measure at all."""
    definition = measure.definition
    return definition.ordered or measure.cutoff is not None or definition.cut_by_R


def orders(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int) -> JoinedRun:
    """Make a join in which each distinct order of a query's tied documents is a separate query."""
    # Documents of one grade are interchangeable, and so are unjudged ones: all distinct orders are equally likely.
    tied = _groups_that_matter(measure, groups, row)
    kinds = _kinds(judged, row)
    count = 1
    for columns, _, size in tied:  # size! / Π (documents of one grade)!, the unjudged being a grade
        judged_grades = kinds[columns].tolist()
        alike = [*Counter(judged_grades).values(), size - len(judged_grades)]
        count *= math.factorial(size) // math.prod(map(math.factorial, alike))
    if count > MOST_ORDERS:
        raise ArgumentError(
            f"{measure} has no formula over the orders of tied documents, and those of query "
            f"'{judged.query_ids[row]}' have {count:.3g} orders, more than the {MOST_ORDERS} that are tried; "
            "choose ties='rank' or 'trec_eval', or another measure"
        )
    ranks, documents = [], []
    for placed in product(*(_places(kinds[columns], first, size) for columns, first, size in tied)):
        row_ranks, row_documents = judged.ranks[row].copy(), kinds.copy()
        for (columns, _, _), (group_ranks, group_documents) in zip(tied, placed, strict=True):
            row_ranks[columns], row_documents[columns] = group_ranks, group_documents
        ranks.append(row_ranks)
        documents.append(row_documents)
    same, order = np.full(len(ranks), row), np.array(documents).astype(np.int64)
    arranged = judged.of_queries(same)
    if arranged.subtopics is not None:
        arranged = replace(arranged, subtopics=arranged.subtopics.arranged(order))
    return in_order(arranged, np.array(ranks), judged.grades[row, order])


def _kinds(judged: JoinedRun, row: int) -> np.ndarray:
    """For each document of a query, first column with one of the same grade, and of the same for all sub-topics."""
    grades = judged.grades[row][:, np.newaxis]
    if judged.subtopics is not None:
        grades = np.concatenate([grades, judged.subtopics.grades[row]], axis=1)
    _, first, kind = np.unique(grades, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[kind.reshape(-1)], np.float64)


def spans(first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last column of the group in which each column stands, by row."""
    columns = np.broadcast_to(np.arange(first.shape[1]), first.shape)
    new = np.ones(first.shape, bool)
    new[:, 1:] = first[:, 1:] != first[:, :-1]
    starts = np.maximum.accumulate(np.where(new, columns, 0), axis=1)
    ends = np.roll(new, -1, axis=1)
    ends[:, -1:] = True
    last = np.where(ends, columns, first.shape[1])[:, ::-1]
    return starts, np.minimum.accumulate(last, axis=1)[:, ::-1]


def in_order(judged: JoinedRun, ranks: np.ndarray, grades: np.ndarray) -> JoinedRun:
    """Return the join with other ranks, which rise again along each row."""
    order = np.argsort(ranks, axis=1, kind="stable")
    ranks, grades = np.take_along_axis(ranks, order, axis=1), np.take_along_axis(grades, order, axis=1)
    subtopics = judged.subtopics and judged.subtopics.arranged(order)
    return replace(judged, ranks=ranks, grades=grades, subtopics=subtopics)


def _groups_that_matter(measure: Measure, groups: TieGroups, row: int) -> list[tuple[slice, float, int]]:
    """Columns, first rank and size of each group whose order can change the value of the measure."""
    starts, ends = (columns[row] for columns in spans(groups.first))
    cutoff = math.inf
    # In a condensed list documents move up across the cutoff; a level of recall is not a rank.
    if (
        measure.cutoff is not None
        and measure.definition.cutoff != "recall"
        and not dict(measure.parameters).get("judged_only")
    ):
        cutoff = measure.cutoff
    tied = []
    for start in np.unique(starts[groups.first[row] < groups.last[row]]).tolist():
        first, last = groups.first[row, start], groups.last[row, start]
        straddles = first <= cutoff < last
        if first <= cutoff and (measure.definition.ordered or straddles or cutoff == math.inf):
            tied.append((slice(start, int(ends[start]) + 1), float(first), int(last - first) + 1))
    return tied


def _places(grades: np.ndarray, first: float, size: int) -> Iterator[tuple[list[float], list[float]]]:
    counted = sorted(Counter(grades.tolist()).items())

    def place(free: list[float], left: list[tuple[float, int]]) -> Iterator[tuple[list[float], list[float]]]:
        if not left:
            yield [], []
            return
        (grade, count), rest = left[0], left[1:]
        for ranks in combinations(free, count):
            for more_ranks, more_grades in place([rank for rank in free if rank not in ranks], rest):
                yield [*ranks, *more_ranks], [grade] * count + more_grades

    return place([first + step for step in range(size)], counted)
