"""Measures that trec_eval has and calls experimental or old, so that its output can be made here.

Each takes the join (`Judged`) and gives one float64 a query, NaN where it is undefined. The gain of a document is its
grade, 0 for a grade below 0 and for an unjudged document.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.definition import REL, Definition, Mapped, Parameter
from toysearch.evaluation.graded import GAINS, UNDEFINED, gain_of, where_gained
from toysearch.evaluation.judged import Judged


def precision_at_multiple(judged: Judged, rel: float | None = None, times: float = 1.0) -> np.ndarray:
    """RprecMult: the precision at a multiple of R, the number of relevant documents.

    The rank is times · R + 0.9 without its fraction, as in trec_eval; 0 where that is no rank.

    Examples
    --------
    Of two relevant documents one is among the first 0.5 · 2 = 1, and among the first 1.5 · 2 = 3:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("axy"), [3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 1, "b": 1}}))
    >>> precision_at_multiple(judged, times=0.5), precision_at_multiple(judged, times=1.5)
    (array([1.]), array([0.33333333]))
    """
    relevant = judged.n_relevant(rel)
    cutoffs = np.floor(times * relevant + 0.9)
    found = (judged.hits(rel) & (judged.ranks <= cutoffs[:, np.newaxis])).sum(axis=1)
    return np.where(relevant > 0, found / np.fmax(cutoffs, 1), np.nan)


def utility(
    judged: Judged,
    rel: float | None = None,
    TP: float = 1.0,
    FP: float = -1.0,
    FN: float = 0.0,
) -> np.ndarray:
    """Utility: what the retrieved set and what it misses are worth, each kind of document having a price.

    Examples
    --------
    Two relevant documents found, one other: 2 · 1 − 1.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("axb"), [3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 1, "b": 1}}))
    >>> utility(judged), utility(judged, TP=2, FP=-0.5)
    (array([1.]), array([3.5]))
    """
    found, relevant = judged.hits(rel).sum(axis=1), judged.n_relevant(rel)
    others, missed = judged.retrieved - found, relevant - found
    return np.asarray(TP * found + FP * others + FN * missed, dtype=np.float64)


def binary_g(judged: Judged, rel: float | None = None) -> np.ndarray:
    """BinG: the mean over all relevant documents of 1 / log2(2 + the documents above it that are not relevant).

    Examples
    --------
    (1/log2(2) + 1/log2(2 + 2)) / 2:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("axyb"), [4, 3, 2, 1])])
    >>> binary_g(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1}})))
    array([0.75])
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    above = np.where(hits, judged.ranks - hits.cumsum(axis=1), 0)
    credit = hits / np.log2(2 + above)
    return np.asarray(credit.sum(axis=1) / np.where(relevant > 0, relevant, np.nan))


def normalized_gain(judged: Judged, gains: Mapped | None = None) -> np.ndarray:
    """G: each gain over log2(2 + what could have been gained down to its rank, less what was), over the ideal's gains.

    A rank could have gained 1 at the least, also where the ideal ranking has no more.

    Examples
    --------
    The ideal gains 3 and 1, the ranking 1 and 3: (1 / log2(2 + 3 − 1) + 3 / log2(2 + 4 − 4)) / 4.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> normalized_gain(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.875])
    """
    gain, ideal = gain_of(judged.grades, gains), _ideal(judged, gains)
    at_least_one = np.where(ideal > 0, np.fmax(ideal, 1), 0).cumsum(axis=1)
    lengths = (ideal > 0).sum(axis=1)[:, np.newaxis]
    ranks = np.where(np.isfinite(judged.ranks), judged.ranks, 1)
    could = _at(at_least_one, np.minimum(ranks, lengths)) + np.fmax(ranks - lengths, 0)
    distance = np.where(gain > 0, could - gain.cumsum(axis=1), 0)
    return _over((gain / np.log2(2 + distance)).sum(axis=1), ideal.sum(axis=1), judged, gains)


def ndcg_over_relevant(judged: Judged, gains: Mapped | None = None) -> np.ndarray:
    """nDCG_rel: the mean of nDCG at the ranks of the documents that gain; for one not retrieved, nDCG at the end.

    Examples
    --------
    At rank 1 it is 1/3, at rank 2 (1 + 3/log2(3)) / (3 + 1/log2(3)) = 0.7967:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> ndcg_over_relevant(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}}))).round(4)
    array([0.565])
    """
    gain, dcg, ideal, ideal_dcg = _discounted(judged, gains)
    lengths = (ideal > 0).sum(axis=1)
    end = _at(ideal_dcg, np.fmax(lengths, 1)[:, np.newaxis])[:, 0]
    at_rank = _at(ideal_dcg, np.minimum(np.where(gain > 0, judged.ranks, 1), lengths[:, np.newaxis]))
    found = np.where(gain > 0, dcg / np.where(at_rank > 0, at_rank, 1), 0).sum(axis=1)
    missed = lengths - (gain > 0).sum(axis=1)
    at_end = _last(dcg) / np.where(end > 0, end, 1)
    return _over(found + missed * at_end, lengths.astype(np.float64), judged, gains)


