"""Measures that only trec_eval has; they reproduce its output.

The experimental or old ones take the join (`JoinedRun`) and return their `Terms`. The gain of a document is its
grade, 0 for a grade below 0 and for an unjudged document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from toysearch.evaluation import Definition, JoinedRun, Mapped, Parameter, Piece, Sum, Terms
from toysearch.evaluation.measures.binary import COUNT
from toysearch.evaluation.measures.declaration import definition_of
from toysearch.evaluation.measures.graded import discount_of, gain_of

OF_TREC_EVAL: dict[str, Definition] = {}
"""Name → definition; no list shows them, but each is computed by its name."""

Function = TypeVar("Function", bound=Callable[..., Any])


def _measure(family: str, name: str, **facts: Any) -> Callable[[Function], Function]:
    """Declare a function as one of these measures."""

    def declare(function: Function) -> Function:
        OF_TREC_EVAL[name] = definition_of(function, name, family=family, **facts)
        return function

    return declare


_WORTH = "the worth of a document that is"
_BUCKLEY = "as {} in trec_eval (C. Buckley 2008)"


@_measure(
    "ranked",
    "RprecMult",
    formula="P@k, k = times · R + 0.9 without its fraction",
    source=_BUCKLEY.format("Rprec_mult"),
    ordered=False,
    cut_by_R=True,
    times=Parameter("how many times the number of relevant documents"),
    over_ties="additive",
)
def precision_at_multiple(joined: JoinedRun, rel: float | None = None, times: float = 1.0) -> Terms:
    """Precision at the rank that is a multiple of the number of relevant documents.

    The rank is times · R + 0.9 without its fraction, as in trec_eval; the value is 0 where the rank is 0.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [round(scored(f"RprecMult(times={times})", "R I I", relevant=2), 8) for times in (0.5, 1.5)]
    [1.0, 0.33333333]
    """
    relevant = joined.n_relevant(rel)
    cutoffs = np.floor(times * relevant + 0.9)
    hits = joined.hits(rel) & (joined.ranks <= cutoffs[:, np.newaxis])
    return Terms(Sum(Piece("hits", hits), name="found"), Piece("rank", cutoffs), relevant > 0)


@_measure(
    "set",
    "Utility",
    formula="TP · found + FP · others + FN · missed",
    source=_BUCKLEY.format("utility"),
    range=(-np.inf, None),
    undefined="",
    judged_only=False,
    TP=Parameter(f"{_WORTH} retrieved and relevant", low=None),
    FP=Parameter(f"{_WORTH} retrieved and not relevant", low=None),
    FN=Parameter(f"{_WORTH} relevant and not retrieved", low=None),
)
def utility(
    joined: JoinedRun,
    rel: float | None = None,
    TP: float = 1.0,
    FP: float = -1.0,
    FN: float = 0.0,
) -> Terms:
    """The worth of the retrieved set, with a price for each cell of its table.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Utility", "R I R", relevant=2), scored("Utility(TP=2,FP=-0.5)", "R I R", relevant=2)
    (1.0, 3.5)
    """
    n_hits, relevant = joined.hits(rel).sum(axis=1), joined.n_relevant(rel)
    others, missed = joined.retrieved - n_hits, relevant - n_hits
    worth = TP * n_hits + FP * others + FN * missed
    return Terms(Piece("worth", worth, "{} · {} + {} · {} + {} · {}", (TP, n_hits, FP, others, FN, missed)))


@_measure(
    "ranked",
    "BinG",
    formula="Σ r(i) / log2(2 + not relevant above i) / R",
    source=_BUCKLEY.format("binG"),
    perfect=1.0,
)
def binary_g(joined: JoinedRun, rel: float | None = None) -> Terms:
    """The mean over the relevant documents of a discount by the non-relevant ones above.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("BinG", "R I I R", relevant=2)           # (1/log2(2) + 1/log2(2 + 2)) / 2
    0.75
    """
    hits, relevant = joined.hits(rel), joined.n_relevant(rel)
    above = np.where(hits, joined.ranks - hits.cumsum(axis=1), 0)
    credit = Sum(Piece("hits", hits), discount=discount_of(1 + above))
    return Terms(credit, Piece("relevant", relevant), relevant > 0, also=(Piece("not_relevant_above", above),))


@_measure(
    "graded",
    "G",
    formula="Σ gain(i) / log2(2 + Σ max(ideal, 1) − Σ gain, both down to i) / Σ ideal",
    source=_BUCKLEY.format("G"),
    by_worth="never",  # it values the grades 1, 2, 3 above 1, 3, 2
)
def normalized_gain(joined: JoinedRun, gains: Mapped | None = None) -> Terms:
    """Gains, each discounted by how far the ranking is behind the ideal one at its rank.

    At a rank it lacks the gain of the ideal ranking down to there minus its own. Each rank of the ideal ranking counts
    as at least 1, also below its end.

    Examples
    --------
    The ideal gains 3 and 1, the ranking 1 and 3: (1 / log2(2 + 3 − 1) + 3 / log2(2 + 4 − 4)) / 4.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("G", "1 3", judged="1 3")
    0.875
    """
    gain, ideal = gain_of(joined.grades, gains), _ideal(joined, gains)
    at_least_one = np.where(ideal > 0, np.fmax(ideal, 1), 0).cumsum(axis=1)
    lengths = (ideal > 0).sum(axis=1)[:, np.newaxis]
    ranks = np.where(np.isfinite(joined.ranks), joined.ranks, 1)
    could = _at(at_least_one, ranks) + np.fmax(ranks - lengths, 0)
    lacking = np.where(gain > 0, could - gain.cumsum(axis=1), 0)
    of_judged = gain_of(joined.ideal, gains)
    return Terms(
        Sum(Piece("gain", gain), discount=discount_of(1 + lacking)),
        Sum(Piece("ideal_gain", ideal), name="ideal_gains", ideal=(joined.ideal, of_judged)),
        np.any(of_judged > 0, axis=1),
        also=(Piece("lacking", lacking),),
    )


@_measure(
    "graded",
    "nDCG_rel",
    formula="Σ nDCG@i over the ranks i with a gain, the missed ones with that at the end, over their number",
    source=_BUCKLEY.format("ndcg_rel"),
    perfect=1.0,
)
def ndcg_over_relevant(joined: JoinedRun, gains: Mapped | None = None) -> Terms:
    """The mean of nDCG at the ranks of the documents that gain.

    Examples
    --------
    At rank 1 it is 1/3, at rank 2 (1 + 3/log2(3)) / (3 + 1/log2(3)) = 0.7967:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("nDCG_rel", "1 3", judged="1 3"), 4)
    0.565
    """
    gain, dcg, ideal, ideal_dcg = _discounted(joined, gains)
    lengths = (ideal > 0).sum(axis=1)
    ndcg = np.where(gain > 0, _over(dcg, _at(ideal_dcg, np.where(gain > 0, joined.ranks, 1))), 0)
    total, missed = ndcg.sum(axis=1), lengths - (gain > 0).sum(axis=1)
    at_end = _over(_last(dcg), _last(ideal_dcg))
    return Terms(
        Piece("sum_of_ndcg", total + missed * at_end, "({} + {} · {})", (total, missed, at_end)),
        Piece("gaining", lengths),
        np.any(ideal > 0, axis=1),
        also=(Piece("gain", gain), Piece("dcg", dcg), Piece("ndcg", ndcg), Piece("ndcg_at_end", at_end)),
        ideal=(Piece("ideal_dcg", ideal_dcg),),
    )


@_measure(
    "graded",
    "RnDCG",
    formula="Σ nDCG@i over the ranks i where the ideal gain falls, and at the end, over their number",
    source=_BUCKLEY.format("Rndcg"),
    perfect=1.0,
)
def ndcg_at_levels(joined: JoinedRun, rel: float | None = None, gains: Mapped | None = None) -> Terms:
    """The mean of nDCG at the ranks where the ideal ranking's gain falls.

    The end counts where the ranking is longer, by two documents or more, than the ideal one.

    Examples
    --------
    The ideal falls after ranks 1 and 2: (1/3 + 0.7967) / 2, the value of `ndcg_over_relevant`.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RnDCG", "1 3", judged="1 3"), 4)
    0.565
    """
    _, dcg, ideal, ideal_dcg = _discounted(joined, gains)
    following = np.pad(ideal[:, 1:], ((0, 0), (0, 1)))
    falls = (ideal > 0) & (ideal != following)
    places = np.arange(1.0, ideal.shape[1] + 1)
    # The gain down to each place of the ideal ranking.
    n_above = (joined.ranks[:, np.newaxis, :] <= places[np.newaxis, :, np.newaxis]).sum(axis=2)
    so_far = _at(dcg, n_above)
    ndcg = np.where(falls, _over(so_far, ideal_dcg), 0)
    at_levels = ndcg.sum(axis=1)
    longer = joined.retrieved > (ideal > 0).sum(axis=1) + 1
    at_end = np.where(longer, _over(_last(dcg), _last(ideal_dcg)), 0)
    return Terms(
        Piece("sum_of_ndcg", at_levels + at_end, "({} + {})", (at_levels, at_end)),
        Piece("levels", falls.sum(axis=1) + longer),
        np.any(ideal > 0, axis=1) & (joined.n_relevant(rel) > 0),
        also=(Piece("dcg", dcg), Piece("ndcg_at_end", at_end)),
        ideal=(Piece("ideal_dcg", ideal_dcg), Piece("dcg", so_far), Piece("ndcg", ndcg)),
    )


@_measure(
    "graded",
    "IdealDCG",
    formula="Σ ideal gain(i) / log2(i + 1)",
    source="as ideal_dcg in trec_eval 10",
    range=(0.0, None),
    better=None,
    ordered=False,
    judged_only=False,
)
def ideal_dcg(joined: JoinedRun, gains: Mapped | None = None) -> Terms:
    """The discounted cumulative gain of the ideal ranking.

    It is what nDCG divides by.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("IdealDCG", "1", judged="1 3"), 4)         # 3 + 1/log2(3)
    3.6309
    """
    _, _, ideal, dcg = _discounted(joined, gains)
    return Terms(Piece("ideal_dcg", _last(dcg)), defined=np.any(ideal > 0, axis=1), ideal=(Piece("ideal_dcg", dcg),))


@_measure(
    "ranked",
    "Yaap",
    formula="log((1 + s) / (1 + R − s)), s = Σ r(i) · P@i",
    source="Robertson 2012, On smoothing average precision, ECIR; as yaap in trec_eval",
    range=(-np.inf, None),
    undefined="",
)
def yaap(joined: JoinedRun, rel: float | None = None) -> Terms:
    """AP on a logarithmic scale, on which values below 0.1 differ as much as those above 0.9.

    The sum s is the one that AP divides by R.

    Examples
    --------
    s = 1 + 2/4, and log(2.5 / 2.5):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Yaap", "R I I R", relevant=3)
    0.0
    """
    hits, relevant = joined.hits(rel), joined.n_relevant(rel)
    total = np.where(hits, hits.cumsum(axis=1) / joined.ranks, 0).sum(axis=1)
    value = np.log((1 + total) / (1 + relevant - total))
    return Terms(Piece("log_odds", value, "log((1 + {}) / (1 + {} − {}))", (total, relevant, total)))


@_measure(
    "ranked",
    "NumNonRelRet",
    formula="Σ of the judged with r(i) = 0",
    source="as num_nonrel_judged_ret in trec_eval",
    better=None,
    **COUNT,
)
def number_judged_not_relevant(joined: JoinedRun, rel: float | None = None) -> Terms:
    """Number of documents retrieved that are judged not relevant."""
    return Terms(Sum(Piece("not_relevant", (joined.grades >= 0) & ~joined.hits(rel))))


def _discounted(joined: JoinedRun, gains: Mapped | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Gains at the ranks and their DCG down to each; gains of the ideal ranking, falling, and its DCG."""
    gain, ideal = gain_of(joined.grades, gains), _ideal(joined, gains)
    dcg = (gain / np.log2(joined.ranks + 1)).cumsum(axis=1)
    return gain, dcg, ideal, (ideal / np.log2(np.arange(2.0, ideal.shape[1] + 2))).cumsum(axis=1)


def _ideal(joined: JoinedRun, gains: Mapped | None) -> np.ndarray:
    return -np.sort(-gain_of(joined.ideal, gains), axis=1)


def _over(dcg: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    return np.asarray(dcg / np.where(ideal > 0, ideal, 1))


def _at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Values at places from 1 on; 0 at place 0, and the last one beyond the end."""
    whole = np.asarray(places, np.int64)
    padded = np.pad(values, ((0, 0), (1, 0)))
    return np.take_along_axis(padded, np.minimum(whole, values.shape[1]), axis=1)


def _last(values: np.ndarray) -> np.ndarray:
    return values[:, -1] if values.shape[1] else np.zeros(len(values))
