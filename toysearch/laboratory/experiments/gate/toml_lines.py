"""Where things stand in a TOML file: the parser gives values, and a message about one should name its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_HEADER = re.compile(r"\s*\[\[?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = r"\s*[\"']?{}[\"']?\s*="


class Table(NamedTuple):
    """A table of a TOML file: its name as its header has it, and the numbers of its lines, from 1."""

    name: str
    first: int
    last: int


class Lines:
    """The lines of a TOML file, and which table each belongs to.

    What a header looks like inside a text of several lines is taken for one; a line is only ever wrong by that.

    >>> lines = Lines(["k = 5", "[systems.mine]", "modl = 'bm25'", "[[expect]]", "measure = 'AP'", "[[expect]]"])
    >>> [table.first for table in lines.tables("expect")], lines.of_key("modl", lines.tables("systems.mine")[0])
    ([4, 6], 3)
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        headers = [(number, match) for number, line in enumerate(lines, 1) if (match := _HEADER.fullmatch(line))]
        starts = [(1, ""), *((number, _plain(match["name"])) for number, match in headers)]
        ends = [number - 1 for number, _ in starts[1:]] + [len(lines)]
        self._tables = [Table(name, first, last) for (first, name), last in zip(starts, ends, strict=True)]

    @property
    def top(self) -> Table:
        """What stands above the first header."""
        return self._tables[0]

    def tables(self, name: str) -> list[Table]:
        """The tables of a name, in their order."""
        return [table for table in self._tables[1:] if table.name == _plain(name)]

    def of_key(self, key: str, table: Table) -> int:
        """The line on which a key of a table is set; the table's first where it is not found."""
        pattern = re.compile(_KEY.format(re.escape(key)))
        for number in range(table.first, table.last + 1):
            if self._lines and pattern.match(self._lines[number - 1]):
                return number
        return max(table.first, 1)


def _plain(name: str) -> str:
    """A name without the quotation marks and the blanks that a header may have."""
    return re.sub(r"[\s\"']", "", name)
