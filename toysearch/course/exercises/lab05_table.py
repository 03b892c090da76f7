"""The 2×2 table: the exercises of lab 5 on its cells, on measures made of them, and on accuracy."""

from __future__ import annotations

from typing import Any

from toysearch.course.answer_kinds import Number, Table, Whole
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw

Values = dict[str, float]


# 5.1


def returned_and_relevant(draw: Draw) -> dict[str, Any]:
    """Two lists of documents with some in common."""
    hits, wrong, missed = draw.whole(2, 4), draw.whole(3, 6), draw.whole(1, 5)
    documents = [f"d{number:02}" for number in draw.some(range(1, 40), hits + wrong + missed)]
    return {
        "returned": draw.shuffled(documents[: hits + wrong]),
        "relevant": sorted(documents[:hits] + documents[hits + wrong :]),
        "N": draw.whole(40, 90),
    }


def _cells(given: Given) -> Values:
    returned, relevant = set(given.returned), set(given.relevant)
    return {
        "TP": len(returned & relevant),
        "FP": len(returned - relevant),
        "FN": len(relevant - returned),
        "TN": given.N - len(returned | relevant),
    }


def _errors_exchanged(given: Given) -> Values:
    cells = _cells(given)
    return {**cells, "FP": cells["FN"], "FN": cells["FP"]}


_WRONG_CELLS = (
    Mistake(
        _errors_exchanged,
        "FP and FN have changed places: a false positive was returned, a false negative was missed.",
    ),
    Mistake(
        lambda g: {**_cells(g), "TN": g.N - len(g.returned)},
        "TN counts what was not returned and is not relevant; the missed documents are no part of it.",
    ),
    Mistake(
        lambda g: {**_cells(g), "TN": g.N - len(g.returned) - len(g.relevant)},
        "for TN you took the hits away twice: they are in both lists.",
    ),
    Mistake(
        lambda g: {**_cells(g), "FP": len(g.returned), "FN": len(g.relevant)},
        "FP and FN are without the hits; these are the lengths of the lists.",
    ),
)


# 5.2


def _counts(draw: Draw) -> dict[str, Any]:
    hits = draw.whole(5, 15)
    return {
        "returned": hits + draw.whole(6, 25),
        "relevant": hits + draw.whole(8, 40),
        "both": hits,
        "N": draw.whole(200, 400),
    }


def _four(given: Given) -> Values:
    wrong, others = given.returned - given.both, given.N - given.relevant
    return {
        "precision": given.both / given.returned,
        "recall": given.both / given.relevant,
        "fallout": wrong / others,
        "specificity": 1 - wrong / others,
    }


def exchanged(values: Values, one: str, other: str) -> Values:
    """The values, two of which have changed places."""
    return {**values, one: values[other], other: values[one]}


_WRONG_FOUR = (
    Mistake(
        lambda g: {name: 100 * value for name, value in _four(g).items()},
        "these are per cent: give shares between 0 and 1.",
    ),
    Mistake(
        lambda g: exchanged(_four(g), "precision", "recall"),
        "precision and recall have changed places: precision is a share of what was returned.",
    ),
    Mistake(
        lambda g: {**_four(g), "fallout": 1 - _four(g)["precision"]},
        "fallout is a share of all documents that are not relevant; yours is one of those returned: 1 - precision.",
    ),
    Mistake(
        lambda g: {**_four(g), "specificity": (g.N - g.returned - g.relevant + g.both) / g.N},
        "specificity is TN out of all documents that are not relevant, not out of all N.",
    ),
    Mistake(
        lambda g: exchanged(_four(g), "fallout", "specificity"),
        "fallout and specificity have changed places: fallout counts the wrong ones.",
    ),
)


# 5.3


def _few_relevant(draw: Draw) -> dict[str, Any]:
    returned = 2 * draw.whole(4, 15)
    return {"N": 100 * draw.whole(8, 30), "relevant": returned + draw.whole(6, 30), "returned": returned}


CELLS = Exercise(
    number="5.1",
    title="The four cells",
    given=returned_and_relevant,
    answer=Table(Whole(), "cells"),
    expected=_cells,
    mistakes=_WRONG_CELLS,
    hints=(
        "Mark in the list of returned documents those that are relevant: their number is TP. What is left is FP.",
        "TN is what remains of N when the three other cells are taken away. With sets: &, - and | of Python.",
    ),
)

MEASURES = Exercise(
    number="5.2",
    title="Four measures",
    given=_counts,
    answer=Table(Number(3), "measures"),
    expected=_four,
    mistakes=_WRONG_FOUR,
    hints=(
        "Draw the table and fill in its cells first; both is TP.",
        "Precision is TP out of a column, recall TP out of a row; fallout is FP out of the other row.",
    ),
)

ACCURACY = Exercise(
    number="5.3",
    title="Beating a system that returns nothing",
    given=_few_relevant,
    answer=Whole(),
    expected=lambda g: g.returned // 2 + 1,
    mistakes=(
        Mistake(lambda g: g.returned // 2, "with so many the two are level."),
        Mistake(
            lambda g: g.relevant // 2 + 1,
            "you asked for half of the relevant documents; look at how many documents each system judges wrongly.",
        ),
        Mistake(lambda g: g.returned, "fewer are enough: it need not be without any error."),
    ),
    hints=(
        "Accuracy is 1 - errors/N. How many errors makes a system that returns nothing?",
        "With h hits there are returned - h documents returned in error, and relevant - h missed.",
    ),
)
