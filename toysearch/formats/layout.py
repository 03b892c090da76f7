"""The layout of a user's own folder or file: which format it has, and which file plays which part."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from toysearch.errors import DataError, unknown
from toysearch.formats.lines import finite_number, numbered_lines, open_bytes

FORMATS = ("beir", "smart")
"""The formats that a collection can be in; `--input-format` names one."""

HELP = "describe it in a collection.toml (docs/collections.md has an example)"


class Layout(NamedTuple):
    """The format of a collection, and its files as paths below its folder.

    Parameters
    ----------
    format : str
        One of `FORMATS`.
    documents, queries : str
        The files of the documents and of the queries (None where there is none).
    qrels : mapping of str to str
        The files of judgments by the name of the split.
    """

    format: str
    documents: str
    queries: str | None = None
    qrels: Mapping[str, str] = {}


def layout_of_file(path: Path, input_format: str | None = None) -> Layout:
    """The layout of a single file of documents: SMART records or JSON Lines.

    Parameters
    ----------
    path : Path
        The file.
    input_format : str, optional
        One of `FORMATS`; by default what the file's first line looks like.

    Raises
    ------
    ArgumentError
        If there is no such format.
    DataError
        If the file looks like neither format.
    """
    known = checked_format(input_format) or _format_of(_head(path))
    if known is None:
        raise DataError(
            f"{path}: expected documents, either SMART records (lines '.I ID') or JSON Lines "
            f"(an object with _id and text a line), found {'neither' if _head(path) else 'an empty file'}"
        )
    return Layout(known, path.name)


def layout_of_folder(folder: Path, input_format: str | None = None) -> Layout:
    """The layout of a folder without a collection.toml: a BEIR folder or one of SMART files.

    Parameters
    ----------
    folder : Path
        The folder.
    input_format : str, optional
        One of `FORMATS`; by default ``beir`` where there is a corpus.jsonl, else ``smart`` where a file
        begins with ``.I``.

    Raises
    ------
    ArgumentError
        If there is no such format.
    DataError
        If it is neither, or two files claim the same part.
    """
    corpus = _present(folder, "corpus.jsonl")
    wanted = checked_format(input_format) or ("beir" if corpus else "smart")
    if wanted == "smart":
        return _smart_layout(folder)
    if corpus is None:
        raise DataError(f"{folder}: expected a file corpus.jsonl, as each BEIR folder has; found {_listed(folder)}")
    qrels: dict[str, str] = {}
    for path in sorted(folder.glob("qrels/*.tsv*")):
        split = path.name.removesuffix(".gz").removesuffix(".tsv")
        if path.name in (f"{split}.tsv", f"{split}.tsv.gz"):
            qrels.setdefault(split, f"qrels/{path.name}")
    return Layout("beir", corpus, _present(folder, "queries.jsonl"), qrels)


def checked_format(input_format: str | None) -> str | None:
    """The name of a format, refused if there is no such; None stays None.

    Parameters
    ----------
    input_format : str or None
        What the user says.

    Raises
    ------
    ArgumentError
        If it is not one of `FORMATS`.
    """
    if input_format is not None and input_format not in FORMATS:
        raise unknown("input format", input_format, FORMATS)
    return input_format


def _present(folder: Path, name: str) -> str | None:
    """The name under which a file is there, gzipped or not."""
    return next((found for found in (name, f"{name}.gz") if (folder / found).is_file()), None)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror}") from None


def _listed(folder: Path) -> str:
    names = _names(folder)
    shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return shown or "nothing"


def _smart_layout(folder: Path) -> Layout:
    documents: list[str] = []
    queries: list[str] = []
    qrels: list[str] = []
    for path in map(folder.joinpath, _names(folder)):
        if not path.is_file():
            continue
        if _format_of(_head(path)) == "smart":
            (queries if _named_like_queries(path.name) else documents).append(path.name)
        elif "rel" in path.name.lower() and _holds_judgments(path):
            qrels.append(path.name)
    if not documents:
        raise DataError(
            f"{folder}: expected a BEIR folder (corpus.jsonl), SMART files of documents (lines '.I ID') or a "
            f"collection.toml; found {_listed(folder)}"
        )
    for part, names in (("documents", documents), ("queries", queries), ("judgments", qrels)):
        if len(names) > 1:
            raise DataError(f"{folder}: {' and '.join(names)} could each hold the {part}; {HELP}")
    return Layout("smart", documents[0], queries[0] if queries else None, {"": qrels[0]} if qrels else {})


def _named_like_queries(name: str) -> bool:
    name = name.lower().removesuffix(".gz")
    return name.endswith((".qry", ".que")) or "quer" in name or "topic" in name


def _head(path: Path) -> bytes:
    """The first bytes of a file, without blanks in front; none where it cannot be unpacked."""
    import zlib

    with open_bytes(path) as file:
        try:
            return file.read(256).removeprefix(b"\xef\xbb\xbf").lstrip()
        except (EOFError, zlib.error, OSError):
            return b""


def _format_of(head: bytes) -> str | None:
    """What the first lines of a file look like: a SMART record, a JSON object, or neither (None)."""
    if head.startswith(b"{"):
        return "beir"
    # One copy of CISI has a stray marker line in front of the first record.
    lines = (line for line in head.split(b"\n") if not (line[:1] == b"." and len(line.strip()) == 2))
    return "smart" if next(lines, b"").startswith((b".I ", b".I\t")) else None


def _holds_judgments(path: Path) -> bool:
    """Whether the first line with anything on it has three or four columns, the last of them a number."""
    for _, line in islice(numbered_lines(path), 20):
        if columns := line.split():
            return len(columns) in (3, 4) and finite_number(columns[-1]) is not None
    return False
