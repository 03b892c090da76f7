"""The view of a team: what it submits, how far its submission is, and how all its submissions did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from toysearch.base import ArgumentError, DataError, unknown
from toysearch.course.competition.history import CLOSED, own_numbers
from toysearch.course.competition.submission import Sent, sent_model_file, sent_run, sent_text
from toysearch.page.comparison_request import FILE_NAME
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.served_competition import ServedCompetition

_LONGEST_MODEL = 2000  # characters of the text of a model
_LONGEST_NAME = 100  # characters of the name of a file
_PATIENCE = 1000  # milliseconds between two looks at a submission that waits
_PASTED = {"run": "pasted.run", "python": "pasted.py"}
"""What a pasted text may be, and the name of its file."""


def submit(source: ServedCompetition, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The form and the submissions of a team; without a team, how to get there."""
    if not asked.get("team"):
        data = {"source": source.typed, "taken": bool(source.teams), "notes": []}
        return Reply("submit_welcome.html", f"Submit to {source.typed}", data, {}, f"/{source.name}/submit")
    return _of_team(source, source.checked_team(asked["team"], asked.get("key", "")))


def send(source: ServedCompetition, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Put a submission of a team into the queue; when this returns, it is on the disk."""
    team = source.checked_team(asked.get("team", ""), asked.get("key", ""))
    source.queue.add(team, _submission(asked))
    return _of_team(source, team)


def _submission(asked: Mapping[str, str]) -> Sent:
    """The submission in a form: the text of a model, a file, or a pasted text; nothing of it is executed or opened."""
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
        if kind not in _PASTED:
            raise unknown("kind of text", kind, _PASTED, "kinds")
        return _of_file(_PASTED[kind], asked["pasted"].replace("\r\n", "\n").encode(), asked)
    if "file" + FILE_NAME not in asked:
        raise ArgumentError("the field `file` must hold a file (multipart/form-data), such as `curl -F file=@my.run`")
    return _of_file(asked["file" + FILE_NAME], asked["file"].encode("latin-1"), asked)


def _of_file(name: str, data: bytes, asked: Mapping[str, str]) -> Sent:
    """A file as a submission: a model if its name ends in .py, else a run."""
    bare = re.sub(r"[^\w.-]", "_", re.split(r"[\\/]", name)[-1])[-_LONGEST_NAME:].lstrip(".") or "file"
    if not bare.endswith(".py"):
        try:
            return sent_run(bare, data)
        except DataError as error:  # such as a packed run, which is no damage of ours
            raise ArgumentError(str(error)) from None
    function = asked.get("function", "").strip()
    return sent_model_file(bare, f":{function}" if function else "", data)


def _of_team(source: ServedCompetition, team: str) -> Reply:
    """The submissions of a team, the progress of the last one, and the form for the next."""
    board, settings = source.board, source.board.settings
    history = [line for line in board.history if line.kind != CLOSED and line.team.casefold() == team.casefold()]
    accepted, progress = [line for line in history if not line.refused], source.queue.progress(team)
    best = board.best(accepted).number if accepted else 0
    numbers, closed = own_numbers(source.board.history), source.board.closed
    result = None  # how the last submission ended, in the sentences of the command
    if progress is None and (refused := source.queue.refusal(team) or (history[-1].refused if history else "")):
        result = {"accepted": False, "text": refused}
    elif progress is None and history:
        result = {"accepted": True, "text": source.result(history[-1])}
    data: dict[str, Any] = {
        "source": source.typed,
        "team": team,
        "collection": settings.collection,
        "measures": settings.measures,
        "closed": board.closed,
        "over": board.over,
        "deadline": settings.deadline or None,
        "limit": settings.limit,
        "left": None if settings.limit is None else max(0, settings.limit - len(accepted)),
        "seconds": settings.seconds,
        "waiting": None
        if progress is None
        else {
            "sent": progress.turn.what,
            "time": progress.turn.time,
            "before": progress.before,
            "seconds": progress.seconds,
        },
        "result": result,
        "submissions": [
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
        ],
        "notes": [],
    }
    pairs = {"team": team, "key": source.teams[team]}
    query = f"?{urlencode(pairs)}"
    form = {
        "key": pairs["key"],
        "kept": query,
        "patience": _PATIENCE if progress else None,
        "measure": str(board.measure),
        "longest": _LONGEST_MODEL,
        "until": settings.shown_deadline,
    }
    return Reply("submit.html", f"Submissions of {team} to {source.typed}", data, form, f"/{source.name}/submit{query}")
