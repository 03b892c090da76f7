"""What may be written over: what a command has written itself, never what the user has made."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Iterable
from pathlib import Path

import toysearch


def refuse_all_but_runs(output: str) -> None:
    """Refuse to write a run over anything but a run.

    Parameters
    ----------
    output : str
        Where the run is to be; ``-`` is standard output.

    Raises
    ------
    StorageError
        If a file is there that is neither empty nor a run.
    """
    if _holds_something(output) and toysearch.kind_of(output) != "run" and not _reads_as_run(output):
        raise _in_the_way(output, "holds something else than a run")


def refuse_all_but_judgments(output: str, sources: Iterable[str]) -> None:
    """Refuse to write judgments over anything but judgments, and over those that they are made of.

    Parameters
    ----------
    output : str
        Where the judgments are to be.
    sources : iterable of str
        The files that are merged.

    Raises
    ------
    StorageError
        If a file is there that is neither empty nor judgments, or is one of those.
    """
    if not _holds_something(output):
        return
    if any(Path(source).exists() and Path(source).samefile(output) for source in sources):
        raise _in_the_way(output, "is one of the files that are merged")
    if toysearch.kind_of(output) != "qrels":
        raise _in_the_way(output, "holds something else than judgments")


def refuse_all_but_empty_sheets(output: str) -> None:
    """Refuse to write a sheet over anything but a sheet in which nothing has been judged yet.

    Parameters
    ----------
    output : str
        Where the sheet is to be.

    Raises
    ------
    StorageError
        If a file is there that is neither empty nor such a sheet.
    """
    if _holds_something(output):
        if toysearch.kind_of(output) != "qrels":
            raise _in_the_way(output, "holds something else than a sheet to be judged")
        if not _is_unjudged(output):
            raise _in_the_way(output, "holds judgments")


def _holds_something(output: str) -> bool:
    """Whether a file with content is there; a pipe or a device has nothing to lose."""
    path = Path(output)
    return output != "-" and path.is_file() and path.stat().st_size > 0


def _reads_as_run(path: str) -> bool:
    """Whether a file can be read as a run: in JSON whole scores look like grades."""
    try:
        toysearch.read_run(path)
    except toysearch.ToysearchError:
        return False
    return True


def _is_unjudged(path: str) -> bool:
    """Whether no row of a sheet has a relevance."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = iter(file)
        first = next(lines, "")
        rows = csv.DictReader(itertools.chain([first], lines), delimiter="\t" if "\t" in first else ",")
        return "relevance" in (rows.fieldnames or ()) and not any((row["relevance"] or "").strip() for row in rows)


def _in_the_way(output: str, why: str) -> toysearch.StorageError:
    return toysearch.StorageError(f"{output} {why}, and is not replaced; choose another name")
