"""Exercises 8.1 to 8.4: the t test and its interval by hand, a permutation test, the sign test."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.course.answer_kinds import Function, Number, Ordered
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.laboratory.experiments.stats.significance import paired_test

# 8.1 and 8.2: the t test by hand, and its interval


def _two_systems(draw: Draw) -> dict[str, Any]:
    old = [draw.number(0.08, 0.7, decimals=2) for _ in range(draw.whole(6, 9))]
    return {"old": old, "new": [round(value + draw.number(-0.06, 0.16, decimals=2), 2) for value in old]}


def _differences(given: Given) -> list[float]:
    return [new - old for old, new in zip(given.old, given.new, strict=True)]


def _t(given: Given) -> float:
    found = paired_test(_differences(given))
    return found.effect * math.sqrt(found.n)


def _t_of_two_groups(given: Given) -> float:
    variances = statistics.variance(given.new) + statistics.variance(given.old)
    return statistics.mean(_differences(given)) / math.sqrt(variances / len(given.old))


def _t_by_n(given: Given) -> float:
    differences = _differences(given)
    return statistics.mean(differences) * math.sqrt(len(differences)) / statistics.pstdev(differences)


def _interval_numbers(draw: Draw) -> dict[str, Any]:
    from scipy.special import stdtrit

    n = draw.whole(8, 20)
    return {
        "n": n,
        "mean": draw.number(0.01, 0.09, decimals=3),
        "deviation": draw.number(0.08, 0.2, decimals=3),
        "quantiles": {level: round(float(stdtrit(n - 1, level)), 3) for level in (0.9, 0.95, 0.975, 0.99)},
    }


def _interval(given: Given, level: float = 0.975) -> list[float]:
    return _around(given, given.quantiles[level] * given.deviation / math.sqrt(given.n))


def _around(given: Given, half: float) -> list[float]:
    return [given.mean - half, given.mean + half]


# 8.3 and 8.4: tests without a normal distribution


def _few_differences(draw: Draw, given: Given) -> list[tuple[list[int]]]:
    drawn = [[draw.whole(-6, 12) for _ in range(draw.whole(5, 7))] for _ in range(3)]
    losing = [-value for value in drawn[0][:5]]
    return [*((row,) for row in drawn), (losing,), ([draw.whole(1, 5)] * 4,), ([0, 0, 0],)]


def _all_sums(differences: Sequence[float]) -> list[float]:
    """The sums under all ways to choose the signs."""
    ways = itertools.product((1, -1), repeat=len(differences))
    return [sum(sign * value for sign, value in zip(signs, differences, strict=True)) for signs in ways]


def _share(counts: Callable[[float, float], bool], more: int = 0) -> Callable[[Sequence[float]], float]:
    """A permutation test that counts a sum, beside the observed one, as its rule says."""

    def test(differences: Sequence[float]) -> float:
        sums = _all_sums(differences)
        return (sum(counts(each, sum(differences)) for each in sums) + more) / (len(sums) + more)

    return test


def _permutation_p(differences: Sequence[float]) -> float:
    return paired_test(differences, "permutation").p


def _in_another_order(differences: Sequence[float]) -> float:
    return 1.0


def _wins(draw: Draw) -> dict[str, Any]:
    losses = draw.whole(5, 14)
    return {"wins": losses + draw.whole(3, 12), "losses": losses, "ties": draw.whole(3, 9)}


def _tail(more: int, n: int) -> float:
    """The probability of at least so many heads."""
    return sum(math.comb(n, k) for k in range(more, n + 1)) / float(2**n)


def _sign_p(wins: int, losses: int) -> float:
    return min(1.0, 2 * _tail(max(wins, losses), wins + losses))


T = Exercise(
    number="8.1",
    title="t by hand",
    given=_two_systems,
    answer=Number(decimals=3),
    expected=_t,
    mistakes=(
        Mistake(
            _t_of_two_groups,
            "you compared two groups of values; these are pairs, so begin with the difference of each query.",
        ),
        Mistake(_t_by_n, "the deviation here has n − 1 in its denominator, not n."),
        Mistake(
            lambda given: paired_test(_differences(given)).effect,
            "√n is missing: what you divided by is the deviation, not the standard error.",
        ),
        Mistake(
            lambda given: statistics.mean(_differences(given)),
            "this is the mean difference; how many standard errors is it from 0?",
        ),
        Mistake(
            lambda given: _t(given) / statistics.stdev(_differences(given)),
            "you divided by the variance; take its root.",
        ),
        Mistake(
            lambda given: _t(given) * math.sqrt(len(given.old)),
            "the standard error divides the deviation by √n, not by n.",
        ),
        Mistake(lambda given: paired_test(_differences(given)).p, "this is p; t is asked for."),
    ),
    hints=(
        "First the differences, new − old, one for each query. Everything else is made from these numbers alone.",
        "statistics.mean and statistics.stdev give d̄ and s; t = d̄ / (s / √n).",
    ),
)

INTERVAL = Exercise(
    number="8.2",
    title="An interval by hand",
    given=_interval_numbers,
    answer=Ordered(Number(decimals=3), "ends"),
    expected=_interval,
    mistakes=(
        Mistake(
            lambda given: _interval(given, 0.95),
            "between these ends lie 90 %: 5 % are cut off on each side, and 2.5 % should be.",
        ),
        Mistake(
            lambda given: _around(given, given.quantiles[0.975] * given.deviation),
            "this is where single queries lie; for their mean the deviation is divided by √n.",
        ),
        Mistake(
            lambda given: _around(given, 1.96 * given.deviation / math.sqrt(given.n)),
            "1.96 is for very many queries; for so few take Student's quantile.",
        ),
        Mistake(
            lambda given: _around(given, given.deviation / math.sqrt(given.n)),
            "this is the mean ± one standard error; how many are needed says the quantile.",
        ),
        Mistake(
            lambda given: _around(given, given.quantiles[0.975] * given.deviation / math.sqrt(given.n - 1)),
            "divide by √n: the n − 1 is in the deviation already.",
        ),
    ),
    hints=(
        "Of 95 % in the middle, what is left out is half below and half above. Which quantile is that?",
        "mean ± quantile · deviation / √n.",
    ),
)

PERMUTATION = Exercise(
    number="8.3",
    title="A permutation test from scratch",
    answer=Function(Number(decimals=6), "permutation_p(differences)"),
    inputs=_few_differences,
    expected=lambda given: _permutation_p,
    mistakes=(
        Mistake(
            lambda given: _share(lambda each, seen: each >= seen),
            "yours is one-sided; two-sided counts sums as far from 0 on the other side, too.",
        ),
        Mistake(
            lambda given: _share(lambda each, seen: abs(each) > abs(seen)),
            "a sum that is exactly as far from 0 counts, too; the observed one is among these.",
        ),
        Mistake(
            lambda given: _share(lambda each, seen: abs(each) >= abs(seen), more=1),
            "you counted the observed signs twice; to add 1 is for signs that are drawn, not for all of them.",
        ),
        Mistake(
            lambda given: _in_another_order,
            "your p is always 1: the order of the differences changes no sum. It is their signs that are flipped.",
        ),
    ),
    hints=(
        "itertools.product((1, -1), repeat=n) goes through all 2ⁿ ways to choose n signs.",
        "For each way take the sum of sign · difference. p is the share of sums with "
        "abs(sum) >= abs(sum of the differences as they are).",
    ),
    points=2,
)

SIGN = Exercise(
    number="8.4",
    title="The sign test by hand",
    given=_wins,
    answer=Number(decimals=4),
    expected=lambda given: _sign_p(given.wins, given.losses),
    mistakes=(
        Mistake(
            lambda given: _tail(given.wins, given.wins + given.losses),
            "this is one-sided; so many losses would have been as odd.",
        ),
        Mistake(
            lambda given: _sign_p(given.wins, given.losses + given.ties),
            "you counted ties as losses; a tie says nothing of either system, and is left out.",
        ),
        Mistake(
            lambda given: math.comb(given.wins + given.losses, given.wins) / 2 ** (given.wins + given.losses),
            "this is the probability of exactly so many wins; take that of so many or more.",
        ),
        Mistake(
            lambda given: 2 * _tail(given.wins + 1, given.wins + given.losses),
            "this is the probability of more wins than there were; as many count as well.",
        ),
    ),
    hints=(
        "Leave out the ties: n = wins + losses coins are left. math.comb(n, k) counts the ways to k heads.",
        "p = 2 · (C(n, w) + C(n, w+1) + … + C(n, n)) / 2ⁿ, with w the wins.",
    ),
)
