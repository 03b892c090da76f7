"""BM25 and its family, each under the name by which its formula is known.

All share the length part 1 − b + b · dl/avgdl and differ in the idf, in the saturation of tf, and in the
effect of a lower bound (delta). No two libraries agree on "BM25L" and "BM25+": `bm25l` and `bm25plus` follow the
papers; the names that end in -rank follow the rank-bm25 package.
"""

from __future__ import annotations

from typing import Any

from numpy import log, where

from toysearch.models.model import Array, model

K1: Any = (0, None)
B: Any = (0, 1)
DELTA: Any = (0, None)
K3: Any = (0, None)


def repeated(qtf: Array, *, k3: float | None = None) -> Array:
    """The weight of a query term that occurs qtf times: (k3 + 1) qtf / (k3 + qtf); qtf if k3 is none."""
    return qtf if k3 is None else (k3 + 1) * qtf / (k3 + qtf)


@model(k1=K1, b=B, k3=K3, query=repeated)
def bm25(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Array:
    """BM25 as in Lucene: ln(1 + (N − df + 0.5)/(df + 0.5)) · tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    The 1 inside the logarithm keeps the idf above 0 for every df. The usual factor k1 + 1 is left out: it is the same
    for all terms and changes no ranking.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Robertson & Zaragoza, "The probabilistic relevance framework: BM25 and beyond", FnTIR 3, 2009.
    Kamphuis, de Vries, Boytsov & Lin, "Which BM25 do you mean?", ECIR 2020 (Lucene's idf).

    Examples
    --------
    >>> bm25.weight(tf=2, df=7, dl=44, N=8514, avgdl=50.580456)      # a row of Lucene's explain
    4.563661...
    """
    idf = log(1 + (N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    return idf * tf / (tf + k1 * length)


@model(k1=K1, b=B, k3=K3, query=repeated, name="bm25-robertson")
def bm25_robertson(
    tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75
) -> Array:
    """BM25 with the original idf: ln((N − df + 0.5)/(df + 0.5)) · tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    The idf is negative for a term in more than half of the documents: such a match lowers the score.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Robertson, Walker, Jones, Hancock-Beaulieu & Gatford, "Okapi at TREC-3", 1994.

    Examples
    --------
    >>> round(bm25_robertson.weight(tf=1, df=4, dl=4, N=4, avgdl=4.0), 6)
    -0.998738
    """
    idf = log((N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    return idf * tf / (tf + k1 * length)


@model(k1=K1, b=B, k3=K3, query=repeated, name="bm25-atire")
def bm25_atire(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Array:
    """BM25 as in ATIRE: ln(N/df) · (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Trotman, Jia & Crane, "Towards an efficient and effective search engine", SIGIR workshop OSIR 2012.

    Examples
    --------
    >>> round(bm25_atire.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)
    1.386294
    """
    idf = log(N / df)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


def _average_idf(df_all: Array, N: float) -> dict[str, float]:
    """The mean of ln((N − df + 0.5)/(df + 0.5)) over all terms of the collection."""
    idf = log(N - df_all + 0.5) - log(df_all + 0.5)
    return {"average_idf": float(idf.sum() / max(len(idf), 1))}


@model(k1=K1, b=B, epsilon=(0, None), k3=K3, query=repeated, collection_constants=_average_idf, name="bm25-okapi")
def bm25_okapi(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    average_idf: float,
    *,
    k1: float = 1.5,
    b: float = 0.75,
    epsilon: float = 0.25,
) -> Array:
    """BM25 as rank-bm25's BM25Okapi: idf · (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl)), idf with a floor.

    idf = ln((N − df + 0.5)/(df + 0.5)); a negative one is replaced by epsilon · (mean idf of the vocabulary). On a
    small collection that mean can itself be negative: in the cat-dog-parrot collection idf(train) is replaced by
    −0.1144, and three documents score below 0.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    average_idf
        The mean idf over all terms of the collection, including negative ones.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    epsilon : float
        The floor, as a share of the mean idf.

    References
    ----------
    The rank-bm25 package, class BM25Okapi; Robertson et al., "Okapi at TREC-3", 1994.

    Examples
    --------
    >>> round(bm25_okapi.weight(tf=1, dl=4, df=4, N=4, avgdl=4.0, average_idf=-0.457497), 4)
    -0.1144
    """
    idf = log(N - df + 0.5) - log(df + 0.5)
    idf = where(idf < 0, epsilon * average_idf, idf)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


@model(k1=K1, b=B, delta=DELTA, k3=K3, query=repeated)
def bm25l(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    delta: float = 0.5,
) -> Array:
    """BM25L: ln((N + 1)/(df + 0.5)) · (k1 + 1)(c + delta) / (k1 + c + delta), c = tf / (1 − b + b · dl/avgdl).

    Raises the scores of long documents; delta counts only where the term occurs, as in the paper. The form of
    rank-bm25 is `bm25l-rank`.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The addition to the length-normalised tf.

    References
    ----------
    Lv & Zhai, "When documents are very long, BM25 fails!", SIGIR 2011 (idf: Fang, Tao & Zhai 2004).

    Examples
    --------
    >>> round(bm25l.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # ln(5/1.5) · 2.2 · 1.5 / 2.7
    1.471522
    """
    idf = log((N + 1) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    c = tf / length
    return idf * (k1 + 1) * (c + delta) / (k1 + c + delta)


@model(k1=K1, b=B, delta=DELTA, k3=K3, query=repeated)
def bm25plus(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    delta: float = 1.0,
) -> Array:
    """BM25+: ln((N + 1)/df) · (delta + (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl))).

    A match has a lower bound, however long the document is. delta counts only for terms in the document, as in the
    paper. The form of rank-bm25 is `bm25plus-rank`.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The minimum weight of a match, in units of the idf.

    References
    ----------
    Lv & Zhai, "Lower-bounding term frequency normalization", CIKM 2011.

    Examples
    --------
    >>> round(bm25plus.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # ln(5) · (1 + 1)
    3.218876
    """
    idf = log((N + 1) / df)
    length = 1 - b + b * dl / avgdl
    return idf * (delta + (k1 + 1) * tf / (tf + k1 * length))


@model(k1=K1, b=B, delta=DELTA, k3=K3, query=repeated, name="bm25l-rank")
def bm25l_rank(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.5,
    b: float = 0.75,
    delta: float = 0.5,
) -> Array:
    """BM25L as rank-bm25's BM25L: idf · tf · (k1 + 1)(c + delta) / (k1 + c + delta), idf = ln((N + 1)/(df + 0.5)).

    c = tf / (1 − b + b · dl/avgdl). It multiplies by tf once more than the paper (`bm25l`), so
    tf does not saturate.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of the bounded part.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The addition to the length-normalised tf.

    References
    ----------
    The rank-bm25 package, class BM25L; Lv & Zhai, SIGIR 2011.

    Examples
    --------
    >>> round(bm25l_rank.weight(tf=2, df=1, dl=4, N=4, avgdl=4.0), 6)
    3.762415
    """
    idf = log((N + 1) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    c = tf / length
    return idf * tf * (k1 + 1) * (c + delta) / (k1 + c + delta)


def _delta_of_every_term(qtf: Array, df: Array, N: float, *, delta: float = 1.0, k3: float | None = None) -> Array:
    """Delta · idf of each known query term, which every document gets."""
    idf = log((N + 1) / df)
    return repeated(qtf, k3=k3) * delta * idf


@model(k1=K1, b=B, delta=DELTA, k3=K3, query=repeated, per_matched_document=_delta_of_every_term, name="bm25plus-rank")
def bm25plus_rank(
    tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.5, b: float = 0.75
) -> Array:
    """BM25+ as rank-bm25's BM25Plus: Σ ln((N + 1)/df) · (delta + (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl))).

    The sum includes query terms that the document lacks (tf = 0), so delta adds the same to every document and never
    changes the ranking. In the paper (`bm25plus`) delta counts only for terms in the document.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    The rank-bm25 package, class BM25Plus; bm25s, method bm25+; Lv & Zhai, CIKM 2011.

    Examples
    --------
    >>> round(bm25plus_rank.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # the part without delta: ln 5
    1.609438
    """
    idf = log((N + 1) / df)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


MODELS: tuple[Any, ...] = (
    bm25,
    bm25_robertson,
    bm25_atire,
    bm25_okapi,
    bm25l,
    bm25plus,
    bm25l_rank,
    bm25plus_rank,
)
