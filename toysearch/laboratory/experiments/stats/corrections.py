"""Corrections for many comparisons: of twenty true null hypotheses one is rejected at 0.05 by chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toysearch.arguments import numbers
from toysearch.errors import ArgumentError, unknown


class Correction(NamedTuple):
    """A way to correct p-values: its function, what it holds at alpha, and where it comes from."""

    function: Callable[[np.ndarray], np.ndarray]
    holds: str
    source: str


def _none(p: np.ndarray) -> np.ndarray:
    return p


def _bonferroni(p: np.ndarray) -> np.ndarray:
    return p * p.size


def _holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    # One that is larger can never be rejected before one that is smaller.
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return adjusted


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"))


_WISE = "the probability of any false rejection"
CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "holm": Correction(_holm, _WISE, "Holm, Scand. J. Statistics 6, 1979"),
        "bonferroni": Correction(_bonferroni, _WISE, "Dunn, JASA 56, 1961"),
        "bh": Correction(
            _benjamini_hochberg,
            "the expected share of the false among the rejections",
            "Benjamini & Hochberg, JRSS B 57, 1995",
        ),
        "none": Correction(_none, "the probability of a false rejection, of each comparison by itself", ""),
    }
)
"""The corrections by name. Those of Bonferroni and Holm hold whatever the dependence of the tests is; that of Benjamini
and Hochberg where they are independent or positively dependent, as tests against one baseline are."""


def corrected(p_values: ArrayLike, method: str = "holm") -> np.ndarray:
    """The p-values, corrected for their number: to be compared with alpha as a single one is.

    With m p-values, p₍₁₎ ≤ … ≤ p₍ₘ₎: Bonferroni's are m·p; Holm's max over j ≤ i of (m − j + 1)·p₍ⱼ₎; Benjamini and
    Hochberg's min over j ≥ i of (m/j)·p₍ⱼ₎; none is above 1.

    Parameters
    ----------
    p_values : array_like of float
        Of any shape, each in [0, 1]. NaN, a comparison that could not be made, stays NaN and does not count.
    method : {"holm", "bonferroni", "bh", "none"}, default "holm"
        One of `CORRECTIONS`.

    Returns
    -------
    ndarray of float64
        Of the same shape.

    Raises
    ------
    ArgumentError
        If there is no such method, or a value is not in [0, 1].

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    Benjamini & Hochberg, "Controlling the false discovery rate", J. of the Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    >>> corrected([0.01, 0.04, 0.03], "bonferroni").round(6).tolist()
    [0.03, 0.12, 0.09]
    >>> corrected([0.01, 0.04, 0.03], "bh").round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    if method not in CORRECTIONS:
        raise unknown("correction", method, CORRECTIONS)
    values = numbers(p_values, "p_values").copy()
    known = ~np.isnan(values)
    of_known = values[known]
    if not ((of_known >= 0) & (of_known <= 1)).all():
        wrong = of_known[(of_known < 0) | (of_known > 1)][0]
        raise ArgumentError(f"a p-value is a number from 0 to 1, not {wrong:g}")
    if of_known.size:
        values[known] = np.minimum(CORRECTIONS[method].function(of_known), 1)
    return values
