"""Queries → documents and scores by compiled loops, for one model over an index, equal bit by bit to `scoring`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from toysearch.compiled.choice import cores
from toysearch.search.block_search import BlockSearch
from toysearch.search.scoring import QueryTerms, Ranked, plan, score, top
from toysearch.search.term_weights import Weights

_AT_ONCE = 16  # queries that a thread answers in one go


class CompiledScorer:
    """One model over an index, by compiled loops."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, as `ModelScorer.best`; None for `threads` means one per core."""
        search = self._search
        if k is None or search is None:
            return [self._cut(query, k) for query in queries]
        k = min(k, self.weights.index.stats.N)
        threads = 1 if len(queries) == 1 else threads or cores()
        found: Sequence[Ranked | None]
        if threads == 1:
            found = [search.best(query, k) for query in queries]
        else:
            from concurrent.futures import ThreadPoolExecutor

            def answered(some: Sequence[QueryTerms]) -> list[Ranked | None]:
                return [search.best(query, k) for query in some]

            # Many queries at a time, because handing over a single one costs as much as a short query.
            parts = [queries[start : start + _AT_ONCE] for start in range(0, len(queries), _AT_ONCE)]
            with ThreadPoolExecutor(threads) as pool:
                found = [ranked for part in pool.map(answered, parts) for ranked in part]
        return [ranked or self._cut(query, k) for ranked, query in zip(found, queries, strict=True)]

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that contain a query term, by ascending number, and their scores."""
        return score(self.weights, plan(self.weights, query))

    def _cut(self, query: QueryTerms, k: int | None) -> Ranked:
        docs, scores = self.score(query)
        best = top(scores, k)
        return docs[best], scores[best]

    @functools.cached_property
    def _search(self) -> BlockSearch | None:
        """The search in packed postings, if the form of the score permits it."""
        return BlockSearch(self.weights) if BlockSearch.fits(self.weights) else None
