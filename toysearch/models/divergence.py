"""Divergence from randomness, information and axioms: the less a count looks like chance, the higher its weight.

A name combines three choices: the model of chance (P: Poisson, I: inverse frequency); the first normalisation, of the
information gain (L: Laplace, 1 / (tfn + 1)); and the second normalisation, of tf by the document length (2, below). dph
has no parameter: the hypergeometric distribution includes the length. Information is in bits: logarithms are to base 2.
F is cf. A term counts qtf times; Terrier divides this by the highest qtf of the query, which changes scores but no
ranking.

In the information-based models (ll, spl) the weight of a term is the information of its occurring at least that often.
The axiomatic f2exp comes last: it was made to satisfy constraints that any sensible ranking should.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import log, log1p, log2, pi

from toysearch.models.model import Array, model

LN2 = float(np.log(2))
LOG2E = 1 / LN2
C: Any = (0.001, 1e6)


def length_normalised(tf: Array, dl: Array, avgdl: float, c: float) -> Array:
    """Normalisation 2: the tf that a document of average length would have, tf · log2(1 + c · avgdl/dl)."""
    # Amati & van Rijsbergen, "Probabilistic models of information retrieval based on measuring the divergence from
    # randomness", TOIS 20, 2002 (normalisation 2); the parameter c: Amati, PhD thesis, Glasgow 2003.
    return tf * log1p(c * avgdl / dl) / LN2


@model(c=C)
def pl2(tf: Array, dl: Array, cf: Array, N: float, avgdl: float, *, c: float = 1.0) -> Array:
    """PL2: chance is Poisson's with mean λ = F/N; Laplace's normalisation; normalisation 2.

    1/(tfn + 1) · (tfn · log2(tfn/λ) + (λ − tfn) · log2 e + 0.5 · log2(2π · tfn)),  tfn = tf · log2(1 + c · avgdl/dl)

    As in Terrier, without the 1/(12 tfn) that the paper has in the second bracket, from Stirling's series. PISA's pl2
    has ln 0.5 instead of log2 e and therefore other scores. A weight can be negative. If a term occurs less often
    than expected by chance, a higher tf lowers its weight.

    Parameters
    ----------
    tf, dl, cf, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    c : float
        The effect of the document length; it grows as c falls.

    References
    ----------
    Amati & van Rijsbergen, TOIS 20, 2002. Ounis et al., "Terrier", OSIR 2006 (the form computed here).

    Examples
    --------
    >>> round(pl2.weight(tf=2, dl=10, cf=5, N=10, avgdl=10.0), 6)
    1.220569
    """
    tfn = length_normalised(tf, dl, avgdl, c)
    mean = cf / N
    information = tfn * log2(tfn / mean) + (mean - tfn) * LOG2E + 0.5 * log2(2 * pi * tfn)
    return information / (tfn + 1)


@model(c=C)
def inl2(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, c: float = 1.0) -> Array:
    """InL2: chance is inverse document frequency; Laplace's normalisation; normalisation 2.

    tfn/(tfn + 1) · log2((N + 1)/(df + 0.5)),  tfn = tf · log2(1 + c · avgdl/dl)

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    c : float
        The effect of the document length; it grows as c falls.

    References
    ----------
    Amati & van Rijsbergen, TOIS 20, 2002.

    Examples
    --------
    >>> round(inl2.weight(tf=1, dl=10, df=1, N=11, avgdl=10.0), 6)
    1.5
    """
    tfn = length_normalised(tf, dl, avgdl, c)
    idf = log2((N + 1) / (df + 0.5))
    return tfn / (tfn + 1) * idf


def _surprise(tf: Array, dl: Array, cf: Array, N: float, avgdl: float) -> Array:
    """Tf · log2((tf/dl) / (F/T)): a term's excess frequency in the document over the collection."""
    return tf * log2((tf * avgdl / dl) * (N / cf))


def _stirling(tf: Array, dl: Array) -> Array:
    """0.5 · log2(2π · tf · (1 − tf/dl)); 0 for a document of one repeated word, which allows only one order."""
    one_word = tf >= dl
    return 0.5 * log2(np.where(one_word, 1.0, 2 * pi * tf * (1 - tf / dl)))


