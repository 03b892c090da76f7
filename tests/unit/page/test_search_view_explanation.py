"""The view of a score is what `toysearch explain` and `toysearch search --explain` print."""

from __future__ import annotations

import json

import pytest
from lengths import thinned

pytest.importorskip("starlette")

from served import client, of_name
from shell import done

import toysearch

MIXTURE = "0.7*bm25 + 0.3*dph"
MODELS = ["bm25", "bm25:b=0.4,k1=0.9", "lm-dirichlet", "cosine", "dice", "bm25f", MIXTURE]


@pytest.fixture(scope="module")
def companions():
    models = {"bm25": toysearch.MODELS["bm25"], MIXTURE: toysearch.model(MIXTURE)} | toysearch.MODELS
    return client(*of_name("companions"), models=models)


@pytest.mark.system
@pytest.mark.parametrize("model", thinned(MODELS, 3))
def test_it_is_what_explain_prints(companions, model):
    asked = {"topic": "33", "doc": "p224", "model": model}
    data = companions.get("/companions/explanation.json", params=asked).json()
    named = ["explain", "companions", "p224", "--query-id", "33", "--model", model]
    [printed] = json.loads(done(*named, "--json").stdout)["documents"]
    assert (data["explanation"], data["rank"]) == (printed["explanation"], printed["rank"])
    lines = done(*named).stdout
    for line in data["text"]:
        assert line in lines


@pytest.mark.parametrize("query", ['"tick removal" OR leash', "title:tick -dog", "tick*", "tick AND remove"])
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
    assert data["text"] == [
        "document p057 is not ranked, and no other is, for this query: no document holds xylophonist"
    ]
    assert (data["rank"], data["against"]) == (None, None)


@pytest.mark.parametrize(("rank", "other"), [(1, 2), (2, 1), (12, 10)])
def test_a_document_is_compared_with_the_one_that_it_would_have_to_pass(companions, rank, other):
    ranking = toysearch.Searcher("companions").search(toysearch.load("companions").query("33"), 20)
    doc_id = ranking[rank - 1].doc_id
    against = companions.get(f"/companions/explanation.json?topic=33&doc={doc_id}").json()["against"]
    assert against["doc_id"] == ranking[other - 1].doc_id
    printed = done("explain", "companions", doc_id, "--query-id", "33").stdout
    assert f"{against['reason']}\n\n{against['text']}\n" in printed


def test_a_number_is_marked_with_its_name_in_the_formula(companions):
    page = companions.get("/companions/explanation?topic=33&doc=p224").text
    assert '<span class="quantity" data-quantity="idf-df">df</span>' in page
    assert 'data-quantity="length-b" title="b">0.75</span>' in page
