"""`toysearch docs`: the pages of the documentation."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import click

import toysearch
from toysearch.base import unknown
from toysearch.cli import Command, examples

FOLDERS = {
    "learn": "tutorials, 15 minutes each",
    "do": "one task per page",
    "look-up": "names, formats and figures",
    "understand": "how it works, and why",
}


@click.command(cls=Command, epilog=examples("toysearch docs", "toysearch docs first-search", "toysearch docs models"))
@click.argument("page", required=False)
def docs_command(page: str | None) -> None:
    """Print a page of the documentation, or list the pages by purpose.

    PAGE is a name such as first-search or models; without one, each page is listed with its title. A terminal shows a
    page with its headings, tables and links set, a long one through the pager; a pipe or a file gets it as Markdown.
    """
    all_pages = pages()
    if page is None:
        width = max(map(len, all_pages), default=0)
        for number, (folder, purpose) in enumerate(FOLDERS.items()):
            click.echo(f"{chr(10) if number else ''}{folder}: {purpose}")
            for name, path in all_pages.items():
                if path.parent.name == folder:
                    title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
                    click.echo(f"  {name:{width}}  {title}")
    elif page.removesuffix(".md") in all_pages:
        text = all_pages[page.removesuffix(".md")].read_text(encoding="utf-8")
        if sys.stdout.isatty():
            _show(text, all_pages)
        else:
            click.echo(text, nl=False)
    else:
        raise unknown("page", page, all_pages)


def pages() -> dict[str, Path]:
    """The pages by name: those in the package, or beside it in a checkout."""
    package = Path(toysearch.__file__).parent
    root = package / "_docs"
    if not root.is_dir():
        root = package.parent / "docs"
    return {path.stem: path for folder in FOLDERS for path in sorted((root / folder).glob("*.md"))}


_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", re.DOTALL)


def _show(text: str, pages: dict[str, Path]) -> None:
    """A page as a terminal shows it; a link to another page becomes the command that prints it."""
    from rich.console import Console
    from rich.markdown import Markdown

    def in_words(link: re.Match[str]) -> str:
        name = Path(link[2]).stem
        return f"{link[1]} (`toysearch docs {name}`)" if name in pages else link[1]

    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    parts[::2] = [_LINK.sub(in_words, part) for part in parts[::2]]  # code stays as it is
    width, height = shutil.get_terminal_size()
    console = Console(width=width, force_terminal=True)
    with console.capture() as captured:
        console.print(Markdown("".join(parts)))
    if captured.get().count("\n") < height:
        click.echo(captured.get(), nl=False)
    else:
        click.echo_via_pager(captured.get(), color=True)
