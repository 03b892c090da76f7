"""The views of a competition: the table that everybody may see, and the one with the held-out scores."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from toysearch.course.competition.leaderboard_page import Standings
from toysearch.course.competition.standings import Place
from toysearch.laboratory import table_of
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.served_competition import ServedCompetition

_SHOW = ("toysearch", "leaderboard", "show")
_PATIENCE = 5000  # milliseconds between two looks of a page at the table


class Whisker(NamedTuple):
    """The interval of a team in the drawing, in percent of its width."""

    low: float
    mean: float
    high: float


def leaderboard(source: ServedCompetition, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The table: while the competition is open that of the public queries, then that of the held-out ones."""
    pairs = {}
    if asked.get("team"):
        pairs = {"team": source.checked_team(asked["team"], asked.get("key", "")), "key": asked.get("key", "")}
    return _table(source, False, "leaderboard", pairs)


def held_out(source: ServedCompetition, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The table with both scores, and why submissions were refused: only for the organiser."""
    source.check_organiser(asked.get("key", ""))
    return _table(source, True, "held-out", {"key": source.organiser})


def _table(source: ServedCompetition, organiser: bool, view: str, pairs: Mapping[str, str]) -> Reply:
    """The table for everybody or for the organiser; the links of its page keep the team."""
    data, form = source.shown(organiser, _board)
    links = {"kept": f"?{urlencode(pairs)}" if "team" in pairs else ""}
    title = f"Leaderboard of {data['collection']}" + (" with held-out scores" if organiser else "")
    address = f"/{source.name}/{view}" + (f"?{urlencode(pairs)}" if pairs else "")
    return Reply("standings.html", title, {"source": source.typed} | data, form | links, address)


def _board(what: Standings) -> tuple[dict[str, Any], dict[str, Any]]:
    """A competition as data, and its table with intervals drawn, which only the page needs."""
    table = what.tables()[0]
    data: dict[str, Any] = {
        **what.data(),
        "lead": what.lead,
        "verdict": what.verdict,
        "legend": what.legend,
        "overfitting": what.overfitting,
        "notes": what.sentences(),
        "command": shlex.join([*_SHOW, str(what.board.folder), "--organiser"]) if what.organiser else None,
    }
    ranks = [row[0] for row in table.rows]
    drawn = whiskers([standing.place for standing in what.teams])
    form = {
        "table": table_of(table, row_header=1, ruled={n for n in range(1, len(ranks)) if ranks[n] != ranks[n - 1]}),
        "whiskers": [*drawn, *[None] * (len(ranks) - len(drawn))],
        "plot": what.plot,
        "patience": None if what.board.closed else _PATIENCE,
    }
    return data, form


def whiskers(places: Sequence[Place]) -> list[Whisker]:
    """The intervals of teams, placed between the lowest and the highest end of all.

    >>> whiskers([Place(1, False, 0, 0.5, 0.4, 0.6, 0, 1), Place(2, False, 1, 0.3, 0.2, 0.4, 0, 1)])
    [Whisker(low=50.0, mean=75.0, high=100.0), Whisker(low=0.0, mean=25.0, high=50.0)]
    """
    rows = [[p.low, p.mean, p.high] if math.isfinite(p.low) else [p.mean] * 3 for p in places]
    least, most = min((row[0] for row in rows), default=0.0), max((row[2] for row in rows), default=0.0)
    width = most - least or 1.0
    return [Whisker(*(round(100 * (value - least) / width, 2) for value in row)) for row in rows]
