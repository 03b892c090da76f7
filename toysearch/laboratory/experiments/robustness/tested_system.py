"""The systems under test: their values on the original and on altered inputs of a judged collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, DataError, without_notes
from toysearch.base.records import Document, Qrels, Query
from toysearch.corpus.collection import Collection
from toysearch.evaluation.evaluate import out_of_reach
from toysearch.evaluation.measures.measure import SIZE, Measure, mean_measures, with_size
from toysearch.evaluation.result import Evaluation
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.robustness.alteration import (
    Alteration,
    Vocabulary,
    altered_queries,
    corrected_queries,
)
from toysearch.laboratory.experiments.stats.significance import paired_test, within_range
from toysearch.laboratory.judged_collection import tell_doubts
from toysearch.models.mixture import ModelLike
from toysearch.models.model import index_needs
from toysearch.models.registry import distinct
from toysearch.models.registry import model as find_model
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher

Evaluations = Mapping[str, Evaluation]
"""System → its evaluation."""


class RobustnessRow(NamedTuple):
    """A measure of a system on the original and on an altered input."""

    # system, measure: which
    system: str
    measure: str
    queries: int  # the number of queries that the alteration changes
    # original, altered: the means over these queries
    original: float
    altered: float
    # difference, low, high: the mean of altered − original over the queries, and its 95 % interval (Student's), no
    # wider than the range of the measure allows
    difference: float
    low: float
    high: float
    p: float  # two-sided, of the paired t test; not adjusted
    corrected: float | None = None  # of misspelt queries: the mean after `suggest` corrected them


class Example(NamedTuple):
    """An altered input: its place (query 12, document 7), and its text before and after."""

    where: str
    before: str
    after: str


class AlteredInput(NamedTuple):
    """An altered input and its effect on the systems."""

    property: str  # the property that it tests; a key of `PROPERTIES`
    # name, what: a short name of the alteration, and a sentence
    name: str
    what: str
    example: Example  # the first input changed
    rows: list[RobustnessRow]  # one per system and measure


class Skipped(NamedTuple):
    """An alteration that could not be done, and the reason."""

    property: str
    name: str
    reason: str


class SystemsUnderTest:
    """A judged collection, the systems tested on it, and the results so far."""

    def __init__(
        self,
        collection: Collection,
        models: Iterable[ModelLike],
        measures: str | Iterable[object],
        analyzer: Analyzer | None = None,
        k: int = 1000,
        seed: int = 0,
        threshold: float | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        found = distinct([find_model(model) for model in models])
        self.models = {str(model): model for model in found}
        self.measures: list[Measure] = mean_measures(measures, SIZE)
        self.collection, self.seed, self.k = collection, seed, k
        if unreachable := out_of_reach(collection.qrels, self.measures, threshold):
            raise ArgumentError(unreachable)
        self.threshold = collection.threshold if threshold is None else threshold
        self.queries = collection.judged_queries
        if not self.queries:
            raise DataError(
                f"collection '{collection.name}' has no query with a text and judgments; robustness needs at least one"
            )
        needed = index_needs(*found)
        self.fields = collection.searched_fields if needed.apart or collection.apart else ()
        self._values = needed.values
        self.analyzer = analyzer or Analyzer.for_language(collection.language, tokens=collection.tokens)
        self.documents = list(collection.documents)
        self.index = self.build(self.documents)
        self.measures = with_size(self.measures, len(self.documents))
        tell_doubts(collection, self.index, found)
        self.property = ""  # the property being measured
        self.inputs: list[AlteredInput] = []
        self.skipped: list[Skipped] = []
        self._progress, self._done = progress, 0
        self.original = self.evaluations()

    @property
    def language(self) -> str:
        """The language of the texts, ``none`` if unknown."""
        return self.analyzer.language if self.analyzer.language != "none" else self.collection.language

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the documents."""
        return Vocabulary(self.index, (document.text for document in self.documents))

    @cached_property
    def terms(self) -> dict[str, QueryTerms]:
        """The terms of each query."""
        searcher = Searcher(self.index)
        return {query_id: searcher.terms(text, query_id=query_id) for query_id, text in self.queries}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each document."""
        return {document.doc_id: number for number, document in enumerate(self.documents)}

    @cached_property
    def relevant(self) -> dict[str, list[int]]:
        """The numbers of the relevant documents of each query, if in the collection."""
        found: dict[str, list[int]] = {query_id: [] for query_id, _ in self.queries}
        for query_id, doc_id, grade in self.collection.qrels:
            if query_id in found and self.is_relevant(doc_id, grade):
                found[query_id].append(self.numbers[doc_id])
        return found

    def is_relevant(self, doc_id: str, grade: float) -> bool:
        """Whether a judged document is relevant and in the collection."""
        return grade >= self.threshold and grade > 0 and doc_id in self.numbers

    def build(self, documents: Sequence[Document], analyzer: Analyzer | None = None, **more: Any) -> Index:
        """The index of documents, analysed like the collection, or in another way."""
        return Index.build(documents, analyzer or self.analyzer, fields=self.fields, values=self._values, **more)

    def evaluations(
        self, index: Index | None = None, queries: Sequence[Query] | None = None, qrels: Qrels | None = None
    ) -> dict[str, Evaluation]:
        """The evaluation of each system on an index; queries and judgments are the original ones by default."""
        index = self.index if index is None else index
        queries = self.queries if queries is None else queries
        # Notes on the original input matter; a misspelt query that finds nothing is expected.
        with without_notes() if self._done else nullcontext():
            given = queries, self.collection.qrels if qrels is None else qrels
            evaluator = Evaluator(index, *given, self.measures, self.k, threshold=self.threshold)
            found = {name: evaluator(model, name) for name, model in self.models.items()}
        self._done += 1
        if self._progress:
            self._progress(self._done)
        return found

    def skip(self, name: str, reason: str) -> None:
        """Record an alteration that could not be done."""
        self.skipped.append(Skipped(self.property, name, reason))

    def alter_queries(self, alterations: Iterable[Alteration]) -> None:
        """Record the effect of alterations of the queries; for one that changes none, the reason."""
        texts = dict(self.queries)
        for alteration in alterations:
            altered = altered_queries(alteration, self.queries, self.seed)
            if not altered:
                self.skip(alteration.name, alteration.idle)
                continue
            query_id, after = altered[0]
            example = Example(f"query {query_id}", texts[query_id], after)
            query_ids = [query.query_id for query in altered]
            better = corrected_queries(self.index, altered) if alteration.misspells else []
            corrected = self.evaluations(queries=better) if better else None
            found = self.evaluations(queries=altered)
            self.record(*alteration[:2], example, found, query_ids=query_ids, corrected=corrected)

    def record(
        self,
        name: str,
        what: str,
        example: Example,
        altered: Evaluations,
        original: Evaluations | None = None,
        query_ids: Iterable[str] | None = None,
        corrected: Evaluations | None = None,
    ) -> None:
        """Record the effect of an altered input: each system compared with itself, over all queries or some."""
        original = original or self.original
        chosen = [query_id for query_id, _ in self.queries] if query_ids is None else list(query_ids)
        rows = (
            _row(system, measure, original[system], altered[system], corrected[system] if corrected else None, chosen)
            for system in self.models
            for measure in self.measures
        )
        self.inputs.append(AlteredInput(self.property, name, what, example, [row for row in rows if row]))


def _row(
    system: str,
    measure: Measure,
    original: Evaluation,
    altered: Evaluation,
    corrected: Evaluation | None,
    query_ids: list[str],
) -> RobustnessRow | None:
    """The row of a system; None if no query has a finite value of the measure in both."""
    name = str(measure)
    sides = [side for side in (original, altered, corrected) if side is not None]
    values = ([side.per_query[query_id][name] for side in sides] for query_id in query_ids)
    finite = [row for row in values if all(map(math.isfinite, row))]
    if not finite:
        return None
    found = paired_test([after - before for before, after, *_ in finite])
    before, after, *rest = (math.fsum(column) / len(finite) for column in zip(*finite, strict=True))
    low, high = within_range(measure, found.low, found.high, change=True)
    return RobustnessRow(system, name, len(finite), before, after, found.mean, low, high, found.p, *rest)
