"""Terms and counts against scikit-learn's CountVectorizer and PyStemmer."""

import itertools
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, strip_accents_unicode
from tiers import often, thinned

import toysearch
from toysearch import Analyzer, Index
from toysearch.analysis.tokenizer import _CLASS_OF, word_places
from toysearch.base import folded

regex = pytest.importorskip("regex")

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too
LIKELY = st.text(st.sampled_from("aAbZéÉİıßẞΣσςſ文_09٣'’-\u0301\u200d\ud800\U0001f600 \n\x00\x1c"))
TEXTS = st.one_of(ANY_TEXT, LIKELY)
PATTERNS = [r"(?u)\b\w\w+\b", r"\w+", r"\S+", r"[^\W_]+(?:'\w+)?", r"#(\w*)", r"(a)?\w", r"(?a)\w+", r"\w*"]
SCRIPTS = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA LETTER", "KATAKANA-HIRAGANA PROLONGED", "HANGUL")
BESIDES = (
    *("HENTAIGANA", "HIRAGANA", "KATAKANA", "HALFWIDTH", "HANGUL", "IDEOGRAPHIC", "HANGZHOU NUMERAL"),
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


@pytest.mark.system
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


OF_WORDS = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Katakana}\p{WB=Numeric}\p{L}\p{N}]"
BOUNDED = st.text("aRé1٣_'’.:,;\"אבגد東ひアｱกก\u0e31한Ⓐ½²゠👍😀 \u0301\u200d\u00ad\u200b\u093f\u202f\n\r-", max_size=12)


ANNEX = {
    "A": ["ALetter"], "H": ["Hebrew_Letter"], "N": ["Numeric"], "K": ["Katakana"], "_": ["ExtendNumLet"],
    "X": ["Extend", "Format", "ZWJ"], ":": ["MidLetter"], ".": ["MidNumLet"], ";": ["MidNum"],
    "'": ["Single_Quote"], '"': ["Double_Quote"],
}  # fmt: skip
OF_ANNEX = {name: "[" + "".join(rf"\p{{WB={each}}}" for each in classes) + "]" for name, classes in ANNEX.items()}
BREAKING = "\r\n\x0b\x0c\x85\u2028\u2029"


def class_of_annex(character: str) -> str:
    """The class of a character, by the package regex."""
    return next((name for name, pattern in OF_ANNEX.items() if regex.match(pattern, character)), " ")


def joined_by_the_annex(left: str, right: str) -> bool:
    """Whether the rules WB5 to WB13b join two neighbours; each side as classes without marks."""
    before, last, first, after = left[-2:-1], left[-1:], right[:1], right[1:2]
    letter, middle = tuple("AH"), tuple(":.'")
    return any(
        [
            last in letter and first in letter,  # WB5
            last in letter and first in middle and after in letter,  # WB6
            before in letter and last in middle and first in letter,  # WB7
            last == "H" and first == "'",  # WB7a
            last == "H" and first == '"' and after == "H",  # WB7b
            before == "H" and last == '"' and first == "H",  # WB7c
            last == "N" and first == "N",  # WB8
            last in letter and first == "N",  # WB9
            last == "N" and first in letter,  # WB10
            before == "N" and last in tuple(";.'") and first == "N",  # WB11
            last == "N" and first in tuple(";.'") and after == "N",  # WB12
            last == first == "K",  # WB13
            last in tuple("AHNK_") and first == "_",  # WB13a
            last == "_" and first in tuple("AHNK"),  # WB13b
        ]
    )


def segments_of_the_annex(text: str) -> list[str]:
    """The words of a text, rule by rule."""
    classes = "".join(map(class_of_annex, text))
    bounds = [0]
    for at in range(1, len(text)):
        ignored = classes[at] == "X" and text[at - 1] not in BREAKING  # WB4, WB3a
        if not ignored and not joined_by_the_annex(classes[:at].replace("X", ""), classes[at:].replace("X", "")):
            bounds.append(at)
    words = [text[start:end] for start, end in itertools.pairwise([*bounds, len(text)])]
    return [word for word in words if regex.search(OF_WORDS, word)]


