"""Two documents side by side: who stands above, by what, and what is refused."""

import pytest

from toysearch import Index, Searcher, explain, explain_order, own_search
from toysearch.base.errors import ArgumentError
from toysearch.study import not_ranked
from toysearch.study.explain.order_explanation import rival

TEXTS = ["cat sat", "cat cat dog", "sat cat", "dog", ""]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def test_of_equal_scores_the_first_of_the_collection_stands_above(index):
    for pair in (("1", "3"), ("3", "1")):
        why = explain_order(Searcher(index, "bm25"), "cat sat", *pair)
        assert (why.above.doc_id, why.ranks, why.ahead) == ("1", (1, 2), 0.0)


def test_a_document_without_a_term_of_the_query_stands_below(index):
    why = explain_order(Searcher(index, "bm25"), "cat", "4", "1")
    assert (why.above.doc_id, why.ranks, why.ahead) == ("1", (2, None), None)
    assert why.below.score is None


def test_a_single_document_is_compared_with_one_that_stands_beside_it(index):
    searcher = Searcher(index, "bm25")
    terms, found = searcher.terms("cat sat"), ("1", "3", "2")
    assert list(searcher.search(terms).doc_ids) == [*found]
    assert [rival(searcher, terms, doc_id, rank, 2) for rank, doc_id in enumerate(found, 1)] == [
        ("3", "Why 1 is the first: compared with the second"),
        ("1", "Why 3 is not higher: compared with the one above it"),
        ("3", "Why 2 is not in the first 2: compared with the last of them"),
    ]
    assert rival(searcher, terms, "4", None, 2) == (None, "")


def test_a_document_that_a_search_does_not_return_is_said_to_be_left_out(index):
    searcher = Searcher(index, own_search(lambda text: {"2": 1.0}))
    terms = searcher.terms("cat")
    assert str(explain(searcher, "cat", "1")).endswith(": the search does not return it")
    assert str(explain_order(searcher, "cat", "1", "2")) == "1 is not ranked: the search does not return it"
    assert not_ranked(searcher, terms, "1").endswith(" does not return it")


def test_one_document_and_an_unknown_one_are_refused(index):
    with pytest.raises(ArgumentError, match="document '1' cannot rank above itself; name two different documents"):
        explain_order(Searcher(index), "cat", "1", "1")
    with pytest.raises(ArgumentError, match="no document 'x'"):
        explain_order(Searcher(index), "cat", "1", "x")
