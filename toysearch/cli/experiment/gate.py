"""`toysearch gate`: relevance tests for a build."""

from __future__ import annotations

import sys

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import output_options
from toysearch.cli.output import emit, remark, terminal_width
from toysearch.laboratory.reports.experiment_text import gate_sentence, gate_text
from toysearch.laboratory.reports.tables import Column


@click.command(cls=Command, epilog=examples("toysearch gate relevance.toml", "toysearch gate relevance.toml --json"))
@click.argument("path", metavar="FILE")
@output_options
@click.pass_context
def command(ctx: click.Context, path: str, form: str) -> None:
    """Test what is expected of a ranking, for a build.

    FILE is a TOML file, kept with the code, of systems and what is expected of them: a measure of at least so much, a
    document among the first for a query, no query that falls against a baseline (`toysearch docs gate`). Failures
    are listed first, with the reason and the worst queries; each passing expectation takes one line.

    Exit code 0 if all of it holds, 1 if something does not or if there was nothing to test, 2 if FILE is not what it
    should be. Under pytest, files named relevance*.toml are tests too.
    """
    result = toysearch.gate(path)
    if form != "table":
        columns = [Column("line"), Column("passed"), Column("what"), Column("found"), Column("reason")]
        rows = [[getattr(outcome, column.name) for column in columns] for outcome in result.outcomes]
        emit(columns, rows, form, data=result.as_dict())
    elif result.outcomes:
        click.echo(gate_text(result, terminal_width(sys.stdout)))
    if not result.outcomes:
        remark(f"{path}: there is nothing to test; expected a table [[expect]] for each expectation")
    elif form == "table":
        remark(gate_sentence(result))
    if not result.passed:
        ctx.exit(1)
