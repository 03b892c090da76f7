"""`toysearch lint`: look at a run and judgments for what makes numbers wrong."""

from __future__ import annotations

from pathlib import Path

import click

import toysearch
from toysearch.cli.options import examples
from toysearch.cli.output import emit, output_options, remark
from toysearch.reports.tables import Column


@click.command(
    epilog=examples(
        "toysearch lint mine.run", "toysearch lint mine.run qrels.txt", "toysearch lint mine.run cat-dog-parrot"
    )
)
@click.argument("run")
@click.argument("qrels", required=False)
@output_options
@click.pass_context
def command(context: click.Context, run: str, qrels: str | None, form: str) -> None:
    """Look at a run and judgments for what makes numbers wrong.

    QRELS is a file or a collection; without it, RUN is looked at by itself. Each finding is a line with its evidence
    and its likely cause: no query in common, nothing judged, ids that differ in case or in leading zeros, queries
    numbered by place, one query's ranking repeated, ranks that contradict scores, documents given twice, constant
    scores, and more. Exit code 1 if there is any, 0 if there is none.
    """
    _refuse_wrong_order(run, qrels)
    named = qrels not in (None, "-") and not Path(str(qrels)).is_file()
    findings = toysearch.lint(run, toysearch.load(str(qrels)).qrels if named else qrels)
    columns = [Column("name", "found"), Column("serious"), Column("message", "evidence and likely cause", wrap=True)]
    if form == "table":
        for finding in findings:
            click.echo(str(finding))
    else:
        emit(columns, [tuple(finding[place] for place in (0, 2, 1)) for finding in findings], form)
    if findings:
        context.exit(1)
    remark("nothing suspicious")


def _refuse_wrong_order(run: str, qrels: str | None) -> None:
    """Files in each other's place would give findings that miss the point."""
    if run == "-" == qrels:
        raise click.UsageError("standard input (-) can be read once; give the other as a file")
    if toysearch.kind_of(run) != "qrels" or str(run).removesuffix(".gz").endswith(".json"):
        return
    if qrels is None:
        raise click.UsageError(f"{run} holds judgments; give the run: toysearch lint RUN [{run}]")
    raise click.UsageError(f"{run} holds judgments; the run comes first: toysearch lint {qrels} {run}")
