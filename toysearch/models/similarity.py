"""Similarities turn the sum over matching terms into a score: inner product, cosine, Dice, Jaccard, and a distance.

With document weights d and query weights q: s = Σ q·d over the shared terms, dd = Σ d², qq = Σ q² over all
terms of the document and of the query. With weights of 1 these are the set forms: s = |X∩Y|, dd = |X|, qq = |Y|.

Start with `dot` and `jaccard`. `similarity` compares two vectors or sets that are given by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, numbers

__all__ = ["VectorPair", "similarity"]


class Similarity(NamedTuple):
    """Function that turns the sum over matching terms into a score."""

    name: str
    # of those that it names: s, the sum; dd = Σ d² over all terms of the document; qq = Σ q² over the query; the
    # parameters of the model
    function: Callable[..., Any]
    formula: str  # the same for people


def _ratio(numerator: Any, denominator: Any) -> Any:
    denominator = np.asarray(denominator, dtype=np.float64)
    out = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def dot(s: Any) -> Any:
    """Inner product: s."""
    return s


def cosine(s: Any, dd: Any, qq: Any) -> Any:
    """Cosine of the angle: s / √(dd · qq); 0 for a zero vector (Salton, Wong & Yang 1975)."""
    return _ratio(s, np.sqrt(dd * qq))


def dice(s: Any, dd: Any, qq: Any) -> Any:
    """Dice's coefficient: 2s / (dd + qq); 0 for two zero vectors (Dice 1945; van Rijsbergen 1979, ch. 3)."""
    return _ratio(2 * s, dd + qq)


def jaccard(s: Any, dd: Any, qq: Any) -> Any:
    """Jaccard's coefficient: s / (dd + qq - s); 0 for two zero vectors (Jaccard 1901; Tanimoto 1958)."""
    return _ratio(s, dd + qq - s)


def cosine_document(s: Any, dd: Any) -> Any:
    """Cosine without the length of the query, which changes no ranking: s / √dd."""
    return _ratio(s, np.sqrt(dd))


def cosine_query(s: Any, qq: Any) -> Any:
    """Sum divided by the length of the query only: s / √qq."""
    return _ratio(s, np.sqrt(qq))


def euclidean(s: Any, dd: Any, qq: Any) -> Any:
    """Minus the Euclidean distance: −√(Σ (d − q)²) = −√(dd + qq − 2s)."""
    return 0.0 - np.sqrt(np.maximum(0.0, dd + qq - 2 * s))  # 0.0 − 0.0 is 0.0; rounding could take the sum below 0


SIMILARITIES = {
    declared.name: declared
    for declared in (
        Similarity("dot", dot, "s"),
        Similarity("cosine", cosine, "s / √(dd · qq)"),
        Similarity("dice", dice, "2s / (dd + qq)"),
        Similarity("jaccard", jaccard, "s / (dd + qq − s)"),
        Similarity("cosine-document", cosine_document, "s / √dd"),
        Similarity("cosine-query", cosine_query, "s / √qq"),
        Similarity("euclidean", euclidean, "−√(dd + qq − 2s)"),
    )
}


class VectorPair(NamedTuple):
    """Sums from which every similarity of two vectors x and y is made.

    Attributes
    ----------
    xy, xx, yy : float
        Σ x·y, Σ x², Σ y²; for sets |X∩Y|, |X|, |Y|.
    """

    xy: float
    xx: float
    yy: float

    @property
    def cosine(self) -> float:
        """Cosine: xy / √(xx · yy)."""
        return float(cosine(self.xy, self.xx, self.yy))

    @property
    def dice(self) -> float:
        """Dice coefficient: 2 xy / (xx + yy)."""
        return float(dice(self.xy, self.xx, self.yy))

    @property
    def jaccard(self) -> float:
        """Jaccard coefficient: xy / (xx + yy − xy)."""
        return float(jaccard(self.xy, self.xx, self.yy))

    @property
    def dice_euclidean(self) -> float:
        """Dice as some notes print it, with Euclidean lengths: 2 xy / (√xx + √yy); can exceed 1."""
        return float(_ratio(2 * self.xy, sqrt(self.xx) + sqrt(self.yy)))

    @property
    def jaccard_euclidean(self) -> float:
        """Jaccard read with Euclidean lengths: xy / (√xx + √yy − xy); can exceed 1, or be negative."""
        return float(_ratio(self.xy, sqrt(self.xx) + sqrt(self.yy) - self.xy))


def similarity(x: Any, y: Any) -> VectorPair:
    """Compute the sums, and with them all similarities, of two sets, sparse vectors or dense vectors.

    Parameters
    ----------
    x, y : set, mapping, sequence of numbers, 1-d array or sparse row
        Two of one kind: sets (or lists of texts, taken as sets), mappings of term to weight, dense vectors of
        one length, or scipy sparse matrices of one row.

    Returns
    -------
    VectorPair
        With the properties ``cosine``, ``dice``, ``jaccard``, ``dice_euclidean``, ``jaccard_euclidean``.

    Raises
    ------
    ArgumentError
        If the two are of different kinds or lengths.

    Examples
    --------
    >>> pair = similarity({"train", "cat"}, {"how", "to", "train", "a", "cat"})
    >>> round(pair.dice, 6), round(pair.jaccard, 6), round(pair.cosine, 6)
    (0.571429, 0.4, 0.632456)
    >>> similarity([1, 0, 2], [1, 1, 0])
    VectorPair(xy=1.0, xx=5.0, yy=2.0)
    """
    if _is_set(x) and _is_set(y):
        x, y = dict.fromkeys(x, 1.0), dict.fromkeys(y, 1.0)
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        for vector in (x, y):
            numbers(list(vector.values()), "the weights of a vector")
        # In term order, so that the sums do not depend on the order of the mappings.
        shared = sorted((key for key in x if key in y), key=str)
        return VectorPair(
            _added([float(x[key]) * float(y[key]) for key in shared]),
            _added([float(x[key]) ** 2 for key in sorted(x, key=str)]),
            _added([float(y[key]) ** 2 for key in sorted(y, key=str)]),
        )
    if isinstance(x, (Mapping, set, frozenset, str)) or isinstance(y, (Mapping, set, frozenset, str)):
        raise ArgumentError("a similarity needs two sets, two mappings or two vectors, not one of each")
    first, second = _dense(x), _dense(y)
    if first.shape != second.shape:
        raise ArgumentError(f"the vectors have different lengths: {first.size} and {second.size}")
    return VectorPair(_added(first * second), _added(first * first), _added(second * second))


def _added(values: Any) -> float:
    """Add values one by one from the first: the built-in sum and a matrix product round otherwise."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def _is_set(x: Any) -> bool:
    """True for a set, for other texts, and for nothing."""
    if isinstance(x, str | Mapping) or not isinstance(x, Collection):
        return False
    return isinstance(x, (set, frozenset)) or any(isinstance(v, str) for v in x) or len(x) == 0


def _dense(x: Any) -> np.ndarray:
    array = numbers(x.toarray() if hasattr(x, "toarray") else x, "a vector")
    if array.ndim == 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 1:
        raise ArgumentError(f"a similarity needs vectors or single rows, not an array of shape {array.shape}")
    return array