def ndcg_at_levels(judged: Judged, rel: float | None = None, gains: Mapped | None = None) -> np.ndarray:
    """RnDCG: the mean of nDCG at the ranks where the ideal ranking's gain falls, and at the end of the ranking.

    The end counts where the ranking is longer, by two documents or more, than the ideal one.

    Examples
    --------
    The ideal falls after ranks 1 and 2: (1/3 + 0.7967) / 2, as `ndcg_over_relevant` has it.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> ndcg_at_levels(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}}))).round(4)
    array([0.565])
    """
    _, dcg, ideal, ideal_dcg = _discounted(judged, gains)
    following = np.pad(ideal[:, 1:], ((0, 0), (0, 1)))
    falls = (ideal > 0) & (ideal != following)
    places = np.arange(1.0, ideal.shape[1] + 1)
    # What was gained down to each place of the ideal ranking.
    seen = (judged.ranks[:, np.newaxis, :] <= places[np.newaxis, :, np.newaxis]).sum(axis=2)
    gained = _at(np.pad(dcg, ((0, 0), (1, 0))), seen + 1)
    summed = np.where(falls, gained / np.where(ideal_dcg > 0, ideal_dcg, 1), 0).sum(axis=1)
    lengths = (ideal > 0).sum(axis=1)
    end = _at(ideal_dcg, np.fmax(lengths, 1)[:, np.newaxis])[:, 0]
    longer = judged.retrieved > lengths + 1
    summed += np.where(longer, _last(dcg) / np.where(end > 0, end, 1), 0)
    values = _over(summed, (falls.sum(axis=1) + longer).astype(np.float64), judged, gains)
    return np.where(judged.n_relevant(rel) > 0, values, np.nan)


def number_judged_not_relevant(judged: Judged, rel: float | None = None) -> np.ndarray:
    """NumNonRelRet: how many documents were retrieved that are judged, and not relevant."""
    return np.asarray(((judged.grades >= 0) & ~judged.hits(rel)).sum(axis=1), dtype=np.float64)


def _discounted(judged: Judged, gains: Mapped | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The gains at the ranks and their DCG down to each; the ideal ranking's gains, falling, and its DCG."""
    gain, ideal = gain_of(judged.grades, gains), _ideal(judged, gains)
    dcg = (gain / np.log2(judged.ranks + 1)).cumsum(axis=1)
    return gain, dcg, ideal, (ideal / np.log2(np.arange(2.0, ideal.shape[1] + 2))).cumsum(axis=1)


def _ideal(judged: Judged, gains: Mapped | None) -> np.ndarray:
    return -np.sort(-gain_of(judged.ideal, gains), axis=1)


def _at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at places that count from 1; 0 at place 0."""
    whole = np.asarray(places, dtype=np.int64)
    padded = np.pad(values, ((0, 0), (1, 0)))
    return np.asarray(np.take_along_axis(padded, np.minimum(whole, values.shape[1]), axis=1))


def _last(values: np.ndarray) -> np.ndarray:
    return np.asarray(values[:, -1] if values.shape[1] else np.zeros(len(values)))


def _over(part: np.ndarray, whole: np.ndarray, judged: Judged, gains: Mapped | None) -> np.ndarray:
    """Part over whole, NaN for the queries of whose judgments none gains anything."""
    return where_gained(part / np.where(whole > 0, whole, 1), gain_of(judged.ideal, gains))


_WORTH = "what a document is worth that is"
_BUCKLEY = "as {} in trec_eval (C. Buckley 2008)"


def _graded(compute: object, theirs: str, description: str, formula: str, perfect: float | None = None) -> Definition:
    return Definition(
        compute,  # type: ignore[arg-type]
        "none",
        GAINS,
        family="graded",
        description=description,
        formula=formula,
        source=_BUCKLEY.format(theirs),
        perfect=perfect,
        undefined=UNDEFINED,
    )


MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "RprecMult": Definition(
            precision_at_multiple,
            "none",
            {**REL, "times": Parameter("how many times the number of relevant documents", 1.0)},
            "ranked",
            "precision at the rank that is a multiple of the number of relevant documents",
            "P@k, k = times · R + 0.9 without its fraction",
            _BUCKLEY.format("Rprec_mult"),
            ordered=False,
        ),
        "Utility": Definition(
            utility,
            "none",
            {
                **REL,
                "TP": Parameter(f"{_WORTH} retrieved and relevant", 1.0, low=None),
                "FP": Parameter(f"{_WORTH} retrieved and not relevant", -1.0, low=None),
                "FN": Parameter(f"{_WORTH} relevant and not retrieved", 0.0, low=None),
            },
            "set",
            "what the retrieved set is worth, each cell of its table having a price",
            "TP · found + FP · others + FN · missed",
            _BUCKLEY.format("utility"),
            range=(-np.inf, None),
            ordered=False,
            undefined="",
            judged_only=False,
        ),
        "BinG": Definition(
            binary_g,
            "none",
            REL,
            "ranked",
            "the mean over the relevant documents of a discount by what is not relevant above",
            "Σ r(i) / log2(2 + not relevant above i) / R",
            _BUCKLEY.format("binG"),
            perfect=1.0,
        ),
        "G": _graded(
            normalized_gain,
            "G",
            "gains, each discounted by how far the ranking is behind the ideal one there",
            "Σ gain(i) / log2(2 + Σ max(ideal, 1) − Σ gain, both down to i) / Σ ideal",
        ),
        "nDCG_rel": _graded(
            ndcg_over_relevant,
            "ndcg_rel",
            "the mean of nDCG at the ranks of the documents that gain",
            "Σ nDCG@i over the ranks i with a gain, the missed ones with that at the end, over their number",
            perfect=1.0,
        ),
        "RnDCG": _graded(
            ndcg_at_levels,
            "Rndcg",
            "the mean of nDCG at the ranks where the ideal ranking's gain falls",
            "Σ nDCG@i over the ranks i where the ideal gain falls, and at the end, over their number",
            perfect=1.0,
        )._replace(parameters={**REL, **GAINS}),
        "NumNonRelRet": Definition(
            number_judged_not_relevant,
            "none",
            REL,
            "ranked",
            "number of documents retrieved that are judged not relevant",
            "Σ of the judged with r(i) = 0",
            source="as num_nonrel_judged_ret in trec_eval",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined="",
            aggregate="sum",
            judged_only=False,
        ),
    }
)
