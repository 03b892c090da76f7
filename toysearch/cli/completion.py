"""What a shell may complete: collections, models and measures by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

import toysearch
from toysearch.corpus import catalog

_NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "source": catalog.names,
    "collection": catalog.names,
    "targets": catalog.names,
    "--model": lambda: toysearch.MODELS,
    "--baseline": lambda: toysearch.MODELS,
    "-m": lambda: toysearch.MEASURES,
}
"""An argument's name, or an option as it is typed → the names that it takes."""


class _Named(click.ParamType[str]):
    """A text that may be one of some names, or a path."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that go on from what was typed; after them the shell's own paths."""
        found = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")]


def completed(command: click.Command) -> click.Command:
    """The command, whose parameters know the names that they take."""
    for parameter in command.params:
        key = next((text for text in (parameter.name or "", *parameter.opts) if text in _NAMES), None)
        if key and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Named(_NAMES[key])
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        completed(below)
    return command
