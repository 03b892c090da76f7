"""Detection of the role and the format of a file from its first lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse, islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from toysearch.base import ArgumentError, Remedy, checked
from toysearch.formats.column_names import header_of, places_of
from toysearch.formats.document_formats import PARTS, holds_text, is_dataset, plain_label
from toysearch.formats.text_files import DAMAGE, ENOUGH, beginning, finite_number, open_bytes
from toysearch.formats.trec import columns_of_line, is_comment, score_of

__all__ = ["holds_documents", "is_file", "judgments_among", "kind_of"]

Kind = Literal["run", "qrels"]

JUDGMENT_KEYS = ("query_id", "doc_id", "relevance")
"""The keys of a judgment in JSON Lines, in the order of writing; other keys are ignored."""

_LINES = 10
_NESTED = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?P<opens>[{\[])')
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*:\s*(?P<value>"|[^\s,\]}{\["]+))?')
_WHOLE = re.compile(r"-?\d+(?:\.0+)?")
_DOCUMENT = re.compile(r'"_id"\s*:\s*"')


class Form(NamedTuple):
    """The layout of a file, and whether it holds a run or judgments; None if its beginning does not decide."""

    # TREC columns; the three columns of Cranfield; the four of CISI, which hold no grade; a header and columns; an
    # object of objects; judgments as JSON Lines, one object each; an empty file. None for anything else
    layout: Literal["trec", "three", "smart", "table", "json", "lines", "empty"] | None
    kind: Kind | None  # "run" | "qrels"; JSON only has numbers: whole numbers are taken for grades
    either: bool = False  # whether that is a guess: JSON does not distinguish scores from grades


@checked
def is_file(source: str | Path) -> bool:
    """Whether a string or a path names a file, even a missing one, and not a collection.

    Parameters
    ----------
    source : str or Path
        A path, ``-`` for standard input, or the name of a collection.

    Examples
    --------
    >>> is_file("-"), is_file("runs/mine.run"), is_file("cat-dog-parrot"), is_file("irds:beir/scifact/test")
    (True, True, False, False)
    """
    if "://" in str(source):
        from toysearch.formats.remote_files import local_copy

        source = local_copy(str(source))
    path = Path(source)
    if str(source) == "-" or path.exists():
        return not path.is_dir()
    if is_dataset(str(source)):
        return False
    parted = any(mark in str(source) for mark in (os.sep, os.altsep) if mark)
    return parted or isinstance(source, Path) or (bool(path.suffix) and ":" not in str(source))


@checked
def holds_documents(path: str | Path) -> bool:
    """Whether a file holds documents, not a run or judgments; a table of unknown columns is taken for documents.

    Parameters
    ----------
    path : str or Path
        The file; False if there is none.

    Raises
    ------
    DataError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.jsonl")
    >>> _ = path.write_text('{"_id": "1", "text": "How to train a cat"}')
    >>> holds_documents(path)
    True
    """
    path = Path(path)
    if not path.is_file() or kind_of(path) is not None:
        return False
    role = look_at(path, path.name).role
    return role == "documents" or (not role and path.name.removesuffix(".gz").endswith((".csv", ".tsv")))


@checked
def kind_of(path: str | Path) -> Kind | None:
    """The likely kind of a file: "run", "qrels" (judgments or votes), or None for neither.

    Parameters
    ----------
    path : str or Path
        The file, in any format that `read_run` or `read_qrels` reads; may be gzipped. ``-`` is standard input,
        which is not consumed.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    return form_of(path).kind


@checked
def judgments_among(paths: list[str]) -> int | None:
    """The position of the judgments among several files.

    A file that can only be judgments is chosen at any position. JSON does not distinguish grades from scores, so a JSON
    file is chosen only if all others are certainly runs, and an empty file only if it comes last.

    Parameters
    ----------
    paths : list of str
        Files (``-`` is standard input), or names of something else.

    Returns
    -------
    int or None
        The position of the judgments; None if no file holds judgments.

    Raises
    ------
    ArgumentError
        If standard input is named twice, or several files could each be the judgments.
    """
    if list(paths).count("-") > 1:
        raise ArgumentError("standard input (-) can be read only once; give the other input as a file")
    forms = {
        place: form_of(path) for place, path in enumerate(paths) if path == "-" or "://" in path or Path(path).is_file()
    }
    sure = [place for place, form in forms.items() if form.kind == "qrels" and not form.either]
    if sure:
        return sure[-1]  # of several, one is a run with missing columns, which its reader reports
    either = [place for place, form in forms.items() if form.either]
    if len(forms) < len(paths):  # the name of a collection
        return None
    if len(either) > 1:
        raise ambiguous([paths[place] for place in either])
    last = len(paths) - 1
    return either[0] if either else last if forms and forms[last].layout == "empty" else None


