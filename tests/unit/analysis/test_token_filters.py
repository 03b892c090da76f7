"""What becomes of single tokens, by hand, and in which order."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch import Analyzer
from toysearch.analysis.token_filters import char_ngrams, is_number, lengths_of, word_ngrams
from toysearch.base.errors import ArgumentError


@pytest.mark.parametrize("token", ["0", "42", "1,000,000", "3.14", "-5", "+5", "−5", "1.2.3", "٤٢", "४२", "１２"])
def test_numbers(token):
    assert is_number(token)


@pytest.mark.parametrize("token", ["", "2nd", "x2", "1e6", "½", "²", "1.", ".5", "1,,0", "--1", "1_000", "42\n", "Ⅻ"])
def test_no_numbers(token):
    assert not is_number(token)


def test_numbers_are_kept_dropped_or_marked():
    text = "boeing 747 and 2nd 1968"
    assert Analyzer()(text) == Analyzer(numbers="keep")(text) == ["boeing", "747", "and", "2nd", "1968"]
    assert Analyzer(numbers="drop")(text) == ["boeing", "and", "2nd"]
    assert Analyzer(numbers="mark")(text) == ["boeing", "<num>", "and", "2nd", "<num>"]


def test_the_mark_is_left_alone_by_the_rules_that_follow():
    analyzer = Analyzer(numbers="mark", max_length=3, stop=["<num>"], stem="english")
    assert analyzer("12345 cats dog") == ["<num>", "dog"]


def test_lengths_are_those_of_the_token_and_inclusive():
    assert Analyzer(min_length=4)("one four fifth cats") == ["four", "fifth", "cats"]
    assert Analyzer(min_length=4, stem="english")("cats") == ["cat"]
    assert Analyzer(max_length=4)("one four fifth") == ["one", "four"]
    assert Analyzer(min_length=4, max_length=4)("one four fifth") == ["four"]
    assert Analyzer(tokens=r"\w+", min_length=1)("a bb") == ["a", "bb"]


def test_protected_words_are_neither_left_out_nor_stemmed():
    analyzer = Analyzer(
        stop=["the"],
        stem="english",
        min_length=4,
        max_length=6,
        numbers="drop",
        protected=["The", "IDs", "747", "flyings"],
    )
    assert analyzer("the ids 747 flyings flying planes 1968 cat flightless") == [
        "the", "ids", "747", "flyings", "fli", "plane",
    ]  # fmt: skip


def test_synonyms_come_first_and_touch_protected_words_too():
    analyzer = Analyzer(
        synonyms={"us": "america", "colours": "colors", "one": "the", "six": "6000"},
        protected=["us", "colors"],
        stop=["the", "us"],
        stem="english",
        numbers="drop",
    )
    assert analyzer("US colours one six") == ["america", "colors"]


def test_synonyms_are_looked_up_once():
    assert Analyzer(synonyms={"parakeet": "budgie", "bird": "budgie"})("Bird parakeet budgie") == ["budgie"] * 3


def test_steps_in_their_order():
    analyzer = Analyzer(
        html=True,
        fold_accents=True,
        synonyms={"plane": "aircraft"},
        protected=["flying"],
        numbers="mark",
        min_length=3,
        stop=["the"],
        stem="english",
        ngrams=(2, 2),
    )
    assert analyzer.steps("<b>The</b> fl&yacute;ing planes, a plane, no 747") == [
        ("HTML taken out", ["The flýing planes, a plane, no 747"]),
        ("accents folded", ["the flying planes, a plane, no 747"]),
        ("words", ["the", "flying", "planes", "a", "plane", "no", "747"]),
        ("tokens", ["the", "flying", "planes", None, "plane", "no", "747"]),
        ("synonyms", ["the", "flying", "planes", None, "aircraft", "no", "747"]),
        ("numbers", ["the", "flying", "planes", None, "aircraft", "no", "<num>"]),
        ("lengths", ["the", "flying", "planes", None, "aircraft", None, "<num>"]),
        ("stop words", [None, "flying", "planes", None, "aircraft", None, "<num>"]),
        ("stems", [None, "flying", "plane", None, "aircraft", None, "<num>"]),
        ("n-grams", ["flying plane", "plane aircraft", "aircraft <num>"]),
    ]


def test_steps_without_a_token():
    assert Analyzer(stop=["the"], stem="english", char_ngrams=(3, 3)).steps("") == [
        ("tokens", []),
        ("stop words", []),
        ("stems", []),
        ("n-grams", []),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": "no"}, "unknown treatment of numbers 'no'. They can be: keep, drop, mark"),
        (
            {"numbers": "marks"},
            "unknown treatment of numbers 'marks'; did you mean 'mark'? They can be: keep, drop, mark",
        ),
        ({"min_length": 0}, "min_length is a whole number of characters, at least 1, not 0"),
        ({"min_length": True}, "min_length is a whole number of characters, at least 1, not True"),
        ({"min_length": 2.0}, "min_length is a whole number of characters, at least 1, not 2.0"),
        ({"max_length": 0}, "max_length is a whole number of characters, at least min_length (1), not 0"),
        (
            {"min_length": 5, "max_length": 4},
            "max_length is a whole number of characters, at least min_length (5), not 4",
        ),
        ({"max_length": "9"}, "max_length is a whole number of characters, at least min_length (1), not '9'"),
    ],
)
def test_what_rules_cannot_follow(options, message):
    with raising(ArgumentError, message):
        Analyzer(**options)


def test_runs_of_terms_by_length_then_place():
    assert word_ngrams(["a", "b", "c"], (1, 3)) == ["a", "b", "c", "a b", "b c", "a b c"]
    assert word_ngrams(["a", "b", "c"], (2, 2)) == ["a b", "b c"]
    assert word_ngrams(["a"], (2, 3)) == []
    assert word_ngrams(["a", "b"], (1, 10**12)) == ["a", "b", "a b"]


def test_runs_of_characters_with_the_edges():
    assert char_ngrams("ab", (2, 3)) == [" a", "ab", "b ", " ab", "ab "]
    assert char_ngrams("ab", (3, 10**12)) == [" ab", "ab ", " ab "]
    assert char_ngrams("ab", (4, 5)) == [" ab "]
    assert char_ngrams("ab", (5, 9)) == [" ab "]


def test_terms_are_stopped_and_stemmed_before():
    analyzer = Analyzer(stop=["the"], stem="english", ngrams=(1, 2))
    assert analyzer("training the cats, THE dogs") == ["train", "cat", "dog", "train cat", "cat dog"]
    assert Analyzer(stop=["the"], stem="english", char_ngrams=(4, 4))("the cats") == [" cat", "cat "]


def test_words_and_characters_together_are_refused():
    with raising(ArgumentError, "n-grams are made of words (ngrams) or of characters (char_ngrams), not of both"):
        Analyzer(ngrams=(1, 2), char_ngrams=(3, 5))


@pytest.mark.parametrize("value", [(0, 2), (2, 1), (1,), (1, 2, 3), (1.0, 2), (True, 2), 2, "12", {1, 2}])
@pytest.mark.parametrize("name", ["ngrams", "char_ngrams"])
def test_lengths_that_are_none(name, value):
    with pytest.raises(ArgumentError) as error:
        Analyzer(**{name: value})
    assert str(error.value) == (
        f"{name} takes the shortest and the longest length, whole numbers such as (1, 2), not {value!r}"
    )


def test_words_one_by_one_are_no_ngrams():
    assert lengths_of("ngrams", (1, 1)) is None
    assert lengths_of("char_ngrams", [1, 1]) == (1, 1)
    assert Analyzer(ngrams=(1, 1)) == Analyzer()
    assert not Analyzer().makes_grams
    assert Analyzer(ngrams=(2, 2)).makes_grams
    assert Analyzer(char_ngrams=(3, 3)).makes_grams
    assert Analyzer().grams(["a", "b"]) == ["a", "b"]
