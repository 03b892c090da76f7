"""`toysearch labs`: what a student and a teacher see."""

import csv
import json
from pathlib import Path

import pytest
import shell
from student_notebooks import needs_confinement, notebook_file

from toysearch.classroom.sandbox import kernel_confinement
from toysearch.cli import main
from toysearch.labs import LESSONS

pytestmark = [pytest.mark.system, pytest.mark.waits]

SOLVE = """from toysearch import labs
from toysearch.classroom.exercise import lesson
labs.start(1, student={student!r})
for each in lesson(1).exercises:
    if each.number in {numbers!r}:
        labs.check(each.number, each.expected(labs.given(each.number)))
"""
EVERY = [f"1.{n}" for n in range(1, 11)]


def run(*arguments: str):
    return shell.run(*(() if arguments[:1] == ("check",) else ("labs",)), *arguments)


def notebook(path: Path, student: str, numbers=EVERY, then: str = "") -> Path:
    return notebook_file(path, SOLVE.format(student=student, numbers=numbers) + then)


def test_the_labs_are_listed(corpora):
    rows = json.loads(run("--json").stdout)
    assert [row["lab"] for row in rows] == [each.number for each in LESSONS]
    first = {"lab": 1, "title": "Tokens and terms", "minutes": 120, "exercises": 10, "points": 16}
    assert rows[0] == {**first, "topics": rows[0]["topics"]}
    assert rows[0]["topics"][0] == "tokenising"
    assert run().stdout.startswith("lab  title")


def test_a_lab_is_started_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = run("start", "1", "--student", 'Ada "L"')
    assert (begun.exit_code, begun.stdout) == (0, "01-tokens.ipynb\n")
    assert begun.stderr == "10 exercises, about 120 minutes. Open it: jupyter lab 01-tokens.ipynb\n"
    path = tmp_path / "01-tokens.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    first = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert first == 'from toysearch import labs\n\nlabs.start(1, student="Ada \\"L\\"")'
    path.write_text("my work")
    again = run("start", "1")
    assert again.exit_code == 2
    assert again.stderr == (
        "toysearch: '01-tokens.ipynb' already exists and may hold your work; move it, or choose another folder (-o)\n"
    )
    assert path.read_text() == "my work"


