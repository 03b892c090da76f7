"""Queries → documents and scores by compiled loops, for one model over an index, equal bit by bit to `scoring`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from toysearch.compiled.plain_or_compiled import cores
from toysearch.search.block_search import BlockSearch
from toysearch.search.scoring import QueryTerms, Ranked
from toysearch.search.term_weights import Weights

_AT_ONCE = 16  # queries that a thread answers in one go


class CompiledScorer:
    """One model over an index, by compiled loops."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def best(self, queries: Sequence[QueryTerms], k: int, threads: int | None = None) -> Sequence[Ranked | None]:
        """The k best documents of each query, or None for plain numpy to find; None for `threads`: one per core."""
        search = self._search
        if search is None:
            return [None] * len(queries)
        k = min(k, len(self.weights.index))

        def answered(some: Sequence[QueryTerms]) -> list[Ranked | None]:
            return [search.best(query, k) for query in some]

        threads = 1 if len(queries) == 1 else threads or cores()
        if threads == 1:
            return answered(queries)
        from concurrent.futures import ThreadPoolExecutor

        # Many queries at a time, because handing over a single one costs as much as a short query.
        parts = [queries[start : start + _AT_ONCE] for start in range(0, len(queries), _AT_ONCE)]
        with ThreadPoolExecutor(threads) as pool:
            return [ranked for part in pool.map(answered, parts) for ranked in part]

    @functools.cached_property
    def _search(self) -> BlockSearch | None:
        """The search in packed postings, if the form of the score permits it."""
        return BlockSearch(self.weights) if BlockSearch.fits(self.weights) else None
