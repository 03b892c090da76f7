"""Scorer of one model over an index, by compiled loops or by plain numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

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
