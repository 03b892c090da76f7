"""Lab 12, evaluation: held-out values, groups of near-duplicate queries, and a control with shuffled features."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

from toysearch.course.answers import choice, number, ordered, table, text, unordered
from toysearch.course.exercise import Draw, Exercise, Given, Mistake, swapped
from toysearch.course.exercises.lab12_features import WORDS, Numbers
from toysearch.models.similarity import similarity

# 12.5: held out, and on the same queries


def _folds(draw: Draw) -> dict[str, Any]:
    """Seven queries in folds of three, two and two, with AP under the ranker without each fold and the final one."""
    names = [f"q{number}" for number in range(1, 8)]
    folds = dict(zip(names, draw.shuffled([1, 1, 1, 2, 2, 3, 3]), strict=True))
    values = {}
    for name in names:
        honest = draw.number(0.15, 0.6, 2)
        row = {
            f"without {fold}": honest if fold == folds[name] else round(honest + draw.number(0.03, 0.3, 2), 2)
            for fold in (1, 2, 3)
        }
        values[name] = row | {"final": round(honest + draw.number(0.1, 0.35, 2), 2)}
    return {"folds": folds, "AP": values}


def _held_out(given: Given) -> list[float]:
    return [given.AP[name][f"without {fold}"] for name, fold in given.folds.items()]


def _values(held_out: float, given: Given) -> Numbers:
    return {"held out": held_out, "on the same queries": fmean(row["final"] for row in given.AP.values())}


def _by_fold(given: Given) -> float:
    """The mean of the means of the folds, which have different sizes."""
    parts = [
        [value for value, number in zip(_held_out(given), given.folds.values(), strict=True) if number == fold]
        for fold in (1, 2, 3)
    ]
    return fmean(map(fmean, parts))


def _of_all_rankers(given: Given) -> float:
    return fmean(row[f"without {fold}"] for row in given.AP.values() for fold in (1, 2, 3))


def _seen(given: Given) -> float:
    """The mean over the rankers that learned from the query."""
    rows = [
        [value for name, value in given.AP[query].items() if name not in (f"without {fold}", "final")]
        for query, fold in given.folds.items()
    ]
    return fmean(map(fmean, rows))


def _right_values(given: Given) -> Numbers:
    return _values(fmean(_held_out(given)), given)


HELD_OUT = Exercise(
    number="12.5",
    title="Held out and optimistic",
    why="Only the held-out value says what the ranker is worth to a query that nobody has judged.",
    given=_folds,
    answer=table(number(4), "values"),
    expected=_right_values,
    mistakes=(
        Mistake(
            lambda given: swapped(_right_values(given), "held out", "on the same queries"),
            "you swapped the two values.",
        ),
        Mistake(
            lambda given: _values(_seen(given), given),
            "you took rankers that learned from the query; the one called without 2 has not seen fold 2.",
        ),
        Mistake(
            lambda given: _values(_of_all_rankers(given), given),
            "each query has one held-out value: that of the ranker which did not learn from its fold.",
        ),
        Mistake(
            lambda given: _values(_by_fold(given), given),
            "the folds differ in size; take the mean over the queries, not over the folds.",
        ),
    ),
    hints=(
        "For each query, find its fold, and the ranker that was learned without that fold.",
        "Held out: the mean of these seven values. On the same queries: the mean under the final ranker, which has "
        "learned from all of them.",
    ),
    points=2,
)


# 12.6: groups of near-duplicate queries


def _near_queries(draw: Draw) -> dict[str, Any]:
    """A chain of three queries, a pair at the very limit, and two that share fewer words with these."""
    a, b, c, d, e, f, g, h, i, j, *single = draw.some(WORDS, 14)
    extra = [*single, "barn", "pond"]
    texts = [[a, b, c, d], [b, c, d, e], [c, d, e, f], [g, h, i], [g, h, j], [a, b, extra[0]], [g, extra[1], extra[2]]]
    numbers = sorted(draw.some(range(1, 60), len(texts)))
    return {
        "queries": {
            str(number): draw.shuffled(words) for number, words in zip(numbers, draw.shuffled(texts), strict=True)
        },
        "least": 0.5,
    }


def _near_pairs(given: Given, near: Callable[[list[str], list[str]], bool]) -> list[list[str]]:
    names = list(given.queries)
    return [
        [one, other]
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if near(given.queries[one], given.queries[other])
    ]


def _groups(given: Given, near: Callable[[list[str], list[str]], bool] | None = None) -> list[list[str]]:
    """Queries joined by a pair or by a chain of pairs."""
    groups: list[list[str]] = []
    for pair in _near_pairs(given, near or (lambda one, other: similarity(one, other).jaccard >= given.least)):
        touched = [group for group in groups if {*group} & {*pair}]
        groups = [group for group in groups if group not in touched]
        groups.append(list(dict.fromkeys([*(name for group in touched for name in group), *pair])))
    return groups


def _with_single_queries(given: Given) -> list[list[str]]:
    grouped = {name for group in _groups(given) for name in group}
    return [*_groups(given), *([name] for name in given.queries if name not in grouped)]


def _pairs_as_groups(given: Given) -> list[list[str]]:
    return _near_pairs(given, lambda one, other: similarity(one, other).jaccard >= given.least)


GROUPS = Exercise(
    number="12.6",
    title="Queries that belong in one fold",
    why="A ranker that has learned from a twin of a test query has seen the answers.",
    given=_near_queries,
    answer=unordered(unordered(text(), "query ids"), "groups"),
    expected=_groups,
    mistakes=(
        Mistake(
            _pairs_as_groups,
            "these are pairs; one query is in two of them, so all three belong together.",
        ),
        Mistake(
            lambda given: _groups(given, lambda one, other: similarity(one, other).jaccard > given.least),
            "a similarity of exactly the least one is enough.",
        ),
        Mistake(
            lambda given: _groups(given, lambda one, other: similarity(one, other).dice >= given.least),
            "this is the similarity of Dice; Jaccard divides the shared words by all words of both.",
        ),
        Mistake(
            lambda given: _groups(given, lambda one, other: similarity(one, other).dice > 0),
            "one shared word is not enough: compare the similarity with the least one.",
        ),
        Mistake(
            _with_single_queries,
            "leave out the queries that are near no other one.",
        ),
    ),
    hints=(
        "Jaccard: the number of shared words, divided by the number of different words in both. Try all pairs.",
        "If A is near B and B is near C, all three are in one group, even if A and C are not near each other.",
    ),
    points=2,
)


# 12.7: controls

_VERDICTS = ("gain", "inconclusive", "error")


def _experiments(draw: Draw) -> dict[str, Any]:
    """Each verdict at least once; the gain on the same queries is large in all of them."""
    kinds = ["gain", "inconclusive, above 0", "inconclusive, below 0", "error"]
    return {"experiments": [_experiment(draw, kind) for kind in draw.shuffled([*kinds, draw.one(kinds)])]}


def _experiment(draw: Draw, kind: str) -> dict[str, Any]:
    """Held-out gains with intervals, with the real features and with shuffled ones; none ends near 0."""
    gain, half = draw.number(0.03, 0.08, 3), draw.number(0.01, 0.02, 3)
    if kind.startswith("inconclusive"):
        gain = draw.number(0.004, 0.012, 3) * (-1 if kind.endswith("below 0") else 1)
        half = abs(gain) + draw.number(0.01, 0.03, 3)
    noise = draw.number(0.02, 0.05, 3) if kind == "error" else -draw.number(0.005, 0.04, 3)
    return {
        "on the same queries": draw.number(0.1, 0.3, 3),
        "held out": _interval(gain, half),
        "shuffled": _interval(noise, 0.01),
    }


def _interval(gain: float, half: float) -> dict[str, float]:
    return {"gain": gain, "low": round(gain - half, 3), "high": round(gain + half, 3)}


def _read(given: Given, control: bool = True, end: str = "low") -> list[str]:
    """The control first, then an end of the held-out interval or its middle."""
    verdicts = ["gain" if experiment["held out"][end] > 0 else "inconclusive" for experiment in given.experiments]
    wrong = [control and experiment["shuffled"]["low"] > 0 for experiment in given.experiments]
    return ["error" if error else verdict for error, verdict in zip(wrong, verdicts, strict=True)]


def _read_own(given: Given) -> list[str]:
    """Every gain on the same queries believed, unless the control says otherwise."""
    return ["error" if verdict == "error" else "gain" for verdict in _read(given)]


def _overfitted(given: Given) -> list[str]:
    """A large gain on the same queries that is not held out, taken for an error."""
    return ["error" if verdict == "inconclusive" else verdict for verdict in _read(given)]


CONTROLS = Exercise(
    number="12.7",
    title="A control with shuffled features",
    why="An experiment that finds a gain in noise finds it anywhere; run it on noise before you believe it.",
    given=_experiments,
    answer=ordered(choice(*_VERDICTS), "verdicts"),
    expected=_read,
    mistakes=(
        Mistake(
            lambda given: _read(given, control=False),
            "look at the control: where shuffled features gain, the gain does not come from the features.",
        ),
        Mistake(_read_own, "a gain on the same queries shows nothing; look at the held-out interval."),
        Mistake(
            lambda given: _read(given, end="gain"),
            "a mean above 0 is not enough; an interval that reaches below 0 is inconclusive.",
        ),
        Mistake(
            _overfitted,
            "a ranker that gains only on its own queries has learned too much from them; that is not an error of the "
            "experiment.",
        ),
    ),
    hints=(
        "Look at the control first: does its interval lie above 0?",
        "If it does, something is wrong: error. If not, the held-out interval decides: above 0 is a gain, else it is "
        "inconclusive.",
    ),
)
