"""Measures of documents that are relevant or not, as a ranking or as a set: formulas over `JoinedRun`.

Each takes the join, a cutoff k where it has one (None: the whole ranking), and ``rel``, the grade from which a document
is relevant (None: the threshold of the join), and returns its `Terms`. A query without relevant documents has no
value; whether that counts as 0 or is left out of the mean is not decided here.

Start with `average_precision`.

The set of retrieved documents is the whole ranking, or, with a cutoff, its first k documents; if fewer than k were
retrieved, all of them (`precision` divides by k). Every measure of a set is a formula over the table

|               | relevant | not relevant |
|---------------|----------|--------------|
| retrieved     | TP       | FP           |
| not retrieved | FN       | TN           |

An unjudged document is not relevant. TN needs the number N of documents in the collection, which neither a run nor
judgments contain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError
from toysearch.evaluation import JUDGED_ONLY, REL, Definition, JoinedRun, Parameter, Piece, Sum, Terms, fraction
from toysearch.evaluation.measures.definition import Best, Mean

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


def context_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """ContextPrecision@k: the precisions at the ranks of the relevant documents, summed, over those *found*.

    What was missed does not count: one relevant document at rank 1 gives 1, however many others there are.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("ContextPrecision", "R I I R", relevant=4)         # (1/1 + 2/4) / 2
    0.75
    """
    hits = judged.hits(rel, cutoff)
    hits_so_far = hits.cumsum(axis=1)
    found = Piece("found", hits.sum(axis=1))
    precision = fraction("precision", hits_so_far, judged.ranks)
    return Terms(Sum(Piece("hits", hits), precision), found, judged.n_relevant(rel) > 0)


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
    """Sum 1 + 1/2 + … + 1/n for each whole number; beyond 1,000 by Euler's expansion, whose error is below 1e-15."""
    small = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 1001))))
    large = np.fmax(numbers, 1000)
    euler = np.log(large) + np.euler_gamma + 1 / (2 * large) - 1 / (12 * large**2) + 1 / (120 * large**4)
    return np.asarray(np.where(numbers <= 1000, small[np.minimum(numbers, 1000).astype(np.int64)], euler))


_NOT_FOUND = "no relevant document"
_BUCKLEY = "Buckley & Voorhees 2005, in: TREC, experiment and evaluation in information retrieval"
_BETA = Parameter("the weight of recall relative to precision", 1.0)
_FIRST = Parameter(
    "only the first n relevant documents count, so AP(first=k)@k divides by min(k, R); by default all",
    low=1,
    whole=True,
)
_ROUNDING = Parameter(
    "how a level of recall becomes a number of documents: x · R + 0.9 truncated, or the nearest",
    "up",
    choices=("up", "nearest"),
)
_POINTS = Parameter("how many levels of recall, from 0 to 1", 11.0, low=2, high=10_001, whole=True)

