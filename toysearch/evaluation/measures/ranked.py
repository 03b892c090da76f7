"""Measures of rankings whose documents are relevant or not: formulas over the join of a run with judgments.

Each takes the join, a cutoff k where it has one (None: the whole ranking), and ``rel``, the grade from which a document
is relevant (None: the threshold of the join), and returns its `Terms`. A query without relevant documents has no
value; whether that counts as 0 or is left out of the mean is not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.joined_run import JoinedRun
from toysearch.evaluation.measures.definition import (
    JUDGED_ONLY,
    REL,
    Best,
    Definition,
    Mean,
    Parameter,
    Piece,
    Sum,
    Terms,
    fraction,
)

INFAP_EPSILON = 0.00001  # from trec_eval: the estimated precision is 1/2 if nothing is judged above


def average_precision(
    judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, first: float | None = None
) -> Terms:
    """AP: the precisions at the ranks of the relevant documents, summed, over the number of relevant documents.

    With ``first=n`` only the first n relevant documents count, over n (or over all, if those are fewer).

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("AP", "R I I R", relevant=4)         # (1/1 + 2/4) / 4
    0.375
    """
    hits = judged.hits(rel, cutoff)
    relevant = judged.n_relevant(rel)
    if first is not None:
        hits &= hits.cumsum(axis=1) <= first
        relevant = np.minimum(relevant, first)
    hits_so_far = hits.cumsum(axis=1)
    precision = fraction("precision", hits_so_far, judged.ranks)
    return Terms(Sum(Piece("hits", hits), precision), Piece("relevant", relevant), relevant > 0)


def precision(judged: JoinedRun, cutoff: int, rel: float | None = None) -> Terms:
    """P@k: the relevant among the first k, over k, even where fewer than k were retrieved."""
    return Terms(
        Sum(Piece("hits", judged.hits(rel, cutoff)), name="found"), Piece("cutoff", cutoff), judged.n_relevant(rel) > 0
    )


def recall(judged: JoinedRun, cutoff: int, rel: float | None = None) -> Terms:
    """R@k: the relevant among the first k, over the number of relevant documents."""
    relevant = judged.n_relevant(rel)
    return Terms(Sum(Piece("hits", judged.hits(rel, cutoff)), name="found"), Piece("relevant", relevant), relevant > 0)


def f_measure(judged: JoinedRun, cutoff: int, rel: float | None = None, beta: float = 1.0) -> Terms:
    """F@k = (1 + β²) P R / (β² P + R) of P@k and R@k, which is (1 + β²) found / (β² relevant + k)."""
    n_hits, relevant = judged.hits(rel, cutoff).sum(axis=1), judged.n_relevant(rel)
    sizes = ("({} + {})", (relevant, cutoff)) if beta == 1 else ("({} · {} + {})", (beta**2, relevant, cutoff))
    return Terms(
        Piece("weighted_found", (1 + beta**2) * n_hits, "(1 + {}) · {}", (beta**2, n_hits)),
        Piece("weighted_size", beta**2 * relevant + cutoff, *sizes),
        relevant > 0,
        also=(Piece("found", n_hits), Piece("relevant", relevant)),
    )


def reciprocal_rank(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """RR: 1 over the rank of the first relevant document, 0 where there is none."""
    reciprocal = fraction("reciprocal_rank", 1, judged.ranks)
    return Terms(
        Best(Sum(Piece("hits", judged.hits(rel, cutoff)), reciprocal), _NOT_FOUND),
        defined=judged.n_relevant(rel) > 0,
    )


def r_precision(judged: JoinedRun, rel: float | None = None) -> Terms:
    """Rprec: the precision at rank R, the number of relevant documents."""
    relevant = judged.n_relevant(rel)
    hits = judged.hits(rel) & (judged.ranks <= relevant[:, np.newaxis])
    return Terms(Sum(Piece("hits", hits), name="found"), Piece("relevant", relevant), relevant > 0)


def success(judged: JoinedRun, cutoff: int, rel: float | None = None) -> Terms:
    """Success@k: 1 where there is a relevant document among the first k, else 0."""
    first = Best(Sum(Piece("hits", judged.hits(rel, cutoff)), name="found"), _NOT_FOUND, "first relevant at rank {}")
    return Terms(first, defined=judged.n_relevant(rel) > 0)


def capped_recall(judged: JoinedRun, cutoff: int, rel: float | None = None) -> Terms:
    """R_cap@k: the relevant among the first k, over their highest possible number: k or R, whichever is lower."""
    relevant = judged.n_relevant(rel)
    most = Piece("most", np.minimum(relevant, cutoff), "min({}, {})", (cutoff, relevant))
    return Terms(
        Sum(Piece("hits", judged.hits(rel, cutoff)), name="found"),
        most,
        relevant > 0,
        also=(Piece("relevant", relevant),),
    )


def mean_precision(judged: JoinedRun, cutoff: int, rel: float | None = None) -> Terms:
    """MeanP@k: the mean of P@1, P@2, …, P@k: not AP, which takes the precision at relevant ranks only.

    A relevant document at rank r counts in each P@i from i = r on: it adds 1/r + … + 1/k.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("MeanP@5", "R R R I I", relevant=3), 9)        # (1 + 1 + 1 + 3/4 + 3/5) / 5
    0.87
    """
    hits = judged.hits(rel, cutoff)
    above = np.where(hits, judged.ranks - 1, cutoff)
    added = Piece("added_to_precisions", _harmonic(np.array(float(cutoff))) - _harmonic(above))
    return Terms(Sum(Piece("hits", hits), added), Piece("cutoff", cutoff), judged.n_relevant(rel) > 0)


def interpolated_precision(judged: JoinedRun, cutoff: float, rel: float | None = None, rounding: str = "up") -> Terms:
    """IPrec@x: the highest precision at any rank where recall is at least x; 0 if recall never reaches x.

    The number of relevant documents that x stands for is computed as in trec_eval 9: x · R + 0.9 without its fraction,
    which is x · R rounded up (but down, where it is less than a tenth above a whole number). With
    ``rounding="nearest"`` it is the nearest whole number, as in trec_eval 10.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("IPrec@0.5", "R I I R", relevant=2), scored("IPrec@0.6", "R I I R", relevant=2)
    (1.0, 0.5)
    >>> scored("IPrec(rounding='nearest')@0.6", "R I I R", relevant=2)      # 1.2 is 1
    1.0
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    level = cutoff * relevant
    least = np.floor(level + 0.9) if rounding == "up" else np.floor(level) + (level % 1 >= 0.5)
    hits_so_far = hits.cumsum(axis=1)
    reached = Piece("reached", hits & (hits_so_far >= least[:, np.newaxis]))
    precision = fraction("precision", hits_so_far, judged.ranks)
    return Terms(
        Best(Sum(reached, precision), "recall is never that high"),
        defined=relevant > 0,
        also=(Piece("found", hits_so_far), Piece("relevant", relevant), Piece("wanted", least)),
    )


