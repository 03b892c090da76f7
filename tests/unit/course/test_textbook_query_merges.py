"""Merges of postings lists: by hand, against sets, and against the search."""

from __future__ import annotations

from random import Random

import pytest

from toysearch import Index
from toysearch.base.errors import ArgumentError
from toysearch.course.textbook_query import merge_postings, query_merges
from toysearch.query.parser import parse
from toysearch.search.matching import Matcher

SETS = {"AND": set.intersection, "OR": set.union, "AND NOT": set.difference}


@pytest.mark.parametrize(
    ("operator", "kept", "rest", "documents"),
    [
        ("AND", [False, True, False, False, True], [], [4, 9]),
        ("OR", [True] * 5, [11, 12], [2, 4, 7, 8, 9, 11, 12]),
        ("AND NOT", [True, False, True, False, False], [], [2, 7]),
    ],
)
def test_comparisons_by_hand(operator, kept, rest, documents):
    merge = merge_postings([2, 4, 7, 9], [4, 8, 9, 11, 12], operator)
    compared = [(2, 4), (4, 4), (7, 8), (9, 8), (9, 9)]
    assert merge.comparisons == [(*pair, keep) for pair, keep in zip(compared, kept, strict=True)]
    assert (merge.rest, merge.documents, merge.lengths) == (rest, documents, (4, 5))


@pytest.mark.parametrize("operator", SETS)
def test_a_merge_is_the_operation_on_sets(operator):
    random = Random(5)
    for _ in range(100):
        first, second = (sorted(random.sample(range(30), random.randint(0, 12))) for _ in range(2))
        merge = merge_postings(first, second, operator)
        assert merge.documents == sorted(SETS[operator](set(first), set(second)))


def test_documents_that_do_not_rise_are_refused():
    with pytest.raises(ArgumentError, match=r"^the document numbers of 'b' must be rising, not \[3, 3\]$"):
        merge_postings([1], [3, 3])


@pytest.fixture(scope="module")
def index():
    random = Random(7)
    return Index.build([" ".join(random.choices(("cat", "dog", "bird", "fish"), k=2)) for _ in range(40)])


@pytest.mark.parametrize(
    ("query", "operators"),
    [
        ("cat AND dog", ["AND"]),
        ("cat OR dog OR bird", ["OR", "OR"]),
        ("(cat OR dog) AND NOT bird", ["OR", "AND NOT"]),
        ("-cat +dog +bird", ["AND", "AND NOT"]),
        ("(cat AND dog) OR (bird AND fish)", ["AND", "AND", "OR"]),
        ("ca* AND d?g", ["AND"]),
    ],
)
def test_the_last_merge_of_a_query_finds_its_documents(index, query, operators):
    tree = parse(query, "strict").tree
    merges = query_merges(tree, index)
    assert [merge.operator for merge in merges] == operators
    assert merges[-1].documents == (Matcher(index).matches(tree) + 1).tolist()


@pytest.mark.parametrize("query", ["cat", "NOT cat", "NOT cat AND NOT dog", "cat OR NOT dog", '"cat dog"'])
def test_a_query_without_two_lists_has_no_merge(index, query):
    assert query_merges(parse(query, "strict").tree, index) == []
