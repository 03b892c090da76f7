"""Terms and counts against scikit-learn's CountVectorizer and PyStemmer."""

from __future__ import annotations

import itertools
import unicodedata

import numpy as np
import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st
from lengths import thinned
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, strip_accents_unicode

import toysearch
from toysearch import Analyzer, Index
from toysearch.analysis.tokenizer import folded

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too
LIKELY = st.text(st.sampled_from("aAbZéÉİıßẞΣσςſ文_09٣'’-\u0301\u200d\ud800\U0001f600 \n\x00\x1c"))
TEXTS = st.one_of(ANY_TEXT, LIKELY)
PATTERNS = [r"(?u)\b\w\w+\b", r"\w+", r"\S+", r"[^\W_]+(?:'\w+)?", r"#(\w*)", r"(a)?\w", r"(?a)\w+", r"\w*"]
SCRIPTS = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA LETTER", "KATAKANA-HIRAGANA PROLONGED", "HANGUL")
BESIDES = (
    "HENTAIGANA",
    "HIRAGANA",
    "KATAKANA",
    "HALFWIDTH",
    "HANGUL",
    "IDEOGRAPHIC",
    "HANGZHOU NUMERAL",
    "VERTICAL IDEOGRAPHIC",
)
STOP = [*ENGLISH_STOP_WORDS, "éa", "文文"]


@given(TEXTS)
@example("İstanbul DİYARBAKIR")
@example("ΟΔΥΣΣΕΥΣ")
@example("e\u0301te\u0301 👩\u200d👩\u200d👧 co\ud800op \udfff")
def test_default_is_countvectorizers(text):
    assert Analyzer()(text) == CountVectorizer().build_analyzer()(text)


@given(TEXTS, st.sampled_from(PATTERNS), st.booleans())
def test_any_pattern_is_countvectorizers(text, pattern, lowercase):
    theirs = CountVectorizer(token_pattern=pattern, lowercase=lowercase).build_analyzer()
    assert Analyzer(lowercase=lowercase, tokens=pattern)(text) == theirs(text)


@given(st.one_of(TEXTS, st.lists(st.sampled_from([*STOP, "flying", "Cats", "generically"])).map(" ".join)))
def test_stop_words_and_stems_are_those_of_scikit_learn_and_pystemmer(text):
    kept = CountVectorizer(stop_words=STOP).build_analyzer()(text)
    Stemmer = pytest.importorskip("Stemmer")
    assert Analyzer(stop=STOP, stem="english")(text) == Stemmer.Stemmer("english").stemWords(kept)


def test_more_than_one_group_is_refused_as_there():
    with pytest.raises(ValueError, match="More than 1 capturing group"):
        CountVectorizer(token_pattern=r"(a)(b)").build_analyzer()
    with pytest.raises(ValueError, match="2 capturing groups"):
        Analyzer(tokens=r"(a)(b)")


@pytest.mark.parametrize("name", thinned(["cranfield", "cisi", "scifact", "cat-dog-parrot"], 4))
@pytest.mark.parametrize("language", ["none", "english"])
def test_the_index_is_countvectorizers_matrix(corpora, name, language):
    collection = toysearch.load(name)
    analyzer = Analyzer.for_language(language)
    index = Index.build(collection, analyzer)
    counter = CountVectorizer(analyzer=analyzer)
    matrix = counter.fit_transform(collection.documents.texts).tocsc()
    assert list(index.terms) == counter.get_feature_names_out().tolist()
    np.testing.assert_array_equal(index.offsets, matrix.indptr)
    np.testing.assert_array_equal(index.docs(), matrix.indices)
    np.testing.assert_array_equal(index.tf(0, index.stats.n_postings), matrix.data)
    np.testing.assert_array_equal(index.dl, matrix.sum(axis=1).A1)
    np.testing.assert_array_equal(index.cf, matrix.sum(axis=0).A1)
    assert list(index.doc_ids) == collection.documents.doc_ids


