"""A competition's charts: the teams with their intervals, and the submissions one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from toysearch.course.competition.held_out_queries import HELD_OUT, PARTS, PUBLIC
from toysearch.course.competition.history import CLOSED, Entry
from toysearch.course.competition.leaderboard import Leaderboard
from toysearch.course.competition.standings import best_so_far
from toysearch.formats.text_files import counted
from toysearch.laboratory.reports.charts import DIGITS, GREY, LABELS, WIDTH, Chart, finished, ticks
from toysearch.optional_packages import of_charts

_ALL = "all teams"
_COLOURS = {PUBLIC: "#0072B2", HELD_OUT: "#D55E00"}


class Shown(NamedTuple):
    """What of a competition is shown."""

    board: Leaderboard  # the competition
    part: str  # 'public' | 'held-out': the queries that the ranks are about
    both: bool  # whether means over the held-out queries are shown: once it is closed, or to the organiser
    # whether it is for the organiser, who also sees what was refused and which submissions are the same
    organiser: bool = False


def shown(board: Leaderboard, organiser: bool = False) -> Shown:
    """What is shown of a competition: of the held-out queries nothing until it is closed."""
    return Shown(board, HELD_OUT if board.closed else PUBLIC, board.closed or organiser, organiser)


def team_name(entry: Entry) -> str:
    """How the team of a submission is called in tables and charts."""
    return f"{entry.team} (baseline)" if entry.baseline else entry.team


def mean_of(board: Leaderboard, entry: Entry, part: str) -> float:
    """The mean of a submission over a part of the queries, by the measure that decides."""
    return (entry.public if part == PUBLIC else entry.held_out)[str(board.measure)]


def accepted(board: Leaderboard) -> list[Entry]:
    """The teams' submissions that were not refused, in their order."""
    return [entry for entry in board.history if entry.kind != CLOSED and not entry.refused and not entry.baseline]


def standings_chart(what: Shown) -> Chart:
    """Each team's mean as a point in its interval, with a line between those that do not share a rank."""
    alt = of_charts("altair")

    standings = what.board.standings(what.part)
    data = [{"team": team_name(each.entry), "rank": each.place.rank, **_interval(each.place)} for each in standings]
    order = [row["team"] for row in data]
    axis = alt.Axis(labelLimit=alt.ExprRef(LABELS))
    base = alt.Chart(alt.InlineData(values=data)).encode(
        y=alt.Y("team:N", sort=order, title=None, axis=axis),
        tooltip=["team:N", "rank:Q", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "low", "high"))],
    )
    scale = alt.Scale(zero=False)
    whiskers = base.mark_rule(strokeWidth=2, color=GREY).encode(
        x=alt.X("low:Q", title=str(what.board.measure), scale=scale, axis=ticks()), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=70, opacity=1, color=_COLOURS[what.part]).encode(x="mean:Q")
    firsts = [row for before, row in pairwise(data) if before["rank"] != row["rank"]]
    between = (
        alt.Chart(alt.InlineData(values=firsts))
        .mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=GREY, aria=False)
        .encode(y=alt.Y("team:N", sort=order, bandPosition=0))
    )
    ranked = "; ".join(f"rank {row['rank']}: {row['team']} {row['mean']:.4f}" for row in data)
    return finished(
        alt.layer(between, whiskers, points).properties(width=WIDTH - 160, height=alt.Step(26)),
        f"Points with intervals: the mean {what.board.measure} of {counted(len(data), 'team')}, best first: {ranked}.",
    )


def _interval(place: Any) -> dict[str, float]:
    """A team's mean with its interval; without one where a single query allows none."""
    low, high = (place.low, place.high) if math.isfinite(place.low) else (place.mean, place.mean)
    return {name: round(value, DIGITS) for name, value in (("mean", place.mean), ("low", low), ("high", high))}


def submissions_chart(what: Shown) -> Chart:
    """Every submission with its value, and a line of the best so far; of all teams, or of one from a list."""
    alt = of_charts("altair")

    entries = accepted(what.board)
    teams = list(dict.fromkeys(entry.team for entry in entries))
    parts = PARTS if what.both else (PUBLIC,)
    points = [
        {"of": of, "number": place, "team": entry.team, "part": part, "value": _rounded(what.board, entry, part)}
        for of in (_ALL, *teams)
        for place, entry in enumerate(entries, 1)
        if of in (_ALL, entry.team)
        for part in parts
    ]
    lines = [row for of in (_ALL, *teams) for row in _line(what, entries, of, parts)]
    chosen = alt.param(
        name="chosen", value=_ALL, bind=alt.binding_select(options=[_ALL, *teams], name="Submissions of: ")
    )
    measure = str(what.board.measure)
    whole = alt.ExprRef(f"min({max(1, len(entries) - 1)}, max(2, ceil(width / 80)))")  # no ticks between two numbers
    axis, span = alt.Axis(tickCount=whole, format="d"), [1, max(2, len(entries))]

    def drawn(rows: list[dict[str, Any]]) -> Any:
        return (
            alt.Chart(alt.InlineData(values=rows))
            .transform_filter("datum.of === chosen")
            .encode(
                x=alt.X("number:Q", title="submission", axis=axis, scale=alt.Scale(domain=span)),
                y=alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False)),
                color=alt.Color(
                    "part:N",
                    scale=alt.Scale(domain=list(parts), range=[_COLOURS[part] for part in parts]),
                    legend=alt.Legend(orient="top", title=None),
                ),
            )
        )

    dots = (
        drawn(points)
        .mark_point(filled=True, size=45, opacity=0.6)
        .encode(tooltip=["team:N", "number:Q", "part:N", alt.Tooltip("value:Q", format=".4f")])
    )
    steps = drawn(lines).mark_line(interpolate="step-after", strokeWidth=2)
    return finished(
        alt.layer(steps, dots).add_params(chosen).properties(width=WIDTH - 60, height=300),
        f"{measure} of {counted(len(entries), 'submission')} of {counted(len(teams), 'team')}, on the "
        f"{' and the '.join(parts)} queries, with the best so far.",
    )


def _line(what: Shown, entries: Sequence[Entry], of: str, parts: Sequence[str]) -> list[dict[str, Any]]:
    """The best so far, by the public queries, of all teams or of one."""
    board = what.board
    numbered = [(place, entry) for place, entry in enumerate(entries, 1) if of in (_ALL, entry.team)]
    lower = board.measure.definition.better == "lower"
    best = best_so_far([mean_of(board, entry, PUBLIC) for _, entry in numbered], lower)
    return [
        {"of": of, "number": place, "part": part, "value": _rounded(board, numbered[found][1], part)}
        for (place, _), found in zip(numbered, best, strict=True)
        for part in parts
    ]


def _rounded(board: Leaderboard, entry: Entry, part: str) -> float:
    return round(mean_of(board, entry, part), DIGITS)
