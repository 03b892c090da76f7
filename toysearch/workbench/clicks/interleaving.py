"""Interleaving: two rankings mixed into one list, for a user who does not see their names."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
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
    one, other = names = sorted(lists)  # an order that does not depend on the order given
    seeds = (f"{seed}\n{query_id}\n{voter}\n{turn}" for turn in itertools.count())
    coins = (bool(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[0] & 1) for text in seeds)
    rest: dict[str, Iterator[str]] = {name: iter(lists[name]) for name in names}
    teams: dict[str, str] = {}
    sizes = dict.fromkeys(names, 0)
    waiting = {name: next(rest[name], None) for name in names}
    while len(teams) < k:
        for name in names:  # what the other has brought is passed over
            while waiting[name] in teams:
                waiting[name] = next(rest[name], None)
        if None in waiting.values():
            break
        picks = one if sizes[one] < sizes[other] or (sizes[one] == sizes[other] and next(coins)) else other
        teams[str(waiting[picks])] = picks
        sizes[picks] += 1
    return Interleaved(query_id, tuple(teams), tuple(teams.values()))


Ranks = dict[str, dict[str, tuple[int | None, int | None]]]
"""Query → document → its rank in each of two runs."""


@dataclass(frozen=True)
class InterleavedRuns(Result):
    """Lists mixed from two runs, for users to click in.

    Attributes
    ----------
    systems : tuple of str
        The two runs, in the order of their names.
    lists : list of (str, Interleaved)
        The session of each list, and the list.
    ranks : dict of str to dict of str to (int or None, int or None)
        Query_id → doc_id → its rank in each run.
    clicks : list of tuple of bool
        For each list, which documents a simulated user clicked; none without judgments.
    """

    systems: tuple[str, str]
    lists: list[tuple[str, Interleaved]]
    ranks: Ranks
    clicks: list[tuple[bool, ...]]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per document of each list; the column clicked is for the users."""
        rows = [
            (session, shown.query_id, rank, doc_id, team, *self.ranks[shown.query_id][doc_id], int(clicked))
            for (session, shown), clicks in zip(self.lists, self.clicks, strict=True)
            for rank, (doc_id, team, clicked) in enumerate(zip(shown.doc_ids, shown.teams, clicks, strict=True), 1)
        ]
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
    runs = [as_run(first), as_run(second)]
    if runs[0].name == runs[1].name:
        raise ArgumentError(f"both runs are called '{runs[0].name}'; a document must be credited to one of them")
    if sessions < 1:
        raise ArgumentError(f"sessions must be at least 1, not {sessions}")
    runs.sort(key=lambda run: run.name)
    names = runs[0].name, runs[1].name
    one, other = (ordered(run, None)[0] for run in runs)
    queries = [query_id for query_id in one.query_ids if query_id in other]
    if not queries:
        raise ArgumentError(f"{names[0]} and {names[1]} have no query in common")
    lists = []
    ranks: Ranks = {}
    for query_id in queries:
        rankings = {name: list(run.doc_ids_of(query_id)) for name, run in zip(names, (one, other), strict=True)}
        first_ranks, second_ranks = ({doc: rank for rank, doc in enumerate(docs, 1)} for docs in rankings.values())
        both = dict.fromkeys([*first_ranks, *second_ranks])
        ranks[query_id] = {doc: (first_ranks.get(doc), second_ranks.get(doc)) for doc in both}
        lists += [
            (voter, interleave(rankings, query_id, k=k, seed=seed, voter=voter))
            for voter in map(str, range(1, sessions + 1))
        ]
    judged = Qrels.from_dict({}) if qrels is None else judgments_of(qrels).qrels
    graded = {query_id: judged[query_id] for query_id in queries if query_id in judged}
    users = np.random.default_rng(seed)
    clicks = [
        (False,) * len(mixed.doc_ids)
        if qrels is None
        else simulated_clicks(mixed.doc_ids, graded.get(mixed.query_id, {}), users)
        for _, mixed in lists
    ]
    return InterleavedRuns(names, lists, ranks, clicks)


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
