"""The judged documents of queries in an index, prepared once, and the ranks that scores of documents give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from toysearch.compiled.judged_ranks import rank
from toysearch.evaluation.joined_run import JoinedRun, blocks, ideal_of
from toysearch.index.inverted_index import Index
from toysearch.models.model import Array
from toysearch.records import Qrels


class Unfit(Exception):
    """The model must be evaluated query by query: its values are not numbers, or it has its own similarity."""


class MatchedDocuments(NamedTuple):
    """The documents that match some queries."""

    queries: slice
    docs: np.ndarray  # the documents, query by query
    counts: np.ndarray  # the number of documents per query
    judged_places: np.ndarray  # for each judged document its position in `docs`; −1 if it does not match


class JudgedDocuments:
    """Judged queries, with the numbers of their judged documents."""

    def __init__(self, index: Index, qrels: Qrels, threshold: float, k: int | None) -> None:
        self._index, self._qrels, self._threshold = index, qrels, threshold
        self._depth = index.stats.N if k is None else k
        # Judged documents that the index lacks cannot be retrieved.
        numbers = {doc_id: index.doc_ids.find(doc_id, index.doc_ids_order) for doc_id in dict.fromkeys(qrels.doc_ids)}
        docs = np.array([numbers[doc_id] for doc_id in qrels.doc_ids], dtype=np.int64)
        self._judged_docs, self._grades = docs[docs >= 0], qrels.relevance[docs >= 0]
        self._judged_bounds = np.cumsum(np.append(0, docs >= 0))[qrels.offsets]
        rows = np.stack([qrels.offsets[:-1], qrels.offsets[1:]], axis=1)
        self._parts = [(queries, ideal_of(qrels.relevance, rows[queries])) for queries in blocks(qrels)]

    def judged_of(self, queries: slice) -> tuple[slice, np.ndarray]:
        """The judged documents of some queries, and where those of each begin."""
        bounds = self._judged_bounds[queries.start : queries.stop + 1]
        return slice(int(bounds[0]), int(bounds[-1])), bounds - bounds[0]

    def joined(self, scored: Callable[[slice], Iterable[tuple[MatchedDocuments, Array]]]) -> Iterator[JoinedRun]:
        """Rankings joined with the judgments, some queries at a time, from what gives the scores of some queries."""
        for queries, ideal in self._parts:
            _, bounds = self.judged_of(queries)
            ranks = np.full((len(ideal), int(np.diff(bounds).max(initial=0))), np.inf)
            grades, retrieved = np.full(ranks.shape, np.nan), np.zeros(len(ideal), dtype=np.int64)
            width = 0
            for matched, scores in scored(queries):
                rows = slice(matched.queries.start - queries.start, matched.queries.stop - queries.start)
                judged, own_bounds = self.judged_of(matched.queries)
                deepest = rank(
                    matched.counts,
                    matched.docs,
                    scores,
                    own_bounds,
                    matched.judged_places,
                    self._grades[judged],
                    self._depth,
                    ranks[rows],
                    grades[rows],
                )
                width = max(width, deepest)
                retrieved[rows] = np.minimum(matched.counts, self._depth)
            yield JoinedRun(
                query_ids=self._qrels.query_ids[queries],
                retrieved=retrieved,
                ranks=ranks[:, :width].copy(),
                grades=grades[:, :width].copy(),
                ideal=ideal,
                threshold=self._threshold,
                top=float(self._qrels.relevance.max(initial=0)),
            )
