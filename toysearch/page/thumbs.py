"""Thumbs on the documents of a search: the people who give them, and what each person thinks of a document."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toysearch.base import expect_name
from toysearch.page.judging_rules import judge_keys
from toysearch.workbench.judging.judgment_log import VoteLog

COOKIE = "toysearch-voter"
"""Cookie that keeps the name of a voter."""

VOTER = "voter"
"""Name under which a view finds what a browser has kept (a cookie)."""


class Thumbs:
    """Thumbs of people on documents, which a log keeps."""

    # queries: query_id → text. key: a secret that signs the names of voters; kept in a file, it keeps them when the
    # page is opened again.

    def __init__(self, queries: Mapping[str, str], log: VoteLog, key: str) -> None:
        self.queries, self.log, self._key = queries, log, key.encode()

    def voter_or_new(self, cookie: str) -> tuple[str, tuple[str, str] | None]:
        """Return the name of a voter; a new one, which nobody can guess, comes with the cookie that keeps it."""
        if (name := self.voter(cookie)) is not None:
            return name, None
        name = secrets.token_urlsafe(12)
        return name, (COOKIE, f"{name}.{self._signature(name)}")

    def voter(self, cookie: str) -> str | None:
        """Return the name of a voter, from what the browser has kept; None if it was made up."""
        name, _, signature = cookie.rpartition(".")
        signed = hmac.compare_digest(signature.encode(errors="replace"), self._signature(name).encode())
        return name if signed else None

    def _signature(self, voter: str) -> str:
        return hmac.new(self._key, voter.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def id_of(self, topic: str, typed: str) -> str | None:
        """Return the id of a ranked query; words that are typed are their own, unless another query has that id."""
        words = " ".join(typed.split())
        return topic or (words if words and words not in self.queries else None)

    def given(self, voter: str | None, query_id: str | None) -> dict[str, str]:
        """Return the thumbs of a voter on the documents of one ranking, whatever ranked them."""
        votes = self.log.of_voter(voter, query_id) if voter and query_id else []
        return {vote.doc_id: vote.vote for vote in votes}

    def give(self, voter: str, query_id: str, doc_id: str, vote: str, model: str, rank: int) -> str | None:
        """Save a thumb on a document of a ranking, or take it back if it is the one in force, which is returned."""
        expect_name("vote", vote, ("up", "down"))
        if self.given(voter, query_id).get(doc_id) == vote:
            self.log.withdraw(voter, query_id, doc_id)
            return None
        self.log.thumb(voter, query_id, doc_id, up=vote == "up", model=model, rank=rank)
        return vote


def opened_thumbs(source: Any, path: str) -> Thumbs:
    """Open the thumbs on a source, with their log, and with a key that stays the same after a restart."""
    log = VoteLog(path)
    return Thumbs(dict(source.queries), log, judge_keys(Path(path).with_suffix(".keys.json"), ["voters"])["voters"])
