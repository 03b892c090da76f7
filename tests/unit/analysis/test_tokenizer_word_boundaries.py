"""The tokenizer `unicode`: words by Unicode Standard Annex 29."""

from __future__ import annotations

import pytest

from toysearch import Analyzer
from toysearch.analysis.tokenizer import word_places

pytestmark = pytest.mark.system


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_places(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("U.S.A. costs 1,000.50, isn't it?", ["U.S.A", "costs", "1,000.50", "isn't", "it"]),
        ("isn’t wi-fi C++ C# .NET :-)", ["isn’t", "wi", "fi", "C", "C", "NET"]),
        ("a.1 1.a 1a.b2 x:y 3:4", ["a", "1", "1", "a", "1a.b2", "x:y", "3", "4"]),
        ("snake_case _x_ ___ 3_4", ["snake_case", "_x_", "3_4"]),
        ("'tis the dogs'", ["tis", "the", "dogs"]),
        ("naïve nai\u0308ve co\u00adop", ["naïve", "nai\u0308ve", "co\u00adop"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("東京 タワー ひら 한국어", ["東", "京", "タワー", "ひ", "ら", "한국어"]),
        ("ภาษา", ["ภ", "า", "ษ", "า"]),
        ("שני\"ם צה\"ל ג' ג'1", ['שני"ם', 'צה"ל', "ג'", "ג'", "1"]),
        ("👍 🇩🇪 ½ x² Ⓐ", ["½", "x", "²", "Ⓐ"]),
        ("\u0301a\n\u0301b", ["a", "b"]),
        ("aアb ア_a", ["a", "ア", "b", "ア_a"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_it_is_a_tokenizer_like_the_others():
    analyzer = Analyzer(tokens="unicode", stop=["isn't"], stem="english")
    assert analyzer("Isn't U.S.A. training 3.14?") == ["u.s.a", "train", "3.14"]
    assert Analyzer.for_language("ja", tokens="unicode")("東京都 don't") == ["東京", "京都", "don't"]
    assert Analyzer(tokens="unicode", numbers="mark")("3.14 is 1,000") == ["<num>", "is", "<num>"]
    steps = {step.name: step.tokens for step in Analyzer(tokens="unicode").steps("R 👍 don't")}
    assert steps == {"words": ["r", "👍", "don't"], "tokens": ["r", None, "don't"]}
    assert list(Analyzer(tokens="unicode").tokenizer.places("İ don't")) == [(0, 1), (2, 7)]


@pytest.mark.parametrize(
    "part", ["a", "a.", "1,", "_", "a_", "a\u0301", "\u05d0'", '\u05d0"', "東", "🇩", "'", "a\u200d"]
)
def test_a_long_run_is_split_in_one_pass(part):
    """Each part of a text without blanks is visited a bounded number of times: 1 MB would otherwise take hours."""
    text = part * (1_000_000 // len(part))
    places = word_places(text)
    assert sum(end - start for start, end in places) <= len(text)
    assert len(places) in {0, 1, len(text)}
