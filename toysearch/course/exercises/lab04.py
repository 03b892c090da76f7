"""Lab 4: BM25 by hand and from scratch, rank-bm25's floor, query likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean
from typing import Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.course.answer_kinds import Number, Table, Whole
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.exercises.lab04_likelihood import ANIMALS, DIRICHLET, JELINEK_MERCER
from toysearch.course.exercises.lab04_weights import BY_HAND, FROM_SCRATCH
from toysearch.course.students import Draw

_VERBS = ("train", "feed", "groom", "walk", "house", "weigh")
_KINDS = ("old", "young", "shy", "tame", "small", "lazy")
_EPSILON = 0.25  # rank-bm25's default


# 4.1


def _common_term(draw: Draw) -> dict[str, Any]:
    N = draw.whole(200, 2000)
    return {"N": N, "df": draw.whole(int(0.55 * N), int(0.85 * N))}


def _idfs(given: Given, log: Callable[[float], float] = math.log, less: float = 1, half: float = 0.5) -> dict[str, Any]:
    odds = (given.N - less * given.df + half) / (given.df + half)
    return {"robertson": log(odds), "lucene": log(1 + odds)}


def _one_outside(given: Given) -> dict[str, Any]:
    return {**_idfs(given), "lucene": 1 + _idfs(given)["robertson"]}


def _exchanged(given: Given) -> dict[str, Any]:
    return dict(zip(("lucene", "robertson"), _idfs(given).values(), strict=True))


# 4.2


def _share_of_the_most(draw: Draw) -> dict[str, Any]:
    while True:
        k1, share = draw.number(0.9, 3, 1), draw.one((0.8, 0.85, 0.9, 0.95))
        exact = share * k1 / (1 - share)
        if 0.1 < exact % 1 < 0.9:
            return {"k1": k1, "share": share}


def _wrong_tf(k1: float, share: float) -> tuple[int, int]:
    """Without k1; for the form with the factor k1 + 1, whose most is taken for 1."""
    return math.ceil(share / (1 - share)), math.ceil(share * k1 / (k1 + 1 - share))


def _tf_wanted(given: Given) -> float:
    """The tf, not always whole, at which the share is reached."""
    return float(given.share * given.k1 / (1 - given.share))


# 4.5


def _two_documents(draw: Draw) -> dict[str, Any]:
    """A long document that has a word more often, and a short one: which is first depends on b."""
    while True:
        avgdl, short_tf = draw.whole(60, 120), draw.whole(1, 3)
        given = {
            "long_tf": short_tf + draw.whole(1, 3),
            "long_dl": round(avgdl * draw.number(1.5, 4, 2)),
            "short_tf": short_tf,
            "short_dl": round(avgdl * draw.number(0.2, 0.9, 2)),
            "avgdl": avgdl,
        }
        if 0.15 < _level(Given(**given)) < 0.85:
            return given


def _level(given: Given, minus: float = 1, unit: float | None = None) -> float:
    """The b at which tf / (1 - b + b · dl/avgdl) is the same for both."""
    long, short = (dl / (unit or given.avgdl) for dl in (given.long_dl, given.short_dl))
    apart = given.short_tf * (long - minus) - given.long_tf * (short - minus)
    return float((given.long_tf - given.short_tf) / apart)


_WRONG_LEVELS = (
    Mistake(lambda g: 1 - _level(g), "this is 1 - b."),
    Mistake(lambda g: _level(g, unit=1), "you took dl where the formula has dl/avgdl."),
    Mistake(lambda g: _level(g, minus=0), "the length part is 1 - b + b · dl/avgdl: its 1 - b has got lost."),
)


# 4.6


def _small_collection(draw: Draw) -> dict[str, Any]:
    size = draw.whole(4, 6)
    term, other = draw.some(_VERBS, 2)
    verbs = draw.shuffled([term] * (size - 1) + [other])
    animals, kinds = draw.some(ANIMALS, size), [draw.one(_KINDS) for _ in range(size)]
    documents = [
        f"{verb} {kind} {animal}" if draw.whole(0, 1) else f"{verb} {animal}"
        for verb, kind, animal in zip(verbs, kinds, animals, strict=True)
    ]
    return {"documents": documents, "term": term}


def _all_idfs(given: Given) -> dict[str, float]:
    N, sets = len(given.documents), [set(Analyzer()(text)) for text in given.documents]
    df = {term: sum(term in terms for terms in sets) for term in sorted(set().union(*sets))}
    return {term: math.log((N - n + 0.5) / (n + 0.5)) for term, n in df.items()}


def _mean_idf(given: Given) -> float:
    return fmean(_all_idfs(given).values())


def _floor(given: Given) -> float:
    return _EPSILON * _mean_idf(given)


def _mean_by_token(given: Given) -> float:
    idfs = _all_idfs(given)
    return fmean(idfs[token] for text in given.documents for token in Analyzer()(text))


_WRONG_FLOORS = (
    Mistake(lambda g: _all_idfs(g)[g.term], "this is the negative idf itself, which rank-bm25 replaces."),
    Mistake(lambda g: 0.0, "a negative idf does not become 0 here: it becomes epsilon times the mean idf."),
    Mistake(_mean_idf, "this is the mean idf; epsilon, 0.25, is missing."),
    Mistake(
        lambda g: _EPSILON * fmean(idf for idf in _all_idfs(g).values() if idf >= 0),
        "the mean is over all terms, those of negative idf too.",
    ),
    Mistake(
        lambda g: _EPSILON * _mean_by_token(g),
        "the mean is over the distinct terms: each counts once, however often it occurs.",
    ),
)


EXERCISES = (
    Exercise(
        number="4.1",
        title="Two idfs of a common word",
        given=_common_term,
        answer=Table(Number(3), "forms"),
        expected=_idfs,
        mistakes=(
            Mistake(lambda g: _idfs(g, math.log10), "the logarithm is the natural one here, not that to base 10."),
            Mistake(lambda g: _idfs(g, math.log2), "the logarithm is the natural one here, not that to base 2."),
            Mistake(lambda g: _idfs(g, less=0), "the numerator counts the documents without the word: N - df."),
            Mistake(_one_outside, "in Lucene's form the 1 is added inside the logarithm, not to it."),
            Mistake(_exchanged, "the two forms have changed places: which of them can be negative?"),
        ),
        hints=(
            "The word is in more than half of the documents: what sign has the logarithm of a number below 1?",
            "First the odds (N - df + 0.5)/(df + 0.5), then math.log of them, and math.log of 1 + them.",
        ),
    ),
    Exercise(
        number="4.2",
        title="Nearly saturated",
        given=_share_of_the_most,
        answer=Whole(),
        expected=lambda g: math.ceil(_tf_wanted(g)),
        mistakes=(
            Mistake(lambda g: int(_tf_wanted(g)), "you rounded down, and so little does not quite reach the share."),
            Mistake(lambda g: _wrong_tf(g.k1, g.share)[0], "this would be right for k1 = 1: k1 has no part in it."),
            Mistake(
                lambda g: _wrong_tf(g.k1, g.share)[1],
                "you took the form with the factor k1 + 1 and forgot that its most is then k1 + 1 as well.",
            ),
        ),
        hints=(
            "In a document of average length the tf part is tf/(tf + k1), and the most it can be is 1.",
            "Solve tf/(tf + k1) = share for tf, and take the next whole number; or try tf = 1, 2, 3, … in a loop.",
        ),
    ),
    BY_HAND,
    FROM_SCRATCH,
    Exercise(
        number="4.5",
        title="Where the order turns",
        given=_two_documents,
        answer=Number(3),
        expected=_level,
        mistakes=_WRONG_LEVELS,
        hints=(
            "The idf is the same for both, and tf/(tf + k1 · L) depends on tf/L only: set tf/L equal for the two.",
            "With r = dl/avgdl: long_tf · (1 + b · (r_short - 1)) = short_tf · (1 + b · (r_long - 1)). Solve for b.",
            "Or try: for b = 0, 0.001, 0.002, … print both values of tf/L and look where they cross.",
        ),
        points=2,
    ),
    Exercise(
        number="4.6",
        title="The floor of rank-bm25",
        given=_small_collection,
        answer=Number(4),
        expected=_floor,
        mistakes=_WRONG_FLOORS,
        hints=(
            "List the distinct terms of all documents with their df, and from each df the idf of Robertson's form.",
            "BM25Okapi([text.split() for text in documents]).idf is a dict from terms to idfs, floor and all.",
        ),
    ),
    DIRICHLET,
    JELINEK_MERCER,
)
