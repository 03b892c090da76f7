"""The passage shown with a hit."""

import pytest

from toysearch import Analyzer
from toysearch.retrieval import snippets
from toysearch.retrieval.snippets import snippet


def marked(text, terms, width=160, analyzer=None):
    found = snippet(text, terms, analyzer or Analyzer(), width)
    return found.text, [found.text[start:end] for start, end in found.spans]


@pytest.mark.parametrize(
    ("text", "terms", "options", "expected"),
    [
        ("Cats and a CAT,\n\n the cat", {"cat"}, {}, ("Cats and a CAT, the cat", ["CAT", "cat"])),
        ("filler " * 40, {"cat"}, {"width": 19}, ("filler filler …", [])),
        ("a" * 50, {"cat"}, {"width": 20}, ("a" * 20 + " …", [])),
        ("filler " + "cat" * 20, {"cat"}, {"width": 20}, ("filler …", [])),
        ("İİİİ cat İ", {"cat"}, {}, ("İİİİ cat İ", ["cat"])),  # letters that grow in lower case
        ("<p>Le <b>caf&eacute;</b>", {"café"}, {"analyzer": Analyzer(html=True)}, ("Le café", ["café"])),
        ("<p>Le <b>caf&eacute;</b>", {"caf"}, {}, ("<p>Le <b>caf&eacute;</b>", ["caf"])),
        (
            "Une E\u0301TE\u0301, un été",
            {"ete"},
            {"analyzer": Analyzer(fold_accents=True)},
            ("Une ÉTÉ, un été", ["ÉTÉ", "été"]),
        ),
    ],
)
def test_the_shown_text_and_its_marked_words(text, terms, options, expected):
    assert marked(text, terms, **options) == expected


def test_the_window_with_most_different_terms_is_chosen():
    text = "cat " + "filler " * 40 + "cat and dog " + "filler " * 40
    shown, words = marked(text, {"cat", "dog"}, width=60)
    assert words == ["cat", "dog"]
    assert shown.startswith("… filler")
    assert shown.endswith("filler …")
    assert len(shown) <= 64


class Counted(list):
    """Matches, and how often one was looked at."""

    looks = 0

    def __getitem__(self, place):
        Counted.looks += 1
        return super().__getitem__(place)


def test_the_best_window_of_very_many_matches_takes_a_few_looks_at_each(monkeypatch):
    """Counted anew for each of them, windows of a thousand matches would take a thousand."""
    matches = snippets._matches
    monkeypatch.setattr(snippets, "_matches", lambda *given: Counted(matches(*given)))
    monkeypatch.setattr(Counted, "looks", 0)
    text = "cat dog " * 2_000 + "filler " * 40 + "cat dog cow " + "filler " * 40
    assert "cow" in marked(text, {"cat", "dog", "cow"}, width=4_000)[1]
    assert 0 < Counted.looks < 5 * 4_003


def test_a_word_longer_than_the_window_and_an_empty_text():
    assert marked("x" * 300, {"x" * 300}, width=50)[0].endswith("…")
    assert marked("", {"cat"}) == ("", [])


CJK, PAIRS, TRIGRAMS = Analyzer(cjk=True), Analyzer(stop=["the"], ngrams=(2, 2)), Analyzer(char_ngrams=(3, 3))
BOTH = Analyzer(stem="english", ngrams=(1, 2))


@pytest.mark.parametrize(
    ("analyzer", "text", "terms", "words"),
    [
        (Analyzer(stem="english"), "The Trainer trains training.", {"train"}, "trains training"),
        (Analyzer(synonyms={"parakeet": "budgie"}), "A Parakeet", {"budgie"}, "Parakeet"),
        (CJK, "今日の東京都の天気 is", set(CJK("東京都 IS")), "東京都 is"),  # pairs that overlap are one
        (CJK, "東京と京都", {"京都"}, "京都"),
        (PAIRS, "train dogs, train the cats, cats", {"train cats"}, "train cats"),  # where they stand together
        (BOTH, "trains cat train cats", set(BOTH("train cat")), "trains cat train cats"),
        (BOTH, "trains cat train cats", {"cat train"}, "cat train"),
        (Analyzer(ngrams=(2, 3)), "cat", {"cat"}, ""),
        (TRIGRAMS, "train the retraining rain, strange", set(TRIGRAMS("training")), "train retraining"),  # share most
        (Analyzer(tokens=r"#(\w+)"), "#cat dog #dog", {"dog"}, "#dog"),  # a group is the token
        (Analyzer(tokens=r"#(\w+)", cjk=True), "#cat 犬 #dog", {"dog", "犬"}, "犬 #dog"),
    ],
)
def test_words_are_marked_after_analysis(analyzer, text, terms, words):
    assert marked(text, terms, analyzer=analyzer)[1] == words.split()
