"""`toysearch gate`: relevance tests for a build."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import output_options
from toysearch.cli.output import show


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
    show(result, form)
    if not result.passed:
        ctx.exit(1)
