"""Judged queries with what wrappers add to them, prepared once so that other values of their parameters are cheap."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.laboratory.experiments.prepared_postings import POSTINGS, PreparedPostings, Unfit
from toysearch.models.composed_models import Wrapper
from toysearch.models.mixture import Factor
from toysearch.models.model import Model
from toysearch.search.expansions import EXPANSIONS, Feedback
from toysearch.search.relevance_feedback import expansion, feedback_of, no_documents


class _Kept(NamedTuple):
    """The feedback documents of all queries by a model, with their terms."""

    model: Model
    k: int
    feedback: list[Feedback]


class PreparedFeedback:
    """Judged queries with the feedback documents of the last model, and with their last pairs of words."""

    def __init__(self, prepared: PreparedPostings) -> None:
        self._prepared = prepared
        self._last: _Kept | None = None
        self._last_pairs: tuple[Wrapper, PreparedPostings] | None = None

    def expanded(self, wrapped: Factor) -> tuple[PreparedPostings, Model]:
        """The prepared postings of queries with the terms that the wrapper of a model adds, and the model."""
        model, [wrapper, *others] = wrapped.scorer, wrapped.wrappers
        if not isinstance(model, Model) or others:
            raise Unfit
        if wrapper.name not in EXPANSIONS:
            return self._with_pairs(wrapper), model
        feedback = self._feedback(model, int(wrapper.parameters["docs"]))
        queries = [expansion(wrapper, feature).query for feature in feedback]
        return self._prepared.of(queries, refuse_negative=True), model

    def _with_pairs(self, wrapper: Wrapper) -> PreparedPostings:
        """The prepared postings of queries with pairs of their words, which do not depend on the model."""
        from toysearch.search.derived_terms import sdm  # an expansion does not need it

        last = self._last_pairs
        if last is not None and last[0] == wrapper:
            return last[1]
        self._last_pairs = None  # first, so that both are never in memory
        queries = [
            sdm(self._prepared.index, terms_of_query, **wrapper.parameters) for terms_of_query in self._prepared.queries
        ]
        prepared = self._prepared.of(queries)
        if prepared.n_postings <= POSTINGS:
            self._last_pairs = wrapper, prepared
        return prepared

    def _feedback(self, model: Model, k: int) -> list[Feedback]:
        """The k best documents of each query with their terms."""
        last = self._last
        if last is not None and (last.model, last.k) == (model, k):
            return last.feedback
        queries = self._prepared.queries
        ranked = self._prepared.best(model, k) if k else no_documents(queries)
        kept_feedback = feedback_of(self._prepared.index, queries, ranked)
        is_small = sum(len(query_id.vectors.counts) for query_id in kept_feedback) <= POSTINGS
        self._last = _Kept(model, k, kept_feedback) if is_small else None
        return kept_feedback
