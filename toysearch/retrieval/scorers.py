"""Scorer of each ranker over an index: that of one model, and a table of the others, loaded for their rankers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.base import note
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.platform import cores
from toysearch.index.inverted_index import Index
from toysearch.models.bm25 import left_out
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import MEMORY, Ranked, Scorer, ScorerOf, Weights, highest, score

if TYPE_CHECKING:
    from toysearch.base import Explanation
    from toysearch.models import Model, Ranker
    from toysearch.retrieval.block_search import BlockSearch


class ModelScorer(Scorer):
    """Scores one model over an index, by compiled loops or by plain numpy with identical results."""

    weights: Weights

    def __init__(self, index: Index, model: Model, scorer_of: ScorerOf | None = None, memory: int = MEMORY) -> None:
        self.weights = Weights(index, model, memory)
        if index.path and model.similarity.name == "dot" and self.search is not None:
            # The first query of an opened index does not wait for these.
            self._opened = index.blocks.packed.single_terms, index.terms.table, index.doc_ids.table

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers together, unless compiled loops will weigh them."""
        if self.search is None:
            self.weights.of_terms(np.unique(np.fromiter(terms, np.int64)).tolist())

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents that contain a query term, by ascending number."""
        docs, scores = score(self.weights, query)
        if query.allowed is None:
            return docs, scores
        keeps = query.allowed[docs] > 0
        return docs[keeps], scores[keeps]

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Find the k best documents of each query, best first, ties by number; all matches if k is None."""
        found: Sequence[Ranked | None] = [None] * len(queries)
        if k is not None and self.search is not None:
            found = self.search.best(queries, min(k, self.weights.index.n_documents), threads or cores())
        pairs = zip(queries, found, strict=True)
        return [highest(self.score(query), k) if best is None else best for query, best in pairs]

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of a document as the sum of the shares of its terms."""
        from toysearch.retrieval.score_shares import score_shares  # most searches explain nothing

        return score_shares(self.weights, query, doc_id)

    @cached_property
    def search(self) -> BlockSearch | None:
        """Search by compiled loops; None without these, or if they do not support the form of the scores."""
        if not compiled():
            return None
        from toysearch.retrieval.block_search import BlockSearch  # without compiled loops it is not needed

        return BlockSearch(self.weights) if BlockSearch.fits(self.weights) else None


def note_left_out_fields(index: Index, model: Model | Ranker) -> None:
    """Say which fields of an index a model leaves out, if it is BM25F, which searches all of them by default."""
    if sentence := left_out(model.models, index.fields.names):
        note(sentence)


_SUMS = "toysearch.retrieval.mixture_scorer", "MixtureScorer"
_SCORERS: Mapping[str, tuple[str, str]] = {
    "model": (__name__, "ModelScorer"),
    ">>": ("toysearch.retrieval.pipeline_scorer", "PipelineScorer"),
    "passages": ("toysearch.retrieval.pipeline_scorer", "PassageScorer"),
    "mmr": ("toysearch.retrieval.pipeline_scorer", "DiversityScorer"),
    "xquad": ("toysearch.retrieval.pipeline_scorer", "DiversityScorer"),
    "learned": ("learned rankers", "LearnedScorer"),
    "search": ("toysearch.retrieval.function_scorer", "FunctionScorer"),
    "run": ("toysearch.retrieval.run_scorer", "RunScorer"),
}
"""Module, or ability of a ring, and name of the scorer of each call; any other call is scored as a sum."""

_SCORERS_INSIDE: Mapping[str, tuple[str, str]] = {
    "lsa": ("vectors", "TopicScorer"),
    "dense": ("vectors", "FileScorer"),
    "impact": ("impacts", "ImpactScorer"),
    "learned": ("learned rankers", "PoolScorer"),
}
"""Scorers of calls inside a sum, where they differ."""


_SCORERS_OF_SHARDS: Mapping[str, tuple[str, str]] = {"model": ("sharded rankers", "ShardedScorer")}
"""Scorers of calls over an index in shards, unless a prior needs the whole."""


def scorer_of(index: Index, ranker: Any, memory: int = MEMORY, *, inside: bool = False) -> Scorer:
    """Return the scorer of a ranker over an index; `inside`: as a part of a sum."""
    spread = index.shards and not ranker.fields_of_priors
    special = (inside and _SCORERS_INSIDE.get(ranker.call)) or (spread and _SCORERS_OF_SHARDS.get(ranker.call))
    place, name = special or _SCORERS.get(ranker.call, _SUMS)
    if "." in place:
        module = import_module(place)
    else:
        from toysearch.rings import ring  # most rankers are scored by the core

        module = ring(place)
    made: Callable[..., Scorer] = getattr(module, name)
    return made(index, ranker, scorer_of, memory)
