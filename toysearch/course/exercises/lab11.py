"""Lab 11, feedback: the residual collection, the gain from a user who marks, and queries that feedback harms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from statistics import fmean
from typing import Any

from toysearch import Searcher, evaluate
from toysearch.base import Qrels, Run, without_notes
from toysearch.course.answers import number, text, unordered
from toysearch.course.exercise import Draw, Exercise, Given, Mistake, off_by_one
from toysearch.course.exercises.lab11_expansion import MIXTURE, RELEVANCE_MODEL, ROCCHIO, Weights
from toysearch.course.exercises.lab11_topics import COSINE, STRANGER
from toysearch.course.lab_collection import collection, index, judged_ids, query_values, value_of
from toysearch.laboratory.experiments.judged_feedback import judged_feedback
from toysearch.search.relevance_feedback import search_again

# 11.4: the residual collection by hand


def _two_rankings(draw: Draw) -> dict[str, Any]:
    """A first ranking, and a second one that has the relevant documents seen at its top."""
    names = [f"d{number}" for number in sorted(draw.some(range(10, 99), 10))]
    before, depth = draw.shuffled(names), draw.whole(3, 4)
    judged = draw.some(before[:depth], 2)
    relevant = [*judged, *draw.some(before[depth:], 3)]
    after = [*judged, *draw.shuffled([name for name in names if name not in judged])]
    return {"before": before, "after": after, "relevant": sorted(relevant), "seen": depth}


def _residual(given: Given, ranking: bool = True, judgments: bool = True) -> float:
    """AP of the second ranking, with the documents seen removed from it and from the judgments."""
    first = given.before[: given.seen]
    after = [doc_id for doc_id in given.after if not (ranking and doc_id in first)]
    return value_of(after, [doc_id for doc_id in given.relevant if not (judgments and doc_id in first)])


def _only_relevant_removed(given: Given) -> float:
    judged = [doc_id for doc_id in given.before[: given.seen] if doc_id in given.relevant]
    return value_of(
        [doc_id for doc_id in given.after if doc_id not in judged],
        [doc_id for doc_id in given.relevant if doc_id not in judged],
    )


RESIDUAL = Exercise(
    number="11.4",
    title="The residual collection by hand",
    why="A system that was told the judgment of a document gets no credit for ranking it well.",
    given=_two_rankings,
    answer=number(3),
    expected=_residual,
    mistakes=(
        Mistake(
            lambda given: _residual(given, ranking=False, judgments=False),
            "this rewards the documents that the user has marked; remove all documents seen.",
        ),
        Mistake(
            lambda given: _residual(given, judgments=False),
            "you removed the documents seen from the ranking only; remove them from the relevant ones too.",
        ),
        Mistake(
            lambda given: _residual(given, ranking=False),
            "documents seen are in your ranking still and take up ranks; the others move up.",
        ),
        Mistake(
            _only_relevant_removed,
            "the user has also seen documents that are not relevant; they are removed from the ranking too.",
        ),
        Mistake(
            lambda given: value_of(
                given.before[given.seen :], [d for d in given.relevant if d not in given.before[: given.seen]]
            ),
            "this is the value of the first ranking; feedback made the second.",
        ),
        *off_by_one(_residual, "seen", "how many documents has the user seen? You are off by one."),
    ),
    hints=(
        "The documents seen are the first of before. Make a copy of after without them, and of relevant without them.",
        "AP divides by the number of the relevant documents that are left.",
    ),
    points=2,
)


# 11.5: the gain on the residual collection


@functools.cache
def _values_with_feedback(docs: int) -> tuple[Weights, Weights, Weights, Weights]:
    """AP per query: without and with feedback on the residual collection, then both on the whole collection."""
    of = collection()
    with without_notes():  # queries without a known word, or without a relevant document
        feedback = judged_feedback(of, index(), ["rocchio(bm25)"], docs)
        residual = [_per_query(run, feedback.qrels) for run in feedback.runs]
        again = []
        for query in of.judged_queries:
            first, grades = feedback.seen[query.query_id], of.qrels[query.query_id]
            good = [doc_id for doc_id in first if grades.get(doc_id, 0) >= of.threshold]
            bad = [doc_id for doc_id in first if doc_id not in good]
            again.append(search_again(Searcher(index()), query.text, good, bad, k=1000, query_id=query.query_id))
        plain = Searcher(index()).run(of.judged_queries)
        whole = [_per_query(run, of.qrels) for run in (plain, Run.from_rankings(again))]
    return residual[0], residual[1], whole[0], whole[1]


def _per_query(run: Any, qrels: Qrels) -> Weights:
    rows = evaluate(run, qrels, "AP", threshold=collection().threshold).per_query
    return {query_id: row["AP"] for query_id, row in rows.items()}


@functools.cache
def _scarce() -> tuple[str, ...]:
    """The needs without a relevant document below the first three."""
    return tuple(query_id for query_id in judged_ids() if query_id not in _values_with_feedback(3)[0])


def _some_needs(draw: Draw) -> dict[str, Any]:
    others = [query_id for query_id in judged_ids() if query_id not in _scarce()]
    return {
        "docs": draw.whole(3, 7),
        "queries": sorted([*draw.some(others, 24), *draw.some(_scarce(), 3)], key=int),
    }


def _mean(values: Weights, given: Given) -> float:
    """The mean over the student's queries that have a value."""
    return fmean(values[query_id] for query_id in given.queries if query_id in values)


