"""Measures of rankings whose documents are relevant to a degree: formulas over `Judged`.

The gain of a document is its grade, 0 for a grade below 0 and for an unjudged document; the threshold of relevance
plays no part unless a measure says so. Each gives one float64 a query, NaN where no judged document gains anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.evaluation.definition import REL, Definition, Mapped, Parameter
from toysearch.evaluation.judged import Judged

_HIGHEST_EXPONENT = 1023  # 2 to the power of more is no 64-bit float


def cumulative_gain(judged: Judged, cutoff: int | None = None, gains: Mapped | None = None) -> np.ndarray:
    """CG: the gains of the first k documents, added.

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> cumulative_gain(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([4.])
    """
    gain = np.where(within(judged, cutoff), _gain(judged.grades, "log2", gains), 0)
    return where_gained(gain.sum(axis=1), _gain(judged.ideal, "log2", gains))


def discounted_cumulative_gain(
    judged: Judged, cutoff: int | None = None, dcg: str = "log2", discount: str = "burges", gains: Mapped | None = None
) -> np.ndarray:
    """DCG: the gains of the first k documents, each over the discount of its rank, added.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    cutoff : int, optional
        The rank down to which gains count; all by default.
    dcg : {"log2", "exp-log2"}
        The gain: the grade, or 2^grade − 1.
    discount : {"burges", "jk"}
        log2(rank + 1), or Järvelin and Kekäläinen's: 1 at ranks 1 and 2, then log2(rank).
    gains : tuple of (float, float), optional
        Pairs of grade and what stands for it; a grade that is not named stands for itself.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    References
    ----------
    Järvelin & Kekäläinen 2002, ACM TOIS 20(4); Burges et al. 2005, ICML, for 2^grade − 1 and log2(rank + 1).

    Examples
    --------
    1 + 3 / log2(3), and by the first form 1 + 3:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}}))
    >>> discounted_cumulative_gain(judged), discounted_cumulative_gain(judged, discount="jk")
    (array([2.89278926]), array([4.]))
    """
    gain = np.where(within(judged, cutoff), _gain(judged.grades, dcg, gains), 0)
    return where_gained(_dcg(gain, judged.ranks, discount), _gain(judged.ideal, dcg, gains))


def ndcg(
    judged: Judged,
    cutoff: int | None = None,
    dcg: str = "log2",
    discount: str = "burges",
    gains: Mapped | None = None,
    ideal: str = "judged",
    max_rel: float | None = None,
) -> np.ndarray:
    """nDCG: the discounted cumulative gain over that of the ideal ranking, down to the same cutoff.

    Parameters
    ----------
    judged, cutoff, dcg, discount, gains
        As of `discounted_cumulative_gain`.
    ideal : {"judged", "ranking", "max"}
        What the ideal ranking is made of: all judged documents of the query, by falling gain; those that were
        retrieved, at any rank; or the top of the scale at each rank, down to the cutoff or else to the last
        document retrieved.
    max_rel : float, optional
        The top of the scale for ``ideal="max"``; by default the highest grade of all judgments.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    Raises
    ------
    ArgumentError
        If a grade is above `max_rel`.

    References
    ----------
    As of `discounted_cumulative_gain`. The defaults are trec_eval's.

    Examples
    --------
    (1 + 3 / log2(3)) / (3 + 1 / log2(3)):

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> ndcg(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.79670758])
    """
    gain = np.where(within(judged, cutoff), _gain(judged.grades, dcg, gains), 0)
    if ideal == "max":
        highest = _gain(np.append(judged.ideal, top_of_scale(judged, max_rel, "nDCG")), dcg, gains).max()
        depths = judged.retrieved if cutoff is None else np.full(len(judged.retrieved), cutoff)
        discounts = _discount(np.arange(1.0, depths.max(initial=0) + 1), discount)
        ideal_dcg = highest * np.concatenate([[0.0], (1 / discounts).cumsum()])[depths]
    else:
        ideal_gain = _gain(judged.ideal if ideal == "judged" else judged.grades, dcg, gains)
        ideal_gain = -np.sort(-ideal_gain, axis=1)[:, :cutoff]
        ideal_dcg = _dcg(ideal_gain, np.arange(1.0, ideal_gain.shape[1] + 1), discount)
    # Where there is no ideal (nothing that gains was retrieved, and the ideal is the ranking's own) nothing is gained.
    return where_gained(
        _dcg(gain, judged.ranks, discount) / np.where(ideal_dcg > 0, ideal_dcg, 1), _gain(judged.ideal, dcg, gains)
    )


def q_measure(judged: Judged, rel: float | None = None, beta: float = 1.0) -> np.ndarray:
    """Q: as AP, with the blended ratio (C(i) + β cg(i)) / (i + β cg*(i)) in the place of the precision.

    C(i) counts the relevant among the first i, cg(i) adds their gains, and cg*(i) adds those of the ideal ranking. A
    document below the threshold gains nothing. With β = 0 it is AP.

    References
    ----------
    Sakai 2004, New performance metrics based on multigrade relevance, NTCIR-4; β: Sakai 2007, IPM 43(2).

    Examples
    --------
    ((1 + 1) / (1 + 3) + (2 + 4) / (2 + 4)) / 2:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> q_measure(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.75])
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    gained = np.where(hits, judged.grades, 0).cumsum(axis=1)
    # The relevant documents are the first of the ideal ranking, which falls; below its end it gains no more.
    is_relevant = np.arange(judged.ideal.shape[1]) < relevant[:, np.newaxis]
    ideal_gain = np.where(is_relevant, judged.ideal, 0).cumsum(axis=1)
    ideal_gained = np.take_along_axis(
        ideal_gain, np.minimum(judged.ranks, judged.ideal.shape[1]).astype(np.int64) - 1, axis=1
    )
    blended_ratio = (hits.cumsum(axis=1) + beta * gained) / (judged.ranks + beta * ideal_gained)
    return np.asarray((blended_ratio * hits).sum(axis=1) / np.where(relevant > 0, relevant, np.nan))


