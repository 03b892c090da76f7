"""The columns of a difference that was tested: how large it is, within what, and whether it is more than chance."""

from __future__ import annotations

import math
from typing import Any

from toysearch.experiments.significance import TestResult
from toysearch.reports.compared import p_text
from toysearch.reports.tables import Column


def difference_columns(alpha: float, form: str) -> list[Column]:
    """The columns: for people the interval in one, for papers and programs its ends in two.

    Parameters
    ----------
    alpha : float
        One less the level of the interval.
    form : str
        The form of the table.
    """
    if form == "table":
        headers = {"difference": "diff.", "interval": f"{100 * (1 - alpha):.4g} % int.", "p": "p", "effect": "d_z"}
        return [Column(name, header, "right") for name, header in headers.items()]
    formats = {"difference": "+.4f", "low": "+.4f", "high": "+.4f", "p": ".4g"}
    numbers = [Column(name, "", "right", number) for name, number in formats.items()]
    return [*numbers, Column("effect", "d_z", "right", "+.3f")]


def difference_cells(difference: float | None, result: TestResult | None, p: float, form: str) -> list[Any]:
    """The cells of a difference; of one that was not tested the difference alone.

    Parameters
    ----------
    difference : float or None
        The difference; None where there is none.
    result : TestResult or None
        What a test said of it.
    p : float
        Its p, corrected or not.
    form : str
        The form of the table.

    Examples
    --------
    >>> result = TestResult("t", 5, 0.1, -0.01, 0.21, 0.0705, 0.9)
    >>> difference_cells(0.1, result, 0.141, "table"), difference_cells(0.1, None, 1.0, "table")
    (['+0.1000', '-0.010 +0.210', '0.1410', '+0.90'], ['+0.1000', '', '', ''])
    """
    if form != "table":
        shown_p = p_text(p) if form in ("markdown", "latex") else p
        return [difference, *([None] * 4 if result is None else [result.low, result.high, shown_p, result.effect])]
    shown = "" if difference is None else f"{difference:+.4f}"
    if result is None:
        return [shown, "", "", ""]
    interval = "unbounded" if math.isinf(result.low) else f"{result.low:+.3f} {result.high:+.3f}"
    return [shown, interval, p_text(p), "" if math.isnan(result.effect) else f"{result.effect:+.2f}"]
