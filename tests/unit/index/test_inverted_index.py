"""Building an index in memory: what goes in, what is counted, what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from noted import noted
from raising import raising

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import ArgumentError, DataError
from toysearch.corpus.collection import Collection
from toysearch.index.inverted_index import Index

pytestmark = pytest.mark.system

TEXTS = ["The cat sat", "", "a cat, another CAT and the dog"]
TERMS = ["and", "another", "cat", "dog", "sat", "the"]


@pytest.fixture
def index() -> Index:
    return Index.build(TEXTS)


def test_terms_and_postings(index):
    assert list(index.terms) == TERMS
    assert index.offsets.tolist() == [0, 1, 2, 4, 5, 6, 8]
    assert index.docs().tolist() == [2, 2, 0, 2, 2, 0, 0, 2]
    assert index.tf(0, 8).tolist() == [1, 1, 1, 2, 1, 1, 1, 1]
    assert index.df.tolist() == [1, 1, 2, 1, 1, 2]
    assert index.cf.tolist() == [1, 1, 3, 1, 1, 2]


def test_statistics_count_empty_documents(index):
    assert index.stats._asdict() == {
        "N": 3,
        "T": 9,
        "avgdl": 3.0,
        "avg_distinct": 8 / 3,
        "n_terms": 6,
        "n_postings": 8,
        "n_empty": 1,
    }
    assert index.dl.tolist() == [3, 0, 6]
    assert index.distinct.tolist() == [3, 0, 5]
    assert index.max_tf.tolist() == [1, 0, 2]


def test_bytes_are_those_of_the_searched_text_in_utf8():
    assert Index.build(["é a", "👩", ""], store_text=False).bytes.tolist() == [4, 4, 0]


def test_types_of_the_arrays(index):
    types = {
        name: getattr(index, name).dtype.str for name in ("offsets", "df", "cf", "dl", "distinct", "max_tf", "bytes")
    }
    assert types == {
        "offsets": "<i8",
        "df": "<i8",
        "cf": "<i8",
        "dl": "<i4",
        "distinct": "<i4",
        "max_tf": "<i4",
        "bytes": "<i8",
    }
    assert (index.docs(0, 2).dtype.str, index.tf(0, 2).dtype.str) == ("<i4", "<i8")


def test_it_cannot_be_changed(index):
    lists = (*index.blocks.span(), *index.postings("cat"), index.blocks.packed.words)
    for values in (*lists, index.offsets, index.dl, index.bytes, index.doc_ids.blob, index.terms.offsets):
        with pytest.raises(ValueError, match="read-only"):
            values[:1] = 0


def test_looking_up_terms_and_documents(index):
    assert [index.term_number(term) for term in (*TERMS, "CAT", "zebra", "", "\ud800")] == [*range(6), -1, -1, -1, -1]
    assert [index.term(number) for number in range(6)] == TERMS
    assert list(index.doc_ids) == ["1", "2", "3"]
    assert [index.doc_number(doc_id) for doc_id in "123"] == [0, 1, 2]
    assert [index.find_document(doc_id) for doc_id in ("3", "1", "4", "", "\ud800")] == [2, 0, -1, -1, -1]
    assert index.doc_ids_order.tolist() == [0, 1, 2]


def test_postings_of_a_term(index):
    docs, tf = index.postings("cat")
    assert (docs.tolist(), tf.tolist()) == ([0, 2], [1, 2])
    assert [part.size for part in index.postings("zebra")] == [0, 0]


def test_vector_of_a_document(index):
    assert index.vector("3") == {"and": 1, "another": 1, "cat": 2, "dog": 1, "the": 1}
    assert index.vector("2") == {}


def test_a_document_that_is_not_there(index):
    with raising(ArgumentError, "the index has no document '4'; it has 3 documents, the first is '1'"):
        index.vector("4")


def test_frequent_terms(index):
    assert index.frequent_terms(3) == [("cat", 2, 3), ("the", 2, 2), ("and", 1, 1)]
    assert len(index.frequent_terms(100)) == 6


def test_large_frequencies_are_exact():
    counts = {"aa": 254, "bb": 255, "cc": 256, "dd": 65_535, "ee": 70_000, "ff": 1}
    texts = [" ".join([term] * count) for term, count in counts.items()]
    index = Index.build([*texts, " ".join(texts), "aa"])
    for number, (term, count) in enumerate(counts.items()):
        docs = [number, 6, 7] if term == "aa" else [number, 6]
        tf = [count, count, 1] if term == "aa" else [count, count]
        assert index.postings(term).docs.tolist() == docs
        assert index.postings(term).tf.tolist() == tf
    assert index.vector("7") == counts
    assert index.max_tf.tolist() == [*counts.values(), 70_000, 1]
    assert index.tf().tolist() == [254, 254, 1, 255, 255, 256, 256, 65_535, 65_535, 70_000, 70_000, 1, 1]
    for start in range(index.stats.n_postings):
        for stop in range(start, index.stats.n_postings + 1):
            assert index.tf(start, stop).tolist() == index.tf().tolist()[start:stop]


def test_terms_are_sorted_by_their_utf8_bytes():
    terms = ["zz", "éé", "文文", "\U00010400\U00010400", "\uffdc\uffdc", "aa"]
    index = Index.build([" ".join(terms)], Analyzer(lowercase=False))
    assert list(index.terms) == sorted(terms, key=str.encode)
    assert [index.term_number(term) for term in index.terms] == list(range(6))


def test_the_sources_that_it_takes():
    documents = [Document("b", "two cats", "Title"), Document("a", "a dog")]
    for source in (documents, iter(documents), Collection("pets", documents), Collection("pets", lambda: documents)):
        built = Index.build(source)
        assert (list(built.doc_ids), list(built.terms)) == (["b", "a"], ["cats", "dog", "two"])
        assert (built.title(0), built.text(0), built.title(1)) == ("Title", "two cats", "")
        assert built.doc_number("a") == 1
    assert list(Index.build({"b": "two cats", "a": "a dog"}).doc_ids) == ["b", "a"]
    assert list(Index.build(text for text in ("two cats", "a dog")).doc_ids) == ["1", "2"]


def test_the_name_of_a_collection_of_the_catalog_is_kept():
    documents = [Document("1", "a cat")]
    assert Index.build(Collection("pets", documents, in_catalog=True)).collection == "pets"
    assert Index.build(Collection("pets", documents)).collection == ""
    assert Index.build(documents).collection == ""


def test_a_collection_is_streamed_not_kept():
    collection = Collection("pets", lambda: [Document("1", "a cat")])
    Index.build(collection)
    assert collection._documents is None


def test_without_text():
    index = Index.build(TEXTS, store_text=False)
    assert (index.titles, index.texts, index.title(0), index.text(0)) == (None, None, None, None)
    assert index.vector("1") == {"cat": 1, "sat": 1, "the": 1}


def test_the_analyzer_is_its_own():
    index = Index.build(TEXTS, Analyzer.for_language("english"))
    assert list(index.terms) == ["cat", "dog", "sat"]
    assert index.stats.T == 5  # the, a, another, and: left out
    assert str(index.analyzer) == "english:stop=sklearn,stem=english"
    assert repr(index) == "<Index of 3 documents, 3 terms, 4 postings; english:stop=sklearn,stem=english>"


def test_each_distinct_token_is_analysed_once(monkeypatch):
    asked = []
    term = Analyzer.term
    monkeypatch.setattr(Analyzer, "term", lambda self, token: asked.append(token) or term(self, token))
    Index.build(["the cat the cat", "the cat"], Analyzer.for_language("english"))
    assert asked == ["the", "cat"]


def test_all_documents_empty():
    index = Index.build(["", "!"])
    assert index.stats == (2, 0, 0.0, 0.0, 0, 0, 2)
    assert (list(index.terms), index.frequent_terms(), index.vector("1")) == ([], [], {})
    assert index.term_number("cat") == -1
    assert index.tf(0, 0).size == 0


def test_progress_is_told_now_and_then_and_at_the_end():
    told: list[int] = []
    Index.build(["a cat"] * 250, progress=told.append)
    assert told == [100, 200, 250]
    told.clear()
    Index.build(["a cat"] * 100, progress=told.append)
    assert told == [100]


def test_lone_surrogates_are_replaced_and_counted_once():
    documents = [Document("a\ud800", "cat\udfff dog \ud83d", "T\ud800"), Document("b", "c\ud800at")]
    with noted() as notes:
        index = Index.build(documents)
    assert notes == ["5 lone surrogates in the documents became U+FFFD: UTF-8 cannot represent lone surrogates"]
    assert (index.doc_ids[0], index.text(0), index.title(0)) == ("a\ufffd", "cat\ufffd dog \ufffd", "T\ufffd")
    assert list(index.terms) == ["at", "cat", "dog"]


def test_ordinary_text_gives_no_note():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Index.build(["👩\u200d👧 e\u0301 \x00"])


@pytest.mark.parametrize("source", [[], {}, iter(())])
def test_no_documents(source):
    with raising(DataError, "there is no document to index; an index needs at least one"):
        Index.build(source)


def test_a_doc_id_given_twice():
    with raising(DataError, "doc_id 'a' is given twice, by documents 1 and 3; each id may occur once"):
        Index.build([Document("a", "x"), Document("b", "y"), Document("a", "z")])


def test_of_several_doc_ids_given_twice_the_first_to_come_again_is_named():
    with pytest.raises(DataError, match="doc_id 'b' is given twice, by documents 2 and 4;"):
        Index.build([Document(doc_id, "x") for doc_id in ("a", "b", "c", "b", "b", "a", "c")])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document(7, "x"), "document 1 has the doc_id 7; expected a str, not int"),
        (Document("7", None), "document 1 has the text None; expected a str, not NoneType"),
        (Document("7", "x", b"t"), "document 1 has the title b't'; expected a str, not bytes"),
    ],
)
def test_what_is_not_text(document, message):
    with raising(DataError, message):
        Index.build([document])


def test_an_index_needs_no_heavy_package():
    script = (
        "import sys; from toysearch import Analyzer, Index; Index.build(['a cat'], Analyzer.for_language('english'))\n"
        "print([name for name in ('sklearn', 'scipy', 'pooch', 'stopwordsiso') if name in sys.modules])"
    )
    plain = {**os.environ, "TOYSEARCH_PATH": ""}  # as it is chosen for so little text
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=plain)
    assert done.stdout == "[]\n"


def test_many_documents_of_one_word_each():
    index = Index.build([f"w{number % 7}" for number in range(5000)])
    assert index.df.tolist() == np.bincount(np.arange(5000) % 7).tolist()
    assert all((np.diff(index.postings(f"w{number}").docs) == 7).all() for number in range(7))
