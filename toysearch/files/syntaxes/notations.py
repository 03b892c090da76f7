"""Notations of tables that are rewritten before they are read: drawn with rules, printed by Python or R, below a title.

Each is a table or JSON in other signs. Lines keep their numbers where the notation has one row per line.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from toysearch.files.bare_rows import looks_like_header
from toysearch.files.claims import MARKUP, named_like_text
from toysearch.files.columns import parts_of, places_of
from toysearch.files.source import Source, numbered_lines
from toysearch.files.syntaxes.delimited import cells_of, header_of, is_of_trec, n_of_title, separator_of
from toysearch.files.syntaxes.trec import is_comment
from toysearch.files.unpacking import table_name

_RULE = re.compile(r"\s*[|+]?\s*:?-+:?(?:\s*[|+]\s*:?-+:?)+\s*[|+]?\s*")
"""Rule of a table of Markdown, psql or MySQL."""
_ITEM = re.compile(r"(?:[-*+]\s+|(?=\d+[.)]\s))(\S.*)")
"""Item of a list of Markdown."""
_COUNT = re.compile(r"\(?\d+ rows?\b.*")  # below a table of SQL
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?:[ \t]+"(?:[^"\\]|\\.)*")+')
_CELL = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_LITERAL = re.compile(r"\s*(?:[\[{]\s*)*(?:\(|'|\[\s*\[|\{\s*\d+\s*:)")  # no beginning of JSON, or of arrays in it
_OF_ARRAYS = re.compile(r"\s*\[\s*\[")
_PAIR = {"query_id", "doc_id"}
_OF_ROWS = (["run"], ["qrels"])
_EXPORT = re.compile(
    r"\A\s*(?:(?:%.*\n\s*)*@\w+\s*\{|(?:\d+\.\s+)?(?:TY|PMID) *- |BEGIN:V|WEBVTT|\d+\s*\n\d[\d:.,]+ -->"
    r"|(?:[^\W\d_]+[ \t]+)?\d+"
    r'[ \t\r]*\n|\{\s*"(?:index|create)"\s*:\s*\{)|^(?:COPY|[ \t]*INSERT\s(?:IGNORE\s)?INTO)\s',
    re.IGNORECASE | re.MULTILINE,
)
"""Sign of an export, or of texts in blocks: a number on the first line."""
_OF_NUMPY = re.compile(r"\bnp\.\w+\(([^()]*)\)")


def rewritten(source: Source, roles: Sequence[str] = ()) -> Source:
    """Return the source with a table of another notation as CSV or JSON; as it is if there is none.

    roles : those it may have; a set of Python, which has no order, stands for a list of judgments alone
    """
    lines = source.first_lines
    text: str | None = None
    if not lines:
        return source
    if _LITERAL.match(lines[0]) or _OF_ARRAYS.match("".join(lines[:2])):
        text = _of_literals(source, [*roles] == ["qrels"])
    elif n_lines := _n_of_rule(source, lines, roles):
        text = _csv(_drawn_rows(source, n_lines))
    elif _QUOTED.fullmatch(lines[0].strip()) and places_of(_quoted_cells(lines[0])).keys() >= _PAIR:
        text = _csv(_rows_of_r(source))
    elif (n_lines := _n_above_header(source, roles, source.text.split("\n")[: len(lines)])) >= 0:
        kept = (line.lstrip("# ") if number == n_lines + 1 else line for number, line in numbered_lines(source))
        text = "\n".join([*[""] * n_lines, *[*kept][n_lines:], ""])
    elif named_like_text(source.path, MARKUP):
        text = _listed(source) if [*roles] == ["queries"] else None
    elif _EXPORT.search(source.text) or ([*roles] in _OF_ROWS and lines[0].startswith("<")):
        from toysearch.files.syntaxes.exports import objects_in  # few files are

        text = objects_in(source, roles)
    if text is None:
        return source
    return Source(source.path, source.reading, data=text.encode(), beside=source.beside, sheet=source.sheet)


def _n_above_header(source: Source, roles: Sequence[str], lines: Sequence[str]) -> int:
    """Return how many lines stand above the header of a table: a title, or comments; -1 if it has none."""
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


def _csv(rows: Iterator[Sequence[object]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _listed(source: Source) -> str | None:
    """Return the items of a list of Markdown, with their numbers, as lines; None beside more than headings."""
    lines = [line for _, line in numbered_lines(source)]
    items = [_ITEM.fullmatch(line) for line in lines]
    others = [line for line, item in zip(lines, items, strict=True) if not item and line.strip()]
    are_headings = all(line.startswith("#") for line in others)
    if not any(items) or not are_headings:
        return None
    return "".join(f"{item[1] if item else ''}\n" for item in items)


def _n_of_rule(source: Source, lines: Sequence[str], roles: Sequence[str]) -> int:
    """Return the place of the rule below the header, 1 or 2; 0 if the file does not begin with a drawn table."""
    place = next((place for place in (1, 2) if place < len(lines) and _RULE.fullmatch(lines[place])), 0)
    if not place or (place == 2 and not _RULE.fullmatch(lines[0])):
        return 0
    labels = _drawn_cells(lines[place - 1], lines[place])
    n_columns = len(re.findall("-+", lines[place]))
    is_text = named_like_text(source.path, MARKUP) and len(roles) != 1 and not places_of(labels).keys() >= _PAIR
    return place if len(labels) == n_columns and not is_text else 0


def _drawn_cells(line: str, rule: str) -> list[str]:
    """Return the cells of a line of a drawn table, which has marks around it if its rule has."""
    line = line.strip()
    if rule.lstrip()[:1] in ("|", "+"):
        line = line.removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in line.split("|")]


def _drawn_rows(source: Source, place: int) -> Iterator[list[str]]:
    """Yield the cells of a drawn table, and none for its rules and the number of its rows."""
    rule = source.first_lines[place]
    for _, line in numbered_lines(source):
        is_row = not _RULE.fullmatch(line) and not _COUNT.fullmatch(line.strip())
        yield _drawn_cells(line, rule) if is_row else []


def _quoted_cells(line: str) -> list[str]:
    return [text or word for text, word in _CELL.findall(line)]


def _rows_of_r(source: Source) -> Iterator[list[str]]:
    """Yield the cells of quoted rows with blanks between, and an empty one above the names of rows."""
    rows = [_quoted_cells(line) for _, line in numbered_lines(source)]
    if len(rows) > 1 and len(rows[1]) == len(rows[0]) + 1:
        rows[0].insert(0, "")
    yield from rows


def _of_literals(source: Source, sets: bool) -> str | None:
    """Return literals of Python as JSON, and lists of equally many values as CSV; None if they are neither."""
    lines = [line for _, line in numbered_lines(source)]
    try:
        value = _literal("\n".join(lines))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        try:
            value = tuple(map(_literal, filter(str.strip, lines)))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    items = value if isinstance(value, list | tuple) else ()
    are_rows = all(isinstance(item, list | tuple) and all(map(_is_cell, item)) for item in items)
    if are_rows and len({*map(len, items)}) == 1 < len(items[0]):
        return _csv(iter(items))
    try:
        of_lines = isinstance(value, tuple) and all(isinstance(item, dict) for item in value)
        written = partial(json.dumps, ensure_ascii=False, default=sorted if sets else None)
        return "\n".join(map(written, items if of_lines else [value]))
    except (TypeError, ValueError):
        return None


def _literal(text: str) -> Any:
    if _OF_ARRAYS.match(text):
        return json.loads(text)
    return ast.literal_eval(_OF_NUMPY.sub(r"\1", text).strip())


def _is_cell(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
