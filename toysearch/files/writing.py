"""Files written completely or not at all; a file that a user made is never replaced."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import IO, Any, TextIO, TypeVar, cast

from toysearch.base import (
    ArgumentError,
    DataError,
    StorageError,
    a,
    replace,
    spreadsheet_text,
)

Named = TypeVar("Named", bound="str | PathLike[str]")


def write_texts(texts: Iterable[str], file: TextIO | str | PathLike[str]) -> None:
    """Write texts in order to an open file, to a path that is replaced as a whole, or to standard output (``-``)."""
    if str(file) == "-":
        sys.stdout.writelines(texts)
    elif isinstance(file, str | PathLike):
        with replacing(Path(file)) as replacement:
            replacement.writelines(texts)
    elif hasattr(file, "write"):
        file.writelines(texts)
    else:
        raise ArgumentError(f"file must be a path or an open file, not {a(file)}")


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a file for UTF-8 text that replaces `path` once everything has been written."""
    # It is gzipped without name and time, so that equal texts give equal files.
    with replacing_bytes(path) as raw:
        if path.suffix == ".gz":
            import gzip

            raw = cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
        with io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
            yield file


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder for what is written inside; if that fails, remove the folders made for it."""
    created = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        for parent in created:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise StorageError(f"{folder} could not be written: {error.strerror or error}") from error
        raise


@contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for bytes that replaces `path` once everything has been written."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe has no content to protect
            with open(path, "wb") as raw:
                yield raw
            return
        final = Path(os.path.realpath(path))  # a link is followed to its file
        temporary = final.with_name(f".{final.name}.{os.urandom(4).hex()}")
        try:
            with open(temporary, "xb") as raw:
                yield raw
            replace(temporary, final)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}") from error


def format_of_name(file: object) -> str:
    """Return the format that a file name implies: json, csv, tsv, else trec.

    >>> format_of_name("mine.csv.gz"), format_of_name("mine.run")
    ('csv', 'trec')
    """
    if not isinstance(file, str | PathLike):
        return "trec"
    suffix = Path(str(file).removesuffix(".gz")).suffix.lower()
    return suffix[1:] if suffix in (".json", ".csv", ".tsv") else "trec"


def table_texts(header: Sequence[str], rows: Iterable[Sequence[str]], form: str) -> Iterator[str]:
    """Yield the lines of a CSV or TSV file."""
    delimiter = "\t" if form == "tsv" else ","
    for row in chain([header], rows):
        yield delimiter.join([table_cell(cell, form) for cell in row]) + "\n"


def table_cell(cell: str, form: str) -> str:
    """Return an id as a cell of a CSV or TSV file, quoted where necessary; refuse one that the form cannot carry."""
    if cell.isalnum() and cell.isascii():
        return cell
    problem = ""
    if not cell:
        problem = "is empty"
    elif "\n" in cell or "\r" in cell:
        problem = "holds a line end"
    elif form == "tsv" and ("\t" in cell or cell != cell.strip()):
        problem = "holds a tab or begins or ends with a blank"
    elif not cell.isascii() and any("\ud800" <= character <= "\udfff" for character in cell):
        problem = "holds a lone surrogate"
    if problem:
        raise DataError(f"the id {cell!r} {problem}, which {form.upper()} cannot carry; give it another id")
    if form == "csv":
        cell = spreadsheet_text(cell)
    if form == "csv" and (any(mark in cell for mark in ',;"\t') or cell != cell.strip()):
        return '"' + cell.replace('"', '""') + '"'
    return cell


SVG_MARK = "<!-- made by toysearch -->"
"""Mark of every SVG picture written to a file."""

PNG_TEXT = b"Software\0toysearch"
"""Mark of every PNG picture written to a file: a standard keyword and its value."""

PDF_MARK = b"\n% made by toysearch\n"
"""Mark of every PDF picture: a comment at its end."""

PAGE_MARK = '<meta name="generator" content="toysearch">'
"""Mark in the head of every page."""


def refuse_place(path: str | os.PathLike[str], folder: bool = False) -> None:
    """Refuse a place where no file, or no folder with the folders above it, can be written.

    >>> refuse_place("out.run")
    >>> refuse_place("missing/out.run")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: 'missing/out.run': there is no folder 'missing'; create it, or choose another
    """
    place = Path(path)
    above = place.parent
    if folder:
        above = next(parent for parent in (place, *place.parents) if os.path.lexists(parent))
    elif place.is_dir():
        raise ArgumentError(f"'{path}' is a folder; name a file")
    elif not above.exists():
        raise ArgumentError(f"'{path}': there is no folder '{above}'; create it, or choose another")
    if above != place and not above.is_dir():
        raise ArgumentError(f"'{path}': '{above}' is not a folder; choose another")
    if not (os.access(above, os.W_OK) or (place.exists() and os.access(place, os.W_OK))):
        raise StorageError(f"'{path}' may not be written by you; choose another place")


def record_of(run: str | PathLike[str]) -> Path:
    """Return the path beside a run where it is kept what made the run."""
    return Path(f"{run}.json")


def record_in(path: Path) -> dict[str, dict[str, str]] | None:
    """Return what a file keeps of what made the run beside it; None for any other file."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and {"file", "versions"} <= content.keys() else None


def without_records(files: Sequence[Named]) -> list[Named]:
    """Leave out what is kept beside runs that are among the files too, as in runs/*."""
    records = {record_of(file) for file in files}
    return [file for file in files if Path(file) not in records or record_in(Path(file)) is None]