def _residual_gain(given: Given) -> float:
    before, after, *_ = _values_with_feedback(given.docs)
    return _mean(after, given) - _mean(before, given)


def _gain_on_the_whole(given: Given) -> float:
    *_, before, after = _values_with_feedback(given.docs)
    return _mean(after, given) - _mean(before, given)


def _gain_with_zeros(given: Given) -> float:
    """The queries that have no relevant document left counted as 0."""
    before, after, *_ = _values_with_feedback(given.docs)
    return sum(after[query] - before[query] for query in given.queries if query in after) / len(given.queries)


def _against_the_whole(given: Given) -> float:
    _, after, whole, _ = _values_with_feedback(given.docs)
    return _mean(after, given) - _mean(whole, given)


GAIN = Exercise(
    number="11.5",
    title="The gain from a user who marks",
    why="It counts only what is new to the user; what the user has marked must not count again.",
    given=_some_needs,
    answer=number(3),
    expected=_residual_gain,
    mistakes=(
        Mistake(
            _gain_on_the_whole,
            "this is the gain on the whole collection, which counts the documents that the user has marked.",
        ),
        Mistake(
            _gain_with_zeros,
            "queries without a relevant document left have no value; leave them out instead of counting 0.",
        ),
        Mistake(
            lambda given: _mean(_values_with_feedback(given.docs)[1], given),
            "this is the mean AP with feedback; subtract that of plain bm25.",
        ),
        Mistake(
            _against_the_whole,
            "you compared two collections: both means must come from the residual one.",
        ),
        *off_by_one(_residual_gain, "docs", "how many documents does the user see? You are off by one."),
    ),
    hints=(
        'found = judged_feedback(collection, index, ["rocchio(bm25)"], docs) has two runs, and the judgments that are '
        "left: found.runs and found.qrels.",
        "toysearch.evaluate(run, found.qrels, 'AP', threshold=collection.threshold).per_query[query_id]['AP'] is one "
        "value. Average over those of your queries that are in found.qrels, for each run, and subtract.",
    ),
    points=2,
)


# 11.6: the queries that lose


@functools.cache
def _changes(model: str) -> Weights:
    """The change of AP from bm25 to a model, query by query."""
    old, new = query_values("bm25"), query_values(model)
    return {query_id: new[query_id] - old[query_id] for query_id in old}


def _needs_that_change(draw: Draw) -> dict[str, Any]:
    """Some that lose, some that stay as they are, and as many again that gain."""
    changes = _changes("rm3(bm25)")
    lost, same = [q for q, by in changes.items() if by < 0], [q for q, by in changes.items() if by == 0]
    gained = [q for q, by in changes.items() if by > 0]
    chosen = [*draw.some(lost, draw.whole(3, 5)), *draw.some(same, 3), *draw.some(gained, 8)]
    return {"queries": sorted(chosen, key=int)}


def _those(given: Given, wanted: Callable[[float], bool], model: str = "rm3(bm25)") -> list[str]:
    return [query_id for query_id in given.queries if wanted(_changes(model)[query_id])]


LOSERS = Exercise(
    number="11.6",
    title="Queries that feedback harms",
    why="A mean gain hides the queries that lose; their first documents speak of something else.",
    given=_needs_that_change,
    answer=unordered(text(), "query ids"),
    expected=lambda given: _those(given, lambda by: by < 0),
    mistakes=(
        Mistake(lambda given: _those(given, lambda by: by > 0), "these are the queries that gain."),
        Mistake(
            lambda given: _those(given, lambda by: by <= 0),
            "some of these have the same value with and without feedback; they do not lose.",
        ),
        Mistake(
            lambda given: _those(given, lambda by: by < 0, "rocchio(bm25)"),
            "these lose under rocchio(bm25); the question is about rm3(bm25).",
        ),
    ),
    hints=(
        "Evaluate the runs of bm25 and of rm3(bm25) with AP; .per_query[query_id]['AP'] is the value of one query.",
        "A query loses if its value under rm3(bm25) is lower. Go through your queries only.",
    ),
)

EXERCISES = (ROCCHIO, RELEVANCE_MODEL, MIXTURE, RESIDUAL, GAIN, LOSERS, COSINE, STRANGER)
