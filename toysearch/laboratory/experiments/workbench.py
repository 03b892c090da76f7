"""A judged collection on which many systems are valued, also such as analyse its texts otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.variants import variant
from toysearch.errors import ArgumentError
from toysearch.evaluation.measures.measure import Measure
from toysearch.index.document_sources import Source
from toysearch.index.index import Index
from toysearch.laboratory.experiments.doubts import tell_doubts
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.sources import JudgedLike, QrelsLike, QueriesLike, judged
from toysearch.models.mixture import Mixture, needs
from toysearch.models.model import Model
from toysearch.records import Document


class Workbench:
    """Gives an `Evaluator` for each way to analyse a collection."""

    def __init__(
        self,
        collection: JudgedLike,
        model: Model | Mixture,
        measure: Measure,
        k: int | None = 1000,
        threshold: float | None = None,
        analyzer: Analyzer | None = None,
        index: Index | None = None,
        queries: QueriesLike | None = None,
        qrels: QrelsLike | None = None,
    ) -> None:
        found = judged(collection, queries, qrels)
        self.collection, index = found.collection, found.index if index is None else index
        self._needs, self._measure, self._k = needs(model), measure, k
        self.threshold = self.collection.threshold if threshold is None else threshold
        self.query_ids = tuple(self.collection.qrels.query_ids)
        self.analyzer = analyzer or Analyzer.for_language(self.collection.language)
        if index is not None:
            self.analyzer = index.analyzer
        self.is_given = index is not None
        self.index = self._build(self.collection, self.analyzer) if index is None else index
        tell_doubts(self.collection, self.index)

    @property
    def queries(self) -> dict[str, str]:
        """The judged queries that have a text."""
        return dict(self.collection.judged_queries)

    def evaluator(self, choices: Mapping[str, str] | None = None) -> Evaluator:
        """The evaluator for texts that are analysed as usual but for some choices."""
        if not choices:
            return self._evaluator(self.index)
        self.refuse_choices(choices)
        analyzer = variant(self.analyzer, choices)
        is_usual = analyzer == self.analyzer
        return self._evaluator(self.index if is_usual else self._build(self.collection, analyzer))

    def evaluator_over(self, documents: Sequence[Document]) -> Evaluator:
        """The evaluator for other documents with the same ids, analysed as usual."""
        return self._evaluator(self._build(documents, self.analyzer))

    def refuse_choices(self, choices: Mapping[str, object]) -> None:
        """Refuse choices of the analysis where the index was given: it stores its own."""
        if choices and self.is_given:
            raise ArgumentError(
                f"an index stores its own analysis: {' and '.join(choices)} cannot be varied on it; name the "
                "collection in place of the index"
            )

    def _build(self, source: Source, analyzer: Analyzer) -> Index:
        fields = self.collection.searched_fields if self._needs.apart else None
        return Index.build(source, analyzer, store_text=False, fields=fields, values=self._needs.values)

    def _evaluator(self, index: Index) -> Evaluator:
        return Evaluator(index, self.queries, self.collection.qrels, [self._measure], self._k, threshold=self.threshold)
