"""Preference between two systems by clicks in interleaved lists, and how many sessions are still needed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    Column,
    DataError,
    Result,
    ResultTable,
    checked,
    counted,
    groups_of,
    note,
    number_columns,
    records,
    totals,
)
from toysearch.study.effects import p_text
from toysearch.study.stats.power import POWER, queries_needed
from toysearch.study.stats.significance import check_alpha
from toysearch.workbench.clicks.click_log import ShownList, click_lists

__all__ = ["ClickPreference", "PreferenceCount", "preference"]


class PreferenceCount(NamedTuple):
    """Counts of how often each of two systems is preferred.

    Attributes
    ----------
    first, second : str
        The systems, in the order of their names.
    by : str
        What is counted: sessions, or queries, each of which goes to the system that most of its sessions prefer.
    wins, ties, losses : int
        How many prefer the first system, neither, the second.
    share : float
        wins / (wins + losses): ties say nothing about which is better. NaN if all are ties.
    low, high : float
        The interval of the share of level 1 − alpha, by Clopper & Pearson: it never covers less often.
    p : float
        The two-sided sign test: the probability of a result at least as one-sided if both were equally good.
    lead : float
        The mean credit of the first system above the second: 1 for a session that it wins.
    needed : float
        How many sessions would show a difference like this with a chance of 80 %; infinite if there is none.
        NaN for queries.
    """

    first: str
    second: str
    by: str
    wins: int
    ties: int
    losses: int
    share: float
    low: float
    high: float
    p: float
    lead: float
    needed: float


@dataclass(frozen=True)
class ClickPreference(Result):
    """Preferences of users for one of two systems, for each pair of systems of a log.

    Attributes
    ----------
    counts : list of PreferenceCount
        For each pair, the sessions, and the queries.
    alpha : float
        The level of the test.
    """

    counts: list[PreferenceCount]
    alpha: float

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the counts with interval and test, by sessions and by queries; undefined values are left empty."""
        columns = [
            Column("first"),
            Column("second"),
            Column("by"),
            *number_columns(",", wins="first wins", ties="ties", losses="second wins"),
            *number_columns(".4f", "share", low="lowest", high="highest", p="p", lead="lead"),
            *number_columns(",.0f", needed="sessions needed"),
        ]
        rows = [
            [None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row]
            for row in self.counts
        ]
        return [ResultTable(columns, rows)]

    def sentences(self) -> list[str]:
        """Say which system wins, and what is still missing."""
        texts = []
        for count in self.counts[::2]:
            both = f"{count.first} and {count.second}"
            decided = count.wins + count.losses
            n = decided + count.ties
            if not decided:
                texts.append(f"{both}: no session prefers one of them.")
                continue
            winner = count.first if count.lead > 0 else count.second
            if count.p < self.alpha:
                wins = count.wins if count.lead > 0 else count.losses
                texts.append(f"Users prefer {winner}: {wins:,} of {decided:,} decided sessions, p {p_text(count.p)}.")
            elif math.isinf(count.needed):
                texts.append(f"{both}: as many sessions prefer one as the other.")
            else:
                more = counted(max(math.ceil(count.needed) - n, 1), "session")
                texts.append(
                    f"{both}: inconclusive. If the difference is as it seems, about {more} more would show it with a "
                    f"chance of {POWER:.0%}."
                )
        return texts

    def data(self) -> list[dict[str, object]]:
        """Return the rows as plain values, for JSON."""
        return records(self.tables()[0])


