"""Files that are rewritten before they are read: exports, and tables below a title or comments."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.files.bare_rows import looks_like_header
from toysearch.files.columns import parts_of
from toysearch.files.source import Source, numbered_lines
from toysearch.files.syntaxes.delimited import cells_of, header_of, is_of_trec, n_of_title, separator_of
from toysearch.files.syntaxes.exports import objects_in
from toysearch.files.syntaxes.trec import is_comment
from toysearch.files.unpacking import table_name

_OF_ROWS = (["run"], ["qrels"])


def rewritten(source: Source, roles: Sequence[str] = ()) -> Source:
    """Return the source with the records of an export as JSON, or without what stands above its header; else as it is.

    roles : those it may have
    """
    if not source.first_lines:
        return source
    text = objects_in(source)
    n_lines = -1 if text else _n_above_header(source, roles)
    if n_lines >= 0:
        kept = [line.lstrip("# ") if number == n_lines + 1 else line for number, line in numbered_lines(source)]
        text = "\n".join([*[""] * n_lines, *kept[n_lines:], ""])
    if text is None:
        return source
    return Source(source.path, source.reading, data=text.encode(), beside=source.beside, sheet=source.sheet)


def _n_above_header(source: Source, roles: Sequence[str]) -> int:
    """Return how many lines stand above the header of a table: a title, or comments; -1 if it has none."""
    lines = source.text.split("\n")[: len(source.first_lines)]
    if (n_lines := n_of_title(lines)) and header_of(lines[n_lines]):
        return n_lines
    n_lines = next((at for at, line in enumerate(lines) if line.strip() and not is_comment(line)), 0)
    comments, header = lines[:n_lines], lines[n_lines]
    if not any(map(is_comment, comments)):
        return -1
    if header_of(comments[-1].lstrip("# ")):
        return n_lines if is_of_trec(header) else n_lines - 1
    between = separator_of([header])
    labels, *above = (cells_of(line, between) for line in (header, *comments))
    is_header = header_of(header) or len(parts_of(labels)) > 1
    if [*roles] in _OF_ROWS or table_name(source.path.lower()).endswith((".csv", ".tsv")):
        is_header = is_header or (looks_like_header(labels, between) and max(map(len, above)) < len(labels))
    elif between == "\t":  # perhaps without a header
        is_header = is_header or len({line.count("\t") for line in lines[n_lines:] if line.strip()}) == 1
    return n_lines if is_header else -1
