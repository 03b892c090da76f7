"""Lab 9: judging, pools, agreement of judges, unjudged documents, a corpus that changes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.course.answer_kinds import Number, Table, Text, Unordered, Whole
from toysearch.course.exercise import Case, Exercise, Given, Mistake, Unusable, off_by_one
from toysearch.course.exercises.lab09_agreement import BY_HAND, FROM_SCRATCH
from toysearch.course.exercises.lab09_readings import READINGS
from toysearch.course.students import Draw
from toysearch.errors import without_notes
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.pooling import Pool, pool
from toysearch.formats.runs import read_run
from toysearch.index.index import Index
from toysearch.records import Run
from toysearch.search.searcher import Searcher

_FIRST, _SECOND = "companions", "companions-2"


@functools.cache
def _collection(name: str = _FIRST) -> Collection:
    return load(name)


@functools.cache
def _runs() -> dict[str, Run]:
    """The ten runs from which the first release was pooled."""
    folder = _collection().folder
    assert folder is not None  # it is one of the collections that come along
    return {path.stem: read_run(path) for path in sorted((folder / "pools").glob("*.run"))}


@functools.lru_cache(maxsize=200)
def _pool(names: tuple[str, ...], depth: int) -> Pool:
    return pool({name: _runs()[name] for name in names}, depth)


# 9.1: judging

_SCALE = (0, 1, 2, 3)
_WORDS = (20, 130)  # of a passage that is given: what is read in a minute
_HARD = 8  # passages that many runs found high up: their words fit, whatever they say


@dataclass(frozen=True)
class Grades:
    """A grade for each passage that is given; which one is the student's own affair."""

    @property
    def expects(self) -> str:
        """What a student should give."""
        return "a dict from each need to a dict from each of its passages to a grade: 0, 1, 2 or 3"

    def look(self, answer: Any, case: Case) -> dict[str, dict[str, int]]:
        """The grades by need and passage."""
        if not isinstance(answer, Mapping):
            raise Unusable(f"{answer!r:.60} ({type(answer).__name__})")
        given = {str(need): found for need, found in answer.items()}
        return {need: self._of_need(given, need, doc_ids) for need, doc_ids in case.given.needs.items()}

    def same(self, seen: Any, right: Any) -> bool:
        """Whatever was judged is as good as what others judged."""
        return True

    def remark(self, seen: Any, right: Any, case: Case) -> str:
        """Nothing."""
        return ""

    def _of_need(self, given: Mapping[str, Any], need: str, doc_ids: Sequence[str]) -> dict[str, int]:
        found = given.get(need)
        if not isinstance(found, Mapping):
            raise Unusable(f"nothing for need {need}")
        odd = [str(doc_id) for doc_id in found if doc_id not in doc_ids]
        if odd:
            raise Unusable(f"'{odd[0]:.20}' among the passages of need {need}, which was not given")
        for doc_id in doc_ids:
            if doc_id not in found or found[doc_id] is None or found[doc_id] is ...:
                raise Unusable(f"no grade yet for {doc_id} of need {need}")
            if isinstance(found[doc_id], str | bool) or found[doc_id] not in _SCALE:
                raise Unusable(f"the grade {found[doc_id]!r:.20} for {doc_id} of need {need}")
        return {doc_id: int(found[doc_id]) for doc_id in doc_ids}


@functools.cache
def _readable() -> dict[str, tuple[list[str], list[str]]]:
    """The needs with some short passages of unlike grades: those of 1 or more, and of 0 those found high."""
    whole, lengths = _pool(tuple(_runs()), 20), {d.doc_id: len(d.text.split()) for d in _collection().documents}
    found = {}
    for need in _collection().qrels.query_ids:
        grades = _collection().qrels[need]
        short = [doc_id for doc_id in grades if _WORDS[0] <= lengths[doc_id] <= _WORDS[1]]
        good = [doc_id for doc_id in short if grades[doc_id] >= 1]
        found_high = {doc_id: sum(1 / (10 + rank) for rank in by.values()) for doc_id, by in whole.ranks[need].items()}
        others = sorted(set(short) - set(good), key=lambda doc_id: (-found_high[doc_id], doc_id))
        if len({grades[doc_id] for doc_id in good}) >= 2 and len(others) >= _HARD:
            found[need] = good, others[:_HARD]
    return found


