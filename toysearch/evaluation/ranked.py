"""Measures of rankings whose documents are relevant or not: formulas over `Judged`.

Each takes the join, a cutoff k where it has one (None: the whole ranking), and ``rel``, the grade from which on a
document is relevant (None: the threshold of the join). Each gives one float64 a query, NaN where the query has no
relevant document: whether that counts as 0 or is left out is not the formula's to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from toysearch.evaluation.definition import REL, Definition, Parameter
from toysearch.evaluation.judged import Judged

INFAP_EPSILON = 0.00001  # trec_eval's: what it adds so that the share of nothing is 1/2


def average_precision(
    judged: Judged, cutoff: int | None = None, rel: float | None = None, first: float | None = None
) -> np.ndarray:
    """AP: the precisions at the ranks of the relevant documents, added, over the number of relevant documents.

    With ``first=n`` the same of the first n relevant documents alone, over n (or over all, if those are fewer).

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
    relevant = judged.n_relevant(rel)
    if first is not None:
        hits &= hits.cumsum(axis=1) <= first
        relevant = np.minimum(relevant, first)
    precisions = hits.cumsum(axis=1) / judged.ranks
    return _share((precisions * hits).sum(axis=1), relevant)


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


def capped_recall(judged: Judged, cutoff: int, rel: float | None = None) -> np.ndarray:
    """R_cap@k: the relevant among the first k, over the most that can be there: k, or all relevant documents."""
    found = judged.hits(rel, cutoff).sum(axis=1)
    return _share(found, np.minimum(judged.n_relevant(rel), cutoff))


def mean_precision(judged: Judged, cutoff: int, rel: float | None = None) -> np.ndarray:
    """MeanP@k: the mean of P@1, P@2, …, P@k: not AP, which takes the precision at relevant ranks only.

    A relevant document at rank r is in P@i from i = r on, and adds 1/i to each of those.

    Examples
    --------
    Relevant at ranks 1, 2 and 3: (1 + 1 + 1 + 3/4 + 3/5) / 5.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("abcxy"), [5, 4, 3, 2, 1])])
    >>> mean_precision(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}})), 5)
    array([0.87])
    """
    hits = judged.hits(rel, cutoff)
    above = np.where(hits, judged.ranks - 1, cutoff)
    added = (_harmonic(np.array(float(cutoff))) - _harmonic(above)) * hits
    return _where_relevant(added.sum(axis=1) / cutoff, judged, rel)


def interpolated_precision(judged: Judged, cutoff: float, rel: float | None = None) -> np.ndarray:
    """IPrec@x: the highest precision at any rank where recall is at least x; 0 where it never gets there.

    The number of relevant documents that x stands for is that of trec_eval 9: x · R + 0.9 without its fraction, which
    is x · R rounded up (but down, where it is less than a tenth above a whole number).

    Examples
    --------
    Relevant at ranks 1 and 4, of two: recall 0.5 is reached at rank 1, and 1 at rank 4.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> judged = join(
    ...     Run.from_rankings([Ranking("1", list("axyb"), [4, 3, 2, 1])]), Qrels.from_dict({"1": {"a": 1, "b": 1}})
    ... )
    >>> interpolated_precision(judged, 0.5), interpolated_precision(judged, 0.6)
    (array([1.]), array([0.5]))
    """
    hits = judged.hits(rel)
    relevant = judged.n_relevant(rel)
    wanted = np.floor(cutoff * relevant + 0.9)
    found = hits.cumsum(axis=1)
    precisions = np.where(hits & (found >= wanted[:, np.newaxis]), found / judged.ranks, 0)
    return _where_relevant(precisions.max(axis=1, initial=0), judged, rel)


def interpolated_average_precision(judged: Judged, rel: float | None = None, points: float = 11) -> np.ndarray:
    """IAP: the mean of IPrec at the recalls 0, 0.1, …, 1 (with another number of points: as evenly spread)."""
    levels = np.arange(points) / (points - 1)
    return np.asarray(np.mean([interpolated_precision(judged, level, rel) for level in levels.tolist()], axis=0))


def binary_preference(judged: Judged, rel: float | None = None) -> np.ndarray:
    """Bpref = 1/R Σ over retrieved relevant (1 − n / min(R, N)), n: judged non-relevant above it, at most R of them.

    N is the number of judged non-relevant documents. Documents that are unjudged, or of a negative grade, do not
    count at all.

    Examples
    --------
    Relevant a (after 0 non-relevant), b (after 1) and c (not retrieved); judged non-relevant x and y:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("a?xb"), [4, 3, 2, 1])])
    >>> binary_preference(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0}})))
    array([0.5])
    """
    hits = judged.hits(rel)
    relevant = judged.n_relevant(rel)
    others = (judged.ideal >= 0).sum(axis=1) - relevant
    above = ((judged.grades >= 0) & ~hits).cumsum(axis=1)
    most = np.fmax(np.minimum(others, relevant), 1)[:, np.newaxis]
    kept = 1 - np.minimum(above, relevant[:, np.newaxis]) / most
    return _share((kept * hits).sum(axis=1), relevant)


