"""What was submitted, when, and what became of it: a file that only grows, by whole lines of JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toysearch.errors import StorageError, malformed

CLOSED = "closed"
"""What stands in the place of a submission's kind when the competition is closed."""


@dataclass(frozen=True)
class Entry:
    """A line of the history."""

    kind: str  # ``file`` (a model in a Python file), ``text`` (a model's text), ``run``, or ``closed``
    time: str  # when, UTC, as ISO 8601 has it
    number: int = 0  # the submission's, counted from 1
    team: str = ""  # whose
    baseline: bool = False  # whether it is one of the organiser's
    sent: str = ""  # the model's text, or the name of the file
    checksum: str = ""  # SHA-256 of what was sent
    refused: str = ""  # why it does not count; "" where it does
    # public, held_out: measure → mean over the queries of that part
    public: dict[str, float] = field(default_factory=dict)
    held_out: dict[str, float] = field(default_factory=dict)


def append_line(path: Path, line: Mapping[str, Any]) -> None:
    """Add a line to the file, at once: it is there as a whole or does not count."""
    data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    try:
        with open(path, "ab+", buffering=0, opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            if file.tell() and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
                data = b"\n" + data  # what was left of a line by a crash stays one of its own
            file.write(data)
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}") from error


def now() -> str:
    """The time in seconds, UTC, as ISO 8601 has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While nobody else takes the lock of this folder; waits for whoever has it."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # no locks here
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def append(path: Path, entry: Entry) -> None:
    """Add an entry to the history."""
    append_line(path, asdict(entry))


def read_history(path: Path) -> list[Entry]:
    """All entries, in their order. A line that a crash cut short, which never counted, is passed over."""
    if not path.exists():
        return []
    entries = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        try:
            entries.append(Entry(**found))
        except TypeError:
            problem = "expected a line that `toysearch leaderboard submit` wrote; put the line back as it was"
            raise malformed(path, number, problem) from None
    return entries
