"""Wrong functions that students write in lab 5: precision, recall and F."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toysearch.classroom.exercise import Numbers
from toysearch.classroom.exercises.lab05 import _F_by, _measured, _share

_NOTHING: Numbers = dict.fromkeys("PRF", 0.0)
_undivided = _F_by(lambda P, R: 2 * P * R / (P + R))


def _measured_by(P: Callable[..., float], R: Callable[..., float]) -> Callable[..., Numbers]:
    """Compute P and R otherwise, from the hits and the sizes of the two lists; F from them."""

    def measures(returned: Sequence[str], relevant: Sequence[str]) -> Numbers:
        numbers = len({*returned} & {*relevant}), len(returned), len(relevant)
        precision, recall = P(*numbers), R(*numbers)
        return {"P": precision, "R": recall, "F": _share(2 * precision * recall, precision + recall)}

    return measures


def _right_P(hits: int, returned: int, relevant: int) -> float:
    return _share(hits, returned)


def _right_R(hits: int, returned: int, relevant: int) -> float:
    return _share(hits, relevant)


def _where(empty: Callable[..., bool], values: Numbers) -> Callable[..., Numbers]:
    """Give other values where a condition on the lists holds."""
    return lambda returned, relevant: _measured(returned, relevant) | (values if empty(returned, relevant) else {})


def _hits_by(hits: Callable[..., int]) -> Callable[..., Numbers]:
    def measures(returned: Sequence[str], relevant: Sequence[str]) -> Numbers:
        common = [f"hit {number}" for number in range(hits(returned, relevant))]
        fill = [f"returned {number}" for number in range(len(returned) - len(common))]
        missed = [f"missed {number}" for number in range(len(relevant) - len(common))]
        return _measured([*common, *fill], [*common, *missed])

    return measures


_WRONG_MEASURES = (
    (_F_by(lambda P, R: 2 * P * R), "F is 2PR/(P + R): you did not divide."),
    (_F_by(lambda P, R: _share(2 * (P + R), P * R)), "F is 2PR/(P + R); yours is upside down."),
    (_F_by(min), "F is the harmonic mean of P and R, not the smaller of them."),
    (_F_by(lambda P, R: _share(5 * P * R, 4 * P + R)), "this F weighs recall more; here P and R weigh the same."),
    (_F_by(lambda P, R: _share(1.25 * P * R, 0.25 * P + R)), "this F weighs precision more; here both weigh the same."),
    (_F_by(lambda P, R: 1 - _share(2 * P * R, P + R)), "this is E, which is 1 − F."),
    (_F_by(lambda P, R: _share(P * R, P + R - P * R)), "this is Jaccard's coefficient; F is Dice's."),
    (
        lambda returned, relevant: _undivided(returned, relevant) if returned and relevant else _NOTHING,
        "F divides by 0 where P and R are both 0; it should be 0 there.",
    ),
    (
        _measured_by(lambda hits, returned, relevant: hits / returned, _right_R),
        "P divides by 0 if nothing is returned.",
    ),
    (
        _measured_by(_right_P, lambda hits, returned, relevant: hits / relevant),
        "R divides by 0 if nothing is relevant.",
    ),
    (_measured_by(_right_R, _right_R), "P divides by the number of returned documents."),
    (_measured_by(_right_P, _right_P), "R divides by the number of relevant documents."),
    (
        _measured_by(_right_P, lambda hits, returned, relevant: _share(hits, relevant - hits)),
        "R divides by all relevant documents, not by those that were missed.",
    ),
    (
        _measured_by(lambda hits, returned, relevant: _share(hits, returned - hits), _right_R),
        "P divides by all returned documents, not by those that are not relevant.",
    ),
    (
        _measured_by(lambda hits, returned, relevant: _share(hits, min(10, returned)), _right_R),
        "there is no cutoff here.",
    ),
    (_measured_by(lambda hits, returned, relevant: hits / 10, _right_R), "there is no cutoff here."),
    (
        _measured_by(_right_P, lambda hits, returned, relevant: _share(hits, min(returned, relevant))),
        "R divides by the number of relevant documents, even if fewer are returned.",
    ),
    (lambda returned, relevant: _measured(returned[:10], relevant), "there is no cutoff here."),
    (lambda returned, relevant: _measured(returned, relevant[:10]), "count all relevant documents."),
    (
        lambda returned, relevant: {name: 100 * value for name, value in _measured(returned, relevant).items()},
        "these are per cent: give shares between 0 and 1.",
    ),
    (
        lambda returned, relevant: {name: round(value, 2) for name, value in _measured(returned, relevant).items()},
        "you round; return the numbers as they are.",
    ),
    (_where(lambda returned, relevant: not returned, {"P": 1.0}), "the value is 0 where a denominator is 0."),
    (_where(lambda returned, relevant: not relevant, {"R": 1.0}), "the value is 0 where a denominator is 0."),
    (
        _where(lambda returned, relevant: not (returned or relevant), dict.fromkeys("PRF", 1.0)),
        "the value is 0 where a denominator is 0.",
    ),
    (
        _hits_by(lambda returned, relevant: sum(one == other for one, other in zip(returned, relevant, strict=False))),
        "you compare the lists place by place; a hit may stand anywhere in them.",
    ),
    (
        _hits_by(lambda returned, relevant: sum(doc_id in " ".join(relevant) for doc_id in returned)),
        "you look in a joined text, where an id can be part of another one, such as d1 in d11.",
    ),
    (
        lambda returned, relevant: _measured([each.lower() for each in returned], [each.lower() for each in relevant]),
        "ids that differ in case are different.",
    ),
)


WRONG = {"5.4": _WRONG_MEASURES}
