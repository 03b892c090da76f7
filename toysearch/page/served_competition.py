"""Competition as the page shows it: its folder, who may submit and who may see all, and its tables."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from toysearch.base import ArgumentError, DataError, expect_name, typed_line
from toysearch.classroom.competition.history import CLOSED, PUBLIC, own_numbers
from toysearch.classroom.competition.leaderboard import HISTORY, KEYS, SETTINGS, Leaderboard, Place, checked_name
from toysearch.classroom.competition.leaderboard_page import Standings, result_text, visible_part
from toysearch.classroom.competition.submission import Sent, sent_model_file, sent_run, sent_text
from toysearch.classroom.competition.submission_queue import SubmissionQueue
from toysearch.files import numbered_lines
from toysearch.page.access import equal_secrets, new_token
from toysearch.page.judging_rules import judge_keys
from toysearch.page.model_picker import Asked, Data, Models
from toysearch.page.reply import FILE_NAME, Reply, address_of
from toysearch.page.served_source import state_of
from toysearch.workbench.report.system_report import table_of


class ServedCompetition:
    """Competition that is open on the page, with the teams that may submit to it; at the end it is closed."""

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
        self.class_link = ""  # the address by which a class may read
        self.queue = SubmissionQueue(self.board)
        self.close = self.queue.close
        self._made: dict[bool, tuple[tuple[int, ...], tuple[Data, Data]]] = {}  # by whether it is for the organiser
        self._making = threading.Lock()

    def shown(self, organiser: bool) -> tuple[Data, Data]:
        """Return the table that is visible, and what its page needs; both are made anew if the history has grown."""
        with self._making:
            version = state_of(self.board.folder / HISTORY)
            if organiser not in self._made or self._made[organiser][0] != version:
                self._made[organiser] = version, _board(visible_part(self.board, organiser))
            return self._made[organiser][1]

    def checked_team(self, asked: Asked) -> str:
        """Return the name of a team that may submit by its key; refuse another one in a sentence."""
        name, key = asked.get("team", ""), asked.get("key", "")
        secret = self.teams.get(name)
        if secret is None or not equal_secrets(secret, key):
            raise ArgumentError(
                f"this address does not let '{name[:80]}' submit; open the link that `toysearch serve` printed"
            )
        return name


def named_teams(typed: str | None) -> list[str]:
    """Read the names of teams: between commas, or one per line of a file; none without a text.

    >>> named_teams("ada,ben")
    ['ada', 'ben']
    """
    names = typed.split(",") if typed is not None else []
    if len(names) == 1 and Path(names[0]).is_file():
        return [line for _, line in numbered_lines(names[0]) if line.strip()]
    return names


def is_competition(typed: str) -> bool:
    """True if a name stands for the folder of a competition."""
    return (Path(typed) / SETTINGS).is_file()


_SHOW = ("toysearch", "leaderboard", "show")
_PATIENCE = 5000  # milliseconds between two looks of a page at the table


class Whisker(NamedTuple):
    """Interval of a team in the drawing, in percent of its width."""

    low: float
    mean: float
    high: float


def leaderboard(source: ServedCompetition, models: Models, asked: Asked) -> Reply:
    """Show the table: while the competition is open that of the public queries, then that of the held-out ones."""
    pairs = {}
    if asked.get("team"):
        pairs = {"team": source.checked_team(asked), "key": asked.get("key", "")}
    return _table(source, False, "leaderboard", pairs)


def held_out(source: ServedCompetition, models: Models, asked: Asked) -> Reply:
    """Show the table with both scores, and why submissions were refused: only for the organiser."""
    if not equal_secrets(source.organiser, asked.get("key", "")):
        raise ArgumentError("this address does not show held-out scores; open the link that `toysearch serve` printed")
    return _table(source, True, "held-out", {"key": source.organiser})


def _table(source: ServedCompetition, organiser: bool, view: str, pairs: Mapping[str, str]) -> Reply:
    """Show the table for everybody or for the organiser; the links of its page keep the team."""
    data, form = source.shown(organiser)
    links = {"kept": f"?{urlencode(pairs)}" if "team" in pairs else ""}
    title = f"Leaderboard of {data['collection']}" + (" with held-out scores" if organiser else "")
    return Reply(
        "standings.html", title, {"source": source.typed} | data, form | links, address_of(source, view, **pairs)
    )


def _board(what: Standings) -> tuple[Data, Data]:
    table = what.tables()[0]
    data = {
        **what.data(),
        **what.words(),
        "command": typed_line(*_SHOW, str(what.board.folder), "--organiser") if what.organiser else None,
    }
    drawn = whiskers([standing.place for standing in what.teams])
    form = {
        "table": table_of(table, row_header=1, ruled=what.ruled),
        "whiskers": [*drawn, *[None] * len(what.without)],
        "measure": str(what.board.measure),
        "patience": None if what.board.closed else _PATIENCE,
    }
    return data, form


def whiskers(places: Sequence[Place]) -> list[Whisker]:
    """Place the intervals of teams between the lowest and the highest end of all.

    >>> whiskers([Place(1, False, 0, 0.5, 0.4, 0.6, 0, 1), Place(2, False, 1, 0.3, 0.2, 0.4, 0, 1)])
    [Whisker(low=50.0, mean=75.0, high=100.0), Whisker(low=0.0, mean=25.0, high=50.0)]
    """
    rows = [[p.low, p.mean, p.high] if math.isfinite(p.low) else [p.mean] * 3 for p in places]
    least, most = min((row[0] for row in rows), default=0.0), max((row[2] for row in rows), default=0.0)
    width = most - least or 1.0
    return [Whisker(*(round(100 * (value - least) / width, 2) for value in row)) for row in rows]


_LONGEST_MODEL = 2000  # characters of the text of a model
_LONGEST_NAME = 100  # characters of the name of a file
_PATIENCE_OF_TEAM = 1000  # milliseconds between two looks at a submission that waits
_PASTED = {"run": "pasted.run", "python": "pasted.py"}
"""Kinds of a pasted text, with the names of their files."""


def submit(source: ServedCompetition, models: Models, asked: Asked) -> Reply:
    """Show the form and the submissions of a team; without a team, how to get there."""
    if not asked.get("team"):
        data = {"source": source.typed, "taken": bool(source.teams), "notes": []}
        return Reply("submit_welcome.html", f"Submit to {source.typed}", data, {}, f"/{source.name}/submit")
    return _of_team(source, source.checked_team(asked))


def send(source: ServedCompetition, models: Models, asked: Asked) -> Reply:
    """Put a submission of a team into the queue; when this returns, it is on the disk."""
    team = source.checked_team(asked)
    source.queue.add(team, _submission(asked))
    return _of_team(source, team)


def _submission(asked: Asked) -> Sent:
    """Read the submission in a form: a model's text, a file, or a pasted text; nothing is executed or opened."""
    filled = [name for name in ("model", "file", "pasted") if asked.get(name, "").strip()]
    if len(filled) != 1:
        fields = " and ".join(filled) or "nothing"
        raise ArgumentError(f"send one of these: the text of a model, a file, or a pasted text; found {fields}")
    if filled == ["model"]:
        text = asked["model"].strip()
        if len(text) > _LONGEST_MODEL:
            raise ArgumentError(f"the text of a model has at most {_LONGEST_MODEL:,} characters, not {len(text):,}")
        return sent_text(text)
    if filled == ["pasted"]:
        kind = asked.get("pasted_as", "run")
        expect_name("kind of text", kind, _PASTED, "kinds")
        return _of_file(_PASTED[kind], asked["pasted"].replace("\r\n", "\n").encode(), asked)
    if "file" + FILE_NAME not in asked:
        raise ArgumentError("the field `file` must hold a file (multipart/form-data), such as `curl -F file=@my.run`")
    return _of_file(asked["file" + FILE_NAME], asked["file"].encode("latin-1"), asked)