@model
def dph(tf: Array, dl: Array, cf: Array, N: float, avgdl: float) -> Array:
    """DPH: the hypergeometric distribution with Popper's normalisation; no parameter.

    (1 − f)²/(tf + 1) · (tf · log2(tf · avgdl/dl · N/F) + 0.5 · log2(2π · tf · (1 − f))),  f = tf/dl

    0 for a document of one repeated word (f = 1), which is the limit; Terrier computes it with f = 0.99999.

    Parameters
    ----------
    tf, dl, cf, N, avgdl
        Statistics of the posting, its document, its term, the collection.

    References
    ----------
    Amati, Ambrosi, Bianchi, Gaibisso & Gambosi, "FUB, IASI-CNR and University of Tor Vergata at TREC 2007 Blog track".

    Examples
    --------
    >>> round(dph.weight(tf=1, dl=4, cf=1, N=4, avgdl=4.0), 6)
    0.877002
    """
    norm = (1 - tf / dl) ** 2 / (tf + 1)
    return norm * (_surprise(tf, dl, cf, N, avgdl) + _stirling(tf, dl))


@model(c=C)
def ll(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, c: float = 1.0) -> Array:
    """LL: the log-logistic distribution, ln((λ + tfn)/λ) with λ = df/N.

    tfn = tf · ln(1 + c · avgdl/dl). Always above 0. The paper calls it LGD; Terrier's LGD takes both logarithms to
    base 2.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    c : float
        The effect of the document length; it grows as c falls.

    References
    ----------
    Clinchant & Gaussier, "Information-based models for ad hoc IR", SIGIR 2010.

    Examples
    --------
    >>> round(ll.weight(tf=1, dl=10, df=1, N=10, avgdl=10.0), 6)
    2.070839
    """
    tfn = length_normalised(tf, dl, avgdl, c) * LN2
    rarity = df / N
    return log1p(tfn / rarity)


@model(c=C)
def spl(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, c: float = 1.0) -> Array:
    """SPL: the smoothed power law, −ln((λ^(tfn/(tfn + 1)) − λ)/(1 − λ)) with λ = df/N.

    tfn = tf · ln(1 + c · avgdl/dl). For a term in every document (λ = 1) it is the limit, ln(1 + tfn). Always above 0.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    c : float
        The effect of the document length; it grows as c falls.

    References
    ----------
    Clinchant & Gaussier, "Information-based models for ad hoc IR", SIGIR 2010.

    Examples
    --------
    >>> round(spl.weight(tf=1, dl=10, df=1, N=10, avgdl=10.0), 6)
    1.133903
    """
    tfn = length_normalised(tf, dl, avgdl, c) * LN2
    rarity = df / N
    return np.where(rarity < 1, -log(_tail(tfn, rarity)), log1p(tfn))


def _tail(tfn: Array, rarity: Array) -> Array:
    """Probability (λ^x − λ)/(1 − λ) with x = tfn/(tfn + 1); for λ = 1, where it is undefined, the value for 0.5."""
    safe = np.where(rarity < 1, rarity, 0.5)
    # λ · (λ^(−1/(tfn + 1)) − 1) loses no digits for large tfn.
    return np.asarray(safe * np.expm1(-log(safe) / (tfn + 1)) / (1 - safe))


@model(s=(0, None), k=(0, 1))
def f2exp(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, s: float = 0.5, k: float = 0.35) -> Array:
    """F2-EXP: (N/df)^k · tf / (tf + s + s · dl/avgdl).

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    s : float
        The slowness of the saturation of tf, and the effect of the length.
    k : float
        The effect of the idf; 0 switches it off.

    References
    ----------
    Fang & Zhai, "An exploration of axiomatic approaches to information retrieval", SIGIR 2005, table 3.

    Examples
    --------
    >>> round(f2exp.weight(tf=1, dl=10, df=1, N=100, avgdl=10.0), 6)     # 100^0.35 / 2
    2.505936
    """
    rarity = (N / df) ** k
    return rarity * tf / (tf + s + s * dl / avgdl)
