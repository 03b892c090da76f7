"""Lab 5: the 2×2 table, precision, recall and F, how they are gamed, averaged and cut off."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch.classroom.answers import at_least, function, number, table, whole
from toysearch.classroom.exercise import (
    Draw,
    Drawn,
    Exercise,
    Given,
    Numbers,
    Unusable,
    swapped,
    wrong_functions,
)
from toysearch.classroom.lab_collection import collection
from toysearch.evaluation.values_and_means import harmonic

# 5.1


def returned_and_relevant(draw: Draw) -> Drawn:
    """Two lists of documents with some in common."""
    hits, wrong, missed = draw.whole(2, 4), draw.whole(3, 6), draw.whole(1, 5)
    documents = [f"d{number:02}" for number in draw.some(range(1, 40), hits + wrong + missed)]
    return {
        "returned": draw.shuffled(documents[: hits + wrong]),
        "relevant": sorted(documents[:hits] + documents[hits + wrong :]),
        "N": draw.whole(40, 90),
    }


def _cells(given: Given) -> Numbers:
    returned, relevant = set(given.returned), set(given.relevant)
    return {
        "TP": len(returned & relevant),
        "FP": len(returned - relevant),
        "FN": len(relevant - returned),
        "TN": given.N - len(returned | relevant),
    }


_WRONG_CELLS = {
    "you swapped FP and FN: a false positive was returned, a false negative was missed.": swapped(_cells, "FP", "FN"),
    "TN counts the documents that are neither returned nor relevant; missed documents are relevant.": lambda g: {
        **_cells(g),
        "TN": g.N - len(g.returned),
    },
    "for TN you subtracted the hits twice; they are in both lists.": lambda g: {
        **_cells(g),
        "TN": g.N - len(g.returned) - len(g.relevant),
    },
    "FP and FN exclude the hits; these are the lengths of the lists.": lambda g: {
        **_cells(g),
        "FP": len(g.returned),
        "FN": len(g.relevant),
    },
}


# 5.2


def _counts(draw: Draw) -> Drawn:
    hits = draw.whole(5, 15)
    return {
        "returned": hits + draw.whole(6, 25),
        "relevant": hits + draw.whole(8, 40),
        "both": hits,
        "N": draw.whole(200, 400),
    }


def _four(given: Given) -> Numbers:
    wrong, others = given.returned - given.both, given.N - given.relevant
    return {
        "precision": given.both / given.returned,
        "recall": given.both / given.relevant,
        "fallout": wrong / others,
        "specificity": 1 - wrong / others,
    }


# 5.3


def _few_relevant(draw: Draw) -> Drawn:
    returned = 2 * draw.whole(4, 15)
    return {"N": 100 * draw.whole(8, 30), "relevant": returned + draw.whole(6, 30), "returned": returned}


# 5.7


def _three_queries(draw: Draw) -> Drawn:
    """Draw one query with many returned documents, and two with few."""

    def query(low: int, high: int) -> dict[str, int]:
        returned = draw.whole(low, high)
        both = draw.whole(1, returned - 1)
        return {"returned": returned, "relevant": both + draw.whole(0, 6), "both": both}

    sizes = draw.shuffled([(3, 6), (4, 8), (25, 60)])
    return {f"query_{number}": query(*size) for number, size in enumerate(sizes, 1)}


def _averages(given: Given, of: str = "returned") -> Numbers:
    rows = [given.query_1, given.query_2, given.query_3]
    return {
        "macro": sum(row["both"] / row[of] for row in rows) / len(rows),
        "micro": sum(row["both"] for row in rows) / sum(row[of] for row in rows),
    }


# 5.8


def _ranking(draw: Draw) -> Drawn:
    """Draw a ranking shorter than the deeper cutoff, with more relevant documents than it finds."""
    hits, length = draw.whole(2, 4), draw.whole(6, 9)
    return {
        "ranking": " ".join(draw.shuffled(["R"] * hits + ["I"] * (length - hits))),
        "relevant": hits + draw.whole(1, 4),
        "k": draw.whole(3, 4),
        "deeper": draw.one((10, 12, 15)),
    }


def _cut(
    given: Given,
    returned: Callable[[Given, int], int] = lambda g, k: k,
    relevant: Callable[[Given, int], int] = lambda g, k: g.relevant,
    further: int = 0,
) -> Numbers:
    """Return P@k and R@k at both cutoffs, with hits counted down to rank k + further and these denominators."""
    marks = given.ranking.split()
    hits = {k: marks[: k + further].count("R") for k in (given.k, given.deeper)}
    return {
        **{f"P@{k}": hits[k] / returned(given, k) for k in hits},
        **{f"R@{k}": hits[k] / relevant(given, k) for k in hits},
    }


# 5.4


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _measured(
    returned: Sequence[str],
    relevant: Sequence[str],
    mean: Callable[[float, float], float] = lambda P, R: harmonic([P, R]),
) -> Numbers:
    hits = len(set(returned) & set(relevant))
    P, R = _share(hits, len(returned)), _share(hits, len(relevant))
    return {"P": P, "R": R, "F": mean(P, R)}


def _two_lists(draw: Draw, given: Given) -> list[tuple[Any, ...]]:
    """Draw some lists that overlap, then those for which a denominator is 0."""
    lists = [Given(**returned_and_relevant(draw)) for _ in range(3)]
    pairs: list[tuple[Any, ...]] = [(pair.returned, pair.relevant) for pair in lists]
    some = lists[0].returned
    long, inside = [f"d{number}" for number in range(100, 125)], draw.some(range(100, 125), 4)
    few = [f"d{number}" for number in inside]
    others = [f"d{number}" for number in range(1, 13)]
    pairs += [(some, ["d90", "d91"]), ([], some), (some, []), ([], []), (some, some[::-1]), (["d1"], ["d1"])]
    pairs += [(few, long), (long, few), (long, [*long[12:], *others])]
    pairs += [(["d1", "d22"], ["d11", "d2", "d122"]), (["d3", "d4"], ["d4", "d5", "d3"]), (["d1"], ["D1"])]
    return pairs


def _F_by(mean: Callable[[float, float], float]) -> Callable[..., Numbers]:
    return functools.partial(_measured, mean=mean)


# 5.5


@functools.cache
def _judged() -> dict[str, frozenset[str]]:
    threshold = collection().threshold
    relevant = {
        query.query_id: frozenset(
            doc_id for doc_id, grade in collection().qrels[query.query_id].items() if grade >= threshold
        )
        for query in collection().judged_queries
    }
    return {query_id: documents for query_id, documents in relevant.items() if len(documents) >= 2}


@functools.cache
def _doc_ids() -> frozenset[str]:
    return frozenset(document.doc_id for document in collection().documents)


def _query(draw: Draw) -> Drawn:
    query_id = draw.one(list(_judged()))
    return {"query_id": query_id, "query": " ".join(collection().query(query_id).text.split())}


def _halfway(answer: Any, given: Given) -> float:
    """Return the arithmetic mean of precision and recall of a set of documents, but at most 0.5, the bar."""
    if isinstance(answer, str | Mapping):
        raise Unusable(f"a {type(answer).__name__}")
    returned = {str(getattr(hit, "doc_id", hit)) for hit in answer}
    strangers = sorted(returned - _doc_ids())
    if strangers:
        raise Unusable(f"'{strangers[0][:60]}', which is not a document of the collection")
    values = _measured(sorted(returned), sorted(_judged()[given.query_id]))
    return min(0.5, (values["P"] + values["R"]) / 2)


# 5.6


def _two_values(draw: Draw) -> Drawn:
    precision = draw.number(0.15, 0.9, 2)
    return {
        "precision": precision,
        "recall": round(max(0.1, precision * draw.one((0.3, 0.4, 0.6))), 2)
        if draw.whole(0, 1)
        else round(min(0.97, precision * draw.one((1.6, 2, 2.5))), 2),
        "beta": draw.one((0.5, 2, 3)),
    }


def _weighted(P: float, R: float, beta_squared: float) -> Numbers:
    F = (1 + beta_squared) * P * R / (beta_squared * P + R)
    return {"F": F, "E": 1 - F}


def _f_and_e(given: Given) -> Numbers:
    return _weighted(given.precision, given.recall, given.beta**2)


EXERCISES = (
    Exercise(
        title="The four cells",
        why="Every measure of a set is made of these four numbers, so get the table right before any formula.",
        given=returned_and_relevant,
        answer=table(whole(), "cells"),
        expected=_cells,
        mistakes=_WRONG_CELLS,
        hints=(
            "Mark the relevant documents in the list of returned ones: their number is TP. The rest is FP.",
            "TN is N minus the three other cells. With Python sets, use &, - and |.",
        ),
    ),
    Exercise(
        title="Four measures",
        why="Precision is what a hurried reader feels, recall is what a lawyer needs; the two seldom rise together.",
        given=_counts,
        answer=table(number(3), "measures"),
        expected=_four,
        mistakes={
            "these are per cent: give shares between 0 and 1.": lambda g: {
                name: 100 * value for name, value in _four(g).items()
            },
            "you swapped precision and recall: precision is a share of the returned documents.": swapped(
                _four, "precision", "recall"
            ),
            "fallout is a share of all documents that are not relevant; yours is 1 - precision.": lambda g: {
                **_four(g),
                "fallout": 1 - _four(g)["precision"],
            },
            "specificity is TN out of all documents that are not relevant, not out of all N.": lambda g: {
                **_four(g),
                "specificity": (g.N - g.returned - g.relevant + g.both) / g.N,
            },
            "you swapped fallout and specificity: fallout counts the documents returned in error.": swapped(
                _four, "fallout", "specificity"
            ),
        },
        hints=(
            "Draw the table and fill in its cells first; both is TP.",
            "Precision is TP out of a column, recall TP out of a row; fallout is FP out of the other row.",
        ),
    ),
    Exercise(
        title="Beating a system that returns nothing",
        why="When nearly everything is irrelevant, accuracy rewards silence; that is why search does not use it.",
        given=_few_relevant,
        answer=whole(),
        expected=lambda g: g.returned // 2 + 1,
        mistakes={
            "with that many hits the two systems are equal.": lambda g: g.returned // 2,
            "you asked for half of the relevant documents; count the documents that each system judges wrongly.": (
                lambda g: g.relevant // 2 + 1
            ),
            "fewer are enough: the system may make some errors.": lambda g: g.returned,
        },
        hints=(
            "Accuracy is 1 - errors/N. How many errors does a system that returns nothing make?",
            "With h hits there are returned - h documents returned in error, and relevant - h missed.",
        ),
    ),
    Exercise(
        title="A function for any two lists",
        why="The empty list is where most implementations fail, and where tools disagree.",
        answer=function(table(number(6), "measures"), "measures(returned, relevant)"),
        inputs=_two_lists,
        expected=lambda g: _measured,
        mistakes=wrong_functions(
            {
                "F is the harmonic mean of P and R, not (P + R)/2.": _F_by(lambda P, R: (P + R) / 2),
                "F is 2PR/(P + R): the 2 is missing.": _F_by(lambda P, R: _share(P * R, P + R)),
                "F is the harmonic mean of P and R, not √(P · R).": _F_by(lambda P, R: (P * R) ** 0.5),
                "you swapped P and R.": lambda returned, relevant: _measured(relevant, returned),
                "F divides by 0 where P and R are both 0; it should be 0 there.": _F_by(
                    lambda P, R: 2 * P * R / (P + R)
                ),
            }
        ),
        hints=(
            "set(returned) & set(relevant) is the set of documents in both lists.",
            "Before each division check whether the denominator is 0: a / b if b else 0.",
        ),
        points=2,
    ),
    Exercise(
        title="Gaming a mean",
        why="A measure that can be gamed will be; the harmonic mean closes this door.",
        given=_query,
        answer=at_least(_halfway, "a list or a set of doc_ids", "(P + R)/2"),
        expected=lambda g: sorted(_doc_ids()),
        hints=(
            "You need not know which documents are relevant: one of P and R comes for free.",
            "[document.doc_id for document in collection.documents] are the ids of all documents.",
        ),
    ),
    Exercise(
        title="F with a preference, and E",
        why="β says how many times as much recall matters as precision; decide it before you see results.",
        given=_two_values,
        answer=table(number(3), "measures"),
        expected=_f_and_e,
        mistakes={
            "the formula has β squared.": lambda g: _weighted(g.precision, g.recall, g.beta),
            "you swapped precision and recall: β² multiplies precision in the denominator.": lambda g: _weighted(
                g.recall, g.precision, g.beta**2
            ),
            "this is F with β = 1.": lambda g: _weighted(g.precision, g.recall, 1),
            "E is not F: it is 1 - F, and lower is better.": lambda g: {**_f_and_e(g), "E": _f_and_e(g)["F"]},
            "you swapped F and E.": swapped(_f_and_e, "F", "E"),
        },
        hints=(
            "Put β² into the formula first: (1 + β²) · P · R in the numerator, β² · P + R in the denominator.",
            "With β above 1 the value moves from the balanced F towards recall; with β below 1 towards precision.",
        ),
    ),
    Exercise(
        title="Two averages",
        why="Macro asks how a typical query does, micro how a typical document does: a paper has to say which.",
        given=_three_queries,
        answer=table(number(3), "averages"),
        expected=_averages,
        mistakes={
            "you swapped the two: macro is the mean of the queries' values, micro pools their documents.": swapped(
                _averages, "macro", "micro"
            ),
            "this is recall; precision divides by what was returned.": {"of": "relevant"},
            "your micro average divides by the relevant documents: that is recall.": lambda g: {
                **_averages(g),
                "micro": _averages(g, "relevant")["micro"],
            },
        },
        hints=(
            "Macro: three precisions, then their mean. Micro: one precision, of all returned documents together.",
            "Micro is the sum of the three numbers both over the sum of the three numbers returned.",
        ),
    ),
    Exercise(
        title="At a cutoff",
        why="R@k cannot reach 1 with more than k relevant documents, and P@k cannot with fewer: know the ceiling.",
        given=_ranking,
        answer=table(number(3), "measures"),
        expected=_cut,
        mistakes={
            "P@k divides by k, even where fewer documents were returned.": {
                "returned": lambda g, k: min(k, len(g.ranking.split()))
            },
            "you divided by the relevant documents that were retrieved; recall divides by all relevant documents.": {
                "relevant": lambda g, k: g.ranking.split().count("R")
            },
            "R@k divides by all relevant documents, even where k is smaller; yours is the capped R_cap@k.": {
                "relevant": lambda g, k: min(k, g.relevant)
            },
            "you swapped P and R: P@k divides by k.": {"returned": lambda g, k: g.relevant, "relevant": lambda g, k: k},
            "you stopped one rank too early: the document at rank k is among the first k.": {"further": -1},
            "you went one rank too far: ranks count from 1, so the first k end at rank k.": {"further": 1},
            "this is P at k - 1: ranks count from 1.": {"returned": lambda g, k: k - 1, "further": -1},
        },
        hints=(
            "Count the R among the first k of the ranking: this number is the numerator of both P@k and R@k.",
            "P@k divides by k, whatever was returned. R@k divides by relevant, the number of all relevant documents.",
        ),
        points=2,
    ),
)
