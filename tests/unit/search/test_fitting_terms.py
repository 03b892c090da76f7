"""Patterns in searches: bounded whatever they are, and explained as one part."""

from __future__ import annotations

import pytest

from toysearch import Index, Searcher, explain
from toysearch.base.errors import ArgumentError
from toysearch.query.parser import parse
from toysearch.query.syntax import Wildcard
from toysearch.search.matching import MOST_PATTERNS, Matcher

pytestmark = pytest.mark.system

INDEX = Index.build(["cat " + "a" * 40, "bird", "a" * 3000 + "x"])
SLOW = ["*a" * 30 + "*x", "/.*.*.*.*.*.*x/", "/(a+)+x/", "/(a|a)*x/", "/" + "a?" * 40 + "a{40,}x/"]


@pytest.mark.parametrize("text", SLOW, ids=lambda text: text[:12])
def test_a_search_reads_each_term_once(text):
    assert [*Matcher(INDEX).matches(parse(text, "strict").tree)] == [2]


def test_a_query_has_so_many_patterns():
    text = " ".join(f"a{number}*" for number in range(MOST_PATTERNS))
    assert not len(Matcher(INDEX).matches(parse(f"{text} a0*", "strict").tree))
    with pytest.raises(ArgumentError) as refusal:
        Matcher(INDEX).matches(parse(f"{text} /b+/", "strict").tree)
    assert str(refusal.value) == (
        "a query may hold 20 different patterns, such as comp*, colour~ and /a+b/; this one holds more"
    )


def test_a_pattern_of_many_terms_is_explained_as_one_part():
    index = Index.build([" ".join(f"t{number}" for number in range(n)) for n in (500, 150, 3)])
    for text, places in (("t*", 0), ("t?", 10)):
        explanation = explain(Searcher(index), Matcher(index).query_terms(Wildcard(text)), "1")
        [term] = explanation.tree.of_kind("term")
        assert (term.label, len(term.quantities.get("positions", []))) == (text, places)
