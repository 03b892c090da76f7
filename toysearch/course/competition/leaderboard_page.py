"""The table and charts of a competition: as text, as data and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import Column, ResultTable, counted, listed, of_charts, one_line
from toysearch.course.competition.history import CLOSED, HistoryLine, own_numbers, refused_of, shared_submissions
from toysearch.course.competition.leaderboard import HELD_OUT, PARTS, PUBLIC, Leaderboard
from toysearch.course.competition.standings import Place, TeamStanding, best_so_far
from toysearch.laboratory import (
    DIGITS,
    GREY,
    LABELS,
    WIDTH,
    Chart,
    Figure,
    finished,
    p_text,
    page_of,
    table_of,
    text_plot,
    ticks,
    write_whole,
)

_ALL = "all teams"
_COLOURS = {PUBLIC: "#0072B2", HELD_OUT: "#D55E00"}


class Shown(NamedTuple):
    """The visible part of a competition."""

    board: Leaderboard  # the competition
    part: str  # 'public' | 'held-out': the queries of the ranks
    both: bool  # whether means over the held-out queries are shown: after closing, or to the organiser
    # whether it is for the organiser, who also sees refused and identical submissions
    organiser: bool = False


def visible_part(board: Leaderboard, organiser: bool = False) -> Shown:
    """The visible part of a competition, without the held-out queries until it is closed."""
    return Shown(board, HELD_OUT if board.closed else PUBLIC, board.closed or organiser, organiser)


def team_name(entry: HistoryLine) -> str:
    """The name of the team of a submission in tables and charts."""
    return f"{entry.team} (baseline)" if entry.baseline else entry.team


def deciding_mean(board: Leaderboard, entry: HistoryLine, part: str) -> float:
    """The mean of a submission over a part of the queries, by the deciding measure."""
    return (entry.public if part == PUBLIC else entry.held_out)[str(board.measure)]


def accepted(board: Leaderboard) -> list[HistoryLine]:
    """The accepted submissions of the teams, in order."""
    return [entry for entry in board.history if entry.kind != CLOSED and not entry.refused and not entry.baseline]


def standings_chart(what: Shown) -> Chart:
    """The mean of each team as a point in its interval, with lines between different ranks."""
    alt = of_charts("altair")

    standings = what.board.standings(what.part)
    data = [
        {"team": team_name(standing.entry), "rank": standing.place.rank, **_interval(standing.place)}
        for standing in standings
    ]
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
    """The mean of a team with its interval, unless a single query allows none."""
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


def _line(what: Shown, entries: Sequence[HistoryLine], of: str, parts: Sequence[str]) -> list[dict[str, Any]]:
    """The best so far, by the public queries, of all teams or of one."""
    board = what.board
    numbered = [(place, entry) for place, entry in enumerate(entries, 1) if of in (_ALL, entry.team)]
    lower = board.measure.definition.better == "lower"
    best = best_so_far([deciding_mean(board, entry, PUBLIC) for _, entry in numbered], lower)
    return [
        {"of": of, "number": place, "part": part, "value": _rounded(board, numbered[index][1], part)}
        for (place, _), index in zip(numbered, best, strict=True)
        for part in parts
    ]


def _rounded(board: Leaderboard, entry: HistoryLine, part: str) -> float:
    return round(deciding_mean(board, entry, part), DIGITS)


def board_table(what: Shown, exact: bool = False) -> ResultTable:
    """One row per team, best first; teams without an accepted submission last."""
    board = what.board
    level = f"{100 * (1 - board.settings.alpha):g} % interval"
    refused = refused_of(board.history)
    columns = [
        Column("rank"),
        Column("team", wrap=True),
        Column(what.part, "", "right", ".4f"),
        *([Column("low"), Column("high")] if exact else [Column("interval", level, "right")]),
        Column("behind", "", "right"),
        Column("p", "", "right"),
    ]
    other = next(part for part in PARTS if part != what.part)
    columns += [Column(other, "", "right", ".4f")] if what.both else []
    columns += [Column("submissions", "sent", "right"), Column("refused", "", "right")]
    rows: list[list[Any]] = []
    for standing in board.standings(what.part):
        place, entry = standing.place, standing.entry
        rows.append(
            [
                f"{place.rank}{'=' if place.shared else ''}",
                team_name(entry),
                place.mean,
                *(_numbers(place) if exact else _texts(place)),
                *([deciding_mean(board, entry, other)] if what.both else []),
                standing.submissions,
                len(refused.get(entry.team, ())),
            ]
        )
    without = [team for team in refused if team not in board.counted]
    blank = [None] * 5 if exact else [None, "", "", ""]  # from the mean to p
    rows += [["–", team, *blank, *([None] * what.both), 0, len(refused[team])] for team in without]
    return ResultTable(columns, rows)


def _numbers(place: Place) -> list[float | None]:
    """The interval, the distance to the first and its p; blank for an undefined interval."""
    ends = [end if math.isfinite(end) else None for end in (place.low, place.high)]
    return [*ends, place.behind, place.p]


def _texts(place: Place) -> list[str]:
    """The same for people; for the first team only the interval."""
    interval = f"{place.low:.4f}–{place.high:.4f}" if math.isfinite(place.low) else "unbounded"
    if place.behind == 0 and place.p == 1:
        return [interval, "", ""]
    return [interval, f"{place.behind:.4f}", p_text(place.p)]


def board_verdict(what: Shown) -> str:
    """A sentence about the leader and the teams that share its rank; "" before the first submission."""
    standings = what.board.standings(what.part)
    if not standings:
        return ""
    first, *others = standings
    alike = [team_name(other.entry) for other in others if other.place.rank == first.place.rank]
    lead = f"{team_name(first.entry)} leads with {what.board.measure} {first.place.mean:.4f}"
    if not others:
        return f"{lead}."
    if alike:
        return f"{lead}; {listed(alike)} may be as good, and share rank 1."
    return f"{lead}, and can be distinguished from all others."


def board_notes(what: Shown) -> list[str]:
    """Notes on the power of the board; for the organiser also on refused and identical submissions."""
    board = what.board
    notes = []
    least = board.distinguishable(what.part)
    if math.isfinite(least):
        queries = counted(board.queries[what.part], "query", "queries")
        notes.append(
            f"Power of this board: with {queries} and {counted(len(board.counted), 'team')} (with baselines) "
            f"it detects a difference of {least:.4f} four times out of five. Teams with smaller differences mostly "
            "share a rank."
        )
    if what.organiser:
        numbers = own_numbers(board.history)
        for group in shared_submissions(board.history):
            first = {entry.team: numbers.get(entry.number, "refused") for entry in reversed(group)}
            teams = [f"{team} ({number})" for team, number in reversed(first.items())]
            notes.append(f"The same submission, byte for byte: {listed(teams)}.")
        for team, entries in refused_of(board.history).items():
            notes += [f"Refused, {team}: {one_line(entry.refused)}" for entry in entries]
    return notes


def board_legend(what: Shown) -> str:
    """An explanation of the table."""
    alpha = what.board.settings.alpha
    return (
        "Teams share a rank (=) if the difference from the best of their group may be chance: paired t over the "
        f"queries, p above {alpha:g} after Holm's correction for all pairs of teams. Not distinguishable does not mean "
        "equal. behind and p belong to that difference; the interval is that of a single mean. The best submission "
        "of each team on the public queries counts."
    )


def board_lead(what: Shown) -> str:
    """The settings of the competition, in a line."""
    board = what.board
    until = board.settings.shown_deadline
    state = "closed" if board.closed else f"open until {until}" if until and not board.over else "open"
    queries = counted(board.queries[what.part], f"{what.part} query", f"{what.part} queries")
    return f"{board.settings.collection} · {board.measure} · {queries} · {state}"


def result_text(board: Leaderboard, entry: HistoryLine, standings: Sequence[TeamStanding]) -> tuple[str, str]:
    """The public values of an accepted submission, and what it means for its team, as two sentences."""
    numbers = own_numbers(board.history)
    standing = next(one for one in standings if one.entry.team == entry.team)
    values = ", ".join(f"{name} {value:.4f}" for name, value in entry.public.items())
    best = standing.entry.number
    best_text = "its best so far" if best == entry.number else f"its best is submission {numbers[best]}"
    rank = f"rank {standing.place.rank}{', shared' if standing.place.shared else ''}"
    limit_text = "" if board.settings.limit is None else f", {board.settings.limit - standing.submissions} left"
    return (
        f"submission {numbers[entry.number]} of {entry.team}: {values} on the public queries",
        f"{best_text}; {rank}; {counted(standing.submissions, 'submission')}{limit_text}",
    )


def overfitting(what: Shown) -> str:
    """The gains on the public and on the held-out queries over the submissions; "" if unknown."""
    if not what.both:
        return ""
    several = [entries for entries in what.board.counted.values() if len(entries) > 1 and not entries[0].baseline]
    if not several:
        return ""
    public, held_out = (
        sum(
            deciding_mean(what.board, what.board.best(entries), part) - deciding_mean(what.board, entries[0], part)
            for entries in several
        )
        / len(several)
        for part in PARTS
    )
    return (
        f"From the first submission to the one that counts, {counted(len(several), 'team')} gained {public:+.4f} on "
        f"the public queries and {held_out:+.4f} on the held-out ones (means). A gain on the public ones "
        "alone is overfitting."
    )


def board_plot(what: Shown) -> str:
    """The best public value so far, submission by submission, and what it is on the held-out queries; "" below two."""
    entries = accepted(what.board)
    if len(entries) < 2:
        return ""
    board = what.board
    best = best_so_far(
        [deciding_mean(board, entry, PUBLIC) for entry in entries], board.measure.definition.better == "lower"
    )
    numbers = [float(place) for place in range(1, len(entries) + 1)]
    series = {
        part: (numbers, [deciding_mean(board, entries[place], part) for place in best])
        for part in (PARTS if what.both else (PUBLIC,))
    }
    plot = text_plot(
        series,
        width=56,
        height=10,
        x_label="submissions",
        y_label=str(board.measure),
        whole_x=True,
    )
    head = "the submission that is best on the public queries so far"
    return f"{head}{', on both parts' if what.both else ''}\n{plot}"


def board_data(what: Shown) -> dict[str, Any]:
    """The visible part as JSON: no judgments, queries or values of queries."""
    board, settings = what.board, what.board.settings
    history = [entry for entry in board.history if entry.kind != CLOSED]
    least, numbers = board.distinguishable(what.part), own_numbers(history)
    data = {
        "collection": settings.collection,
        "measures": settings.measures,
        "part": what.part,
        "queries": board.queries[what.part],
        "k": settings.k,
        "alpha": settings.alpha,
        "limit": settings.limit,
        "closed": board.closed,
        "distinguishable": least if math.isfinite(least) else None,
        "teams": [_team(standing, what) for standing in board.standings(what.part)],
        "without_a_valid_submission": [team for team in refused_of(history) if team not in board.counted],
        "submissions": [_submission(entry, what) | {"of_team": numbers.get(entry.number)} for entry in history],
    }
    if what.organiser:
        data["same"] = [[entry.number for entry in group] for group in shared_submissions(history)]
    return data


def write_board(what: Shown, path: str | Path) -> None:
    """Write the competition as a self-contained page."""
    write_whole(path, {".html": lambda: _page(what)})


def _page(what: Shown) -> str:
    table, figures = board_table(what), []
    if what.board.counted:
        caption = (
            "Each point is a mean, the line its interval. Teams between two dashed lines share a rank. Two intervals "
        )
        caption += "may overlap although the teams can be distinguished: they answer the same queries."
        figures.append(Figure("standings", standings_chart(what), caption))
    if accepted(what.board):
        caption = "One point per submission; the line is the best on the public queries so far."
        if what.both:
            caption += " Where the line of the held-out queries falls behind, the public ones were fitted."
        figures.append(Figure("submissions", submissions_chart(what), caption))
    ranks = [row[0] for row in table.rows]
    return page_of(
        "leaderboard.html",
        figures=figures,
        by_name={figure.name: figure for figure in figures},
        title=f"Leaderboard: {what.board.settings.collection}",
        lead=board_lead(what),
        verdict=board_verdict(what),
        shown=table_of(
            table._replace(title="Teams, best first"),
            row_header=1,
            ruled={place for place in range(1, len(ranks)) if ranks[place] != ranks[place - 1]},
        ),
        legend=board_legend(what),
        notes=board_notes(what),
        overfitting=overfitting(what),
    )


def _team(standing: TeamStanding, what: Shown) -> dict[str, Any]:
    place, entry = standing.place, standing.entry
    row = {
        "rank": place.rank,
        "shared": place.shared,
        "team": entry.team,
        "baseline": entry.baseline,
        "mean": place.mean,
        "low": place.low,
        "high": place.high,
        "behind": place.behind,
        "p": place.p,
        "public": entry.public,
        "submissions": standing.submissions,
        "counts": entry.number,
    }
    return row | ({"held_out": entry.held_out} if what.both else {})


def _submission(entry: HistoryLine, what: Shown) -> dict[str, Any]:
    row = {
        "number": entry.number,
        "time": entry.time,
        "team": entry.team,
        "baseline": entry.baseline,
        "kind": entry.kind,
        "refused": entry.refused if what.organiser else bool(entry.refused),
        "public": entry.public,
    }
    return row | ({"held_out": entry.held_out} if what.both else {})
