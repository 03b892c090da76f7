"""A folder of texts: each text, Markdown or HTML file below it is a document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from toysearch.errors import DataError, note
from toysearch.formats.pages import html_parts, markdown_parts
from toysearch.formats.text_files import Record, counted, numbered_lines

_TEXT = (".txt", ".text", ".rst")
_MARKDOWN = (".md", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
SUFFIXES = (*_TEXT, *_MARKDOWN, *_HTML)
"""How the names of documents end, in any case; ``.gz`` may follow."""


def read_folder(folder: str | Path) -> Iterator[Record]:
    r"""The documents of a folder and of the folders in it, one a file, by path.

    A document's id is its path below the folder, with ``/`` between the names; it is the field ``path`` too.
    The title is the first heading of a Markdown file, the ``<title>`` or ``<h1>`` of an HTML file, else the name of the
    file without its ending; the text is what remains, without markup, scripts, styles and comments. A file of
    another kind and a link that leads out of the folder are left out, and a note counts them; names that begin
    with a full stop are passed over.
    """
    root = Path(folder)
    paths, others = _documents(root)
    if not paths:
        found = f", only {counted(others, 'other file')}" if others else ""
        raise DataError(f"{root} holds no document{found}; expected files named {' '.join(SUFFIXES)}")
    if others:
        note(f"{root}: {counted(others, 'file')} of another kind left out; documents are named {' '.join(SUFFIXES)}")
    for path in paths:
        doc_id = path.relative_to(root).as_posix()
        title, text = _parts(path)
        yield 1, doc_id, {"title": title, "text": text, "path": doc_id}


def _documents(root: Path) -> tuple[list[Path], int]:
    """The files that are documents, by path, and how many there are of other kinds."""
    inside = root.resolve()
    paths: list[Path] = []
    others = 0
    for parent, folders, names in os.walk(root, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.startswith("."):
                continue
            path = Path(parent, name)
            if _stem_and_kind(path)[1] in SUFFIXES and path.is_file() and path.resolve().is_relative_to(inside):
                paths.append(_encodable(path))
            else:
                others += 1
        others += sum(Path(parent, name).is_symlink() for name in folders)  # os.walk does not follow them
    return sorted(paths, key=lambda path: path.relative_to(root).as_posix()), others


def _refuse(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror}") from None


def _encodable(path: Path) -> Path:
    """The path, refused where its name is no UTF-8: it could not be the id of a document."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(f"{str(path)!r}: expected a name in UTF-8, which is the document's id; rename it") from None
    return path


def _stem_and_kind(path: Path) -> tuple[str, str]:
    """The name of a file without its ending, and the ending in lower case; ``.gz`` is part of neither."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    stem, kind = os.path.splitext(name)
    return stem, kind.lower()


def _parts(path: Path) -> tuple[str, str]:
    """The title of a file and its text."""
    content = "\n".join(line for _, line in numbered_lines(path))
    stem, kind = _stem_and_kind(path)
    title, text = "", content
    if kind in _MARKDOWN:
        title, text = markdown_parts(path, content)
    elif kind in _HTML:
        title, text = html_parts(path, content)
    return title or stem, text
