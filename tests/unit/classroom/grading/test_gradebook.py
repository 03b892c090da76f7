"""A class: its list, its notebooks, its feedback."""

import csv
import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import shell

from toysearch.classroom.answers import judge, observe
from toysearch.classroom.exercise import LESSONS, lesson
from toysearch.classroom.grading import gradebook
from toysearch.classroom.grading.feedback_pages import class_page, student_page, tutor_page, write_feedback
from toysearch.classroom.grading.graded_notebook import GradedNotebook
from toysearch.classroom.grading.roster import Enrolled, safe_file_name


def graded(
    student: str, answers: dict[str, int], path: str = "x.ipynb", troubles: tuple[str, ...] = ()
) -> GradedNotebook:
    """Lab 5 as somebody would have it: for an exercise 0 is right, 1 the first mistake; the others are open."""
    verdicts = []
    for exercise in lesson(5).exercises:
        case = exercise.case(student)
        made = {0: exercise.expected, **{place: each.answer for place, each in enumerate(exercise.wrong_answers(), 1)}}
        answer = made[answers[exercise.number]](case.given) if exercise.number in answers else ...
        verdicts.append(judge(exercise, observe(exercise, answer, case), case))
    return GradedNotebook(Path(path), student, lesson(5), tuple(verdicts), troubles, 1.0)


CLASS = [
    graded("ada", {"5.1": 0, "5.2": 0, "5.3": 2}),
    graded("ben", {"5.1": 0, "5.2": 1, "5.3": 2}),
    graded("carla <b>", {"5.1": 0, "5.3": 1}, troubles=("cell 3: <script>",)),
]


def test_every_lab_for_a_class_and_nothing_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("class.csv").write_text("Ada,a1\n../Ben,../b\n", encoding="utf-8")
    run = shell.run("labs", "start", "all", "--roster", "class.csv", "-o", "out")
    assert run.exit_code == 0, run.output
    assert sorted(path.parent.name for path in Path("out").rglob("*.ipynb")) == ["a1"] * len(LESSONS) + ["b"] * len(
        LESSONS
    )
    mine = Path("out/a1/01-tokens.ipynb")
    assert 'student=\\"Ada\\"' in mine.read_text(encoding="utf-8")
    mine.write_text("my work", encoding="utf-8")
    Path("out/b/02-index.ipynb").unlink()
    again = shell.run("labs", "start", "all", "--roster", "class.csv", "-o", "out")
    assert "1 notebook for 2 students" in again.output
    assert f"{2 * len(LESSONS) - 1} notebooks already existed" in again.output
    assert mine.read_text(encoding="utf-8") == "my work"
    assert len(LESSONS) == 14


def test_a_page_for_a_student_escapes_what_a_notebook_says():
    page = student_page(CLASS[2])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "carla &lt;b&gt;: 1 of 10 points" in page
    assert lesson(5).exercises[2].wrong_answers()[0].sentence in page


def page_of_ben(number: str, seen: object) -> str:
    """The page with one answer and a text."""
    found = {number: {"state": "seen", "seen": seen}}
    answered = graded("ben", {"5.1": 0, "5.3": 2})
    return student_page(replace(answered, observations=found, judged_as=("ben", ""), written={"explain": "<F>"}))


def test_a_page_for_a_student_has_the_numbers_the_answer_the_right_one_and_the_way():
    exercise = lesson(5).exercises[2]
    case = exercise.case("ben")
    wrong, right = exercise.wrong_answers()[1].answer(case.given), exercise.expected(case.given)
    page = page_of_ben("5.3", wrong)
    section = page.partition("<h3>5.3 ")[2].partition("</section>")[0]
    assert f"<dt>Your numbers</dt><dd><pre>{case.given!r}</pre></dd>" in section
    assert f"<dt>Your answer</dt><dd><pre>{wrong}</pre></dd><dt>A right answer</dt><dd><pre>{right}</pre>" in section
    assert all(html.escape(sentence) in section for sentence in (*exercise.hints, exercise.why))
    assert "<h3>5.explain In your own words</h3>\n<pre>&lt;F&gt;</pre>" in page


