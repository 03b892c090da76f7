"""What models add to their weight functions, with the numbers put in."""

from __future__ import annotations

import math

import pytest

import toysearch
from toysearch import ArgumentError, Index, Searcher, hook_expressions


@pytest.fixture(scope="module")
def index():
    return Index.build(["train the cat", "train train the dog and the cat", "parrot", "the the the"])


def of(index, spec, text, doc_id="2"):
    return hook_expressions(Searcher(index, spec), text, doc_id)


def test_the_parts_of_a_language_model(index):
    found = of(index, "lm-dirichlet:10", "dog train train unheard")
    # Three known words in the query; 14 tokens in all, dog 1 of them, train 3; the document has 7.
    [document] = found.document
    assert (document.name, document.formula) == ("document", "-ql · ln(1 + dl / mu)")
    assert (document.numbers, document.value) == ("-3 · ln(1 + 7 / 10)", pytest.approx(-3 * math.log(1.7)))
    [every] = found.per_matched_document
    assert (every.name, every.formula) == ("per_matched_document", "Σ qtf · ln(cf / T)")
    assert sorted(every.numbers.split(" + ")) == ["1 · ln(1 / 14)", "2 · ln(3 / 14)"]
    assert every.value == pytest.approx(math.log(1 / 14) + 2 * math.log(3 / 14))
    assert found.query == {}


def test_a_query_weight_is_told_where_it_is_not_the_count(index):
    found = of(index, "bm25:k3=8", "train train cat")
    assert list(found.query) == ["train"]
    [line] = found.query["train"]
    assert (line.name, line.formula) == ("q", "(k3 + 1) · qtf / (k3 + qtf)")
    assert (line.numbers, line.value) == ("(8 + 1) · 2 / (8 + 2)", 1.8)
    assert of(index, "bm25", "train train cat") == ({}, [], [])


def test_summands_below_0_are_taken_away_and_what_is_no_arithmetic_is_not_told(index):
    every = toysearch.model(lambda tf: tf, per_matched_document=_below_0, name="made")
    [line] = of(index, every, "cat dog").per_matched_document
    assert line.numbers == "-1 · 2 − 1 · 2"
    assert line.value == -4.0
    table = toysearch.model(lambda tf: tf, per_matched_document=_table, document=_table_of_documents, name="made")
    assert of(index, table, "cat dog") == ({}, [], [])


def _below_0(qtf):
    return -qtf * 2


def _table(qtf):
    return {"a": 1.0}["a"] * qtf


def _table_of_documents(dl):
    return {"a": 1.0}["a"] * dl


def test_a_query_without_a_known_word_and_a_mixture(index):
    assert of(index, "lm-jm", "unheard") == ({}, [], [])
    with pytest.raises(ArgumentError, match="is a mixture"):
        of(index, "bm25 + dice", "cat")
    with pytest.raises(ArgumentError, match="no document 'x'"):
        of(index, "lm-jm", "cat", "x")
