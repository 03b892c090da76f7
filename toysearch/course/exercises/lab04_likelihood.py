"""The exercises of lab 4 on query likelihood, after Dirichlet, and after Jelinek and Mercer."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.course.answer_kinds import Function, Number
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw

ANIMALS = ("cat", "dog", "parrot", "hamster", "rabbit", "pony", "tortoise", "budgie")


# 4.7


def _query_and_document(draw: Draw) -> dict[str, Any]:
    T = draw.one((80_000, 100_000, 120_000))
    words = draw.some(ANIMALS, 3)
    tfs = draw.shuffled([0, draw.whole(1, 3), draw.whole(2, 6)])
    return {
        "tf": dict(zip(words, tfs, strict=True)),
        "cf": {word: draw.whole(40, 400) for word in words},
        "dl": draw.whole(60, 180),
        "T": T,
        "mu": draw.one((500, 1000, 1500, 2000)),
    }


def _dirichlet_parts(given: Given) -> list[tuple[int, float]]:
    """Of each word its tf and p(t|d)."""
    smoothed = {word: tf + given.mu * given.cf[word] / given.T for word, tf in given.tf.items()}
    return [(tf, smoothed[word] / (given.dl + given.mu)) for word, tf in given.tf.items()]


def _dirichlet(given: Given, logarithm: Callable[[float], float] = math.log) -> float:
    return sum(logarithm(p) for _, p in _dirichlet_parts(given))


_WRONG_LIKELIHOODS = (
    Mistake(
        lambda g: sum(math.log(p) for tf, p in _dirichlet_parts(g) if tf),
        "the word that the document lacks has a probability, too: mu · p(t|C) / (dl + mu).",
    ),
    Mistake(lambda g: _dirichlet(g, math.log10), "the logarithm is the natural one here, not that to base 10."),
    Mistake(lambda g: math.exp(_dirichlet(g)), "this is the probability itself; asked for is its natural logarithm."),
    Mistake(
        lambda g: _dirichlet(g) + len(g.tf) * math.log((g.dl + g.mu) / g.dl),
        "the document's model has dl + mu words, not dl: that is what you divide by.",
    ),
    Mistake(
        lambda g: math.log(sum(p for _, p in _dirichlet_parts(g))),
        "the probabilities are multiplied, so it is their logarithms that are added up.",
    ),
)


# 4.8


def _mixed(
    tf: Sequence[int],
    cf: Sequence[int],
    dl: int,
    T: int,
    lambda_: float,
    logarithm: Callable[[float], float] = math.log,
) -> float:
    return sum(logarithm((1 - lambda_) * n / dl + lambda_ * c / T) for n, c in zip(tf, cf, strict=True))


def _of_shared_words(tf: Sequence[int], cf: Sequence[int], dl: int, T: int, lambda_: float) -> float:
    return _mixed([n for n in tf if n], [c for n, c in zip(tf, cf, strict=True) if n], dl, T, lambda_)


def _several_documents(draw: Draw, given: Given) -> list[tuple[Any, ...]]:
    def one(words: int) -> tuple[Any, ...]:
        tf = [draw.whole(1, 5) for _ in range(words)]
        return tf, [draw.whole(30, 300) for _ in tf], draw.whole(20, 200), 100_000, draw.one((0.1, 0.2, 0.3, 0.7))

    first, second, third = one(2), one(3), one(1)
    second[0][draw.whole(0, 2)] = 0
    return [first, second, third]


DIRICHLET = Exercise(
    number="4.7",
    title="Query likelihood with a Dirichlet prior",
    given=_query_and_document,
    answer=Number(3),
    expected=_dirichlet,
    mistakes=_WRONG_LIKELIHOODS,
    hints=(
        "For each of the three words first p(t|C) = cf/T, then (tf + mu · p(t|C)) / (dl + mu).",
        "Add up the natural logarithms of the three. All of them are negative.",
    ),
    points=2,
)

JELINEK_MERCER = Exercise(
    number="4.8",
    title="Query likelihood after Jelinek and Mercer",
    answer=Function(Number(6), "likelihood(tf, cf, dl, T, lambda_)"),
    inputs=_several_documents,
    expected=lambda g: _mixed,
    mistakes=(
        Mistake(
            lambda g: lambda tf, cf, dl, T, lambda_: _mixed(tf, cf, dl, T, 1 - lambda_),
            "lambda and 1 - lambda have changed places.",
        ),
        Mistake(lambda g: _of_shared_words, "words with tf = 0 are left out; the collection's part remains."),
        Mistake(
            lambda g: functools.partial(_mixed, logarithm=math.log10),
            "the logarithm is the natural one here, not that to base 10.",
        ),
        Mistake(
            lambda g: lambda *document: math.exp(_mixed(*document)),
            "this is the probability itself; return its natural logarithm.",
        ),
    ),
    hints=(
        "tf and cf are lists with a place for each word of the query: zip goes through both at once.",
        "For each word math.log((1 - lambda_) * its tf / dl + lambda_ * its cf / T), and then the sum.",
    ),
    points=2,
)
