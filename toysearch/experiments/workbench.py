"""A judged collection on which many systems are valued, also such as analyse its texts otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.variants import variant
from toysearch.errors import ArgumentError
from toysearch.evaluation.measure import Measure
from toysearch.experiments.doubts import tell_doubts
from toysearch.experiments.evaluator import Evaluator
from toysearch.index.index import Index
from toysearch.index.sources import Source
from toysearch.ranking.mixture import Mixture, needs
from toysearch.ranking.model import Model
from toysearch.records import Document
from toysearch.sources import JudgedLike, QrelsLike, QueriesLike, judged


class Workbench:
    """Gives an `Evaluator` for each way to analyse a collection.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents, queries and judgments, as `judged` takes them.
    model : Model or Mixture
        What will rank: an index keeps what it needs.
    measure : Measure
        What is measured.
    k : int or None
        How deep is ranked.
    threshold : float, optional
        The grade from which on a document is relevant; by default the collection's.
    analyzer : Analyzer, optional
        How texts are analysed unless a choice says otherwise; by default as the collection's language asks for.
    index : Index, optional
        An index of the collection in place of one that is built; then nothing can be chosen otherwise.
    queries, qrels : optional
        Queries and judgments in the place of the collection's own.

    Attributes
    ----------
    collection : Collection
        The collection.
    analyzer : Analyzer
        How texts are analysed without a choice.
    index : Index
        The index of that.
    is_given : bool
        Whether the index was given.
    threshold : float
        The grade from which on a document is relevant.
    query_ids : tuple of str
        The judged queries, in the order of the judgments, as in every evaluation.
    """

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
        """The evaluator for texts that are analysed as usual but for some choices.

        Parameters
        ----------
        choices : mapping of str to str, optional
            As `variant` takes them.

        Raises
        ------
        ArgumentError
            If there are some and the index was given.
        """
        if not choices:
            return self._evaluator(self.index)
        self.refuse_choices(choices)
        analyzer = variant(self.analyzer, choices)
        is_usual = analyzer == self.analyzer
        return self._evaluator(self.index if is_usual else self._build(self.collection, analyzer))

    def evaluator_over(self, documents: Sequence[Document]) -> Evaluator:
        """The evaluator for other documents with the same ids, analysed as usual.

        Parameters
        ----------
        documents : sequence of Document
            The documents.
        """
        return self._evaluator(self._build(documents, self.analyzer))

    def refuse_choices(self, choices: Mapping[str, object]) -> None:
        """Refuse choices of the analysis where the index was given: it stores its own.

        Parameters
        ----------
        choices : mapping of str to object
            The choices by name.
        """
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
