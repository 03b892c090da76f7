"""What may be written over: what a command has written itself, never what the user has made."""

from __future__ import annotations

import csv
import io
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
    from toysearch.formats.recognised import form_of

    if _holds_something(output):
        form = form_of(output)
        if form.kind != "run" and not form.either:  # whole scores in JSON look like grades
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


def _is_unjudged(path: str) -> bool:
    """Whether no row of a sheet has a relevance."""
    from toysearch.formats.lines import open_bytes

    with open_bytes(path) as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="").read()
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    return "relevance" in (rows.fieldnames or ()) and not any((row["relevance"] or "").strip() for row in rows)


def _in_the_way(output: str, why: str) -> toysearch.StorageError:
    return toysearch.StorageError(f"{output} {why}, and is not replaced; choose another name")
