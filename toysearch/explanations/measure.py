"""How a measure's value for a query comes about, rank by rank, from the code and the arrays that compute it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import toysearch
from toysearch.errors import ArgumentError, unknown
from toysearch.evaluation.evaluation import Evaluation
from toysearch.evaluation.judged import Judged, join
from toysearch.evaluation.measure import Measure
from toysearch.evaluation.order import ordered
from toysearch.explanations.quantities import SUM, quantities, widened
from toysearch.records import Qrels, Run

_OVER_ORDERS = ("average", "sklearn")


class RankRow(NamedTuple):
    """A place of the ranking, and what the measure's code computes there."""

    rank: int  # from 1
    doc_id: str  # the document
    grade: float | None  # none where it is unjudged
    relevant: bool  # whether its grade is at least the threshold and above 0
    # what the code names at this rank: precision, gain, discount, … Empty for an unjudged document
    quantities: dict[str, float]


class IdealRow(NamedTuple):
    """A place of the ideal ranking: all judged documents by falling grade."""

    rank: int
    grade: float
    quantities: dict[str, float]


class MeasureExplanation(NamedTuple):
    """A measure's value taken apart.

    Attributes
    ----------
    measure, query_id : str
        What was computed, for which query.
    value : float
        The value, NaN where it is undefined.
    counted : float
        What the evaluation counts it as (0 for an undefined one, as trec_eval, unless told otherwise).
    threshold : float
        The grade from which on a document is relevant.
    retrieved, relevant : int
        How many documents were retrieved, and how many are relevant, retrieved or not.
    cutoff : int or None
        The rank below which nothing counts.
    description, formula, undefined : str
        What the measure is.
    ranking : list of RankRow
        All that was retrieved, best first.
    ideal : list of IdealRow
        The ideal ranking where the code computes with it, else empty.
    numbers : dict of str to float
        The quantities without a rank that the code names, in the order in which it makes them.
    lists : dict of str to list of float
        Those of any other length: precisions at ranks 1 to k, levels of recall, …
    """

    measure: str
    query_id: str
    value: float
    counted: float
    threshold: float
    retrieved: int
    relevant: int
    cutoff: int | None
    description: str
    formula: str
    undefined: str
    ranking: list[RankRow]
    ideal: list[IdealRow]
    numbers: dict[str, float]
    lists: dict[str, list[float]]

    def __str__(self) -> str:
        return toysearch.as_text(self)

    def _repr_html_(self) -> str:
        return toysearch.as_html(self)


def explain_measure(
    run: Run, qrels: Qrels, evaluation: Evaluation, measure: str | Measure, query_id: str
) -> MeasureExplanation:
    """How a value of an evaluation comes about.

    The measure's own function is run on the one query, and the names that its code gives to what it computes on
    its way are read when it returns: nothing is computed a second time in another way.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        What came of it.
    measure : str or Measure
        One of the evaluation's measures.
    query_id : str
        One of its queries.

    Raises
    ------
    ArgumentError
        If it has no such measure or query, or its values are means over several orders of tied documents, or it is
        not one of this run by these judgments.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1}}), Qrels.from_dict({"1": {"a": 1, "c": 1, "d": 1}})
    >>> why = explain_measure(run, qrels, evaluate(run, qrels, "AP"), "AP", "1")
    >>> [(row.rank, row.doc_id, row.grade) for row in why.ranking]
    [(1, 'a', 1.0), (2, 'b', None), (3, 'c', 1.0)]
    >>> why.ranking[2].quantities["precisions"], why.value         # (1/1 + 2/3) / 3
    (0.6666666666666666, 0.5555555555555555)
    """
    asked = _asked(evaluation, measure, query_id)
    ranking, grades = _of_query(run, query_id, evaluation.ties), qrels[query_id]
    computed = asked
    if dict(asked.parameters).get("judged_only"):  # a condensed list is a ranking of its own
        computed = replace(asked, parameters=tuple(pair for pair in asked.parameters if pair[0] != "judged_only"))
        ranking = [doc_id for doc_id in ranking if grades.get(doc_id, -1) >= 0]
    judged = _join(ranking, query_id, qrels, evaluation)
    judged = widened(judged, asked.cutoff)
    value, found = quantities(computed, judged)
    counted = evaluation.per_query[query_id][str(asked)]
    if not (math.isnan(value) or math.isnan(counted) or math.isclose(value, counted, rel_tol=1e-9, abs_tol=1e-12)):
        raise ArgumentError(
            f"{asked} of query {query_id} is {counted:g} in the evaluation and {value:g} by this run and these "
            "judgments; give those that were evaluated (judgments with their gains remapped)"
        )
    rel = dict(asked.parameters).get("rel")
    limit = float(rel) if isinstance(rel, int | float) else evaluation.threshold
    definition = asked.definition
    return MeasureExplanation(
        measure=str(asked),
        query_id=query_id,
        value=value,
        counted=counted,
        threshold=limit,
        retrieved=len(ranking),
        relevant=int(judged.n_relevant(limit)[0]),
        cutoff=None if definition.cutoff == "recall" or asked.cutoff is None else int(asked.cutoff),
        description=definition.description,
        formula=definition.formula,
        undefined=definition.undefined,
        ranking=_rows(ranking, grades, limit, judged, found.by_rank),
        ideal=_ideal(judged, found.by_ideal),
        numbers=found.numbers,
        lists=found.lists,
    )