def _of_file(name: str, data: bytes, asked: Asked) -> Sent:
    """Read a file as a submission: a model if its name ends in .py, else a run."""
    bare = re.sub(r"[^\w.-]", "_", re.split(r"[\\/]", name)[-1])[-_LONGEST_NAME:].lstrip(".") or "file"
    if not bare.endswith(".py"):
        try:
            return sent_run(bare, data)
        except DataError as error:  # such as a packed run, which is no damage of ours
            raise ArgumentError(str(error)) from None
    function = asked.get("function", "").strip()
    return sent_model_file(bare, f":{function}" if function else "", data)


def _of_team(source: ServedCompetition, team: str) -> Reply:
    board, settings = source.board, source.board.settings
    history = [line for line in board.history if line.kind != CLOSED and line.team.casefold() == team.casefold()]
    accepted, progress = [line for line in history if not line.refused], source.queue.progress(team)
    best = board.best(accepted).number if accepted else 0
    numbers, closed = own_numbers(source.board.history), source.board.closed
    result = None  # how the last submission ended, in the sentences of the command
    if progress is None and (refused := source.queue.refusal(team) or (history[-1].refused if history else "")):
        result = {"accepted": False, "text": refused}
    elif progress is None and history:
        result = {"accepted": True, "text": "; ".join(result_text(board, history[-1], board.standings("public")))}
    waiting = None
    if progress is not None:
        turn = progress.turn
        waiting = {"sent": turn.what, "time": turn.time, "before": progress.before, "seconds": progress.seconds}
    submissions = [
        {
            "of_team": numbers.get(line.number),
            "time": line.time,
            "kind": line.kind,
            "sent": line.sent,
            "public": line.public,
            **({"held_out": line.held_out} if closed else {}),
            "counts": line.number == best,
            "refused": line.refused,
        }
        for line in reversed(history)
    ]
    data = {
        "source": source.typed,
        "team": team,
        "collection": settings.collection,
        "measures": settings.measures,
        "closed": board.closed,
        "over": board.over,
        "until": settings.until or None,
        "limit": settings.limit,
        "queries": sum(board.queries.values()),
        "public": board.queries[PUBLIC],
        "documents": len(board.doc_ids),
        "k": settings.k,
        "memory": settings.memory,
        "left": None if settings.limit is None else max(0, settings.limit - len(accepted)),
        "seconds": settings.seconds,
        "waiting": waiting,
        "result": result,
        "submissions": submissions,
        "notes": [],
    }
    pairs = {"team": team, "key": source.teams[team]}
    query = f"?{urlencode(pairs)}"
    form = {
        "key": pairs["key"],
        "kept": query,
        "patience": _PATIENCE_OF_TEAM if progress else None,
        "measure": str(board.measure),
        "longest": _LONGEST_MODEL,
        "until": settings.shown_until,
        "sample": board.sample,
    }
    return Reply("submit.html", f"Submissions of {team} to {source.typed}", data, form, f"/{source.name}/submit{query}")
