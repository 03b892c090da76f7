"""Grades for other programs: JSON with all there is, CSV with nbgrader's columns, Gradescope's results.json."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toysearch.course.grading.grading import Graded
from toysearch.course.grading.notes import readable
from toysearch.course.grading.roster import Enrolled
from toysearch.course.students import seed
from toysearch.errors import ArgumentError
from toysearch.formats.writing import write_texts
from toysearch.wording import spreadsheet_text

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


def as_dict(graded: Graded, folder: Path | None = None) -> dict[str, Any]:
    """All that is known of a graded notebook."""
    inside = folder is not None and graded.path.is_relative_to(folder)
    return {
        "student": graded.student,
        "lab": graded.lesson.number if graded.lesson else None,
        "notebook": readable(graded.path.relative_to(folder).as_posix() if folder and inside else graded.path.name),
        "score": graded.score,
        "max_score": graded.max_score,
        "seconds": round(graded.seconds, 1),
        "troubles": list(graded.troubles),
        "exercises": [
            {
                "number": each.number,
                "title": each.title,
                "state": each.state,
                "score": each.score,
                "max_score": each.points,
                "sentences": list(each.sentences),
            }
            for each in graded.verdicts
        ],
    }


def as_json(graded: Sequence[Graded], folder: Path | None = None) -> str:
    """A list with an object for each notebook."""
    return json.dumps([as_dict(each, folder) for each in graded], ensure_ascii=False, indent=1) + "\n"


def as_csv(graded: Sequence[Graded], students: Sequence[Enrolled] = ()) -> str:
    """One row for each notebook: the columns that nbgrader exports, then one for each exercise's points.

    What only a gradebook knows (dates, mail addresses) is empty.
    """
    ids = {seed(each.name): each.student_id for each in students}
    lessons = sorted({each.lesson for each in graded if each.lesson})
    numbers = [exercise.number for each in lessons for exercise in each.exercises]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*_NBGRADER, *numbers], restval="", lineterminator="\n")
    writer.writeheader()
    for each in graded:
        row: dict[str, Any] = {
            "assignment": each.lesson.stem if each.lesson else "",
            "student_id": spreadsheet_text(ids.get(seed(each.student), each.student)),
            "raw_score": float(each.score),
            "late_submission_penalty": 0.0,
            "score": float(each.score),
            "max_score": float(each.max_score),
        }
        writer.writerow(row | {verdict.number: verdict.score for verdict in each.verdicts})
    return text.getvalue()


def as_gradescope(graded: Graded) -> str:
    """The results.json of one submission, as Gradescope's autograder reads it.

    Gradescope, Autograder Specifications, section Output format.
    """
    tests = [
        {
            "number": each.number,
            "name": each.title,
            "score": each.score,
            "max_score": each.points,
            "status": "passed" if each.passed else "failed",
            "output": " ".join(each.sentences),
            "visibility": "visible",
        }
        for each in graded.verdicts
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


def check_place(path: Path) -> None:
    """Refuse a file that cannot be there, before the work of a whole class is run in vain."""
    if path.is_dir():
        raise ArgumentError(f"'{path}' is a folder; name a file")
    if not path.parent.is_dir():
        raise ArgumentError(f"'{path}': there is no folder '{path.parent}'; make it, or choose another")


def write(text: str, path: Path) -> None:
    """Write a file, whole or not at all."""
    write_texts([text], path)
