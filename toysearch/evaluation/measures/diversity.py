"""Measures of rankings for queries with several sub-topics (intents), or of the nuggets that their documents hold.

A document counts for each sub-topic to which it is relevant, and the less, the more documents above it count for the
same one. Judgments without sub-topics are judgments of one: the query itself. A query has no value if no document is
relevant to any of its sub-topics; a sub-topic to which no document is relevant does not count.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from toysearch.evaluation import Cutoff, Grade, JoinedRun, Parameter, Piece, Sum, Terms
from toysearch.evaluation.measures.declaration import diversity_measure
from toysearch.evaluation.measures.graded import discount_of

_ALPHA = Parameter("how much a repetition loses: each relevant document above takes away this share", high=1.0)
_BETA = Parameter("patience: the probability of reading on", high=1.0)
_CLARKE = "Clarke et al. 2008, SIGIR; as ndeval"
_GAIN = "gain(i) = Σ over the sub-topics of i, (1 - α)^(relevant documents above for the same one)"


class _Covered:
    def __init__(self, joined: JoinedRun, cutoff: Cutoff, rel: Grade) -> None:
        subtopics = joined.by_subtopic
        # hits: (n_queries, width, n_subtopics) bool; every: the same of all judged documents, by falling id
        hits = joined.is_relevant(subtopics.grades, rel)
        self.hits = hits & joined.within(cutoff)[..., np.newaxis]
        self.every = joined.is_relevant(subtopics.judged, rel)
        self.names = subtopics.names[0] if len(subtopics.names) else ()
        self.relevant = self.every.sum(axis=1)  # (n_queries, n_subtopics): number of documents
        self.n_subtopics = (self.relevant > 0).sum(axis=1)
        self.defined = self.n_subtopics > 0
        self.weights = np.where(self.relevant > 0, subtopics.weights, 0)

    def parts(self, of_subtopics: np.ndarray) -> tuple[Piece, ...]:
        numbered = [(number, name) for number, name in enumerate(self.names) if name]
        return tuple(Piece(f"for_{name}", of_subtopics[..., number]) for number, name in numbered)

    def novelty(self, alpha: float) -> np.ndarray:
        """Gain of each document for each sub-topic: 1 − alpha for each relevant document above it, multiplied."""
        return np.asarray(self.hits * (1 - alpha) ** (self.hits.cumsum(axis=1) - self.hits))

    def first(self) -> np.ndarray:
        return np.asarray(self.hits & (self.hits.cumsum(axis=1) == 1))

    def ideal(self, alpha: float, depth: Cutoff) -> np.ndarray:
        """Gain at each rank of a ranking that has at each rank the document of the highest gain."""
        # (n_queries, at most depth) float64. To find the best of all rankings is NP-complete; this is the approximation
        # of ndeval, which takes the highest id among documents of the same gain.
        n_queries, n_judged, n_subtopics = self.every.shape
        n_ranks = int(self.every.any(axis=2).sum(axis=1).max(initial=0))
        n_ranks = n_ranks if depth is None else min(n_ranks, depth)
        gains, queries = np.zeros((n_queries, n_ranks)), np.arange(n_queries)
        remaining, is_free = np.ones((n_queries, n_subtopics)), np.ones((n_queries, n_judged), bool)
        for place in range(n_ranks):
            worth = np.where(is_free, (self.every * remaining[:, np.newaxis]).sum(axis=2), -1.0)
            best = worth.argmax(axis=1)
            gains[:, place] = np.fmax(worth[queries, best], 0)
            is_free[queries, best] = False
            remaining *= np.where(self.every[queries, best], 1 - alpha, 1)
        return gains


Discount = Literal["log2", "rank", "power"]


def _weight(discount: Discount, ranks: np.ndarray, beta: float) -> Piece:
    """Divisor or factor of the gain at each rank."""
    if discount == "log2":
        return discount_of(ranks)
    return Piece("rank", ranks) if discount == "rank" else Piece("weight", beta ** (ranks - 1))


def _summed(gain: Piece, discount: Discount, ranks: np.ndarray, beta: float, name: str = "") -> Sum:
    weight = _weight(discount, ranks, beta)
    return Sum(gain, weight, name=name) if discount == "power" else Sum(gain, discount=weight, name=name)


def _novelty_terms(
    joined: JoinedRun, cutoff: Cutoff, rel: Grade, alpha: float, discount: Discount, beta: float = 0.5
) -> tuple[_Covered, Sum, tuple[Piece, ...]]:
    covered = _Covered(joined, cutoff, rel)
    novelty = covered.novelty(alpha)
    total = _summed(Piece("gain", novelty.sum(axis=2)), discount, joined.ranks, beta, "discounted_gain")
    return covered, total, (*covered.parts(novelty), Piece("subtopics", covered.n_subtopics))


def _over_ideal(
    joined: JoinedRun, cutoff: Cutoff, rel: Grade, alpha: float, discount: Discount, beta: float = 0.5
) -> Terms:
    covered, total, also = _novelty_terms(joined, cutoff, rel, alpha, discount, beta)
    gains = covered.ideal(alpha, cutoff)
    ideal = _summed(Piece("ideal_gain", gains), discount, np.arange(1.0, gains.shape[1] + 1), beta, "ideal_gain_sum")
    return Terms(total, ideal._replace(ideal=(gains, gains)), covered.defined, also=also)


def _over_most(joined: JoinedRun, cutoff: int, rel: Grade, alpha: float, discount: Discount) -> Terms:
    """Divide the discounted gains by those of documents that are all relevant to all sub-topics."""
    covered, total, also = _novelty_terms(joined, cutoff, rel, alpha, discount)
    ranks = np.arange(1.0, cutoff + 1)
    per_subtopic = ((1 - alpha) ** (ranks - 1) / _weight(discount, ranks, 0.5).values).sum()
    most = Piece("highest", covered.n_subtopics * per_subtopic, "({} · {})", (covered.n_subtopics, per_subtopic))
    return Terms(total, most, covered.defined, also=also)


@diversity_measure(
    "alpha_nDCG",
    formula=f"DCG / DCG of the ideal ranking, DCG = Σ gain(i) / log2(i + 1), {_GAIN}",
    source=_CLARKE,
    alpha=_ALPHA,
)
def alpha_ndcg(joined: JoinedRun, cutoff: Cutoff = None, alpha: float = 0.5, rel: Grade = None) -> Terms:
    """nDCG for sub-topics: a document gains less for each one that documents above it serve.

    The ideal ranking has at each rank the document of the highest gain. With α = 0 it is nDCG of the number of
    sub-topics.

    References
    ----------
    Clarke et al. 2008, Novelty and diversity in information retrieval evaluation, SIGIR. As ndeval.

    Examples
    --------
    Two relevant documents of a single topic, at ranks 1 and 3; the second gains 1/2:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("alpha_nDCG", "R I R"), 6)         # (1 + 0.5 / 2) / (1 + 0.5 / log2(3))
    0.950234
    """  # noqa: D403
    return _over_ideal(joined, cutoff, rel, alpha, "log2")


@diversity_measure(
    "alpha_DCG",
    formula=f"Σ gain(i) / log2(i + 1) / (S · Σ (1 - α)^(i - 1) / log2(i + 1)), {_GAIN}",
    source=f"{_CLARKE}, which does not divide at k = 1 and orders equal scores the other way",
    alpha=_ALPHA,
)
def alpha_dcg(joined: JoinedRun, cutoff: int, alpha: float = 0.5, rel: Grade = None) -> Terms:
    """alpha_nDCG over the value of documents that all serve all sub-topics.

    ndeval does not divide at k = 1.
    """
    return _over_most(joined, cutoff, rel, alpha, "log2")


@diversity_measure(
    "ERR_IA",
    formula=f"Σ gain(i) / i / (S · Σ (1 - α)^(i - 1) / i), {_GAIN}",
    source="Chapelle et al. 2011, Information Retrieval 14(6); as ndeval, which does not divide at k = 1 and "
    "orders equal scores the other way",
    alpha=_ALPHA,
)
def err_ia(joined: JoinedRun, cutoff: int, alpha: float = 0.5, rel: Grade = None) -> Terms:
    """Expected reciprocal rank over the sub-topics, over that of documents that serve them all.

    ndeval does not divide at k = 1.

    References
    ----------
    Chapelle et al. 2011, Intent-based diversification of web search results, Information Retrieval 14(6). As ndeval.
    """
    return _over_most(joined, cutoff, rel, alpha, "rank")


@diversity_measure(
    "nERR_IA",
    formula=f"Σ gain(i) / i, over the same of the ideal ranking, {_GAIN}",
    source="Chapelle et al. 2011, Information Retrieval 14(6); as ndeval",
    alpha=_ALPHA,
)
def nerr_ia(joined: JoinedRun, cutoff: Cutoff = None, alpha: float = 0.5, rel: Grade = None) -> Terms:
    """ERR_IA over that of the ideal ranking."""
    return _over_ideal(joined, cutoff, rel, alpha, "rank")


@diversity_measure(
    "NRBP",
    formula=f"(1 - (1 - α) β) / S · Σ gain(i) · β^(i - 1), {_GAIN}",
    source="Clarke, Kolla & Vechtomova 2009, ICTIR; as ndeval",
    alpha=_ALPHA,
    beta=_BETA,
)
def nrbp(joined: JoinedRun, alpha: float = 0.5, beta: float = 0.5, rel: Grade = None) -> Terms:
    """Novelty- and rank-biased precision: RBP for sub-topics.

    S is the number of sub-topics.

    References
    ----------
    Clarke, Kolla & Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries, ICTIR.

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("NRBP", "R I R")         # 0.75 · (1 + 0.5 · 0.25)
    0.84375
    """
    covered, total, also = _novelty_terms(joined, None, rel, alpha, "power", beta)
    share = 1 - (1 - alpha) * beta
    # A share of 0, of gains that neither rank nor repetition lowers, leaves nothing to divide by.
    highest = covered.n_subtopics / share if share else np.full(len(joined.query_ids), np.inf)
    return Terms(total, Piece("highest", highest), covered.defined, also=also)


@diversity_measure(
    "nNRBP",
    formula=f"Σ gain(i) · β^(i - 1), over the same of the ideal ranking, {_GAIN}",
    source="Clarke, Kolla & Vechtomova 2009, ICTIR; as ndeval",
    alpha=_ALPHA,
    beta=_BETA,
)
def nnrbp(joined: JoinedRun, alpha: float = 0.5, beta: float = 0.5, rel: Grade = None) -> Terms:
    """NRBP over that of the ideal ranking."""
    return _over_ideal(joined, None, rel, alpha, "power", beta)


@diversity_measure(
    "AP_IA",
    formula="Σ over the sub-topics of AP, / S",
    source="Agrawal et al. 2009, WSDM; as MAP-IA in ndeval",
)
def average_precision_ia(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Intent-aware average precision: the mean of AP over the sub-topics.

    Each sub-topic counts as if it were the query.

    References
    ----------
    Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying search results, WSDM. As MAP-IA in ndeval.

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("AP_IA", "R I R"), 6)              # of a single topic it is AP
    0.833333
    """
    covered = _Covered(joined, cutoff, rel)
    precision = covered.hits.cumsum(axis=1) / joined.ranks[..., np.newaxis]
    credit = covered.hits * precision / np.fmax(covered.relevant, 1)[:, np.newaxis]
    return Terms(
        Sum(Piece("credit", credit.sum(axis=2))),
        Piece("subtopics", covered.n_subtopics),
        covered.defined,
        also=covered.parts(credit),
    )


