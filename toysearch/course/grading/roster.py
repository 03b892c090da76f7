"""The names of a class, and the folders in which its students hand in."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from toysearch.base import ArgumentError, DataError, malformed
from toysearch.course.exercise import checked_name, seed
from toysearch.formats import numbered_lines

_EXPECTED = "expected a name and an id, such as Grace Hopper,gh12"
_LONGEST = 60  # characters of a file's name


class Enrolled(NamedTuple):
    """A student of a class."""

    name: str  # what decides the numbers
    student_id: str  # the id in the course system; the name if the list has none


def read_roster(path: Path) -> list[Enrolled]:
    r"""The students of a class: one line each with a name and, after a comma, a semicolon or a tab, an id.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "class.csv")
    >>> _ = path.write_text("name,id\nGrace Hopper,gh12\nAda\n")
    >>> read_roster(path)
    [Enrolled(name='Grace Hopper', student_id='gh12'), Enrolled(name='Ada', student_id='Ada')]
    """
    # A first line `name,id` is taken for a header. A name that holds a comma stands in quotation marks.
    found: list[Enrolled] = []
    lines: dict[tuple[str, str], int] = {}
    for number, line in numbered_lines(path):
        cells = _cells(path, number, line)
        if not cells or (not found and [cell.casefold() for cell in cells][:1] == ["name"]):
            continue
        if len(cells) > 2 or not cells[0]:
            raise malformed(path, number, f"{_EXPECTED}, found '{line}'")
        try:
            name = checked_name(cells[0])
        except ArgumentError as error:
            raise malformed(path, number, str(error)) from None
        each = Enrolled(name, cells[1] if len(cells) == 2 and cells[1] else name)
        for key in (("name", seed(each.name)), ("id", each.student_id)):
            if (first := lines.setdefault(key, number)) != number:
                raise malformed(path, number, f"the {key[0]} of line {first} is repeated; make it unique")
        found.append(each)
    if not found:
        raise DataError(f"{path} holds no students; {_EXPECTED} on each line")
    return found


def safe_file_name(text: str) -> str:
    """A name as a file name: letters and digits, with hyphens for all other characters.

    >>> safe_file_name("Chloé Müller"), safe_file_name("../etc/passwd"), safe_file_name("…")
    ('Chloé-Müller', 'etc-passwd', 'unnamed')
    """
    kept = "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in text)
    while "--" in kept or ".." in kept:
        kept = kept.replace("--", "-").replace("..", ".")
    return kept.strip("-.")[:_LONGEST] or "unnamed"


def _cells(path: Path, number: int, line: str) -> list[str]:
    delimiter = next((mark for mark in "\t;" if mark in line), ",")
    try:
        cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise malformed(path, number, f"{_EXPECTED}, found '{line}'; close its quotation mark") from None
    return [cell.strip() for cell in cells] if any(cell.strip() for cell in cells) else []


def owner(path: Path, folder: Path, students: Sequence[Enrolled]) -> Enrolled | None:
    """The student to whom a notebook below a folder belongs: the folders around it, or its own name, are an id.

    >>> ada = Enrolled("Ada", "a1")
    >>> [owner(Path("in", name), Path("in"), [ada]) == ada for name in ("week 1/a1/x.ipynb", "a1.ipynb", "b.ipynb")]
    [True, True, False]
    """
    folders = {safe_file_name(each.student_id).casefold(): each for each in students}
    around = [*path.relative_to(folder).parts[-2::-1], path.stem, folder.resolve().name]  # the nearest one first
    return next((folders[name.casefold()] for name in around if name.casefold() in folders), None)
