"""Queries → documents and scores by compiled loops, for one model over an index: the bits that `scoring` gives."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from toysearch.compiled import best_documents
from toysearch.compiled.choice import cores
from toysearch.compiled.list_layout import WINDOW
from toysearch.models.similarity import dot
from toysearch.search.maxscore import MaxScore, at_once, parted
from toysearch.search.maxscore_cosine import MaxScoreCosine
from toysearch.search.posting_lists import PostingLists
from toysearch.search.scoring import QueryTerms, Ranked, finish, plan, top, weigh_query
from toysearch.search.term_weights import Weights

_FINISHED = 1 << 15  # documents at a time, so that what numpy makes on the way stays in a core's cache
_CALLS = 8  # of the compiled loop that each thread has to do before more are prepared


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
        """The documents that hold a term of the query, by rising number, and their scores."""
        held = self.lists.of_terms(query.numbers.tolist())
        terms = [self.lists.term_weights(each) for each in held]
        planned = plan(self.weights, query, terms)
        room = min(self.weights.index.stats.N, sum(len(term.weights) for term in terms))
        docs, totals = np.empty(room, dtype=np.int64), np.empty(room)
        n = best_documents.add_up(
            self.weights.index.stats.N,
            np.array([each.address for each in held], dtype=np.int64),
            weigh_query(self.weights, query)[0],
            self.weights.model.similarity.combine == "product",
            np.zeros(WINDOW),
            np.zeros(WINDOW // 64, dtype=np.int64),
            docs,
            totals,
        )
        for start in range(0, n, _FINISHED):
            some = slice(start, min(n, start + _FINISHED))
            totals[some] = finish(self.weights, planned, docs[some], totals[some])
        return docs[:n], totals[:n]

    def _cut(self, query: QueryTerms, k: int | None) -> Ranked:
        docs, scores = self.score(query)
        best = top(scores, k)
        return docs[best], scores[best]

    @functools.cached_property
    def _maxscore(self) -> MaxScore | MaxScoreCosine | None:
        """What skips documents, where the form of the score lets it."""
        similarity = self.weights.model.similarity
        if similarity.function is dot and similarity.combine == "product":
            return MaxScore(self.weights, self.lists)
        return MaxScoreCosine(self.weights, self.lists) if MaxScoreCosine.fits(self.weights) else None