def interpolated_average_precision(
    judged: JoinedRun, rel: float | None = None, points: float = 11, rounding: str = "up"
) -> Terms:
    """IAP: the mean of IPrec at the recalls 0, 0.1, …, 1 (or at another number of evenly spread points)."""
    levels = (np.arange(points) / (points - 1)).tolist()
    at = [interpolated_precision(judged, level, rel, rounding).values for level in levels]
    return Terms(Mean("interpolated_precision", levels, at))


def binary_preference(judged: JoinedRun, rel: float | None = None) -> Terms:
    """Bpref = 1/R Σ over retrieved relevant (1 − n / min(R, N)), n: judged non-relevant above it, at most R of them.

    N is the number of judged non-relevant documents. Documents that are unjudged, or of a negative grade, do not count.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Bpref", "1 U 0 1", judged="1 1 1 0 0")      # ((1 − 0/2) + (1 − 1/2)) / 3
    0.5
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    others = (judged.ideal >= 0).sum(axis=1) - relevant
    above = ((judged.grades >= 0) & ~hits).cumsum(axis=1)
    most = np.fmax(np.minimum(others, relevant), 1)
    share = 1 - np.minimum(above, relevant[:, np.newaxis]) / most[:, np.newaxis]
    return Terms(
        Sum(Piece("hits", hits), Piece("kept", share)),
        Piece("relevant", relevant),
        relevant > 0,
        also=(Piece("not_relevant_above", above), Piece("not_relevant", others), Piece("most", most)),
    )


def inferred_average_precision(judged: JoinedRun, rel: float | None = None) -> Terms:
    """infAP: AP whose precision at a relevant rank is an estimate from the judged documents above it.

    At rank k: 1/k + (k − 1)/k · pooled/(k − 1) · (relevant + ε) / (relevant + non-relevant + 2ε), where all three
    count documents above k. All documents with a grade are pooled: a negative grade means that the document was in the
    pool, but not in the sample that was judged. Such a document above a relevant one can raise the value.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("infAP", "R I R", relevant=2), 9)      # (1 + 1/3 + 2/3 · 2/2 · 1/2) / 2, but for ε
    0.833333333
    """
    hits, everyone = judged.hits(rel), judged.n_relevant(rel)
    relevant = hits.cumsum(axis=1) - hits
    others = ((judged.grades >= 0) & ~hits).cumsum(axis=1)
    pooled = relevant + others + (judged.grades < 0).cumsum(axis=1)
    precisions = (relevant + INFAP_EPSILON) / (relevant + others + 2 * INFAP_EPSILON)
    above = ("relevant_above", relevant), ("not_relevant_above", others), ("pooled_above", pooled)
    return Terms(
        Sum(Piece("hits", hits), Piece("expected_precision", (1 + pooled * precisions) / judged.ranks)),
        Piece("relevant", everyone),
        everyone > 0,
        also=(*(Piece(*piece) for piece in above), Piece("precision_above", precisions)),
    )


def number_of_queries(judged: JoinedRun) -> Terms:
    """NumQ: 1 for each query."""
    return Terms(Piece("queries", np.ones(len(judged.query_ids))))


def number_retrieved(judged: JoinedRun, cutoff: int | None = None) -> Terms:
    """NumRet: how many documents were retrieved."""
    return Terms(Piece("retrieved", np.minimum(judged.retrieved, np.inf if cutoff is None else cutoff)))


def number_relevant(judged: JoinedRun, rel: float | None = None) -> Terms:
    """NumRel: how many documents are relevant."""
    return Terms(Piece("relevant", judged.n_relevant(rel)))


def number_relevant_retrieved(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """NumRelRet: how many relevant documents were retrieved."""
    return Terms(Sum(Piece("hits", judged.hits(rel, cutoff)), name="found"))


def _harmonic(numbers: np.ndarray) -> np.ndarray:
    """1 + 1/2 + … + 1/n of each whole number, 0 of 0; beyond 1,000 by Euler's expansion, whose error is below 1e-15."""
    small = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 1001))))
    large = np.fmax(numbers, 1000)
    euler = np.log(large) + np.euler_gamma + 1 / (2 * large) - 1 / (12 * large**2) + 1 / (120 * large**4)
    return np.asarray(np.where(numbers <= 1000, small[np.minimum(numbers, 1000).astype(np.int64)], euler))


