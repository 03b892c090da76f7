"""Features of the pooled documents of judged queries: one row per document, also as a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import (
    SUM,
    ArgumentError,
    Qrels,
    Query,
    Result,
    ResultTable,
    expect,
    expect_list,
    number_columns,
    records,
    table_columns,
)
from toysearch.collection.queries import QueriesLike
from toysearch.files import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.models import Array, Model, Prior, Ranker
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Searcher, scorer_of
from toysearch.retrieval.rerank_pool import Pooled
from toysearch.study.study import JudgedLike, Study
from toysearch.workbench.learning.learned_ranker import (
    DEFAULT_FEATURES,
    DEFAULT_POOL,
    Counted,
    PoolPart,
    feature_of,
    pool_part,
    ranked_by,
)
from toysearch.workbench.learning.learned_scorer import QueryFeatures

__all__ = ["FeatureTable", "features"]

_LARGEST = 1e100  # of a value


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable(Result):
    """Features of the documents in the pool of each judged query.

    Attributes
    ----------
    collection, analyzer : str
        The collection and the analysis.
    names : tuple of str
        The features, one per column.
    pool : tuple of PoolPart
        The documents of a query: the best of each model.
    topics : tuple of Query
        The judged queries, in the order of the rows.
    pooled : tuple of Pooled
        The documents of each query, by number, and those that follow the pool.
    starts : ndarray
        (n_queries + 1,) int64: the first row of each query.
    values : ndarray
        (n_rows, n_features) float64.
    grades : ndarray
        (n_rows,) float64: the grade of each document; 0 for an unjudged one.
    index : Index
        The index of the documents.
    qrels : Qrels
        The judgments.
    threshold : float
        The lowest grade of a relevant document.
    """

    collection: str
    analyzer: str
    names: tuple[str, ...]
    pool: tuple[PoolPart, ...]
    topics: tuple[Query, ...]
    pooled: tuple[Pooled, ...]
    starts: np.ndarray
    values: Array
    grades: Array
    index: Index
    qrels: Qrels
    threshold: float

    @property
    def queries(self) -> dict[str, str]:
        """Return the judged queries with their texts, in the order of the rows."""
        return dict(self.topics)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per document: the ids, the grade, the features."""
        columns = table_columns("query_id", "doc_id", number_columns("g", "grade"))
        rows = [[query_id, doc_id, grade, *values] for query_id, doc_id, grade, values in self.rows]
        return [ResultTable(table_columns(columns, number_columns(".4f", *self.names)), rows)]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        counts = f"{len(self)} rows, {len(self.queries)} queries, {len(self.names)} features"
        return f"<FeatureTable of {self.collection}: {counts}>"

    __str__ = __repr__

    def data(self) -> list[dict[str, Any]]:
        """Return the rows as records, for JSON."""
        return records(self.tables()[0])

    @property
    def rows(self) -> Iterator[tuple[str, str, float, list[float]]]:
        """Yield query_id, doc_id, grade and features of each row."""
        for place, (query_id, pooled) in enumerate(zip(self.queries, self.pooled, strict=True)):
            for row, doc in enumerate(pooled.docs.tolist(), int(self.starts[place])):
                yield query_id, self.index.doc_ids[doc], float(self.grades[row]), self.values[row].tolist()


def without_extremes(table: FeatureTable) -> FeatureTable:
    """Return the table; refuse a value that is not finite, or too large for a learner to square and add."""
    for row, column in np.argwhere(~(np.abs(table.values) <= _LARGEST))[:1].tolist():
        query_id, doc_id, _, values = next(islice(table.rows, row, None))
        raise ArgumentError(
            f"feature '{table.names[column]}' of document '{doc_id}' for query '{query_id}' is {values[column]:g}; "
            f"expected a number from −{_LARGEST:g} to {_LARGEST:g}"
        )
    return table


