"""What an evaluation computes and by which settings, resolved once before anything is joined."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError, note, unknown
from toysearch.evaluation.join import JoinedRun
from toysearch.evaluation.measures.definition import Value
from toysearch.evaluation.measures.measure import Measure, parse_measures
from toysearch.formats.run_and_qrels import QrelsLike, judgments_of
from toysearch.records import Qrels


@dataclass(frozen=True)
class Convention:
    """What is assumed where nothing is given.

    Attributes
    ----------
    name : str
        As given with ``--convention``.
    description : str
        What it is, in half a line.
    source : str
        Where it is documented.
    ties : str or None
        The rule for ties (`toysearch.formats.runs.TIES`); None: the default of the run.
    undefined : {"zero", "nan"}
        The value of a query without relevant documents.
    only_retrieved : bool
        Whether judged queries for which the run has no document are left out.
    retrieved_only : bool
        Whether judged documents that were not retrieved are ignored.
    parameters : mapping of str to mapping
        Name of a measure → its default parameters under the convention.
    """

    name: str
    description: str
    source: str
    ties: str | None = None
    undefined: str = "zero"
    only_retrieved: bool = False
    retrieved_only: bool = False
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def applied(self, measure: Measure) -> Measure:
        """The measure as the convention has it; a parameter that was given stays.

        Examples
        --------
        >>> str(find_convention("textbook").applied(Measure.parse("nDCG@10")))
        "nDCG(dcg='exp-log2')@10"
        >>> str(find_convention("textbook").applied(Measure.parse("AP")))
        'AP'
        """
        given = {**self.parameters.get(measure.name, {}), **dict(measure.parameters)}
        kept = tuple(
            (key, given[key])
            for key, parameter in measure.definition.parameters.items()
            if key in given and given[key] != parameter.default
        )
        return dataclasses.replace(measure, parameters=kept)

    def overridden(self, parameters: Mapping[str, Value], measures: Iterable[Measure]) -> Convention:
        """The convention with other parameters for those of the measures that take them.

        Parameters
        ----------
        parameters : mapping of str to value
            Name of a parameter → its value where the name of a measure does not give it.
        measures : iterable of Measure
            What is to be evaluated.

        Raises
        ------
        ArgumentError
            If none of the measures takes a parameter, or a value is not one that it takes.
        """
        by_measure = {name: dict(own) for name, own in self.parameters.items()}
        for key, value in parameters.items():
            takers = {one.name: one for one in measures if key in one.definition.parameters}
            if not takers:
                raise ArgumentError(f"none of {', '.join(map(str, measures))} has a parameter {key}; leave it out")
            for name, one in takers.items():
                cutoff = "" if one.cutoff is None else f"@{one.cutoff}"
                parsed = dict(Measure.parse(f"{name}({key}={value!r}){cutoff}").parameters)
                by_measure.setdefault(name, {})[key] = parsed.get(key, one.definition.parameters[key].default)
        return dataclasses.replace(self, parameters=by_measure)


CONVENTIONS: Mapping[str, Convention] = {
    one.name: one
    for one in (
        Convention(
            "trec_eval",
            "trec_eval with its option -c: what is missing or has nothing relevant counts as 0",
            "trec_eval 9, form_res_rels.c and m_*.c",
        ),
        Convention(
            "textbook",
            "a ranking has one order; no value without a relevant document; nDCG gains 2^grade - 1",
            "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8",
            ties="rank",
            undefined="nan",
            parameters={"DCG": {"dcg": "exp-log2"}, "nDCG": {"dcg": "exp-log2"}},
        ),
        Convention(
            "sklearn",
            "arrays of the documents that a system scored: others do not exist; tied ones have no order",
            "scikit-learn, sklearn.metrics.average_precision_score and ndcg_score",
            ties="sklearn",
            only_retrieved=True,
            retrieved_only=True,
        ),
    )
}
"""Name → convention; the first is the default."""


def find_convention(name: str | Convention) -> Convention:
    """The convention with a name (or the given one)."""
    if isinstance(name, Convention):
        return name
    if name not in CONVENTIONS:
        raise unknown("convention", name, CONVENTIONS)
    return CONVENTIONS[name]


UNDEFINED = ("zero", "nan")


class Settings(NamedTuple):
    """What to compute, and everything that a convention may decide."""

    measures: list[Measure]  # each once
    convention: Convention  # decided the rest
    ties: str | None  # see `evaluate`
    undefined: str  # "zero" | "nan": see `evaluate`
    only_retrieved: bool  # see `evaluate`

    def counted(self, joined: JoinedRun) -> np.ndarray:
        """Which of the queries count: bool, shape (n_queries,)."""
        return joined.retrieved > 0 if self.only_retrieved else np.ones(len(joined.query_ids), dtype=bool)

    def filled(self, measure: Measure, values: np.ndarray) -> np.ndarray:
        """The values, 0 where they are undefined, or NaN where that is asked for or 0 would be the best value."""
        if self.undefined == "nan" or measure.definition.better == "lower":
            return values
        return np.where(np.isnan(values), 0.0, values)


def resolve(
    measures: str | Iterable[object],
    ties: str | None,
    only_retrieved: bool | None,
    undefined: str | None,
    convention: str | Convention,
    parameters: Mapping[str, Value] | None,
) -> Settings:
    """The settings of an evaluation: what is given, and what a convention says of the rest."""
    settled, named = find_convention(convention), parse_measures(measures)
    if parameters:
        settled = settled.overridden(parameters, named)
    if settled.parameters:
        named = list(dict.fromkeys(map(settled.applied, named)))
    undefined = settled.undefined if undefined is None else undefined
    if undefined not in UNDEFINED:
        raise unknown("value for undefined", undefined, UNDEFINED, "values for undefined")
    return Settings(
        named,
        settled,
        settled.ties if ties is None else ties,
        undefined,
        settled.only_retrieved if only_retrieved is None else only_retrieved,
    )


class Judgments(NamedTuple):
    """The judgments of an evaluation, and the grade from which a document is relevant."""

    qrels: Qrels
    threshold: float


def judgments_for(
    settings: Settings,
    query_ids: Sequence[str],
    qrels: QrelsLike,
    gains: Mapping[float, float] | None,
    threshold: float | None,
) -> Judgments:
    """The judgments of queries, with other grades where some are given, and the threshold.

    The threshold is the given one, else that of the collection, else 1; a note says where that, or the lowest grade,
    may not be meant. Queries of which none is judged are refused.
    """
    judgments, of_collection = judgments_of(qrels)
    if gains is not None:  # the threshold of a collection is one of its own grades
        judgments, of_collection = remapped(judgments, gains), None
    note_lowest(judgments, settings.measures)
    if not any(query_id in judgments for query_id in query_ids):
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{query_ids[0]}', the judgments such as '{judgments.query_ids[0]}'; the ids must be equal as texts"
        )
    threshold = of_collection if threshold is None else threshold
    if threshold is None:
        note_fractions(judgments)
        threshold = 1.0
    if not math.isfinite(threshold):
        raise ArgumentError(f"the threshold is a finite number, not {threshold}")
    return Judgments(judgments, float(threshold))


def note_fractions(qrels: Qrels) -> None:
    """Note where grades are fractions and no threshold is given."""
    fractions = qrels.relevance[qrels.relevance != np.floor(qrels.relevance)]
    if fractions.size:
        note(
            f"some grades are fractions, such as {fractions[0]:g}, and no threshold was given: relevant means 1 "
            f"or above; threshold={fractions[0]:g} or AP(rel={fractions[0]:g}) would set another"
        )


def remapped(qrels: Qrels, gains: Mapping[float, float]) -> Qrels:
    """The judgments with each grade replaced."""
    replaced = np.full(len(qrels), np.nan)
    for grade, gain in gains.items():
        if not (_finite(grade) and _finite(gain)):
            raise ArgumentError(f"gains: expected finite numbers, such as {{1: 0, 2: 1}}; found {grade!r}: {gain!r}")
        replaced[qrels.relevance == grade] = gain
    for row in np.flatnonzero(np.isnan(replaced))[:1].tolist():
        known = ", ".join(f"{grade:g}" for grade in gains) or "no grade"
        raise DataError(
            f"query '{qrels.query_of(row)}', document '{qrels.doc_ids[row]}': gains has no entry for the grade "
            f"{qrels.relevance[row]:g}, only for {known}; give one, {qrels.relevance[row]:g} again to keep it"
        )
    return Qrels(qrels.query_ids, qrels.offsets, qrels.doc_ids, replaced)


def _finite(number: object) -> bool:
    return isinstance(number, Real) and math.isfinite(number)


def note_lowest(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Note where grades are gains and even the lowest of them gains something.

    Only scales of whole grades raise the question: judgments of one grade name the relevant documents and no others,
    and fractions (a share of votes, a probability) mean what they say.
    """
    lowest, highest = float(qrels.relevance.min()), float(qrels.relevance.max())
    if not 0 < lowest < highest or (qrels.relevance % 1).any():
        return
    graded = next((measure for measure in measures if _gains_by_grade(measure)), None)
    if graded:
        note(
            f"no grade is 0 or less: the lowest is {lowest:g}, and in {graded} it gains something; if it means not "
            f"relevant, a grade mapping says so (gains = {{ {lowest:g} = 0, … }} in a collection.toml, or "
            f"gains={{{lowest:g}: 0, …}} of evaluate)"
        )


def _gains_by_grade(measure: Measure) -> bool:
    given = dict(measure.parameters)
    return (measure.definition.family == "graded" or measure.name == "RBP") and not {"rel", "gains"} & given.keys()
