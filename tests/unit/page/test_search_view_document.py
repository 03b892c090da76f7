"""The view of a document: its text and fields, the terms, the neighbours of `toysearch similar`, its judgments."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("starlette")

from served import client, of_documents, of_name, reproduced

from toysearch.base import Document, Qrels, Query

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def pets():
    fields = [
        {"text": "the cat sat", "kind": "tom"},
        {"text": "a cat, a cat and a dog", "kind": "tom"},
        {"text": "the dog"},
    ]
    documents = [Document(str(n), each["text"], "", each) for n, each in enumerate(fields, 1)]
    qrels = Qrels.from_dict({"q1": {"2": 0, "1": 1}, "q2": {"2": 2}})
    return client(of_documents(documents, "pets", [Query("q1", "cat"), Query("q2", "dog")], qrels))


def test_a_document_with_its_terms_fields_and_judgments(pets):
    data = pets.get("/own/document.json?doc=2").json()
    assert (data["text"], data["fields"]) == ("a cat, a cat and a dog", {"kind": "tom"})
    assert (data["length"], data["search"]) == (4, None)
    rows = [(row["term"], row["tf"], row["df"], row["tfidf"]) for row in data["terms"]]
    assert rows == [("and", 1, 1, math.log(3)), ("cat", 2, 2, 2 * math.log(3 / 2)), ("dog", 1, 2, math.log(3 / 2))]
    judged = [(row["query_id"], row["grade"], row["query"]) for row in data["judgments"]]
    assert judged == [("q2", 2.0, "dog"), ("q1", 0.0, "cat")]
    assert pets.get(data["judgments"][0]["address"].replace("?", ".json?", 1)).json()["query"] == "dog"


def test_the_text_stands_below_its_title_and_does_not_repeat_it():
    document = Document("1", "On cats On\ncats\nA cat purrs.", "On cats", {"text": "On cats On\ncats\nA cat purrs."})
    asked = client(of_documents([document], "pets", [Query("q1", "purrs")]))
    page = asked.get("/own/document?doc=1").text
    assert (page.count("On cats"), '<div class="text">A cat purrs.</div>' in page) == (2, True)  # in title and heading
    assert asked.get("/own/document.json?doc=1").json()["text"] == "On cats On\ncats\nA cat purrs."
    [hit] = asked.get("/own/search.json?q=purrs").json()["hits"]
    assert hit["snippet"] == "A cat purrs."


def test_its_neighbours_are_those_of_the_command_and_of_the_python():
    assert reproduced(client(*of_name("companions")).get("/companions/document.json?doc=p057").json())["hits"]


def test_it_leads_back_to_its_search_and_is_no_setting_that_is_tried(pets):
    data = pets.get("/own/document.json?doc=2&q=cat&model=dph").json()
    assert "model=dph" in data["search"]
    assert "doc=2" in data["explanation"]
    for address in (data["search"], data["explanation"], data["neighbours"][0]["address"]):
        assert pets.get(address.partition("#")[0]).status_code == 200
    before = pets.get("/own/search.json").json()["tried"]
    pets.get("/own/document?doc=2&q=cat&model=jaccard")
    assert pets.get("/own/search.json").json()["tried"] == before


def test_a_long_document_stays_a_small_page():
    words = " ".join(f"word{n}" for n in range(30_000))
    asked = client(of_documents([Document("1", words), Document("2", "word1")]))
    assert len(asked.get("/own/document?doc=1").text) < 150_000
    assert len(asked.get("/own/document.json?doc=1").json()["terms"]) == 30_000
    assert asked.get("/own/search?q=word7").status_code == 200
