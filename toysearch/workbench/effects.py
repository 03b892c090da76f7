"""Variations of a system, which are named changes, and their effects: a measure before and after, tested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.analysis.analyzer_text import variant
from toysearch.base import Result, Tell, TextNeeds, ToysearchError, cut, groups_of, one_line
from toysearch.evaluation import Measure
from toysearch.evaluation.values_and_means import over_needs
from toysearch.models import Model, Ranker
from toysearch.models.calls import RUN, SEARCH
from toysearch.models.rankers import parts_of
from toysearch.study.compare.significance import (
    DECIMALS,
    Procedure,
    TestResult,
    corrected_tests,
)
from toysearch.study.compare.tested_differences import difference_data, p_text
from toysearch.study.study import Study
from toysearch.workbench.ranker_reads import has_queries_by_id, reads_index, reads_words
from toysearch.workbench.tune.study_evaluation import study_evaluation

__all__ = ["Effect"]

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
    against: Variation | None = None  # compared with it; None: with the system as it is


def model_variation(name: str, what: str, change: Callable[[Study, Model | Ranker], Model | Ranker]) -> Variation:
    """Make a variation of the model alone."""
    return Variation(name, what, lambda study, model: (study, change(study, model)))


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


PerQuery = Mapping[str, float]

_UNTESTED = TestResult("", 0, *[math.nan] * 5)

SINGLE = Procedure("t", "none", 0.05, 0)
"""Student's paired t test of each effect alone."""


class Quantity(NamedTuple):
    """Number measured of a system for each query; of a need, each of its texts."""

    name: str
    values: Callable[[Study, Model | Ranker], PerQuery]
    width: float | None = 1.0  # of the range of the values, which no change exceeds; None: there is no end


def quantities(measures: Sequence[Measure]) -> list[Quantity]:
    """Return the values of measures, which are computed together."""

    def quantity(measure: Measure) -> Quantity:
        def values(study: Study, model: Model | Ranker) -> PerQuery:
            rows = study_evaluation(study, model, measures).per_query
            return {query_id: row[str(measure)] for query_id, row in rows.items()}

        least, most = measure.definition.range
        return Quantity(str(measure), values, None if most is None else most - least)

    return [quantity(measure) for measure in measures]


class Effect(NamedTuple):
    """Effect of a variation on a measure of a system.

    Attributes
    ----------
    system, variation, measure : str
        The system, the change, and what was measured.
    queries : int
        The number of queries with a finite value before and after.
    before, after : float
        The means over these queries.
    test : TestResult or None
        The paired test of after − before; its interval is no wider than the range of the measure allows. None if the
        system cannot have the variation.
    p : float
        The p of the test; it and the interval are corrected for the variations if the experiment does so.
    example : Example or None
        The first input that the variation changes.
    what : str
        The change, as a sentence.
    corrected : float or None
        The mean after the variation and its cure, such as the correction of misspelt queries.
    problem : str
        The reason why the system cannot have the variation, "" if it can.
    values : dict of str to (float, float)
        Query → the values before and after.
    """

    system: str
    variation: str
    measure: str = ""
    queries: int = 0
    before: float = math.nan
    after: float = math.nan
    test: TestResult | None = None
    p: float = math.nan
    example: Example | None = None
    what: str = ""
    corrected: float | None = None
    problem: str = ""
    values: Mapping[str, tuple[float, float]] = {}

    @property
    def difference(self) -> float:
        """Mean of after − before."""
        return self.after - self.before if self.test is None else self.test.mean

    @property
    def low(self) -> float:
        """Lower end of the interval of the difference."""
        return (self.test or _UNTESTED).low

    @property
    def high(self) -> float:
        """Upper end of the interval of the difference."""
        return (self.test or _UNTESTED).high

    @property
    def changes(self) -> dict[str, float]:
        """Query → after − before, where both are finite and differ, the largest first."""
        finite = {query_id: pair for query_id, pair in self.values.items() if all(map(math.isfinite, pair))}
        changes = {query_id: round(after - before, DECIMALS) for query_id, (before, after) in finite.items()}
        return dict(sorted(filter(lambda change: change[1], changes.items()), key=lambda change: -abs(change[1])))

    def data(self) -> dict[str, Any]:
        """Return the numbers of the effect for JSON."""
        means = {"queries": self.queries, "before": self.before, "after": self.after}
        return means | difference_data(self.test or _UNTESTED, self.p)


