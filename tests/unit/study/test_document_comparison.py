"""Two documents side by side: who stands above, by what, and what is refused."""

import pytest

from toysearch import Index, Searcher, explain_order
from toysearch.base.errors import ArgumentError

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


def test_one_document_and_an_unknown_one_are_refused(index):
    with pytest.raises(ArgumentError, match="document '1' cannot rank above itself; name two different documents"):
        explain_order(Searcher(index), "cat", "1", "1")
    with pytest.raises(ArgumentError, match="no document 'x'"):
        explain_order(Searcher(index), "cat", "1", "x")
