"""Make docs/look-up/commands.md from the commands' own help: python docs/make_commands.py (a test compares)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from toysearch.cli.main import command as toysearch

PAGE = Path(__file__).parent / "look-up" / "commands.md"
HEAD = """# Commands

What each command says of itself with `--help`; made by `docs/make_commands.py`.
"""


def helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The names and helps of a command and, where it is a group, of its commands."""
    context = click.Context(
        command, info_name=name.split()[-1], parent=parent, max_content_width=100, **command.context_settings
    )
    context.terminal_width = 100
    yield name, command.get_help(context).strip()
    for part in command.list_commands(context) if isinstance(command, click.Group) else ():
        if subcommand := command.get_command(context, part):
            yield from helps(subcommand, f"{name} {part}", context)


def page() -> str:
    """The whole page."""
    parts = (f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in helps(toysearch, "toysearch"))
    return HEAD + "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
