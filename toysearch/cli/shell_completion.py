"""What a shell completes: the names that arguments and options take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

import toysearch

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def model_names() -> list[str]:
    """Return the names of models, with the beginnings of those that wrap a model or name a file."""
    from toysearch.models.calls import CALLS  # only a shell asks for it

    forms = [call.form for call in CALLS.values()]
    return [*toysearch.MODELS, *filter(None, (form.partition("MODEL")[0].partition("F")[0] for form in forms))]


_NAMES: dict[str, Callable[[], Iterable[str]]] = {
    **dict.fromkeys(("source", "collection", "targets"), lambda: toysearch.collections()),
    **dict.fromkeys(("--model", "--baseline"), model_names),
    "-m": lambda: toysearch.MEASURES,
}
"""The name of an argument, or an option as typed → the names that it takes."""


class _Named(click.ParamType[str]):
    """String that may be one of some names, or a path."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names with the typed prefix, followed by the paths of the shell."""
        return completions(self._names(), incomplete)


def completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the names with the typed prefix, followed by the paths of the shell."""
    from click.shell_completion import CompletionItem

    items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*items, CompletionItem(incomplete, type="file")]


def complete(command: click.Command) -> None:
    """Let the parameters of a command complete the names that they take."""
    for parameter in command.params:
        key = next((text for text in (parameter.name or "", *parameter.opts) if text in _NAMES), None)
        if key and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Named(_NAMES[key])
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        complete(below)
