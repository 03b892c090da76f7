"""A competition as the page shows it: its folder, who may submit and who may see all, and its tables."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from toysearch.base import ArgumentError
from toysearch.course.competition.history import HistoryLine
from toysearch.course.competition.leaderboard import HISTORY, KEYS, SETTINGS, Leaderboard, checked_name
from toysearch.course.competition.leaderboard_page import Standings, result_text, visible_part
from toysearch.course.competition.submission_queue import SubmissionQueue
from toysearch.formats import numbered_lines
from toysearch.page.guard import new_token
from toysearch.page.judging import judge_keys

Made = TypeVar("Made")


class ServedCompetition:
    """A competition that is open on the page, with the teams that may submit to it; at the end it is closed."""

    # name: in addresses. typed: the name in the heading, which is the last part of the path; the rest is private.
    # teams: the secret of each team. organiser: that of the person who may see the held-out scores; it is never kept.

    def __init__(self, name: str, folder: str, teams: Sequence[str] = ()) -> None:
        self.name, self.typed = name, Path(folder).resolve().name
        self.board = Leaderboard(folder)
        names = [checked_name(team) for team in teams]
        baselines = {team.casefold() for team, entries in self.board.counted.items() if entries[0].baseline}
        for place, team in enumerate(names):
            if team.casefold() in baselines:
                raise ArgumentError(f"'{team}' is the name of a baseline; choose another name for the team")
            if team.casefold() in {other.casefold() for other in names[:place]}:
                raise ArgumentError(f"two teams are called '{team}'; choose another name for one")
        self.teams = judge_keys(self.board.folder / KEYS, names) if names else {}
        self.organiser = new_token()
        self.queue = SubmissionQueue(self.board)
        self.close = self.queue.close
        self._made: dict[tuple[bool, Callable[[Standings], Any]], tuple[tuple[int, int], Any]] = {}
        self._making = threading.Lock()

    def shown(self, organiser: bool, make: Callable[[Standings], Made]) -> Made:
        """What is made of the part that everybody, or the organiser, may see; made anew if the history has grown."""
        with self._making:
            version = self._version()
            cached = self._made.get((organiser, make))
            if cached is None or cached[0] != version:
                cached = version, make(visible_part(self.board, organiser))
                self._made[organiser, make] = cached
            return cast("Made", cached[1])

    def _version(self) -> tuple[int, int]:
        """Size and time of the history file, which change with each line."""
        try:
            status = (self.board.folder / HISTORY).stat()
        except FileNotFoundError:
            return 0, 0
        return status.st_size, status.st_mtime_ns

    def checked_team(self, name: str, key: str) -> str:
        """The name of a team that may submit by this key; another one is refused in a sentence."""
        secret = self.teams.get(name)
        if secret is None or not secrets.compare_digest(secret.encode(), key.encode()):
            raise ArgumentError(
                f"this address does not let '{name[:80]}' submit; open the link that `toysearch serve` printed"
            )
        return name

    def check_organiser(self, key: str) -> None:
        """Refuse anybody who is not the organiser."""
        if not secrets.compare_digest(self.organiser.encode(), key.encode()):
            raise ArgumentError(
                "this address does not show held-out scores; open the link that `toysearch serve` printed"
            )

    def result(self, entry: HistoryLine) -> str:
        """The result of an accepted submission, as the command gives it."""
        return "; ".join(result_text(self.board, entry, self.board.standings("public")))


def named_teams(typed: str | None) -> list[str]:
    """The names of teams: between commas, or one per line of a file; none without a text.

    >>> named_teams("ada,ben")
    ['ada', 'ben']
    """
    names = typed.split(",") if typed is not None else []
    if len(names) == 1 and Path(names[0]).is_file():
        return [line for _, line in numbered_lines(names[0]) if line.strip()]
    return names


def is_competition(typed: str) -> bool:
    """Whether a name stands for the folder of a competition."""
    return (Path(typed) / SETTINGS).is_file()
