"""Query expansions: which terms of feedback documents come into a query, and with which weights.

The terms of the query keep their counts as weights, scaled at most by a parameter, so that an expansion of weight 0
leaves the scores of a model unchanged to the last bit. The added weights have the scale of these counts: where a
definition divides the counts of a query by their sum, norm or maximum, here the expansion is multiplied by it, which
ranks alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from toysearch.models.model import Array
from toysearch.search.feedback import Added, Feedback
from toysearch.search.scoring import QueryTerms, in_turn, top

_ASCII = re.compile("[a-z0-9]{2,20}")


def _best(feedback: Feedback, weights: Array, n: float) -> tuple[np.ndarray, Array]:
    """The n terms with the highest weights above 0, best first, ties by number, and their weights."""
    best = _highest(weights, n)
    return feedback.terms[best], weights[best]


def _rare(feedback: Feedback, weights: Array, n: float, df: float) -> tuple[np.ndarray, Array]:
    """As `_best`, without terms in more than a share of all documents."""
    # The df of a term must be read, so it is asked only until n terms are found.
    ordered = _highest(weights, len(weights))
    found: list[int] = []
    for start in range(0, len(ordered), max(int(n), 1)):
        if len(found) >= n:
            break
        some = ordered[start : start + max(int(n), 1)]
        found += some[~feedback.frequent(feedback.terms[some], df)].tolist()
    places = np.array(found[: int(n)], np.int64)
    return feedback.terms[places], weights[places]


def _highest(weights: Array, n: float) -> np.ndarray:
    """The places of the n highest weights above 0, best first; equal ones in their order."""
    best = top(weights, int(n)) if n else np.empty(0, np.int64)
    positive: np.ndarray = best[weights[best] > 0]
    return positive


def _total(rows: Array) -> Array:
    """The sum of the rows of a matrix, added one by one from the first."""
    total = np.zeros(rows.shape[1])
    for row in rows:
        total = total + row
    return total


def _mixed(best: np.ndarray, weights: Array, lambda_: float, length: float) -> Added:
    """The best terms as shares that add up to 1 - lambda of the length of the query, which keeps lambda of it."""
    if not len(best):
        return Added(best, weights)
    return Added(best, (1.0 - lambda_) * length * (weights / in_turn(weights)), lambda_)


def rm3(feedback: Feedback, *, terms: float, lambda_: float, df: float) -> Added:
    """Relevance model (Abdul-Jaleel et al. 2004): Σ tf / dl × document weight, the best terms mixed with the query.

    Terms in more than a share df of all documents do not come in. The best terms share 1 - lambda, the query keeps
    lambda.
    """
    shares = feedback.vectors.tf / feedback.lengths[:, None]
    weights = _total(shares * feedback.document_weights[:, None])
    return _mixed(*_rare(feedback, weights, terms, df), lambda_, in_turn(feedback.query.qtf))


def rm3_anserini(feedback: Feedback, *, terms: float, lambda_: float) -> Added:
    """RM3 as in Anserini: each document is first reduced to its most frequent terms, which share its weight.

    Terms have 2 to 20 ASCII letters and digits and are in at most a tenth of the documents. Terms of the query that no
    document contains count in the length of the query.
    """
    index = feedback.index
    plain = [_ASCII.fullmatch(index.term(number)) is not None for number in feedback.terms.tolist()]
    tf = np.where(feedback.frequent(feedback.terms) | ~np.array(plain, bool), 0.0, feedback.vectors.tf)
    for row in tf:
        row[np.setdiff1d(np.arange(len(row)), _highest(row, terms))] = 0.0
    norms = _total(tf.T)
    shares = tf[norms > 0] / norms[norms > 0, None]
    weights = _total(shares * feedback.document_weights[norms > 0, None])
    return _mixed(*_best(feedback, weights, terms), lambda_, _whole_length(feedback.query))


def rm3_terrier(feedback: Feedback, *, terms: float, lambda_: float) -> Added:
    """RM3 as in Terrier: a document weighs exp(score); terms are in at least 2 documents and in less than a tenth.

    Terms of the query that no document contains count in the length of the query.
    """
    scores = np.exp(feedback.scores - feedback.scores.max(initial=-np.inf))
    shares = feedback.vectors.tf / feedback.lengths[:, None]
    df, most = np.asarray(feedback.index.df_by_term[feedback.terms]), int(0.1 * feedback.index.stats.N)
    weights = np.where((df >= 2) & (df < most), _total(shares * scores[:, None]), 0.0)
    return _mixed(*_best(feedback, weights, terms), lambda_, _whole_length(feedback.query))


def _whole_length(query: QueryTerms) -> float:
    """The length of a query with the terms that no document contains."""
    return in_turn(query.qtf) + sum(query.unknown.values())


def rocchio(feedback: Feedback, *, terms: float, beta: float, gamma: float, df: float) -> Added:
    """Rocchio (1971): the query moves towards the mean vector of the documents, and away from that of others.

    q / ‖q‖ + beta · e / ‖e‖ - gamma · f / ‖f‖, where e and f are the means of the documents' vectors of frequencies,
    each of norm 1. e has the best terms only, without those in more than a share df of all documents; gamma counts only
    if documents are known to be not relevant, and only for terms of e and of the query.
    """
    norm = _norm(feedback.query.qtf)
    best, weights = _rare(feedback, _mean_direction(feedback.vectors.tf), terms, df)
    weights = norm * beta * (weights / (_norm(weights) or 1.0))
    if feedback.against is None or not len(feedback.against.tf):
        return Added(best, weights)
    others = _mean_direction(feedback.against.tf)
    others = norm * gamma * (others / _norm(others))
    known = np.isin(feedback.against.terms, np.concatenate([best, feedback.query.numbers]))
    return Added(np.concatenate([best, feedback.against.terms[known]]), np.concatenate([weights, -others[known]]))


def _mean_direction(tf: Array) -> Array:
    """The mean of vectors, each divided by its norm."""
    norms = np.sqrt(_total(np.square(tf).T))
    return _total(tf[norms > 0] / norms[norms > 0, None]) / max(len(tf), 1)


def _norm(values: Array) -> float:
    """The Euclidean norm, added from the first value on."""
    return float(np.sqrt(in_turn(np.square(values))))


def _bose_einstein(tf: Array, mean: Array) -> Array:
    """Bo1 (Amati 2003): tf · log2((1 + mean) / mean) + log2(1 + mean), mean = cf / N."""
    made: Array = tf * np.log2((1.0 + mean) / mean) + np.log2(1.0 + mean)
    return made


def bo1(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """Bo1 (Amati 2003): terms more frequent in the documents than Bose-Einstein statistics let expect.

    tf · log2((1 + f) / f) + log2(1 + f), tf counted in all feedback documents together, f = cf / N. The highest weight
    is beta times the highest count of the query.
    """
    return _by_highest(feedback, _bo1(feedback), terms, beta)


def bo1_terrier(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """Bo1 as in Terrier: a new term is in at least 2 of the documents; divided by the formula at f = tf / N.

    The tf in this divisor is that of the term with the highest weight.
    """
    weights, tf = _in_two(feedback, _bo1(feedback)), _total(feedback.vectors.tf)
    if not len(weights):
        return Added(feedback.terms, weights)
    frequency = tf[[int(weights.argmax())]]
    most = float(_bose_einstein(frequency, frequency / feedback.index.stats.N)[0])
    return _by_highest(feedback, weights, terms, beta, most)


def _bo1(feedback: Feedback) -> Array:
    cf = np.asarray(feedback.index.numbers_at("cf", feedback.terms), np.float64)
    return _bose_einstein(_total(feedback.vectors.tf), cf / feedback.index.stats.N)


def kl(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """Kullback-Leibler divergence (Amati 2003): p · log2(p / (cf / T)) for terms above their share of the collection.

    p is the share of the term in the feedback documents together. The highest weight is beta times the highest count
    of the query.
    """
    return _by_highest(feedback, _kl(feedback), terms, beta)


def kl_terrier(feedback: Feedback, *, terms: float, beta: float) -> Added:
    """KL as in Terrier: a new term is in at least 2 of the documents; divided by tf · log2(T / l) / l.

    l is the length of the feedback documents together, and tf that of the term with the highest weight.
    """
    weights, tf = _in_two(feedback, _kl(feedback)), _total(feedback.vectors.tf)
    if not len(weights):
        return Added(feedback.terms, weights)
    length = in_turn(feedback.lengths)
    most = float(tf[int(weights.argmax())] * np.log2(feedback.index.stats.T / length) / length)
    return _by_highest(feedback, weights, terms, beta, most)


def _kl(feedback: Feedback) -> Array:
    if not len(feedback.terms):
        return np.zeros(0)
    share = _total(feedback.vectors.tf) / in_turn(feedback.lengths)
    expected = np.asarray(feedback.index.numbers_at("cf", feedback.terms), np.float64) / feedback.index.stats.T
    made: Array = share * np.log2(share / expected)  # above 0 for a share above that in the collection
    return made


def _in_two(feedback: Feedback, weights: Array) -> Array:
    """The weights of the terms that are in at least 2 of the documents, if there are 2, or in the query; else 0."""
    if len(feedback.docs) < 2:
        return weights
    kept = ((feedback.vectors.tf > 0).sum(axis=0) >= 2) | np.isin(feedback.terms, feedback.query.numbers)
    return np.where(kept, weights, 0.0)


def _by_highest(feedback: Feedback, weights: Array, terms: float, beta: float, most: float | None = None) -> Added:
    """The best terms, weighed so that the highest weight, or another number, counts as beta × the highest count."""
    best, weights = _best(feedback, weights, terms)
    if not len(best):
        return Added(best, weights)
    return Added(best, feedback.query.statistics["max_qtf"] * beta * (weights / (most or weights[0])))


def axiomatic(feedback: Feedback, *, terms: float, pool: float, beta: float) -> Added:
    """Axiomatic semantic matching (Fang & Zhai 2006): beta · Σ qtf · I(q, t) / I(q, q) over the terms q of the query.

    I is the mutual information of the presence of two terms in a pool of documents: the feedback documents, and
    pool - 1 times as many others, which are spread evenly over the collection, not drawn at random.
    """
    index, query = feedback.index, feedback.query
    docs = _with_others(feedback.docs, int(pool), index.stats.N)
    held = [own for own, _ in index.documents.rows(docs)]
    every = np.concatenate([np.empty(0, np.int64), *held])  # the terms of each document of the pool
    holder = np.repeat(np.arange(len(docs)), [len(own) for own in held])
    all_counts = np.bincount(every, minlength=index.stats.n_terms)
    in_pool = np.flatnonzero(all_counts)
    counts, weights = all_counts[in_pool], np.zeros(len(in_pool))
    for term, qtf in zip(query.numbers.tolist(), query.qtf.tolist(), strict=True):
        place = np.flatnonzero(in_pool == term)
        if not len(place):
            continue  # a pair of words, or in no document of the pool
        with_term = np.zeros(len(docs), dtype=bool)
        with_term[holder[every == term]] = True
        both = np.bincount(every[with_term[holder]], minlength=index.stats.n_terms)[in_pool]
        shared = _mutual_information(both, int(counts[place[0]]), counts, len(docs))
        of_itself, shared[place] = float(shared[place[0]]), 0.0
        if of_itself > 0:
            weights = weights + qtf * (shared / of_itself)
    best = _highest(weights, terms)
    return Added(in_pool[best], beta * weights[best])


def _with_others(docs: np.ndarray, pool: int, n_documents: int) -> np.ndarray:
    """Documents and pool - 1 times as many others at equal distances, by rising number."""
    n = (pool - 1) * len(docs)
    others = (2 * np.arange(n, dtype=np.int64) + 1) * n_documents // max(2 * n, 1)
    return np.array(sorted({*docs.tolist(), *others.tolist()}), np.int64)


def _mutual_information(both: np.ndarray, first: int, second: np.ndarray, n: int) -> Array:
    """The mutual information of two terms' presence, in nats, from the documents with both and with each among n."""
    information = np.zeros(len(both))
    cells = (
        (both, first, second),
        (first - both, first, n - second),
        (second - both, n - first, second),
        (n - first - second + both, n - first, n - second),
    )
    for joint, one, other in cells:
        with np.errstate(all="ignore"):
            part = joint / n * np.log(joint * float(n) / (float(one) * other))
        information = information + np.where(joint > 0, part, 0.0)
    return information


EXPANSIONS: Mapping[str, Callable[..., Added]] = {
    "rm3": rm3,
    "rm3-anserini": rm3_anserini,
    "rm3-terrier": rm3_terrier,
    "rocchio": rocchio,
    "bo1": bo1,
    "bo1-terrier": bo1_terrier,
    "kl": kl,
    "kl-terrier": kl_terrier,
    "axiomatic": axiomatic,
}
"""What each wrapper adds to a query."""
