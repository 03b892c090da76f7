"""`toysearch check`: whether an index is what was saved, to the last byte."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.output import count, size


@click.command(cls=Command, epilog=examples("toysearch index cat-dog-parrot -o pets.idx", "toysearch check pets.idx"))
@click.argument("folder", metavar="DIR")
@click.pass_context
def command(ctx: click.Context, folder: str) -> None:
    """Check every file of an index against its checksum.

    Exit code 0 if the index is sound, 1 with a line for each damaged file if it is not, 2 if DIR is no index.
    """
    problems = toysearch.check_index(folder)
    if problems:
        click.echo("\n".join(problems))
        ctx.exit(1)
    sizes = toysearch.index_files(folder)
    click.echo(f"{folder} is sound: {count(len(sizes), 'file')}, {size(sum(sizes.values()))}, every checksum matches")
