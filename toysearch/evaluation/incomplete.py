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
from toysearch.evaluation.terms import Piece, Sum, Terms


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


def judged_share(judged: Judged, cutoff: int | None = None) -> Terms:
    """Judged@k: the share of the first k retrieved documents that was judged, 0 where nothing was retrieved.

    Where fewer than k were retrieved the share is of those, as in ir_measures; without a cutoff, of all.

    >>> from toysearch.evaluation.typed import scored
    >>> scored("Judged@4", "U 2 U -1")          # a negative grade counts as unjudged
    0.25
    """
    depth = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    return Terms(Sum(_is_judged(judged, cutoff), name="judged"), Piece("depth", np.maximum(depth, 1)))


def hole_share(judged: Judged, cutoff: int) -> Terms:
    """Hole@k: the documents among the first k that are not judged for the query, over k.

    >>> from toysearch.evaluation.typed import scored
    >>> scored("Hole@5", "U 2 U")
    0.4
    """
    depth, seen = np.minimum(judged.retrieved, cutoff), np.asarray(_is_judged(judged, cutoff).values).sum(axis=1)
    return Terms(Piece("unjudged", depth - seen), Piece("cutoff", cutoff))


def _is_judged(judged: Judged, cutoff: int | None) -> Piece:
    """Which of the documents with a grade, and not below the cutoff, are judged."""
    return Piece("is_judged", (judged.grades >= 0) & (judged.ranks <= (np.inf if cutoff is None else cutoff)))


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
        ),
    }
)
