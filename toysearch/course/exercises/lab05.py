"""Lab 5: the 2×2 table, precision, recall and F, how they are gamed, averaged and cut off."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch.course.answer_kinds import AtLeast, Function, Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake, Unusable
from toysearch.course.exercises.lab05_averages import AVERAGES, CUTOFFS
from toysearch.course.exercises.lab05_table import ACCURACY, CELLS, MEASURES, Values, exchanged, returned_and_relevant
from toysearch.course.lessons import collection
from toysearch.course.students import Draw
from toysearch.evaluation.means import harmonic

# 5.4


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _harmonic(P: float, R: float) -> float:
    return harmonic([P, R])


def _measured(
    returned: Sequence[str], relevant: Sequence[str], mean: Callable[[float, float], float] = _harmonic
) -> Values:
    hits = len(set(returned) & set(relevant))
    P, R = _share(hits, len(returned)), _share(hits, len(relevant))
    return {"P": P, "R": R, "F": mean(P, R)}


def _with_mean(mean: Callable[[float, float], float]) -> Callable[[Given], Any]:
    return lambda given: functools.partial(_measured, mean=mean)


def _undivided(returned: Sequence[str], relevant: Sequence[str]) -> Values:
    """Right where every denominator is above 0."""
    values = _measured(returned, relevant)
    return {**values, "F": 2 * values["P"] * values["R"] / (values["P"] + values["R"])}


def _both_exchanged(returned: Sequence[str], relevant: Sequence[str]) -> Values:
    return _measured(relevant, returned)


def _two_lists(draw: Draw, given: Given) -> list[tuple[Any, ...]]:
    """Some that overlap, then those for which a denominator is 0."""
    lists = [Given(**returned_and_relevant(draw)) for _ in range(3)]
    pairs: list[tuple[Any, ...]] = [(each.returned, each.relevant) for each in lists]
    some = lists[0].returned
    return [*pairs, (some, ["d90", "d91"]), ([], some), (some, [])]


# 5.5


@functools.cache
def _judged() -> dict[str, frozenset[str]]:
    """The relevant documents of the queries that have some."""
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


def _query(draw: Draw) -> dict[str, Any]:
    query_id = draw.one(list(_judged()))
    return {"query_id": query_id, "query": " ".join(collection().query(query_id).text.split())}


def _halfway(answer: Any, given: Given) -> float:
    """The arithmetic mean of precision and recall of a set of documents; 0.5 where it is more, which is the bar."""
    if isinstance(answer, str | Mapping):
        raise Unusable(f"a {type(answer).__name__}")
    returned = {str(getattr(each, "doc_id", each)) for each in answer}
    strangers = sorted(returned - _doc_ids())
    if strangers:
        raise Unusable(f"'{strangers[0][:60]}', which is no document of the collection")
    values = _measured(sorted(returned), sorted(_judged()[given.query_id]))
    return min(0.5, (values["P"] + values["R"]) / 2)


# 5.6


def _two_values(draw: Draw) -> dict[str, Any]:
    precision = draw.number(0.15, 0.9, 2)
    return {
        "precision": precision,
        "recall": round(max(0.1, precision * draw.one((0.3, 0.4, 0.6))), 2)
        if draw.whole(0, 1)
        else round(min(0.97, precision * draw.one((1.6, 2, 2.5))), 2),
        "beta": draw.one((0.5, 2, 3)),
    }


def _weighted(P: float, R: float, beta_squared: float) -> Values:
    F = (1 + beta_squared) * P * R / (beta_squared * P + R)
    return {"F": F, "E": 1 - F}


def _f_and_e(given: Given) -> Values:
    return _weighted(given.precision, given.recall, given.beta**2)


_WRONG_F = (
    Mistake(lambda g: _weighted(g.precision, g.recall, g.beta), "β goes into the formula squared."),
    Mistake(
        lambda g: _weighted(g.recall, g.precision, g.beta**2),
        "precision and recall have changed places: β² stands before precision in the denominator.",
    ),
    Mistake(lambda g: _weighted(g.precision, g.recall, 1), "this is F with β = 1."),
    Mistake(lambda g: {**_f_and_e(g), "E": _f_and_e(g)["F"]}, "E is not F: it is 1 - F, the lower the better."),
    Mistake(lambda g: exchanged(_f_and_e(g), "F", "E"), "F and E have changed places."),
)


EXERCISES = (
    CELLS,
    MEASURES,
    ACCURACY,
    Exercise(
        number="5.4",
        title="A function for any two lists",
        answer=Function(Table(Number(6), "measures"), "measures(returned, relevant)"),
        inputs=_two_lists,
        expected=lambda g: _measured,
        mistakes=(
            Mistake(_with_mean(lambda P, R: (P + R) / 2), "F is the harmonic mean of P and R, not (P + R)/2."),
            Mistake(_with_mean(lambda P, R: _share(P * R, P + R)), "F is 2PR/(P + R): the 2 is missing."),
            Mistake(_with_mean(lambda P, R: (P * R) ** 0.5), "F is the harmonic mean of P and R, not √(P · R)."),
            Mistake(lambda g: _both_exchanged, "P and R have changed places."),
            Mistake(lambda g: _undivided, "F divides by 0 where P and R are both 0; it should be 0 there."),
        ),
        hints=(
            "set(returned) & set(relevant) is what the two lists have in common.",
            "Before each division ask whether the denominator is 0: a / b if b else 0.",
        ),
        points=2,
    ),
    Exercise(
        number="5.5",
        title="Gaming a mean",
        given=_query,
        answer=AtLeast(_halfway, "a list or a set of doc_ids", "(P + R)/2"),
        expected=lambda g: sorted(_doc_ids()),
        hints=(
            "You need not know which documents are relevant: one of P and R can be had for nothing.",
            "[document.doc_id for document in collection.documents] are the ids of all documents.",
        ),
    ),
    Exercise(
        number="5.6",
        title="F with a preference, and E",
        given=_two_values,
        answer=Table(Number(3), "measures"),
        expected=_f_and_e,
        mistakes=_WRONG_F,
        hints=(
            "Put β² into the formula first: (1 + β²) · P · R in the numerator, β² · P + R in the denominator.",
            "With β above 1 the value moves from the even F towards recall; with β below 1 towards precision.",
        ),
    ),
    AVERAGES,
    CUTOFFS,
)