_NOT_FOUND = "no relevant document"
_BUCKLEY = "Buckley & Voorhees 2005, in: TREC, experiment and evaluation in information retrieval"
_BETA = Parameter("the weight of recall relative to precision", 1.0)
_FIRST = Parameter("only the first n relevant documents count; by default all", low=1, whole=True)
_ROUNDING = Parameter(
    "how a level of recall becomes a number of documents: x · R + 0.9 truncated, or the nearest",
    "up",
    choices=("up", "nearest"),
)
_POINTS = Parameter("how many levels of recall, from 0 to 1", 11.0, low=2, high=10_001, whole=True)

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "AP": Definition(
            average_precision,
            "optional",
            {**REL, "first": _FIRST, **JUDGED_ONLY},
            family="ranked",
            description="average precision: the mean, over all relevant documents, of the precision at their ranks",
            formula="Σ r(i) · P@i / R",
            source=_BUCKLEY,
            perfect=1.0,
        ),
        "GMAP": Definition(
            average_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="AP, whose value for all queries is the geometric mean: most sensitive to the worst queries",
            formula="Σ r(i) · P@i / R",
            source="Robertson 2006, CIKM; as gm_map in trec_eval, where lower values count as 0.00001",
            perfect=1.0,
            aggregate="gm",
        ),
        "P": Definition(
            precision,
            "needed",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="precision: the share of the first k documents that is relevant",
            formula="Σ r(i) / k",
            source=_BUCKLEY,
            ordered=False,
        ),
        "R": Definition(
            recall,
            "needed",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="recall: the share of the relevant documents that is among the first k",
            formula="Σ r(i) / R",
            source=_BUCKLEY,
            ordered=False,
        ),
        "R_cap": Definition(
            capped_recall,
            "needed",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="capped recall: the relevant among the first k over the highest possible number",
            formula="Σ r(i) / min(k, R)",
            source="Thakur et al. 2021, BEIR, NeurIPS; as relative_P in trec_eval",
            ordered=False,
            perfect=1.0,
        ),
        "F": Definition(
            f_measure,
            "needed",
            {**REL, "beta": _BETA, **JUDGED_ONLY},
            family="ranked",
            description="weighted harmonic mean of P@k and R@k",
            formula="(1 + β²) P R / (β² P + R)",
            source="van Rijsbergen 1979, Information Retrieval, chapter 7",
            ordered=False,
        ),
        "MeanP": Definition(
            mean_precision,
            "needed",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="the mean of P@1, P@2, …, P@k, which some texts call average precision",
            formula="Σ P@i / k",
            source="no standard measure; the name is ours",
        ),
        "RR": Definition(
            reciprocal_rank,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="reciprocal rank: 1 over the rank of the first relevant document",
            formula="1 / rank of the first relevant document, 0 without one",
            source="Kantor & Voorhees 2000, Information Retrieval 2",
            perfect=1.0,
        ),
        "Rprec": Definition(
            r_precision,
            "none",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="precision at the rank that equals the number of relevant documents",
            formula="P@R",
            source=_BUCKLEY,
            ordered=False,
            perfect=1.0,
        ),
        "Success": Definition(
            success,
            "needed",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="whether any relevant document is among the first k",
            formula="1 if any r(i) is 1, else 0",
            source="as success in trec_eval",
            ordered=False,
            perfect=1.0,
        ),
        "IPrec": Definition(
            interpolated_precision,
            "recall",
            {**REL, "rounding": _ROUNDING, **JUDGED_ONLY},
            family="ranked",
            description="interpolated precision: the highest precision at or after the rank where recall reaches x",
            formula="max P@i over the ranks i with Σ r / R ≥ x",
            source=f"{_BUCKLEY}; as iprec_at_recall in trec_eval",
            perfect=1.0,
        ),
        "IAP": Definition(
            interpolated_average_precision,
            "none",
            {**REL, "points": _POINTS, "rounding": _ROUNDING, **JUDGED_ONLY},
            family="ranked",
            description="the mean of IPrec at the 11 levels of recall 0, 0.1, …, 1",
            formula="(IPrec@0.0 + IPrec@0.1 + … + IPrec@1.0) / 11",
            source="Manning, Raghavan & Schütze 2008, chapter 8; as 11pt_avg in trec_eval",
            perfect=1.0,
        ),
        "Bpref": Definition(
            binary_preference,
            "none",
            REL,
            family="ranked",
            description="binary preference: how rarely a judged non-relevant document ranks above a relevant one",
            formula="Σ over retrieved relevant (1 − min(n, R) / min(N, R)) / R; n, N: judged non-relevant, above it "
            "and in all",
            source="Buckley & Voorhees 2004, SIGIR; as corrected in trec_eval",
            perfect=1.0,
        ),
        "infAP": Definition(
            inferred_average_precision,
            "none",
            REL,
            family="ranked",
            description="inferred AP: precisions at relevant ranks are estimated from the judged documents above",
            formula="Σ over retrieved relevant (1/k + (k − 1)/k · pooled/(k − 1) · (rel + ε)/(rel + nonrel + 2ε)) / R",
            source="Yilmaz & Aslam 2006, CIKM; as in trec_eval, ε = 0.00001",
        ),
        "NumQ": Definition(
            number_of_queries,
            "none",
            {},
            family="ranked",
            description="number of queries",
            formula="1",
            source="as num_q in trec_eval",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "NumRet": Definition(
            number_retrieved,
            "optional",
            {},
            family="ranked",
            description="number of documents retrieved",
            formula="retrieved",
            source="as num_ret in trec_eval",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "NumRel": Definition(
            number_relevant,
            "none",
            REL,
            family="ranked",
            description="number of relevant documents",
            formula="R",
            source="as num_rel in trec_eval",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "NumRelRet": Definition(
            number_relevant_retrieved,
            "optional",
            REL,
            family="ranked",
            description="number of relevant documents retrieved",
            formula="Σ r(i)",
            source="as num_rel_ret in trec_eval",
            range=(0.0, None),
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
    }
)
