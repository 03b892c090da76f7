"""Grading: good notebooks, bad ones, and those that try to be clever; each is a row, none stops the others."""

import csv
import functools
import io
import json
from pathlib import Path

import pytest
import shell
from student_notebooks import line_past_the_limit, needs_confinement, notebook, notebook_file

from toysearch.base.errors import ArgumentError
from toysearch.classroom.exercise import lesson
from toysearch.classroom.grading import gradebook, graded_notebook, notebook_run
from toysearch.classroom.grading.graded_notebook import GradedNotebook, grade, grade_all, graded_notes, same_students
from toysearch.classroom.grading.notebook_run import read_notes, without_habits
from toysearch.classroom.sandbox import kernel_confinement
from toysearch.classroom.sandbox.confined_run import Limits, run_confined

START = 'from toysearch import labs\nlabs.start(1, student="{}")'
SLOPE = "from math import log\ng = labs.given('1.4')\nanswer = log(g.cf_2 / g.cf_1) / log(g.rank_2 / g.rank_1)"
RIGHT = f"{SLOPE}\nlabs.check('1.4', answer)"
TOKENS = "import re\nlabs.check('1.2', lambda text: re.findall(r'\\w\\w+', text.lower()))"
KNOWN = """import toysearch
from toysearch.classroom.exercise import exercise

known = {text: toysearch.Analyzer()(text) for text, in exercise('1.2').case('knowing').inputs}
labs.check('1.2', lambda text: known[text])
"""
FACTOR = "g = labs.given('1.5')\nlabs.check('1.5', g.times ** (1 / g.b))"


