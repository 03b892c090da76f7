"""The computation of a measure for one query, rank by rank, from the same terms as the value itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from toysearch.base import display
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, unknown
from toysearch.base.records import Qrels, Run, ordered
from toysearch.evaluation.joined_run import JoinedRun, join
from toysearch.evaluation.measures.definition import LOG2, Best, Mean, Numbers, Piece, Sum, Terms
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.result import Evaluation

__all__ = ["MeasureExplanation", "explain_measure"]

TERM, SUM, VALUE = "term", "running_sum", "value"
"""Quantities of a rank: its term of the sum, the sum so far, and its value in a measure that takes the highest."""

_OVER_ORDERS = ("average", "sklearn")
_MOST = 6  # a longer sum is not written out


class RankRow(NamedTuple):
    """A rank of the ranking with the quantities of the measure at this rank."""

    rank: int  # from 1
    doc_id: str
    grade: float | None  # None if unjudged
    relevant: bool  # whether its grade is at least the threshold and above 0
    # The values that the measure computes at this rank: precision, gain, discount, … Empty for an unjudged document.
    quantities: dict[str, float]


class IdealRow(NamedTuple):
    """A rank of the ideal ranking, which lists the judged documents by falling gain."""

    rank: int
    grade: float
    quantities: dict[str, float]


class MeasureExplanation(NamedTuple):
    """The parts of a measure's value for one query.

    Attributes
    ----------
    measure, query_id : str
        The measure and the query.
    value : float
        The value; NaN if it is undefined.
    counted : float
        The value that the evaluation counts (by default 0 for an undefined value, as in trec_eval).
    threshold : float
        The lowest grade of a relevant document.
    retrieved, relevant : int
        The number of retrieved documents, and the number of relevant documents, retrieved or not.
    cutoff : int or None
        The last rank that counts; None if all count.
    description, formula, undefined : str
        The description of the measure, its formula, and when it is undefined.
    ranking : list of RankRow
        The retrieved documents, best first.
    ideal : list of IdealRow
        The ideal ranking if the measure needs one, otherwise empty.
    numbers : dict of str to float
        The cutoff, the parameters, and the quantities of the query that do not depend on rank.
    lists : dict of str to list of float
        The levels of a mean and the values at these levels.
    how : str
        The formula with numbers: ``(1/1 + 2/3) / 3``; empty if the value is a bare count.
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
    how: str

    @property
    def arithmetic(self) -> str:
        """The computation with numbers: ``AP = (1/1 + 2/3) / 3 = 0.555556``."""
        if math.isnan(self.value):
            counted = "" if math.isnan(self.counted) else f"; counted as {self.counted:g}"
            return f"{self.measure} is undefined: {self.undefined or 'it has no value here'}{counted}"
        return " = ".join(part for part in (self.measure, self.how, _number(self.value)) if part)

    def __str__(self) -> str:
        return display.text(self)

    def __repr__(self) -> str:
        return display.summary(self)

    def _repr_html_(self) -> str:
        return display.html(self)


@checked
def explain_measure(
    run: Run, qrels: Qrels, evaluation: Evaluation, measure: str | Measure, query_id: str
) -> MeasureExplanation:
    """The computation of one value of an evaluation.

    A measure returns its `toysearch.evaluation.measures.definition.Terms`. The value and this explanation are computed
    from the same terms.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        The evaluation of the run.
    measure : str or Measure
        A measure of the evaluation.
    query_id : str
        A query of the evaluation.

    Raises
    ------
    ArgumentError
        If the evaluation lacks the measure or the query, if its values are averages over several orders of tied
        documents, or if it was made from another run or other judgments.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1}}), Qrels.from_dict({"1": {"a": 1, "c": 1, "d": 1}})
    >>> why = explain_measure(run, qrels, evaluate(run, qrels, "AP"), "AP", "1")
    >>> [(row.rank, row.doc_id, row.grade) for row in why.ranking]
    [(1, 'a', 1.0), (2, 'b', None), (3, 'c', 1.0)]
    >>> why.ranking[2].quantities["precision"], why.value
    (0.6666666666666666, 0.5555555555555555)
    >>> why.arithmetic
    'AP = (1/1 + 2/3) / 3 = 0.555556'
    """
    asked = _asked(evaluation, measure, query_id)
    ranking, grades = _of_query(run, query_id, evaluation.ties), qrels[query_id]
    computed = asked
    if dict(asked.parameters).get("judged_only"):  # a condensed list is a separate ranking
        computed = replace(asked, parameters=tuple(pair for pair in asked.parameters if pair[0] != "judged_only"))
        ranking = [doc_id for doc_id in ranking if grades.get(doc_id, -1) >= 0]
    judged = _join(ranking, query_id, qrels, evaluation)
    terms = computed.terms(judged)
    value = float(terms.values[0])
    counted = evaluation.per_query[query_id][str(asked)]
    if not (math.isnan(value) or math.isnan(counted) or math.isclose(value, counted, rel_tol=1e-9, abs_tol=1e-12)):
        raise ArgumentError(
            f"{asked} of query {query_id} is {counted:g} in the evaluation but {value:g} with this run and these "
            "judgments; give the evaluated run and judgments (with remapped gains, if gains were remapped)"
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
        ranking=_rows(ranking, grades, limit, judged, _along(terms)),
        ideal=_ideal(judged, terms),
        numbers=_numbers(asked, terms),
        lists=_lists(terms.total),
        how=_how(terms, value, judged),
    )