def _to_judge(draw: Draw) -> dict[str, Any]:
    needs = {}
    for need in draw.some(list(_readable()), 2):
        good, others = _readable()[need]
        grades = _collection().qrels[need]
        first = draw.one(good)
        second = draw.one([doc_id for doc_id in good if grades[doc_id] != grades[first]])
        needs[need] = sorted([first, second, *draw.some(others, 3)])
    return {"needs": needs}


def _assessors(given: Given) -> dict[str, dict[str, float]]:
    return {need: {doc_id: _collection().qrels[need][doc_id] for doc_id in ids} for need, ids in given.needs.items()}


# 9.2 and 9.3: pools


def _rankings(draw: Draw) -> dict[str, Any]:
    runs = {name: draw.some("abcdefghijkl", 7) for name in ("one", "two", "three")}
    return {"runs": runs, "depth": draw.whole(2, 4)}


def _pooled(given: Given, depth: int) -> list[str]:
    return sorted({doc_id for ranking in given.runs.values() for doc_id in ranking[:depth]})


def _shared(given: Given) -> list[str]:
    first, *others = (set(ranking[: given.depth]) for ranking in given.runs.values())
    return sorted(first.intersection(*others))


def _at_least_two(given: Given) -> list[str]:
    found = [doc_id for ranking in given.runs.values() for doc_id in ranking[: given.depth]]
    return sorted({doc_id for doc_id in found if found.count(doc_id) > 1})


_WITH_FINDS = ("bm25-keywords", "bm25-keywords", "lsa", "dph-narrative", "pieces-title", "cosine-plain")


@functools.lru_cache(maxsize=200)
def _found(run: str, depth: int, relevant: bool = True, alone: bool = True) -> int:
    """How many pairs of a pool a run brings: relevant ones or all, alone or with others."""
    qrels, ranks = _collection().qrels, _pool(tuple(_runs()), depth).ranks
    return sum(
        run in by and (not alone or len(by) == 1) and (not relevant or qrels[need][doc_id] >= 1)
        for need, found in ranks.items()
        for doc_id, by in found.items()
    )


def _found_alone(given: Given) -> int:
    return _found(given.run, given.depth)


# 9.7: without a run

_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")


def _judged_from(names: tuple[str, ...], depth: int) -> dict[str, dict[str, float]]:
    """The judgments there would be, had these runs been pooled to a depth."""
    qrels = _collection().qrels
    return {need: {doc_id: qrels[need][doc_id] for doc_id in ids} for need, ids in _pool(names, depth).items()}


@functools.lru_cache(maxsize=600)
def _value_from(run: str, names: tuple[str, ...], depth: int, measure: str) -> float:
    return evaluate(_runs()[run], _judged_from(names, depth), measure, threshold=1).means[measure]


def _left_out(given: Given, depth: int = 0) -> float:
    others = tuple(name for name in _runs() if name != given.run)
    return _value_from(given.run, others, depth or given.depth, given.measure)


# 9.8: a corpus that changes

_MODELS = ("bm25", "bm25:b=0.4", "bm25:k1=2", "lm-jm", "lm-dirichlet", "tfidf", "dph", "bm25plus", "pl2", "overlap")


@functools.cache
def _index(name: str) -> Index:
    return Index.build(_collection(name))


@functools.lru_cache(maxsize=400)
def _on(release: str, model: str, judged_for: str, measure: str) -> float:
    """The value of a ranking of one release by the judgments of the same or the other."""
    with without_notes():  # a need without a known word is worth 0, and a note
        run = Searcher(_index(release), model).run(_collection(release).queries)
        return evaluate(run, _collection(judged_for).qrels, measure, threshold=1).means[measure]


def _by_both(given: Given, old: tuple[str, str], new: tuple[str, str]) -> dict[str, float]:
    """The values under the two keys, each of a release and the judgments of one."""
    ways = {"old": old, "new": new}
    return {name: _on(release, given.model, judged, given.measure) for name, (release, judged) in ways.items()}


