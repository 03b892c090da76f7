"""What was decided when a competition began, and what its folder holds."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toysearch.errors import StorageError

FORMAT = 1
"""Of the folder."""

SETTINGS, HISTORY, QUERIES = "board.json", "history.jsonl", "queries.json"
INDEX, JUDGMENTS = "index", "judgments"
SENT = "submissions"
"""The folder with a folder for each submission."""

VALUES = "values.json"
"""In a submission's folder: what it is worth, query by query."""


@dataclass(frozen=True)
class Settings:
    """What was decided when the competition began.

    Attributes
    ----------
    collection : str
        Its name.
    measures : tuple of str
        The first decides.
    held_out : float
        The share of the judged queries that are held out.
    secret : str
        What they are drawn from.
    k : int
        How deep a ranking counts.
    alpha : float
        From which p down two teams are told apart.
    threshold : float
        The lowest grade that is relevant.
    limit : int or None
        How many submissions a team has.
    seconds, memory
        What a model may use: see `Limits`.
    source : str
        The folder or file that the collection was read from; "" for a named one.
    format : int
        Of the folder.
    """

    collection: str
    measures: tuple[str, ...]
    held_out: float
    secret: str
    k: int
    alpha: float
    threshold: float
    limit: int | None
    seconds: float
    memory: int
    source: str = ""
    format: int = FORMAT


@contextlib.contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A folder, for its owner alone, that is there when all of it has been written, and never before.

    Parameters
    ----------
    target : Path
        Where it is to be.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    parent = target.absolute().parent
    if not parent.is_dir():
        raise StorageError(f"'{target}': there is no folder '{parent}'; make it, or choose another")
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=parent))  # which only its owner can read
        try:
            yield made
            os.rename(made, target)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
