"""Lab 9: judging, pools, agreement of judges, unjudged documents, a corpus that changes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch import Collection, Index, Searcher, evaluate, kappa, load, pool, read_run
from toysearch.base import Run, without_notes
from toysearch.classroom.answers import function, number, table, text, unordered, whole
from toysearch.classroom.exercise import (
    Answer,
    Case,
    Draw,
    Drawn,
    Exercise,
    Given,
    Numbers,
    Unusable,
    off_by_one,
    wrong_functions,
)
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.workbench.judging.pooling import Pool

# 9.4 and 9.5: agreement


Grades = Sequence[float]


def _counts(given: Given) -> list[int]:
    return list(vars(given).values())


def _kappa(given: Given) -> float:
    grades = [
        pair for pair, count in zip(((1, 1), (1, 0), (0, 1), (0, 0)), _counts(given), strict=True) for _ in range(count)
    ]
    return _kappa_of([first for first, _ in grades], [second for _, second in grades])


def _agreement(given: Given) -> float:
    both, _, _, neither = _counts(given)
    return (both + neither) / sum(_counts(given))


def _beyond(given: Given, chance: float) -> float:
    return (_agreement(given) - chance) / (1 - chance)


def _relevant_by_chance(given: Given) -> float:
    both, first, second, _ = _counts(given)
    return (both + first) * (both + second) / sum(_counts(given)) ** 2


def _by_chance(given: Given) -> float:
    _, first, second, neither = _counts(given)
    return _relevant_by_chance(given) + (neither + first) * (neither + second) / sum(_counts(given)) ** 2


def _chance_of_both_together(given: Given) -> float:
    both, first, second, _ = _counts(given)
    share = (2 * both + first + second) / (2 * sum(_counts(given)))
    return share**2 + (1 - share) ** 2


def _lists(draw: Draw, given: Given) -> list[tuple[Grades, Grades]]:
    rows: list[tuple[Grades, Grades]] = []
    for size in (9, 11, 12, 14):
        first = [0, *(draw.whole(0, 3) for _ in range(size - 2)), 3]
        second = [grade if draw.whole(1, 10) <= 6 else draw.whole(0, 2) for grade in first]
        rows.append((first, second))
    a, b, c = draw.shuffled([4, 7, 12])
    rows += map(_digits, ("0120 0120", "0101 1010", "0000 0010", "11001011 10001111", "0312302 1312003"))
    rows += [
        ([a, b, a, c, a], [a, b, b, c, c]),
        ([0.5, 1, 0.5, 0, 1], [0.5, 1, 0.75, 0, 0.5]),
        ([-1, 1, -1], [-1, 1, 1]),
    ]
    moved = f"{'0123' * 6}03 {'0123' * 3}{'1230' * 3}03"
    return [*rows, *map(_digits, (moved, "011111 211111", "01201 10210"))]


def _digits(text: str) -> tuple[Grades, Grades]:
    """Return the grades of two judges, a digit each."""
    first, second = ([*map(int, grades)] for grades in text.split())
    return first, second


def _kappa_of(first: Grades, second: Grades) -> float:
    one, other = ({"": {str(place): grade for place, grade in enumerate(grades)}} for grades in (first, second))
    return kappa(one, other).kappa


def _share_equal(first: Grades, second: Grades) -> float:
    return sum(one == other for one, other in zip(first, second, strict=True)) / len(first)


def _with_equal_chances(first: Grades, second: Grades) -> float:
    chance = 1 / len({*first, *second})
    return (_share_equal(first, second) - chance) / (1 - chance)


def _with_chance_of_both(first: Grades, second: Grades) -> float:
    together = [*first, *second]
    chance = sum((together.count(grade) / len(together)) ** 2 for grade in set(together))
    return (_share_equal(first, second) - chance) / (1 - chance)


_NAMES = ("P@5 lowest", "P@5 highest", "AP", "AP condensed", "Bpref")
_GRADES = {"relevant": 1.0, "not": 0.0}


def _partly_judged(draw: Draw) -> Drawn:
    states = draw.shuffled(["relevant"] * 3 + ["not"] * 2 + ["unjudged"] * 3)
    return {"ranking": states, "missed": draw.whole(1, 3)}


def _readings(given: Given, missed: int = -1) -> Numbers:
    values = _read(tuple(given.ranking), given.missed if missed < 0 else missed)
    return dict(zip(_NAMES, values, strict=True))


@functools.lru_cache(maxsize=600)
def _read(states: tuple[str, ...], missed: int) -> tuple[float, ...]:
    ranking = [str(rank) for rank, _ in enumerate(states, 1)]
    judged = {rank: _GRADES[state] for rank, state in zip(ranking, states, strict=True) if state in _GRADES}
    judged |= {f"missed {number}": 1.0 for number in range(missed)}
    run, qrels = {"": ranking}, {"": judged}
    bounds = unjudged_bounds(run, qrels, "P@5", threshold=1).means["P@5"]
    return (*bounds, *evaluate(run, qrels, "AP AP(judged_only=True) Bpref", threshold=1).means.values())


def _misread(name: str, wrong: Callable[[Given], float]) -> Callable[[Given], Numbers]:
    return lambda g: _readings(g) | {name: wrong(g)}


def _of_the_judged(given: Given) -> float:
    top = [state for state in given.ranking[:5] if state in _GRADES]
    return top.count("relevant") / len(top)


_FIRST, _SECOND = "companions", "companions-2"


@functools.cache
def _collection(name: str = _FIRST) -> Collection:
    return load(name)


@functools.cache
def _runs() -> dict[str, Run]:
    """Read the ten runs from which the first release was pooled."""
    folder = _collection().folder
    assert folder is not None  # a collection included in toysearch
    return {path.stem: read_run(path) for path in sorted((folder / "pools").glob("*.run"))}


@functools.lru_cache(maxsize=200)
def _pool(names: tuple[str, ...], depth: int) -> Pool:
    return pool({name: _runs()[name] for name in names}, depth)


# 9.1: judging

_SCALE = (0, 1, 2, 3)
_WORDS = (20, 130)  # of a passage that is given: what is read in a minute
_HARD = 8  # passages that many runs found high up: their words fit, whatever they say


def grades_of_passages() -> Answer:
    """Expect a grade for each given passage; the student decides, so every complete set of grades is right."""

    def look(answer: Any, case: Case) -> dict[str, dict[str, int]]:
        if not isinstance(answer, Mapping):
            raise Unusable(f"{answer!r:.60} ({type(answer).__name__})")
        by_need = {str(need): grades for need, grades in answer.items()}
        return {need: _grades_of_need(by_need, need, doc_ids) for need, doc_ids in case.given.needs.items()}

    expects = "a dict from each need to a dict from each of its passages to a grade: 0, 1, 2 or 3"
    return Answer(expects, look, same=lambda seen, right: True)


def _grades_of_need(by_need: Mapping[str, Any], need: str, doc_ids: Sequence[str]) -> dict[str, int]:
    grades = by_need.get(need)
    if not isinstance(grades, Mapping):
        raise Unusable(f"nothing for need {need}")
    odd = [str(doc_id) for doc_id in grades if doc_id not in doc_ids]
    if odd:
        raise Unusable(f"'{odd[0]:.20}' among the passages of need {need}, which was not given")
    for doc_id in doc_ids:
        if doc_id not in grades or grades[doc_id] is None or grades[doc_id] is ...:
            raise Unusable(f"no grade yet for {doc_id} of need {need}")
        if isinstance(grades[doc_id], str | bool) or grades[doc_id] not in _SCALE:
            raise Unusable(f"the grade {grades[doc_id]!r:.20} for {doc_id} of need {need}")
    return {doc_id: int(grades[doc_id]) for doc_id in doc_ids}


@functools.cache
def _readable() -> dict[str, tuple[list[str], list[str]]]:
    """Return the needs with some short passages: those of grade 1 or more, and those of 0 with high ranks."""
    whole, lengths = _pool(tuple(_runs()), 20), {d.doc_id: len(d.text.split()) for d in _collection().documents}
    passages = {}
    for need in _collection().qrels.query_ids:
        grades = _collection().qrels[need]
        short = [doc_id for doc_id in grades if _WORDS[0] <= lengths[doc_id] <= _WORDS[1]]
        good = [doc_id for doc_id in short if grades[doc_id] >= 1]
        found_high = {doc_id: sum(1 / (10 + rank) for rank in by.values()) for doc_id, by in whole.ranks[need].items()}
        others = sorted(set(short) - set(good), key=lambda doc_id: (-found_high[doc_id], doc_id))
        if len({grades[doc_id] for doc_id in good}) >= 2 and len(others) >= _HARD:
            passages[need] = good, others[:_HARD]
    return passages


def _to_judge(draw: Draw) -> Drawn:
    needs = {}
    for need in draw.some(list(_readable()), 2):
        good, others = _readable()[need]
        grades = _collection().qrels[need]
        first = draw.one(good)
        second = draw.one([doc_id for doc_id in good if grades[doc_id] != grades[first]])
        needs[need] = sorted([first, second, *draw.some(others, 3)])
    return {"needs": needs}


# 9.2 and 9.3: pools


def _rankings(draw: Draw) -> Drawn:
    runs = {name: draw.some("abcdefghijkl", 7) for name in ("one", "two", "three")}
    return {"runs": runs, "depth": draw.whole(2, 4)}


def _pooled(given: Given, more: int = 0) -> list[str]:
    return sorted({doc_id for ranking in given.runs.values() for doc_id in ranking[: given.depth + more]})


def _shared(given: Given) -> list[str]:
    first, *others = (set(ranking[: given.depth]) for ranking in given.runs.values())
    return sorted(first.intersection(*others))


def _at_least_two(given: Given) -> list[str]:
    pooled = [doc_id for ranking in given.runs.values() for doc_id in ranking[: given.depth]]
    return sorted({doc_id for doc_id in pooled if pooled.count(doc_id) > 1})


_WITH_FINDS = ("bm25-keywords", "bm25-keywords", "lsa", "dph-narrative", "pieces-title", "cosine-plain")


@functools.lru_cache(maxsize=200)
def _found(run: str, depth: int, relevant: bool = True, alone: bool = True) -> int:
    """Count the pairs that a run brings to a pool: relevant ones or all, alone or with others."""
    qrels, ranks = _collection().qrels, _pool(tuple(_runs()), depth).ranks
    return sum(
        run in by and (not alone or len(by) == 1) and (not relevant or qrels[need][doc_id] >= 1)
        for need, documents in ranks.items()
        for doc_id, by in documents.items()
    )


def _found_alone(given: Given, **others: bool) -> int:
    return _found(given.run, given.depth, **others)


# 9.7: without a run

_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")


@functools.lru_cache(maxsize=600)
def _value_from(run: str, names: tuple[str, ...], depth: int, measure: str) -> float:
    qrels = _collection().qrels
    judged = {need: {doc_id: qrels[need][doc_id] for doc_id in ids} for need, ids in _pool(names, depth).items()}
    return evaluate(_runs()[run], judged, measure, threshold=1).means[measure]


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
    """Evaluate a ranking of one release by the judgments of the same or the other."""
    with without_notes():  # a need without a known word has the value 0 and a note
        run = Searcher(_index(release), model).run(_collection(release).queries)
        return evaluate(run, _collection(judged_for).qrels, measure, threshold=1).means[measure]


def _by_both(
    given: Given, old: tuple[str, str] = (_SECOND, _FIRST), new: tuple[str, str] = (_SECOND, _SECOND)
) -> Numbers:
    """Return the values under the two keys, each of a release and the judgments of one."""
    ways = {"old": old, "new": new}
    return {name: _on(release, given.model, judged, given.measure) for name, (release, judged) in ways.items()}


EXERCISES = (
    Exercise(
        title="Judge for yourself",
        why="Your grades may differ from those of the assessors; reasonable people disagree, and measures tolerate it.",
        given=_to_judge,
        answer=grades_of_passages(),
        expected=lambda g: {
            need: {doc_id: _collection().qrels[need][doc_id] for doc_id in ids} for need, ids in g.needs.items()
        },
        hints=(
            "Read the description first, then the narrative, then the passage; ask whether it helps with that need, "
            "not whether it has the same words.",
            "If you hesitate between two grades, check what the narrative says about the higher one.",
        ),
        points=2,
    ),
    Exercise(
        title="A pool by hand",
        why="A pool is the union of several rankings: their diversity matters more than depth.",
        given=_rankings,
        answer=unordered(text(), "documents"),
        expected=_pooled,
        mistakes={
            "these are the documents that all runs share; a pool has the documents of at least one run.": _shared,
            "one run is enough to bring a document into the pool.": _at_least_two,
            "you used the whole runs; the pool has only the given depth.": {"more": 7},
            "you stopped one rank too early.": {"more": -1},
            "you went one rank too deep.": {"more": 1},
        },
        hints=(
            "Cut each run at the depth. Then combine them.",
            "That is a union of sets: set(one[:depth]) | set(two[:depth]) | set(three[:depth]).",
        ),
    ),
    Exercise(
        title="Found by one run alone",
        why="Documents found by one run alone would be unjudged without it, and count against any new system.",
        given=lambda draw: {"run": draw.one(_WITH_FINDS), "depth": draw.whole(3, 15)},
        answer=whole(),
        expected=_found_alone,
        mistakes={
            "these are all that it found alone; how many of them are relevant?": {"relevant": False},
            "these are all the relevant ones that it brings; leave out those that another run has too.": {
                "alone": False
            },
            "this is from the pool of depth 20; yours is shallower.": lambda g: _found(g.run, 20),
            "this is from a pool one rank deeper or shallower: ranks count from 1.": off_by_one(_found_alone, "depth"),
        },
        hints=(
            "toysearch.pool(runs, depth).ranks[need][doc_id] is a dict from the runs that found it to their ranks.",
            "Count the pairs whose dict has your run as its only key and whose grade in collection.qrels is 1 or more.",
        ),
        points=2,
    ),
    Exercise(
        title="κ by hand",
        why="High raw agreement can be mostly chance when nearly everything is irrelevant.",
        given=lambda draw: {
            "both": draw.whole(20, 60),
            "only the first": draw.whole(3, 8),
            "only the second": draw.whole(16, 30),
            "neither": draw.whole(50, 120),
        },
        answer=number(decimals=3),
        expected=_kappa,
        mistakes={
            "this is the share on which they agree; part of that is due to chance.": _agreement,
            "you subtracted chance, but did not divide by 1 − E, the most that agreement can gain.": lambda g: (
                _agreement(g) - _by_chance(g)
            ),
            "this is E, the agreement expected by chance; κ measures the agreement beyond it.": _by_chance,
            "chance is not one half: it depends on how often each judge says yes.": lambda g: _beyond(g, 0.5),
            "by chance they also agree on what is not relevant; E has two parts.": lambda g: _beyond(
                g, _relevant_by_chance(g)
            ),
            "this estimates chance from both judges together, which is Scott's π; κ uses the shares of each judge.": (
                lambda g: _beyond(g, _chance_of_both_together(g))
            ),
        },
        hints=(
            "A is the share of pairs on which both agree. How often does each of them say relevant?",
            "E = p₁ · p₂ + (1 − p₁) · (1 − p₂), with p₁ and p₂ the shares that each calls relevant. κ = (A − E) / "
            "(1 − E).",
        ),
    ),
    Exercise(
        title="κ from scratch",
        why="The same number serves annotators, diagnoses and language models as judges.",
        answer=function(number(decimals=6), "kappa(first, second)"),
        inputs=_lists,
        expected=lambda g: _kappa_of,
        mistakes=wrong_functions(
            {
                "you return the share of equal grades; subtract chance.": _share_equal,
                "you take all grades to be equally likely by chance; each judge gives some more often than others.": (
                    _with_equal_chances
                ),
                "you estimate chance from the grades of both together, which is Scott's π; κ uses each judge's own.": (
                    _with_chance_of_both
                ),
            }
        ),
        hints=(
            "First A: the number of places where the two lists are equal, divided by their length.",
            "E is a sum over all grades g: first.count(g) / n times second.count(g) / n.",
        ),
        points=2,
    ),
    Exercise(
        title="One ranking, five readings",
        why="Unjudged does not mean irrelevant, and each reading gives another value: say which you used.",
        given=_partly_judged,
        answer=table(number(decimals=4), "measures"),
        expected=_readings,
        mistakes={
            "your condensed AP is the plain one: remove the unjudged documents, and those below move up.": _misread(
                "AP condensed", lambda g: _readings(g)["AP"]
            ),
            (
                "your lowest P@5 is the share among the judged; divide by five, and count the unjudged as not relevant."
            ): _misread("P@5 lowest", _of_the_judged),
            "your highest P@5 is the lowest; let every unjudged document be relevant.": _misread(
                "P@5 highest", lambda g: _readings(g)["P@5 lowest"]
            ),
            "both your APs divide by the relevant documents found; R includes the missed ones.": lambda g: (
                _readings(g) | {name: _readings(g, 0)[name] for name in ("AP", "AP condensed")}
            ),
            "your Bpref counts unjudged documents as not relevant; Bpref uses only judged ones.": _misread(
                "Bpref",
                lambda g: _readings(
                    Given(ranking=[state.replace("unjudged", "not") for state in g.ranking], missed=g.missed)
                )["Bpref"],
            ),
        },
        hints=(
            "R = the relevant ones found + those missed. AP: the precision at the rank of each relevant one found, "
            "their sum divided by R. Condensed: remove the unjudged first.",
            "Bpref: for each relevant one found, n judged not relevant ones stand above it; it adds 1 − n / min(N, R), "
            "and the sum is divided by R. N is 2 here.",
        ),
        points=2,
    ),
    Exercise(
        title="A run left out of the pool",
        why="A new, unjudged system loses this much; old collections can be unfair to new kinds of systems.",
        given=lambda draw: {
            "run": draw.one(list(_runs())),
            "depth": draw.whole(3, 8),
            "measure": draw.one(_MEASURES),
        },
        answer=number(decimals=4),
        expected=_left_out,
        mistakes={
            "this is with the run in the pool; make the pool of the nine others.": lambda g: _value_from(
                g.run, tuple(_runs()), g.depth, g.measure
            ),
            "this is from a pool of depth 20; yours is shallower.": {"depth": 20},
            "this is from a pool of your run alone; it should be of all the others.": lambda g: _value_from(
                g.run, (g.run,), g.depth, g.measure
            ),
            "this is from a pool one rank deeper or shallower: ranks count from 1.": off_by_one(_left_out, "depth"),
        },
        hints=(
            "{name: run for name, run in runs.items() if name != left_out} are the others.",
            "evaluate the run by judged_from(others, depth), with your measure and threshold=1.",
        ),
        points=2,
    ),
    Exercise(
        title="Old judgments, new corpus",
        why="Judgments belong to a version of the documents; a growing corpus outdates them silently.",
        given=lambda draw: {"model": draw.one(_MODELS), "measure": draw.one(_MEASURES)},
        answer=table(number(decimals=4), "judgments"),
        expected=_by_both,
        mistakes={
            "under old you ranked the first release; rank the second one in both cases.": {"old": (_FIRST, _FIRST)},
            "you ranked the first release; rank the second one.": {"old": (_FIRST, _FIRST), "new": (_FIRST, _SECOND)},
            "you swapped old and new.": {"old": (_SECOND, _SECOND), "new": (_SECOND, _FIRST)},
        },
        hints=(
            "One run: toysearch.Searcher(second_index, model).run(second.queries). Two sets of judgments.",
            'Evaluate the run by collection.qrels (old) and by second.qrels (new): {"old": …, "new": …}.',
        ),
    ),
)
