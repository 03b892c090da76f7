"""A judged collection as it is indexed: the part of `Study` that experiments need (stands in for it)."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.ranking import Ranking
from toysearch.base.records import Document, Qrels, Query, Run
from toysearch.corpus.collection import Collection
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.result import Evaluation
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.search.searcher import Searcher


def residual_run(run: Run, seen: Mapping[str, Container[str]], k: int | None = None) -> Run:
    """The rankings of some queries without the documents seen, of at most k documents each."""
    rankings = []
    for query_id, doc_ids in seen.items():
        hits = [hit for hit in run.ranking(query_id) if hit.doc_id not in doc_ids][:k]
        rankings.append(Ranking(query_id, [hit.doc_id for hit in hits], [hit.score for hit in hits]))
    return Run.from_rankings(rankings, run.name)


@dataclass(frozen=True, eq=False)
class Bench:
    """A judged collection, its index, and how rankings are evaluated."""

    collection: Collection
    index: Index
    documents: Sequence[Document]
    queries: Sequence[Query]
    qrels: Qrels
    threshold: float
    k: int | None
    build: dict[str, Any]  # the arguments of `Index.build` after the analyzer
    left_out: frozenset[str] = frozenset()  # documents that are left out of rankings
    indexes: dict[str, Index] = field(default_factory=dict)  # analysis → the index of the same documents
    evaluators: dict[Any, Any] = field(default_factory=dict)

    @property
    def fields(self) -> Sequence[str]:
        """The fields that are counted apart."""
        return self.build["fields"] or ()

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of the texts."""
        return self.index.analyzer

    def with_(
        self,
        *,
        analyzer: Analyzer | None = None,
        documents: Sequence[Document] | None = None,
        queries: Sequence[Query] | None = None,
        qrels: Qrels | None = None,
        index: Index | None = None,
        left_out: Iterable[str] | None = None,
    ) -> Bench:
        """The same study with something else."""
        changes: dict[str, Any] = {"queries": queries, "qrels": qrels, "documents": documents}
        changes = {name: value for name, value in changes.items() if value is not None} | {"evaluators": {}}
        indexes = self.indexes
        if left_out is not None:
            changes["left_out"] = frozenset(left_out)
        if documents is not None or index is not None:
            changes["indexes"] = indexes = {}
        if analyzer is not None or documents is not None:
            analyzer = analyzer or self.analyzer
            key = str(analyzer.to_dict())
            if analyzer == self.analyzer and documents is None:
                index = self.index
            elif key not in indexes:
                texts = self.documents if documents is None else documents
                indexes[key] = Index.build(texts, analyzer, **self.build)
            index = index if index is not None else indexes[key]
        if index is not None:
            changes["index"] = index
        return replace(self, **changes)

    def evaluation(self, model: Model | Mixture, measures: Sequence[Measure]) -> Evaluation:
        """The values of a model."""
        key = tuple(map(str, measures))
        if self.left_out:
            if (key, model) not in self.evaluators:
                k = None if self.k is None else self.k + len(self.left_out)
                run = Searcher(self.index, model).run(self.queries, k)
                run = residual_run(run, dict.fromkeys(run.query_ids, self.left_out), self.k)
                self.evaluators[key, model] = evaluate(run, self.qrels, measures, threshold=self.threshold)
            return self.evaluators[key, model]  # type: ignore[no-any-return]
        if key not in self.evaluators:
            given = self.index, self.queries, self.qrels, measures, self.k
            self.evaluators[key] = Evaluator(*given, threshold=self.threshold)
        if (key, model) not in self.evaluators:
            self.evaluators[key, model] = self.evaluators[key](model)
        return self.evaluators[key, model]  # type: ignore[no-any-return]
