"""Who sees grades where judges are invited: every view, in every form, asked by everybody there can be."""

import re

import pytest
from page_client import HOST, client, of_documents

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.application import VIEWS, WRITES
from toysearch.page.judging_rules import Judging
from toysearch.page.thumbs import Thumbs
from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog

KEYS = {"ada": "key-of-ada", "ben": "key-of-ben"}
SEEN = ("judge",)  # a new view is closed until it is in this list, and in that of the application
WAYS = [("", {}), ("", {"x-toysearch-part": "1"}), ("", {"accept": "application/json"}), (".json", {})]
SECRETS = ("because-of-ben", "because-of-all", "grade 7", '"grade": 7', "7.0", "α", "alpha", "relevant to")
ROLES = {
    "none": {},
    "a judge": {"judge": "ada", "key": "key-of-ada"},
    "a judge without a name": {"key": "key-of-ada"},
    "a wrong key": {"key": "wrong"},
    "a key that is empty": {"key": ""},
}
"""Who asks, by what stands in the address; each of them may see nothing of others."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A judged collection in which ben has graded and the adjudicator has settled, and people give thumbs too."""
    folder = tmp_path_factory.mktemp("room")
    documents = [Document(f"d{n}", f"cat {'dog ' * n}", f"cat {n}") for n in range(1, 6)]
    queries, qrels = [Query("q1", "cat"), Query("q2", "dog")], Qrels.from_dict({"q1": {"d1": 7}, "q2": {"d2": 7}})
    source = of_documents(documents, "pets", queries, qrels)
    texts = {query.query_id: query.text for query in queries}
    logs = JudgmentLog(folder / "log.jsonl"), JudgmentLog(folder / "d.jsonl"), VoteLog(folder / "votes.jsonl")
    with logs[0] as log, logs[1] as decisions, logs[2] as votes:
        for judge, grade in (("ben", 3), ("carl", 1)):
            log.add(judge, "q1", "d1", grade, "because-of-ben")
            log.add(judge, "q1", "d2", grade, "because-of-ben")
        log.add("ada", "q1", "d1", 2, "because-of-me")
        models = [toysearch.MODELS["bm25"], toysearch.MODELS["overlap"]]
        source.judging = Judging(source.index, texts, log, decisions, models, keys=KEYS, settling_key="settles")
        source.judging.settle("settles", "q1", "d1", "3", "because-of-all")
        source.thumbs = Thumbs(texts, votes, "key")
        source.class_link = f"http://{HOST}/own/search?token=of-class"
        yield source


ASKED = {"q": "", "topic": "q1", "doc": "d1", "to": "log", "save": "", "measure": "AP"}


@pytest.mark.system
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("view", VIEWS)
def test_nobody_but_the_adjudicator_sees_grades(room, view, role):
    browser = client(room)
    for end, headers in WAYS:
        for asked in (ASKED, {"topic": "q1"}, {"q": "cat", "doc": "d1"}, {}, ASKED | {"save": "1"}):
            reply = browser.get(f"/own/{view}{end}", params=asked | ROLES[role], headers=headers)
            assert reply.status_code == 403 if view not in SEEN else reply.status_code in (200, 400)
            assert [secret for secret in SECRETS if secret in reply.text] == []


@pytest.mark.parametrize("by", ["address", "cookie"])
@pytest.mark.parametrize("view", VIEWS)
def test_the_adjudicator_sees_all(room, view, by):
    browser = client(room)
    key = {"key": "settles"} if by == "address" else {}
    if by == "cookie":
        assert browser.get("/own/agreement?key=settles").status_code == 200  # the link sets the cookie
    asked = {"topic": "q1", "doc": "d1", "to": "log"} | key | (KEYS_OF_ADA if view == "judge" else {})
    for end, headers in WAYS:
        reply = browser.get(f"/own/{view}{end}", params=asked, headers=headers)
        assert reply.status_code == 200, reply.text[-300:]
    shown = {"agreement": "because-of-ben", "judgments": "because-of-ben", "document": "grade 7", "search": "grade 7"}
    assert shown.get(view, "") in browser.get(f"/own/{view}", params=asked).text


KEYS_OF_ADA = {"judge": "ada", "key": "key-of-ada"}


def test_a_judge_sees_own_grades_and_nothing_of_others(room):
    browser = client(room)
    data = browser.get("/own/judge.json", params=KEYS_OF_ADA | {"topic": "q1", "doc": "d1"}).json()
    assert (data["grade"], data["reason"], data["agreement"]) == (2, "because-of-me", None)
    data = browser.get("/own/judge.json", params=KEYS_OF_ADA | {"topic": "q1", "doc": "d2"}).json()
    assert (data["grade"], data["reason"]) == (None, "")


def test_the_heading_names_what_is_open(room):
    def heading(browser, address):
        page = browser.get(address, follow_redirects=True).text
        return re.findall(r'href="/own/(\w+)[^"]*"', page.partition("<nav")[2].partition("</nav>")[0])

    browser = client(room)
    for address in ("/", "/own", "/own/search", "/own/judge?judge=ada&key=key-of-ada"):
        assert heading(browser, address) == ["judge"]
    for address in ("/own/agreement?key=settles", "/"):
        assert heading(browser, address) == ["search", "compare", "judge", "agreement", "class"]
    browser = client(room)
    for more in ("", "&topic=q1"):
        page = browser.get(f"/own/judge?judge=ada&key=key-of-ada{more}").text
        assert 'href="/own/judge?judge=ada&amp;key=key-of-ada" aria-current="page"' in page


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("view", [view for view in WRITES if view in VIEWS])
def test_nobody_but_the_adjudicator_reads_by_a_write(room, view, role):
    browser = client(room)
    for form in ({"topic": "q1", "doc": "d1", "grade": "9"}, {"content": "x"}, {"name": "x", "comparison": "a=bm25"}):
        for end in ("", ".json"):
            headers = {TOKEN_HEADER: browser.app._write_token}
            reply = browser.post(f"/own/{view}{end}", data=form | ROLES[role] | {"action": "x"}, headers=headers)
            assert reply.status_code == (403 if view not in SEEN else 400)
            assert [secret for secret in SECRETS if secret in reply.text] == []


def test_without_invited_judges_all_is_open(asked):
    for view in ("search?topic=q1", "agreement", "compare?topic=q1", "document?doc=d,1"):
        assert asked.get(f"/own/{view}").status_code == 200


def test_judges_see_some_views():
    assert {*SEEN} < {*VIEWS}
