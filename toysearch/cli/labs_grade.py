"""`toysearch labs grade`: the notebooks of a class, run confined and judged."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toysearch.cli.options import examples
from toysearch.cli.output import count, emit, progress, remark
from toysearch.errors import ArgumentError
from toysearch.reports.tables import Column

if TYPE_CHECKING:
    from toysearch.labs.grading import Graded

_MEGABYTE = 1_000_000


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --seconds and --memory; the command gets seconds, and bytes."""

    @click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=300.0,
        show_default=True,
        help="How long a notebook may take.",
    )
    @click.option(
        "--memory",
        type=click.IntRange(min=1),
        default=4000,
        show_default=True,
        metavar="MB",
        help="How much memory it may take, in megabytes.",
    )
    @functools.wraps(function)
    def command(*args: Any, memory: int, **values: Any) -> Any:
        return function(*args, memory=memory * _MEGABYTE, **values)

    return command


@click.command(
    "grade",
    epilog=examples(
        "toysearch labs grade handed-in",
        "toysearch labs grade handed-in --seed winter --csv grades.csv --json grades.json",
        "toysearch labs grade submission --gradescope results.json",
    ),
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--seed", default="", help="A text that decides how students' functions are called; keep it to yourself.")
@limit_options
@click.option("--trust-code", is_flag=True, help="Run the notebooks even if this system cannot confine them.")
@click.option("--json", "json_file", metavar="FILE", help="Write all there is as JSON.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write a table with nbgrader's columns and one an exercise.")
@click.option("--gradescope", metavar="FILE", help="Write Gradescope's results.json; FOLDER holds one notebook.")
def command(
    folder: Path,
    seed: str,
    seconds: float,
    memory: int,
    trust_code: bool,
    json_file: str | None,
    csv_file: str | None,
    gradescope: str | None,
) -> None:
    """Grade all notebooks below FOLDER, one a student.

    Each runs confined by the Linux kernel: with limits of time, memory and disk, without a network, without other
    programs, and out of reach of your files and of the other notebooks. Other systems refuse, unless you say
    --trust-code. What a notebook answers is judged outside. One that fails, never ends or wants too much is a row
    that says so. FILE is written anew after each notebook, so that an interruption keeps what is done; it may be -
    for standard output, which the table then leaves to it.
    """
    from toysearch.labs import gradebook
    from toysearch.labs.grading import grade_all, notebooks_below

    if not folder.is_dir():
        raise ArgumentError(
            f"'{folder}' is no folder; give the one with the notebooks (one notebook: toysearch labs check)"
        )
    files = {"json": json_file, "csv": csv_file, "gradescope": gradescope}
    if list(files.values()).count("-") > 1:
        raise click.UsageError("one of --json, --csv and --gradescope can be standard output, not two")
    for file in files.values():
        if file not in (None, "-"):
            gradebook.check_place(Path(str(file)))
    if gradescope is not None and (many := len(list(notebooks_below(folder)))) > 1:
        raise ArgumentError(f"Gradescope's results are those of one submission, and '{folder}' holds {many} notebooks")
    makers: dict[str, Callable[[], str]] = {
        "json": lambda: gradebook.as_json(graded),
        "csv": lambda: gradebook.as_csv(graded),
        "gradescope": lambda: gradebook.as_gradescope(graded[0]),
    }
    graded: list[Graded] = []
    try:
        with progress("grading", "notebooks") as tell:
            for each in grade_all(folder, salt=seed, seconds=seconds, memory=memory, trust_code=trust_code):
                graded.append(each)
                for name, file in files.items():
                    if file not in (None, "-"):
                        gradebook.write(makers[name](), Path(str(file)))
                if tell is not None:
                    tell(len(graded))
    finally:  # an interruption, too, leaves what is done
        if graded:
            _tell(graded, folder, {name: makers[name] for name, file in files.items() if file == "-"})


def _tell(graded: Sequence[Graded], folder: Path, printed: Mapping[str, Callable[[], str]]) -> None:
    """What was asked for on standard output, else the table; and what else there is to know."""
    from toysearch.labs.grading import same_students

    for maker in printed.values():
        click.echo(maker(), nl=False)
    if not printed:
        _print(graded, folder)
    for (_, student), paths in same_students(graded).items():
        remark(f"note: {student} has {count(len(paths), 'notebook')} of this lab: {_listed(paths, folder)}")
    remark(_summary(graded))


def _print(graded: Sequence[Graded], folder: Path) -> None:
    """A row a notebook; what else there is to know below."""
    columns = [
        Column("student", wrap=True),
        Column("lab", justify="right"),
        Column("score", "points", justify="right"),
        Column("right", "right", wrap=True),
        Column("wrong", "wrong", wrap=True),
        Column("open", "not answered", wrap=True),
    ]
    rows = []
    for each in graded:
        by_state: dict[str, list[str]] = {"right": [], "wrong": [], "refused": [], "unanswered": []}
        for verdict in each.verdicts:
            by_state[verdict.state].append(verdict.number.partition(".")[2])
        listed = [by_state["right"], [*by_state["wrong"], *by_state["refused"]], by_state["unanswered"]]
        lab = each.lesson.number if each.lesson else None
        rows.append([each.student, lab, f"{each.score}/{each.max_score}", *map(" ".join, listed)])
    emit(columns, rows, "table")
    for each in graded:
        for trouble in each.troubles:
            remark(f"note: {_below(each.path, folder)}: {trouble}")


def _listed(paths: Sequence[Path], folder: Path) -> str:
    return ", ".join(_below(path, folder) for path in paths)


def _below(path: Path, folder: Path) -> str:
    from toysearch.labs.notes import readable

    return readable(str(path.relative_to(folder)))


def _summary(graded: Sequence[Graded]) -> str:
    whole = [each for each in graded if each.max_score]
    mean = f", {sum(each.score / each.max_score for each in whole) / len(whole):.0%} of the points" if whole else ""
    return count(len(graded), "notebook") + mean
