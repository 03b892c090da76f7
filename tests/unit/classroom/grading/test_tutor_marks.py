"""What a tutor enters, and what lateness costs."""

import csv
import io
import os
from dataclasses import replace
from pathlib import Path

import pytest

from toysearch.base.errors import ArgumentError, DataError
from toysearch.classroom.exercise import lesson
from toysearch.classroom.grading import feedback_pages, gradebook
from toysearch.classroom.grading.graded_notebook import GradedNotebook, without_answers
from toysearch.classroom.grading.roster import Enrolled, handed_in_as
from toysearch.classroom.grading.tutor_marks import LateRule, due_dates, marked, read_marks, strangers

CLASS = [Enrolled("Ada", "a1"), Enrolled("Ben", "b2")]


def row(student: str, lab: int = 5, right: int = 5, path: str = "x.ipynb", **more) -> GradedNotebook:
    """A notebook of a lab whose first exercises are right."""
    blank = without_answers(lesson(lab), student)
    states = [
        replace(verdict, state="right" if place < right else "wrong") for place, verdict in enumerate(blank.verdicts)
    ]
    return replace(blank, verdicts=tuple(states), path=Path(path), **more)


def table(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(["student,exercise,points,late,comment", *lines]) + "\n", encoding="utf-8")
    return path


def test_points_by_hand_stand_in_place_of_those_of_the_grading(tmp_path):
    marks = read_marks(
        table(tmp_path, "a1,5.1,0,,copied", "Ada,5.8,1,,", 'ben,5.6,0.5,,"half, really"', "Ben,5,,,see me")
    )
    ada, ben = marked([row("Ada"), row("Ben")], marks, students=CLASS)
    before = {verdict.number: verdict.score for verdict in row("Ada").verdicts}
    assert {verdict.number: verdict.score for verdict in ada.verdicts} == before | {"5.1": 0, "5.8": 1}
    assert ada.verdicts[0].sentences[-2:] == ("0 of 1 point by hand.", "copied")
    assert ben.score == row("Ben").score + 0.5
    assert ben.troubles == ("comment: see me",)
    assert (ada.troubles, ada.penalty) == ((), 0)
    read = list(csv.DictReader(io.StringIO(gradebook.as_csv([ada, ben], CLASS))))
    assert [line["5.6"] for line in read] == ["0", "0.5"]
    assert "half, really" in feedback_pages.student_page(ben)
    assert "0.5" in gradebook.as_json([ben])


def test_points_that_lateness_costs_are_written_without_the_noise_of_floats(tmp_path):
    marks = read_marks(table(tmp_path, "Ada,4,,1,"))
    (late,) = marked([row("Ada", 4)], marks, LateRule(penalty=10), CLASS)
    assert late.max_score * 0.1 != round(late.max_score * 0.1, 2)  # noise that would show
    [line] = csv.DictReader(io.StringIO(gradebook.as_csv([late])))
    assert line["late_submission_penalty"] == f"{late.max_score / 10:g}"


def test_a_lowered_answer_is_not_told_its_points_before(tmp_path):
    marks = read_marks(table(tmp_path, "Ada,5.1,0.5,,short", "Ada,5.1,,,again", "Ben,5.1,,,good"))
    right = row("Ada")
    verdict = replace(right.verdicts[0], state="right", sentences=("Right: 1 point.", "It matters."))
    rows = [replace(right, verdicts=(verdict, *right.verdicts[1:])), replace(right, student="Ben", verdicts=(verdict,))]
    ada, ben = marked(rows, marks, students=CLASS)
    assert ada.verdicts[0].sentences == ("It matters.", "0.5 of 1 point by hand.", "short", "again")
    assert ben.verdicts[0].sentences == ("Right: 1 point.", "It matters.", "good")


def test_who_handed_in_nothing_may_have_points_by_hand(tmp_path):
    marks = read_marks(table(tmp_path, "Ben,5.1,1,,asked at the board"))
    rows = gradebook.rows_of_class([row("Ada")], CLASS)
    assert [each.score for each in marked(rows, marks, students=CLASS)] == [row("Ada").score, 1]
    marks = read_marks(table(tmp_path, "Ada,5.1,1,,", "b2,5.1,1,,", "Eve,5.1,1,,"))
    assert [mark.student for mark in strangers(marks, [row("Ada"), row("Ben")], CLASS)] == ["Eve"]
    assert [mark.line for mark in strangers(marks, [row("Ada")], CLASS)] == [3, 4]


