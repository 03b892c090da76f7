"""BM25's weights: the exercises of lab 4 on one weight by hand, and on BM25 from scratch."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from toysearch.course.answer_kinds import Computed, Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake, Unanswered, Unusable
from toysearch.course.lessons import collection, index
from toysearch.course.students import Draw
from toysearch.errors import without_notes
from toysearch.models.bm25 import bm25
from toysearch.models.model import Model
from toysearch.models.registry import model
from toysearch.search.searcher import Searcher

Weight = Callable[..., Any]


# 4.3 and 4.4


def _function(formula: Callable[[Any, Any, Any, float, float], Any]) -> Weight:
    """A ranking function from a formula of tf, dl/avgdl, the odds in the idf, k1 and b."""

    def weight(tf: Any, dl: Any, df: Any, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Any:
        return formula(tf, dl / avgdl, (N - df + 0.5) / (df + 0.5), k1, b)

    return weight


def _tf_part(tf: Any, r: Any, k1: float, b: float) -> Any:
    return tf / (tf + k1 * (1 - b + b * r))


_always_the_defaults = _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, r, 1.2, 0.75))

_WRONG_WEIGHTS: tuple[tuple[Weight, str], ...] = (
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * (k1 + 1) * _tf_part(tf, r, k1, b)),
        "this has the factor k1 + 1, which some forms of BM25 have; the one asked for has not.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(odds) * _tf_part(tf, r, k1, b)),
        "the 1 + inside the logarithm is missing: this is Robertson's idf.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log10(1 + odds) * _tf_part(tf, r, k1, b)),
        "the logarithm is the natural one here, not that to base 10.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log2(1 + odds) * _tf_part(tf, r, k1, b)),
        "the logarithm is the natural one here, not that to base 2.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, 1 / r, k1, b)),
        "the length part takes dl/avgdl; you have avgdl/dl.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, r, k1, 1 - b)),
        "b and 1 - b have changed places: b goes with dl/avgdl.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / (tf + k1 * (1 - b) + b * r)),
        "k1 multiplies the whole length part, not only its 1 - b: mind the brackets.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, 1, k1, b)),
        "the document's length has no part in this.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / tf + k1 * (1 - b + b * r)),
        "tf is divided by all of tf + k1 · L: there are brackets missing around the denominator.",
    ),
)


def _weighed(weight: Weight) -> Callable[[Given], Any]:
    """What a function gives for the numbers of 4.3."""
    return lambda g: weight(g.tf, g.dl, g.df, g.N, g.avgdl, k1=g.k1, b=g.b)


_WRONG_NUMBERS = (
    *(Mistake(_weighed(weight), sentence) for weight, sentence in _WRONG_WEIGHTS),
    Mistake(
        lambda g: math.log(g.N / g.df) * _tf_part(g.tf, g.dl / g.avgdl, g.k1, g.b),
        "your idf is ATIRE's, ln(N/df); the one asked for is Lucene's.",
    ),
)


def _posting(draw: Draw) -> dict[str, Any]:
    avgdl = draw.whole(60, 120)
    length = draw.one((draw.number(0.3, 0.7, 2), draw.number(1.4, 2.5, 2)))
    return {
        "tf": draw.whole(2, 6),
        "dl": round(avgdl * length),
        "avgdl": avgdl,
        "df": draw.whole(100, 300),
        "N": draw.whole(600, 1500),
        "k1": draw.one((0.9, 1.5, 2.0)),
        "b": draw.one((0.3, 0.4, 0.65, 0.8)),
    }


@functools.cache
def _queries() -> list[str]:
    """The texts of the queries that a ranking of some length answers."""
    texts = [" ".join(query.text.split()) for query in collection().judged_queries]
    with without_notes():  # there may be queries of unknown words
        return [text for text in texts if len(Searcher(index()).search(text, k=8)) == 8]


def _searched(draw: Draw) -> dict[str, Any]:
    return {"query": draw.one(_queries()), "k1": draw.one((0.6, 0.9, 1.6, 2.0)), "b": draw.one((0.3, 0.4, 0.6, 0.9))}


def _first_scores(function: Any, given: Given) -> dict[str, float]:
    """The first documents, with their scores, of a student's function as a model."""
    if not callable(function) or isinstance(function, Model):
        raise Unusable(f"something of type {type(function).__name__}, where the function itself is wanted")
    try:
        returned = function(*map(np.array, ([1.0, 2.0], [9.0, 9.0], [3.0, 4.0])), 10.0, 8.0)
    except TypeError as error:
        if "Python scalars" in str(error):
            raise Unusable("a function that takes no arrays: np.log does, math.log does not") from None
        raise
    if returned is None or returned is ...:
        raise Unanswered("your function returns nothing; its result has to stand after the word return")
    mine = model(function).bind(k1=given.k1, b=given.b)
    return {hit.doc_id: hit.score for hit in Searcher(index(), mine).search(given.query, k=5)}


BY_HAND = Exercise(
    number="4.3",
    title="One weight by hand",
    given=_posting,
    answer=Number(3),
    expected=_weighed(bm25.function),
    mistakes=_WRONG_NUMBERS,
    hints=(
        "Three steps: the idf, the length part 1 - b + b · dl/avgdl, and then idf · tf / (tf + k1 · length part).",
        "The length part is above 1 for a document that is longer than the average, and below 1 for a shorter one.",
    ),
    points=2,
)

FROM_SCRATCH = Exercise(
    number="4.4",
    title="BM25 from scratch",
    given=_searched,
    answer=Computed(
        _first_scores,
        Table(Number(5), "documents"),
        "a function mine(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75) that returns weights",
    ),
    expected=lambda g: bm25.function,
    mistakes=(
        *(Mistake(lambda g, weight=weight: weight, sentence) for weight, sentence in _WRONG_WEIGHTS),  # type: ignore[misc]
        Mistake(lambda g: _always_the_defaults, "your function takes no notice of k1 and b when they are changed."),
    ),
    hints=(
        "Take the three steps of 4.3 and write them with letters; np.log takes arrays, math.log does not.",
        "If all is right but the scores: compare one weight of your function with toysearch.model('bm25').weight.",
    ),
    points=3,
)
