"""Detection of the role and the format of a file from its first lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import filterfalse, islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from toysearch import formats
from toysearch.base import ArgumentError, DataError, Remedy, checked, groups_of, unknown
from toysearch.formats import (
    DAMAGE,
    ENOUGH,
    FORMATS,
    PARTS,
    beginning,
    columns_of_line,
    finite_number,
    format_named,
    header_of,
    holds_text,
    is_comment,
    is_dataset,
    open_bytes,
    places_of,
    plain_label,
    refuse_folder,
    refuse_unreadable,
    score_of,
)

__all__ = ["holds_documents", "is_file", "judgments_among", "kind_of"]

Kind = Literal["run", "qrels"]

JUDGMENT_KEYS = ("query_id", "doc_id", "relevance")
"""The keys of a judgment in JSON Lines, in the order of writing; other keys are ignored."""

_LINES = 10
_NESTED = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?P<opens>[{\[])')
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*:\s*(?P<value>"|[^\s,\]}{\["]+))?')
_WHOLE = re.compile(r"-?\d+(?:\.0+)?")
_DOCUMENT = re.compile(r'"_id"\s*:\s*"')
_DOCWORD = r"(?:\d+[ \t\r]*\n){3}(?:\d+[ \t]+\d+[ \t]+\d+[ \t\r]*(?:\n|\Z)|\s*\Z)"
_SVMLIGHT = r"[-+]?\d+(?:\.\d+)?(?:,\d+)*(?P<counts>(?:[ \t]+\d+:\d+(?:\.0+)?)*)[ \t\r]*(?:#.*)?"


class What(NamedTuple):
    """What a file seems to be, by its beginning, and by its name where that does not decide."""

    # The layout of a run or judgments: TREC columns; the three columns of Cranfield; the four of CISI, which hold no
    # grade; a header and columns; an object of objects; judgments as JSON Lines, one object each; an empty file. None
    # for anything else
    layout: Literal["trec", "three", "smart", "table", "json", "lines", "empty"] | None = None
    kind: Kind | None = None  # which of the two, if it is one; in JSON whole numbers are taken for grades
    either: bool = False  # whether that is a guess: JSON does not distinguish scores from grades
    # In a folder, where a file may be anything: ``documents``, ``queries``, ``qrels``, ``run``, or "" if unknown
    role: str = ""
    # one of `FORMATS`: ``folder`` for a single text, ``trec`` for columns without a header; "" if the reader of the
    # part decides
    format: str = ""
    # whether a table without a long text has a column of small numbers, like a sheet of ratings
    graded: bool = False


NAMELESS: Mapping[str, Mapping[str, str]] = MappingProxyType({})
"""The user names no columns."""


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
    role = what_is(path).role
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
    return rows_in(path).kind


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
        place: rows_in(path) for place, path in enumerate(paths) if path == "-" or "://" in path or Path(path).is_file()
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


def rows_in(path: str | Path, columns: Mapping[str, str] | None = None) -> What:
    """The layout and the kind of the rows in a file, if it is a run or judgments; columns: part → that of the user."""
    return _as_rows(path, beginning(path), columns)


def what_is(path: str | Path, columns: Mapping[str, Mapping[str, str]] = NAMELESS, name: str | None = None) -> What:
    """What a file is; columns: role → part → the column that the user names; name: its path below a folder."""
    data = beginning(path)
    what = _as_rows(path, data, columns.get("qrels"))
    head = data.lstrip()
    if not head:
        return what
    name = Path(path).name if name is None else name
    asks = "queries" if _QUERY_NAME.search(name) else "documents"
    if form := _counts_in(head):
        return What(role=asks, format=form)
    if head.startswith((b"{", b"[")) and (role := _role_of_json(path, head, what, name, asks, columns)):
        return role
    # One copy of CISI has a stray marker line before the first record.
    lines = (line for line in head.split(b"\n") if not (line[:1] == b"." and len(line.strip()) == 2))
    if next(lines, b"").startswith((b".I ", b".I\t")):
        return what._replace(role=asks, format="smart")
    if head.startswith(b"<"):
        if formats.looks_like_topics(head):
            return what._replace(role="queries", format="trec")
        if formats.looks_like_trec_documents(head):
            return what._replace(role="documents", format="trec")
    if is_text(name, _MARKUP):
        return what._replace(role="documents", format="folder")
    return _role_of_lines(head, what, name, asks, columns)


def _as_rows(path: str | Path, data: bytes, columns: Mapping[str, str] | None) -> What:
    """The layout and the kind of a file whose beginning this is, if it is a run or judgments."""
    complete = str(path) != "-" and len(data) < ENOUGH - 3  # a byte order mark is left out
    whole_lines = data if complete or b"\n" not in data else data[: data.rindex(b"\n")]
    text = whole_lines.decode(errors="replace")
    if text.lstrip().startswith(("{", "[{", "[\n", "[\r", "[ ")):
        item = first_object(text)
        if item is not None and judgment_keys(item, columns) is not None:
            return What("lines", "qrels")
        if '"requests"' in text and '"ratings"' in text:  # for the ranking evaluation of Elasticsearch
            return What("json", "qrels")
        nested = _NESTED.match(text)
        if not nested:
            # An empty object is an empty run or empty judgments; anything else has other keys.
            return What("json", None, either=True) if text.strip() == "{}" else What()
        if _DOCUMENT.search(text):  # a line of JSON Lines
            return What()
        if nested["opens"] == "[":
            return What("json", "run")
        values = [match["value"] for match in _VALUE.finditer(text, nested.end() - 1) if match["value"]]
        if '"' in values:
            return What("json", None, either=True)  # a string where a number belongs: the reader reports the place
        return What("json", "qrels" if all(map(_WHOLE.fullmatch, values)) else "run", either=True)
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return What("empty")
    if _counts_in(data):
        return What()
    header = header_of(lines[0], columns)
    return What("table", "qrels" if columns else header.kind) if header else _columns(lines)


def _counts_in(data: bytes) -> str:
    """The format of word counts that begin like this; "" for anything else, such as judgments in three columns."""
    head = data[:1]
    if not (head.isdigit() or head in b"+-#"):
        return ""
    text = data.decode(errors="replace")
    if re.match(_DOCWORD, text):
        return "docword"
    lines = text.split("\n")
    lines = [line for line in lines[:-1] or lines if line.strip() and line[0] != "#"][:_LINES]
    matches = [re.fullmatch(_SVMLIGHT, line) for line in lines]
    return "svmlight" if all(matches) and any(match and match["counts"] for match in matches) else ""


def _columns(lines: list[str]) -> What:
    """The form of lines without a header, decided by the first line that fits."""
    data_lines = list(islice(filterfalse(is_comment, lines), _LINES)) or lines[:_LINES]
    rows = [columns_of_line(line.rstrip("\r")) for line in data_lines]
    without_grades = all(len(row) == 4 and row[2] == "0" and finite_number(row[3]) == 0 for row in rows)
    if without_grades and any(row[1] != "0" for row in rows):  # else TREC, with a document 0
        return What("smart", "qrels")
    for row in rows:
        if len(row) == 6 and score_of(row[4]) is not None:
            return What("trec", "run")
        if len(row) > 6 and score_of(row[4]) is not None and finite_number(row[3]) is not None:
            return What("trec", "run")  # with text behind the tag
        if len(row) == 4 and finite_number(row[3]) is not None:
            return What("trec", "qrels")
        if len(row) == 3 and finite_number(row[2]) is not None:
            return What("three", "qrels")
    return What()


def judgment_keys(item: Iterable[str], columns: Mapping[str, str] | None = None) -> tuple[str, str, str] | None:
    """The keys of a JSON object that hold a query, a document and a grade; None if it is not a judgment.

    >>> judgment_keys({"query": "1", "url": "d7", "stars": 2}), judgment_keys({"_id": "1", "text": "a"})
    (('query', 'url', 'stars'), None)
    """
    keys = list(item)
    places = places_of(keys, columns)
    of_umbrela = {"passage", "judgment"} <= {*keys}  # which names a passage by its text, unless there is an id too
    if of_umbrela:
        places.setdefault("doc_id", keys.index("passage"))
    if not all(part in places for part in JUDGMENT_KEYS) or (holds_text(keys) and not of_umbrela):
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


_LONGEST = 1 << 20  # bytes of a first object
_MOST_LINES = 20
_TEXTS = (".txt", ".text", ".rst")
_MARKUP = (".md", ".markdown", ".html", ".htm", ".xhtml")
_NO_TEXT = re.compile(r"(readme|licen[cs]e|copying|changelog|notice)\b", re.IGNORECASE)
_QUERY_NAME = re.compile(r"quer|topic|question|\.(?:qry|que)(?:\.|$)", re.IGNORECASE)
_QUERY_IDS = ("query_id", "queryid", "qid", "topic_id")
_PLAIN_TOPIC = re.compile(r"[^\s:]+[ ]?[:\t][ \t]*\S")


def _role_of_json(
    path: str | Path, head: bytes, what: What, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]
) -> What | None:
    """The role of JSON: one object per line, or a run or judgments in one object; None for text after a bracket."""
    item = first_object(head.decode(errors="replace"))
    long = len(head) > ENOUGH >> 1 and what.layout != "json"
    if item is None and long and str(path) != "-":  # perhaps a long first object
        with open_bytes(path) as file, suppress(*DAMAGE):
            item = first_object(file.read(_LONGEST).removeprefix(b"\xef\xbb\xbf").decode(errors="replace"))
    labels_of_user = columns.get("documents", {}).values()
    present = [label for label in labels_of_user if item and formats.reached(item, label) is not None]
    if present and (len(present) == len(labels_of_user) or any("." in label for label in present)):
        return what._replace(role=asks, format="jsonl")
    if what.layout == "lines":
        return what._replace(role="qrels", format="jsonl")
    if item is None and what.kind is None:
        return None if _ends_like_text(name) else what._replace(role=asks, format="jsonl")
    if item is None or what.layout == "json":
        return what._replace(role=what.kind or "")
    labels = [plain_label(key) for key in item]
    form = "beir" if "_id" in item and "text" in item else "jsonl"
    return what._replace(role=_asked(labels, asks), format=form)


def _asked(labels: list[str], asks: str) -> str:
    """The role of a table, documents or queries: decided by the column of its id, else by the file name."""
    label = next((name for name in PARTS["id"] if name in labels), "")
    if label in _QUERY_IDS:
        return "queries"
    return "documents" if label.startswith("doc") else asks


def is_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    """Whether a file is named like a text, and not like a readme or licence."""
    return _ends_like_text(name, suffixes) and not _NO_TEXT.match(name.rpartition("/")[2])


def _ends_like_text(name: str, suffixes: tuple[str, ...] = _MARKUP + _TEXTS) -> bool:
    return name.lower().removesuffix(".gz").endswith(suffixes)


def _role_of_lines(head: bytes, what: What, name: str, asks: str, columns: Mapping[str, Mapping[str, str]]) -> What:
    """The role of lines: a table with a header, columns without one, or text."""
    lines = [line for line in head.decode(errors="replace").split("\n") if line.strip()][:_MOST_LINES]
    if not lines:
        return what
    delimiter = next((mark for mark in "\t;" if mark in lines[0]), ",")
    labels = [label.strip().strip('"') for label in lines[0].split(delimiter)]
    form = "tsv" if delimiter == "\t" else "csv"
    plain = [plain_label(label) for label in labels]
    for role, labels_of_user in columns.items():
        if labels_of_user and {*map(plain_label, labels_of_user.values())} <= {*plain}:
            return what._replace(role=role, format="" if role == "qrels" else form)
    header = header_of(lines[0])
    with_text = header is not None and holds_text(header.labels)
    if header and header.kind and not with_text:
        return what._replace(role=header.kind)
    if kind := _columns_of(lines, name):
        return what._replace(role=kind, format="trec")
    if with_text or formats.looks_like_table(head):  # a run or judgments do not load its module
        graded = not holds_text(labels) and _has_grades(lines)
        return what._replace(role=_asked(plain, asks), format=form, graded=graded)
    if asks == "queries" and all(map(_PLAIN_TOPIC.match, lines)):
        return what._replace(role="queries", format="trec")
    return what._replace(role="documents", format="folder") if is_text(name) else what


def _has_grades(lines: list[str]) -> bool:
    """Whether one of at least three columns, from the last, holds only small numbers."""
    delimiter = next((mark for mark in "\t;" if mark in lines[0]), ",")
    rows = [line.rstrip("\r").split(delimiter) for line in lines[1:-1] or lines[1:]]  # the last may be cut
    if not rows or len(rows[0]) < 3:
        return False
    numbers = [[finite_number(row[-place]) if place <= len(row) else None for row in rows] for place in (1, 2)]
    return any(all(number is not None and -2 <= number <= 10 for number in column) for column in numbers)


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


HELP = "describe it in a collection.toml (`toysearch docs collections` has an example)"

_SHOWN = 8  # files in an error
_PARTS = {"documents": "documents", "queries": "queries", "qrels": "judgments", "run": "a run"}
_TABLES = ("csv", "tsv")
_SHEET_NAME = re.compile(r"judg|qrel|rating|relevan|grade", re.IGNORECASE)
_ALONE = tuple(name for name in FORMATS if name not in ("beir", "folder"))  # what a single file can be


class Part(NamedTuple):
    """A file and its part in a collection."""

    role: str  # ``documents``, ``queries``, ``qrels`` or ``run``
    path: str  # below the folder; ``.`` is the folder itself, for a folder of texts
    format: str  # one of `FORMATS`; "" if the reader of the part decides
    split: str = ""  # the name of a set of judgments, if there are several


FolderLayout = tuple[Part, ...]
"""The files of a collection, documents first."""


ColumnNames = Mapping[str, Mapping[str, str]]
"""Role → part → the column that the user names."""


def layout_of_file(path: Path, input_format: str | None = None, columns: ColumnNames = NAMELESS) -> FolderLayout:
    """The layout of a single file of documents."""
    form = checked_format(input_format)
    if form == "folder":
        raise DataError(f"{path} is a file; the format folder is for a folder of texts")
    look = What() if form else what_is(path, columns)
    if form is None and not look.role:
        refuse_unreadable(path)
        look = _table_by_name(path)
    if form is None and (look.role not in ("documents", "queries") or look.format == "folder" or _is_topics(look)):
        of_no_role = "none of these" if beginning(path).strip() else "an empty file"
        instead = "TREC topics" if _is_topics(look) else _PARTS.get(look.role, of_no_role)
        if look.format == "folder":
            instead = "a single text; give the folder that holds the texts"
        raise DataError(f"{path}: expected documents: {_described(_ALONE)}; found {instead}")
    return (Part("documents", path.name, form or look.format),)


def _table_by_name(path: Path) -> What:
    """The part of an unrecognised file, by its name: the reader of a table then reports the missing column."""
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    header = beginning(path).lstrip().partition(b"\n")[0].decode(errors="replace").strip()
    is_text = re.sub(r"[\t\r]", "", header).isprintable() and "\ufffd" not in header
    return What(role="documents", format=ending) if ending in _TABLES and header and is_text else What()


def _is_topics(look: What) -> bool:
    return (look.role, look.format) == ("queries", "trec")


def layout_of_folder(folder: Path, input_format: str | None = None, columns: ColumnNames = NAMELESS) -> FolderLayout:
    """The layout of a folder whose files no collection.toml names."""
    # The part of each file is decided by its content, or by its name if the content does not decide. Files in the
    # folder itself take precedence over files in its subfolders.
    form = checked_format(input_format)
    names = [name for name in files_below(folder) if name != "collection.toml"]  # settings, never data
    corpus = _usual("corpus.jsonl", names)
    if form == "beir" and corpus is None:
        listed = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "") or "nothing"
        raise DataError(f"{folder}: expected a file corpus.jsonl, as each BEIR folder has; found {listed}")
    looks = {name: what_is(folder / name, columns, name) for name in names}
    tables = [look for look in looks.values() if look.role == "documents" and look.format in _TABLES]
    if len(tables) > 1 and not all(look.graded for look in tables):  # judgments, since another table has a text
        looks = {name: What(role="qrels") if look.graded else look for name, look in looks.items()}
    if corpus and form in (None, "beir"):
        looks[corpus] = What(role="documents", format="beir")
        documents: list[str] = [corpus]
        format_of_all = "beir"
    else:
        documents, format_of_all = _documents(folder, looks, form)
    rest = {name: look for name, look in looks.items() if name not in documents}
    runs = _nearest(name for name, look in rest.items() if look.role == "run")
    return (
        *(Part("documents", name, format_of_all) for name in documents),
        *_queries(folder, rest, format_of_all),
        *_judgments(folder, rest, format_of_all),
        *(Part("run", name, rest[name].format) for name in runs if len(runs) == 1),  # several are the user's own
    )


def checked_format(input_format: str | None) -> str | None:
    """The name of a format, refused if it is unknown; None stays None."""
    if input_format is not None and input_format not in FORMATS:
        raise unknown("input format", input_format, FORMATS)
    return input_format


def files_below(folder: Path) -> list[str]:
    """The paths of all files below a folder, with ``/`` between their parts: its own files first, each group sorted."""
    # Hidden files and folders are left out.
    top: list[str] = []
    others: list[str] = []
    for place, folders, names in os.walk(folder, onerror=refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(place).relative_to(folder).as_posix()
        # A pipe or a socket is not listed: opening it would wait for a writer.
        visible = [name for name in names if not name.startswith(".") and os.path.isfile(os.path.join(place, name))]
        if below == ".":
            top = sorted(visible)
        else:
            others += [f"{below}/{name}" for name in visible]
    return top + sorted(others)


def _documents(folder: Path, looks: Mapping[str, What], input_format: str | None) -> tuple[list[str], str]:
    """The files of the documents, and their common format."""
    if input_format is not None:
        names = _in_format(looks, input_format)
    else:
        names = _nearest(n for n, look in looks.items() if look.role == "documents" and look.format != "folder")
        forms = {looks[name].format for name in names}
        if forms == {"trec"}:
            names = _in_format(looks, "trec")  # in subfolders too
        elif not names and any(map(_is_loose_text, looks.values())):
            forms = {"folder"}
        elif len(names) > 1:
            raise _ambiguous(folder, "documents", names)
        elif not names:
            tables = {name: _table_by_name(folder / name) for name, look in looks.items() if not look.role}
            names = _nearest(name for name, look in tables.items() if look.role)
            forms = {tables[name].format for name in names} if len(names) == 1 else set()
        input_format = next(iter(forms), None)
    if input_format == "folder":
        tops = {name.partition("/")[0] for name, look in looks.items() if _is_loose_text(look)}
        alone = len(tops) == 1 and not any(name in looks for name in tops)
        others = {name.partition("/")[0] for name, look in looks.items() if look.role not in ("documents", "")}
        return [tops.pop() if alone and not tops & others else "."], "folder"  # one subfolder has all the texts
    if input_format is None or not names:
        for name, look in looks.items():
            if not look.role:
                refuse_unreadable(folder / name)
        expected = (
            format_named(input_format).described if input_format else f"{_described(FORMATS)} or a collection.toml"
        )
        listed = [f"{name} ({_word(look)})" for name, look in looks.items()][:_SHOWN]
        if len(looks) > _SHOWN:
            listed.append("…")
        raise DataError(f"{folder}: expected documents: {expected}; found {', '.join(listed) or 'nothing'}")
    if input_format != "trec" and len(names) > 1:
        raise _ambiguous(folder, "documents", names)
    return names, input_format


def _in_format(looks: Mapping[str, What], wanted: str) -> list[str]:
    """The files of documents in a format that the user names: recognised ones, else unrecognised ones."""
    same = [name for name, look in looks.items() if (look.role, look.format) == ("documents", wanted)]
    if same and wanted in ("trec", "folder"):
        return same
    # Any other file that looks like documents may be meant: the user knows the format better.
    return _nearest(same) or _nearest(name for name, look in looks.items() if look.role in ("", "documents"))


def _is_loose_text(look: What) -> bool:
    return (look.role, look.format) == ("documents", "folder")


def _nearest(names: Iterable[str]) -> list[str]:
    """The files in the folder itself, or all files if it has none."""
    names = list(names)
    return [name for name in names if "/" not in name] or names


def _usual(name: str, names: Collection[str]) -> str | None:
    """The name of a file of a BEIR folder, plain or gzipped; None if it is missing."""
    return next((variant for variant in (name, f"{name}.gz") if variant in names), None)


def _queries(folder: Path, looks: Mapping[str, What], format_of_all: str) -> list[Part]:
    usual = _usual("queries.jsonl", looks)
    if format_of_all == "beir" and usual:
        return [Part("queries", usual, "beir")]
    names = _nearest(name for name, look in looks.items() if look.role == "queries")
    if len(names) > 1:
        raise _ambiguous(folder, "queries", names)
    return [Part("queries", name, looks[name].format) for name in names]


def _judgments(folder: Path, looks: Mapping[str, What], format_of_all: str) -> list[Part]:
    tables = {name: name.removesuffix(".gz") for name in looks if name.startswith("qrels/")}
    if format_of_all == "beir" and any(plain.endswith(".tsv") for plain in tables.values()):
        return _splits({name: plain for name, plain in tables.items() if plain.endswith(".tsv")}, "beir")
    names = _nearest(name for name, look in looks.items() if look.role == "qrels")
    if not names:  # unrecognised tables that are named like judgments: their reader reports the missing columns
        candidates = [name for name, look in looks.items() if not look.role and _SHEET_NAME.search(name)]
        names = _nearest(name for name in candidates if _table_by_name(folder / name).role)
    if len(names) > 1 and all(name.split("/")[-2:-1] == ["qrels"] for name in names):
        return _splits({name: name.removesuffix(".gz") for name in names}, looks[names[0]].format)
    if len(names) > 1:
        raise _ambiguous(folder, "judgments", names)
    forms = {"trec": format_of_all if format_of_all == "smart" else "trec"}  # SMART has other columns
    return [Part("qrels", name, forms.get(looks[name].format, looks[name].format)) for name in names]


def _splits(names: Mapping[str, str], form: str) -> list[Part]:
    """One set of judgments per file, named after it; a file present both plain and gzipped counts once."""
    splits = groups_of((Path(plain).stem, name) for name, plain in names.items())
    return [Part("qrels", files[0], form, split) for split, files in splits.items()]


def _ambiguous(folder: Path, part: str, names: list[str]) -> DataError:
    listed = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} others"]
    return DataError(f"{folder}: {' and '.join(listed)} could each hold the {part}; {HELP}")


def _word(look: What) -> str:
    """The apparent role of a file, in a word or two."""
    if look.format and look.role:
        return f"{_PARTS[look.role]}, {look.format}"
    return _PARTS.get(look.role, "unknown")


def _described(names: Iterable[str]) -> str:
    *first, last = (format_named(name).described for name in names)
    return f"{', '.join(first)} or {last}"
