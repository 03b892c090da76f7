"""Measures of rankings whose documents are relevant to a degree, and of users who read down the ranking.

Each takes the join (`JoinedRun`) and returns its `Terms`. The gain of a document is its grade, 0 for a grade below 0
and for an unjudged document; the threshold of relevance plays no part unless a measure says so. A query has no value
if none of its judged documents has a gain.

Start with `ndcg`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from toysearch.base import ArgumentError
from toysearch.evaluation import LOG2, Cutoff, Grade, JoinedRun, Mapped, Parameter, Piece, Sum, Terms, fraction
from toysearch.evaluation.measures.declaration import graded_measure, user_measure
from toysearch.evaluation.measures.tied_group import Group, blended, stopping

PERSISTENCE = Parameter("persistence: the probability of reading on", high=1.0)
GAINING = Parameter("the lowest grade that gains 1; without it the gain is grade / max_rel")
_DCG = Parameter("the gain: the grade, or 2^grade - 1", choices=("log2", "exp-log2"))
_DISCOUNT = Parameter("log2(rank + 1); or 1 at rank 1 and log2(rank) from rank 2 on", choices=("burges", "jk"))

_HIGHEST_EXPONENT = 1023  # 2 to a higher power is not a 64-bit float


@graded_measure(
    "CG",
    formula="Σ gain(i)",
    source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4)",
    range=(0.0, None),
    ordered=False,
    over_ties="additive",
)
def cumulative_gain(joined: JoinedRun, cutoff: Cutoff = None, gains: Mapped | None = None) -> Terms:
    """Cumulative gain: the gains of the first k documents, added.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("CG", "1 3", judged="1 3")
    4.0
    """
    gain = np.where(joined.within(cutoff), gain_of(joined.grades, gains), 0)
    return Terms(Sum(Piece("gain", gain)), defined=np.any(gain_of(joined.ideal, gains) > 0, axis=1))


@graded_measure(
    "NCG",
    formula="Σ gain(i) / Σ of the k highest gains of the judgments",
    source="Rosset et al. 2018, SIGIR; TREC deep learning track",
    perfect=1.0,
    ordered=False,
)
def normalised_cumulative_gain(joined: JoinedRun, cutoff: Cutoff = None, gains: Mapped | None = None) -> Terms:
    """Normalised cumulative gain: the gains of the first k documents over the highest possible ones.

    It is what a first stage leaves for a later one to rank.

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
    gain = np.where(joined.within(cutoff), gain_of(joined.grades, gains), 0)
    of_judged = gain_of(joined.ideal, gains)
    ideal_gain = -np.sort(-of_judged, axis=1)[:, :cutoff]
    normaliser = Sum(Piece("ideal_gain", ideal_gain), name="ideal_cg", ideal=(joined.ideal, of_judged))
    return Terms(Sum(Piece("gain", gain), name="cg"), normaliser, np.any(of_judged > 0, axis=1))


