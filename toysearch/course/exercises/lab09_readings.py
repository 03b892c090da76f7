"""Exercise 9.6: what measures make of a ranking that is judged in part."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from toysearch.course.answer_kinds import Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.unjudged_bounds import unjudged_bounds

_NAMES = ("P@5 lowest", "P@5 highest", "AP", "AP condensed", "Bpref")
_GRADES = {"relevant": 1.0, "not": 0.0}


def _partly_judged(draw: Draw) -> dict[str, Any]:
    states = draw.shuffled(["relevant"] * 3 + ["not"] * 2 + ["unjudged"] * 3)
    return {"ranking": states, "missed": draw.whole(1, 3)}


def _readings(given: Given, missed: int = -1) -> dict[str, float]:
    values = _read(tuple(given.ranking), given.missed if missed < 0 else missed)
    return dict(zip(_NAMES, values, strict=True))


@functools.lru_cache(maxsize=600)
def _read(states: tuple[str, ...], missed: int) -> tuple[float, ...]:
    ranking = [str(rank) for rank, _ in enumerate(states, 1)]
    judged = {rank: _GRADES[state] for rank, state in zip(ranking, states, strict=True) if state in _GRADES}
    judged |= {f"missed {number}": 1.0 for number in range(missed)}
    run, qrels = {"": ranking}, {"": judged}
    bounds = unjudged_bounds(run, qrels, "P@5", threshold=1).means["P@5"]
    return (*bounds, *evaluate(run, qrels, "AP AP(judged_only=True) Bpref", threshold=1).means.values())


def _misread(name: str, wrong: Callable[[Given], float]) -> Callable[[Given], dict[str, float]]:
    """All readings right but one."""
    return lambda given: _readings(given) | {name: wrong(given)}


def _without_missed(given: Given) -> dict[str, float]:
    return _readings(given) | {name: _readings(given, 0)[name] for name in ("AP", "AP condensed")}


def _of_the_judged(given: Given) -> float:
    top = [state for state in given.ranking[:5] if state in _GRADES]
    return top.count("relevant") / len(top)


def _bpref_with_unjudged(given: Given) -> float:
    ranking = [state.replace("unjudged", "not") for state in given.ranking]
    return _readings(Given(ranking=ranking, missed=given.missed))["Bpref"]


READINGS = Exercise(
    number="9.6",
    title="One ranking, five readings",
    given=_partly_judged,
    answer=Table(Number(decimals=4), "measures"),
    expected=_readings,
    mistakes=(
        Mistake(
            _misread("AP condensed", lambda given: _readings(given)["AP"]),
            "your condensed AP is the plain one: take the unjudged out, and those below move up.",
        ),
        Mistake(
            _misread("P@5 lowest", _of_the_judged),
            "your lowest P@5 is the share among the judged; it is out of five, with the unjudged not relevant.",
        ),
        Mistake(
            _misread("P@5 highest", lambda given: _readings(given)["P@5 lowest"]),
            "your highest P@5 is the lowest; let every unjudged document be relevant.",
        ),
        Mistake(
            _without_missed,
            "both your APs are divided by the relevant documents found; those missed belong to R as well.",
        ),
        Mistake(
            _misread("Bpref", _bpref_with_unjudged),
            "your Bpref counts unjudged documents as not relevant; it looks at judged ones only.",
        ),
    ),
    hints=(
        "R = the relevant ones found + those missed. AP: the precision at the rank of each relevant one found, "
        "their sum by R. Condensed: strike out the unjudged first.",
        "Bpref: for each relevant one found, n judged not relevant ones stand above it; it adds 1 − n / min(N, R), "
        "and the sum is divided by R. N is 2 here.",
    ),
    points=2,
)
