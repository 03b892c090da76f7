"""The two laws of vocabulary, fitted to an index: Zipf's of frequencies, Heaps' of growth."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from toysearch import display
from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError, expect
from toysearch.index.inverted_index import Index

__all__ = ["HeapsLaw", "ZipfLaw", "heaps", "zipf"]

ENOUGH_TERMS = 50
"""A fit to fewer distinct terms than this says nothing."""


class ZipfLaw(NamedTuple):
    """The terms' frequencies by rank, and the power law through them: cf ≈ c · rank^slope.

    Attributes
    ----------
    cf : ndarray of int64, shape (n_terms,)
        How often each term occurs in the collection, falling; ``cf[0]`` is that of rank 1.
    c, slope : float
        What the law says of rank 1, and its exponent (Zipf: near -1); NaN without two ranks to fit.
    r_squared : float
        The share of the variance of log cf that the line explains; NaN where all are equal.
    first, last : int
        The ranks that were fitted.
    """

    cf: np.ndarray
    c: float
    slope: float
    r_squared: float
    first: int
    last: int

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


class HeapsLaw(NamedTuple):
    """How the vocabulary grew with the documents, and the power law through it: terms ≈ k · tokens^b.

    Attributes
    ----------
    tokens, terms : ndarray of int64
        After each document that is not empty, in the order of the collection: the tokens and the distinct terms so far.
    k, b : float
        The law's factor and exponent (English text: k from 30 to 100, b near 0.5); NaN without two documents to fit.
    r_squared : float
        The share of the variance of log terms that the line explains; NaN where all are equal.
    """

    tokens: np.ndarray
    terms: np.ndarray
    k: float
    b: float
    r_squared: float

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


@checked
def zipf(index: Index, ranks: tuple[int, int] | None = None) -> ZipfLaw:
    """Zipf's law fitted to an index: a line of least squares through log cf over log rank.

    All ranks weigh alike, so most of the fit is about rare terms, of which each level of cf is a step; a smaller range
    fits the part that is asked for. A stop list takes away the first ranks.

    Parameters
    ----------
    index : Index
        The collection's terms.
    ranks : tuple of int, optional
        The first and the last rank to fit, both included. By default all.

    Raises
    ------
    ArgumentError
        If the ranks are not two that the index has, the lower first.

    References
    ----------
    Zipf 1949, Human Behavior and the Principle of Least Effort; Manning, Raghavan & Schütze 2008, 5.1.2.

    Examples
    --------
    >>> law = zipf(Index.build(["cat cat cat cat cat cat", "dog dog dog", "cow cow"]))
    >>> law.cf.tolist(), round(law.c, 6), round(law.slope, 6), round(law.r_squared, 6)
    ([6, 3, 2], 6.0, -1.0, 1.0)
    """
    expect(index, Index, "index")
    cf = np.sort(index.cf)[::-1].astype(np.int64)
    first, last = ranks or (1, cf.size)
    if ranks is not None and not 1 <= first < last <= cf.size:
        raise ArgumentError(f"the ranks to fit go from 1 to {cf.size:,}, the lower first, not from {first} to {last}")
    c, slope, r_squared = _power_law(np.arange(first, last + 1), cf[first - 1 : last])
    return ZipfLaw(cf, c, slope, r_squared, first, last)


@checked
def heaps(index: Index) -> HeapsLaw:
    """Heaps' law fitted to an index: a line of least squares through log terms over log tokens.

    There is a point for each document that is not empty, in the order of the collection.

    Parameters
    ----------
    index : Index
        The collection's terms and documents.

    References
    ----------
    Heaps 1978, Information Retrieval: Computational and Theoretical Aspects, 7.5; Manning, Raghavan & Schütze
    2008, 5.1.1 (M = kT^b).

    Examples
    --------
    >>> law = heaps(Index.build(["cat", "dog cat cat", "", "cow hen" + " cat dog" * 5]))
    >>> law.tokens.tolist(), law.terms.tolist(), round(law.k, 6), round(law.b, 6)
    ([1, 4, 16], [1, 2, 4], 1.0, 0.5)
    """
    expect(index, Index, "index")
    # A term's postings stand by rising document: the first of them is where the term was new.
    new = np.bincount(index.docs[index.offsets[:-1]], minlength=index.stats.N)
    counted = np.asarray(index.dl) > 0
    tokens = np.cumsum(index.dl, dtype=np.int64)[counted]
    terms = np.cumsum(new)[counted].astype(np.int64)
    return HeapsLaw(tokens, terms, *_power_law(tokens, terms))


def _power_law(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Factor, exponent and R² of the line of least squares through log y over log x."""
    log_x, log_y = np.log(x), np.log(y)
    if x.size < 2 or log_x[0] == log_x[-1]:
        return math.nan, math.nan, math.nan
    from_x, from_y = log_x - log_x.mean(), log_y - log_y.mean()
    slope = float(from_x @ from_y / (from_x @ from_x))
    intercept = float(log_y.mean() - slope * log_x.mean())
    if log_y.min() == log_y.max():
        return math.exp(intercept), 0.0, math.nan
    residual = from_y - slope * from_x
    return math.exp(intercept), slope, float(1 - residual @ residual / (from_y @ from_y))
