"""Roster: the students of a class, and whose a notebook is by its folder or by the names of course systems."""

from __future__ import annotations

import csv
import os
import re
import stat
import time
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from toysearch.base import (
    ArgumentError,
    DataError,
    byte_size,
    counted,
    folded,
    groups_of,
    malformed,
    one_line,
    portable_name,
)
from toysearch.classroom.exercise import checked_name, seed
from toysearch.classroom.notebook import LARGEST, plain_content
from toysearch.files import replacing_bytes
from toysearch.files.source import whole_text

_EXPECTED = "expected a name and an id, such as Grace Hopper,gh12"
_NAMED = "or a first line that names the columns: name,id or first name,last name,ID number"
_HEADER = {
    **dict.fromkeys(("name", "full name", "student", "student name"), "name"),
    **dict.fromkeys(("first name", "first_name", "firstname", "given name", "vorname"), "first"),
    **dict.fromkeys(("last name", "last_name", "lastname", "surname", "family name", "nachname"), "last"),
    **dict.fromkeys(("id", "student_id", "student id", "id number", "matrikelnummer", "id-nummer"), "id"),
    **dict.fromkeys(("email", "e-mail", "email address", "e-mail address", "mail", "e-mail-adresse"), "email"),
    "sis user id": "sis",  # Canvas has this beside a number of its own
}
"""Name of a column of a class list, as Moodle, Canvas and nbgrader write it → what it holds."""
_PLAIN = {"name": 0, "id": 1}  # a list without such columns
_NOBODY = ("points possible", "student, test")  # rows of Canvas
_LONGEST = 60  # characters of a file's name


class Enrolled(NamedTuple):
    """Student of a class."""

    name: str  # what decides the numbers
    student_id: str  # the id in the course system; the name if the list has none
    last_name: str = ""  # the whole name if the list does not tell its parts
    first_name: str = ""
    email: str = ""


def read_roster(path: Path) -> list[Enrolled]:
    r"""Read the students of a class: one line each with a name and, after a comma, a semicolon or a tab, an id.

    A first line may name the columns, as in the lists that Moodle and Canvas export; others are not read.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "class.csv")
    >>> _ = path.write_text("name,id\nGrace Hopper,gh12\nAda\n")
    >>> [student[:2] for student in read_roster(path)]
    [('Grace Hopper', 'gh12'), ('Ada', 'Ada')]
    >>> _ = path.write_text("First name,Last name,ID number,Email address\nGrace,Hopper,gh12,gh@navy.mil\n")
    >>> read_roster(path)
    [Enrolled(name='Grace Hopper', student_id='gh12', last_name='Hopper', first_name='Grace', email='gh@navy.mil')]
    """
    # A name that holds a comma stands in quotation marks.
    students: list[Enrolled] = []
    lines: dict[tuple[str, str], int] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(whole_text(path).split("\n"), 1):
        delimiter = next((mark for mark in "\t;" if mark in line), ",")
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
        except csv.Error:
            raise malformed(path, number, f"{_EXPECTED}, found '{line}'; close its quotation mark") from None
        cells = [cell.strip() for cell in cells] if any(cell.strip() for cell in cells) else []
        if not (students or places) and (places := _places(cells)):
            continue
        if not cells or (places and cells[0].casefold() in _NOBODY):
            continue
        if not places and len(cells) > 2:
            raise malformed(path, number, f"{_EXPECTED}, {_NAMED}; found '{line}'")
        student = _student(cells, places)
        if not student.name:
            raise malformed(path, number, f"{_EXPECTED}, found '{line}'")
        try:
            student = student._replace(name=checked_name(student.name))
        except ArgumentError as error:
            raise malformed(path, number, str(error)) from None
        for key in (("name", seed(student.name)), ("id", student.student_id)):
            if (first := lines.setdefault(key, number)) != number:
                raise malformed(path, number, f"the {key[0]} of line {first} is repeated; make it unique")
        students.append(student)
    if not students:
        raise DataError(f"{path} holds no students; {_EXPECTED} on each line")
    return students


