"""Measures of rankings whose documents are relevant to a degree: formulas over `Judged`."""

from __future__ import annotations

import numpy as np

from toysearch.evaluation.judged import Judged


def ndcg(judged: Judged, cutoff: int | None = None) -> np.ndarray:
    """nDCG: the discounted cumulative gain over that of the ideal ranking, NaN where nothing can be gained.

    DCG = Σ gain / log2(rank + 1), down to the cutoff. The gain is the grade (0 for grades below 0 and for unjudged
    documents); the ideal ranking is all judged documents of the query by falling grade, down to the same cutoff.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    cutoff : int, optional
        The rank down to which gains count; all by default.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    References
    ----------
    Järvelin & Kekäläinen 2002, ACM TOIS 20(4), whose discount is log2(rank) from rank 2 on; this one, which
    discounts rank 2 as well, is that of Burges et al. 2005 and trec_eval's.

    Examples
    --------
    (1 + 3 / log2(3)) / (3 + 1 / log2(3)):

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> ndcg(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.79670758])
    """
    kept = judged.ranks <= (np.inf if cutoff is None else cutoff)
    ideal = judged.ideal[:, :cutoff]
    best = _dcg(ideal, np.arange(1.0, ideal.shape[1] + 1))
    return _dcg(np.where(kept, judged.grades, 0), judged.ranks) / np.where(best > 0, best, np.nan)


def _dcg(grades: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Σ gain / log2(rank + 1) of each row; beyond its end the grade is NaN and gains nothing."""
    return np.asarray((np.fmax(grades, 0) / np.log2(ranks + 1)).sum(axis=1))
