"""Typed ranking: ``R R I I R`` or ``3 2 3 0 1 2``, as textbooks print them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from toysearch.base import ArgumentError, Qrels, Ranking, Remedy, Run, counted, expect, expect_list
from toysearch.evaluation import Measure, join, parse_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.measures.measure import MEASURES
from toysearch.files import finite_number

__all__ = ["Typed", "all_measures", "computable", "typed_ranking"]

QUERY_ID = "typed"
_LETTERS = {"R": 1.0, "I": 0.0, "N": 0.0, "U": None, "-": None}
_BETWEEN = re.compile(r"[\s,;()]+")
_PROBES = (1, 2, 5, 50)  # possible numbers of further judged documents


class Typed(NamedTuple):
    """Ranking and its judgments, as those of one query.

    Attributes
    ----------
    run : Run
        One query, ``typed``; the document at rank i is called i.
    qrels : Qrels
        The grades of the ranking, and of what was not retrieved (m1, m2, …).
    complete : bool
        Whether all relevant documents are known; if not, some measures have no value.
    """

    run: Run
    qrels: Qrels
    complete: bool


def typed_ranking(ranking: str, relevant: int | None = None, judged: str | None = None) -> Typed:
    """Return the run and the judgments that a ranking typed by hand stands for.

    Parameters
    ----------
    ranking : str
        One sign per document, best first, separated by blanks or commas (letters need no separator): R relevant,
        I or N not relevant, U or - unjudged; or its grade.
    relevant : int, optional
        The number of relevant documents in all, retrieved or not; unknown by default.
    judged : str, optional
        The grades of all judged documents, including those of the ranking, in any order.

    Raises
    ------
    ArgumentError
        If a sign is not one of these, or the numbers contradict each other.

    Examples
    --------
    >>> typed = typed_ranking("R I U R", relevant=3)
    >>> typed.qrels["typed"]
    {'1': 1.0, '2': 0.0, '4': 1.0, 'm1': 1.0}
    >>> typed_ranking("3 0 1", judged="3 3 1 0").qrels["typed"]
    {'1': 3.0, '2': 0.0, '3': 1.0, 'm1': 3.0}
    >>> typed_ranking("RRI").complete
    False
    """
    expect(str, ranking=ranking)
    grades = _grades(ranking, "the ranking")
    judgments = {str(rank): grade for rank, grade in enumerate(grades, 1) if grade is not None}
    if relevant is not None and judged is not None:
        raise ArgumentError(
            "give either the number of relevant documents or the grades of all judged documents, not both"
        )
    missed = []
    if relevant is not None:
        expect(int, relevant=relevant)
        known = list(judgments.values())
        if not set(known) <= {0.0, 1.0}:
            raise ArgumentError(
                "a number of relevant documents fits a ranking of letters, or of grades 0 and 1; for other grades give "
                f"the grades of all judged documents: {Remedy('typed_ranking', judged=...)}"
            )
        n_relevant = known.count(1.0)
        if relevant < n_relevant:
            raise ArgumentError(
                f"the ranking has {counted(n_relevant, 'relevant document')}, so there cannot be {relevant} in all"
            )
        missed = [1.0] * (relevant - n_relevant)
    elif judged is not None:
        expect(str, judged=judged)
        pool = Counter(grade for grade in _grades(judged, "the list of judged documents") if grade is not None)
        lacking = Counter(judgments.values()) - pool
        if lacking:
            grade, more = next(iter(lacking.items()))
            raise ArgumentError(
                f"the ranking has {counted(more, 'document')} of grade {grade:g} more than the list of "
                "judged documents, which must include those of the ranking"
            )
        missed = sorted((pool - Counter(judgments.values())).elements(), reverse=True)
    judgments |= {f"m{number}": grade for number, grade in enumerate(missed, 1)}
    if not judgments:
        raise ArgumentError("no document of the ranking is judged; expected at least one R, I or grade")
    doc_ids = [*map(str, range(1, len(grades) + 1))]
    scores = range(len(grades), 0, -1)
    run = Run.from_rankings([Ranking(QUERY_ID, doc_ids, scores)], name="ranking")
    return Typed(run, Qrels.from_dict({QUERY_ID: judgments}), relevant is not None or judged is not None)


def scored(measure: str, ranking: str, relevant: int | None = None, judged: str | None = None) -> float:
    """Compute a measure for a ranking typed by hand.

    >>> scored("P@4", "R I U R")
    0.5
    """
    typed = typed_ranking(ranking, relevant, judged)
    return float(Measure.parse(measure).values(join(typed.run, typed.qrels))[0])


def _grades(text: str, what: str) -> list[float | None]:
    signs = [sign for sign in _BETWEEN.split(text.strip()) if sign]
    if len(signs) == 1 and len(signs[0]) > 1:
        if signs[0].isdecimal():
            raise ArgumentError(f"{what} is one grade, {signs[0]}; did you mean '{' '.join(signs[0])}'?")
        if set(signs[0].upper()) <= set(_LETTERS):
            signs = list(signs[0])
    if not signs:
        raise ArgumentError(f"{what} is empty; expected signs such as R R I or grades such as 3 2 0")
    grades = []
    for place, sign in enumerate(signs, 1):
        grade = _LETTERS[sign.upper()] if sign.upper() in _LETTERS else finite_number(sign)
        if grade is None and sign.upper() not in _LETTERS:
            raise ArgumentError(
                f"place {place} of {what} is '{sign}'; expected R (relevant), I (not relevant), U (unjudged) or a "
                "grade such as 2"
            )
        grades.append(grade)
    kinds = {sign.upper() in ("R", "I", "N") for sign in signs if sign.upper() not in ("U", "-")}
    if len(kinds) > 1:
        raise ArgumentError(f"{what} mixes letters and grades: '{text.strip()}'; write R and I, or a grade for each")
    return grades


def all_measures(depth: int) -> list[Measure]:
    """List every measure of the table that needs no parameter, with the depth as cutoff where one is needed.

    Parameters
    ----------
    depth : int
        The number of documents in the ranking.

    Examples
    --------
    >>> {"AP", "P@5"} <= set(map(str, all_measures(5)))
    True
    """
    expect(int, depth=depth)
    ends = {"needed": f"@{depth}", "recall": "@0.5"}
    return parse_measures(
        [name + ends.get(definition.cutoff, "") for name, definition in MEASURES.items() if not definition.needs]
    )


def computable(typed: Typed, measures: Iterable[Measure], threshold: float = 1.0) -> dict[Measure, bool]:
    """Find the measures whose value for a ranking is known, whatever else may be relevant.

    Where not all relevant documents are known, each measure is computed again with further judged documents that
    were not retrieved, relevant and not: a measure whose value changes needs to know them.

    Parameters
    ----------
    typed : Typed
        The ranking.
    measures : iterable of Measure
        Any measures.
    threshold : float, default 1
        The lowest grade that is relevant.

    Examples
    --------
    >>> found = computable(typed_ranking("R I R"), parse_measures("P@3 RR AP"))
    >>> {str(measure): known for measure, known in found.items()}
    {'P@3': True, 'RR': True, 'AP': False}
    """
    expect(Typed, typed=typed)
    expect_list(Measure, ordered=False, measures=measures)
    parsed = list(measures)
    if typed.complete:
        return dict.fromkeys(parsed, True)
    judged = typed.qrels[QUERY_ID]
    top = max(threshold, *judged.values())
    pools: list[dict[str, float]] = [{}]
    pools += [{f"further{i}": grade for i in range(n)} for n in _PROBES for grade in {top, threshold, 0.0}]
    rows = [
        evaluate(typed.run, {QUERY_ID: judged | more}, parsed, threshold=threshold).per_query[QUERY_ID]
        for more in pools
    ]
    return {measure: len({row[measure.text] for row in rows}) == 1 for measure in parsed}
