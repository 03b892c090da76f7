"""`toysearch check`: what is wrong with an index, a collection, a run, judgments or a notebook."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, checking_options, output_options
from toysearch.cli.output import count, emit, paragraph, remark, size, terminal_width
from toysearch.cli.progress import progress
from toysearch.cli.sources import is_index
from toysearch.cli.systems import run_and_judgments
from toysearch.laboratory.reports.tables import Column, render

if TYPE_CHECKING:
    from toysearch.laboratory.corpus_check.diagnosis import Diagnosis
    from toysearch.laboratory.corpus_check.raw_collection import Finding
from toysearch.cli.options import POSITIVE, option, together

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

    graded = grade(file, seconds=seconds, memory=memory, trust_code=True)  # it is one's own
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
    remark(f"{graded.student}: {graded.score} of {count(graded.max_score, 'point')}")
    return bool(graded.verdicts) and all(each.passed for each in graded.verdicts)


_LEVELS = (("error", "errors"), ("warning", "warnings"), ("info", "notes"))
_INDENT = "   "


def collection_is_sound(source: str, options: SourceOptions, form: str) -> bool:
    """Print what is found in a collection; whether it has neither an error nor a warning."""
    read = {name: value for name, value in options.reading().items() if name not in ("split", "on_error", "rejected")}
    with progress("reading", "documents") as tell:
        diagnosis = toysearch.diagnose(source, **read, progress=tell)
    if form == "table":
        _print(diagnosis)
    else:
        columns = [Column(name) for name in ("level", "check", "what", "cure")]
        rows = [[getattr(finding, column.name) for column in columns] for finding in diagnosis.findings]
        emit(columns, rows, form, data=_data(diagnosis))
    return bool(diagnosis.healthy)


def _data(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain values, for JSON."""
    parts = ("level", "check", "what", "evidence", "cure")
    return {
        "name": diagnosis.name,
        "healthy": diagnosis.healthy,
        **diagnosis.counts,
        "checks": diagnosis.checks,
        "findings": [{part: getattr(finding, part) for part in parts} for finding in diagnosis.findings],
        "collection_toml": diagnosis.toml,
    }


def _print(diagnosis: Diagnosis) -> None:
    """What was looked at, how much was found, each finding, and the collection.toml."""
    counts = diagnosis.counts
    read = ", ".join(
        [
            count(counts["documents"], "document"),
            count(counts["queries"], "query", "queries"),
            f"{count(counts['judgments'], 'judgment')} of {count(counts['judged_queries'], 'query', 'queries')}",
        ]
    )
    found = ", ".join(count(len(diagnosis.of_level(level)), many.removesuffix("s"), many) for level, many in _LEVELS)
    click.echo(paragraph(f"{diagnosis.name}: {read}"))
    click.echo(f"{diagnosis.checks} checks: {found}")
    for number, finding in enumerate(diagnosis.findings, 1):
        _print_finding(number, finding)
    if diagnosis.toml:
        click.echo("\n" + paragraph("A collection.toml with what it can cure, to paste into the folder:") + "\n")
        click.echo(diagnosis.toml)


def _print_finding(number: int, finding: Finding) -> None:
    level = "note" if finding.level == "info" else finding.level
    click.echo("\n" + paragraph(f"{finding.check}: {finding.what}", _INDENT, f"{number}. {level}: "))
    if finding.evidence:
        click.echo(textwrap.indent(_table(finding.evidence), _INDENT))
    if finding.cure:
        click.echo(paragraph(finding.cure, f"{_INDENT}  ", f"{_INDENT}→ "))


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The evidence; the last column of texts takes what is left of the line."""
    names = list(rows[0])
    numeric = {name: all(isinstance(row[name], int | float | None) for row in rows) for name in names}
    columns = [Column(name, "", "right") if numeric[name] else Column(name, wrap=name == names[-1]) for name in names]
    width = terminal_width(sys.stdout)
    shown = [[_cell(row[name]) for name in names] for row in rows]
    return render(columns, shown, width=None if width is None else width - len(_INDENT))


def _cell(value: Any) -> str:
    """A share or a mean with four places, any other number as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}" if 0 < abs(value) < 1 else f"{value:g}"
    return "" if value is None else str(value)


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

    An index: every file against its checksum. A collection (a name, a folder, documents): its files, documents,
    queries and judgments, and where BM25 ranks what was judged; each finding with its evidence and its cure, at the end
    a collection.toml to paste. A run, by itself or with QRELS (a file or a collection), and judgments: what makes
    numbers wrong, with the likely cause. A notebook of a lab: which answers are right; it runs as it would be graded.

    Exit code 0 if nothing is wrong, 1 if something is, 2 if TARGET cannot be read.
    """
    from toysearch.cli.collections.check import collection_is_sound, notebook_is_right
    from toysearch.laboratory.judged_collection import holds_documents

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
    problems = toysearch.check_index(folder)
    if form != "table":
        emit([Column("problem")], [[problem] for problem in problems], form, data=problems)
    elif problems:
        click.echo("\n".join(problems))
    else:
        sizes = toysearch.index_files(folder)
        files = f"{count(len(sizes), 'file')}, {size(sum(sizes.values()))}"
        click.echo(f"{folder} is sound: {files}, every checksum matches")
    return not problems


def _run_is_sound(files: list[str], form: str) -> bool:
    """Whether nothing is suspicious about a run, judgments, or both."""
    kind = toysearch.kind_of(files[0]) if len(files) == 1 and files[0] != "-" else "run"
    findings: list[Any] = toysearch.lint(qrels=files[0]) if kind == "qrels" else toysearch.lint(*files)
    columns = [Column("name", "found"), Column("serious"), Column("message", "evidence and likely cause", wrap=True)]
    if form != "table":
        emit(columns, [(finding.name, finding.serious, finding.message) for finding in findings], form)
    elif findings:
        click.echo("\n".join(map(str, findings)))
    if not findings:
        remark("nothing suspicious")
    return not findings
