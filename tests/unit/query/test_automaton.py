"""Patterns as automata: the same texts as Python's matcher, in few steps."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError
from toysearch.base.regular_expression import read_expression, wildcard_expression
from toysearch.index.strings import Strings
from toysearch.query.automaton import MOST_STEPS, Automaton, Steps
from toysearch.search.fitting_terms import fitting

pytestmark = pytest.mark.system

PIECES = ["a", "b", "-", ".", "é", "[ab]", "[^a]", r"\-", r"\w", r"\.", "(", "(?:", ")", ")", "|", "*", "+", "?"]
REPEATS = ["{2}", "{1,2}", "{,2}", "{1,}", "{,}", "*?", "{"]
LETTERS = "ab-é."


def is_expression(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return "++" not in text and "*+" not in text and "?+" not in text and "}+" not in text


patterns = st.lists(st.sampled_from(PIECES + REPEATS), min_size=1, max_size=9).map("".join).filter(is_expression)


def fitting_terms(pattern: str, terms: list[str]) -> list[str]:
    strings = Strings.of(terms)
    return strings.take(fitting(strings, np.arange(len(terms)), Automaton(read_expression(pattern), pattern)))


@given(patterns, st.lists(st.text(LETTERS, max_size=7), max_size=30, unique=True))
@settings(max_examples=150)
def test_the_same_terms_fit_as_in_python(pattern, terms):
    expected = [term for term in terms if re.fullmatch(pattern, term, re.DOTALL)]
    assert fitting_terms(pattern, terms) == expected
    automaton = Automaton(read_expression(pattern), pattern)
    assert [term for term in terms if automaton.fits(term)] == expected


@given(st.text(LETTERS + "*?\\", min_size=1, max_size=8), st.text(LETTERS, max_size=8))
def test_a_wildcard_fits_what_its_signs_stand_for(pattern, term):
    texts, expression = wildcard_expression(pattern)
    forms = {"*": ".*", "?": "."}
    signs = [sign for _, sign in re.findall(r"\\(.)|(.)", pattern) if sign in forms]
    spelt = "".join(re.escape(text) + form for text, form in zip(texts, [*map(forms.get, signs), ""], strict=True))
    assert Automaton(expression, pattern).fits(term) == bool(re.fullmatch(spelt, term))


SLOW = [
    r"(a+)+b",
    r"(a|a)*b",
    r"(a*)*b",
    r".*.*.*.*.*.*.*.*x",
    "a?" * 60 + "a" * 60 + "b",
    r"(.*a){12}x",
    "(" * 15 + "a" + "*)" * 15 + "b",
    "|".join("a" * n + "b" for n in range(50)),
]


@pytest.mark.parametrize("pattern", SLOW, ids=lambda pattern: pattern[:20])
@pytest.mark.parametrize("length", [40, 3000])
def test_the_steps_grow_with_the_length_of_the_pattern_and_of_the_term(pattern, length):
    steps = Steps()
    automaton = Automaton(read_expression(pattern), pattern, steps)
    assert not automaton.fits("a" * length)
    assert steps.most - steps.left < MOST_STEPS


@pytest.mark.parametrize("stars", [9, 17, 200])
def test_a_wildcard_of_many_stars_takes_few_steps(stars):
    steps = Steps(100 * stars + 1000 * stars)
    _, expression = wildcard_expression("*a" * stars + "*x")
    assert not Automaton(expression, "stars", steps).fits("a" * 40)


@pytest.mark.parametrize("pattern", ["((a{99}){99}){99}", "(){4000000000}", "(a|b)*a(a|b){3000}"])
def test_a_pattern_of_too_many_steps_is_refused(pattern):
    terms = ["ab" * 4000, "abb" * 2000]
    with pytest.raises(ArgumentError) as refusal:
        fitting_terms(pattern, terms)
    assert str(refusal.value) == (
        f"the pattern {pattern} takes too long: comparing the patterns of a query with the terms of an index may take "
        "1,000,000 steps; shorten it, or write fewer of * + { } in it"
    )


def test_the_patterns_of_a_query_share_their_steps():
    steps = Steps(150)
    for _ in range(2):
        Automaton(read_expression("ab"), "/ab/", steps)
    with pytest.raises(ArgumentError, match=r"the pattern /cd/ takes too long"):
        Automaton(read_expression("cd"), "/cd/", steps)
