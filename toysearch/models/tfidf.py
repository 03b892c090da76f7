"""TF-IDF as an inner product, its variants in the six letters of SMART (lnc.ltc), and the number of shared terms.

A weight is a tf part times an idf part, each found by name in a table. Start with `tfidf`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy import log, ones_like, sqrt

from toysearch.models.model import TEXT, Array, model

_TF_PARTS: Mapping[str, Callable[[Array, Array | float, float], Array]] = {
    "raw": lambda tf, max_tf, base: tf,
    "log": lambda tf, max_tf, base: 1 + log(tf) / math.log(base),  # the logarithm of e is 1 exactly
    "sqrt": lambda tf, max_tf, base: sqrt(tf),
    "binary": lambda tf, max_tf, base: ones_like(tf),
    "augmented": lambda tf, max_tf, base: 0.5 + 0.5 * tf / max_tf,
}
_IDF_PARTS: Mapping[str, Callable[[Array, float, float], Array]] = {
    "ln": lambda df, N, base: log(N / df) / math.log(base),
    "smooth": lambda df, N, base: log((1 + N) / (1 + df)) / math.log(base) + 1,
    "plus1": lambda df, N, base: log(N / df) / math.log(base) + 1,
    "prob": lambda df, N, base: np.maximum(0.0, log((N - df) / df) / math.log(base)),
    "none": lambda df, N, base: ones_like(df),
}
TF, IDF = tuple(_TF_PARTS), tuple(_IDF_PARTS)


def term_frequency(tf: Array, max_tf: Array | float, kind: str, base: float = math.e) -> Array:
    """Compute the tf part of a weight.

    >>> term_frequency(np.array([1.0, 4.0]), 4.0, "augmented")
    array([0.625, 1.   ])
    """
    return _TF_PARTS[kind](tf, max_tf, base)


def inverse_document_frequency(df: Array, N: float, kind: str, base: float = math.e) -> Array:
    """Compute the idf part of a weight.

    >>> inverse_document_frequency(np.array([1.0, 4.0]), 4.0, "ln")
    array([1.38629436, 0.        ])
    """
    return _IDF_PARTS[kind](df, N, base)


def _tfidf_query(qtf: Array, max_qtf: float, df: Array, N: float, *, tf_: str, idf: str, query_weights: str) -> Array:
    if query_weights == "tf":
        return term_frequency(qtf, max_qtf, tf_)
    return term_frequency(qtf, max_qtf, tf_) * inverse_document_frequency(df, N, idf)


@model(tf_=TF, idf=IDF, query_weights=("tfidf", "tf"), query=_tfidf_query)
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
    """TF-IDF: the inner product of the tf · idf weights of document and query.

    Σ over the query terms of  tf-part(qtf) · idf · tf-part(tf) · idf

    The query is weighted like a document, as in the product of two rows of ``TfidfVectorizer(norm=None)``. With
    ``query_weights=tf`` the weights of the query have no idf: Σ tf-part(qtf) · tf-part(tf) · idf, the overlap score of
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
        Whether the weights of the query have the idf too.

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
    return ones_like(qtf)


@model(query=_once_each)
def overlap(tf: Array) -> Array:
    """Coordination level: the number of distinct query terms in the document, |X∩Y|.

    Parameters
    ----------
    tf
        Statistic of the posting; only its presence counts.

    References
    ----------
    Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19, 1967 (coordination levels).

    Examples
    --------
    >>> overlap.weight(tf=3)
    1.0
    """
    return ones_like(tf)


# The notation of SMART: six letters, three for the document and three for the query (lnc.ltc). Of each three, the first
# is the tf part, the second the df part, the third the divisor of the weights.
TF_LETTERS = {
    "n": "tf",
    "l": "1 + log tf",
    "a": "0.5 + 0.5 tf / max_tf",
    "b": "1",
    "L": "(1 + log tf) / (1 + log of the mean tf)",
    "d": "1 + log(1 + log tf)",
}
DF_LETTERS = {"n": "1", "t": "log(N/df)", "p": "max(0, log((N−df)/df))"}
NORM_LETTERS = {"n": "1", "c": "cosine, √Σ w²", "u": "pivoted unique", "b": "bytes^alpha"}
LETTERS = (("tf", TF_LETTERS), ("df", DF_LETTERS), ("normalization", NORM_LETTERS))
TF_KINDS = {"n": "raw", "l": "log", "a": "augmented", "b": "binary"}
DF_KINDS = {"n": "none", "t": "ln", "p": "prob"}


def _tf_part(letter: str, tf: Array, max_tf: Array | float, mean_tf: Array | float, base: float) -> Array:
    """Compute the tf part of a weight; mean_tf is the mean over the distinct terms of the same document or query."""
    if letter == "L":
        return term_frequency(tf, max_tf, "log", base) / (1 + log(mean_tf) / math.log(base))
    if letter == "d":
        return 1 + log(term_frequency(tf, max_tf, "log", base)) / math.log(base)
    return term_frequency(tf, max_tf, TF_KINDS[letter], base)


def _pivoted(distinct: Array | float, avg_distinct: float, pivot: float | None, slope: float) -> Array | float:
    """Pivoted number of distinct terms: (1 − slope) · pivot + slope · distinct."""
    return (1 - slope) * (avg_distinct if pivot is None else pivot) + slope * distinct


