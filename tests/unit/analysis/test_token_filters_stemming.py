"""Stemmers by name, and that each thread has its own."""

from __future__ import annotations

import threading

import pytest
from raising import raising

from toysearch.analysis import token_filters
from toysearch.analysis.languages import language_code, language_named
from toysearch.analysis.token_filters import stem, stemmer_named, stemmers
from toysearch.base.errors import ArgumentError


def test_every_stemmer_of_pystemmer_is_a_language_with_a_code():
    Stemmer = pytest.importorskip("Stemmer")
    assert list(stemmers()) == sorted(Stemmer.algorithms())
    assert all(len(language_code(name)) == 2 for name in stemmers())


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("english", "english"),
        ("EN", "english"),
        ("nl", "dutch"),
        ("porter", "porter"),
        ("KO", "korean"),
        ("chinese", "chinese"),
        ("none", "none"),
        ("Plain", "none"),
    ],
)
def test_languages_are_named_as_pystemmer_does_or_by_code(name, language):
    assert language_named(name) == language


def test_an_unknown_language_names_the_nearest():
    with raising(ArgumentError, "unknown language 'germann'; did you mean 'german'?"):
        language_named("germann")


def test_an_unknown_stemmer_names_the_nearest():
    with raising(ArgumentError, "unknown stemmer 'porter2'; did you mean 'porter'?"):
        stemmer_named("porter2")


def test_languages_of_character_pairs_have_codes_but_no_stemmer():
    assert [language_code(name) for name in ("chinese", "japanese", "korean", "cjk")] == ["zh", "ja", "ko", ""]
    with pytest.raises(ArgumentError, match="unknown stemmer 'chinese'"):
        stemmer_named("chinese")


def test_no_stemmer_is_none():
    assert stemmer_named(None) is None
    assert stemmer_named("None") is None
    assert stemmer_named("de") == "german"


@pytest.mark.parametrize("name", stemmers())
def test_stems_are_pystemmers(name):
    words = ["flying", "möglichkeiten", "continuellement", "книгами", "", "x" * 5000]
    Stemmer = pytest.importorskip("Stemmer")
    assert [stem(word, name) for word in words] == Stemmer.Stemmer(name).stemWords(words)


def test_a_word_that_cannot_be_encoded_is_its_own_stem():
    assert stem("run\ud800ning", "english") == "run\ud800ning"


def test_threads_do_not_share_a_stemmer():
    def used():
        stem("flying", "english")
        return token_filters._STEMMERS.by_name["english"]

    others = []
    thread = threading.Thread(target=lambda: others.append(used()))
    thread.start()
    thread.join()
    assert used() is used()
    assert others[0] is not used()
