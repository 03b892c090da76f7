"""What fields and patterns match: dates as typed, and the terms of an index."""

import pytest

from toysearch import Document, Index, Searcher, explain
from toysearch.base.errors import ArgumentError
from toysearch.query.parser import parse
from toysearch.query.syntax import Wildcard
from toysearch.retrieval.matching import MOST_PATTERNS, Matcher

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


def test_other_numbers_are_compared_as_they_are():
    index = indexed("price", ["1500", "1500.5", "2012.99", "20"])
    for text, expected in {"price:[1000 TO 1500]": [0], "price:1500": [0], "price:>1500": [1, 2]}.items():
        assert Matcher(index).matches(parse(text, "strict").tree).tolist() == expected


# Patterns, and the terms that fit them


INDEX = Index.build(["cat " + "a" * 40, "bird", "a" * 3000 + "x"])
SLOW = ["*a" * 30 + "*x", "*" * 30 + "x", "a*" * 50 + "x", "*?" * 41 + "x"]


@pytest.mark.system
@pytest.mark.parametrize("text", SLOW, ids=lambda text: text[:12])
def test_a_search_reads_each_term_once(text):
    assert [*Matcher(INDEX).matches(parse(text, "strict").tree)] == [2]


@pytest.mark.system
def test_a_query_has_so_many_patterns():
    text = " ".join(f"a{number}*" for number in range(MOST_PATTERNS))
    assert not len(Matcher(INDEX).matches(parse(f"{text} a0*", "strict").tree))
    with pytest.raises(ArgumentError) as refusal:
        Matcher(INDEX).matches(parse(f"{text} b*", "strict").tree)
    assert str(refusal.value) == (
        "a query may hold 20 different patterns, such as comp* and colour~; this one holds more"
    )


@pytest.mark.system
def test_a_pattern_of_many_terms_is_explained_as_one_part():
    index = Index.build([" ".join(f"t{number}" for number in range(n)) for n in (500, 150, 3)])
    for text, places in (("t*", 0), ("t?", 10)):
        explanation = explain(Searcher(index), Matcher(index).query_terms(Wildcard(text)), "1")
        [term] = explanation.tree.of_kind("term")
        assert (term.label, len(term.quantities.get("positions", []))) == (text, places)