EXAMPLES = [
    "can't wi-fi U.S.A. 3.14 1,000.5 C++ .NET a1b2 x:y 3:4 _a_ ___ 'a' a''b 1.a a.1 1'2 3'a a;b 1:2 \u0301a\n\u0301b",
    "שני\"ם ג' ג'1 ג'_ ג\u05b0' א'ב א\"1 a\"א א\"a アa ア_a a\u00ad.\u0301b 1\u200d,2",
    *WORDS_OF_SCRIPTS,
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_words_of_unicode_in_examples(text):
    assert [text[start:end] for start, end in word_places(text)] == segments_of_the_annex(text)


@given(BOUNDED | ANY_TEXT)
@settings(max_examples=often(330))
def test_words_of_unicode_are_those_of_the_annex(text):
    text = "".join(character for character in text if unicodedata.category(character) not in ("Cs", "Cn"))
    assert [text[start:end] for start, end in word_places(text)] == segments_of_the_annex(text)


@given(st.lists(st.sampled_from(WORDS_OF_SCRIPTS)).map(" ".join))
def test_words_of_unicode_are_those_of_regex(text):
    """Its boundaries differ from the annex after an apostrophe, and before the first letter of a text."""
    theirs = [word for word in regex.split(r"(?w)\b", f"a {text}") if regex.search(OF_WORDS, word)]
    assert [f"a {text}"[start:end] for start, end in word_places(f"a {text}")] == theirs


@given(BOUNDED)
@settings(max_examples=often(330))
@example("\u0301a")
def test_words_of_unicode_are_those_of_uniseg(text):
    uniseg = pytest.importorskip("uniseg.wordbreak")
    assume(not regex.search(r"\u200d[\p{M}\p{Cf}]*\p{Extended_Pictographic}", text))
    theirs = [word for word in uniseg.words(text) if regex.search(OF_WORDS, word)]
    assert [text[start:end] for start, end in word_places(text)] == theirs


@pytest.mark.system
def test_every_character_has_its_class_of_the_annex():
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    theirs = {character: name for name, pattern in OF_ANNEX.items() for character in regex.findall(pattern, everything)}
    unknown = {*regex.findall(r"\p{Cn}", everything)}
    classes = everything.translate(_CLASS_OF)
    for character, found in zip(everything, classes, strict=True):
        if unicodedata.category(character) != "Cn" and character not in unknown:
            expected = theirs.get(character, "S" if character.isalnum() else " ")
            assert found == expected, f"U+{ord(character):04X}"


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


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(COUNTS, 3))
def test_counts_of_the_public_collections(corpora, name):
    collection = toysearch.load(name)
    documents, *expected = COUNTS[name]
    for language, (avgdl, n_terms) in zip(["none", "english"], expected, strict=True):
        stats = Index.build(collection, Analyzer.for_language(language)).stats
        assert (stats.N, round(stats.avgdl, 2), stats.n_terms) == (documents, avgdl, n_terms)


@given(TEXTS, st.booleans())
def test_named_tokenizers_are_patterns_of_scikit_learn(text, lowercase):
    """The emoji of word1 have no word character and are not tokens there."""
    for name, pattern in (("word2", r"(?u)\b\w\w+\b"), ("whitespace", r"\S+"), ("word1", r"\b\w+\b")):
        theirs = CountVectorizer(token_pattern=pattern, lowercase=lowercase).build_analyzer()
        ours = Analyzer(lowercase=lowercase, tokens=name)(text)
        assert [token for token in ours if name != "word1" or re.search(r"\w", token)] == theirs(text)


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


@pytest.mark.system
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


@pytest.mark.system
def test_the_characters_of_the_scripts_are_those_with_their_names():
    named = (
        *("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HENTAIGANA", "HIRAGANA LETTER", "KATAKANA LETTER"),
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
