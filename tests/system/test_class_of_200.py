"""A class of twenty kinds of students, graded by the command; all figures are computed again here, in plain Python."""

import csv
import html
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import shell
from student_notebooks import needs_confinement, notebook_file
from tiers import exhaustive

from toysearch.classroom.exercise import lesson

pytestmark = [exhaustive, needs_confinement]

POINTS = {"5.1": 1, "5.2": 1, "5.3": 1, "5.4": 2, "5.5": 1, "5.6": 1, "5.7": 1, "5.8": 2}  # of the notebook's text
ANSWERED = ["5.1", "5.2", "5.3", "5.5", "5.6", "5.7", "5.8"]  # 5.4 asks for a function; nobody writes it
OPEN = 3  # points of a text in one's own words
MOST = 13  # of the lab with that text
DUE = 1_900_000_000  # seconds since 1970
DAY = 86_400
FREE, PENALTY = 1, 0.1  # late days that cost nothing, and the part of the points that each later one costs
WITH_MISTAKES = ["5.1", "5.2", "5.3", "5.6", "5.7", "5.8"]


class Pupil:
    """A student: what is in the notebook, and what that must give."""

    def __init__(self, number: int) -> None:
        self.kind, self.name, self.student_id = number % 20, f"Student {number:03}", f"s{number:03}"
        self.author = "Somebody Else" if self.kind == 15 else self.name
        self.right: list[str] = []
        self.wrong: dict[str, str] = {}  # exercise → the sentence of the mistake
        self.refused: list[str] = []
        self.days, self.by_hand, self.explained = 0, {}, 0.0
        self.has_file = self.kind != 8

    def answers(self, right: list[str], mistake: int | None = None) -> list[str]:
        """Cells with right answers to some exercises, and with a common mistake in all others that have it."""
        cells = []
        for exercise in lesson(5).exercises:
            given = exercise.case(self.author).given
            if exercise.number in right:
                answer: Any = exercise.expected(given)
                self.right.append(exercise.number)
            elif mistake is not None and exercise.number in WITH_MISTAKES:
                answer = exercise.wrong_answers()[mistake].answer(given)
                self.wrong[exercise.number] = f"Not right: {exercise.wrong_answers()[mistake].sentence}"
            else:
                continue
            cells.append(f'labs.check("{exercise.number}", {answer!r})')
        return cells

    def cells(self) -> list[str]:
        """The notebook."""
        start = f'from toysearch import labs\nlabs.start(5, student="{self.author}")'
        half = ANSWERED[:4]
        match self.kind:
            case 1:  # opened and closed
                return [start]
            case 2 | 7:
                return [start, *self.answers(half)]
            case 3 | 4:
                return [start, *self.answers([], self.kind - 3)]
            case 5:  # a word for everything
                self.refused = list(ANSWERED)
                return [start, *(f'labs.check("{number}", print)' for number in ANSWERED)]
            case 12:  # a cell fails
                first, *rest = self.answers(ANSWERED)
                return [start, first, "1 / 0", *rest]
            case 13:  # the program ends
                return [start, *self.answers(half[:3]), "import os\nos._exit(0)", 'labs.check("5.8", {})']
            case 14:  # the first cell was removed
                return self.answers(ANSWERED)
        return [start, *self.answers(ANSWERED, 0)]

    def hand_in(self, folder: Path) -> None:
        """Write the notebook, and say what is special about it."""
        path = folder / self.student_id / "05-sets.ipynb"
        if not self.has_file:
            return
        cells = self.cells()
        if self.kind == 14:
            self.right = []
        if self.kind == 18:
            path.parent.mkdir()
            path.write_text('{"cells": [', encoding="utf-8")
            self.right = []
        elif self.kind == 19:
            path.parent.mkdir()
            path.symlink_to(folder / "s000" / "05-sets.ipynb")
            self.right = []
        else:
            notebook_file(path, *cells)
            self.days = {6: 1, 7: 3, 11: 5}.get(self.kind, 0)
            os.utime(path, (DUE + self.days * DAY - 60,) * 2)
        if self.kind == 16:  # an earlier, empty one lies beside it
            notebook_file(path.with_name("05-sets-1.ipynb"), cells[0])
            os.utime(path.with_name("05-sets-1.ipynb"), (DUE - DAY,) * 2)
        if self.kind == 9:
            self.by_hand = {"5.4": 1.5}
        if self.kind == 10:
            self.by_hand = {"5.1": 0, "5.8": 1}
        if self.kind == 11:
            self.days = 2  # by hand, whatever the time of the file
        self.explained = 2.5 if self.kind == 17 else 0.0

    def marks(self) -> list[str]:
        """The rows that the tutor writes."""
        rows = [f"{self.student_id},{number},{points},," for number, points in self.by_hand.items()]
        rows += [f"{self.student_id},5,,2,came later"] if self.kind == 11 else []
        return rows + ([f"{self.name},5.explain,{self.explained},,well said"] if self.explained else [])

    def raw(self) -> float:
        """The points of the answers."""
        points = {number: POINTS[number] for number in self.right} | self.by_hand
        return sum(points.values()) + self.explained

    def penalty(self) -> float:
        """What lateness costs."""
        return min(self.raw(), max(0, self.days - FREE) * PENALTY * MOST)

    def score(self) -> float:
        """The points."""
        return round(self.raw() - self.penalty(), 2)