def _places(cells: Sequence[str]) -> dict[str, int]:
    """Return where a first line that names columns says that the parts of a name and the id stand; else nothing."""
    places = {_HEADER[cell.casefold()]: place for place, cell in enumerate(cells) if cell.casefold() in _HEADER}
    if len(cells) == 2 and cells[0].casefold() == "name":
        places["id"] = 1
    return places if places.keys() & {"name", "last"} and len(places) >= min(len(cells), 2) else {}


def _student(cells: Sequence[str], places: Mapping[str, int]) -> Enrolled:
    of_student = {part: cells[place] for part, place in (places or _PLAIN).items() if place < len(cells)}
    last, first = of_student.get("last", ""), of_student.get("first", "")
    name = of_student.get("name") or " ".join(filter(None, (first, last)))
    if not (last or first):  # Canvas writes Lovelace, Ada; parts of other names are not guessed
        last, _, first = map(str.strip, name.partition(","))
    student_id = of_student.get("sis") or of_student.get("id") or name
    return Enrolled(name, student_id, last, first, of_student.get("email", ""))


def safe_file_name(text: str) -> str:
    """Turn a name into a file name: letters and digits, with hyphens for all other characters.

    >>> safe_file_name("Chloé Müller"), safe_file_name("../etc/passwd"), safe_file_name("…")
    ('Chloé-Müller', 'etc-passwd', 'unnamed')
    """
    name = "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in text)
    while "--" in name or ".." in name:
        name = name.replace("--", "-").replace("..", ".")
    return name.strip("-.")[:_LONGEST] or "unnamed"


class HandedIn(NamedTuple):
    """Facts that a course system states of a notebook in the name of its file or folder."""

    system: str  # "moodle" or "canvas"
    name: str  # of the student, as the system writes it
    number: str  # of the student in that system; in Moodle a new one for each assignment
    file: str  # the name of the notebook; "" for the name of a folder
    late: bool  # whether the system says that it came late; Moodle does not say


_SYSTEMS = {
    "moodle": re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_file_?(?P<file>.*)"),
    "canvas": re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d{2,})_\d{2,}(_(?P<file>.+))?"),
}


def handed_in_as(text: str) -> HandedIn | None:
    """Split the name of a file or folder as Moodle or Canvas make it; None for another name.

    >>> handed_in_as("Lovelace Ada_12345_assignsubmission_file_")
    HandedIn(system='moodle', name='Lovelace Ada', number='12345', file='', late=False)
    >>> handed_in_as("lovelaceada_LATE_12345_67890_05-sets.ipynb")
    HandedIn(system='canvas', name='lovelaceada', number='12345', file='05-sets.ipynb', late=True)
    """
    for system, pattern in _SYSTEMS.items():
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            return HandedIn(system, parts["name"], parts["number"], parts["file"] or "", bool(parts.get("late")))
    return None


def handed_in_by(path: Path, folder: Path) -> HandedIn | None:
    """Return what a course system says about a notebook below a folder; the nearest name around it counts."""
    return next(filter(None, map(handed_in_as, _around(path, folder))), None)


def owner(path: Path, folder: Path, students: Sequence[Enrolled]) -> Enrolled | None:
    """Find the student to whom a notebook below a folder belongs, by the folders around it or its own name.

    A name is the id of a student, or one that a course system made from the student's name or number there.

    >>> ada = Enrolled("Ada", "a1")
    >>> [owner(Path("in", name), Path("in"), [ada]) == ada for name in ("week 1/a1/x.ipynb", "a1.ipynb", "b.ipynb")]
    [True, True, False]
    """
    ids = {safe_file_name(student.student_id).casefold(): student for student in students}
    letters = groups_of((_letters(student.name), student) for student in students)
    for name in _around(path, folder):
        if name.casefold() in ids:
            return ids[name.casefold()]
        if handed_in := handed_in_as(name):
            if handed_in.number in ids:
                return ids[handed_in.number]
            namesakes = letters.get(_letters(handed_in.name), [])
            if len(namesakes) == 1:
                return namesakes[0]
    return None


