"""`toysearch docs`: the pages of the documentation and their sections; docs_search.py searches them."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

import toysearch
from toysearch.base import groups_of, unknown
from toysearch.cli.commands import Command, examples
from toysearch.cli.reference_pages import written_pages
from toysearch.cli.shell_completion import completions

FOLDERS = {
    "learn": "tutorials, 15 minutes each",
    "do": "one task per page",
    "look-up": "names, formats and figures",
    "understand": "how it works, and why",
    "slides": "lectures, one topic each",
}


_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class DocsPage(NamedTuple):
    """Page of the documentation: a file, or what the registries write."""

    folder: str
    title: Callable[[], str]
    text: Callable[[], str]


class Section(NamedTuple):
    """Part of a page: its heading, its own text, and the whole of it with the sections below."""

    heading: str
    own: str
    whole: str


@click.command(
    cls=Command,
    epilog=examples("toysearch docs", "toysearch docs first-search", "toysearch docs why a document ranks first"),
)
@click.argument(
    "words",
    nargs=-1,
    metavar="[PAGE | WORDS]...",
    shell_complete=lambda ctx, _, incomplete: completions(pages(ctx.find_root().command), incomplete),
)
@click.pass_context
def docs_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Search the documentation, print a page, or list all by purpose.

    PAGE is a name such as first-search or models, or a section of a page, such as evaluation#ties or measures#ap. Any
    other WORDS are searched for: the best section of each of five pages is shown with a passage. Without either, each
    page is listed with its title. A terminal shows a page with its headings, tables and links set, a long one through
    the pager; a pipe or a file gets it as Markdown.
    """
    all_pages = pages(ctx.find_root().command)
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

        show_found(" ".join(words), ctx.find_root().command)
        return
    text = all_pages[name].text()
    if anchor:
        all_sections = sections(text)
        if anchor not in all_sections:
            raise unknown("section", anchor, all_sections)
        text = all_sections[anchor].whole
    if sys.stdout.isatty():
        _show(text, all_pages)
    else:
        click.echo(text, nl=False)


def pages(command: click.Command) -> dict[str, DocsPage]:
    """Return the pages by name: the files in the package, or beside it in a checkout, and those of the registries.

    command : the one with all commands below it, which a page describes
    """
    by_name: dict[str, DocsPage] = {}
    for folder in FOLDERS:
        here = {path.stem: _of_file(path) for path in (root() / folder).glob("*.md")}
        if folder == "look-up":
            written = written_pages(command)
            here |= {name: DocsPage(folder, partial(str, title), text) for name, (title, text) in written.items()}
        by_name |= dict(sorted(here.items()))
    return by_name


def root() -> Path:
    """Return the folder of the pages: in the package, or beside it in a checkout."""
    package = Path(toysearch.__file__).parent
    installed = package / "_docs"
    return installed if installed.is_dir() else package.parent / "docs"


def _of_file(path: Path) -> DocsPage:
    def text() -> str:
        return path.read_text(encoding="utf-8")

    return DocsPage(path.parent.name, lambda: text().partition("\n")[0].lstrip("# "), text)


def sections(text: str) -> dict[str, Section]:
    """Anchor → each section of a page; a whole one ends at the next heading of its level."""
    headings = list(_HEADING.finditer(_FENCE.sub(lambda block: " " * len(block[0]), text)))
    by_anchor: dict[str, Section] = {}
    repeats: Counter[str] = Counter()
    for place, heading in enumerate(headings, 1):
        later = headings[place:]
        own = text[heading.end() : later[0].start() if later else None]
        end = next((one.start() for one in later if len(one[1]) <= len(heading[1])), None)
        anchor = anchor_of(heading[2])
        numbered = f"{anchor}-{repeats[anchor]}" if repeats[anchor] else anchor
        repeats[anchor] += 1
        by_anchor[numbered] = Section(heading[2], own, text[heading.start() : end])
    return by_anchor


def anchor_of(heading: str) -> str:
    """Return the fragment of a heading in an address, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


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