@checked
def preference(clicks: str | Path | Iterable[ShownList], *, alpha: float = 0.05) -> ClickPreference:
    """Tell which of two runs users prefer, by their clicks.

    The lists are interleaved. In a session, the system with more clicks on its documents wins; equally many, or none,
    are a tie. A session is one list for one query; those of one query are not independent of each other, so the row of
    queries tells what to expect of other queries.

    Parameters
    ----------
    clicks : path or iterable of ShownList
        A click log whose documents are credited to systems, as `toysearch clicks interleave` writes them.
    alpha : float, default 0.05
        The level of the test; the intervals are of level 1 − alpha.

    Returns
    -------
    ClickPreference

    Raises
    ------
    ArgumentError
        If alpha is not between 0 and 1.
    DataError
        If the log cannot be read, or no list has documents of two systems.

    References
    ----------
    Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008. Clopper & Pearson,
    "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934. Sessions
    needed: the paired t test on 1, 0 and −1 (`queries_needed`).

    Examples
    --------
    >>> from toysearch.workbench.clicks.click_log import ShownDocument
    >>> seen = [ShownDocument("a", True, "bm25"), ShownDocument("b", False, "lsa")]
    >>> found = preference([ShownList(str(number), "1", tuple(seen)) for number in range(8)])
    >>> found.counts[0].wins, found.counts[0].p, found.sentences()
    (8, 0.0078125, ['Users prefer bm25: 8 of 8 decided sessions, p 0.0078.'])
    """
    check_alpha(alpha)
    lists = click_lists(clicks)
    systems = [sorted({one.system for one in shown.documents if one and one.system}) for shown in lists]
    everywhere = sorted({name for names in systems for name in names})
    if len(everywhere) == 2:  # also where a short list has documents of one only
        systems = [everywhere if names else [] for names in systems]
    of_two = [(shown, (names[0], names[1])) for shown, names in zip(lists, systems, strict=True) if len(names) == 2]
    if not of_two:
        raise DataError(
            "expected lists with documents of two systems, as `toysearch clicks interleave` writes them; "
            + _other_systems(everywhere)
        )
    if len(of_two) < len(lists):
        note(f"{counted(len(lists) - len(of_two), 'list')} left out, without documents of two systems")
    values = groups_of((pair, (shown.query_id, _preferred(shown, *pair))) for shown, pair in of_two)
    counts = []
    for pair, of_pair in values.items():
        of_sessions = np.array([float(value) for _, value in of_pair])
        of_queries = np.sign([float(value) for value in totals(of_pair).values()])
        counts.append(_counted(pair, "sessions", of_sessions, alpha, _sessions_needed(of_sessions, alpha)))
        counts.append(_counted(pair, "queries", of_queries, alpha, math.nan))
    return ClickPreference(counts, alpha)


def _other_systems(everywhere: list[str]) -> str:
    """Describe the systems of a log in which no list has documents of exactly two."""
    if len(everywhere) > 1:
        return "each list has documents of one system, or of more than two"
    return f"all are credited to {everywhere[0]}" if everywhere else "the column system is missing or empty"


def _preferred(shown: ShownList, first: str, second: str) -> int:
    """Compare the clicks of two systems in a list: 1, −1, or 0 for a tie."""
    clicked = [one.system for one in shown.documents if one is not None and one.clicked]
    clicks = [clicked.count(name) for name in (first, second)]
    return (clicks[0] > clicks[1]) - (clicks[0] < clicks[1])


def _sessions_needed(values: np.ndarray, alpha: float) -> float:
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return queries_needed(abs(values.mean()) / deviation, alpha=alpha) if deviation else math.inf


def _counted(pair: tuple[str, str], by: str, values: np.ndarray, alpha: float, needed: float) -> PreferenceCount:
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    decided = wins + losses
    share = wins / decided if decided else math.nan
    low, high = _share_interval(wins, decided, alpha)
    results = (share, low, high, _sign_test(wins, losses), float(values.mean()))
    return PreferenceCount(*pair, by, wins, values.size - decided, losses, *results, needed)


def _share_interval(wins: int, decided: int, alpha: float) -> tuple[float, float]:
    """Interval of a share by Clopper and Pearson: quantiles of beta distributions."""
    from scipy.special import betaincinv  # not scipy.stats, which takes a second to import

    low = float(betaincinv(wins, decided - wins + 1, alpha / 2)) if wins else 0.0
    high = float(betaincinv(wins + 1, decided - wins, 1 - alpha / 2)) if wins < decided else 1.0
    return low, high


def _sign_test(wins: int, losses: int) -> float:
    """Two-sided probability of so few of the rarer outcome with a fair coin."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))) if wins + losses else 1.0
