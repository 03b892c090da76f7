"""Two rankings shown to a user without their names: mixed into one list, or side by side."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    Qrels,
    Result,
    ResultTable,
    checked,
    expect_name,
    number_columns,
    ordered,
    records,
)
from toysearch.formats import QrelsLike, RunLike, as_run, judgments_of

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
        The system that each document is credited to; in a balanced list, both with a bar between them; in an
        optimised list, both with a tilde.
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
    possible. An optimised list is one of those whose first n documents are always the first a of one ranking and the
    first b of the other, and a document at ranks r and s of the two is credited with 1 / r − 1 / s. The chances of
    these lists solve a linear program: for each n, the first n documents of a list have a credit of 0 on average, so
    users who click at random prefer no system; and of all such chances, these make clicks most telling.

    A list ends after k documents, or when a ranking has no other document; optimised, as soon as the shorter ranking
    could have none. A list of a ranking with itself is the ranking, except by the probabilistic method.

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
    method : {"team-draft", "balanced", "probabilistic", "optimised"}
        How the list is made; an optimised list has at most 10 documents.

    Raises
    ------
    ArgumentError
        If there are not two systems, k is below 1 or too large for the method, or the method is unknown.

    References
    ----------
    Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008, algorithms 1 and 2;
    Hofmann, Whiteson & de Rijke, "A probabilistic method for inferring preferences from clicks", CIKM 2011, τ = 3;
    Radlinski & Craswell, "Optimized interleaving for online retrieval evaluation", WSDM 2013, with inverse ranks. How
    telling a list is: the chance that a click at rank i, with chance 1 / i, falls on a credited document, times the
    entropy of the system that it is credited to.

    Examples
    --------
    >>> found = interleave({"bm25": ["a", "b", "c"], "lsa": ["b", "d", "e"]}, "1", k=4, voter="ada")
    >>> found.doc_ids, found.teams
    (('b', 'a', 'd', 'c'), ('lsa', 'bm25', 'lsa', 'bm25'))
    """
    names = _two(lists, k)
    expect_name("method", method, METHODS)
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


_MOST_OPTIMISED = 10  # documents: 1,024 lists


def _optimised(
    names: tuple[str, str], lists: Mapping[str, Sequence[str]], k: int, digests: Iterator[bytes]
) -> tuple[list[str], list[str]]:
    if k > _MOST_OPTIMISED:
        raise ArgumentError(f"an optimised list has at most {_MOST_OPTIMISED} documents, not {k}; give a smaller k")
    one, other = (tuple(lists[name]) for name in names)
    depth = min(k, len(one), len(other))
    allowed, chances = list_chances(one, other, depth)
    drawn = int.from_bytes(next(digests)[1:8], "big") / 2**56
    place = min(int(np.searchsorted(np.cumsum(chances), drawn, "right")), len(allowed) - 1)
    return list(allowed[place]), ["~".join(names)] * depth


@functools.lru_cache(maxsize=64)
def list_chances(
    one: tuple[str, ...], other: tuple[str, ...], k: int
) -> tuple[list[tuple[str, ...]], tuple[float, ...]]:
    """The lists that optimised interleaving allows, and the chance of each."""
    allowed: list[tuple[str, ...]] = [()]
    for _ in range(k):
        allowed = [
            (*beginning, doc_id)
            for beginning in allowed
            for doc_id in dict.fromkeys(next(doc for doc in docs if doc not in beginning) for docs in (one, other))
        ]
    ranks = [{doc_id: rank for rank, doc_id in enumerate(docs, 1)} for docs in (one, other)]
    shares = {doc_id: 1 / ranks[0].get(doc_id, math.inf) - 1 / ranks[1].get(doc_id, math.inf) for doc_id in one + other}
    leads = np.array([[shares[doc_id] for doc_id in doc_ids] for doc_ids in allowed]).reshape(len(allowed), k)
    chance = 1 / np.arange(1, k + 1)
    parts = np.array([(leads > 0) @ chance, (leads < 0) @ chance]) / max(chance.sum(), 1)
    credited = np.fmax(parts.sum(0), 1e-300)
    entropies = -(parts * np.log2(np.fmax(parts / credited, 1e-300))).sum(0)
    fair = np.vstack([leads.cumsum(1).T, np.ones(len(allowed))])
    return allowed, _maximum(fair, np.append(np.zeros(k), 1.0), entropies.round(9))


