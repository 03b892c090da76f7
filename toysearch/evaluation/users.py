"""Measures that follow a user down the ranking: how far one reads, and what one has found by then.

Each takes the join (`Judged`) and gives one float64 a query, NaN where it is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from toysearch.evaluation.definition import REL, Definition, Parameter
from toysearch.evaluation.graded import MAX_REL, UNDEFINED, top_of_scale, where_gained, within
from toysearch.evaluation.judged import Judged


def expected_reciprocal_rank(judged: Judged, cutoff: int | None = None, max_rel: float | None = None) -> np.ndarray:
    """ERR: the expected 1 / rank at which a user stops who reads from the top and may be satisfied by each document.

    Σ 1/i · s(i) · Π over j < i of (1 − s(j)). A document of grade g satisfies with chance s = (2^g − 1) / 2^max_rel.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    cutoff : int, optional
        The rank down to which documents count; all by default.
    max_rel : float, optional
        The top of the scale; by default the highest grade of all judgments (ir_measures' is always 4).

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    Raises
    ------
    ArgumentError
        If a grade is above `max_rel`.

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan 2009, Expected reciprocal rank for graded relevance, CIKM.

    Examples
    --------
    Chances 1/8 and 7/8: 1/1 · 1/8 + 1/2 · 7/8 · 7/8:

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> expected_reciprocal_rank(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})))
    array([0.5078125])
    """
    top = top_of_scale(judged, max_rel, "ERR")
    grades = np.where(within(judged, cutoff), np.fmax(judged.grades, 0), 0)
    chance = np.exp2(grades - top) - np.exp2(-top)  # not over 2^top, which may be no 64-bit float
    # Who reads the document at a rank was satisfied by none above it.
    still_reading = np.pad(np.cumprod(1 - chance, axis=1), ((0, 0), (1, 0)), constant_values=1)[:, :-1]
    return where_gained((still_reading * chance / judged.ranks).sum(axis=1), judged.ideal)


def compatibility(judged: Judged, p: float = 0.95, normalize: bool = True) -> np.ndarray:
    """Compat: the rank-biased overlap of the ranking with the ideal ranking that is most like it.

    RBO = Σ p^(i − 1) · overlap(i) / i over Σ p^(i − 1), where overlap(i) counts the documents that are among the first
    i of both rankings, and i goes to the end of the longer one. The ideal ranking holds the documents with a grade
    above 0 by falling grade, those of one grade in the order in which the ranking has them and then the others: no
    other order of them overlaps more.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    p : float, default 0.95
        The chance that the reader goes on to the next rank.
    normalize : bool, default True
        Divide by the overlap of the ideal ranking with itself, which is below 1 where it is the shorter one.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    References
    ----------
    Clarke, Vtyurina & Smucker 2021, Assessing top-k preferences, ACM TOIS 39(3); Clarke, Smucker & Vtyurina 2020,
    Offline evaluation by maximum similarity to an ideal ranking, CIKM. As Compat in ir_measures, which sorts the
    ideal's documents of one grade by score, those not retrieved at 0: the same unless scores are negative or tie.

    Examples
    --------
    The overlaps are 0 and 2, of the ideal with itself 1 and 2: (0.5 · 2/2) / (1 + 0.5 · 2/2):

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["b", "a"], [2, 1])])
    >>> compatibility(join(run, Qrels.from_dict({"1": {"a": 3, "b": 1}})), p=0.5)
    array([0.33333333])
    """
    n_ideal = (judged.ideal > 0).sum(axis=1)
    depths = np.maximum(judged.retrieved, n_ideal)
    steps = np.arange(1.0, depths.max(initial=0) + 1)
    # For each rank, the sum of p^(i - 1) / i above it. A document that both rankings have from rank r on adds what
    # that is at the end, less what it is at r.
    weight_above = np.concatenate([[0.0], (p ** (steps - 1) / steps).cumsum()])
    weight_in_all = weight_above[depths]
    shared_from = np.minimum(np.maximum(judged.ranks, judged.ideal_ranks()), depths[:, np.newaxis] + 1)
    overlap = (weight_in_all[:, np.newaxis] - weight_above[shared_from.astype(np.int64) - 1]).sum(axis=1)
    if normalize:
        highest = n_ideal * weight_in_all - weight_above.cumsum()[np.maximum(n_ideal, 1) - 1]
    else:
        highest = (p ** (steps - 1)).cumsum()[np.maximum(depths, 1) - 1]
    return where_gained(overlap / np.where(highest > 0, highest, np.nan), judged.ideal)


def rank_biased_precision(
    judged: Judged,
    cutoff: int | None = None,
    p: float = 0.8,
    rel: float | None = None,
    max_rel: float | None = None,
    scale: str = "all",
) -> np.ndarray:
    """RBP: the expected gain of a document that is read, where one goes on to the next rank with chance p.

    (1 − p) Σ gain(i) · p^(i − 1). The gain is the grade over the top of the scale; with `rel` it is 1 for a document of
    that grade or above, else 0.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    cutoff : int, optional
        The rank down to which documents count; all by default.
    p : float, default 0.8
        Persistence.
    rel : float, optional
        The grade from which on a document is relevant, for the binary form.
    max_rel : float, optional
        The top of the scale; by default the highest grade of all judgments.
    scale : {"all", "query"}
        With "query", the top of the scale is the highest grade of the query's own judgments, 1 at the least, as in
        trec_eval 10.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    Raises
    ------
    ArgumentError
        If a grade is above `max_rel`.

    References
    ----------
    Moffat & Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1).

    Examples
    --------
    0.2 · (1 + 0.8²), and 0.2 · (1 · 2/2 + 0.8² · 1/2):

    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "b"], [3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 2, "b": 1}}))
    >>> rank_biased_precision(judged, rel=1), rank_biased_precision(judged)
    (array([0.328]), array([0.264]))
    """
    weights = _reading_chance(judged, cutoff, p)
    if rel is None:
        own = np.fmax(judged.ideal.max(axis=1, initial=1, where=judged.ideal > 0), 1)[:, np.newaxis]
        top = own if scale == "query" else top_of_scale(judged, max_rel, "RBP")
        gain = np.fmax(judged.grades, 0) / top
        return where_gained((weights * gain).sum(axis=1), judged.ideal)
    gain = judged.hits(rel).astype(np.float64)
    return np.where(judged.n_relevant(rel) > 0, (weights * gain).sum(axis=1), np.nan)


def rank_biased_residual(judged: Judged, cutoff: int | None = None, p: float = 0.8) -> np.ndarray:
    """RBPres: what RBP would be higher by if all that nobody judged were at the top of the scale.

    1 − (1 − p) Σ p^(i − 1) over the ranks of the judged documents: the unjudged documents, and all that is below the
    last one retrieved, or below the cutoff. A negative grade counts as unjudged.

    References
    ----------
    Moffat & Zobel 2008, ACM TOIS 27(1).

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "b"], [3, 2, 1])])
    >>> rank_biased_residual(join(run, Qrels.from_dict({"1": {"a": 2, "b": 1}})))       # 1 - 0.2 · (1 + 0.8²)
    array([0.672])
    """
    weights = _reading_chance(judged, cutoff, p)
    return np.asarray(1 - np.where(judged.grades >= 0, weights, 0).sum(axis=1))


def _reading_chance(judged: Judged, cutoff: int | None, p: float) -> np.ndarray:
    """The chance that a document is the last one that is read, 0 beyond the cutoff."""
    return np.where(within(judged, cutoff), (1 - p) * p ** (judged.ranks - 1), 0)


def expected_search_length(judged: Judged, rel: float | None = None, n: float = 1.0) -> np.ndarray:
    """ESL: the number of documents that are not relevant above the n-th relevant one; unjudged ones count among them.

    Infinite where fewer than n relevant documents were retrieved, NaN where there are fewer than n. A ranking
    without ties, as it is here, has one search length; over the orders of tied documents it is an expected value.

    Parameters
    ----------
    judged : Judged
        The join of a run with judgments.
    rel : float, optional
        The grade from which on a document is relevant; the threshold by default.
    n : float, default 1
        How many relevant documents are wanted, a whole number.

    Returns
    -------
    ndarray of float64, shape (n_queries,)

    References
    ----------
    Cooper 1968, Expected search length, American Documentation 19(1).

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["x", "a", "y", "z", "b"], [5, 4, 3, 2, 1])])
    >>> judged = join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}}))
    >>> [expected_search_length(judged, n=n).item() for n in (1, 2, 3, 4)]
    [1.0, 3.0, inf, nan]
    """
    hits = judged.hits(rel)
    search_length = np.where(hits & (hits.cumsum(axis=1) == n), judged.ranks - n, np.inf)
    return np.where(judged.n_relevant(rel) >= n, search_length.min(axis=1, initial=np.inf), np.nan)


_P = Parameter("persistence: the chance that one reads on", 0.8, high=1.0)

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "ERR": Definition(
            expected_reciprocal_rank,
            "optional",
            MAX_REL,
            family="graded",
            description="expected reciprocal rank: of the document that satisfies a user who reads from the top",
            formula="Σ 1/i · s(i) · Π (1 - s(j)) over j < i, s = (2^grade - 1) / 2^max_rel",
            source="Chapelle, Metzler, Zhang & Grinspan 2009, CIKM",
            undefined=UNDEFINED,
        ),
        "Compat": Definition(
            compatibility,
            "none",
            {"p": _P._replace(default=0.95), "normalize": Parameter("divide by the ideal's overlap with itself", True)},
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
                "p": _P,
                "rel": Parameter("the grade from which on a document gains 1; without it the gain is grade / max_rel"),
                **MAX_REL,
                "scale": Parameter(
                    "whose highest grade is the top of the scale: of all judgments, or of the query's own",
                    "all",
                    choices=("all", "query"),
                ),
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
            {"p": _P},
            family="user",
            description="residual of RBP: what unjudged documents could add, and what is below the end of the ranking",
            formula="1 - (1 - p) Σ p^(i - 1) over the ranks of the judged documents",
            source="Moffat & Zobel 2008, ACM TOIS 27(1)",
            better=None,
            undefined="",
            judged_only=False,
        ),
        "ESL": Definition(
            expected_search_length,
            "none",
            {**REL, "n": Parameter("how many relevant documents are wanted", 1.0, low=1.0, whole=True)},
            family="user",
            description="expected search length: how many not relevant documents stand above the n-th relevant one",
            formula="rank of the n-th relevant document - n; infinite where fewer were retrieved",
            source="Cooper 1968, American Documentation 19(1)",
            range=(0.0, None),
            better="lower",
            perfect=0.0,
            undefined="fewer than n documents are relevant",
        ),
    }
)
