"""The spelling of a query with operators: words are corrected, joined and split where they stand."""

from __future__ import annotations

import pytest

from toysearch import Index
from toysearch.query.parser import parse
from toysearch.query.syntax import Phrase, Term
from toysearch.search.spelling import suggest_tree

INDEX = Index.build(["tick removal for dogs", "a password"])


@pytest.mark.parametrize(
    ("text", "better"),
    [
        # a word for a word
        ("tick AND remvoal", "tick AND removal"),
        ("dgos^2 tick*", "dogs^2 OR tick*"),
        ("title:(dgos tick)", "title:(dogs OR tick)"),
        # a word for two: both are required where it is
        ("tickremoval dogs*", "tick OR removal OR dogs*"),
        ("tickremoval AND dogs", "tick AND removal AND dogs"),
        ("+tickremoval dogs", "+tick +removal dogs"),
        ("+dogs tickremoval", "+dogs tick removal"),
        ("dogs -tickremoval", "dogs AND NOT (tick AND removal)"),
        ("dogs OR NOT tickremoval", "dogs OR NOT (tick AND removal)"),
        ("tickremoval -dogs", "(tick OR removal) AND NOT dogs"),
        ("title:tickremoval^2", "title:(tick OR removal)^2"),
        ("dogs AND title:tickremoval", "dogs AND title:(tick AND removal)"),
        ('"tickremoval for"', '"tick removal for"'),
        ("#od4(tickremoval dogs)", "#od4(tick removal dogs)"),
        ("#syn(tickremoval dogs)", '#syn("tick removal" dogs)'),
        # two words for one: only neighbours
        ("pass word -dogs", "password AND NOT dogs"),
        ("+dogs pass word", "+dogs password"),
        ("title:(pass word)^3", "title:password^3"),
        ('"pass word" dogs', "password OR dogs"),
        ('"pass word dogs"~8', '"password dogs"~8'),
        ("tick* pass  word", "tick* OR password"),
        ("pass AND word", None),
        ("pass OR word", None),
        ("pass +word", None),
        ("+pass word", None),
        ("word -pass", None),
        ("pass^2 word", None),
        ("compass word*", None),
        # nothing to correct
        ("tick AND removal", None),
        ("tikc~1 OR remo?al OR year:[1 TO 2]", None),
    ],
)
def test_a_better_spelling(text, better):
    found = suggest_tree(INDEX, parse(text).tree, text)
    assert (found and str(found)) == better
    assert found is None or parse(str(found)).tree == found


def test_the_rest_of_a_query_stays():
    text = '+dgos (tick* OR "for dogs"~3)^2 -year:[1990 TO 2000] removal~1'
    assert str(suggest_tree(INDEX, parse(text).tree, text)) == str(parse(text.replace("dgos", "dogs")).tree)


def test_a_tree_made_in_python():
    assert str(suggest_tree(INDEX, Phrase("tick", "remvoal") & ~Term("dogs"), "")) == '"tick removal" AND NOT dogs'
    assert suggest_tree(INDEX, Term("tick\n\nremoval") | Term("dogs"), "") is None
