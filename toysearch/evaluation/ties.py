"""Tied documents: documents of a ranking whose order is arbitrary, and the effect of their order on a measure.

Neighbouring documents with equal scores are a *group*: the model does not decide their order. Equality depends on the
rule that orders the run (`toysearch.base.records.ordered`): exact scores if the ranking keeps its order, scores as
32-bit floats if the order is that of trec_eval. If a run was cut at depth k within a group, the documents below the cut
are not retrieved in any order.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from toysearch.base.errors import ArgumentError
from toysearch.base.records import Run
from toysearch.evaluation.joined_run import JoinedBlocks, JoinedRun
from toysearch.evaluation.measures.definition import Mapped
from toysearch.evaluation.measures.measure import Measure

MOST_ORDERS = 5_040
"""The most orders of the tied documents of a query that are tried one by one if there is no formula."""


class TieGroups(NamedTuple):
    """For each judged document of a `JoinedRun`, aligned with its `ranks`: where its group begins and where it ends."""

    # first, last: (n_queries, width) float64; ranks; both are the document's own rank if it has no ties. Infinite
    # beyond the end of a row.
    first: np.ndarray
    last: np.ndarray

    @property
    def tied(self) -> np.ndarray:
        """The queries in which a judged document is tied with another document: bool, shape (n_queries,)."""
        return np.asarray((self.first < self.last).any(axis=1))

    def take(self, rows: np.ndarray) -> TieGroups:
        """The groups of some of the queries."""
        return TieGroups(self.first[rows], self.last[rows])


def tie_groups(run: Run, judged: JoinedRun, rule: str, order: np.ndarray | None = None) -> TieGroups:
    """The groups of tied documents in which the judged documents stand."""
    # order: (len(run),) int64, the rows of the run by rank, query by query; None if they are already in this order.
    slices = [run.rows(query_id) for query_id in judged.query_ids]
    # Only the rows from the first of these queries to the last: few of all, if queries are joined in blocks.
    low = min((rows.start for rows in slices if rows.start < rows.stop), default=0)
    high = max((rows.stop for rows in slices), default=0)
    scores = run.scores[low:high] if order is None else run.scores[order[low:high]]
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        scores = scores.astype(np.float32) if rule == "trec_eval" else scores
    begins = np.ones(scores.size + 1, dtype=bool)
    begins[1:-1] = scores[1:] != scores[:-1]
    begins[run.offsets[(low <= run.offsets) & (run.offsets <= high)] - low] = True
    starts = np.flatnonzero(begins)
    group = begins[:-1].cumsum() - 1
    offsets = np.array([rows.start - low for rows in slices], dtype=np.int64)[:, np.newaxis]
    found = np.isfinite(judged.ranks)
    rows = (np.where(found, judged.ranks, 1).astype(np.int64) - 1 + offsets)[found]
    first, last = np.full(judged.ranks.shape, np.inf), np.full(judged.ranks.shape, np.inf)
    before = np.broadcast_to(offsets, found.shape)[found]
    first[found] = starts[group[rows]] - before + 1
    last[found] = starts[group[rows] + 1] - before
    return TieGroups(first, last)


def with_groups(blocks: JoinedBlocks) -> Iterator[tuple[JoinedRun, TieGroups]]:
    """Each block with the groups of tied documents in it."""
    for joined in blocks:
        yield joined, tie_groups(blocks.run, joined, blocks.order.rule, blocks.order.rows)


def taken(judged: JoinedRun, rows: np.ndarray) -> JoinedRun:
    """The join of some of the queries."""
    return dataclasses.replace(
        judged,
        query_ids=[judged.query_ids[row] for row in rows.tolist()],
        retrieved=judged.retrieved[rows],
        ranks=judged.ranks[rows],
        grades=judged.grades[rows],
        ideal=judged.ideal[rows],
    )


class TiedOrders:
    """The orders of the tied documents of some queries, and how far they move a measure."""

    def __init__(self, judged: JoinedRun, groups: TieGroups) -> None:
        self.judged = judged
        self.rows = np.flatnonzero(groups.tied)
        self._some, self._groups = taken(judged, self.rows), groups.take(self.rows)
        self._arranged: dict[Mapped | None, tuple[JoinedRun, JoinedRun]] = {}  # most measures share one worth

    def bounds(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest value of a measure, for each query, over all orders of the tied documents."""
        # low, high: (n_queries,) float64, NaN where the measure is undefined. If a measure never falls when a better
        # document replaces a worse one, its extremes are at the orders by falling and by rising worth within each
        # group. For other measures, all orders are tried.
        low = measure.values(self.judged)
        high = low.copy()
        if not self.rows.size or not depends_on_order(measure):
            return low, high
        if measure.name in _NOT_BY_WORTH:
            each = [_extremes(measure, self._some, self._groups, row) for row in range(self.rows.size)]
            low[self.rows], high[self.rows] = np.array(each).T
        else:
            up, down = (measure.values(arranged) for arranged in self._extreme_orders(measure))
            low[self.rows], high[self.rows] = np.fmin(up, down), np.fmax(up, down)
        return low, high

    def _extreme_orders(self, measure: Measure) -> tuple[JoinedRun, JoinedRun]:
        """The join with each group by falling worth for a measure, and by rising worth."""
        gains = _regrading(measure)
        if gains not in self._arranged:
            self._arranged[gains] = _by_worth(self._some, self._groups, _worth(self._some.grades, gains))
        return self._arranged[gains]


