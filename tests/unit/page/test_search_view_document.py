"""The views of a document and of its score: what `toysearch similar`, `explain` and `search --explain` print."""

import json
import math
import re
from xml.etree import ElementTree

import pytest
from page_client import client, of_documents, of_name, reproduced
from shell import done
from tiers import thinned

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.models import is_of_document
from toysearch.study import part_label

MIXTURE = "0.7*bm25 + 0.3*dph"
MODELS = ["bm25", "bm25:b=0.4,k1=0.9", "lm-dirichlet", "cosine", "dice", "bm25f", MIXTURE]


@pytest.fixture(scope="module")
def companions():
    models = {"bm25": toysearch.MODELS["bm25"], MIXTURE: toysearch.model(MIXTURE)} | toysearch.MODELS
    return client(*of_name("companions"), models=models)


@pytest.mark.system
@pytest.mark.parametrize("model", thinned(MODELS, len(MODELS)))
def test_it_is_what_explain_prints(companions, model):
    asked = {"topic": "33", "doc": "p224", "model": model}
    data = companions.get("/companions/explanation.json", params=asked).json()
    named = ["explain", "companions", "p224", "--query-id", "33", "--model", model]
    [printed] = json.loads(done(*named, "--json").stdout)["documents"]
    assert (data["explanation"], data["rank"]) == (printed["explanation"], printed["rank"])
    lines = done(*named).stdout
    for line in data["text"]:
        assert line in lines


@pytest.mark.parametrize("query", ['"tick removal" OR leash', "title:tick -dog", "tick*"])
def test_queries_with_operators_are_explained_as_by_search(companions, query):
    hits = json.loads(done("search", "companions", query, "--explain", "--json").stdout)["hits"]
    for hit in hits[:3]:
        asked = {"q": query, "doc": hit["doc_id"]}
        data = companions.get("/companions/explanation.json", params=asked).json()
        why = data["explanation"]
        assert data["rank"] == hit["rank"]
        for part in why["parts"]:
            part.pop("expressions", None)
        assert {name: value for name, value in why.items() if name in hit["explanation"]} == hit["explanation"]


def test_a_document_that_is_not_ranked_is_a_sentence(companions):
    data = companions.get("/companions/explanation.json?q=xylophonist&doc=p057").json()
    said = "document p057 is not ranked, and no other is, for this query: no document holds xylophonist"
    assert (data["text"], data["rank"], data["against"]) == ([said], None, None)


@pytest.mark.system
@pytest.mark.parametrize(("rank", "other"), [(1, 2), (12, 10)])
def test_a_document_is_compared_with_the_one_that_it_would_have_to_pass(companions, rank, other):
    ranking = toysearch.Searcher("companions").search(toysearch.load("companions").query("33"), 20)
    doc_id = ranking[rank - 1].doc_id
    against = companions.get(f"/companions/explanation.json?topic=33&doc={doc_id}").json()["against"]
    assert against["doc_id"] == ranking[other - 1].doc_id
    printed = done("explain", "companions", doc_id, "--query-id", "33").stdout
    assert f"{against['reason']}\n\n{against['text']}\n" in printed


@pytest.fixture(scope="module")
def pets():
    fields = [{"text": "the cat sat", "kind": "tom"}, {"text": "a cat, a cat and a dog", "kind": "tom"}]
    fields += [{"text": "the dog"}]
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
    assert (page.count("On cats"), '<div class="text" dir="auto">A cat purrs.</div>' in page) == (
        2,
        True,
    )  # in title and heading
    assert asked.get("/own/document.json?doc=1").json()["text"] == "On cats On\ncats\nA cat purrs."
    [hit] = asked.get("/own/search.json?q=purrs").json()["hits"]
    assert hit["snippet"] == "A cat purrs."


@pytest.mark.system
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


@pytest.mark.system
def test_a_long_document_stays_a_small_page():
    words = " ".join(f"word{n}" for n in range(30_000))
    asked = client(of_documents([Document("1", words), Document("2", "word1")]))
    assert len(asked.get("/own/document?doc=1").text) < 150_000
    assert len(asked.get("/own/document.json?doc=1").json()["terms"]) == 30_000
    assert asked.get("/own/search?q=word7").status_code == 200


@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet", "cosine", "bm25f"])
def test_the_card_has_the_numbers_of_the_explanation(companions, model):
    asked = {"topic": "33", "doc": "p224", "model": model}
    text = companions.get("/companions/explanation", params=asked).text
    tables = [ElementTree.fromstring(table) for table in re.findall("<table class=.shares.*?</table>", text, re.S)]
    of_terms, of_parts = (
        [["".join(cell.itertext()).strip().replace("−", "-") for cell in row] for row in table.iterfind("tbody/tr")]
        for table in tables
    )
    [source] = of_name("companions")
    searcher, query = toysearch.Searcher(source.index, model), source.collection.query("33")
    why = toysearch.explain(searcher, query, "p224")
    for row, term in zip(of_terms, why.terms, strict=True):
        statistics = [value for name, value in term.statistics.items() if not is_of_document(name)]
        assert row[:-2] == [
            term.term,
            *(f"{value:g}" for value in statistics),
            *(f"{value:.4f}" for value in term.parts.values()),
            f"{term.weight:.4f}",
            f"{term.query_weight:.4g}",
        ]
        assert float(row[-2]) == pytest.approx(term.share, abs=1.5e-6)
    against = companions.get("/companions/explanation.json", params=asked).json()["against"]
    order = toysearch.explain_order(searcher, query, "p224", against["doc_id"])
    expected = [(part_label(part.kind, part.name), f"{part.difference:+.6f}") for part in order.parts]
    assert [(name, ahead) for name, ahead, _ in of_parts] == expected
