"""The columns of a difference that was tested: how large it is, within what, and whether it is more than chance."""

from __future__ import annotations

import math
from typing import Any

from toysearch.laboratory.experiments.stats.significance import TestResult
from toysearch.laboratory.reports.comparison_text import p_text
from toysearch.laboratory.reports.tables import Column


def difference_columns(alpha: float, form: str) -> list[Column]:
    """The columns: for people the interval in one, for papers and programs its ends in two."""
    if form == "table":
        headers = {"difference": "diff.", "interval": f"{100 * (1 - alpha):.4g} % int.", "p": "p", "effect": "d_z"}
        return [Column(name, header, "right") for name, header in headers.items()]
    formats = {"difference": "+.4f", "low": "+.4f", "high": "+.4f", "p": ".4g"}
    numbers = [Column(name, "", "right", number) for name, number in formats.items()]
    return [*numbers, Column("effect", "d_z", "right", "+.3f")]


def difference_cells(difference: float | None, result: TestResult | None, p: float, form: str) -> list[Any]:
    """The cells of a difference; of one that was not tested the difference alone."""
    if form != "table":
        shown_p = p_text(p) if form in ("markdown", "latex") else p
        return [difference, *([None] * 4 if result is None else [result.low, result.high, shown_p, result.effect])]
    shown = "" if difference is None else f"{difference:+.4f}"
    if result is None:
        return [shown, "", "", ""]
    interval = "unbounded" if math.isinf(result.low) else f"{result.low:+.3f} {result.high:+.3f}"
    return [shown, interval, p_text(p), "" if math.isnan(result.effect) else f"{result.effect:+.2f}"]
