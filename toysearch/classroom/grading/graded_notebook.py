"""Grading: a notebook runs confined, where its answers are only observed; they are judged here."""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import os
import re
import threading
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import toysearch
from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    Result,
    ResultTable,
    cache_folder,
    counted,
    expect_count,
    groups_of,
    note,
)
from toysearch.base.platform import CACHE, awaited, cores, pool
from toysearch.classroom.answers import Observation, Verdict, judge
from toysearch.classroom.exercise import ANYONE, LESSONS, Exercise, Lesson, clean_name, individual_number, lesson, seed
from toysearch.classroom.grading.notebook_run import ASKED, NOTES, Notes, read_notes, readable
from toysearch.classroom.grading.roster import Enrolled, HandedIn, handed_in_by, owner
from toysearch.classroom.notebook import cells_of, plain_content
from toysearch.classroom.open_question import written_answers
from toysearch.classroom.sandbox.confined_run import Confined, Limits, admit_code, ended_cleanly, run_confined
from toysearch.cli.output import remark, show
from toysearch.collection.catalog import VARIABLE, places
from toysearch.files import replacing_bytes

NOTEBOOK = 300.0
"""Default time limit for one notebook, in seconds."""

MEMORY = 4_000_000_000
"""Default memory limit for one notebook, in bytes."""

_LOOKS_UP = re.compile(
    r"toysearch\s*\.\s*classroom(?!\s*\.\s*(?:textbook|textbook_pages)\b)|from\s+toysearch\s+import\b(?:(?!\bfrom\b).)*\bclassroom\b|\bLESSONS\b|\.expected\b"
)
"""Pattern of code that reaches the exercises with their right answers."""

_LOOKED_UP = "this notebook uses the part of toysearch that knows the right answers; read it"

_OTHERS = frozenset((".doc", ".docx", ".odt", ".pages", ".pdf", ".py", ".r", ".rmd", ".rtf", ".txt", ".zip"))
"""Suffixes of documents and programs that students hand in instead of a notebook."""

_UNSEEN: Observation = {"state": "unanswered"}
_FILES = 100_000_000  # bytes that a notebook may write, the notes among them


