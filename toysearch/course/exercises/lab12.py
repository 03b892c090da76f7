"""Lab 12, learning to rank: from features by hand to features of one's own that reach a bar."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from toysearch import learn
from toysearch.base import without_notes
from toysearch.course.answers import at_least
from toysearch.course.exercise import Draw, Exercise, Given, Unusable
from toysearch.course.exercises.lab12_features import FEATURES, NORMALISED, SHARES, STEP
from toysearch.course.exercises.lab12_folds import CONTROLS, GROUPS, HELD_OUT
from toysearch.course.lab_collection import collection, index
from toysearch.laboratory.learning.feature_table import FeatureTable, features

# 12.8: a bar

_PLAIN = ("bm25", "coverage", "length")
_GOOD = ("min-max(bm25)", "min-max(lsa:100)", "min-max(rm3(bm25))", "coverage")


@functools.lru_cache(maxsize=64)
def _table(names: tuple[str, ...]) -> FeatureTable:
    return features(collection(), names, index=index())


@functools.lru_cache(maxsize=256)
def _held_out_ap(names: tuple[str, ...], seed: int) -> float:
    with without_notes():  # topics are computed, and one query has no known word
        return float(learn(_table(names), "logistic", seed=seed).held_out.value)


def _folds_and_bar(draw: Draw) -> dict[str, Any]:
    """A bar above what counts of words reach, and below what topics and feedback reach, in the student's folds."""
    seed = draw.whole(1, 40)
    low, high = (_held_out_ap(names, seed) for names in (_PLAIN, _GOOD))
    return {"seed": seed, "bar": math.floor(500 * (low + high)) / 1000}


def _reached(answer: Any, given: Given) -> float:
    """The held-out AP of a list of features in the student's folds, at most the bar."""
    if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(isinstance(name, str) for name in answer):
        raise Unusable(f"an object of type {type(answer).__name__}")
    return min(_held_out_ap(tuple(answer), given.seed), float(given.bar))


BAR = Exercise(
    number="12.8",
    title="Features that reach a bar",
    why="New evidence gains more than a new learner: a sum of forms of one score is still that score.",
    given=_folds_and_bar,
    answer=at_least(_reached, "a list of features, such as ['bm25', 'coverage']", "held-out AP"),
    expected=lambda given: list(_GOOD),
    hints=(
        "Forms of BM25 and counts of words say nearly the same. What did lab 11 add to a ranking?",
        "Any model is a feature: 'lsa:100' and 'rm3(bm25)' are, too. Scores of different queries compare better as "
        "'min-max(lsa:100)'.",
    ),
    points=3,
)

EXERCISES = (FEATURES, NORMALISED, STEP, SHARES, HELD_OUT, GROUPS, CONTROLS, BAR)
