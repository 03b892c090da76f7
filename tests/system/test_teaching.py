"""docs/do/teach.md, word by word, as a teacher and a student do it: toysearch installed, no checkout, no network."""

import csv
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, loaded
from documented_lines import BLOCK, command_of, shown_parts, without_seconds
from test_docs import run
from tiers import exhaustive

from toysearch.classroom.exercise import LESSONS

pytestmark = [pytest.mark.system, pytest.mark.waits]

PAGE = (ROOT / "docs" / "do" / "teach.md").read_text(encoding="utf-8")
OFFLINE = ["unshare", "--user", "--map-root-user", "--net"]


def without_network() -> list[str]:
    """What puts a command where there is no network; nothing where this system cannot."""
    found = shutil.which("unshare") and subprocess.run([*OFFLINE, "true"], capture_output=True).returncode == 0
    return OFFLINE if found else []


@pytest.fixture
def room(environment, tmp_path):
    """A function that runs a shell command as in a class room: the wheel, an empty folder, no network."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    proxies = {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https")}  # the discard port
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    variables = {**kept, **proxies, "PATH": path, "TOYSEARCH_CACHE": str(tmp_path / "cache" / "toysearch")}
    folder = tmp_path / "room"
    folder.mkdir()

    def in_the_room(command: str, shown: str | None = None) -> str:
        return run(command, folder, variables, without_network(), shown)

    in_the_room.folder = folder
    return in_the_room


@exhaustive
def test_the_room_prints_what_the_page_shows(room):
    for block in BLOCK.finditer(PAGE):
        parts = shown_parts(block[1])
        printed = "".join(f"{lines}{room(command_of(lines), shown)}" for lines, shown in parts)
        assert without_seconds(printed) == without_seconds(block[1])


@exhaustive
def test_a_student_who_has_solved_a_lab_gets_all_points(room):
    """The answers are those of the teacher's notebook, put where the student's says whose turn it is."""
    build = loaded(ROOT / "notebooks" / "build.py")
    room("toysearch labs start 5 --student grace -o handed-in")
    path = room.folder / "handed-in" / "05-sets.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell, solved in zip(notebook["cells"], build.read(build.SOURCES / "05-sets.py"), strict=True):
        if "your turn" in "".join(cell["source"]):
            cell["source"] = solved.teacher
    path.write_text(json.dumps(notebook), encoding="utf-8")
    checked = room("toysearch check handed-in/05-sets.ipynb; echo exit $?")
    assert "wrong" not in checked
    assert checked.endswith("exit 0\n")
    room("toysearch labs grade handed-in --to csv grades.csv --seed winter")
    (row,) = csv.DictReader((room.folder / "grades.csv").open(encoding="utf-8"))
    assert row["student_id"] == "grace"
    assert float(row["score"]) == float(row["max_score"]) > 0


def test_each_topic_of_a_course_is_in_a_lab():
    table = PAGE.split("## Topics and exercises\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([\d., ]+) \|$", table, re.MULTILINE)
    assert len(rows) == 31
    numbers = {exercise.number for lesson in LESSONS for exercise in lesson.exercises} | {
        str(lesson.number) for lesson in LESSONS
    }
    for task, where in rows:
        for number in where.split(", "):
            assert number.strip() in numbers, task


def test_the_room_has_no_network(room):
    if not without_network():
        pytest.skip("this system has no unprivileged network namespaces; the proxies of the test lead nowhere")
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert re.search("unreachable|refused", room(f'python -c "{code}"'))
    assert Path(room.folder).exists()
