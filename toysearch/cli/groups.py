"""Groups of commands: a misspelt name is told its nearest neighbour, a command is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
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
    """A group that knows its commands by one line of help each and imports the one that is used."""

    def __init__(
        self,
        package: str,
        groups: Mapping[str, Mapping[str, str]],
        first: Mapping[str, Sequence[str]],
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.package = package
        self.groups = groups
        self.first = first
        self.lines = {name: line for lines in groups.values() for name, line in lines.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order given."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, imported now."""
        folder = next((heading.lower() for heading, lines in self.groups.items() if name in lines), None)
        if folder is None:
            return None
        command: click.Command = importlib.import_module(f"{self.package}.{folder}.{name}").command
        if ctx.resilient_parsing:  # a shell asks what could stand here
            from toysearch.cli.completion import completed

            return completed(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each everyday command and the names of all others, importing none."""
        for heading, names in self.first.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.lines[name]) for name in names])
        shown = {name for names in self.first.values() for name in names}
        others = {heading: [name for name in lines if name not in shown] for heading, lines in self.groups.items()}
        with formatter.section("More commands (`toysearch --commands` describes them)"):
            formatter.write_dl([(heading, "  ".join(names)) for heading, names in others.items() if names])

    def format_all_commands(self, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, group by group."""
        for heading, lines in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl(list(lines.items()))
