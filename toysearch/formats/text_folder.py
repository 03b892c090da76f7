"""Folder of texts: one document per file, plain, Markdown or HTML."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from toysearch.base import UNSEEN, WITHIN_WORDS, DataError, counted, holding, note
from toysearch.formats import Record, RecordFile, numbered_lines
from toysearch.formats.claims import MARKUP, Clues, What, named_like_text
from toysearch.formats.text_files import IN_UTF8, Look, refuse_folder, tell_utf8

if TYPE_CHECKING:
    from bs4 import BeautifulSoup


_NO_TEXT = re.compile(r"(readme|licen[cs]e|copying|changelog|notice)\b", re.IGNORECASE)
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_MOST_TAGS = 200_000  # of a page, or lines of Markdown: the tree of a larger one takes gigabytes
_ODD_SECTION = re.compile(r"<!\[(?!CDATA\[)[^>]*>?")  # to a browser a comment: <![if !IE]>
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<settings>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*(?P<quote>[\"']?)(?P<title>.*?)(?P=quote)[ \t]*$", re.MULTILINE)


def claims(look: Look, clues: Clues) -> What | None:
    """Claim a file that is named like a text, and not like a readme or licence."""
    if named_like_text(clues.name) and not _NO_TEXT.match(clues.name.rpartition("/")[2]):
        return What("documents", "folder", "its name ends like that of a text")
    return None


def claims_markup(look: Look, clues: Clues) -> What | None:
    """Claim Markdown and HTML, in which a line may look like anything, as `claims` does."""
    return claims(look, clues) if named_like_text(clues.name, MARKUP) else None


def html_parts(path: str | Path, html: str) -> tuple[str, str]:
    """Return the title of an HTML page, "" if it has none, and its text, one line per block."""
    # The title is the `<title>`, else the first `<h1>`, which is then left out of the text. Scripts, styles, templates,
    # comments and `<noscript>` elements are left out; a picture is replaced by its alternative text.
    soup = _parsed(path, html)
    title = _taken(soup, ["title"]) or _taken(soup, ["h1"])
    return title, _text(soup)


def markdown_parts(path: str | Path, markdown: str) -> tuple[str, str]:
    """Return the title of a Markdown text, "" if it has none, and the rest of its text, one line per block."""
    # The title is the first heading, or the title in the front matter between two lines `---`, which is not part of the
    # text.
    from markdown_it import MarkdownIt

    if markdown.count("\n") > _MOST_TAGS:
        raise DataError(f"{path} has more than {_MOST_TAGS:,} lines of Markdown; split it, or rename it to .txt")
    settings = ""
    if matter := _FRONT_MATTER.match(markdown):
        settings, markdown = matter["settings"], markdown[matter.end() :]
    soup = _parsed(path, MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").render(markdown))
    title = _taken(soup, _HEADINGS)
    if not title and (setting := _TITLE.search(settings)):
        title = setting["title"]
    return title, _text(soup)


def _parsed(path: str | Path, html: str) -> BeautifulSoup:
    if html.count("<") > _MOST_TAGS:
        raise DataError(f"{path} has more than {_MOST_TAGS:,} tags; split it, or remove it from the folder")
    from bs4 import BeautifulSoup
    from bs4.exceptions import ParserRejectedMarkup

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a short page can look like a file name
            # The parser loses an ampersand at the very end, and some versions refuse such sections.
            return BeautifulSoup(_ODD_SECTION.sub("", html) + "\n", "html.parser")
    except (ParserRejectedMarkup, RecursionError) as error:
        why = str(error).splitlines()[-1].strip()
        raise DataError(f"{path} cannot be read as HTML ({why}); correct it or remove it from the folder") from None


def _taken(soup: BeautifulSoup, names: list[str]) -> str:
    """Remove the first element with one of these names from the tree, and return its text."""
    element = soup.find(names)
    return "" if element is None else " ".join(element.extract().get_text().split())


def _text(soup: BeautifulSoup) -> str:
    """Return the text of a page: blocks are separate lines, and no line is empty."""
    from bs4.element import CData, NavigableString, Tag

    pieces: list[str] = []  # the visible strings, and a line end where each block begins or ends
    inside = [iter(soup.contents)]  # no recursion: some pages nest deeper than Python does
    ends = [""]
    while inside:
        node = next(inside[-1], None)
        if node is None:
            inside.pop()
            pieces.append(ends.pop())
        elif isinstance(node, Tag) and node.name not in UNSEEN:
            end = "" if node.name in WITHIN_WORDS else "\n"
            pieces.append(end if node.name != "img" else str(node.get("alt") or ""))
            inside.append(iter(node.contents))
            ends.append(end)
        elif type(node) in (NavigableString, CData):  # not a subclass, such as comments
            pieces.append(str(node))
    lines = map(str.split, "".join(pieces).split("\n"))
    return "\n".join(" ".join(words) for words in lines if words)


_TEXT = (".txt", ".text", ".rst")
_MARKDOWN = (".md", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
SUFFIXES = (*_TEXT, *_MARKDOWN, *_HTML)
"""Suffixes of documents, in any case; ``.gz`` may follow."""


def read_folder(folder: RecordFile) -> Iterator[Record]:
    """Read the documents of a folder and its subfolders, one per file, by path."""
    # The id of a document is its path below the folder, with `/` between the names; the field `path` repeats it. The
    # title is the first heading of a Markdown file, the `<title>` or `<h1>` of an HTML file, else the name of the file
    # without its suffix; the text is the rest, without markup, scripts, styles and comments. Files of other kinds and
    # links that lead out of the folder are left out, and a note counts them; hidden files are skipped.
    root = Path(folder.path)
    inside = root.resolve()
    paths: list[Path] = []
    others = 0
    for parent, folders, names in os.walk(root, onerror=refuse_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.startswith("."):
                continue
            path = Path(parent, name)
            if _stem_and_kind(path)[1] in SUFFIXES and path.is_file() and path.resolve().is_relative_to(inside):
                try:
                    str(path).encode()
                except UnicodeEncodeError:
                    raise DataError(
                        f"{str(path)!r}: expected a name in UTF-8, as the id of the document; rename it"
                    ) from None
                paths.append(path)
            else:
                others += 1
        others += sum(Path(parent, name).is_symlink() for name in folders)  # os.walk does not follow them
    if not paths:
        instead = f", only {counted(others, 'other file')}" if others else ""
        raise DataError(f"{root} holds no document{instead}; expected files named {' '.join(SUFFIXES)}")
    if others:
        note(f"{root}: {counted(others, 'file')} of another kind left out; documents are named {' '.join(SUFFIXES)}")
    in_utf8: list[str] = []
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix()):
        doc_id = path.relative_to(root).as_posix()
        with holding(IN_UTF8, in_utf8):
            title, text = "", "\n".join(line for _, line in numbered_lines(path))
        stem, kind = _stem_and_kind(path)
        if kind in _MARKDOWN:
            title, text = markdown_parts(path, text)
        elif kind in _HTML:
            title, text = html_parts(path, text)
        yield 1, doc_id, {"title": title or stem, "text": text, "path": doc_id}
    tell_utf8(in_utf8, len(paths))


def _stem_and_kind(path: Path) -> tuple[str, str]:
    """Return the name of a file without its suffix, and the suffix in lower case; ``.gz`` is part of neither."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    stem, kind = os.path.splitext(name)
    return stem, kind.lower()
