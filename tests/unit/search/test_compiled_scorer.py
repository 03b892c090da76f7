"""Which path answers, and what is kept between queries."""

from __future__ import annotations

import numpy as np
import pytest

import toysearch
from toysearch import Index
from toysearch.compiled import choice
from toysearch.search import maxscore as maxscore_module
from toysearch.search import scoring as scoring_module
from toysearch.search.compiled_scorer import CompiledScorer
from toysearch.search.scoring import ModelScorer, query_terms
from toysearch.search.term_weights import Weights

TEXTS = ["a1 b1 c1", "a1 a1 b1", "c1 b1", "", "a1"]


@pytest.fixture
def retrieval():
    def over(model) -> CompiledScorer:
        return CompiledScorer(Weights(Index.build(TEXTS), toysearch.model(model)))

    return over


def asked(retrieval: ModelScorer | CompiledScorer, text: str):
    return query_terms(retrieval.weights.index, text.split())


def test_a_searcher_that_has_been_asked_much_takes_the_compiled_path(monkeypatch):
    monkeypatch.setattr(scoring_module, "pays_from", lambda work: 20_012)
    made = ModelScorer(Weights(Index.build(TEXTS), toysearch.model("bm25")))
    before = made.best([asked(made, "a1 b1")], 2)  # 6 postings, and 10,000 for the query
    assert made._compiled is None
    after = made.best([asked(made, "a1 b1")], 2)
    assert made._compiled is not None
    for one, other in zip(before[0], after[0], strict=True):
        assert np.array_equal(one, other)


def test_empty_documents_need_no_finite_part(retrieval):
    made = retrieval("lm-absolute")  # log(delta · distinct / dl): not a number where there is no token
    part = made._maxscore._part(asked(made, "a1 b1"))
    assert part is not None
    assert part.values[3] == 0.0
    assert np.isfinite(part.values).all()
    assert part.highest.tolist() == [part.values.max()]
    assert part.lowest == part.values.min()
    assert part.size == np.abs(part.values).max()


def test_the_part_of_documents_has_a_maximum_for_each_window(monkeypatch):
    monkeypatch.setattr("toysearch.compiled.list_layout.WINDOW", 2)
    made = CompiledScorer(Weights(Index.build(TEXTS), toysearch.model("lm-dirichlet")))
    part = made._maxscore._part(asked(made, "a1"))
    assert part is not None
    assert part.highest.tolist() == [max(part.values[:2]), max(part.values[2:4]), part.values[4]]


def test_only_the_latest_parts_of_documents_are_kept(retrieval):
    made = retrieval("lm-dirichlet")
    for length in range(1, 30):
        part = made._maxscore._part(asked(made, "a1 " * length))
        assert part is not None
        assert part.values[1] == pytest.approx(-length * np.log1p(3 / 2000), rel=1e-12)
    assert len(made._maxscore._parts) == maxscore_module._MOST_PARTS


def test_no_queries_have_no_answers(retrieval):
    assert retrieval("bm25").best([], 10) == []


@pytest.mark.parametrize("k", [1, 2, 5])
def test_few_rows_are_made_in_one_call(retrieval, monkeypatch, k):
    monkeypatch.setenv(choice.VARIABLE, "compiled")
    monkeypatch.setattr(maxscore_module, "_MOST_ROWS", 2)
    made = retrieval("bm25")
    queries = [asked(made, text) for text in ("a1", "b1 c1", "c1 a1 b1")]
    assert [docs.tolist() for docs, _ in made.best(queries, k)] == [
        docs.tolist() for query in queries for docs, _ in made.best([query], k)
    ]


def test_two_kinds_of_lists_share_the_memory(monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, "compiled")
    for model, shares in (("bm25", [1000]), ("smart:nnn.nnc", [1000]), ("cosine", [500, 500])):
        made = CompiledScorer(Weights(Index.build(TEXTS), toysearch.model(model), memory=1000))
        kinds = {id(each): each for each in (made.lists, getattr(made._maxscore, "_near", made.lists))}
        assert [each.memory for each in kinds.values()] == shares


@pytest.mark.parametrize("text", ["a1", "b1 c1"])
def test_where_too_many_documents_may_be_the_best_all_are_added_up(monkeypatch, text):
    monkeypatch.setattr("toysearch.search.maxscore._MOST", 3)
    monkeypatch.setattr("toysearch.search.maxscore._SPARE", 1)
    found = []
    for scorer in (ModelScorer, CompiledScorer):
        made = scorer(Weights(Index.build(TEXTS * 9), toysearch.model("dice")))
        found.append(made.best([asked(made, text)], 1)[0])
    assert made._maxscore.ranked([asked(made, text)], 1) == [None]
    assert [each.tolist() for each in found[0]] == [each.tolist() for each in found[1]]
