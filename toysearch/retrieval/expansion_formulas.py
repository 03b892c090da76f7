"""Query expansions: the terms of feedback documents that a query gains, and their weights.

The terms of the query keep their counts as weights, scaled at most by a parameter, so that an expansion of weight 0
leaves the scores of a model unchanged to the last bit. The added weights have the scale of these counts: where a
definition divides the counts of a query by their sum, norm or maximum, here the expansion is multiplied by it, which
ranks alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from toysearch.base import count_each, repeat_each
from toysearch.index import NO_NUMBERS, Index
from toysearch.index.document_vectors import DocumentVectors
from toysearch.models.model import Array
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import in_turn, top

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Feedback:
    """Documents taken as relevant to a query, best first."""

    index: Index
    query: QueryTerms
    docs: np.ndarray
    scores: Array
    vectors: DocumentVectors
    against: DocumentVectors | None = None  # documents known to be not relevant
    _kept: dict[Callable[..., Any], tuple[object, Any]] = field(default_factory=dict, repr=False, compare=False)

    def once(self, make: Callable[..., _Made], *args: float) -> _Made:
        """Call a function on these documents and keep its last result, for other parameters of a wrapper."""
        last = self._kept.get(make)
        if last is None or last[0] != args:
            last = self._kept[make] = args, make(self, *args)
        return last[1]

    @property
    def terms(self) -> np.ndarray:
        """Terms of the documents, by rising number."""
        return self.vectors.terms

    def frequent(self, terms: np.ndarray, limit: float) -> np.ndarray:
        """True for each term that is in more documents than a limit."""
        return np.asarray(self.index.df_by_term[terms]) > limit

    @property
    def lengths(self) -> Array:
        """Lengths of the documents."""
        return self.index.numbers_at("dl", self.docs).astype(np.float64)

    @property
    def document_weights(self) -> Array:
        """Return the scores; if they are not all above 0, such as log probabilities, exp(score - highest)."""
        return self.scores if (self.scores > 0).all() else np.exp(self.scores - self.scores.max())


def highest_df(N: int, share: float = 1.0) -> float:
    """Return the highest df of an added term among N documents; share: the parameter df of the wrapper.

    >>> [highest_df(N, 0.1) for N in (1, 2, 4, 20, 400)]
    [0.1, 1, 2, 2.0, 40.0]
    """
    # A term of a single document finds no other one, so two are allowed in the smallest collections too; a term of all
    # documents says nothing.
    return max(share * N, min(_FEW, N - 1))


class Added(NamedTuple):
    """Added terms, best first, their weights, and the factor for the weights of the query itself."""

    terms: np.ndarray
    weights: Array
    factor: float = 1.0


_FEW = 2  # documents


Weighed: TypeAlias = tuple[Array, np.ndarray]
"""Weights of the terms of feedback documents, and the places of weights above 0, highest first, ties by place."""


def _weighed(weights: Array) -> Weighed:
    best = top(weights, len(weights)) if len(weights) else NO_NUMBERS
    return weights, best[weights[best] > 0]


def _rare(feedback: Feedback, weighed: Weighed, n: float, df: float) -> tuple[np.ndarray, Array]:
    """Return the n terms with the highest weights above 0, best first, without those that `highest_df` leaves out."""
    # Reading the df of a term takes time, so it is read only until n terms are found.
    weights, ordered = weighed
    limit = highest_df(feedback.index.stats.N, df)
    places_of_rare: list[int] = []
    for start in range(0, len(ordered), max(int(n), 1)):
        if len(places_of_rare) >= n:
            break
        some = ordered[start : start + max(int(n), 1)]
        places_of_rare += some[~feedback.frequent(feedback.terms[some], limit)].tolist()
    places = np.array(places_of_rare[: int(n)], np.int64)
    return feedback.terms[places], weights[places]


def rm3(feedback: Feedback, *, terms: float, lambda_: float, df: float) -> Added:
    """Relevance model (Abdul-Jaleel et al. 2004): Σ tf / dl × document weight, the best terms mixed with the query.

    A term in more than a share df of all documents does not come in, unless it is in two at most and not in all. The
    best terms share 1 - lambda, the query keeps lambda.
    """
    best, weights = _rare(feedback, feedback.once(_relevance), terms, df)
    if not len(best):
        return Added(best, weights)
    length = in_turn(feedback.query.qtf)
    return Added(best, (1.0 - lambda_) * length * (weights / in_turn(weights)), lambda_)


def _relevance(feedback: Feedback) -> Weighed:
    vectors = feedback.vectors
    shares = vectors.counts / feedback.lengths[vectors.rows]
    return _weighed(vectors.by_term(shares * feedback.document_weights[vectors.rows]))


def rocchio(feedback: Feedback, *, terms: float, beta: float, gamma: float, df: float) -> Added:
    """Rocchio (1971): the query moves towards the mean vector of the documents, and away from that of others.

    q / ‖q‖ + beta · e / ‖e‖ - gamma · f / ‖f‖, where e and f are the means of the documents' vectors of frequencies,
    each of norm 1. e has the best terms only, without those that df leaves out, as in `rm3`; gamma counts only if
    documents are known to be not relevant, and only for terms of e and of the query.
    """
    norm = _norm(feedback.query.qtf)
    best, weights = _rare(feedback, feedback.once(_direction), terms, df)
    weights = norm * beta * (weights / (_norm(weights) or 1.0))
    if feedback.against is None or not feedback.against.n_documents:
        return Added(best, weights)
    others = _mean_direction(feedback.against)
    others = norm * gamma * (others / _norm(others))
    in_query = np.isin(feedback.against.terms, np.concatenate([best, feedback.query.numbers]))
    return Added(np.concatenate([best, feedback.against.terms[in_query]]), np.concatenate([weights, -others[in_query]]))


def _direction(feedback: Feedback) -> Weighed:
    return _weighed(_mean_direction(feedback.vectors))


def _mean_direction(vectors: DocumentVectors) -> Array:
    norms = np.sqrt(vectors.by_document(np.square(vectors.counts)))
    return vectors.by_term(vectors.counts / norms[vectors.rows]) / max(vectors.n_documents, 1)


def _norm(values: Array) -> float:
    return float(np.sqrt(in_turn(np.square(values))))


def bo1(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """Bo1 (Amati 2003): terms more frequent in the documents than Bose-Einstein statistics let expect.

    tf · log2((1 + f) / f) + log2(1 + f), tf counted in all feedback documents together, f = cf / N. The highest weight
    is beta times the highest count of the query.
    """
    return _by_highest(feedback, feedback.once(_bo1), terms, beta)


def _bo1(feedback: Feedback) -> Weighed:
    mean = feedback.index.numbers_at("cf", feedback.terms) / feedback.index.stats.N
    return _weighed(_frequency(feedback) * np.log2((1.0 + mean) / mean) + np.log2(1.0 + mean))


def kl(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """Kullback-Leibler divergence (Amati 2003): p · log2(p / (cf / T)) for terms above their share of the collection.

    p is the share of the term in the feedback documents together. The highest weight is beta times the highest count
    of the query.
    """
    return _by_highest(feedback, feedback.once(_kl), terms, beta)


def _kl(feedback: Feedback) -> Weighed:
    if not len(feedback.terms):
        return _weighed(np.zeros(0))
    share = _frequency(feedback) / in_turn(feedback.lengths)
    expected = feedback.index.numbers_at("cf", feedback.terms) / feedback.index.stats.T
    return _weighed(share * np.log2(share / expected))  # above 0 for a share above that in the collection


def _frequency(feedback: Feedback) -> Array:
    return feedback.vectors.by_term(feedback.vectors.counts)


def _by_highest(feedback: Feedback, weighed: Weighed, terms: float, beta: float) -> Added:
    weights, ordered = weighed
    best = ordered[: int(terms)]
    added = weights[best]
    if len(best):
        added = feedback.query.statistics["max_qtf"] * beta * (added / added[0])
    return Added(feedback.terms[best], added)


def axiomatic(feedback: Feedback, *, terms: float, pool: float, beta: float) -> Added:
    """Axiomatic semantic matching (Fang & Zhai 2006): beta · Σ qtf · I(q, t) / I(q, q) over the terms q of the query.

    I is the mutual information of the presence of two terms in a pool of documents: the feedback documents, and
    pool - 1 times as many others, which are spread evenly over the collection, not drawn at random.
    """
    numbers, weighed = feedback.once(_semantic, pool)
    weights, ordered = weighed
    best = ordered[: int(terms)]
    return Added(numbers[best], beta * weights[best])


def _semantic(feedback: Feedback, pool: float) -> tuple[np.ndarray, Weighed]:
    index, query = feedback.index, feedback.query
    n_others = (int(pool) - 1) * len(feedback.docs)  # at equal distances
    others = (2 * np.arange(n_others, dtype=np.int64) + 1) * index.stats.N // max(2 * n_others, 1)
    docs = np.array(sorted({*feedback.docs.tolist(), *others.tolist()}), np.int64)
    terms_of_docs = [terms for terms, _ in index.documents.rows(docs)]
    every = np.concatenate([NO_NUMBERS, *terms_of_docs])  # the terms of each document of the pool
    holder = repeat_each(np.arange(len(docs)), [len(terms) for terms in terms_of_docs])
    all_counts = count_each(every, minlength=index.stats.n_terms)
    in_pool = np.flatnonzero(all_counts)
    counts, weights = all_counts[in_pool], np.zeros(len(in_pool))
    distinct, of_count = np.unique(counts, return_inverse=True)  # terms with equal counts have equal information
    for term, qtf in zip(query.numbers.tolist(), query.qtf.tolist(), strict=True):
        place = np.flatnonzero(in_pool == term)
        if not len(place):
            continue  # a pair of words, or in no document of the pool
        with_term = [terms_of_docs[row] for row in holder[every == term].tolist()]
        both = count_each(np.concatenate(with_term), minlength=index.stats.n_terms)[in_pool]
        shared = _information(both, int(counts[place[0]]), distinct, of_count, len(docs))
        of_itself, shared[place] = float(shared[place[0]]), 0.0
        if of_itself > 0:
            weights = weights + qtf * (shared / of_itself)
    return in_pool, _weighed(weights)


def _information(both: np.ndarray, first: int, distinct: np.ndarray, of_count: np.ndarray, n: int) -> Array:
    """Mutual information of the presence of a term and of others, in nats, from the documents with both among n."""
    # Once for all terms with the same number of documents alone and together with the first one.
    kinds = both * len(distinct) + of_count
    is_found = np.zeros((first + 1) * len(distinct), bool)
    is_found[kinds] = True
    occurring, information = np.flatnonzero(is_found), np.empty(len(is_found))
    both, second = occurring // len(distinct), distinct[occurring % len(distinct)]
    total = np.zeros(len(both))
    cells = (
        (both, first, second),
        (first - both, first, n - second),
        (second - both, n - first, second),
        (n - first - second + both, n - first, n - second),
    )
    for joint, one, other in cells:
        with np.errstate(all="ignore"):
            part = joint / n * np.log(joint * float(n) / (float(one) * other))
        total = total + np.where(joint > 0, part, 0.0)
    information[occurring] = total
    shared: Array = information[kinds]
    return shared


EXPANSIONS: Mapping[str, Callable[..., Added]] = {
    "rm3": rm3,
    "rocchio": rocchio,
    "bo1": bo1,
    "kl": kl,
    "axiomatic": axiomatic,
}
