"""Feedback from judgments: what is seen is left out everywhere, and nothing else is."""

from copy import copy

import pytest

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.workbench.judged_feedback import judged_feedback

pytestmark = pytest.mark.system

PETS = toysearch.load("companions")
INDEX = toysearch.Index.build(PETS)


@pytest.mark.parametrize("model", ["rocchio(bm25)", "bm25", "rm3(bm25)"])
def test_the_residual_collection(model):
    found = judged_feedback(PETS, INDEX, [model], docs=4)
    first = toysearch.Searcher(INDEX).run(PETS.judged_queries)
    queries = dict(PETS.judged_queries)
    for query_id in found.qrels.query_ids:
        seen = first.doc_ids_of(query_id)[:4]
        assert found.seen[query_id] == tuple(seen)
        grades = PETS.qrels[query_id]
        assert found.qrels[query_id] == {doc_id: grades[doc_id] for doc_id in grades if doc_id not in seen}
        assert found.runs[0].doc_ids_of(query_id) == first.doc_ids_of(query_id)[4:]
        good = [doc_id for doc_id in seen if grades.get(doc_id, 0) >= PETS.threshold]
        bad = [] if model.startswith("rm3") else [doc_id for doc_id in seen if doc_id not in good]
        searcher = toysearch.Searcher(INDEX, model)
        expected = [hit.doc_id for hit in search_again(searcher, queries[query_id], good, bad, k=1000)]
        assert found.runs[1].doc_ids_of(query_id) == [doc_id for doc_id in expected if doc_id not in seen]
    left_out = {*queries} - {*found.qrels.query_ids}
    for query_id in left_out:
        relevant = {doc_id for doc_id, grade in PETS.qrels[query_id].items() if grade >= PETS.threshold}
        assert relevant <= {*found.seen[query_id]}


def test_models_see_the_same_documents():
    with pytest.raises(ArgumentError, match="needs one model to see documents of, found bm25, tfidf"):
        judged_feedback(PETS, INDEX, ["rocchio(bm25)", "rm3(tfidf)"])


def test_what_is_left_keeps_its_subtopics():
    judged = {query: {doc: {"x": 1, "y": 0} for doc in PETS.qrels[query]} for query in PETS.qrels.query_ids}
    given = copy(PETS)
    given.qrels = toysearch.Qrels.from_subtopics(judged)
    subtopics = judged_feedback(given, INDEX, ["rocchio(bm25)"], docs=4).qrels.subtopics
    assert subtopics is not None
    assert {*map(tuple, subtopics.grades.tolist())} == {(1, 0)}
