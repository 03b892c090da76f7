"""`toysearch docs`: the pages of the documentation, and a search of them."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import click

from toysearch.base import groups_of, table_columns, unknown
from toysearch.cli.commands import command
from toysearch.cli.docs_pages import FOLDERS, DocsPage, pages, sections
from toysearch.cli.options import output_options
from toysearch.cli.output import emit


@command(
    "toysearch docs",
    "toysearch docs first-search",
    "toysearch docs why a document ranks first",
    context_settings={"ignore_unknown_options": True},  # they are words: docs search --facets
)
@click.argument("words", nargs=-1, metavar="[PAGE | WORDS]...")
@output_options
@click.pass_context
def docs_command(ctx: click.Context, words: tuple[str, ...], form: str) -> None:
    """Search the documentation, print a page, or list all by purpose.

    PAGE is a name such as first-search or models, or a section of a page, such as evaluation#ties or measures#ap. Any
    other WORDS are searched for, a command line or a message too: the best section of each of five pages is shown with
    a passage. Without either, each page is listed with its title. A terminal shows a page with its headings, tables
    and links set, a long one through the pager; a pipe or a file gets it as Markdown.
    """
    all_pages = pages(ctx.find_root().command)
    if not words and form != "table":
        rows = [(name, one.title(), one.folder) for name, one in all_pages.items()]
        emit(table_columns("name", "title", "folder"), rows, form)
        return
    if not words:
        width = max(map(len, all_pages), default=0)
        lines = groups_of((one.folder, f"  {name:{width}}  {one.title()}") for name, one in all_pages.items())
        groups = ["\n".join([f"{folder}: {FOLDERS[folder]}", *lines.get(folder, [])]) for folder in FOLDERS]
        click.echo("\n\n".join(groups))
        return
    name, _, anchor = " ".join(words).partition("#")
    name = name.removesuffix(".md")
    if name not in all_pages:
        from toysearch.cli.docs_search import show_found  # a page alone needs no engine

        show_found(" ".join(words), ctx.find_root().command, form)
        return
    text = all_pages[name].text()
    if anchor:
        all_sections = sections(text)
        if anchor not in all_sections:
            raise unknown("section", anchor, all_sections)
        text = all_sections[anchor].whole
    if form != "table":
        emit(table_columns("name", "text"), [(" ".join(words), text)], form)
    elif sys.stdout.isatty():
        _show(text, all_pages)
    else:
        click.echo(text, nl=False)


_LINK = re.compile(r"\[((?:`[^`]*`|[^\]`])+)\]\((?!https?:)([^)#]*)(#[^)]*)?\)", re.DOTALL)


def _show(text: str, pages: dict[str, DocsPage]) -> None:
    """Print a page on a terminal; a link to another page or its section becomes the command that prints it."""
    from rich.console import Console
    from rich.markdown import Markdown

    def in_words(link: re.Match[str]) -> str:
        name = Path(link[2]).stem
        return f"{link[1]} (`toysearch docs {name}{link[3] or ''}`)" if name in pages else link[1]

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
