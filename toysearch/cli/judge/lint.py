"""`toysearch lint`: look at a run and judgments for what makes numbers wrong."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, output_options, runs_options
from toysearch.cli.output import emit, remark
from toysearch.cli.sources import run_and_judgments
from toysearch.laboratory.reports.tables import Column


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch lint mine.run", "toysearch lint mine.run qrels.txt", "toysearch lint mine.run cat-dog-parrot"
    ),
)
@click.argument("run")
@click.argument("judged", metavar="[QRELS]", required=False)
@runs_options
@output_options
@click.pass_context
def command(context: click.Context, run: str, judged: str | None, options: SourceOptions, form: str) -> None:
    """Look at a run and judgments for what makes numbers wrong.

    QRELS is a file or a collection; without it, RUN is looked at by itself. Each finding is a line with its evidence
    and its likely cause: no query in common, nothing judged, ids that differ in case or in leading zeros, queries
    numbered by place, one query's ranking repeated, ranks that contradict scores, documents given twice, constant
    scores, and more. Exit code 1 if there is any, 0 if there is none.
    """
    files = run_and_judgments(run, judged, options)
    if len(files) < 2 and toysearch.kind_of(run) == "qrels" and not str(run).removesuffix(".gz").endswith(".json"):
        raise click.UsageError(f"{run} holds judgments; give the run: toysearch lint RUN [{run}]")
    findings = toysearch.lint(files[0], qrels=files[1] if len(files) == 2 else None)
    columns = [Column("name", "found"), Column("serious"), Column("message", "evidence and likely cause", wrap=True)]
    if form == "table":
        for finding in findings:
            click.echo(str(finding))
    else:
        emit(columns, [tuple(finding[place] for place in (0, 2, 1)) for finding in findings], form)
    if findings:
        context.exit(1)
    remark("nothing suspicious")
