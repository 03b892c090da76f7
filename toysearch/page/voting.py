"""Voting on a page: which query is voted on, what each voter sees, blind to the systems, and who a voter is."""

from __future__ import annotations

import functools
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import toysearch
from toysearch import Index
from toysearch.base import ArgumentError, Query, expect_name, groups_of, without_notes
from toysearch.evaluation.interleaving import BlindPair, Interleaved, blind_pair, interleave
from toysearch.formats.judgment_log import Preference, Vote, VoteLog
from toysearch.laboratory import VoteCount, count_votes, rank_biased_overlap
from toysearch.page.judging import judge_keys
from toysearch.search.typed_query import read_typed

KINDS = {"lists": "two lists: left, right or tie", "thumbs": "one mixed list: a thumb for each document"}
"""What an audience is asked, and how the page names it."""

COOKIE = "toysearch-voter"
"""The cookie that keeps the name of a voter."""

VOTER = "voter"
"""The name under which a view finds what a browser has kept (a cookie)."""

USUAL_K, MOST = 5, 20  # documents of a list
_LONGEST = 300  # characters of a query that is typed


class Round(NamedTuple):
    """A vote that was opened; after closing, its last state."""

    name: str  # random: a page that shows another one is out of date
    query_id: str
    query: str
    mode: str  # how the query is read
    kind: str
    k: int
    lists: Mapping[str, Sequence[str]]  # system → doc_ids
    is_open: bool = True


