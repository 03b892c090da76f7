"""The range of a model parameter: a number between bounds, one of several texts, any text, or none."""

from __future__ import annotations

import math
from typing import Any

from toysearch.base.errors import ArgumentError, unknown

Value = float | str | None
Range = tuple[Any, ...]
"""``(low, high)``, None for no bound; or the texts to choose from; or `TEXT`."""

ANY: Range = (None, None)
"""The range of any number."""

TEXT: Range = (str,)
"""The range of a parameter that takes any text; the `check` of the model decides which are valid."""


def in_range(label: str, value: Any, span: Range, default: Value) -> Value:
    """The value of a parameter as the function of the model takes it.

    >>> in_range("b of bm25", "0.4", (0, 1), 0.75), in_range("k3 of bm25", "none", (0, None), None)
    (0.4, None)
    """
    if span == TEXT:
        return str(value)
    if default is None and (value is None or (isinstance(value, str) and value.lower() == "none")):
        return None
    if _is_choice(span):
        if value not in span:
            raise unknown(f"value for {label}", str(value), span, "values")
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{label} must be a number, not '{value}'") from None
    low, high = span
    if not math.isfinite(number) or (low is not None and number < low) or (high is not None and number > high):
        raise ArgumentError(f"{label} must be {_span_text(low, high)}, not {value_text(value)}")
    return number


def range_text(span: Range, default: Value) -> str:
    """A range in words.

    >>> range_text((0, 1), 0.75), range_text((0, None), None), range_text(("raw", "log"), "raw")
    ('from 0 to 1', 'at least 0, or none', 'raw, log')
    """
    if span == TEXT:
        return "a text"
    if _is_choice(span):
        return ", ".join(span)
    return _span_text(*span) + (", or none" if default is None else "")


def value_text(value: Any) -> str:
    """The value of a parameter in the grammar.

    >>> value_text(2.0), value_text(0.4), value_text(None), value_text("log")
    ('2', '0.4', 'none', 'log')
    """
    if value is None:
        return "none"
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def _is_choice(span: Range) -> bool:
    """Whether a range is a choice of texts."""
    return bool(span) and all(isinstance(choice, str) for choice in span)


def _span_text(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "a finite number"
    if high is None:
        return f"at least {value_text(low)}"
    if low is None:
        return f"at most {value_text(high)}"
    return f"from {value_text(low)} to {value_text(high)}"
