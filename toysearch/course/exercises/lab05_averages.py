"""The exercises of lab 5 on averages of several queries, and on cutoffs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toysearch.course.answer_kinds import Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.exercises.lab05_table import Values, exchanged
from toysearch.course.students import Draw

# 5.7


def _three_queries(draw: Draw) -> dict[str, Any]:
    """One query to which much is returned, and two to which little is."""

    def query(low: int, high: int) -> dict[str, int]:
        returned = draw.whole(low, high)
        both = draw.whole(1, returned - 1)
        return {"returned": returned, "relevant": both + draw.whole(0, 6), "both": both}

    sizes = draw.shuffled([(3, 6), (4, 8), (25, 60)])
    return {f"query_{number}": query(*size) for number, size in enumerate(sizes, 1)}


def _averages(given: Given, of: str = "returned") -> Values:
    rows = [given.query_1, given.query_2, given.query_3]
    return {
        "macro": sum(row["both"] / row[of] for row in rows) / len(rows),
        "micro": sum(row["both"] for row in rows) / sum(row[of] for row in rows),
    }


_WRONG_AVERAGES = (
    Mistake(
        lambda g: exchanged(_averages(g), "macro", "micro"),
        "the two have changed places: macro is the mean of the queries' values, micro pools their documents.",
    ),
    Mistake(lambda g: _averages(g, "relevant"), "this is recall; precision divides by what was returned."),
    Mistake(
        lambda g: {**_averages(g), "micro": _averages(g, "relevant")["micro"]},
        "your micro average divides by the relevant documents: that is recall.",
    ),
)


# 5.8


def _ranking(draw: Draw) -> dict[str, Any]:
    """A ranking shorter than the deeper cutoff, with more relevant documents than it finds."""
    found, length = draw.whole(2, 4), draw.whole(6, 9)
    return {
        "ranking": " ".join(draw.shuffled(["R"] * found + ["I"] * (length - found))),
        "relevant": found + draw.whole(1, 4),
        "k": draw.whole(3, 4),
        "deeper": draw.one((10, 12, 15)),
    }


def _cut(
    given: Given,
    returned: Callable[[Given, int], int] = lambda given, k: k,
    relevant: Callable[[Given, int], int] = lambda given, k: given.relevant,
    further: int = 0,
) -> Values:
    """P@k and R@k at both cutoffs, over these numbers of returned and relevant documents; hits down to k + further."""
    marks = given.ranking.split()
    hits = {k: marks[: k + further].count("R") for k in (given.k, given.deeper)}
    return {
        **{f"P@{k}": hits[k] / returned(given, k) for k in hits},
        **{f"R@{k}": hits[k] / relevant(given, k) for k in hits},
    }


_WRONG_CUTS = (
    Mistake(
        lambda g: _cut(g, returned=lambda g, k: min(k, len(g.ranking.split()))),
        "P@k divides by k, even where fewer documents were returned.",
    ),
    Mistake(
        lambda g: _cut(g, relevant=lambda g, k: g.ranking.split().count("R")),
        "you divided by the relevant documents that were retrieved; recall divides by all that there are.",
    ),
    Mistake(
        lambda g: _cut(g, relevant=lambda g, k: min(k, g.relevant)),
        "R@k divides by all relevant documents, also where k is smaller: what you have is the capped R_cap@k.",
    ),
    Mistake(
        lambda g: _cut(g, returned=lambda g, k: g.relevant, relevant=lambda g, k: k),
        "P and R have changed places: P@k divides by k.",
    ),
    Mistake(
        lambda g: _cut(g, further=-1),
        "you stopped one rank too early: the document at rank k is among the first k.",
    ),
    Mistake(
        lambda g: _cut(g, further=1),
        "you went one rank too far: ranks count from 1, so the first k end at rank k.",
    ),
    Mistake(
        lambda g: _cut(g, returned=lambda g, k: k - 1, further=-1),
        "this is P at k - 1: ranks count from 1.",
    ),
)

AVERAGES = Exercise(
    number="5.7",
    title="Two averages",
    given=_three_queries,
    answer=Table(Number(3), "averages"),
    expected=_averages,
    mistakes=_WRONG_AVERAGES,
    hints=(
        "Macro: three precisions, then their mean. Micro: one precision, of all returned documents together.",
        "Micro is the sum of the three numbers both over the sum of the three numbers returned.",
    ),
)

CUTOFFS = Exercise(
    number="5.8",
    title="At a cutoff",
    given=_ranking,
    answer=Table(Number(3), "measures"),
    expected=_cut,
    mistakes=_WRONG_CUTS,
    hints=(
        "Count the R among the first k of the ranking: this number is the numerator of both P@k and R@k.",
        "P@k is over k, whatever came back. R@k is over relevant, the number of all relevant documents.",
    ),
    points=2,
)
