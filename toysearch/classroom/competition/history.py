"""History of a competition: one line per submission, in a file that only grows."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from toysearch.base import groups_of, lock_folder, malformed
from toysearch.files import AppendLog
from toysearch.files.event_log import logged

CLOSED = "closed"
"""Kind of the entry that closes the competition."""

PUBLIC: str = "public"
HELD_OUT: str = "held-out"
PARTS = (PUBLIC, HELD_OUT)
"""Parts of the judged queries."""

_EXPECTED = "a line that `toysearch leaderboard submit` wrote; restore the line"


@dataclass(frozen=True)
class HistoryLine:
    """Line of the history."""

    kind: str  # ``file`` (a model in a Python file), ``text`` (a model's text), ``run``, or ``closed``
    time: str  # UTC, in ISO 8601
    number: int = 0  # of the submission, counted from 1
    team: str = ""
    baseline: bool = False  # whether it is a baseline of the organiser
    sent: str = ""  # the text of the model, or the name of the file
    checksum: str = ""  # SHA-256 of the submission
    refused: str = ""  # the reason for a refusal; "" if accepted
    # public, held_out: measure → mean over the queries of that part
    public: dict[str, float] = field(default_factory=dict)
    held_out: dict[str, float] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """True if it is a submission that was not refused."""
        return self.kind != CLOSED and not self.refused

    def means(self, part: str) -> dict[str, float]:
        """Return measure → mean over the queries of a part."""
        return self.public if part == PUBLIC else self.held_out


def now() -> str:
    """Return the time in seconds, UTC, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of this folder, after waiting for other holders."""
    descriptor = lock_folder(folder, wait=True)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def append(path: Path, entry: HistoryLine) -> None:
    """Add an entry to the history."""
    with contextlib.closing(AppendLog(path, private=True)) as log:
        log.append(asdict(entry))


def read_history(path: Path) -> list[HistoryLine]:
    """Read all entries, in order; a line truncated by a crash never counted and is left out."""
    if not path.exists():
        return []
    entries = []
    for number, fields in logged(path, _EXPECTED):
        try:
            entries.append(HistoryLine(**fields))
        except TypeError:
            raise malformed(path, number, f"expected {_EXPECTED}") from None
    return entries


def own_numbers(history: Iterable[HistoryLine]) -> dict[int, int]:
    """Return number of a submission → its number within its team, from 1; refused ones have none.

    >>> entries = [HistoryLine("text", "", 1, "bm25"), HistoryLine("text", "", 2, "Ada")]
    >>> entries += [HistoryLine("text", "", 3, "Ada", refused="no"), HistoryLine("text", "", 4, "Ada")]
    >>> own_numbers(entries)
    {1: 1, 2: 1, 4: 2}
    """
    numbers: dict[int, int] = {}
    teams: dict[str, int] = {}
    for entry in history:
        if entry.accepted:
            numbers[entry.number] = teams[entry.team] = teams.get(entry.team, 0) + 1
    return numbers


def refused_of(history: Iterable[HistoryLine]) -> dict[str, list[HistoryLine]]:
    """Return team → its refused submissions; teams whose names differ only in case are one."""
    names: dict[str, str] = {}
    refused: dict[str, list[HistoryLine]] = {}
    for entry in sorted((line for line in history if line.kind != CLOSED), key=lambda line: bool(line.refused)):
        name = names.setdefault(entry.team.casefold(), entry.team)  # as first written
        if entry.refused:
            refused.setdefault(name, []).append(entry)
    return refused


def same_as(entry: HistoryLine, history: Iterable[HistoryLine]) -> list[HistoryLine]:
    """Return the submissions of other teams that are byte for byte identical."""
    return [
        other
        for other in history
        if other.kind == entry.kind != CLOSED and other.checksum == entry.checksum and other.team != entry.team
    ]


def shared_submissions(history: Sequence[HistoryLine]) -> list[list[HistoryLine]]:
    """Group byte-for-byte identical submissions of several teams, in the order of their first submissions.

    >>> entries = [HistoryLine("text", "", 1, "Ada", checksum="x"), HistoryLine("text", "", 2, "Ben", checksum="x")]
    >>> [[entry.team for entry in group] for group in shared_submissions(entries)]
    [['Ada', 'Ben']]
    """
    return list(groups_of((entry.checksum, entry) for entry in history if same_as(entry, history)).values())