@graded_measure(
    "DCG",
    formula="Σ gain(i) / log2(i + 1)",
    source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4) (discount='jk'); Burges et al. 2005, ICML",
    range=(0.0, None),
    dcg=_DCG,
    discount=_DISCOUNT,
    over_ties="additive",
)
def discounted_cumulative_gain(
    joined: JoinedRun,
    cutoff: Cutoff = None,
    dcg: str = "log2",
    discount: str = "burges",
    gains: Mapped | None = None,
) -> Terms:
    """Discounted cumulative gain: the gains of the first k documents, each over its rank's discount.

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
    gain = np.where(joined.within(cutoff), gain_of(joined.grades, gains, dcg), 0)
    return Terms(
        Sum(Piece("gain", gain), discount=discount_of(joined.ranks, discount)),
        defined=np.any(gain_of(joined.ideal, gains, dcg) > 0, axis=1),
    )


@graded_measure(
    "nDCG",
    formula="DCG / DCG of the ideal ranking, DCG = Σ gain(i) / log2(i + 1)",
    source="Järvelin & Kekäläinen 2002, ACM TOIS 20(4); the discount of Burges et al. 2005, as in trec_eval",
    perfect=1.0,
    dcg=_DCG,
    discount=_DISCOUNT,
    ideal=Parameter(
        "made of the judgments, of the ranking's own grades, or of the top of the scale at each rank",
        choices=("judged", "ranking", "max"),
    ),
    over_ties="additive",
)
def ndcg(
    joined: JoinedRun,
    cutoff: Cutoff = None,
    dcg: str = "log2",
    discount: str = "burges",
    ideal: str = "judged",
    max_rel: Grade = None,
    gains: Mapped | None = None,
) -> Terms:
    """Normalised discounted cumulative gain: DCG over that of the ideal ranking.

    The ideal ranking goes down to the same cutoff. It is made of all judged documents of the query by falling gain
    (``ideal="judged"``), of those that were retrieved at any rank (``"ranking"``), or of the top of the scale
    (`max_rel`, else the highest grade of all judgments) at each rank down to the cutoff, or else to the last document
    retrieved (``"max"``).

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
    gain = np.where(joined.within(cutoff), gain_of(joined.grades, gains, dcg), 0)
    of_judged = gain_of(joined.ideal, gains, dcg)
    normaliser: Piece | Sum
    if ideal == "max":
        highest = gain_of(np.append(joined.ideal, top_of_scale(joined, max_rel, "nDCG")), gains, dcg).max()
        depths = joined.retrieved if cutoff is None else np.full(len(joined.retrieved), cutoff)
        discounts = np.asarray(discount_of(np.arange(1.0, depths.max(initial=0) + 1), discount).values)
        per_gain = np.concatenate([[0.0], (1 / discounts).cumsum()])[depths]
        normaliser = Piece("ideal_dcg", highest * per_gain, "({} · {})", (highest, per_gain))
    else:
        grades, gain_of_each = (
            (joined.ideal, of_judged) if ideal == "judged" else (joined.grades, gain_of(joined.grades, gains, dcg))
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
        Sum(Piece("gain", gain), discount=discount_of(joined.ranks, discount), name="dcg"),
        normaliser,
        np.any(of_judged > 0, axis=1),
    )


def _q_measure_over_ties(joined: JoinedRun, groups: list[Group], rel: Grade = None, beta: float = 1.0) -> float:
    relevant = int(joined.n_relevant(rel)[0])
    best = np.concatenate([[0.0], joined.ideal[0][:relevant].cumsum()])

    total = blended(
        groups,
        lambda grades: np.where(joined.is_relevant(grades, rel), 1 + beta * grades, 0),
        None,
        lambda ranks: ranks + beta * best[np.minimum(ranks, relevant).astype(np.int64)],
    )
    return total / relevant


