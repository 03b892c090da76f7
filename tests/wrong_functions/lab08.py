"""Wrong functions that students write in lab 8: permutation tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from toysearch import paired_test
from toysearch.classroom.exercise import Draw
from toysearch.classroom.exercises.lab08 import _share


def _signed_sums(differences: Sequence[float]) -> list[float]:
    ways = itertools.product((1, -1), repeat=len(differences))
    return [sum(sign * value for sign, value in zip(signs, differences, strict=True)) for signs in ways]


def _of_sums(p: Callable[[list[float], float], float]) -> Callable[[Sequence[float]], float]:
    """Compute another number from all sums and the observed one."""
    return lambda differences: p(_signed_sums(differences), sum(differences))


def _as_far(sums: Iterable[float], observed: float) -> int:
    return sum(abs(each) >= abs(observed) for each in sums)


def _of_changed(change: Callable[[list[float]], list[float]]) -> Callable[[Sequence[float]], float]:
    return lambda differences: _permutation_p(change([*differences]))


def _permutation_p(differences: Sequence[float]) -> float:
    sums = _signed_sums(differences)
    return _as_far(sums, sum(differences)) / len(sums)


def _sampled(differences: Sequence[float]) -> float:
    """Draw 1,000 signs at random."""
    draw = Draw("signs", *map(str, differences))
    sums = [sum(draw.one((1, -1)) * each for each in differences) for _ in range(1000)]
    return _as_far(sums, sum(differences)) / len(sums)


def _without_seen(sums: list[float], observed: float) -> float:
    return (_as_far(sums, observed) - 1) / (len(sums) - 1)


def _signs_only(differences: Sequence[float]) -> float:
    return _permutation_p([(each > 0) - (each < 0) for each in differences])


def _ranks_only(differences: Sequence[float]) -> float:
    sizes = sorted(map(abs, differences))
    return _permutation_p([math.copysign(sizes.index(abs(each)) + 1, each) if each else 0 for each in differences])


def _by_t(differences: Sequence[float]) -> float:
    return paired_test(differences).p if len({*differences}) > 1 else 1.0


_ONE_SIDED = "your test is one-sided; a two-sided test also counts sums as far from 0 on the other side."


_WRONG_TESTS = (
    (_share(lambda each, seen: each <= seen), _ONE_SIDED),
    (_of_sums(lambda sums, seen: sum(each >= abs(seen) for each in sums) / len(sums)), _ONE_SIDED),
    (
        _of_sums(lambda sums, seen: 2 * sum(each >= abs(seen) for each in sums) / len(sums)),
        "twice one side counts sums of 0 twice.",
    ),
    (
        _of_sums(lambda sums, seen: min(1.0, 2 * sum(each >= seen for each in sums) / len(sums))),
        "take the absolute value of the observed sum as well; it may be below 0.",
    ),
    (
        _of_sums(lambda sums, seen: sum(abs(each) >= seen for each in sums) / len(sums)),
        "take the absolute value of the observed sum as well; it may be below 0.",
    ),
    (_share(lambda each, seen: abs(each) == abs(seen)), "sums that are further from 0 count as well."),
    (_share(lambda each, seen: abs(each) <= abs(seen)), "count the sums that are at least as far from 0."),
    (_share(lambda each, seen: abs(each) < abs(seen)), "this is 1 − p."),
    (_of_sums(_without_seen), "the observed signs are one of all ways, and count."),
    (
        _of_sums(lambda sums, seen: _as_far(sums[1:], seen) / len(sums)),
        "the observed signs are one of all ways, and count.",
    ),
    (_of_sums(lambda sums, seen: float(_as_far(sums, seen))), "this is a number of sums; p is their share."),
    (
        _of_sums(lambda sums, seen: _as_far({*sums}, seen) / len({*sums})),
        "equal sums count as often as they occur; you count each once.",
    ),
    (_of_sums(lambda sums, seen: _as_far(sums, seen) / len(sums) / 2), "you halved p; a two-sided test does not."),
    (_sampled, "you drew signs at random; go through all of them."),
    (_signs_only, "this is the sign test; take the differences as they are."),
    (_ranks_only, "this is Wilcoxon's test on ranks; take the differences as they are."),
    (_by_t, "this is the p of a t test; count sums."),
    (_of_changed(lambda values: [*map(abs, values)]), "you lost the signs of the observed differences."),
    (_of_changed(lambda values: values[:-1]), "you leave out the last difference."),
    (_of_changed(lambda values: values[1:]), "you leave out the first difference."),
    (_of_changed(lambda values: [each for each in values if each > 0]), "you leave out the losses."),
    (_of_changed(lambda values: values[:7]), "you leave out differences after the seventh."),
    (_of_changed(lambda values: [*{*values}]), "equal differences count as often as they occur."),
    (
        lambda differences: _share(lambda each, seen: abs(each) >= abs(seen))(differences) if any(differences) else 0.0,
        "if all differences are 0, p is 1: all sums are as far from 0.",
    ),
)


WRONG = {"8.3": _WRONG_TESTS}
