"""Axiomatic models: weights made to satisfy constraints that any sensible ranking should."""

from __future__ import annotations

from typing import Any

from numpy import log

from toysearch.models.model import Array, model

S: Any = (0, None)


@model(s=S, k=(0, 1))
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


@model(s=S)
def f2log(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, s: float = 0.5) -> Array:
    """F2-LOG: ln((N + 1)/df) · tf / (tf + s + s · dl/avgdl).

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    s : float
        The slowness of the saturation of tf, and the effect of the length.

    References
    ----------
    Fang & Zhai, "An exploration of axiomatic approaches to information retrieval", SIGIR 2005, table 3.

    Examples
    --------
    >>> round(f2log.weight(tf=1, dl=10, df=1, N=99, avgdl=10.0), 6)     # ln(100) / 2
    2.302585
    """
    idf = log((N + 1) / df)
    return idf * tf / (tf + s + s * dl / avgdl)


MODELS: tuple[Any, ...] = (f2exp, f2log)
