"""Measures of rankings whose documents are relevant to a degree, and of users who read down the ranking.

Each takes the join (`JoinedRun`) and returns its `Terms`. The gain of a document is its grade, 0 for a grade below 0
and for an unjudged document; the threshold of relevance plays no part unless a measure says so. A query has no value
if none of its judged documents has a gain.

Start with `ndcg`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from toysearch.base import ArgumentError
from toysearch.evaluation import (
    JUDGED_ONLY,
    LOG2,
    REL,
    Definition,
    JoinedRun,
    Mapped,
    Parameter,
    Piece,
    Sum,
    Terms,
    fraction,
)

_HIGHEST_EXPONENT = 1023  # 2 to a higher power is not a 64-bit float


def cumulative_gain(judged: JoinedRun, cutoff: int | None = None, gains: Mapped | None = None) -> Terms:
    """CG: the gains of the first k documents, summed.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("CG", "1 3", judged="1 3")
    4.0
    """
    gain = np.where(judged.within(cutoff), gain_of(judged.grades, gains), 0)
    return Terms(Sum(Piece("gain", gain)), defined=np.any(gain_of(judged.ideal, gains) > 0, axis=1))


def normalised_cumulative_gain(judged: JoinedRun, cutoff: int | None = None, gains: Mapped | None = None) -> Terms:
    """NCG: the gains of the first k documents over the highest possible ones; what is left for a later stage to rank.

    References
    ----------
    Rosset et al. 2018, Optimizing query evaluations using reinforcement learning for web search, SIGIR.

    Examples
    --------
    (1 + 0) / (3 + 1):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("NCG@2", "1 0 3", judged="1 0 3")
    0.25
    """
    gain = np.where(judged.within(cutoff), gain_of(judged.grades, gains), 0)
    of_judged = gain_of(judged.ideal, gains)
    ideal_gain = -np.sort(-of_judged, axis=1)[:, :cutoff]
    normaliser = Sum(Piece("ideal_gain", ideal_gain), name="ideal_cg", ideal=(judged.ideal, of_judged))
    return Terms(Sum(Piece("gain", gain), name="cg"), normaliser, np.any(of_judged > 0, axis=1))


def discounted_cumulative_gain(
    judged: JoinedRun,
    cutoff: int | None = None,
    dcg: str = "log2",
    discount: str = "burges",
    gains: Mapped | None = None,
) -> Terms:
    """DCG: the gains of the first k documents, each over the discount of its rank, summed.

    The gain is the grade (``dcg="log2"``) or 2^grade − 1 (``"exp-log2"``); the discount is log2(rank + 1)
    (``discount="burges"``), or the one of Järvelin and Kekäläinen (``"jk"``): 1 at ranks 1 and 2, then log2(rank).

    References
    ----------
    Järvelin & Kekäläinen 2002, ACM TOIS 20(4); Burges et al. 2005, ICML, for 2^grade − 1 and log2(rank + 1).

    Examples
    --------
    1 + 3 / log2(3), and with the other discount 1 + 3:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("DCG", "1 3", judged="1 3"), 8), scored("DCG(discount='jk')", "1 3", judged="1 3")
    (2.89278926, 4.0)
    """
    gain = np.where(judged.within(cutoff), gain_of(judged.grades, gains, dcg), 0)
    return Terms(
        Sum(Piece("gain", gain), discount=discount_of(judged.ranks, discount)),
        defined=np.any(gain_of(judged.ideal, gains, dcg) > 0, axis=1),
    )


def ndcg(
    judged: JoinedRun,
    cutoff: int | None = None,
    dcg: str = "log2",
    discount: str = "burges",
    gains: Mapped | None = None,
    ideal: str = "judged",
    max_rel: float | None = None,
) -> Terms:
    """nDCG: the discounted cumulative gain over that of the ideal ranking, down to the same cutoff.

    The ideal ranking is made of all judged documents of the query by falling gain (``ideal="judged"``), of those that
    were retrieved at any rank (``"ranking"``), or of the top of the scale (`max_rel`, else the highest grade of all
    judgments) at each rank down to the cutoff, or else to the last document retrieved (``"max"``).

    References
    ----------
    As of `discounted_cumulative_gain`. The defaults are those of trec_eval.

    Examples
    --------
    (1 + 3 / log2(3)) / (3 + 1 / log2(3)):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("nDCG", "1 3", judged="1 3"), 8)
    0.79670758
    """
    gain = np.where(judged.within(cutoff), gain_of(judged.grades, gains, dcg), 0)
    of_judged = gain_of(judged.ideal, gains, dcg)
    normaliser: Piece | Sum
    if ideal == "max":
        highest = gain_of(np.append(judged.ideal, top_of_scale(judged, max_rel, "nDCG")), gains, dcg).max()
        depths = judged.retrieved if cutoff is None else np.full(len(judged.retrieved), cutoff)
        discounts = np.asarray(discount_of(np.arange(1.0, depths.max(initial=0) + 1), discount).values)
        per_gain = np.concatenate([[0.0], (1 / discounts).cumsum()])[depths]
        normaliser = Piece("ideal_dcg", highest * per_gain, "({} · {})", (highest, per_gain))
    else:
        grades, gain_of_each = (
            (judged.ideal, of_judged) if ideal == "judged" else (judged.grades, gain_of(judged.grades, gains, dcg))
        )
        # The grades of the judgments are falling already, and so are their gains.
        is_falling = ideal == "judged" and not gains
        ideal_gain = (gain_of_each if is_falling else -np.sort(-gain_of_each, axis=1))[:, :cutoff]
        normaliser = Sum(
            Piece("ideal_gain", ideal_gain),
            discount=discount_of(np.arange(1.0, ideal_gain.shape[1] + 1), discount),
            name="ideal_dcg",
            ideal=(grades, gain_of_each),
        )
    # If the ideal is made of the ranking itself and no document in it has a gain, both are 0, and so is the value.
    return Terms(
        Sum(Piece("gain", gain), discount=discount_of(judged.ranks, discount), name="dcg"),
        normaliser,
        np.any(of_judged > 0, axis=1),
    )


def q_measure(judged: JoinedRun, rel: float | None = None, beta: float = 1.0) -> Terms:
    """Q: as AP, with the blended ratio (C(i) + β cg(i)) / (i + β cg*(i)) in place of the precision.

    C(i) counts the relevant among the first i, cg(i) sums their gains, and cg*(i) sums those of the ideal ranking. A
    document below the threshold gains nothing. With β = 0 it is AP.

    References
    ----------
    Sakai 2004, New performance metrics based on multigrade relevance, NTCIR-4; β: Sakai 2007, IPM 43(2).

    Examples
    --------
    ((1 + 1) / (1 + 3) + (2 + 4) / (2 + 4)) / 2:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Q", "1 3", judged="1 3")
    0.75
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    so_far, gain_so_far = hits.cumsum(axis=1), np.where(hits, judged.grades, 0).cumsum(axis=1)
    # The relevant documents come first in the ideal ranking, whose grades fall; below its end, its gain stays the same.
    is_relevant = np.arange(judged.ideal.shape[1]) < relevant[:, np.newaxis]
    ideal_so_far = np.where(is_relevant, judged.ideal, 0).cumsum(axis=1)
    ideal_at_rank = np.take_along_axis(
        ideal_so_far, np.minimum(judged.ranks, judged.ideal.shape[1]).astype(np.int64) - 1, axis=1
    )
    part, whole = so_far + beta * gain_so_far, judged.ranks + beta * ideal_at_rank
    blended = fraction("blended_ratio", part, whole)
    return Terms(
        Sum(Piece("hits", hits), blended),
        Piece("relevant", relevant),
        relevant > 0,
        also=(
            Piece("found", so_far),
            Piece("gain_so_far", gain_so_far),
            Piece("ideal_gain_so_far", ideal_at_rank),
        ),
        ideal=(Piece("ideal_gain_so_far", ideal_so_far),),
    )


