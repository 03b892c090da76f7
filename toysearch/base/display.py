"""Displays of a result: the text of its command, a table in a notebook, a data frame.

Classes take these functions as methods; `toysearch.laboratory.results`, which is above them, is loaded on demand.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def text(self: Any) -> str:
    """The text that the command prints."""
    return _reports("as_text").as_text(self)  # type: ignore[no-any-return]


def latex(self: Any) -> str:
    """A table for a paper."""
    return _reports("as_text").as_text(self, "latex")  # type: ignore[no-any-return]


def html(self: Any) -> str:
    """The table that a notebook shows."""
    return _reports("notebook_display").as_html(self)  # type: ignore[no-any-return]


def frame(self: Any, library: str | None = None) -> Any:
    """The rows as a data frame of ``library``: "pandas" or "polars", by default pandas if it is installed."""
    return _reports("notebook_display").as_frame(self, library)


def summary(self: Any) -> str:
    """The kind of a result and the first line of its text, for a console."""
    return f"<{type(self).__name__}: {text(self).strip().partition(chr(10))[0]}>"


def brief(self: Any) -> str:
    """The kind of some records and their number."""
    return f"<{type(self).__name__}: {len(self)}>"


def _reports(name: str) -> Any:
    return import_module(f"toysearch.laboratory.results.{name}")


def plain(value: Any) -> Any:
    """Records as dicts, tuples as lists and NumPy numbers as Python numbers, at every level."""
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value
