"""No file of the user's is lost: what a command writes replaces only its own kind, unless --force is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.cli.options import option

_FORCE = "toysearch.force"


def keep(path: str | Path, kind: str) -> None:
    """Refuse to replace a file that is not of the kind that is written, unless --force was given."""
    if not click.get_current_context().meta.get(_FORCE):
        toysearch.refuse_loss(path, kind)


def keeping(kind: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """The callback of an option that names a file to write: what is there is looked at before any work is done."""

    def look(_: click.Context, __: click.Parameter, path: Any) -> Any:
        if path is not None:
            keep(path, kind)
        return path

    return look


def _remember(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    ctx.meta[_FORCE] = given


force_option = option(
    "--force",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_remember,
    heading="Output",
    help="Replace an existing file, whatever it holds.",
)
"""Add --force, which `keep` and `keeping` obey."""
