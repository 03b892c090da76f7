"""Cranfield's codes: the exercises of lab 7 on gains, and on what −1 is worth."""

from __future__ import annotations

from typing import Any

from toysearch.course.answer_kinds import Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.errors import without_notes
from toysearch.evaluation.evaluate import evaluate

Codes = dict[str, int]


# 7.3 and 7.4: codes


def _ranking_with_codes(draw: Draw) -> dict[str, Any]:
    """The source paper (-1) among the first two, as it mostly is, three coded documents found and three missed."""
    names = [str(number) for number in draw.some(range(11, 990), 10)]
    source, found, missed, unjudged = names[0], names[1:4], names[4:7], names[7:]
    rest = draw.shuffled([*found, *unjudged])
    place = draw.whole(0, 1)
    ranking = [*rest[:place], source, *rest[place:]]
    codes = dict(zip([*found, *missed], draw.shuffled([1, 2, 3, 4, draw.whole(2, 4), draw.whole(1, 3)]), strict=True))
    return {"ranking": ranking, "codes": {**codes, source: -1}}


def _ndcg_at_5(given: Given, grades: Codes) -> float:
    with without_notes():  # a mistake may leave no grade of 0
        return evaluate({"q": given.ranking}, {"q": grades}, "nDCG@5")["nDCG@5"]


def _ndcg_uncut(given: Given) -> float:
    return evaluate({"q": given.ranking}, {"q": _graded(given)}, "nDCG")["nDCG"]


def _graded(given: Given) -> Codes:
    return {doc_id: 5 - code if code > 0 else 0 for doc_id, code in given.codes.items()}


def _ap(given: Given, source: int) -> float:
    grades = {doc_id: 1 if code > 0 else source for doc_id, code in given.codes.items()}
    return evaluate({"q": given.ranking}, {"q": grades}, "AP")["AP"]


def _two_readings(given: Given, **other: float) -> dict[str, float]:
    return {"not relevant": _ap(given, 0), "relevant": _ap(given, 1)} | other


def _sum_left_alone(given: Given) -> dict[str, float]:
    """The source paper found, but not counted among all relevant documents."""
    R = len(given.codes) - 1
    return {"not relevant": _ap(given, 0), "relevant": _ap(given, 1) * (R + 1) / R}


def _taken_out(given: Given) -> dict[str, float]:
    """The source paper's rank given to the next document."""
    ranking = [doc_id for doc_id in given.ranking if given.codes.get(doc_id) != -1]
    return {"not relevant": _ap(Given(ranking=ranking, codes=given.codes), 0), "relevant": _ap(given, 1)}


GAINS = Exercise(
    number="7.3",
    title="Codes that run backwards",
    given=_ranking_with_codes,
    answer=Number(3),
    expected=lambda given: _ndcg_at_5(given, _graded(given)),
    mistakes=(
        Mistake(
            lambda given: _ndcg_at_5(given, given.codes),
            "you took the codes for gains: then the weakest answers, code 4, gain most.",
        ),
        Mistake(
            lambda given: _ndcg_at_5(given, {doc_id: 5 - code for doc_id, code in given.codes.items()}),
            "5 − (−1) = 6 would be the best grade of all; −1 gains nothing here.",
        ),
        Mistake(
            lambda given: _ndcg_at_5(given, {doc_id: int(code > 0) for doc_id, code in given.codes.items()}),
            "every relevant document gains 1 in your answer; it should gain 5 − code.",
        ),
        Mistake(
            lambda given: evaluate({"q": given.ranking}, {"q": _graded(given)}, "nDCG(ideal='ranking')@5").means[
                "nDCG(ideal='ranking')@5"
            ],
            "your ideal is made of the retrieved documents; it is made of all that were judged.",
        ),
        Mistake(_ndcg_uncut, "this is nDCG of the whole ranking; cut it at rank 5, and the ideal too."),
    ),
    hints=(
        "First the gains: 5 − code for the codes 1 to 4, and 0 for −1 and for what has no code.",
        'Then nDCG@5 as in lab 6: your own function, or toysearch.evaluate of {"q": ranking} and {"q": gains}.',
    ),
)

SOURCE_PAPER = Exercise(
    number="7.4",
    title="What −1 is worth",
    given=_ranking_with_codes,
    answer=Table(Number(3), "readings"),
    expected=_two_readings,
    mistakes=(
        Mistake(
            lambda given: dict(zip(_two_readings(given), reversed(_two_readings(given).values()), strict=True)),
            "you have exchanged the two readings.",
        ),
        Mistake(
            _sum_left_alone,
            "if the document with −1 is relevant, there is one relevant document more to divide by.",
        ),
        Mistake(
            _taken_out,
            "a document that is not relevant keeps its rank; you let the others move up.",
        ),
    ),
    hints=(
        "Relevant are the codes 1 to 4, and in the second reading −1 as well; AP divides by all of them, found or not.",
        "Two dicts of grades, 1 for relevant and 0 for not, and twice toysearch.evaluate, or your function from lab 6.",
    ),
)
