"""What a measure's values are made of, as data: the values and their explanation are both computed from it.

Most measures add something up along the ranking and divide the sum: Σ gain · weight / discount, over a normaliser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

Numbers: TypeAlias = np.ndarray | float
"""One number per query, one per query and rank, or one for all."""

FRACTION, LOG2 = "{}/{}", "log2({})"
"""How a piece is worked out from two others, or from one."""


class Piece(NamedTuple):
    """A named quantity, and how it is worked out where there is something to say of that."""

    name: str
    values: Numbers
    how: str = ""  # with a pair of braces for each of the numbers that it is worked out from
    of: tuple[Numbers, ...] = ()


class Sum(NamedTuple):
    """What is added up along a ranking: gain · weight / discount at each rank."""

    gain: Piece  # what a document brings; bool where documents are only counted
    weight: Piece | None = None
    discount: Piece | None = None
    name: str = ""  # what to call the sum, if it has a name
    # Of an ideal ranking: the grades that it is made of and their gains, neither yet in order.
    ideal: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def terms(self) -> np.ndarray:
        """What each rank adds: shape (n_queries, width)."""
        terms = np.asarray(self.gain.values)
        if self.weight is not None:
            terms = terms * self.weight.values
        if self.discount is not None:
            terms = terms / self.discount.values
        return terms

    @property
    def values(self) -> np.ndarray:
        """The sums: shape (n_queries,)."""
        return np.asarray(self.terms.sum(axis=1))


class Best(NamedTuple):
    """The highest of what stands at the ranks, 0 where nothing counts."""

    along: Sum  # what stands at the ranks; it is not added up
    nothing: str  # what to say where no rank counts
    first: str = "first at rank {}"  # what to say of the first rank that counts, where documents are only counted

    @property
    def values(self) -> np.ndarray:
        """The highest ones: shape (n_queries,)."""
        return np.asarray(self.along.terms.max(axis=1, initial=0))


class Mean(NamedTuple):
    """The mean of a measure at several levels."""

    name: str  # what to call the values at the levels
    levels: Sequence[float]
    at: Sequence[np.ndarray]  # the values at each level: shape (n_queries,)

    @property
    def values(self) -> np.ndarray:
        """The means: shape (n_queries,)."""
        return np.asarray(np.mean(self.at, axis=0))


@dataclass(frozen=True, eq=False)
class Terms:
    """What the values of a measure are made of: a total, over a normaliser."""

    total: Sum | Best | Mean | Piece
    normaliser: Piece | Sum | None = None  # what divides the total; where it is 0, 1 does
    defined: np.ndarray | None = None  # the queries that have a value: bool, shape (n_queries,); all by default
    complement: bool = False  # whether the value is 1 minus that
    also: tuple[Piece, ...] = ()  # what else an explanation shows, beside the ranks or below the table
    ideal: tuple[Piece, ...] = ()  # what it shows along the ideal ranking: all judged documents by falling grade

    @property
    def values(self) -> np.ndarray:
        """The measure's value for each query, NaN where it is undefined: float64, shape (n_queries,)."""
        values = np.asarray(self.total.values)
        if self.normaliser is not None:
            whole = np.asarray(self.normaliser.values)
            values = values / np.where(whole > 0, whole, 1)
        if self.complement:
            values = 1 - values
        return np.asarray(values if self.defined is None else np.where(self.defined, values, np.nan), dtype=np.float64)
