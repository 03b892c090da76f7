"""Other grades for those of the judgments, and whether the lowest one means what it gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np

from toysearch.errors import ArgumentError, DataError, note
from toysearch.evaluation.measure import Measure
from toysearch.records import Qrels


def remapped(qrels: Qrels, gains: Mapping[float, float]) -> Qrels:
    """The judgments with another grade in the place of each."""
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
    """Tell the user where grades are gains and even the lowest of them gains something.

    That is asked of a scale of whole grades. Judgments of one grade name the relevant documents and no others, and
    fractions (a share of votes, a probability) mean what they say.
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
