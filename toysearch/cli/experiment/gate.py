"""`toysearch gate`: relevance tests for a build."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli import Command, examples, output_options, show


@click.command(cls=Command, epilog=examples("toysearch gate relevance.toml", "toysearch gate relevance.toml --json"))
@click.argument("path", metavar="FILE")
@output_options
@click.pass_context
def command(ctx: click.Context, path: str, form: str) -> None:
    """Test the expectations about a ranking, for a build.

    FILE is a TOML file, kept with the code, with systems and expectations: a measure above a limit, a document among
    the first for a query, no query worse than under a baseline (`toysearch docs gate`). Failures are listed first, with
    the reason and the worst queries; each passing expectation takes one line.

    Exit code 0 if all expectations hold, 1 if one fails or there are none, 2 if FILE is malformed. Under pytest, files
    named relevance*.toml are tests too.
    """
    result = toysearch.gate(path)
    show(result, form)
    if not result.passed:
        ctx.exit(1)
