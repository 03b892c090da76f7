"""A server that is killed, or that many ask at once, keeps each grade, thumb and submission that it acknowledged."""

import contextlib
import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from judging_page import logged_grades
from page_client import acknowledged_when_killed, served_here, write_token
from tiers import EVERYTHING, exhaustive, longer

from toysearch.workbench.judging.judgment_log import VoteLog

pytestmark = [pytest.mark.system, pytest.mark.waits]

_KILLED = 10 if EVERYTHING else 1  # times
_FORM = {"content-type": "application/x-www-form-urlencoded"}


class Asking:
    """Who asks a server, by one connection."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address.split("/")[2], timeout=60)

    def get(self, path, **pairs):
        self.connection.request("GET", f"{path}?{urlencode(pairs)}")
        return json.loads(self.connection.getresponse().read())

    def post(self, path, **form):
        """The data of the answer, and the name that a cookie gives to who asks."""
        self.connection.request("POST", path, urlencode(form), _FORM)
        reply = self.connection.getresponse()
        name = (reply.getheader("set-cookie") or "").partition(";")[0].partition("=")[2].rpartition(".")[0]
        return json.loads(reply.read()), name


KILLED = contextlib.suppress(OSError, http.client.HTTPException, ValueError)
"""What a server does not acknowledge since it is killed may be lost."""


def grade(address, acknowledged, judge="ada", most=200):
    """Grade what the server offers, and note each grade that it acknowledges."""
    with KILLED:
        token, asking, topic = write_token(address), Asking(address), "33"
        data = asking.get("/companions/judge.json", judge=judge, topic=topic)
        while len(acknowledged) < most and (data["document"] or data["next_query"]):
            if not data["document"]:
                topic = data["next_query"]
                data = asking.get("/companions/judge.json", judge=judge, topic=topic)
                continue
            given = {"doc": data["document"]["doc_id"], "grade": str(len(acknowledged) % 4)}
            data, _ = asking.post("/companions/judge.json", judge=judge, topic=topic, token=token, **given)
            acknowledged.append((judge, topic, given["doc"], float(given["grade"])))


def give_thumbs(address, acknowledged):
    """Give a thumb with one browser after another until the server is gone."""
    with KILLED:
        token, path = write_token(address), "/companions/search.json"
        doc_id = Asking(address).get(path, topic="33")["hits"][0]["doc_id"]
        while True:
            vote = ("up", "down")[len(acknowledged) % 2]
            thumb = {"search": f"{path}?topic=33", "thumb": f"{vote} {doc_id}"}
            data, voter = Asking(address).post(path, token=token, **thumb)
            assert data["hits"][0]["thumb"] == vote
            acknowledged.append((voter, vote))


def thumbs_in(path):
    return {(vote.voter, vote.vote) for vote in VoteLog(path, append=False)}


@longer
@pytest.mark.parametrize(
    ("give", "option", "kept"), [(grade, "--judgments", logged_grades), (give_thumbs, "--votes", thumbs_in)]
)
def test_a_killed_server_has_all_that_it_acknowledged(tmp_path, give, option, kept):
    acknowledged = []
    for _ in range(_KILLED):
        acknowledged += acknowledged_when_killed(give, "companions", option, "log.jsonl", folder=tmp_path)
        assert {*acknowledged} <= kept(tmp_path / "log.jsonl")


@pytest.mark.parametrize("most", [6, pytest.param(200, marks=exhaustive)])
def test_eight_judges_at_once_lose_no_grade(tmp_path, most):
    given = {f"judge {n}": [] for n in range(8)}
    with served_here("companions", "--judgments", "class.jsonl", folder=tmp_path) as printed:
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(grade, printed[0], own, judge, most) for judge, own in given.items()]:
                done.result()
        judges = Asking(printed[0]).get("/companions/agreement.json")["judges"]
    assert {each["judge"]: each["grades"] for each in judges} == dict.fromkeys(given, most)
    assert logged_grades(tmp_path / "class.jsonl") == {each for own in given.values() for each in own}
