"""Errors and notes: one line of bounded length, whatever they quote; the error for an unknown name."""

from __future__ import annotations

import unicodedata
import warnings

from hypothesis import given
from hypothesis import strategies as st

from toysearch.errors import DataError, malformed, note, unknown
from toysearch.wording import LONGEST_SENTENCE


def test_a_long_list_of_names_is_cut():
    names = [str(number) for number in range(1, 226)]
    assert str(unknown("query", "22x", names, "queries")) == (
        "unknown query '22x'; did you mean '22'? Queries: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (225 in all)"
    )
    assert str(unknown("name", "x", ["b", "c"])) == "unknown name 'x'. Names: b, c"


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
    said = str(DataError("found '" + "a" * 10_000_000 + "'; expected an id"))
    assert len(said) == LONGEST_SENTENCE
    assert said.startswith("found 'aaa")
    assert said.endswith("aaa'; expected an id")
