"""Files that are there as a whole or not at all, gzipped where their name says so."""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TextIO

from toysearch.errors import DataError, StorageError
from toysearch.wording import spreadsheet_text


def write_texts(texts: Iterable[str], file: TextIO | str | Path) -> None:
    """Write texts one after the other to an open file, or to a path that is replaced as a whole."""
    if isinstance(file, str | Path):
        with replacing(Path(file)) as replacement:
            replacement.writelines(texts)
    else:
        file.writelines(texts)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file open for text that takes the place of `path` when all has been written, and never before."""
    with replacing_bytes(path) as raw, _text(raw, path) as file:
        yield file


@contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The same, open for bytes, which are written as they are."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to keep whole
            with open(path, "wb") as raw:
                yield raw
            return
        final = Path(os.path.realpath(path))  # through a link, to the file that it names
        temporary = final.with_name(f".{final.name}.{secrets.token_hex(4)}")
        try:
            with open(temporary, "xb") as raw:
                yield raw
            os.replace(temporary, final)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}") from error


@contextmanager
def _text(raw: IO[bytes], path: Path) -> Iterator[TextIO]:
    """A file of bytes open for text, UTF-8; gzipped without name and time, so that equal texts are equal files."""
    if path.suffix != ".gz":
        with io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
            yield file
        return
    import gzip

    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file,
    ):
        yield file


def format_of_name(file: object) -> str:
    """The format that a file's name asks for: json, csv, tsv, else trec.

    >>> format_of_name("mine.csv.gz"), format_of_name("mine.run")
    ('csv', 'trec')
    """
    if not isinstance(file, str | Path):
        return "trec"
    suffix = Path(str(file).removesuffix(".gz")).suffix.lower()
    return suffix[1:] if suffix in (".json", ".csv", ".tsv") else "trec"


def table_texts(header: Sequence[str], rows: Iterable[Sequence[str]], form: str) -> Iterator[str]:
    """The lines of a CSV or TSV file."""
    delimiter = "\t" if form == "tsv" else ","
    for row in chain([header], rows):
        yield delimiter.join([_cell(cell, form) for cell in row]) + "\n"


def _cell(cell: str, form: str) -> str:
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
