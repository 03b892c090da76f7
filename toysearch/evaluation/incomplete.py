"""What can be said where not every document was judged: how much was, and values from the judged ones alone.

A negative grade says that the document was in the pool and nobody judged it: it counts as unjudged here, as in
trec_eval.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.definition import Definition
from toysearch.evaluation.judged import Judged


def condensed(judged: Judged) -> Judged:
    """The join with the condensed lists: unjudged documents are taken out and the judged ones move up.

    Any measure of the result is its condensed-list form (trec_eval's option -J). Documents with a negative grade go
    too; the judgments themselves, and so the ideal and the number of relevant documents, stay.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.

    Returns
    -------
    Judged
        Ranks 1, 2, … of the judged documents that were retrieved; `retrieved` counts them.

    References
    ----------
    Sakai 2007, Alternatives to Bpref, SIGIR.

    Examples
    --------
    Of five documents the first and the third are unjudged, the fourth has a negative grade:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["u", "a", "v", "b", "c"], [5, 4, 3, 2, 1])])
    >>> short = condensed(join(run, Qrels.from_dict({"1": {"a": 2, "b": -1, "c": 0}})))
    >>> short.ranks, short.grades, short.retrieved
    (array([[1., 2.]]), array([[2., 0.]]), array([2]))
    """
    kept = judged.grades >= 0  # NaN, beyond a row's end, compares as False
    counts = kept.sum(axis=1)
    width = int(counts.max(initial=0))
    within = np.arange(width) < counts[:, np.newaxis]
    ranks = np.where(within, np.arange(1.0, width + 1), np.inf)
    grades = np.full(within.shape, np.nan)
    grades[within] = judged.grades[kept]  # row by row, in the order of the ranks
    return dataclasses.replace(judged, retrieved=counts.astype(np.int64), ranks=ranks, grades=grades)


def judged_share(judged: Judged, cutoff: int | None = None) -> np.ndarray:
    """Judged@k: the share of the first k retrieved documents that was judged, 0 where nothing was retrieved.

    Where fewer than k were retrieved the share is of those, as in ir_measures; without a cutoff, of all.

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["u", "a", "v", "b", "c"], [5, 4, 3, 2, 1])])
    >>> judged_share(join(run, Qrels.from_dict({"1": {"a": 2, "b": -1, "c": 0}})), 3)
    array([0.33333333])
    """
    is_judged = (judged.grades >= 0) & (judged.ranks <= (np.inf if cutoff is None else cutoff))
    depth = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    return np.asarray(is_judged.sum(axis=1) / np.maximum(depth, 1))


def hole_share(judged: Judged, cutoff: int) -> np.ndarray:
    """Hole@k: the documents among the first k that nobody judged for the query, over k.

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["u", "a", "v"], [3, 2, 1])])
    >>> hole_share(join(run, Qrels.from_dict({"1": {"a": 2}})), 5)
    array([0.4])
    """
    judged_there = ((judged.grades >= 0) & (judged.ranks <= cutoff)).sum(axis=1)
    return np.asarray((np.minimum(judged.retrieved, cutoff) - judged_there) / cutoff)


MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "Judged": Definition(
            judged_share,
            "optional",
            {},
            family="incomplete",
            description="the share of the first k documents that was judged, relevant or not",
            formula="judged documents among the first k / documents retrieved among the first k",
            source="as Judged in ir_measures; a negative grade counts as unjudged, as in trec_eval",
            better=None,
            ordered=False,
            undefined="",
            judged_only=False,
        ),
        "Hole": Definition(
            hole_share,
            "needed",
            {},
            family="incomplete",
            description="the share of the first k documents that nobody judged for the query",
            formula="unjudged documents among the first k / k",
            source="Thakur et al. 2021, BEIR, NeurIPS, where a document judged for any query is judged",
            better=None,
            ordered=False,
            undefined="",
            judged_only=False,
        ),
    }
)
