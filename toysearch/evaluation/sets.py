"""Measures of a set of documents: how many of the retrieved are relevant, and of the relevant retrieved.

The retrieved set is the whole ranking, or, with a cutoff, its first k documents; fewer than k are as many as they are
(`toysearch.evaluation.ranked.precision` divides by k). Every measure is a formula over the table

|               | relevant | not relevant |
|---------------|----------|--------------|
| retrieved     | TP       | FP           |
| not retrieved | FN       | TN           |

An unjudged document is not relevant. TN needs the number N of documents in the collection, which neither a run nor
judgments tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.evaluation.definition import REL, Definition, Parameter
from toysearch.evaluation.judged import Judged


class Contingency(NamedTuple):
    """The 2×2 table of retrieved × relevant, one number a query each; TN is NaN where N is not known."""

    TP: np.ndarray
    FP: np.ndarray
    FN: np.ndarray
    TN: np.ndarray


def contingency(
    judged: Judged, cutoff: int | None = None, rel: float | None = None, N: float | None = None
) -> Contingency:
    """The 2×2 table of retrieved × relevant, of each query.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    cutoff : int, optional
        How many of the first documents are the retrieved ones; all by default.
    rel : float, optional
        The grade from which on a document is relevant; the join's threshold by default.
    N : float, optional
        The number of documents in the collection.

    Returns
    -------
    Contingency
        Four arrays of float64, shape (n_queries,).

    Raises
    ------
    ArgumentError
        If a query has more documents than N.

    Examples
    --------
    Retrieved are a, x, y and b of ten documents; relevant are a, b and c.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "y", "b"], [4, 3, 2, 1])])
    >>> [cell.tolist() for cell in contingency(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}})), N=10)]
    [[2.0], [2.0], [1.0], [5.0]]
    """
    found = judged.hits(rel, cutoff).sum(axis=1).astype(np.float64)
    retrieved = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    false_positives, missed = retrieved - found, judged.n_relevant(rel) - found
    rest = np.nan if N is None else N
    others = rest - found - false_positives - missed
    for row in np.flatnonzero(others < 0)[:1].tolist():
        raise ArgumentError(
            f"N={N:g} is fewer than the {rest - others[row]:g} documents that are retrieved or relevant for query "
            f"'{judged.query_ids[row]}'; N is the number of documents in the collection"
        )
    return Contingency(found, false_positives, missed, others)


def set_precision(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """SetP = TP / (TP + FP); 0 where nothing was retrieved."""
    table = contingency(judged, cutoff, rel)
    return _where_relevant(table.TP / np.fmax(table.TP + table.FP, 1), table)


def set_recall(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """SetR = TP / (TP + FN)."""
    table = contingency(judged, cutoff, rel)
    return _share(table.TP, table.TP + table.FN)


def set_f(
    judged: Judged,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> np.ndarray:
    """SetF = 1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R), of SetP and SetR, where α = 1 / (1 + β²).

    In the numbers of the table: TP / (α · retrieved + (1 − α) · relevant).

    Examples
    --------
    P = 2/4, R = 2/8, α = 0.2, and so β = 2:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "b", "x", "y"], [4, 3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": dict.fromkeys("abcdefgh", 1)}))
    >>> set_f(judged, alpha=0.2), set_f(judged, beta=2)
    (array([0.27777778]), array([0.27777778]))
    """
    table = contingency(judged, cutoff, rel)
    share = 1 / (1 + beta**2) if alpha is None else alpha
    mixed = share * (table.TP + table.FP) + (1 - share) * (table.TP + table.FN)
    # With α = 1 this is SetP, whose retrieved set may be empty.
    return _where_relevant(table.TP / np.where(mixed > 0, mixed, 1), table)


def effectiveness(
    judged: Judged,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> np.ndarray:
    """SetE = 1 − SetF, van Rijsbergen's E: 0 is best."""
    return np.asarray(1 - set_f(judged, cutoff, rel, beta, alpha))


def set_relative_precision(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """SetRelP = TP / min(retrieved, relevant): SetP over the best that a set of this size can have."""
    table = contingency(judged, cutoff, rel)
    best = np.minimum(table.TP + table.FP, table.TP + table.FN)
    return _where_relevant(table.TP / np.fmax(best, 1), table)


def set_average_precision(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """SetAP = SetP · SetR: the AP of a ranking whose relevant documents all have precision SetP."""
    table = contingency(judged, cutoff, rel)
    retrieved, relevant = np.fmax(table.TP + table.FP, 1), table.TP + table.FN
    return _share(table.TP**2, retrieved * relevant)  # divided once, as in trec_eval: twice would round twice


def fallout(judged: Judged, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> np.ndarray:
    """Fallout = FP / (FP + TN): the share of the non-relevant documents that was retrieved."""
    table = contingency(judged, cutoff, rel, N)
    return _share(table.FP, table.FP + table.TN)


def accuracy(judged: Judged, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> np.ndarray:
    """SetAccuracy = (TP + TN) / N: the share of the collection on whose right side the set is.

    It misleads: where 99.9 % of a collection are not relevant, retrieving nothing has an accuracy of 0.999.
    """
    table = contingency(judged, cutoff, rel, N)
    return np.asarray((table.TP + table.TN) / sum(table))


def generality(judged: Judged, rel: float | None = None, N: float | None = None) -> np.ndarray:
    """Generality = (TP + FN) / N: the share of the collection that is relevant, whatever is retrieved."""
    table = contingency(judged, None, rel, N)
    return np.asarray((table.TP + table.FN) / sum(table))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part over whole, NaN where the whole is nothing."""
    return np.asarray(part / np.where(whole > 0, whole, np.nan))


def _where_relevant(values: np.ndarray, table: Contingency) -> np.ndarray:
    """The values, NaN for the queries that have no relevant document."""
    return np.where(table.TP + table.FN > 0, values, np.nan)


def _cell(name: str) -> Callable[..., np.ndarray]:
    """The function that computes a cell of the table."""

    def cell(judged: Judged, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> np.ndarray:
        return np.asarray(getattr(contingency(judged, cutoff, rel, N), name))

    cell.__doc__ = f"{name}: a cell of the table of retrieved × relevant."
    return cell


_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"
_MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"
_N = {"N": Parameter("the number of documents in the collection", low=1, whole=True, needed="1400")}
_WEIGHTS = {
    "beta": Parameter("how many times as much recall counts as precision", 1.0),
    "alpha": Parameter("the weight of precision, in place of beta: beta² = (1 − alpha) / alpha", high=1),
}


def _share_of_set(compute: Callable[..., np.ndarray], description: str, formula: str, source: str) -> Definition:
    """The definition of a measure that needs a relevant document."""
    return Definition(compute, "optional", REL, "set", description, formula, source, ordered=False)


def _count(name: str, description: str, formula: str, more: Mapping[str, Parameter]) -> Definition:
    """The definition of a cell of the table."""
    return Definition(
        _cell(name),
        "optional",
        {**REL, **more},
        "set",
        description,
        formula,
        _MANNING,
        range=(0.0, None),
        better="higher" if name[0] == "T" else "lower",
        ordered=False,
        undefined="",
        aggregate="sum",
        judged_only=False,
    )


MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "SetP": _share_of_set(
            set_precision, "set precision: the share of the retrieved that is relevant", "TP / (TP + FP)", _MANNING
        ),
        "SetR": _share_of_set(
            set_recall, "set recall: the share of the relevant that was retrieved", "TP / (TP + FN)", _MANNING
        ),
        "SetF": _share_of_set(
            set_f,
            "weighted harmonic mean of set precision and set recall",
            "1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R)",
            _BOOK,
        )._replace(parameters={**REL, **_WEIGHTS}, either=("beta", "alpha")),
        "SetE": _share_of_set(
            effectiveness, "van Rijsbergen's E: 1 − SetF", "1 − 1 / (α / P + (1 − α) / R)", _BOOK
        )._replace(parameters={**REL, **_WEIGHTS}, either=("beta", "alpha"), better="lower"),
        "SetRelP": _share_of_set(
            set_relative_precision,
            "set precision over the best that a set of this size can have",
            "TP / min(TP + FP, TP + FN)",
            "as set_relative_P in trec_eval",
        ),
        "SetAP": _share_of_set(
            set_average_precision, "set precision times set recall", "P · R", "as set_map in trec_eval"
        ),
        "Fallout": _share_of_set(
            fallout, "the share of the non-relevant documents that was retrieved", "FP / (FP + TN)", _MANNING
        )._replace(
            parameters={**REL, **_N},
            better="lower",
            undefined="every document of the collection is relevant",
            judged_only=False,
        ),
        "SetAccuracy": _share_of_set(
            accuracy,
            "the share of the collection that is rightly retrieved or rightly not; misleading where little is relevant",
            "(TP + TN) / N",
            _MANNING,
        )._replace(parameters={**REL, **_N}, undefined="", judged_only=False),
        "Generality": _share_of_set(
            generality, "the share of the collection that is relevant", "(TP + FN) / N", _BOOK
        )._replace(cutoff="none", parameters={**REL, **_N}, better=None, undefined="", judged_only=False),
        "TP": _count("TP", "relevant documents retrieved", "Σ r(i)", {}),
        "FP": _count("FP", "documents retrieved that are not relevant", "retrieved − TP", {}),
        "FN": _count("FN", "relevant documents not retrieved", "R − TP", {}),
        "TN": _count("TN", "documents neither retrieved nor relevant", "N − TP − FP − FN", _N),
    }
)