def _asked(evaluation: Evaluation, measure: str | Measure, query_id: str) -> Measure:
    """The measure of the evaluation, under its convention; an error if its value is not that of a single ranking."""
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    asked = parsed if parsed in evaluation.measures else evaluation.convention.applied(parsed)
    if asked not in evaluation.measures:
        there = ", ".join(map(str, evaluation.measures))
        raise ArgumentError(f"{parsed} was not evaluated; there are {there}")
    if evaluation.ties in _OVER_ORDERS:
        raise ArgumentError(
            f"with ties={evaluation.ties} a value covers all orders of the tied documents, so no single ranking "
            "explains it; evaluate with ties=rank or ties=trec_eval"
        )
    if query_id not in evaluation.per_query:
        raise unknown("query", query_id, evaluation.per_query, "queries evaluated")
    return asked


def _of_query(run: Run, query_id: str, ties: str) -> list[str]:
    """The documents of one query in the order used by the evaluation."""
    own = Run.from_records(
        [(query_id, hit.doc_id, hit.score) for hit in run.ranking(query_id)], run.name, ranked=run.ranked
    )
    return ordered(own, ties)[0].doc_ids


def _join(ranking: list[str], query_id: str, qrels: Qrels, evaluation: Evaluation) -> JoinedRun:
    """The join of a single query, as the evaluation makes it for all queries."""
    run = Run([query_id], [0, len(ranking)], ranking, np.arange(len(ranking), 0, -1), ranked=True)
    judged = join(run, Qrels.from_dict({query_id: qrels[query_id]}), evaluation.threshold)
    judged = replace(judged, top=max(0.0, float(qrels.relevance.max())))
    if evaluation.convention.retrieved_only:
        judged = replace(judged, ideal=-np.sort(-judged.grades, axis=1))
    return judged


def _rows(
    ranking: list[str],
    grades: Mapping[str, float],
    limit: float,
    judged: JoinedRun,
    quantities: Mapping[str, np.ndarray],
) -> list[RankRow]:
    """One row per document; judged documents have the quantities of their rank."""
    places = {int(rank): column for column, rank in enumerate(judged.ranks[0].tolist())}
    rows = []
    for rank, doc_id in enumerate(ranking, 1):
        grade, column = grades.get(doc_id), places.get(rank)
        at = {} if column is None else {name: float(array[column]) for name, array in quantities.items()}
        rows.append(RankRow(rank, doc_id, grade, grade is not None and grade >= limit and grade > 0, at))
    return rows


def _along(terms: Terms) -> dict[str, np.ndarray]:
    """The quantities at the ranks of the judged documents, by name."""
    along = terms.total.along if isinstance(terms.total, Best) else terms.total
    others = [piece for piece in terms.also if np.ndim(piece.values) == 2]
    if not isinstance(along, Sum):
        return {piece.name: _row(piece) for piece in others}
    pieces = [along.gain, *others, *(piece for piece in (along.weight, along.discount) if piece)]
    rows = {piece.name: _row(piece) for piece in pieces}
    return rows | (_summed(along) if along is terms.total else {VALUE: along.terms[0].astype(np.float64)})


def _summed(along: Sum) -> dict[str, np.ndarray]:
    """The term of each rank, and the sum so far."""
    row = along.terms[0].astype(np.float64)
    return {TERM: row, SUM: np.cumsum(row)}


def _ideal(judged: JoinedRun, terms: Terms) -> list[IdealRow]:
    """The part of the ideal ranking that the measure uses."""
    whole, grades, columns = terms.normaliser, judged.ideal[0], {piece.name: _row(piece) for piece in terms.ideal}
    if isinstance(whole, Sum) and whole.ideal is not None:
        of_grade, gains = (array[0] for array in whole.ideal)
        grades = of_grade[np.argsort(-gains, kind="stable")]
        pieces = [piece for piece in (whole.gain, whole.weight, whole.discount) if piece]
        columns = {piece.name: _row(piece) for piece in pieces} | _summed(whole)
    length = max((row.size for row in columns.values()), default=0)
    return [
        IdealRow(place + 1, grade, {name: float(row[place]) for name, row in columns.items()})
        for place, grade in enumerate(grades[:length].tolist())
    ]