WORDS_OF_SCRIPTS = [
    "हिन्दी भाषा में क्ष्मा दुःख क़लम श\u094d\u200dर माँ",
    "नेपाली भाषा राम्रो छ",
    "தமிழ் மொழி க்ஷ",
    "বাংলা ভাষা ক্ষুদ্র",
    "الكِتَابُ عَلَى الطَّاوِلَةِ كتـــاب",
    "می\u200cخواهم کتاب\u200cها",
    "שָׁלוֹם עֹלָם ספר",
    "Tiếng Việt có dấu",
    "café Mu\u0308nchen x\u0304y\u0304 A\u030angstro\u0308m co\u00adop",
    "мой Й й ё",
    "한국어 문서",
    "ελληνικά ὈΔΥΣΣΕΎΣ",
    "ＡＢＣ １２３ snake_case x2",
]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", WORDS_OF_SCRIPTS)
def test_words_with_marks_are_those_of_unicode(text, form):
    """Unicode Standard Annex 29, as the package regex has it; what is written between letters is not followed."""
    text = unicodedata.normalize(form, text)
    theirs = [word for word in regex.split(r"(?w)\b", text) if regex.search(r"\w", word)]
    places = [text[start:end] for start, end in Analyzer(tokens="word1", marks=True).tokenizer.places(text)]
    assert places == theirs


@given(st.lists(st.sampled_from([*" ".join(WORDS_OF_SCRIPTS), "\u0301", "\u064e", "\u093f"])).map("".join))
def test_any_text_of_these_scripts_has_unicodes_words(text):
    text = unicodedata.normalize("NFD", text)
    assume(not regex.search(r"(?:^|[^\p{L}\p{N}\p{M}\p{Cf}_])[\p{M}\p{Cf}]", text))  # a mark that stands in no word
    theirs = [word for word in regex.split(r"(?w)\b", text) if regex.search(r"[\p{L}\p{N}_]", word)]
    analyzer = Analyzer(tokens="word1", marks=True)
    assert [text[start:end] for start, end in analyzer.tokenizer.places(text)] == theirs
    assert analyzer(text) == [token for word in theirs for token in analyzer(word)]


@given(TEXTS)
@example("e\u0301te\u0301 ﾃﾞｰﾀ")
@example("I\u0307\u0300")
def test_one_spelling_is_the_same_for_all_forms_of_a_text(text):
    """NFC, NFD and a second time; the terms are in NFC and have no wide forms."""
    analyzer = Analyzer(marks=True)
    terms = analyzer(text)
    for form in ("NFC", "NFD"):
        assert analyzer(unicodedata.normalize(form, text)) == terms
    assert all(unicodedata.is_normalized("NFC", term) for term in terms)


def test_one_spelling_changes_width_alone_as_nfkc_does():
    analyzer = Analyzer(tokens="word1", marks=True)
    for code in range(0xFF01, 0xFFDD):
        character = chr(code)
        if character.isalnum() and "HANGUL" not in unicodedata.name(character) and code not in (0xFF9E, 0xFF9F):
            assert analyzer(character) == [unicodedata.normalize("NFKC", character).lower()]
    assert analyzer("x² ﬁ ½ ①") == ["x²", "ﬁ", "½", "①"]


COUNTS = {  # corpora/README.md: documents, tokens a document and vocabulary, plain and English
    "cranfield": (1400, (155.12, 7436), (87.61, 4517)),
    "cisi": (1460, (124.34, 9986), (66.48, 5859)),
    "scifact": (5183, (214.4, 35899), (138.85, 26379)),
}


@pytest.mark.parametrize("name", thinned(COUNTS, 3))
def test_counts_of_the_public_collections(corpora, name):
    collection = toysearch.load(name)
    documents, *expected = COUNTS[name]
    for language, (avgdl, n_terms) in zip(["none", "english"], expected, strict=True):
        stats = Index.build(collection, Analyzer.for_language(language)).stats
        assert (stats.N, round(stats.avgdl, 2), stats.n_terms) == (documents, avgdl, n_terms)


@given(TEXTS, st.booleans())
@example("ﬁ ™ Å が 한국어 e\u0301", True)
def test_folded_text_is_that_of_scikit_learn(text, lowercase):
    assert folded(text) == strip_accents_unicode(text)
    theirs = CountVectorizer(strip_accents="unicode", lowercase=lowercase).build_analyzer()
    assert Analyzer(lowercase=lowercase, fold_accents=True)(text) == theirs(text)


