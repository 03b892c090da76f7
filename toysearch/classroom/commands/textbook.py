"""`toysearch textbook`: published examples, and means."""

from __future__ import annotations

import click

from toysearch.classroom.commands.lessons import examples_command, means_command
from toysearch.cli.commands import SuggestingGroup, examples


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "toysearch textbook examples",
        "toysearch textbook means 2 8",
    ),
)
def textbook_command() -> None:
    """Recompute published examples, and compare means.

    Merges of Boolean queries are shown by `query --textbook`.
    """


textbook_command.add_command(means_command, "means")
textbook_command.add_command(examples_command, "examples")
