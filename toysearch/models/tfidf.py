"""TF-IDF as an inner product, and the number of shared terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import log, ones_like, sqrt

from toysearch.models.model import Array, model

TF = ("raw", "log", "sqrt", "binary", "augmented")
IDF = ("ln", "smooth", "plus1", "prob", "none")
WEIGHTS = ("tfidf", "tf", "binary")


def term_frequency(tf: Array, max_tf: Array | float, kind: str, base: float = math.e) -> Array:
    """The tf part of a weight.

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


MODELS: tuple[Any, ...] = (overlap, tfidf)