def _around(path: Path, folder: Path) -> list[str]:
    return [*path.relative_to(folder).parts[-2::-1], path.stem, folder.resolve().name]


def _letters(name: str) -> str:
    """Sort the letters of a name without accents: course systems write the parts of a name in different orders."""
    return "".join(sorted(letter for letter in folded(name.casefold()) if letter.isalnum()))


_PACKED = 100
"""Largest ratio of the size of the notebooks to that of their archive; a notebook is packed to a tenth."""

_MOST_FILES = 5_000
"""Largest number of files in an archive: a class has some hundred students."""

_MOST_BYTES = 1 << 31
"""Largest size of all notebooks of an archive."""


def collect(archive: Path, folder: Path, replace: bool = False) -> tuple[list[Path], list[str]]:
    """Unpack the notebooks of a course system's zip archive, each into a folder whose name says whose it is.

    Nothing is written unless everything can be: a name that leads out of the folder, a link, a notebook above 50 MB, a
    bomb, more than 5,000 files, or another notebook already in a place refuses the archive. Returns the notebooks, and
    the names of the other files, which stay in the archive.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            entries = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
            if len(entries) > _MOST_FILES:
                raise DataError(
                    f"{archive} is refused: it holds {len(entries):,} files, and at most {_MOST_FILES:,} are unpacked; "
                    "split it into several archives"
                )
            notebooks: dict[Path, zipfile.ZipInfo] = {}
            others: list[str] = []
            for entry in entries:
                place = _place(entry, archive)
                if place.suffix.casefold() != ".ipynb" or any(part.startswith(".") for part in place.parts):
                    others.append(one_line(entry.filename))
                elif notebooks.setdefault(folder / place, entry) is not entry:
                    raise DataError(f"{archive} is refused: two notebooks in it are called '{place}'")
            allowed = min(_PACKED * archive.stat().st_size + LARGEST, _MOST_BYTES)
            if sum(entry.file_size for entry in notebooks.values()) > allowed:
                raise DataError(f"{archive} is refused: it unpacks to more than {byte_size(allowed)}")
            for write in (False, True):  # everything is read once before anything is written
                for target, entry in notebooks.items():
                    _unpack(packed, entry, target, write, replace)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise DataError(f"{archive} is not a readable zip archive ({error}); download it again") from None
    if not notebooks:
        raise DataError(f"{archive} holds no notebook (.ipynb) among {counted(len(entries), 'file')}")
    return list(notebooks), others


def _place(entry: zipfile.ZipInfo, archive: Path) -> Path:
    """Return the place of a file of an archive below the folder; a name of a course system becomes that of a folder."""
    parts = entry.filename.replace("\\", "/").split("/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    plain = kind in (0, stat.S_IFREG)
    if not plain or ".." in parts or not parts[0] or ":" in parts[0]:
        what = "leads out of the folder" if plain else "is a link or a device"
        raise DataError(f"{archive} is refused: '{one_line(entry.filename)}' in it {what}")
    handed_in = handed_in_as(parts[-1])
    if handed_in and handed_in.file:
        parts[-1:] = [parts[-1].removesuffix(handed_in.file).removesuffix("_"), handed_in.file]
    return Path(*(" ".join(map(portable_name, part.split())) or "file" for part in parts))


def _unpack(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, write: bool, replace: bool) -> None:
    """Check a notebook of an archive and its place, or write it there with its time."""
    with packed.open(entry) as source:
        content = source.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(f"{packed.filename} is refused: '{target.name}' in it has more than {byte_size(LARGEST)}")
    if os.path.lexists(target):
        if plain_content(target) == content:
            return
        if not replace:
            raise ArgumentError(
                f"'{target}' already exists with other content; choose another folder, or move that file away"
            )
    if write:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(target) as file:
            file.write(content)
        when = time.mktime((*entry.date_time, 0, 0, -1))
        os.utime(target, (when, when))
