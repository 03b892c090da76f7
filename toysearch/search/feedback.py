"""Feedback documents: those taken as relevant to a query, and what is known of their terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from toysearch.index.document_vectors import DocumentVectors
from toysearch.index.inverted_index import Index
from toysearch.models.model import Array
from toysearch.search.scoring import QueryTerms

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Feedback:
    """Documents taken as relevant to a query, best first."""

    index: Index
    query: QueryTerms
    docs: np.ndarray
    scores: Array
    vectors: DocumentVectors
    against: DocumentVectors | None = None  # those known to be not relevant
    _kept: dict[Callable[..., Any], tuple[object, Any]] = field(default_factory=dict, repr=False, compare=False)

    def once(
        self, make: Callable[Concatenate[Feedback, _Given], _Made], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Made:
        """What a function makes of these documents; its last result is kept, for other parameters of a wrapper."""
        given, kept = (args, kwargs), self._kept.get(make)
        if kept is None or kept[0] != given:
            kept = self._kept[make] = given, make(self, *args, **kwargs)
        made: _Made = kept[1]
        return made

    @property
    def terms(self) -> np.ndarray:
        """The terms of the documents, by rising number."""
        return self.vectors.terms

    def frequent(self, terms: np.ndarray, share: float = 0.1) -> np.ndarray:
        """Whether each of some terms is in more than a share of all documents."""
        frequent: np.ndarray = np.asarray(self.index.df_by_term[terms]) > share * self.index.stats.N
        return frequent

    @property
    def lengths(self) -> Array:
        """The lengths of the documents."""
        return np.asarray(self.index.numbers_at("dl", self.docs), np.float64)

    @property
    def document_weights(self) -> Array:
        """The scores; if they are not all above 0, such as log probabilities, exp(score - highest)."""
        return self.scores if (self.scores > 0).all() else np.exp(self.scores - self.scores.max())


class Added(NamedTuple):
    """The terms that come into a query, best first, their weights, and the factor of the query's own weights."""

    terms: np.ndarray
    weights: Array
    own: float = 1.0