def ambiguous(names: Sequence[str]) -> ArgumentError:
    """The error for several inputs that could each be the judgments.

    >>> str(ambiguous(["a.json", "b.json"]))
    'a.json and b.json could each be the run or the judgments; name the judgments: qrels=…'
    """
    return ArgumentError(
        f"{' and '.join(names)} could each be the run or the judgments; name the judgments: {Remedy('', qrels=...)}"
    )


def form_of(path: str | Path, columns: Mapping[str, str] | None = None) -> Form:
    """The form of a file."""
    text = _beginning(path)
    if text.lstrip().startswith(("{", "[{", "[\n", "[\r", "[ ")):
        if _begins_with_judgment(text, columns):
            return Form("lines", "qrels")
        return _nested(text)
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return Form("empty", None)
    header = header_of(lines[0], columns)
    return Form("table", "qrels" if columns else header.kind) if header else _columns(lines)


def _columns(lines: list[str]) -> Form:
    """The form of lines without a header, decided by the first line that fits."""
    told = list(islice(filterfalse(is_comment, lines), _LINES)) or lines[:_LINES]
    rows = [columns_of_line(line.rstrip("\r")) for line in told]
    without_grades = all(len(row) == 4 and row[2] == "0" and finite_number(row[3]) == 0 for row in rows)
    if without_grades and any(row[1] != "0" for row in rows):  # else TREC, with a document 0
        return Form("smart", "qrels")
    for row in rows:
        if len(row) == 6 and score_of(row[4]) is not None:
            return Form("trec", "run")
        if len(row) > 6 and score_of(row[4]) is not None and finite_number(row[3]) is not None:
            return Form("trec", "run")  # with text behind the tag
        if len(row) == 4 and finite_number(row[3]) is not None:
            return Form("trec", "qrels")
        if len(row) == 3 and finite_number(row[2]) is not None:
            return Form("three", "qrels")
    return Form(None, None)


def judgment_keys(item: Iterable[str], columns: Mapping[str, str] | None = None) -> tuple[str, str, str] | None:
    """The keys of a JSON object that hold a query, a document and a grade; None if it is not a judgment.

    >>> judgment_keys({"query": "1", "url": "d7", "stars": 2}), judgment_keys({"_id": "1", "text": "a"})
    (('query', 'url', 'stars'), None)
    """
    keys = list(item)
    places = places_of(keys, columns)
    if not all(part in places for part in JUDGMENT_KEYS) or holds_text(keys):
        return None
    query_id, doc_id, relevance = (keys[places[part]] for part in JUDGMENT_KEYS)
    return query_id, doc_id, relevance