@graded_measure(
    "Q",
    formula="Σ r(i) · (C(i) + β cg(i)) / (i + β cg*(i)) / R",
    source="Sakai 2004, NTCIR-4; β: Sakai 2007, IPM 43(2)",
    perfect=1.0,
    undefined="no document is relevant",
    beta=Parameter("the weight of gains relative to counts"),
    over_ties=_q_measure_over_ties,
)
def q_measure(joined: JoinedRun, rel: Grade = None, beta: float = 1.0) -> Terms:
    """Q-measure: AP with gains as well as counts.

    The blended ratio (C(i) + β cg(i)) / (i + β cg*(i)) stands in place of the precision. C(i) counts the relevant
    among the first i, cg(i) sums their gains, and cg*(i) sums those of the ideal ranking. A document below the
    threshold gains nothing. With β = 0 it is AP.

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
    hits, relevant = joined.hits(rel), joined.n_relevant(rel)
    so_far, gain_so_far = hits.cumsum(axis=1), np.where(hits, joined.grades, 0).cumsum(axis=1)
    # The relevant documents come first in the ideal ranking, whose grades fall; below its end, its gain stays the same.
    is_relevant = np.arange(joined.ideal.shape[1]) < relevant[:, np.newaxis]
    ideal_so_far = np.where(is_relevant, joined.ideal, 0).cumsum(axis=1)
    ideal_at_rank = np.take_along_axis(
        ideal_so_far, np.minimum(joined.ranks, joined.ideal.shape[1]).astype(np.int64) - 1, axis=1
    )
    part, whole = so_far + beta * gain_so_far, joined.ranks + beta * ideal_at_rank
    ratio = fraction("blended_ratio", part, whole)
    return Terms(
        Sum(Piece("hits", hits), ratio),
        Piece("relevant", relevant),
        relevant > 0,
        also=(
            Piece("found", so_far),
            Piece("gain_so_far", gain_so_far),
            Piece("ideal_gain_so_far", ideal_at_rank),
        ),
        ideal=(Piece("ideal_gain_so_far", ideal_so_far),),
    )


def _graded_average_precision_over_ties(joined: JoinedRun, groups: list[Group], cutoff: Cutoff = None) -> float:
    ideal = joined.ideal[0][joined.ideal[0] > 0]
    levels = np.concatenate([[0.0], np.unique(ideal)])
    total = sum(
        (level - below) * blended(groups, lambda grades, level=level: (grades >= level) * 1.0, cutoff)  # type: ignore[misc]
        for below, level in zip(levels[:-1].tolist(), levels[1:].tolist(), strict=True)
    )
    return float(total / ideal.sum())


@graded_measure(
    "GAP",
    formula="Σ over i, Σ over j ≤ i, of min(gain(i), gain(j)) / i, over Σ of all gains of the judgments",
    source="Robertson, Kanoulas & Yilmaz 2010, SIGIR",
    perfect=1.0,
    over_ties=_graded_average_precision_over_ties,
)
def graded_average_precision(joined: JoinedRun, cutoff: Cutoff = None) -> Terms:
    """Graded average precision: AP for a user whose threshold of relevance can be any grade.

    The formula is that of the paper where each threshold up to the top of the scale is equally likely; other chances
    g(1), g(2), … are expressed by cumulated gains (``gains={1: g(1), 2: g(1) + g(2), …}`` of `evaluate`). On two grades
    it is AP.

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
    levels = np.unique(joined.ideal[joined.ideal > 0])
    # All thresholds above `below` and up to `level` select the same documents, so they have the same precisions.
    credit = sum(
        (
            (level - below) * hits * hits.cumsum(axis=1) / joined.ranks
            for below, level in pairwise([0.0, *levels.tolist()])
            for hits in (joined.hits(level, cutoff),)
        ),
        start=np.zeros(joined.ranks.shape),
    )
    ideal_gain = np.fmax(joined.ideal, 0)
    return Terms(
        Sum(Piece("credit", credit)),
        Sum(Piece("gain", ideal_gain), name="all_gains", ideal=(joined.ideal, ideal_gain)),
        np.any(ideal_gain > 0, axis=1),
    )


def top_of_scale(joined: JoinedRun, max_rel: Grade, measure: str) -> float:
    """Return the highest possible grade: the given one, else the highest of all judgments (1 if all are 0).

    Raises
    ------
    ArgumentError
        If a judgment has a higher one than was given.
    """
    if max_rel is None:
        return joined.top or 1.0
    if joined.top > max_rel:
        raise ArgumentError(
            f"{measure}(max_rel={max_rel:g}): a judgment has the grade {joined.top:g}; max_rel is the top of the "
            f"scale, {joined.top:g} or more"
        )
    return max_rel or 1.0


def gain_of(grades: np.ndarray, gains: Mapped | None, dcg: str = "log2") -> np.ndarray:
    """Gain of each grade, in either form; it is 0 beyond the end of a row, where the grade is NaN."""
    gain = np.asarray(np.fmax(grades, 0))
    if gains:
        gain = np.select([grades == grade for grade, _ in gains], [max(other, 0.0) for _, other in gains], gain)
    if dcg == "log2":
        return gain
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


def _expected_reciprocal_rank_over_ties(
    joined: JoinedRun, groups: list[Group], cutoff: Cutoff = None, max_rel: Grade = None
) -> float:
    top = top_of_scale(joined, max_rel, "ERR")
    return stopping(groups, lambda grades: np.exp2(np.fmax(grades, 0) - top) - np.exp2(-top), cutoff)[0]


