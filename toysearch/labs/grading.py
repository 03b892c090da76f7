"""Grading: a student's notebook runs confined and is only looked at there; what was seen is judged here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toysearch.sandbox.confined import Limits, run_confined
from toysearch.errors import ArgumentError, DataError
from toysearch.labs.child import NOTES
from toysearch.labs.exercise import Exercise
from toysearch.labs.judging import Observation, judge
from toysearch.labs.lessons import LESSONS, Lesson, lesson
from toysearch.labs.notebook import code_cells
from toysearch.labs.students import ANYONE, checked_name, seed
from toysearch.labs.verdict import Verdict

SECONDS = 120.0
"""For one notebook, unless told otherwise."""

MEMORY = 4_000_000_000
"""Bytes of address space for one notebook, unless told otherwise."""

_FILES = 20_000_000  # bytes that a notebook may write, the notes among them
_UNSEEN: Observation = {"state": "unanswered"}


@dataclass(frozen=True)
class Graded:
    """What a student's notebook is worth.

    Attributes
    ----------
    path : Path
        The notebook.
    student : str
        The name that it gives; where it gives none, that of its file, or of its folder.
    lesson : Lesson or None
        Which lab it is; None where that cannot be told.
    verdicts : tuple of Verdict
        One for each exercise of the lab.
    troubles : tuple of str
        What else there is to know: cells that failed, a limit that was met, a missing name.
    seconds : float
        How long it ran.
    """

    path: Path
    student: str
    lesson: Lesson | None
    verdicts: tuple[Verdict, ...]
    troubles: tuple[str, ...]
    seconds: float

    @property
    def score(self) -> int:
        """The points that were earned."""
        return sum(each.score for each in self.verdicts)

    @property
    def max_score(self) -> int:
        """The points that there are."""
        return sum(each.points for each in self.verdicts)


def grade(
    path: Path,
    *,
    salt: str = "",
    seconds: float = SECONDS,
    memory: int = MEMORY,
    hidden: Sequence[Path] = (),
) -> Graded:
    """Run one notebook confined, and judge what was seen.

    Parameters
    ----------
    path : Path
        The notebook, .ipynb or .py.
    salt : str, optional
        Decides with which arguments functions are called; by default with those that the student's own checks use.
    seconds : float
        How long it may take.
    memory : int
        How many bytes of address space it may take.
    hidden : sequence of Path, optional
        Files and folders that it may not read.

    Raises
    ------
    DataError
        If it is no notebook.
    """
    code_cells(path)  # a broken file is told before anything runs
    name = f"submission{path.suffix}"
    ran = run_confined(
        "toysearch.labs.child",
        name,
        salt,
        limits=Limits(seconds=seconds, memory=memory, files=_FILES),
        files={name: path.read_bytes()},
        keep=(NOTES,),
        hidden=[*hidden, *_solutions()],
    )
    notes = _notes(ran.files.get(NOTES, b""))
    troubles = [f"cell {each['cell']}: {_line(each['trouble'])}" for each in notes if each.get("trouble")]
    if ran.ended != "done":
        done = sum("trouble" in each for each in notes)
        troubles.append(f"{ran.sentence}, in cell {done + 1}; what comes after it was not seen")
    elif not any("cells" in each for each in notes):
        troubles.append("the notebook ended Python before its last cell")
    return _graded(path, notes, troubles, salt, ran.seconds)


def grade_all(
    folder: Path,
    *,
    salt: str = "",
    seconds: float = SECONDS,
    memory: int = MEMORY,
    progress: Callable[[int], object] | None = None,
) -> list[Graded]:
    """Grade every notebook below a folder; a bad one is a row that says why.

    Parameters
    ----------
    folder : Path
        The folder.
    salt : str, optional
        The grader's: decides with which arguments functions are called.
    seconds : float
        How long each may take.
    memory : int
        How many bytes of address space each may take.
    progress : callable, optional
        Called with how many are done.

    Raises
    ------
    ArgumentError
        If there is none.
    """
    paths = list(notebooks_below(folder))
    if not paths:
        raise ArgumentError(f"there is no notebook (.ipynb) below '{folder}'; give the folder with the students' files")
    found = []
    for done, path in enumerate(paths, 1):
        try:
            found.append(grade(path, salt=salt, seconds=seconds, memory=memory, hidden=paths))
        except (DataError, OSError) as error:
            found.append(_graded(path, [], [str(error)], salt, 0.0))
        if progress is not None:
            progress(done)
    return found


def notebooks_below(folder: Path) -> Iterator[Path]:
    """The notebooks below a folder, in order; without those that Jupyter keeps for itself.

    Parameters
    ----------
    folder : Path
        The folder.
    """
    for path in sorted(folder.rglob("*.ipynb")):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def same_students(graded: Sequence[Graded]) -> dict[tuple[str, str], list[Path]]:
    """Lab and student of whom there is more than one notebook, with these; names that give the same numbers are one.

    Parameters
    ----------
    graded : sequence of Graded
        What was graded.
    """
    found: dict[tuple[str, str], list[Path]] = {}
    for each in graded:
        lab = each.lesson.stem if each.lesson else ""
        found.setdefault((lab, seed(each.student)), []).append(each.path)
    return {key: paths for key, paths in found.items() if len(paths) > 1}


def _graded(path: Path, notes: list[dict[str, Any]], troubles: list[str], salt: str, seconds: float) -> Graded:
    started = [each for each in notes if "lab" in each]
    of = _lesson(started, path)
    named = checked_name(started[-1]["student"]) if started else ANYONE
    student = named
    if named == ANYONE:
        student = path.resolve().parent.name if of and path.stem == of.stem else path.stem
        if started:
            troubles.append("labs.start was given no name; the numbers are those of anyone")
    if of is None:
        unknown = "labs.start was not run: it is not known which lab this is"
        return Graded(path, student, None, (), tuple(troubles or [unknown]), seconds)
    seen = {each["exercise"]: each for each in notes if "exercise" in each}
    verdicts = tuple(_verdict(each, seen.get(each.number, _UNSEEN), named, salt) for each in of.exercises)
    return Graded(path, student, of, verdicts, tuple(troubles), seconds)


def _lesson(started: list[dict[str, Any]], path: Path) -> Lesson | None:
    """The lab that was started, else the one of that file name."""
    if started:
        try:
            return lesson(started[-1]["lab"])
        except ArgumentError:
            return None
    return next((each for each in LESSONS if each.stem in path.stem), None)


def _verdict(exercise: Exercise, observation: Observation, student: str, salt: str) -> Verdict:
    try:
        return judge(exercise, observation, exercise.case(student, salt))
    except Exception:  # what a student's process wrote may be anything
        sentence = "What was seen of this answer cannot be read."
        return Verdict(exercise.number, exercise.title, "refused", (sentence,), exercise.points)


def _notes(content: bytes) -> list[dict[str, Any]]:
    """The lines that are notes; the student's process wrote them, so nothing is taken on trust."""
    found = []
    for line in content.decode("utf-8", "replace").splitlines():
        try:
            note = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(note, dict) and isinstance(note.get("student", ""), str):
            found.append(note)
    return found


def _solutions() -> list[Path]:
    """Where a checkout has the solutions."""
    return [Path(__file__).resolve().parent.parent.parent / "labs"]


def _line(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 200 else f"{line[:199]}…"
