"""The lecturer's view of votes: open one, let phones in by a QR code, count the voters, close it, see the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from toysearch.base import ArgumentError, typed_line
from toysearch.evaluation.interleaving import BlindPair
from toysearch.laboratory.experiments.vote_counts import VoteCount, count_votes
from toysearch.page import (
    KINDS,
    MOST,
    USUAL_K,
    VOTER,
    AnyModel,
    Reply,
    Round,
    ServedSource,
    Voting,
    act,
    counts_by_query,
    is_loopback,
    qr_code,
)


def ballot(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The open vote as this phone sees it; a phone without a name gets one."""
    voting = voting_of(source)
    voter, cookie = voting.voter_or_new(asked.get(VOTER, ""))
    return _ballot(source, voting, voter)._replace(cookie=cookie)


def cast(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Save a vote; the answer is the ballot with it."""
    voting = voting_of(source)
    voter = voting.voter(asked.get(VOTER, ""))
    if voter is None:
        raise ArgumentError("this vote has no valid name of a voter; allow cookies, and open the page again")
    voting.vote(voter, asked.get("topic", ""), asked.get("doc", ""), asked.get("vote", ""))
    return _ballot(source, voting, voter)


def voting_of(source: ServedSource) -> Voting:
    """The voting of a source; if there is none, how to begin it."""
    if source.voting is None:
        raise ArgumentError(
            f"people vote here if the page is opened with `toysearch serve {source.typed} --votes FILE.jsonl`"
        )
    return source.voting


def state_of(current: Round | None) -> dict[str, Any]:
    """Whether a vote is open, and on what: by this a page knows that it is out of date."""
    if current is None:
        return {"state": "none", "round": None, "query_id": None, "query": None, "kind": None}
    about = {"round": current.name, "query_id": current.query_id, "query": current.query, "kind": current.kind}
    return {"state": "open" if current.is_open else "closed", **about}


def _ballot(source: ServedSource, voting: Voting, voter: str) -> Reply:
    """The ballot of a voter."""
    current = voting.round
    votes = voting.given(voter, current) if current is not None else {}
    data: dict[str, Any] = {
        **state_of(current),
        "lists": None,
        "documents": None,
        "notes": [],
        "vote": votes.get(""),
        "systems": None,
        "result": None,
        "need": source.need(current.query_id if current else ""),
    }
    if current is not None:
        lists = voting.ballot(voter, current)
        if isinstance(lists, BlindPair):
            sides = {"left": lists.left_ids, "right": lists.right_ids}
            data["lists"] = {side: _blind_documents(source, current, ids) for side, ids in sides.items()}
        else:
            data["documents"] = [
                document | {"thumb": votes.get(doc_id)}
                for doc_id, document in zip(
                    lists.doc_ids, _blind_documents(source, current, lists.doc_ids), strict=True
                )
            ]
        if not current.is_open:
            data["result"] = _count(voting, current, counts_by_query(voting.preferences()))
            if isinstance(lists, BlindPair):
                data["systems"] = {"left": lists.left, "right": lists.right}
            else:
                data["systems"] = dict(zip(lists.doc_ids, lists.teams, strict=True))
    data["thumbs"] = sum(1 for doc_id in votes if doc_id)
    return Reply("ballot.html", f"Vote on {source.typed}", data, {}, f"/{source.name}/ballot")


def _blind_documents(source: ServedSource, current: Round, doc_ids: Iterable[str]) -> list[dict[str, Any]]:
    """The documents of a list: their titles and best passages, without hints at their system or rank."""
    rows = []
    for doc_id in doc_ids:
        title, passage = source.passages(current.query, current.mode, doc_id)
        heading = title.text or source.title(doc_id) or doc_id
        rows.append({"doc_id": doc_id, "title": heading, "passage": passage.text, "passage_marks": passage.spans})
    return rows


_QUERIES = 100  # rows on a page; JSON has all
_BEGINNING = 100  # characters of a query in a table
_UNREACHABLE = "phones cannot open this page, because only this computer can; start it again with --host 0.0.0.0"


def vote(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The open vote and the number of voters; results only of what is closed."""
    voting = voting_of(source)
    current = voting.round
    votes = voting.of_round(current) if current is not None else []
    data: dict[str, Any] = {
        "source": source.typed,
        "systems": voting.systems,
        **state_of(current),
        "need": source.need(current.query_id if current else ""),
        "voters": len({entry.voter for entry in votes}),
        "result": None,
        "lists": None,
        "queries": [],
        "overall": [],
        "link": voting.link,
        "notes": [_UNREACHABLE] if is_loopback(urlsplit(voting.link).hostname or "") else [],
    }
    if voting.open_round is None:
        preferences = voting.preferences()
        by_query = counts_by_query(preferences)
        rows = [
            {"query_id": query_id, "query": " ".join(voting.queries.get(query_id, query_id).split())[:_BEGINNING]}
            | row._asdict()
            for query_id, counts in by_query.items()
            for row in counts
        ]
        data |= {
            "result": _result(source, voting, current, by_query) if current is not None else None,
            "lists": {name: _blind_documents(source, current, ids) for name, ids in current.lists.items()}
            if current is not None
            else None,
            "queries": rows,
            "overall": [row._asdict() for row in count_votes(preferences)] if preferences else [],
        }
    data["command"] = command = typed_line("toysearch", "votes", str(voting.log.path))
    data["judgments"] = f"{command} -o thumbs.csv" if any(entry.doc_id for entry in voting.log) else None
    k, topics = current.k if current is not None else USUAL_K, dict(source.topics)
    form = {
        "qr": qr_code(voting.link),
        "kinds": KINDS,
        "kind": current.kind if current is not None else next(iter(KINDS)),
        "k": k,
        "most_k": MOST,
        "topics": [
            (query_id, f"{topics[query_id]} ({shared} of {k} in common)")
            for query_id, shared in (voting.differing(k).items() if topics and voting.open_round is None else ())
        ],
        "topic": "",
        "has_topics": len(voting.queries) > 0,
        "most": _QUERIES,
    }
    return Reply("vote.html", f"Vote on {source.typed}", data, form, f"/{source.name}/vote")


def direct(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Open a vote, or close the open one; the answer is the view."""
    voting, action = voting_of(source), asked.get("action", "")
    kind, k = asked.get("kind", next(iter(KINDS))), asked.get("k", str(USUAL_K))
    topic, typed = asked.get("topic", ""), asked.get("q", "")
    act(action, {"open": lambda: voting.open(topic, typed, kind, k), "close": voting.close})
    return vote(source, models, {})


def _result(
    source: ServedSource, voting: Voting, current: Round, by_query: Mapping[str, list[VoteCount]]
) -> dict[str, Any]:
    """The result of one vote: the counts for the systems, and the thumbs of each document."""
    thumbs = Counter((entry.doc_id, entry.vote) for entry in voting.of_round(current) if entry.doc_id)
    rows: list[dict[str, Any]] = [
        {"doc_id": doc_id, "title": source.title(doc_id), "up": thumbs[doc_id, "up"], "down": thumbs[doc_id, "down"]}
        for doc_id in dict.fromkeys(doc_id for doc_id, _ in thumbs)
    ]
    rows.sort(key=lambda row: (-row["up"] / (row["up"] + row["down"]), -row["up"]))
    return {"count": _count(voting, current, by_query), "documents": rows}


def _count(voting: Voting, current: Round, by_query: Mapping[str, list[VoteCount]]) -> dict[str, Any] | None:
    """The votes of a round for either system, counted; None if nobody voted."""
    pair = tuple(voting.systems)
    count = next((row for row in by_query.get(current.query_id, ()) if (row.first, row.second) == pair), None)
    return count._asdict() if count else None
