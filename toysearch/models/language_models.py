"""Language models: the probability that a document, smoothed with the collection, generates the query.

All give log p(q|d) = Σ qtf · ln p(t|d), in nats, where p(t|d) = ps(t|d) for the terms of the document and αd · p(t|C)
for the others, p(t|C) = cf/T. The sum is split so that only matching terms are
looked up (Zhai & Lafferty 2004, sec. 2):

    Σ over shared terms of qtf · ln(ps(t|d) / (αd · p(t|C)))  +  ql · ln αd  +  Σ over query terms of qtf · ln p(t|C)

These are the weight, the part of the document, and the part that every document gets. Without the third part the
ranking is the same, but the score is not the logarithm of a probability; other tools omit it.
"""

from __future__ import annotations

import math

from numpy import log, log1p

from toysearch.models.model import Above, Array, model

LEAST = 1e-9
"""Minimum of smoothing: without it, a document without a query term has probability 0, which has no logarithm."""
_UNSMOOTHED = "a document that lacks a query word would have probability 0, which has no logarithm"


def _unsmoothed(name: str, value: float) -> str | None:
    """Explain why the only parameter that smooths is too low; None if it is not."""
    problem = f"{name}={value:g} smooths nothing: {_UNSMOOTHED}; give {name} of at least {LEAST:g}"
    return None if value >= LEAST else problem


def _in_collection(qtf: Array, cf: Array, T: float) -> Array:
    """Part that a query term adds to every document: qtf · ln p(t|C)."""
    return qtf * log(cf / T)


def _dirichlet_document(dl: Array, ql: float, *, mu: float) -> Array:
    """Part of the document: ql · ln αd, αd = mu / (dl + mu)."""
    return -ql * log1p(dl / mu)


@model(
    mu=(Above(0), None),
    per_matched_document=_in_collection,
    document=_dirichlet_document,
    check=lambda *, mu: _unsmoothed("mu", mu),
    name="lm-dirichlet",
)
def lm_dirichlet(tf: Array, cf: Array, T: float, *, mu: float = 2000.0) -> Array:
    """Language model with Dirichlet prior: log p(q|d), p(t|d) = (tf + mu · p(t|C)) / (dl + mu), p(t|C) = cf/T.

    Smooths short documents more than long ones. The weight is ln(1 + tf / (mu · p(t|C))), the part of the document
    ql · ln(mu / (dl + mu)), and every document gets Σ qtf · ln p(t|C).

    Parameters
    ----------
    tf, cf, T
        Statistics of the posting, its term, the collection.
    mu : float
        The number of words of the collection added to each document; above 0. Zhai & Lafferty find the best value
        around 2000, which is also the default of Lucene; Terrier has 2500.

    References
    ----------
    Zhai & Lafferty, "A study of smoothing methods for language models applied to information retrieval", ACM
    TOIS 22, 2004, sec. 3.

    Examples
    --------
    >>> round(lm_dirichlet.bind(100).weight(tf=2, cf=10, T=1000), 6)      # ln(1 + 2 / (100 · 0.01)) = ln 3
    1.098612
    """
    p_collection = cf / T
    return log1p(tf / (mu * p_collection))


def _jm_document(ql: float, *, lambda_: float) -> float:
    """Part of the document: ql · ln αd, αd = lambda."""
    return ql * math.log(lambda_)


@model(
    lambda_=(Above(0), 1),
    per_matched_document=_in_collection,
    document=_jm_document,
    check=lambda *, lambda_: _unsmoothed("lambda", lambda_),
    name="lm-jm",
)
def lm_jm(tf: Array, dl: Array, cf: Array, T: float, *, lambda_: float = 0.1) -> Array:
    """Language model, Jelinek-Mercer: log p(q|d), p(t|d) = (1 − lambda) · tf/dl + lambda · p(t|C), p(t|C) = cf/T.

    lambda is the weight of the *collection*, as in Zhai & Lafferty, Lucene and Indri; Manning et al. 2008 (eq. 12.12)
    and Hiemstra's model in Terrier use the name for the weight of the document, 1 − lambda here. The weight is
    ln(1 + (1 − lambda) · tf / (dl · lambda · p(t|C))), the part of the document ql · ln lambda. With lambda = 1 all
    documents have equal scores.

    Parameters
    ----------
    tf, dl, cf, T
        Statistics of the posting, its document, its term, the collection.
    lambda_ : float
        The weight of the collection; above 0. Zhai & Lafferty find the best value around 0.1 for short
        queries and 0.7 for long ones.

    References
    ----------
    Zhai & Lafferty, "A study of smoothing methods for language models applied to information retrieval", ACM
    TOIS 22, 2004, sec. 3; Jelinek & Mercer 1980.

    Examples
    --------
    >>> round(lm_jm.bind(0.5).weight(tf=2, dl=20, cf=50, T=1000), 6)      # ln(1 + 0.1 / 0.05) = ln 3
    1.098612
    """
    p_document = tf / dl
    p_collection = cf / T
    return log1p((1 - lambda_) * p_document / (lambda_ * p_collection))
