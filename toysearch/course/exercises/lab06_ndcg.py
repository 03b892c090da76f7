"""The exercises of lab 6 on nDCG and its conventions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.course.answer_kinds import Choice, Function, Number, Ordered
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.typed_ranking import typed_ranking

Grades = dict[str, int]
Value = Callable[..., float]
"""A measure as a function, as students write it."""


def _or_zero(function: Value) -> Value:
    """The function, with 0 where it would divide by 0."""

    def guarded(*arguments: Any) -> float:
        try:
            return function(*arguments)
        except ZeroDivisionError:
            return 0.0

    return guarded


def guarded_or_not(function: Value, sentence: str) -> tuple[Mistake, Mistake]:
    """A wrong function, whether or not it thinks of a divisor of 0."""
    return Mistake(lambda given: function, sentence), Mistake(lambda given: _or_zero(function), sentence)


# 6.5: nDCG as a function


def _ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
    return evaluate({"q": list(ranking)}, {"q": grades}, f"nDCG@{k}").per_query["q"][f"nDCG@{k}"]


def _discount(rank: int) -> float:
    return math.log2(rank + 1)


def _old_discount(rank: int) -> float:
    return max(1.0, math.log2(rank))


def _dcg(gains: Sequence[float], discount: Callable[[int], float] = _discount) -> float:
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def _wrong_ndcg(
    gain: Callable[[int], float] = float,
    discount: Callable[[int], float] = _discount,
    ideal: str = "judged",
    cut: bool = True,
    normalised: bool = True,
) -> Value:
    """A wrong nDCG: something in it is changed."""

    def ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
        seen = [gain(grades.get(doc_id, 0)) for doc_id in (ranking[:k] if cut else ranking)]
        best = sorted(seen if ideal == "own" else map(gain, grades.values()), reverse=True)
        dcg, most = _dcg(seen, discount), _dcg(best if ideal == "uncut" or not cut else best[:k], discount)
        return dcg / most if normalised else dcg

    return ndcg


def _graded(draw: Draw, given: Given) -> list[tuple[list[str], Grades, int]]:
    """Good documents that were not found, unjudged ones that were, more than k of each; one query with all zeros."""
    cases = []
    for _ in range(3):
        names = draw.shuffled([f"d{number}" for number in range(1, 17)])
        ranking, missed = names[:9], names[9:]
        judged = [*draw.some(ranking, 6), *draw.some(missed, 3)]
        scale = [3, 2, 1, 0, draw.whole(1, 3), draw.whole(0, 2), 3, 2, draw.whole(0, 3)]
        cases.append((ranking, dict(zip(judged, scale, strict=True)), draw.whole(3, 6)))
    ranking, grades, k = cases[0]
    return [*cases, (ranking, dict.fromkeys(grades, 0), k)]


# 6.6: which convention printed this?

_CONVENTIONS = {
    "usual": "nDCG",
    "exponential": "nDCG(dcg='exp-log2')",
    "old discount": "nDCG(discount='jk')",
    "own ideal": "nDCG(ideal='ranking')",
    "top of the scale": "nDCG(ideal='max')",
}


def _printed(draw: Draw) -> dict[str, Any]:
    """Five printed values; drawn again until all differ in what is printed of them."""
    while True:
        ranking = draw.shuffled([3, 2, 1, 0, draw.whole(0, 2)])
        judged = sorted([*ranking, *(draw.whole(1, 3) for _ in range(2))], reverse=True)
        grades = " ".join(map(str, ranking))
        values = {name: _under(grades, judged, measure) for name, measure in _CONVENTIONS.items()}
        if len({round(value, 2) for value in values.values()}) == len(values):
            order = draw.shuffled(list(values))
            return {"ranking": ranking, "judged": judged, "printed": [round(values[name], 3) for name in order]}


def _under(ranking: str, judged: Sequence[int], measure: str) -> float:
    typed = typed_ranking(ranking, judged=" ".join(map(str, judged)))
    return evaluate(typed.run, typed.qrels, measure)[measure]


def _conventions(given: Given) -> list[str]:
    ranking = " ".join(map(str, given.ranking))
    printed = {
        round(_under(ranking, given.judged, measure), 3): convention for convention, measure in _CONVENTIONS.items()
    }
    return [printed[value] for value in given.printed]


def _exchanged(given: Given, one: str, other: str) -> list[str]:
    swap = {one: other, other: one}
    return [swap.get(name, name) for name in _conventions(given)]


FROM_SCRATCH = Exercise(
    number="6.5",
    title="Your own nDCG",
    answer=Function(Number(6), "ndcg(ranking, grades, k)"),
    inputs=_graded,
    expected=lambda given: _ndcg,
    mistakes=(
        *guarded_or_not(
            _wrong_ndcg(ideal="own"),
            "your ideal is made of the retrieved documents; it is made of all that were judged.",
        ),
        *guarded_or_not(_wrong_ndcg(ideal="uncut"), "your ideal ranking goes on below rank k; both are cut there."),
        *guarded_or_not(
            _wrong_ndcg(gain=lambda grade: 2.0**grade - 1),
            "you gain 2^grade − 1; here a document gains its grade.",
        ),
        *guarded_or_not(
            _wrong_ndcg(discount=_old_discount),
            "your discount is log₂ of the rank; here it is log₂(rank + 1), from the first rank on.",
        ),
        *guarded_or_not(_wrong_ndcg(cut=False), "you do not cut at k."),
        Mistake(lambda given: _wrong_ndcg(normalised=False), "this is DCG: divide it by that of the ideal ranking."),
    ),
    hints=(
        "Write DCG of a list of gains as a function of its own, and call it twice: for ranking[:k], and for the "
        "ideal ranking.",
        "grades.get(doc_id, 0) is the gain of a document that may be unjudged. The ideal: sorted(grades.values(), "
        "reverse=True)[:k]. And if that gains nothing, the value is 0.",
    ),
    points=3,
)

CONVENTIONS = Exercise(
    number="6.6",
    title="Which convention was it",
    given=_printed,
    answer=Ordered(Choice(tuple(_CONVENTIONS)), "conventions"),
    expected=_conventions,
    mistakes=(
        Mistake(
            lambda given: _exchanged(given, "own ideal", "top of the scale"),
            "you have exchanged the two ideals: which of them can be reached, and which asks for more?",
        ),
        Mistake(
            lambda given: _exchanged(given, "exponential", "old discount"),
            "you have exchanged the gain 2^grade − 1 and the old discount.",
        ),
        Mistake(
            lambda given: _exchanged(given, "usual", "old discount"),
            "you have exchanged the two discounts: the old one is 1 at ranks 1 and 2 and log₂(rank) below.",
        ),
        Mistake(
            lambda given: _exchanged(given, "usual", "exponential"),
            "you have exchanged the two gains: the grade itself, and 2^grade − 1.",
        ),
    ),
    hints=(
        "Compute them all: toysearch.typed_ranking makes a run and judgments of grades, and the parameters dcg=, "
        "discount= and ideal= of nDCG are shown above.",
        "A larger ideal makes a smaller value, so one of the ideals gives the highest and one the lowest of these "
        "three: own ideal, usual, top of the scale.",
    ),
)
