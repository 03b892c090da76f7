"""Detection of formats: each format, in order, looks at the beginning of a file and may claim it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from toysearch.base import ArgumentError, Remedy, expect_list
from toysearch.files.claims import MARKUP, NAMELESS, USES, Clues, ColumnNames, What, named_like_text
from toysearch.files.columns import ByPart
from toysearch.files.document_formats import is_dataset
from toysearch.files.file_role import Settled
from toysearch.files.listed_documents import is_number
from toysearch.files.numbers import finite_number
from toysearch.files.problems import reader
from toysearch.files.query_lists import files_inside, lists_by_query, settled_lists
from toysearch.files.record_tables import has_queries_beside
from toysearch.files.roles import BINARY, settle, settle_source
from toysearch.files.sheets import RECORDS_FIRST, sheet_for
from toysearch.files.source import AnyPath, Source, other_notation, source_of
from toysearch.files.syntaxes import word_counts
from toysearch.files.syntaxes.trec import columns_of_line
from toysearch.files.table import VALUE

__all__ = ["is_file", "judgments_among", "kind_of"]

Kind = Literal["run", "qrels"]

_LARGEST_GRADE = 10
_OF_ID = re.compile(r"(?:id|no|number)$", re.IGNORECASE)
_SPLIT = re.compile(r"train(?:ing)?|dev|test|val(?:id(?:ation)?)?")
_FORMATS: tuple[tuple[bytes | None, str, str], ...] = (
    (word_counts.BEGINS, "syntaxes.word_counts", "claims"),
    (b"{[", "syntaxes.json_lines", "claims"),
    (b".", "syntaxes.smart", "claims"),
    (b"<", "syntaxes.topics", "claims"),
    (b"<", "syntaxes.sgml", "claims"),
    (b"", "syntaxes.texts", "claims_markup"),
    (b"<", "syntaxes.xml_tables", "claims"),
    (None, "syntaxes.delimited", "claims_header"),
    (None, "roles", "claims"),
    (None, "syntaxes.trec", "claims"),
    (None, "syntaxes.delimited", "claims"),
    (None, "syntaxes.topics", "claims_lines"),
    (b'"', "syntaxes.json_lines", "claims_texts"),
    (None, "syntaxes.texts", "claims"),
)
"""Bytes with which a format may begin (b"": any, None: a line), its module, and its function; in order of precedence.
"""


def is_file(source: str | os.PathLike[str]) -> bool:
    """True if a string or a path names a file, even a missing one, and not a collection.

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


def reads_as_judgments(source: str | os.PathLike[str]) -> bool:
    """True if a source given as judgments is a file or a folder of them; no collection."""
    return is_file(source) or bool(lists_by_query(source) or files_of(source, "qrels"))


def files_of(path: AnyPath, role: str) -> list[Source]:
    """Return the files of a folder that holds runs only, or judgments only, beside a README; none for another."""
    source = source_of(path)
    inside = files_inside(source) if os.path.isdir(source.path) else []
    files = [file for file in inside if not named_like_text(file.path, MARKUP)]
    are_splits = len(files) > 1 and any(_SPLIT.fullmatch(Path(file.path).stem) for file in files)
    return [] if are_splits or not all(_is_of(settle(file, role), role) for file in files) else files


def _is_of(file: Settled, role: str) -> bool:
    """True if a file is a run, or judgments, for certain; scores are grades if they are small whole numbers."""
    if file.ask or not file.what.sure:
        return False
    is_graded = role == "qrels" and file.by == "score" and are_whole(file)
    return file.what.role == role or is_graded


