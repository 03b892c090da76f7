"""Groups of commands: a misspelt name is told its nearest neighbour, a command is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from toysearch.errors import unknown


class SuggestingGroup(click.Group):
    """A group of commands, listed in the order in which they are added, that answers a misspelt name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in their own order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a usage error with the nearest name if it names none."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(str(unknown("command", args[0], names)), ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """A group that knows its commands by one line of help each and imports the one that is used.

    Parameters
    ----------
    package : str
        Where the modules are: the command NAME is the click command ``command`` of ``package.NAME``.
    lines : mapping of str to str
        Name → the command's short help, in the order in which to list them.
    """

    def __init__(self, package: str, lines: Mapping[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self.package = package
        self.lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order given."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, imported now."""
        if name not in self.lines:
            return None
        command: click.Command = importlib.import_module(f"{self.package}.{name}").command
        if ctx.resilient_parsing:  # a shell asks what could stand here
            from toysearch.cli.completion import completed

            return completed(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))
