"""Modes of reading the text of a query."""

from __future__ import annotations

import re

from toysearch.base import expect, unknown

__all__ = ["MODES", "is_words", "mode_of"]

MODES = {
    "lenient": "read anything else as plain words",
    "strict": "refuse it",
    "plain": "no operators",
}
"""Names of the modes, and their treatment of parts outside the query language."""

SIGNS = re.compile(r"[^\w\s]|\b(?:AND|OR|NOT|TO|ANDNOT|REQUIRE|ANDMAYBE)\b")
"""Possible signs of the query language; a text without any means the same in every mode."""


def mode_of(query_mode: str | None, query_id: str = "") -> str:
    """Return the given mode; else lenient, or plain for a query with an id, a topic.

    >>> mode_of(None), mode_of(None, "12"), mode_of("strict", "12")
    ('lenient', 'plain', 'strict')
    """
    if query_mode is not None:
        expect(str, query_mode=query_mode)
    return settled_mode(query_mode, query_id)


def is_words(text: str) -> bool:
    """True if a text has no sign and no operator, so that it means the same in every mode."""
    expect(str, text=text)
    return SIGNS.search(text) is None


def settled_mode(query_mode: str | None, query_id: str) -> str:
    """Return the mode as `mode_of` does, without a look at the types: a search has checked them."""
    if query_mode is not None and query_mode not in MODES:
        raise unknown("way to read a query", query_mode, MODES, "ways")
    return query_mode or ("plain" if query_id else "lenient")
