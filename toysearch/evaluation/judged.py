"""The one join of a run with the judgments; every measure is a few lines over what it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toysearch.errors import DataError
from toysearch.records import Qrels, Run


@dataclass(frozen=True)
class Judged:
    """Where the judged documents stand in the rankings, one row a judged query.

    No measure needs more than this: an unjudged document counts by the ranks that it takes from others. What
    is judged non-relevant (grade 0 or less) is here, what is unjudged is not, so that the two stay apart.

    Attributes
    ----------
    query_ids : list of str
        The judged queries, in the order of the judgments.
    retrieved : ndarray of int64, shape (n_queries,)
        How many documents the run has for each, judged or not; 0 for a query that it lacks.
    ranks : ndarray of float64, shape (n_queries, width)
        The ranks of the judged documents that were retrieved, rising from 1 on; infinite beyond their end.
    grades : ndarray of float64, shape (n_queries, width)
        The grades at those ranks; NaN beyond their end.
    ideal : ndarray of float64, shape (n_queries, most judged)
        The grades of all judged documents of the query, retrieved or not, falling; NaN beyond their end.
    threshold : float
        The grade from which on a document counts as relevant, where a measure has no ``rel`` of its own.
    top : float
        The highest grade of all judgments, 0 at least: the top of the scale, where a measure has no ``max_rel``.
    """

    query_ids: list[str]
    retrieved: np.ndarray
    ranks: np.ndarray
    grades: np.ndarray
    ideal: np.ndarray
    threshold: float
    top: float

    def hits(self, rel: float | None = None, cutoff: int | None = None) -> np.ndarray:
        """Which of the documents at `ranks` are relevant, and not below the cutoff: bool, like `ranks`."""
        relevant = self._relevant(self.grades, rel)
        return relevant if cutoff is None else relevant & (self.ranks <= cutoff)

    def n_relevant(self, rel: float | None = None) -> np.ndarray:
        """How many documents are relevant to each query, retrieved or not: int64, shape (n_queries,)."""
        return np.asarray(self._relevant(self.ideal, rel).sum(axis=1))

    def ideal_ranks(self) -> np.ndarray:
        """Where the documents at `ranks` stand in the ideal ranking that is most like this one: float64, like `ranks`.

        The ideal ranking holds the documents with a grade above 0: below all with a higher grade stand those of one
        grade, first the retrieved ones in the order of their ranks. Infinite where a document is not in it.
        """
        ranks = np.full(self.grades.shape, np.inf)
        for row, grades in enumerate(self.grades):
            kept = np.flatnonzero(grades > 0)
            falling = kept[np.argsort(-grades[kept], kind="stable")]
            own, all_of_them = -grades[falling], -self.ideal[row][self.ideal[row] > 0]
            above_in_the_grade = np.arange(own.size) - np.searchsorted(own, own)
            ranks[row, falling] = 1 + np.searchsorted(all_of_them, own) + above_in_the_grade
        return ranks

    def _relevant(self, grades: np.ndarray, rel: float | None) -> np.ndarray:
        # A grade of 0 or less is never relevant, however low the threshold; NaN compares as False.
        return (grades >= (self.threshold if rel is None else rel)) & (grades > 0)


def join(run: Run, qrels: Qrels, threshold: float = 1.0, order: np.ndarray | None = None) -> Judged:
    """The ranks and grades of the judged documents.

    Parameters
    ----------
    run : Run
        The rankings.
    qrels : Qrels
        The judgments.
    threshold : float, default 1
        The grade from which on a document counts as relevant.
    order : ndarray of int64, shape (len(run),), optional
        The rows of the run in the order of their ranks, query by query; by default they stand so.

    Returns
    -------
    Judged
        One row a query of `qrels`.

    Raises
    ------
    DataError
        If a judged query has a document twice in the run.

    Examples
    --------
    >>> from toysearch.records import Ranking
    >>> run = Run.from_rankings([Ranking("1", ["c", "x", "a"], [3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 2, "b": 1, "c": 0}}))
    >>> judged.ranks, judged.grades, judged.ideal
    (array([[1., 3.]]), array([[0., 2.]]), array([[2., 1., 0.]]))
    """
    place_of = np.arange(len(run))  # of each row, among all
    if order is not None:
        place_of[order] = np.arange(len(run))
    ranks, grades, ideal = [], [], []
    for query_id in qrels.query_ids:
        own, places = run.rows(query_id), run.places(query_id)
        if len(places) < own.stop - own.start:
            twice = next(doc_id for doc_id, count in Counter(run.doc_ids[own]).items() if count > 1)
            raise DataError(
                f"query '{query_id}' has document '{twice}' twice in the run; a ranking holds a document once"
            )
        rows = qrels.rows(query_id)
        found = np.array([places.get(doc_id, -1) for doc_id in qrels.doc_ids[rows]], dtype=np.int64)
        retrieved = np.flatnonzero(found >= 0)
        of_retrieved = place_of[own][found[retrieved]] - own.start + 1
        rising = np.argsort(of_retrieved)
        ranks.append(of_retrieved[rising])
        grades.append(qrels.relevance[rows][retrieved[rising]])
        ideal.append(np.sort(qrels.relevance[rows])[::-1])
    depths = [run.rows(query_id).stop - run.rows(query_id).start for query_id in qrels.query_ids]
    return Judged(
        query_ids=qrels.query_ids,
        retrieved=np.array(depths, dtype=np.int64),
        ranks=_padded(ranks, np.inf),
        grades=_padded(grades, np.nan),
        ideal=_padded(ideal, np.nan),
        threshold=threshold,
        top=float(qrels.relevance.max(initial=0)),
    )


def _padded(rows: Sequence[Sequence[float] | np.ndarray], fill: float) -> np.ndarray:
    """Rows of differing lengths as one matrix."""
    matrix = np.full((len(rows), max(map(len, rows), default=0)), fill)
    for row, values in zip(matrix, rows, strict=True):
        row[: len(values)] = values
    return matrix