def inferred_average_precision(judged: Judged, rel: float | None = None) -> np.ndarray:
    """infAP: AP whose precision at a relevant rank is an estimate from the judged documents above it.

    At rank k: 1/k + (k − 1)/k · pooled/(k − 1) · (relevant + ε) / (relevant + non-relevant + 2ε), where all three
    count documents above k, pooled ones being all that have a grade: one below 0 says that the document was in the
    pool, but not in the sample that was judged. Such a document above a relevant one can raise the value.

    Examples
    --------
    Relevant at ranks 1 and 3, non-relevant at rank 2: (1 + 1/3 + 2/3 · 2/2 · 1/2) / 2, but for ε.

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", list("axb"), [3, 2, 1])])
    >>> inferred_average_precision(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "x": 0}}))).round(9)
    array([0.83333333])
    """
    hits = judged.hits(rel)
    relevant = hits.cumsum(axis=1) - hits
    seen = judged.grades >= 0
    others = (seen & ~hits).cumsum(axis=1)
    pooled = relevant + others + (judged.grades < 0).cumsum(axis=1)
    precisions = (relevant + INFAP_EPSILON) / (relevant + others + 2 * INFAP_EPSILON)
    expected = (1 + pooled * precisions) / judged.ranks
    return _share((expected * hits).sum(axis=1), judged.n_relevant(rel))


def number_of_queries(judged: Judged) -> np.ndarray:
    """NumQ: 1 for each query."""
    return np.ones(len(judged.query_ids))


def number_retrieved(judged: Judged, cutoff: int | None = None) -> np.ndarray:
    """NumRet: how many documents were retrieved."""
    return np.asarray(np.minimum(judged.retrieved, np.inf if cutoff is None else cutoff), dtype=np.float64)


def number_relevant(judged: Judged, rel: float | None = None) -> np.ndarray:
    """NumRel: how many documents are relevant."""
    return np.asarray(judged.n_relevant(rel), dtype=np.float64)


def number_relevant_retrieved(judged: Judged, cutoff: int | None = None, rel: float | None = None) -> np.ndarray:
    """NumRelRet: how many relevant documents were retrieved."""
    return np.asarray(judged.hits(rel, cutoff).sum(axis=1), dtype=np.float64)


