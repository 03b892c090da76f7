"""Errors and notes: one line of bounded length, whatever they quote; the error for an unknown name."""

import unicodedata
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import DataError, malformed, near_name, note, unknown
from toysearch.base.wording import LONGEST_SENTENCE


def test_a_long_list_of_names_is_cut():
    names = [str(number) for number in range(1, 226)]
    assert str(unknown("query", "x22", names, "queries")) == ("unknown query 'x22'; did you mean '22'?")
    assert str(unknown("query", "999", names, "queries")) == (
        "unknown query '999'. Queries: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (225 in all)"
    )
    assert str(unknown("name", "x", ["b", "c"])) == "unknown name 'x'. Names: b, c"


@pytest.mark.parametrize(
    ("name", "choices", "guess"),
    [
        ("BM25", ["bm25", "tfidf"], "bm25"),
        ("k", ["b", "k1", "k3"], "k1"),
        ("fd", ["tf", "df"], "df"),
        ("klingon", ["none", "english"], None),
        ("watch", ["cache", "check"], None),  # three letters of five
        ("citations", ["conventions"], None),
        ("tau", ["SetAP", "AP"], None),
        ("INST", ["SetR", "AP"], None),
        ("99", ["9", "1"], None),
        ("--k1", ["--cjk", "--k"], "--k"),
    ],
)
def test_a_guess_is_near(name, choices, guess):
    assert near_name(name, choices) == (f"; did you mean '{guess}'?" if guess else "")


@given(st.text())
def test_a_sentence_is_one_printable_line_of_bounded_length(text):
    for said in (str(DataError(text)), str(malformed("a.txt", 3, text))):
        assert len(said) <= LONGEST_SENTENCE
        assert not any(
            unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in said.replace("\t", "")
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        note(text)
    assert str(caught[0].message) == str(DataError(text))


def test_a_long_sentence_keeps_its_end():
    said = str(DataError("found '" + "a" * 1_000_000 + "'; expected an id"))
    assert len(said) == LONGEST_SENTENCE
    assert (said[:10], said[-20:]) == ("found 'aaa", "aaa'; expected an id")


def test_the_problem_of_a_line_is_known_without_its_place():
    error = malformed("pets.csv", 17, "expected 2 cells,\nfound 3")
    assert (str(error), error.problem) == ("pets.csv:17: expected 2 cells, found 3", "expected 2 cells, found 3")
    assert DataError("pets.csv is empty").problem == ""