@dataclass(frozen=True)
class GradedNotebook(Result):
    """Result of a notebook."""

    path: Path
    student: str  # the name in it, else that of its file or its folder
    lesson: Lesson | None  # its lab; None if unknown
    verdicts: tuple[Verdict, ...]  # one for each exercise of the lab
    troubles: tuple[str, ...]  # notes: failed cells, exceeded limits, a missing name
    seconds: float  # running time
    handed_in: HandedIn | None = None  # what a course system's name of its file or folder says
    private: tuple[str, ...] = ()  # the notes that are for the lecturer alone
    days_late: int = 0  # days begun after the due date
    penalty: float = 0.0  # points that lateness costs
    resumed: bool = False  # whether the notebook did not run, because an equal one had run before
    written: Mapping[str, str] = field(default_factory=dict)  # kind of an open question → what the student wrote
    observations: Mapping[str, Observation] = field(default_factory=dict, repr=False)  # exercise → its answer
    judged_as: tuple[str, str, str] = (ANYONE, "", "")  # what decides the numbers: student, secret, individual number

    @property
    def absent(self) -> bool:
        """True if nothing was handed in: there is no file."""
        return not self.path.name

    @property
    def raw_score(self) -> float:
        """Return the points of the answers."""
        return sum(verdict.score for verdict in self.verdicts)

    @property
    def score(self) -> float:
        """Return the points earned: those of the answers without those that lateness costs."""
        earned = round(self.raw_score - self.penalty, 2)
        return int(earned) if earned == int(earned) else earned

    @property
    def remarks(self) -> list[str]:
        """Return the notes that a student may read."""
        return [trouble for trouble in self.troubles if trouble not in self.private]

    @property
    def max_score(self) -> int:
        """Return the maximum number of points."""
        return sum(verdict.points for verdict in self.verdicts)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per exercise."""
        columns = [
            Column("number", "exercise"),
            Column("title", wrap=True),
            Column("score", "points", justify="right"),
            Column("state", "verdict", wrap=True),
        ]
        words = {"right": "right", "unanswered": "not answered yet"}
        rows = [
            [
                verdict.number,
                verdict.title,
                f"{verdict.score}/{verdict.points}",
                words.get(verdict.state) or " ".join(verdict.sentences),
            ]
            for verdict in self.verdicts
        ]
        return [ResultTable(columns, rows)]

    @property
    def points(self) -> str:
        """Return the points, in words."""
        return f"{self.student}: {self.score} of {counted(self.max_score, 'point')}"

    def data(self) -> dict[str, Any]:
        """Return all facts as plain values, for JSON."""
        return {
            "student": self.student,
            "lab": self.lesson.number if self.lesson else None,
            "notebook": readable(self.path.name),
            "score": self.score,
            "max_score": self.max_score,
            "raw_score": self.raw_score,
            "days_late": self.days_late,
            "penalty": self.penalty,
            "seconds": round(self.seconds, 1),
            "troubles": list(self.troubles),
            "written": dict(self.written),
            "exercises": [
                {
                    "number": verdict.number,
                    "title": verdict.title,
                    "state": verdict.state,
                    "score": verdict.score,
                    "max_score": verdict.points,
                    "by_hand": verdict.by_hand is not None,
                    "sentences": list(verdict.sentences),
                }
                for verdict in self.verdicts
            ],
        }


def grade(
    path: Path,
    *,
    salt: str = "",
    seconds: float = NOTEBOOK,
    memory: int = MEMORY,
    hidden: Sequence[Path] = (),
    trust_code: bool = False,
    each: Mapping[str, float] | None = None,
) -> GradedNotebook:
    """Run one notebook confined, and judge its answers."""
    with ended_cleanly():
        return graded_notes(path, *_noted(path, salt, seconds, memory, hidden, trust_code, each)[:-1])


def grade_all(
    folder: Path,
    *,
    salt: str = "",
    seconds: float = NOTEBOOK,
    memory: int = MEMORY,
    trust_code: bool = False,
    jobs: int | None = None,
    students: Sequence[Enrolled] = (),
    again: Sequence[str] = (),
    key: str = "",
) -> Generator[GradedNotebook, None, None]:
    """Grade every notebook below a folder, several at a time, in the order of their paths; a bad one has a note.

    With the students of a class, a notebook belongs to the student whose id its folder has, whatever name is in it.
    A notebook that ended by itself is not run again with the same content, limits and collections, unless its student
    is one of `again`, by name or by id. With the key of `labs start`, each is judged with the individual number of its
    student, whatever number is in it.
    """
    if jobs is not None:
        expect_count(jobs=jobs)
    admit_code(trust_code)
    paths = list(notebooks_below(folder))
    if not paths:
        raise ArgumentError(f"there is no notebook (.ipynb) below '{folder}'; give the folder with the students' files")
    inside = any(corpus.resolve().is_relative_to(folder.resolve()) for corpus in _collections())
    hidden = [] if inside else [folder]  # the folder itself cannot be read in any case
    stop, runs = threading.Event(), cache_folder() / "graded"
    ids = {student.student_id: student.name for student in students}
    once_more = {seed(ids.get(name, name)) for name in again}
    with ended_cleanly(), pool(min(jobs or cores(), len(paths))) as beside:
        waiting = deque(
            beside.submit(_noted, path, salt, seconds, memory, hidden, trust_code, None, stop, runs)
            for path in paths
            if path.suffix.casefold() not in _OTHERS
        )
        try:
            for path in paths:
                whose = owner(path, folder, students)
                grade = functools.partial(graded_notes, path, of=whose, students=students, key=key)
                try:
                    if path.suffix.casefold() in _OTHERS:
                        raise DataError(f"handed in {readable(path.name)}, which is not a notebook (.ipynb)")
                    ran = awaited(waiting.popleft())
                    graded = grade(*ran[:-1])
                    if ran[-1] and seed(graded.student) in once_more:
                        ran = _noted(path, salt, seconds, memory, hidden, trust_code, None, stop)
                        graded = grade(*ran[:-1])
                    graded = replace(graded, resumed=ran[-1])
                except (DataError, OSError, MemoryError) as error:
                    why = getattr(error, "strerror", None) or "there is not enough memory"
                    trouble = str(error) if isinstance(error, DataError) else f"it could not be read: {why}"
                    graded = grade(None, [trouble], salt, 0.0)
                yield replace(graded, handed_in=handed_in_by(path, folder))
        finally:  # nothing continues after an interruption
            stop.set()
            beside.shutdown(wait=False)


def _noted(
    path: Path,
    salt: str,
    seconds: float,
    memory: int,
    hidden: Sequence[Path],
    trust_code: bool,
    each: Mapping[str, float] | None,
    stop: threading.Event | None = None,
    runs: Path | None = None,
) -> tuple[Notes, list[str], str, float, dict[str, str], bool]:
    """Run a notebook confined; return its notes, as arguments of `graded_notes`, and whether it ran earlier.

    Safe to call from threads.
    """
    name, content = f"submission{path.suffix}", plain_content(path)
    codes = cells_of(content, path)  # a broken file is reported before anything runs
    own_salt = hmac.new(salt.encode(), content, hashlib.sha256).hexdigest() if salt else ""
    request = {"notebook": name, "salt": own_salt, "seconds": dict(each or {})}
    there = os.environ.get(VARIABLE)
    settings = [name, own_salt, request["seconds"], seconds, memory, _installed(), *map(_stamp, _collections())]
    key = hashlib.sha256(content + json.dumps(settings).encode()).hexdigest()
    file = runs / f"{key}.jsonl" if runs else None
    earlier = _kept_run(file)
    ran = earlier or run_confined(
        "toysearch.classroom.grading.notebook_run",
        limits=Limits(seconds=seconds, memory=memory, files=_FILES),
        files={name: content, ASKED: json.dumps(request)},
        keep=(NOTES,),
        readable=_collections(),
        hidden=[*hidden, Path(__file__).resolve().parents[3] / "notebooks"],  # the solutions in a checkout
        environment={CACHE: str(cache_folder()), **({VARIABLE: there} if there else {})},  # where the collections are
        trust_code=trust_code,
        stop=stop,
    )
    notes = read_notes(ran.files.get(NOTES, b""), len(codes))
    troubles = notes.troubles()
    if looking := [number for number, code in enumerate(codes, 1) if _LOOKS_UP.search(code)]:
        cells = f"cell{'s' * (len(looking) > 1)} {', '.join(map(str, looking))}"
        troubles.append(f"{cells}: {_LOOKED_UP}")
    if ran.ended != "done":
        troubles.append(f"{ran.sentence}, in cell {notes.cells + 1}; later cells were not graded")
    elif not notes.whole:
        troubles.append("the notebook ended Python before its last cell")
    if file and not earlier and ran.confined and ran.ended == "done":
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(file) as output:
            output.write(json.dumps(ran.seconds).encode() + b"\n" + ran.files.get(NOTES, b""))
    return notes, troubles, own_salt, ran.seconds, written_answers(content), earlier is not None


def _kept_run(file: Path | None) -> Confined | None:
    try:
        seconds, _, notes = file.read_bytes().partition(b"\n") if file else (b"", b"", b"")
        return Confined("done", 0, "", "", float(seconds), "done", {NOTES: notes}, True)
    except (OSError, ValueError):
        return None


@functools.cache
def _installed() -> str:
    """Checksum of the installation: its version, and the files of its modules."""
    here = Path(toysearch.__file__).parent
    return hashlib.sha256(repr([toysearch.__version__, *map(_stamp, sorted(here.rglob("*.py")))]).encode()).hexdigest()


def _stamp(path: Path) -> tuple[str, int, int]:
    status = path.stat()
    return str(path), status.st_size, status.st_mtime_ns


def notebooks_below(folder: Path) -> Iterator[Path]:
    """Yield the notebooks below a folder, in order; without those that Jupyter keeps for itself.

    Links are not followed: one instead of a student's folder is returned itself, and refused when it is read. So
    is a document or a program in a folder without a notebook, or in the folder itself with the name of a lab.
    """
    linked = (path for path in folder.iterdir() if path.is_symlink() and path.is_dir())
    notebooks = {*folder.rglob("*.ipynb"), *linked}
    holders = {parent for path in notebooks for parent in path.parents}
    names = {path.stem for path in notebooks if path.parent == folder}
    others = {
        path
        for path in folder.rglob("*")
        if path.suffix.casefold() in _OTHERS
        and (_names_a_lab(path, names) if path.parent == folder else path.parent not in holders)
    }
    for path in sorted(notebooks | others):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _names_a_lab(path: Path, notebooks: Collection[str]) -> bool:
    """Return whether a file is named like a lab, and not like a notebook beside it."""
    return path.stem not in notebooks and any(lab.stem in path.stem for lab in LESSONS)


def same_students(graded: Sequence[GradedNotebook]) -> dict[tuple[str, str], list[Path]]:
    """Return (lab, student) → notebooks, if there are several; names with the same numbers count as one."""
    by_student = groups_of(
        ((notebook.lesson.stem if notebook.lesson else "", seed(notebook.student)), notebook) for notebook in graded
    )
    return {
        (lab, of[0].student): [notebook.path for notebook in of] for (lab, _), of in by_student.items() if len(of) > 1
    }


def graded_notes(
    path: Path,
    noted: Notes | None,
    troubles: list[str],
    salt: str,
    seconds: float,
    written: Mapping[str, str] | None = None,
    *,
    of: Enrolled | None = None,
    students: Sequence[Enrolled] = (),
    key: str = "",
) -> GradedNotebook:
    """Judge a notebook from its notes; of: the student of the class to whom its folder belongs.

    Without notes, the file is not a readable notebook.
    """
    notes = noted or Notes()
    private = [trouble for trouble in troubles if trouble.endswith(_LOOKED_UP)]
    started, lab = notes.started, _lesson(notes, path)
    name = notes.student if started else ANYONE
    student = name
    if name == ANYONE:
        student = clean_name(path.absolute().parent.name if lab and path.stem == lab.stem else path.stem)
        if started:
            troubles.append("labs.start was called without a name; the numbers are those of the examples")
    if of is not None:
        student = of.name
        if name != ANYONE and seed(name) != seed(of.name):
            copied = any(seed(enrolled.name) == seed(name) for enrolled in students)
            what = (
                f"of {name}, another student of the class, in the folder of {of.name}; it is judged with the numbers "
                f"of {of.name}"
                if copied
                else f"'{name}', and its folder is that of {of.name}; it is judged with the numbers of '{name}'"
            )
            troubles.append(f"the notebook has the name {what}")
            private.append(troubles[-1])
            name = of.name if copied else name
    individual = "" if name == ANYONE else individual_number(key, of.name if of else name) or notes.individual
    if started and individual != notes.individual:
        names = (enrolled.name for enrolled in students if individual_number(key, enrolled.name) == notes.individual)
        what = f"that of {other}" if (other := next(names, "")) else "missing or changed"
        troubles.append(f"the individual number is {what}; the notebook is judged with that of {name}")
        private.append(troubles[-1])
    if noted and not started:
        number = lab.number if lab else "N"
        unknown = "" if lab else ", and it is not known which lab this is"
        troubles = [
            f"labs.start was not run{unknown}; the first cell must contain `from toysearch import labs` and "
            f'`labs.start({number}, student="…")`, and must not fail',
            *(trouble for trouble in troubles if "NameError: " not in trouble),
        ]
    if lab is None:
        return GradedNotebook(path, student, None, (), tuple(troubles), seconds, private=tuple(private))
    judged_as = name, salt, individual
    verdicts = tuple(
        _verdict(exercise, notes.observations.get(exercise.number, _UNSEEN), judged_as) for exercise in lab.exercises
    )
    return GradedNotebook(
        path,
        student,
        lab,
        verdicts,
        tuple(troubles),
        seconds,
        private=tuple(private),
        written=written or {},
        observations=notes.observations,
        judged_as=judged_as,
    )


def labs_of(graded: Iterable[GradedNotebook]) -> list[Lesson]:
    """Return the labs of some notebooks, in their order."""
    return sorted({notebook.lesson for notebook in graded if notebook.lesson})


def without_answers(of: Lesson, student: str) -> GradedNotebook:
    """Return the row of a student who handed in nothing."""
    return graded_notes(Path(), Notes(started=True, lab=of.number, student=student), [], "", 0.0)


def _lesson(notes: Notes, path: Path) -> Lesson | None:
    if notes.started:
        try:
            return lesson(notes.lab)
        except ArgumentError:
            return None
    return next((lab for lab in LESSONS if lab.stem in path.stem), None)


def _verdict(exercise: Exercise, observation: Observation, judged_as: tuple[str, str, str]) -> Verdict:
    try:
        return judge(exercise, observation, exercise.case(*judged_as))
    except Exception:  # the process of a student may have written anything
        sentence = "The record of this answer cannot be read."
        return Verdict(exercise.number, exercise.title, "refused", (sentence,), exercise.points)


def _collections() -> list[Path]:
    """Return the folders of the collections that labs use, without their neighbours."""
    names = toysearch.collections()
    return [place / name for place in places() for name in names if (place / name).is_dir()]


def notebook_is_right(file: Path, seconds: float, memory: int, form: str) -> bool:
    """Run a notebook within limits and print each answer's verdict; return True if all are right."""
    path = file.resolve() if file.is_symlink() else file  # of the user, who may link to it
    graded = grade(path, seconds=seconds, memory=memory, trust_code=True)
    show(graded, form)
    for trouble in graded.troubles:
        note(trouble)
    remark(graded.points)
    return bool(graded.verdicts) and all(verdict.passed for verdict in graded.verdicts)
