"""The steps of a query by hand, by their definitions, against sets, and against the search."""

from functools import cache
from random import Random

import pytest

from toysearch import Analyzer, Index
from toysearch.base.errors import ArgumentError
from toysearch.classroom.textbook import (
    edit_matrix,
    merge_postings,
    query_merges,
)
from toysearch.query.parser import parse
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within
from toysearch.retrieval.matching import Matcher


def by_definition(first, second):
    """The distance of two words by recursion from their ends."""

    @cache
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        ways = [distance(a[:-1], b) + 1, distance(a, b[:-1]) + 1, distance(a[:-1], b[:-1]) + (a[-1] != b[-1])]
        if len(a) > 1 and a[-2:] == b[:-3:-1]:
            ways.append(distance(a[:-2], b[:-2]) + 1)
        return min(ways)

    return distance(first, second)


def test_a_matrix_by_hand():
    """The words of figure 3.5 of Manning, Raghavan & Schütze; here the exchange of t and s saves one edit."""
    rows = [[0, 1, 2, 3, 4], [1, 1, 2, 3, 4], [2, 2, 1, 2, 3], [3, 3, 2, 2, 2], [4, 4, 3, 2, 2]]
    assert edit_matrix("cats", "fast").rows == rows
    assert edit_matrix("cats", "fast").edits == ["replace c by f", "exchange t and s"]
    assert str(edit_matrix("a", "ab")) == "a → ab: 1 edit\n\n        a  b\n     0  1  2\n  a  1  0  1\n\ninsert b"


WORDS = Random(3)
PAIRS = [tuple("".join(WORDS.choices("abc", k=WORDS.randint(0, 6))) for _ in range(2)) for _ in range(200)]


def test_a_cell_is_the_distance_of_two_beginnings_and_there_are_as_many_edits():
    for first, second in PAIRS:
        matrix = edit_matrix(first, second)
        assert matrix.rows == [
            [by_definition(first[:i], second[:j]) for j in range(len(second) + 1)] for i in range(len(first) + 1)
        ]
        assert len(matrix.edits) == matrix.distance
        grown = sum(edit.startswith("insert") - edit.startswith("delete") for edit in matrix.edits)
        assert len(first) + grown == len(second)


@pytest.mark.parametrize("word", ["tikc", "boundery", "guinae", "übung"])
def test_the_search_counts_the_same_edits(word):
    terms = ["tick", "ticks", "trick", "boundary", "bounder", "guinea", "guinean", "ubung", "bung"]
    index = Index.build([" ".join(terms)])
    near = terms_within(index, word, 9)
    found = dict(zip(index.terms.take(near.numbers), near.edits.tolist(), strict=True))
    assert found == {term: edit_matrix(word, term).distance for term in index.terms}


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


def test_words_that_the_analyzer_joins_are_one_list():
    joined = Index.build(
        ["a kettle", "tea, water boiler", "boiler, water"], Analyzer(synonyms={"water boiler": "kettle"})
    )
    [merge] = query_merges(parse("water boiler -tea", "strict").tree, joined)
    assert (merge.operator, merge.documents) == ("AND NOT", [1])


REFUSED = [
    (lambda: merge_postings([1], [3, 3]), r"^the document numbers of 'b' must be rising, not \[3, 3\]$"),
    (lambda: merge_postings([2], [3], "XOR"), "unknown operator 'XOR'"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_what_cannot_be_worked_out_is_refused(call, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        call()
