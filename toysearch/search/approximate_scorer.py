"""An approximate search for the nearest vectors, with exact scores and its recall against the exact search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import ToysearchNote, note
from toysearch.index.inverted_index import Index
from toysearch.models.vector_models import DenseVectors
from toysearch.search.dense_vectors import UserVectors
from toysearch.search.nearest_vectors import best_of, nearest
from toysearch.search.scoring import QueryTerms, Ranked
from toysearch.search.vector_scorer import VectorScorer

_MEASURED = 256  # queries that are also searched exactly, from the first one


class Recall(NamedTuple):
    """The share of the exact ranking that an approximate search finds, averaged over queries."""

    model: str
    k: int  # the length of the exact rankings
    mean: float
    lowest: float  # of a query
    measured: int  # queries: the first ones
    asked: int

    def __str__(self) -> str:
        found = f"recall@{self.k} of {self.model} against the exact ranking: {self.mean:.4f}"
        if self.asked == 1:
            return found
        first = "" if self.measured == self.asked else f"the first {self.measured:,} of "
        return f"{found}, averaged over {first}{self.asked:,} queries; lowest {self.lowest:.4f}"


class RecallNote(ToysearchNote):
    """The note of the recall of an approximate search."""

    def __init__(self, recall: Recall) -> None:
        super().__init__(str(recall))
        self.recall = recall


class ApproximateScorer(VectorScorer):
    """The vectors of the user over an index: a graph finds the documents, and their scores are exact."""

    def __init__(self, index: Index, vectors: UserVectors, model: DenseVectors) -> None:
        super().__init__(index, vectors)
        self.model, self.graph = model, vectors.graph
        # By k and by the vector of the query: the share that was found, None if it was not measured.
        self._shares: dict[int, dict[bytes, float | None]] = defaultdict(dict)
        self._untold: set[int] = set()

    def score(self, query: QueryTerms) -> Ranked:
        """The candidates, by ascending number; all documents that the structure of the query matches, if it has any."""
        if query.matched is not None:
            return super().score(query)
        [(docs, scores)] = self._nearest([query], None)
        order = np.argsort(docs)
        return docs[order], scores[order]

    def _best(self, queries: Sequence[QueryTerms], k: int | None) -> list[Ranked]:
        found = iter(self._nearest([query for query in queries if query.matched is None], k))
        return [next(found) if query.matched is None else VectorScorer._best(self, [query], k)[0] for query in queries]

    def _nearest(self, queries: Sequence[QueryTerms], k: int | None) -> list[Ranked]:
        """The k best documents that the graph finds, best first; all candidates if k is None."""
        points = self.vectors.points
        n = max(self.model.approximate, k or 0)
        k = min(k or n, len(points.matrix))
        found: list[Ranked] = []
        vectors = [self.vectors.of_query(query) for query in queries]
        for vector in vectors:
            none = np.zeros(0, np.int64), np.zeros(0)
            found.append(none if vector is None else best_of(points, self.graph.nearest(vector, n), vector, k))
        self._measure(k, [pair for pair in zip(vectors, found, strict=True) if pair[0] is not None])
        return found

    def _measure(self, k: int, answered: Sequence[tuple[Any, Ranked]]) -> None:
        """Compare rankings with the exact ones; a document with the score of the last exact one counts as found."""
        shares = self._shares[k]
        new = {key: each for each in answered if (key := each[0].tobytes()) not in shares}
        left = max(0, _MEASURED - len(shares))
        shares.update(dict.fromkeys(new))
        some = dict(islice(new.items(), left))
        exact = nearest(self.vectors.points, [vector for vector, _ in some.values()], k)
        for (key, (_, (_, scores))), (_, best) in zip(some.items(), exact, strict=True):
            shares[key] = float((scores >= best[-1]).sum() / len(best)) if len(best) else 1.0
        if answered:
            self._untold.add(k)

    def tell_recall(self) -> None:
        """Issue a note for each k that queries were asked with since the last one."""
        for k in sorted(self._untold):
            shares = [share for share in self._shares[k].values() if share is not None]
            mean, asked = sum(shares) / len(shares), len(self._shares[k])
            recall = Recall(str(self.model), k, mean, min(shares), len(shares), asked)
            note(RecallNote(recall))
        self._untold.clear()


def tell_recall(scorer: Any) -> None:
    """Issue the notes of the recall of the approximate searches in a mixture; another scorer has none."""
    for each in getattr(scorer, "scorers", {}).values():
        if isinstance(each, ApproximateScorer):
            each.tell_recall()