EXERCISES = (
    Exercise(
        number="9.1",
        title="Judge for yourself",
        given=_to_judge,
        answer=Grades(),
        expected=_assessors,
        hints=(
            "Read the description first, then the narrative, then the passage; ask whether it helps who has that need, "
            "not whether it has their words.",
            "Where you waver between two grades, ask what the narrative says of the higher one.",
        ),
        points=2,
    ),
    Exercise(
        number="9.2",
        title="A pool by hand",
        given=_rankings,
        answer=Unordered(Text(), "documents"),
        expected=lambda given: _pooled(given, given.depth),
        mistakes=(
            Mistake(_shared, "these are the documents that all runs share; a pool takes what at least one has."),
            Mistake(_at_least_two, "one run is enough to bring a document into the pool."),
            Mistake(lambda given: _pooled(given, 7), "you took the runs whole; the pool is only as deep as is said."),
            Mistake(lambda given: _pooled(given, given.depth - 1), "you stopped one rank too early."),
            Mistake(lambda given: _pooled(given, given.depth + 1), "you went one rank too deep."),
        ),
        hints=(
            "Cut each run after the depth. Then put them together.",
            "That is a union of sets: set(one[:depth]) | set(two[:depth]) | set(three[:depth]).",
        ),
    ),
    Exercise(
        number="9.3",
        title="Found by one alone",
        given=lambda draw: {"run": draw.one(_WITH_FINDS), "depth": draw.whole(3, 15)},
        answer=Whole(),
        expected=_found_alone,
        mistakes=(
            Mistake(
                lambda given: _found(given.run, given.depth, relevant=False),
                "these are all that it found alone; how many of them are relevant?",
            ),
            Mistake(
                lambda given: _found(given.run, given.depth, alone=False),
                "these are all relevant ones that it brings; leave out what another run has, too.",
            ),
            Mistake(
                lambda given: _found(given.run, 20),
                "this is from the pool of depth 20; yours is less deep.",
            ),
            *off_by_one(_found_alone, "depth", "this is from a pool one rank deeper or less deep: ranks count from 1."),
        ),
        hints=(
            "toysearch.pool(runs, depth).ranks[need][doc_id] is a dict from the runs that found it to their ranks.",
            "Count the pairs whose dict has your run as its only key and whose grade in collection.qrels is 1 or more.",
        ),
        points=2,
    ),
    BY_HAND,
    FROM_SCRATCH,
    READINGS,
    Exercise(
        number="9.7",
        title="Had it not taken part",
        given=lambda draw: {
            "run": draw.one(list(_runs())),
            "depth": draw.whole(3, 8),
            "measure": draw.one(_MEASURES),
        },
        answer=Number(decimals=4),
        expected=_left_out,
        mistakes=(
            Mistake(
                lambda given: _value_from(given.run, tuple(_runs()), given.depth, given.measure),
                "this is with the run in the pool; make the pool of the nine others.",
            ),
            Mistake(
                lambda given: _left_out(given, 20),
                "this is from a pool of depth 20; yours is less deep.",
            ),
            Mistake(
                lambda given: _value_from(given.run, (given.run,), given.depth, given.measure),
                "this is from a pool of your run alone; it should be of all the others.",
            ),
            *off_by_one(_left_out, "depth", "this is from a pool one rank deeper or less deep: ranks count from 1."),
        ),
        hints=(
            "{name: run for name, run in runs.items() if name != left_out} are the others.",
            "evaluate the run by judged_from(others, depth), with your measure and threshold=1.",
        ),
        points=2,
    ),
    Exercise(
        number="9.8",
        title="Old judgments, new corpus",
        given=lambda draw: {"model": draw.one(_MODELS), "measure": draw.one(_MEASURES)},
        answer=Table(Number(decimals=4), "judgments"),
        expected=lambda given: _by_both(given, old=(_SECOND, _FIRST), new=(_SECOND, _SECOND)),
        mistakes=(
            Mistake(
                lambda given: _by_both(given, old=(_FIRST, _FIRST), new=(_SECOND, _SECOND)),
                "under old you ranked the first release; rank the second one in both cases.",
            ),
            Mistake(
                lambda given: _by_both(given, old=(_FIRST, _FIRST), new=(_FIRST, _SECOND)),
                "you ranked the first release; it is the second one that is searched now.",
            ),
            Mistake(
                lambda given: _by_both(given, old=(_SECOND, _SECOND), new=(_SECOND, _FIRST)),
                "you have exchanged old and new.",
            ),
        ),
        hints=(
            "One run: toysearch.Searcher(second_index, model).run(second.queries). Two sets of judgments.",
            'Evaluate the run by collection.qrels (old) and by second.qrels (new): {"old": …, "new": …}.',
        ),
    ),
)