def graded_average_precision(judged: Judged, cutoff: int | None = None) -> np.ndarray:
    """GAP: average precision for a user whose threshold of relevance is unknown, and can be any on the scale.

    Σ over i of Σ over j ≤ i of min(gain(i), gain(j)) / i, over the sum of all gains of the judgments. This is the
    paper's formula where each threshold up to the top of the scale is as likely as any other; other chances g(1),
    g(2), … are what cumulated gains say (``gains={1: g(1), 2: g(1) + g(2), …}`` of `evaluate`). On two grades it is AP.

    References
    ----------
    Robertson, Kanoulas & Yilmaz 2010, Extending average precision to graded relevance judgments, SIGIR.

    Examples
    --------
    (1/1 + (1 + 3)/2) / (1 + 3), in which min(3, 1) = 1 counts for the pair of both:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> graded_average_precision(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.75])
    """
    levels = np.unique(judged.ideal[judged.ideal > 0])
    # A threshold above `below` and up to `level` asks for the same documents: each has the precisions of that AP.
    credit = sum(
        (
            (level - below) * hits * hits.cumsum(axis=1) / judged.ranks
            for below, level in pairwise([0.0, *levels.tolist()])
            for hits in (judged.hits(level, cutoff),)
        ),
        start=np.zeros(judged.ranks.shape),
    )
    all_gains = np.fmax(judged.ideal, 0).sum(axis=1)
    return np.asarray(credit.sum(axis=1) / np.where(all_gains > 0, all_gains, np.nan))


def top_of_scale(judged: Judged, max_rel: float | None, measure: str) -> float:
    """The highest grade that there can be: the one that was given, or else that of all judgments (1 if all are 0).

    Raises
    ------
    ArgumentError
        If a judgment has a higher one than was given.
    """
    if max_rel is None:
        return judged.top or 1.0
    if judged.top > max_rel:
        raise ArgumentError(
            f"{measure}(max_rel={max_rel:g}): a judgment has the grade {judged.top:g}; max_rel is the top of the "
            f"scale, {judged.top:g} or more"
        )
    return max_rel or 1.0


def within(judged: Judged, cutoff: int | None) -> np.ndarray:
    """Which of the ranks are not below the cutoff."""
    return judged.ranks <= (np.inf if cutoff is None else cutoff)