SUBMISSIONS = {
    "ada.ipynb": notebook(START.format("ada"), RIGHT, FACTOR, TOKENS),
    "knowing.ipynb": notebook(START.format("knowing"), KNOWN, RIGHT),
    "failing.ipynb": notebook(START.format("failing"), "1 / 0", RIGHT, "import sys; sys.exit(3)", FACTOR),
    "again.ipynb": notebook(
        START.format("Ada"), "labs.check('1.4', 0)", RIGHT, "labs.check('1.5', 1)", "labs.check('1.6', '?')"
    ),
    "leaving.ipynb": notebook(START.format("leaving"), RIGHT, "import os; os._exit(0)", FACTOR),
    "peeping.ipynb": notebook(
        START.format("peeping"),
        "import glob; open(PATH).read()",
        "import toysearch; open(toysearch.__path__[0] + '/../notebooks/sources/01-tokens.py')",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        RIGHT,
    ),
    "forging.ipynb": notebook(
        START.format("forging"),
        "file = open('notes.jsonl', 'a')\n"
        'for line in (\'[1]\', \'{\', \'{"exercise": "1.4", "state": "right"}\', \'{"exercise": "1.5", "student": 3}\','
        ' \'{"exercise": "1.7", "state": "seen", "seen": 5}\', \'\\0\\0\'):\n'
        "    print(line, file=file, flush=True)",
        "labs.check('1.5', ...)",
    ),
    "nobody/01-tokens.ipynb": notebook(START.format("anyone"), "%matplotlib_is_no_magic", FACTOR),
    "other.ipynb": notebook("print('no lab at all')"),
    "broken.ipynb": "{",
    "old.ipynb": json.dumps({"worksheets": []}),
    "binary.ipynb": b"\xff\xfe\x00",
    ".ipynb_checkpoints/ada-checkpoint.ipynb": notebook(START.format("ada")),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> dict[str, GradedNotebook]:
    """All of them, graded."""
    folder = tmp_path_factory.mktemp("handed-in")
    for name, content in SUBMISSIONS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        text = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(text.replace(b"PATH", repr(str(folder / "ada.ipynb")).encode()))
    return {str(each.path.relative_to(folder)): each for each in grade_all(folder, salt="winter")}


pytestmark = [pytest.mark.system, pytest.mark.waits, needs_confinement]


def states(each: GradedNotebook) -> dict[str, str]:
    return {verdict.number: verdict.state for verdict in each.verdicts if verdict.state != "unanswered"}


def test_every_notebook_is_a_row_and_copies_of_jupyter_are_none(graded):
    assert sorted(graded) == sorted(name for name in SUBMISSIONS if not name.startswith("."))
    scores = {name: each.score for name, each in graded.items() if each.score}
    ones = dict.fromkeys(
        ["again.ipynb", "knowing.ipynb", "leaving.ipynb", "nobody/01-tokens.ipynb", "peeping.ipynb"], 1
    )
    assert scores == {"ada.ipynb": 4, "failing.ipynb": 2, **ones}
    assert states(graded["ada.ipynb"]) == {"1.2": "right", "1.4": "right", "1.5": "right"}
    twice = same_students(list(graded.values()))
    assert {key: [path.name for path in paths] for key, paths in twice.items()} == {
        ("01-tokens", "ada"): ["ada.ipynb", "again.ipynb"]
    }


def test_a_function_that_knows_the_inputs_of_home_by_heart_fails_with_a_graders(graded, tmp_path):
    assert states(graded["knowing.ipynb"]) == {"1.2": "wrong", "1.4": "right"}
    (tmp_path / "knowing.ipynb").write_text(SUBMISSIONS["knowing.ipynb"])
    assert states(grade(tmp_path / "knowing.ipynb")) == {"1.2": "right", "1.4": "right"}


def test_a_cell_that_fails_does_not_stop_the_rest(graded):
    failing = graded["failing.ipynb"]
    assert failing.troubles == ("cell 2: ZeroDivisionError: division by zero", "cell 4: SystemExit: 3")
    assert states(failing) == {"1.4": "right", "1.5": "right"}


def test_the_last_answer_counts(graded):
    assert states(graded["again.ipynb"]) == {"1.4": "right", "1.5": "wrong", "1.6": "refused"}
    (made,) = json.loads(gradebook.as_json([graded["again.ipynb"]]))
    assert (made["student"], made["lab"], made["score"], made["max_score"]) == ("Ada", 1, 1, 16)
    assert [each["state"] for each in made["exercises"]][3:6] == ["right", "wrong", "refused"]


def test_what_leaves_is_told(graded):
    assert graded["leaving.ipynb"].troubles == ("the notebook ended Python before its last cell",)
    assert states(graded["leaving.ipynb"]) == {"1.4": "right"}


def test_what_never_ends_is_ended_and_keeps_what_came_before(tmp_path, monkeypatch):
    endless = f"import time\n{line_past_the_limit(monkeypatch)}\nwhile True: time.sleep(1)"
    found = grade(notebook_file(tmp_path / "endless.ipynb", START.format("endless"), RIGHT, endless, FACTOR), seconds=6)
    assert found.troubles == ("it took more than 6 s and was ended, in cell 3; later cells were not graded",)
    assert states(found) == {"1.4": "right"}


def test_the_limit_of_memory_is_the_graders(tmp_path):
    path = notebook_file(tmp_path / "large.ipynb", START.format("large"), "x = bytes(2_000_000_000)", RIGHT)
    assert grade(path).troubles == ()
    assert grade(path, memory=2_000_000_000).troubles == ("cell 2: MemoryError:",)


def test_what_is_forbidden_is_refused(graded):
    for place, trouble in enumerate(graded["peeping.ipynb"].troubles, 2):
        assert trouble.startswith(f"cell {place}: PermissionError: [Errno ")
    assert len(graded["peeping.ipynb"].troubles) == 3  # another's notebook, the solutions, the network


def test_what_a_notebook_writes_into_the_notes_convinces_nobody(graded):
    forging = graded["forging.ipynb"]
    assert forging.score == 0
    assert states(forging) == {"1.4": "refused", "1.7": "refused"}
    assert forging.verdicts[3].sentences == ("The record of this answer cannot be read.",)


def test_who_gives_no_name_is_called_after_the_file_or_its_folder(graded):
    nobody = graded["nobody/01-tokens.ipynb"]
    assert nobody.student == "nobody"
    assert nobody.troubles[-1] == "labs.start was called without a name; the numbers are those of the examples"
    assert nobody.troubles[0].startswith(("cell 2: UsageError", "cell 2: "))


def test_what_is_no_lab_is_told(graded):
    assert graded["other.ipynb"].troubles == (
        "labs.start was not run, and it is not known which lab this is; the first cell must contain "
        '`from toysearch import labs` and `labs.start(N, student="…")`, and must not fail',
    )
    for name in ("broken.ipynb", "old.ipynb"):
        assert ("is not a readable notebook; save it in Jupyter again, as .ipynb") in " ".join(graded[name].troubles)
        assert len(graded[name].troubles) == 1
        assert graded[name].student == name.removesuffix(".ipynb")
    assert "is not a notebook: it is not text" in graded["binary.ipynb"].troubles[0]


def test_grades_as_csv_have_nbgraders_columns_and_one_an_exercise(graded):
    rows = list(csv.DictReader(io.StringIO(gradebook.as_csv([graded["ada.ipynb"], graded["broken.ipynb"]]))))
    columns = (
        "assignment duedate timestamp student_id last_name first_name email raw_score late_submission_penalty score"
    )
    assert " ".join(list(rows[0])[:11]) == f"{columns} max_score"
    assert list(rows[0])[11:] == [exercise.number for exercise in lesson(1).exercises]
    assert {key: value for key, value in rows[0].items() if value not in ("", "0", "0.0")} == {
        **{"assignment": "01-tokens", "student_id": "ada", "raw_score": "4.0", "score": "4.0", "max_score": "16.0"},
        **{"1.2": "2", "1.4": "1", "1.5": "1"},
    }
    assert [rows[1][name] for name in ("student_id", "score", "max_score", "1.1")] == ["broken", "0.0", "0.0", ""]


def test_grades_for_gradescope(graded):
    made = json.loads(gradebook.as_gradescope(graded["failing.ipynb"]))
    assert (made["score"], len(made["tests"])) == (2, 10)
    assert made["output"] == "cell 2: ZeroDivisionError: division by zero\ncell 4: SystemExit: 3"
    assert made["tests"][3] == {
        **{"number": "1.4", "name": "Zipf's exponent from two ranks", "score": 1, "max_score": 1, "status": "passed"},
        **{"output": f"Right: 1 point. {lesson(1).exercises[3].why}", "visibility": "visible"},
    }
    assert [test["status"] for test in made["tests"]].count("failed") == 8


def test_a_notebook_as_a_python_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"# %% [markdown]\n# Text\n# %%\n{START.format('eve')}\n# %%\n1 / 0\n# %%\n{RIGHT}\n")
    found = grade(path)
    assert (found.student, found.score) == ("eve", 1)
    assert found.troubles == ("cell 3: ZeroDivisionError: division by zero",)


