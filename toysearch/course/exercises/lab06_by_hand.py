"""The exercises of lab 6 that are done by hand: four measures, average precision, the 11-point curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toysearch.course.answer_kinds import Number, Ordered, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.evaluation.curves import curve
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.typed_ranking import typed_ranking

# 6.1 and 6.2: by hand


def _signs(draw: Draw, found: int, length: int, first: int) -> str:
    """A ranking with so many relevant documents, the first of them at that rank or below."""
    places = draw.some(range(first, length + 1), found)
    return " ".join("R" if rank in places else "I" for rank in range(1, length + 1))


def _ranking_of_ten(draw: Draw) -> dict[str, Any]:
    found = draw.whole(3, 5)
    return {"ranking": _signs(draw, found, 10, 2), "relevant": found + draw.whole(1, 4)}


def _with_cutoff(draw: Draw) -> dict[str, Any]:
    return _ranking_of_ten(draw) | {"k": draw.whole(4, 6)}


def _ranks(given: Given) -> list[int]:
    """The ranks of the relevant documents."""
    return [rank for rank, sign in enumerate(given.ranking.split(), 1) if sign == "R"]


def _value(given: Given, measure: str) -> float:
    typed = typed_ranking(given.ranking, relevant=given.relevant)
    return evaluate(typed.run, typed.qrels, measure)[measure]


def _four(given: Given, **wrong: float) -> dict[str, float]:
    """The four values, some of them replaced."""
    names = {"P": f"P@{given.k}", "R": f"R@{given.k}", "RR": "RR", "Rprec": "Rprec"}
    return {name: wrong.get(short, _value(given, name)) for short, name in names.items()}


def _hits(given: Given, rank: int) -> int:
    return sum(each <= rank for each in _ranks(given))


def _precisions(given: Given) -> list[float]:
    """Precision at every rank."""
    return [_hits(given, rank) / rank for rank in range(1, len(given.ranking.split()) + 1)]


# 6.4: the 11-point curve


def _eight(draw: Draw) -> dict[str, Any]:
    """Found: the first, so that it can fall, and one or two that lift the curve; one or two are not found."""
    found = draw.whole(3, 4)
    return {"ranking": _signs(draw, found, 8, 1), "relevant": found + draw.whole(1, 2)}


def _eleven(given: Given) -> list[float]:
    typed = typed_ranking(given.ranking, relevant=given.relevant)
    return [precision for _, precision in curve(typed.run, typed.qrels, points=11).points]


def _at_levels(given: Given, at: Callable[[int], float], relevant: int | None = None) -> list[float]:
    """`at` the number of relevant documents that a level needs (1 for the level 0), 0 where they are not found."""
    R, found = relevant or given.relevant, len(_ranks(given))
    needed = [max(1, -(-level * R // 10)) for level in range(11)]
    return [at(number) if number <= found else 0.0 for number in needed]


def _as_reached(given: Given, number: int) -> float:
    """Precision where the n-th relevant document is found."""
    return number / _ranks(given)[number - 1]


def _from_there_on(given: Given, number: int) -> float:
    return max(_as_reached(given, each) for each in range(number, len(_ranks(given)) + 1))


def _up_to_there(given: Given, number: int) -> float:
    return max(_as_reached(given, each) for each in range(1, number + 1))


def _carried_on(given: Given) -> list[float]:
    right = _eleven(given)
    last = next(value for value in reversed(right) if value)
    return [value or last for value in right]


MEASURES = Exercise(
    number="6.1",
    title="Four measures by hand",
    given=_with_cutoff,
    answer=Table(Number(3), "measures"),
    expected=_four,
    mistakes=(
        Mistake(
            lambda given: _four(given, R=_hits(given, given.k) / len(_ranks(given))),
            "your recall is of the relevant documents in the ranking; those that were not retrieved count too.",
        ),
        Mistake(
            lambda given: _four(given, P=_hits(given, given.k) / 10),
            "your precision divides by the whole ranking; only the first k count.",
        ),
        Mistake(
            lambda given: _four(given, Rprec=_precisions(given)[len(_ranks(given)) - 1]),
            "your Rprec looks at as many ranks as relevant documents were found; R is how many there are.",
        ),
        Mistake(
            lambda given: _four(given, RR=_ranks(given)[0]),
            "RR is the reciprocal of the rank, not the rank.",
        ),
    ),
    hints=(
        "Count the relevant documents down to rank k once; P@k and R@k divide that count by different numbers.",
        "RR looks at the first relevant document alone. Rprec is P@R, where R is the number of all that are relevant.",
    ),
)

AVERAGE_PRECISION = Exercise(
    number="6.2",
    title="Average precision by hand",
    given=_ranking_of_ten,
    answer=Number(3),
    expected=lambda given: _value(given, "AP"),
    mistakes=(
        Mistake(
            lambda given: sum(_as_reached(given, each + 1) for each in range(len(_ranks(given)))) / _hits(given, 10),
            "you divided by the relevant documents that were retrieved, not by all.",
        ),
        Mistake(
            lambda given: sum(_as_reached(given, each + 1) for each in range(len(_ranks(given)))) / 10,
            "you divided by the length of the ranking; AP divides by the number of all relevant documents.",
        ),
        Mistake(
            lambda given: sum(_precisions(given)) / 10,
            "you averaged precision over all ranks; only the ranks of relevant documents count.",
        ),
        Mistake(
            lambda given: sum(_precisions(given)) / given.relevant,
            "you added up precision at all ranks; only the ranks of relevant documents count.",
        ),
        Mistake(
            lambda given: sum(1 / rank for rank in _ranks(given)) / given.relevant,
            "you took 1 / rank each time; precision counts all relevant documents down to that rank.",
        ),
        Mistake(
            lambda given: sum(_as_reached(given, each + 1) for each in range(len(_ranks(given)))),
            "you added up the precisions and divided by nothing; AP divides by the number of all relevant documents.",
        ),
        Mistake(
            lambda given: sum(n / (rank - 1) for n, rank in enumerate(_ranks(given), 1)) / given.relevant,
            "you counted ranks from 0; the first document has rank 1.",
        ),
    ),
    hints=(
        "Write the precision beside each R: how many R down to here, this one included, over the rank.",
        "Add these up. What do the relevant documents that were never found add? And what divides the sum?",
    ),
)

CURVE = Exercise(
    number="6.4",
    title="The 11-point curve by hand",
    given=_eight,
    answer=Ordered(Number(3), "precisions"),
    expected=_eleven,
    mistakes=(
        Mistake(
            lambda given: _at_levels(given, lambda number: _as_reached(given, number)),
            "this is precision where each level is reached; interpolated, it is the highest from there on.",
        ),
        Mistake(
            lambda given: _at_levels(given, lambda number: _up_to_there(given, number)),
            "you took the highest precision up to each level; it is the highest from there on downwards.",
        ),
        Mistake(
            lambda given: _at_levels(given, lambda number: _from_there_on(given, number), len(_ranks(given))),
            "your recall reaches 1; it is of all relevant documents, and some were not retrieved.",
        ),
        Mistake(
            _carried_on,
            "you carried the last precision on; levels of recall that the ranking never reaches have 0.",
        ),
    ),
    hints=(
        "For each R write down recall (its number over all relevant) and precision (its number over its rank).",
        "For the level x look only at pairs with a recall of x or more, and take their highest precision. "
        "No such pair: 0.",
    ),
    points=2,
)
