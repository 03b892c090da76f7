"""How rare the words of queries are, and which relevant documents hold them, worked out by hand."""

import pytest

from toysearch import Index
from toysearch.base import TextNeeds
from toysearch.retrieval.query_terms import query_terms
from toysearch.workbench.robustness.length_and_rarity import exact_matches, rarity_groups


def test_thirds_of_the_queries_by_the_rarity_of_their_words():
    index = Index.build(["aa bb", "aa bb", "aa", "aa cc"])
    texts = {"1": "aa", "2": "bb", "3": "cc", "4": "aa cc", "5": "unheard"}
    terms = {query_id: query_terms(index, text.split()) for query_id, text in texts.items()}
    groups = rarity_groups(terms, index.df, 4)
    assert [(group.group, group.query_ids) for group in groups] == [
        ("common", ["1", "2"]),  # 4 of 4; 2 of 4
        ("middling", ["4"]),  # the geometric mean of 1 and 1/4
        ("rare", ["3"]),
    ]
    assert [(group.low, group.high) for group in groups] == [
        (pytest.approx(0.5), 1.0),
        (pytest.approx(0.5), pytest.approx(0.5)),
        (pytest.approx(0.25), pytest.approx(0.25)),
    ]


def test_how_many_relevant_documents_hold_the_very_words():
    index = Index.build(["flow past a wing", "the flow past wings", "boundary layer", "the layer"])
    texts = {"1": "flow wing", "2": "layer unheard", "3": "unheard", "4": "layer layer"}
    terms = {query_id: query_terms(index, text.split()) for query_id, text in texts.items()}
    found = exact_matches(index, terms, {"1": [0, 1, 2], "2": [3], "3": [0], "4": [2]}, TextNeeds())
    # 1: both in 0, one in 1, none in 2; 2: layer but not unheard; 3: none; 4: all
    assert found == (6, pytest.approx(2 / 6), pytest.approx(2 / 6), pytest.approx(2 / 6))
