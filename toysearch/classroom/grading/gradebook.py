"""Gradebook: grades as JSON, as CSV for nbgrader, Moodle or Canvas, and as Gradescope's results.json."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toysearch.base import spreadsheet_text
from toysearch.classroom.exercise import Lesson, seed
from toysearch.classroom.grading.graded_notebook import GradedNotebook, labs_of, without_answers
from toysearch.classroom.grading.notebook_run import readable
from toysearch.classroom.grading.roster import Enrolled
from toysearch.classroom.open_question import open_questions

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
    """List one object per notebook, with paths below a folder."""
    rows = []
    for notebook in graded:
        inside = folder is not None and notebook.path.is_relative_to(folder)
        path = notebook.path.relative_to(folder).as_posix() if folder and inside else notebook.path.name
        rows.append(notebook.data() | {"notebook": readable(path)})
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def rows_of_class(
    graded: Sequence[GradedNotebook], students: Sequence[Enrolled], complete: bool = True
) -> list[GradedNotebook]:
    """Return one notebook for each student of a class and lab: of several the one with the most points.

    Once all are graded, a student without a notebook of a lab has one without answers. Without a class, all notebooks.
    """
    if not students:
        return list(graded)
    rows: dict[tuple[Lesson | None, str], GradedNotebook] = {}
    for notebook in graded:
        key = notebook.lesson, seed(notebook.student)
        if key not in rows or notebook.score > rows[key].score:
            rows[key] = notebook
    for lab in labs_of(graded) if complete else []:
        for student in students:
            if (lab, seed(student.name)) not in rows:
                rows[lab, seed(student.name)] = without_answers(lab, student.name)
    return list(rows.values())


def as_csv(rows: Sequence[GradedNotebook], students: Sequence[Enrolled] = ()) -> str:
    """Write one row for each notebook: the columns that nbgrader exports, then one for each exercise's points.

    What only a gradebook knows (dates) is empty, and without a class list, names and mail addresses are too.
    """
    enrolled = {seed(notebook.student): Enrolled(notebook.student, notebook.student) for notebook in rows}
    enrolled |= {seed(student.name): student for student in students}
    lessons = labs_of(rows)
    counted = {verdict.number for notebook in rows for verdict in notebook.verdicts}
    numbers = []
    for lab in lessons:
        numbers += [exercise.number for exercise in lab.exercises]
        numbers += [question.number for question in open_questions(lab.number) if question.number in counted]
    lines: list[dict[str, Any]] = [
        _of_student(enrolled[seed(notebook.student)])
        | {
            "assignment": notebook.lesson.stem if notebook.lesson else "",
            "raw_score": float(notebook.raw_score),
            "late_submission_penalty": float(notebook.penalty),
            "score": float(notebook.score),
            "max_score": float(notebook.max_score),
        }
        | {verdict.number: verdict.score for verdict in notebook.verdicts}
        for notebook in rows
    ]
    return _csv([*_NBGRADER, *numbers], lines)


def _of_student(student: Enrolled) -> dict[str, str]:
    return {part: spreadsheet_text(text) for part, text in student._asdict().items() if part != "name"}


def _csv(columns: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


_MOODLE = (
    "Identifier",
    "Full name",
    "Grade",
    "Maximum Grade",
    "Last modified (grade)",
    "Feedback comments",
)


def as_moodle(rows: Sequence[GradedNotebook]) -> str:
    """Write the grading worksheet of an assignment, as Moodle imports it: a row for each notebook with a Moodle number.

    Moodle, assignfeedback_offline: Identifier, Grade and Last modified (grade) are required, in English.
    """
    lines = []
    for notebook in rows:
        if (source := notebook.handed_in) and source.system == "moodle":
            comments = [
                f"{verdict.number}: {verdict.score}/{verdict.points}. {' '.join(verdict.sentences)}"
                for verdict in notebook.verdicts
            ]
            feedback = "<br>".join(map(html.escape, [*comments, *notebook.remarks]))
            name = spreadsheet_text(notebook.student)
            points = f"{notebook.score:.2f}", f"{notebook.max_score:.2f}"
            row = (f"Participant {source.number}", name, *points, "-", feedback)
            lines.append(dict(zip(_MOODLE, row, strict=True)))
    return _csv(_MOODLE, lines)


def as_canvas(rows: Sequence[GradedNotebook], students: Sequence[Enrolled] = ()) -> str:
    """Write a gradebook as Canvas imports it: a row for each student, with a column for each lab.

    Canvas finds a student by the number in the name of the notebook, else by the id of the class list (SIS User ID).
    Its importer (canvas-lms, lib/gradebook_importer.rb) requires these columns up to Section, in this order.
    """
    ids = {seed(student.name): student.student_id for student in students}
    labs = labs_of(rows)
    lines: dict[str, dict[str, Any]] = {}
    for notebook in rows:
        if notebook.lesson:
            line = lines.setdefault(seed(notebook.student), {"Student": spreadsheet_text(notebook.student)})
            line["SIS User ID"] = spreadsheet_text(ids.get(seed(notebook.student), ""))
            line[notebook.lesson.stem] = notebook.score
            if (source := notebook.handed_in) and source.system == "canvas":
                line["ID"] = source.number
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(lab.stem for lab in labs)]
    most = {notebook.lesson.stem: notebook.max_score for notebook in rows if notebook.lesson}
    return _csv(columns, [{"Student": "    Points Possible"} | most, *lines.values()])


def as_gradescope(graded: GradedNotebook) -> str:
    """Write the results.json of one submission, as Gradescope's autograder reads it.

    Gradescope, Autograder Specifications, section Output format.
    """
    tests = [
        {
            "number": verdict.number,
            "name": verdict.title,
            "score": verdict.score,
            "max_score": verdict.points,
            "status": "passed" if verdict.score == verdict.points else "failed",
            "output": " ".join(verdict.sentences),
            "visibility": "visible",
        }
        for verdict in graded.verdicts
    ]
    results = {
        "score": graded.score,
        "execution_time": round(graded.seconds),
        "output": "\n".join(graded.remarks),
        "visibility": "visible",
        "tests": tests,
        "extra_data": {"student": graded.student, "lab": graded.lesson.stem if graded.lesson else None},
    }
    return json.dumps(results, ensure_ascii=False, indent=1) + "\n"
