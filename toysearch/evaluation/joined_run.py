"""The one join of a run with the judgments; every measure is a few lines over it.

Start with `JoinedRun`: for each query, the ranks of its judged documents and their grades. `join` makes it,
`join_blocks` one after the other for many queries.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, repeat
from typing import TypeAlias

import numpy as np

from toysearch.base import DataError, GroupedIds, Identifiers, Numbered, Qrels, Run, repeat_each, score_keys
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.run_order import Order, negated
from toysearch.base.subtopics import Subtopics

Cutoff: TypeAlias = int | None
"""Last rank that counts; None if all count."""

Grade: TypeAlias = float | None
"""Lowest relevant grade, or the top of the scale; None for that of the join."""


@dataclass(frozen=True)
class JoinedSubtopics:
    """Grades of the judged documents of a join for each sub-topic of their queries."""

    names: tuple[tuple[str, ...], ...]  # of each query
    weights: np.ndarray  # (n_queries, n_subtopics) float64; 0 beyond the sub-topics of a query
    grades: np.ndarray  # (n_queries, width, n_subtopics) float64; of those at `JoinedRun.ranks`; NaN if unjudged
    # (n_queries, most judged, n_subtopics) float64; of all judged documents, retrieved or not, by falling id
    judged: np.ndarray

    def of_queries(self, rows: np.ndarray) -> JoinedSubtopics:
        """Return the sub-topics of some of the queries."""
        names = tuple(self.names[row] for row in rows.tolist())
        return JoinedSubtopics(names, self.weights[rows], self.grades[rows], self.judged[rows])

    def arranged(self, columns: np.ndarray) -> JoinedSubtopics:
        """Arrange sub-topics so that the documents of these columns are at the ranks: (n_queries, width) int64."""
        return replace(self, grades=np.take_along_axis(self.grades, columns[..., np.newaxis], axis=1))


@dataclass(frozen=True)
class JoinedRun:
    """Ranks of the judged documents in the rankings, one row per judged query.

    No measure needs more than this: an unjudged document matters only because it takes a rank. A document that is
    judged non-relevant (grade 0 or less) is included and an unjudged one is not, so the two stay distinct.
    """

    query_ids: list[str]  # the judged queries, in the order of the judgments
    # (n_queries,) int64; the number of documents of the run for each, judged or not; 0 for a query that it lacks
    retrieved: np.ndarray
    # (n_queries, width) float64; the ranks of the judged documents that were retrieved, rising from 1 on; infinite
    # beyond their end
    ranks: np.ndarray
    grades: np.ndarray  # (n_queries, width) float64; the grades at those ranks; NaN beyond their end
    # (n_queries, most judged) float64; the grades of all judged documents of the query, retrieved or not, falling; NaN
    # beyond their end
    ideal: np.ndarray
    threshold: float  # the lowest grade that is relevant for a measure without its own ``rel``
    # the highest grade of all judgments, at least 0: the top of the scale for a measure without ``max_rel``
    top: float
    subtopics: JoinedSubtopics | None = None  # None if the judgments name none

    @property
    def by_subtopic(self) -> JoinedSubtopics:
        """Grades for each sub-topic; without sub-topics each query is its only one."""
        if self.subtopics is not None:
            return self.subtopics
        names, weights = (("",),) * len(self.query_ids), np.ones((len(self.query_ids), 1))
        return JoinedSubtopics(names, weights, self.grades[..., np.newaxis], self.ideal[..., np.newaxis])

    def of_queries(self, rows: np.ndarray) -> JoinedRun:
        """Return the join of some of the queries."""
        return replace(
            self,
            query_ids=[self.query_ids[row] for row in rows.tolist()],
            retrieved=self.retrieved[rows],
            ranks=self.ranks[rows],
            grades=self.grades[rows],
            ideal=self.ideal[rows],
            subtopics=self.subtopics and self.subtopics.of_queries(rows),
        )

    def is_relevant(self, grades: np.ndarray, rel: Grade = None) -> np.ndarray:
        """Mark the grades of relevant documents: bool, like `grades`."""
        # A grade of 0 or less is never relevant, however low the threshold; NaN compares as False.
        return (grades >= (self.threshold if rel is None else rel)) & (grades > 0)

    def hits(self, rel: Grade = None, cutoff: Cutoff = None) -> np.ndarray:
        """Mark the documents at `ranks` that are relevant, and not below the cutoff: bool, like `ranks`."""
        relevant = self.is_relevant(self.grades, rel)
        return relevant if cutoff is None else relevant & self.within(cutoff)

    def within(self, cutoff: Cutoff) -> np.ndarray:
        """Mark the `ranks` that are not below the cutoff: bool, like `ranks`; all ranks without a cutoff."""
        return self.ranks <= (np.inf if cutoff is None else cutoff)

    def depths(self, cutoff: Cutoff) -> np.ndarray:
        """Count the documents of each query down to the cutoff, judged or not: shape (n_queries,)."""
        return self.retrieved if cutoff is None else np.minimum(self.retrieved, cutoff)

    def n_relevant(self, rel: Grade = None) -> np.ndarray:
        """Count the relevant documents of each query, retrieved or not: int64, shape (n_queries,)."""
        return np.asarray(self.is_relevant(self.ideal, rel).sum(axis=1))

    def ideal_ranks(self) -> np.ndarray:
        """Ranks of the documents at `ranks` in the most similar ideal ranking: float64, like `ranks`."""
        # The ideal ranking has the documents with a grade above 0, by falling grade. Within a grade, the retrieved ones
        # come first, in the order of their ranks. Infinite for a document that is not in it.
        ranks = np.full(self.grades.shape, np.inf)
        for row, grades in enumerate(self.grades):
            columns = np.flatnonzero(grades > 0)
            falling = columns[np.argsort(-grades[columns], kind="stable")]
            gains, all_of_them = -grades[falling], -self.ideal[row][self.ideal[row] > 0]
            above_in_the_grade = np.arange(gains.size) - np.searchsorted(gains, gains)
            ranks[row, falling] = 1 + np.searchsorted(all_of_them, gains) + above_in_the_grade
        return ranks


CELLS = 1 << 20
"""Most cells of a matrix, unless a single query needs more: 8 MB each."""


def blocks(qrels: Qrels, cells: int | None = None) -> Iterator[slice]:
    """Yield ranges of queries that are joined together, so that the matrices stay small."""
    cells = CELLS if cells is None else cells
    start = width = 0
    times = 1 if qrels.subtopics is None else qrels.subtopics.grades.shape[1]
    for query, judged in enumerate(np.diff(qrels.offsets).tolist()):
        width = max(width, judged * times)
        if query > start and (query - start + 1) * width > cells:
            yield slice(start, query)
            start, width = query, judged
    yield slice(start, len(qrels.query_ids))


_AS_THEY_STAND = Order("rank")


def join(
    run: Run,
    qrels: Qrels,
    threshold: float = 1.0,
    order: Order = _AS_THEY_STAND,
    queries: slice = slice(None),
    retrieved_only: bool = False,
) -> JoinedRun:
    """Join ranks and grades of the judged documents; with `retrieved_only` the ideal has retrieved documents only."""
    query_ids = qrels.query_ids[queries]
    places = run.positions(query_ids)
    judged_rows = np.stack([qrels.offsets[:-1], qrels.offsets[1:]], axis=1)[queries]
    judged = slice(judged_rows[0, 0], judged_rows[-1, 1])
    judged_bounds = np.append(judged_rows[:, 0], judged.stop) - judged.start
    query = np.zeros(judged.stop - judged.start + 1, np.int64)
    np.add.at(query, judged_bounds[1:-1], 1)
    query = query[:-1].cumsum()  # of each judgment, and then of each judged document that was retrieved, by rank
    bounds = np.where(places < 0, 0, [run.offsets[places], run.offsets[places + 1]]).T.copy()
    ranks_of = _ranks(run, qrels, order, query_ids, places[query], bounds, judged, judged_bounds)
    n_retrieved = bounds[:, 1] - bounds[:, 0]
    # What is arranged by rank: the grades, or the rows of the judgments if these have sub-topics.
    values = qrels.values[judged] if qrels.subtopics is None else np.arange(float(judged.start), judged.stop)
    if compiled():
        from toysearch.compiled.run_ranks import arrange

        shape = len(query_ids), int(np.diff(judged_bounds).max())
        ranks, grades, row_of = np.full(shape, np.inf), np.full(shape, np.nan), np.full(n_retrieved.max() + 1, -1)
        width = arrange(judged_bounds, ranks_of, values, row_of, ranks, grades)
        ranks, grades = np.ascontiguousarray(ranks[:, :width]), np.ascontiguousarray(grades[:, :width])
    else:
        retrieved = np.flatnonzero(ranks_of)
        retrieved = retrieved[np.argsort(query[retrieved] * (run.values.size + 1) + ranks_of[retrieved])]
        query = query[retrieved]
        starts = np.searchsorted(query, np.arange(len(query_ids) + 1))
        column = np.arange(retrieved.size) - starts[query]
        shape = len(query_ids), int(np.diff(starts).max(initial=0))
        ranks, grades = np.full(shape, np.inf), np.full(shape, np.nan)
        ranks[query, column] = ranks_of[retrieved]
        grades[query, column] = values[retrieved]
    subtopics = None
    if qrels.subtopics is not None:
        grades, subtopics = with_subtopics(qrels, qrels.subtopics, queries, grades, retrieved_only)
    return JoinedRun(
        query_ids=query_ids,
        retrieved=n_retrieved,
        ranks=ranks,
        grades=grades,
        ideal=-np.sort(-grades, axis=1) if retrieved_only else ideal_of(qrels.values, judged_rows),
        threshold=threshold,
        top=qrels.top,
        subtopics=subtopics,
    )


def with_subtopics(
    qrels: Qrels, of_qrels: Subtopics, queries: slice, arranged: np.ndarray, retrieved_only: bool = False
) -> tuple[np.ndarray, JoinedSubtopics]:
    """Return the grades of rows of the judgments arranged by rank, and their grades for the sub-topics."""
    is_row = ~np.isnan(arranged)
    rows = np.where(is_row, arranged, 0).astype(np.int64)
    by_rank = np.where(is_row[..., np.newaxis], of_qrels.grades[rows], np.nan)
    judged = by_rank
    if not retrieved_only:
        bounds = np.stack([qrels.offsets[:-1], qrels.offsets[1:]], axis=1)[queries].tolist()
        most = max((stop - start for start, stop in bounds), default=0)
        judged = np.full((len(bounds), most, by_rank.shape[2]), np.nan)
        for query, (start, stop) in enumerate(bounds):
            doc_ids = qrels.ids.at(np.arange(start, stop))
            falling = sorted(range(stop - start), key=doc_ids.__getitem__, reverse=True)
            judged[query, : stop - start] = of_qrels.grades[start:stop][falling]
    subtopics = JoinedSubtopics(of_qrels.names[queries], of_qrels.weights[queries], by_rank, judged)
    return np.where(is_row, qrels.values[rows], np.nan), subtopics


def _ranks(
    run: Run,
    qrels: Qrels,
    order: Order,
    query_ids: Sequence[str],
    queries: np.ndarray,
    bounds: np.ndarray,
    judged: slice,
    judged_bounds: np.ndarray,
) -> np.ndarray:
    """Rank of each judged document of some queries, int64; 0 for one that was not retrieved."""
    # queries: (n_judgments,) int64, the place of its query in the run, −1 for one that the run lacks; bounds:
    # (n_queries, 2) int64, its rows in the run; judged: the rows of the judgments; judged_bounds: (n_queries + 1,)
    # int64, where those of each query begin among these, and their end.
    ranks = np.zeros(queries.size, np.int64)
    if order.rule == "rank":
        rows = _rows(run, qrels, query_ids, queries, judged, judged_bounds)
        retrieved = np.flatnonzero(rows >= 0)
        of_rows = rows[retrieved] if order.places is None else order.places[rows[retrieved]]
        ranks[retrieved] = of_rows - run.offsets[queries[retrieved]] + 1
        return ranks
    in_dicts = run.ranks_in_dicts(qrels) if run.groups is not None and compiled() else None
    if in_dicts is not None:
        return in_dicts[judged]
    by_score = order.by_score
    if run.groups is None:
        rows = _rows(run, qrels, query_ids, queries, judged, judged_bounds)
        retrieved = np.flatnonzero(rows >= 0)
        scores = np.full(rows.size, math.nan)
        scores[retrieved] = run.values[rows[retrieved]]
        del rows, retrieved  # as large as the judgments, and not needed below
    else:  # a dict tells the score of a document, but not its row
        doc_ids = qrels.doc_ids[judged]
        looked_up = (
            map(run.groups.get(query_id, {}).get, doc_ids[start:stop], repeat(math.nan))
            for query_id, (start, stop) in zip(query_ids, pairwise(judged_bounds.tolist()), strict=True)
        )
        scores = np.fromiter(chain.from_iterable(looked_up), np.float64, queries.size)
    if by_score is not None:
        from toysearch.compiled.run_ranks import rank

        table = np.empty((queries.size, 3), np.int64)
        n_tied = rank(by_score.rising, bounds, judged_bounds, negated(scores), ranks, table)
        tied, first, last = table[:n_tied].T.copy()
    else:
        retrieved = np.flatnonzero(~np.isnan(scores))
        keys = (queries[retrieved] << 33) - score_keys(scores[retrieved])
        first, last = (np.searchsorted(order.keys, keys, side) for side in ("left", "right"))
        ranks[retrieved] = first - run.offsets[queries[retrieved]] + 1
        some = np.flatnonzero(last - first > 1)
        tied, first, last = retrieved[some], first[some], last[some]
    if tied.size:
        doc_ids = qrels.ids.at(tied + judged.start)
        ranks[tied] += _tied_above(run, order, first, last, doc_ids)
    return ranks


def _tied_above(run: Run, order: Order, first: np.ndarray, last: np.ndarray, doc_ids: Sequence[str]) -> np.ndarray:
    """For each tied document, count the larger ids of its group, which is `first:last` by rank."""
    begins, some, of_group = np.unique(first, return_index=True, return_inverse=True)
    sizes = last[some] - begins
    ends = sizes.cumsum()
    places = np.arange(sizes.sum()) + repeat_each(begins - ends + sizes, sizes)
    texts = run.ids.at(places if order.rows is None else order.rows[places])
    groups = [sorted(texts[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
    rows = zip(of_group.tolist(), doc_ids, strict=True)
    above = [len(groups[group]) - bisect_right(groups[group], doc_id) for group, doc_id in rows]
    return np.array(above, np.int64)


def _rows(
    run: Run, qrels: Qrels, query_ids: Sequence[str], queries: np.ndarray, judged: slice, judged_bounds: np.ndarray
) -> np.ndarray:
    """Row of the run that holds each judged document of some queries, int64; −1 for one that was not retrieved."""
    if isinstance(run.ids, GroupedIds):
        known = qrels.ids
        words = known.ids.words if isinstance(known, GroupedIds) else None
        ids = Identifiers.of(qrels.doc_ids[judged]) if words is None else Identifiers(words[judged])
        rows = None if ids is None else ids.found_in(run.ids, queries)
        if rows is not None:
            return rows
    if isinstance(run.ids, Numbered):  # ids that stand for numbers, each once in a query: no id of the run is decoded
        numbers, of_judged = run.ids.numbers, run.ids.numbers_of(qrels.doc_ids[judged])
        rows = np.empty(len(of_judged), np.int64)
        row_of = np.full(int(numbers.max(initial=-1)) + 2, -1)  # the last is that of −1, a document that no query has
        for query_id, (start, stop) in zip(query_ids, pairwise(judged_bounds.tolist()), strict=True):
            of_query = run.rows(query_id)
            row_of[numbers[of_query]] = np.arange(of_query.start, of_query.stop)
            rows[start:stop] = row_of[of_judged[start:stop]]
            row_of[numbers[of_query]] = -1
        return rows
    every_row = []
    for query_id, n_judged in zip(query_ids, np.diff(judged_bounds).tolist(), strict=True):
        if query_id not in run:
            every_row += [-1] * n_judged
            continue
        of_query, places = run.rows(query_id), run.places(query_id)
        if len(places) < of_query.stop - of_query.start:
            twice = next(doc_id for doc_id, count in Counter(run.doc_ids_of(query_id)).items() if count > 1)
            raise DataError(
                f"query '{query_id}' has document '{twice}' twice in the run; a ranking holds a document once"
            )
        start = of_query.start
        every_row += [places.get(doc_id, -1 - start) + start for doc_id in qrels.doc_ids_of(query_id)]
    return np.array(every_row, np.int64)


@dataclass(frozen=True)
class JoinedBlocks:
    """Run joined with judgments in blocks of queries, since the matrices of all queries could be large."""

    run: Run
    qrels: Qrels
    threshold: float
    order: Order
    retrieved_only: bool = False  # as of `join`
    single: JoinedRun | None = None  # the block, if there is only one: small enough to keep

    def __iter__(self) -> Iterator[JoinedRun]:
        if self.single is not None:
            yield self.single
            return
        for queries in blocks(self.qrels):
            yield join(self.run, self.qrels, self.threshold, self.order, queries, self.retrieved_only)

    def lasting(self) -> JoinedBlocks:
        """Keep the blocks for later use, without a dict that a caller may change; a single block needs no ids."""
        run, qrels, doc_ids = self.run, self.qrels, list[str]()
        if self.single is None:
            qrels, doc_ids = qrels.lasting(), run.doc_ids
        if self.single is not None or run.groups is not None:
            run = Run(run.query_ids, run.offsets, doc_ids, run.values, run.name, run.ranked)
        return replace(self, qrels=qrels, run=run)


def join_blocks(run: Run, qrels: Qrels, threshold: float, order: Order, retrieved_only: bool) -> JoinedBlocks:
    """Join a run with judgments in blocks; at once if one block holds all queries."""
    joined = JoinedBlocks(run, qrels, threshold, order, retrieved_only)
    if len(list(blocks(qrels))) > 1:
        return joined
    return replace(joined, single=next(iter(joined)))


def condensed(judged: JoinedRun) -> JoinedRun:
    """Condense the lists of a join: unjudged documents are taken out and the judged ones move up.

    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["u", "a", "v", "b", "c"], [5, 4, 3, 2, 1])])
    >>> short = condensed(join(run, Qrels.from_dict({"1": {"a": 2, "b": -1, "c": 0}})))
    >>> short.ranks, short.grades, short.retrieved
    (array([[1., 2.]]), array([[2., 0.]]), array([2]))
    """
    # Any measure of the result is its condensed-list form (option -J of trec_eval; Sakai 2007, Alternatives to Bpref,
    # SIGIR). Documents with a negative grade are removed too. The judgments stay the same, and so do the ideal and the
    # number of relevant documents.
    judged_columns = judged.grades >= 0  # NaN, beyond a row's end, compares as False
    counts = judged_columns.sum(axis=1)
    width = int(counts.max(initial=0))
    within = np.arange(width) < counts[:, np.newaxis]
    ranks = np.where(within, np.arange(1.0, width + 1), np.inf)
    grades = np.full(within.shape, np.nan)
    grades[within] = judged.grades[judged_columns]  # row by row, in the order of the ranks
    subtopics = judged.subtopics
    if subtopics is not None:
        by_rank = np.full((*within.shape, subtopics.grades.shape[2]), np.nan)
        by_rank[within] = subtopics.grades[judged_columns]
        subtopics = replace(subtopics, grades=by_rank)
    return replace(judged, retrieved=counts.astype(np.int64), ranks=ranks, grades=grades, subtopics=subtopics)


def ideal_of(relevance: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Matrix `JoinedRun.ideal`: the grades of each query, falling."""
    # rows: (n_queries, 2) int64, where the grades of each query begin and end.
    lengths = rows[:, 1] - rows[:, 0]
    matrix = np.full((len(rows), int(lengths.max(initial=0))), np.nan)
    matrix[np.arange(matrix.shape[1]) < lengths[:, np.newaxis]] = relevance[slice(rows.min(), rows.max())]
    matrix *= -1
    matrix.sort(axis=1)  # NaN comes last
    return -matrix