def noted(notes: list, folder) -> GradedNotebook:
    content = "\n".join(map(json.dumps, notes)).encode()
    return graded_notes(folder / "x.ipynb", read_notes(content, 1), [], "", 0.0)


@pytest.mark.parametrize("seen", [None, 3, [], {}, "x", [[1]], {"seen": 1}, [None] * 9, 10**400, [{"returned": None}]])
def test_no_note_makes_the_judge_fail(seen, tmp_path):
    notes = [{"lab": 1, "student": "ada"}]
    notes += [{"exercise": f"1.{n}", "student": "ada", "state": "seen", "seen": seen} for n in range(1, 9)]
    assert noted(notes, tmp_path).score == 0


def test_answers_of_any_size_take_little_memory(monkeypatch):
    monkeypatch.setattr(notebook_run, "_MOST_KEPT", 1_000_000)

    def answer(number: int) -> str:
        return f'{{"exercise": "1.{number}", "state": "seen", "seen": [{",".join(["{}"] * 60_000)}]}}'

    lines = ['{"lab": 1, "student": "ada"}', *map(answer, (1, 2, 1, 2, 3, 1, 4, 5, 6, 7))]
    notes = read_notes("\n".join([*lines, '{"exercise": "1.8", "state": "unanswered"}']).encode(), 1)
    assert [number for number in range(1, 9) if notes.observations[f"1.{number}"]] == [1, 2, 3, 4, 5, 8]
    verdicts = graded_notes(Path("x.ipynb"), notes, [], "", 0.0).verdicts
    assert [each.state for each in verdicts[5:]] == ["refused", "refused", "unanswered", "unanswered", "unanswered"]


