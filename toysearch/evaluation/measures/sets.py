"""Measures of a set of documents: how many of the retrieved are relevant, and of the relevant retrieved.

The retrieved set is the whole ranking, or, with a cutoff, its first k documents; if fewer than k were retrieved,
all of them (`toysearch.evaluation.measures.ranked.precision` divides by k). Every measure is a formula over the table

|               | relevant | not relevant |
|---------------|----------|--------------|
| retrieved     | TP       | FP           |
| not retrieved | FN       | TN           |

An unjudged document is not relevant. TN needs the number N of documents in the collection, which neither a run nor
judgments contain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError
from toysearch.evaluation.joined_run import JoinedRun
from toysearch.evaluation.measures.definition import JUDGED_ONLY, REL, Definition, Parameter, Piece, Sum, Terms


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
    depth, n_judged = np.minimum(judged.retrieved, cutoff), np.asarray(_is_judged(judged, cutoff).values).sum(axis=1)
    return Terms(Piece("unjudged", depth - n_judged), Piece("cutoff", cutoff))


def _is_judged(judged: JoinedRun, cutoff: int | None) -> Piece:
    """Which of the documents with a grade, and not below the cutoff, are judged."""
    return Piece("is_judged", (judged.grades >= 0) & judged.within(cutoff))


_OF_JUDGING: Mapping[str, Definition] = MappingProxyType(
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


class Contingency(NamedTuple):
    """The 2×2 table of retrieved × relevant, one number per query each; TN is NaN where N is not known."""

    TP: np.ndarray
    FP: np.ndarray
    FN: np.ndarray
    TN: np.ndarray

    @property
    def retrieved(self) -> np.ndarray:
        """TP + FP."""
        return np.asarray(self.TP + self.FP)

    @property
    def relevant(self) -> np.ndarray:
        """TP + FN."""
        return np.asarray(self.TP + self.FN)

    def terms(self, part: Piece, whole: Piece | None = None, *, needs: np.ndarray | None = None) -> Terms:
        """The part over the whole, for queries with a relevant document or those in `needs`, and the cells."""
        cells = (Piece(name, cell) for name, cell in self._asdict().items())
        return Terms(part, whole, self.relevant > 0 if needs is None else needs, also=tuple(cells))


def contingency(
    judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None
) -> Contingency:
    """The 2×2 table of retrieved × relevant of each query; `N` is the number of documents in the collection.

    Raises
    ------
    ArgumentError
        If a query has more documents than N.

    Examples
    --------
    Retrieved are a, x, y and b of ten documents; relevant are a, b and c.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "y", "b"], [4, 3, 2, 1])])
    >>> [cell.tolist() for cell in contingency(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}})), N=10)]
    [[2.0], [2.0], [1.0], [5.0]]
    """
    n_hits = judged.hits(rel, cutoff).sum(axis=1).astype(np.float64)
    retrieved = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    false_positives, missed = retrieved - n_hits, judged.n_relevant(rel) - n_hits
    rest = np.nan if N is None else N
    others = rest - n_hits - false_positives - missed
    for row in np.flatnonzero(others < 0)[:1].tolist():
        raise ArgumentError(
            f"N={N:g} is fewer than the {rest - others[row]:g} documents that are retrieved or relevant for query "
            f"'{judged.query_ids[row]}'; N is the number of documents in the collection"
        )
    return Contingency(n_hits, false_positives, missed, others)


def set_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetP = TP / (TP + FP); 0 where nothing was retrieved."""
    table = contingency(judged, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("retrieved", table.retrieved))


def set_recall(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetR = TP / (TP + FN)."""
    table = contingency(judged, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("relevant", table.relevant))


def set_f(
    judged: JoinedRun,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """SetF = 1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R), of SetP and SetR, where α = 1 / (1 + β²).

    In the numbers of the table: TP / (α · retrieved + (1 − α) · relevant). With α = 1 this is SetP.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [round(scored(f"SetF({weight})", "R R I I", relevant=8), 8) for weight in ("alpha=0.2", "beta=2")]
    [0.27777778, 0.27777778]
    """
    table = contingency(judged, cutoff, rel)
    share = 1 / (1 + beta**2) if alpha is None else alpha
    retrieved, relevant = table.retrieved, table.relevant
    mixed = share * retrieved + (1 - share) * relevant
    size = Piece("weighted_size", mixed, "({} · {} + {} · {})", (share, retrieved, 1 - share, relevant))
    return table.terms(Piece("TP", table.TP), size)


def effectiveness(
    judged: JoinedRun,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """SetE = 1 − SetF, van Rijsbergen's E: 0 is best."""
    return dataclasses.replace(set_f(judged, cutoff, rel, beta, alpha), complement=True)


def set_relative_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetRelP = TP / min(retrieved, relevant): SetP over the best that a set of this size can have."""
    table = contingency(judged, cutoff, rel)
    sizes = table.retrieved, table.relevant
    return table.terms(Piece("TP", table.TP), Piece("best", np.minimum(*sizes), "min({}, {})", sizes))


def set_average_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetAP = SetP · SetR: the AP of a ranking whose relevant documents all have precision SetP."""
    table = contingency(judged, cutoff, rel)
    retrieved, relevant = table.retrieved, table.relevant
    product = retrieved * relevant
    # Divided once, as in trec_eval: twice would round twice.
    both = table.TP**2 / np.where(product > 0, product, 1)
    return table.terms(Piece("P_times_R", both, "({} / {}) · ({} / {})", (table.TP, retrieved, table.TP, relevant)))


