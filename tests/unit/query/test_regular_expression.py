"""Which regular expressions a query may contain."""

from __future__ import annotations

import pytest

from toysearch.errors import ArgumentError
from toysearch.query.regular_expression import refuse_slow


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "colou?r",
        "(?:un|re)?do[a-z]+",
        "[ab]+(c|d)e*",
        r"\(a+\)+",
        "[(a+)]+",
        "[]a+]*",
        "[^]a]+",
        r"[\]+(]*",
        "(ab){2}",
        "(a|b)?c*",
        "a{2,3}b{,4}",
        "a*?b+?c*+",
        "|".join(f"word{number}" for number in range(400)),
        "x{y}",
        "[[a]",
    ],
    ids=lambda pattern: pattern[:20],
)
def test_a_harmless_expression_is_accepted(pattern):
    refuse_slow(pattern)


REPEATED = (
    "the regular expression repeats a group that contains a repeat or |; that can take exponential time, and a set "
    "such as [ab] in place of (a|b) cannot"
)
TOO_MANY = (
    "the regular expression has too many repeats or alternatives: at most 4 of * + {m,n} and 10,000 combinations of "
    "alternatives are tried"
)
KINDS = "the groups of a regular expression in a query are (…) or (?:…), not other kinds of (?…)"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a+)+", REPEATED),
        ("(?:a*)*b", REPEATED),
        ("((a+)b)+", REPEATED),
        ("(a|ab)*c", REPEATED),
        ("(a?){30}", REPEATED),
        ("(a{9}){9}", REPEATED),
        ("((a+)?)+", REPEATED),
        ("a*a*a*a*a*b", TOO_MANY),
        ("a?" * 30 + "a" * 30, TOO_MANY),
        ("(a|a)" * 30 + "b", TOO_MANY),
        (r"(a)\1", "a regular expression in a query cannot refer back to a group (\\1)"),
        ("(?=a)b", KINDS),
        ("(?P<x>a)", KINDS),
        ("(?i)a", KINDS),
        ("(" * 30 + "a" + ")" * 30, "the groups of the regular expression are nested more than 20 deep"),
        ("a" * 4001, "the regular expression has 4,001 characters; at most 4,000 are read"),
        ("[a", "'[a' is not a regular expression: unterminated character set"),
        ("a)", "'a)' is not a regular expression: unbalanced parenthesis"),
        ("*a", "'*a' is not a regular expression: nothing to repeat"),
        ("a\\", "'a\\' is not a regular expression: bad escape (end of pattern)"),
        ("a{99999999999}", "'a{99999999999}' is not a regular expression: the repetition number is too large"),
        ("", "a regular expression must be a text that is not empty, not ''"),
    ],
    ids=lambda text: text[:20],
)
def test_any_other_is_refused(pattern, message):
    with pytest.raises(ArgumentError) as refusal:
        refuse_slow(pattern)
    assert str(refusal.value) == message
