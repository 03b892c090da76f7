"""A class that may read: every view in every form, every write, and what the pages do not offer."""

import itertools
import re

import pytest

pytest.importorskip("starlette")
from page_client import client, of_documents
from starlette.testclient import TestClient

from toysearch.base import Document, Qrels, Query
from toysearch.page.access import TOKEN_HEADER, class_token
from toysearch.page.application import VIEWS, WRITES
from toysearch.page.class_view import class_link

TOKEN = "token-of-lecturer"
READ = ("search", "explanation", "document", "completion", "compare")
ASKED = {"q": "cat", "topic": "q1", "doc": "d1"}


@pytest.fixture
def source():
    documents = [Document(f"d{n}", f"cat {'dog ' * n}", f"cat {n}") for n in range(1, 6)]
    source = of_documents(documents, "pets", [Query("q1", "cat dog")], Qrels.from_dict({"q1": {"d1": 1}}))
    source.class_link = class_link(source, "192.0.2.7:8765", TOKEN)
    return source


def visitors(source):
    """The lecturer and a student, each with a browser of their own."""
    lecturer = client(source, token=TOKEN, hosts=None)
    student = TestClient(lecturer.app, base_url=str(lecturer.base_url), follow_redirects=False)
    assert lecturer.get(f"/own/search?token={TOKEN}").status_code == 303
    assert student.get(source.class_link.partition("8765")[2]).status_code == 303
    return lecturer, student


@pytest.mark.system
def test_a_class_reads_and_opens_nothing_else(source):
    lecturer, student = visitors(source)
    assert student.get("/").status_code in (200, 307)
    for view, end, part in itertools.product(VIEWS, ("", ".json"), ({}, {"x-toysearch-part": "1"})):
        for asked in (ASKED, {}, ASKED | {"save": "1"}):
            replies = [who.get(f"/own/{view}{end}", params=asked, headers=part) for who in (student, lecturer)]
            assert replies[0].status_code == (replies[1].status_code if view in READ else 401)
    assert student.get("/own/search", params=ASKED).status_code == 200
    assert student.get("/own/judge").text.startswith("your link opens other views and not this one: open the address")


def test_a_class_writes_nothing(source):
    lecturer, student = visitors(source)
    page = lecturer.get("/own/search").text
    write_token = re.search(r'name="toysearch-token" content="([^"]+)"', page)[1]
    for view, token in itertools.product(WRITES, ("", class_token(TOKEN))):
        for form, headers in (({"token": token}, {}), ({}, {TOKEN_HEADER: token}), ({}, {})):
            assert student.post(f"/own/{view}.json", data=form, headers=headers).status_code in (401, 403), view
    for view in READ:
        assert write_token not in student.get(f"/own/{view}", params=ASKED).text
    for b in ("0.1", "0.2", "0.3"):
        reply = student.get("/own/compare", params={"a": "bm25", "b": f"bm25:b={b}"})
        assert reply.status_code == 200
        assert '<form method="post"' not in reply.text
        student.get("/own/search", params={"q": "cat", "model": f"bm25:b={b}"})
        last = lecturer.get("/own/compare", params={"a": "bm25", "b": f"bm25:b={b}"})
    assert '<form method="post"' in last.text  # the settings are counted anew


def test_the_heading_of_a_class_names_what_it_may_open(source):
    def heading(browser):
        page = browser.get("/own/search").text
        return re.findall(r'href="/own/(\w+)[^"]*"', page.partition("<nav")[2].partition("</nav>")[0])

    lecturer, student = visitors(source)
    assert heading(student) == ["search", "compare"]
    assert heading(lecturer) == ["search", "compare", "class"]


def test_the_lecturer_shows_the_link_and_it_stays_the_same(source):
    lecturer, _ = visitors(source)
    page = lecturer.get("/own/class").text
    assert source.class_link in page
    assert TOKEN not in page
    assert class_link(source, "192.0.2.7:8765", TOKEN) == source.class_link
    assert class_link(source, "192.0.2.7:8765", TOKEN + "x") != source.class_link


def test_without_a_token_there_is_no_class(source):
    source.class_link = ""
    alone = client(source)
    reply = alone.get("/own/class.json")
    assert (reply.status_code, "--host 0.0.0.0" in reply.text) == (400, True)
    assert "/own/class" not in alone.get("/own/search").text
    other = {"authorization": f"Bearer {class_token('other')}"}
    assert client(source, token=TOKEN, hosts=None).get("/own/search", headers=other).status_code == 401
