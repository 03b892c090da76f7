"""The correlation of two values of the same queries: Pearson, Kendall, sMARE, with bootstrap intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from toysearch.models.model import Array

SAMPLES = 2_000
"""The number of bootstrap samples: the ends of an interval vary by about 0.01 of its width between seeds."""

_BLOCK = 512  # rows of the matrix of pairs that are compared at a time


class Estimate(NamedTuple):
    """A value and its interval; NaN if undefined."""

    value: float
    low: float
    high: float


_UNDEFINED = Estimate(math.nan, math.nan, math.nan)


class ValueCorrelation(NamedTuple):
    """How well one value predicts another over n queries."""

    n: int
    pearson: Estimate
    kendall: Estimate  # tau-b
    smare: Estimate  # 0 is best; a random order has about 1/3


def value_correlation(
    predicted: Array, actual: Array, *, alpha: float = 0.05, seed: int = 0, samples: int = SAMPLES
) -> ValueCorrelation:
    """The correlation of predicted and actual values, both finite, with percentile intervals of the bootstrap.

    >>> found = value_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.3, 0.2, 0.9]))
    >>> round(found.pearson.value, 4), round(found.kendall.value, 4), found.smare.value
    (0.8262, 0.6667, 0.125)
    """
    # Queries are drawn with replacement; a sample is the number of times that each query was drawn, so all three are
    # weighted formulas. Samples whose values are all equal have no correlation and do not count. Efron & Tibshirani, An
    # Introduction to the Bootstrap, 1993, §13.3.
    n = len(predicted)
    if n < 2:
        return ValueCorrelation(n, *[_UNDEFINED] * 3)
    once = np.ones((1, n))
    errors = scaled_errors(predicted, actual)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=samples).astype(np.float64)
    both = np.concatenate([once, drawn])
    pearson = _pearson(both, predicted, actual)
    smare = both @ errors / n if math.isfinite(pearson[0]) else np.full(len(both), math.nan)
    coefficients = [pearson, _kendall(both, predicted, actual), smare]
    return ValueCorrelation(n, *(_estimate(values, alpha) for values in coefficients))


def scaled_errors(predicted: Array, actual: Array) -> Array:
    """The scaled absolute rank error of each query, |rank(predicted) − rank(actual)| / n; equal values share a rank.

    >>> scaled_errors(np.array([1.0, 2.0, 2.0, 4.0]), np.array([0.1, 0.3, 0.2, 0.9])).tolist()
    [0.0, 0.125, 0.125, 0.0]
    """
    # Faggioli, Zendel, Culpepper, Ferro & Scholer, "An enhanced evaluation framework for query performance prediction",
    # ECIR 2021; their mean is sMARE.
    return np.asarray(np.abs(_ranks(predicted) - _ranks(actual)) / len(actual))


def _ranks(values: Array) -> Array:
    """The rank of each value, from 1; equal values have the mean of their ranks."""
    ordered = np.sort(values)
    below, not_above = np.searchsorted(ordered, values), np.searchsorted(ordered, values, "right")
    return np.asarray((below + not_above + 1) / 2)


def _pearson(weights: Array, first: Array, second: Array) -> Array:
    """Pearson's r under each row of weights."""
    n = weights.sum(1)
    x, y = first - first.mean(), second - second.mean()
    mean_x, mean_y = weights @ x / n, weights @ y / n
    covariance = weights @ (x * y) / n - mean_x * mean_y
    square_x, square_y = weights @ (x * x) / n, weights @ (y * y) / n
    variance_x, variance_y = square_x - mean_x**2, square_y - mean_y**2
    varied = (variance_x > 1e-12 * square_x) & (variance_y > 1e-12 * square_y)
    return np.where(varied, covariance / np.sqrt(np.where(varied, variance_x * variance_y, 1)), math.nan)


def _kendall(weights: Array, first: Array, second: Array) -> Array:
    """Kendall's tau-b under each row of weights."""
    # The sums are whole numbers below 2**53, so their order does not matter.
    agreeing, apart, apart_too = (np.zeros(len(weights)) for _ in range(3))
    for start in range(0, len(first), _BLOCK):
        rows = slice(start, start + _BLOCK)
        x, y = (np.sign(values[rows, np.newaxis] - values) for values in (first, second))
        block = weights[:, rows]
        agreeing += ((weights @ (x * y).T) * block).sum(1)
        apart += ((weights @ np.abs(x).T) * block).sum(1)
        apart_too += ((weights @ np.abs(y).T) * block).sum(1)
    varied = (apart > 0) & (apart_too > 0)
    return np.where(varied, agreeing / np.sqrt(np.where(varied, apart * apart_too, 1)), math.nan)


def _estimate(values: Array, alpha: float) -> Estimate:
    """The first value with the quantiles of the others."""
    drawn = values[1:][np.isfinite(values[1:])]
    if not len(drawn) or not math.isfinite(values[0]):
        return Estimate(float(values[0]), math.nan, math.nan)
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    return Estimate(float(values[0]), float(low), float(high))
