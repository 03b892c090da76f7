"""What else the history says: which submission of its team each is, which were refused, which are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toysearch.course.competition.history import CLOSED, Entry


def own_numbers(history: Iterable[Entry]) -> dict[int, int]:
    """Number of a submission → which of its team's it is, counted from 1; refused ones have none.

    >>> entries = [Entry("text", "", 1, "bm25"), Entry("text", "", 2, "Ada"), Entry("text", "", 3, "Ada", refused="no"),
    ...            Entry("text", "", 4, "Ada")]
    >>> own_numbers(entries)
    {1: 1, 2: 1, 4: 2}
    """
    found: dict[int, int] = {}
    teams: dict[str, int] = {}
    for entry in history:
        if entry.kind != CLOSED and not entry.refused:
            found[entry.number] = teams[entry.team] = teams.get(entry.team, 0) + 1
    return found


def refused_of(history: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Team → its refused submissions; teams whose names differ only in case are one."""
    names: dict[str, str] = {}
    found: dict[str, list[Entry]] = {}
    for entry in sorted((each for each in history if each.kind != CLOSED), key=lambda each: bool(each.refused)):
        name = names.setdefault(entry.team.casefold(), entry.team)  # as it was written where it counts
        if entry.refused:
            found.setdefault(name, []).append(entry)
    return found


def same_as(entry: Entry, history: Iterable[Entry]) -> list[Entry]:
    """What other teams have submitted that is byte for byte the same."""
    return [
        other
        for other in history
        if other.kind == entry.kind != CLOSED and other.checksum == entry.checksum and other.team != entry.team
    ]


def shared_submissions(history: Sequence[Entry]) -> list[list[Entry]]:
    """Submissions of several teams that are byte for byte the same: each group once, the first submission first.

    >>> entries = [Entry("text", "", 1, "Ada", checksum="x"), Entry("text", "", 2, "Ben", checksum="x")]
    >>> [[entry.team for entry in group] for group in shared_submissions(entries)]
    [['Ada', 'Ben']]
    """
    groups: dict[str, list[Entry]] = {}
    for entry in history:
        if same_as(entry, history):
            groups.setdefault(entry.checksum, []).append(entry)
    return list(groups.values())
