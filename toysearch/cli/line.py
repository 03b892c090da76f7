"""The command line as it was typed, for what says how it was made."""

from __future__ import annotations

import shlex
from typing import Any

import click

_KEY = "toysearch.line"


class Recorded(click.Command):
    """A command that knows the arguments it was called with."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context, which keeps the arguments before they are taken apart."""
        typed = list(args)
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[_KEY] = typed
        return context


def command_line() -> str:
    """The command that runs, quoted so that a shell reads it back."""
    context = click.get_current_context()
    return shlex.join(["toysearch", str(context.info_name), *context.meta[_KEY]])
