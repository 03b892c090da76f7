"""Lists of ids behind their query and a colon on each line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toysearch.files.source import Line, Source, numbered_lines
from toysearch.files.syntaxes.trec import data_lines, is_comment
from toysearch.files.table import KEY, VALUE, Row, Table

_LABELLED = re.compile(r"\s*(?:[^\W\d_]+\s+)?(?P<query>\S+?)\s*(?::|=>|->)(?:\s+(?P<listed>.*?))?\s*")
"""Query, perhaps behind a word for it, and what it lists: ``Query 1: d3, d7``."""
_LABELS = (KEY, VALUE)


def labelled(source: Source) -> Table | None:
    """Return the lists of a file whose lines all have the form of one, with each list as a text."""
    lines = data_lines(source)
    matches = [_LABELLED.fullmatch(line) for line in lines]
    if not lines or not all(match and match["listed"] for match in matches):
        return None
    head = [*_labelled_rows(enumerate(lines, 1))]
    return Table(source, _LABELS, head, lambda: _labelled_rows(numbered_lines(source)), "rows")


def _labelled_rows(lines: Iterable[Line]) -> Iterator[Row]:
    for number, line in lines:
        match = _LABELLED.fullmatch(line)
        if match:
            yield Row(number, {KEY: match["query"], VALUE: match["listed"] or ""})
        elif line.strip() and not is_comment(line):
            yield Row(number, {}, f"expected a query, a colon and ids, found '{line.strip()[:60]}'")