def _maximum(matrix: np.ndarray, values: np.ndarray, gains: np.ndarray) -> tuple[float, ...]:
    """The x >= 0 with matrix · x = values (>= 0) and the largest gains · x.

    The simplex method in two phases, with Bland's rule: Dantzig 1951; Bland 1977, Mathematics of Operations Research 2.
    """
    n_rows, n = matrix.shape
    table = np.hstack([matrix, np.eye(n_rows), values[:, None]])
    basis, tolerance = [*range(n, n + n_rows)], 1e-9
    for phase, costs in enumerate((np.append(np.zeros(n), -np.ones(n_rows)), np.append(gains, np.zeros(n_rows)))):
        while True:
            reduced = costs[:n] - sum(costs[place] * table[row, :n] for row, place in enumerate(basis))
            entering = next(iter(np.flatnonzero(reduced > tolerance)), None)
            if entering is None:
                break
            column = table[:, entering]
            stuck = [row for row, place in enumerate(basis) if place >= n and abs(column[row]) > tolerance]
            rows = (stuck if phase else []) or [row for row in range(n_rows) if column[row] > tolerance]
            ratios = [(table[row, -1] / column[row], basis[row], row) for row in rows]
            least = min(ratio for ratio, _, _ in ratios)
            leaving = min((place, row) for ratio, place, row in ratios if ratio <= least + tolerance)[1]
            table[leaving] /= table[leaving, entering]
            for row in range(n_rows):
                if row != leaving:
                    table[row] -= table[row, entering] * table[leaving]
            basis[leaving] = int(entering)
    x = np.zeros(n + n_rows)
    x[basis] = np.fmax(table[:, -1], 0)
    return tuple((x[:n] / x[:n].sum()).tolist())


METHODS = MappingProxyType(
    {"team-draft": _team_draft, "balanced": _balanced, "probabilistic": _probabilistic, "optimised": _optimised}
)
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
    clicks : list of tuple of bool
        For each list, which documents a simulated user clicked; none without judgments.
    """

    systems: tuple[str, str]
    method: str
    lists: list[tuple[str, Interleaved]]
    ranks: dict[str, dict[str, tuple[int | None, int | None]]]
    clicks: list[tuple[bool, ...]]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """A row per document of each list; the column clicked is for the users."""
        rows = [
            (session, shown.query_id, rank, doc_id, team, *self.ranks[shown.query_id][doc_id], int(clicked))
            for (session, shown), clicks in zip(self.lists, self.clicks, strict=True)
            for rank, (doc_id, team, clicked) in enumerate(zip(shown.doc_ids, shown.teams, clicks, strict=True), 1)
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
    first: RunLike,
    second: RunLike,
    *,
    qrels: QrelsLike | None = None,
    method: str = "team-draft",
    k: int = 10,
    sessions: int = 1,
    seed: int = 0,
) -> InterleavedRuns:
    """Mix two runs into lists for users to click in.

    There is a list per query and session, and each document is credited to the run that brought it. Written as CSV, it
    is a click log without clicks: show the lists, fill in the column clicked, and ask `toysearch preference` which run
    the users prefer. With judgments, simulated users click, whose preference is therefore known: a try of the method,
    not of the runs.

    Parameters
    ----------
    first, second : run
        The runs, or their files. Queries that only one of them has are left out.
    qrels : qrels, optional
        Judgments by which simulated users click (`simulated_clicks`).
    method : {"team-draft", "balanced", "probabilistic", "optimised"}
        How a list is made (`interleave`).
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
        lists += [
            (voter, interleave(rankings, query_id, k=k, seed=seed, voter=voter, method=method))
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
    return InterleavedRuns(names, method, lists, ranks, clicks)


LOOKS_FURTHER, BY_MISTAKE, AT_BEST, SATISFIED = 0.8, 0.1, 0.8, 0.5
"""How users are simulated by `simulated_clicks`."""


def simulated_clicks(
    doc_ids: Sequence[str], grades: Mapping[str, float], users: np.random.Generator
) -> tuple[bool, ...]:
    """Which documents of a list a simulated user clicks.

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