def depends_on_order(measure: Measure) -> bool:
    """Whether another order of the documents could change a measure's value at all."""
    definition = measure.definition
    return definition.ordered or measure.cutoff is not None or measure.name in _CUT_BY_R


def orders(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int, most: int = MOST_ORDERS) -> JoinedRun:
    """A join in which each distinct order of a query's tied documents is a separate query."""
    # Documents of one grade are interchangeable, and so are unjudged ones: all distinct orders are equally likely.
    tied = _groups_that_matter(measure, judged, groups, row)
    count = math.prod(_count(judged.grades[row, columns], size) for columns, _, size in tied)
    if count > most:
        raise ArgumentError(
            f"{measure} has no formula over the orders of tied documents, and those of query "
            f"'{judged.query_ids[row]}' have {count:.3g} orders, more than the {most} that are tried; "
            "choose ties='rank' or 'trec_eval', or another measure"
        )
    ranks, grades = [], []
    for placed in product(*(_places(judged.grades[row, columns], first, size) for columns, first, size in tied)):
        row_ranks, row_grades = judged.ranks[row].copy(), judged.grades[row].copy()
        for (columns, _, _), (group_ranks, group_grades) in zip(tied, placed, strict=True):
            row_ranks[columns], row_grades[columns] = group_ranks, group_grades
        ranks.append(row_ranks)
        grades.append(row_grades)
    same = np.full(len(ranks), row)
    return in_order(taken(judged, same), np.array(ranks), np.array(grades))


