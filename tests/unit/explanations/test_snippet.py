"""The passage shown with a hit."""

from __future__ import annotations

from toysearch import Analyzer, snippet


def marked(text, terms, width=160, analyzer=None):
    found = snippet(text, terms, analyzer or Analyzer(), width)
    return found.text, [found.text[start:end] for start, end in found.spans]


def test_a_short_text_is_shown_whole_with_its_matches():
    assert marked("Cats and a CAT,\n\n the cat", {"cat"}) == ("Cats and a CAT, the cat", ["CAT", "cat"])


def test_the_window_with_most_different_terms_is_chosen():
    text = "cat " + "filler " * 40 + "cat and dog " + "filler " * 40
    shown, words = marked(text, {"cat", "dog"}, width=60)
    assert words == ["cat", "dog"]
    assert shown.startswith("… filler")
    assert shown.endswith("filler …")
    assert len(shown) <= 64


def test_without_a_match_the_start_is_shown():
    assert marked("filler " * 40, {"cat"}, width=19) == ("filler filler …", [])


def test_words_are_matched_after_analysis():
    english = Analyzer(stem="english")
    assert marked("The Trainer trains training.", {"train"}, analyzer=english)[1] == ["trains", "training"]


def test_a_word_longer_than_the_window_and_an_empty_text():
    assert marked("x" * 300, {"x" * 300}, width=50)[0].endswith("…")
    assert marked("", {"cat"}) == ("", [])


def test_positions_survive_letters_that_grow_in_lower_case():
    assert marked("İİİİ cat İ", {"cat"}) == ("İİİİ cat İ", ["cat"])
