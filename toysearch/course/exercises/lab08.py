"""Lab 8: paired tests, intervals, power, many comparisons, tuning on one part and reporting on another."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from toysearch.course.answer_kinds import Choice, Number, Ordered, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.exercises.lab08_tests import INTERVAL, PERMUTATION, SIGN, T
from toysearch.course.lessons import collection, index
from toysearch.course.students import Draw
from toysearch.errors import without_notes
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.stats.corrections import corrected
from toysearch.laboratory.experiments.stats.power import POWER, detectable_difference

# 8.5: what the queries can show

_RIVALS = ("tfidf", "lm-jm", "lm-dirichlet", "dph", "bm25plus", "bm25:b=0.4", "bm25:k1=3", "pl2", "inl2", "overlap")
_MEASURES = ("AP", "nDCG@10")


@functools.lru_cache(maxsize=4)
def _evaluator(measure: str) -> Evaluator:
    asked = collection()
    return Evaluator(index(), asked.judged_queries, asked.qrels, measure, threshold=asked.threshold)


@functools.lru_cache(maxsize=200)
def _values(model: str, measure: str) -> np.ndarray:
    """The measure for each query, in the order of the judged queries."""
    with without_notes():  # a query without a known term is worth 0, and a note
        by_query = _evaluator(measure)(model).per_query
    return np.array([by_query[query.query_id][measure] for query in collection().judged_queries])


def _detectable(given: Given, deviation: Callable[[np.ndarray, np.ndarray], float], wanted: float = 0) -> float:
    values = _values(given.system, given.measure), _values("bm25", given.measure)
    return detectable_difference(deviation(*values), len(values[0]), wanted=wanted or given.power)


def _of_differences(system: np.ndarray, baseline: np.ndarray) -> float:
    return float((system - baseline).std(ddof=1))


def _of_the_mean(system: np.ndarray, baseline: np.ndarray) -> float:
    return _of_differences(system, baseline) / math.sqrt(len(system))


def _of_the_system(system: np.ndarray, baseline: np.ndarray) -> float:
    return float(system.std(ddof=1))


def _of_the_baseline(system: np.ndarray, baseline: np.ndarray) -> float:
    return float(baseline.std(ddof=1))


# 8.6: Holm


def _p_values(draw: Draw) -> dict[str, Any]:
    second = draw.number(0.0101, 0.0139, decimals=4)
    p = [
        draw.number(0.001, 0.0045, decimals=4),
        second,
        round(second + draw.number(0.0005, 0.003, decimals=4), 4),  # so near that three times it is less
        draw.number(0.021, 0.045, decimals=4),
        draw.number(0.1, 0.6, decimals=3),
    ]
    return {"p": dict(zip(("A", "B", "C", "D", "E"), draw.shuffled(p), strict=True))}


def _corrected(given: Given, method: str = "holm") -> dict[str, float]:
    return dict(zip(given.p, corrected(list(given.p.values()), method).tolist(), strict=True))


def _without_maximum(given: Given) -> dict[str, float]:
    order = sorted(given.p, key=given.p.__getitem__)
    return {name: min(1.0, given.p[name] * (len(order) - order.index(name))) for name in given.p}


def _by_rank(given: Given) -> dict[str, float]:
    order = sorted(given.p, key=given.p.__getitem__)
    return {name: min(1.0, given.p[name] * (order.index(name) + 1)) for name in given.p}


# 8.7: reading results

_VERDICTS = ("better", "worse", "alike", "open")
_MARGIN = 0.02


def _results(draw: Draw) -> dict[str, Any]:
    """An interval of each kind: a gain, both kinds of open, one that is alike, a loss."""
    kinds = [
        (draw.number(-0.06, -0.045, decimals=3), draw.number(-0.012, -0.004, decimals=3)),
        (draw.number(0.004, 0.012, decimals=3), draw.number(0.045, 0.06, decimals=3)),
        (draw.number(-0.012, -0.006, decimals=3), draw.number(0.006, 0.014, decimals=3)),
        (draw.number(-0.05, -0.03, decimals=3), draw.number(0.04, 0.06, decimals=3)),
        (draw.number(-0.008, -0.003, decimals=3), draw.number(0.05, 0.07, decimals=3)),
    ]
    rows = [(low, high, _p_of(low, high)) for low, high in draw.shuffled(kinds)]
    return {
        "margin": _MARGIN,
        "results": [
            {"difference": round((low + high) / 2, 4), "from": low, "to": high, "p": p} for low, high, p in rows
        ],
    }


def _p_of(low: float, high: float) -> float:
    """The p that belongs to an interval of level 0.95, of very many queries."""
    z = abs(low + high) / (high - low) * statistics.NormalDist().inv_cdf(0.975)
    return round(2 * statistics.NormalDist().cdf(-z), 4)


def _verdict(result: dict[str, float]) -> str:
    if result["from"] > 0:
        return "better"
    if result["to"] < 0:
        return "worse"
    return "alike" if max(-result["from"], result["to"]) < _MARGIN else "open"


def _way(result: dict[str, float]) -> str:
    return "better" if result["difference"] > 0 else "worse"


def _by_p(result: dict[str, float]) -> str:
    return _way(result) if result["p"] <= 0.05 else "alike"


def _by_mean(result: dict[str, float]) -> str:
    return _way(result) if abs(result["difference"]) >= _MARGIN else "alike"


def _never_alike(result: dict[str, float]) -> str:
    return _way(result) if result["p"] <= 0.05 else "open"


def _never_worse(result: dict[str, float]) -> str:
    return "open" if result["to"] < 0 else _verdict(result)


def _verdicts(rule: Callable[[dict[str, float]], str]) -> Callable[[Given], list[str]]:
    return lambda given: [rule(result) for result in given.results]


# 8.8: tune here, report there

_SETTINGS = tuple(f"bm25:k1={k1},b={b}" for k1 in (0.4, 0.8, 1.2, 2, 3) for b in (0, 0.25, 0.5, 0.75, 1))


@functools.lru_cache(maxsize=4)
def _surface(measure: str) -> np.ndarray:
    """The measure for each setting (row) and query (column)."""
    return np.array([_values(setting, measure) for setting in _SETTINGS])


def _parts(draw: Draw) -> dict[str, Any]:
    step = draw.whole(3, 6)
    return {"start": draw.whole(0, step - 1), "step": step, "measure": draw.one(_MEASURES)}


def _tuned(given: Given) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each setting over the queries that choose, and over all others."""
    values = _surface(given.measure)
    chooses = np.zeros(values.shape[1], dtype=bool)
    chooses[given.start :: given.step] = True
    return values[:, chooses].mean(axis=1).round(12), values[:, ~chooses].mean(axis=1).round(12)


