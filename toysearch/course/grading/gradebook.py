"""The gradebook: grades as JSON, CSV with nbgrader's columns, or Gradescope's results.json."""

from __future__ import annotations

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base import ArgumentError, DataError, malformed, spreadsheet_text
from toysearch.course.exercise import Lesson, checked_name, seed
from toysearch.course.grading.notebook_run import readable
from toysearch.formats import PAGE_MARK, numbered_lines, write_texts

if TYPE_CHECKING:
    from toysearch.course.grading.graded_notebook import GradedNotebook

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
    students: list[Enrolled] = []
    lines: dict[tuple[str, str], int] = {}
    for number, line in numbered_lines(path):
        delimiter = next((mark for mark in "\t;" if mark in line), ",")
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
        except csv.Error:
            raise malformed(path, number, f"{_EXPECTED}, found '{line}'; close its quotation mark") from None
        cells = [cell.strip() for cell in cells] if any(cell.strip() for cell in cells) else []
        if not cells or (not students and [cell.casefold() for cell in cells][:1] == ["name"]):
            continue
        if len(cells) > 2 or not cells[0]:
            raise malformed(path, number, f"{_EXPECTED}, found '{line}'")
        try:
            name = checked_name(cells[0])
        except ArgumentError as error:
            raise malformed(path, number, str(error)) from None
        student = Enrolled(name, cells[1] if len(cells) == 2 and cells[1] else name)
        for key in (("name", seed(student.name)), ("id", student.student_id)):
            if (first := lines.setdefault(key, number)) != number:
                raise malformed(path, number, f"the {key[0]} of line {first} is repeated; make it unique")
        students.append(student)
    if not students:
        raise DataError(f"{path} holds no students; {_EXPECTED} on each line")
    return students


def safe_file_name(text: str) -> str:
    """A name as a file name: letters and digits, with hyphens for all other characters.

    >>> safe_file_name("Chloé Müller"), safe_file_name("../etc/passwd"), safe_file_name("…")
    ('Chloé-Müller', 'etc-passwd', 'unnamed')
    """
    name = "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in text)
    while "--" in name or ".." in name:
        name = name.replace("--", "-").replace("..", ".")
    return name.strip("-.")[:_LONGEST] or "unnamed"


def owner(path: Path, folder: Path, students: Sequence[Enrolled]) -> Enrolled | None:
    """The student to whom a notebook below a folder belongs: the folders around it, or its own name, are an id.

    >>> ada = Enrolled("Ada", "a1")
    >>> [owner(Path("in", name), Path("in"), [ada]) == ada for name in ("week 1/a1/x.ipynb", "a1.ipynb", "b.ipynb")]
    [True, True, False]
    """
    folders = {safe_file_name(student.student_id).casefold(): student for student in students}
    around = [*path.relative_to(folder).parts[-2::-1], path.stem, folder.resolve().name]  # the nearest one first
    return next((folders[name.casefold()] for name in around if name.casefold() in folders), None)


_NBGRADER = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def as_json(graded: Sequence[GradedNotebook], folder: Path | None = None) -> str:
    """A list with one object per notebook, with paths below a folder."""
    rows = []
    for notebook in graded:
        inside = folder is not None and notebook.path.is_relative_to(folder)
        path = notebook.path.relative_to(folder).as_posix() if folder and inside else notebook.path.name
        rows.append(notebook.data() | {"notebook": readable(path)})
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def missing(graded: Sequence[GradedNotebook], students: Sequence[Enrolled]) -> list[tuple[Lesson, Enrolled]]:
    """The students of a class without a notebook of a lab, for each lab of which there are notebooks."""
    there = {(notebook.lesson, seed(notebook.student)) for notebook in graded}
    lessons = sorted({notebook.lesson for notebook in graded if notebook.lesson})
    return [(of, student) for of in lessons for student in students if (of, seed(student.name)) not in there]


def as_csv(
    graded: Sequence[GradedNotebook],
    students: Sequence[Enrolled] = (),
    absent: Sequence[tuple[Lesson, Enrolled]] = (),
) -> str:
    """One row for each notebook: the columns that nbgrader exports, then one for each exercise's points.

    What only a gradebook knows (dates, mail addresses) is empty. The students of `missing` get a row of zeros.
    """
    ids = {seed(student.name): student.student_id for student in students}
    lessons = sorted({notebook.lesson for notebook in graded if notebook.lesson})
    numbers = [exercise.number for lab in lessons for exercise in lab.exercises]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*_NBGRADER, *numbers], restval="", lineterminator="\n")
    writer.writeheader()
    for notebook in graded:
        points = {verdict.number: verdict.score for verdict in notebook.verdicts}
        writer.writerow(
            _row(notebook.lesson, ids.get(seed(notebook.student), notebook.student), notebook.max_score, points)
        )
    for of, student in absent:
        most = sum(exercise.points for exercise in of.exercises)
        writer.writerow(_row(of, student.student_id, most, {exercise.number: 0 for exercise in of.exercises}))
    return text.getvalue()


def _row(of: Lesson | None, student_id: str, most: int, points: dict[str, int]) -> dict[str, Any]:
    """A row of the CSV file."""
    score = float(sum(points.values()))
    row = {
        "assignment": of.stem if of else "",
        "student_id": spreadsheet_text(student_id),
        "raw_score": score,
        "late_submission_penalty": 0.0,
        "score": score,
        "max_score": float(most),
    }
    return row | points