def _numbers(measure: Measure, terms: Terms) -> dict[str, float]:
    """The cutoff and the numeric parameters, then the numbers of the query."""
    definition, given = measure.definition, dict(measure.parameters)
    settings = {"cutoff": measure.cutoff} | {
        name: given.get(name, parameter.default) for name, parameter in definition.parameters.items()
    }
    found = {
        name: float(value)
        for name, value in settings.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    parts = [terms.total, terms.normaliser] if terms.normaliser is not None else []
    for piece in (*parts, *terms.also):
        if isinstance(piece, Piece | Sum) and piece.name and np.ndim(piece.values) < 2:
            found.setdefault(piece.name, _number_at(piece.values))
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _lists(total: object) -> dict[str, list[float]]:
    """The levels of a mean and the values at these levels."""
    return {"levels": list(total.levels), total.name: _at_levels(total)} if isinstance(total, Mean) else {}


def _how(terms: Terms, value: float, judged: JoinedRun) -> str:
    """The formula with numbers; empty if it is only the value."""
    text, whole = _how_total(terms.total, judged), terms.normaliser
    if whole is not None and _number_at(whole.values) > 0:
        text = f"{_bracketed(text)} / {_bracketed(_sum(whole)) if isinstance(whole, Sum) else _piece(whole)}"
    if terms.complement:
        text = f"1 − {text if whole is not None else _bracketed(text)}"
    return "" if text == _number(value) else text


def _how_total(total: Sum | Best | Mean | Piece, judged: JoinedRun) -> str:
    """The total of a measure: a sum, a highest value, a mean or a count."""
    if isinstance(total, Sum):
        return _sum(total)
    if isinstance(total, Best):
        terms = total.along.terms[0]
        if not terms.any():
            return f"({total.nothing})"
        best = int(np.argmax(terms))
        return (
            f"({total.first.format(f'{judged.ranks[0, best]:g}')})"
            if _counts(total.along)
            else _term(total.along, best)
        )
    if isinstance(total, Mean):
        return f"({' + '.join(map(_number, _at_levels(total)))}) / {len(total.levels)}"
    return _piece(total)


def _sum(along: Sum) -> str:
    """The terms of a short sum, otherwise its value; the number of documents if they are only counted."""
    places = np.flatnonzero(along.terms[0]).tolist()
    if _counts(along) or not 0 < len(places) <= _MOST:
        return _number(float(along.values[0]))
    return " + ".join(_term(along, place) for place in places)


def _counts(along: Sum) -> bool:
    """Whether the sum only counts documents."""
    return np.asarray(along.gain.values).dtype == bool and along.weight is None and along.discount is None


def _term(along: Sum, place: int) -> str:
    """The term of a rank: a precision or a gain, over the discount; the product if gain and weight are numbers."""
    gain = [] if np.asarray(along.gain.values).dtype == bool else [along.gain]
    factors = [*gain, *([along.weight] if along.weight else [])]
    if len(factors) > 1:
        return _number(float(along.terms[0, place]))
    text = _piece(factors[0], place) if factors else "1"
    if along.discount is None or _number_at(along.discount.values, place) == 1:
        return text
    return f"{text}/{_piece(along.discount, place)}"


def _piece(piece: Piece, place: int | None = None) -> str:
    """The computation of a quantity, or only its value (also for a logarithm that is a whole number)."""
    value, numbers = _number_at(piece.values, place), [_number_at(values, place) for values in piece.of]
    if not piece.how or not all(map(math.isfinite, numbers)) or (piece.how == LOG2 and value % 1 == 0):
        return _number(value)
    return piece.how.format(*map(_number, numbers))


def _row(piece: Piece) -> np.ndarray:
    """A quantity along the ranking of the one query, or along any ranking."""
    values = np.asarray(piece.values, dtype=np.float64)
    return np.asarray(values[0] if values.ndim == 2 else values)


def _number_at(values: Numbers, place: int | None = None) -> float:
    """The number of the one query, at a position if there are several."""
    array = np.asarray(values)
    if array.ndim == 2:
        array = array[0]
    return float(array if array.ndim == 0 else array[place or 0])


def _at_levels(mean: Mean) -> list[float]:
    return [float(values[0]) for values in mean.at]


def _bracketed(text: str) -> str:
    return f"({text})" if " + " in text and not text.startswith("(") else text


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.6g}"
