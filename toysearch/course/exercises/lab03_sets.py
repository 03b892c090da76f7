"""The exercises of lab 3 on Dice, Jaccard and cosine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from toysearch.course.answer_kinds import Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw
from toysearch.models.similarity import similarity

WORDS = ("cat", "dog", "parrot", "rabbit", "feed", "walk", "train", "vet", "cage", "lead", "play", "sleep")

# 3.5 Sets


def _two_texts(draw: Draw) -> dict[str, Any]:
    words = draw.some(WORDS, 7)
    x = [*words[:4], *draw.some(words[:3], draw.whole(1, 2))]
    y = [*words[2:7], *draw.some(words[2:4], draw.whole(1, 2))]
    return {"x": " ".join(draw.shuffled(x)), "y": " ".join(draw.shuffled(y))}


def _coefficients(both: float, of_x: float, of_y: float) -> dict[str, float]:
    return {
        "dice": 2 * both / (of_x + of_y),
        "jaccard": both / (of_x + of_y - both),
        "cosine": both / math.sqrt(of_x * of_y),
    }


def _sizes(given: Given) -> tuple[int, int, int]:
    x, y = set(given.x.split()), set(given.y.split())
    return len(x & y), len(x), len(y)


def _of_sets(given: Given) -> dict[str, float]:
    return _coefficients(*_sizes(given))


def _of_tokens(given: Given) -> dict[str, float]:
    return _coefficients(_sizes(given)[0], len(given.x.split()), len(given.y.split()))


def _with_wrong(name: str, formula: Callable[[int, int, int], float]) -> Callable[[Given], dict[str, float]]:
    """All three right but for one."""
    return lambda given: _of_sets(given) | {name: formula(*_sizes(given))}


# 3.6 Weighted forms


def _weighted_pair(draw: Draw) -> dict[str, Any]:
    words = draw.some(WORDS, 4)
    return {
        "x": {word: draw.number(0.2, 3, decimals=1) for word in words[:3]},
        "y": {word: draw.number(0.2, 3, decimals=1) for word in (words[1], words[2], words[3])},
    }


def _without_cosine(found: dict[str, float]) -> dict[str, float]:
    return {name: found[name] for name in ("dice", "jaccard")}


def _weighted(given: Given) -> dict[str, float]:
    return _without_cosine(_coefficients(*similarity(given.x, given.y)))


def _euclidean(given: Given) -> dict[str, float]:
    pair = similarity(given.x, given.y)
    return {"dice": pair.dice_euclidean, "jaccard": pair.jaccard_euclidean}


def _of_keys(given: Given) -> dict[str, float]:
    return _without_cosine(_coefficients(*similarity(set(given.x), set(given.y))))


def _of_minima(given: Given) -> dict[str, float]:
    both = sum(min(given.x[word], given.y[word]) for word in sorted(given.x.keys() & given.y.keys()))
    return _without_cosine(_coefficients(both, sum(given.x.values()), sum(given.y.values())))


def _of_plain_sums(given: Given) -> dict[str, float]:
    both = similarity(given.x, given.y).xy
    return _without_cosine(_coefficients(both, sum(given.x.values()), sum(given.y.values())))


SETS = Exercise(
    number="3.5",
    title="Dice, Jaccard and cosine of sets",
    given=_two_texts,
    answer=Table(Number(4), "similarities"),
    expected=_of_sets,
    mistakes=(
        Mistake(_of_tokens, "you counted tokens; in a set each word is there once."),
        Mistake(
            _with_wrong("dice", lambda both, x, y: both / (x + y)),
            "your Dice lacks the 2: of two equal sets it has to be 1.",
        ),
        Mistake(
            _with_wrong("jaccard", lambda both, x, y: both / (x + y)),
            "in your Jaccard words of both sets count twice below the line; the union has them once.",
        ),
        Mistake(
            _with_wrong("cosine", lambda both, x, y: both / (x * y)),
            "your cosine lacks the root: it is √(|X| · |Y|) below the line.",
        ),
    ),
    hints=(
        "Write down the two sets, and count: how many words in X, in Y, in both.",
        "dice 2·both / (X + Y), jaccard both / (X + Y − both), cosine both / √(X · Y).",
    ),
)

WEIGHTED = Exercise(
    number="3.6",
    title="Dice and Jaccard with weights",
    given=_weighted_pair,
    answer=Table(Number(4), "similarities"),
    expected=_weighted,
    mistakes=(
        Mistake(_euclidean, "you took the roots of the sums of squares; in these two there is no root."),
        Mistake(_of_keys, "you treated the vectors as sets; use their weights."),
        Mistake(_of_minima, "this is the form with minima, another generalisation; use products and squares."),
        Mistake(_of_plain_sums, "below the line you added weights; add their squares."),
    ),
    hints=(
        "Three numbers are enough: Σxy over the shared terms, Σx² over all of x, Σy² over all of y.",
        "dice 2Σxy / (Σx² + Σy²), jaccard Σxy / (Σx² + Σy² − Σxy).",
    ),
)