def fallout(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> Terms:
    """Fallout = FP / (FP + TN): the share of the non-relevant documents that was retrieved."""
    table = contingency(judged, cutoff, rel, N)
    others = table.FP + table.TN
    return table.terms(Piece("FP", table.FP), Piece("not_relevant", others), needs=others > 0)


def accuracy(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> Terms:
    """SetAccuracy = (TP + TN) / N: the share of the collection that is correctly retrieved or correctly left out.

    It is misleading: where 99.9 % of a collection is not relevant, retrieving nothing has an accuracy of 0.999.
    """
    table = contingency(judged, cutoff, rel, N)
    right = Piece("right", table.TP + table.TN, "({} + {})", (table.TP, table.TN))
    size = np.asarray(sum(table))
    return table.terms(right, Piece("documents", size), needs=size > 0)


def generality(judged: JoinedRun, rel: float | None = None, N: float | None = None) -> Terms:
    """Generality = (TP + FN) / N: the share of the collection that is relevant, whatever is retrieved."""
    table = contingency(judged, None, rel, N)
    size = np.asarray(sum(table))
    return table.terms(Piece("relevant", table.relevant), Piece("documents", size), needs=size > 0)


def true_positives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """TP: the relevant documents that were retrieved."""
    return Terms(Sum(Piece("hits", judged.hits(rel, cutoff)), name="TP"))


def false_positives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """FP: the retrieved documents that are not relevant."""
    table = contingency(judged, cutoff, rel)
    return Terms(Piece("FP", table.FP, "{} − {}", (table.retrieved, table.TP)))


def false_negatives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """FN: the relevant documents that were not retrieved."""
    table = contingency(judged, cutoff, rel)
    return Terms(Piece("FN", table.FN, "{} − {}", (table.relevant, table.TP)))


def true_negatives(
    judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None
) -> Terms:
    """TN: the documents that are neither retrieved nor relevant."""
    table = contingency(judged, cutoff, rel, N)
    return Terms(Piece("TN", table.TN, "{} − {} − {} − {}", (np.asarray(sum(table)), table.TP, table.FP, table.FN)))


_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"
_MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"
_N: Mapping[str, Parameter] = {
    "N": Parameter("the number of documents in the collection", low=1, whole=True, needed="1400")
}
_WEIGHTS: Mapping[str, Parameter] = {
    "beta": Parameter("the weight of recall relative to precision", 1.0),
    "alpha": Parameter("the weight of precision, in place of beta: beta² = (1 − alpha) / alpha", high=1),
}

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        **_OF_JUDGING,
        "SetP": Definition(
            set_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision: the share of the retrieved that is relevant",
            formula="TP / (TP + FP)",
            source=_MANNING,
            ordered=False,
        ),
        "SetR": Definition(
            set_recall,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set recall: the share of the relevant that was retrieved",
            formula="TP / (TP + FN)",
            source=_MANNING,
            ordered=False,
        ),
        "SetF": Definition(
            set_f,
            "optional",
            {**REL, **_WEIGHTS, **JUDGED_ONLY},
            family="set",
            description="weighted harmonic mean of set precision and set recall",
            formula="1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R)",
            source=_BOOK,
            ordered=False,
            either=("beta", "alpha"),
        ),
        "SetE": Definition(
            effectiveness,
            "optional",
            {**REL, **_WEIGHTS, **JUDGED_ONLY},
            family="set",
            description="van Rijsbergen's E: 1 − SetF",
            formula="1 − 1 / (α / P + (1 − α) / R)",
            source=_BOOK,
            better="lower",
            ordered=False,
            either=("beta", "alpha"),
        ),
        "SetRelP": Definition(
            set_relative_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision over the best that a set of this size can have",
            formula="TP / min(TP + FP, TP + FN)",
            source="as set_relative_P in trec_eval",
            ordered=False,
        ),
        "SetAP": Definition(
            set_average_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision times set recall",
            formula="P · R",
            source="as set_map in trec_eval",
            ordered=False,
        ),
        "Fallout": Definition(
            fallout,
            "optional",
            {**REL, **_N},
            family="set",
            description="the share of the non-relevant documents that was retrieved",
            formula="FP / (FP + TN)",
            source=_MANNING,
            better="lower",
            ordered=False,
            undefined="every document of the collection is relevant",
        ),
        "SetAccuracy": Definition(
            accuracy,
            "optional",
            {**REL, **_N},
            family="set",
            description="the share of the collection correctly retrieved or correctly left out; misleading where "
            "little is relevant",
            formula="(TP + TN) / N",
            source=_MANNING,
            ordered=False,
            undefined="",
        ),
        "Generality": Definition(
            generality,
            "none",
            {**REL, **_N},
            family="set",
            description="the share of the collection that is relevant",
            formula="(TP + FN) / N",
            source=_BOOK,
            better=None,
            ordered=False,
            undefined="",
        ),
        "TP": Definition(
            true_positives,
            "optional",
            REL,
            family="set",
            description="relevant documents retrieved",
            formula="Σ r(i)",
            source=_MANNING,
            range=(0.0, None),
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "FP": Definition(
            false_positives,
            "optional",
            REL,
            family="set",
            description="documents retrieved that are not relevant",
            formula="retrieved − TP",
            source=_MANNING,
            range=(0.0, None),
            better="lower",
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "FN": Definition(
            false_negatives,
            "optional",
            REL,
            family="set",
            description="relevant documents not retrieved",
            formula="R − TP",
            source=_MANNING,
            range=(0.0, None),
            better="lower",
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "TN": Definition(
            true_negatives,
            "optional",
            {**REL, **_N},
            family="set",
            description="documents neither retrieved nor relevant",
            formula="N − TP − FP − FN",
            source=_MANNING,
            range=(0.0, None),
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
    }
)
