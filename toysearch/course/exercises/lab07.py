"""Lab 7: Cranfield: its files' traps, a first evaluation, a bar to reach, the poorest queries, one order explained."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.course.answer_kinds import AtLeast, Table, Text, Whole
from toysearch.course.exercise import Exercise, Given, Mistake, Unusable
from toysearch.course.exercises.lab07_codes import GAINS, SOURCE_PAPER
from toysearch.course.exercises.lab07_files import JUDGMENTS, READER
from toysearch.course.students import Draw
from toysearch.errors import DataError, without_notes
from toysearch.evaluation.evaluate import evaluate
from toysearch.index.index import Index
from toysearch.laboratory.explain.document_comparison import explain_order
from toysearch.records import Query, Run
from toysearch.search.searcher import Searcher


@functools.cache
def _collection() -> Collection:
    """Cranfield where its files are, else the collection that comes with toysearch."""
    try:
        return load("cranfield")
    except DataError:
        return load("companions")


def collection_name() -> str:
    """The name of the collection that was found."""
    return _collection().name


# 7.5: a bar

_SETTINGS = ("bm25", "bm25:k1=0.9,b=0.4", "bm25:k1=2,b=0.75", "bm25:k1=2.5,b=0.6", "bm25:k1=1.5,b=0.9", "dph", "spl")


@functools.cache
def _index() -> Index:
    return Index.build(_collection())


@functools.cache
def _run(model: str) -> Run:
    with without_notes():  # a query without a word that is in any document
        return Searcher(_index(), model).run(_collection().judged_queries)


@functools.cache
def _ap_of(model: str) -> dict[str, float]:
    return _values(_run(model))


def _values(run: Run) -> dict[str, float]:
    """AP of each judged query."""
    of = _collection()
    with without_notes():
        rows = evaluate(run, of.qrels, "AP", threshold=of.threshold).per_query
    return {query_id: row["AP"] for query_id, row in rows.items()}


def _queries(given: Given) -> Sequence[Query]:
    return _collection().judged_queries[given.first : given.last]


def _mean(values: dict[str, float], given: Given) -> float:
    return fmean(values[query.query_id] for query in _queries(given))


def _bar(draw: Draw) -> dict[str, Any]:
    """Half-way from BM25 as it comes to the best of a few settings, on half of the queries."""
    size = len(_collection().judged_queries)
    first = draw.whole(0, size // 3)
    part = {"first": first, "last": first + size // 2}
    means = [_mean(_ap_of(model), Given(**part)) for model in _SETTINGS]
    return {**part, "bar": math.floor(500 * (means[0] + max(means))) / 1000}


def _reached(answer: Any, given: Given) -> float:
    """The mean AP of a searcher or a run on the student's queries, and no more than the bar."""
    if not isinstance(answer, Searcher | Run):
        raise Unusable(f"an object of type {type(answer).__name__}")
    with without_notes():
        run = answer.run(_queries(given)) if isinstance(answer, Searcher) else answer
    return float(min(_mean(_values(run), given), given.bar))


def _good_enough(given: Given) -> Run:
    return _run(max(_SETTINGS, key=lambda model: _mean(_ap_of(model), given)))


# 7.6: a poor query


@functools.cache
def _poor() -> list[str]:
    """Queries that BM25 answers badly, though not without a hit, of some relevant documents."""
    return [
        query_id
        for query_id, value in _ap_of("bm25").items()
        if 0 < value < 0.25 and len(_wanted(query_id)) > 2 and query_id in _run("bm25").query_ids
    ]


def _wanted(query_id: str, from_grade: float | None = None) -> list[str]:
    of = _collection()
    lowest = of.threshold if from_grade is None else from_grade
    return [doc_id for doc_id, grade in of.qrels[query_id].items() if grade >= lowest]


def _whereabouts(given: Given, from_grade: float | None = None, first: int = 1) -> dict[str, int]:
    """How many documents are wanted, where the first is, and how many are in the first ten or below 100."""
    wanted = _wanted(given.query_id, from_grade)
    ranks = {doc_id: rank for rank, doc_id in enumerate(_run("bm25")[given.query_id], first)}
    found = sorted(ranks[doc_id] for doc_id in wanted if doc_id in ranks)
    return {
        "relevant": len(wanted),
        "first rank": found[0],
        "in the first 10": sum(rank < 10 + first for rank in found),
        "not in the first 100": len(wanted) - sum(rank < 100 + first for rank in found),
    }


def _above_100(given: Given) -> dict[str, int]:
    right = _whereabouts(given)
    return right | {"not in the first 100": right["relevant"] - right["not in the first 100"]}