def spans(first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last column of the group in which each column stands, by row."""
    columns = np.broadcast_to(np.arange(first.shape[1]), first.shape)
    new = np.ones(first.shape, dtype=bool)
    new[:, 1:] = first[:, 1:] != first[:, :-1]
    starts = np.maximum.accumulate(np.where(new, columns, 0), axis=1)
    ends = np.roll(new, -1, axis=1)
    ends[:, -1:] = True
    last = np.where(ends, columns, first.shape[1])[:, ::-1]
    return starts, np.minimum.accumulate(last, axis=1)[:, ::-1]


def in_order(judged: JoinedRun, ranks: np.ndarray, grades: np.ndarray) -> JoinedRun:
    """The join with other ranks, which rise again along each row."""
    order = np.argsort(ranks, axis=1, kind="stable")
    ranks, grades = np.take_along_axis(ranks, order, axis=1), np.take_along_axis(grades, order, axis=1)
    return dataclasses.replace(judged, ranks=ranks, grades=grades)


# All other measures obey the rule in `TiedOrders.bounds`: property tests compare each one with all orders.
# infAP estimates: a relevant document can gain from one above it that is in the pool but was not judged.
# G discounts a gain by how far the ranking is behind at its rank: it values the grades 1, 2, 3 above 1, 3, 2.
_NOT_BY_WORTH = {"infAP", "G"}
# The order within their cutoff does not matter; the cutoff is not in the name but follows from the judgments.
_CUT_BY_R = {"Rprec", "RprecMult"}


def _regrading(measure: Measure) -> Mapped | None:
    """The gains by which a measure replaces grades; None for one of how much was judged, to which none matters."""
    if measure.definition.better is None:
        return None
    gains = dict(measure.parameters).get("gains")
    return gains if isinstance(gains, tuple) else ()


def _worth(grades: np.ndarray, gains: Mapped | None) -> np.ndarray:
    """The worth by which documents are ordered; it is 0 for an unjudged one."""
    if gains is None:
        return np.where(grades >= 0, 1.0, -1.0)
    worth = grades
    for grade, gain in gains:
        worth = np.where(grades == grade, gain, worth)
    return worth


def _by_worth(judged: JoinedRun, groups: TieGroups, worth: np.ndarray) -> tuple[JoinedRun, JoinedRun]:
    """The join with each group by falling worth, and the join with each group by rising worth."""
    # First the documents worth something, by falling worth, then the unjudged, then the others: Bpref counts documents
    # judged not relevant, and ignores the unjudged. The other extreme is the mirror image.
    order = np.lexsort((-worth, groups.first))
    worth, grades, first, last = (np.take_along_axis(array, order, axis=1) for array in (worth, judged.grades, *groups))
    starts, ends = spans(first)
    columns = np.arange(first.shape[1])
    with np.errstate(invalid="ignore"):  # ranks stay infinite beyond the end of a row
        best = np.where(worth > 0, first + (columns - starts), last - (ends - columns))
        worst = np.where(np.isfinite(best), first + last - best, np.inf)
    return in_order(judged, best, grades), in_order(judged, worst, grades)


def _extremes(measure: Measure, judged: JoinedRun, groups: TieGroups, row: int) -> tuple[float, float]:
    values = measure.values(orders(measure, judged, groups, row))
    return float(values.min()), float(values.max())


def _groups_that_matter(
    measure: Measure, judged: JoinedRun, groups: TieGroups, row: int
) -> list[tuple[slice, float, int]]:
    """Columns, first rank and size of each group whose order can change the measure's value."""
    starts, ends = (columns[row] for columns in spans(groups.first))
    cutoff = math.inf
    # In a condensed list documents move up across the cutoff; a level of recall is not a rank.
    if measure.cutoff is not None and measure.definition.cutoff != "recall" and not _is_condensed(measure):
        cutoff = measure.cutoff
    tied = []
    for start in np.unique(starts[groups.first[row] < groups.last[row]]).tolist():
        first, last = groups.first[row, start], groups.last[row, start]
        straddles = first <= cutoff < last
        if first <= cutoff and (measure.definition.ordered or straddles or cutoff == math.inf):
            tied.append((slice(start, int(ends[start]) + 1), float(first), int(last - first) + 1))
    return tied


def _is_condensed(measure: Measure) -> bool:
    return bool(dict(measure.parameters).get("judged_only", False))


def _count(grades: np.ndarray, size: int) -> int:
    """How many distinct orders a group has: size! / Π (documents of one grade)!, the unjudged being a grade."""
    alike = [*Counter(grades.tolist()).values(), size - grades.size]
    return math.factorial(size) // math.prod(map(math.factorial, alike))


def _places(grades: np.ndarray, first: float, size: int) -> Iterator[tuple[list[float], list[float]]]:
    """Each way to place the judged documents of a group on its ranks: ranks and grades."""
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