def first_object(text: str) -> dict[str, object] | None:
    r"""The first object of a JSON text, either on its own line or in an array; None if there is none.

    >>> first_object('{"a": 1}\n{"a": 2}\n'), first_object('[\n {"a":\n 1}'), first_object("[1]")
    ({'a': 1}, {'a': 1}, None)
    """
    try:
        item, _ = json.JSONDecoder().raw_decode(text.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def _begins_with_judgment(text: str, columns: Mapping[str, str] | None) -> bool:
    """Whether the first object of a text, on its own line or in an array, is a single judgment."""
    item = first_object(text)
    return item is not None and judgment_keys(item, columns) is not None


def _nested(text: str) -> Form:
    """The form of a text that begins with a brace: an object of objects or lists, or something else."""
    nested = _NESTED.match(text)
    if not nested:
        # An empty object is an empty run or empty judgments; anything else has other keys.
        return Form("json", None, either=True) if text.strip() == "{}" else Form(None, None)
    if _DOCUMENT.search(text):  # a line of JSON Lines
        return Form(None, None)
    if nested["opens"] == "[":
        return Form("json", "run")
    values = [match["value"] for match in _VALUE.finditer(text, nested.end() - 1) if match["value"]]
    if '"' in values:
        return Form("json", None, either=True)  # a string where a number belongs: the reader reports the place
    return Form("json", "qrels" if all(map(_WHOLE.fullmatch, values)) else "run", either=True)


def _beginning(path: str | Path) -> str:
    """The first complete lines of a file as text; invalid UTF-8 is replaced."""
    data = beginning(path)
    complete = str(path) != "-" and len(data) < ENOUGH - 3  # a byte order mark is left out
    if not complete and b"\n" in data:
        data = data[: data.rindex(b"\n")]
    return data.decode(errors="replace")


_LONGEST = 1 << 20  # bytes of a first object
_MOST_LINES = 20
_TEXTS = (".txt", ".text", ".rst")
_MARKUP = (".md", ".markdown", ".html", ".htm", ".xhtml")
_NO_TEXT = re.compile(r"(readme|licen[cs]e|copying|changelog|notice)\b", re.IGNORECASE)
_QUERY_NAME = re.compile(r"quer|topic|question|\.(?:qry|que)(?:\.|$)", re.IGNORECASE)
_QUERY_IDS = ("query_id", "queryid", "qid", "topic_id")
_PLAIN_TOPIC = re.compile(r"[^\s:]+[ ]?[:\t][ \t]*\S")


class Look(NamedTuple):
    """The role and the format that a file seems to have."""

    role: str  # ``documents``, ``queries``, ``qrels``, ``run``, or "" if unknown
    # one of `FORMATS`: ``folder`` for a single text, ``trec`` for columns without a header; "" if the reader of the
    # part decides
    format: str = ""
    # whether a table without a long text has a column of small numbers, like a sheet of ratings
    graded: bool = False


NOTHING = Look("")
NAMELESS: Mapping[str, Mapping[str, str]] = MappingProxyType({})
"""The user names no columns."""


def look_at(path: Path, name: str, columns: Mapping[str, Mapping[str, str]] = NAMELESS) -> Look:
    """The likely role and format of a file, by its beginning, or by its name if that does not decide."""
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
    """The first bytes of a file, without leading white space; empty if it cannot be unpacked."""
    return beginning(path).lstrip()


def _is_smart(head: bytes) -> bool:
    # One copy of CISI has a stray marker line before the first record.
    lines = (line for line in head.split(b"\n") if not (line[:1] == b"." and len(line.strip()) == 2))
    return next(lines, b"").startswith((b".I ", b".I\t"))


def _look_at_json(path: Path, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]) -> Look | None:
    """The look of JSON: one object per line, or a run or judgments in one object; None for text after a bracket."""
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
    """The first JSON object of a file, also inside an array; None if the file begins otherwise."""
    with open_bytes(path) as file:
        try:
            head = file.read(_LONGEST)
        except DAMAGE:
            return None
    return first_object(head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace"))


def _asked(labels: list[str], asks: str) -> str:
    """The role of a table, documents or queries: decided by the column of its id, else by the file name."""
    label = next((name for name in PARTS["id"] if name in labels), "")
    if label in _QUERY_IDS:
        return "queries"
    return "documents" if label.startswith("doc") else asks


def _look_at_markup(head: bytes, name: str) -> Look | None:
    """The look of files with tags, and of Markdown; None for anything else."""
    from toysearch.formats.sgml import looks_like_trec_documents
    from toysearch.formats.topics import looks_like_topics

    if head.startswith(b"<"):
        if looks_like_topics(head):
            return Look("queries", "trec")
        if looks_like_trec_documents(head):
            return Look("documents", "trec")
    return Look("documents", "folder") if is_text(name, _MARKUP) else None


def is_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    """Whether a file is named like a text, and not like a readme or licence."""
    return _ends_like_text(name, suffixes) and not _NO_TEXT.match(name.rpartition("/")[2])


def _ends_like_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    return name.lower().removesuffix(".gz").endswith(suffixes)


def _look_at_lines(head: bytes, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]) -> Look:
    """The look of lines: a table with a header, columns without one, or text."""
    lines = [line for line in head.decode(errors="replace").split("\n") if line.strip()][:_MOST_LINES]
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
    from toysearch.formats.csv_tables import looks_like_table

    if with_text or looks_like_table(head):
        graded = not holds_text(labels) and _has_grades(lines)
        return Look(_asked([plain_label(label) for label in labels], asks), form, graded)
    if asks == "queries" and all(map(_PLAIN_TOPIC.match, lines)):
        return Look("queries", "trec")
    return Look("documents", "folder") if is_text(name) else NOTHING


def _has_grades(lines: list[str]) -> bool:
    """Whether one of at least three columns, from the last, holds only small numbers."""
    delimiter = next((mark for mark in "\t;" if mark in lines[0]), ",")
    rows = [line.rstrip("\r").split(delimiter) for line in lines[1:-1] or lines[1:]]  # the last may be cut
    if not rows or len(rows[0]) < 3:
        return False
    numbers = [[finite_number(row[-place]) if place <= len(row) else None for row in rows] for place in (1, 2)]
    return any(all(number is not None and -2 <= number <= 10 for number in column) for column in numbers)


def _labels(header: str) -> tuple[str, list[str]]:
    """The format of a table with this header, and its column names."""
    delimiter = next((mark for mark in "\t;" if mark in header), ",")
    labels = [label.strip().strip('"') for label in header.split(delimiter)]
    return "tsv" if delimiter == "\t" else "csv", labels


def _columns_of(lines: list[str], name: str) -> str:
    """``qrels`` or ``run``, by the number of columns; "" for other numbers."""
    rows = [line.split() for line in lines]
    if "rel" in name.rpartition("/")[2].lower() and len(rows[0]) in (3, 4) and finite_number(rows[0][-1]) is not None:
        return "qrels"  # by its name: the reader reports a malformed line
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        return ""
    if width in (3, 4) and all(finite_number(row[-1]) is not None for row in rows):
        return "qrels"
    return "run" if width == 6 and all(finite_number(row[4]) is not None for row in rows) else ""