def test_late_days_are_free_in_the_order_of_the_labs_and_then_cost(tmp_path):
    marks = read_marks(table(tmp_path, "Ada,5,,2,", "Ada,6,,1.5,"))
    six, five = marked([row("Ada", 6), row("Ada", 5)], marks, LateRule({}, 3, 10), CLASS)
    assert (five.days_late, five.penalty) == (2, 0)
    assert (six.days_late, six.penalty) == (2, pytest.approx(0.1 * six.max_score))
    assert six.score == round(six.raw_score - six.penalty, 2)
    assert five.troubles == ("handed in 2 days late: 2 free late days used",)
    assert six.troubles == (f"handed in 2 days late: 1 free late day used, -{six.penalty:g} points",)
    assert marked([row("Ada", 6, right=1)], marks, LateRule(penalty=100), CLASS)[0].score == 0  # never below
    line = next(csv.DictReader(io.StringIO(gradebook.as_csv([six]))))
    assert float(line["late_submission_penalty"]) == six.penalty
    assert float(line["raw_score"]) - six.penalty == pytest.approx(float(line["score"]))


def test_the_time_of_a_file_counts_but_not_that_of_an_archive(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text("{}")
    rule = LateRule(due_dates(["2026-12-01T18:00Z", "6=2027-01-01T00:00Z"]), 0, 10)
    due = rule.due[0].timestamp()
    late = {}
    for after in (-1, 0, 1, 86_400, 86_401):
        os.utime(path, (due + after, due + after))
        late[after] = marked([row("Ada", path=str(path))], [], rule)[0].days_late
    assert late == {-1: 0, 0: 0, 1: 1, 86_400: 1, 86_401: 2}
    assert marked([row("Ada", 6, path=str(path))], [], rule)[0].days_late == 0
    link = tmp_path / "link.ipynb"
    link.symlink_to(tmp_path / "nowhere.ipynb")
    os.utime(link, (due + 1, due + 1), follow_symlinks=False)
    assert marked([row("Ada", path=str(link))], [], rule)[0].days_late == 1
    moodle = handed_in_as("Lovelace Ada_12345_assignsubmission_file_")
    assert marked([row("Ada", path=str(path), handed_in=moodle)], [], rule)[0].days_late == 0
    canvas = handed_in_as("lovelaceada_LATE_12345_67890_05-sets.ipynb")
    known = marked([row("Ada", path=str(path), handed_in=canvas)], [], rule)[0]
    assert (known.days_late, known.penalty) == (1, 1.0)
    assert known.troubles[0] == "Canvas says that it came late, and not by how much: it counts as one day"


def test_the_tutor_is_believed_before_the_file_and_before_canvas(tmp_path):
    rule = LateRule(due_dates(["2026-12-01T18:00Z"]), 0, 10)
    canvas = handed_in_as("lovelaceada_LATE_12345_67890_05-sets.ipynb")
    for cell, days in (("0", 0), ("3", 3), ("2026-12-03 19:00+01:00", 2), ("2026-12-01 18:00 UTC", 0)):
        marks = read_marks(table(tmp_path, f"Ada,5,,{cell},"))
        assert marked([row("Ada", handed_in=canvas)], marks, rule)[0].days_late == days, cell


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("Ada,5.99,1,,", "expected the number of an exercise (5.2, 5.explain) or of a lab (5), found '5.99'"),
        ("Ada,5.1,7,,", "expected at most 1, found 7 in the column points for '5.1'"),
        ("Ada,5,2,,", "expected the number of an exercise (5.2, 5.explain), found 2 in the column points for '5'"),
        ("Ada,5.1,-1,,", "expected a number of at least 0 in the column points, found '-1'"),
        ("Ada,5.1,nan,,", "expected a number of at least 0 in the column points, found 'nan'"),
        (",5.1,1,,", "expected a student"),
        ("Ada,5.1,1,,a,b", "at most one value for each column"),
    ],
)
def test_a_bad_line_is_named(line, sentence, tmp_path):
    with pytest.raises(DataError) as caught:
        read_marks(table(tmp_path, line))
    assert sentence in str(caught.value)
    assert ":2" in str(caught.value) or "line 2" in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_excel_writes_semicolons_and_a_mark(tmp_path, encoding):
    path = tmp_path / "marks.csv"
    path.write_bytes("\ufeffStudent;Points;Exercise\r\nAda;0,5;5.6\r\n;;\r\n".encode(encoding))
    assert [(mark.student, mark.exercise, mark.points) for mark in read_marks(path)] == [("Ada", "5.6", 0.5)]
    path.write_text("name,grade\nAda,1\n")
    with pytest.raises(DataError, match="expected the columns student,exercise,points,late,comment"):
        read_marks(path)


def test_due_dates_are_for_one_lab_or_for_the_others():
    with pytest.raises(ArgumentError, match="expected the number of a lab before =, found '99'"):
        due_dates(["99=2026-12-01"])
    with pytest.raises(ArgumentError, match="two due dates for lab 3; give one"):
        due_dates(["3=2026-12-01T18:00Z", "3=2026-12-02T18:00Z"])