def as_gradescope(graded: GradedNotebook) -> str:
    """The results.json of one submission, as Gradescope's autograder reads it.

    Gradescope, Autograder Specifications, section Output format.
    """
    tests = [
        {
            "number": verdict.number,
            "name": verdict.title,
            "score": verdict.score,
            "max_score": verdict.points,
            "status": "passed" if verdict.passed else "failed",
            "output": " ".join(verdict.sentences),
            "visibility": "visible",
        }
        for verdict in graded.verdicts
    ]
    results = {
        "score": graded.score,
        "execution_time": round(graded.seconds),
        "output": "\n".join(graded.troubles),
        "visibility": "visible",
        "tests": tests,
        "extra_data": {"student": graded.student, "lab": graded.lesson.stem if graded.lesson else None},
    }
    return json.dumps(results, ensure_ascii=False, indent=1) + "\n"


def write(text: str, path: Path) -> None:
    """Write a file completely or not at all."""
    write_texts([text], path)


CLASS = "class.html"
"""The name of the page for the class."""

_COMMONEST = 10
_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem }
tr { border-bottom: 1px solid #8886 } main { overflow-x: auto }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
"""


def write_feedback(
    graded: Sequence[GradedNotebook], folder: Path, absent: Sequence[tuple[Lesson, Enrolled]] = ()
) -> list[Path]:
    """Write one page per notebook, and one for the class; existing pages are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[Path, str] = {}
    for notebook in graded:
        stem = f"{notebook.lesson.stem if notebook.lesson else 'unknown'}-{safe_file_name(notebook.student)}"
        number, path = 1, folder / f"{stem}.html"
        while path in pages:
            number += 1
            path = folder / f"{stem}-{number}.html"
        pages[path] = student_page(notebook)
    pages[folder / CLASS] = class_page(graded, absent)
    for path, text in pages.items():
        write_texts([text], path)
    return list(pages)


def student_page(graded: GradedNotebook) -> str:
    """The page of a student: each exercise with its points and the comment on the answer."""
    title = f"Lab {graded.lesson.number}: {graded.lesson.title}" if graded.lesson else "A notebook of an unknown lab"
    rows = [
        (verdict.number, verdict.title, f"{verdict.score}/{verdict.points}", " ".join(verdict.sentences))
        for verdict in graded.verdicts
    ]
    parts = [
        f"<p>{html.escape(graded.student)}: {graded.score} of {graded.max_score} points</p>",
        _table(("exercise", "", "points", ""), rows),
    ]
    if graded.troubles:
        parts += ["<h2>Notes</h2>", _list(graded.troubles)]
    return _page(title, parts)


def class_page(graded: Sequence[GradedNotebook], absent: Sequence[tuple[Lesson, Enrolled]] = ()) -> str:
    """The page for the lecturer: the hardest exercises of each lab, the most common mistakes, and the students."""
    parts: list[str] = []
    for lesson in sorted({notebook.lesson for notebook in graded if notebook.lesson}):
        of = [notebook for notebook in graded if notebook.lesson == lesson]
        mean = sum(notebook.score / notebook.max_score for notebook in of) / len(of)
        rows = []
        for place, exercise in enumerate(lesson.exercises):
            states = Counter(notebook.verdicts[place].state for notebook in of)
            counts = states["right"], states["wrong"] + states["refused"], states["unanswered"]
            rows.append((counts, (exercise.number, exercise.title)))
        rows.sort(key=lambda row: (row[0][0], -row[0][1]))
        hardest = [(*names, *map(str, counts)) for counts, names in rows]
        parts += [
            f"<h2>Lab {lesson.number}: {html.escape(lesson.title)}</h2>",
            f"<p>{len(of)} notebook{'s' * (len(of) != 1)}, {mean:.0%} of the points</p>",
            "<h3>Exercises, the hardest first</h3>",
            _table(("exercise", "", "right", "wrong", "not answered"), hardest),
        ]
        comments = Counter(
            (verdict.number, verdict.sentences[0])
            for notebook in of
            for verdict in notebook.verdicts
            if verdict.state == "wrong"
        )
        common = comments.most_common(_COMMONEST)
        if mistakes := [(str(times), number, comment) for (number, comment), times in common if times > 1]:
            parts += ["<h3>The most common mistakes</h3>", _table(("times", "exercise", ""), mistakes)]
        points = [(notebook.student, f"{notebook.score}/{notebook.max_score}") for notebook in of]
        points += [(student.name, "nothing was handed in") for lab, student in absent if lab == lesson]
        parts += ["<h3>Students</h3>", _table(("student", "points"), sorted(points))]
    unread = [f"{notebook.student}: {' '.join(notebook.troubles)}" for notebook in graded if not notebook.lesson]
    if unread:
        parts += ["<h2>Not graded</h2>", _list(unread)]
    return _page("The class", parts)


def _page(title: str, parts: Iterable[str]) -> str:
    head = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    head += f"{PAGE_MARK}\n"
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    body = "\n".join([f"<h1>{html.escape(title)}</h1>", *parts])
    return f"{head}<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n<main>\n{body}\n</main>\n</html>\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "\n".join(["<table>", line(header, "th"), *(line(row, "td") for row in rows), "</table>"])


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in sentences) + "</ul>"
