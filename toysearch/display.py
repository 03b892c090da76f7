"""How a result shows itself: as the text of its command, as a table in a notebook, as a data frame.

Classes take these functions as methods. What they show is made in `toysearch.laboratory.reports`, loaded on demand.
"""

from __future__ import annotations

from typing import Any

import toysearch


def text(self: Any) -> str:
    """What the command prints of it."""
    return toysearch.as_text(self)


def html(self: Any) -> str:
    """What a notebook shows of it."""
    return toysearch.as_html(self)


def frame(self: Any) -> Any:
    """Its rows as a data frame, of pandas or else of polars."""
    return toysearch.as_frame(self)


def plain(value: Any) -> Any:
    """Its records as dicts, its tuples as lists, numbers of numpy as Python's, all the way down."""
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value