def test_the_last_start_counts_and_a_name_is_a_text(tmp_path):
    content = b'{"lab": 99, "student": "a"}\n{"lab": 1, "student": "b"}\n{"lab": 98, "student": 3}\n[]\n?'
    found = graded_notes(tmp_path / "x.ipynb", read_notes(content, 1), [], "", 0.0)
    assert (found.student, found.lesson) == ("b", lesson(1))
    for lab in (99, "1", None, [], 1.5):
        found = noted([{"lab": lab, "student": "ada"}], tmp_path)
        assert (found.lesson, found.max_score) == (None, 0)


def noting(*lines: str) -> str:
    """A cell that writes into the notes itself."""
    return f"open('notes.jsonl', 'a').write({chr(10).join([*lines, ''])!r})"


FORGED = [  # lines of the notes
    '{"lab": 1}',
    '{"trouble": "x"}',
    '{"cell": 100, "trouble": "x"}',
    '{"cell": [], "trouble": 1}',
    '{"exercise": "1.2", "state": "seen", "seen": ' + "[" * 100_000,
    '{"exercise": ["1.2"], "state": {}}',
    '{"cells": "x"}',
    "[1]",
    "7",
    '{"exercise": "1.2", "state": "seen", "seen": ' + "9" * 5001 + "}",
]
FAILING = {  # one cell each, of the same notebook
    "half a character": 'raise ValueError("\\ud800")',
    "half a character as an answer": 'labs.check("1.1", "\\ud800")',
    "half a character as a name": 'labs.start(1, student="\\ud800")',
    "escape sequences": 'raise ValueError("\\x1b[2J\\x1b]0;owned\\x07")',
    "recursion": "def f(): f()\nf()",
    "ending the grader": "import os, signal\nos.kill(os.getppid(), 9)",
    "ending the grader by a descriptor": "signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)",
    "ending the grader's group": "os.killpg(os.getpgid(os.getppid()), 9)",
    "limiting the grader": "import resource\nresource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))",
    "reading the copies that Jupyter keeps": "print(open(CHECKPOINT).read()); labs.check('1.5', 10 ** 9)",
    "reading earlier grades": "print(open(GRADES).read())",
    "the salt on the command line": "import sys\nassert 'winter' not in repr(sys.orig_argv)",
}
BAD = {
    "failing": list(FAILING.values()),
    "forged notes": [noting(*FORGED)],
    "half a character as a name, forged": [noting(r'{"lab": 1, "student": "\ud800 bad"}')],
    "a pipe in the place of the notes": ['import os\nos.unlink("notes.jsonl")\nos.mkfifo("notes.jsonl")'],
    "crashing": ["import ctypes\nctypes.string_at(0)"],
    "honest": [],
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory) -> dict[str, GradedNotebook]:
    """A class in which nobody wishes the grader well, and one honest student at the end."""
    folder = tmp_path_factory.mktemp("bad")
    checkpoint = folder / ".ipynb_checkpoints" / "honest-checkpoint.ipynb"
    checkpoint.parent.mkdir()
    checkpoint.write_text(notebook(START.format("honest"), RIGHT))
    (folder / "grades.csv").write_text("secret")
    places = {"CHECKPOINT": repr(str(checkpoint)), "GRADES": repr(str(folder / "grades.csv"))}
    for number, cells in enumerate(BAD.values()):
        cells = [functools.reduce(lambda cell, name: cell.replace(name, places[name]), places, cell) for cell in cells]
        (folder / f"{number}.ipynb").write_text(notebook(START.format(f"student {number}"), RIGHT, *cells, FACTOR))
    return dict(zip(BAD, grade_all(folder, salt="winter"), strict=True))


def test_a_bad_notebook_costs_its_own_points_only(bad):
    assert (bad["honest"].student, bad["honest"].score, bad["honest"].troubles) == ("student 5", 2, ())
    assert bad["forged notes"].troubles == ()
    for name, each in bad.items():
        if name not in ("half a character as a name, forged", "a pipe in the place of the notes"):  # its own loss
            assert each.verdicts[3].passed, (name, each.troubles)
            assert each.verdicts[4].passed == (name != "crashing"), (name, each.troubles)


