"""The terms that came into a query: their weights add up to the expanded query, and their documents hold them."""

from __future__ import annotations

import json

import pytest
from shell import run

import toysearch
from toysearch.laboratory.explain.score_explanation import explain_expansion

pytestmark = pytest.mark.system

INDEX = toysearch.Index.build(toysearch.load("companions"))


@pytest.mark.parametrize("model", ["rm3(bm25)", "rocchio(sdm(bm25))", "0.5*min-max(kl(bm25)) + 0.5*min-max(bm25)"])
def test_the_parts_of_the_expanded_query(model):
    searcher = toysearch.Searcher(INDEX, model)
    [found] = explain_expansion(searcher, "guinea pig food")
    keeps = 0.5 if model.startswith("rm3") else 1.0
    for term in found.parts:
        query, added = term.parts
        assert query.value == pytest.approx(keeps * query.quantities["qtf"], rel=1e-12, abs=1e-12)
        assert term.value == pytest.approx(term.combined, rel=1e-12)
        if '"' not in term.label:
            assert {doc_id: INDEX[term.label][doc_id] for doc_id in added.quantities} == added.quantities
            assert {*found.quantities} & {*INDEX[term.label]} == {*added.quantities}
    first = toysearch.Searcher(INDEX, "sdm(bm25)" if "sdm" in model else "bm25").search("guinea pig food", k=10)
    assert [*found.quantities.items()] == [(hit.doc_id, hit.score) for hit in [*first][: len(found.quantities)]]
    assert [term.value for term in found.parts] == sorted((term.value for term in found.parts), reverse=True)


def test_models_without_feedback():
    assert explain_expansion(toysearch.Searcher(INDEX, "bm25"), "cat") == []
    assert explain_expansion(toysearch.Searcher(INDEX, "sdm(bm25)"), "cat") == []


def test_commands_show_what_came_in():
    asked = ("companions", "guinea pig", "--model", "rm3(bm25:docs=2,terms=4)", "-k", 1, "--explain")
    head = "feedback documents of rm3(bm25:docs=2,terms=4): p272 ("
    assert head in run("search", *asked).stdout
    [data] = json.loads(run("search", *asked, "--json").stdout)["expansions"]
    [found] = explain_expansion(toysearch.Searcher(INDEX, "rm3(bm25:docs=2,terms=4)"), "guinea pig")
    assert data == found.data()
    assert [(term["label"], term["value"]) for term in data["parts"]] == [
        (term.label, term.value) for term in found.parts
    ]
    assert head in run("explain", "companions", "p272", "--query", "guinea pig", "--model", asked[3]).stdout
