"""Measures that follow a user down the ranking: how far they read, and what they have found by then.

Each takes the join (`JoinedRun`) and returns its `Terms`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.joined_run import JoinedRun
from toysearch.evaluation.measures.definition import JUDGED_ONLY, REL, Definition, Mapped, Parameter, Piece, Sum, Terms
from toysearch.evaluation.measures.graded import GAINS, MAX_REL, UNDEFINED, gain_of, top_of_scale


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
    weight = Piece("weight", _reading_chance(judged, cutoff, p))
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
    last one retrieved, or below the cutoff. A negative grade counts as unjudged.

    References
    ----------
    Moffat & Zobel 2008, ACM TOIS 27(1).

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RBPres", "2 U 1"), 8)         # 1 − 0.2 · (1 + 0.8²)
    0.672
    """
    weight = Piece("weight", np.where(judged.grades >= 0, _reading_chance(judged, cutoff, p), 0))
    return Terms(Sum(weight), complement=True)


def _reading_chance(judged: JoinedRun, cutoff: int | None, p: float) -> np.ndarray:
    """The chance that a document is the last one that is read, 0 beyond the cutoff."""
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


_P = "persistence: the probability of reading on"

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
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
            formula="Σ p^(i - 1) · overlap(i) / i, over the same of the ideal ranking with itself",
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
