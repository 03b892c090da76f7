"""Which of two systems users prefer, by their clicks in interleaved lists, and how many sessions that still needs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toysearch.base import DataError, Result, ResultTable, checked, count_each, counted, note, number_columns, records
from toysearch.formats import Preference, ShownList, click_lists
from toysearch.laboratory.effects import p_text
from toysearch.laboratory.experiments.stats.power import POWER, queries_needed
from toysearch.laboratory.experiments.vote_counts import VoteCount, count_votes, votes_table

__all__ = ["ClickPreference", "preference"]


@dataclass(frozen=True)
class ClickPreference(Result):
    """The preferences of users for one of two systems, for each pair of systems of a log.

    Attributes
    ----------
    counts : list of VoteCount
        For each pair, the sessions, and the queries, each of which goes to the system that most sessions prefer.
    needed : list of float
        For each pair, how many sessions would show a difference like this with a chance of 80 %; infinite if there is
        none.
    leads : list of float
        For each row of `counts`, the mean credit of the first system above the second: 1 for a session that it wins.
    alpha : float
        The level of the test.
    """

    counts: list[VoteCount]
    needed: list[float]
    leads: list[float]
    alpha: float

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The counts with interval and test, by sessions and by queries."""
        table = votes_table(self.counts)
        rows = [
            [
                *row,
                self.leads[place],
                None if place % 2 or math.isinf(self.needed[place // 2]) else self.needed[place // 2],
            ]
            for place, row in enumerate(table.rows)
        ]
        return [
            ResultTable(
                [
                    *table.columns,
                    *number_columns(".4f", lead="lead"),
                    *number_columns(",.0f", needed="sessions needed"),
                ],
                rows,
            )
        ]

    def sentences(self) -> list[str]:
        """Who wins, and what is still missing."""
        texts = []
        for count, needed, lead in zip(self.counts[::2], self.needed, self.leads[::2], strict=True):
            both = f"{count.first} and {count.second}"
            decided = count.wins + count.losses
            n = decided + count.ties
            if not decided:
                texts.append(f"{both}: no session prefers one of them.")
                continue
            winner = count.first if lead > 0 else count.second
            if count.p < self.alpha:
                wins = count.wins if lead > 0 else count.losses
                texts.append(f"Users prefer {winner}: {wins:,} of {decided:,} decided sessions, p {p_text(count.p)}.")
            elif math.isinf(needed):
                texts.append(f"{both}: as many sessions prefer one as the other.")
            else:
                more = counted(max(math.ceil(needed) - n, 1), "session")
                texts.append(
                    f"{both}: inconclusive. If the difference is as it seems, about {more} more would show it with a "
                    f"chance of {POWER:.0%}."
                )
        return texts

    def data(self) -> list[dict[str, object]]:
        """The rows, as JSON has them."""
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
    DataError
        If the log cannot be read, or no list has documents of two systems.

    References
    ----------
    Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008. Sessions needed:
    the paired t test on 1, 0 and −1 (`queries_needed`).

    Examples
    --------
    >>> from toysearch.formats.click_log import ShownDocument
    >>> seen = [ShownDocument("a", True, "bm25"), ShownDocument("b", False, "lsa")]
    >>> found = preference([ShownList(str(number), "1", tuple(seen)) for number in range(8)])
    >>> found.counts[0].wins, found.counts[0].p, found.sentences()
    (8, 0.0078125, ['Users prefer bm25: 8 of 8 decided sessions, p 0.0078.'])
    """
    lists = click_lists(clicks)
    systems = [sorted({one.system for one in shown.documents if one and one.system}) for shown in lists]
    everywhere = sorted({name for names in systems for name in names})
    if len(everywhere) < 2:
        said = f"all are credited to {everywhere[0]}" if everywhere else "the column system is missing or empty"
        raise DataError(f"expected lists with documents of two systems, as `toysearch clicks interleave` writes them; {said}")
    if len(everywhere) == 2:  # also where a short list has documents of one only
        systems = [everywhere if names else [] for names in systems]
    votes = [_preferred(shown, *names) for shown, names in zip(lists, systems, strict=True) if len(names) == 2]
    if len(votes) < len(lists):
        note(f"{counted(len(lists) - len(votes), 'list')} left out, without documents of two systems")
    counts, needed, leads = [], list[float](), list[float]()
    for count in count_votes(votes, alpha=alpha):
        of_pair = [vote for vote in votes if vote[2:4] == count[:2]]
        values = np.array([float(vote.value) for vote in of_pair])
        if count.by == "queries":
            places = np.unique([vote.query_id for vote in of_pair], return_inverse=True)[1]
            values = np.sign(count_each(places, values))
        else:
            deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
            needed.append(queries_needed(abs(values.mean()) / deviation, alpha=alpha) if deviation else math.inf)
        counts.append(count._replace(by="sessions" if count.by == "votes" else count.by))
        leads.append(float(values.mean()))
    return ClickPreference(counts, needed, leads, alpha)


def _preferred(shown: ShownList, first: str, second: str) -> Preference:
    """Which of two systems has more clicks in a list: 1 or −1."""
    clicked = [one.system for one in shown.documents if one is not None and one.clicked]
    clicks = [clicked.count(name) for name in (first, second)]
    value = (clicks[0] > clicks[1]) - (clicks[0] < clicks[1])
    return Preference(shown.session, shown.query_id, first, second, value)
