"""Measures of rankings whose documents are relevant or not: formulas over `Judged`.

Each takes the join, a cutoff k where it has one (None: the whole ranking), and ``rel``, the grade from which on a
document is relevant (None: the threshold of the join). Each gives one float64 a query, NaN where the query has no
relevant document: whether that counts as 0 or is left out is not the formula's to decide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toysearch.evaluation.judged import Judged


def average_precision(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """AP: the precisions at the ranks of the relevant documents, added, over the number of relevant documents.

    Examples
    --------
    Relevant at ranks 1 and 4, and two more were not retrieved: (1/1 + 2/4) / 4.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "y", "b"], [4, 3, 2, 1])])
    >>> average_precision(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1, "d": 1}})))
    array([0.375])
    """
    hits = judged.hits(rel, cutoff)
    precisions = hits.cumsum(axis=1) / judged.ranks
    return _share((precisions * hits).sum(axis=1), judged.n_relevant(rel))


def precision(judged: Judged, cutoff: int, rel: float | None = None) -> np.ndarray:
    """P@k: the relevant among the first k, over k, even where fewer than k were retrieved."""
    found = judged.hits(rel, cutoff).sum(axis=1)
    return _where_relevant(found / cutoff, judged, rel)


def recall(judged: Judged, cutoff: int, rel: float | None = None) -> np.ndarray:
    """R@k: the relevant among the first k, over the number of relevant documents."""
    found = judged.hits(rel, cutoff).sum(axis=1)
    return _share(found, judged.n_relevant(rel))


def f_measure(judged: Judged, cutoff: int, rel: float | None = None, beta: float = 1.0) -> np.ndarray:
    """F@k = (1 + β²) P R / (β² P + R) of P@k and R@k, which is (1 + β²) found / (β² relevant + k)."""
    found = judged.hits(rel, cutoff).sum(axis=1)
    relevant = judged.n_relevant(rel)
    return _where_relevant((1 + beta**2) * found / (beta**2 * relevant + cutoff), judged, rel)


def reciprocal_rank(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """RR: 1 over the rank of the first relevant document, 0 where there is none."""
    reciprocals = judged.hits(rel, cutoff) / judged.ranks
    return _where_relevant(reciprocals.max(axis=1, initial=0), judged, rel)


def r_precision(judged: Judged, rel: float | None = None) -> np.ndarray:
    """Rprec: the precision at rank R, the number of relevant documents."""
    relevant = judged.n_relevant(rel)
    found = (judged.hits(rel) & (judged.ranks <= relevant[:, np.newaxis])).sum(axis=1)
    return _share(found, relevant)


def success(judged: Judged, cutoff: int, rel: float | None = None) -> np.ndarray:
    """Success@k: 1 where there is a relevant document among the first k, else 0."""
    found = judged.hits(rel, cutoff).any(axis=1)
    return _where_relevant(found.astype(np.float64), judged, rel)


def number_retrieved(judged: Judged) -> np.ndarray:
    """NumRet: how many documents were retrieved."""
    return judged.retrieved.astype(np.float64)


def number_relevant(judged: Judged, rel: float | None = None) -> np.ndarray:
    """NumRel: how many documents are relevant."""
    return judged.n_relevant(rel).astype(np.float64)


def number_relevant_retrieved(judged: Judged, rel: float | None = None) -> np.ndarray:
    """NumRelRet: how many relevant documents were retrieved."""
    return np.asarray(judged.hits(rel).sum(axis=1), dtype=np.float64)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part over whole, NaN where the whole is nothing."""
    return np.asarray(part / np.where(whole > 0, whole, np.nan))


def _where_relevant(values: ArrayLike, judged: Judged, rel: float | None) -> np.ndarray:
    """The values, NaN for the queries that have no relevant document."""
    return np.where(judged.n_relevant(rel) > 0, values, np.nan)
