"""Interleaving: two rankings mixed into one list, for a user who does not see their names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    Qrels,
    Result,
    ResultTable,
    expect,
    expect_seed,
    number_columns,
    ordered,
    records,
    table_columns,
)
from toysearch.evaluation.given_judgments import judgments_of
from toysearch.files import QrelsLike, RunLike, as_run

__all__ = ["Interleaved", "InterleavedRuns", "interleave", "interleave_runs"]


class Interleaved(NamedTuple):
    """List made of two rankings.

    Attributes
    ----------
    query_id : str
        The query.
    doc_ids : tuple of str
        The documents in the order shown.
    teams : tuple of str
        The system that each document is credited to.
    """

    query_id: str
    doc_ids: tuple[str, ...]
    teams: tuple[str, ...]


def interleave(
    lists: Mapping[str, Sequence[str]], query_id: str, *, k: int = 10, seed: int = 0, voter: str = ""
) -> Interleaved:
    """Mix two rankings into one list, each document credited to the system that brought it.

    By team draft, the systems take turns like two captains who pick players: in each round, a coin decides who picks
    first, and each picks its best document that is not in the list yet. So both systems have equally many documents, or
    one has one more, and the coin decides which. A list ends after k documents, or when a ranking has no other
    document. A list of a ranking with itself is the ranking.

    Parameters
    ----------
    lists : dict of str to sequence of str
        Two systems by name, each with its documents, best first.
    query_id : str
        The query.
    k : int, default 10
        The number of documents.
    seed : int, default 0
        Seed of the coin flips; the same seed, query and voter give the same list.
    voter : str, default ""
        Who votes. With each voter's own name, an advantage by chance averages out.

    Raises
    ------
    ArgumentError
        If there are not two systems, or k is below 1.

    References
    ----------
    Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008, algorithm 2.

    Examples
    --------
    >>> found = interleave({"bm25": ["a", "b", "c"], "lsa": ["b", "d", "e"]}, "1", k=4, voter="ada")
    >>> found.doc_ids, found.teams
    (('b', 'a', 'd', 'c'), ('lsa', 'bm25', 'lsa', 'bm25'))
    """
    expect(Mapping, lists=lists)
    expect(str, query_id=query_id)
    expect_seed(seed)
    expect(int, k=k)
    if len(lists) != 2:
        raise ArgumentError(f"a list is interleaved from two systems, not {len(lists)}")
    if k < 1:
        raise ArgumentError(f"k must be at least 1, not {k}")
    names = sorted(lists)  # an order that does not depend on the order given
    teams: dict[str, str] = {}
    for turn in range(k):
        best = {name: next((doc_id for doc_id in lists[name] if doc_id not in teams), None) for name in names}
        if None in best.values():
            break
        if turn % 2 == 0:
            text = f"{seed}\n{query_id}\n{voter}\n{turn // 2}"
            coin = hashlib.sha256(text.encode(errors="surrogatepass")).digest()[0] & 1
        picks = names[(turn + coin + 1) % 2]  # the one of the coin, then the other
        teams[str(best[picks])] = picks
    return Interleaved(query_id, tuple(teams), tuple(teams.values()))


@dataclass(frozen=True)
class InterleavedRuns(Result):
    """Lists mixed from two runs, for users to click in.

    Attributes
    ----------
    systems : tuple of str
        The two runs, in the order of their names.
    lists : list of (str, Interleaved)
        The session of each list, and the list.
    ranks : dict of str to (dict of str to int, dict of str to int)
        Query_id → for each run, doc_id → its rank from 0.
    clicks : list of tuple of bool
        For each list, which documents a simulated user clicked; none without judgments.
    """

    systems: tuple[str, str]
    lists: list[tuple[str, Interleaved]]
    ranks: dict[str, tuple[dict[str, int], dict[str, int]]]
    clicks: list[tuple[bool, ...]]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per document of each list; the column clicked is for the users."""
        rows = []
        for (session, shown), clicks in zip(self.lists, self.clicks, strict=True):
            of_documents = zip(shown.doc_ids, shown.teams, clicks, strict=True)
            for rank, (doc_id, team, clicked) in enumerate(of_documents, 1):
                places = (ranks.get(doc_id) for ranks in self.ranks[shown.query_id])
                in_each = (None if place is None else place + 1 for place in places)
                rows.append((session, shown.query_id, rank, doc_id, team, *in_each, int(clicked)))
        columns = table_columns(
            "session", Column("query_id", "query"), number_columns("", "rank"), Column("doc_id", "doc")
        )
        numbers = number_columns("", first_rank="first", second_rank="second", clicked="clicked")
        return [ResultTable(table_columns(columns, "system", numbers), rows)]

    def about(self) -> list[str]:
        """Say what was mixed."""
        return [f"{' and '.join(self.systems)} by team-draft; first and second: the ranks in each"]

    def data(self) -> list[dict[str, object]]:
        """Return the rows as plain values, for JSON."""
        return records(self.tables()[0])


