"""Votes on the page: what the lecturer sees before and after closing, what a phone sees and may do, 200 at once."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie

import pytest

pytest.importorskip("starlette")

import httpx2
from served import HOST, USUAL, client, of_documents
from starlette.testclient import TestClient

import toysearch
from toysearch.base import Document, Query
from toysearch.formats.judgment_log import VoteLog
from toysearch.laboratory.experiments.stats.correlation import rank_biased_overlap
from toysearch.laboratory.experiments.vote_counts import count_votes
from toysearch.page.access import TOKEN_HEADER, class_token
from toysearch.page.application import application
from toysearch.page.voting import Voting

TEXTS = ["cat", "cat and dog", "<b>dog</b> cat cat and more", "a cat and a dog and a parrot and an ox", "parrot"]
QUERIES = {"q1": "cat", 'q"2': "dog cat"}
MODELS = [toysearch.MODELS["bm25"], toysearch.MODELS["jaccard"]]
PHONES = "token-of-phones"


def source_with_votes(path, link="http://192.0.2.7:8765/own/ballot"):
    documents = [Document(f"d,{n}", text, text, {"text": text}) for n, text in enumerate(TEXTS, 1)]
    source = of_documents(documents, "pets", [Query(*each) for each in QUERIES.items()])
    source.voting = Voting(source.index, QUERIES, VoteLog(path), MODELS, key="secret", token=PHONES, link=link)
    return source


class Hall:
    """A lecturer and phones at one server."""

    def __init__(self, path, **settings) -> None:
        self.path, self.source = path, source_with_votes(path)
        self.lecturer = client(self.source, **settings)
        self.application = self.lecturer.app

    def phone(self) -> TestClient:
        made = TestClient(self.application, base_url=f"http://{HOST}", follow_redirects=False)
        made.headers[TOKEN_HEADER] = PHONES
        return made

    def log(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def directs(self, status=200, **form):
        page = self.lecturer.get("/own/search").text
        token = re.search(r'name="toysearch-token" content="([^"]+)"', page)[1]
        reply = self.lecturer.post("/own/vote.json", data=form, headers={TOKEN_HEADER: token})
        assert reply.status_code == status, reply.text
        return reply.json()


def votes(phone, status=200, **form):
    reply = phone.post("/own/ballot.json", data={"topic": "q1"} | form)
    assert reply.status_code == status, reply.text
    return reply.json()


@pytest.fixture
def hall(tmp_path):
    found = Hall(tmp_path / "votes.jsonl")
    yield found
    found.source.voting.log.close()


def test_the_result_is_hidden_until_the_vote_is_closed(hall):
    assert hall.lecturer.get("/own/vote.json").json()["state"] == "none"
    hall.directs(action="open", topic="q1", kind="lists", k="3")
    for n in range(7):
        phone = hall.phone()
        shown = phone.get("/own/ballot.json").json()
        bm25_left = [each["doc_id"] for each in shown["lists"]["left"]] == ["d,1", "d,3", "d,2"]
        votes(phone, vote="tie" if n == 6 else "left" if bm25_left == (n != 5) else "right")
        data = hall.lecturer.get("/own/vote.json").json()
        assert (data["state"], data["voters"]) == ("open", n + 1)
        assert (data["result"], data["queries"], data["overall"]) == (None, [], [])
        page = hall.lecturer.get("/own/vote").text.split("<main")[1]
        assert "bm25" not in page
        assert "Result" not in page
    data = hall.directs(action="close")
    votes_row, queries_row = count_votes(hall.path)
    assert (votes_row.wins, votes_row.ties, votes_row.losses) == (5, 1, 1)
    assert data["result"] == {"count": votes_row._asdict(), "documents": []}
    assert data["overall"] == [votes_row._asdict(), queries_row._asdict()]
    assert data["queries"] == [{"query_id": "q1", "query": "cat", **votes_row._asdict()}]
    page = hall.lecturer.get("/own/vote").text
    assert f"{100 * votes_row.low:.1f} % to {100 * votes_row.high:.1f} %" in page


def test_hall_and_phones_see_the_need_and_each_command_has_a_line(hall):
    hall.source.collection.queries.fields = [{"description": "Which <cats>?"}, {}]
    hall.directs(action="open", topic="q1", kind="thumbs", k="3")
    phone = hall.phone()
    assert phone.get("/own/ballot.json").json()["need"] == {"description": "Which <cats>?"}
    for browser, view in ((phone, "ballot"), (hall.lecturer, "vote")):
        assert browser.get(f"/own/{view}").text.count("<p>Which &lt;cats&gt;?</p>") == 1
    votes(phone, doc="d,1", vote="up")
    hall.directs(action="close")
    page = hall.lecturer.get("/own/vote").text
    command = f"toysearch votes {hall.path}"
    assert f'<pre class="command">{command}\n{command} -o thumbs.csv</pre>' in page
    saved = hall.lecturer.get("/own/vote?save=1").text
    assert (hall.source.voting.link in page, hall.source.voting.link in saved) == (True, False)


def test_after_closing_hall_and_phones_see_both_lists_with_their_systems(hall):
    hall.directs(action="open", topic="q1", kind="lists", k="3")
    bm25 = ["d,1", "d,3", "d,2"]
    phones = [hall.phone() for _ in range(4)]
    left = {phone: [row["doc_id"] for row in phone.get("/own/ballot.json").json()["lists"]["left"]] for phone in phones}
    assert 0 < sum(doc_ids == bm25 for doc_ids in left.values()) < 4
    for phone in phones[1:]:
        votes(phone, vote="left")
    lists = hall.directs(action="close")["lists"]
    assert {
        name: tuple(row["doc_id"] for row in rows) for name, rows in lists.items()
    } == hall.source.voting.round.lists
    page = hall.lecturer.get("/own/vote").text
    assert [page.index(name) < page.index("<h2>By query") for name in ('">bm25</h3>', '">jaccard</h3>')] == [True] * 2
    for phone in phones:
        data, page = phone.get("/own/ballot.json").json(), phone.get("/own/ballot").text
        sides = ["bm25", "jaccard"] if left[phone] == bm25 else ["jaccard", "bm25"]
        assert [*data["systems"].items()] == [*zip(("left", "right"), sides, strict=True)]
        assert [row["doc_id"] for row in data["lists"]["left"]] == left[phone]
        assert f"Your left list was that of <strong>{sides[0]}</strong>" in page
        assert ("You voted for" in page) == (phone is not phones[0])
        assert data["result"]["wins"] + data["result"]["losses"] == 3
        assert 'name="vote"' not in page
    hall.directs(action="open", topic='q"2', kind="thumbs", k="3")
    phone = phones[0]
    doc_id = phone.get("/own/ballot.json").json()["documents"][0]["doc_id"]
    votes(phone, topic='q"2', doc=doc_id, vote="up")
    hall.directs(action="close")
    data = phone.get("/own/ballot.json").json()
    assert {*data["systems"]} == {row["doc_id"] for row in data["documents"]}
    assert data["result"]["wins"] + data["result"]["losses"] == 1
    assert data["result"]["first" if data["result"]["wins"] else "second"] == data["systems"][doc_id]
    assert "you voted up" in phone.get("/own/ballot").text


def test_topics_whose_lists_differ_most_come_first_and_equal_ones_are_not_offered(tmp_path):
    source = source_with_votes(tmp_path / "votes.jsonl")
    queries = QUERIES | {"same": "parrot", "none": "unicorn"}
    voting = Voting(source.index, queries, source.voting.log, MODELS, key="secret", token=PHONES, link="http://a/")
    searchers = [toysearch.Searcher(source.index, model) for model in MODELS]
    for k in (1, 3):
        lists = {
            query_id: [[hit.doc_id for hit in searcher.search(Query(query_id, text), k)] for searcher in searchers]
            for query_id, text in queries.items()
        }
        differing = {query_id: (one, other) for query_id, (one, other) in lists.items() if one != other}
        overlaps = [rank_biased_overlap(*differing[query_id]).extrapolated for query_id in voting.differing(k)]
        assert {*voting.differing(k)} == {*differing}
        assert overlaps == sorted(overlaps)
        assert "none" not in differing
    assert len(voting.differing(3)) == 2
    source.voting.log.close()


def test_the_open_query_is_left_out_of_what_is_known_when_it_is_opened_again(hall):
    hall.directs(action="open", topic="q1")
    phone = hall.phone()
    phone.get("/own/ballot")
    votes(phone, vote="left")
    hall.directs(action="close")
    hall.directs(action="open", topic="q1")
    assert hall.source.voting.preferences() == []
    hall.directs(action="open", topic='q"2')
    assert [each.query_id for each in hall.source.voting.preferences()] == ["q1"]


def test_the_last_vote_of_a_phone_counts_and_a_second_post_changes_nothing(hall):
    hall.directs(action="open", topic="q1")
    phone = hall.phone()
    phone.get("/own/ballot")
    for vote in ("left", "left", "right"):
        assert votes(phone, vote=vote, voter="made up")["vote"] == vote  # only the cookie says who votes
    assert phone.get("/own/ballot.json").json()["vote"] == "right"
    assert hall.lecturer.get("/own/vote.json").json()["voters"] == 1
    assert [each["vote"] for each in hall.log()] == ["left", "left", "right"]
    assert sum(hall.directs(action="close")["result"]["count"][name] for name in ("wins", "ties", "losses")) == 1


def test_a_ballot_says_nothing_about_systems_and_scores(hall):
    for kind in ("lists", "thumbs"):
        hall.directs(action="open", topic="q1", kind=kind)
        for reply in (hall.phone().get("/own/ballot"), hall.phone().get("/own/ballot.json")):
            assert not re.search('bm25|jaccard|score|team|href="/own/(search|vote)', reply.text)
            assert "<b>dog" not in reply.text or reply.headers["content-type"] == "application/json"


def test_thumbs_become_judgments_with_their_numbers(hall):
    hall.directs(action="open", topic="q1", kind="thumbs", k="3")
    for n in range(3):
        phone = hall.phone()
        shown = [each["doc_id"] for each in phone.get("/own/ballot.json").json()["documents"]]
        assert sorted(shown) == ["d,1", "d,2", "d,3"]
        votes(phone, doc="d,1", vote="up")
        votes(phone, doc="d,2", vote="up")
        data = votes(phone, doc="d,2", vote="up" if n else "down")
        assert {each["doc_id"]: each["thumb"] for each in data["documents"]} == {
            "d,1": "up",
            "d,2": "up" if n else "down",
            "d,3": None,
        }
        assert data["thumbs"] == 2
    result = hall.directs(action="close")["result"]
    assert [(each["doc_id"], each["up"], each["down"]) for each in result["documents"]] == [
        ("d,1", 3, 0),
        ("d,2", 2, 1),
    ]
    log = VoteLog(hall.path, append=False)
    assert log.qrels()["q1"] == {"d,1": 1.0, "d,2": 2 / 3}
    assert {vote.left for vote in log} == {"bm25", "jaccard"}
    assert "toysearch votes" in hall.lecturer.get("/own/vote.json").json()["judgments"]


@pytest.mark.parametrize(
    ("kind", "form", "says"),
    [
        ("lists", {"vote": "top"}, "unknown vote 'top'"),
        ("lists", {"vote": "up"}, "unknown vote 'up'"),
        ("lists", {}, "unknown vote ''"),
        ("lists", {"vote": "left", "doc": "d,1"}, "this vote is on two lists, not on a document"),
        ("lists", {"vote": "left", "topic": 'q"2'}, "the vote on this query is closed, so yours was not counted"),
        ("lists", {"vote": "left", "topic": ""}, "the vote on this query is closed, so yours was not counted"),
        ("thumbs", {"vote": "left", "doc": "d,1"}, "unknown vote 'left'"),
        ("thumbs", {"vote": "up", "doc": "d,5"}, "'d,5' is not in your list"),
        ("thumbs", {"vote": "up"}, "'' is not in your list"),
        ("closed", {"vote": "left"}, "no vote is open now, so this one was not counted"),
    ],
)
def test_what_is_not_counted(hall, kind, form, says):
    hall.directs(action="open", topic="q1", kind="lists" if kind == "closed" else kind)
    phone = hall.phone()
    phone.get("/own/ballot")
    if kind == "closed":
        hall.directs(action="close")
    assert votes(phone, status=400, **form)["error"].startswith(says)
    page = phone.post("/own/ballot", data={"topic": "q1"} | form)
    assert (page.status_code, "<nav" in page.text) == (400, False)
    assert hall.log() == []


@pytest.mark.parametrize("kept", [None, "", "0-abc.0123", "x" * 3000, "\xe9"])
def test_who_makes_up_a_voter_is_refused(hall, kept):
    hall.directs(action="open", topic="q1")
    phone = hall.phone()
    headers = {} if kept is None else {"cookie": f"toysearch-voter={kept}".encode("latin-1")}
    reply = phone.post("/own/ballot.json", data={"topic": "q1", "vote": "left", "voter": "ada"}, headers=headers)
    assert reply.json()["error"] == ("this vote has no valid name of a voter; allow cookies, and open the page again")
    assert hall.log() == []


def test_a_phone_keeps_its_name_in_a_cookie_that_no_script_reads(hall):
    phone = hall.phone()
    reply = phone.get("/own/ballot")
    made = SimpleCookie(reply.headers["set-cookie"])["toysearch-voter"]
    assert (made["httponly"], made["samesite"], made["path"]) == (True, "Lax", "/")
    assert len(made.value) > 40
    assert "set-cookie" not in phone.get("/own/ballot").headers
    assert "set-cookie" in phone.get("/own/ballot", headers={"cookie": "toysearch-voter=0-abc.0123"}).headers
    assert "set-cookie" not in hall.lecturer.get("/own/vote").headers


def test_the_code_of_phones_opens_the_ballot_and_nothing_else(tmp_path):
    hall = Hall(tmp_path / "votes.jsonl", token="token-of-lecturer", hosts=None)
    hall.lecturer.get("/own/vote?token=token-of-lecturer")
    hall.directs(action="open", topic="q1")
    phone = hall.phone()
    assert phone.get("/own/ballot").text.endswith("; with a phone, scan the QR code again\n")
    reply = phone.get(f"/own/ballot?token={PHONES}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/own/ballot")
    assert reply.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax")
    for address in ("/own/ballot", "/own/ballot.json", "/static/page.css", "/static/vote.js"):
        assert phone.get(address).status_code == 200
    for address in ("/", "/own/vote", "/own/vote.json", "/own/search?q=cat", "/own/document?doc=d,1", "/index.json"):
        for more in ("", f"{'&' if '?' in address else '?'}token={PHONES}"):
            reply = phone.get(address + more, headers={"authorization": f"Bearer {PHONES}"})
            assert (reply.status_code, "cat" in reply.text) == (401, False)
    assert phone.post("/own/vote.json", data={"action": "close"}).status_code == 401
    assert votes(phone, vote="left")["vote"] == "left"
    phone.headers[TOKEN_HEADER] = "another"
    assert phone.post("/own/ballot.json", data={"topic": "q1", "vote": "left"}).status_code == 403
    assert "token-of-lecturer" not in phone.get("/own/ballot").text
    hall.source.voting.log.close()


def test_the_token_of_phones_does_not_direct_the_vote(hall):
    hall.directs(action="open", topic="q1")
    assert hall.phone().post("/own/vote.json", data={"action": "close"}).status_code == 403
    assert hall.lecturer.get("/own/vote.json").json()["state"] == "open"


def test_a_form_without_scripts_leads_back_to_the_ballot(hall):
    hall.directs(action="open", topic='q"2')
    phone = hall.phone()
    del phone.headers[TOKEN_HEADER]
    page = phone.get("/own/ballot").text
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    assert form == {"token": PHONES, "topic": "q&#34;2"}
    reply = phone.post("/own/ballot", data=form | {"topic": 'q"2', "vote": "tie"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/own/ballot")
    assert "Saved: tie." in phone.get("/own/ballot").text


def test_two_hundred_phones_at_once_lose_no_vote(hall):
    hall.directs(action="open", topic="q1", kind="lists", k="3")
    sent = ["left", "right", "tie"]

    async def one(number):
        transport = httpx2.ASGITransport(app=hall.application)
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{HOST}", timeout=60) as phone:
            phone.headers[TOKEN_HEADER] = PHONES
            assert (await phone.get("/own/ballot")).status_code == 200
            for vote in (sent[(number + 1) % 3], sent[number % 3]):  # both are acknowledged, the last one counts
                reply = await phone.post("/own/ballot.json", data={"topic": "q1", "vote": vote})
                assert reply.json()["vote"] == vote

    async def everybody():
        await asyncio.gather(*map(one, range(200)))

    with ThreadPoolExecutor(1) as own_thread:  # a browser of other tests may have an event loop in this one
        own_thread.submit(asyncio.run, everybody()).result()
    assert hall.lecturer.get("/own/vote.json").json()["voters"] == 200
    log = VoteLog(hall.path, append=False)
    assert len(hall.log()) == 400
    assert sorted(vote.vote for vote in log) == sorted(sent[n % 3] for n in range(200))
    assert sum(vote.left == "bm25" for vote in log) == 100
    count = hall.directs(action="close")["result"]["count"]
    assert count == count_votes(log)[0]._asdict()
    assert count["ties"] == sum(sent[n % 3] == "tie" for n in range(200))


def test_a_computer_that_only_this_one_reaches_is_told(tmp_path):
    for link, told in (("http://127.0.0.1:8765/own/ballot", True), ("http://192.0.2.7:8765/own/ballot", False)):
        source = source_with_votes(tmp_path / f"{told}.jsonl", link)
        data = client(source).get("/own/vote.json").json()
        assert (data["link"], bool(data["notes"])) == (link, told)
        source.voting.log.close()


def test_without_a_log_the_page_says_how_to_vote(hall):
    source = of_documents([Document("1", "cat")], "pets", [Query("1", "cat")])
    asked = TestClient(application([source], USUAL, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    assert ">Vote<" not in asked.get("/own/search").text
    assert ">Vote<" in hall.lecturer.get("/own/search").text
    for view in ("vote", "ballot"):
        reply = asked.get(f"/own/{view}.json")
        assert (reply.status_code, "--votes FILE.jsonl" in reply.json()["error"]) == (400, True)
    assert "unknown action 'stop'" in hall.directs(status=400, action="stop")["error"]


class Reader:
    """Someone with a browser of their own who searches a source on which people vote."""

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


def test_a_thumb_in_a_search_is_logged_with_voter_model_and_rank(tmp_path):
    hall = Hall(tmp_path / "votes.jsonl")
    ada, ben = Reader(hall.application), Reader(hall.application)
    ranking = [hit["doc_id"] for hit in ada.browser.get("/own/search.json?q=cat&model=jaccard").json()["hits"]]
    assert ada.gives(f"up {ranking[1]}", "q=cat&model=jaccard") == {ranking[1]: "up"}
    [line] = hall.log()
    entry = {"query_id": "cat", "vote": "up", "doc_id": ranking[1], "model": "jaccard", "rank": 2}
    assert {name: line[name] for name in line if name not in ("time", "voter")} == entry
    assert ada.gives(f"down {ranking[0]}") == {ranking[0]: "down", ranking[1]: "up"}  # whatever ranked it
    assert ben.sees() == {}
    assert ben.gives(f"down {ranking[1]}") == {ranking[1]: "down"}
    assert ada.sees() == {ranking[0]: "down", ranking[1]: "up"}
    assert len({line["voter"] for line in hall.log()}) == 2
    assert ada.sees("topic=q1") == {}  # another query, of the same words
    log = VoteLog(hall.path, append=False)
    assert log.thumbs() == {"cat": {ranking[1]: [True, False], ranking[0]: [False]}}
    assert log.preferences() == []  # one list compares no systems


def test_the_same_thumb_again_takes_it_back_and_another_replaces_it(tmp_path):
    hall = Hall(tmp_path / "votes.jsonl")
    ada = Reader(hall.application)
    assert ada.gives("up d,1", "topic=q1") == {"d,1": "up"}
    assert ada.gives("down d,1", "topic=q1") == {"d,1": "down"}
    assert ada.gives("down d,1", "topic=q1") == {}  # nor is the thumb up in force again
    assert len(hall.log()) == 4
    assert len(VoteLog(hall.path, append=False)) == 0
    assert ada.gives("up d,1", "topic=q1") == ada.sees("topic=q1") == {"d,1": "up"}


@pytest.mark.parametrize(
    ("thumb", "search", "problem"),
    [
        ("up d,5", "q=cat", "'d,5' is not in this ranking; a thumb is for a document that it shows"),
        ("left d,1", "q=cat", "unknown vote 'left'"),
        ("up d,1", "q=q1", "a thumb needs a query, and 'q1' is none, or the id of a judged one"),
    ],
)
def test_a_thumb_that_makes_no_sense_is_refused(tmp_path, thumb, search, problem):
    hall = Hall(tmp_path / "votes.jsonl")
    assert problem in Reader(hall.application).gives(thumb, search, 400)["error"]
    assert hall.log() == []


def test_without_scripts_a_thumb_is_a_form(tmp_path):
    hall = Hall(tmp_path / "votes.jsonl")
    ada = Reader(hall.application)
    page = ada.browser.get("/own/search?q=cat").text
    assert '<form id="thumbs"' in page
    assert 'aria-pressed="true"' not in page
    form = {"thumb": "up d,1", "search": "/own/search?q=cat", "token": ada.token}
    reply = ada.browser.post("/own/search", data=form)
    assert (reply.status_code, reply.headers["location"]) == (303, "/own/search?q=cat&model=bm25")
    pressed = re.findall(r'value="([^"]+)"[^>]+aria-pressed="true"', ada.browser.get(reply.headers["location"]).text)
    assert pressed == ["up d,1"]


def test_thumbs_are_offered_only_where_they_can_be_given(tmp_path):
    hall = Hall(tmp_path / "votes.jsonl", token="token-of-lecturer", hosts=None)
    student = TestClient(hall.application, base_url=f"http://{HOST}", follow_redirects=False)
    student.headers["authorization"] = f"Bearer {class_token('token-of-lecturer')}"
    hall.lecturer.headers["authorization"] = "Bearer token-of-lecturer"
    for reader, offered in ((hall.lecturer, True), (student, False)):
        page = reader.get("/own/search?q=cat")
        assert page.status_code == 200
        assert ('name="thumb"' in page.text) == offered
    for address in ("/own/search", "/own/search?q=q1", "/own/search?q=cat&save=1"):
        assert 'name="thumb"' not in hall.lecturer.get(address).text
    hall.source.voting = None
    assert 'name="thumb"' not in hall.lecturer.get("/own/search?q=cat").text
    assert "thumb" not in hall.lecturer.get("/own/search.json?q=cat").json()["hits"][0]
