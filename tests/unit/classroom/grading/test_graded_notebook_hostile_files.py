"""Files that are not notebooks, by accident or on purpose: a sentence each, and the rest of the class is graded."""

import csv
import io
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shell
from click.testing import Result
from student_notebooks import needs_confinement, notebook, notebook_file

from toysearch.classroom.answers import observe
from toysearch.classroom.exercise import lesson
from toysearch.classroom.grading.gradebook import as_csv, rows_of_class
from toysearch.classroom.grading.graded_notebook import grade, graded_notes
from toysearch.classroom.grading.notebook_run import read_notes
from toysearch.classroom.grading.roster import Enrolled

pytestmark = [pytest.mark.system, pytest.mark.waits, needs_confinement]


def named(name: str) -> str:
    return notebook(f'from toysearch import labs\nlabs.start(5, student="{name}")')


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(20_000_000_000)


def socket_at(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket is short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a file": (link_to("/etc/passwd"), "is a link, not a file; hand in the notebook itself"),
    "a link to a device": (link_to("/dev/zero"), "is a link, not a file; hand in the notebook itself"),
    "a link to nothing": (link_to("/nowhere"), "is a link, not a file; hand in the notebook itself"),
    "a folder": (Path.mkdir, "is a folder, not a file; hand in the notebook itself"),
    "a named pipe": (os.mkfifo, "is a named pipe, not a file; hand in the notebook itself"),
    "a socket": (socket_at, "is a socket, not a file; hand in the notebook itself"),
    "20 GB": (sparse, "has more than 50.0 MB; clear its outputs and save it again"),
    "nothing": (Path.touch, "is not a readable notebook; save it in Jupyter again, as .ipynb"),
    "bytes": (lambda path: path.write_bytes(b"\xff\xfe\0"), "is not a notebook: it is not text"),
    "lists in lists": (lambda path: path.write_text("[" * 200_000), "is not a readable notebook; save it"),
    "a text": (lambda path: path.write_text('{"cells": "x"}'), "is not a readable notebook; save it"),
    "a cell of a number": (
        lambda path: path.write_text('{"cells": [{"cell_type": "code", "source": 3}]}'),
        "is not a readable notebook; save it",
    ),
}
ODD_NAMES = ["a" * 200, "Lovelace_Ada_" + "1" * 100 + "_assignsubmission_file_", "\x1b[2Jeve", "e\u200bve\n", "…", " "]


@pytest.fixture(scope="module")
def a_class(tmp_path_factory) -> tuple[Path, Result]:
    """A folder with all of them and one good notebook, graded with a list of the class."""
    folder = tmp_path_factory.mktemp("class")
    students = [f"student {number}" for number in range(len(HOSTILE))]
    for name, (make, _) in zip(students, HOSTILE.values(), strict=True):
        (folder / "in" / name.replace(" ", "-")).mkdir(parents=True)
        make(folder / "in" / name.replace(" ", "-") / "05-sets.ipynb")
    (folder / "in" / "zoe").mkdir()
    (folder / "in" / "zoe" / "05-sets.ipynb").write_text(named("zoe"))
    (folder / "class.csv").write_text("".join(f"{name}\n" for name in [*students, "zoe", "absent"]))
    arguments = ["--roster", str(folder / "class.csv"), "--to", "csv", str(folder / "g.csv")]
    return folder, shell.run("labs", "grade", str(folder / "in"), *arguments, "--feedback", str(folder / "pages"))


