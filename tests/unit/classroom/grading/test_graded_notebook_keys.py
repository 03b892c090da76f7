"""Individual numbers: only the owner of a key can compute them, and each student is judged with the own one."""

import csv
import json
import re
from pathlib import Path

import pytest
import shell
from student_notebooks import needs_confinement

from toysearch.classroom.answers import observe
from toysearch.classroom.exercise import individual_number, lesson
from toysearch.classroom.grading.graded_notebook import GradedNotebook, graded_notes
from toysearch.classroom.grading.notebook_run import Notes
from toysearch.classroom.grading.roster import Enrolled

KEY = "winter"
CLASS = [Enrolled("Ada Lovelace", "a1"), Enrolled("Ben", "b2")]
TYPED = [exercise for exercise in lesson(5).exercises if exercise.number != "5.4"]  # 5.4 is a function


def graded(numbers_of: str, individual: str, key: str = KEY, name: str = "Ada Lovelace") -> GradedNotebook:
    """The notebook of Ada, with the right answers for a name and an individual number, judged with a key."""
    cases = {
        each: each.case(numbers_of, individual=individual_number(KEY, numbers_of) if individual else "")
        for each in TYPED
    }
    seen = {each.number: observe(each, each.expected(case.given), case) for each, case in cases.items()}
    notes = Notes(started=True, lab=5, student=name, individual=individual, observations=seen)
    return graded_notes(Path("a1/05-sets.ipynb"), notes, [], "", 0.0, of=CLASS[0], students=CLASS, key=key)


def test_the_numbers_of_the_name_are_not_those_of_the_key():
    """Who asks the library for the right answers of a name gets answers to other numbers."""
    for exercise in TYPED:
        plain, keyed = (
            exercise.case("Ada Lovelace"),
            exercise.case("Ada Lovelace", individual=individual_number(KEY, "Ada Lovelace")),
        )
        assert repr(plain.given) != repr(keyed.given)
    assert graded("Ada Lovelace", "").score <= 1  # one of few possible answers may coincide
    for key in (KEY, ""):  # without the key it is judged with the number in it
        own = graded("Ada Lovelace", individual_number(KEY, "Ada Lovelace"), key=key)
        assert (own.score, own.troubles) == (8, ())


@pytest.mark.parametrize(
    ("individual", "says"),
    [
        (individual_number(KEY, "Ben"), "that of Ben"),
        ("", "missing or changed"),
        ("00ff", "missing or changed"),
        (individual_number("spring", "Ada Lovelace"), "missing or changed"),
    ],
)
def test_another_number_is_a_note_for_the_lecturer_and_the_own_one_decides(individual, says):
    notebook = graded("Ben" if says == "that of Ben" else "Ada Lovelace", individual)
    sentence = f"the individual number is {says}; the notebook is judged with that of Ada Lovelace"
    assert (notebook.troubles, notebook.private) == ((sentence,), (sentence,))
    assert notebook.remarks == []
    right = individual_number(KEY, "Ada Lovelace")
    assert notebook.judged_as == ("Ada Lovelace", "", right)


def test_a_misspelt_name_with_the_number_of_its_folder_is_judged_with_both():
    name = "Ada Lovelase"
    number = individual_number(KEY, "Ada Lovelace")
    cases = {each: each.case(name, individual=number) for each in TYPED}
    seen = {each.number: observe(each, each.expected(case.given), case) for each, case in cases.items()}
    notes = Notes(started=True, lab=5, student=name, individual=number, observations=seen)
    notebook = graded_notes(Path("a1/05-sets.ipynb"), notes, [], "", 0.0, of=CLASS[0], students=CLASS, key=KEY)
    assert (notebook.score, len(notebook.troubles)) == (8, 1)


def test_a_key_needs_a_name(tmp_path):
    run = shell.run("labs", "start", "5", "--key", KEY, "-o", str(tmp_path))
    assert (run.exit_code, "--key needs --student or --roster" in run.output) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_notebooks_started_with_a_key_are_graded_with_it(tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text("".join(f"{name},{student_id}\n" for name, student_id, *_ in CLASS), encoding="utf-8")
    folder = tmp_path / "keyed"
    assert shell.run("labs", "start", "5", "--roster", str(roster), "--key", KEY, "-o", str(folder)).exit_code == 0
    path = folder / "a1" / "05-sets.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    first = "".join(next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")["source"])
    number = re.search(r'labs\.start\(5, student="Ada Lovelace", individual="([0-9a-f]{16})"\)', first)[1]
    case = TYPED[0].case("Ada Lovelace", individual=number)
    answers = f'assert labs.given("5.1").{next(iter(case.given))} == {vars(case.given)[next(iter(case.given))]!r}\n'
    answers += f'labs.check("5.1", {TYPED[0].expected(case.given)!r})'
    for student_id in ("a1", "b2"):
        of_student = json.loads((folder / student_id / "05-sets.ipynb").read_text(encoding="utf-8"))
        kept = [cell for cell in of_student["cells"] if cell["cell_type"] == "code"][:1]
        kept.append({"cell_type": "code", "source": answers, "metadata": {}, "outputs": []})
        (folder / student_id / "05-sets.ipynb").write_text(json.dumps(notebook | {"cells": kept}), encoding="utf-8")
    grades = tmp_path / "grades.csv"
    run = shell.run("labs", "grade", str(folder), "--roster", str(roster), "--key", KEY, "--to", "csv", str(grades))
    assert run.exit_code == 0, run.output
    rows = {row["student_id"]: row["5.1"] for row in csv.DictReader(grades.open(encoding="utf-8"))}
    assert rows == {"a1": "1", "b2": "0"}
