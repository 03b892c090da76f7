"""Measures of how much was judged.

A negative grade means that the document was pooled but not judged: it counts as unjudged here, as in trec_eval.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.joined_run import JoinedRun
from toysearch.evaluation.measures.definition import Definition, Piece, Sum, Terms


def judged_share(judged: JoinedRun, cutoff: int | None = None) -> Terms:
    """Judged@k: the share of the first k retrieved documents that was judged, 0 where nothing was retrieved.

    Where fewer than k were retrieved the share is of those, as in ir_measures; without a cutoff, of all.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Judged@4", "U 2 U -1")          # a negative grade counts as unjudged
    0.25
    """
    depth = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    return Terms(Sum(_is_judged(judged, cutoff), name="judged"), Piece("depth", np.maximum(depth, 1)))


def hole_share(judged: JoinedRun, cutoff: int) -> Terms:
    """Hole@k: the documents among the first k that are not judged for the query, over k.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Hole@5", "U 2 U")
    0.4
    """
    depth, seen = np.minimum(judged.retrieved, cutoff), np.asarray(_is_judged(judged, cutoff).values).sum(axis=1)
    return Terms(Piece("unjudged", depth - seen), Piece("cutoff", cutoff))


def _is_judged(judged: JoinedRun, cutoff: int | None) -> Piece:
    """Which of the documents with a grade, and not below the cutoff, are judged."""
    return Piece("is_judged", (judged.grades >= 0) & judged.within(cutoff))


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
            description="the share of the first k documents that is unjudged for the query",
            formula="unjudged documents among the first k / k",
            source="Thakur et al. 2021, BEIR, NeurIPS, where a document judged for any query is judged",
            better=None,
            ordered=False,
            undefined="",
        ),
    }
)
