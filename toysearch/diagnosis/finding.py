"""What a check of a collection can say: how bad it is, what it is, what shows it, and what helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ERROR, WARNING, INFO = LEVELS = ("error", "warning", "info")
"""``error``: figures will be wrong. ``warning``: look at it. ``info``: known, cured already, or harmless."""

MOST_ROWS = 10
"""So many rows of evidence are kept; the sentence has the whole number."""


class Finding(NamedTuple):
    """Something that a check found.

    Attributes
    ----------
    level : str
        One of `LEVELS`.
    what : str
        What was found, with its numbers, in a sentence.
    evidence : sequence of dict
        A few rows that show it, all with the same keys.
    cure : str
        What helps, in a sentence or two.
    settings : mapping of str to object
        What a collection.toml would say to cure it: key → text, or list of texts, and ``gains``: code → gain.
    check : str
        The name of the check that found it.
    """

    level: str
    what: str
    evidence: Sequence[Mapping[str, Any]] = ()
    cure: str = ""
    settings: Mapping[str, Any] = {}
    check: str = ""


def some(names: Sequence[str], most: int = 5) -> str:
    """The first few of many names.

    Parameters
    ----------
    names : sequence of str
        The names.
    most : int
        How many to show.

    Examples
    --------
    >>> some(["a", "b", "c"], 2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
