"""Lab 4: BM25 by hand and from scratch, rank-bm25's floor, query likelihood."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

import numpy as np

import toysearch
from toysearch import Analyzer, Searcher, model
from toysearch.base import without_notes
from toysearch.classroom.answers import computed, function, number, table, whole
from toysearch.classroom.exercise import (
    Draw,
    Drawn,
    Exercise,
    Given,
    Numbers,
    Unanswered,
    Unusable,
    swapped,
    wrong_functions,
)
from toysearch.classroom.lab_collection import collection, index
from toysearch.models.model import Model

ANIMALS = ("cat", "dog", "parrot", "hamster", "rabbit", "pony", "tortoise", "budgie")


# 4.7


def _query_and_document(draw: Draw) -> Drawn:
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
    smoothed = {word: tf + given.mu * given.cf[word] / given.T for word, tf in given.tf.items()}
    return [(tf, smoothed[word] / (given.dl + given.mu)) for word, tf in given.tf.items()]


def _dirichlet(given: Given, logarithm: Callable[[float], float] = math.log) -> float:
    return sum(logarithm(p) for _, p in _dirichlet_parts(given))


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


def _several_documents(draw: Draw, given: Given) -> list[tuple[Any, ...]]:
    def one(words: int) -> tuple[Any, ...]:
        tf = [draw.whole(1, 5) for _ in range(words)]
        return tf, [draw.whole(30, 300) for _ in tf], draw.whole(20, 200), 100_000, draw.one((0.1, 0.2, 0.3, 0.7))

    first, second, third = one(2), one(3), one(1)
    second[0][draw.whole(0, 2)] = 0
    n, c, T = draw.whole(2, 5), draw.whole(30, 90), 1000 * draw.whole(20, 80)
    equal = [n, n, 0, 0, 1], [c, c, c, 2 * c, 3 * c], 50, T, 0.4
    absent = [0, 0], [c, c + 9], 31, T, 0.2
    edges = [([n], [c], n, T, 0.35), ([n, 1], [c, 7], 40, T, 1.0), ([n, 1], [c, 7], 40, T, 0.0)]
    return [first, second, third, equal, absent, *edges, ([n, 12, 1], [c, 500, 3], 600, 900, 0.5), ([], [], 9, T, 0.3)]


Weight = Callable[..., Any]


# 4.3 and 4.4


def _function(
    formula: Callable[[Any, Any, Any, float, float], Any], k1_by_default: float = 1.2, b_by_default: float = 0.75
) -> Weight:
    """Make a ranking function from a formula of tf, dl/avgdl, the odds in the idf, k1 and b."""

    def weight(
        tf: Any, dl: Any, df: Any, N: float, avgdl: float, *, k1: float = k1_by_default, b: float = b_by_default
    ) -> Any:
        return formula(tf, dl / avgdl, (N - df + 0.5) / (df + 0.5), k1, b)

    return weight


def _tf_part(tf: Any, r: Any, k1: float, b: float) -> Any:
    return tf / (tf + k1 * (1 - b + b * r))


def _with(
    *defaults: float,
    idf: Callable[[Any], Any] = lambda odds: np.log(1 + odds),
    part: Callable[[Any, Any, float, float], Any] = _tf_part,
) -> Weight:
    """Make a ranking function with other defaults, another idf, or another tf part, than the right one."""
    return _function(lambda tf, r, odds, k1, b: idf(odds) * part(tf, r, k1, b), *defaults)


_WRONG_WEIGHTS: dict[str, Weight] = {
    "this has the factor k1 + 1, which some forms of BM25 have; leave it out here.": _function(
        lambda tf, r, odds, k1, b: np.log(1 + odds) * (k1 + 1) * _tf_part(tf, r, k1, b)
    ),
    "the 1 + inside the logarithm is missing: this is Robertson's idf.": _with(idf=np.log),
    "use the natural logarithm here, not the one to base 10.": _with(idf=lambda odds: np.log10(1 + odds)),
    "use the natural logarithm here, not the one to base 2.": _with(idf=lambda odds: np.log2(1 + odds)),
    "the length part takes dl/avgdl; you have avgdl/dl.": _with(part=lambda tf, r, k1, b: _tf_part(tf, 1 / r, k1, b)),
    "you swapped b and 1 - b: b multiplies dl/avgdl.": _with(part=lambda tf, r, k1, b: _tf_part(tf, r, k1, 1 - b)),
    "k1 multiplies the whole length part, not only its 1 - b: mind the brackets.": _function(
        lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / (tf + k1 * (1 - b) + b * r)
    ),
    "you left out the document length.": _with(part=lambda tf, r, k1, b: _tf_part(tf, 1, k1, b)),
    "divide tf by all of tf + k1 · L: the denominator lacks its brackets.": _function(
        lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / tf + k1 * (1 - b + b * r)
    ),
}


def _weighed(weight: Weight) -> Callable[[Given], Any]:
    return lambda g: weight(g.tf, g.dl, g.df, g.N, g.avgdl, k1=g.k1, b=g.b)


def _posting(draw: Draw) -> Drawn:
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
    texts = [" ".join(query.text.split()) for query in collection().judged_queries]
    with without_notes():  # there may be queries of unknown words
        return [text for text in texts if len(Searcher(index()).search(text, k=8)) == 8]


def _first_scores(function: Any, given: Given) -> Numbers:
    """Rank by a student's function as a model; return the first documents with their scores, and single weights.

    The weights are those of a rare, a common and an everywhere occurring term in a short, a usual and a long document,
    with the given parameters and with the defaults.
    """
    if not callable(function) or isinstance(function, Model):
        raise Unusable(f"something of type {type(function).__name__} instead of the function itself")
    try:
        returned = function(*map(np.array, ([1.0, 2.0], [9.0, 9.0], [3.0, 4.0])), 10.0, 8.0)
    except TypeError:
        function(1.0, 9.0, 3.0, 10.0, 8.0)  # fails too if something else than arrays is the cause
        raise Unusable("a function that does not accept arrays: np.log accepts them, math.log does not") from None
    if returned is None or returned is ...:
        raise Unanswered("your function returns nothing; put its result after the word return")
    if missing := {"k1", "b"} - inspect.signature(function).parameters.keys():
        raise Unusable(f"a function without {' and '.join(sorted(missing, reverse=True))} in its brackets")
    mine = model(function).bind(k1=given.k1, b=given.b)
    scores = {hit.doc_id: hit.score for hit in Searcher(index(), mine).search(given.query, k=5)}
    numbers: Any = np.array([*itertools.product((1.0, 3.0, 40.0), (9.0, 50.0, 700.0), (1.0, 290.0, 400.0))]).T
    numbers.flags.writeable = False
    names = ["tf {:g}, dl {:g}, df {:g}".format(*each) for each in numbers.T]
    theirs = {"k1": given.k1, "b": given.b}
    for N, avgdl, parameters in (
        *((400.0, 50.0, theirs), (900.0, 72.0, {})),
        *((400.0, 50.0, {"k1": 1.2, "b": 0.0}), (900.0, 72.0, {"k1": 0.3, "b": 1.0})),
    ):
        weights = np.broadcast_to(function(*numbers, N, avgdl, **parameters), len(names)).tolist()
        kind = " ".join(f"{name}={value:g}" for name, value in parameters.items()) or "the defaults"
        scores |= {f"{name} with {kind}": weight for name, weight in zip(names, weights, strict=True)}
    return scores


_VERBS = ("train", "feed", "groom", "walk", "house", "weigh")
_KINDS = ("old", "young", "shy", "tame", "small", "lazy")
_EPSILON = 0.25  # rank-bm25's default


# 4.1


def _common_term(draw: Draw) -> Drawn:
    N = draw.whole(60, 300)  # small, so that the 0.5 shows
    return {"N": N, "df": draw.whole(int(0.55 * N), int(0.85 * N))}


def _idfs(given: Given, log: Callable[[float], float] = math.log, less: float = 1, half: float = 0.5) -> dict[str, Any]:
    odds = (given.N - less * given.df + half) / (given.df + half)
    return {"robertson": log(odds), "lucene": log(1 + odds)}


# 4.2


def _share_of_the_most(draw: Draw) -> Drawn:
    while True:
        k1, share = draw.number(0.9, 3, 1), draw.one((0.8, 0.85, 0.9, 0.95))
        exact = share * k1 / (1 - share)
        if 0.1 < exact % 1 < 0.9:
            return {"k1": k1, "share": share}


def _tf_wanted(given: Given) -> float:
    """Return the tf, not always whole, at which the share is reached."""
    return float(given.share * given.k1 / (1 - given.share))


# 4.5


def _two_documents(draw: Draw) -> Drawn:
    """Draw a long document that has a word more often, and a short one: which is first depends on b."""
    while True:
        avgdl, short_tf = draw.whole(60, 120), draw.whole(1, 3)
        values = {
            "long_tf": short_tf + draw.whole(1, 3),
            "long_dl": round(avgdl * draw.number(1.5, 4, 2)),
            "short_tf": short_tf,
            "short_dl": round(avgdl * draw.number(0.2, 0.9, 2)),
            "avgdl": avgdl,
        }
        if 0.15 < _level(Given(**values)) < 0.85:
            return values


def _level(given: Given, minus: float = 1, unit: float | None = None) -> float:
    """Return the b at which tf / (1 - b + b · dl/avgdl) is the same for both."""
    long, short = (dl / (unit or given.avgdl) for dl in (given.long_dl, given.short_dl))
    apart = given.short_tf * (long - minus) - given.long_tf * (short - minus)
    return float((given.long_tf - given.short_tf) / apart)


# 4.6


def _small_collection(draw: Draw) -> Drawn:
    size = draw.whole(4, 6)
    term, other = draw.some(_VERBS, 2)
    verbs = draw.shuffled([term] * (size - 1) + [other])
    animals, kinds = draw.some(ANIMALS, size), [draw.one(_KINDS) for _ in range(size)]
    documents = [
        f"{verb} {kind} {animal}" if draw.whole(0, 1) else f"{verb} {animal}"
        for verb, kind, animal in zip(verbs, kinds, animals, strict=True)
    ]
    return {"documents": documents, "term": term}


def _all_idfs(given: Given) -> Numbers:
    N, sets = len(given.documents), [set(Analyzer()(text)) for text in given.documents]
    df = {term: sum(term in terms for terms in sets) for term in sorted(set().union(*sets))}
    return {term: math.log((N - n + 0.5) / (n + 0.5)) for term, n in df.items()}


def _mean_idf(given: Given, by_token: bool = False) -> float:
    idfs = _all_idfs(given)
    tokens = [token for text in given.documents for token in Analyzer()(text)]
    return fmean(idfs[term] for term in (tokens if by_token else idfs))


EXERCISES = (
    Exercise(
        title="Two idfs of a common word",
        why="A negative idf lets a match lower a score; Lucene's form avoids that.",
        given=_common_term,
        answer=table(number(3), "forms"),
        expected=_idfs,
        mistakes={
            "use the natural logarithm here, not the one to base 10.": {"log": math.log10},
            "use the natural logarithm here, not the one to base 2.": {"log": math.log2},
            "0.5 is added to both counts, with the word and without it.": {"half": 0},
            "the numerator counts the documents without the word: N - df.": {"less": 0},
            "in Lucene's form the 1 is added inside the logarithm, not to it.": lambda g: {
                **_idfs(g),
                "lucene": 1 + _idfs(g)["robertson"],
            },
            "you swapped the two forms: which of them can be negative?": swapped(_idfs, "robertson", "lucene"),
        },
        hints=(
            "The word is in more than half of the documents: what is the sign of the logarithm of a number below 1?",
            "First the odds (N - df + 0.5)/(df + 0.5), then math.log of them, and math.log of 1 + them.",
        ),
    ),
    Exercise(
        title="Nearly saturated",
        why="Saturation protects BM25 from documents that merely repeat a word.",
        given=_share_of_the_most,
        answer=whole(),
        expected=lambda g: math.ceil(_tf_wanted(g)),
        mistakes={
            "you rounded down; that tf does not quite reach the share.": lambda g: int(_tf_wanted(g)),
            "this is right only for k1 = 1; you left out k1.": lambda g: math.ceil(g.share / (1 - g.share)),
            "you used the form with the factor k1 + 1 and forgot that its maximum is then k1 + 1 too.": lambda g: (
                math.ceil(g.share * g.k1 / (g.k1 + 1 - g.share))
            ),
        },
        hints=(
            "In a document of average length the tf part is tf/(tf + k1), and its limit is 1.",
            "Solve tf/(tf + k1) = share for tf, and take the next whole number; or try tf = 1, 2, 3, … in a loop.",
        ),
    ),
    Exercise(
        title="One weight by hand",
        why="Once you can work out one weight, you can work out any BM25 score: it is a sum of such weights.",
        given=_posting,
        answer=number(3),
        expected=_weighed(toysearch.MODELS["bm25"].function),
        mistakes={
            **{sentence: _weighed(weight) for sentence, weight in _WRONG_WEIGHTS.items()},
            "your idf is ATIRE's, ln(N/df); the one asked for is Lucene's.": lambda g: (
                math.log(g.N / g.df) * _tf_part(g.tf, g.dl / g.avgdl, g.k1, g.b)
            ),
            "this is the tf part alone; multiply it by the idf.": lambda g: _tf_part(g.tf, g.dl / g.avgdl, g.k1, g.b),
            "this is the idf alone; multiply it by the tf part.": lambda g: math.log((g.N + 1) / (g.df + 0.5)),
        },
        hints=(
            "Three steps: the idf, the length part 1 - b + b · dl/avgdl, and then idf · tf / (tf + k1 · length part).",
            "The length part is above 1 for a document that is longer than the average, and below 1 for a shorter one.",
        ),
        points=2,
    ),
    Exercise(
        title="BM25 from scratch",
        why="Four lines of Python, and the same scores as the library: BM25 has no secrets.",
        given=lambda draw: {
            "query": draw.one(_queries()),
            "k1": draw.one((0.6, 0.9, 1.6, 2.0)),
            "b": draw.one((0.3, 0.4, 0.6, 0.9)),
        },
        answer=computed(
            _first_scores,
            table(number(5), "documents"),
            "a function mine(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75) that returns weights",
        ),
        expected=lambda g: toysearch.MODELS["bm25"].function,
        mistakes=wrong_functions(
            _WRONG_WEIGHTS
            | {
                "your function ignores changes to k1 and b.": _with(
                    part=lambda tf, r, k1, b: _tf_part(tf, r, 1.2, 0.75)
                ),
                "the defaults are k1=1.2 and b=0.75.": [
                    _with(k1, b) for k1, b in ((0.9, 0.4), (2.0, 0.75), (1.5, 0.75), (1.2, 0.4))
                ],
            }
        ),
        hints=(
            "Write the three steps of 4.3 with letters; np.log accepts arrays, math.log does not.",
            "If only the scores are wrong, compare one weight of your function with toysearch.model('bm25').weight.",
        ),
        points=3,
    ),
    Exercise(
        title="A change of order",
        why="b is not a technical detail: it decides whether the long or the short document comes first.",
        given=_two_documents,
        answer=number(3),
        expected=_level,
        mistakes={
            "this is 1 - b.": lambda g: 1 - _level(g),
            "you took dl where the formula has dl/avgdl.": {"unit": 1},
            "the length part is 1 - b + b · dl/avgdl: its 1 - b is missing.": {"minus": 0},
            "you swapped the lengths of the two documents.": lambda g: _level(
                Given(**vars(g) | {"long_dl": g.short_dl, "short_dl": g.long_dl})
            ),
        },
        hints=(
            "The idf is the same for both, and tf/(tf + k1 · L) depends only on tf/L: set tf/L equal for the two.",
            "With r = dl/avgdl: long_tf · (1 + b · (r_short - 1)) = short_tf · (1 + b · (r_long - 1)). Solve for b.",
            "Or try: for b = 0, 0.001, 0.002, … print both values of tf/L and look where they cross.",
        ),
        points=2,
    ),
    Exercise(
        title="The floor of rank-bm25",
        why="The floor of a popular package can itself be negative; a formula in code may differ from the paper.",
        given=_small_collection,
        answer=number(4),
        expected=lambda g: _EPSILON * _mean_idf(g),
        mistakes={
            "this is the negative idf itself, which rank-bm25 replaces.": lambda g: _all_idfs(g)[g.term],
            "a negative idf does not become 0 here: it becomes epsilon times the mean idf.": lambda g: 0.0,
            "this is the mean idf; epsilon, 0.25, is missing.": _mean_idf,
            "the mean is over all terms, including those with negative idf.": lambda g: (
                _EPSILON * fmean(idf for idf in _all_idfs(g).values() if idf >= 0)
            ),
            "the mean is over the distinct terms: each counts once, however often it occurs.": lambda g: (
                _EPSILON * _mean_idf(g, by_token=True)
            ),
        },
        hints=(
            "List the distinct terms of all documents with their df, and compute Robertson's idf from each df.",
            "BM25Okapi([text.split() for text in documents]).idf is a dict from terms to idfs, floor included.",
        ),
    ),
    Exercise(
        title="Query likelihood with a Dirichlet prior",
        why="The shorter a document is, the more it borrows from the collection: that is its length normalization.",
        given=_query_and_document,
        answer=number(3),
        expected=_dirichlet,
        mistakes={
            "the word that the document lacks also has a probability: mu · p(t|C) / (dl + mu).": lambda g: sum(
                math.log(p) for tf, p in _dirichlet_parts(g) if tf
            ),
            "use the natural logarithm here, not the one to base 10.": {"logarithm": math.log10},
            "use the natural logarithm here, not the one to base 2.": {"logarithm": math.log2},
            "this is the probability itself; give its natural logarithm.": lambda g: math.exp(_dirichlet(g)),
            "divide by dl + mu, the length of the smoothed document, not by dl.": lambda g: (
                _dirichlet(g) + len(g.tf) * math.log((g.dl + g.mu) / g.dl)
            ),
            "the probabilities are multiplied, so add up their logarithms.": lambda g: math.log(
                sum(p for _, p in _dirichlet_parts(g))
            ),
        },
        hints=(
            "For each of the three words first p(t|C) = cf/T, then (tf + mu · p(t|C)) / (dl + mu).",
            "Add up the natural logarithms of the three. All of them are negative.",
        ),
        points=2,
    ),
    Exercise(
        title="Query likelihood after Jelinek and Mercer",
        why="Smoothing does what idf does elsewhere: it makes a match of a rare word count for more.",
        answer=function(number(6), "likelihood(tf, cf, dl, T, lambda_)"),
        inputs=_several_documents,
        expected=lambda g: _mixed,
        mistakes=wrong_functions(
            {
                "you swapped lambda and 1 - lambda.": lambda tf, cf, dl, T, lambda_: _mixed(tf, cf, dl, T, 1 - lambda_),
                "you left out words with tf = 0; their collection part remains.": lambda tf, cf, dl, T, lambda_: _mixed(
                    [n for n in tf if n], [c for n, c in zip(tf, cf, strict=True) if n], dl, T, lambda_
                ),
                "use the natural logarithm here, not the one to base 10.": {"logarithm": math.log10},
                "use the natural logarithm here, not the one to base 2.": {"logarithm": math.log2},
                "this is the probability itself; return its natural logarithm.": lambda *document: math.exp(
                    _mixed(*document)
                ),
            },
            _mixed,
        ),
        hints=(
            "tf and cf are lists with one item per query word; zip goes through both at once.",
            "For each word math.log((1 - lambda_) * its tf / dl + lambda_ * its cf / T), and then the sum.",
        ),
        points=2,
    ),
)
