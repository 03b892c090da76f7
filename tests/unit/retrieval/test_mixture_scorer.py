"""Priors in formulas: the numbers of fields and files, computed with, subtracted, and ranking all documents."""

import math

import numpy as np
import pytest
from captured_notes import noted

import toysearch
from toysearch import Document, Index, Searcher
from toysearch.base import ArgumentError
from toysearch.retrieval.filters_and_facets import filtered
from toysearch.retrieval.mixture_scorer import MixtureScorer

PRICES = {"a": 100.0, "b": 20.0, "c": 5.0, "d": 50.0}
TEXTS = {"a": "red shoe", "b": "blue shoe shoe", "c": "green sock", "d": "red hat"}


@pytest.fixture(scope="module")
def index():
    documents = [Document(doc_id, text, "", {"price": str(PRICES[doc_id])}) for doc_id, text in TEXTS.items()]
    return Index.build(documents, values=["price"], positions=True)


def scores(index, model, text="shoe", **options):
    return {hit.doc_id: hit.score for hit in Searcher(index, model).search(text, k=None, **options)}


FORMULAS = {
    "log(1 + prior:price)": lambda price: math.log(1 + price),
    "sqrt(prior:price)": math.sqrt,
    "exp(-0.01*prior:price)": lambda price: math.exp(-0.01 * price),
    "min(prior:price, 60) ": lambda price: min(price, 60),
    "where(prior:price > 30, 1, 0)": lambda price: float(price > 30),
    "max(prior:price/2 - 1, 3)": lambda price: max(price / 2 - 1, 3),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_of_a_prior_is_the_number_computed_by_hand(index, formula):
    plain = scores(index, "bm25")
    expected = {doc_id: score + 0.5 * FORMULAS[formula](PRICES[doc_id]) for doc_id, score in plain.items()}
    assert scores(index, f"bm25 + 0.5*{formula}") == pytest.approx(expected, rel=1e-15)
    assert str(toysearch.model(f"bm25 - 0.5*{formula}")) == f"bm25 - 0.5*{formula.strip()}"
    lowered = {doc_id: score - 0.5 * FORMULAS[formula](PRICES[doc_id]) for doc_id, score in plain.items()}
    assert scores(index, f"bm25 - 0.5*{formula}") == pytest.approx(lowered, rel=1e-15)


def test_a_file_and_a_field_stand_in_one_formula(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pop-ular.csv").write_text("a,2\nb,4\nc,1\nd,1\n")
    found = scores(index, "0*bm25 + log(prior:pop-ular.csv * prior:price)")
    assert found == pytest.approx({"a": math.log(200), "b": math.log(80)}, rel=1e-15)


def test_subtraction_sorts_by_the_lowest_number(index):
    assert [*scores(index, "0*bm25 - prior:price")] == ["b", "a"]


def test_every_ranks_all_documents_by_the_prior(index):
    assert scores(index, "every(prior:price)", "shoe") == PRICES
    plain = scores(index, "bm25", "shoe")
    expected = {doc_id: plain.get(doc_id, 0.0) + PRICES[doc_id] for doc_id in PRICES}
    assert scores(index, "bm25 + every(prior:price)") == expected
    with noted() as notes:
        assert scores(index, "bm25 + every(log(prior:price))", "unicorn") == {
            doc_id: math.log(price) for doc_id, price in PRICES.items()
        }
    assert "no document contains a term of the query (unicorn); a prior ranks all documents" in map(str, notes)
    assert scores(index, "bm25 + prior:price", "unicorn") == {}


def test_structure_and_filters_restrict_what_every_ranks(index):
    assert scores(index, "bm25 + every(prior:price)", '"red shoe"').keys() == {"a"}
    assert scores(index, "bm25 + every(prior:price)", "+shoe").keys() == {"a", "b"}
    everything = scores(index, "every(prior:price)", "shoe")
    keeps = filtered(index, "price < 60")
    expected = {doc_id: score for doc_id, score in everything.items() if keeps[index.doc_number(doc_id)]}
    assert scores(index, "every(prior:price)", "shoe", where="price < 60") == expected != everything


def test_a_run_of_queries_without_known_words_has_all_documents(index):
    run = Searcher(index, "every(prior:price)").run({"1": "unicorn", "2": "shoe"})
    assert [hit.doc_id for hit in run if hit.query_id == "1"] == ["a", "d", "b", "c"]


def cheap(tf, df, N, prior_price, *, k=10.0):
    return tf * np.log(1 + N / df) / (k + prior_price)


def test_a_function_and_a_formula_take_a_number_of_the_document(index):
    expected = {"a": math.log(1 + 4 / 2) / 110, "b": 2 * math.log(1 + 4 / 2) / 30}
    assert scores(index, cheap) == pytest.approx(expected, rel=1e-15)
    formula = "formula:tf*log(1 + N/df)/(k + prior:price):k=10"
    assert scores(index, formula) == pytest.approx(expected, rel=1e-15)
    assert toysearch.model(str(toysearch.model(formula))) == toysearch.model(formula)
    why = toysearch.explain(Searcher(index, cheap), "shoe", "a")
    assert why.score == scores(index, cheap)["a"]
    [term] = why.tree.of_kind("term")
    assert term.quantities["prior_price"] == 100.0


def test_a_number_of_the_document_is_a_part_of_it(index):
    made = toysearch.model(lambda tf: tf, document=lambda prior_price: -prior_price, name="cheaper")
    assert scores(index, made) == {"a": 1.0 - 100.0, "b": 2.0 - 20.0}


def test_the_explanation_names_the_numbers_of_a_formula(index):
    why = toysearch.explain(Searcher(index, "bm25 + log(prior:price)"), "shoe", "b")
    factor = why.tree.parts[1].parts[1]
    assert (factor.label, factor.quantities["prior:price"]) == ("log(prior:price)", 20.0)
    assert factor.value == math.log(20)
    assert "log(prior:price): prior:price = 20" in str(why)


def test_a_number_that_is_not_finite_is_refused(index):
    with pytest.raises(ArgumentError) as error:
        Searcher(index, "bm25 + log(prior:price - 100)")
    assert str(error.value) == (
        "log(prior:price - 100) is -inf for document 'a' (prior:price 100); expected a finite number, as in log(1 + "
        "max(prior:price, 0))"
    )


# How often a query is scored


SAT = ["the cat sat", "a cat and another cat", "the dog sat", "cat and dog"]


@pytest.mark.parametrize("model", ["0.5*bm25 + 0.5*dph", "sdm(lm-dirichlet)", "0.5*min-max(sdm(bm25)) + 0.5*bm25"])
def test_documents_of_one_query_are_explained_from_one_scoring(model, monkeypatch):
    index, scored = toysearch.Index.build(SAT), []
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
