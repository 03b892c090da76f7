"""Terms and counts against scikit-learn's CountVectorizer and PyStemmer."""

from __future__ import annotations

import numpy as np
import pytest
import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

import toysearch
from toysearch import Analyzer, Index

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too
LIKELY = st.text(st.sampled_from("aAbZéÉİıßẞΣσςſ文_09٣'’-\u0301\u200d\ud800\U0001f600 \n\x00\x1c"))
TEXTS = st.one_of(ANY_TEXT, LIKELY)
PATTERNS = [r"(?u)\b\w\w+\b", r"\w+", r"\S+", r"[^\W_]+(?:'\w+)?", r"#(\w*)", r"(a)?\w", r"(?a)\w+", r"\w*"]
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
    assert Analyzer(lowercase=lowercase, pattern=pattern)(text) == theirs(text)


@given(st.one_of(TEXTS, st.lists(st.sampled_from([*STOP, "flying", "Cats", "generically"])).map(" ".join)))
def test_stop_words_and_stems_are_those_of_scikit_learn_and_pystemmer(text):
    kept = CountVectorizer(stop_words=STOP).build_analyzer()(text)
    assert Analyzer(stop=STOP, stem="english")(text) == Stemmer.Stemmer("english").stemWords(kept)


def test_more_than_one_group_is_refused_as_there():
    with pytest.raises(ValueError, match="More than 1 capturing group"):
        CountVectorizer(token_pattern=r"(a)(b)").build_analyzer()
    with pytest.raises(ValueError, match="2 capturing groups"):
        Analyzer(pattern=r"(a)(b)")


@pytest.mark.parametrize("name", ["cat-dog-parrot", "cranfield", "cisi", "scifact"])
@pytest.mark.parametrize("language", ["none", "english"])
def test_the_index_is_countvectorizers_matrix(corpora, name, language):
    collection = toysearch.load(name)
    analyzer = Analyzer.for_language(language)
    index = Index.build(collection, analyzer)
    counter = CountVectorizer(analyzer=analyzer)
    matrix = counter.fit_transform(collection.documents.texts).tocsc()
    assert list(index.terms) == counter.get_feature_names_out().tolist()
    np.testing.assert_array_equal(index.offsets, matrix.indptr)
    np.testing.assert_array_equal(index.docs, matrix.indices)
    np.testing.assert_array_equal(index.tf(0, index.stats.n_postings), matrix.data)
    np.testing.assert_array_equal(index.dl, matrix.sum(axis=1).A1)
    np.testing.assert_array_equal(index.cf, matrix.sum(axis=0).A1)
    assert list(index.doc_ids) == collection.documents.doc_ids


COUNTS = {  # corpora/README.md: documents, tokens a document and vocabulary, plain and English
    "cranfield": (1400, (155.12, 7436), (87.61, 4517)),
    "cisi": (1460, (124.34, 9986), (66.48, 5859)),
    "scifact": (5183, (214.4, 35899), (138.85, 26379)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_the_public_collections(corpora, name):
    collection = toysearch.load(name)
    documents, *expected = COUNTS[name]
    for language, (avgdl, n_terms) in zip(["none", "english"], expected, strict=True):
        stats = Index.build(collection, Analyzer.for_language(language)).stats
        assert (stats.N, round(stats.avgdl, 2), stats.n_terms) == (documents, avgdl, n_terms)