def _asked(evaluation: Evaluation, measure: str | Measure, query_id: str) -> Measure:
    """The evaluation's measure, as its convention has it; refused where there is no value of one ranking."""
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    asked = parsed if parsed in evaluation.measures else evaluation.convention.applied(parsed)
    if asked not in evaluation.measures:
        there = ", ".join(map(str, evaluation.measures))
        raise ArgumentError(f"{parsed} was not evaluated; there are {there}")
    if evaluation.ties in _OVER_ORDERS:
        raise ArgumentError(
            f"with ties={evaluation.ties} a value is one over all orders of the tied documents, and there is no one "
            "ranking to explain it by; evaluate with ties=rank or ties=trec_eval"
        )
    if query_id not in evaluation.per_query:
        raise unknown("query", query_id, evaluation.per_query, "queries evaluated")
    return asked


def _of_query(run: Run, query_id: str, ties: str) -> list[str]:
    """The documents of one query in the order in which the evaluation took them."""
    own = Run.from_records(
        [(query_id, hit.doc_id, hit.score) for hit in run.ranking(query_id)], run.name, ranked=run.ranked
    )
    return ordered(own, ties)[0].doc_ids


def _join(ranking: list[str], query_id: str, qrels: Qrels, evaluation: Evaluation) -> Judged:
    """The join of the one query, as the evaluation has made it of all."""
    run = Run([query_id], [0, len(ranking)], ranking, np.arange(len(ranking), 0, -1), ranked=True)
    judged = join(run, Qrels.from_dict({query_id: qrels[query_id]}), evaluation.threshold)
    judged = replace(judged, top=max(0.0, float(qrels.relevance.max())))
    if evaluation.convention.retrieved_only:
        judged = replace(judged, ideal=-np.sort(-judged.grades, axis=1))
    return judged


def _rows(
    ranking: list[str], grades: Mapping[str, float], limit: float, judged: Judged, quantities: Mapping[str, np.ndarray]
) -> list[RankRow]:
    """A row a document, with what the code names at the ranks of the judged ones."""
    places = {int(rank): column for column, rank in enumerate(judged.ranks[0].tolist()) if math.isfinite(rank)}
    rows = []
    for rank, doc_id in enumerate(ranking, 1):
        grade, column = grades.get(doc_id), places.get(rank)
        at = {} if column is None else {name: float(array[column]) for name, array in quantities.items()}
        rows.append(RankRow(rank, doc_id, grade, grade is not None and grade >= limit and grade > 0, at))
    return rows


def _ideal(judged: Judged, quantities: Mapping[str, np.ndarray]) -> list[IdealRow]:
    """The ideal ranking as far as the code looks at it."""
    summed = quantities.get(SUM)
    longest = max((row.size for row in quantities.values()), default=0) if summed is None else summed.size
    grades = judged.ideal[0, :longest].tolist()
    return [
        IdealRow(place + 1, grade, {name: float(row[place]) for name, row in quantities.items() if place < row.size})
        for place, grade in enumerate(grades)
    ]
