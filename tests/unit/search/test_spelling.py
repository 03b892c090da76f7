"""The words of a query that no document holds."""

from __future__ import annotations

import pytest

from toysearch import Analyzer, Index
from toysearch.search.spelling import unknown_words

ENGLISH = Index.build(["boundary layers", "the boundary", "aerodynamics", "flow"], Analyzer.for_language("english"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("boundery layer", [("boundery", "boundary")]),
        ("boundary layer", []),
        ("aerodinamics flows", [("aerodinamics", "aerodynamics")]),
        ("bondary", [("bondary", "boundary")]),
        ("bounddary", [("bounddary", "boundary")]),
        ("obundary", [("obundary", "boundary")]),
        ("xyzzy the xyzzy", [("xyzzy", "")]),
        ("flo", [("flo", "")]),  # of so short words too many are near
        ("", []),
    ],
)
def test_unknown_words_and_the_nearest(query, found):
    assert unknown_words(ENGLISH, query) == found


def test_the_more_frequent_of_two_is_named():
    index = Index.build(["cable", "table", "a table"])
    assert unknown_words(index, "dable") == [("dable", "table")]


def test_other_scripts_and_indexes_without_text():
    index = Index.build(["книга", "東京都"], Analyzer(cjk=True, marks=True), store_text=False)
    assert unknown_words(index, "кнага 京 大阪") == [("кнага", "книга"), ("大阪", "")]


def test_ngrams_are_no_words():
    assert unknown_words(Index.build(["a cat"], Analyzer(char_ngrams=(3, 3))), "dog") == []
