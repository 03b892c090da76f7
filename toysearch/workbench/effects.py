"""Variations of a system, which are named changes, and results of experiments with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.analysis.analyzer_text import variant
from toysearch.base import Result, TextNeeds, ToysearchError
from toysearch.models import Model, Ranker
from toysearch.models.calls import RUN, SEARCH
from toysearch.models.rankers import parts_of
from toysearch.study.compare.significance import TestResult
from toysearch.study.compare.tested_differences import p_text
from toysearch.study.study import Study
from toysearch.workbench.ranker_reads import has_queries_by_id, reads_index, reads_words

Varied: TypeAlias = tuple[Study, Model | Ranker]
"""Judged collection as it is indexed, and the model that ranks it."""


class NotPossible(ToysearchError):
    """Raised for a variation that a system cannot have, with the reason; without one if another takes its place."""


class Example(NamedTuple):
    """Altered input: its place (query 12, document 7), and its text before and after."""

    where: str
    before: str
    after: str


class Variation(NamedTuple):
    """Named change to a system.

    >>> from toysearch.models.registry import model
    >>> Variation("b = 0", "long documents count in full", lambda study, model: (study, model.bind(b=0))).name
    'b = 0'
    """

    name: str  # a few words, the same in all output
    what: str  # the change, as a sentence
    # the changed study and model; raises `NotPossible` for a system that cannot have the change
    apply: Callable[[Study, Model | Ranker], Varied]
    example: Example | None = None  # the first input that it changes
    cure: Variation | None = None  # undoes it, such as the correction of misspelt queries


_OWN_DOCUMENTS = {SEARCH: "searches", RUN: "ranks"}


def study_variation(
    name: str,
    what: str,
    change: Callable[[Study], Study],
    example: Example | None = None,
    cure: Variation | None = None,
) -> Variation:
    """Make a variation of the study alone, which is made once for all models.

    If it changes the texts or the analysis of the index, a ranker that reads neither cannot have it; if it adds and
    removes documents, a search of the user's own, which has other documents, cannot; if it changes the texts of
    queries, a ranker that has their vectors by their ids cannot.
    """
    changed = cache(change)

    def apply(study: Study, model: Model | Ranker) -> Varied:
        altered = changed(study)
        has_other_documents = altered.opened is not study.opened
        has_other_texts = altered.built is not study.built and not has_other_documents
        if has_other_texts and not reads_index(model):
            before, after = (variant(each.analyzer(), {"stem": "none"}) for each in (study, altered))
            if before == after or not reads_words(model):
                raise NotPossible(f"{model} does not read the terms of the index")
        own = next((part for part in parts_of(model) if part.call in _OWN_DOCUMENTS), None)
        if has_other_documents and own is not None:
            raise NotPossible(f"{own} {_OWN_DOCUMENTS[own.call]} documents of its own, which stay as they are")
        if altered.collection is not study.collection and has_queries_by_id(model):
            has = "rankings" if any(part.call == RUN for part in parts_of(model)) else "vectors"
            raise NotPossible(f"{model} has {has} of queries by their ids, and none of other texts")
        return altered, model

    return Variation(name, what, apply, example, cure)


def refused(name: str, reason: str) -> Variation:
    """Make a variation that no system can have."""

    def refuse(study: Study, model: Model | Ranker) -> Varied:
        raise NotPossible(reason)

    return Variation(name, "", refuse)


class ExperimentResult(Result):
    """Result of an experiment on the judged queries of a collection, or on the needs that they are texts of."""

    query_ids: tuple[str, ...]
    needs: TextNeeds

    @property
    def size(self) -> str:
        """Number of queries in words, or of needs and their texts."""
        return self.needs.size(self.needs or self.query_ids)

    def _setup(self, *names: str) -> dict[str, Any]:
        """Return attributes of the experiment and the numbers of its queries, for JSON."""
        return {name: getattr(self, name) for name in names} | self.needs.counts(self.needs or self.query_ids)

    def _by_query(self, values: np.ndarray) -> dict[str, float]:
        """Return values in the order of the queries by their ids."""
        return dict(zip(self.query_ids, values.tolist(), strict=True))


class HeldOutResult(ExperimentResult):
    """Result of an experiment that chooses something, with a test on queries that had no part in the choice."""

    gain: TestResult | None
    alpha: float
    sign: int

    @property
    def verdict(self) -> str:
        """Verdict of the test: ``better`` or ``worse``; ``""`` if it is inconclusive."""
        if self.gain is None or self.gain.p >= self.alpha:
            return ""
        return "better" if self.sign * self.gain.mean > 0 else "worse"

    def _held_out_sentence(self, system: str, other: str) -> list[str]:
        """State the conclusion of the test, if there is one."""
        if self.gain is None:
            return []
        found = f"{system} is {self.verdict} than {other}" if self.verdict else f"no difference from {other} is shown"
        return [f"On held-out queries, {found} (p {p_text(self.gain.p)})."]