def test_a_function_is_shown_by_the_first_input_for_which_it_is_not_right():
    exercise = lesson(5).exercises[3]
    case = exercise.case("ben")
    seen = observe(exercise, exercise.wrong_answers()[0].answer(case.given), case)["seen"]
    page = page_of_ben("5.4", seen)
    section = html.unescape(page.partition("<h3>5.4 ")[2].partition("</section>")[0])
    right = observe(exercise, exercise.expected(case.given), case)["seen"]
    place = next(
        place
        for place, pair in enumerate(zip(seen, right, strict=True))
        if not exercise.answer.same(*([r] for r in pair))
    )
    call = ", ".join(map(repr, case.inputs[place]))
    assert section.count(f"for the input {call}\n") == 2
    assert section.index(repr(seen[place]["returned"])) < section.index(repr(right[place]["returned"]))


@pytest.mark.parametrize("record", [{}, {"seen": 3}, {"seen": [3]}, {"seen": [{}]}, {"seen": [[]] * 9}, {"found": [1]}])
def test_a_forged_record_costs_no_page(record):
    observations = {exercise.number: {"state": "seen", **record} for exercise in lesson(5).exercises}
    page = student_page(replace(graded("ben", {}), observations=observations))
    assert page.count("<dt>A right answer</dt>") == len(lesson(5).exercises)
    assert "The record of this answer cannot be read." in page


def test_the_page_for_the_class_has_the_hardest_first_and_the_commonest_mistake():
    page = class_page(CLASS, {})
    rows = [line for line in page.splitlines() if line.startswith("<tr><td>5.")]
    assert (
        "<p>3 notebooks, 13% of the points on average: lowest 10%, quartiles 10%, 10% and 15%, highest 20%.</p>" in page
    )
    assert re.findall(r"<td>(\d)</td><td><div", page) == list("0210000000")
    assert rows[0].startswith("<tr><td>5.3</td>")
    assert rows[0].endswith("<td>0</td><td>3</td><td>0</td></tr>")
    assert rows[-1].startswith("<tr><td>5.1</td>")
    mistake = lesson(5).exercises[2].wrong_answers()[1].sentence
    assert f"<td>2</td><td>67%</td><td>5.3</td><td>Not right: {mistake}</td>" in page
    assert "<td>cell 3: &lt;script&gt;</td>" in page
    assert page.count("Not right:") == 1  # what one alone was told is that one's own affair


def test_pages_never_leave_their_folder_nor_replace_each_other(tmp_path):
    again = [graded("../../x", {}), graded("x", {}), CLASS[0]]
    written = write_feedback(again, tmp_path / "pages")
    assert [path.name for path in written] == [
        *("05-sets-x.html", "05-sets-x-2.html", "05-sets-ada.html", "class.html", "tutor.html")
    ]
    assert {path.parent for path in written} == {tmp_path / "pages"}
    assert safe_file_name("a" * 300) == "a" * 60


def test_ids_stand_for_names_in_the_table_and_paths_are_those_in_the_folder():
    ada = Enrolled("ADA", "a1", "=Lovelace", "Ada", "a@b")
    rows = list(csv.DictReader(io.StringIO(gradebook.as_csv(CLASS, [ada]))))
    assert [row["student_id"] for row in rows] == ["a1", "ben", "carla <b>"]
    names = [[row[part] for part in ("last_name", "first_name", "email")] for row in rows]
    assert names == [["'=Lovelace", "Ada", "a@b"], ["", "", ""], ["", "", ""]]
    one = graded("ada", {}, path="/somewhere/else/handed-in/ada/x.ipynb")
    (made,) = json.loads(gradebook.as_json([one], Path("/somewhere/else/handed-in")))
    assert made["notebook"] == "ada/x.ipynb"
    assert one.data()["notebook"] == "x.ipynb"
    assert graded("ada", {}, path="\udcff.ipynb").data()["notebook"] == "\\udcff.ipynb"


def test_pages_list_students_by_their_names():
    later = [
        graded(name, {}, path=f"{place}.ipynb") for place, name in enumerate(["Zoë", "Émile", "Eva", "ada", "Ben"])
    ]
    for page in (class_page(later, {}), tutor_page(later, {})):
        names = re.findall('<a class="name">(.*?)</a>', page)
        assert names[:5] == ["ada", "Ben", "Émile", "Eva", "Zoë"]
