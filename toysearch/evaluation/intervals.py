"""Confidence intervals of means: Student's, beside the mean of a measure and around the mean of differences."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, expect
from toysearch.evaluation.measures.measure import Measure

FEWEST = 5
"""Fewest values whose mean has an interval: of 2 or 3, Student's is wider than the scale."""


class MeanInterval(NamedTuple):
    """Confidence interval of a mean."""

    # low, high: its ends, clipped to the range of the measure
    low: float
    high: float
    half: float  # half of its width without that
    n: int  # the number of values in the mean


def check_alpha(alpha: float) -> None:
    """Refuse an invalid alpha."""
    expect(float, alpha=alpha)
    if not 0 < alpha < 1:
        found = alpha if isinstance(alpha, int) else f"{alpha:g}"  # a float cannot hold any whole number
        raise ArgumentError(f"alpha must be a number between 0 and 1, not {found}")


def interval_name(alpha: float) -> str:
    """Name the confidence interval at the level 1 − alpha.

    >>> interval_name(0.05)
    '95% CI'
    """
    return f"{100 * (1 - alpha):.4g}% CI"


def half_widths(values: np.ndarray, quantiles: float | np.ndarray) -> np.ndarray:
    """Return t · s / √n for each column: half of the interval of its mean, by a quantile of Student's distribution.

    >>> half_widths(np.array([[0.1], [0.2], [0.3]]), quantile(0.05, 2)).round(4).tolist()
    [0.2484]
    """
    # values: (n, columns) float64, n >= 2; quantiles: t(n − 1, 1 − alpha/2), one for all columns, or one for each.
    # Student, Biometrika 6, 1908.
    return np.asarray(quantiles * values.std(axis=0, ddof=1) / math.sqrt(len(values)))


@cache
def quantile(alpha: float, freedom: int) -> float:
    """Return t(freedom, 1 − alpha/2) of Student's distribution, without scipy, which takes long to load.

    >>> round(quantile(0.05, 24), 4)
    2.0639
    """
    # P(|T| <= t) is a finite sum of powers of cos θ, where t = √freedom · tan θ; θ is found by bisection. Abramowitz &
    # Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.
    is_odd = freedom % 2
    steps = np.arange(1, freedom // 2)
    shares = 2 * steps / (2 * steps + 1) if is_odd else (2 * steps - 1) / (2 * steps)
    factors = np.cumprod([1.0, *shares]) if freedom > 1 else np.zeros(1)
    powers = 2 * np.arange(len(factors))
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        total = math.sin(angle) * float(factors @ math.cos(angle) ** powers)
        if is_odd:
            total = 2 / math.pi * (angle + math.cos(angle) * total)
        low, high = (angle, high) if total < 1 - alpha else (low, angle)
    return math.sqrt(freedom) * math.tan(low)


def mean_interval(measure: Measure, values: np.ndarray, alpha: float = 0.05) -> MeanInterval:
    """Return the interval of the mean of a measure: unbounded for fewer than 5 values, a point if all are equal.

    >>> mean_interval(Measure.parse("AP"), np.array([0.0, 0.1, 0.2, 0.0, 0.0])).low
    0.0
    """
    # values: (n,) float64, at least one, without NaN
    n, mean = len(values), math.fsum(values) / len(values)
    if n < FEWEST or not np.isfinite(values).all():
        return MeanInterval(-math.inf, math.inf, math.inf, n)
    is_point = (values == values[0]).all()  # rounding would make the deviation slightly more than 0
    half = 0.0 if is_point else float(half_widths(values[:, np.newaxis], quantile(alpha, n - 1))[0])
    least, most = measure.definition.range
    # The part clipped cannot hold the true mean, so the interval keeps its level.
    return MeanInterval(max(mean - half, least), mean + half if most is None else min(mean + half, most), half, n)
