"""`toysearch check`: problems of an index, a collection, a run, judgments or a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import POSITIVE, SourceOptions, checking_options, option, output_options, together
from toysearch.cli.output import emit, progress, remark, show
from toysearch.cli.sources import is_index, run_and_judgments
from toysearch.laboratory.reports.tables import Column
from toysearch.wording import byte_size, counted

limit_options = together(
    option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=300.0,
        heading="Notebooks",
        help="Time limit for a notebook.",
    ),
    option(
        "--memory",
        type=POSITIVE,
        default=4000,
        metavar="MB",
        callback=lambda _, __, megabytes: megabytes * 1_000_000,
        heading="Notebooks",
        help="Memory limit for a notebook, in megabytes.",
    ),
)
"""--seconds and --memory; the command gets seconds, and bytes."""


def notebook_is_right(file: Path, seconds: float, memory: int, form: str) -> bool:
    """Run a notebook from top to bottom, within limits, and print each answer's verdict; whether all are right."""
    from toysearch.course.grading.gradebook import as_dict
    from toysearch.course.grading.graded_notebook import grade

    graded = grade(file, seconds=seconds, memory=memory, trust_code=True)  # the user's own notebook
    columns = [
        Column("number", "exercise"),
        Column("title", wrap=True),
        Column("score", "points", justify="right"),
        Column("state", "verdict", wrap=True),
    ]
    words = {"right": "right", "unanswered": "not answered yet"}
    rows = [
        [each.number, each.title, f"{each.score}/{each.points}", words.get(each.state) or " ".join(each.sentences)]
        for each in graded.verdicts
    ]
    emit(columns, rows, form, data=as_dict(graded))
    for trouble in graded.troubles:
        remark(f"note: {trouble}")
    remark(f"{graded.student}: {graded.score} of {counted(graded.max_score, 'point')}")
    return bool(graded.verdicts) and all(each.passed for each in graded.verdicts)


def collection_is_sound(source: str, options: SourceOptions, form: str) -> bool:
    """Print the findings in a collection; True if there is neither an error nor a warning."""
    read = {name: value for name, value in options.reading().items() if name not in ("split", "on_error", "rejected")}
    with progress("reading", "documents") as tell:
        diagnosis = toysearch.diagnose(source, **read, progress=tell)
    show(diagnosis, form)
    return bool(diagnosis.healthy)


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch check cat-dog-parrot",
        "toysearch check pets.idx",
        "toysearch check mine.run qrels.txt",
        "toysearch check qrels.txt",
        "toysearch check 01-tokens.ipynb",
    ),
)
@click.argument("target")
@click.argument("judged", metavar="[QRELS]", required=False)
@checking_options
@limit_options
@output_options
@click.pass_context
def command(
    ctx: click.Context, target: str, judged: str | None, seconds: float, memory: int, options: SourceOptions, form: str
) -> None:
    """Check an index, a collection, a run, judgments or a notebook.

    An index: compares every file with its checksum. A collection (a name, a folder, documents): checks its files,
    documents, queries and judgments, and the ranks of judged documents under BM25; shows each finding with its evidence
    and its remedy, and at the end a collection.toml to paste. A run, alone or with QRELS (a file or a collection), or
    judgments: shows problems that make figures wrong, with the likely cause. A notebook of a lab: shows the right
    answers; it runs as in grading.

    Exit code 0 without problems, 1 with problems, 2 if TARGET cannot be read.
    """
    from toysearch.formats.detection import holds_documents

    alone = judged is None and options.qrels is None
    if alone and (target.endswith(".ipynb") or (target.endswith(".py") and Path(target).is_file())):
        sound = notebook_is_right(Path(target), seconds, memory, form)
    elif alone and is_index(target):
        sound = _index_is_sound(target, form)
    elif not alone or target == "-" or (Path(target).is_file() and not holds_documents(target)):
        sound = _run_is_sound(run_and_judgments(target, judged, options), form)
    else:
        sound = collection_is_sound(target, options, form)
    if not sound:
        ctx.exit(1)


def _index_is_sound(folder: str, form: str) -> bool:
    from toysearch.index.storage import check_index, index_files

    problems = check_index(folder)
    if form != "table":
        emit([Column("problem")], [[problem] for problem in problems], form, data=problems)
    elif problems:
        click.echo("\n".join(problems))
    else:
        sizes = index_files(folder)
        files = f"{counted(len(sizes), 'file')}, {byte_size(sum(sizes.values()))}"
        click.echo(f"{folder} is sound: {files}, every checksum matches")
    return not problems


def _run_is_sound(files: list[str], form: str) -> bool:
    """Print suspicious facts about a run, judgments, or both; True if there are none."""
    from toysearch.evaluation.lint import lint
    from toysearch.formats.detection import kind_of

    kind = kind_of(files[0]) if len(files) == 1 and files[0] != "-" else "run"
    findings: list[Any] = lint(qrels=files[0]) if kind == "qrels" else lint(*files)
    columns = [Column("name", "found"), Column("serious"), Column("message", "evidence and likely cause", wrap=True)]
    if form != "table":
        emit(columns, [(finding.name, finding.serious, finding.message) for finding in findings], form)
    elif findings:
        click.echo("\n".join(map(str, findings)))
    if not findings:
        remark("nothing suspicious")
    return not findings
