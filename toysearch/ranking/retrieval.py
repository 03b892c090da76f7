"""Queries → documents and scores, for one model over an index: by plain numpy or compiled loops, equal to the bit."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.paths import compiled, cores
from toysearch.ranking.model import Array, names_of
from toysearch.ranking.scoring import QueryTerms, finish, of_query, plan
from toysearch.ranking.scoring import score as plain_score
from toysearch.ranking.similarity import dot
from toysearch.ranking.topk import top
from toysearch.ranking.weights import Weights

if TYPE_CHECKING:
    from toysearch.ranking.lists import Lists

_AT_ONCE = 32  # queries that a thread answers in one call of the compiled loop
_MOST_ROWS = 1 << 20  # of results in one call
_MOST_PARTS = 8  # of documents, one for each length of a query, that are kept
_SPARE = 16  # documents found beyond the k best before those are sought out among them
_NONE = np.empty(0)

Ranked = tuple[np.ndarray, Array]
"""The numbers of documents and their scores."""


class Part(NamedTuple):
    """What a model adds to each document, the most it adds to one, and the largest of them by absolute value."""

    values: Array
    most: float
    size: float


class Retrieval:
    """Finds the documents for queries, with their scores.

    Parameters
    ----------
    weights : Weights
        The model over the index. Its memory budget is that of the compiled path's lists too.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._postings = 0  # asked for so far
        self._parts: dict[float, Part | None] = {}
        self._of_query: dict[bytes, tuple[Array, Array]] = {}

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers in one call of the model, which is much cheaper than one a term."""
        numbers = np.fromiter(terms, dtype=np.int64)
        if not compiled("search", self._postings + int(self.weights.index.df[numbers].sum())):
            self.weights.prepare(numbers.tolist())

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that hold a term of the query, by rising number, and their scores."""
        if self._compiled([query]):
            return self._added_up(query)
        return plain_score(self.weights, plan(self.weights, query))

    def _added_up(self, query: QueryTerms) -> Ranked:
        """As the compiled loop adds up the weights; numpy does what comes after."""
        from toysearch.ranking import kernels

        lists = self._lists
        held = lists.of(query.numbers.tolist())
        terms = [lists.term_weights(each) for each in held]
        planned = plan(self.weights, query, terms)
        room = min(self.weights.index.stats.N, sum(len(term.docs) for term in terms))
        docs, totals = np.empty(room, dtype=np.int64), np.empty(room)
        n = kernels.add_up(
            lists.docs,
            self.weights.index.stats.N,
            np.array([each.address for each in held], dtype=np.int64),
            self._parts_of(query)[0],
            self.weights.model.similarity.meet == "product",
            np.zeros(kernels.WINDOW),
            np.zeros(kernels.WINDOW // 64, dtype=np.int64),
            docs,
            totals,
        )
        return docs[:n], finish(self.weights, planned, docs[:n], totals[:n])

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> list[Ranked]:
        """The k best documents of each query, best first, equal ones by number; all that match where k is None.

        Parameters
        ----------
        queries : sequence of QueryTerms
            What is asked.
        k : int or None
            How many documents at the most.
        threads : int or None
            How many threads search; None means as many as there are cores. The results are the same.
        """
        by_sum = self.weights.model.similarity.function is dot and self.weights.model.similarity.meet == "product"
        if not self._compiled(queries):
            return [self._plain_best(query, k) for query in queries]
        if k is None or not by_sum:
            return [self._cut(*self._added_up(query), k) for query in queries]
        k = min(k, self.weights.index.stats.N)
        at_once = 1 if "document" in self.weights.model.hooks else max(1, min(_AT_ONCE, _MOST_ROWS // k))
        groups = [queries[start : start + at_once] for start in range(0, len(queries), at_once)]
        work = functools.partial(self._search, self._lists, k)
        if len(groups) <= 1 or threads == 1 or (threads is None and cores() == 1):
            found = map(work, groups)
            return [ranked for group in found for ranked in group]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads or cores()) as pool:
            return [ranked for group in pool.map(work, groups) for ranked in group]

    @staticmethod
    def _cut(docs: np.ndarray, scores: Array, k: int | None) -> Ranked:
        best = top(scores, k)
        return docs[best], scores[best]

    def _plain_best(self, query: QueryTerms, k: int | None) -> Ranked:
        """As the plain path finds them, which also says what is wrong where a score is not finite."""
        return self._cut(*plain_score(self.weights, plan(self.weights, query)), k)

    def _compiled(self, queries: Sequence[QueryTerms]) -> bool:
        """Whether compiled loops answer; one who has asked much already will ask more."""
        df = self.weights.index.df
        self._postings += sum(int(df[query.numbers].sum()) for query in queries)
        return compiled("search", self._postings)

    @functools.cached_property
    def _lists(self) -> Lists:
        from toysearch.ranking.lists import Lists

        return Lists(self.weights, self.weights.memory)

    def _search(self, lists: Lists, k: int, queries: Sequence[QueryTerms]) -> list[Ranked]:
        """The k best documents of a few queries; of one where the model has a document's part."""
        from toysearch.ranking import kernels

        n, part = len(queries), self._part(queries[0])
        if part is None:
            return [self._plain_best(query, k) for query in queries]
        parts = [self._parts_of(query) for query in queries]
        held = lists.of([number for query in queries for number in query.numbers.tolist()])
        bounds = np.cumsum([0, *(len(query.numbers) for query in queries)])
        room = k + max(k, _SPARE)
        docs, scores, counts = np.empty(n * k, np.int64), np.empty(n * k), np.empty(n, np.int64)
        kernels.search(
            lists.docs,
            np.array([each.address for each in held], dtype=np.int64),
            np.concatenate([query_weights for query_weights, _ in parts]),
            np.concatenate([every for _, every in parts]),
            bounds,
            *part,
            k,
            np.empty(room, np.int64),
            np.empty(room),
            np.empty(room),
            np.empty((2, room), np.int64),
            docs,
            scores,
            counts,
        )
        return [
            (docs[i * k : i * k + count], scores[i * k : i * k + count])
            if count >= 0
            else self._plain_best(queries[i], k)
            for i, count in enumerate(counts.tolist())
        ]

    def _parts_of(self, query: QueryTerms) -> tuple[Array, Array]:
        """What `of_query` gives; remembered where it depends on nothing but how often the terms occur in the query."""
        if not self._by_qtf:
            return of_query(self.weights, query)
        key = query.qtf.tobytes()
        found = self._of_query.get(key)
        if found is None:
            if len(self._of_query) >= 1000:
                self._of_query.clear()
            found = self._of_query[key] = of_query(self.weights, query)
        return found

    @functools.cached_property
    def _by_qtf(self) -> bool:
        hooks = self.weights.model.hooks
        names = {name for hook in ("query", "every") if hook in hooks for name in names_of(hooks[hook])}
        return not names & {"df", "cf"}

    def _part(self, query: QueryTerms) -> Part | None:
        """What the model adds to each document for a query of this length; None where that is not a finite number."""
        hook = self.weights.model.hooks.get("document")
        if hook is None:
            return Part(_NONE, 0.0, 0.0)
        length = query.statistics["ql"] if "ql" in names_of(hook) else 0.0
        if length not in self._parts:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.pop(next(iter(self._parts)), None)
            self._parts[length] = self._document_part(query)
        return self._parts.get(length) or self._document_part(query)

    def _document_part(self, query: QueryTerms) -> Part | None:
        index = self.weights.index
        names = names_of(self.weights.model.hooks["document"])
        statistics = {**query.statistics, **self.weights.document_statistics(np.arange(index.stats.N), names)}
        values = self.weights.hook("document", statistics, index.stats.N)
        values[index.distinct == 0] = 0.0  # no query finds an empty document
        if not np.isfinite(values).all():
            return None
        return Part(values, float(values.max()), float(np.abs(values).max()))
