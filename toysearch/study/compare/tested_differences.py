"""A tested difference and its p, as tables, sentences and JSON show them."""

from __future__ import annotations

import math
from typing import Any

from toysearch.base import Column, number_columns
from toysearch.study.compare.significance import TestResult

_LEAST_P = 0.0001  # smaller p-values are shown as below this bound


def p_text(p: float) -> str:
    """Write a p-value in at most seven characters."""
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.4f}"


def p_stated(p: float) -> str:
    """Write a p-value in a sentence.

    >>> p_stated(0.0354), p_stated(0.00001)
    ('p = 0.0354', 'p < 0.0001')
    """
    return f"p {p_related(p)}"


def p_related(p: float, sign: str = "=") -> str:
    """Write a p-value behind its sign: that of equality, or of the bound of several; below the least, it is <.

    >>> p_related(0.0354), p_related(0.0354, "≤"), p_related(0.00001, "≤"), p_related(1.0, "≥")
    ('= 0.0354', '≤ 0.0354', '< 0.0001', '= 1.0000')
    """
    return f"< {_LEAST_P}" if p < _LEAST_P else f"{sign if p < 1 else '='} {p_text(p)}"


def difference_data(test: TestResult, p: float | None = None) -> dict[str, Any]:
    """Return a tested difference for JSON; p: the corrected one, if it is corrected for other comparisons."""
    p_values = {"p": test.p} if p is None else {"p_uncorrected": test.p, "p": p}
    low, high = test.interval or (None, None)
    return {"difference": test.mean, "low": low, "high": high, **p_values, "effect": test.effect}


def queries_text(needed: float) -> str:
    """Write a number of queries that a difference needs."""
    if math.isnan(needed):
        return ""
    return "∞" if math.isinf(needed) else f"{needed:,.0f}"


def difference_columns(name: str, form: str) -> list[Column]:
    """Columns of a difference: the interval, under its name, is one column for people, two for papers and programs."""
    if form == "table":
        return number_columns("", difference="diff.", interval=name, p="p", effect="d_z")
    ends = "difference", "low", "high"
    return number_columns("+.4f", *ends) + number_columns(".4g", "p") + number_columns("+.3f", effect="d_z")


def difference_cells(tested: TestResult | float | None, p: float, form: str) -> list[Any]:
    """Cells of a difference, tested or alone."""
    result, difference = (tested, tested.mean) if isinstance(tested, TestResult) else (None, tested)
    if form != "table":
        shown_p = p_text(p) if form in ("markdown", "latex") else p
        cells = [None] * 4 if result is None else [*(result.interval or (None, None)), shown_p, result.effect]
        return [difference, *cells]
    text = "" if difference is None else f"{difference:+.4f}"
    if result is None:
        return [text, "", "", ""]
    interval = "unbounded" if math.isinf(result.low) else f"{result.low:+.3f} {result.high:+.3f}"
    interval = interval if result.interval else "too few queries"
    return [text, interval, p_text(p), "" if math.isnan(result.effect) else f"{result.effect:+.2f}"]
