"""`toysearch docs`: the pages of the documentation, which come with toysearch."""

from __future__ import annotations

from pathlib import Path

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.errors import unknown


@click.command(cls=Command, epilog=examples("toysearch docs", "toysearch docs models"))
@click.argument("page", required=False)
def command(page: str | None) -> None:
    """Print a page of the documentation, or list the pages.

    PAGE is a name such as models or collections; without one, each page is listed with its title.
    """
    pages = {path.stem: path for path in sorted(_folder().glob("*.md")) if path.stem != "README"}
    if page is None:
        width = max(map(len, pages), default=0)
        for name, path in pages.items():
            with path.open(encoding="utf-8") as lines:
                click.echo(f"{name:{width}}  {next(lines, '').lstrip('# ').rstrip()}")
    elif page.removesuffix(".md") in pages:
        click.echo(pages[page.removesuffix(".md")].read_text(encoding="utf-8"), nl=False)
    else:
        raise unknown("page", page, pages)


def _folder() -> Path:
    """The pages in the package, or beside it in a checkout."""
    package = Path(toysearch.__file__).parent
    inside = package / "_docs"
    return inside if inside.is_dir() else package.parent / "docs"