# 7.7: one order


@functools.cache
def _orders() -> list[dict[str, str]]:
    """A document that is not relevant above a relevant one, both among the first ten."""
    found = []
    for query in _collection().judged_queries:
        wanted = set(_wanted(query.query_id))
        first = list(_run("bm25")[query.query_id])[:10] if query.query_id in _run("bm25").query_ids else []
        pairs = [(one, other) for place, one in enumerate(first) for other in first[place + 1 :]]
        found += [
            {"query_id": query.query_id, "above": above, "below": below}
            for above, below in pairs
            if above not in wanted and below in wanted
        ]
    return found


def _clear_order(draw: Draw) -> dict[str, str]:
    """One in which the term asked for is neither the upper document's largest nor the one that helps the lower."""
    while True:
        given = Given(**draw.one(_orders()))
        if len({_term(given, key) for key in (_ahead, _behind, _upper_share)}) == 3:
            return vars(given)


def _ahead(part: tuple[str, float, float]) -> float:
    return part[2] - part[1]


def _behind(part: tuple[str, float, float]) -> float:
    return part[1] - part[2]


def _upper_share(part: tuple[str, float, float]) -> float:
    return part[2]


@functools.lru_cache(maxsize=256)
def _parts(query_id: str, above: str, below: str) -> list[tuple[str, float, float]]:
    """Term, its share of the score below and above."""
    why = explain_order(Searcher(_index(), "bm25"), _collection().query(query_id).text, above, below)
    return [(part.name, part.first, part.second) for part in why.parts if part.kind == "term"]


def _term(given: Given, key: Callable[[tuple[str, float, float]], float]) -> str:
    return max(_parts(given.query_id, given.above, given.below), key=key)[0]


def _unstemmed(given: Given) -> str:
    """The word of the query whose term is asked for, as it stands there."""
    words = re.findall(r"\w\w+", _collection().query(given.query_id).text.lower())
    term = _term(given, _ahead)
    return next((word for word in words if _index().analyzer(word) == [term]), term)


EXERCISES = (
    JUDGMENTS,
    READER,
    GAINS,
    SOURCE_PAPER,
    Exercise(
        number="7.5",
        title="A bar to reach",
        given=_bar,
        answer=AtLeast(by=_reached, asked="a Searcher, or a Run of one", what="mean AP"),
        expected=_good_enough,
        hints=(
            "What an analyzer for English does is worth more than any formula: toysearch.Index.build(collection) takes "
            "it from the collection. Which models are there? sorted(toysearch.MODELS) lists them.",
            'BM25 has two dials: "bm25:k1=1.2,b=0.75" is how it comes. Try k1 from 0.6 to 3 and b from 0.3 to 0.9 in a '
            "loop over both, with mean_ap on your queries.",
        ),
        points=3,
    ),
    Exercise(
        number="7.6",
        title="Where did they go",
        given=lambda draw: {"query_id": draw.one(_poor())},
        answer=Table(Whole(), "numbers"),
        expected=_whereabouts,
        mistakes=(
            Mistake(
                lambda given: _whereabouts(given, from_grade=-math.inf),
                "you counted every judged document; relevant are those whose grade reaches the threshold.",
            ),
            Mistake(
                lambda given: _whereabouts(given, first=0),
                "ranks count from 1; your first one is 0.",
            ),
            Mistake(
                _above_100,
                "you counted the relevant documents within the first 100; asked for are the others.",
            ),
        ),
        hints=(
            "run[query_id] lists the doc_ids, the best first; enumerate(…, 1) gives them ranks. "
            "qrels[query_id] is a dict from doc_id to grade.",
            "A relevant document that is not in the run at all is not among the first 100 either.",
        ),
        points=2,
    ),
    Exercise(
        number="7.7",
        title="The term that made the difference",
        given=_clear_order,
        answer=Text(),
        expected=lambda given: _term(given, _ahead),
        mistakes=(
            Mistake(
                lambda given: _term(given, _upper_share),
                "this term has the largest share in the score of the upper one; the lower one has some of it too.",
            ),
            Mistake(
                lambda given: _term(given, _behind),
                "this is the term that helps the lower one most.",
            ),
            Mistake(
                _unstemmed,
                "this is the word of the query; give the term as the index has it, a stem.",
            ),
        ),
        hints=(
            "print(toysearch.explain_order(searcher, query.text, above, below)) shows both documents side by side.",
            "The column on the right says by how much a term puts the upper document ahead; the largest number with a "
            "plus is what is asked for, and the term as it stands there.",
        ),
    ),
)
