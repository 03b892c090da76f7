"""One set of judgments from those of several judges: by majority, the best grade, the worst, or the mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import DataError, unknown
from toysearch.base.records import Qrels
from toysearch.evaluation.judge_agreement import Disputed, grades_by_pair
from toysearch.formats.run_and_qrels import QrelsLike, as_qrels

__all__ = ["MERGE_RULES", "Merged", "merge_qrels"]


class Merged(NamedTuple):
    """One set of judgments, merged from several.

    Attributes
    ----------
    qrels : Qrels
        The merged grades.
    undecided : tuple of Disputed
        The pairs without a majority grade that were not decided either: these are left out.
    """

    qrels: Qrels
    undecided: tuple[Disputed, ...]


def _majority(grades: list[float]) -> float:
    """The grade that most judges gave; NaN if two grades were given equally often."""
    votes: dict[float, int] = {}
    for grade in grades:
        votes[grade] = votes.get(grade, 0) + 1
    most = max(votes.values())
    first, *others = [grade for grade, number in votes.items() if number == most]
    return math.nan if others else first


def _mean(grades: list[float]) -> float:
    return math.fsum(grades) / len(grades)


MERGE_RULES: Mapping[str, Callable[[list[float]], float]] = MappingProxyType(
    {"majority": _majority, "optimistic": max, "pessimistic": min, "mean": _mean}
)
"""Name of a rule → the grade for the grades of several judges; NaN if there is none."""


@checked
def merge_qrels(
    judgments: Mapping[str, QrelsLike], decisions: QrelsLike | None = None, *, rule: str = "majority"
) -> Merged:
    """One set of judgments from several: one grade for each pair by a rule, unless another one was decided.

    ===========  ============================================================================================
    majority     the grade that more judges gave than any other; a pair with a tie is left out as undecided
    optimistic   the highest grade that a judge gave
    pessimistic  the lowest grade that a judge gave
    mean         the arithmetic mean of the grades, which may be a fraction
    ===========  ============================================================================================

    Parameters
    ----------
    judgments : dict of judge to judgments
        What `evaluate` takes as judgments.
    decisions : Qrels, dict, data frame or path, optional
        Grades decided in discussion: these take precedence.
    rule : {"majority", "optimistic", "pessimistic", "mean"}, default "majority"
        The rule.

    Raises
    ------
    ArgumentError
        If the rule is unknown.
    DataError
        If no pair has a grade in the end, or judgments are malformed.

    Examples
    --------
    >>> ada, ben, carla = {"1": {"a": 2, "b": 1}}, {"1": {"a": 2, "b": 0}}, {"1": {"a": 0}}
    >>> found = merge_qrels({"ada": ada, "ben": ben, "carla": carla})
    >>> found.qrels["1"], found.undecided[0].doc_id
    ({'a': 2.0}, 'b')
    >>> merge_qrels({"ada": ada, "ben": ben}, {"1": {"b": 1}}).qrels["1"]
    {'a': 2.0, 'b': 1.0}
    >>> merge_qrels({"ada": ada, "ben": ben, "carla": carla}, rule="pessimistic").qrels["1"]
    {'a': 0.0, 'b': 0.0}
    """
    if rule not in MERGE_RULES:
        raise unknown("rule", rule, MERGE_RULES)
    merged: dict[str, dict[str, float]] = {}
    undecided = []
    pairs = grades_by_pair(judgments)
    decided = (
        {(row.query_id, row.doc_id): row.relevance for row in as_qrels(decisions)} if decisions is not None else {}
    )
    for pair in dict.fromkeys([*pairs, *decided]):
        grades = pairs.get(pair, {})
        grade = decided[pair] if pair in decided else MERGE_RULES[rule]([*grades.values()])
        if math.isnan(grade):
            undecided.append(Disputed(*pair, grades))
        else:
            merged.setdefault(pair[0], {})[pair[1]] = grade
    if not merged:
        raise DataError("no pair has a grade that most judges gave; decide the grades in a separate sheet")
    return Merged(Qrels.from_dict(merged), tuple(undecided))
