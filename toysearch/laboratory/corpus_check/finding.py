"""What a check of a collection can say: how bad it is, what it is, what shows it, and what helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ERROR, WARNING, INFO = LEVELS = ("error", "warning", "info")
"""``error``: figures will be wrong. ``warning``: look at it. ``info``: known, cured already, or harmless."""

MOST_ROWS = 10
"""So many rows of evidence are kept; the sentence has the whole number."""


class Finding(NamedTuple):
    """Something that a check found."""

    level: str  # one of `LEVELS`
    what: str  # what was found, with its numbers, in a sentence
    evidence: Sequence[Mapping[str, Any]] = ()  # a few rows that show it, all with the same keys
    cure: str = ""  # what helps, in a sentence or two
    # what a collection.toml would say to cure it: key → text, or list of texts, and ``gains``: code → gain
    settings: Mapping[str, Any] = {}
    check: str = ""  # the name of the check that found it


def some(names: Sequence[str], most: int = 5) -> str:
    """The first few of many names.

    >>> some(["a", "b", "c"], 2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
