"""The three means of numbers, and every other way to summarise values per query."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from toysearch import display
from toysearch.arguments import checked
from toysearch.errors import ArgumentError, unknown


class Means(NamedTuple):
    """The three means of the same numbers; they never rise in this order, and are equal only if all numbers are."""

    arithmetic: float
    geometric: float
    harmonic: float

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


@checked
def means(values: Sequence[float]) -> Means:
    """The three means of numbers of at least 0.

    Parameters
    ----------
    values : sequence of float
        At least one.

    Raises
    ------
    ArgumentError
        If there is none, or one of them is negative or not finite.

    Examples
    --------
    >>> means([2, 8])
    Means(arithmetic=5.0, geometric=4.0, harmonic=3.2)
    """
    if not len(values):
        raise ArgumentError("a mean needs at least one number")
    for value in values:
        if not math.isfinite(value):
            raise ArgumentError(f"a mean needs finite numbers, and {value} is not finite")
    return Means(arithmetic(values), geometric(values), harmonic(values))


def arithmetic(values: Sequence[float]) -> float:
    """AM = Σ x / n: the mean for amounts. NaN of no values."""
    return math.fsum(values) / len(values) if len(values) else math.nan


def geometric(values: Sequence[float], floor: float = 0.0) -> float:
    """GM = (Π x)^(1/n) = exp(Σ ln x / n): the mean for ratios; 0 where a value is 0. NaN of no values.

    Robertson 2006, "On GMAP: and other transformations", CIKM.
    """
    raised = [max(value, floor) for value in _from_zero_on("geometric", values)]
    if not raised or 0 in raised:
        return 0.0 if raised else math.nan
    return math.exp(math.fsum(map(math.log, raised)) / len(raised))


def harmonic(values: Sequence[float]) -> float:
    """HM = n / Σ (1/x): the mean for rates; 0 where a value is 0, its limit there. NaN of no values.

    F is the harmonic mean of precision and recall: it is never more than n times the lowest value, so that
    neither can make up for the other.

    van Rijsbergen 1979, Information Retrieval, chapter 7.
    """
    checked = _from_zero_on("harmonic", values)
    if not checked or 0 in checked:
        return 0.0 if checked else math.nan
    return len(checked) / math.fsum(1 / value for value in checked)


def _from_zero_on(kind: str, values: Sequence[float]) -> list[float]:
    """The values, where none is negative."""
    for value in values:
        if value < 0:
            raise ArgumentError(f"a {kind} mean needs numbers of at least 0, and {value:g} is negative")
    return [float(value) for value in values]


FLOOR = 0.00001  # lower values count as this in the geometric means of trec_eval

AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = MappingProxyType(
    {
        "mean": arithmetic,
        "gm": lambda values: geometric(values, FLOOR),
        "hm": harmonic,
        "median": statistics.median,
        "min": min,
        "max": max,
        "sum": math.fsum,
    }
)
"""Name → function of at least one value: arithmetic, geometric and harmonic mean, …"""


def aggregated(values: Sequence[float], how: str) -> float:
    """The value for all queries: NaN of no values, but their sum is 0."""
    if how not in AGGREGATES:
        raise unknown("aggregate", how, AGGREGATES)
    defined = [value for value in values if not math.isnan(value)]
    return float(AGGREGATES[how](defined)) if defined or how == "sum" else math.nan
