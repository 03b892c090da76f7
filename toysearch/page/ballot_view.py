"""The view of a ballot: what a phone in the audience sees of the open vote, and the votes that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toysearch.base import ArgumentError
from toysearch.evaluation.interleaving import BlindPair
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.served_source import ServedSource
from toysearch.page.voting import Round, Voting

COOKIE = "toysearch-voter"
"""The cookie that keeps the name of a voter."""

VOTER = "voter"
"""The name under which a view finds what a phone has kept (a cookie)."""


def ballot(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The open vote as this phone sees it; a phone without a name gets one."""
    voting, kept = voting_of(source), asked.get(VOTER, "")
    voter = voting.voter(kept)
    if voter is None:
        kept = voting.new_voter()
        voter = voting.voter(kept) or ""
        return _ballot(source, voting, voter)._replace(cookie=(COOKIE, kept))
    return _ballot(source, voting, voter)


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
    state = "open" if current.is_open else "closed"
    named = {"round": current.name, "query_id": current.query_id, "query": current.query, "kind": current.kind}
    return {"state": state, **named}


def _ballot(source: ServedSource, voting: Voting, voter: str) -> Reply:
    """The ballot of a voter."""
    current = voting.round
    given = voting.given(voter, current) if current is not None else {}
    data: dict[str, Any] = {**state_of(current), "lists": None, "documents": None, "notes": []}
    data["vote"] = given.get("")
    if current is not None and current.is_open:
        shown = voting.ballot(voter, current)
        if isinstance(shown, BlindPair):
            sides = {"left": shown.left_ids, "right": shown.right_ids}
            data["lists"] = {side: [_shown(source, current, each) for each in ids] for side, ids in sides.items()}
        else:
            data["documents"] = [_shown(source, current, each) | {"thumb": given.get(each)} for each in shown.doc_ids]
    data["thumbs"] = sum(1 for doc_id in given if doc_id)
    return Reply("ballot.html", f"Vote on {source.typed}", data, {}, f"/{source.name}/ballot")


def _shown(source: ServedSource, current: Round, doc_id: str) -> dict[str, Any]:
    """A document of a list: its title and its best passage, and nothing that tells the system or the rank."""
    title, passage = source.passages(current.query, current.mode, doc_id)
    return {
        "doc_id": doc_id,
        "title": title.text or source.title(doc_id) or doc_id,
        "passage": passage.text,
        "passage_marks": passage.spans,
    }