def graded_average_precision(judged: JoinedRun, cutoff: int | None = None) -> Terms:
    """GAP: average precision for a user whose threshold of relevance is unknown and can be any grade of the scale.

    Σ over i of Σ over j ≤ i of min(gain(i), gain(j)) / i, over the sum of all gains of the judgments. This is the
    formula of the paper where each threshold up to the top of the scale is equally likely; other chances g(1), g(2), …
    are expressed by cumulated gains (``gains={1: g(1), 2: g(1) + g(2), …}`` of `evaluate`). On two grades it is AP.

    References
    ----------
    Robertson, Kanoulas & Yilmaz 2010, Extending average precision to graded relevance judgments, SIGIR.

    Examples
    --------
    (1/1 + (1 + 3)/2) / (1 + 3), in which min(3, 1) = 1 counts for the pair of both:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("GAP", "1 3", judged="1 3")
    0.75
    """
    levels = np.unique(judged.ideal[judged.ideal > 0])
    # All thresholds above `below` and up to `level` select the same documents, so they have the same precisions.
    credit = sum(
        (
            (level - below) * hits * hits.cumsum(axis=1) / judged.ranks
            for below, level in pairwise([0.0, *levels.tolist()])
            for hits in (judged.hits(level, cutoff),)
        ),
        start=np.zeros(judged.ranks.shape),
    )
    ideal_gain = np.fmax(judged.ideal, 0)
    return Terms(
        Sum(Piece("credit", credit)),
        Sum(Piece("gain", ideal_gain), name="all_gains", ideal=(judged.ideal, ideal_gain)),
        np.any(ideal_gain > 0, axis=1),
    )