def test_the_class_is_graded_to_its_end(a_class):
    folder, run = a_class
    assert run.exit_code == 0, run.output
    rows = list(csv.DictReader((folder / "g.csv").open(encoding="utf-8")))
    ids = [*(f"student {number}" for number in range(len(HOSTILE))), "zoe", "absent"]
    assert sorted(row["student_id"] for row in rows) == sorted(ids)
    assert {(row["score"], row["max_score"]) for row in rows} == {("0.0", "10.0")}
    assert "note: nothing was handed in by absent\n" in run.stderr
    assert ">absent</a></td><td>nothing was handed in</td>" in (folder / "pages" / "class.html").read_text()


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_is_not_a_notebook_has_a_sentence_alone_and_in_a_class(what, a_class):
    folder, run = a_class
    name = f"student-{list(HOSTILE).index(what)}"
    path, sentence = folder / "in" / name / "05-sets.ipynb", HOSTILE[what][1]
    assert f"note: {name}/05-sets.ipynb: '{path}' {sentence}" in run.stderr
    assert run.stderr.count(f"note: {name}/") == 1
    if not what.startswith("a link"):  # one's own link to a notebook is followed
        alone = shell.run("check", str(path))
        assert (alone.exit_code, alone.stdout) == (2, "")
        assert sentence in alone.stderr