def test_without_a_name_the_notebook_is_copied_as_it_is(tmp_path):
    begun = run("start", "1", "-o", str(tmp_path / "course" / "labs"))
    copy = tmp_path / "course" / "labs" / "01-tokens.ipynb"
    assert begun.stdout == f"{copy}\n"
    assert begun.stderr.endswith("To work with numbers of your own, put your name into the first cell.\n")
    blank = Path(main.__file__).parents[2] / "notebooks" / "01-tokens.ipynb"
    assert copy.read_bytes() == blank.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("start 77", "toysearch: unknown lab '77'. Labs: 1, 2, 3"),
        ("check gone.ipynb", "toysearch: there is no file or folder 'gone.ipynb'; check the name and the folder you"),
        ("check odd.ipynb", "toysearch: 'odd.ipynb' is not a readable notebook; save it in Jupyter again, as"),
        ("grade gone", "toysearch: 'gone' is not a folder; give the folder with the notebooks (for one notebook:"),
        ("grade empty", "toysearch: there is no notebook (.ipynb) below 'empty'; give the folder with the students'"),
        ("grade empty --to json - --to csv -", "Error: one form can be standard output, not two"),
        ("grade empty --to csv a.csv --to csv b.csv", "csv is written to one file, found 'a.csv' and 'b.csv'"),
        ("grade empty --from gone.zip", "toysearch: there is no file or folder 'gone.zip'; check the name"),
        ("grade empty --seconds 0", "Error: Invalid value for '--seconds'"),
        ("grade two --to gradescope x.json", "toysearch: Gradescope results are for one submission, but 'two'"),
        ("grade two --to csv no/x.csv", "toysearch: 'no/x.csv': there is no folder 'no'; create it, or choose another"),
        ("grade two --to json empty", "toysearch: 'empty' is a folder; name a file"),
        ("start one", "Error: expected the number of a lab, or 'all', found 'one'; `toysearch labs` lists them"),
        ("collect moodle.zip", "there is no command 'collect'; `labs grade FOLDER --from ZIP` unpacks"),
        ("start 1 --force", "Error: No such option '--force'; toysearch labs start -h lists the options"),
    ],
)
def test_wrong_input_is_a_sentence_and_exit_code_2(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for name in ("a", "b"):
        notebook(tmp_path / "two" / f"{name}.ipynb", name)
    (tmp_path / "odd.ipynb").write_text('{"cells": 3}')
    result = run(*arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_notebook_is_checked(corpora, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook(tmp_path / "mine.ipynb", "ada", EVERY[:4], "labs.check('1.5', 0)\n1 / 0\n")
    result = run("check", "mine.ipynb")
    assert result.exit_code == 1
    assert result.stderr == (
        "note: cell 1: ZeroDivisionError: division by zero\n"
        "note: cell 1: this notebook uses the part of toysearch that knows the right answers; read it\n"
        "ada: 6 of 16 points\n"
    )
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["exercise", "title", "points", "verdict"]
    assert lines[2].split() == ["1.2", "A", "tokenizer", "of", "your", "own", "2/2", "right"]
    assert lines[5].split(maxsplit=5)[-2:] == ["0/1", 'Not right. labs.hint("1.5") helps.']
    assert lines[8].endswith("not answered yet")
    found = json.loads(run("check", "mine.ipynb", "--json").stdout)
    assert (found["student"], found["score"], found["max_score"], found["lab"]) == ("ada", 6, 16, 1)


def test_a_trouble_of_several_notebooks_is_said_once(tmp_path):
    for name in ("ada", "ben", "eva"):
        notebook(tmp_path / "in" / f"{name}.ipynb", name, [], "import absent\n" if name != "eva" else "")
    result = run("grade", str(tmp_path / "in"))
    assert result.stderr.count("No module named 'absent'") == 1
    assert "note: ada.ipynb and 1 more: cell 1: ModuleNotFoundError: No module named 'absent'\n" in result.stderr


def test_a_folder_is_graded(corpora, tmp_path):
    notebook(tmp_path / "in" / "a.ipynb", "ada", EVERY[:7])
    notebook(tmp_path / "in" / "b" / "01-tokens.ipynb", "bob", EVERY[:2], "labs.check('1.3', 'x')\n")
    notebook(tmp_path / "in" / "c.ipynb", "BOB", [])
    (tmp_path / "in" / "d.ipynb").write_text("?")
    files = [str(tmp_path / name) for name in ("grades.json", "grades.csv")]
    result = run("grade", str(tmp_path / "in"), "--seed", "winter", "--to", "json", files[0], "--to", "csv", files[1])
    assert result.exit_code == 0
    assert result.stdout == (
        "student  lab  points  right          wrong  not answered\n"
        "ada        1   10/16  1 2 3 4 5 6 7         8 9 10\n"
        "bob        1    3/16  1 2            3      4 5 6 7 8 9 10\n"
        "BOB        1    0/16                        1 2 3 4 5 6 7 8 9 10\n"
        "d                0/0\n"
    )
    assert "note: d.ipynb: " in result.stderr
    assert "note: bob has 2 notebooks of this lab: b/01-tokens.ipynb, c.ipynb\n" in result.stderr
    assert result.stderr.endswith("4 notebooks, 27% of the points\n")
    assert [each["score"] for each in json.loads(Path(files[0]).read_text())] == [10, 3, 0, 0]
    assert [row["score"] for row in csv.DictReader(Path(files[1]).read_text().splitlines())] == [
        *("10.0", "3.0", "0.0", "0.0")
    ]


@needs_confinement
def test_notebooks_that_did_not_come_from_moodle_have_no_row_and_are_told(tmp_path):
    notebook(tmp_path / "in" / "Ada L_123_assignsubmission_file_" / "a.ipynb", "Ada L", ["1.4"])
    notebook(tmp_path / "in" / "b.ipynb", "ben", ["1.4"])
    result = run("grade", str(tmp_path / "in"), "--to", "moodle", str(tmp_path / "m.csv"))
    assert len((tmp_path / "m.csv").read_text().splitlines()) == 2
    assert (
        "m.csv has no row for 1 of 2 notebooks, which did not come in a download of Moodle (--from ZIP" in result.stderr
    )


@needs_confinement
def test_an_interruption_keeps_what_is_graded(tmp_path, monkeypatch):
    from toysearch.classroom.grading import graded_notebook

    for name in "abc":
        notebook(tmp_path / "in" / f"{name}.ipynb", name, ["1.4"])
    original = graded_notebook.graded_notes

    def interrupted(path, *rest, **more):
        if path.stem == "c":
            raise KeyboardInterrupt
        return original(path, *rest, **more)

    monkeypatch.setattr(graded_notebook, "graded_notes", interrupted)
    files = [str(tmp_path / name) for name in ("grades.json", "grades.csv")]
    result = run("grade", str(tmp_path / "in"), "--to", "json", files[0], "--to", "csv", files[1])
    assert result.exit_code != 0
    assert [row.split()[0] for row in result.stdout.splitlines()[1:]] == ["a", "b"]
    assert "2 notebooks, 6% of the points" in result.stderr
    assert [each["student"] for each in json.loads(Path(files[0]).read_text())] == ["a", "b"]
    assert [row["student_id"] for row in csv.DictReader(Path(files[1]).read_text().splitlines())] == ["a", "b"]


def test_where_nothing_confines_the_refusal_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "macOS has none")
    monkeypatch.chdir(tmp_path)
    notebook(tmp_path / "in" / "a.ipynb", "a", ["1.4"])
    result = run("grade", "in")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("toysearch: this system cannot confine untrusted code (")
    assert "give --trust-code" in result.stderr
    looked_up = "cell 1: this notebook uses the part of toysearch that knows the right answers; read it\n"
    trusted = "note: this code runs unconfined, because you trust it: it can read and change all that you can\n"
    graded = f"note: a.ipynb: {looked_up}1 notebook, 6% of the points\n"
    assert run("grade", "in", "--trust-code").stderr == trusted + graded
    assert run("check", "in/a.ipynb").stderr == f"note: {looked_up}a: 1 of 16 points\n"  # one's own
