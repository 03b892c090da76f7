"""What a file holds, from its first lines: documents, queries, judgments or a run, and in which form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from toysearch.arguments import checked
from toysearch.errors import ArgumentError
from toysearch.formats.columns import PARTS, header_of, holds_text, places_of, plain_label
from toysearch.formats.text_files import DAMAGE, ENOUGH, beginning, finite_number, open_bytes
from toysearch.formats.trec import columns_of, is_comment, score_of

Kind = Literal["run", "qrels"]

JUDGMENT_KEYS = ("query_id", "doc_id", "relevance")
"""The keys of a judgment in JSON Lines, in the order in which they are written; others are left alone."""

_LINES = 10
_NESTED = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?P<opens>[{\[])')
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*:\s*(?P<value>"|[^\s,\]}{\["]+))?')
_WHOLE = re.compile(r"-?\d+(?:\.0+)?")
_DOCUMENT = re.compile(r'"_id"\s*:\s*"')


class Form(NamedTuple):
    """The layout of a file, and which of the two it holds; None where its beginning does not tell."""

    # TREC's columns; Cranfield's three; CISI's four, which hold no grade; a header and columns; an object of objects;
    # judgments as JSON Lines, an object each; nothing at all. None for something else
    layout: Literal["trec", "three", "smart", "table", "json", "lines", "empty"] | None
    kind: Kind | None  # "run" | "qrels": What the file holds. JSON only has numbers: whole ones are taken for grades
    either: bool = False  # whether that is a guess: in JSON nothing tells scores from grades for sure


@checked
def kind_of(path: str | Path) -> Kind | None:
    """What a file looks like: a "run", "qrels" (judgments, votes too), or None for neither.

    Parameters
    ----------
    path : str or Path
        The file, in any of the formats that `read_run` and `read_qrels` read; may be gzipped. ``-`` is standard
        input, of which nothing is used up.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    return form_of(path).kind


@checked
def judgments_among(paths: list[str]) -> int | None:
    """Which of several files holds the judgments by which the others are to be scored.

    A file that can only be judgments is it, wherever it stands. JSON does not tell grades from scores, so a JSON file
    is it only where all others are runs for sure; an empty file only where it comes last.

    Parameters
    ----------
    paths : list of str
        Files (``-`` is standard input), or names of something else.

    Returns
    -------
    int or None
        The file's place; None where none holds judgments.

    Raises
    ------
    ArgumentError
        If standard input is named twice, or several files could each be the judgments.
    """
    if list(paths).count("-") > 1:
        raise ArgumentError("standard input (-) can be read once; give the other as a file")
    forms = {place: form_of(path) for place, path in enumerate(paths) if path == "-" or Path(path).is_file()}
    sure = [place for place, form in forms.items() if form.kind == "qrels" and not form.either]
    if sure:
        return sure[0]
    either = [place for place, form in forms.items() if form.either]
    if len(forms) < len(paths):  # the name of a collection
        return None
    if len(either) > 1:
        raise ambiguous([paths[place] for place in either])
    last = len(paths) - 1
    return either[0] if either else last if forms and forms[last].layout == "empty" else None


def ambiguous(names: Sequence[str]) -> ArgumentError:
    """The error for several things of which each could be the judgments.

    >>> str(ambiguous(["a.json", "b.json"]))
    'a.json and b.json could each be the run or the judgments; name the judgments: qrels=…, or --qrels in the shell'
    """
    return ArgumentError(
        f"{' and '.join(names)} could each be the run or the judgments; name the judgments: qrels=…, or --qrels in "
        "the shell"
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
    """The form of lines without a header: told by the first whose columns fit."""
    told = [line for line in lines if not is_comment(line)] or lines
    rows = [columns_of(line.rstrip("\r")) for line in islice(told, _LINES)]
    without_grades = all(len(row) == 4 and row[2] == "0" and finite_number(row[3]) == 0 for row in rows)
    if without_grades and any(row[1] != "0" for row in rows):  # else TREC's, of a document 0
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
    """The keys of a JSON object that hold a query, a document and a grade; None where it is no judgment.

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
    r"""The object with which a text of JSON begins, be it on a line of its own or in an array; None for none.

    >>> first_object('{"a": 1}\n{"a": 2}\n'), first_object('[\n {"a":\n 1}'), first_object("[1]")
    ({'a': 1}, {'a': 1}, None)
    """
    try:
        item, _ = json.JSONDecoder().raw_decode(text.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def _begins_with_judgment(text: str, columns: Mapping[str, str] | None) -> bool:
    """Whether the first object of a text, on a line of its own or in an array, is a judgment by itself."""
    item = first_object(text)
    return item is not None and judgment_keys(item, columns) is not None


def _nested(text: str) -> Form:
    """The form of a text that begins with a brace: an object of objects or lists, or something else."""
    nested = _NESTED.match(text)
    if not nested:
        # An empty object is a run or judgments with nothing in it; what else there is has other keys.
        return Form("json", None, either=True) if text.strip() == "{}" else Form(None, None)
    if _DOCUMENT.search(text):  # a line of JSON Lines
        return Form(None, None)
    if nested["opens"] == "[":
        return Form("json", "run")
    values = [match["value"] for match in _VALUE.finditer(text, nested.end() - 1) if match["value"]]
    if '"' in values:
        return Form("json", None, either=True)  # a text in the place of a number: the reader says where
    return Form("json", "qrels" if all(map(_WHOLE.fullmatch, values)) else "run", either=True)


def _beginning(path: str | Path) -> str:
    """The first lines of a file, whole ones, as text; what is no UTF-8 replaced."""
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
