"""The nodes of a query, and their texts."""

import math

import pytest
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.query.syntax import (
    And,
    Boost,
    Field,
    Fuzzy,
    Not,
    Optional,
    Or,
    Phrase,
    Range,
    Regex,
    Synonyms,
    Term,
    Wildcard,
    escaped,
    parts,
)

A, B, C = map(Term, "abc")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (A & B & ~C, "a AND b AND NOT c"),
        ((A | B) & C, "(a OR b) AND c"),
        (And(A, Optional(B), Not(C)), "+a b -c"),
        (And(A, Optional(Or(B, C))), "+a (b OR c)"),
        (And(A), "+a"),
        (And(Or(A, B)), "+(a OR b)"),
        (And(Not(A), Optional(B)), "+(NOT a) b"),
        (~(A | B), "NOT (a OR b)"),
        (Boost(Field("title", A), 0.1), "(title:a)^0.1"),
        (Field("title", Boost(A, 2)), "title:a^2"),
        (Field("a b", Field("c:d", A)), r"a\ b:c\:d:a"),
        (Phrase("a b", 'c"d'), r'"a b c\"d"'),
        (Phrase("a", "b", slop=8), '"a b"~8'),
        (Phrase("a", "-b", gap=4), r"#od4(a \-b)"),
        (Wildcard(r"-a b\*\c*"), r"\-a\ b\*c*"),
        (Fuzzy("AND", 2), r"\AND~2"),
        (Regex("a/b"), r"/a\/b/"),
        (Range("year", 1990, below_high=True), "year:[1990 TO *]"),
        (Range("year", 0.1, 2, above_low=True, below_high=True), "year:{0.1 TO 2}"),
        (Synonyms(A, Phrase("b", "c"), Synonyms(B)), '#syn(a "b c" #syn(b))'),
    ],
    ids=str,
)
def test_a_node_has_this_text(node, text):
    assert str(node) == text


def test_a_word_is_escaped_only_where_it_needs_it():
    typed = ["well-known", "-9", "C++", "and/or", "/x/", "don't", "#1", "C#", "AND", "and", "&&", "a b", "12:30", ">5"]
    written = "well-known \\-9 C++ and/or \\/x/ don't \\#1 C# \\AND and \\&& a\\ b 12\\:30 \\>5"
    assert " ".join(map(escaped, typed)) == written


def test_nodes_of_a_kind_are_flattened():
    assert And(And(A, B), C) == And(A, B, C)
    assert parts((A | B) | C) == (A, B, C)
    assert parts(Or(Or(A, And(B, C)), A)) == (A, And(B, C), A)
    assert [parts(node) for node in (A, Not(A), Range("x"))] == [(), (A,), ()]


def test_an_open_end_excludes_nothing():
    assert Range("x", above_low=True, below_high=True) == Range("x")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Term(""), "a word must be a text that is not empty, not ''"),
        (lambda: Fuzzy("", 1), "a word must be a text that is not empty, not ''"),
        (lambda: Fuzzy("a", 3), "edits must be 1 or 2, not 3"),
        (lambda: Field("", A), "a field must be a text that is not empty, not ''"),
        (lambda: Phrase(" "), "a phrase takes words, such as Phrase('tick', 'removal'), not (' ',)"),
        (lambda: Phrase("a", slop=2, gap=2), "a phrase takes slop (any order) or gap (in order), not both"),
        (lambda: Phrase("a", slop=-1), "slop must be a whole number of at least 0, not -1"),
        (lambda: Wildcard("a"), "a wildcard takes a pattern with * or ?, such as comp*, not 'a'"),
        (lambda: Wildcard(r"a\*"), r"a wildcard takes a pattern with * or ?, such as comp*, not 'a\\*'"),
        (lambda: Range("x", math.nan), "a range goes from one number to another, not from nan to inf"),
        (lambda: Boost(A, 0), "weight must be a number above 0, not 0"),
        (lambda: Synonyms(A, B | C), '#syn takes words, phrases and patterns, such as #syn(cat "house cat" kitt*)'),
        (lambda: And(), "And takes parts of a query, such as Term('dog'), not ()"),
        (lambda: Or("a"), "Or takes parts of a query, such as Term('dog'), not ('a',)"),
        (
            lambda: And(Optional(A), Optional(B)),
            "And takes at least one part that is not Optional; Or joins parts of which none is required",
        ),
    ],
)
def test_other_values_are_refused(make, message):
    with raising(ArgumentError, message):
        make()
