"""The queries that a system answers worst or best, and those that none answers: what came, and what was wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toysearch.errors import ArgumentError
from toysearch.evaluation.result import Evaluation
from toysearch.formats.run_order import ordered
from toysearch.records import Qrels, Run


class Placed(NamedTuple):
    """A document of a poorly answered query: its rank (None: not retrieved) and grade (None: not judged)."""

    doc_id: str
    rank: int | None
    grade: float | None


class PoorQuery(NamedTuple):
    """A query that stands out, most often a poorly answered one.

    Attributes
    ----------
    query_id : str
        The query.
    value : float
        Its value of the measure.
    came : list of Placed
        What was ranked first.
    wanted : list of Placed
        All relevant documents, the best grade first, then by rank.
    """

    query_id: str
    value: float
    came: list[Placed]
    wanted: list[Placed]


class HardQuery(NamedTuple):
    """A query with the best value that any of several runs has for it, and the first run that has it."""

    query_id: str
    value: float
    run: str


def poorest(
    run: Run, qrels: Qrels, evaluation: Evaluation, n: int = 10, depth: int = 3, *, best: bool = False
) -> list[PoorQuery]:
    """The queries with the lowest values of an evaluation's first measure, poorest first.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        What came of it.
    n : int
        How many queries at the most.
    depth : int
        How many of the first documents of each to list.
    best : bool, default False
        The queries with the highest values in their place, best first.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 2, "b": 1}}), Qrels.from_dict({"1": {"b": 1, "c": 1}})
    >>> poorest(run, qrels, evaluate(run, qrels))[0].wanted
    [Placed(doc_id='b', rank=2, grade=1.0), Placed(doc_id='c', rank=None, grade=1.0)]
    """
    run, _ = ordered(run, evaluation.ties)
    pairs = evaluation.worst()
    if best:
        pairs.sort(key=lambda pair: pair[1], reverse=not _lower_is_better(evaluation))
    return [_poor_query(run, qrels, evaluation, query_id, value, depth) for query_id, value in pairs[:n]]


def hardest(evaluations: Sequence[Evaluation], n: int = 10) -> list[HardQuery]:
    """The queries that no run answers well: those whose best value over all runs is lowest, the hardest first.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of several runs by the same judgments, and by the same first measure, which is the one looked at.
    n : int
        How many queries at the most.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> qrels = {"1": {"a": 1}, "2": {"a": 1}}
    >>> first = evaluate({"1": ["a"], "2": ["b"]}, qrels, "RR")
    >>> second = evaluate({"1": ["b", "a"], "2": ["c", "b", "a"]}, qrels, "RR")
    >>> [(query.query_id, round(query.value, 4)) for query in hardest([first, second])]
    [('2', 0.3333), ('1', 1.0)]
    """
    if not evaluations:
        raise ArgumentError("evaluations must be one at least, and there is none")
    sign = 1 if _lower_is_better(evaluations[0]) else -1
    best: dict[str, HardQuery] = {}
    for evaluation in evaluations:
        for query_id, value in evaluation.worst():
            known = best.get(query_id)
            if known is None or sign * value < sign * known.value:
                best[query_id] = HardQuery(query_id, value, evaluation.name)
    return sorted(best.values(), key=lambda query: -sign * query.value)[:n]


def _lower_is_better(evaluation: Evaluation) -> bool:
    return evaluation.measures[0].definition.better == "lower"


def _poor_query(run: Run, qrels: Qrels, evaluation: Evaluation, query_id: str, value: float, depth: int) -> PoorQuery:
    grades = qrels[query_id]
    doc_ids = run.doc_ids[run.rows(query_id)]
    ranks = {doc_id: rank for rank, doc_id in enumerate(doc_ids, 1)}
    came = [Placed(doc_id, rank, grades.get(doc_id)) for rank, doc_id in enumerate(doc_ids[:depth], 1)]
    relevant = [doc_id for doc_id, grade in grades.items() if grade >= evaluation.threshold and grade > 0]
    missed = len(doc_ids) + 1
    relevant.sort(key=lambda doc_id: (-grades[doc_id], ranks.get(doc_id, missed)))
    return PoorQuery(query_id, value, came, [Placed(d, ranks.get(d), grades[d]) for d in relevant])
