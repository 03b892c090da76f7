"""Lab 10: a tweak of a ranking, from the idea to a report and to the class competition."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable
from typing import Any

from toysearch import Collection, Evaluator, Index, Searcher, explain, load
from toysearch.base import without_notes
from toysearch.classroom.answers import at_least, choice, function, number, ordered, text
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers

# 10.1: the idea as a function

Weight = Callable[[float, float, float, float, float, float], float]


def _idf(df: float, N: float) -> float:
    return math.log(1 + (N - df + 0.5) / (df + 0.5))


def _boosted(
    given: Given,
    weighed: Callable[[float, float, float, float, float], float] = lambda idf, text, title, boosted, slow: (
        idf * (text + boosted) / (text + boosted + slow)
    ),
) -> Weight:
    """Return a weight made of the idf, the tf in text and title, the latter times the boost, and k1 · L."""

    def weight(tf_text: float, tf_title: float, dl: float, avgdl: float, df: float, N: float) -> float:
        slow = given.k1 * (1 - given.b + given.b * dl / avgdl)
        return float(weighed(_idf(df, N), tf_text, tf_title, given.boost * tf_title, slow))

    return weight


def _postings(draw: Draw, given: Given) -> list[tuple[float, ...]]:
    drawn = [
        (draw.whole(1, 6), draw.whole(0, 2), draw.whole(20, 300), draw.whole(90, 130), draw.whole(1, 60), 400)
        for _ in range(4)
    ]
    N = 100 * draw.whole(5, 9)
    return [
        *drawn,
        *((2, 1, 240, 110, 7, 400), (0, 2, 60, 100, 5, N), (3, 0, 60, 100, 5, N), (0, 0, 60, 100, 5, N)),
        *((1, 1, 100, 100, 1, N), (2, 1, 50, 120, N - 30, N), (30, 9, 700, 120, N, N), (1, 5, 9, 80.5, 40, 7 * N)),
    ]


# 10.2: does it depend on one query?


def _pairs_of_values(draw: Draw) -> Drawn:
    old = [draw.number(0.1, 0.7, 2) for _ in range(draw.whole(7, 10))]
    new = [round(value + draw.number(-0.07, 0.09, 2), 2) for value in old]
    lucky = draw.whole(0, len(old) - 1)
    return {"old": old, "new": [*new[:lucky], round(old[lucky] + draw.number(0.2, 0.29, 2), 2), *new[lucky + 1 :]]}


def _gains(given: Given) -> list[float]:
    return sorted(new - old for old, new in zip(given.old, given.new, strict=True))


# 10.3: what lifted a document


@functools.cache
def _collection() -> Collection:
    return load("companions", fields=["title", "text"])


@functools.cache
def _index() -> Index:
    return Index.build(_collection(), fields=["title", "text"])


def _shares(query_id: str, doc_id: str) -> Numbers:
    explanation = explain(Searcher(_index(), "bm25"), _collection().query(query_id).text, doc_id)
    return {share.term: share.share for share in explanation.terms}


def _leads(query_id: str, above: str, below: str) -> Numbers:
    """Return term → its contribution to the first document minus that to the second."""
    one, other = _shares(query_id, above), _shares(query_id, below)
    return {term: one.get(term, 0.0) - other.get(term, 0.0) for term in sorted(one.keys() | other.keys())}


@functools.cache
def _cases() -> list[tuple[str, str, str]]:
    """Return queries of three terms or more with two of their first documents, and a term that decides clearly."""
    searcher = Searcher(_index(), "bm25")
    cases = []
    for query in _collection().judged_queries:
        if not 3 <= len(set(_index().analyzer(query.text))) <= 9:
            continue
        first = [hit.doc_id for hit in searcher.search(query.text, k=6)]
        for above, below in zip(first, first[2:], strict=False):
            leads = sorted(_leads(query.query_id, above, below).values(), reverse=True)
            if len(leads) > 2 and leads[0] > leads[1] + 0.1:
                cases.append((query.query_id, above, below))
    return cases


def _case(draw: Draw) -> Drawn:
    query_id, above, below = draw.one(_cases())
    return {"query_id": query_id, "above": above, "below": below}


def _largest(values: Numbers) -> str:
    return max(sorted(values), key=lambda term: values[term])


# 10.5: a held-out value by hand


def _folds(draw: Draw) -> Drawn:
    settings = {f"boost={boost}": [draw.number(0.30, 0.42, 3) for _ in range(2)] for boost in (0, 1, 2, 4)}
    return {"values": settings}


def _best_of(given: Given, fold: int) -> str:
    return str(max(given.values, key=lambda name: given.values[name][fold]))


# 10.6: a bar

_K1S, _BS = (0.6, 1.2, 1.8, 2.4), (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)


@functools.lru_cache(maxsize=64)
def _evaluator(query_ids: tuple[str, ...]) -> Evaluator:
    queries = [query for query in _collection().judged_queries if query.query_id in query_ids]
    judged = {query_id: _collection().qrels[query_id] for query_id in query_ids}
    return Evaluator(_index(), queries, judged, "AP", threshold=_collection().threshold)


def _value(model: Any, given: Given) -> float:
    with without_notes():  # a query without a known term has the value 0 and a note
        return float(_evaluator(tuple(given.queries))(model).means["AP"])


@functools.lru_cache(maxsize=64)
def _tuned(query_ids: tuple[str, ...]) -> str:
    training = Given(queries=query_ids)
    return max((f"bm25:k1={k1},b={b}" for k1 in _K1S for b in _BS), key=lambda model: _value(model, training))


# 10.7: the sentence to write

_QUERIES = 58
_SENTENCES = ("better", "worse", "inconclusive", "equal")


def _findings(draw: Draw) -> Drawn:
    """Draw a gain, a loss, a gain that is one of too many tries, and one that shows nothing; none near the limits.

    The half width of an interval is a share of the difference, and p follows from the two: all from one t test.
    """
    n_settings = draw.whole(5, 8)
    shares = (draw.number(0.5, 0.58, 3), draw.number(0.5, 0.58, 3), draw.number(0.8, 0.92, 3))
    clear = [(sign * draw.number(0.02, 0.04, 3), share) for sign, share in zip((1, -1, 1), shares, strict=True)]
    findings = [_finding(mean, round(abs(mean) * share, 3), n_settings) for mean, share in clear]
    nothing = _finding(draw.number(0.004, 0.015, 3), draw.number(0.02, 0.05, 3), n_settings)
    return {"queries": _QUERIES, "tried": n_settings, "findings": draw.shuffled([*findings, nothing])}


def _finding(difference: float, half: float, tried: int) -> dict[str, Any]:
    """Return a difference with its 95% interval, and its p times the number of things tried, by Bonferroni."""
    from scipy.special import stdtr, stdtrit

    freedom = _QUERIES - 1
    t = abs(difference) / half * float(stdtrit(freedom, 0.975))
    p = round(min(1.0, tried * 2 * float(stdtr(freedom, -t))), 4)
    return {"difference": difference, "low": round(difference - half, 3), "high": round(difference + half, 3), "p": p}


def _sentences(given: Given, unclear: str = "inconclusive", sign: int = 1) -> list[str]:
    directions = ["better" if sign * finding["difference"] > 0 else "worse" for finding in given.findings]
    return [
        unclear or way if finding["p"] > 0.05 else way for finding, way in zip(given.findings, directions, strict=True)
    ]


EXERCISES = (
    Exercise(
        title="The idea as a function",
        why="Adding counts before saturation is the whole idea of BM25F: a word in two fields is one word.",
        given=lambda draw: {
            "k1": draw.number(0.8, 2.0, 1),
            "b": draw.number(0.3, 0.9, 2),
            "boost": draw.one([0.5, 1.5, 2.0, 3.0]),
        },
        inputs=_postings,
        answer=function(number(decimals=6), "weight(tf_text, tf_title, dl, avgdl, df, N)"),
        expected=_boosted,
        mistakes={
            "you saturate title and text separately and add: a word in both counts twice. Add the counts first.": {
                "weighed": lambda idf, text, title, boosted, slow: (
                    idf * (text / (text + slow) + boosted / (title + slow))
                )
            },
            "the boosted count belongs in the numerator and in the denominator, or it never saturates.": {
                "weighed": lambda idf, text, title, boosted, slow: idf * (text + boosted) / (text + title + slow)
            },
            "you left out the length of the document.": lambda g: (
                lambda tf_text, tf_title, dl, avgdl, df, N: _boosted(g)(tf_text, tf_title, 1, 1, df, N)
            ),
            "this has the factor k1 + 1, which some forms of BM25 have; leave it out here.": lambda g: (
                lambda *posting: (g.k1 + 1) * _boosted(g)(*posting)
            ),
        },
        hints=(
            "One line makes the count: the tf in the text, plus boost times the tf in the title.",
            "Then it is BM25, with that count for tf: idf · count / (count + k1 · (1 − b + b · dl / avgdl)).",
        ),
        points=2,
    ),
    Exercise(
        title="Does it depend on one query?",
        why="A finding that rests on one query is a finding about that query.",
        given=_pairs_of_values,
        answer=number(decimals=4),
        expected=lambda g: statistics.mean(_gains(g)[:-1]),
        mistakes={
            "this is the mean with all queries in it.": lambda g: statistics.mean(_gains(g)),
            "you left the query out of the sum, but not out of the number of queries.": lambda g: (
                sum(_gains(g)[:-1]) / len(g.old)
            ),
            "you left out the query that loses most.": lambda g: statistics.mean(_gains(g)[1:]),
        },
        hints=(
            "Make a list of the differences, new minus old, and find its largest.",
            "Leave that one out, and take the mean of the others: one query fewer.",
        ),
    ),
    Exercise(
        title="The term with the largest lift",
        why="If the term that lifted it has nothing to do with the need, the gain is luck.",
        given=_case,
        answer=text(),
        expected=lambda g: _largest(_leads(g.query_id, g.above, g.below)),
        mistakes={
            "this term has the largest share of the upper document; how much does it add to the lower one?": lambda g: (
                _largest(_shares(g.query_id, g.above))
            ),
            "this term favours the lower document most.": lambda g: _largest(_leads(g.query_id, g.below, g.above)),
        },
        hints=(
            "toysearch.explain(searcher, text, doc_id).terms has the shares of one document, toysearch.explain_order "
            "shows two side by side.",
            "For each term: its share in the upper document minus its share in the lower one (0 where it is missing).",
        ),
    ),
    Exercise(
        title="Correct for every idea",
        why="p counts chances to be fooled, and every idea tried is one more chance.",
        given=lambda draw: {"p": draw.number(0.002, 0.009, 4), "ideas": draw.whole(3, 7), "measures": draw.whole(2, 4)},
        answer=number(decimals=4),
        expected=lambda g: min(1.0, g.p * g.ideas * g.measures),
        mistakes={
            "this is p as if the idea had been the only one.": lambda g: g.p,
            "each idea was looked at with several measures.": lambda g: g.p * g.ideas,
            "the ideas that did not work were tried, too.": lambda g: g.p * g.measures,
            "how many comparisons are that? Every idea with every measure.": lambda g: g.p * (g.ideas + g.measures),
            "you divided p; the more comparisons, the larger p must become.": lambda g: g.p / (g.ideas * g.measures),
            "this is alpha divided by the number of comparisons; correct p instead, and leave alpha as it is.": (
                lambda g: 0.05 / (g.ideas * g.measures)
            ),
        },
        hints=("Bonferroni: multiply p by the number of comparisons.", "Comparisons are ideas × measures."),
    ),
    Exercise(
        title="A held-out value by hand",
        why="A held-out value is usually lower, and honest; the difference is the optimism of tuning.",
        given=_folds,
        answer=number(decimals=4),
        expected=lambda g: float(g.values[_best_of(g, 0)][1] + g.values[_best_of(g, 1)][0]) / 2,
        mistakes={
            "this is the best mean over both halves: the same queries chose the setting and evaluated it.": lambda g: (
                max(statistics.mean(pair) for pair in g.values.values())
            ),
            "you evaluated each half with the setting chosen on that same half.": lambda g: statistics.mean(
                max(pair[fold] for pair in g.values.values()) for fold in (0, 1)
            ),
            "this is the value of the guess, boost = 1; nothing was tuned.": lambda g: statistics.mean(
                g.values["boost=1"]
            ),
        },
        hints=(
            "Which setting is best on the first half? What is its value on the second?",
            "Do the same with the halves swapped, and take the mean of the two values.",
        ),
        points=2,
    ),
    Exercise(
        title="A bar",
        why="A bar is easy to reach on queries one has seen; the other half shows whether the gain holds.",
        given=lambda draw: {
            "queries": sorted(draw.some([query.query_id for query in _collection().judged_queries], 29), key=int)
        },
        answer=at_least(_value, "a model: a text such as 'bm25:b=0.5', or a function", "mean AP"),
        expected=lambda g: _tuned(tuple(g.queries)),
        mistakes={
            "this is BM25 with its defaults: change it.": lambda g: "bm25:k1=1.2,b=0.75",
        },
        hints=(
            "Try other values of k1 and b: a loop over a few of each, and evaluator(model).means['AP'].",
            "k1 from 0.6 to 2.4 and b from 0.15 to 0.9, in some steps; or a model of your own.",
        ),
        points=3,
    ),
    Exercise(
        title="The sentence to write",
        why="Four sentences cover every result; most misleading papers use 'equal' or forget to correct.",
        given=_findings,
        answer=ordered(choice(*_SENTENCES), "sentences"),
        expected=_sentences,
        mistakes={
            "an inconclusive result may still hide a difference: the interval says how large.": {"unclear": "equal"},
            "chance alone gives one of these differences too often: look at p and at the interval.": {"unclear": ""},
            "one interval excludes 0 as if it were the only comparison; the corrected p counts them all.": lambda g: [
                "better" if finding["low"] > 0 else "worse" if finding["high"] < 0 else "inconclusive"
                for finding in g.findings
            ],
            "look at the signs: a difference is the new system minus the old one.": {"sign": -1},
        },
        hints=(
            "For each: is the corrected p above 0.05? The interval ignores the other comparisons.",
            "If it is, the difference is inconclusive; if not, the sign of the difference says which is better.",
        ),
    ),
)
