"""What an evaluation computes and by which settings, resolved once before anything is joined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError, note, unknown
from toysearch.evaluation.conventions import Convention
from toysearch.evaluation.conventions import convention as find_convention
from toysearch.evaluation.definition import Value
from toysearch.evaluation.gains import note_lowest, remapped
from toysearch.evaluation.judged import Judged
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.formats.inputs import Graded, QrelsLike, judgments_of
from toysearch.records import Qrels

UNDEFINED = ("zero", "nan")


class Settings(NamedTuple):
    """What is to be computed, and all that was left to a convention."""

    measures: list[Measure]  # each once
    convention: Convention  # what decided the rest
    ties: str | None  # see `evaluate`
    undefined: str  # "zero" | "nan": see `evaluate`
    only_retrieved: bool  # see `evaluate`

    def counted(self, joined: Judged) -> np.ndarray:
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


def given_judgments(qrels: QrelsLike, gains: Mapping[float, float] | None, settings: Settings) -> Graded:
    """The judgments, with other grades where some are given, and a note where the lowest may not mean a gain."""
    judgments = judgments_of(qrels)
    if gains is not None:  # a collection's threshold is one of its own grades
        judgments = Graded(remapped(judgments.qrels, gains))
    note_lowest(judgments.qrels, settings.measures)
    return judgments


def threshold_of(threshold: float | None, judgments: Graded) -> float:
    """The threshold that was given, else the collection's, else 1 with a note where that may not be meant."""
    qrels = judgments.qrels
    threshold = judgments.threshold if threshold is None else threshold
    if threshold is not None:
        if not math.isfinite(threshold):
            raise ArgumentError(f"the threshold is a finite number, not {threshold}")
        return float(threshold)
    fractions = qrels.relevance[qrels.relevance != np.floor(qrels.relevance)]
    if fractions.size:
        note(
            f"some grades are fractions, such as {fractions[0]:g}, and no threshold was given: relevant means 1 "
            f"or above; threshold={fractions[0]:g} or AP(rel={fractions[0]:g}) would set another"
        )
    return 1.0


def check_common(query_ids: Sequence[str], qrels: Qrels) -> None:
    """Refuse a run that has no judged query."""
    if not any(query_id in qrels for query_id in query_ids):
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{query_ids[0]}', the judgments such as '{qrels.query_ids[0]}'; the ids must be equal as texts"
        )
