"""Queries → documents and scores, for one model over an index: by plain numpy or compiled loops, equal to the bit."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from toysearch.paths import compiled, cores
from toysearch.ranking.model import Array
from toysearch.ranking.scoring import QueryTerms, finish, of_query, plan
from toysearch.ranking.scoring import score as plain_score
from toysearch.ranking.similarity import dot
from toysearch.ranking.topk import Ranked, top
from toysearch.ranking.weights import Weights

if TYPE_CHECKING:
    from toysearch.ranking.lengths import ByLength
    from toysearch.ranking.lists import Lists
    from toysearch.ranking.skipping import Skipping

_QUERY = 10_000  # postings that numpy adds up in the time that a query takes it besides
_FINISHED = 1 << 15  # documents at a time, so that what numpy makes on the way stays in a core's cache
_CALLS = 8  # of the compiled loop that each thread has to do before more are prepared


class Retrieval:
    """Finds the documents for queries, with their scores."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._work = 0  # done so far, in postings

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers in one call of the model, which is much cheaper than one a term."""
        if "_lists" in self.__dict__:
            return
        numbers = np.fromiter(terms, dtype=np.int64)
        if not compiled("search", self._work + int(self.weights.index.df[numbers].sum())):
            self.weights.prepare(numbers.tolist())

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that hold a term of the query, by rising number, and their scores."""
        if self._compiled([query]):
            return self._added_up(query)
        return plain_score(self.weights, plan(self.weights, query))

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> list[Ranked]:
        """The k best documents of each query, best first, equal ones by number; all that match where k is None."""
        if not self._compiled(queries):
            return [self._cut(*plain_score(self.weights, plan(self.weights, query)), k) for query in queries]
        if k is None or self._skipping is None:
            return [self._cut(*self._added_up(query), k) for query in queries]
        from toysearch.ranking.skipping import at_once, parted

        skipping, k = self._skipping, min(k, self.weights.index.stats.N)
        size = at_once(k)
        threads = 1 if len(queries) <= size else threads or cores()
        if threads == 1:
            found = [ranked for some in parted(queries, size) for ranked in skipping.ranked(some, k)]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(threads) as pool:
                ahead = parted(queries, size * threads * _CALLS)
                found = [ranked for some in ahead for ranked in skipping.ranked(some, k, pool.map)]
        return [ranked or self._cut(*self._added_up(query), k) for ranked, query in zip(found, queries, strict=True)]

    @staticmethod
    def _cut(docs: np.ndarray, scores: Array, k: int | None) -> Ranked:
        best = top(scores, k)
        return docs[best], scores[best]

    def _compiled(self, queries: Sequence[QueryTerms]) -> bool:
        """Whether compiled loops answer; one who has asked much already will ask more."""
        if "_lists" in self.__dict__:
            return True
        df = self.weights.index.df
        self._work += sum(int(df[query.numbers].sum()) + _QUERY for query in queries)
        return compiled("search", self._work)

    @functools.cached_property
    def _lists(self) -> Lists:
        from toysearch.ranking.lists import Lists

        return Lists(self.weights, self.weights.memory)

    @functools.cached_property
    def _skipping(self) -> Skipping | ByLength | None:
        """What skips documents, where the form of the score lets it."""
        from toysearch.ranking.lengths import ByLength
        from toysearch.ranking.skipping import Skipping

        model = self.weights.model
        if model.similarity.function is dot and model.similarity.meet == "product":
            return Skipping(self.weights, self._lists)
        return ByLength(self.weights, self._lists) if ByLength.fits(self.weights) else None

    def _added_up(self, query: QueryTerms) -> Ranked:
        """As the compiled loop adds up the weights; numpy does what comes after."""
        from toysearch.ranking import kernels
        from toysearch.ranking.list_kernels import WINDOW

        lists = self._lists
        held = lists.of(query.numbers.tolist())
        terms = [lists.term_weights(each) for each in held]
        planned = plan(self.weights, query, terms)
        room = min(self.weights.index.stats.N, sum(len(term.weights) for term in terms))
        docs, totals = np.empty(room, dtype=np.int64), np.empty(room)
        n = kernels.add_up(
            self.weights.index.stats.N,
            np.array([each.address for each in held], dtype=np.int64),
            of_query(self.weights, query)[0],
            self.weights.model.similarity.meet == "product",
            np.zeros(WINDOW),
            np.zeros(WINDOW // 64, dtype=np.int64),
            docs,
            totals,
        )
        for start in range(0, n, _FINISHED):
            some = slice(start, min(n, start + _FINISHED))
            totals[some] = finish(self.weights, planned, docs[some], totals[some])
        return docs[:n], totals[:n]
