"""Years and months in a field of dates stand for the whole of them."""

from __future__ import annotations

import pytest

from toysearch import Document, Index, Searcher
from toysearch.query.parser import parse
from toysearch.query.syntax import Range
from toysearch.search.matching import Matcher

DAYS = ["2009-12-31", "2010-01-01", "2012-01-01", "2012-06-01", "2012-06-30", "2012-07-01", "2012-12-31", "2013-01-01"]
TYPED = {
    "2012": (2, 7),
    "[2010 TO 2012]": (1, 7),
    "[2010 TO 2012}": (1, 2),
    "{2010 TO 2012]": (2, 7),
    ">2012": (7, 8),
    "<=2012": (0, 7),
    "<2012": (0, 2),
    "2012-06": (3, 5),
    "[2012-06 TO 2012-06]": (3, 5),
    "[2012-06-01 TO 2012-06-30]": (3, 5),
    "2012-06-01": (3, 4),
    ">2012-12": (7, 8),
    "[* TO 2009]": (0, 1),
}


def indexed(field, values):
    documents = [Document(str(n), "a cat", "", {field: value}) for n, value in enumerate(values)]
    return Index.build(documents, values=[field])


@pytest.mark.parametrize("typed", TYPED)
def test_a_year_or_a_month_is_the_whole_of_it(typed):
    index, tree = indexed("date", DAYS), parse(f"date:{typed}", "strict").tree
    expected = [*range(*TYPED[typed])]
    assert Matcher(index).matches(tree).tolist() == expected
    assert str(tree) == f"date:{typed}" or typed[0] in "<>"
    assert parse(str(tree), "strict").tree == tree
    assert Matcher(index).matches(parse(str(tree), "strict").tree).tolist() == expected
    assert [*map(int, Searcher(index).search(f"+date:{typed}", None).doc_ids)] == expected


@pytest.mark.parametrize("typed", TYPED)
def test_the_lookup_of_a_textbook_finds_the_same_days(typed):
    textbook_query = pytest.importorskip("toysearch.course.textbook")
    index, tree = indexed("date", DAYS), parse(f"date:{typed}", "strict").tree
    if isinstance(tree, Range):
        lookup = textbook_query.range_lookup(index, tree)
        assert [*range(lookup.first - 1, lookup.last)] == [*range(*TYPED[typed])]


def test_other_numbers_are_compared_as_they_are():
    index = indexed("price", ["1500", "1500.5", "2012.99", "20"])
    for text, expected in {"price:[1000 TO 1500]": [0], "price:1500": [0], "price:>1500": [1, 2]}.items():
        assert Matcher(index).matches(parse(text, "strict").tree).tolist() == expected