@graded_measure(
    "ERR",
    formula="Σ 1/i · s(i) · Π (1 - s(j)) over j < i, s = (2^grade - 1) / 2^max_rel",
    source="Chapelle, Metzler, Zhang & Grinspan 2009, CIKM",
    over_ties=_expected_reciprocal_rank_over_ties,
)
def expected_reciprocal_rank(joined: JoinedRun, cutoff: Cutoff = None, max_rel: Grade = None) -> Terms:
    """Expected reciprocal rank of the document that satisfies a user who reads from the top.

    The document at rank i satisfies with chance s(i); max_rel is the highest grade of all judgments unless it is given
    (in ir_measures it is always 4).

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
    top = top_of_scale(joined, max_rel, "ERR")
    grades = np.where(joined.within(cutoff), np.fmax(joined.grades, 0), 0)
    chance = np.exp2(grades - top) - np.exp2(-top)  # not divided by 2^top, which may not be a 64-bit float
    still_reading = Piece("still_reading", unsatisfied(chance))
    return Terms(
        Sum(Piece("chance", chance), still_reading, Piece("rank", joined.ranks)),
        defined=np.any(joined.ideal > 0, axis=1),
        also=(Piece("top", top),),
    )


def unsatisfied(chance: np.ndarray) -> np.ndarray:
    """Chance that no document above a rank was satisfying, so that a reader reaches it; or the same by sub-topic."""
    return np.concatenate([np.ones_like(chance[:, :1]), np.cumprod(1 - chance, axis=1)[:, :-1]], axis=1)


@graded_measure(
    "Compat",
    formula="Σ p^(i - 1) · overlap(i) / i, i to the end of the longer, over the same of the ideal with itself",
    source="Clarke, Vtyurina & Smucker 2021, ACM TOIS 39(3)",
    perfect=1.0,
    undefined="no judged document has a grade above 0",
    p=PERSISTENCE,
    normalize=Parameter("divide by the ideal's overlap with itself"),
)
def compatibility(joined: JoinedRun, p: float = 0.95, normalize: bool = True) -> Terms:
    """Compatibility: rank-biased overlap with the ideal ranking that is most like the ranking.

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
    n_ideal = (joined.ideal > 0).sum(axis=1)
    depths = np.maximum(joined.retrieved, n_ideal)
    steps = np.arange(1.0, depths.max(initial=0) + 1)
    # For each rank, the sum of p^(i - 1) / i above it. A document that both rankings have from rank r on adds the sum
    # at the end minus the sum at r.
    weight_above = np.concatenate([[0.0], (p ** (steps - 1) / steps).cumsum()])
    weight_in_all = weight_above[depths]
    shared_from = np.minimum(np.maximum(joined.ranks, joined.ideal_ranks()), depths[:, np.newaxis] + 1)
    overlap = weight_in_all[:, np.newaxis] - weight_above[shared_from.astype(np.int64) - 1]
    if normalize:
        highest = n_ideal * weight_in_all - weight_above.cumsum()[np.maximum(n_ideal, 1) - 1]
    else:
        highest = np.concatenate([[0.0], (p ** (steps - 1)).cumsum()])[depths]
    return Terms(
        Sum(Piece("overlap", overlap)),
        Piece("overlap_of_ideal" if normalize else "highest", highest),
        np.any(joined.ideal > 0, axis=1),
        also=(Piece("shared_from", shared_from), Piece("in_ideal_ranking", n_ideal), Piece("depth", depths)),
    )


