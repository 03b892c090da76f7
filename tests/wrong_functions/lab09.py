"""Wrong functions that students write in lab 9: values of kappa."""

from __future__ import annotations

from collections.abc import Callable

from toysearch.classroom.exercises.lab09 import Grades, _kappa_of, _share_equal

Kappa = Callable[[Grades, Grades], float]


def _of_chance(chance: Callable[[Grades, Grades], float]) -> Kappa:
    """Compute κ with another agreement by chance."""

    def of(first: Grades, second: Grades) -> float:
        by_chance = chance(first, second)
        return (_share_equal(first, second) - by_chance) / (1 - by_chance)

    return of


def _chances(first: Grades, second: Grades) -> dict[float, float]:
    """Return grade → the probability that both give it by chance."""
    return {
        grade: list(first).count(grade) * list(second).count(grade) / len(first) ** 2 for grade in {*first, *second}
    }


def _by_chances(first: Grades, second: Grades) -> float:
    return sum(_chances(first, second).values())


def _of_grades(change: Callable[[float], float]) -> Kappa:
    return lambda first, second: _kappa_of([*map(change, first)], [*map(change, second)])


def _weighted(power: int) -> Kappa:
    """Let near grades count in part."""

    def of(first: Grades, second: Grades) -> float:
        seen = sum(abs(one - other) ** power for one, other in zip(first, second, strict=True)) / len(first)
        chance = sum(abs(one - other) ** power for one in first for other in second) / len(first) ** 2
        return 1 - seen / chance

    return of


def _of_agreement(agreed: Callable[[float, float], bool]) -> Kappa:
    def of(first: Grades, second: Grades) -> float:
        share = sum(agreed(one, other) for one, other in zip(first, second, strict=True)) / len(first)
        return (share - _by_chances(first, second)) / (1 - _by_chances(first, second))

    return of


def _of_values(value: Callable[[float, float], float]) -> Kappa:
    """Combine the observed agreement and that by chance otherwise."""
    return lambda first, second: value(_share_equal(first, second), _by_chances(first, second))


_CHANCE = "agreement by chance is Σ over the grades of the share of the first judge times that of the second: "


_WRONG_KAPPAS = (
    (_of_chance(lambda first, second: 0.5), "chance is not one half; it follows from the grades."),
    (
        _of_chance(lambda first, second: 0.25),
        "you take four grades to be equally likely; chance follows from the grades.",
    ),
    (_of_chance(lambda first, second: _by_chances(first, first)), _CHANCE + "you took the first judge twice."),
    (_of_chance(lambda first, second: _by_chances(second, second)), _CHANCE + "you took the second judge twice."),
    (
        _of_chance(lambda first, second: sum(chance for grade, chance in _chances(first, second).items() if grade)),
        _CHANCE + "the grade 0 is missing.",
    ),
    (_of_chance(lambda first, second: _chances(first, second).get(1, 0)), _CHANCE + "you took the grade 1 only."),
    (
        _of_chance(lambda first, second: sum(_chances(first, second).get(grade, 0) for grade in range(4))),
        _CHANCE + "grades other than 0 to 3 are missing.",
    ),
    (
        _of_chance(lambda first, second: sum(_chances(first, second).get(grade, 0) for grade in (0, 1))),
        _CHANCE + "grades other than 0 and 1 are missing.",
    ),
    (
        _of_chance(lambda first, second: _by_chances(first, second) / len({*first, *second})),
        _CHANCE + "you took a mean over the grades.",
    ),
    (
        _of_chance(lambda first, second: sum(_chances(first, second)[grade] for grade in first)),
        _CHANCE + "go through the distinct grades, not through the documents.",
    ),
    (
        _of_chance(
            lambda first, second: len({*first} & {*second}) / len({*first, *second}),
        ),
        _CHANCE + "you counted grades instead.",
    ),
    (_of_values(lambda agreed, chance: agreed - chance), "divide by 1 − chance."),
    (_of_values(lambda agreed, chance: (agreed - chance) / chance), "divide by 1 − chance, not by chance."),
    (_of_values(lambda agreed, chance: agreed / (1 - chance)), "subtract chance from the agreement."),
    (_of_values(lambda agreed, chance: (1 - agreed) / (1 - chance)), "this is 1 − κ."),
    (_of_values(lambda agreed, chance: chance), "this is the agreement by chance alone."),
    (
        _of_values(lambda agreed, chance: max(0.0, (agreed - chance) / (1 - chance))),
        "κ may be negative: below chance.",
    ),
    (
        _of_values(lambda agreed, chance: (agreed - chance) / (1 - chance) if agreed >= chance else -1.0),
        "κ below chance is seldom −1.",
    ),
    (_of_values(lambda agreed, chance: abs(agreed - chance) / (1 - chance)), "κ may be negative: below chance."),
    (_of_values(lambda agreed, chance: round((agreed - chance) / (1 - chance), 2)), "you round; return κ as it is."),
    (_of_grades(lambda grade: float(grade >= 1)), "each grade is one of its own; you made two of them."),
    (_of_grades(lambda grade: float(grade > 0)), "each grade is one of its own; you made two of them."),
    (_of_grades(lambda grade: float(int(grade))), "0.5 and 0.75 are different grades; you cut them to whole numbers."),
    (_of_grades(abs), "−1 and 1 are different grades."),
    (_of_grades(lambda grade: min(grade, 3)), "grades above 3 are different grades."),
    (_weighted(1), "near grades count in part, as in weighted κ; here only equal ones count."),
    (_weighted(2), "near grades count in part, as in weighted κ; here only equal ones count."),
    (_of_agreement(lambda one, other: abs(one - other) <= 1), "nearly equal grades do not count as equal."),
    (_of_agreement(lambda one, other: one == other > 0), "two grades of 0 are an agreement, too."),
    (_of_agreement(lambda one, other: one >= other), "only equal grades are an agreement."),
    (lambda first, second: _kappa_of(first[:10], second[:10]), "you leave out grades after the tenth."),
    (lambda first, second: _kappa_of(sorted(first), sorted(second)), "compare the grades of the same document."),
)


WRONG = {"9.5": _WRONG_KAPPAS}
