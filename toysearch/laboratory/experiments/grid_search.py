"""Ways through the settings of a model: all of them, or uphill one parameter at a time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

from toysearch.laboratory.experiments.grids import Axis, Setting, lines
from toysearch.models.parameter_ranges import Value

Score = Callable[[list[Setting]], list[float]]
"""Settings → what each is worth on some queries; larger is better."""


def ascent(axes: Sequence[Axis], start: Setting, score: Score) -> list[Setting]:
    """The settings that coordinate ascent visits: one parameter at a time takes its best value, until none improves."""
    here, best, past = start, score([start])[0], [start]
    while True:
        before = here
        for axis in axes:
            line = next(settings for each, settings in lines([axis], here))
            worth = score(line)
            past += [setting for setting in line if setting not in past]
            if max(worth) > best:
                best, here = max(worth), line[worth.index(max(worth))]
        if here == before:
            return past


def nearest(axes: Sequence[Axis], own: Mapping[str, Value]) -> Setting:
    """The setting of a grid that is nearest to a model's own values; the first value where there is no near."""
    return {axis.name: min(axis.values, key=functools.partial(_distance, own[axis.name])) for axis in axes}


def _distance(own: Value, value: Value) -> float:
    if value == own:
        return 0.0
    return abs(value - own) if isinstance(value, float) and isinstance(own, float | int) else math.inf