@diversity_measure(
    "P_IA",
    formula="Σ over the sub-topics of P@k, / S",
    source="Agrawal et al. 2009, WSDM; as ndeval",
    ordered=False,
)
def precision_ia(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """Intent-aware precision: the mean of P over the sub-topics.

    References
    ----------
    Agrawal et al. 2009, WSDM. As ndeval.
    """
    covered = _Covered(joined, cutoff, rel)
    pairs = Piece("pairs", covered.n_subtopics * cutoff, "({} · {})", (covered.n_subtopics, cutoff))
    return Terms(
        Sum(Piece("served", covered.hits.sum(axis=2))), pairs, covered.defined, also=covered.parts(covered.hits)
    )


@diversity_measure(
    "StRecall",
    formula="sub-topics of the first k documents / S",
    source="Zhai, Cohen & Lafferty 2003, SIGIR; as strec in ndeval",
    ordered=False,
)
def subtopic_recall(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Sub-topic recall: the share of the sub-topics that the first k documents serve.

    References
    ----------
    Zhai, Cohen & Lafferty 2003, Beyond independent relevance, SIGIR. As ndeval.
    """
    covered = _Covered(joined, cutoff, rel)
    return Terms(
        Sum(Piece("new_subtopics", covered.first().sum(axis=2)), name="covered"),
        Piece("subtopics", covered.n_subtopics),
        covered.defined,
        also=covered.parts(covered.first()),
    )


@diversity_measure(
    "NuggetRecall",
    formula="Σ weight of the nuggets in the first k documents / Σ weight of all nuggets",
    source="Voorhees 2003, TREC; weights of vital and okay nuggets: Pradeep et al. 2024, TREC RAG",
    ordered=False,
    undefined="no document holds a nugget that counts",
    vital=Parameter("only the nuggets of the highest weight of the query count"),
    missing=Parameter("nuggets that no document holds, but which are judged, count among all"),
)
def nugget_recall(
    joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, vital: bool = False, missing: bool = False
) -> Terms:
    """Nugget recall: the weight of the nuggets in the first k documents, over that of all.

    A nugget is a sub-topic with a weight: 1 if it is vital, 1/2 if it is okay, or any number. With ``vital=True`` only
    nuggets of the highest weight of the query count. With ``missing=True`` nuggets that are judged, but which no
    document holds, count among all: context recall, where the nuggets are the statements of a reference answer.

    References
    ----------
    Voorhees 2003, Overview of the TREC question answering track; weights of 1 and 1/2: Pradeep et al. 2024, TREC RAG.
    """
    covered = _Covered(joined, cutoff, rel)
    weights = joined.by_subtopic.weights if missing else covered.weights
    if vital:
        weights = np.where(weights == weights.max(axis=1, keepdims=True, initial=0), weights, 0)
    first = covered.first() * weights[:, np.newaxis]
    return Terms(
        Sum(Piece("new_weight", first.sum(axis=2)), name="covered"),
        Piece("weight_of_all", weights.sum(axis=1)),
        weights.sum(axis=1) > 0,
        also=covered.parts(first),
    )