def features(
    collection: JudgedLike,
    names: Iterable[str] | None = None,
    pool: Iterable[str] | None = None,
    *,
    threshold: float | None = None,
    analyzer: AnalyzerLike | None = None,
    index: Index | None = None,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
) -> FeatureTable:
    """Compute the features of pooled documents, for a learner.

    The documents are those of every judged query. An unjudged document has grade 0.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents with judged queries.
    names : iterable of str, optional
        The features: any model by its text (``"bm25"``, ``"sdm(bm25)"``, ``"bm25f:title=1"``), a number of the
        documents (``"prior:year"``), or coverage, idf-coverage, idf-sum, tf-sum, length, query-length, query-idf. Each
        may stand in ``min-max(…)``, ``z-score(…)`` or ``sum(…)``, which are over the pool of a query. Default:
        `DEFAULT_FEATURES`.
    pool : iterable of str, optional
        The models whose best documents are taken, with their numbers. Default ``["bm25@200"]``.
    threshold : float, optional
        The lowest grade of a relevant document; by default that of the collection.
    analyzer : Analyzer, str or function, optional
        By default that of the collection's language.
    index : Index, optional
        An index of the collection to use instead of building one.
    queries, qrels : optional
        Other queries and judgments.

    Returns
    -------
    FeatureTable

    Raises
    ------
    ArgumentError
        If a feature is unknown, or the index lacks what it needs.

    Examples
    --------
    >>> found = features("cat-dog-parrot", ["bm25", "coverage"])
    >>> found
    <FeatureTable of cat-dog-parrot: 12 rows, 3 queries, 2 features>
    >>> query_id, doc_id, grade, values = next(found.rows)
    >>> query_id, doc_id, grade, [round(value, 4) for value in values]
    ('1', '1', 1.0, [0.5952, 1.0])
    """
    expect_list(str, names=names or [])
    expect_list(object, pool=pool or [])
    texts = tuple(text.strip() for text in (DEFAULT_FEATURES if names is None else names))
    if not texts or len(set(texts)) < len(texts):
        raise ArgumentError(
            "expected at least one feature, each named once" + (f": {', '.join(texts)}" if texts else "")
        )
    parts = DEFAULT_POOL if pool is None else tuple(pool_part(part, find_model) for part in pool)
    if not parts:
        raise ArgumentError("expected at least one model for the pool, such as bm25@200")
    if index is not None:
        expect(Index, index=index)
    study = (
        Study.of(collection, queries, qrels)
        .with_index(index, analyzer)
        .with_models(models_of(texts, parts))
        .with_scoring(threshold=threshold)
        .ready()
    )
    index = study.index()
    computed, searcher = QueryFeatures(index, texts, scorer_of, parts), Searcher(index)
    pooled, blocks, grades = [], [np.zeros((0, len(texts)))], list[float]()
    topics, judgments = tuple(study.queries()), study.qrels()
    for query_id, text in topics:
        documents, values = computed.of(searcher.terms(text, study.scoring.query_mode, query_id))
        pooled.append(documents)
        blocks.append(values)
        of_query = judgments[query_id]
        grades += [float(of_query.get(index.doc_ids[doc], 0.0)) for doc in documents.docs.tolist()]
    table = FeatureTable(
        collection=study.judged().name,
        analyzer=str(index.analyzer),
        names=texts,
        pool=parts,
        topics=topics,
        pooled=tuple(pooled),
        starts=np.cumsum([0, *(len(documents.docs) for documents in pooled)]),
        values=np.concatenate(blocks),
        grades=np.array(grades, np.float64),
        index=index,
        qrels=judgments,
        threshold=study.threshold(),
    )
    return without_extremes(table)


def models_of(texts: Iterable[str], pool: Iterable[PoolPart]) -> list[Model | Ranker]:
    """Return the models of features and of a pool, and rankers of one prior."""
    models = [ranked_by(part.model, "pool", find_model) for part in pool]
    for source in (feature_of(text, find_model).source for text in texts):
        if isinstance(source, Prior):
            models.append(Ranker(SUM, (source,), (1.0,)))
        elif not isinstance(source, Counted):
            models.append(source)
    return models
