"""TF-IDF and the vector-space family: inner product, cosine, Dice, Jaccard, and the count of shared terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import log, ones_like, sqrt

from toysearch.ranking.model import Array, model

TF = ("raw", "log", "sqrt", "binary", "augmented")
IDF = ("ln", "smooth", "plus1", "prob", "none")
WEIGHTS = ("tfidf", "tf", "binary")


def term_frequency(tf: Array, max_tf: Array | float, kind: str, base: float = math.e) -> Array:
    """The tf part of a weight.

    Parameters
    ----------
    tf : ndarray of float64
        Occurrences of the term, at least 1.
    max_tf : ndarray of float64 or float
        Occurrences of the most frequent term of the same document (or query).
    kind : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + log tf; √tf; 1; 0.5 + 0.5 tf / max_tf (Salton & Buckley 1988).
    base : float
        Of the logarithm.

    Examples
    --------
    >>> term_frequency(np.array([1.0, 4.0]), 4.0, "augmented")
    array([0.625, 1.   ])
    """
    if kind == "raw":
        return tf
    if kind == "log":
        return 1 + log(tf) / math.log(base)  # the logarithm of e is 1 exactly
    if kind == "sqrt":
        return sqrt(tf)
    if kind == "binary":
        return ones_like(tf)
    return 0.5 + 0.5 * tf / max_tf


def inverse_document_frequency(df: Array, N: float, kind: str, base: float = math.e) -> Array:
    """The idf part of a weight.

    Parameters
    ----------
    df : ndarray of float64
        Documents that hold the term, at least 1.
    N : float
        Documents in the collection.
    kind : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df) (Sparck Jones 1972); ln((1+N)/(1+df)) + 1 (scikit-learn's default); ln(N/df) + 1 (scikit-learn's
        with ``smooth_idf=False``); max(0, ln((N-df)/df)) (Robertson & Sparck Jones 1976); 1.
    base : float
        Of the logarithm.

    Examples
    --------
    >>> inverse_document_frequency(np.array([1.0, 4.0]), 4.0, "ln")
    array([1.38629436, 0.        ])
    """
    if kind == "ln":
        return log(N / df) / math.log(base)
    if kind == "smooth":
        return log((1 + N) / (1 + df)) / math.log(base) + 1
    if kind == "plus1":
        return log(N / df) / math.log(base) + 1
    if kind == "prob":
        return np.maximum(0.0, log((N - df) / df) / math.log(base))
    return ones_like(df)


def _query(qtf: Array, max_qtf: float, df: Array, N: float, *, tf_: str, idf: str, query_weights: str) -> Array:
    """The query term's weight, tf part · idf part as on the document's side, or the tf part alone."""
    if query_weights == "tf":
        return term_frequency(qtf, max_qtf, tf_)
    return term_frequency(qtf, max_qtf, tf_) * inverse_document_frequency(df, N, idf)


@model(tf_=TF, idf=IDF, query_weights=("tfidf", "tf"), query=_query)
def tfidf(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    tf_: str = "raw",
    idf: str = "ln",
    query_weights: str = "tfidf",
) -> Array:
    """TF-IDF: the inner product of the document's and the query's tf · idf weights.

    Σ over the query's terms of  tf-part(qtf) · idf · tf-part(tf) · idf

    The query is weighted like a document, as in ``TfidfVectorizer(norm=None)`` rows multiplied; with
    ``query_weights=tf`` the query's side has no idf: Σ tf-part(qtf) · tf-part(tf) · idf, the overlap score of
    Manning, Raghavan & Schütze 2008 (eq. 6.9) and of most lectures.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.
    query_weights : {'tfidf', 'tf'}
        Whether the query's weights carry the idf too.

    References
    ----------
    Sparck Jones, "A statistical interpretation of term specificity", J. Documentation 28, 1972.
    Salton & Buckley, "Term-weighting approaches in automatic text retrieval", IP&M 24, 1988.

    Examples
    --------
    >>> round(tfidf.weight(tf=3, max_tf=3, df=10, N=1000), 6)
    13.815511
    """
    tf_part = term_frequency(tf, max_tf, tf_)
    idf_part = inverse_document_frequency(df, N, idf)
    return tf_part * idf_part


def vector_weight(tf: Array, max_tf: Any, df: Array, N: float, weights: str, tf_: str, idf: str) -> tuple[Array, Array]:
    """The tf part and the idf part of a weight in one of two compared vectors; each 1 where the weights have none.

    Parameters
    ----------
    tf, max_tf, df, N
        As in `term_frequency` and `inverse_document_frequency`.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_, idf : str
        The kinds of the two parts.

    Examples
    --------
    >>> vector_weight(np.array([3.0]), 3.0, np.array([1.0]), 4.0, "tf", "raw", "ln")
    (array([3.]), array([1.]))
    """
    tf_part = term_frequency(tf, max_tf, "binary" if weights == "binary" else tf_)
    idf_part = inverse_document_frequency(df, N, idf if weights == "tfidf" else "none")
    return tf_part, idf_part


def _vector_query(qtf: Array, max_qtf: float, df: Array, N: float, *, weights: str, tf_: str, idf: str) -> Array:
    """The query term's weight, by the same formula as the document's."""
    tf_part, idf_part = vector_weight(qtf, max_qtf, df, N, weights, tf_, idf)
    return tf_part * idf_part


def _vector_unknown(qtf: Array, max_qtf: float, *, weights: str, tf_: str, idf: str) -> Array:
    """Weight of a query term unknown to the index: with an idf it has none, else it counts in the query's norm."""
    if weights == "tfidf" and idf != "none":
        return np.zeros_like(qtf)
    return term_frequency(qtf, max_qtf, "binary" if weights == "binary" else tf_)


