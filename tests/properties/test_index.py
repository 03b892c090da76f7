"""An index against counting by hand, and against itself once saved and opened, on any texts."""

import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often
from user_tokenizers import PLACES, STRINGS

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import ToysearchNote
from toysearch.base.wording import encodable
from toysearch.index.content_checks import check_index
from toysearch.index.file_layout import widened
from toysearch.index.inverted_index import Index

pytestmark = pytest.mark.system

WORDS = [
    "cat",
    "cats",
    "the",
    "CAT",
    "été",
    "e\u0301te\u0301",
    "ΟΔΟΣ",
    "文文",
    "👩\u200d👧",
    "x",
    "co\ud800op",
    "",
    "2nd",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.text(st.characters(exclude_categories=(), exclude_characters="\x1f"), max_size=40),
    st.integers(250, 600).map(lambda count: "cat " * count),
)
TITLES = st.text(st.characters(exclude_categories=(), exclude_characters="\x1f"), max_size=5)
FIELDS = st.dictionaries(st.text(max_size=4), st.just("longer than a title"), max_size=2)
IDS = st.lists(st.text(max_size=4), unique=True, min_size=1, max_size=12)
DOCUMENTS = IDS.flatmap(
    lambda ids: st.tuples(*(st.builds(Document, st.just(doc_id), TEXTS, TITLES, st.just({})) for doc_id in ids))
)
ANALYZERS = st.sampled_from(
    [
        Analyzer(),
        Analyzer.for_language("english"),
        Analyzer.for_language("french"),
        Analyzer(lowercase=False, tokens=r"\S+"),
        Analyzer(tokens="word1"),
        Analyzer(tokens="unicode", stop=["the"]),
        Analyzer(tokens=PLACES),
        Analyzer(tokens=STRINGS, stem="english"),
        Analyzer(tokens=r"\w*", stop=["cat", "the"]),
    ]
)


def build(documents, analyzer, **options) -> Index:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        return Index.build(documents, analyzer, **options)


@given(DOCUMENTS, ANALYZERS)
def test_postings_are_those_of_counting(documents, analyzer):
    index = build(documents, analyzer)
    texts = [encodable(" ".join(filter(None, [document.title, document.text])))[0] for document in documents]
    titles = [encodable(" ".join(document.title.split()))[0] for document in documents]
    counts = [Counter(analyzer(text)) for text in texts]
    terms = sorted(set().union(*counts), key=str.encode)
    assert list(index.terms) == terms
    for number, term in enumerate(terms):
        docs = [doc for doc, counted in enumerate(counts) if term in counted]
        tf = [counts[doc][term] for doc in docs]
        assert index.term_number(term) == number
        assert index.postings(term).docs.tolist() == docs
        assert index.postings(term).tf.tolist() == tf
        assert (index.df[number], index.cf[number]) == (len(docs), sum(tf))
    for doc, (document, counted) in enumerate(zip(documents, counts, strict=True)):
        assert index.doc_number(document.doc_id) == doc
        assert index.vector(document.doc_id) == counted
        assert list(index.vector(document.doc_id)) == sorted(counted, key=str.encode)
        assert (index.dl[doc], index.distinct[doc]) == (counted.total(), len(counted))
        assert index.max_tf[doc] == max(counted.values(), default=0)
        assert index.bytes[doc] == len(texts[doc].encode())
        assert (index.doc_ids[doc], index.text(doc), index.title(doc)) == (document.doc_id, texts[doc], titles[doc])
    tokens = sum(counted.total() for counted in counts)
    pairs = sum(map(len, counts))
    assert index.stats == (
        len(documents),
        tokens,
        tokens / len(documents),
        pairs / len(documents),
        len(terms),
        pairs,
        sum(not counted for counted in counts),
    )


@given(DOCUMENTS, ANALYZERS, st.booleans(), st.booleans())
@settings(max_examples=often(25))  # each waits for the disk dozens of times
def test_saved_and_opened_it_is_the_same(documents, analyzer, store_text, positions):
    index = build(documents, analyzer, store_text=store_text, positions=positions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index.save(folder)
        assert check_index(folder) == []
        opened = Index.open(folder)
        assert opened.analyzer == index.analyzer
        assert opened.stats == index.stats
        assert opened.arrays.keys() == index.arrays.keys()
        found = widened(opened.arrays)
        for array, values in index.arrays.items():
            np.testing.assert_array_equal(found[array], values)
            assert found[array].dtype == values.dtype
        assert [opened.doc_number(document.doc_id) for document in documents] == list(range(len(documents)))
        first = {path.name: path.read_bytes() for path in folder.iterdir()}
        build(documents, analyzer, store_text=store_text, positions=positions).save(folder)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


@given(DOCUMENTS, ANALYZERS)
def test_text_or_not_the_rest_is_the_same(documents, analyzer):
    lean, full = build(documents, analyzer, store_text=False), build(documents, analyzer)
    assert set(full.arrays) - set(lean.arrays) == {"titles", "titles_offsets", "texts", "texts_offsets"}
    for name, values in lean.arrays.items():
        np.testing.assert_array_equal(values, full.arrays[name])
