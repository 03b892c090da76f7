"""The passage shown with a hit."""

import pytest

from toysearch import Analyzer
from toysearch.search import snippets
from toysearch.search.snippets import snippet

pytestmark = pytest.mark.system


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


def test_words_are_matched_after_analysis():
    english = Analyzer(stem="english")
    assert marked("The Trainer trains training.", {"train"}, analyzer=english)[1] == ["trains", "training"]


def test_a_word_longer_than_the_window_and_an_empty_text():
    assert marked("x" * 300, {"x" * 300}, width=50)[0].endswith("…")
    assert marked("", {"cat"}) == ("", [])


def test_synonyms_are_marked_where_they_stand():
    assert marked("A Parakeet", {"budgie"}, analyzer=Analyzer(synonyms={"parakeet": "budgie"}))[1] == ["Parakeet"]


def test_pairs_of_characters_that_overlap_are_marked_as_one():
    cjk = Analyzer(cjk=True)
    assert marked("今日の東京都の天気 is", set(cjk("東京都 IS")), analyzer=cjk)[1] == ["東京都", "is"]
    assert marked("東京と京都", {"京都"}, analyzer=cjk)[1] == ["京都"]


def test_words_of_an_ngram_are_marked_where_they_stand_together():
    pairs = Analyzer(stop=["the"], ngrams=(2, 2))
    assert marked("train dogs, train the cats, cats", {"train cats"}, analyzer=pairs)[1] == ["train", "cats"]
    both = Analyzer(stem="english", ngrams=(1, 2))
    assert marked("trains cat train cats", set(both("train cat")), analyzer=both)[1] == [
        "trains",
        "cat",
        "train",
        "cats",
    ]
    assert marked("trains cat train cats", {"cat train"}, analyzer=both)[1] == ["cat", "train"]
    assert marked("cat", {"cat"}, analyzer=Analyzer(ngrams=(2, 3))) == ("cat", [])


def test_words_are_marked_that_share_most_of_their_character_ngrams():
    trigrams = Analyzer(char_ngrams=(3, 3))
    terms = set(trigrams("training"))
    assert marked("train the retraining rain, strange", terms, analyzer=trigrams)[1] == ["train", "retraining"]


def test_the_whole_match_is_analysed_where_a_group_is_the_token():
    assert marked("#cat dog #dog", {"dog"}, analyzer=Analyzer(tokens=r"#(\w+)"))[1] == ["#dog"]
    assert marked("#cat 犬 #dog", {"dog", "犬"}, analyzer=Analyzer(tokens=r"#(\w+)", cjk=True))[1] == ["犬", "#dog"]
