"""The ways to read the text of a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toysearch.base import checked, unknown

if TYPE_CHECKING:  # a query of words needs no tree
    from toysearch.query.syntax import Node

__all__ = ["MODES", "is_words", "mode_of", "tree_of"]

MODES = {
    "lenient": "read anything else as plain words",
    "strict": "refuse it",
    "plain": "no operators",
}
"""Their names, and what each does with what is not of the query language."""

SIGNS = re.compile(r"[^\w\s]|\b(?:AND|OR|NOT|TO)\b")
"""What may be of the query language; a text without any means the same in every mode."""


@checked
def mode_of(query_mode: str | None, query_id: str = "") -> str:
    """The way to read a query: the given one; else leniently, and a query with an id, a topic, plain.

    >>> mode_of(None), mode_of(None, "12"), mode_of("strict", "12")
    ('lenient', 'plain', 'strict')
    """
    return settled_mode(query_mode, query_id)


@checked
def is_words(text: str) -> bool:
    """Whether a text has no sign and no operator, so that it means the same in every mode."""
    return SIGNS.search(text) is None


def settled_mode(query_mode: str | None, query_id: str) -> str:
    """The same as `mode_of`, without a look at the types: a search has checked them."""
    if query_mode is not None and query_mode not in MODES:
        raise unknown("way to read a query", query_mode, MODES, "ways")
    return query_mode or ("plain" if query_id else "lenient")


@checked
def tree_of(text: str, query_mode: str) -> Node | None:
    """The tree of a query, whatever fields an index has; None if it is only words.

    >>> str(tree_of("cat -dog", "lenient")), tree_of("cat dog", "lenient")
    ('cat AND NOT dog', None)
    """
    if query_mode == "plain" or not SIGNS.search(text):
        return None
    from toysearch.query.parser import parse

    return parse(text, query_mode).tree
