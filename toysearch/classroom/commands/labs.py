"""`toysearch labs`: the labs of a course, for students and graders."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from toysearch.base import (
    ArgumentError,
    Column,
    counted,
    groups_of,
    note,
    number_columns,
    one_line,
    present,
    table_columns,
    typed_line,
)
from toysearch.classroom.exercise import LESSONS, Lesson, lesson
from toysearch.classroom.exercise import seed as numbers_of
from toysearch.classroom.grading import gradebook
from toysearch.classroom.grading.feedback_pages import write_feedback
from toysearch.classroom.grading.graded_notebook import GradedNotebook, grade_all, notebooks_below, same_students
from toysearch.classroom.grading.notebook_run import readable
from toysearch.classroom.grading.roster import Enrolled, collect, read_roster, safe_file_name
from toysearch.classroom.grading.tutor_marks import LateRule, TutorMark, due_dates, marked, read_marks, strangers
from toysearch.classroom.notebook import begin
from toysearch.cli.check import limit_options
from toysearch.cli.commands import Span, SuggestingGroup, examples, kept_value
from toysearch.cli.options import POSITIVE, option, output_options
from toysearch.cli.output import emit, force_option, keep, keeping, progress, remark
from toysearch.files import refuse_place, write_texts

_NAMED = 10  # students of a note
_PATH = click.Path(path_type=Path)
_FORMS = ("json", "csv", "moodle", "canvas", "gradescope")


_roster_option = option(
    "--roster",
    metavar="FILE",
    type=_PATH,
    help="Class list: name,id on each line, or as Moodle or Canvas exports it.",
)


class _Labs(SuggestingGroup):
    def advice_on(self, name: str, ctx: click.Context) -> str | None:
        """Return what is meant by the number of a lab, or by another name."""
        if name in {str(lab.number) for lab in LESSONS}:
            return f"`labs start {name}` copies the notebook of lab {name}"
        return super().advice_on(name, ctx)


@click.group(
    cls=_Labs,
    invoke_without_command=True,
    epilog=examples(
        "toysearch labs", "toysearch labs start 1 --student ada -o course", "toysearch labs grade handed-in"
    ),
)
@output_options
@click.pass_context
def labs_command(ctx: click.Context, form: str) -> None:
    """Run labs for a course: start one, grade a class.

    Each is a notebook with self-checking exercises and individual numbers for each student. Without a
    command, the labs are listed with their durations and topics.
    """
    if ctx.invoked_subcommand is None:
        _list(form)
    elif form != "table":
        raise click.UsageError(f"give the form of the output after {ctx.invoked_subcommand}")


def _list(form: str) -> None:
    columns = table_columns(
        number_columns("", "lab"),
        Column("title", wrap=True),
        number_columns("", "minutes", "exercises", "points"),
        Column("topics", wrap=True),
    )
    rows = [
        [
            lab.number,
            lab.title,
            lab.minutes,
            len(lab.exercises),
            sum(exercise.points for exercise in lab.exercises),
            list(lab.topics) if form == "json" else "; ".join(lab.topics),
        ]
        for lab in LESSONS
    ]
    emit(columns, rows, form)


@labs_command.command(
    "start",
    epilog=examples(
        "toysearch labs start 1 --student ada -o course",
        'toysearch labs start 1 --student "Grace Hopper" -o grace',
        "toysearch labs start all --roster class.csv -o notebooks",
        "toysearch labs start 5 --roster class.csv --key winter -o keyed",
    ),
)
@click.argument("number", metavar="N")
@option("--student", metavar="NAME", help="Your name, which decides your numbers.  [default: the examples' numbers]")
@_roster_option
@option("--key", default="", help="Secret text; each notebook gets an individual number by it (grade --key).")
@option("-o", "--output", metavar="DIR", default=".", help="Folder for the notebook.")
def start_command(number: str, student: str | None, roster: Path | None, key: str, output: str) -> None:
    """Copy the notebook of lab N, or of "all" labs, into this folder.

    An existing notebook of that name is never touched. The name of the copy is printed. With --roster, each student of
    a class gets a folder named after their id. With --key, an individual number in the notebook decides the numbers
    too: nobody can look up the right answers of a student by the name, except in the student's own notebook, where the
    numbers have to stand.
    """
    if number != "all" and not re.fullmatch(r"\s*[+-]?\d+\s*", number):
        raise click.UsageError(f"expected the number of a lab, or 'all', found '{number}'; `toysearch labs` lists them")
    begun = LESSONS if number == "all" else (lesson(int(number)),)
    if key and student is None and roster is None:
        raise click.UsageError("--key needs --student or --roster: an individual number belongs to a name")
    if roster is not None:
        if student is not None:
            raise click.UsageError("give --student or --roster, not both")
        _start_class(begun, roster, Path(output), key)
        return
    for lab in begun:
        path = begin(lab, Path(output), student, key)
        click.echo(path)
        opened = (
            "Open it" if present("jupyter_core") else "pip install 'toysearch[labs]' brings JupyterLab, which opens it"
        )
        hint = f" {opened}: jupyter lab {typed_line(str(path))}" if len(begun) == 1 else ""
        remark(f"{counted(len(lab.exercises), 'exercise')}, about {lab.minutes} minutes.{hint}")
    if student is None:
        remark("To work with numbers of your own, put your name into the first cell.")


def _start_class(begun: Sequence[Lesson], roster: Path, output: Path, key: str) -> None:
    """Copy the notebooks of a class; existing ones stay unchanged."""
    students = read_roster(roster)
    folders = {safe_file_name(student.student_id): student for student in students}
    if len(folders) < len(students):
        raise ArgumentError(f"{roster}: two ids give the same folder name; use letters and digits in ids")
    copied = there = 0
    for folder, student in folders.items():
        for lab in begun:
            if (output / folder / f"{lab.stem}.ipynb").exists():
                there += 1
                continue
            begin(lab, output / folder, student.name, key)
            copied += 1
        click.echo(output / folder)
    remark(f"{counted(copied, 'notebook')} for {counted(len(students), 'student')}")
    if there:
        note(f"{counted(there, 'notebook')} already existed and may hold work; they were left unchanged")


def _outputs(context: click.Context, parameter: click.Parameter, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    files: dict[str, str] = {}
    for form, file in pairs:
        if form in files:
            raise click.BadParameter(f"{form} is written to one file, found '{files[form]}' and '{file}'")
        if file != "-":
            refuse_place(file, False)
        files[form] = keeping("grades")(context, parameter, file)
    if list(files.values()).count("-") > 1:
        raise click.UsageError("one form can be standard output, not two")
    return files


@labs_command.command(
    "grade",
    epilog=examples(
        "toysearch labs grade handed-in",
        "toysearch labs grade handed-in --seed winter --to csv grades.csv --to json grades.json",
        "toysearch labs grade handed-in --feedback feedback --roster class.csv --to csv grades.csv",
        "toysearch labs grade submission --to gradescope results.json",
    ),
)
@click.argument("folder", type=_PATH)
@option(
    "--from",
    "archive",
    metavar="FILE",
    type=_PATH,
    help="Zip archive of all submissions from Moodle or Canvas, to unpack into FOLDER first.",
)
@option("--seed", default="", help="Secret seed of the inputs with which students' functions are called.")
@option("--key", default="", help="The text of `labs start --key`: judge each student with the individual number.")
@limit_options
@option(
    "--due",
    multiple=True,
    metavar="[LAB=]TIME",
    help="When a lab is due, such as 2026-12-01T18:00+01:00; one for all labs, or one for each.",
)
@option("--late-days", type=click.IntRange(min=0), default=0, help="Days late that cost a student nothing, in all.")
@option(
    "--penalty",
    type=Span(0, 100),
    default=0.0,
    metavar="PERCENT",
    help="Part of a lab's points that each later day costs.",
)
@option(
    "--by-hand",
    metavar="FILE",
    type=_PATH,
    help="Your own table: student,exercise,points,late,comment. It is only read.",
)
@option("--again", multiple=True, metavar="STUDENT", help="Run this student's notebooks although they ran before.")
@option("--jobs", type=POSITIVE, help="Number of notebooks run at a time.  [default: one per core]")
@option("--trust-code", is_flag=True, help="Run the notebooks even if this system cannot confine them.")
@option(
    "--to",
    "files",
    type=(click.Choice(_FORMS), str),
    multiple=True,
    metavar="FORM FILE",
    callback=_outputs,
    help="What to write, repeatable: json has all results, csv the columns of nbgrader and one per exercise, moodle "
    "its worksheet for one lab, canvas its gradebook with a column per lab, gradescope results.json for one notebook.",
)
@option(
    "--feedback",
    metavar="DIR",
    writes="folder",
    type=_PATH,
    help="Folder for a page per student, one for the class and one for the tutor.",
)
@_roster_option
@force_option
def grade_command(
    folder: Path,
    seed: str,
    seconds: float,
    memory: int,
    jobs: int | None,
    trust_code: bool,
    feedback: Path | None,
    roster: Path | None,
    again: Sequence[str],
    files: dict[str, str],
    archive: Path | None,
    by_hand: Path | None,
    key: str,
    **late: Any,
) -> None:
    """Grade all notebooks below FOLDER, one per student.

    With --from, the notebooks of an archive of all submissions are unpacked first, each into a folder below FOLDER with
    the name that the course system gave it, which tells whose it is. An archive with links, names that lead out of
    FOLDER, or far more than its size accounts for is refused, and nothing is written.

    Each notebook runs confined by the Linux kernel: with limits on time, memory and disk, without a network or other
    programs, and without access to your files and to the other notebooks. Other systems refuse without --trust-code.
    The answers of a notebook are judged outside. A notebook that fails, does not end or exceeds a limit gets a row that
    says so. FILE is rewritten after each notebook, so that an interruption loses nothing; - is standard output, and the
    table is then not printed. With --roster, a notebook belongs to the student whose id its folder has, the CSV has
    the ids, names and mail addresses of the list, and students without a notebook have 0 points. Only plain files of
    at most 50 MB are read.
    """
    if archive is not None:
        notebooks, others = collect(archive, folder, bool(kept_value("force")))
        remark(f"{counted(len(notebooks), 'notebook')} in {folder}")
        if others:
            note(f"left in the archive, because they are not notebooks: {_some(others)}")
    n_notebooks = _refuse_folder(folder, files)
    students = read_roster(roster) if roster else []
    _refuse_pages(feedback)
    marks = read_marks(by_hand) if by_hand else []
    course = GradedClass(folder, students, marks, LateRule(due_dates(late["due"]), late["late_days"], late["penalty"]))
    limits: dict[str, Any] = {"seconds": seconds, "memory": memory, "trust_code": trust_code, "jobs": jobs}
    try:
        grades = grade_all(folder, salt=seed, key=key, students=students, again=again, **limits)
        with progress("grading", "notebooks") as tell, contextlib.closing(grades):
            for notebook in grades:
                course.graded.append(notebook)
                course.write(files)
                if tell is not None:
                    tell(len(course.graded), n_notebooks)
        course.complete = True
        course.write(files)
    finally:  # an interruption keeps the results so far
        if course.graded:
            pages = write_feedback(course.rows(), feedback) if feedback is not None else []
            _tell(course, [form for form, file in files.items() if file == "-"])
            if feedback is not None:
                remark(f"{counted(len(pages), 'page')} of feedback in {feedback}")
    _report_class(course.graded, students)
    _note_unknown(course, by_hand, again)
    _note_moodle(course, files.get("moodle"))


@dataclass
class GradedClass:
    """Notebooks of a class with their grades: what has been graded so far, and the marks of the tutor."""

    folder: Path
    students: Sequence[Enrolled]
    marks: Sequence[TutorMark]
    rule: LateRule
    graded: list[GradedNotebook] = field(default_factory=list)
    complete: bool = False  # who handed in nothing is known once all notebooks are graded

    def notebooks(self) -> list[GradedNotebook]:
        """Return the graded notebooks with the marks."""
        return marked(self.graded, self.marks, self.rule, self.students)

    def rows(self) -> list[GradedNotebook]:
        """Return the notebooks, and those of students who handed in nothing."""
        rows = gradebook.rows_of_class(self.graded, self.students, self.complete)
        return marked(rows, self.marks, self.rule, self.students)

    def text(self, form: str) -> str:
        """Return the grades in a form of --to."""
        if form == "json":
            return gradebook.as_json(self.notebooks(), self.folder)
        if form == "gradescope":
            return gradebook.as_gradescope(self.notebooks()[0])
        if form == "moodle":
            return gradebook.as_moodle(self.rows())
        write = {"csv": gradebook.as_csv, "canvas": gradebook.as_canvas}[form]
        return write(self.rows(), self.students)

    def write(self, files: Mapping[str, str]) -> None:
        """Write the file of each form; - is printed at the end."""
        for form, file in files.items():
            if file != "-":
                write_texts([self.text(form)], Path(file))


def _refuse_folder(folder: Path, files: Mapping[str, str]) -> int:
    """Return the number of notebooks below a folder."""
    if not folder.is_dir():
        raise ArgumentError(
            f"'{folder}' is not a folder; give the folder with the notebooks (for one notebook: toysearch check FILE)"
        )
    n_notebooks = len(list(notebooks_below(folder)))
    if "gradescope" in files and n_notebooks > 1:
        raise ArgumentError(f"Gradescope results are for one submission, but '{folder}' holds {n_notebooks} notebooks")
    return n_notebooks


def _refuse_pages(feedback: Path | None) -> None:
    if feedback is not None and feedback.exists() and not feedback.is_dir():
        raise ArgumentError(f"'{feedback}' is a file; name a folder for the pages")
    for page in feedback.glob("*.html") if feedback is not None else ():
        keep(page, "page")


def _note_unknown(course: GradedClass, by_hand: Path | None, again: Sequence[str]) -> None:
    if unknown := strangers(course.marks, course.rows(), course.students):
        note(f"{by_hand}: nobody who was graded: {_some([f'{mark.student} (line {mark.line})' for mark in unknown])}")
    present = {text for student in course.students for text in student[:2]}
    present |= {notebook.student for notebook in course.graded}
    if missing := [name for name in again if numbers_of(name) not in map(numbers_of, present)]:
        note(f"--again: not among the students: {_some(missing)}")


def _note_moodle(course: GradedClass, file: str | None) -> None:
    graded = course.graded
    of_moodle = [notebook for notebook in graded if notebook.handed_in and notebook.handed_in.system == "moodle"]
    if file and len(of_moodle) < len(graded):
        lacking = f"{len(graded) - len(of_moodle)} of {counted(len(graded), 'notebook')}"
        note(f"{file} has no row for {lacking}, which did not come in a download of Moodle (--from ZIP unpacks one)")
    if course.rule.due and of_moodle:
        note("Moodle does not say when a notebook came; enter late days by hand (--by-hand)")
    labs = sorted({notebook.lesson.number for notebook in graded if notebook.lesson})
    if file and len(labs) > 1:
        listed = ", ".join(map(str, labs))
        note(f"Moodle imports one assignment, but {file} has labs {listed}; grade a folder for each lab")


def _report_class(graded: Sequence[GradedNotebook], students: Sequence[Enrolled]) -> None:
    if not students:
        return
    enrolled = {numbers_of(student.name): student.name for student in students}
    authors = {numbers_of(notebook.student): notebook.student for notebook in graded}
    if missing := [name for key, name in enrolled.items() if key not in authors]:
        note(f"nothing was handed in by {_some(missing)}")
    if strangers := [name for key, name in authors.items() if key not in enrolled]:
        note(f"not in the class: {_some(strangers)}")


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _tell(course: GradedClass, printed: Sequence[str]) -> None:
    for form in printed:
        click.echo(course.text(form), nl=False)
    graded, folder = course.notebooks(), course.folder
    if not printed:
        _print(graded, folder)
    for (_, student), paths in same_students(graded).items():
        listed = ", ".join(_below(path, folder) for path in paths)
        note(f"{student} has {counted(len(paths), 'notebook')} of this lab: {listed}")
    shares = [notebook.score / notebook.max_score for notebook in graded if notebook.max_score]
    mean = f", {sum(shares) / len(shares):.0%} of the points" if shares else ""
    remark(counted(len(graded), "notebook") + mean)


def _print(graded: Sequence[GradedNotebook], folder: Path) -> None:
    headers = {"right": "right", "wrong": "wrong", "open": "not answered"}
    columns = table_columns(
        Column("student", wrap=True),
        number_columns("", "lab", score="points"),
        [Column(name, header, wrap=True) for name, header in headers.items()],
    )
    rows = []
    for notebook in graded:
        of_state = groups_of((verdict.state, verdict.number.partition(".")[2]) for verdict in notebook.verdicts)
        states = (["right"], ["wrong", "refused"], ["unanswered"])
        listed = [" ".join(number for state in group for number in of_state.get(state, [])) for group in states]
        lab = notebook.lesson.number if notebook.lesson else None
        rows.append([notebook.student, lab, f"{notebook.score}/{notebook.max_score}", *listed])
    emit(columns, rows, "table")
    troubles = groups_of((trouble, notebook.path) for notebook in graded for trouble in notebook.troubles)
    for trouble, paths in troubles.items():
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        note(f"{_below(paths[0], folder)}{more}: {trouble}")


def _below(path: Path, folder: Path) -> str:

    return one_line(readable(str(path.relative_to(folder))))
