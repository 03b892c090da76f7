"""Thumbs at a real server that is killed while people give them."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette")

from lengths import EVERYTHING, longer
from served import acknowledged_when_killed, write_token

from toysearch.formats.judgment_log import VoteLog

_KILLED = 10 if EVERYTHING else 1  # times
_FORM = {"content-type": "application/x-www-form-urlencoded"}
_SEARCH = "/companions/search.json?topic=33"


def thumbed(address, acknowledged):
    """Give a thumb with one browser after another until the server is gone."""
    try:
        token, doc_id = write_token(address), None
        for n in range(10_000):
            connection = http.client.HTTPConnection(address.split("/")[2], timeout=60)
            if doc_id is None:
                connection.request("GET", _SEARCH)
                doc_id = json.loads(connection.getresponse().read())["hits"][0]["doc_id"]
            vote = ("up", "down")[n % 2]
            form = urlencode({"token": token, "search": _SEARCH, "thumb": f"{vote} {doc_id}"})
            connection.request("POST", "/companions/search.json", form, _FORM)
            reply = connection.getresponse()
            voter = reply.getheader("set-cookie").partition(";")[0].partition("=")[2].rpartition(".")[0]
            assert json.loads(reply.read())["hits"][0]["thumb"] == vote
            acknowledged.append((voter, vote))
    except (OSError, http.client.HTTPException, ValueError):
        pass  # the server was killed: what it had not acknowledged may be lost


@longer
def test_a_killed_server_has_every_thumb_that_it_acknowledged(tmp_path):
    path, acknowledged = tmp_path / "thumbs.jsonl", []
    for _ in range(_KILLED):
        acknowledged += acknowledged_when_killed(thumbed, "companions", "--votes", path.name, folder=tmp_path)
        assert {*acknowledged} <= {(vote.voter, vote.vote) for vote in VoteLog(path, append=False)}
