"""A class: its list, its notebooks, its feedback."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import shell

from toysearch.base.errors import DataError
from toysearch.course.answers import judge, observe
from toysearch.course.exercise import LESSONS, lesson
from toysearch.course.grading import gradebook
from toysearch.course.grading.gradebook import (
    Enrolled,
    class_page,
    read_roster,
    safe_file_name,
    student_page,
    write_feedback,
)
from toysearch.course.grading.graded_notebook import GradedNotebook


def graded(
    student: str, answers: dict[str, int], path: str = "x.ipynb", troubles: tuple[str, ...] = ()
) -> GradedNotebook:
    """Lab 5 as somebody would have it: for an exercise 0 is right, 1 the first mistake; the others are open."""
    verdicts = []
    for exercise in lesson(5).exercises:
        case = exercise.case(student)
        made = {0: exercise.expected, **{place: each.answer for place, each in enumerate(exercise.mistakes, 1)}}
        answer = made[answers[exercise.number]](case.given) if exercise.number in answers else ...
        verdicts.append(judge(exercise, observe(exercise, answer, case), case))
    return GradedNotebook(Path(path), student, lesson(5), tuple(verdicts), troubles, 1.0)


CLASS = [
    graded("ada", {"5.1": 0, "5.2": 0, "5.3": 2}),
    graded("ben", {"5.1": 0, "5.2": 1, "5.3": 2}),
    graded("carla <b>", {"5.1": 0, "5.3": 1}, troubles=("cell 3: <script>",)),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada,a1\nBen,b2\n", [("Ada", "a1"), ("Ben", "b2")]),
        ("\ufeffName;ID\nGrace  Hopper; gh\n\n", [("Grace Hopper", "gh")]),
        ('name,id\n"Müller, Chloé",c\nBen\n', [("Müller, Chloé", "c"), ("Ben", "Ben")]),
        ("name\tid\nAda\t1\n", [("Ada", "1")]),
    ],
)
def test_a_list_of_a_class(tmp_path, text, expected):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    assert read_roster(path) == [Enrolled(*each) for each in expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ada,1\nADA ,2\n", "class.csv:2: the name of line 1 is repeated; make it unique"),
        ("Ada,1\nBen,1\n", "class.csv:2: the id of line 1 is repeated; make it unique"),
        ("Ada,1,x\n", "class.csv:1: expected a name and an id, such as Grace Hopper,gh12, found 'Ada,1,x'"),
        (",1\n", "class.csv:1: expected a name and an id"),
        ('"Ada,1\n', "close its quotation mark"),
        ("name,id\n", "class.csv holds no students; expected a name and an id"),
    ],
)
def test_what_is_no_list_of_a_class(tmp_path, text, message):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_roster(path)
    assert message in str(error.value)


def test_every_lab_for_a_class_and_nothing_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("class.csv").write_text("Ada,a1\n../Ben,../b\n", encoding="utf-8")
    run = shell.run("labs", "start", "all", "--roster", "class.csv", "-o", "out")
    assert run.exit_code == 0, run.output
    assert sorted(path.parent.name for path in Path("out").rglob("*.ipynb")) == ["a1"] * 12 + ["b"] * 12
    mine = Path("out/a1/01-tokens.ipynb")
    assert 'student=\\"Ada\\"' in mine.read_text(encoding="utf-8")
    mine.write_text("my work", encoding="utf-8")
    Path("out/b/02-index.ipynb").unlink()
    again = shell.run("labs", "start", "all", "--roster", "class.csv", "-o", "out")
    assert "1 notebook for 2 students" in again.output
    assert "23 notebooks already existed" in again.output
    assert mine.read_text(encoding="utf-8") == "my work"
    assert len(LESSONS) == 12


def test_a_page_for_a_student_escapes_what_a_notebook_says():
    page = student_page(CLASS[2])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "carla &lt;b&gt;: 1 of 10 points" in page
    assert lesson(5).exercises[2].mistakes[0].sentence in page


def test_the_page_for_the_class_has_the_hardest_first_and_the_commonest_mistake():
    page = class_page(CLASS)
    rows = [line for line in page.splitlines() if line.startswith("<tr><td>5.")]
    assert rows[0].startswith("<tr><td>5.3</td>")
    assert rows[0].endswith("<td>0</td><td>3</td><td>0</td></tr>")
    assert rows[-1].startswith("<tr><td>5.1</td>")
    mistake = lesson(5).exercises[2].mistakes[1].sentence
    assert f"<td>2</td><td>5.3</td><td>Not right: {mistake}</td>" in page
    assert page.count("Not right:") == 1  # what one alone was told is that one's own affair


def test_pages_never_leave_their_folder_nor_replace_each_other(tmp_path):
    again = [graded("../../x", {}), graded("x", {}), CLASS[0]]
    written = write_feedback(again, tmp_path / "pages")
    assert [path.name for path in written] == ["05-sets-x.html", "05-sets-x-2.html", "05-sets-ada.html", "class.html"]
    assert {path.parent for path in written} == {tmp_path / "pages"}
    assert safe_file_name("a" * 300) == "a" * 60


def test_ids_stand_for_names_in_the_table_and_paths_are_those_in_the_folder():
    rows = list(csv.DictReader(io.StringIO(gradebook.as_csv(CLASS, [Enrolled("ADA", "a1")]))))
    assert [row["student_id"] for row in rows] == ["a1", "ben", "carla <b>"]
    one = graded("ada", {}, path="/somewhere/else/handed-in/ada/x.ipynb")
    (made,) = json.loads(gradebook.as_json([one], Path("/somewhere/else/handed-in")))
    assert made["notebook"] == "ada/x.ipynb"
    assert one.data()["notebook"] == "x.ipynb"
    assert graded("ada", {}, path="\udcff.ipynb").data()["notebook"] == "\\udcff.ipynb"