RANGES = st.tuples(st.integers(1, 5), st.integers(0, 3)).map(lambda pair: (pair[0], sum(pair)))
SHORT_WORDS = st.lists(st.sampled_from(["cat", "dog", "the", "of", "été", "文文", "x"])).map(" ".join)


@given(st.one_of(TEXTS, SHORT_WORDS), RANGES)
def test_ngrams_are_those_of_scikit_learn(text, lengths):
    theirs = CountVectorizer(ngram_range=lengths, stop_words=STOP).build_analyzer()
    assert Analyzer(stop=STOP, ngrams=lengths)(text) == theirs(text)


@given(st.one_of(TEXTS, SHORT_WORDS), RANGES)
def test_character_ngrams_are_those_of_scikit_learn_where_blanks_end_words(text, lengths):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=lengths).build_analyzer()
    assert Analyzer(tokens=r"\S+", char_ngrams=lengths)(text) == theirs(text)


@given(st.one_of(TEXTS, SHORT_WORDS), RANGES)
def test_character_ngrams_of_the_default_tokens(text, lengths):
    words = " ".join(CountVectorizer().build_analyzer()(text))
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=lengths, lowercase=False).build_analyzer()
    assert Analyzer(char_ngrams=lengths)(text) == theirs(words)


@pytest.mark.parametrize("options", [{"ngrams": (1, 2)}, {"char_ngrams": (3, 5)}, {"fold_accents": True}])
@pytest.mark.parametrize("name", thinned(["companions", "cranfield"], 2))
def test_the_index_of_ngrams_is_countvectorizers_matrix(corpora, name, options):
    collection = toysearch.load(name)
    words = "char_wb" if "char_ngrams" in options else "word"
    counter = CountVectorizer(
        analyzer=words,
        ngram_range=options.get("ngrams") or options.get("char_ngrams") or (1, 1),
        strip_accents="unicode" if options.get("fold_accents") else None,
    )
    matrix = counter.fit_transform(collection.documents.texts).tocsc()
    pattern = r"\S+" if words == "char_wb" else r"(?u)\b\w\w+\b"
    index = Index.build(collection, Analyzer(tokens=pattern, **options))
    assert list(index.terms) == counter.get_feature_names_out().tolist()
    np.testing.assert_array_equal(index.offsets, matrix.indptr)
    np.testing.assert_array_equal(index.docs(), matrix.indices)
    np.testing.assert_array_equal(index.tf(0, index.stats.n_postings), matrix.data)
    np.testing.assert_array_equal(index.dl, matrix.sum(axis=1).A1)


@given(st.text(st.sampled_from("中人東京カーのA bé1한、・々〇\u3099\U00020000")))
@example("東京タワー2024年")
def test_pairs_of_characters_as_a_second_program_makes_them(text):
    """Character by character, with the scripts from Unicode's names in place of ranges of code points."""
    expected: list[str] = []
    run: list[str] = []
    rest = ""

    def end_of_run() -> None:
        expected.extend(run if len(run) == 1 else map("".join, itertools.pairwise(run)))
        run.clear()

    for character in text.lower():
        if unicodedata.combining(character) and run:
            run[-1] += character
        elif unicodedata.name(character, "").startswith(SCRIPTS) or character in "々〇":
            expected.extend(Analyzer()(rest))
            rest = ""
            run.append(character)
        else:
            end_of_run()
            rest += character
    end_of_run()
    assert Analyzer(cjk=True)(text) == expected + Analyzer()(rest)


def test_the_characters_of_the_scripts_are_those_with_their_names():
    named = (
        "CJK UNIFIED",
        "CJK COMPATIBILITY IDEOGRAPH",
        "HENTAIGANA",
        "HIRAGANA LETTER",
        "KATAKANA LETTER",
        "HANGUL SYLLABLE",
    )
    pairs = Analyzer(cjk=True)
    for code in range(0x1100, 0x32000):
        character = chr(code)
        name = unicodedata.name(character, "")
        if name.startswith(
            (*named, "HANGUL CHOSEONG", "HANGUL JUNGSEONG", "HANGUL LETTER", "HALFWIDTH KATAKANA LETTER")
        ):
            assert pairs.tokenizer(character * 3) == [character * 2] * 2, name
        elif name and character.isalnum() and not name.startswith(BESIDES):
            assert pairs.tokenizer(character * 3) == Analyzer().tokenizer(character * 3), name