def test_what_a_bad_notebook_says_can_be_written_and_shown(bad):
    rows = list(bad.values())
    for text in (gradebook.as_json(rows), gradebook.as_csv(rows), *map(gradebook.as_gradescope, rows)):
        text.encode()
        assert "\x1b" not in text
    for each in rows:
        for text in (each.student, *each.troubles, *(line for verdict in each.verdicts for line in verdict.sentences)):
            assert text.isprintable(), text


def test_what_is_out_of_reach_is_said(bad):
    *harmless, killing, copies, grades = bad["failing"].troubles  # and nothing of the last cell
    assert [trouble.partition(":")[0] for trouble in harmless] == [f"cell {number}" for number in (3, 5, 6, 7)]
    assert killing == "cells 8, 9, 10, 11: PermissionError: [Errno 1] Operation not permitted"
    assert copies.startswith("cell 12: PermissionError: [Errno 13] Permission denied: ")
    assert grades.startswith("cell 13: PermissionError: [Errno 13] Permission denied: ")


NOW = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 1)\n"  # the limit is reached, however long it is
ENDLESS = [
    "while True: pass",
    "try:\n    while True: pass\nexcept Exception: pass",
    "import time\nwhile True: time.sleep(1)",
]


def test_an_endless_function_costs_its_exercise_and_an_endless_cell_itself(tmp_path):
    """Honest cells have limits that no busy machine reaches."""
    path = notebook_file(
        tmp_path / "endless.ipynb",
        f"import time\n{START.format('endless')}",
        f"def tokens(text):\n    {NOW.replace(chr(10), '; ')}\n    while True: pass\nlabs.check('1.2', tokens)",
        *(NOW + cell for cell in ENDLESS[:2]),
        RIGHT,
        NOW + ENDLESS[2],
        FACTOR,
    )
    found = grade(path, each={"call": 300, "cell": 600})
    assert states(found) == {"1.2": "wrong", "1.4": "right", "1.5": "right"}
    assert "takes more than" in found.verdicts[1].sentences[0]
    assert found.verdicts[1].sentences[0].endswith("does its loop end?")
    assert found.troubles == (
        "cell 3: the cell took more than 600 s and was stopped",
        "cells 4, 6: the cell took more than 300 s and was stopped",
    )


def test_the_limits_of_a_cell_and_of_a_call_end_them(tmp_path):
    cells = grade(notebook_file(tmp_path / "cells.ipynb", *ENDLESS), each={"call": 0.1, "cell": 0.5})
    assert cells.troubles[-2:] == (
        "cell 1: the cell took more than 0.5 s and was stopped",
        "cells 2, 3: the cell took more than 0.1 s and was stopped",
    )
    function = "def tokens(text):\n    while True: pass\nlabs.check('1.2', tokens)"
    calls = grade(
        notebook_file(tmp_path / "calls.ipynb", START.format("calls"), function), each={"call": 0.1, "cell": 600}
    )
    assert states(calls) == {"1.2": "wrong"}
    assert "takes more than" in calls.verdicts[1].sentences[0]


@pytest.mark.parametrize(
    ("cell", "source"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install numpy", "pass"),
        ("if 1:\n    !ls\n    y = 2", "if 1:\n    pass\n    y = 2"),
        ("%config InlineBackend.figure_format = 'svg'", "pass"),
        ("%%bash\nls", ""),
        ("%time x = 3", "%time x = 3"),
        ("%%time\nx = 3", "%%time\nx = 3"),
        ("x = 5 %3\ny = x != 2", "x = 5 %3\ny = x != 2"),
    ],
)
def test_what_is_typed_by_habit_is_taken_as_nothing(cell, source):
    assert without_habits(cell) == source


def test_habits_cost_no_cell(tmp_path):
    path = notebook_file(
        tmp_path / "habits.ipynb",
        START.format("habits"),
        f"%matplotlib inline\n!pip install rank-bm25\n{RIGHT}",
        "%%bash\nls",
        f"%time x = 1\n{FACTOR}",
        "%%time\ny = 1\nprint(x)",
    )
    found = grade(path)
    assert (found.score, found.troubles) == (2, ())


