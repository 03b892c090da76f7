"""Modes of reading the text of a query."""

from __future__ import annotations

import re

from toysearch.base import expect, unknown

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
    if query_mode is None:
        return "plain" if query_id else "lenient"
    expect(str, query_mode=query_mode)
    if query_mode not in MODES:
        raise unknown("way to read a query", query_mode, MODES, "ways")
    return query_mode


def is_words(text: str, mode: str = "") -> bool:
    """True if a text is read as words alone: in the mode plain, or because it has no sign and no operator."""
    expect(str, text=text)
    return mode == "plain" or SIGNS.search(text) is None