OF_RANKINGS: Mapping[str, Definition] = MappingProxyType(
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
        "ContextPrecision": Definition(
            context_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="AP over the relevant documents found instead of all: what was missed does not count",
            formula="Σ r(i) · P@i / Σ r(i)",
            source="Es et al. 2024, RAGAs, EACL (demonstrations), as context precision in ragas",
            perfect=1.0,
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
            negative="unjudged",
        ),
        "infAP": Definition(
            inferred_average_precision,
            "none",
            REL,
            family="ranked",
            description="inferred AP: precisions at relevant ranks are estimated from the judged documents above",
            formula="Σ over retrieved relevant (1/k + (k − 1)/k · pooled/(k − 1) · (rel + ε)/(rel + nonrel + 2ε)) / R",
            source="Yilmaz & Aslam 2006, CIKM; as in trec_eval, ε = 0.00001",
            negative="unjudged",
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


def judged_share(judged: JoinedRun, cutoff: int | None = None) -> Terms:
    """Judged@k: the share of the first k retrieved documents that was judged, 0 where nothing was retrieved.

    Where fewer than k were retrieved the share is of those, as in ir_measures; without a cutoff, of all.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Judged@4", "U 2 U -1")          # a negative grade is a judgment
    0.5
    """
    depth = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    return Terms(Sum(_is_judged(judged, cutoff), name="judged"), Piece("depth", np.maximum(depth, 1)))


def hole_share(judged: JoinedRun, cutoff: int) -> Terms:
    """Hole@k: the documents among the first k that are not judged for the query, over k.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Hole@5", "U 2 U")
    0.4
    """
    depth, n_judged = np.minimum(judged.retrieved, cutoff), np.asarray(_is_judged(judged, cutoff).values).sum(axis=1)
    return Terms(Piece("unjudged", depth - n_judged), Piece("cutoff", cutoff))


def _is_judged(judged: JoinedRun, cutoff: int | None) -> Piece:
    return Piece("is_judged", ~np.isnan(judged.grades) & judged.within(cutoff))


_OF_JUDGING: Mapping[str, Definition] = MappingProxyType(
    {
        "Judged": Definition(
            judged_share,
            "optional",
            {},
            family="incomplete",
            description="the share of the first k documents that was judged, relevant or not",
            formula="judged documents among the first k / documents retrieved among the first k",
            source="as Judged in ir_measures, where a negative grade is a judgment too",
            better=None,
            ordered=False,
            undefined="",
            negative="judged",
        ),
        "Hole": Definition(
            hole_share,
            "needed",
            {},
            family="incomplete",
            description="the share of the first k documents that is unjudged for the query",
            formula="unjudged documents among the first k / k",
            source="Thakur et al. 2021, BEIR, NeurIPS, where a document judged for any query is judged",
            better=None,
            ordered=False,
            undefined="",
            negative="judged",
        ),
    }
)


class Contingency(NamedTuple):
    """Table of retrieved × relevant, one number per query each; TN is NaN where N is not known."""

    TP: np.ndarray
    FP: np.ndarray
    FN: np.ndarray
    TN: np.ndarray

    @property
    def retrieved(self) -> np.ndarray:
        """TP + FP."""
        return np.asarray(self.TP + self.FP)

    @property
    def relevant(self) -> np.ndarray:
        """TP + FN."""
        return np.asarray(self.TP + self.FN)

    def terms(self, part: Piece, whole: Piece | None = None, *, needs: np.ndarray | None = None) -> Terms:
        """Divide the part by the whole, for queries with a relevant document or those in `needs`; show the cells."""
        cells = (Piece(name, cell) for name, cell in self._asdict().items())
        return Terms(part, whole, self.relevant > 0 if needs is None else needs, also=tuple(cells))


def contingency(
    judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None
) -> Contingency:
    """Count retrieved × relevant of each query in a 2×2 table; `N` is the number of documents in the collection.

    Raises
    ------
    ArgumentError
        If a query has more documents than N.

    Examples
    --------
    Retrieved are a, x, y and b of ten documents; relevant are a, b and c.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.base.run_and_qrels import Ranking
    >>> from toysearch.base import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "y", "b"], [4, 3, 2, 1])])
    >>> [cell.tolist() for cell in contingency(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}})), N=10)]
    [[2.0], [2.0], [1.0], [5.0]]
    """
    n_hits = judged.hits(rel, cutoff).sum(axis=1).astype(np.float64)
    retrieved = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
    false_positives, missed = retrieved - n_hits, judged.n_relevant(rel) - n_hits
    rest = np.nan if N is None else N
    others = rest - n_hits - false_positives - missed
    for row in np.flatnonzero(others < 0)[:1].tolist():
        raise ArgumentError(
            f"N={N:g} is fewer than the {rest - others[row]:g} documents that are retrieved or relevant for query "
            f"'{judged.query_ids[row]}'; N is the number of documents in the collection"
        )
    return Contingency(n_hits, false_positives, missed, others)


def set_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetP = TP / (TP + FP); 0 where nothing was retrieved."""
    table = contingency(judged, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("retrieved", table.retrieved))


def set_recall(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetR = TP / (TP + FN)."""
    table = contingency(judged, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("relevant", table.relevant))


def set_f(
    judged: JoinedRun,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """SetF = 1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R), of SetP and SetR, where α = 1 / (1 + β²).

    In the numbers of the table: TP / (α · retrieved + (1 − α) · relevant). With α = 1 this is SetP.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [round(scored(f"SetF({weight})", "R R I I", relevant=8), 8) for weight in ("alpha=0.2", "beta=2")]
    [0.27777778, 0.27777778]
    """
    table = contingency(judged, cutoff, rel)
    share = 1 / (1 + beta**2) if alpha is None else alpha
    retrieved, relevant = table.retrieved, table.relevant
    mixed = share * retrieved + (1 - share) * relevant
    size = Piece("weighted_size", mixed, "({} · {} + {} · {})", (share, retrieved, 1 - share, relevant))
    return table.terms(Piece("TP", table.TP), size)


def effectiveness(
    judged: JoinedRun,
    cutoff: int | None = None,
    rel: float | None = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """SetE = 1 − SetF, van Rijsbergen's E: 0 is best."""
    return dataclasses.replace(set_f(judged, cutoff, rel, beta, alpha), complement=True)


def set_relative_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetRelP = TP / min(retrieved, relevant): SetP over the best that a set of this size can have."""
    table = contingency(judged, cutoff, rel)
    sizes = table.retrieved, table.relevant
    return table.terms(Piece("TP", table.TP), Piece("best", np.minimum(*sizes), "min({}, {})", sizes))


def set_average_precision(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """SetAP = SetP · SetR: the AP of a ranking whose relevant documents all have precision SetP."""
    table = contingency(judged, cutoff, rel)
    retrieved, relevant = table.retrieved, table.relevant
    product = retrieved * relevant
    # Divided once, as in trec_eval: twice would round twice.
    both = table.TP**2 / np.where(product > 0, product, 1)
    return table.terms(Piece("P_times_R", both, "({} / {}) · ({} / {})", (table.TP, retrieved, table.TP, relevant)))


def fallout(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> Terms:
    """Fallout = FP / (FP + TN): the share of the non-relevant documents that was retrieved."""
    table = contingency(judged, cutoff, rel, N)
    others = table.FP + table.TN
    return table.terms(Piece("FP", table.FP), Piece("not_relevant", others), needs=others > 0)


def accuracy(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None) -> Terms:
    """SetAccuracy = (TP + TN) / N: the share of the collection that is correctly retrieved or correctly left out.

    It is misleading: where 99.9 % of a collection is not relevant, retrieving nothing has an accuracy of 0.999.
    """
    table = contingency(judged, cutoff, rel, N)
    right = Piece("right", table.TP + table.TN, "({} + {})", (table.TP, table.TN))
    size = np.asarray(sum(table))
    return table.terms(right, Piece("documents", size), needs=size > 0)


def generality(judged: JoinedRun, rel: float | None = None, N: float | None = None) -> Terms:
    """Generality = (TP + FN) / N: the share of the collection that is relevant, whatever is retrieved."""
    table = contingency(judged, None, rel, N)
    size = np.asarray(sum(table))
    return table.terms(Piece("relevant", table.relevant), Piece("documents", size), needs=size > 0)


def true_positives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """TP: the relevant documents that were retrieved."""
    return Terms(Sum(Piece("hits", judged.hits(rel, cutoff)), name="TP"))


def false_positives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """FP: the retrieved documents that are not relevant."""
    table = contingency(judged, cutoff, rel)
    return Terms(Piece("FP", table.FP, "{} − {}", (table.retrieved, table.TP)))


def false_negatives(judged: JoinedRun, cutoff: int | None = None, rel: float | None = None) -> Terms:
    """FN: the relevant documents that were not retrieved."""
    table = contingency(judged, cutoff, rel)
    return Terms(Piece("FN", table.FN, "{} − {}", (table.relevant, table.TP)))


def true_negatives(
    judged: JoinedRun, cutoff: int | None = None, rel: float | None = None, N: float | None = None
) -> Terms:
    """TN: the documents that are neither retrieved nor relevant."""
    table = contingency(judged, cutoff, rel, N)
    return Terms(Piece("TN", table.TN, "{} − {} − {} − {}", (np.asarray(sum(table)), table.TP, table.FP, table.FN)))


_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"
_MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"
_N: Mapping[str, Parameter] = {
    "N": Parameter("the number of documents in the collection", low=1, whole=True, needed="1400")
}
_WEIGHTS: Mapping[str, Parameter] = {
    "beta": Parameter("the weight of recall relative to precision", 1.0),
    "alpha": Parameter("the weight of precision, in place of beta: beta² = (1 − alpha) / alpha", high=1),
}

OF_SETS: Mapping[str, Definition] = MappingProxyType(
    {
        **_OF_JUDGING,
        "SetP": Definition(
            set_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision: the share of the retrieved that is relevant",
            formula="TP / (TP + FP)",
            source=_MANNING,
            ordered=False,
        ),
        "SetR": Definition(
            set_recall,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set recall: the share of the relevant that was retrieved",
            formula="TP / (TP + FN)",
            source=_MANNING,
            ordered=False,
        ),
        "SetF": Definition(
            set_f,
            "optional",
            {**REL, **_WEIGHTS, **JUDGED_ONLY},
            family="set",
            description="weighted harmonic mean of set precision and set recall",
            formula="1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R)",
            source=_BOOK,
            ordered=False,
            either=("beta", "alpha"),
        ),
        "SetE": Definition(
            effectiveness,
            "optional",
            {**REL, **_WEIGHTS, **JUDGED_ONLY},
            family="set",
            description="van Rijsbergen's E: 1 − SetF",
            formula="1 − 1 / (α / P + (1 − α) / R)",
            source=_BOOK,
            better="lower",
            ordered=False,
            either=("beta", "alpha"),
        ),
        "SetRelP": Definition(
            set_relative_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision over the best that a set of this size can have",
            formula="TP / min(TP + FP, TP + FN)",
            source="as set_relative_P in trec_eval",
            ordered=False,
        ),
        "SetAP": Definition(
            set_average_precision,
            "optional",
            {**REL, **JUDGED_ONLY},
            family="set",
            description="set precision times set recall",
            formula="P · R",
            source="as set_map in trec_eval",
            ordered=False,
        ),
        "Fallout": Definition(
            fallout,
            "optional",
            {**REL, **_N},
            family="set",
            description="the share of the non-relevant documents that was retrieved",
            formula="FP / (FP + TN)",
            source=_MANNING,
            better="lower",
            ordered=False,
            undefined="every document of the collection is relevant",
        ),
        "SetAccuracy": Definition(
            accuracy,
            "optional",
            {**REL, **_N},
            family="set",
            description="the share of the collection correctly retrieved or correctly left out; misleading where "
            "little is relevant",
            formula="(TP + TN) / N",
            source=_MANNING,
            ordered=False,
            undefined="",
        ),
        "Generality": Definition(
            generality,
            "none",
            {**REL, **_N},
            family="set",
            description="the share of the collection that is relevant",
            formula="(TP + FN) / N",
            source=_BOOK,
            better=None,
            ordered=False,
            undefined="",
        ),
        "TP": Definition(
            true_positives,
            "optional",
            REL,
            family="set",
            description="relevant documents retrieved",
            formula="Σ r(i)",
            source=_MANNING,
            range=(0.0, None),
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "FP": Definition(
            false_positives,
            "optional",
            REL,
            family="set",
            description="documents retrieved that are not relevant",
            formula="retrieved − TP",
            source=_MANNING,
            range=(0.0, None),
            better="lower",
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "FN": Definition(
            false_negatives,
            "optional",
            REL,
            family="set",
            description="relevant documents not retrieved",
            formula="R − TP",
            source=_MANNING,
            range=(0.0, None),
            better="lower",
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
        "TN": Definition(
            true_negatives,
            "optional",
            {**REL, **_N},
            family="set",
            description="documents neither retrieved nor relevant",
            formula="N − TP − FP − FN",
            source=_MANNING,
            range=(0.0, None),
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
    }
)
