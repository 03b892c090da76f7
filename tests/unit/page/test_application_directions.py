"""Texts of users stand in the direction of their language, wherever a page shows them."""

from html.parser import HTMLParser

import pytest
from judging_page import judging_client as opened_judging
from judging_page import post_grade
from page_client import client, of_documents

from toysearch.base import Document, Qrels, Query

VOID = {"input", "meta", "link", "br", "rect", "path"}


class Directions(HTMLParser):
    """Texts and values in letters of Hebrew: how many there are, and those of no direction of their own."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.wrong = [], 0, []
        self.feed(page)

    def see(self, text, directed):
        if any("\u0590" < letter < "\u05ff" for letter in text):
            self.seen += 1
            self.wrong += [] if directed else [f"{self.open[-1][0]}: {text.strip()}"]

    def handle_starttag(self, tag, attrs):
        directed = tag == "bdi" or dict(attrs).get("dir") == "auto"
        if tag == "input" and dict(attrs).get("type") != "hidden":
            self.see(dict(attrs).get("value") or "", directed)
        if tag not in VOID:
            self.open.append((tag, directed))

    def handle_endtag(self, tag):
        while tag not in VOID and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "title" not in tags:  # of a window, and of a drawing
            self.see(data, any(directed for _, directed in self.open))


@pytest.fixture(scope="module")
def asked():
    texts = {"1": "חתול אפור (קטן).", "2": "כלב גדול, כלב.", "3": "חתול וכלב!"}
    documents = [Document(key, text, text, {"title": text, "text": text, "סוג": "חיה"}) for key, text in texts.items()]
    queries = [Query("q1", "חתול!"), Query("q2", "כלב?")]
    return client(of_documents(documents, "own", queries, Qrels.from_dict({"q1": {"1": 2, "3": 1}, "q2": {"2": 1}})))


@pytest.mark.parametrize(
    ("view", "least"),
    [
        ("search", 3),
        ("search?topic=q1&k=1", 8),
        ("search?topic=q1&case=1&save=1", 8),
        ("search?q=חתול כלב", 8),
        ("search?q=חתולל", 2),
        ("explanation?topic=q1&doc=1", 5),
        ("document?topic=q1&doc=1", 8),
        ("document?topic=q1&doc=1&save=1", 8),
        ("completion?q=חת", 2),
        ("compare?a=bm25&b=dph", 4),
        ("compare?a=bm25&b=dph&topic=q1", 6),
        ("compare?a=bm25&b=dph&q=חתול כלב", 6),
        ("compare?a=bm25&b=dph&topic=q1&save=1", 6),
    ],
)
def test_in_every_view(asked, view, least):
    reply = asked.get(f"/own/{view}")
    assert reply.status_code == 200
    directions = Directions(reply.text)
    assert directions.wrong == []
    assert directions.seen >= least


@pytest.mark.parametrize("view", ["judge?judge=דנה&topic=q1", "judge?judge=דנה", "agreement", "search?topic=q1"])
def test_where_people_judge(tmp_path, view):
    documents = [Document(str(n), f"{title} קטן", title) for n, title in enumerate(("חתול", "כלב"), 1)]
    here = opened_judging(tmp_path / "log.jsonl", source=of_documents(documents, "own", [Query("q1", "חתול")]))
    for judge, grade in (("דנה", "3"), ("ada", "0")):
        post_grade(here, judge=judge, doc="1", grade=grade, reason="כי כן.")
    page = here.get(f"/own/{view}")
    assert page.status_code == 200
    directions = Directions(page.text)
    assert directions.wrong == []
    assert directions.seen >= 2
