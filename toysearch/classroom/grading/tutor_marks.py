"""Decisions of a tutor about a notebook: points by hand, comments, and how late it came."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from toysearch.base import ArgumentError, counted, groups_of, malformed, one_line
from toysearch.classroom.answers import Verdict
from toysearch.classroom.exercise import LESSONS, Lesson, seed
from toysearch.classroom.grading.graded_notebook import GradedNotebook
from toysearch.classroom.grading.roster import Enrolled
from toysearch.classroom.open_question import open_questions
from toysearch.classroom.times import moment
from toysearch.files.source import whole_text

_COLUMNS = ("student", "exercise", "points", "late", "comment")


class TutorMark(NamedTuple):
    """Row of a tutor's file."""

    line: int
    student: str  # the name or the id of a student
    exercise: str  # the number of an exercise or of a lab; "" for every lab of the student
    points: float | None  # of that exercise; None leaves those of the grading
    late: float | datetime | None  # days, or the time at which it was handed in; None if the row does not say
    comment: str


class LateRule(NamedTuple):
    """Due dates, and what lateness costs."""

    due: Mapping[int, datetime] = {}  # lab → when it is due; 0 for every other lab
    late_days: int = 0  # that cost nothing, for each student over all labs
    penalty: float = 0.0  # per cent of a lab's points, for each day begun after these


def due_dates(typed: Iterable[str]) -> dict[int, datetime]:
    """Read the times at which labs are due: of one lab (`3=TIME`), or of all others (`TIME`).

    >>> sorted(due_dates(["2026-12-01T18:00Z", "3=2026-12-08T18:00Z"]))
    [0, 3]
    """
    due: dict[int, datetime] = {}
    for text in typed:
        lab, separator, time = text.partition("=")
        number = int(lab) if separator and lab.strip().isdecimal() else 0
        if separator and number not in {lesson.number for lesson in LESSONS}:
            raise ArgumentError(f"expected the number of a lab before =, found '{lab}'")
        when = moment(time if separator else text)
        if due.setdefault(number, when) != when:
            raise ArgumentError(f"two due dates for {f'lab {number}' if number else 'all labs'}; give one")
    return due


def read_marks(path: Path) -> list[TutorMark]:
    """Read the rows of a tutor's file, which is never written.

    It is a table with the columns student, exercise, points, late and comment; only the first is required.
    """
    text = whole_text(path)
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=next((mark for mark in "\t;" if mark in first), ","))
    columns = [(name or "").strip().casefold() for name in reader.fieldnames or ()]
    if "student" not in columns or not set(columns) <= set(_COLUMNS):
        raise malformed(path, 1, f"expected the columns {','.join(_COLUMNS)}, found '{one_line(first)}'")
    reader.fieldnames = columns
    most = {exercise.number: exercise.points for lab in LESSONS for exercise in lab.exercises}
    most |= {question.number: question.points for lab in LESSONS for question in open_questions(lab.number)}
    labs = {str(lab.number) for lab in LESSONS}
    marks = []
    for row in reader:
        cells = {name: (row.get(name) or "").strip() for name in _COLUMNS}
        if not any(cells.values()):
            continue
        line = reader.line_num
        if not cells["student"] or None in row:
            raise malformed(path, line, "expected a student and at most one value for each column")
        points = _number(cells["points"], "points", path, line) if cells["points"] else None
        late: float | datetime | None = None
        if cells["late"]:
            is_time = "-" in cells["late"][1:]
            late = moment(cells["late"]) if is_time else _number(cells["late"], "late", path, line)
        number = cells["exercise"]
        if number and number not in most and number not in labs:
            expected = "expected the number of an exercise (5.2, 5.explain) or of a lab (5)"
            raise malformed(path, line, f"{expected}, found '{number}'")
        if points is not None and points > most.get(number, -1):
            what = f"at most {most[number]}" if number in most else "the number of an exercise (5.2, 5.explain)"
            raise malformed(path, line, f"expected {what}, found {points:g} in the column points for '{number}'")
        marks.append(TutorMark(line, cells["student"], number, points, late, cells["comment"]))
    return marks


def _number(text: str, column: str, path: Path, line: int) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise malformed(path, line, f"expected a number of at least 0 in the column {column}, found '{text}'")
    return value


