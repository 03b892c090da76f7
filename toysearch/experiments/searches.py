"""Ways through the settings of a model: all of them, or uphill one parameter at a time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

from toysearch.experiments.grids import Axis, Setting, lines
from toysearch.ranking.ranges import Value

Score = Callable[[list[Setting]], list[float]]
"""Settings → what each is worth on some queries; larger is better."""


def ascent(axes: Sequence[Axis], start: Setting, score: Score) -> list[Setting]:
    """The settings that coordinate ascent comes past: one parameter at a time goes to its best value, until none does.

    Parameters
    ----------
    axes : sequence of Axis
        The axes, changed in this order.
    start : dict
        The setting to start from.
    score : callable
        What settings are worth.

    Returns
    -------
    list of dict
        Each once, in the order in which it was first asked for; the best of them is where the ascent ended.

    Examples
    --------
    >>> axes = [Axis("x", (1.0, 2.0, 3.0)), Axis("y", (0.0, 1.0))]
    >>> past = ascent(axes, {"x": 1.0, "y": 0.0}, lambda settings: [-abs(s["x"] - 2) + s["y"] for s in settings])
    >>> past[-1], len(past)
    ({'x': 3.0, 'y': 1.0}, 6)
    """
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
    """The setting of a grid that is nearest to a model's own values; the first value where there is no near.

    Parameters
    ----------
    axes : sequence of Axis
        The axes.
    own : mapping of str to value
        The own value on each axis.

    Examples
    --------
    >>> axes = [Axis("k1", (0.5, 1.0, 2.0)), Axis("stem", ("none", "english"), of_analysis=True)]
    >>> nearest(axes, {"k1": 1.2, "stem": "english"}), nearest(axes, {"k1": 9.0, "stem": "german"})
    ({'k1': 1.0, 'stem': 'english'}, {'k1': 2.0, 'stem': 'none'})
    """
    return {axis.name: min(axis.values, key=functools.partial(_distance, own[axis.name])) for axis in axes}


def _distance(own: Value, value: Value) -> float:
    if value == own:
        return 0.0
    return abs(value - own) if isinstance(value, float) and isinstance(own, float | int) else math.inf