def top_of_scale(judged: JoinedRun, max_rel: float | None, measure: str) -> float:
    """Return the highest possible grade: the given one, else the highest of all judgments (1 if all are 0).

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


def gain_of(grades: np.ndarray, gains: Mapped | None, dcg: str = "log2") -> np.ndarray:
    """Gain of each grade, in either form; it is 0 beyond the end of a row, where the grade is NaN."""
    gain = np.asarray(np.fmax(grades, 0))
    if gains:
        gain = np.select([grades == grade for grade, _ in gains], [max(other, 0.0) for _, other in gains], gain)
    if dcg == "log2":
        return np.asarray(gain)
    if gain.max(initial=0) > _HIGHEST_EXPONENT:
        raise ArgumentError(f"a grade of {gain.max():g} is too high for a gain of 2^grade - 1; dcg='log2' takes it")
    return np.asarray(np.exp2(gain) - 1)


def discount_of(ranks: np.ndarray, discount: str = "burges") -> Piece:
    """Divisor of the gain at each rank.

    >>> discount_of(np.array([1.0, 3.0])).values, discount_of(np.array([1.0, 4.0]), "jk").values
    (array([1., 2.]), array([1., 2.]))
    """
    number = ranks + 1 if discount == "burges" else np.maximum(ranks, 2)
    return Piece("discount", np.log2(number), LOG2, (number,))


def expected_reciprocal_rank(judged: JoinedRun, cutoff: int | None = None, max_rel: float | None = None) -> Terms:
    """ERR: the expected 1 / rank at which a user stops, who reads from the top until a document satisfies.

    Σ 1/i · s(i) · Π over j < i of (1 − s(j)). A document of grade g satisfies with chance s = (2^g − 1) / 2^max_rel,
    where max_rel is the highest grade of all judgments unless it is given (in ir_measures it is always 4).

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan 2009, Expected reciprocal rank for graded relevance, CIKM.

    Examples
    --------
    Chances 1/8 and 7/8: 1/1 · 1/8 + 1/2 · 7/8 · 7/8:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("ERR", "1 3", judged="1 3")
    0.5078125
    """
    top = top_of_scale(judged, max_rel, "ERR")
    grades = np.where(judged.within(cutoff), np.fmax(judged.grades, 0), 0)
    chance = np.exp2(grades - top) - np.exp2(-top)  # not divided by 2^top, which may not be a 64-bit float
    # A reader reaches a rank if no document above it was satisfying.
    still_reading = np.pad(np.cumprod(1 - chance, axis=1), ((0, 0), (1, 0)), constant_values=1)[:, :-1]
    return Terms(
        Sum(Piece("chance", chance), Piece("still_reading", still_reading), Piece("rank", judged.ranks)),
        defined=np.any(judged.ideal > 0, axis=1),
        also=(Piece("top", top),),
    )


def compatibility(judged: JoinedRun, p: float = 0.95, normalize: bool = True) -> Terms:
    """Compat: the rank-biased overlap of the ranking with the ideal ranking that is most like it.

    RBO = Σ p^(i − 1) · overlap(i) / i over Σ p^(i − 1), where overlap(i) counts the documents that are among the first
    i of both rankings, and i goes to the end of the longer one. The ideal ranking holds the documents with a grade
    above 0 by falling grade, those of one grade in the order in which the ranking has them and then the others: no
    other order of them overlaps more. With `normalize`, RBO is divided by the overlap of the ideal ranking with itself,
    which is below 1 where it is the shorter one.

    References
    ----------
    Clarke, Vtyurina & Smucker 2021, Assessing top-k preferences, ACM TOIS 39(3); Clarke, Smucker & Vtyurina 2020,
    Offline evaluation by maximum similarity to an ideal ranking, CIKM. As Compat in ir_measures, which sorts the
    ideal's documents of one grade by score, those not retrieved at 0: the same unless scores are negative or tie.

    Examples
    --------
    The overlaps are 0 and 2, of the ideal with itself 1 and 2: (0.5 · 2/2) / (1 + 0.5 · 2/2):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("Compat(p=0.5)", "1 3", judged="1 3"), 8)
    0.33333333
    """
    n_ideal = (judged.ideal > 0).sum(axis=1)
    depths = np.maximum(judged.retrieved, n_ideal)
    steps = np.arange(1.0, depths.max(initial=0) + 1)
    # For each rank, the sum of p^(i - 1) / i above it. A document that both rankings have from rank r on adds the sum
    # at the end minus the sum at r.
    weight_above = np.concatenate([[0.0], (p ** (steps - 1) / steps).cumsum()])
    weight_in_all = weight_above[depths]
    shared_from = np.minimum(np.maximum(judged.ranks, judged.ideal_ranks()), depths[:, np.newaxis] + 1)
    overlap = weight_in_all[:, np.newaxis] - weight_above[shared_from.astype(np.int64) - 1]
    if normalize:
        highest = n_ideal * weight_in_all - weight_above.cumsum()[np.maximum(n_ideal, 1) - 1]
    else:
        highest = (p ** (steps - 1)).cumsum()[np.maximum(depths, 1) - 1]
    return Terms(
        Sum(Piece("overlap", overlap)),
        Piece("overlap_of_ideal" if normalize else "highest", highest),
        np.any(judged.ideal > 0, axis=1),
        also=(Piece("shared_from", shared_from), Piece("in_ideal_ranking", n_ideal), Piece("depth", depths)),
    )


def rank_biased_precision(
    judged: JoinedRun,
    cutoff: int | None = None,
    p: float = 0.8,
    rel: float | None = None,
    max_rel: float | None = None,
    scale: str = "all",
    gains: Mapped | None = None,
) -> Terms:
    """RBP: the expected gain of a document that is read by a user who continues to the next rank with chance p.

    (1 − p) Σ gain(i) · p^(i − 1). The gain is the grade over the top of the scale: `max_rel`, else the highest grade of
    all judgments, or with ``scale="query"`` of the query's own, 1 at least, as in trec_eval 10. With `rel` the gain is
    1 for a document of that grade or above, else 0. With `gains` it is the gain of the grade, over the highest gain of
    any grade on the scale if that is above 1.

    References
    ----------
    Moffat & Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1).

    Examples
    --------
    0.2 · (1 + 0.8²), and 0.2 · (1 · 2/2 + 0.8² · 1/2):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RBP(rel=1)", "2 0 1", judged="2 0 1"), 8), round(scored("RBP", "2 0 1", judged="2 0 1"), 8)
    (0.328, 0.264)
    """
    weight = Piece("weight", reading_chance(judged, cutoff, p))
    if rel is not None:
        return Terms(Sum(Piece("hits", judged.hits(rel)), weight), defined=judged.n_relevant(rel) > 0)
    highest = np.fmax(judged.ideal.max(axis=1, initial=1, where=judged.ideal > 0), 1)
    top = highest if scale == "query" else top_of_scale(judged, max_rel, "RBP")
    if gains:
        gain_of_grade = dict(gains)  # an unnamed grade is its own gain
        unnamed = np.array(np.broadcast_to(top, highest.shape), dtype=np.float64)
        while (at := np.isin(unnamed, list(gain_of_grade))).any():
            unnamed[at] -= 1
        top = np.asarray(np.fmax(unnamed, max(1.0, *gain_of_grade.values())))
    gain = gain_of(judged.grades, gains) / (top[:, np.newaxis] if isinstance(top, np.ndarray) else top)
    earns = np.any(gain_of(judged.ideal, gains) > 0, axis=1)
    return Terms(Sum(Piece("gain", gain), weight), defined=earns, also=(Piece("top", top),))


def rank_biased_residual(judged: JoinedRun, cutoff: int | None = None, p: float = 0.8) -> Terms:
    """RBPres: how much higher RBP would be if all unjudged documents were at the top of the scale.

    1 − (1 − p) Σ p^(i − 1) over the ranks of the judged documents: the unjudged documents, and all that is below the
    last one retrieved, or below the cutoff. A document of a negative grade is judged, and gains nothing.

    References
    ----------
    Moffat & Zobel 2008, ACM TOIS 27(1).

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RBPres", "2 U 1"), 8)         # 1 − 0.2 · (1 + 0.8²)
    0.672
    """
    weight = Piece("weight", np.where(np.isnan(judged.grades), 0, reading_chance(judged, cutoff, p)))
    return Terms(Sum(weight), complement=True)


def reading_chance(judged: JoinedRun, cutoff: int | None, p: float) -> np.ndarray:
    """Chance that a document is the last one read, 0 beyond the cutoff."""
    return np.where(judged.within(cutoff), (1 - p) * p ** (judged.ranks - 1), 0)


def expected_search_length(judged: JoinedRun, rel: float | None = None, n: float = 1.0) -> Terms:
    """ESL: the number of documents that are not relevant above the n-th relevant one; unjudged ones count among them.

    Infinite where fewer than n relevant documents were retrieved, NaN where there are fewer than n. A ranking
    without ties, as it is here, has one search length; over the orders of tied documents it is an expected value.

    References
    ----------
    Cooper 1968, Expected search length, American Documentation 19(1).

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [scored(f"ESL(n={n})", "I R I I R", relevant=3) for n in (1, 2, 3)]
    [1.0, 3.0, inf]
    """
    hits = judged.hits(rel)
    at = np.where(hits & (hits.cumsum(axis=1) == n), judged.ranks, np.inf).min(axis=1, initial=np.inf)
    return Terms(Piece("search_length", at - n, "{} − {}", (at, n)), defined=judged.n_relevant(rel) >= n)


_DCG = {
    "dcg": Parameter("the gain: the grade, or 2^grade - 1", "log2", choices=("log2", "exp-log2")),
    "discount": Parameter(
        "log2(rank + 1); or 1 at rank 1 and log2(rank) from rank 2 on", "burges", choices=("burges", "jk")
    ),
}
_IDEAL = Parameter(
    "made of the judgments, of the ranking's own grades, or of the top of the scale at each rank",
    "judged",
    choices=("judged", "ranking", "max"),
)
GAINS: Mapping[str, Parameter] = {
    "gains": Parameter("the gain of each grade; a grade that is not named is its own gain", pairs=True)
}
MAX_REL: Mapping[str, Parameter] = {
    "max_rel": Parameter("the top of the scale; the highest grade of all judgments by default")
}
UNDEFINED = "no judged document gains anything"
_P = "persistence: the probability of reading on"

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "CG": Definition(
            cumulative_gain,
            "optional",
            {**GAINS, **JUDGED_ONLY},
            family="graded",
            description="cumulative gain: the gains of the first k documents, added",
            formula="Σ gain(i)",
            source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4)",
            range=(0.0, None),
            ordered=False,
            undefined=UNDEFINED,
        ),
        "NCG": Definition(
            normalised_cumulative_gain,
            "optional",
            {**GAINS, **JUDGED_ONLY},
            family="graded",
            description="normalised cumulative gain: the gains of the first k documents over the highest possible ones",
            formula="Σ gain(i) / Σ of the k highest gains of the judgments",
            source="Rosset et al. 2018, SIGIR; TREC deep learning track",
            perfect=1.0,
            ordered=False,
            undefined=UNDEFINED,
        ),
        "DCG": Definition(
            discounted_cumulative_gain,
            "optional",
            {**_DCG, **GAINS, **JUDGED_ONLY},
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
            {**_DCG, "ideal": _IDEAL, **MAX_REL, **GAINS, **JUDGED_ONLY},
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
            {**REL, "beta": Parameter("the weight of gains relative to counts", 1.0), **JUDGED_ONLY},
            family="graded",
            description="Q-measure: AP with gains as well as counts",
            formula="Σ r(i) · (C(i) + β cg(i)) / (i + β cg*(i)) / R",
            source="Sakai 2004, NTCIR-4; β: Sakai 2007, IPM 43(2)",
            perfect=1.0,
        ),
        "GAP": Definition(
            graded_average_precision,
            "optional",
            JUDGED_ONLY,
            family="graded",
            description="graded average precision: AP for a user whose threshold of relevance can be any grade",
            formula="Σ over i, Σ over j ≤ i, of min(gain(i), gain(j)) / i, over Σ of all gains of the judgments",
            source="Robertson, Kanoulas & Yilmaz 2010, SIGIR",
            perfect=1.0,
            undefined=UNDEFINED,
        ),
        "ERR": Definition(
            expected_reciprocal_rank,
            "optional",
            {**MAX_REL, **JUDGED_ONLY},
            family="graded",
            description="expected reciprocal rank of the document that satisfies a user who reads from the top",
            formula="Σ 1/i · s(i) · Π (1 - s(j)) over j < i, s = (2^grade - 1) / 2^max_rel",
            source="Chapelle, Metzler, Zhang & Grinspan 2009, CIKM",
            undefined=UNDEFINED,
        ),
        "Compat": Definition(
            compatibility,
            "none",
            {
                "p": Parameter(_P, 0.95, high=1.0),
                "normalize": Parameter("divide by the ideal's overlap with itself", True),
                **JUDGED_ONLY,
            },
            family="graded",
            description="compatibility: rank-biased overlap with the ideal ranking that is most like the ranking",
            formula="Σ p^(i - 1) · overlap(i) / i, i to the end of the longer, over the same of the ideal with itself",
            source="Clarke, Vtyurina & Smucker 2021, ACM TOIS 39(3)",
            perfect=1.0,
            undefined="no judged document has a grade above 0",
        ),
        "RBP": Definition(
            rank_biased_precision,
            "optional",
            {
                "p": Parameter(_P, 0.8, high=1.0),
                "rel": Parameter("the lowest grade that gains 1; without it the gain is grade / max_rel"),
                **MAX_REL,
                "scale": Parameter(
                    "where the top of the scale is taken from: all judgments, or those of the query",
                    "all",
                    choices=("all", "query"),
                ),
                **GAINS,
                **JUDGED_ONLY,
            },
            either=("max_rel", "scale"),
            family="user",
            description="rank-biased precision: the expected gain of a document that is read",
            formula="(1 - p) Σ gain(i) · p^(i - 1)",
            source="Moffat & Zobel 2008, ACM TOIS 27(1)",
            undefined=UNDEFINED,
        ),
        "RBPres": Definition(
            rank_biased_residual,
            "optional",
            {"p": Parameter(_P, 0.8, high=1.0)},
            family="user",
            description="residual of RBP: what unjudged documents, and those below the end of the ranking, could add",
            formula="1 - (1 - p) Σ p^(i - 1) over the ranks of the judged documents",
            source="Moffat & Zobel 2008, ACM TOIS 27(1)",
            better=None,
            undefined="",
            negative="judged",
        ),
        "ESL": Definition(
            expected_search_length,
            "none",
            {**REL, "n": Parameter("how many relevant documents are wanted", 1.0, low=1.0, whole=True), **JUDGED_ONLY},
            family="user",
            description="expected search length: the number of non-relevant documents above the n-th relevant one",
            formula="rank of the n-th relevant document - n; infinite where fewer were retrieved",
            source="Cooper 1968, American Documentation 19(1)",
            range=(0.0, None),
            better="lower",
            perfect=0.0,
            undefined="fewer than n documents are relevant",
        ),
    }
)
