"""Scripts whose letters carry marks: what a language's analyzer makes of them, and that a search finds them."""

import re
import sys
import unicodedata

import pytest

from toysearch import Analyzer, Index, Searcher
from toysearch.analysis import tokenizer
from toysearch.analysis.languages import misfit
from toysearch.base.errors import ToysearchNote
from toysearch.retrieval.snippets import snippet

pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("hindi", "हिन्दी एक भाषा है", "हिन्दी"),
        ("hindi", "मेरी माँ", "माँ"),
        ("hindi", "श\u094d\u200dर", "श\u094dर"),  # with a joiner and without
        ("hindi", "क\u093cलम", "\u0958लम"),  # the letter with a nukta, in two spellings
        ("nepali", "नेपाली भाषा", "भाषा"),
        ("tamil", "தமிழ் மொழி", "மொழி"),
        ("marathi", "मराठी भाषा", "मराठी"),
        ("arabic", "الكِتَابُ على الطاولة", "كتاب"),
        ("arabic", "كتـــاب", "الكِتَابُ"),
        ("persian", "کتاب\u200cها", "کتاب"),
        ("hebrew", "שָׁלוֹם עולם", "שלום"),
        ("hebrew", "\ufb2aלום", "שלום"),  # shin with its dot as one character
        ("vietnamese", unicodedata.normalize("NFD", "Tiếng Việt"), "Việt"),
        ("vietnamese", "Tiếng Việt", unicodedata.normalize("NFD", "VIỆT")),
        ("german", "Mu\u0308nchen", "München"),
        ("english", "cafe\u0301 co\u00adoperation", "café"),
        ("english", "co\u00adoperation", "cooperation"),
        ("english", "İstanbul", "istanbul"),
        ("french", "cœur", "coeur"),
        ("french", "un jour d'été", "été"),
        ("french", "aujourd'hui", "aujourd’hui"),
        ("japanese", "ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("japanese", "ＳＱＬ", "sql"),
        ("japanese", "か\u3099く", "がく"),
        ("japanese", "黒猫が好き", "猫"),
        ("japanese", "黒い犬", "犬"),
        ("japanese", "本", "本"),
        ("korean", unicodedata.normalize("NFD", "한국어 책을"), "책"),
        ("chinese", "中华人民", "民"),
    ],
)
def test_a_word_is_found_however_it_is_spelt(language, text, query):
    with pytest.warns(ToysearchNote) if language in ("nepali", "tamil") else _quiet():
        analyzer = Analyzer.for_language(language)
    index = Index.build([text, "else"], analyzer)
    found = Searcher(index).search(query)
    assert [hit.doc_id for hit in found] == ["1"]
    passage = snippet(text, set(analyzer(query)), analyzer)
    assert passage.spans


def _quiet():
    import contextlib

    return contextlib.nullcontext()


def test_a_character_alone_is_in_no_other_word():
    index = Index.build(["黒猫 犬", "cat 猫"], Analyzer.for_language("ja"))
    assert [hit.doc_id for hit in Searcher(index).search("鳥")] == []
    assert [hit.doc_id for hit in Searcher(index).search("猫")] == ["1", "2"]
    assert [hit.doc_id for hit in Searcher(index).search("犬")] == ["1"]


def test_marks_can_be_left_to_end_words():
    analyzer = Analyzer.for_language("hindi", marks=False)
    assert analyzer == Analyzer.for_language("none", stop="none", marks=False, stem="hindi") or analyzer.stop
    assert analyzer("हिन्दी") == []
    assert "marks=no" in str(analyzer)
    assert str(Analyzer(marks=True)) == "plain:marks"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Cafe\u0301 Ångström", ["cafe", "angstrom"]),
        ("हिन्दी", ["हिन्दी"]),
        ("がっこう 한국어", ["がっこう", "한국어"]),
        ("الكِتَابُ", ["الكتاب"]),
        ("ไทย ภาษาที่", ["ไทย", "ภาษาที่"]),
    ],
)
def test_folding_takes_off_accents_and_leaves_vowels(text, folded):
    assert Analyzer(marks=True, fold_accents=True)(text) == folded


@pytest.mark.parametrize(
    ("text", "language", "part"),
    [
        ("हिन्दी भाषा", "none", "combining mark"),
        ("தமிழ்", "none", "combining mark"),
        ("الكِتَابُ", "none", "combining mark"),
        (unicodedata.normalize("NFD", "été"), "none", "combining mark"),
        ("été ÉTÉ", "none", ""),
        ("हिन्दी", "english", ""),
        ("東京都", "none", "Analyzer.parse('zh')"),
        ("東京都", "ja", ""),
        ("a long English text " * 20 + "in which 東 is one word", "english", ""),
        ("ภาษาไทย", "thai", "char_ngrams"),
        ("мир مرحبا ελλάδα", "none", ""),
    ],
)
def test_what_does_not_fit_is_said(text, language, part):
    problem = misfit(text, Analyzer.for_language(language))
    assert part in problem
    assert bool(problem) == bool(part)


def test_an_index_of_a_script_that_plain_analysis_breaks_says_so():
    with pytest.warns(ToysearchNote, match="CountVectorizer"):
        Index.build(["हिन्दी भाषा"])


def test_what_is_called_untouched_has_one_spelling_only():
    untouched = re.compile(f"[{tokenizer._UNTOUCHED}]")
    for code in range(sys.maxunicode + 1):
        if untouched.match(character := chr(code)):
            text = f"a{character}a{character}{character}"
            assert unicodedata.normalize("NFC", text) == text
            assert unicodedata.category(character)[0] != "M"
            assert character not in tokenizer.spelling().replaced


TURKISH = Analyzer.for_language("turkish", stop="none", stem="none")


@pytest.mark.parametrize(
    ("text", "term"),
    [("IŞIK", "ışık"), ("Isparta", "ısparta"), ("DİYARBAKIR", "diyarbakır"), ("DI\u0307YARBAKIR", "diyarbakır")],
)
def test_capital_i_has_no_dot_in_turkish(text, term):
    assert TURKISH(text) == TURKISH(term) == [term]
    assert TURKISH.tokenizer.stages(text) in ([], [("one spelling", term)])
    assert Analyzer.from_dict(TURKISH.to_dict()) == TURKISH
    for other in ("plain", "german", "english"):
        assert Analyzer.parse(f"{other}:stop=none,stem=none")("IŞIK") == ["işik"]


def test_an_analyzer_saved_before_reads_its_index_as_it_was_made():
    before = Analyzer.from_dict({name: value for name, value in TURKISH.to_dict().items() if name != "letters"})
    assert (before("IŞIK"), before("ışık")) == (["işik"], ["ışık"])


def test_counts_of_words_in_lower_case_are_no_turkish_texts():
    assert TURKISH.needs_texts
    assert not Analyzer.for_language("german").needs_texts