def _smart_query(
    qtf: Array,
    ql: float,
    max_qtf: float,
    distinct_q: float,
    df: Array,
    N: float,
    avg_distinct: float,
    *,
    weights: str,
    base: float | None,
    pivot: float | None,
    slope: float,
) -> Array:
    """Weigh the query term by the last three letters; the similarity divides by the length for c."""
    tf_part = _tf_part(weights[4], qtf, max_qtf, ql / distinct_q, base or math.e)
    weight = tf_part * inverse_document_frequency(df, N, DF_KINDS[weights[5]], base or math.e)
    return weight / _pivoted(distinct_q, avg_distinct, pivot, slope) if weights[6] == "u" else weight


def _unknown(qtf: Array, ql: float, max_qtf: float, distinct_q: float, *, weights: str, base: float | None) -> Array:
    """Weigh a query term unknown to the index: 0 with an idf, else it counts in the norm of the query."""
    if weights[5] != "n" or not distinct_q:
        return np.zeros_like(qtf)
    return _tf_part(weights[4], qtf, max_qtf, ql / distinct_q, base or math.e)


def _similarity(*, weights: str) -> str:
    if weights[2] == "c":
        return "cosine" if weights[6] == "c" else "cosine-document"
    return "cosine-query" if weights[6] == "c" else "dot"


def _listed(letters: Mapping[str, str]) -> str:
    return ", ".join(f"{letter} {meaning}" for letter, meaning in letters.items())


def _check(given: set[str], *, weights: str) -> str | None:
    if len(weights) != 7 or weights[3] != ".":
        means = "; ".join(f"{position}: {_listed(letters)}" for position, letters in LETTERS)
        return f"weights={weights} is not of the form ddd.qqq (lnc.ltc); the letters: {means}"
    for side in (weights[:3], weights[4:]):
        for letter, (position, letters) in zip(side, LETTERS, strict=True):
            if letter not in letters:
                return f"weights={weights}: '{letter}' is not a letter for {position}; those are {_listed(letters)}"
    if weights[6] == "b":
        return (
            f"weights={weights}: the length of a query in bytes is not a statistic and would change no ranking; use n"
        )
    if "u" not in (weights[2], weights[6]) and given & {"pivot", "slope"}:
        return f"pivot and slope belong to u as the third letter of three, and weights={weights} has none"
    if weights[2] != "b" and "alpha" in given:
        return f"alpha belongs to b as the third letter, and weights={weights} has none"
    if "base" in given and not {weights[0], weights[4]} & set("lLd") and not {weights[1], weights[5]} & set("tp"):
        return f"weights={weights} uses no logarithm, so base has no effect"
    return None


@model(
    weights=TEXT,
    base=(2, None),
    pivot=(1, None),
    slope=(0, 1),
    alpha=(0, 1),
    query=_smart_query,
    unknown=_unknown,
    similarity_of=_similarity,
    check=_check,
)
def smart(
    tf: Array,
    max_tf: Array,
    dl: Array,
    distinct: Array,
    bytes: Array,  # noqa: A002 - the name of the statistic
    df: Array,
    N: float,
    avg_distinct: float,
    *,
    weights: str = "lnc.ltc",
    base: float | None = None,
    pivot: float | None = None,
    slope: float = 0.2,
    alpha: float = 0.5,
) -> Array:
    """The weightings of SMART, ddd.qqq: Σ q·d; three letters each define d and q: tf part · df part / normalization.

    - tf: n tf; l 1 + log tf; a 0.5 + 0.5 tf / max_tf; b 1; L (1 + log tf) / (1 + log(dl / distinct));
      d 1 + log(1 + log tf)
    - df: n 1; t log(N/df); p max(0, log((N−df)/df))
    - normalization: n 1; c the Euclidean length √Σ w² over all terms; u (1 − slope) · pivot + slope · distinct;
      b bytes^alpha

    ``smart:lnc.ltc`` weights documents by lnc and queries by ltc. For the query, c and u are constants that change no
    ranking, and b is refused. Query terms that the index does not know count in the length of the query if its df
    letter is n, and are left out otherwise.

    Parameters
    ----------
    tf, max_tf, dl, distinct, bytes, df, N, avg_distinct
        Statistics of the posting, its document, its term, the collection.
    weights : str
        The six letters, with a dot between those of the document and those of the query.
    base : float or None
        The base of the logarithms; none means e. Manning et al. print examples with 10.
    pivot : float or None
        For u: the number of distinct terms that the normalization leaves unchanged; none: the mean of the collection.
    slope : float
        For u: the effect of the number of distinct terms. Singhal et al. use 0.2.
    alpha : float
        For b: the exponent of the length of the document in bytes.

    References
    ----------
    Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, fig. 6.15 (the letters except d).
    Singhal, Buckley & Mitra, "Pivoted document length normalization", SIGIR 1996 (u and L: Lnu.ltu, slope 0.2).
    Singhal, Choi, Hindle, Lewis & Pereira, "AT&T at TREC-7", 1998 (d; their b is different).

    Examples
    --------
    >>> ltn = smart.bind("ltn.nnn", base=10)
    >>> given = dict(max_tf=100, dl=900, distinct=300, bytes=5000, N=1000, avg_distinct=250)
    >>> round(ltn.weight(tf=100, df=10, **given), 6)      # (1 + lg 100) · lg(1000/10) = 3 · 2
    6.0
    """
    tf_part = _tf_part(weights[0], tf, max_tf, dl / distinct, base or math.e)
    idf_part = inverse_document_frequency(df, N, DF_KINDS[weights[1]], base or math.e)
    if weights[2] == "u":
        divisor = _pivoted(distinct, avg_distinct, pivot, slope)
        return tf_part * idf_part / divisor
    if weights[2] == "b":
        divisor = np.maximum(bytes, 1.0) ** alpha  # the text can be empty if only other fields are searched
        return tf_part * idf_part / divisor
    return tf_part * idf_part
