"""The one join of a run with the judgments; every measure is a few lines over it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toysearch.compiled.choice import pays_from
from toysearch.errors import DataError
from toysearch.records import Qrels, Run


@dataclass(frozen=True)
class JoinedRun:
    """The ranks of the judged documents in the rankings, one row per judged query.

    No measure needs more than this: an unjudged document matters only because it takes a rank. What is judged
    non-relevant (grade 0 or less) is included, what is unjudged is not, so that the two stay distinct.
    """

    query_ids: list[str]  # the judged queries, in the order of the judgments
    # (n_queries,) int64; how many documents the run has for each, judged or not; 0 for a query that it lacks
    retrieved: np.ndarray
    # (n_queries, width) float64; the ranks of the judged documents that were retrieved, rising from 1 on; infinite
    # beyond their end
    ranks: np.ndarray
    grades: np.ndarray  # (n_queries, width) float64; the grades at those ranks; NaN beyond their end
    # (n_queries, most judged) float64; the grades of all judged documents of the query, retrieved or not, falling; NaN
    # beyond their end
    ideal: np.ndarray
    threshold: float  # the grade from which on a document counts as relevant, where a measure has no ``rel`` of its own
    # the highest grade of all judgments, 0 at least: the top of the scale, where a measure has no ``max_rel``
    top: float

    def hits(self, rel: float | None = None, cutoff: int | None = None) -> np.ndarray:
        """Which of the documents at `ranks` are relevant, and not below the cutoff: bool, like `ranks`."""
        # A grade of 0 or less is never relevant, however low the threshold; NaN compares as False.
        relevant = (self.grades >= (self.threshold if rel is None else rel)) & (self.grades > 0)
        return relevant if cutoff is None else relevant & self.within(cutoff)

    def within(self, cutoff: int | None) -> np.ndarray:
        """Which of `ranks` are not below the cutoff: bool, like `ranks`; all ranks without a cutoff."""
        return np.asarray(self.ranks <= (np.inf if cutoff is None else cutoff))

    def n_relevant(self, rel: float | None = None) -> np.ndarray:
        """How many documents are relevant to each query, retrieved or not: int64, shape (n_queries,)."""
        relevant = (self.ideal >= (self.threshold if rel is None else rel)) & (self.ideal > 0)
        return np.asarray(relevant.sum(axis=1))

    def ideal_ranks(self) -> np.ndarray:
        """The ranks of the documents at `ranks` in the most similar ideal ranking: float64, like `ranks`."""
        # The ideal ranking holds the documents with a grade above 0: below all with a higher grade stand those of one
        # grade, first the retrieved ones in the order of their ranks. Infinite where a document is not in it.
        ranks = np.full(self.grades.shape, np.inf)
        for row, grades in enumerate(self.grades):
            kept = np.flatnonzero(grades > 0)
            falling = kept[np.argsort(-grades[kept], kind="stable")]
            own, all_of_them = -grades[falling], -self.ideal[row][self.ideal[row] > 0]
            above_in_the_grade = np.arange(own.size) - np.searchsorted(own, own)
            ranks[row, falling] = 1 + np.searchsorted(all_of_them, own) + above_in_the_grade
        return ranks


CELLS = 1 << 20
"""How large the matrices are at the most, where a single query does not need more: 8 MB each."""


def blocks(qrels: Qrels, cells: int | None = None) -> Iterator[slice]:
    """The queries to be joined at a time, so that the matrices stay small."""
    cells = CELLS if cells is None else cells
    start = width = 0
    for query, judged in enumerate(np.diff(qrels.offsets).tolist()):
        width = max(width, judged)
        if query > start and (query - start + 1) * width > cells:
            yield slice(start, query)
            start, width = query, judged
    yield slice(start, len(qrels.query_ids))


def join(
    run: Run,
    qrels: Qrels,
    threshold: float = 1.0,
    order: np.ndarray | None = None,
    queries: slice = slice(None),
    retrieved_only: bool = False,
) -> JoinedRun:
    """The ranks and grades of the judged documents; with `retrieved_only` the ideal is made of the retrieved ones."""
    # order: (len(run),) int64, the rows of the run by rank, query by query; None where they stand so.
    query_ids = qrels.query_ids[queries]
    run_rows = np.array([(rows.start, rows.stop) for rows in map(run.rows, query_ids)], dtype=np.int64).reshape(-1, 2)
    judged_rows = np.stack([qrels.offsets[:-1], qrels.offsets[1:]], axis=1)[queries]
    shape = len(query_ids), int(np.diff(judged_rows).max(initial=0))
    ranks, grades = np.full(shape, np.inf), np.full(shape, np.nan)
    # The plain loop finds a document that a query has twice, and names it.
    if run.values.size >= pays_from(run.work) and not run.repeats:
        from toysearch.compiled.judged_ranks import judged_ranks

        own = np.empty(0, dtype=np.int64) if order is None else order
        width = judged_ranks(
            run_rows, own, *run.packed_ids, judged_rows, *qrels.packed_ids, qrels.values, ranks, grades
        )
    else:
        width = _fill_ranks(run, qrels, order, query_ids, ranks, grades)
    ranks, grades = ranks[:, :width].copy(), grades[:, :width].copy()
    return JoinedRun(
        query_ids=query_ids,
        retrieved=run_rows[:, 1] - run_rows[:, 0],
        ranks=ranks,
        grades=grades,
        ideal=-np.sort(-grades, axis=1) if retrieved_only else ideal_of(qrels.values, judged_rows),
        threshold=threshold,
        top=float(qrels.values.max(initial=0)),
    )


def _fill_ranks(
    run: Run, qrels: Qrels, order: np.ndarray | None, query_ids: Sequence[str], ranks: np.ndarray, grades: np.ndarray
) -> int:
    """Write ranks and grades of the retrieved into the rows of two matrices; returns the length of the longest row."""
    width = 0
    for row, query_id in enumerate(query_ids):
        own, places = run.rows(query_id), run.places(query_id)
        if len(places) < own.stop - own.start:
            twice = next(doc_id for doc_id, count in Counter(run.doc_ids_of(query_id)).items() if count > 1)
            raise DataError(
                f"query '{query_id}' has document '{twice}' twice in the run; a ranking holds a document once"
            )
        place_of = np.arange(own.stop - own.start)
        if order is not None:
            place_of[order[own] - own.start] = np.arange(own.stop - own.start)
        found = np.array([places.get(doc_id, -1) for doc_id in qrels.doc_ids_of(query_id)], dtype=np.int64)
        retrieved = np.flatnonzero(found >= 0)
        of_retrieved = place_of[found[retrieved]] + 1
        rising = np.argsort(of_retrieved)
        ranks[row, : rising.size] = of_retrieved[rising]
        grades[row, : rising.size] = qrels.values[qrels.rows(query_id)][retrieved[rising]]
        width = max(width, rising.size)
    return width


@dataclass
class JoinedBlocks:
    """A run joined with judgments, some queries at a time: the matrices of all of them could be large."""

    run: Run
    qrels: Qrels
    threshold: float
    order: np.ndarray | None  # as of `join`
    rule: str  # what put the run in this order
    retrieved_only: bool = False  # as of `join`
    kept: JoinedRun | None = None  # the only block, where there is one

    def __iter__(self) -> Iterator[JoinedRun]:
        if self.kept is None:
            queries = list(blocks(self.qrels))
            for each in queries:
                joined = join(self.run, self.qrels, self.threshold, self.order, each, self.retrieved_only)
                if len(queries) == 1:  # it is small: it is kept, and of the run what tells which documents are tied
                    run, self.kept = self.run, joined
                    self.run = Run(run.query_ids, run.offsets, [], run.values, run.name, run.ranked)
                yield joined
        else:
            yield self.kept


def condensed(judged: JoinedRun) -> JoinedRun:
    """The join with the condensed lists: unjudged documents are taken out and the judged ones move up.

    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["u", "a", "v", "b", "c"], [5, 4, 3, 2, 1])])
    >>> short = condensed(join(run, Qrels.from_dict({"1": {"a": 2, "b": -1, "c": 0}})))
    >>> short.ranks, short.grades, short.retrieved
    (array([[1., 2.]]), array([[2., 0.]]), array([2]))
    """
    # Any measure of the result is its condensed-list form (option -J of trec_eval; Sakai 2007, Alternatives to Bpref,
    # SIGIR). Documents with a negative grade go too; the judgments themselves, and so the ideal and the number of
    # relevant documents, stay.
    kept = judged.grades >= 0  # NaN, beyond a row's end, compares as False
    counts = kept.sum(axis=1)
    width = int(counts.max(initial=0))
    within = np.arange(width) < counts[:, np.newaxis]
    ranks = np.where(within, np.arange(1.0, width + 1), np.inf)
    grades = np.full(within.shape, np.nan)
    grades[within] = judged.grades[kept]  # row by row, in the order of the ranks
    return dataclasses.replace(judged, retrieved=counts.astype(np.int64), ranks=ranks, grades=grades)


def ideal_of(relevance: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The grades of queries, falling, as the matrix `JoinedRun.ideal`."""
    # rows: (n_queries, 2) int64, where the grades of each query begin and end.
    lengths = rows[:, 1] - rows[:, 0]
    matrix = np.full((len(rows), int(lengths.max(initial=0))), np.nan)
    matrix[np.arange(matrix.shape[1]) < lengths[:, np.newaxis]] = relevance[slice(rows.min(), rows.max())]
    matrix *= -1
    matrix.sort(axis=1)  # NaN comes last
    return -matrix
