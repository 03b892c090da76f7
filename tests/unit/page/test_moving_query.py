"""The page opens on the judged query whose first documents move most along a slider, with a line on what to drag."""

import html
import re

import pytest
from page_client import client, of_documents, of_name

import toysearch
from toysearch.base import Document, Query
from toysearch.page.moving_query import moving_query

STOPS = {"k1": (0, 1.25, 2.5, 3.75, 5), "b": (0, 0.25, 0.5, 0.75, 1)}


def distance(first, second, k=10):
    """The footrule of two top lists by its closed form (Fagin, Kumar & Sivakumar 2003, section 3.2)."""
    common = {*first} & {*second}
    places = [{doc_id: rank for rank, doc_id in enumerate(ids, 1)} for ids in (first, second)]
    apart = (k + 1) * (len(first) + len(second) - 2 * len(common))
    alone = sum(rank for ranks in places for doc_id, rank in ranks.items() if doc_id not in common)
    return apart - alone + sum(abs(places[0][doc_id] - places[1][doc_id]) for doc_id in common)


@pytest.mark.parametrize("name", ["companions", "cat-dog-parrot", "languages"])
def test_it_is_the_query_that_moves_most(name):
    collection, index = toysearch.load(name), toysearch.Searcher(name).index
    moves = {}
    for parameter, values in STOPS.items():
        for query in collection.judged_queries:
            models = [f"bm25:{parameter}={value}" for value in values]
            tops = [[hit.doc_id for hit in toysearch.Searcher(index, each).search(query, 10)] for each in models]
            moves[query.query_id, parameter] = sum(map(distance, tops, tops[1:]))
    most = max(moves.values())
    found = moving_query(index, collection.judged_queries, toysearch.MODELS["bm25"])
    assert found is None if most == 0 else moves[found] == most


def test_of_many_queries_a_hundred_are_tried(monkeypatch):
    documents = [Document(f"d{n}", " ".join(["cat"] * n + ["dog"] * (n * n)), "") for n in range(1, 9)]
    index = toysearch.Index.build(documents)
    queries = [Query(str(n), "cat") for n in range(1000)]
    tried, run = set(), toysearch.Searcher.run
    monkeypatch.setattr(
        toysearch.Searcher,
        "run",
        lambda self, batch, k: tried.update(query.query_id for query in batch) or run(self, batch, k),
    )
    found = moving_query(index, queries, toysearch.MODELS["bm25"])
    assert (len(tried), found.query_id in tried) == (100, True)
    assert moving_query(index, queries, toysearch.MODELS["bm25"]) == found


def test_the_page_opens_on_it_and_says_what_to_drag():
    asked, bm25 = client(*of_name("companions")), toysearch.MODELS["bm25"]
    collection = toysearch.load("companions")
    moving = moving_query(toysearch.Searcher("companions").index, collection.judged_queries, bm25)
    for address in ("/", "/companions"):
        assert asked.get(address).headers["location"].startswith(f"/companions/search?topic={moving.query_id}&")
    page = asked.get(asked.get("/").headers["location"]).text
    [label] = re.findall(r'class="tip"><span>Drag <label for="([^"]+)">', page)
    assert (label, f'<input id="{label}" type="range"' in page) == (f"p-{moving.parameter}", True)
    [(start, close)] = re.findall(r'<a href="([^"]+)">Empty box</a></span> <a class="close" href="([^"]+)"', page)
    assert 'class="tip"' not in asked.get(html.unescape(close)).text
    assert 'class="hits"' not in asked.get(start).text
    assert 'class="tip"' not in asked.get("/companions/search?topic=14&tip=k9").text
    asked.cookies.set("toysearch-tip", "closed")
    assert asked.get("/").headers["location"] == f"/companions/search?topic={moving.query_id}&model=bm25"


def test_without_judged_queries_it_opens_on_the_box_and_tells_of_the_collection():
    asked = client(of_documents([Document("1", "a cat", ""), Document("2", "a dog and a cat", "")]))
    assert asked.get("/").headers["location"] == "/own/search"
    assert "2 documents · 3 different terms" in asked.get("/own/search").text