def _vector_check(given: set[str], *, weights: str) -> str | None:
    """What is wrong with the parameters given, where one would have no effect."""
    if weights == "binary" and given & {"tf_", "idf"}:
        return "weights=binary has neither tf nor idf; give weights=tf or weights=tfidf to use them"
    if weights == "tf" and "idf" in given:
        return "weights=tf has no idf; give weights=tfidf to use one"
    return None


VECTOR: dict[str, Any] = {
    "weights": WEIGHTS,
    "tf_": TF,
    "idf": IDF,
    "query": _vector_query,
    "unknown": _vector_unknown,
    "check": _vector_check,
}
"""What the models that compare two vectors of weights share: their parameters' ranges, and the query's weights."""


@model(similarity="cosine", **VECTOR)
def cosine(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "tfidf",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Cosine of the angle between the document's and the query's weights: Σ q·d / √(Σ d² · Σ q²).

    ``cosine:idf=smooth`` is scikit-learn's ``TfidfVectorizer`` with cosine similarity, ``cosine:tf=log,idf=smooth``
    the same with ``sublinear_tf=True``; ``cosine:weights=binary`` is |X∩Y| / √(|X|·|Y|). Σ d² runs over all
    terms of the document. Query terms that the index does not know count in Σ q² under binary and tf weights; under
    weights with an idf they have none and are left out.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Salton, Wong & Yang, "A vector space model for automatic indexing", CACM 18, 1975.

    Examples
    --------
    >>> round(cosine.weight(tf=3, max_tf=3, df=10, N=1000), 6)
    13.815511
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="dice", **VECTOR)
def dice(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "binary",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Dice's coefficient: 2 Σ q·d / (Σ d² + Σ q²); on sets 2|X∩Y| / (|X| + |Y|), the default.

    Ranks like Jaccard on the same weights: D = 2J / (1 + J). Query terms unknown to the index count in |Y| and Σ q²
    under binary and tf weights; under weights with an idf they are left out.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'binary', 'tf', 'tfidf'}
        1; the tf part; tf part · idf part.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Dice, "Measures of the amount of ecologic association between species", Ecology 26, 1945.
    van Rijsbergen, Information Retrieval, 2nd ed. 1979, ch. 3.

    Examples
    --------
    >>> dice.weight(tf=3, max_tf=3, df=10, N=1000)
    1.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="jaccard", **VECTOR)
def jaccard(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "binary",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Jaccard's coefficient: Σ q·d / (Σ d² + Σ q² − Σ q·d); on sets |X∩Y| / |X∪Y|, the default.

    The vector form is Tanimoto's. Ranks like Dice on the same weights: J = D / (2 − D). Query terms unknown to the
    index count in |X∪Y| and Σ q² under binary and tf weights; under weights with an idf they are left out.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'binary', 'tf', 'tfidf'}
        1; the tf part; tf part · idf part.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Jaccard, "Étude comparative de la distribution florale", Bull. Soc. Vaud. Sci. Nat. 37, 1901.
    van Rijsbergen, Information Retrieval, 2nd ed. 1979, ch. 3.

    Examples
    --------
    >>> jaccard.weight(tf=3, max_tf=3, df=10, N=1000)
    1.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


def _once_each(qtf: Array) -> Array:
    """1: how often the query repeats a term does not count."""
    return ones_like(qtf)


@model(query=_once_each)
def overlap(tf: Array) -> Array:
    """Coordination level: how many different query terms the document holds, |X∩Y|.

    Parameters
    ----------
    tf
        Statistic of the posting; only that there is one counts.

    References
    ----------
    Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19, 1967 (coordination levels).

    Examples
    --------
    >>> overlap.weight(tf=3)
    1.0
    """
    return ones_like(tf)


MODELS: tuple[Any, ...] = (overlap, tfidf, cosine, dice, jaccard)
