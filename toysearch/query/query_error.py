"""A query that cannot be read: what is wrong, the query, and a caret under the place."""

from __future__ import annotations

from toysearch.base import ArgumentError
from toysearch.base.wording import BLANKS, display_width, encodable

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
        line, caret = around(query, place)
        super().__init__(f"{problem}:", (line, caret))

    def __reduce__(self) -> tuple[type[QueryError], tuple[str, str, int]]:
        return QueryError, (self.problem, self.query, self.place)


def around(text: str, place: int, width: int = _WIDTH) -> tuple[str, str]:
    """The part of a text around a place in one line of limited width, and a line with a caret under the place.

    >>> around("日本 cat^^2", 7)
    ('日本 cat^^2', '         ^')
    """
    # A cell of the terminal holds one character at least, so nothing beyond the width matters. A long run of combining
    # marks is cut too.
    sides = text[max(0, place - width) : place], text[place : place + width]
    parts = [encodable(side)[0].translate(BLANKS) for side in sides]
    before, after = ("".join(" " if sign.isspace() else sign for sign in part) for part in parts)
    first, last = place > width, place + width < len(text)
    while display_width(before) > width // 2 and display_width(before) + display_width(after) > width:
        before, first = before[1:], True
    while display_width(before) + display_width(after) > width:
        after, last = after[:-1], True
    before = before.lstrip() if first else before
    before = f"{_ELLIPSIS} {before}" if first else before
    return f"{before}{after}{' ' + _ELLIPSIS if last else ''}", " " * display_width(before) + "^"
