"""The nodes of a query, and their texts."""

import math

import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError
from toysearch.query import syntax as q

A, B, C = map(q.Term, "abc")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (A & B & ~C, "a AND b AND NOT c"),
        ((A | B) & C, "(a OR b) AND c"),
        (q.And(A, q.Optional(B), q.Not(C)), "+a b -c"),
        (q.And(A, q.Optional(q.Or(B, C))), "+a (b OR c)"),
        (q.And(A), "+a"),
        (q.And(q.Or(A, B)), "+(a OR b)"),
        (q.And(q.Not(A), q.Optional(B)), "+(NOT a) b"),
        (~(A | B), "NOT (a OR b)"),
        (q.Boost(q.Field("title", A), 0.1), "(title:a)^0.1"),
        (q.Field("title", q.Boost(A, 2)), "title:a^2"),
        (q.Field("a b", q.Field("c:d", A)), r"a\ b:c\:d:a"),
        (q.Phrase("a b", 'c"d'), r'"a b c\"d"'),
        (q.Phrase("a", "b", slop=8), '"a b"~8'),
        (q.Phrase("a", "-b", gap=4), r"#od4(a \-b)"),
        (q.Wildcard(r"-a b\*\c*"), r"\-a\ b\*c*"),
        (q.Fuzzy("AND", 2), r"\AND~2"),
        (q.Range("year", 1990, below_high=True), "year:[1990 TO *]"),
        (q.Range("year", 0.1, 2, above_low=True, below_high=True), "year:{0.1 TO 2}"),
        (q.AtLeast(2, A, q.Or(A, B), B), "(a OR (a OR b) OR b)@2"),
        (q.Synonyms(A, q.Phrase("b", "c"), q.Synonyms(B)), '#syn(a "b c" #syn(b))'),
    ],
    ids=str,
)
def test_a_node_has_this_text(node, text):
    assert str(node) == text


def test_a_word_is_escaped_only_where_it_needs_it():
    typed = ["well-known", "-9", "C++", "and/or", "/x/", "don't", "#1", "C#", "AND", "and", "&&", "a b", "12:30", ">5"]
    typed += ["!x", "x!"]
    written = "well-known \\-9 C++ and/or \\/x/ don't \\#1 C# \\AND and \\&& a\\ b 12\\:30 \\>5 \\!x x!"
    assert " ".join(map(q.escaped, typed)) == written


def test_nodes_of_a_kind_are_flattened():
    assert q.And(q.And(A, B), C) == q.And(A, B, C)
    assert q.parts((A | B) | C) == (A, B, C)
    assert q.parts(q.Or(q.Or(A, q.And(B, C)), A)) == (A, q.And(B, C), A)
    assert [q.parts(node) for node in (A, q.Not(A), q.Range("x"))] == [(), (A,), ()]


def test_an_open_end_excludes_nothing():
    assert q.Range("x", above_low=True, below_high=True) == q.Range("x")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: q.Term(""), "a word must be a text that is not empty, not ''"),
        (lambda: q.Fuzzy("", 1), "a word must be a text that is not empty, not ''"),
        (lambda: q.Fuzzy("a", 3), "edits must be 1 or 2, not 3"),
        (lambda: q.Field("", A), "a field must be a text that is not empty, not ''"),
        (lambda: q.Phrase(" "), "a phrase takes words, such as Phrase('tick', 'removal'), not (' ',)"),
        (lambda: q.Phrase("a", slop=2, gap=2), "a phrase takes slop (any order) or gap (in order), not both"),
        (lambda: q.Phrase("a", slop=-1), "slop must be a whole number of at least 0, not -1"),
        (lambda: q.Wildcard("a"), "a wildcard takes a pattern with * or ?, such as comp*, not 'a'"),
        (lambda: q.Wildcard(r"a\*"), r"a wildcard takes a pattern with * or ?, such as comp*, not 'a\\*'"),
        (lambda: q.Range("x", math.nan), "a range goes from one number to another, not from nan to inf"),
        (lambda: q.Boost(A, 0), "weight must be a number above 0, not 0"),
        (lambda: q.Synonyms(A, B | C), '#syn takes words, phrases and patterns, such as #syn(cat "house cat" kitt*)'),
        (lambda: q.AtLeast(3, A, B), "n must be a whole number from 1 to the number of parts, 2, not 3"),
        (lambda: q.AtLeast(1, ~A, B), "AtLeast takes parts that may match, neither Not nor Optional"),
        (lambda: q.And(), "And takes parts of a query, such as Term('dog'), not ()"),
        (lambda: q.Or("a"), "Or takes parts of a query, such as Term('dog'), not ('a',)"),
        (
            lambda: q.And(q.Optional(A), q.Optional(B)),
            "And takes at least one part that is not Optional; Or joins parts of which none is required",
        ),
    ],
)
def test_other_values_are_refused(make, message):
    with raising(ArgumentError, message):
        make()
