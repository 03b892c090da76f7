"""Exercises 9.4 and 9.5: Cohen's kappa by hand and from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toysearch.course.answer_kinds import Function, Number
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.evaluation.judge_agreement import kappa

# 9.4 and 9.5: agreement


def _two_judges(draw: Draw) -> dict[str, Any]:
    return {
        "both": draw.whole(20, 60),
        "only the first": draw.whole(3, 8),
        "only the second": draw.whole(16, 30),
        "neither": draw.whole(50, 120),
    }


def _counts(given: Given) -> list[int]:
    return list(vars(given).values())


def _kappa(given: Given) -> float:
    grades = [
        pair for pair, count in zip(((1, 1), (1, 0), (0, 1), (0, 0)), _counts(given), strict=True) for _ in range(count)
    ]
    return _kappa_of([first for first, _ in grades], [second for _, second in grades])


def _agreement(given: Given) -> float:
    both, _, _, neither = _counts(given)
    return (both + neither) / sum(_counts(given))


def _beyond(given: Given, chance: float) -> float:
    return (_agreement(given) - chance) / (1 - chance)


def _relevant_by_chance(given: Given) -> float:
    both, first, second, _ = _counts(given)
    return (both + first) * (both + second) / sum(_counts(given)) ** 2


def _by_chance(given: Given) -> float:
    _, first, second, neither = _counts(given)
    return _relevant_by_chance(given) + (neither + first) * (neither + second) / sum(_counts(given)) ** 2


def _chance_of_both_together(given: Given) -> float:
    both, first, second, _ = _counts(given)
    share = (2 * both + first + second) / (2 * sum(_counts(given)))
    return share**2 + (1 - share) ** 2


def _lists(draw: Draw, given: Given) -> list[tuple[list[int], list[int]]]:
    rows = []
    for size in (9, 11, 12, 14):
        first = [0, *(draw.whole(0, 3) for _ in range(size - 2)), 3]
        second = [grade if draw.whole(1, 10) <= 6 else draw.whole(0, 2) for grade in first]
        rows.append((first, second))
    return [*rows, ([0, 1, 2, 0], [0, 1, 2, 0]), ([0, 1, 0, 1], [1, 0, 1, 0])]


def _kappa_of(first: Sequence[float], second: Sequence[float]) -> float:
    one, other = ({"": {str(place): grade for place, grade in enumerate(grades)}} for grades in (first, second))
    return kappa(one, other).kappa


def _share_equal(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(one == other for one, other in zip(first, second, strict=True)) / len(first)


def _with_equal_chances(first: Sequence[float], second: Sequence[float]) -> float:
    chance = 1 / len({*first, *second})
    return (_share_equal(first, second) - chance) / (1 - chance)


def _with_chance_of_both(first: Sequence[float], second: Sequence[float]) -> float:
    together = [*first, *second]
    chance = sum((together.count(grade) / len(together)) ** 2 for grade in set(together))
    return (_share_equal(first, second) - chance) / (1 - chance)


BY_HAND = Exercise(
    number="9.4",
    title="κ by hand",
    given=_two_judges,
    answer=Number(decimals=3),
    expected=_kappa,
    mistakes=(
        Mistake(_agreement, "this is the share on which they agree; part of that comes by chance."),
        Mistake(
            lambda given: _agreement(given) - _by_chance(given),
            "you took chance away, but did not divide by what was left to reach, 1 − E.",
        ),
        Mistake(_by_chance, "this is E, the agreement that comes by chance; κ is what lies beyond it."),
        Mistake(lambda given: _beyond(given, 0.5), "chance is not one half: it depends on how often each says yes."),
        Mistake(
            lambda given: _beyond(given, _relevant_by_chance(given)),
            "by chance they also agree on what is not relevant; E has two parts.",
        ),
        Mistake(
            lambda given: _beyond(given, _chance_of_both_together(given)),
            "this takes chance from both judges together, which is Scott's π; κ takes each judge's own shares.",
        ),
    ),
    hints=(
        "A is the share of pairs on which both say the same. How often does each of them say relevant?",
        "E = p₁ · p₂ + (1 − p₁) · (1 − p₂), with p₁ and p₂ the shares that each calls relevant. κ = (A − E) / (1 − E).",
    ),
)

FROM_SCRATCH = Exercise(
    number="9.5",
    title="κ from scratch",
    answer=Function(Number(decimals=6), "kappa(first, second)"),
    inputs=_lists,
    expected=lambda given: _kappa_of,
    mistakes=(
        Mistake(lambda given: _share_equal, "you return the share of equal grades; chance has to come off."),
        Mistake(
            lambda given: _with_equal_chances,
            "you take all grades for equally likely by chance; each judge gives some more often than others.",
        ),
        Mistake(
            lambda given: _with_chance_of_both,
            "you take chance from the grades of both together, which is Scott's π; κ takes each judge's own.",
        ),
    ),
    hints=(
        "A first: how many places of the two lists are equal, by how many there are.",
        "E is a sum over all grades g: first.count(g) / n times second.count(g) / n.",
    ),
    points=2,
)
