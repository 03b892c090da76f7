"""The ways to read the text of a query."""

from __future__ import annotations

__all__ = ["MODES"]

MODES = {
    "lenient": "what is not of the query language is text",
    "strict": "it is refused",
    "plain": "all is text",
}
"""Their names, and what each means."""
