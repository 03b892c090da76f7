"""The type of the arguments and options that take a model, and the names that a shell completes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

import toysearch

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _ModelType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    name = "MODEL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A model, given as a string: usually its name."""
        return (toysearch.MODELS.get(value) or toysearch.model(value)) if isinstance(value, str) else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names with this prefix, followed by the paths of the shell."""
        return completions(model_names(), incomplete)


MODEL = _ModelType()


def completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The names with the typed prefix, followed by the paths of the shell."""
    from click.shell_completion import CompletionItem

    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]


def model_names() -> list[str]:
    """The names of models, with the beginnings of those that wrap a model or name a file."""
    from toysearch.models.composed_models import COMPOSED  # only a shell asks for it

    return [*toysearch.MODELS, *(each.form.partition("MODEL")[0].partition("F")[0] for each in COMPOSED.values())]