class Voting:
    """The votes of an audience on two systems: one query after the other, opened and closed by the lecturer."""

    # queries: query_id → text. systems: two models. key: a secret that signs the names of voters and decides the coins;
    # kept in a file, it keeps both when the page is opened again. link: the address of the ballot, for phones; token:
    # what lets them in there, and nowhere else.

    def __init__(
        self,
        index: Index,
        queries: Mapping[str, str],
        log: VoteLog,
        systems: Sequence[Any],
        *,
        key: str,
        token: str,
        link: str,
    ) -> None:
        self.index, self.queries, self.log, self.token, self.link = index, queries, log, token, link
        self._searchers = {str(model): toysearch.Searcher(index, model) for model in systems}
        if len(self._searchers) != 2:
            raise ArgumentError(
                f"a vote compares two systems, not {len(self._searchers)}; give two different ones (--model)"
            )
        self._key, self._voters = key.encode(), 0
        self.differing = functools.lru_cache(self._differing)
        self.round: Round | None = None

    @property
    def systems(self) -> list[str]:
        """The two models, in the order of their names."""
        return sorted(self._searchers)

    def open(self, topic: str, typed: str, kind: str, k: str) -> None:
        """Open a vote on a topic or on a query that is typed, and close the one before."""
        expect_name("kind of vote", kind, KINDS, "kinds")
        if not (k.isascii() and k.isdecimal() and len(k) < 4 and 1 <= int(k) <= MOST):
            raise ArgumentError(f"a list has 1 to {MOST} documents, not '{k:.40}'")
        query_id, query, mode = self._query_of(topic, " ".join(typed.split()))
        lists = {
            name: tuple(hit.doc_id for hit in searcher.search(query, int(k), query_mode=mode))
            for name, searcher in self._searchers.items()
        }
        one, other = lists.values()
        if one == other:
            reason = f"give the same {len(one)} documents in the same order" if one else "find nothing"
            raise ArgumentError(f"both systems {reason}, so there is nothing to vote on; choose another query")
        self.round = Round(
            secrets.token_hex(4), query_id, self.queries.get(query_id, query_id), mode, kind, int(k), lists
        )

    def _differing(self, k: int) -> dict[str, int]:
        """The topics to whose words the systems give different lists, and how many documents the lists share.

        Those whose lists overlap least (rank-biased overlap) come first.
        """
        with without_notes():
            one, other = (searcher.run(self.queries, k) for searcher in self._searchers.values())
        overlaps, shared = {}, {}
        for query_id in self.queries:
            first, second = ([*run[query_id]] if query_id in run else [] for run in (one, other))
            if first != second:
                overlaps[query_id] = rank_biased_overlap(first, second).extrapolated
                shared[query_id] = len({*first} & {*second})
        return {query_id: shared[query_id] for query_id in sorted(overlaps, key=overlaps.__getitem__)}

    def _query_of(self, topic: str, typed: str) -> tuple[str, Any, str]:
        """The query_id, the query to search for and its mode; a typed query is its own id."""
        if bool(topic) == bool(typed):
            raise ArgumentError("choose a judged query or type another one: either of the two")
        if topic:
            expect_name("query", topic, self.queries, "queries")
            return topic, Query(topic, self.queries[topic]), "plain"
        if len(typed) > _LONGEST:
            raise ArgumentError(f"a query may have at most {_LONGEST} characters here, not {len(typed):,}")
        if typed in self.queries:
            raise ArgumentError(f"'{typed}' is the id of a judged query: choose it, or type other words")
        parsed, _ = read_typed(self.index, typed)
        return typed, parsed.asked, parsed.mode

    def close(self) -> None:
        """Close the vote: its result is known from now on."""
        if self.round is not None:
            self.round = self.round._replace(is_open=False)

    @property
    def open_round(self) -> Round | None:
        """The vote that is open."""
        return self.round if self.round is not None and self.round.is_open else None

    def voter_or_new(self, kept: str) -> tuple[str, tuple[str, str] | None]:
        """The name of a voter; a new one, which nobody can guess or make up, comes with the cookie that keeps it."""
        if (name := self.voter(kept)) is not None:
            return name, None
        name = f"{self._voters}-{secrets.token_urlsafe(12)}"
        self._voters += 1
        return name, (COOKIE, f"{name}.{self._signature(name)}")

    def voter(self, kept: str) -> str | None:
        """The name of a voter, from what the phone has kept; None if it was made up."""
        name, _, signature = kept.rpartition(".")
        signed = hmac.compare_digest(signature.encode(errors="replace"), self._signature(name).encode())
        return name if signed else None

    def _signature(self, voter: str) -> str:
        return hmac.new(self._key, voter.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def ballot(self, voter: str, current: Round) -> BlindPair | Interleaved:
        """What a voter sees. Of each two phones in turn, one sees either system in the place of the other."""
        number = int(voter.partition("-")[0])
        one, other = self.systems
        alias = {one: other, other: one} if number % 2 else {one: one, other: other}
        lists = {name: current.lists[alias[name]] for name in alias}
        coins = f"{self._key!r} {number // 2}"
        if current.kind == "lists":
            pair = blind_pair(lists, current.query_id, k=current.k, voter=coins)
            return pair._replace(left=alias[pair.left], right=alias[pair.right])
        mixed = interleave(lists, current.query_id, k=current.k, voter=coins)
        return mixed._replace(teams=tuple(alias[team] for team in mixed.teams))

    def vote(self, voter: str, query_id: str, doc_id: str, vote: str) -> None:
        """Save a vote on the open query; it is on the disk when this returns."""
        current = self.open_round
        if current is None:
            raise ArgumentError("no vote is open now, so this one was not counted; wait for the next")
        if query_id != current.query_id:
            raise ArgumentError("the vote on this query is closed, so yours was not counted; reload the page")
        lists = self.ballot(voter, current)
        if isinstance(lists, BlindPair):
            if doc_id:
                raise ArgumentError("this vote is on two lists, not on a document: vote left, right or tie")
            self.log.prefer(voter, query_id, vote, left=lists.left, right=lists.right)
            return
        if doc_id not in lists.doc_ids:
            raise ArgumentError(f"'{doc_id:.80}' is not in your list; a thumb is for a document of the list")
        expect_name("vote", vote, ("up", "down"))
        team = lists.teams[lists.doc_ids.index(doc_id)]
        other = next(name for name in self.systems if name != team)
        self.log.thumb(voter, query_id, doc_id, up=vote == "up", team=team, other=other)

    def id_of(self, topic: str, typed: str) -> str | None:
        """The id of a ranked query; words that are typed are their own, unless another query has that id."""
        words = " ".join(typed.split())
        return topic or (words if words and words not in self.queries else None)

    def thumbs(self, voter: str | None, query_id: str | None) -> dict[str, str]:
        """The thumbs of a voter on the documents of one ranking, whatever ranked them."""
        votes = self.log.of_voter(voter, query_id) if voter and query_id else []
        return {vote.doc_id: vote.vote for vote in votes if vote.doc_id and not vote.left}

    def thumb(self, voter: str, query_id: str, doc_id: str, vote: str, model: str, rank: int) -> str | None:
        """Save a thumb on a document of a ranking, or take it back if it is the one in force, which is returned."""
        expect_name("vote", vote, ("up", "down"))
        if self.thumbs(voter, query_id).get(doc_id) == vote:
            self.log.withdraw(voter, query_id, doc_id)
            return None
        self.log.thumb(voter, query_id, doc_id, up=vote == "up", model=model, rank=rank)
        return vote

    def given(self, voter: str, current: Round) -> dict[str, str]:
        """What a voter has voted in a round: by document, or under "" on the lists."""
        return {
            vote.doc_id: vote.vote for vote in self.log.of_voter(voter, current.query_id) if self._is_of(vote, current)
        }

    def of_round(self, current: Round) -> list[Vote]:
        """The votes in force that were given in a round, or in an earlier one of the same kind on the same query."""
        return [vote for vote in self.log.of_query(current.query_id) if self._is_of(vote, current)]

    def _is_of(self, vote: Vote, current: Round) -> bool:
        return bool(vote.doc_id) == (current.kind == "thumbs") and sorted((vote.left, vote.right)) == self.systems

    def preferences(self) -> list[Preference]:
        """What each voter prefers, by query; the open query is left out, because its result is not known yet."""
        hidden = self.open_round.query_id if self.open_round else None
        return [preference for preference in self.log.preferences() if preference.query_id != hidden]


def counts_by_query(preferences: Sequence[Preference]) -> dict[str, list[VoteCount]]:
    """The votes on each query counted: one row for each pair of systems."""
    of_query = groups_of((preference.query_id, preference) for preference in preferences)
    return {query_id: [row for row in count_votes(votes) if row.by == "votes"] for query_id, votes in of_query.items()}


def opened_voting(source: Any, path: str, systems: Sequence[Any], place: str, guarded: bool) -> Voting:
    """The voting on a source, with its log open, and with keys that stay the same after a restart."""
    collection = source.collection
    queries = {query.query_id: query.text for query in collection.queries} if collection is not None else {}
    log = VoteLog(path)
    keys = judge_keys(Path(path).with_suffix(".keys.json"), ["voters", "phones"])
    token = keys["phones"]
    link = f"http://{place}/{source.name}/ballot" + (f"?token={token}" if guarded else "")
    return Voting(source.index, queries, log, systems, key=keys["voters"], token=token, link=link)