def _harmonic(numbers: np.ndarray) -> np.ndarray:
    """1 + 1/2 + … + 1/n of each whole number, 0 of 0; beyond 1,000 by Euler's expansion, whose error is below 1e-15."""
    small = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 1001))))
    large = np.fmax(numbers, 1000)
    euler = np.log(large) + np.euler_gamma + 1 / (2 * large) - 1 / (12 * large**2) + 1 / (120 * large**4)
    return np.asarray(np.where(numbers <= 1000, small[np.minimum(numbers, 1000).astype(np.int64)], euler))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part over whole, NaN where the whole is nothing."""
    return np.asarray(part / np.where(whole > 0, whole, np.nan))


def _where_relevant(values: ArrayLike, judged: Judged, rel: float | None) -> np.ndarray:
    """The values, NaN for the queries that have no relevant document."""
    return np.where(judged.n_relevant(rel) > 0, values, np.nan)


def _binary(
    compute: Callable[..., np.ndarray],
    cutoff: Literal["none", "optional", "needed", "recall"],
    description: str,
    formula: str,
    source: str,
) -> Definition:
    """The definition of a measure from 0 to 1 of documents that are relevant or not."""
    return Definition(compute, cutoff, REL, "ranked", description, formula, source)


def _count(
    compute: Callable[..., np.ndarray], cutoff: Literal["none", "optional"], description: str, formula: str, theirs: str
) -> Definition:
    """The definition of a count, whose value for all queries is the sum."""
    return Definition(
        compute,
        cutoff,
        REL if "rel" in theirs else {},
        "ranked",
        description,
        formula,
        source=f"as {theirs} in trec_eval",
        range=(0.0, None),
        better="higher" if theirs == "num_rel_ret" else None,
        ordered=False,
        undefined="",
        aggregate="sum",
        judged_only=False,
    )


_BUCKLEY = "Buckley & Voorhees 2005, in: TREC, experiment and evaluation in information retrieval"
_BETA = Parameter("how many times as much recall counts as precision", 1.0)
_FIRST = Parameter("only the first n relevant documents count; by default all", low=1, whole=True)
_POINTS = Parameter("how many levels of recall, from 0 to 1", 11.0, low=2, high=10_001, whole=True)
_AP = _binary(
    average_precision,
    "optional",
    "average precision: the mean, over all relevant documents, of the precision at their ranks",
    "Σ r(i) · P@i / R",
    _BUCKLEY,
)._replace(parameters={**REL, "first": _FIRST}, perfect=1.0)

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "AP": _AP,
        "GMAP": _AP._replace(
            parameters=REL,
            aggregate="gm",
            description="AP, whose value for all queries is the geometric mean: it tells most about the poorest ones",
            source="Robertson 2006, CIKM; as gm_map in trec_eval, which takes 0.00001 for what is below",
        ),
        "P": _binary(
            precision,
            "needed",
            "precision: the share of the first k documents that is relevant",
            "Σ r(i) / k",
            _BUCKLEY,
        )._replace(ordered=False),
        "R": _binary(
            recall,
            "needed",
            "recall: the share of the relevant documents that is among the first k",
            "Σ r(i) / R",
            _BUCKLEY,
        )._replace(ordered=False),
        "R_cap": _binary(
            capped_recall,
            "needed",
            "capped recall: the relevant among the first k over the most that can be there",
            "Σ r(i) / min(k, R)",
            "Thakur et al. 2021, BEIR, NeurIPS; as relative_P in trec_eval",
        )._replace(ordered=False, perfect=1.0),
        "F": _binary(
            f_measure,
            "needed",
            "weighted harmonic mean of P@k and R@k",
            "(1 + β²) P R / (β² P + R)",
            "van Rijsbergen 1979, Information Retrieval, chapter 7",
        )._replace(parameters={**REL, "beta": _BETA}, ordered=False),
        "MeanP": _binary(
            mean_precision,
            "needed",
            "the mean of P@1, P@2, …, P@k, which some texts call average precision",
            "Σ P@i / k",
            "no standard measure; the name is ours",
        ),
        "RR": _binary(
            reciprocal_rank,
            "optional",
            "reciprocal rank: 1 over the rank of the first relevant document",
            "1 / rank of the first relevant document, 0 without one",
            "Kantor & Voorhees 2000, Information Retrieval 2",
        )._replace(perfect=1.0),
        "Rprec": _binary(
            r_precision,
            "none",
            "precision at the rank that equals the number of relevant documents",
            "P@R",
            _BUCKLEY,
        )._replace(ordered=False, perfect=1.0),
        "Success": _binary(
            success,
            "needed",
            "whether any relevant document is among the first k",
            "1 if any r(i) is 1, else 0",
            "as success in trec_eval",
        )._replace(ordered=False, perfect=1.0),
        "IPrec": _binary(
            interpolated_precision,
            "recall",
            "interpolated precision: the highest precision at or after the rank where recall reaches x",
            "max P@i over the ranks i with Σ r / R ≥ x",
            f"{_BUCKLEY}; as iprec_at_recall in trec_eval",
        )._replace(perfect=1.0),
        "IAP": _binary(
            interpolated_average_precision,
            "none",
            "the mean of IPrec at the 11 levels of recall 0, 0.1, …, 1",
            "(IPrec@0.0 + IPrec@0.1 + … + IPrec@1.0) / 11",
            "Manning, Raghavan & Schütze 2008, chapter 8; as 11pt_avg in trec_eval",
        )._replace(parameters={**REL, "points": _POINTS}, perfect=1.0),
        "Bpref": _binary(
            binary_preference,
            "none",
            "binary preference: how seldom a judged non-relevant document is above a relevant one",
            "Σ over retrieved relevant (1 − min(n, R) / min(N, R)) / R; n, N: judged non-relevant, above it and in all",
            "Buckley & Voorhees 2004, SIGIR; as corrected in trec_eval",
        )._replace(perfect=1.0, judged_only=False),
        "infAP": _binary(
            inferred_average_precision,
            "none",
            "inferred AP: precisions at relevant ranks are estimated from the judged documents above",
            "Σ over retrieved relevant (1/k + (k − 1)/k · pooled/(k − 1) · (rel + ε)/(rel + nonrel + 2ε)) / R",
            "Yilmaz & Aslam 2006, CIKM; as in trec_eval, ε = 0.00001",
        )._replace(judged_only=False),
        "NumQ": _count(number_of_queries, "none", "number of queries", "1", "num_q"),
        "NumRet": _count(number_retrieved, "optional", "number of documents retrieved", "retrieved", "num_ret"),
        "NumRel": _count(number_relevant, "none", "number of relevant documents", "R", "num_rel"),
        "NumRelRet": _count(
            number_relevant_retrieved, "optional", "number of relevant documents retrieved", "Σ r(i)", "num_rel_ret"
        ),
    }
)
