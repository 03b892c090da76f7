"""Standings of a competition that somebody may see: as text, as data, as charts and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from toysearch.base import (
    Column,
    Part,
    Result,
    ResultTable,
    Sentences,
    counted,
    listed,
    number_columns,
    of_charts,
    one_line,
    table_columns,
)
from toysearch.classroom.competition.history import (
    CLOSED,
    HELD_OUT,
    PARTS,
    PUBLIC,
    HistoryLine,
    own_numbers,
    refused_of,
    shared_submissions,
)
from toysearch.classroom.competition.leaderboard import Leaderboard, Place, TeamStanding
from toysearch.evaluation.intervals import interval_name
from toysearch.study import p_text
from toysearch.workbench.report.chart_files import Chart, Figure, page_of, write_whole
from toysearch.workbench.report.charts import DIGITS, GREY, LABELS, WIDTH, chart_of, finished, ticks
from toysearch.workbench.report.system_report import table_of

_COLOURS = {PUBLIC: "#0072B2", HELD_OUT: "#D55E00"}


@dataclass(frozen=True)
class Standings(Result):
    """Table of a competition, as everybody or the organiser may see it."""

    board: Leaderboard
    part: str  # 'public' | 'held-out': the queries of the ranks
    both: bool  # whether means over the held-out queries are shown: after closing, or to the organiser
    organiser: bool = False  # the organiser also sees refused and identical submissions

    @cached_property
    def history(self) -> list[HistoryLine]:
        """Return all submissions."""
        return [entry for entry in self.board.history if entry.kind != CLOSED]

    @cached_property
    def teams(self) -> list[TeamStanding]:
        """Return the teams with an accepted submission, best first."""
        return self.board.standings(self.part)

    @cached_property
    def refused(self) -> dict[str, list[HistoryLine]]:
        """Return team → its refused submissions."""
        return refused_of(self.history)

    @property
    def without(self) -> list[str]:
        """Return the teams whose submissions were all refused."""
        teams = {standing.entry.team for standing in self.teams}
        return [team for team in self.refused if team not in teams]

    @property
    def parts(self) -> Sequence[str]:
        """Return the parts whose means are shown."""
        return PARTS if self.both else (PUBLIC,)

    def mean(self, entry: HistoryLine, part: str) -> float:
        """Return the mean of a submission over a part of the queries, by the deciding measure."""
        return entry.means(part)[str(self.board.measure)]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per team, best first; teams without an accepted submission last."""
        exact = form in ("tsv", "csv")
        level = interval_name(self.board.settings.alpha)
        other = next(part for part in PARTS if part != self.part)
        others = [other] if self.both else []
        columns = table_columns(
            ["rank", Column("team", wrap=True)],
            number_columns(".4f", self.part),
            ["low", "high"] if exact else number_columns("", interval=level),
            number_columns("", "behind", "p"),
            number_columns(".4f", *others),
            number_columns("", submissions="sent", refused=""),
        )
        rows = []
        for place, entry, submissions in self.teams:
            rank, refused = f"{place.rank}{'=' * place.shared}", len(self.refused.get(entry.team, ()))
            means = [self.mean(entry, part) for part in others]
            rows.append([rank, team_name(entry), place.mean, *_distance(place, exact), *means, submissions, refused])
        blank = [None] * 5 if exact else [None, "", "", ""]  # from the mean to p
        rows += [["–", team, *blank, *([None] * self.both), 0, len(self.refused[team])] for team in self.without]
        return [ResultTable(columns, rows, self.lead)]

    @property
    def lead(self) -> str:
        """State the settings of the competition, in a line."""
        settings = self.board.settings
        until = settings.shown_until
        state = "closed" if self.board.closed else f"open until {until}" if until and not self.board.over else "open"
        queries = counted(self.board.queries[self.part], f"{self.part} query", f"{self.part} queries")
        return f"{settings.collection} · {self.board.measure} · {queries} · {state}"

    @property
    def verdict(self) -> str:
        """State the leader and the teams that share its rank; "" before the first submission."""
        if not self.teams:
            return ""
        first, *others = self.teams
        alike = [team_name(other.entry) for other in others if other.place.rank == first.place.rank]
        lead = f"{team_name(first.entry)} leads with {self.board.measure} {first.place.mean:.4f}"
        if not others:
            return f"{lead}."
        if alike:
            return f"{lead}; {listed(alike)} may be as good, and share rank 1."
        return f"{lead}, and can be distinguished from all others."

    @property
    def legend(self) -> str:
        """Explain the table."""
        alpha = self.board.settings.alpha
        return (
            "Teams share a rank (=) if the difference from the best of their group may be chance: paired t over the "
            f"queries, p above {alpha:g} after Holm's correction for all pairs of teams. Not distinguishable does not "
            "mean equal. behind and p belong to that difference; the interval is that of a single mean. The best "
            "submission of each team on the public queries counts."
        )

    def sentences(self) -> list[str]:
        """Note the power of the board; for the organiser also refused and identical submissions."""
        notes = []
        least = self.board.distinguishable(self.part)
        if math.isfinite(least):
            queries = counted(self.board.queries[self.part], "query", "queries")
            notes.append(
                f"Power of this board: with {queries} and {counted(len(self.teams), 'team')} (with baselines) "
                f"it detects a difference of {least:.4f} four times out of five. Teams with smaller differences mostly "
                "share a rank."
            )
        if self.organiser:
            numbers = own_numbers(self.history)
            for group in shared_submissions(self.history):
                first = {entry.team: numbers.get(entry.number, "refused") for entry in reversed(group)}
                teams = [f"{team} ({number})" for team, number in reversed(first.items())]
                notes.append(f"The same submission, byte for byte: {listed(teams)}.")
            for team, entries in self.refused.items():
                notes += [f"Refused, {team}: {one_line(entry.refused)}" for entry in entries]
        return notes

    @property
    def overfitting(self) -> str:
        """Compare the gains on the public and on the held-out queries over the submissions; "" if unknown."""
        counting = {standing.entry.team: standing.entry for standing in self.teams if standing.submissions > 1}
        several = [(self.board.counted[team][0], best) for team, best in counting.items() if not best.baseline]
        if not self.both or not several:
            return ""
        public, held_out = (
            sum(self.mean(best, part) - self.mean(first, part) for first, best in several) / len(several)
            for part in PARTS
        )
        return (
            f"From the first submission to the one that counts, {counted(len(several), 'team')} gained {public:+.4f} "
            f"on the public queries and {held_out:+.4f} on the held-out ones (means). A gain on the public ones "
            "alone is overfitting."
        )

    def words(self) -> dict[str, Any]:
        """Return what a page says around the table, by name."""
        return {
            "lead": self.lead,
            "verdict": self.verdict,
            "legend": self.legend,
            "overfitting": self.overfitting,
            "notes": self.sentences(),
        }

    @property
    def ruled(self) -> set[int]:
        """Return the rows of the table at which another rank begins."""
        ranks = [row[0] for row in self.tables()[0].rows]
        return {row for row in range(1, len(ranks)) if ranks[row] != ranks[row - 1]}

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the table, its explanation, the notes, and how far the submissions overfit."""
        paragraphs = [self.legend, *self.sentences(), self.overfitting]
        return [*self.tables(), *(Sentences([text], "", "") for text in paragraphs)]

    def data(self) -> dict[str, Any]:
        """Return everything as JSON: no judgments, queries or values of queries."""
        settings, numbers = self.board.settings, own_numbers(self.history)
        least = self.board.distinguishable(self.part)
        teams = [
            {"rank": place.rank, "shared": place.shared, "team": entry.team, "baseline": entry.baseline}
            | {name: getattr(place, name) for name in ("mean", "low", "high", "behind", "p")}
            | {"public": entry.public, "submissions": submissions, "counts": entry.number}
            | ({"held_out": entry.held_out} if self.both else {})
            for place, entry, submissions in self.teams
        ]
        submissions = []
        for entry in self.history:
            row = {name: getattr(entry, name) for name in ("number", "time", "team", "baseline", "kind")}
            row |= {"refused": entry.refused if self.organiser else bool(entry.refused), "public": entry.public}
            row |= {"held_out": entry.held_out} if self.both else {}
            submissions.append(row | {"of_team": numbers.get(entry.number)})
        same = [[entry.number for entry in group] for group in shared_submissions(self.history)]
        return {
            "collection": settings.collection,
            "measures": settings.measures,
            "part": self.part,
            "queries": self.board.queries[self.part],
            **{name: getattr(settings, name) for name in ("k", "alpha", "limit")},
            "closed": self.board.closed,
            "distinguishable": least if math.isfinite(least) else None,
            "teams": teams,
            "without_a_valid_submission": self.without,
            "submissions": submissions,
            **({"same": same} if self.organiser else {}),
        }


def visible_part(board: Leaderboard, organiser: bool = False) -> Standings:
    """Return the visible part of a competition, without the held-out queries until it is closed."""
    closed = board.closed
    return Standings(board, HELD_OUT if closed else PUBLIC, closed or organiser, organiser)


def team_name(entry: HistoryLine) -> str:
    """Name the team of a submission in tables and charts."""
    return f"{entry.team} (baseline)" if entry.baseline else entry.team


def standings_chart(what: Standings) -> Chart:
    """Draw the mean of each team as a point in its interval, with lines between different ranks."""
    alt = of_charts("altair")

    data = []
    for place, entry, _ in what.teams:
        low, high = (place.low, place.high) if math.isfinite(place.low) else (place.mean, place.mean)
        numbers = {"mean": place.mean, "low": low, "high": high}
        rounded = {name: round(value, DIGITS) for name, value in numbers.items()}
        data.append({"team": team_name(entry), "rank": place.rank, **rounded})
    order = [row["team"] for row in data]
    axis = alt.Axis(labelLimit=alt.ExprRef(LABELS))
    base = chart_of(data).encode(
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
        chart_of(firsts)
        .mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=GREY, aria=False)
        .encode(y=alt.Y("team:N", sort=order, bandPosition=0))
    )
    ranked = "; ".join(f"rank {row['rank']}: {row['team']} {row['mean']:.4f}" for row in data)
    return finished(
        alt.layer(between, whiskers, points).properties(width=WIDTH - 160, height=alt.Step(26)),
        f"Points with intervals: the mean {what.board.measure} of {counted(len(data), 'team')}, best first: {ranked}.",
    )


def _distance(place: Place, exact: bool) -> list[Any]:
    """Return interval, distance to the first and p of a team: as numbers, or as texts, which the first lacks."""
    bounded = math.isfinite(place.low)
    if exact:
        return [*((place.low, place.high) if bounded else (None, None)), place.behind, place.p]
    texts = ["", ""] if place.behind == 0 and place.p == 1 else [f"{place.behind:.4f}", p_text(place.p)]
    return [f"{place.low:.4f}–{place.high:.4f}" if bounded else "unbounded", *texts]


def result_text(board: Leaderboard, entry: HistoryLine, standings: Sequence[TeamStanding]) -> tuple[str, str]:
    """Say the public values of an accepted submission, and what it means for its team, in two sentences."""
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


def write_board(what: Standings, path: str | Path) -> None:
    """Write the competition as a self-contained page."""
    write_whole(path, {".html": lambda: _page(what)})


def _page(what: Standings) -> str:
    table, figures = what.tables()[0], []
    if what.teams:
        caption = (
            "Each point is a mean, the line its interval. Teams between two dashed lines share a rank. Two intervals "
            "may overlap although the teams can be distinguished: they answer the same queries."
        )
        figures.append(Figure("standings", standings_chart(what), caption))
    return page_of(
        "leaderboard.html",
        figures=figures,
        by_name={figure.name: figure for figure in figures},
        title=f"Leaderboard: {what.board.settings.collection}",
        shown=table_of(table._replace(title="Teams, best first"), row_header=1, ruled=what.ruled),
        **what.words(),
    )
