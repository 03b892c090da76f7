"""Files that are made anew each time, told by their content from those that a user made."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toysearch.errors import ArgumentError, ToysearchError, unknown
from toysearch.formats.detect_run_or_qrels import form_of
from toysearch.formats.peek import DAMAGE, beginning
from toysearch.formats.text_files import finite_number, open_bytes

SVG_MARK = "<!-- made by toysearch -->"
"""What stands in every SVG picture that is written to a file."""

PNG_TEXT = b"Software\0toysearch"
"""The text of every PNG picture that is written to a file: a keyword of the standard, and its value."""

PAGE_MARK = '<meta name="generator" content="toysearch">'
"""What stands in the head of every page."""

GRADES_HEADER = "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
"""What a table of a class's points begins with."""


def refuse_loss(path: str | Path, kind: str) -> None:
    """Refuse to write where a user's work would be lost: the file is there, and is not one that is made anew.

    Parameters
    ----------
    path : str or Path
        Where is to be written; ``-`` is standard output. A device or a pipe holds nothing that could be lost.
    kind : {"run", "judgments", "sheet", "page", "chart", "grades"}
        What is to be written. Judgments are never replaced: people made them.

    Raises
    ------
    ArgumentError
        If the file is there, holds anything, and is not of that kind.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.run")
    >>> refuse_loss(path, "run")
    >>> _ = path.write_text("1 Q0 cat 1 0.5 mine")
    >>> refuse_loss(path, "run")
    >>> refuse_loss(path, "page")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    toysearch.errors.ArgumentError: '...pets.run' is there already and is not a page that toysearch made; ...
    """
    if kind not in KINDS:
        raise unknown("kind of file", kind, KINDS, "kinds of files")
    file, (name, is_ours) = Path(path), KINDS[kind]
    try:
        if str(path) == "-" or not file.is_file() or not file.stat().st_size or is_ours(file):
            return
    except (*DAMAGE, ToysearchError, ValueError, RecursionError):
        pass  # what cannot be read is not ours
    raise ArgumentError(f"'{path}' is there already and is not {name}; choose another name, or give --force")


def _is_run(path: Path) -> bool:
    """Whether it can be a run alone. JSON does not tell scores from fractional grades."""
    from toysearch.formats.runs import read_run

    form = form_of(path)
    if form.kind != "run" or form.layout not in ("trec", "table"):
        return False
    if form.layout == "trec":
        rank = beginning(path).split(b"\n", 1)[0].split()[3].decode()
        if finite_number(rank) is None:  # six words, the fifth a number: a sentence
            return False
    read_run(path)  # to the end
    return True


def _is_blank_sheet(path: Path) -> bool:
    """Whether it is a pool in which nobody has judged anything."""
    with open_bytes(path) as file:  # unpacked
        text = file.read().decode("utf-8-sig")
    header = text.split("\n", 1)[0]
    rows = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in header else ",")
    names = list(rows.fieldnames or ())
    return names[:3] == ["query_id", "doc_id", "relevance"] and not any(str(row["relevance"]).strip() for row in rows)


def _is_picture(path: Path) -> bool:
    data = path.read_bytes()
    return (data.startswith(b"\x89PNG") and PNG_TEXT in data) or (
        data.startswith(b"<svg") and SVG_MARK.encode() in data
    )


def _is_page(path: Path) -> bool:
    return PAGE_MARK.encode() in path.read_bytes()[:4096]


def _is_chart(path: Path) -> bool:
    return _is_picture(path) or _is_page(path)


def _is_grades(path: Path) -> bool:
    """Whether it holds a class's points: the table, the list of all there is, or Gradescope's results."""
    text = path.read_text(encoding="utf-8")
    if text.startswith(GRADES_HEADER):
        return True
    held: Any = json.loads(text)
    if isinstance(held, dict):
        return {"tests", "execution_time", "extra_data"} <= held.keys()
    return isinstance(held, list) and all({"student", "lab", "exercises"} <= each.keys() for each in held)


def _never(_: Path) -> bool:
    return False


KINDS: dict[str, tuple[str, Callable[[Path], bool]]] = {
    "run": ("a run in TREC's form or a table", _is_run),
    "judgments": ("replaced, for judgments are people's work", _never),
    "sheet": ("a sheet without judgments", _is_blank_sheet),
    "page": ("a page that toysearch made", _is_page),
    "chart": ("a chart that toysearch made", _is_chart),
    "grades": ("a file of grades that toysearch made", _is_grades),
}
"""What a command writes → what it is called, and whether a file is one that may be replaced."""
