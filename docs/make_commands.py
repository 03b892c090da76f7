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


def helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """The help of a command and, where it is a group, of its commands."""
    context = click.Context(
        command, info_name=name.split()[-1], parent=parent, max_content_width=100, **command.context_settings
    )
    context.terminal_width = 100
    yield f"\n## {name}\n\n```text\n{command.get_help(context).strip()}\n```\n"
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None:
                yield from helps(found, f"{name} {each}", context)


def page() -> str:
    """The whole page."""
    return HEAD + "".join(helps(toysearch, "toysearch"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
