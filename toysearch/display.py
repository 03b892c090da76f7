"""How a result shows itself: as the text of its command, as a table in a notebook, as a data frame.

Classes take these functions as methods; `toysearch.laboratory.reports`, which is above them, is loaded on demand.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def text(self: Any) -> str:
    """What the command prints of it."""
    return _reports("as_text").as_text(self)  # type: ignore[no-any-return]


def latex(self: Any) -> str:
    """A table for a paper."""
    return _reports("as_text").as_text(self, "latex")  # type: ignore[no-any-return]


def html(self: Any) -> str:
    """What a notebook shows of it."""
    return _reports("notebook_display").as_html(self)  # type: ignore[no-any-return]


def frame(self: Any) -> Any:
    """Its rows as a data frame, of pandas or else of polars."""
    return _reports("notebook_display").as_frame(self)


def _reports(name: str) -> Any:
    return import_module(f"toysearch.laboratory.reports.{name}")


def plain(value: Any) -> Any:
    """Its records as dicts, its tuples as lists, numbers of numpy as Python's, all the way down."""
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value
