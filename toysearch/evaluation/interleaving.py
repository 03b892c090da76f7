"""Two rankings shown to a voter without their names: mixed into one list by team draft, or side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toysearch.base import ArgumentError, checked

__all__ = ["BlindPair", "Interleaved", "blind_pair", "interleave"]


class Interleaved(NamedTuple):
    """One list made of two rankings.

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
    lists: Mapping[str, Sequence[str]], query_id: str, *, k: int = 10, seed: int = 0, voter: str = ""
) -> Interleaved:
    """Two rankings mixed into one list by team draft, each document credited to the system that brought it.

    The systems take turns like two captains who pick players: in each round, a coin decides who picks first, and each
    picks its best document that is not in the list yet. The list ends after k documents, or when a ranking has no other
    document. So both systems have equally many documents, or one has one more, and the coin decides which.

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
    names = _two(lists, k)
    coins = _coins(seed, query_id, voter)
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
        picks = one if sizes[one] < sizes[other] or (sizes[one] == sizes[other] and next(coins)) else other
        teams[str(waiting[picks])] = picks
        sizes[picks] += 1
    return Interleaved(query_id, tuple(teams), tuple(teams.values()))


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
    on_left, on_right = (one, other) if next(_coins(seed, query_id, voter)) else (other, one)
    return BlindPair(query_id, on_left, on_right, tuple(lists[on_left][:k]), tuple(lists[on_right][:k]))


def _two(lists: Mapping[str, Sequence[str]], k: int) -> tuple[str, str]:
    """The names of two systems, in an order that does not depend on the order given."""
    if len(lists) != 2:
        raise ArgumentError(f"a vote compares two systems, not {len(lists)}")
    if k < 1:
        raise ArgumentError(f"k must be at least 1, not {k}")
    one, other = sorted(lists)
    return one, other


def _coins(seed: int, query_id: str, voter: str) -> Iterator[bool]:
    """Coins, the same on every machine."""
    turn = 0
    while True:
        digest = hashlib.sha256(f"{seed}\n{query_id}\n{voter}\n{turn}".encode(errors="surrogatepass")).digest()
        yield bool(digest[0] & 1)
        turn += 1