def _reported(given: Given) -> float:
    choosing, others = _tuned(given)
    return float(others[choosing.argmax()])


EXERCISES = (
    T,
    INTERVAL,
    PERMUTATION,
    SIGN,
    Exercise(
        number="8.5",
        title="What these queries can show",
        given=lambda draw: {
            "system": draw.one(_RIVALS),
            "baseline": "bm25",
            "measure": draw.one(_MEASURES),
            "power": draw.one((0.7, 0.9, 0.95)),
        },
        answer=Number(decimals=4),
        expected=lambda given: _detectable(given, _of_differences),
        mistakes=(
            Mistake(
                lambda given: _detectable(given, _of_the_mean),
                "you gave it the standard error; √n is in the function already, it takes the deviation.",
            ),
            Mistake(
                lambda given: _detectable(given, _of_the_system),
                "this is from the deviation of the system's values; the test is paired, so take the differences.",
            ),
            Mistake(
                lambda given: _detectable(given, _of_the_baseline),
                "this is from the deviation of the baseline's values; the test is paired, so take the differences.",
            ),
            Mistake(
                lambda given: abs(
                    float((_values(given.system, given.measure) - _values("bm25", given.measure)).mean())
                ),
                "this is the difference that was observed; the question is which one would be found.",
            ),
            Mistake(
                lambda given: _detectable(given, _of_differences, wanted=POWER),
                "this is for the usual power of 0.8; yours is another.",
            ),
        ),
        hints=(
            "An evaluator for your measure, then its values for both models: per_query(model) above shows how.",
            "toysearch.detectable_difference(deviation, n, wanted=power), where deviation is differences.std(ddof=1).",
        ),
        points=2,
    ),
    Exercise(
        number="8.6",
        title="Holm by hand",
        given=_p_values,
        answer=Table(Number(decimals=4), "systems"),
        expected=lambda given: _corrected(given),
        mistakes=(
            Mistake(
                lambda given: _corrected(given, "bonferroni"),
                "this is Bonferroni's correction, which multiplies all by the same; Holm's factor falls.",
            ),
            Mistake(
                lambda given: {name: len(given.p) * p for name, p in given.p.items()},
                "this is Bonferroni's correction, and nothing is above 1; Holm's factor falls.",
            ),
            Mistake(
                _without_maximum,
                "one is now below a smaller one: a corrected p is never less than that of a smaller p.",
            ),
            Mistake(
                lambda given: _corrected(given, "bh"),
                "this is Benjamini and Hochberg's correction, which bounds another kind of error.",
            ),
            Mistake(_by_rank, "the factors go the wrong way: the smallest p gets the largest."),
        ),
        hints=(
            "Sort the p-values. The smallest is multiplied by 5, the next by 4, and so on.",
            "Then go through them from the smallest on: where a product is less than the one before it, take that one.",
        ),
    ),
    Exercise(
        number="8.7",
        title="What may be said",
        given=_results,
        answer=Ordered(Choice(_VERDICTS), "verdicts"),
        expected=_verdicts(_verdict),
        mistakes=(
            Mistake(
                _verdicts(_by_p),
                "you went by p: above 0.05 it does not say that two systems are alike. How far does the interval go?",
            ),
            Mistake(
                _verdicts(_by_mean),
                "you went by the difference observed; what may be said is a matter of the whole interval.",
            ),
            Mistake(
                _verdicts(_never_alike),
                "you never say alike: an interval that stays within the margin does show that nothing large is there.",
            ),
            Mistake(
                _verdicts(_never_worse),
                "an interval that lies wholly below 0 is not open: it shows that the system is worse.",
            ),
        ),
        hints=(
            "Look at the two ends only. Is 0 between them? Is the margin, or its negative, between them?",
            "In this order: both ends above 0: better. Both below 0: worse. Both within ± margin: alike. Else: open.",
        ),
    ),
    Exercise(
        number="8.8",
        title="Tune here, report there",
        given=_parts,
        answer=Number(decimals=4),
        expected=_reported,
        mistakes=(
            Mistake(
                lambda given: float(_tuned(given)[0].max()),
                "this is the value on the queries that chose the setting; report that on all others.",
            ),
            Mistake(
                lambda given: float(_tuned(given)[1].max()),
                "this setting was chosen on the queries on which it is reported; they must have no say in it.",
            ),
            Mistake(
                lambda given: float(_tuned(given)[1][_SETTINGS.index("bm25:k1=1.2,b=0.75")]),
                "this is the model as given, with k1 = 1.2 and b = 0.75; first choose a setting.",
            ),
            Mistake(
                lambda given: float(_surface(given.measure)[_tuned(given)[0].argmax()].mean()),
                "this is the mean over all queries; those that chose the setting are still among them.",
            ),
        ),
        hints=(
            "A list slice makes the parts: ids[start::step] are the queries that choose. All others report.",
            "For each setting the mean over the choosing queries; max(settings, key=...) is your setting. "
            "Then its mean over the other queries.",
        ),
        points=3,
    ),
)
