"""Fast evaluator of many models on one judged collection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from toysearch.base import ArgumentError, DataError, expect, note
from toysearch.base.plain_or_compiled import compiled
from toysearch.collection.queries import QueriesLike, read_queries
from toysearch.evaluation import (
    DEFAULT_MEASURES,
    SIZE,
    Convention,
    Evaluation,
    JoinedRun,
    Value,
    parse_measures,
    with_size,
)
from toysearch.evaluation.evaluate import evaluated, evaluation_of, judgments_for, resolve
from toysearch.files import QrelsLike
from toysearch.models import Factor, Model, ModelLike, Ranker
from toysearch.models.calls import LEARNED, PIPE
from toysearch.models.rankers import STAGES
from toysearch.models.registry import model as find_model
from toysearch.retrieval import IndexLike, Searcher, index_of
from toysearch.retrieval.model_scorer import note_left_out_fields

if TYPE_CHECKING:
    from toysearch.workbench.tune.prepared_postings import PreparedFeedback, PreparedMixture, PreparedPostings

__all__ = ["Evaluator"]


_Made = TypeVar("_Made")


class Evaluator:
    """Scores one model after the other on a judged collection, as `evaluate` does with the runs of a `Searcher`.

    Queries, their postings and the judgments are prepared once. Each call weights all postings with one call of the
    model, sums the weights, and counts the documents ranked above each judged one, without a run and without sorting.

    Parameters
    ----------
    index : Index
        The index to search.
    queries : mapping of query_id to text, or iterable of Query
        The queries.
    qrels : Qrels, dict, data frame or path
        The judgments, as `evaluate` takes them.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        As `evaluate` takes them.
    k : int or None, default 1000
        The maximum number of documents retrieved per query; None means all that match.
    threshold, only_retrieved, undefined, gains, convention, parameters
        As `evaluate` takes them.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How the texts of queries are read, as in `Searcher.run`; by default as words.

    Raises
    ------
    ArgumentError
        If a measure, k or an option is invalid.
    DataError
        If there is no query, the judgments are malformed or empty, or no query has judgments.

    Examples
    --------
    >>> from toysearch import Index
    >>> index = Index.build({"a": "the cat sat", "b": "a cat and a cat", "c": "the dog"})
    >>> evaluator = Evaluator(index, {"1": "cat"}, {"1": {"b": 1}}, "RR")
    >>> evaluator("bm25")["RR"], evaluator("bm25:b=1,k1=0")["RR"]
    (1.0, 0.5)
    """

    def __init__(
        self,
        index: IndexLike,
        queries: QueriesLike,
        qrels: QrelsLike,
        measures: str | Iterable[object] = DEFAULT_MEASURES,
        k: int | None = 1000,
        *,
        threshold: float | None = None,
        only_retrieved: bool | None = None,
        undefined: str | None = None,
        gains: Mapping[float, float] | None = None,
        convention: str | Convention = "trec_eval",
        parameters: Mapping[str, Value] | None = None,
        query_mode: str | None = None,
    ) -> None:
        self._index, self._k, self._query_mode = index_of(index), k, query_mode
        self._topics = read_queries(queries) if queries else []
        self._queries = dict(self._topics)
        if not self._queries:
            raise DataError("there is no query; expected at least one with its text")
        expect(Mapping, parameters=parameters or {})
        parsed = parse_measures(measures, [*SIZE, *(parameters or ())])
        if "N" not in (parameters or ()):
            parsed = with_size(parsed, len(self._index))
        self._settings = resolve(parsed, None, only_retrieved, undefined, convention, parameters)
        self._qrels, self._threshold = judgments_for(self._settings, list(self._queries), qrels, gains, threshold)
        searcher = Searcher(self._index)
        searcher.run({}, k)  # refuses an invalid k
        self._terms = {query_id: searcher.terms(text, query_mode, query_id) for query_id, text in self._queries.items()}
        self._mixtures: dict[tuple[tuple[Factor, ...], ...], PreparedMixture] = {}
        self._feedback: PreparedFeedback | None = None
        self._preparing = threading.Lock()

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._settings.measures))
        return f"<Evaluator of {names} on {len(self._queries):,} queries and {self._index.stats.N:,} documents>"

    def __call__(self, model: ModelLike, name: str | None = None) -> Evaluation:
        """Evaluate a model.

        Parameters
        ----------
        model : str, function, Model or Ranker
            As `Searcher` takes it.
        name : str, optional
            The name of the evaluation; by default the name of the model.

        Raises
        ------
        ArgumentError
            If there is no such model or parameter.
        ModelError
            If the model breaks its contract.
        """
        ranker = find_model(model)
        name = str(ranker) if name is None else name
        evaluation = self._by_counting(
            ranker,
            lambda blocks: evaluation_of(
                self._settings, name, list(self._queries), self._qrels, ((joined, None) for joined in blocks), "rank"
            ),
        )
        if evaluation is None:
            return self._by_run(ranker, name)
        return replace(evaluation, over_orders=lambda: self._by_run(ranker, name).extremes)

    def values(self, model: ModelLike) -> np.ndarray:
        """Return the first measure for each query that counts, in the order of the judgments; float64.

        Of a need with several texts, their mean.

        Parameters
        ----------
        model : str, function, Model or Ranker
            As `Searcher` takes it.

        Raises
        ------
        ArgumentError
            If there is no such model or parameter.
        ModelError
            If the model breaks its contract.

        Examples
        --------
        >>> from toysearch import Index
        >>> index = Index.build({"a": "the cat sat", "b": "a cat and a cat", "c": "the dog"})
        >>> Evaluator(index, {"1": "cat", "2": "dog"}, {"1": {"a": 1}, "2": {"c": 1}}, "RR").values("bm25")
        array([0.5, 1. ])
        """
        if model is None:
            raise ArgumentError("model must be a name, a function or a model, not None")
        ranker = find_model(model)
        if self._qrels.needs:
            return np.array([next(iter(row.values())) for row in self(ranker).by_need.values()])
        settings = self._settings
        measure = settings.measures[0]

        def first_values(blocks: Iterable[JoinedRun]) -> np.ndarray:
            columns = []
            for joined in blocks:
                counting = joined.retrieved >= settings.only_retrieved
                columns.append(settings.filled(measure, measure.values(joined)[counting]))
            return np.concatenate(columns)

        first = self._by_counting(ranker, first_values)
        if first is None:
            rows = self._by_run(ranker, str(ranker)).per_query.values()
            first = np.array([next(iter(row.values())) for row in rows])
        return first

    def _by_counting(self, model: Model | Ranker, make: Callable[[Iterable[JoinedRun]], _Made]) -> _Made | None:
        if self._prepared is None:
            return None
        from toysearch.workbench.tune.prepared_postings import Unfit

        try:
            result = make(self._judged(self._prepared, model))
        except Unfit:
            return None
        note_left_out_fields(self._index, model)
        return result

    def _judged(self, prepared: PreparedPostings, model: Any) -> Iterator[JoinedRun]:
        if model.single is not None:
            return prepared.judged(model.single)
        from toysearch.retrieval.expanded_queries import doubt_of_expansion
        from toysearch.workbench.tune.prepared_postings import PreparedFeedback, PreparedMixture, Unfit

        if model.call in (PIPE, LEARNED, *STAGES):  # whose scores are no sums of products
            raise Unfit
        factors = [factor for product in model.products for factor in product.factors]
        if len(factors) == 1 and factors[0].wrappers:
            if doubt := doubt_of_expansion(factors, self._index):
                note(doubt)
            if self._feedback is None:
                self._feedback = PreparedFeedback(prepared)
            postings, inside = self._feedback.expanded(factors[0])
            return postings.judged(inside)
        key = tuple(product.factors for product in model.products)
        with self._preparing:
            if key not in self._mixtures:
                mixed = PreparedMixture(self._index, model, self._terms, self._qrels, self._threshold, self._k)
                self._mixtures = dict([*self._mixtures.items(), (key, mixed)][-4:])  # whose parts are kept
            mixture = self._mixtures[key]
        return mixture.judged(model)

    def _by_run(self, model: Model | Ranker, name: str) -> Evaluation:
        """Evaluate a run: the definition of the values, also used for small collections and mixtures."""
        run = Searcher(self._index, model).run(self._topics, self._k, query_mode=self._query_mode, name=name)
        return evaluated(run, self._qrels, self._settings, self._threshold)

    @cached_property
    def _prepared(self) -> PreparedPostings | None:
        """Prepared postings, if compiled loops can use them and a judged query, read as words, has a term."""
        judged = {query_id: terms for query_id, terms in self._terms.items() if query_id in self._qrels}
        has_terms = any(terms.numbers.size for terms in judged.values())
        if self._settings.ties not in (None, "rank") or not has_terms or not compiled():
            return None
        if self._query_mode not in (None, "plain"):  # an operator decides which documents are ranked
            return None
        from toysearch.workbench.tune.prepared_postings import PreparedPostings

        return PreparedPostings(self._index, judged, self._qrels, self._threshold, self._k)
