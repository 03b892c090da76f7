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
    """What was decided when the competition began."""

    collection: str  # its name
    measures: tuple[str, ...]  # the first decides
    held_out: float  # the share of the judged queries that are held out
    secret: str  # what they are drawn from
    k: int  # how deep a ranking counts
    alpha: float  # from which p down two teams are told apart
    threshold: float  # the lowest grade that is relevant
    limit: int | None  # how many submissions a team has
    # seconds, memory: what a model may use: see `Limits`
    seconds: float
    memory: int
    source: str = ""  # the folder or file that the collection was read from; "" for a named one
    format: int = FORMAT  # of the folder


@contextlib.contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A folder, for its owner alone, that is there when all of it has been written, and never before."""
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
