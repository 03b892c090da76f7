"""Detection of formats: each format, in order, looks at the beginning of a file and may claim it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from toysearch.base import ArgumentError, Remedy, checked
from toysearch.files.claims import NAMELESS, USES, Clues, ColumnNames, What
from toysearch.files.document_formats import is_dataset
from toysearch.files.query_lists import lists_by_query
from toysearch.files.roles import settle
from toysearch.files.sheets import RECORDS_FIRST, sheet_for
from toysearch.files.source import AnyPath, Source, source_of
from toysearch.files.syntaxes import word_counts
from toysearch.files.unpacking import table_name

__all__ = ["holds_documents", "is_file", "judgments_among", "kind_of"]

Kind = Literal["run", "qrels"]

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
    (None, "syntaxes.texts", "claims"),
)
"""Bytes with which a format may begin (b"": any, None: a line), its module, and its function; in order of precedence.
"""


@checked
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
    """True if a source in the place of judgments is a file of them, or files named after queries; no collection."""
    return is_file(source) or bool(lists_by_query(source))


@checked
def holds_documents(path: str | os.PathLike[str]) -> bool:
    """True if a file holds documents, not a run or judgments; a table of unknown columns counts as documents.

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
    source = sheet_for(source_of(path), RECORDS_FIRST)
    if not os.path.isfile(source.path) or settle(source).what.role:
        return False
    role = what_is(source).role
    return role == "documents" or (not role and table_name(source.path).endswith((".csv", ".tsv")))


@checked
def kind_of(path: str | os.PathLike[str]) -> Kind | None:
    """Return the likely kind of a file: "run", "qrels" (judgments or votes), or None for neither.

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
    role: Any = settle(sheet_for(source_of(path), RECORDS_FIRST)).what.role
    return None if role in USES else role or None


@checked
def judgments_among(paths: Sequence[str | os.PathLike[str]]) -> int | None:
    """Return the position of the judgments among several files.

    A file that can only be judgments is chosen at any position. JSON does not distinguish grades from scores: of
    several such files the last one is chosen. An empty file is chosen only if it comes last. Ranks and tables of lists
    are a run unless the user names them as judgments.

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
        If standard input is named twice, or the last file may be a run and one before it the judgments.
    """
    names = [*map(str, paths)]
    if names.count("-") > 1:
        raise ArgumentError("standard input (-) can be read only once; give the other input as a file")
    forms = {
        place: rows_in(path)
        for place, (path, name) in enumerate(zip(paths, names, strict=True))
        if name == "-" or "://" in name or Path(path).is_file()
    }
    sure = [place for place, what in forms.items() if what.role == "qrels" and what.sure]
    if sure:
        return sure[-1]  # of several, one is a run with missing columns, which its reader reports
    either = [place for place, what in forms.items() if not what.sure and (what.role != "run" or what.form == "json")]
    if len(forms) < len(paths):  # the name of a collection
        return None
    others = [names[place] for place in either[:-1] if forms[place].role == "qrels"]  # whole numbers, as grades are
    if others and forms[either[-1]].role != "qrels":
        both = " and ".join([*others, names[either[-1]]])
        raise ArgumentError(
            f"{both} could each be the run or the judgments; name the judgments: {Remedy('', qrels=...)}"
        )
    last = len(paths) - 1
    return either[-1] if either else last if forms and forms[last].form == "empty" else None


def rows_in(path: AnyPath, columns: Mapping[str, str] | None = None) -> What:
    """Detect a run or judgments in a file; columns: part → that of the user."""
    return settle(path, columns=columns).what


def what_is(path: AnyPath, columns: ColumnNames = NAMELESS, name: str | None = None, place: str = "") -> What:
    """Detect the format and role of a file.

    columns : role → part → the user's column
    name : its path below a folder
    place : documents or queries, if it stands in their place
    """
    source = path if isinstance(path, Source) else source_of(path)
    source = sheet_for(source, (place,) if place else RECORDS_FIRST, columns.get(place))
    rows = settle(source, columns=columns.get("qrels")).what
    if rows.role in USES and not any(columns.values()):
        return rows
    name = Path(source.path).name if name is None else name
    clues = Clues(f"{name}.csv" if source.sheet else name, columns, rows, place)
    first = source.head.lstrip()[:1]
    claimed = (
        _claimed(module, function, source, clues)
        for begins, module, function in _FORMATS
        if first and (source.first_lines if begins is None else not begins or first in begins)
    )
    return next(filter(None, claimed), What())


def _claimed(module: str, function: str, source: Source, clues: Clues) -> What | None:
    claim: What | None = getattr(import_module(f"toysearch.files.{module}"), function)(source, clues)
    return claim
