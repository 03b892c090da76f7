"""LETOR: lines of a grade, a query, features and, behind a hash, the document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toysearch.files.source import Line, Source, numbered_lines
from toysearch.files.syntaxes.trec import data_lines, is_comment
from toysearch.files.table import Row, Table

_LINE = re.compile(r"\s*(?P<grade>[-+.\w]+)\s+qid:(?P<query>\S+)(?:\s+\d+:\S+)*\s*(?:#(?P<comment>.*))?")
_NAMED = re.compile(r"\bdoc_?id\s*=\s*(\S+)", re.IGNORECASE)
_LABELS = ("query_id", "doc_id", "relevance")


def table_of(source: Source) -> Table | None:
    """Return the judgments of a file, if most of its first lines have the form."""
    lines = data_lines(source)
    if "qid:" not in source.text or 2 * sum(_LINE.fullmatch(line) is not None for line in lines) <= len(lines):
        return None
    head = [*_rows(enumerate(lines, 1))]
    return Table(source, _LABELS, head, lambda: _rows(numbered_lines(source)), "rows")


def _rows(lines: Iterable[Line]) -> Iterator[Row]:
    for number, line in lines:
        if not line.strip() or is_comment(line):
            continue
        match = _LINE.fullmatch(line)
        comment = (match["comment"] or "").strip() if match else ""
        in_comment = _NAMED.search(comment)
        if match is None:
            yield Row(number, {}, f"expected a grade, qid:ID and features, found '{line.strip()[:60]}'")
        elif not comment:
            yield Row(number, {}, "expected the id of the document after #, found none; add it to each line")
        else:
            doc_id = in_comment[1] if in_comment else comment.split()[0]
            yield Row(number, dict(zip(_LABELS, (match["query"], doc_id, match["grade"]), strict=True)))
