"""How values are distributed, as bars of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

BINS = 10
_WIDEST = 50  # characters of the longest bar, so that a line fits 80 columns
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Bin(NamedTuple):
    """The values from `low` up to `high`, which belongs to the next bin (to the last one: also `high`)."""

    low: float
    high: float
    number: int


def binned(values: Sequence[float], low: float = 0.0, high: float = 1.0, bins: int = BINS) -> list[Bin]:
    """How many values there are in each of some bins of equal width; infinite ones in one more; NaN in none."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min([low, *known]), max([high, *known])
    high = high if high > low else low + 1
    width = (high - low) / bins
    counts = [0] * bins
    edges = [low + width * place for place in range(bins)] + [high]
    for value in known:
        place = min(int((value - low) / width), bins - 1)
        # Division may round past an edge: the edges decide, as they are printed.
        place += (place < bins - 1 and value >= edges[place + 1]) - (value < edges[place])
        counts[place] += 1
    infinite = sum(math.isinf(value) for value in values)
    beyond = [Bin(math.inf, math.inf, infinite)] if infinite else []
    return [Bin(edges[place], edges[place + 1], count) for place, count in enumerate(counts)] + beyond


def histogram(bins: Sequence[Bin]) -> str:
    """A line a bin: its limits, how many values, a bar."""
    most = max((one.number for one in bins), default=0) or 1
    ends = 1 if all(math.isinf(one.low) or round(one.low, 1) == round(one.low, 6) for one in bins) else 2
    labels = ["infinite" if math.isinf(one.low) else f"{one.low:.{ends}f}–{one.high:.{ends}f}" for one in bins]
    wide, digits = max(map(len, labels)), len(str(most))
    return "\n".join(
        f"{label:>{wide}}  {one.number:>{digits}}  {_bar(one.number / most)}".rstrip()
        for label, one in zip(labels, bins, strict=True)
    )


def _bar(share: float) -> str:
    """A bar in eighths of a character; what is there at all is seen."""
    eighths = max(round(share * _WIDEST * 8), 1 if share else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
