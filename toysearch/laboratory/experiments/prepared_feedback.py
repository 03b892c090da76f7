"""Judged queries with the feedback documents of a model, prepared once so that other values of a wrapper are cheap."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.laboratory.experiments.prepared_postings import POSTINGS, PreparedPostings, Unfit
from toysearch.models.mixture import Factor
from toysearch.models.model import Model
from toysearch.search.expansions import EXPANSIONS
from toysearch.search.feedback import Feedback
from toysearch.search.wrapped_query import expansion, feedback_of, no_documents


class _Kept(NamedTuple):
    """The feedback documents of all queries by a model, with their terms."""

    model: Model
    k: int
    feedback: list[Feedback]


class PreparedFeedback:
    """Judged queries with the feedback documents of the last model."""

    def __init__(self, prepared: PreparedPostings) -> None:
        self._prepared = prepared
        self._last: _Kept | None = None

    def expanded(self, wrapped: Factor) -> tuple[PreparedPostings, Model]:
        """The prepared postings of queries with the terms that the wrapper of a model adds, and the model."""
        model, [wrapper, *others] = wrapped.scorer, wrapped.wrappers
        if not isinstance(model, Model) or others or wrapper.name not in EXPANSIONS:
            raise Unfit
        feedback = self._feedback(model, int(wrapper.parameters["docs"]))
        return self._prepared.of_expanded([expansion(wrapper, each).query for each in feedback]), model

    def _feedback(self, model: Model, k: int) -> list[Feedback]:
        """The k best documents of each query with their terms."""
        last = self._last
        if last is not None and (last.model, last.k) == (model, k):
            return last.feedback
        queries = self._prepared.queries
        ranked = self._prepared.best(model, k) if k else no_documents(queries)
        found = feedback_of(self._prepared.index, queries, ranked)
        is_small = sum(len(each.vectors.counts) for each in found) <= POSTINGS
        self._last = _Kept(model, k, found) if is_small else None
        return found
