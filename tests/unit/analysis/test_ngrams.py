"""n-grams by hand, and lengths that are none."""

from __future__ import annotations

import pytest

from toysearch import Analyzer
from toysearch.analysis.token_rules import char_ngrams, lengths_of, word_ngrams
from toysearch.errors import ArgumentError


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
    with pytest.raises(ArgumentError) as error:
        Analyzer(ngrams=(1, 2), char_ngrams=(3, 5))
    assert str(error.value) == ("n-grams are made of words (ngrams) or of characters (char_ngrams), not of both")


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
