"""Two rankings shown to a user without their names: mixed into one list, or side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    Result,
    ResultTable,
    checked,
    number_columns,
    ordered,
    records,
    unknown,
)
from toysearch.formats import RunLike, as_run

__all__ = ["BlindPair", "Interleaved", "InterleavedRuns", "blind_pair", "interleave", "interleave_runs"]


class Interleaved(NamedTuple):
    """One list made of two rankings.

    Attributes
    ----------
    query_id : str
        The query.
    doc_ids : tuple of str
        The documents in the order shown.
    teams : tuple of str
        The system that each document is credited to; in a balanced list, both with a bar between them.
    """

    query_id: str
    doc_ids: tuple[str, ...]
    teams: tuple[str, ...]


class BlindPair(NamedTuple):
    """Two rankings side by side.

    Attributes
    ----------
    query_id : str
        The query.
    left, right : str
        The system on each side; voters do not see it.
    left_ids, right_ids : tuple of str
        The documents on each side, best first.
    """

    query_id: str
    left: str
    right: str
    left_ids: tuple[str, ...]
    right_ids: tuple[str, ...]


@checked
def interleave(
    lists: Mapping[str, Sequence[str]],
    query_id: str,
    *,
    k: int = 10,
    seed: int = 0,
    voter: str = "",
    method: str = "team-draft",
) -> Interleaved:
    """Two rankings mixed into one list, each document credited to the system that brought it.

    By team draft, the systems take turns like two captains who pick players: in each round, a coin decides who picks
    first, and each picks its best document that is not in the list yet. So both systems have equally many documents, or
    one has one more, and the coin decides which. In a balanced list one coin decides who is ahead; its first n
    documents are always the first a of one ranking and the first b of the other, with a and b equal or one apart, and
    clicks are credited by the ranks. In a probabilistic list a coin decides who is next at each place, and the document
    is drawn: that at rank r of a ranking with chance 1 / r³, over those that are not in the list yet. So any order is
    possible. A list ends after k documents, or when a ranking has no other document. A list of a ranking with itself is
    the ranking by the first two methods.

    Parameters
    ----------
    lists : dict of str to sequence of str
        Two systems by name, each with its documents, best first.
    query_id : str
        The query.
    k : int, default 10
        The number of documents.
    seed : int, default 0
        Decides the coins, with the query and the voter: the same list for the same three.
    voter : str, default ""
        Who votes. With each voter's own name, an advantage by chance averages out.
    method : {"team-draft", "balanced", "probabilistic"}
        How the list is made.

    Raises
    ------
    ArgumentError
        If there are not two systems, k is below 1, or the method is unknown.

    References
    ----------
    Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008, algorithms 1 and 2;
    Hofmann, Whiteson & de Rijke, "A probabilistic method for inferring preferences from clicks", CIKM 2011, τ = 3.

    Examples
    --------
    >>> found = interleave({"bm25": ["a", "b", "c"], "lsa": ["b", "d", "e"]}, "1", k=4, voter="ada")
    >>> found.doc_ids, found.teams
    (('b', 'a', 'd', 'c'), ('lsa', 'bm25', 'lsa', 'bm25'))
    """
    names = _two(lists, k)
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    doc_ids, teams = METHODS[method](names, lists, k, _digests(seed, query_id, voter))
    return Interleaved(query_id, tuple(doc_ids), tuple(teams))


def _team_draft(
    names: tuple[str, str], lists: Mapping[str, Sequence[str]], k: int, digests: Iterator[bytes]
) -> tuple[list[str], list[str]]:
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
        one, other = names
        picks = one if sizes[one] < sizes[other] or (sizes[one] == sizes[other] and _coin(next(digests))) else other
        teams[str(waiting[picks])] = picks
        sizes[picks] += 1
    return list(teams), list(teams.values())


def _balanced(
    names: tuple[str, str], lists: Mapping[str, Sequence[str]], k: int, digests: Iterator[bytes]
) -> tuple[list[str], list[str]]:
    ahead, behind = names if _coin(next(digests)) else names[::-1]
    places = dict.fromkeys(names, 0)
    doc_ids: dict[str, None] = {}
    while len(doc_ids) < k and all(places[name] < len(lists[name]) for name in names):
        turn = ahead if places[ahead] <= places[behind] else behind
        doc_ids[lists[turn][places[turn]]] = None
        places[turn] += 1
    return list(doc_ids), ["|".join(names)] * len(doc_ids)


def _probabilistic(
    names: tuple[str, str], lists: Mapping[str, Sequence[str]], k: int, digests: Iterator[bytes]
) -> tuple[list[str], list[str]]:
    teams: dict[str, str] = {}
    while len(teams) < k:
        free = {
            name: [(doc_id, rank) for rank, doc_id in enumerate(lists[name], 1) if doc_id not in teams]
            for name in names
        }
        if not all(free.values()):
            break
        digest = next(digests)
        name = names[0] if _coin(digest) else names[1]
        summed = np.cumsum([rank**-3.0 for _, rank in free[name]])
        drawn = int.from_bytes(digest[1:8], "big") / 2**56 * summed[-1]
        teams[free[name][int(np.searchsorted(summed, drawn, "right"))][0]] = name
    return list(teams), list(teams.values())


METHODS = MappingProxyType({"team-draft": _team_draft, "balanced": _balanced, "probabilistic": _probabilistic})
"""Method → the documents of a list and what each is credited to."""


@dataclass(frozen=True)
class InterleavedRuns(Result):
    """The lists of two runs mixed, for users to click in.

    Attributes
    ----------
    systems : tuple of str
        The two runs, in the order of their names.
    method : str
        How the lists are made.
    lists : list of (str, Interleaved)
        The session of each list, and the list.
    ranks : dict of str to dict of str to (int or None, int or None)
        Query_id → doc_id → its rank in each run.
    """

    systems: tuple[str, str]
    method: str
    lists: list[tuple[str, Interleaved]]
    ranks: dict[str, dict[str, tuple[int | None, int | None]]]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """A row per document of each list; the column clicked is for the users."""
        rows = [
            (session, shown.query_id, rank, doc_id, team, *self.ranks[shown.query_id][doc_id], 0)
            for session, shown in self.lists
            for rank, (doc_id, team) in enumerate(zip(shown.doc_ids, shown.teams, strict=True), 1)
        ]
        columns = [Column("session"), Column("query_id", "query"), *number_columns("", "rank"), Column("doc_id", "doc")]
        numbers = number_columns("", first_rank="first", second_rank="second", clicked="clicked")
        return [ResultTable([*columns, Column("system"), *numbers], rows)]

    def about(self) -> list[str]:
        """What was mixed."""
        return [f"{' and '.join(self.systems)} by {self.method}; first and second: the ranks in each"]

    def data(self) -> list[dict[str, object]]:
        """The rows, as JSON has them."""
        return records(self.tables()[0])


@checked
def interleave_runs(
    first: RunLike, second: RunLike, *, method: str = "team-draft", k: int = 10, sessions: int = 1, seed: int = 0
) -> InterleavedRuns:
    """Mix two runs into lists for users to click in.

    There is a list per query and session, and each document is credited to the run that brought it. Written as CSV, it
    is a click log without clicks: show the lists, fill in the column clicked, and ask `toysearch preference` which run
    the users prefer.

    Parameters
    ----------
    first, second : run
        The runs, or their files. Queries that only one of them has are left out.
    method : {"team-draft", "balanced", "probabilistic"}
        How a list is made.
    k : int, default 10
        The number of documents of a list.
    sessions : int, default 1
        The number of lists per query, each with other coins.
    seed : int, default 0
        Decides the coins.

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
    lists: list[tuple[str, Interleaved]] = []
    ranks: dict[str, dict[str, tuple[int | None, int | None]]] = {}
    for query_id in queries:
        rankings = {name: list(run.doc_ids_of(query_id)) for name, run in zip(names, (one, other), strict=True)}
        first_ranks, second_ranks = ({doc: rank for rank, doc in enumerate(docs, 1)} for docs in rankings.values())
        both = dict.fromkeys([*first_ranks, *second_ranks])
        ranks[query_id] = {doc: (first_ranks.get(doc), second_ranks.get(doc)) for doc in both}
        for number in range(1, sessions + 1):
            shown = interleave(rankings, query_id, k=k, seed=seed, voter=str(number), method=method)
            lists.append((str(number), shown))
    return InterleavedRuns(names, method, lists, ranks)


