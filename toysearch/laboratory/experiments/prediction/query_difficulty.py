"""The predicted difficulty of one query beside others: its WIG and its place among theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import Query
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.base.wording import counted
from toysearch.laboratory.experiments.prediction.predictors import (
    QueryEvidence,
    evidence,
    evidence_of,
    tell_normalised,
    wig,
)
from toysearch.models.mixture import ModelLike
from toysearch.search.learned_scorer import LearnedScorer
from toysearch.search.scoring import QueryTerms, Ranked
from toysearch.search.searcher import IndexLike, Searcher

__all__ = ["PredictingSearcher", "QueryDifficulty", "difficulties", "query_difficulty"]

HARD = 0.1
"""A query looks hard if its WIG is in the lowest tenth: docs/do/predict-difficulty.md has the AP of such queries."""

FEWEST = 10
"""A lowest tenth needs as many queries."""

_K = 5


class QueryDifficulty(NamedTuple):
    """The predicted difficulty of a query.

    Attributes
    ----------
    wig : float
        Its weighted information gain, with the best 5 documents; NaN if no document is found.
    place : int
        1 + the number of other queries with a lower WIG; 1 is the hardest.
    n : int
        The number of queries compared, this one included.
    """

    wig: float
    place: int
    n: int

    @property
    def hard(self) -> bool:
        """Whether the WIG is in the lowest tenth of at least 10 queries."""
        return self.n >= FEWEST and self.place <= HARD * self.n

    def sentence(self, name: str) -> str:
        """The difficulty in a sentence, with the name of the other queries."""
        easier = f"easier than {self.place - 1} of the {self.n - 1} other queries of {name} (WIG {self.wig:.3f})"
        return f"{'this query looks hard: ' if self.hard else ''}{easier}"


class PredictingSearcher(Searcher):
    """A searcher whose runs also give the WIG of each query, from the scores that the run is made of.

    Parameters
    ----------
    index : Index, Collection, name or path
        The documents.
    model : str, function, Model or Mixture
        The ranking model.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> searcher = PredictingSearcher(pets, "bm25")
    >>> run = searcher.run(pets.queries)
    >>> searcher.difficulties(run.query_ids)["12"].place
    1
    """

    def __init__(self, index: IndexLike, model: ModelLike = "bm25") -> None:
        super().__init__(index, model)
        self._values: dict[str, float] = {}

    def difficulties(self, query_ids: Iterable[str]) -> dict[str, QueryDifficulty]:
        """The predicted difficulty of some queries of the last run among each other.

        Parameters
        ----------
        query_ids : iterable of str
            The queries that are compared; others are left out.
        """
        tell_normalised(self.model, ["wig"])
        return _places({query_id: self._values[query_id] for query_id in query_ids if query_id in self._values})

    def _best(
        self, queries: Sequence[QueryTerms], k: int | None, ties: str = "rank", threads: int | None = 1
    ) -> Sequence[Ranked]:
        """The best documents of queries; the WIG needs the scores of all documents, which are then dropped."""
        self._values = {}
        best = []
        for terms in queries:
            [(docs, scores)] = super()._best([terms], None, ties, threads)
            best.append((docs[:k].copy(), scores[:k].copy()))
            falling = np.sort(scores)[::-1]  # ties of trec_eval come in another order
            ranker = isinstance(self.scorer, LearnedScorer)
            of_query = evidence(self, terms) if ranker else evidence_of(self.index, terms, docs, falling)
            self._values[terms.query_id] = _value(of_query)
        return best


@checked
def difficulties(
    searcher: Searcher, queries: Iterable[tuple[str, str]], *, query_mode: str | None = None
) -> dict[str, QueryDifficulty]:
    """The predicted difficulty of each query among all of them.

    Parameters
    ----------
    searcher : Searcher
        The index with the model.
    queries : iterable of Query
        The queries.
    query_mode : {"lenient", "strict", "plain"}, optional
        How their texts are read.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> found = difficulties(Searcher(pets), pets.queries)
    >>> found["12"].place, found["12"].n, found["12"].hard
    (1, 57, True)
    """
    tell_normalised(searcher.model, ["wig"])
    with without_notes():
        values = {query_id: _wig(searcher, Query(query_id, text), query_mode) for query_id, text in queries}
    return _places(values)


def _places(values: Mapping[str, float]) -> dict[str, QueryDifficulty]:
    """The difficulty of each query from the WIG of all of them."""
    ordered = np.sort([value for value in values.values() if not math.isnan(value)])
    return {
        query_id: QueryDifficulty(value, int(np.searchsorted(ordered, value)) + 1, len(ordered))
        for query_id, value in values.items()
        if not math.isnan(value)
    }


@checked
def query_difficulty(
    searcher: Searcher, queries: Iterable[tuple[str, str]], text: Any, *, query_mode: str | None = None
) -> QueryDifficulty | None:
    """The predicted difficulty of a query among others; None if it finds no document.

    Parameters
    ----------
    searcher : Searcher
        The index with the model.
    queries : iterable of Query
        The others, read as plain text.
    text : str, Query or Node
        The query. If it has the id of one of the others, it takes its place.
    query_mode : {"lenient", "strict", "plain"}, optional
        How the text is read.

    Raises
    ------
    ArgumentError
        If fewer than 10 queries can be compared.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> query_difficulty(Searcher(pets), pets.queries, "animals alone").sentence(pets.name)
    'this query looks hard: easier than 0 of the 57 other queries of companions (WIG 0.000)'
    """
    own_id = text.query_id if isinstance(text, Query) else None
    others = difficulties(searcher, [query for query in queries if query[0] != own_id])
    if len(others) + 1 < FEWEST:
        count = counted(len(others), "query has a ranking", "queries have a ranking")
        raise ArgumentError(f"difficulty is a place among at least {FEWEST} queries, but only {count} to compare with")
    with without_notes():
        value = _wig(searcher, text, query_mode)
    if math.isnan(value):
        return None
    return QueryDifficulty(value, 1 + sum(other.wig < value for other in others.values()), len(others) + 1)


def _wig(searcher: Searcher, text: Any, query_mode: str | None) -> float:
    """The WIG of a query; NaN if it finds no document."""
    return _value(evidence(searcher, searcher.terms(text, query_mode)))


def _value(of_query: QueryEvidence) -> float:
    return wig(of_query, _K) if len(of_query.scores) else math.nan
