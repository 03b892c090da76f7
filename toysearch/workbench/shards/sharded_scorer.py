"""Scorer of a model over an index in shards: each finds its best documents with the statistics of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from toysearch.base import Tell
from toysearch.models import Model
from toysearch.retrieval.model_scorer import ModelScorer
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import Ranked, ScorerOf, highest
from toysearch.workbench.shards.sharded_index import Shard, ShardedIndex

QUERIES = 2
"""Place of the queries among the arguments of `answers` after the shard."""

_AT_ONCE = 64  # queries, at least, that a shard answers before it says so
_TOLD = 20  # times, at most, that it says so


class ShardedScorer(ModelScorer):
    """Scorer of a model over an index in shards; equal scores are ranked by document, as in one index."""

    def __init__(self, index: ShardedIndex, model: Model, scorer_of: ScorerOf, memory: int) -> None:
        super().__init__(index, model, scorer_of, memory)
        self._index = index

    def prepare(self, terms: Iterable[int]) -> None:
        """Do nothing: the shards weigh their own postings."""

    def score(self, query: QueryTerms) -> Ranked:
        """Return the documents that contain a query term, by ascending number, and their scores."""
        [(docs, scores)] = self._joined([query], None, None, ranked=False)
        return docs, scores

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Return the k best documents of each query, best first, ties by number; all matches if k is None."""
        return [highest(ranked, k) for ranked in self._joined(queries, k, threads, ranked=True)]

    def _joined(
        self, queries: Sequence[QueryTerms], k: int | None, threads: int | None, *, ranked: bool
    ) -> Iterator[Ranked]:
        """Yield the documents of each query and their scores, those of the first shard first, one query at a time."""
        index, spread = self._index, [*pairwise(self._index.bases)]
        memory = self.weights.memory // len(spread)
        arguments = [
            (self.weights.model, memory, [_between(query, *span) for query in queries], k, threads, ranked)
            for span in spread
        ]
        of_shards = index.spread(answers, arguments)
        for parts in zip(*of_shards, strict=True):
            docs = [local_docs + base for (local_docs, _), base in zip(parts, index.bases, strict=False)]
            yield np.concatenate(docs), np.concatenate([scores for _, scores in parts])


def answers(
    shard: Shard,
    model: Model,
    memory: int,
    queries: Sequence[QueryTerms],
    k: int | None,
    threads: int | None,
    ranked: bool,
    tell: Tell | None = None,
) -> Sequence[Ranked]:
    """Score the documents of a shard for each query: the k best, best first, or all by number.

    tell: called now and then with the number of queries answered.
    """
    scorer = shard.scorers.get(model)
    if scorer is None:
        scorer = shard.scorers[model] = ModelScorer(shard, model, memory=memory)
    ranked_queries: list[Ranked] = []
    step = max(_AT_ONCE, -(-len(queries) // _TOLD)) if tell else max(1, len(queries))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        ranked_queries += scorer.best(some, k, threads) if ranked else [scorer.score(query) for query in some]
        if tell:
            tell(len(ranked_queries))
    return ranked_queries


def _between(query: QueryTerms, start: int, stop: int) -> QueryTerms:
    """Return the part of a query that concerns the documents from start up to stop, which a shard numbers from 0."""
    matched = query.matched
    if matched is not None:
        first, last = np.searchsorted(matched, (start, stop)).tolist()
        matched = matched[first:last] - start
    allowed = None if query.allowed is None else query.allowed[start:stop]
    derived = tuple(term.between(start, stop) for term in query.derived)
    return query._replace(matched=matched, allowed=allowed, derived=derived, postings={}, unknown=dict(query.unknown))