def quartile(values: list[float], part: int) -> float:
    """The first, second or third quartile, between two values in proportion."""
    place = (len(values) - 1) * part / 4
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its first row."""
    table = page.partition(f"<h3>{heading}</h3>")[2].partition("</table>")[0]
    rows = [
        re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in re.findall("<tr>.*?</tr>", table, re.DOTALL)
    ]
    return [[html.unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in rows[1:]]


def test_all_figures_of_a_class_are_those_of_a_plain_calculation(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    folder, pupils = tmp_path / "handed-in", [Pupil(number) for number in range(200)]
    folder.mkdir()
    for pupil in pupils:
        pupil.hand_in(folder)
    assert {exercise.number: exercise.points for exercise in lesson(5).exercises} == POINTS
    roster, marks = tmp_path / "class.csv", tmp_path / "marks.csv"
    roster.write_text("".join(f"{pupil.name},{pupil.student_id}\n" for pupil in pupils), encoding="utf-8")
    rows = [row for pupil in pupils for row in pupil.marks()]
    marks.write_text("\n".join(["student,exercise,points,late,comment", *rows]) + "\n", encoding="utf-8")
    files = {form: tmp_path / f"grades.{form}" for form in ("csv", "json", "canvas")}
    options = ["--roster", roster, "--by-hand", marks, "--late-days", FREE, "--penalty", 100 * PENALTY]
    options += ["--due", "2030-03-17T17:46:40Z", "--feedback", tmp_path / "pages"]
    shell.done("labs", "grade", folder, *options, *(w for form, f in files.items() for w in ("--to", form, f)))

    lines = {line["student_id"]: line for line in csv.DictReader(files["csv"].open(encoding="utf-8"))}
    assert len(lines) == len(pupils)
    for pupil in pupils:
        line = lines[pupil.student_id]
        figures = [float(line[name]) for name in ("raw_score", "late_submission_penalty", "score", "max_score")]
        assert figures == pytest.approx([pupil.raw(), pupil.penalty(), pupil.score(), MOST]), pupil.kind
        points = {number: POINTS[number] * (number in pupil.right) for number in POINTS} | pupil.by_hand
        assert {number: float(line[number]) for number in POINTS} == points, pupil.kind
        assert float(line["5.explain"]) == pupil.explained
    canvas = {line["SIS User ID"]: line["05-sets"] for line in csv.DictReader(files["canvas"].open(encoding="utf-8"))}
    assert {key: float(value) for key, value in canvas.items()} == {
        "": MOST,
        **{pupil.student_id: pytest.approx(pupil.score()) for pupil in pupils},
    }
    graded = json.loads(files["json"].read_text(encoding="utf-8"))
    assert len(graded) == len(pupils)  # one without a file, one with two
    told = {row["notebook"]: " ".join(row["troubles"]) for row in graded}
    paths = {pupil.kind: f"{pupil.student_id}/05-sets.ipynb" for pupil in pupils}
    notes = {kind: told[path] for kind, path in paths.items() if path in told}
    expected = {
        12: "ZeroDivisionError",
        13: "ended Python",
        14: "labs.start was not run",
        15: "'Somebody Else'",
        18: "not a readable notebook",
        19: "is a link",
        6: "1 free late day used",
        11: "came later",
    }
    assert {kind: text in notes[kind] for kind, text in expected.items()} == dict.fromkeys(expected, True)

    page = (tmp_path / "pages" / "class.html").read_text(encoding="utf-8")
    present = [pupil for pupil in pupils if pupil.has_file]
    shares = sorted(pupil.score() / MOST for pupil in present)
    low, middle, high = (quartile(shares, part) for part in (1, 2, 3))
    assert (
        f"<p>{len(present)} notebooks, {sum(shares) / len(shares):.0%} of the points on average: "
        f"lowest {shares[0]:.0%}, quartiles {low:.0%}, {middle:.0%} and {high:.0%}, highest {shares[-1]:.0%}.</p>"
    ) in page
    tenths = Counter(min(9, int(10 * share + 1e-9)) for share in shares)
    assert [row[:2] for row in rows_of(page, "Spread")] == [
        [f"{10 * tenth}–{10 * tenth + 10}%", str(tenths[tenth])] for tenth in range(10)
    ]
    hardest = {}
    for number in POINTS:
        right = sum(number in pupil.right for pupil in present)
        wrong = sum(number in pupil.wrong or number in pupil.refused for pupil in present)
        hardest[number] = right, wrong, len(present) - right - wrong
    table = rows_of(page, "Exercises, the hardest first")
    assert {row[0]: tuple(map(int, row[2:])) for row in table} == hardest
    assert [int(row[2]) for row in table] == sorted(counts[0] for counts in hardest.values())
    sentences = Counter(pair for pupil in present for pair in pupil.wrong.items())
    of_exercise = Counter(number for number, _ in sentences.elements())
    table = rows_of(page, "The most common mistakes")
    assert len(table) == min(10, len(sentences))
    for times, share, number, comment in table:
        count = sentences[number, comment]
        assert (int(times), share) == (count, f"{count / of_exercise[number]:.0%}")
    students = {row[0]: row[1:3] for row in rows_of(page, "Students")}
    assert students == {
        pupil.name: [
            f"{pupil.score():g}/{MOST}" if pupil.has_file else "nothing was handed in",
            f"{pupil.days} day{'s' * (pupil.days != 1)}" if pupil.days else "",
        ]
        for pupil in pupils
    }
