"""Queries searched again with known documents, in Python and in the shell."""

import json

import pytest
from error_messages import raising
from shell import refused, run

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.study import explain_again

INDEX = toysearch.Index.build(toysearch.load("companions"))


def hits(ranking):
    return [(hit.doc_id, hit.score) for hit in ranking]


def test_the_order_and_repetition_of_known_documents_change_nothing():
    expected = hits(search_again(INDEX, "tick bite", ["p197", "p272"], ["p057", "p001"]))
    assert hits(search_again(INDEX, "tick bite", ["p272", "p197", "p272"], ["p001", "p057"])) == expected


def test_no_known_document_is_the_plain_model():
    plain = hits(Searcher(INDEX).search("tick bite"))
    assert hits(search_again(INDEX, "tick bite", [])) == plain
    assert hits(search_again(Searcher(INDEX, "rm3(bm25)"), "tick bite", [])) == plain
    pairs = hits(Searcher(INDEX, "sdm(bm25)").search("tick bite"))
    assert hits(search_again(Searcher(INDEX, "sdm(bm25)"), "tick bite", [])) == pairs
    assert hits(search_again(Searcher(INDEX, "sdm(rm3(bm25))"), "tick bite", [])) == pairs


@pytest.mark.parametrize(
    ("model", "relevant", "others", "message"),
    [
        ("bm25", ["p001"], ["p001"], "document 'p001' is given as relevant and as not relevant"),
        ("rm3(bm25)", ["p001"], ["p002"], "rm3 does not use documents that are not relevant; rocchio(…) does"),
        ("bm25 + dice", ["p001"], [], "relevance feedback takes one model, such as bm25 or rm3(bm25), not a mixture"),
        ("bm25", ["p9"], [], "the index has no document 'p9'; it has 400 documents, the first is 'p001'"),
    ],
)
def test_refused(model, relevant, others, message):
    with raising(ArgumentError, message):
        search_again(Searcher(INDEX, model), "tick", relevant, others)


def test_grades_are_no_list_of_relevant_documents():
    refusal = "relevant must be a list of doc_ids, not a dict; those of grade 0 belong in not_relevant"
    for again in (search_again, lambda *asked: explain_again(asked[0], "tick", "p057", asked[2])):
        with raising(ArgumentError, refusal):
            again(Searcher(INDEX), "tick", {"p197": 1, "p057": 0})


def test_search_takes_known_documents():
    asked = ("companions", "tick bite", "--relevant", "p272, p197", "--not", "p057", "-k", 3)
    data = json.loads(run("search", *asked, "--explain", "--json").stdout)
    expected = hits(search_again(INDEX, "tick bite", ["p197", "p272"], ["p057"], k=3))
    assert [(hit["doc_id"], hit["score"]) for hit in data["hits"]] == expected
    assert [hit["explanation"]["value"] for hit in data["hits"]] == [score for _, score in expected]
    [expansion] = data["expansions"]
    assert [*expansion["quantities"]] == ["p197", "p272"]
    assert "not in this document" in run("search", *asked, "--explain").stdout
    assert refused("search", "companions", "tick", "--not", "p9") == (
        "toysearch: the index has no document 'p9'; it has 400 documents, the first is 'p001'\n"
    )


def test_added_terms_are_not_required_of_documents():
    """Of a query with AND, only the words of the query are."""
    index = Index.build(["cat dog purrs", "cat dog", "cat dog purrs tea", "cat", "dog purrs", *["milk"] * 30])
    found = [
        search_again(Searcher(index, model), "cat AND dog", ["1"], query_mode="strict")
        for model in ("bm25", "rocchio(bm25)")
    ]
    assert [sorted(ranking.doc_ids) for ranking in found] == [["1", "2", "3"]] * 2
