"""Files that may be replaced: those that toysearch made, and never a user's own work."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from toysearch.base import ArgumentError, ToysearchError, expect_name
from toysearch.files.numbers import finite_number
from toysearch.files.recognise import rows_in
from toysearch.files.runs_and_judgments import read_run
from toysearch.files.source import open_bytes, source_of
from toysearch.files.unpacking import DAMAGE
from toysearch.files.writing import PAGE_MARK, PDF_MARK, PNG_TEXT, SVG_MARK, record_in

_GRADES = re.compile(
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
    r"|Identifier,Full name,Grade,Maximum Grade,|Student,ID,SIS User ID,SIS Login ID,Section(,\d\d-\w+)*\n"
)
"""Beginning of a table of the points of a class."""


def refuse_loss(path: str | PathLike[str], kind: str) -> None:
    """Refuse to overwrite a file that may hold a user's work.

    A user's judgments are never replaced: people made them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.run")
    >>> refuse_loss(path, "run")
    >>> _ = path.write_text("1 Q0 cat 1 0.5 mine")
    >>> refuse_loss(path, "run")
    >>> refuse_loss(path, "page")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: '...pets.run' already exists and is not a page that toysearch made; ...
    """
    expect_name("kind of file", kind, KINDS, "kinds of files")
    file, (name, is_ours) = Path(path), KINDS[kind]
    try:
        if str(path) == "-" or not file.is_file() or not file.stat().st_size:
            return
        if is_ours(file) and source_of(file).unit == "line":  # no workbook is written
            return
    except (*DAMAGE, ToysearchError, ValueError, RecursionError):
        pass  # an unreadable file was not made by toysearch
    raise ArgumentError(f"'{path}' already exists and is not {name}; choose another name")


def _is_run(path: Path) -> bool:
    source = source_of(path)
    what = rows_in(source)
    if what.role != "run" or what.form not in ("trec", "table"):
        return False
    if what.form == "trec":
        rank = source.head.split(b"\n", 1)[0].split()[3].decode()
        if finite_number(rank) is None:  # six words, the fifth a number: a sentence
            return False
    read_run(source)  # to the end
    return True


def _is_blank_sheet(path: Path) -> bool:
    with open_bytes(path) as file:  # unpacked
        text = file.read().decode("utf-8-sig")
    header = text.split("\n", 1)[0]
    rows = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in header else ",")
    names = list(rows.fieldnames or ())
    filled = (row[name] for row in rows for name in ("relevance", "reason") if name in names)
    return names[:3] == ["query_id", "doc_id", "relevance"] and not any(str(cell or "").strip() for cell in filled)


def _is_page(path: Path) -> bool:
    return PAGE_MARK.encode() in path.read_bytes()[:4096]


def _is_chart(path: Path) -> bool:
    data = path.read_bytes()
    is_png = data.startswith(b"\x89PNG") and PNG_TEXT in data
    is_pdf = data.startswith(b"%PDF-") and data.endswith(PDF_MARK)
    return is_png or is_pdf or (data.startswith(b"<svg") and SVG_MARK.encode() in data) or _is_page(path)


def _is_grades(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if _GRADES.match(text):
        return True
    content: Any = json.loads(text)
    if isinstance(content, dict):
        return {"tests", "execution_time", "extra_data"} <= content.keys()
    return isinstance(content, list) and all({"student", "lab", "exercises"} <= row.keys() for row in content)


KINDS: dict[str, tuple[str, Callable[[Path], bool]]] = {
    "run": ("a run in TREC format or a table", _is_run),
    "record": ("what toysearch keeps beside a run", lambda path: record_in(path) is not None),
    "judgments": ("replaced, because people made the judgments", lambda _: False),
    "sheet": ("a sheet without judgments", _is_blank_sheet),
    "page": ("a page that toysearch made", _is_page),
    "chart": ("a chart that toysearch made", _is_chart),
    "grades": ("a file of grades that toysearch made", _is_grades),
}
"""Kind of file → its description, and the test whether a file may be replaced."""