def kind_of(path: str | os.PathLike[str]) -> Kind | None:
    """Return the likely kind of a file: "run", "qrels" (judgments or votes), or None for neither, or a collection.

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
    source = sheet_for(source_of(path), RECORDS_FIRST)
    role: Any = settle(source).what.role
    is_collection = role == "qrels" and has_queries_beside(source)
    return None if role in USES or is_collection else role or None


def judgments_among(paths: Sequence[str | os.PathLike[str]]) -> int | None:
    """Return the position of the judgments among several files: the last, unless that is a run for certain.

    Parameters
    ----------
    paths : list of str or path
        Files (``-`` is standard input), or names of something else.

    Returns
    -------
    int or None
        The position of the judgments; None if no file holds judgments.

    Raises
    ------
    ArgumentError
        If standard input is named twice.
    """
    expect_list(object, paths=paths)
    names = [*map(str, paths)]
    if names.count("-") > 1:
        raise ArgumentError("standard input (-) can be read only once; give the other input as a file")
    files = [*map(_settled_one, paths)]
    sure = [place for place, file in enumerate(files) if file and file.what.role == "qrels" and file.what.sure]
    roles = [file.what for file in files if file]
    if len(roles) < len(files) or not files:  # the name of a collection
        return max(sure, default=None)
    last = roles[-1]
    if last.form == "json" and "fraction" in last.why and any(what[:2] == ("qrels", "json") for what in roles):
        both = " and ".join(name for name, what in zip(names, roles, strict=True) if what.form == "json")
        raise ArgumentError(
            f"{both} could each be the run or the judgments; name the judgments: {Remedy('', qrels=...)}"
        )
    is_run = last.role in USES or (last.role == "run" and last.sure and last.form == "trec")
    perhaps = [place for place, what in enumerate(roles) if what.role == "qrels"]
    return max(sure or perhaps, default=None) if is_run else len(paths) - 1


def _settled_one(path: AnyPath) -> Settled | None:
    """Settle a file, or a folder of lists by its first one, as if all were in one; None for a collection."""
    name = str(path)
    if name == "-" or "://" in name or Path(path).is_file():
        return settle(path)
    first = next(iter(settled_lists(lists_by_query(path), "run").values()), None)
    if first is None:
        return None
    values = _values(first)
    is_valued = bool(values) and all(map(is_number, values))
    role = "qrels" if is_valued and are_whole(first) else "run"
    return first._replace(what=What(role, "rows" if is_valued else "json", sure=False))


def holds_judgments_only(path: AnyPath) -> bool:
    """True if a file can only hold judgments; a workbook may have a sheet of a run too."""
    what = settle(sheet_for(source_of(path), ("run", "qrels"))).what
    return what.role == "qrels" and what.sure and what.form in ("trec", "smart", "json")


def _values(file: Settled) -> list[float]:
    """Return the scores or grades at the beginning of a file; of unknown columns, those that may be grades."""
    if file.table is None:
        rows = map(columns_of_line, file.source.lines if file.what.form == "three" else ())
        return [number for row in rows if len(row) == 3 and (number := finite_number(row[2])) is not None]
    if file.parts.get("doc_id") == VALUE:
        groups = [row.cells.get(VALUE) for row in file.table.head]
        return [
            value
            for group in groups
            if isinstance(group, dict)
            for value in group.values()
            if isinstance(value, int | float)
        ]
    return file.table.numbers.get(file.parts.get(file.by, ""), [])


def are_whole(file: Settled) -> bool:
    """True if no value of a file is other than a small whole number, as grades are."""
    if file.what.form == "json":
        return file.what.role != "run"
    return all(abs(number) <= _LARGEST_GRADE and number % 1 == 0 for number in _values(file))


def rows_in(path: AnyPath, columns: ByPart | None = None) -> What:
    """Detect a run or judgments in a file; columns: part → that of the user."""
    return settle(path, columns=columns).what


@reader
def what_is(path: AnyPath, columns: ColumnNames = NAMELESS, name: str | None = None, place: str = "") -> What:
    """Detect the format and role of a file.

    columns : role → part → the user's column
    name : its path below a folder
    place : documents or queries, if it stands in their place; the path is then the sheet for them
    """
    source = source_of(path)
    if not place:
        source = sheet_for(source, RECORDS_FIRST)
    settled = (settle if source.sheets else settle_source)(source, "", columns.get("qrels") or {})
    rows = settled.what
    name = Path(source.path).name if name is None else name
    is_named = named_like_text(name) or named_like_text(name, (".pdf",))
    if (rows is BINARY and not is_named) or (rows.role in USES and not any(columns.values())):
        return rows
    is_pair = rows.form in ("table", "lines") and settled.is_pair and all(map(_OF_ID.search, settled.parts.values()))
    if is_pair and not place and not named_like_text(name):
        return rows._replace(role="qrels")
    if (place or not is_named) and other_notation(source.head):
        return What()
    first = source.head.lstrip()[:1]
    is_of_lists = source.data is not None and name.lower().endswith(".json") and first not in b"{["
    clues = Clues(f"{name}.csv" if source.sheet or is_of_lists else name, columns, rows, place)
    for begins, module, function in _FORMATS if first else ():
        may_begin = source.first_lines if begins is None else not begins or first in begins
        if may_begin:
            claim: What | None = getattr(import_module(f"toysearch.files.{module}"), function)(source, clues)
            if claim:
                return claim
    return What()
