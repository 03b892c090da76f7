"""The systems whose robustness is tested: a study, its models, and what is known of its texts and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.effects import Quantity, quantities
from toysearch.laboratory.experiments.robustness.alterations import Vocabulary
from toysearch.laboratory.study import Study
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher


@dataclass(frozen=True)
class StudiedSystems:
    """Models on a study, and the seed of the alterations."""

    study: Study
    models: Mapping[str, Model | Mixture]
    measures: Sequence[Measure]
    seed: int

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The measures, as what is measured of a system."""
        return quantities(self.measures)

    @property
    def language(self) -> str:
        """The language of the texts, ``none`` if unknown."""
        language = self.study.analyzer.language
        return language if language != "none" else self.study.judged.language

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the documents."""
        return Vocabulary(self.study.index, (document.text for document in self.study.documents))

    @cached_property
    def terms(self) -> dict[str, QueryTerms]:
        """The terms of each query."""
        searcher = Searcher(self.study.index)
        return {query_id: searcher.terms(text, query_id=query_id) for query_id, text in self.study.queries}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each document."""
        return {document.doc_id: number for number, document in enumerate(self.study.documents)}

    @cached_property
    def relevant(self) -> dict[str, list[int]]:
        """The numbers of the relevant documents of each query, if in the collection."""
        relevant: dict[str, list[int]] = {query_id: [] for query_id, _ in self.study.queries}
        for query_id, doc_id, grade in self.study.qrels:
            if query_id in relevant and self.is_relevant(doc_id, grade):
                relevant[query_id].append(self.numbers[doc_id])
        return relevant

    def is_relevant(self, doc_id: str, grade: float) -> bool:
        """Whether a judged document is relevant and in the collection."""
        return grade >= self.study.threshold and grade > 0 and doc_id in self.numbers
