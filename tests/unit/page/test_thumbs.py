"""Thumbs in a search: who gives them, what the log keeps, what is refused, twenty people at once."""

import asyncio
import json
import re
from http.cookies import SimpleCookie

import pytest

pytest.importorskip("starlette")

from page_client import HOST, client, of_documents, run_in_loop
from starlette.testclient import TestClient

from toysearch.base import Document, Query
from toysearch.page.access import class_token
from toysearch.page.thumbs import Thumbs, opened_thumbs
from toysearch.workbench.judging.judgment_log import VoteLog

httpx2 = pytest.importorskip("httpx2")

TEXTS = ["cat", "cat and dog", "<b>dog</b> cat cat and more", "a cat and a dog and a parrot and an ox", "parrot"]
QUERIES = {"q1": "cat", 'q"2': "dog cat"}


class Room:
    """People who search at one server that keeps thumbs."""

    def __init__(self, path, **settings) -> None:
        self.path = path
        documents = [Document(f"d,{n}", text, text, {"text": text}) for n, text in enumerate(TEXTS, 1)]
        self.source = of_documents(documents, "pets", [Query(*each) for each in QUERIES.items()])
        self.source.thumbs = Thumbs(QUERIES, VoteLog(path), "secret")
        self.lecturer = client(self.source, **settings)
        self.application = self.lecturer.app

    def log(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def room(tmp_path):
    made = Room(tmp_path / "votes.jsonl")
    yield made
    made.source.thumbs.log.close()


def test_a_name_that_is_made_up_or_changed_is_not_a_voter(room):
    for made_up in ("", ".", "0-abc", "0-abc.", "0-abc.0123456789abcdef", "é.é", "\udc80.", "x" * 9999):
        assert room.source.thumbs.voter(made_up) is None
    kept = room.source.thumbs.voter_or_new("")[1][1]
    assert room.source.thumbs.voter(kept) is not None
    assert room.source.thumbs.voter(("0" if kept[0] != "0" else "1") + kept[1:]) is None
    assert room.source.thumbs.voter(kept[:-1] + ("0" if kept[-1] != "0" else "1")) is None


def test_a_name_stays_good_after_a_restart_with_the_keys_beside_the_log(room, tmp_path):
    names = []
    for path in (tmp_path / "own.jsonl", tmp_path / "own.jsonl", tmp_path / "other.jsonl"):
        thumbs = opened_thumbs(room.source, str(path))
        kept = names[0] if names else thumbs.voter_or_new("")[1][1]
        names.append(kept if thumbs.voter(kept) else None)
        thumbs.log.close()
    assert names == [names[0], names[0], None]
    assert (tmp_path / "own.keys.json").stat().st_mode & 0o77 == 0


def test_a_new_voter_gets_a_cookie_that_no_script_reads(room):
    ada = Reader(room.application)
    assert "toysearch-voter" not in ada.browser.cookies  # who only searches has none
    form = {"thumb": "up d,1", "search": "/own/search?q=cat", "token": ada.token}
    reply = ada.browser.post("/own/search.json", data=form)
    made = SimpleCookie(reply.headers["set-cookie"])["toysearch-voter"]
    assert (made["httponly"], made["samesite"], made["path"]) == (True, "Lax", "/")
    assert len(made.value) > 40
    assert "set-cookie" not in ada.browser.post("/own/search.json", data=form).headers


@pytest.mark.waits
def test_twenty_people_at_once_lose_no_thumb(room):
    token = Reader(room.application).token

    async def one(number):
        transport = httpx2.ASGITransport(app=room.application)
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{HOST}", timeout=60) as browser:
            for vote in ("up", "down") if number % 2 else ("down", "up"):  # both are acknowledged, the last one counts
                form = {"thumb": f"{vote} d,1", "search": "/own/search?topic=q1", "token": token}
                reply = await browser.post("/own/search.json", data=form)
                assert {hit["doc_id"]: hit["thumb"] for hit in reply.json()["hits"]}["d,1"] == vote

    async def everybody():
        await asyncio.gather(*map(one, range(20)))

    run_in_loop(everybody())
    assert len(room.log()) == 40
    assert sorted(VoteLog(room.path, append=False).thumbs()["q1"]["d,1"]) == [False] * 10 + [True] * 10


def test_without_a_log_the_page_says_how_thumbs_are_kept(room):
    ada, thumbs = Reader(room.application), room.source.thumbs
    room.source.thumbs = None
    said = "thumbs are kept if the page is opened with `toysearch serve pets --votes FILE.jsonl`"
    assert ada.gives("up d,1", status=400)["error"] == said
    room.source.thumbs = thumbs


class Reader:
    """Someone with a browser of their own who searches a source that keeps thumbs."""

    def __init__(self, application) -> None:
        self.browser = TestClient(application, base_url=f"http://{HOST}", follow_redirects=False)
        self.token = re.search(r'name="toysearch-token" content="([^"]+)"', self.browser.get("/own/search").text)[1]

    def gives(self, thumb, search="q=cat", status=200):
        form = {"thumb": thumb, "search": f"/own/search?{search}", "token": self.token}
        reply = self.browser.post("/own/search.json", data=form)
        assert reply.status_code == status, reply.text
        return reply.json() if status != 200 else self.thumbs(reply)

    @staticmethod
    def thumbs(reply):
        return {hit["doc_id"]: hit["thumb"] for hit in reply.json()["hits"] if hit["thumb"]}

    def sees(self, search="q=cat"):
        return self.thumbs(self.browser.get(f"/own/search.json?{search}"))


def test_a_thumb_in_a_search_is_logged_with_voter_model_and_rank(room):
    ada, ben = Reader(room.application), Reader(room.application)
    ranking = [hit["doc_id"] for hit in ada.browser.get("/own/search.json?q=cat&model=jaccard").json()["hits"]]
    assert ada.gives(f"up {ranking[1]}", "q=cat&model=jaccard") == {ranking[1]: "up"}
    [line] = room.log()
    entry = {"query_id": "cat", "vote": "up", "doc_id": ranking[1], "model": "jaccard", "rank": 2}
    assert {name: line[name] for name in line if name not in ("time", "voter")} == entry
    assert ada.gives(f"down {ranking[0]}") == {ranking[0]: "down", ranking[1]: "up"}  # whatever ranked it
    assert ben.sees() == {}
    assert ben.gives(f"down {ranking[1]}") == {ranking[1]: "down"}
    assert ada.sees() == {ranking[0]: "down", ranking[1]: "up"}
    assert len({line["voter"] for line in room.log()}) == 2
    assert ada.sees("topic=q1") == {}  # another query, of the same words
    log = VoteLog(room.path, append=False)
    assert log.thumbs() == {"cat": {ranking[1]: [True, False], ranking[0]: [False]}}


def test_the_same_thumb_again_takes_it_back_and_another_replaces_it(room):
    ada = Reader(room.application)
    assert ada.gives("up d,1", "topic=q1") == {"d,1": "up"}
    assert ada.gives("down d,1", "topic=q1") == {"d,1": "down"}
    assert ada.gives("down d,1", "topic=q1") == {}  # nor is the thumb up in force again
    assert len(room.log()) == 4
    assert len(VoteLog(room.path, append=False)) == 0
    assert ada.gives("up d,1", "topic=q1") == ada.sees("topic=q1") == {"d,1": "up"}


@pytest.mark.parametrize(
    ("thumb", "search", "problem"),
    [
        ("up d,5", "q=cat", "'d,5' is not in this ranking; a thumb is for a document that it shows"),
        ("left d,1", "q=cat", "unknown vote 'left'"),
        ("up d,1", "q=q1", "a thumb needs a query, and 'q1' is none, or the id of a judged one"),
    ],
)
def test_a_thumb_that_makes_no_sense_is_refused(room, thumb, search, problem):
    assert problem in Reader(room.application).gives(thumb, search, 400)["error"]
    assert room.log() == []


def test_without_scripts_a_thumb_is_a_form(room):
    ada = Reader(room.application)
    page = ada.browser.get("/own/search?q=cat").text
    assert '<form id="thumbs"' in page
    assert 'aria-pressed="true"' not in page
    form = {"thumb": "up d,1", "search": "/own/search?q=cat", "token": ada.token}
    reply = ada.browser.post("/own/search", data=form)
    assert (reply.status_code, reply.headers["location"]) == (303, "/own/search?q=cat&model=bm25")
    pressed = re.findall(r'value="([^"]+)"[^>]+aria-pressed="true"', ada.browser.get(reply.headers["location"]).text)
    assert pressed == ["up d,1"]


def test_thumbs_are_offered_only_where_they_can_be_given(tmp_path):
    room = Room(tmp_path / "votes.jsonl", token="token-of-lecturer", hosts=None)
    student = TestClient(room.application, base_url=f"http://{HOST}", follow_redirects=False)
    student.headers["authorization"] = f"Bearer {class_token('token-of-lecturer')}"
    room.lecturer.headers["authorization"] = "Bearer token-of-lecturer"
    for reader, offered in ((room.lecturer, True), (student, False)):
        page = reader.get("/own/search?q=cat")
        assert (page.status_code, 'name="thumb"' in page.text) == (200, offered)
    for address in ("/own/search", "/own/search?q=q1", "/own/search?q=cat&save=1"):
        assert 'name="thumb"' not in room.lecturer.get(address).text
    room.source.thumbs = None
    assert 'name="thumb"' not in room.lecturer.get("/own/search?q=cat").text
    assert "thumb" not in room.lecturer.get("/own/search.json?q=cat").json()["hits"][0]
