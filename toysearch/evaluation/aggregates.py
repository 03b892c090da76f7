"""One value for many queries: the mean, or what else can be made of the values per query."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from toysearch.errors import unknown
from toysearch.evaluation.means import arithmetic, geometric, harmonic

FLOOR = 0.00001  # what trec_eval's geometric means take for a lower value

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