def interleave_runs(
    first: RunLike,
    second: RunLike,
    *,
    qrels: QrelsLike | None = None,
    k: int = 10,
    sessions: int = 1,
    seed: int = 0,
) -> InterleavedRuns:
    """Mix two runs into lists for users to click in.

    There is a list per query and session, and each document is credited to the run that brought it. Written as CSV, it
    is a click log without clicks: show the lists, fill in the column clicked, and count which run has more clicks in
    each session. With judgments, simulated users click, whose preference is therefore known: a try of the
    method, not of the runs.

    Parameters
    ----------
    first, second : run
        The runs, or their files. Queries that only one of them has are left out.
    qrels : qrels, optional
        Judgments by which simulated users click (`simulated_clicks`).
    k : int, default 10
        The number of documents of a list.
    sessions : int, default 1
        The number of lists per query, each with its own coin flips.
    seed : int, default 0
        Seed of the coin flips.

    Returns
    -------
    InterleavedRuns

    Raises
    ------
    ArgumentError
        If the runs have the same name, no query in common, or a number is below 1.

    Examples
    --------
    >>> from toysearch import Run
    >>> runs = [Run.from_dict({"1": {"a": 2, "b": 1}}, "bm25"), Run.from_dict({"1": {"b": 2, "c": 1}}, "lsa")]
    >>> [(session, shown.doc_ids) for session, shown in interleave_runs(*runs, sessions=3).lists]
    [('1', ('b', 'a')), ('2', ('b', 'a')), ('3', ('a', 'b'))]
    """
    one, other = sorted((as_run(first), as_run(second)), key=lambda run: run.name)
    if one.name == other.name:
        raise ArgumentError(f"both runs are called '{one.name}'; a document must be credited to one of them")
    if sessions < 1:
        raise ArgumentError(f"sessions must be at least 1, not {sessions}")
    queries = [query_id for query_id in one.query_ids if query_id in other]
    if not queries:
        raise ArgumentError(f"{one.name} and {other.name} have no query in common")
    grades = Qrels.from_dict({}) if qrels is None else judgments_of(qrels).qrels
    mixed = InterleavedRuns((one.name, other.name), [], {}, [])
    users = np.random.default_rng(seed)
    in_order = [ordered(run)[0] for run in (one, other)]
    for query_id in queries:
        ranks = [run.places(query_id) for run in in_order]
        mixed.ranks[query_id] = ranks[0], ranks[1]
        lists = dict(zip(mixed.systems, map(list, ranks), strict=True))
        of_query = grades[query_id]
        for voter in map(str, range(1, sessions + 1)):
            shown = interleave(lists, query_id, k=k, seed=seed, voter=voter)
            mixed.lists.append((voter, shown))
            unclicked = (False,) * len(shown.doc_ids)
            clicks = unclicked if qrels is None else simulated_clicks(shown.doc_ids, of_query, users)
            mixed.clicks.append(clicks)
    return mixed


LOOKS_FURTHER, BY_MISTAKE, AT_BEST, SATISFIED = 0.8, 0.1, 0.8, 0.5
"""Chances of the users that `simulated_clicks` simulates."""


def simulated_clicks(
    doc_ids: Sequence[str], grades: Mapping[str, float], users: np.random.Generator
) -> tuple[bool, ...]:
    """Simulate which documents of a list a user clicks.

    She looks from the top. A document that she looks at is clicked with a chance from .1, if it is not relevant or not
    judged, to .8 at the best grade of the query; a click satisfies her with a chance from 0 to .5; not satisfied, she
    goes on with a chance of .8. That is the dynamic Bayesian network of Chapelle & Zhang 2009.

    >>> simulated_clicks(["a", "b", "c"], {"b": 1.0}, np.random.default_rng(0))
    (False, True, False)
    """
    best = max([*grades.values(), 1e-300])
    clicks, looks = [], True
    for doc_id, (click, satisfied, further) in zip(doc_ids, users.random((len(doc_ids), 3)).tolist(), strict=True):
        share = max(grades.get(doc_id, 0.0), 0.0) / best
        clicked = looks and click < BY_MISTAKE + (AT_BEST - BY_MISTAKE) * share
        looks = looks and not (clicked and satisfied < SATISFIED * share) and further < LOOKS_FURTHER
        clicks.append(clicked)
    return tuple(clicks)
