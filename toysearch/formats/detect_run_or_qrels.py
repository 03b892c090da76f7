"""What a file of a run or of judgments looks like, told from its beginning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from toysearch.errors import ArgumentError
from toysearch.formats.column_names import holds_text
from toysearch.formats.peek import ENOUGH, beginning
from toysearch.formats.table_columns import header_of, places_of
from toysearch.formats.text_files import finite_number
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
