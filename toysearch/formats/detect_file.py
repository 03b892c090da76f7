"""One file of a user's folder: which part of a collection it looks like, and in which format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from toysearch.formats.column_names import PARTS, holds_text
from toysearch.formats.peek import DAMAGE, beginning
from toysearch.formats.table_columns import header_of, plain_label
from toysearch.formats.text_files import finite_number, open_bytes

_LONGEST = 1 << 20  # bytes of a first object
_LINES = 20
_TEXTS = (".txt", ".text", ".rst")
_MARKUP = (".md", ".markdown", ".html", ".htm", ".xhtml")
_NO_TEXT = re.compile(r"(readme|licen[cs]e|copying|changelog|notice)\b", re.IGNORECASE)
_QUERY_NAME = re.compile(r"quer|topic|question|\.(?:qry|que)(?:\.|$)", re.IGNORECASE)
_QUERY_IDS = ("query_id", "queryid", "qid", "topic_id")
_PLAIN_TOPIC = re.compile(r"[^\s:]+[ ]?[:\t][ \t]*\S")


class Look(NamedTuple):
    """What a file looks like."""

    role: str  # ``documents``, ``queries``, ``qrels``, ``run``, or "" for nothing that is known
    # one of `FORMATS`: ``folder`` for a text of its own, ``trec`` for columns without a header; "" where the reader of
    # the part tells
    format: str = ""
    # whether a table that has no column for a long text has one of small numbers, as a sheet of ratings has
    graded: bool = False


NOTHING = Look("")
NAMELESS: Mapping[str, Mapping[str, str]] = MappingProxyType({})
"""No column is named by the user."""


def look_at(path: Path, name: str, columns: Mapping[str, Mapping[str, str]] = NAMELESS) -> Look:
    """What a file looks like, by its beginning, and where that leaves it open by its name."""
    head = head_of(path)
    if not head:
        return NOTHING
    asks = "queries" if _QUERY_NAME.search(name) else "documents"
    if head.startswith((b"{", b"[")) and (look := _look_at_json(path, name, asks, columns)):
        return look
    if _is_smart(head):
        return Look(asks, "smart")
    return _look_at_markup(head, name) or _look_at_lines(head, name, asks, columns)


def head_of(path: Path) -> bytes:
    """The first bytes of a file, without blanks in front; none where it cannot be unpacked."""
    return beginning(path).lstrip()


def _is_smart(head: bytes) -> bool:
    # One copy of CISI has a stray marker line in front of the first record.
    lines = (line for line in head.split(b"\n") if not (line[:1] == b"." and len(line.strip()) == 2))
    return next(lines, b"").startswith((b".I ", b".I\t"))


def _look_at_json(path: Path, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]) -> Look | None:
    """The look of JSON: an object a line, or judgments or a run in one object; None for a text with a bracket first."""
    from toysearch.formats.detect_run_or_qrels import form_of
    from toysearch.formats.jsonl import reached

    form, item = form_of(path, columns.get("qrels")), _first_object(path)
    named = columns.get("documents", {}).values()
    found = [label for label in named if item and reached(item, label) is not None]
    if found and (len(found) == len(named) or any("." in label for label in found)):
        return Look(asks, "jsonl")
    if form.layout == "lines":
        return Look("qrels", "jsonl")
    if item is None and form.kind is None:
        return None if _ends_like_text(name) else Look(asks, "jsonl")
    if item is None:
        return Look(form.kind or "")
    if form.layout == "json":
        return Look(form.kind or "")
    labels = [plain_label(key) for key in item]
    return Look(_asked(labels, asks), "beir" if "_id" in item and "text" in item else "jsonl")


def _first_object(path: Path) -> dict[str, object] | None:
    """The JSON object with which a file begins, be it in an array; None where that is something else."""
    from toysearch.formats.detect_run_or_qrels import first_object

    with open_bytes(path) as file:
        try:
            head = file.read(_LONGEST)
        except DAMAGE:
            return None
    return first_object(head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace"))


def _asked(labels: list[str], asks: str) -> str:
    """Whether a table holds documents or queries: its id says, else the file's name."""
    label = next((name for name in PARTS["id"] if name in labels), "")
    if label in _QUERY_IDS:
        return "queries"
    return "documents" if label.startswith("doc") else asks


def _look_at_markup(head: bytes, name: str) -> Look | None:
    """The look of what consists of tags, and of Markdown; None for something else."""
    from toysearch.formats.sgml import looks_like_trec_documents
    from toysearch.formats.topics import looks_like_topics

    if head.startswith(b"<"):
        if looks_like_topics(head):
            return Look("queries", "trec")
        if looks_like_trec_documents(head):
            return Look("documents", "trec")
    return Look("documents", "folder") if is_text(name, _MARKUP) else None


def is_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    """Whether a file is named like a text, and not like what is said about the others."""
    return _ends_like_text(name, suffixes) and not _NO_TEXT.match(name.rpartition("/")[2])


def _ends_like_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    return name.lower().removesuffix(".gz").endswith(suffixes)


def _look_at_lines(head: bytes, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]) -> Look:
    """The look of lines: a table with a header, columns without, or text."""
    lines = [line for line in head.decode(errors="replace").split("\n") if line.strip()][:_LINES]
    if not lines:
        return NOTHING
    form, labels = _labels(lines[0])
    for role, named in columns.items():
        if named and {*map(plain_label, named.values())} <= {*map(plain_label, labels)}:
            return Look(role, "" if role == "qrels" else form)
    header = header_of(lines[0])
    with_text = header is not None and holds_text(header.labels)
    if header and header.kind and not with_text:
        return Look(header.kind)
    if kind := _columns_of(lines, name):
        return Look(kind, "trec")
    from toysearch.formats.tables import looks_like_table

    if with_text or looks_like_table(head):
        graded = not holds_text(labels) and _has_grades(lines)
        return Look(_asked([plain_label(label) for label in labels], asks), form, graded)
    if asks == "queries" and all(map(_PLAIN_TOPIC.match, lines)):
        return Look("queries", "trec")
    return Look("documents", "folder") if is_text(name) else NOTHING


def _has_grades(lines: list[str]) -> bool:
    """Whether one of three columns or more, the last ones first, holds nothing but small numbers."""
    delimiter = next((mark for mark in "\t;" if mark in lines[0]), ",")
    rows = [line.rstrip("\r").split(delimiter) for line in lines[1:-1] or lines[1:]]  # the last may be cut
    if not rows or len(rows[0]) < 3:
        return False
    numbers = [[finite_number(row[-place]) if place <= len(row) else None for row in rows] for place in (1, 2)]
    return any(all(number is not None and -2 <= number <= 10 for number in column) for column in numbers)


def _labels(header: str) -> tuple[str, list[str]]:
    """The format of a table with this header, and the names of its columns."""
    delimiter = next((mark for mark in "\t;" if mark in header), ",")
    labels = [label.strip().strip('"') for label in header.split(delimiter)]
    return "tsv" if delimiter == "\t" else "csv", labels


def _columns_of(lines: list[str], name: str) -> str:
    """``qrels`` or ``run`` for lines of as many columns as these have, "" for others."""
    rows = [line.split() for line in lines]
    if "rel" in name.rpartition("/")[2].lower() and len(rows[0]) in (3, 4) and finite_number(rows[0][-1]) is not None:
        return "qrels"  # by its name: where a later line is wrong, its reader says so
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        return ""
    if width in (3, 4) and all(finite_number(row[-1]) is not None for row in rows):
        return "qrels"
    return "run" if width == 6 and all(finite_number(row[4]) is not None for row in rows) else ""