@checked
def blind_pair(
    lists: Mapping[str, Sequence[str]], query_id: str, *, k: int = 10, seed: int = 0, voter: str = ""
) -> BlindPair:
    """Two rankings side by side; a coin decides which is on the left.

    Parameters
    ----------
    lists : dict of str to sequence of str
        Two systems by name, each with its documents, best first.
    query_id : str
        The query.
    k : int, default 10
        The number of documents on each side.
    seed : int, default 0
        Decides the coin, with the query and the voter.
    voter : str, default ""
        Who votes. With each voter's own name, a preference for one side averages out.

    Raises
    ------
    ArgumentError
        If there are not two systems, or k is below 1.

    Examples
    --------
    >>> blind_pair({"bm25": ["a", "b"], "lsa": ["b", "d"]}, "1", k=1, voter="ada")
    BlindPair(query_id='1', left='lsa', right='bm25', left_ids=('b',), right_ids=('a',))
    """
    one, other = _two(lists, k)
    on_left, on_right = (one, other) if _coin(next(_digests(seed, query_id, voter))) else (other, one)
    return BlindPair(query_id, on_left, on_right, tuple(lists[on_left][:k]), tuple(lists[on_right][:k]))


def _two(lists: Mapping[str, Sequence[str]], k: int) -> tuple[str, str]:
    """The names of two systems, in an order that does not depend on the order given."""
    if len(lists) != 2:
        raise ArgumentError(f"a vote compares two systems, not {len(lists)}")
    if k < 1:
        raise ArgumentError(f"k must be at least 1, not {k}")
    one, other = sorted(lists)
    return one, other


def _digests(seed: int, query_id: str, voter: str) -> Iterator[bytes]:
    """Random bytes, the same on every machine."""
    turn = 0
    while True:
        yield hashlib.sha256(f"{seed}\n{query_id}\n{voter}\n{turn}".encode(errors="surrogatepass")).digest()
        turn += 1


def _coin(digest: bytes) -> bool:
    return bool(digest[0] & 1)
