"""What analysis makes of the words of a query, and why it leaves some out."""

import math

import pytest

from toysearch import Analyzer, Index
from toysearch.query.parser import parse
from toysearch.query.syntax import Range
from toysearch.study.explain.query_explanation import condition, left_out, query_outline


def outline(text, analyzer):
    return [(part.depth, part.label, part.terms) for part in query_outline(parse(text, "strict").tree, analyzer)]


def test_each_node_stands_before_its_parts():
    text = '+title:Cats^2 (a OR #syn(Dogs "big dogs")) -Train* +(Ab* Runing~2 NOT b)'
    assert outline(text, Analyzer.for_language("english")) == [
        (0, "AND", []),
        (1, "title:", []),
        (2, "^2", []),
        (3, "Cats", ["cat"]),
        (1, "optional", []),
        (2, "OR", []),
        (3, "a", []),
        (3, "#syn", []),
        (4, "Dogs", ["dog"]),
        (4, '"big dogs"', ["big", "dog"]),
        (1, "NOT", []),
        (2, "Train*", ["train*"]),
        (1, "OR", []),
        (2, "Ab*", ["ab*"]),
        (2, "Runing~2", ["runing"]),
        (1, "NOT", []),
        (2, "b", []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "reasons"),
    [
        ("english", "the cat", {"the": "stop word"}),
        ("english", "C++ and R", {"c": "too short", "and": "stop word", "r": "too short"}),
        ("plain:numbers=drop", "room 42", {"42": "number"}),
        ("plain:min_length=4", "a cat still", {"a": "too short", "cat": "too short or too long"}),
        ("plain:ngrams=2", "a cat sat", {"a": "too short"}),
        ("plain:ngrams=2", "cat", {}),
        ("plain", "!?", {"!?": "no letter or digit"}),
        ("plain:tokens=unicode", "a -- 🙂", {"🙂": "no letter or digit"}),
        ("ja", "東京都", {}),
    ],
)
def test_a_word_without_a_term_has_a_reason(spec, text, reasons):
    assert left_out(Analyzer.parse(spec), text) == reasons


def test_a_range_is_a_condition():
    ranges = [Range("year"), Range("year", 1990), Range("year", 1990.5, 2000, True, True), Range("year", -math.inf, 3)]
    assert [*map(condition, ranges)] == ["year", "1990 ≤ year", "1990.5 < year < 2000", "year ≤ 3"]


def test_words_that_the_analyzer_joins_stand_as_one():
    analyzer = Analyzer(synonyms={"water boiler": "kettle"})
    index = Index.build(["electric kettle", "tea from a water boiler", "boiler for water"], analyzer)
    outline = query_outline(parse("electric water boiler -tea").tree, analyzer, index)
    assert [(part.label, part.terms, part.n_documents) for part in outline] == [
        ("AND", [], 1),
        ("OR", [], 2),
        ("electric", ["electric"], 1),
        ("water\\ boiler", ["kettle"], 2),
        ("NOT", [], 2),
        ("tea", ["tea"], 1),
    ]
    signed = query_outline(parse("+water +boiler").tree, analyzer, index)
    assert [part.terms for part in signed] == [[], ["water"], ["boiler"]]
