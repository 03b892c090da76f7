"""A query that cannot be read: what is wrong, the query, and a caret under the place."""

from __future__ import annotations

import unicodedata

from toysearch.errors import ArgumentError
from toysearch.wording import BLANKS, encodable

__all__ = ["QueryError"]

_WIDTH = 70  # columns of the query that are shown
_ELLIPSIS = "…"


class QueryError(ArgumentError):
    """A query is not of the query language, or too long; `place` is the number of its character where that shows.

    Examples
    --------
    >>> print(QueryError("')' has no partner", "cat) dog", 3))
    ')' has no partner:
      cat) dog
         ^
    """

    def __init__(self, problem: str, query: str, place: int) -> None:
        self.problem, self.query, self.place = problem, query, place
        shown, caret = around(query, place)
        super().__init__(f"{problem}:", (shown, caret))

    def __reduce__(self) -> tuple[type[QueryError], tuple[str, str, int]]:
        return QueryError, (self.problem, self.query, self.place)


def around(text: str, place: int, width: int = _WIDTH) -> tuple[str, str]:
    """The part of a text around a place in one line of limited width, and a line with a caret under the place.

    >>> around("日本 cat^^2", 7)
    ('日本 cat^^2', '         ^')
    """
    # A cell of the terminal holds one character at least, so nothing beyond the width matters. A long run of combining
    # marks is cut too.
    before, after = (_plain(part) for part in (text[max(0, place - width) : place], text[place : place + width]))
    first, last = place > width, place + width < len(text)
    while columns(before) > width // 2 and columns(before) + columns(after) > width:
        before, first = before[1:], True
    while columns(before) + columns(after) > width:
        after, last = after[:-1], True
    before = before.lstrip() if first else before
    before = f"{_ELLIPSIS} {before}" if first else before
    return f"{before}{after}{' ' + _ELLIPSIS if last else ''}", " " * columns(before) + "^"


def columns(text: str) -> int:
    """The columns of a terminal that a text takes: none for a combining mark, two for a wide character."""
    return sum(map(_columns_of, text))


def _columns_of(sign: str) -> int:
    if " " <= sign <= "~":
        return 1
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def _plain(text: str) -> str:
    """A text in which each blank or control character is one blank."""
    return "".join(" " if sign.isspace() else sign for sign in encodable(text)[0].translate(BLANKS))
