"""Nearest vectors: exact cosine or dot products with all rows of a matrix.

A score is the sum, in 64-bit floats, of the products of two vectors, in one fixed order. The k best of all rows are
found in one pass over the matrix with 32-bit floats: a bound on their rounding errors says which rows cannot be among
the k best, and the scores of the others are then computed exactly. So scores have the same bits whatever the number of
threads, the order of the rows and k.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from toysearch.models.model import Array

_BLOCK = 1 << 23  # numbers of the matrix that are looked at together
_ROWS = 4096  # whose exact scores are computed together
_UNIT = 2.0**-24  # the relative error of rounding to 32 bits
_LENGTHS = 1e-12, 1e15  # of vectors for which 32-bit floats neither overflow nor vanish

Nearest = tuple[np.ndarray, Array]
"""Numbers of documents and their scores, best first."""


class Points:
    """Vectors of documents: an array with one row per document, which may be mapped from a file."""

    def __init__(self, matrix: Any, cosine: bool, docs: np.ndarray | None = None) -> None:
        self.matrix = matrix  # (N, d), any type of numbers
        self.cosine = cosine  # whether products are divided by lengths
        self.docs = docs  # (N,) the document of each row; None if they are in the same order
        # The lengths to about 32 bits, (N,) float64; that of a row with NaN or an infinity is not finite.
        self.lengths = np.empty(len(matrix))
        for rows in blocks(matrix):
            part = np.asarray(matrix[rows])
            part = part if part.dtype in (np.float32, np.float64) else part.astype(np.float32)
            with np.errstate(over="ignore", invalid="ignore"):
                self.lengths[rows] = np.sqrt(np.einsum("ij,ij->i", part, part))

    @cached_property
    def exact_lengths(self) -> Array:
        """Return the lengths in 64-bit floats."""
        return np.concatenate([np.zeros(0), *(length_of(self.matrix[rows]) for rows in blocks(self.matrix))])

    def scores(self, rows: Any, query: Array, lengths: Array | None = None) -> Array:
        """Score some rows, a slice or numbers; a vector of zeros has the cosine 0 with any other."""
        part = np.ascontiguousarray(self.matrix[rows])
        products: Array = (part * query).sum(axis=1)  # the query has 64 bits, and so have the products
        if self.cosine:
            lengths = (length_of(part) if lengths is None else lengths) * np.sqrt(np.square(query).sum())
            products = np.divide(products, lengths, out=np.zeros(len(products)), where=lengths > 0)
        return products

    def all_scores(self, query: Array) -> Array:
        """Score each document, by its number."""
        scores = np.empty(len(self.matrix))
        for rows in blocks(self.matrix):
            lengths = self.exact_lengths[rows] if self.cosine else None
            scores[rows if self.docs is None else self.docs[rows]] = self.scores(rows, query, lengths)
        return scores

    def row(self, number: int) -> Array:
        """Return the vector of a document; float64."""
        place = number if self.docs is None else int(np.flatnonzero(self.docs == number)[0])
        return np.asarray(self.matrix[place], dtype=np.float64)


def length_of(part: Any) -> Array:
    """Return the length of each row; float64."""
    return np.asarray(np.sqrt(np.square(np.ascontiguousarray(part), dtype=np.float64).sum(axis=1)))


def blocks(matrix: Any) -> Iterator[slice]:
    """Yield the rows of a matrix in blocks."""
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        yield slice(start, min(start + step, len(matrix)))


def nearest(points: Points, queries: Sequence[Array], k: int) -> list[Nearest]:
    """Find the k documents with the highest scores for each query, ties by number."""
    if not queries:
        return []
    pools = [_Pool(k) for _ in queries]
    units = [query / (np.sqrt(np.square(query).sum()) or 1.0) for query in queries]
    shortest, longest = _LENGTHS  # whose products 32-bit floats can bound
    lengths, largest = points.lengths, np.abs(np.concatenate(queries)).max(initial=0)
    if not (lengths.max(initial=0) < longest and lengths[lengths > 0].min(initial=1) > shortest and largest < longest):
        return [best_of(points, np.arange(len(points.matrix)), query, k) for query in queries]
    together = np.array(units, np.float32).T
    # Lengths and products are each off by at most (d + 2) roundings; some more for what is rounded before and after.
    error = 1.01 * (2 * points.matrix.shape[1] + 12) * _UNIT
    for rows in blocks(points.matrix):
        part = np.asarray(points.matrix[rows], dtype=np.float32)
        lengths = points.lengths[rows]
        scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0) if points.cosine else None
        # For one query, reading the matrix takes all the time: more threads would only wait for each other.
        product = np.einsum("ij,jk->ki", part, together) if len(queries) == 1 else (part @ together).T
        for pool, products in zip(pools, product, strict=True):
            about = products.astype(np.float64) * scale if scale is not None else products.astype(np.float64)
            pool.add(rows.start, about, error if points.cosine else error * lengths)
    return [best_of(points, pool.rows, query, k) for pool, query in zip(pools, queries, strict=True)]


def best_of(points: Points, rows: np.ndarray, query: Array, k: int) -> Nearest:
    """Find the k best of some rows, ties by number."""
    parts = [points.scores(rows[start : start + _ROWS], query) for start in range(0, len(rows), _ROWS)]
    scores = np.concatenate([np.zeros(0), *parts])
    docs = rows if points.docs is None else points.docs[rows]
    order = np.lexsort((docs, -scores))[:k]
    return docs[order], scores[order]


class _Pool:
    """Rows that may be among the k best, as far as the matrix has been read."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._least = -np.inf  # k rows are known to have at least this score
        self.rows = np.zeros(0, np.int64)
        self._about = np.zeros(0)
        self._errors = np.zeros(0)

    def add(self, start: int, about: Array, errors: Array | float) -> None:
        """Take in a block of rows, with their scores and the bounds of the errors of these."""
        new = np.flatnonzero(about + errors >= self._least)
        if not len(new):
            return
        self.rows = np.concatenate([self.rows, new + start])
        self._about = np.concatenate([self._about, about[new]])
        self._errors = np.concatenate([self._errors, np.broadcast_to(errors, about.shape)[new]])
        if len(self.rows) > self._k:
            lower = self._about - self._errors
            self._least = max(self._least, float(np.partition(lower, -self._k)[-self._k]))
            kept = self._about + self._errors >= self._least
            self.rows, self._about, self._errors = self.rows[kept], self._about[kept], self._errors[kept]
