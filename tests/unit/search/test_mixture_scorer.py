"""A mixture scores a query once, however many of its documents are explained; another query is scored anew."""

from __future__ import annotations

import pytest

import toysearch
from toysearch.search.mixture_scorer import MixtureScorer

TEXTS = ["the cat sat", "a cat and another cat", "the dog sat", "cat and dog"]


@pytest.mark.parametrize("model", ["0.5*bm25 + 0.5*dph", "sdm(lm-dirichlet)", "0.5*min-max(sdm(bm25)) + 0.5*bm25"])
def test_documents_of_one_query_are_explained_from_one_scoring(model, monkeypatch):
    index, scored = toysearch.Index.build(TEXTS), []
    original = MixtureScorer._scored

    def counted(self, query):
        scored.append(query)
        return original(self, query)

    monkeypatch.setattr(MixtureScorer, "_scored", counted)
    searcher = toysearch.Searcher(index, model)
    for text in ("cat sat", "dog", "cat sat"):
        terms = searcher.terms(text)
        scored.clear()
        found = {hit.doc_id: hit.score for hit in searcher.search(text)}
        scored.clear()
        whys = {doc_id: toysearch.explain(searcher, terms, doc_id) for doc_id in found}
        assert scored == [terms]
        fresh = toysearch.Searcher(index, model)
        assert {doc_id: why.score for doc_id, why in whys.items()} == found
        assert whys == {doc_id: toysearch.explain(fresh, text, doc_id) for doc_id in found}