def gain_of(grades: np.ndarray, gains: Mapped | None) -> np.ndarray:
    """What each grade gains; beyond the end of a row the grade is NaN and gains nothing."""
    gain = np.asarray(np.fmax(grades, 0))
    if gains:
        gain = np.select([grades == grade for grade, _ in gains], [max(other, 0.0) for _, other in gains], gain)
    return np.asarray(gain)


def _gain(grades: np.ndarray, dcg: str, gains: Mapped | None) -> np.ndarray:
    """What each grade gains, by either form of the gain."""
    gain = gain_of(grades, gains)
    if dcg == "log2":
        return gain
    if gain.max(initial=0) > _HIGHEST_EXPONENT:
        raise ArgumentError(f"a grade of {gain.max():g} is too high for a gain of 2^grade - 1; dcg='log2' takes it")
    return np.asarray(np.exp2(gain) - 1)


def _discount(ranks: np.ndarray, discount: str) -> np.ndarray:
    return np.asarray(np.log2(ranks + 1) if discount == "burges" else np.maximum(np.log2(ranks), 1))


def _dcg(gain: np.ndarray, ranks: np.ndarray, discount: str) -> np.ndarray:
    """Σ gain / discount of each row."""
    discounts = _discount(ranks, discount)
    return np.asarray((gain / discounts).sum(axis=1))


def where_gained(values: np.ndarray, of_judged: np.ndarray) -> np.ndarray:
    """The values, NaN for the queries of whose judgments none gains anything."""
    return np.where((of_judged > 0).any(axis=1), values, np.nan)


_DCG = {
    "dcg": Parameter("the gain: the grade, or 2^grade - 1", "log2", choices=("log2", "exp-log2")),
    "discount": Parameter(
        "log2(rank + 1), whatever the gain, or 1 and from rank 2 on log2(rank)", "burges", choices=("burges", "jk")
    ),
}
_IDEAL = Parameter(
    "made of the judgments, of the ranking's own grades, or of the top of the scale at each rank",
    "judged",
    choices=("judged", "ranking", "max"),
)
GAINS = {"gains": Parameter("what stands for a grade; one that is not named stands for itself", pairs=True)}
MAX_REL = {"max_rel": Parameter("the top of the scale; the highest grade of all judgments by default")}
UNDEFINED = "no judged document gains anything"

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "CG": Definition(
            cumulative_gain,
            "optional",
            GAINS,
            family="graded",
            description="cumulative gain: the gains of the first k documents, added",
            formula="Σ gain(i)",
            source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4)",
            range=(0.0, None),
            ordered=False,
            undefined=UNDEFINED,
        ),
        "DCG": Definition(
            discounted_cumulative_gain,
            "optional",
            {**_DCG, **GAINS},
            family="graded",
            description="discounted cumulative gain: the gains of the first k documents, each over its rank's discount",
            formula="Σ gain(i) / log2(i + 1)",
            source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4) (discount='jk'); Burges et al. 2005, ICML",
            range=(0.0, None),
            undefined=UNDEFINED,
        ),
        "nDCG": Definition(
            ndcg,
            "optional",
            {**_DCG, "ideal": _IDEAL, **MAX_REL, **GAINS},
            family="graded",
            description="normalised discounted cumulative gain: DCG over that of the ideal ranking",
            formula="DCG / DCG of the ideal ranking, DCG = Σ gain(i) / log2(i + 1)",
            source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4); the discount of Burges et al. 2005, as in trec_eval",
            perfect=1.0,
            undefined=UNDEFINED,
        ),
        "Q": Definition(
            q_measure,
            "none",
            {**REL, "beta": Parameter("how much gains weigh beside counts", 1.0)},
            family="graded",
            description="Q-measure: as AP, with gains beside the counts",
            formula="Σ r(i) · (C(i) + β cg(i)) / (i + β cg*(i)) / R",
            source="Sakai 2004, NTCIR-4; β: Sakai 2007, IPM 43(2)",
            perfect=1.0,
        ),
        "GAP": Definition(
            graded_average_precision,
            "optional",
            {},
            family="graded",
            description="graded average precision: AP for a user whose threshold of relevance can be any on the scale",
            formula="Σ over i, Σ over j ≤ i, of min(gain(i), gain(j)) / i, over Σ of all gains of the judgments",
            source="Robertson, Kanoulas & Yilmaz 2010, SIGIR",
            perfect=1.0,
            undefined=UNDEFINED,
        ),
    }
)
