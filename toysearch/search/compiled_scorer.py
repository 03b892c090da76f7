"""Queries → documents and scores by compiled loops, for one model over an index, equal bit by bit to `scoring`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from toysearch.compiled.choice import cores
from toysearch.models.similarity import dot
from toysearch.search.maxscore import MaxScore, MaxScoreCosine, added_up, at_once, parted
from toysearch.search.posting_lists import PostingLists
from toysearch.search.scoring import QueryTerms, Ranked, finish, top
from toysearch.search.term_weights import Weights

_FINISHED = 1 << 15  # documents at a time, so that intermediate arrays stay in the cache of a core
_CALLS = 8  # calls of the compiled loop prepared per thread at a time


class CompiledScorer:
    """One model over an index, by compiled loops."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.lists = PostingLists(weights, weights.memory)

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, as `ModelScorer.best`; None for `threads` means one per core."""
        if k is None or self._maxscore is None:
            return [self._cut(query, k) for query in queries]
        maxscore, k = self._maxscore, min(k, self.weights.index.stats.N)
        size = at_once(k)
        threads = 1 if len(queries) <= size else threads or cores()
        if threads == 1:
            found = [ranked for some in parted(queries, size) for ranked in maxscore.ranked(some, k)]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(threads) as pool:
                ahead = parted(queries, size * threads * _CALLS)
                found = [ranked for some in ahead for ranked in maxscore.ranked(some, k, pool.map)]
        return [ranked or self._cut(query, k) for ranked, query in zip(found, queries, strict=True)]

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that contain a query term, by ascending number, and their scores."""
        docs, totals, planned = added_up(self.weights, self.lists, query)
        for start in range(0, len(docs), _FINISHED):
            some = slice(start, start + _FINISHED)
            totals[some] = finish(self.weights, planned, docs[some], totals[some])
        return docs, totals

    def _cut(self, query: QueryTerms, k: int | None) -> Ranked:
        docs, scores = self.score(query)
        best = top(scores, k)
        return docs[best], scores[best]

    @functools.cached_property
    def _maxscore(self) -> MaxScore | MaxScoreCosine | None:
        """The search that skips documents, if the form of the score permits it."""
        similarity = self.weights.model.similarity
        if similarity.function is dot and similarity.combine == "product":
            return MaxScore(self.weights, self.lists)
        return MaxScoreCosine(self.weights, self.lists) if MaxScoreCosine.fits(self.weights) else None