@pytest.mark.parametrize("target", ["/dev/zero", "/nowhere", "pipe"])
def test_ones_own_link_leads_to_a_plain_file_or_is_a_sentence(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("mine.ipynb").symlink_to(target)
    run = shell.run("check", "mine.ipynb")
    assert (run.exit_code, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr
    Path("mine.ipynb").unlink()
    Path("there.ipynb").write_text(named("ada"))
    Path("mine.ipynb").symlink_to("there.ipynb")
    assert shell.run("check", "mine.ipynb").stderr == "ada: 0 of 10 points\n"


def test_a_link_in_the_place_of_a_students_folder_is_not_followed(tmp_path):
    (tmp_path / "teacher").mkdir()
    (tmp_path / "teacher" / "05-sets.ipynb").write_text(named("teacher"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "zoe.ipynb").write_text(named("zoe"))
    (tmp_path / "in" / "eve").symlink_to(tmp_path / "teacher")
    run = shell.run("labs", "grade", str(tmp_path / "in"), "--to", "json", "-")
    assert [each["student"] for each in json.loads(run.stdout)] == ["eve", "zoe"]
    assert "teacher" not in run.stdout
    assert "is a link, not a file" in run.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not allow such names")
def test_an_odd_name_of_a_file_is_cut_and_cleaned(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ODD_NAMES:
        (tmp_path / "in" / f"{name}.ipynb").write_text("?")
    (tmp_path / "in" / f"{ODD_NAMES[0]}.ipynb").write_text(named("anyone"))
    files = {each: str(tmp_path / f"g.{each}") for each in ("csv", "json")}
    arguments = ["--to", "csv", files["csv"], "--to", "json", files["json"], "--feedback", str(tmp_path / "pages")]
    run = shell.run("labs", "grade", str(tmp_path / "in"), *arguments)
    assert run.exit_code == 0, run.output
    students = [row["student_id"] for row in csv.DictReader(io.StringIO(Path(files["csv"]).read_text()))]
    assert len(students) == len(ODD_NAMES)
    assert all(each.isprintable() and 0 < len(each) <= 100 for each in students)
    assert "\x1b" not in run.output
    assert len(list((tmp_path / "pages").iterdir())) == len(ODD_NAMES) + 2


@pytest.mark.parametrize("name", ["a\u200bb", "x" * 300, "\u2028", "\x1b[31m", "\ud800"], ids=ascii)
def test_an_odd_name_in_the_notes_of_a_notebook_ends_nothing(name):
    notes = read_notes(json.dumps({"lab": 5, "student": name}).encode(), 1)
    found = graded_notes(Path("x.ipynb"), notes, [], "", 0.0)
    assert found.student.isprintable()
    assert found.max_score == 10
    assert as_csv([found], [Enrolled("Ada", "a1")])


def test_who_hands_in_the_notebook_of_another_is_graded_as_the_owner_of_the_folder():
    ada, ben = Enrolled("Ada", "a1"), Enrolled("Ben", "b2")

    def graded(name: str, of: Enrolled) -> Any:
        exercise = lesson(5).exercises[0]
        case = exercise.case(name)
        seen = observe(exercise, exercise.expected(case.given), case)
        lines = [{"lab": 5, "student": name}, {"exercise": exercise.number, "student": name, **seen}]
        notes = read_notes("\n".join(map(json.dumps, lines)).encode(), 1)
        return graded_notes(Path("in/x.ipynb"), notes, [], "", 0.0, of=of, students=[ada, ben])

    own = graded("ada", ada)
    assert (own.student, own.score, own.troubles) == ("Ada", 1, ())
    copied = graded("Ada", ben)
    assert (copied.student, copied.score) == ("Ben", 0)
    assert copied.troubles == (
        "the notebook has the name of Ada, another student of the class, in the folder of Ben; it is judged with the "
        "numbers of Ben",
    )
    misspelt = graded("Benn", ben)
    assert (misspelt.student, misspelt.score) == ("Ben", 1)
    assert misspelt.troubles == (
        "the notebook has the name 'Benn', and its folder is that of Ben; it is judged with the numbers of 'Benn'",
    )
    rows = list(csv.DictReader(io.StringIO(as_csv(rows_of_class([own, copied, misspelt], [ada, ben]), [ada, ben]))))
    assert [(row["student_id"], row["score"]) for row in rows] == [("a1", "1.0"), ("b2", "1.0")]


def test_who_looks_the_answers_up_has_a_note_and_exit_ends_nothing(tmp_path):
    cells = [
        'from toysearch import labs\nlabs.start(5, student="ada")',
        "exit()",
        "quit()\nimport toysearch.classroom.exercise as lessons",
        "for each in lessons.lesson(5).exercises:\n    labs.check(each.number, each.expected(labs.given(each.number)))",
        "from toysearch.classroom.textbook import edit_matrix\n"
        "from toysearch.classroom.textbook_pages import page_rank",
    ]
    found = grade(notebook_file(tmp_path / "ada.ipynb", *cells))
    assert (found.score, found.max_score) == (10, 10)
    assert found.troubles == (
        "cells 3, 4: this notebook uses the part of toysearch that knows the right answers; read it",
    )


def test_a_document_or_a_program_instead_of_a_notebook_is_named(tmp_path):
    folder = tmp_path / "in"
    handed_in = ("ben/04-bm25.docx", "cy/04-bm25.py", "dan/answers.txt", "eve_04-bm25.pdf")
    beside = ("class.txt", "notes.txt", "zoe/helper.py", "zoe/04-bm25.docx", ".git/x.py", "fay/picture.png")
    for name in (*handed_in, *beside):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"PK\x03\x04")
    (folder / "zoe" / "04-bm25.ipynb").write_text(notebook("x = 1"))
    (tmp_path / "class.csv").write_text("".join(f"{name},{name.split()[0].lower()}\n" for name in ("Ben Smith", "Fay")))
    table = tmp_path / "g.csv"
    run = shell.run("labs", "grade", str(folder), "--roster", str(tmp_path / "class.csv"), "--to", "csv", str(table))
    named = [f"note: {name}: handed in {Path(name).name}, which is not a notebook (.ipynb)" for name in handed_in]
    told = [line for line in run.stderr.splitlines() if "handed in " in line]
    assert told == [*named, "note: nothing was handed in by Fay"]
    rows = {row["student_id"]: row for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert (rows["ben"]["score"], rows["ben"]["max_score"]) == ("0.0", "14.0")


def test_an_answer_of_a_wrong_form_does_not_replace_a_right_one():
    right = {"exercise": "5.1", "student": "ada", "state": "seen", "seen": {"TP": 2}}
    lines = [json.dumps(each).encode() for each in (right, {**right, "state": "refused", "found": "a list"})]
    assert read_notes(b"\n".join(lines), 1).observations == {"5.1": right}
    assert read_notes(b"\n".join(lines[::-1]), 1).observations == {"5.1": right}
    cleared = json.dumps({"exercise": "5.1", "student": "ada", "state": "unanswered"}).encode()
    assert read_notes(b"\n".join([lines[0], cleared]), 1).observations["5.1"]["state"] == "unanswered"
