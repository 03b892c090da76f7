"""An analyzer with some choices made otherwise."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch import Analyzer
from toysearch.analysis.analyzer import CHOICES, choice_of, variant
from toysearch.base.errors import ArgumentError

ENGLISH = Analyzer.for_language("english", numbers="drop", protected=["cats"])
TEXT = "The Cats of 1984 and the naïve dogs"


@pytest.mark.parametrize(
    ("choices", "terms"),
    [
        ({}, ["cats", "naïv", "dog"]),
        ({"stem": "none"}, ["cats", "naïve", "dogs"]),
        ({"stop": "none"}, ["the", "cats", "of", "and", "the", "naïv", "dog"]),
        ({"numbers": "keep"}, ["cats", "1984", "naïv", "dog"]),
        ({"fold_accents": "yes"}, ["cats", "naiv", "dog"]),
        ({"min_length": "5"}, ["cats", "naïv"]),  # cats is protected
        ({"max_length": "4"}, ["cats", "dog"]),
        ({"ngrams": "2"}, ["cats naïv", "naïv dog"]),
        ({"ngrams": "1-2", "stem": "none"}, ["cats", "naïve", "dogs", "cats naïve", "naïve dogs"]),
        ({"char_ngrams": "4-4"}, [" cat", "cats", "ats ", " naï", "naïv", "aïv ", " dog", "dog "]),
        ({"language": "none"}, ["the", "cats", "of", "and", "the", "naïve", "dogs"]),
        ({"stem": "none", "language": "german"}, ["the", "cats", "of", "and", "the", "naïve", "dogs"]),
    ],
)
def test_a_variant_differs_in_what_is_chosen_and_in_nothing_else(choices, terms):
    assert variant(ENGLISH, choices)(TEXT) == terms


def test_no_choice_gives_an_equal_analyzer_with_its_name():
    assert variant(ENGLISH, {}) == ENGLISH
    assert str(variant(ENGLISH, {})) == str(ENGLISH)
    assert str(variant(ENGLISH, {"language": "de"})) == str(
        Analyzer.for_language("german", numbers="drop", protected=["cats"])
    )


def test_a_language_written_without_blanks_is_split_into_pairs():
    assert variant(Analyzer(), {"language": "ja"})("東京都") == ["東京", "京都"]
    assert variant(Analyzer.for_language("ja"), {"language": "none"})("東京都") == ["東京都"]


def test_an_own_pattern_and_own_stop_words_stay():
    own = Analyzer(tokens=r"\w+", lowercase=False, stop=["A"])
    assert variant(own, {"stem": "english"})("A B aB") == ["B", "aB"]


def test_every_choice_can_be_read_off_and_chosen_again():
    values = {name: choice_of(ENGLISH, name) for name in CHOICES if name != "stop"}
    assert values == {
        "language": "english",
        "tokens": "word2",
        "stem": "english",
        "html": "no",
        "fold_accents": "no",
        "cjk": "no",
        "numbers": "drop",
        "min_length": "1",
        "max_length": "none",
        "ngrams": "none",
        "char_ngrams": "none",
    }
    assert variant(ENGLISH, values) == ENGLISH
    assert choice_of(ENGLISH, "stop") == "sklearn"
    assert choice_of(variant(ENGLISH, {"ngrams": "1-3"}), "ngrams") == "1-3"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("html", "maybe", "an analyzer's html is yes or no, not 'maybe'"),
        ("min_length", "0", "min_length is a whole number of characters, at least 1, not 0"),
        ("max_length", "long", "an analyzer's max_length is a whole number, not 'long'"),
        ("ngrams", "1-", "an analyzer's ngrams is a length or a range of lengths such as 1-2, not '1-'"),
    ],
)
def test_what_is_refused(name, value, problem):
    with raising(ArgumentError, problem):
        variant(ENGLISH, {name: value})
