"""Parts of a number, rounded together: as printed they add up to the printed number."""

from __future__ import annotations

import math
from collections.abc import Sequence


def rounded_together(parts: Sequence[float], total: float, digits: int = 6) -> list[float]:
    """The parts of a total, rounded so that they add up to the rounded total.

    Each is rounded down, and those that lost most get one unit back (largest remainders), so none is further than one
    unit from its value. Parts that do not add up to the total are rounded one by one.

    >>> rounded_together([0.5472604, 0.0478914], 0.5951518)
    [0.547261, 0.047891]
    """
    unit = 10**digits
    if not all(map(math.isfinite, [*parts, total])):
        return [*parts]
    low = [math.floor(part * unit) for part in parts]
    missing = round(round(total, digits) * unit) - sum(low)
    if not 0 <= missing <= len(parts):
        return [round(part, digits) for part in parts]
    raised = sorted(range(len(parts)), key=lambda place: low[place] - parts[place] * unit)[:missing]
    return [(units + (place in raised)) / unit for place, units in enumerate(low)]
