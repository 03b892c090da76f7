"""The inputs on which five properties are measured: altered queries and documents, indexed by any analyzer."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.records import Document, Query
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.robustness.alteration import altered_queries, corrected_queries
from toysearch.laboratory.experiments.robustness.changed_documents import documents_removed
from toysearch.laboratory.experiments.robustness.cures import TOPICS, Cure
from toysearch.laboratory.experiments.robustness.document_length import half_padded, paddings
from toysearch.laboratory.experiments.robustness.query_alterations import alteration_named
from toysearch.laboratory.experiments.robustness.tested_system import Example, Skipped, SystemsUnderTest
from toysearch.search.searcher import Searcher

ALL = "all"
"""The name of the number over all queries as they are."""

_ALTERED = {"semantic": "related words only", "rare": "three common words", "spelling": "every word misspelt"}
_PADDED = "own text added"
_REMOVED = 50  # per cent
FIRST = 10
"""The number of first documents that are compared before and after a change of the collection."""

_REPEATS = 3  # timings, of which the fastest counts
_LONG = 2.0  # seconds after which a timing is not repeated

PerQuery = Mapping[str, float]
"""Query → value."""


class MeasuredProperty(NamedTuple):
    """A property, with the definition of its number."""

    property: str  # a key of `PROPERTIES`
    question: str  # what a good system does
    number: str  # the name of the number
    definition: str  # how it is measured
    example: Example  # the first input changed


class AlteredInputs:
    """The inputs on which the properties are measured, and their indexes for each analysis."""

    def __init__(self, bench: SystemsUnderTest) -> None:
        self.bench, self.measure = bench, bench.measures[0]
        self.properties: list[MeasuredProperty] = []
        self.queries: dict[str, list[Query]] = {ALL: list(bench.queries)}
        self._analysed: list[AnalysedInputs] = []
        self._alter("semantic", "A document that says it with other words is found too.")
        self._alter("rare", "Rare words count for more than common ones.")
        self.removed = self._remove()
        self.padded = self._pad()
        self._alter("spelling", "A misspelt query finds what was meant.")

    def of(self, analyzer: Analyzer) -> AnalysedInputs:
        """The inputs under an analyzer."""
        for known in self._analysed:
            if known.index.analyzer == analyzer:
                return known
        self._analysed.append(AnalysedInputs(self, analyzer))
        return self._analysed[-1]

    def _alter(self, name: str, question: str) -> None:
        """Alter the queries for a property."""
        bench = self.bench
        change = alteration_named(_ALTERED[name], bench.vocabulary, bench.language)
        altered = altered_queries(change, bench.queries, bench.seed)
        if not altered:
            bench.skipped.append(Skipped(name, change.name, change.idle))
            return
        query_id, after = altered[0]
        self.queries[name] = altered
        example = Example(f"query {query_id}", dict(bench.queries)[query_id], after)
        number = f"{self.measure}, {change.name}"
        definition = f"The mean {self.measure} over {len(altered)} queries after their alteration: {change.what}."
        self.properties.append(MeasuredProperty(name, question, number, definition, example))

    def _remove(self) -> set[str]:
        """The documents that are removed to measure the stability of the ranking."""
        bench = self.bench
        if len(bench.documents) < 2:
            bench.skipped.append(Skipped("corpus", "documents removed", "there is only one document"))
            return set()
        gone = documents_removed(bench, _REMOVED)
        first = next(document for document in bench.documents if document.doc_id in gone)
        question = "Scores stay right when documents come and go: the others keep their order."
        definition = (
            f"{len(gone):,} of {len(bench.documents):,} documents are removed. The share of the first {FIRST} of the "
            "remaining documents that are among the first after it too, averaged over the queries."
        )
        example = Example(f"document {first.doc_id}", first.text, "")
        number = f"share of the first {FIRST} kept, {_REMOVED} % of the documents removed"
        self.properties.append(MeasuredProperty("corpus", question, number, definition, example))
        return gone

    def _pad(self) -> list[Document]:
        """The documents, half of them padded with their own text."""
        [(name, what, padding)] = [each for each in paddings(self.bench) if each[0] == _PADDED]
        documents, example = half_padded(self.bench, name, padding)
        question = "Long and short documents have the same chance."
        definition = f"The mean {self.measure} over all queries after a change of the collection: {what}."
        self.properties.append(MeasuredProperty("length", question, f"{self.measure}, {name}", definition, example))
        return documents


class AnalysedInputs:
    """The altered inputs under one analyzer: indexes, corrected queries, evaluators."""

    def __init__(self, inputs: AlteredInputs, analyzer: Analyzer) -> None:
        bench = inputs.bench
        self._inputs, self._bench = inputs, bench
        self._corrected: dict[str, list[Query]] = {}
        self._evaluators: dict[tuple[str, bool], Evaluator] = {}
        self._built = {"": bench.index if analyzer == bench.analyzer else bench.build(bench.documents, analyzer)}
        self._built["length"] = bench.build(inputs.padded, analyzer)

    @property
    def index(self) -> Index:
        """The index of the documents as they are."""
        return self._built[""]

    @cached_property
    def without_removed(self) -> Index:
        """The index after the removal of documents."""
        return self.index.delete(self._inputs.removed)

    @cached_property
    def index_bytes(self) -> int:
        """The size of the saved index in bytes, without texts."""
        return self._saved()

    @cached_property
    def topic_bytes(self) -> int:
        """The size of the saved index with latent topics."""
        return self._saved(lsa=TOPICS)

    def _saved(self, **more: Any) -> int:
        made = self._bench.build(self._bench.documents, self.index.analyzer, store_text=False, **more)
        with tempfile.TemporaryDirectory() as folder:
            made.save(Path(folder) / "index")
            return sum(file.stat().st_size for file in (Path(folder) / "index").rglob("*") if file.is_file())

    def asked(self, name: str, corrects: bool) -> list[Query]:
        """The queries of an input, corrected if asked for."""
        queries = self._inputs.queries.get(name, self._inputs.queries[ALL])
        if not corrects:
            return queries
        if name not in self._corrected:
            self._corrected[name] = corrected_queries(self._built.get(name, self.index), queries)
        return self._corrected[name]

    def values(self, name: str, cure: Cure) -> PerQuery:
        """The values of a changed system on an input, by query."""
        if name == "corpus":
            return self._kept(cure)
        key = name, cure.corrects
        asked = self.asked(name, cure.corrects)
        if key not in self._evaluators:
            bench, index = self._bench, self._built.get(name, self.index)
            given = asked, bench.collection.qrels, bench.measures, bench.k
            self._evaluators[key] = Evaluator(index, *given, threshold=bench.threshold)
        per_query = self._evaluators[key](cure.model, cure.name).per_query
        measure = str(self._inputs.measure)
        return {query.query_id: per_query[query.query_id][measure] for query in asked}

    def _kept(self, cure: Cure) -> PerQuery:
        """The share of the first remaining documents that are first after the removal too; nan if there are none."""
        gone, queries = self._inputs.removed, self.asked(ALL, cure.corrects)
        run = Searcher(self.index, cure.model).run(queries, FIRST + len(gone))
        after = run if cure.frozen else Searcher(self.without_removed, cure.model).run(queries, FIRST)
        shares = {}
        for query_id, _ in queries:
            stayed, now = (
                [doc_id for doc_id in each.doc_ids_of(query_id) if doc_id not in gone][:FIRST] for each in (run, after)
            )
            shares[query_id] = len(set(stayed) & set(now)) / len(stayed) if stayed else math.nan
        return shares

    def milliseconds(self, cure: Cure) -> float:
        """The time per query; the queries are corrected within it if the cure does so."""
        best = math.inf
        for _ in range(_REPEATS):
            self.index.memo.clear()  # a query is corrected once
            started = perf_counter()
            queries = self._inputs.queries[ALL]
            asked = corrected_queries(self.index, queries) if cure.corrects else queries
            Searcher(self.index, cure.model).run(asked, self._bench.k, threads=1)
            best = min(best, perf_counter() - started)
            if best > _LONG:
                break
        return 1000 * best / len(self._inputs.queries[ALL])
