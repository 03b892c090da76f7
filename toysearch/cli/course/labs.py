"""`toysearch labs`: the labs of a course, for students and for those who grade them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toysearch.cli.commands import SuggestingGroup, examples
from toysearch.cli.course.grade import command as grade_command
from toysearch.cli.options import option, output_options
from toysearch.cli.output import count, emit, remark
from toysearch.errors import ArgumentError
from toysearch.laboratory.reports.tables import Column

if TYPE_CHECKING:
    from toysearch.course.lessons import Lesson


@click.group(
    cls=SuggestingGroup,
    invoke_without_command=True,
    epilog=examples(
        "toysearch labs", "toysearch labs start 1 --student ada -o course", "toysearch labs grade handed-in"
    ),
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Labs for a course: start one, grade a class.

    Each is a notebook with self-checking exercises and individual numbers for each student. Without a
    command: list.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=examples("toysearch labs list", "toysearch labs list --json"))
@output_options
def list_command(form: str) -> None:
    """List the labs: how long they take and what they are about."""
    from toysearch.course.lessons import LESSONS

    columns = [
        Column("lab", justify="right"),
        Column("title", wrap=True),
        Column("minutes", justify="right"),
        Column("exercises", justify="right"),
        Column("points", justify="right"),
        Column("topics", wrap=True),
    ]
    rows = []
    for each in LESSONS:
        points = sum(exercise.points for exercise in each.exercises)
        topics: Any = "; ".join(each.topics) if form != "json" else list(each.topics)
        rows.append([each.number, each.title, each.minutes, len(each.exercises), points, topics])
    emit(columns, rows, form)


@command.command(
    "start",
    epilog=examples(
        "toysearch labs start 1 --student ada -o course",
        'toysearch labs start 1 --student "Grace Hopper" -o grace',
        "toysearch labs start all --roster class.csv -o notebooks",
    ),
)
@click.argument("number", metavar="N")
@option("--student", metavar="NAME", help="Your name, which decides your numbers.  [default: the examples' numbers]")
@option("--roster", metavar="FILE", type=click.Path(path_type=Path), help="Class list: name,id on each line.")
@option("-o", "--output", metavar="DIR", default=".", help="Folder for the notebook.  [default: this one]")
def start_command(number: str, student: str | None, roster: Path | None, output: str) -> None:
    """Copy the notebook of lab N into this folder; with "all" those of all labs.

    A notebook of that name that is there already is never touched. The name of the copy is printed. With --roster each
    student of a class gets a folder, named by their id.
    """
    from toysearch.course.lessons import LESSONS, lesson
    from toysearch.course.notebook import begin

    begun = LESSONS if number == "all" else (lesson(_whole(number)),)
    if roster is not None:
        if student is not None:
            raise click.UsageError("give --student or --roster, not both")
        _start_class(begun, roster, Path(output))
        return
    for each in begun:
        path = begin(each, Path(output), student)
        click.echo(path)
        hint = f" Open it: jupyter lab {shlex.quote(str(path))}" if len(begun) == 1 else ""
        remark(f"{count(len(each.exercises), 'exercise')}, about {each.minutes} minutes.{hint}")
    if student is None:
        remark("To work with numbers of your own, put your name into the first cell.")


def _whole(number: str) -> int:
    try:
        return int(number)
    except ValueError:
        raise click.UsageError(f"a lab is named by its number, or all by 'all', not by '{number}'") from None


def _start_class(begun: Sequence[Lesson], roster: Path, output: Path) -> None:
    """The notebooks of a class; what is there already stays as it is."""
    from toysearch.course.grading.gradebook import file_name, read_roster
    from toysearch.course.notebook import begin

    students = read_roster(roster)
    folders = {file_name(each.student_id): each for each in students}
    if len(folders) < len(students):
        raise ArgumentError(f"{roster}: two ids make the same name of a folder; use letters and digits in ids")
    made = there = 0
    for folder, each in folders.items():
        for lab in begun:
            if (output / folder / f"{lab.stem}.ipynb").exists():
                there += 1
                continue
            begin(lab, output / folder, each.name)
            made += 1
        click.echo(output / folder)
    remark(f"{count(made, 'notebook')} for {count(len(students), 'student')}")
    if there:
        remark(f"note: {count(there, 'notebook')} were there already and may hold work; they were left alone")


command.add_command(grade_command)
