"""The analyzer: its steps, its names, what it refuses, and that it never changes."""

from __future__ import annotations

import dataclasses
import json
import pickle

import pytest

from toysearch.analysis.analyzer import TOKEN_PATTERN, Analyzer
from toysearch.errors import ArgumentError, DataError, ToysearchNote

ENGLISH = Analyzer.for_language("english")


def test_plain_lower_cases_and_keeps_words_of_two_characters():
    assert Analyzer()("A Cat's tail, x2 & it_s 3") == ["cat", "tail", "x2", "it_s"]


def test_english_leaves_out_stop_words_before_stemming():
    # "being" is a stop word, "beings" none, although both have the stem "be"
    assert ENGLISH("The flying beings being there") == ["fli", "be"]


def test_stop_words_and_stemmer_can_be_chosen():
    assert Analyzer.for_language("english", stop="none")("the cats") == ["the", "cat"]
    assert Analyzer.for_language("english", stem="none")("the cats") == ["cats"]
    assert Analyzer.for_language("english", stem="porter")("flying skies") == ["fly", "ski"]
    assert Analyzer.for_language("english", stop=["cats"])("the cats") == ["the"]
    assert Analyzer.for_language("none", stop="sklearn", stem="english") == ENGLISH


def test_iso_takes_more_than_scikit_learn():
    iso = Analyzer.for_language("english", stop="iso", stem="none")
    assert iso("the shell of information") == []
    assert Analyzer.for_language("english", stem="none")("the shell of information") == ["shell", "information"]


def test_none_and_plain_are_the_default():
    assert Analyzer.for_language("none") == Analyzer.for_language("plain") == Analyzer()


def test_a_language_without_stop_words_stems_and_notes_it():
    with pytest.warns(ToysearchNote, match="no list of stop words is known for serbian"):
        analyzer = Analyzer.for_language("serbian")
    assert (analyzer.stop, analyzer.stem) == (frozenset(), "serbian")


def test_asking_for_no_stop_words_gives_no_note(recwarn):
    Analyzer.for_language("serbian", stop="none")
    assert not recwarn.list


def test_own_stop_words_match_in_any_case_if_the_text_is_lower_cased():
    assert Analyzer(stop=["The", "IBM"])("The the IBM ibm cat") == ["cat"]
    assert Analyzer(lowercase=False, stop=["The"])("The the") == ["the"]


def test_a_group_in_the_pattern_is_the_token():
    assert Analyzer(pattern=r"#(\w+)")("#cat and #dog") == ["cat", "dog"]
    assert Analyzer(pattern=r"(?:a|b)+")("abba cab") == ["abba", "ab"]


def test_a_pattern_that_is_no_regular_expression():
    with pytest.raises(ArgumentError) as error:
        Analyzer(pattern=r"(\w+")
    assert str(error.value) == (
        r"the token pattern '(\\w+' is not a regular expression: missing ), unterminated subpattern at position 0"
    )


def test_a_pattern_with_two_groups():
    with pytest.raises(ArgumentError) as error:
        Analyzer(pattern=r"(\w)(\d)")
    assert str(error.value) == (
        r"the token pattern '(\\w)(\\d)' has 2 capturing groups, and which of them is the token is not clear; "
        "keep one, and write the others as (?:…)"
    )


def test_steps_are_aligned_columns():
    assert ENGLISH.steps("The cats, the dogs") == [
        ("tokens", ["the", "cats", "the", "dogs"]),
        ("stop words", [None, "cats", None, "dogs"]),
        ("stems", [None, "cat", None, "dog"]),
    ]
    assert Analyzer().steps("The cats") == [("tokens", ["the", "cats"])]
    assert Analyzer(stem="english").steps("cats") == [("tokens", ["cats"]), ("stems", ["cat"])]


@pytest.mark.parametrize(
    ("analyzer", "shown"),
    [
        (Analyzer(), "plain"),
        (ENGLISH, "english (stop words: sklearn, stemmer: english)"),
        (Analyzer.for_language("de", stop="none"), "german (stemmer: german)"),
        (Analyzer.for_language("de", stem="none"), "german (stop words: iso)"),
        (Analyzer(stop=["a", "b"]), "plain (stop words: 2 own)"),
        (
            Analyzer(lowercase=False, pattern=r"\S+", stem="porter"),
            r"plain (upper and lower case kept, pattern: \S+, stemmer: porter)",
        ),
    ],
)
def test_its_name(analyzer, shown):
    assert str(analyzer) == shown
    assert repr(analyzer) == f"<Analyzer {shown}>"


def test_it_is_frozen_and_equal_by_what_it_does():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENGLISH.stem = None  # type: ignore[misc]
    same = Analyzer(stop=sorted(ENGLISH.stop), stem="english")
    assert same == ENGLISH
    assert hash(same) == hash(ENGLISH)
    different = [
        Analyzer(stop="sklearn"),
        Analyzer(stem="english"),
        Analyzer(pattern=r"\w+"),
        Analyzer(lowercase=False),
    ]
    assert len({Analyzer(), ENGLISH, *different}) == 6


def test_it_can_be_pickled():
    assert pickle.loads(pickle.dumps(ENGLISH))("The cats") == ["cat"]


def test_its_description_holds_the_words_themselves():
    assert Analyzer(stop=["of", "The"], stem="de").to_dict() == {
        "language": "none",
        "lowercase": True,
        "pattern": TOKEN_PATTERN,
        "stop_name": "own",
        "stop": ["of", "the"],
        "stem": "german",
    }
    again = Analyzer.from_dict(json.loads(json.dumps(ENGLISH.to_dict())))
    assert again == ENGLISH
    assert str(again) == str(ENGLISH)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stem": 5}, "an analyzer's stem cannot be 5"),
        ({"lowercase": "yes"}, "an analyzer's lowercase cannot be 'yes'"),
        ({"stop": "the"}, "an analyzer's stop cannot be 'the'"),
        ({"stop": [1]}, "an analyzer's stop words must all be texts"),
        (
            {"more": 1},
            "an analyzer is described by language, lowercase, pattern, stop_name, stop, stem; "
            "found language, lowercase, pattern, stop_name, stop, stem, more",
        ),
    ],
)
def test_a_description_that_is_none(change, message):
    with pytest.raises(DataError) as error:
        Analyzer.from_dict({**Analyzer().to_dict(), **change})
    assert str(error.value) == message


def test_an_empty_description():
    with pytest.raises(DataError) as error:
        Analyzer.from_dict({})
    assert str(error.value) == (
        "an analyzer is described by language, lowercase, pattern, stop_name, stop, stem; found nothing"
    )
