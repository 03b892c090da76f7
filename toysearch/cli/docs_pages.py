"""The pages of the documentation, and their sections: files, and what the registries write."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

import toysearch
from toysearch.cli.reference_pages import written_pages

FOLDERS = {
    "learn": "tutorials, 15 minutes each",
    "do": "one task per page",
    "look-up": "names, formats and figures",
    "understand": "how it works, and why",
    "slides": "lectures, one topic each",
    "labs": "exercises: toysearch labs start N hands one out",
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
    text: str
    whole: str


def pages(command: click.Command) -> dict[str, DocsPage]:
    """Return the pages by name: the files in the package, or beside it in a checkout, and those of the registries.

    command : the one with all commands below it, which a page describes
    """
    by_name: dict[str, DocsPage] = {}
    for folder in FOLDERS:
        of_folder = {path.stem: _of_file(path) for path in (root() / folder).glob("*.md")}
        if folder == "labs":
            paths = notebooks().glob("[0-9][0-9]-*.ipynb")
            of_folder = {f"lab-{path.stem}": _of_lab(path) for path in paths if not path.stem.startswith("00")}
        if folder == "look-up":
            references = written_pages(command)
            of_folder |= {
                name: DocsPage(folder, partial(str, title), text) for name, (title, text) in references.items()
            }
        by_name |= dict(sorted(of_folder.items()))
    return by_name


def root() -> Path:
    """Return the folder of the pages: in the package, or beside it in a checkout."""
    package = Path(toysearch.__file__).parent
    installed = package / "_docs"
    return installed if installed.is_dir() else package.parent / "docs"


def notebooks() -> Path:
    """Return the folder of the notebooks: in the package, or beside it in a checkout."""
    package = Path(toysearch.__file__).parent
    installed = package / "_notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def _of_lab(path: Path) -> DocsPage:
    def text() -> str:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        fences = {"code": ("```python\n", "\n```"), "markdown": ("", "")}
        parts = ["".join(cell["source"]).join(fences[cell["cell_type"]]) for cell in cells]
        return "\n\n".join(parts) + "\n"

    return DocsPage("labs", lambda: text().partition("\n")[0].lstrip("# "), text)


def _of_file(path: Path) -> DocsPage:
    def text() -> str:
        return path.read_text(encoding="utf-8")

    return DocsPage(path.parent.name, lambda: text().partition("\n")[0].lstrip("# "), text)


def sections(text: str) -> dict[str, Section]:
    """Anchor → each section of a page; a whole one ends at the next heading of its level."""
    headings = list(_HEADING.finditer(_FENCE.sub(lambda block: " " * len(block[0]), text)))
    by_anchor = {}
    repeats: Counter[str] = Counter()
    for place, heading in enumerate(headings, 1):
        later = headings[place:]
        below = text[heading.end() : later[0].start() if later else None]
        end = next((one.start() for one in later if len(one[1]) <= len(heading[1])), None)
        anchor = anchor_of(heading[2])
        numbered = f"{anchor}-{repeats[anchor]}" if repeats[anchor] else anchor
        repeats[anchor] += 1
        by_anchor[numbered] = Section(heading[2], below, text[heading.start() : end])
    return by_anchor


def anchor_of(heading: str) -> str:
    """Return the fragment of a heading in an address, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
