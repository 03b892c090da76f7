"""Explanation of a number: its parts, and the formula that combines them, at every level.

A score, a value of a measure, and the share of a term in a score are explained by the same value. What people and
programs see of a number (a table, bars, the difference of two scores) is read from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from toysearch.base.groups import totals
from toysearch.base.result_tables import plain

__all__ = ["Explanation", "Expression"]

SUM, PRODUCT, QUOTIENT, HIGHEST, MEAN, COMPLEMENT = "Σ", "·", "/", "max", "mean", "1 −"
COUNT = "count"
"""Sum whose parts are 1 each: documents are counted."""
DIFFERENCE = "−"
EQUAL = "="
"""Number that is reached in several ways: each part is the whole, and the first one tells its summands."""
IDLE = frozenset({"feature", "absent", "unknown"})
"""Kinds of numbers that are listed among the parts of a sum, but contribute nothing to it if they are 0."""

FORMULAS: Mapping[str, Callable[[Sequence[float]], float]] = MappingProxyType(
    {
        SUM: math.fsum,
        COUNT: math.fsum,
        PRODUCT: math.prod,
        QUOTIENT: lambda values: values[0] / values[1] if values[1] > 0 else values[0],
        HIGHEST: lambda values: max(values, default=0.0),
        MEAN: lambda values: math.fsum(values) / len(values),
        COMPLEMENT: lambda values: 1 - values[0],
        DIFFERENCE: lambda values: values[0] - values[1],
        EQUAL: lambda values: values[0],
    }
)
"""Combination of the values of the parts, by formula."""


class PartName(NamedTuple):
    """Place of a number in a sum: its kind (a term, a feature …), and its name."""

    # 'term': a query term in the document. 'per_matched_document': the part added to each ranked document.
    # 'document': the document's own part (a length part; for a distance, that of two disjoint vectors).
    # 'normalisation': the constant that a normalisation of a mixture adds after scaling. 'product': a product of a
    # mixture that cannot be divided among terms, because it has several models, or none. 'feature': the share of a
    # feature of a learned ranker. 'base': the score of a learned ranker without the shares
    kind: str
    name: str = ""  # the term, the normalised factor, the product; "" for the others


class Explanation(NamedTuple):
    """Number with the parts that make it.

    Attributes
    ----------
    label : str
        What the number belongs to: a term, a feature, a model, a rank.
    value : float
        The number; NaN if it is undefined.
    formula : str
        How the parts make the value: a name in `FORMULAS`. Without parts, what it is computed by, with a pair of
        braces for each of the quantities; "" for a number that comes from elsewhere.
    quantities : mapping of str to value
        What stands beside it, by name: the statistics of a posting, the positions of a phrase.
    parts : tuple of Explanation
        The parts, in the order in which they are combined; empty for a number that is not taken apart.
    kind : str
        What the number is: one of `PartName`, or ``model``, ``mixture``, ``factor``, ``vectors``, ``topic``,
        ``dimension``, ``linear`` or ``trees`` (a learned ranker), ``function`` (a search of one's own),
        ``pipeline``, ``passages``, ``diversity`` (MMR and
        xQuAD), ``below`` (outside the pool of a stage), ``similarity``, ``absent`` and ``unknown`` (query
        terms that only other documents hold, or none), ``expansion``.
    notes : tuple of str
        Sentences that people read below the parts.

    Examples
    --------
    >>> cat, sat = Explanation("cat", 0.5, kind="term"), Explanation("sat", 0.25, kind="term")
    >>> score = Explanation("bm25", 0.75, SUM, {"N": 3.0}, (cat, sat))
    >>> weighed = Explanation("2*bm25", 1.5, PRODUCT, {}, (Explanation("weight", 2.0), score))
    >>> weighed.combined, {part.name: share for part, share in weighed.shares().items()}
    (1.5, {'cat': 1.0, 'sat': 0.5})
    """

    label: str
    value: float
    formula: str = ""
    quantities: Mapping[str, Any] = MappingProxyType({})
    parts: tuple[Explanation, ...] = ()
    kind: str = ""
    notes: tuple[str, ...] = ()

    @property
    def combined(self) -> float:
        """Combine the parts to the value; return the value itself if it is not taken apart, or undefined."""
        if self.formula not in FORMULAS or math.isnan(self.value):
            return self.value
        return FORMULAS[self.formula]([part.value for part in self.parts])

    def walk(self) -> Iterator[Explanation]:
        """Yield the number, then all its parts and theirs."""
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def summands(self) -> tuple[Explanation, ...]:
        """Parts that add up to the value, with those that are 0."""
        return self.parts[0].summands if self.formula == EQUAL else self.parts

    @property
    def is_idle(self) -> bool:
        """True if it is only listed, and adds nothing."""
        return not self.value and self.kind in IDLE

    @property
    def is_below(self) -> bool:
        """True for the score of a document outside a pool: that of the lowest one inside, minus places."""
        return any(part.formula == DIFFERENCE for part in self.parts)

    def of_kind(self, *kinds: str) -> list[Explanation]:
        """Return the summands of some kinds, in their order."""
        return [part for part in self.summands if part.kind in kinds]

    def data(self) -> dict[str, Any]:
        """Return the number as plain values, for JSON: label, value, and its other attributes."""
        data = plain(self._replace(parts=(), notes=())) | {"parts": [part.data() for part in self.parts]}
        return {name: value for name, value in data.items() if value or name in ("label", "value")}

    def shares(self, scale: float = 1.0) -> dict[PartName, float]:
        """Return the numbers that add up to the value, times a scale.

        A sum is divided into its parts. A product with one sum among its factors is spread over the parts of this
        sum; any other product stays as it is. Under a similarity that divides by lengths (cosine, Dice …) the share of
        a term is its share of the sum s, times score / s: a longer document changes the share of every term. A
        normalisation scales all shares alike, and the constant that it adds is a separate part.
        """
        if self.formula == EQUAL:
            return self.parts[0].shares(scale)
        if not self.is_divisible:
            return {PartName(self.kind, self.label): scale * self.value}
        divided = tuple(part for part in self.parts if not part.is_idle)
        if self.formula == PRODUCT:
            divided = tuple(part for part in self.parts if part.is_divisible)
            scale *= math.prod(part.value for part in self.parts if not part.is_divisible)
        return totals((part, share) for number in divided for part, share in number.shares(scale).items())

    @property
    def is_divisible(self) -> bool:
        """True for a sum, or a product with one sum among its factors."""
        if self.formula == PRODUCT:
            return sum(part.is_divisible for part in self.parts) == 1
        return self.formula in (SUM, EQUAL)


class Expression(NamedTuple):
    """Line of a model's code on one posting.

    Attributes
    ----------
    name : str
        The name of the value: idf, length, …; the last is ``weight``.
    formula, numbers : str
        The arithmetic as in the code, and with numbers in place of names; "" for a line that is not arithmetic.
    value : float
        The result.
    """

    name: str
    formula: str
    numbers: str
    value: float


def sum_of_texts(texts: Sequence[str]) -> str:
    """Join summands by plus, or by minus before a negative one."""
    return (" + ".join(texts) or "0").replace("+ -", "− ")


def bracketed(value: float) -> str:
    """Write a number with six digits; a negative one in brackets."""
    return f"({value:.6g})" if value < 0 else f"{value:.6g}"
