"""Lists of ids: behind their query and a colon on each line, or in blocks with a mark at their end (LISA, NPL)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from toysearch.files.numbers import has_digit
from toysearch.files.source import Line, Source, numbered_lines
from toysearch.files.syntaxes.trec import LOOKED_AT, data_lines, is_comment
from toysearch.files.table import KEY, VALUE, Row, Table

_LABELLED = re.compile(r"\s*(?:[^\W\d_]+\s+)?(?P<query>\S+?)\s*(?::|=>|->)(?:\s+(?P<listed>.*?))?\s*")
"""Query, perhaps behind a word for it, and what it lists: ``Query 1: d3, d7``."""
_HEAD = re.compile(r"\s*(?:[^\W\d_]+\s+)?(\S+)\s*")
_END = re.compile(r"-1|[^\w\s,;|]+")  # an empty row of a table is none
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


def in_blocks(source: Source) -> Table | None:
    """Return the lists of a file of blocks: a line with a query, ids, and a mark that ends each block."""
    end, head = _blocks_in(source)
    if not head or not _are_ids(head):
        return None
    return Table(source, _LABELS, head[:LOOKED_AT], lambda: _block_rows(numbered_lines(source), end), "rows")


def texts_in_blocks(source: Source) -> Iterator[Row]:
    """Yield the texts of a file of blocks: a line with an id, words, and a mark that ends each block."""
    end, head = _blocks_in(source)
    has_ids = len(head) > 1 and all(has_digit(row.cells[KEY]) for row in head)
    if has_ids and not _are_ids(head):
        yield from _block_rows(numbered_lines(source), end, is_text=True)


def _are_ids(head: Iterable[Row]) -> bool:
    return all(has_digit(one) for row in head for one in row.cells.get(VALUE, ()))


def _blocks_in(source: Source) -> tuple[str, list[Row]]:
    """Return the mark at the end of the blocks of a file, and the first of them; none for another file."""
    lines = [line.split() for line in source.lines]
    if not lines or len(lines[0]) > 2 or not _HEAD.fullmatch(source.lines[0]):
        return "", []
    ends = Counter(words[-1] for words in lines[1:] if _END.fullmatch(words[-1]))
    end = ends.most_common(1)[0][0] if ends else ""
    head = [*_block_rows(enumerate(source.lines, 1), end)] if end else []
    head = head[:-1] if head and head[-1].problem and not source.whole else head  # cut
    distinct = {row.cells.get(KEY) for row in head if row.cells.get(VALUE)}
    return (end, head) if len(distinct) == len(head) else ("", [])


def _block_rows(lines: Iterable[Line], end: str, *, is_text: bool = False) -> Iterator[Row]:
    """Yield a row for each block; a line of ids that ends with a colon is a caption."""
    first, query, listed = 0, "", list[str]()
    for number, line in lines:
        words = line.split()
        if not words:
            continue
        if not first:
            head = _HEAD.fullmatch(line)
            if head is None or head[1] == end:
                yield Row(
                    number, {}, f"expected the query of a block that ends with {end}, found '{line.strip()[:60]}'"
                )
                continue
            first, query = number, head[1]
            continue
        if is_text or not words[-1].endswith(":"):
            listed += words
        if words[-1] == end:
            yield Row(first, {KEY: query, VALUE: listed[:-1]})
            first, listed = 0, []
    if first:
        yield Row(first, {}, f"expected {end} behind the ids of query '{query}', found the end of the file")
