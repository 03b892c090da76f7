"""A competition's table and chart, as text, as data and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.formats.lines import counted
from toysearch.leaderboard.board import Leaderboard, Standing
from toysearch.leaderboard.history import CLOSED, Entry
from toysearch.leaderboard.split import HELD_OUT, PARTS, PUBLIC
from toysearch.leaderboard.standings import best_so_far
from toysearch.reports.charts import DIGITS, WIDTH, Chart, finished
from toysearch.reports.compared import Table, p_text
from toysearch.reports.drawing import write_whole
from toysearch.reports.page import Figure, page_of, table_of
from toysearch.reports.plot import text_plot
from toysearch.reports.tables import Column

_ALL = "all teams"
_COLOURS = {PUBLIC: "#0072B2", HELD_OUT: "#D55E00"}


class Shown(NamedTuple):
    """What of a competition is shown.

    Attributes
    ----------
    board : Leaderboard
        The competition.
    part : {'public', 'held-out'}
        The queries that the ranks are about.
    both : bool
        Whether means over the held-out queries are shown: once it is closed, or to the organiser.
    """

    board: Leaderboard
    part: str
    both: bool


def shown(board: Leaderboard, organiser: bool = False) -> Shown:
    """What is shown of a competition: of the held-out queries nothing until it is closed.

    Parameters
    ----------
    board : Leaderboard
        The competition.
    organiser : bool, default False
        Whether it is for the organiser, who sees their means before.
    """
    return Shown(board, HELD_OUT if board.closed else PUBLIC, board.closed or organiser)


def board_table(what: Shown) -> Table:
    """A line a team, best first.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    board = what.board
    level = f"{100 * (1 - board.settings.alpha):g} % interval"
    columns = [
        Column("rank"),
        Column("team"),
        Column(what.part, "", "right", ".4f"),
        Column("interval", level, "right"),
        Column("behind", "", "right"),
        Column("p", "", "right"),
    ]
    other = next(part for part in PARTS if part != what.part)
    columns += [Column(other, "", "right", ".4f")] if what.both else []
    columns.append(Column("submissions", "sent", "right"))
    rows = []
    for standing in board.standings(what.part):
        place, entry = standing.place, standing.entry
        first = place.behind == 0 and place.p == 1
        rows.append(
            [
                f"{place.rank}{'=' if place.shared else ''}",
                f"{entry.team} (baseline)" if entry.baseline else entry.team,
                place.mean,
                f"{place.low:.4f}–{place.high:.4f}" if math.isfinite(place.low) else "unbounded",
                "" if first else f"{place.behind:.4f}",
                "" if first else p_text(place.p),
                *([_mean(board, entry, other)] if what.both else []),
                standing.submissions,
            ]
        )
    return Table("", columns, rows)


def board_legend(what: Shown) -> str:
    """How the table is to be read.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    alpha = what.board.settings.alpha
    return (
        "Teams share a rank (=) if the difference to the best of their group can be chance: paired t over the queries, "
        f"p above {alpha:g} after Holm's correction for all pairs of teams. Not told apart does not mean equal. behind "
        "and p are of that difference; the interval is that of a mean by itself. Of each team the submission counts "
        "that is best on the public queries."
    )


def board_lead(what: Shown) -> str:
    """What the competition is about, in a line.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    board = what.board
    state = "closed" if board.closed else "open"
    queries = counted(board.queries[what.part], f"{what.part} query", f"{what.part} queries")
    return f"{board.settings.collection} · {board.measure} · {queries} · {state}"


def overfitting(what: Shown) -> str:
    """How far public values rose over the submissions, and how far those of the held-out queries did; "" if unknown.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    if not what.both:
        return ""
    several = [entries for entries in what.board.counted.values() if len(entries) > 1 and not entries[0].baseline]
    if not several:
        return ""
    public, held_out = (
        sum(_mean(what.board, what.board.best(each), part) - _mean(what.board, each[0], part) for each in several)
        / len(several)
        for part in PARTS
    )
    return (
        f"From the first submission to the one that counts, {counted(len(several), 'team')} gained {public:+.4f} on "
        f"the public queries and {held_out:+.4f} on the held-out ones (means). What was gained on the public ones "
        "alone was fitted to them."
    )


def board_plot(what: Shown) -> str:
    """The best public value so far, submission by submission, and what it is on the held-out queries; "" below two.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    entries = _accepted(what.board)
    if len(entries) < 2:
        return ""
    board = what.board
    best = best_so_far([_mean(board, entry, PUBLIC) for entry in entries], board.measure.definition.better == "lower")
    numbers = [float(place) for place in range(1, len(entries) + 1)]
    series = {
        part: (numbers, [_mean(board, entries[place], part) for place in best])
        for part in (PARTS if what.both else (PUBLIC,))
    }
    plot = text_plot(
        series,
        width=56,
        height=10,
        x_label="submissions",
        y_label=str(board.measure),
    )
    head = "the submission that is best on the public queries so far"
    return f"{head}{', on both parts' if what.both else ''}\n{plot}"