def effects(
    study: Study,
    systems: Mapping[str, Model | Ranker],
    variations: Iterable[Variation],
    measured: Sequence[Quantity],
    procedure: Procedure = SINGLE,
    progress: Tell | None = None,
) -> tuple[Effect, ...]:
    """Measure each variation of each system by each measure, in this order; one row if it is not possible.

    p and the interval are corrected over the variations of a system.
    progress: called with the number of variations measured so far.
    """

    def values(system: Varied) -> list[PerQuery]:
        return [quantity.values(*system) for quantity in measured]

    before = {name: values((study, model)) for name, model in systems.items()}
    rows = []
    differences = {}  # the place of a row → its differences
    for number, variation in enumerate(variations, 1):
        for name, model in systems.items():
            try:
                changed = variation.apply(study, model)
                first = before[name] if variation.against is None else values(variation.against.apply(study, model))
                sides = [first, values(changed)]
                if variation.cure is not None:
                    sides.append(values(variation.cure.apply(*changed)))
            except ToysearchError as reason:
                if str(reason):
                    rows.append(Effect(name, variation.name, what=variation.what, problem=str(reason)))
                continue
            for quantity, *of_query in zip(measured, *sides, strict=True):
                for row, of_row in effect(name, variation, quantity, of_query, study.qrels().needs):
                    differences[len(rows)] = of_row
                    rows.append(row)
        if progress:
            progress(number)
    widths = {quantity.name: quantity.width for quantity in measured}
    families = groups_of(((rows[place].system, rows[place].measure), place) for place in differences)
    for places in families.values():
        columns = [differences[place][:, np.newaxis] for place in places]
        for place, tested in zip(places, corrected_tests(columns, procedure), strict=True):
            test, width = tested.result, widths[rows[place].measure]
            if width is not None and math.isfinite(test.low) and math.isfinite(test.high):
                test = test._replace(low=max(test.low, -width), high=min(test.high, width))
            rows[place] = rows[place]._replace(test=test, p=tested.p)
    return tuple(rows)


def effect(
    system: str,
    variation: Variation,
    quantity: Quantity,
    sides: Sequence[PerQuery],
    needs: TextNeeds | None = None,
) -> list[tuple[Effect, np.ndarray]]:
    """Compare the values before and after a variation, and after its cure, untested; none without a finite pair.

    Of a need, the means over those of its texts that have a value on each side.
    """
    pairs = {query_id: [side[query_id] for side in sides] for query_id in sides[1] if query_id in sides[0]}
    known = {query_id: values for query_id, values in pairs.items() if all(map(math.isfinite, values))}
    if not known:
        return []
    if needs:
        ids, rows = over_needs([*known], np.array([*known.values()]), needs)
        pairs = known = dict(zip(ids, rows.tolist(), strict=True))
    finite = [*known.values()]
    differences = np.array([after - before for before, after, *_ in finite])
    before, after, *cured = (math.fsum(column) / len(finite) for column in zip(*finite, strict=True))
    row = Effect(
        system,
        variation.name,
        quantity.name,
        len(finite),
        before,
        after,
        example=variation.example,
        what=variation.what,
        corrected=cured[0] if cured else None,
        values={query_id: (values[0], values[1]) for query_id, values in pairs.items()},
    )
    return [(row, differences)]


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


def excerpts(before: str, after: str, width: int) -> tuple[str, str]:
    """Cut out the places where a text and the altered one differ, each in at most `width` characters.

    >>> excerpts("a long text about the boundary layer", "a long text about the boundray layer", 24)
    ('… the boundary layer', '… the boundray layer')
    >>> excerpts("", "a new text", 24)
    ('', 'a new text')
    """
    before, after = one_line(before), one_line(after)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    same = sum(1 for _ in alike)
    start = max(0, same - min(24, width // 2))  # some characters before the alteration
    blank = before.find(" ", start, same)  # a word is shown from its beginning
    if start and blank >= 0:
        start = blank
    before, after = (cut(f"…{text[start:]}" if start else text, width) for text in (before, after))
    return before, after
