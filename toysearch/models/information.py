"""Information-based models: a term's weight is the information of finding it at least as often as it is found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import log, log1p

from toysearch.models.divergence import LN2, C, length_normalised
from toysearch.models.model import Array, model


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
        How much the document's length counts: more, the smaller c is.

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
        How much the document's length counts: more, the smaller c is.

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
    """The probability (λ^x − λ)/(1 − λ) with x = tfn/(tfn + 1); for λ = 1, where it is undefined, that of 0.5."""
    safe = np.where(rarity < 1, rarity, 0.5)
    # λ · (λ^(−1/(tfn + 1)) − 1) loses no digits where tfn is large.
    return np.asarray(safe * np.expm1(-log(safe) / (tfn + 1)) / (1 - safe))


MODELS: tuple[Any, ...] = (ll, spl)