@user_measure(
    "RBP",
    either=("max_rel", "scale"),
    formula="(1 - p) Σ gain(i) · p^(i - 1)",
    source="Moffat & Zobel 2008, ACM TOIS 27(1)",
    p=PERSISTENCE,
    rel=GAINING,
    scale=Parameter(
        "where the top of the scale is taken from: all judgments, or those of the query", choices=("all", "query")
    ),
    over_ties="additive",
)
def rank_biased_precision(
    joined: JoinedRun,
    cutoff: Cutoff = None,
    p: float = 0.8,
    rel: Grade = None,
    max_rel: Grade = None,
    scale: str = "all",
    gains: Mapped | None = None,
) -> Terms:
    """Rank-biased precision: the expected gain of a document that is read.

    The gain is the grade over the top of the scale: `max_rel`, else the highest grade of all judgments, or with
    ``scale="query"`` of the query's own, 1 at least, as in trec_eval 10. With `rel` the gain is 1 for a document of
    that grade or above, else 0. With `gains` it is the gain of the grade, over the highest gain of any grade on the
    scale if that is above 1.

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
    weight = Piece("weight", reading_chance(joined, cutoff, p))
    if rel is not None:
        return Terms(Sum(Piece("hits", joined.hits(rel)), weight), defined=joined.n_relevant(rel) > 0)
    highest = np.fmax(joined.ideal.max(axis=1, initial=1, where=joined.ideal > 0), 1)
    top = np.broadcast_to(highest if scale == "query" else top_of_scale(joined, max_rel, "RBP"), highest.shape)
    if gains:
        gain_of_grade = dict(gains)  # an unnamed grade is its own gain
        unnamed = np.array(top, np.float64)
        while (at := np.isin(unnamed, list(gain_of_grade))).any():
            unnamed[at] -= 1
        top = np.fmax(unnamed, max(1.0, *gain_of_grade.values()))
    gain = gain_of(joined.grades, gains) / top[:, np.newaxis]
    earns = np.any(gain_of(joined.ideal, gains) > 0, axis=1)
    return Terms(Sum(Piece("gain", gain), weight), defined=earns, also=(Piece("top", top),))


@user_measure(
    "RBPres",
    formula="1 - (1 - p) Σ p^(i - 1) over the ranks of the judged documents",
    source="Moffat & Zobel 2008, ACM TOIS 27(1)",
    better=None,
    undefined="",
    negative="judged",
    p=PERSISTENCE,
    over_ties="additive",
)
def rank_biased_residual(joined: JoinedRun, cutoff: Cutoff = None, p: float = 0.8) -> Terms:
    """Residual of RBP: what unjudged documents, and those below the end of the ranking, could add.

    It is how much higher RBP would be if all of these were at the top of the scale, also those below the cutoff. A
    document of a negative grade is judged, and gains nothing.

    References
    ----------
    Moffat & Zobel 2008, ACM TOIS 27(1).

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RBPres", "2 U 1"), 8)         # 1 − 0.2 · (1 + 0.8²)
    0.672
    """
    weight = Piece("weight", np.where(np.isnan(joined.grades), 0, reading_chance(joined, cutoff, p)))
    return Terms(Sum(weight), complement=True)


def reading_chance(joined: JoinedRun, cutoff: Cutoff, p: float) -> np.ndarray:
    """Chance that a document is the last one read, 0 beyond the cutoff."""
    return np.where(joined.within(cutoff), (1 - p) * p ** (joined.ranks - 1), 0)


def _search_length_over_ties(joined: JoinedRun, groups: list[Group], rel: Grade = None, n: float = 1.0) -> float:
    """Average ESL: the j-th of r relevant documents in random order among m is at place j (m + 1) / (r + 1)."""
    n_hits = 0
    for group in groups:
        hits = int(joined.is_relevant(group.grades, rel).sum())
        if n_hits + hits >= n:
            return group.first - 1 + (n - n_hits) * (group.size + 1) / (hits + 1) - n
        n_hits += hits
    return float("inf")


@user_measure(
    "ESL",
    formula="rank of the n-th relevant document - n; infinite where fewer were retrieved",
    source="Cooper 1968, American Documentation 19(1)",
    range=(0.0, None),
    better="lower",
    perfect=0.0,
    undefined="fewer than n documents are relevant",
    n=Parameter("how many relevant documents are wanted", low=1.0, whole=True),
    over_ties=_search_length_over_ties,
)
def expected_search_length(joined: JoinedRun, rel: Grade = None, n: float = 1.0) -> Terms:
    """Expected search length: the number of non-relevant documents above the n-th relevant one.

    Unjudged documents count among these. It is infinite where fewer than n relevant documents were retrieved, NaN where
    there are fewer than n. A ranking without ties, as it is here, has one search length; over the orders of tied
    documents it is an expected value.

    References
    ----------
    Cooper 1968, Expected search length, American Documentation 19(1).

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [scored(f"ESL(n={n})", "I R I I R", relevant=3) for n in (1, 2, 3)]
    [1.0, 3.0, inf]
    """
    hits = joined.hits(rel)
    at = np.where(hits & (hits.cumsum(axis=1) == n), joined.ranks, np.inf).min(axis=1, initial=np.inf)
    return Terms(Piece("search_length", at - n, "{} − {}", (at, n)), defined=joined.n_relevant(rel) >= n)
