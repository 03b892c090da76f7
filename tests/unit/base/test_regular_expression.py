"""Which regular expressions a query may contain."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.base.regular_expression import read_expression

ACCEPTED = [
    *(r"a", r"colou?r", r"(?:un|re)?do[a-z]+", r"[ab]+(c|d)e*", r"\(a+\)+", r"[(a+)]+", r"[]a+]*", r"[^]a]+"),
    *(r"[\]+(]*", r"(ab){2}", r"(a|b)?c*", r"a{2,3}b{,4}", r"a*?b+?c*", r"(a+)+", r"(?:(a|ab)*c?){2,}", r"^a|b$"),
    *(r"a{,}", r"x{y}", r"[[a]"),
]
ACCEPTED += ["a?" * 30 + "a" * 30, "|".join(f"word{number}" for number in range(400))]


@pytest.mark.parametrize("pattern", ACCEPTED, ids=lambda pattern: pattern[:20])
def test_an_expression_is_accepted(pattern):
    read_expression(pattern)


WHOLE = "a regular expression matches a term as a whole: leave out "
KINDS = "the groups of a regular expression in a query are (…) or (?:…), not other kinds of (?…)"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a^b", WHOLE + "^"),
        ("(^a|b)", WHOLE + "^"),
        ("a$b", WHOLE + "$"),
        (r"a\b", WHOLE + r"\b"),
        ("ab*+c", "a regular expression in a query has no possessive repeats: leave out the + after *"),
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
    with raising(ArgumentError, message):
        read_expression(pattern)