def board_data(what: Shown) -> dict[str, Any]:
    """All that is shown, as JSON has it: no judgment, no query, no value of a query.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    board, settings = what.board, what.board.settings
    history = [entry for entry in board.history if entry.kind != CLOSED]
    return {
        "collection": settings.collection,
        "measures": settings.measures,
        "part": what.part,
        "queries": board.queries[what.part],
        "k": settings.k,
        "alpha": settings.alpha,
        "limit": settings.limit,
        "closed": board.closed,
        "teams": [_team(standing, what) for standing in board.standings(what.part)],
        "submissions": [_submission(entry, what) for entry in history],
    }


def write_board(what: Shown, path: str | Path) -> None:
    """Write the competition as a page that needs nothing from anywhere.

    Parameters
    ----------
    what : Shown
        What is shown.
    path : str or Path
        A file that ends in ``.html``; it appears whole or not at all.

    Raises
    ------
    ArgumentError
        If the name ends otherwise.
    StorageError
        If it cannot be written.
    """
    write_whole(path, {".html": lambda: _page(what)})


def _page(what: Shown) -> str:
    figures = []
    if _accepted(what.board):
        caption = "A point a submission; the line is the best on the public queries so far."
        if what.both:
            caption += " Where the line of the held-out queries falls behind, the public ones were fitted."
        figures.append(Figure("submissions", submissions_chart(what), caption))
    return page_of(
        "leaderboard.html",
        figures=figures,
        title=f"Leaderboard: {what.board.settings.collection}",
        lead=board_lead(what),
        shown=table_of(board_table(what)),
        legend=board_legend(what),
        overfitting=overfitting(what),
    )


def submissions_chart(what: Shown) -> Chart:
    """Every submission with its value, and a line of the best so far; of all teams, or of one from a list.

    Parameters
    ----------
    what : Shown
        What is shown.
    """
    import altair as alt

    entries = _accepted(what.board)
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

    def drawn(rows: list[dict[str, Any]]) -> Any:
        return (
            alt.Chart(alt.InlineData(values=rows))
            .transform_filter("datum.of === chosen")
            .encode(
                x=alt.X("number:Q", title="submission", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
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
    best = best_so_far([_mean(board, entry, PUBLIC) for _, entry in numbered], lower)
    return [
        {"of": of, "number": place, "part": part, "value": _rounded(board, numbered[found][1], part)}
        for (place, _), found in zip(numbered, best, strict=True)
        for part in parts
    ]


def _accepted(board: Leaderboard) -> list[Entry]:
    """The teams' submissions that were not refused, in their order."""
    return [entry for entry in board.history if entry.kind != CLOSED and not entry.refused and not entry.baseline]


def _mean(board: Leaderboard, entry: Entry, part: str) -> float:
    return (entry.public if part == PUBLIC else entry.held_out)[str(board.measure)]


def _rounded(board: Leaderboard, entry: Entry, part: str) -> float:
    return round(_mean(board, entry, part), DIGITS)


def _team(standing: Standing, what: Shown) -> dict[str, Any]:
    place, entry = standing.place, standing.entry
    found = {
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
    return found | ({"held_out": entry.held_out} if what.both else {})


def _submission(entry: Entry, what: Shown) -> dict[str, Any]:
    found = {
        "number": entry.number,
        "time": entry.time,
        "team": entry.team,
        "baseline": entry.baseline,
        "kind": entry.kind,
        "refused": entry.refused,
        "public": entry.public,
    }
    return found | ({"held_out": entry.held_out} if what.both else {})
