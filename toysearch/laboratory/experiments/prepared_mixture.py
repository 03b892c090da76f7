"""Judged queries with the scores of the parts of a mixture, prepared once so that each other weighting is cheap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from toysearch.base.errors import collected_notes, note
from toysearch.base.records import Qrels
from toysearch.evaluation.joined_run import JoinedRun
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.prepared_postings import (
    POSTINGS,
    JudgedDocuments,
    MatchedDocuments,
    Unfit,
)
from toysearch.models.mixture import Mixture
from toysearch.models.model import Array
from toysearch.search.mixture_scorer import MixtureScorer, weighted_sum
from toysearch.search.scoring import QueryTerms


class PreparedMixture(JudgedDocuments):
    """Judged queries with the scores of the factors of a mixture."""

    def __init__(
        self,
        index: Index,
        mixture: Mixture,
        queries: Mapping[str, QueryTerms],
        qrels: Qrels,
        threshold: float,
        k: int | None,
    ) -> None:
        super().__init__(index, qrels, threshold, k)
        with collected_notes() as self._notes:
            scorer = MixtureScorer(index, mixture)
            scorer.prepare(number for query in queries.values() for number in query.numbers.tolist())
            docs, factors = self._scored(scorer, queries)
        self._bounds = np.cumsum([0, *map(len, docs)])
        self._docs = np.concatenate(docs).astype(np.int32)
        self._factors = [[np.concatenate(column) for column in product] for product in factors]
        self._judged_places = self._places()

    def _scored(
        self, scorer: MixtureScorer, queries: Mapping[str, QueryTerms]
    ) -> tuple[list[np.ndarray], list[list[list[Array]]]]:
        """The ranked documents of each query, and their scores: by product, by factor, by query."""
        every: list[np.ndarray] = []
        factors: list[list[list[Array]]] = [[[] for _ in product.factors] for product in scorer.mixture.products]
        n_held = 0
        for query_id in self._qrels.query_ids:
            docs, products = scorer.products(queries[query_id]) if query_id in queries else (np.empty(0, np.int64), [])
            every.append(docs)
            for columns, product in zip(factors, products, strict=False):
                for column, factor in zip(columns, product, strict=True):
                    column.append(factor.counted)
            n_held += len(docs) * sum(map(len, factors))
            if n_held > POSTINGS:
                raise Unfit
        return every, factors

    def _places(self) -> np.ndarray:
        """For each judged document its place among the ranked ones of its query; −1 for others."""
        places = np.full(len(self._judged_docs), -1)
        for (start, stop), (first, last) in zip(pairwise(self._bounds), pairwise(self._judged_bounds), strict=True):
            docs, judged = self._docs[start:stop], self._judged_docs[first:last]
            found = np.searchsorted(docs, judged)
            places[first:last] = np.where(np.append(docs, -1)[found] == judged, start + found, -1)
        return places

    def judged(self, mixture: Mixture) -> Iterator[JoinedRun]:
        """The rankings of a mixture of the same factors joined with the judgments, some queries at a time."""
        for scored_query in self._notes:
            note(scored_query)
        scores = weighted_sum(mixture, self._factors, len(self._docs))
        if not np.isfinite(scores).all():
            raise Unfit

        def scored(queries: slice) -> Iterator[tuple[MatchedDocuments, Array]]:
            judged, _ = self.judged_of(queries)
            bounds = self._bounds[queries.start : queries.stop + 1]
            own_scores, places = slice(int(bounds[0]), int(bounds[-1])), self._judged_places[judged]
            places = np.where(places < 0, -1, places - bounds[0])
            yield MatchedDocuments(queries, self._docs[own_scores], np.diff(bounds), places), scores[own_scores]

        return self.joined(scored)