def marked(
    rows: Sequence[GradedNotebook],
    marks: Sequence[TutorMark] = (),
    rule: LateRule | None = None,
    students: Sequence[Enrolled] = (),
) -> list[GradedNotebook]:
    """Return the notebooks with the tutor's points and comments, and with what their lateness costs.

    A student's free late days are spent in the order of the labs. An open question counts for all students once the
    tutor has given points for it to one of them.
    """
    rule = rule or LateRule()
    of_student = groups_of((_key(mark.student, students), mark) for mark in marks)
    pointed = {mark.exercise for mark in marks if mark.points is not None}
    spent: defaultdict[str, int] = defaultdict(int)
    results = list(rows)
    graded = [(row.lesson, place) for place, row in enumerate(rows) if row.lesson]
    for lab, place in sorted(graded):
        row = rows[place]
        of_row = [
            mark
            for mark in of_student.get(seed(row.student), ())
            if mark.exercise.partition(".")[0] in ("", str(lab.number))
        ]
        verdicts = tuple(_by_hand(verdict, of_row) for verdict in (*row.verdicts, *_open(row, lab, pointed)))
        row = replace(row, verdicts=verdicts)
        of_lab = [mark for mark in of_row if mark.exercise in ("", str(lab.number))]
        days, sentences = _days_late(row, lab, of_lab, rule)
        free = min(days, max(0, rule.late_days - spent[seed(row.student)]))
        spent[seed(row.student)] += free
        penalty = round(min(float(row.raw_score), (days - free) * rule.penalty / 100 * row.max_score), 2)
        if days:
            cost = [f"{counted(free, 'free late day')} used"] * bool(free) + [f"-{penalty:g} points"] * bool(penalty)
            sentences.append(f"handed in {counted(days, 'day')} late{': ' * bool(cost)}{', '.join(cost)}")
        comments = [f"comment: {mark.comment}" for mark in of_lab if mark.comment]
        troubles = (*row.troubles, *sentences, *comments)
        results[place] = replace(row, troubles=troubles, days_late=days, penalty=penalty)
    return results


def strangers(
    marks: Sequence[TutorMark], rows: Sequence[GradedNotebook], students: Sequence[Enrolled]
) -> list[TutorMark]:
    """Return the rows of a tutor's file that are about nobody who was graded."""
    present = {seed(row.student) for row in rows}
    return [mark for mark in marks if _key(mark.student, students) not in present]


def _key(student: str, students: Sequence[Enrolled]) -> str:
    return seed(next((enrolled.name for enrolled in students if enrolled.student_id == student), student))


def _open(row: GradedNotebook, lab: Lesson, pointed: Container[str]) -> list[Verdict]:
    verdicts = []
    for question in open_questions(lab.number):
        if question.number in pointed:
            text = row.written.get(question.number.partition(".")[2], "")
            shown = "noted" if text else "unanswered", (text or "Not answered.",)
            verdicts.append(Verdict(question.number, question.title, *shown, question.points))
    return verdicts


def _by_hand(verdict: Verdict, marks: Sequence[TutorMark]) -> Verdict:
    """Return the verdict with the tutor's points and comments; of several rows the last points count."""
    for mark in marks:
        if mark.exercise == verdict.number:
            by_hand = verdict.by_hand if mark.points is None else mark.points
            change = [] if mark.points is None else [f"{mark.points:g} of {counted(verdict.points, 'point')} by hand."]
            is_first = by_hand is not None and verdict.by_hand is None
            earlier = verdict.sentences[is_first and verdict.state == "right" :]  # without "Right: 2 points."
            sentences = (*earlier, *change, *filter(None, [mark.comment]))
            verdict = replace(verdict, by_hand=by_hand, sentences=sentences)
    return verdict


def _days_late(row: GradedNotebook, lab: Lesson, marks: Sequence[TutorMark], rule: LateRule) -> tuple[int, list[str]]:
    """Count the days begun after the due date, with a note where the course system tells less than that.

    The tutor's file comes first, then what Canvas says, then the time of the file. Files from Moodle and Canvas have
    the time at which they were packed or downloaded, which says nothing.
    """
    due = rule.due.get(lab.number, rule.due.get(0))
    late = next((mark.late for mark in reversed(marks) if mark.late is not None), None)
    if isinstance(late, float):
        return math.ceil(late), []
    if row.handed_in is not None and late is None:
        if row.handed_in.late:
            return 1, ["Canvas says that it came late, and not by how much: it counts as one day"]
        return 0, []
    if due is None or (late is None and row.absent):
        return 0, []
    handed_in = late or datetime.fromtimestamp(row.path.lstat().st_mtime, UTC)
    return max(0, math.ceil((handed_in - due) / timedelta(days=1))), []