def test_a_missing_start_is_said_in_one_sentence(tmp_path):
    path = notebook_file(
        tmp_path / "01-tokens.ipynb", "labs.given('1.4')", RIGHT, FACTOR, "print(x)", "1 / 0", "x = 1 / 0"
    )
    assert grade(path).troubles == (
        "labs.start was not run; the first cell must contain `from toysearch import labs` and `labs.start(1, "
        'student="…")`, and must not fail',
        "cells 5, 6: ZeroDivisionError: division by zero",
    )


def test_grades_are_the_same_however_many_run_at_a_time(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name in ("broken.ipynb", "failing.ipynb"):
        (folder / name).write_text(SUBMISSIONS[name])
    made = {}
    for jobs in ("1", "2"):
        files = [tmp_path / f"{jobs}.csv", tmp_path / f"{jobs}.json"]
        result = shell.run("labs", "grade", folder, "--jobs", jobs, "--to", "csv", files[0], "--to", "json", files[1])
        data = json.loads(files[1].read_bytes())
        assert all(each.pop("seconds") >= 0 for each in data)
        made[jobs] = result.exit_code, result.stdout, result.stderr, files[0].read_bytes(), data
    assert made["1"] == made["2"]
    assert made["1"][0] == 0
    assert [line.split()[:3] for line in made["1"][1].splitlines()[1:]] == [["broken", "0/0"], ["failing", "1", "2/16"]]
    with pytest.raises(ArgumentError, match="jobs must be a whole number of at least 1, not 0"):
        next(grade_all(folder, jobs=0))


def test_grading_that_is_left_ends_the_notebooks_that_still_run(tmp_path, monkeypatch):
    ended = []

    def running(*_, stop, **__):
        ended.append(stop.wait(60))
        return run_confined("json.tool", limits=Limits(seconds=500), stop=stop)

    monkeypatch.setattr(graded_notebook, "run_confined", running)
    (tmp_path / "a.ipynb").write_text(SUBMISSIONS["broken.ipynb"])
    (tmp_path / "b.ipynb").write_text(SUBMISSIONS["ada.ipynb"])
    grades = grade_all(tmp_path, jobs=2)
    assert next(grades).path.name == "a.ipynb"
    grades.close()
    assert ended in ([], [True])  # not begun, or told to end


def test_a_notebook_that_ran_to_its_end_is_not_run_again_unless_it_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "in"
    for name in ("ada", "ben"):
        notebook_file(folder / f"{name}.ipynb", START.format(name), RIGHT)
    notebook_file(folder / "leaving.ipynb", START.format("leaving"), RIGHT, "import os; os._exit(1)")
    runs: list[str] = []
    ran: dict = {}

    def counted(*arguments, files, **more):
        runs.append("")
        content = next(iter(files.values()))
        if content not in ran:  # for the rest its end is known
            ran[content] = run_confined(*arguments, files=files, **more)
        return ran[content]

    monkeypatch.setattr(graded_notebook, "run_confined", counted)

    def graded_now(**more) -> tuple[list[bool], int]:
        runs.clear()
        results = list(grade_all(folder, **{"salt": "winter", "jobs": 1} | more))
        assert [each.score for each in results] == [1, 1, 1]
        return [each.resumed for each in results], len(runs)

    assert graded_now() == ([False, False, False], 3)
    assert graded_now() == ([True, True, False], 1)  # what did not end by itself runs again
    assert graded_now(salt="summer") == ([False, False, False], 3)
    assert graded_now(memory=3_000_000_000) == ([False, False, False], 3)
    assert graded_now(again=["ADA"]) == ([False, True, False], 2)
    notebook_file(folder / "ben.ipynb", START.format("ben"), RIGHT, "1")
    assert graded_now() == ([True, False, False], 2)
    kept = sorted((tmp_path / "cache" / "graded").iterdir())
    kept[0].write_bytes(b"damaged")
    assert graded_now()[1] in (1, 2)  # what is kept may be of the other seed


def test_a_run_that_was_trusted_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "nothing here")
    notebook_file(tmp_path / "in" / "ada.ipynb", START.format("ada"), RIGHT)
    for _ in range(2):
        assert [each.resumed for each in grade_all(tmp_path / "in", trust_code=True)] == [False]
    assert not (tmp_path / "cache" / "graded").exists()
