"""A difference between two systems in a table: with its interval, p and effect."""

from __future__ import annotations

import math
from typing import Any

from toysearch.base.result_tables import Column
from toysearch.laboratory.experiments.stats.significance import TestResult

_LEAST_P = 0.0001  # smaller p-values are shown as below this bound


def p_text(p: float) -> str:
    """A p-value in at most seven characters."""
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.4f}"


def queries_text(needed: float) -> str:
    """A number of queries that a difference needs."""
    if math.isnan(needed):
        return ""
    return "∞" if math.isinf(needed) else f"{needed:,.0f}"


def difference_columns(alpha: float, form: str) -> list[Column]:
    """The columns of a difference: the interval is one column for people, two for papers and programs."""
    if form == "table":
        headers = {"difference": "diff.", "interval": f"{100 * (1 - alpha):.4g} % int.", "p": "p", "effect": "d_z"}
        return [Column(name, header, "right") for name, header in headers.items()]
    formats = {"difference": "+.4f", "low": "+.4f", "high": "+.4f", "p": ".4g"}
    numbers = [Column(name, "", "right", number) for name, number in formats.items()]
    return [*numbers, Column("effect", "d_z", "right", "+.3f")]


def difference_cells(difference: float | None, result: TestResult | None, p: float, form: str) -> list[Any]:
    """The cells of a difference; without a test, the difference alone."""
    if form != "table":
        shown_p = p_text(p) if form in ("markdown", "latex") else p
        return [difference, *([None] * 4 if result is None else [result.low, result.high, shown_p, result.effect])]
    text = "" if difference is None else f"{difference:+.4f}"
    if result is None:
        return [text, "", "", ""]
    interval = "unbounded" if math.isinf(result.low) else f"{result.low:+.3f} {result.high:+.3f}"
    return [text, interval, p_text(p), "" if math.isnan(result.effect) else f"{result.effect:+.2f}"]
