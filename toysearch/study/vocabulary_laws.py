"""Laws of a vocabulary, fitted to an index: Zipf's and Heaps'."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toysearch.base import ArgumentError, Part, Result, ResultTable, count_each, counted, expect, number_columns
from toysearch.index.inverted_index import Index
from toysearch.study.text_charts import text_plot

__all__ = ["HeapsLaw", "ZipfLaw", "heaps", "zipf"]

ENOUGH_TERMS = 50
"""Fewest distinct terms of a meaningful fit."""


_MOST_POINTS = 500  # points of a curve: more would fall on the same characters
_HEIGHT = 12


class _Law(Result):
    def data(self) -> dict[str, float]:
        """Return the numbers of the fit, without the fitted data.

        >>> ZipfLaw(np.array([6, 3, 2]), 6.0, -1.0, 1.0, 1, 3).data()
        {'c': 6.0, 'slope': -1.0, 'r_squared': 1.0, 'first': 1, 'last': 3}
        """
        return {name: value for name, value in vars(self).items() if not isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class ZipfLaw(_Law):
    """Collection frequencies of the terms by rank, and the power law fitted to them: cf ≈ c · rank^slope.

    Attributes
    ----------
    cf : ndarray of int64, shape (n_terms,)
        The collection frequency of each term, in falling order; ``cf[0]`` belongs to rank 1.
    c, slope : float
        The cf that the law predicts at rank 1, and its exponent (Zipf: near -1); NaN without two ranks to fit.
    r_squared : float
        The share of the variance of log cf that the line explains; NaN if all values are equal.
    first, last : int
        The first and the last fitted rank.
    """

    cf: np.ndarray
    c: float
    slope: float
    r_squared: float
    first: int
    last: int

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the terms by rank in a table."""
        return [ResultTable(number_columns(",", "rank", "cf"), enumerate(self.cf.tolist(), 1), n=self.cf.size)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show the law and its plot; for a vocabulary that is too small, a sentence instead."""
        if self.cf.size < ENOUGH_TERMS:
            terms = counted(self.cf.size, "distinct term")
            return [f"Zipf's and Heaps' laws: {terms}; a fit to fewer than {ENOUGH_TERMS} means nothing"]
        # Evenly spaced on a logarithmic axis.
        ranks = np.unique(np.geomspace(1, self.cf.size, _MOST_POINTS).round().astype(np.int64))
        fitted = np.unique(np.clip(ranks, self.first, self.last))
        law_of_some = f"law, ranks {self.first:,} to {self.last:,}"
        series = {law_of_some: (fitted, self.c * fitted**self.slope), "terms": (ranks, self.cf[ranks - 1])}
        plot = text_plot(series, height=_HEIGHT, x_label="rank", y_label="cf", log_x=True, log_y=True)
        law = f"cf ≈ {_number(self.c)} · rank^{self.slope:.3f}  (R² = {_r_squared(self.r_squared)})"
        return [f"Zipf's law: {law}", plot]


@dataclass(frozen=True)
class HeapsLaw(_Law):
    """Growth of the vocabulary with the documents, and the power law fitted to it: terms ≈ k · tokens^b.

    Attributes
    ----------
    tokens, terms : ndarray of int64
        The tokens and the distinct terms so far, after each non-empty document in the order of the collection.
    k, b : float
        The law's factor and exponent (English text: k from 30 to 100, b near 0.5); NaN without two documents to fit.
    r_squared : float
        The share of the variance of log terms that the line explains; NaN if all values are equal.
    """

    tokens: np.ndarray
    terms: np.ndarray
    k: float
    b: float
    r_squared: float

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the size of the vocabulary after each document in a table."""
        rows = list(zip(self.tokens.tolist(), self.terms.tolist(), strict=True))
        return [ResultTable(number_columns(",", "tokens", "terms"), rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show the law and the size of the vocabulary by the number of tokens."""
        if math.isnan(self.b):
            return ["Heaps' law: the vocabulary of a single document does not grow"]
        chosen = np.unique(np.linspace(0, self.tokens.size - 1, _MOST_POINTS).astype(np.int64))
        tokens, terms = self.tokens[chosen], self.terms[chosen]
        series = {"law": (tokens, self.k * tokens**self.b), "documents": (tokens, terms)}
        plot = text_plot(series, height=_HEIGHT, x_label="tokens", y_label="terms")
        law = f"terms ≈ {_number(self.k)} · tokens^{self.b:.3f}  (R² = {_r_squared(self.r_squared)})"
        return [f"Heaps' law: {law}", plot]


def zipf(index: Index, ranks: tuple[int, int] | None = None) -> ZipfLaw:
    """Fit Zipf's law to an index: a least-squares line through log cf over log rank.

    All ranks have equal weight, so rare terms dominate the fit; among them, each value of cf is a step. A smaller
    range fits only that part. A stop list removes the first ranks.

    Parameters
    ----------
    index : Index
        The index of the collection.
    ranks : tuple of int, optional
        The first and the last rank to fit, both included. By default all.

    Raises
    ------
    ArgumentError
        If the ranks are not two ranks of the index, the lower first.

    References
    ----------
    Zipf 1949, Human Behavior and the Principle of Least Effort; Manning, Raghavan & Schütze 2008, 5.1.2.

    Examples
    --------
    >>> law = zipf(Index.build(["cat cat cat cat cat cat", "dog dog dog", "cow cow"]))
    >>> law.cf.tolist(), round(law.c, 6), round(law.slope, 6), round(law.r_squared, 6)
    ([6, 3, 2], 6.0, -1.0, 1.0)
    """
    expect(Index, index=index)
    cf = np.sort(index.cf)[::-1].astype(np.int64)
    first, last = ranks or (1, cf.size)
    if ranks is not None and not 1 <= first < last <= cf.size:
        raise ArgumentError(f"ranks to fit must be from 1 to {cf.size:,}, the lower first, not from {first} to {last}")
    c, slope, r_squared = _power_law(np.arange(first, last + 1), cf[first - 1 : last])
    return ZipfLaw(cf, c, slope, r_squared, first, last)


def heaps(index: Index) -> HeapsLaw:
    """Fit Heaps' law to an index: a least-squares line through log terms over log tokens.

    There is one point per non-empty document, in the order of the collection.

    Parameters
    ----------
    index : Index
        The index of the collection.

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
    expect(Index, index=index)
    # The postings of a term are sorted by document: in the first of them, the term was new.
    new = count_each(index.docs()[index.offsets[:-1]], minlength=index.stats.N)
    counted = np.asarray(index.dl) > 0
    tokens = np.cumsum(index.dl, dtype=np.int64)[counted]
    terms = np.cumsum(new)[counted].astype(np.int64)
    return HeapsLaw(tokens, terms, *_power_law(tokens, terms))


def _power_law(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
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


def laws_parts(zipf: ZipfLaw, heaps: HeapsLaw) -> list[Part]:
    """Show both laws with their plots; for a vocabulary that is too small, a sentence instead."""
    return [*zipf.text_parts(), *(heaps.text_parts() if zipf.cf.size >= ENOUGH_TERMS else ())]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _r_squared(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
