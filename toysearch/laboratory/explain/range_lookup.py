"""The documents of a range of numbers as textbooks find them: a binary search for each end in the sorted numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import Range
from toysearch.search.matching import whole_periods

__all__ = ["RangeLookup", "RangeStep", "range_lookup"]


class RangeStep(NamedTuple):
    """A comparison of a binary search: the place in the sorted numbers, from 1, the number, and whether it is below."""

    end: str  # "low" or "high"
    place: int
    number: float
    below: bool


class RangeLookup(NamedTuple):
    """The binary searches for the ends of a range.

    Attributes
    ----------
    node : str
        The range.
    n_numbers : int
        The number of documents with a number in the field.
    comparisons : list of RangeStep
        The comparisons for the low end, then for the high end; an open end has none.
    first, last : int
        The places in the sorted numbers that are in the range, from 1; none if last is below first.
    """

    node: str
    n_numbers: int
    comparisons: list[RangeStep]
    first: int
    last: int


@checked
def range_lookup(index: Index, node: Range) -> RangeLookup:
    """Find a range in the sorted numbers of a field.

    Parameters
    ----------
    index : Index
        An index with the numbers of the field.
    node : Range
        The range.

    Examples
    --------
    >>> from toysearch import Document
    >>> pets = [Document(str(n), "a cat", "", {"text": "a cat", "year": str(1990 + n)}) for n in range(8)]
    >>> lookup = range_lookup(Index.build(pets, values=["year"]), Range("year", 1992, 1994))
    >>> lookup.first, lookup.last, len(lookup.comparisons)
    (3, 5, 6)
    """
    values = index.values[node.field]
    typed, node = str(node), whole_periods(node, values)
    numbers = np.sort(values[~np.isnan(values)]).tolist()
    steps: list[RangeStep] = []

    def below(end: str, limit: float, equal: bool) -> int:
        """The count of numbers below a limit, or equal to it too."""
        start, stop = 0, len(numbers)
        while start < stop:
            middle = (start + stop) // 2
            is_below = numbers[middle] <= limit if equal else numbers[middle] < limit
            steps.append(RangeStep(end, middle + 1, numbers[middle], is_below))
            start, stop = (middle + 1, stop) if is_below else (start, middle)
        return start

    first = below("low", node.low, node.above_low) if node.low > -np.inf else 0
    last = below("high", node.high, not node.below_high) if node.high < np.inf else len(numbers)
    return RangeLookup(typed, len(numbers), steps, first + 1, last)
