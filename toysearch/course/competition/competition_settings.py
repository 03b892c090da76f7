"""The settings of a competition, and its deadline."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from toysearch.base import ArgumentError

FORMAT = 1
"""Of the folder."""


@dataclass(frozen=True)
class CompetitionSettings:
    """The settings of the competition, fixed at its beginning."""

    collection: str  # its name
    measures: tuple[str, ...]  # the first decides
    held_out: float  # the share of the judged queries that are held out
    secret: str  # the seed of the split
    k: int  # the depth of rankings
    alpha: float  # significance level of the corrected p
    threshold: float  # the lowest grade that is relevant
    limit: int | None  # submissions per team
    # seconds, memory: the limits of a model, see `Limits`
    seconds: float
    memory: int
    source: str = ""  # the folder or file that the collection was read from; "" for a named one
    deadline: str = ""  # from then on submissions are refused: ISO 8601 with the offset of its time zone; "" for none
    format: int = FORMAT  # of the folder

    @property
    def shown_deadline(self) -> str:
        """The deadline for people; "" for none.

        >>> deadline = "2026-12-01T18:00+01:00"
        >>> CompetitionSettings("pets", ("AP",), 0.5, "", 10, 0.05, 1, None, 60, 10, deadline=deadline).shown_deadline
        '2026-12-01 18:00 UTC+01:00'
        """
        return f"{datetime.fromisoformat(self.deadline):%Y-%m-%d %H:%M %Z}" if self.deadline else ""


def checked_deadline(typed: str, now: str) -> str:
    """A deadline after now with the offset of its time zone, by default that of this computer.

    >>> checked_deadline("2026-12-01T18:00+01:00", now="2026-11-01T00:00:00+00:00")
    '2026-12-01T18:00:00+01:00'
    """
    try:
        deadline = datetime.fromisoformat(typed)
        deadline = deadline if deadline.tzinfo else deadline.astimezone()
    except (ValueError, OverflowError, OSError):
        raise ArgumentError(f"expected a deadline such as 2026-12-01T18:00, found '{typed}'") from None
    if deadline <= datetime.fromisoformat(now):
        raise ArgumentError(f"the deadline {typed} has passed; choose a later one")
    return deadline.isoformat()
