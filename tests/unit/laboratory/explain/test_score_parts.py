"""A score as a flat list of parts: what becomes of a mixture's products, worked by hand."""

from __future__ import annotations

import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.laboratory.explain.score_explanation import PartDifference, part_differences, parts
from toysearch.laboratory.explain.score_explanation import ScorePart as Part

TEXTS = [
    toysearch.Document("1", "cat sat", fields={"year": "2"}),
    toysearch.Document("2", "cat cat dog", fields={"year": "3"}),
    toysearch.Document("3", "dog", fields={"year": "5"}),
]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, values=("year",))


def of(index, spec, text, doc_id):
    searcher = Searcher(index, spec)
    return parts(toysearch.explain(searcher, text, doc_id))


def test_a_single_model_has_its_terms_and_what_it_adds_besides(index):
    found = of(index, "lm-jm", "cat sat", "1")
    assert list(found) == [
        Part("term", "sat"),
        Part("term", "cat"),
        Part("per_matched_document"),
        Part("document"),
    ]
    assert of(index, "overlap", "cat sat", "1") == {Part("term", "cat"): 1.0, Part("term", "sat"): 1.0}


def test_a_weight_is_spread_over_the_terms_and_models_are_added_up(index):
    # 2 · overlap + 3 · overlap: each term counts 5.
    assert of(index, "2*overlap + 3*overlap", "cat sat", "1") == {
        Part("term", "cat"): 5.0,
        Part("term", "sat"): 5.0,
    }


def test_a_prior_multiplies_the_terms_and_stands_alone_as_a_product(index):
    assert of(index, "overlap*prior:year", "cat dog", "2") == {
        Part("term", "cat"): 3.0,
        Part("term", "dog"): 3.0,
    }
    found = of(index, "overlap + 0.1*prior:year", "cat", "2")
    assert found == {Part("term", "cat"): 1.0, Part("product", "prior:year"): pytest.approx(0.3)}


def test_a_product_of_two_models_is_no_sum_of_terms(index):
    assert of(index, "2*overlap*dice", "cat", "1") == {Part("product", "overlap*dice"): pytest.approx(2 * 2 / 3)}


def test_a_normalisation_scales_the_terms_and_moves_the_whole(index):
    # overlap is 2, 2, 1 for the three; min-max takes 1 off and divides by 1: a term counts 1, the whole is moved by -1.
    assert of(index, "0.5*min-max(overlap)", "cat sat dog", "1") == {
        Part("term", "cat"): 0.5,
        Part("term", "sat"): 0.5,
        Part("normalisation", "min-max(overlap)"): -0.5,
    }
    # sum: (2 − 1) / (1 + 1 + 0)
    assert of(index, "sum(overlap)", "cat sat dog", "2") == {
        Part("term", "cat"): 0.5,
        Part("term", "dog"): 0.5,
        Part("normalisation", "sum(overlap)"): -0.5,
    }


def test_where_all_score_alike_a_normalisation_is_all_there_is(index):
    assert of(index, "min-max(overlap)", "dog", "3") == {
        Part("term", "dog"): 0.0,
        Part("normalisation", "min-max(overlap)"): 1.0,
    }


def test_a_document_that_is_not_ranked_has_no_parts(index):
    assert of(index, "bm25", "cat", "3") == {}
    assert of(index, "bm25 + dice", "cat", "3") == {}


def test_the_largest_difference_comes_first_and_equal_ones_by_name():
    first = {Part("term", "b"): 1.0, Part("term", "a"): 1.0, Part("per_matched_document"): 5.0}
    second = {
        Part("term", "b"): 2.0,
        Part("term", "a"): 0.0,
        Part("document"): -7.0,
        Part("per_matched_document"): 5.0,
    }
    assert part_differences(first, second) == [
        PartDifference("document", "", 0.0, -7.0, -7.0),
        PartDifference("term", "a", 1.0, 0.0, -1.0),
        PartDifference("term", "b", 1.0, 2.0, 1.0),
        PartDifference("per_matched_document", "", 5.0, 5.0, 0.0),
    ]
