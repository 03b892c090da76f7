"""Building an index in memory: what goes in, what is counted, what is refused."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from error_messages import raising

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import ArgumentError, DataError
from toysearch.collection.collection import Collection
from toysearch.index import builder
from toysearch.index.inverted_index import Index, once_per_index
from toysearch.index.term_numbers import GramNumbers, TermNumbers
from toysearch.retrieval.searcher import Searcher

TEXTS = ["The cat sat", "", "a cat, another CAT and the dog"]
TERMS = ["and", "another", "cat", "dog", "sat", "the"]


@pytest.fixture
def index() -> Index:
    return Index.build(TEXTS)


@pytest.mark.system
def test_it_cannot_be_changed(index):
    lists = (*index.blocks.span(), *index.postings("cat"), index.blocks.packed.words)
    for values in (*lists, index.offsets, index.dl, index.bytes, index.doc_ids.blob, index.terms.offsets):
        with pytest.raises(ValueError, match="read-only"):
            values[:1] = 0


@pytest.mark.system
def test_looking_up_terms_and_documents(index):
    assert [index.term_number(term) for term in (*TERMS, "CAT", "zebra", "", "\ud800")] == [*range(6), -1, -1, -1, -1]
    assert [index.term(number) for number in range(6)] == TERMS
    assert list(index.doc_ids) == ["1", "2", "3"]
    assert [index.doc_number(doc_id) for doc_id in "123"] == [0, 1, 2]
    assert [index.find_document(doc_id) for doc_id in ("3", "1", "4", "", "\ud800")] == [2, 0, -1, -1, -1]
    assert index.document_numbers(["3", "1", "4", "", "\ud800", "3"]).tolist() == [2, 0, -1, -1, -1, 2]
    assert index.document_numbers([]).tolist() == []
    assert index.doc_ids_order.tolist() == [0, 1, 2]


@pytest.mark.system
def test_postings_of_a_term(index):
    docs, tf = index.postings("cat")
    assert (docs.tolist(), tf.tolist()) == ([0, 2], [1, 2])
    assert [part.size for part in index.postings("zebra")] == [0, 0]


@pytest.mark.system
def test_a_document_that_is_not_there(index):
    with raising(ArgumentError, "the index has no document '4'; it has 3 documents, the first is '1'"):
        index.vector("4")


@pytest.mark.system
def test_frequent_terms(index):
    assert index.frequent_terms(3) == [("cat", 2, 3), ("the", 2, 2), ("and", 1, 1)]
    assert len(index.frequent_terms(100)) == 6


@pytest.mark.system
def test_the_sources_that_it_takes():
    documents = [Document("b", "two cats", "Title"), Document("a", "a dog")]
    for source in (documents, iter(documents), Collection("pets", documents), Collection("pets", lambda: documents)):
        built = Index.build(source)
        assert (list(built.doc_ids), list(built.terms)) == (["b", "a"], ["cats", "dog", "title", "two"])
        assert (built.title(0), built.text(0), built.title(1)) == ("Title", "Title two cats", "")
        for number, doc_id in enumerate(built.doc_ids):
            assert (built.title(doc_id), built.text(doc_id)) == (built.title(number), built.text(number))
        assert built.doc_number("a") == 1
    assert list(Index.build({"b": "two cats", "a": "a dog"}).doc_ids) == ["b", "a"]
    assert list(Index.build(text for text in ("two cats", "a dog")).doc_ids) == ["1", "2"]


@pytest.mark.system
def test_the_name_of_a_collection_of_the_catalog_is_kept():
    documents = [Document("1", "a cat")]
    assert Index.build(Collection("pets", documents, in_catalog=True)).collection == "pets"
    assert Index.build(Collection("pets", documents)).collection == ""
    assert Index.build(documents).collection == ""


@pytest.mark.system
def test_a_collection_is_streamed_not_kept():
    collection = Collection("pets", lambda: [Document("1", "a cat")])
    Index.build(collection)
    assert collection._documents is None


@pytest.mark.system
def test_without_text():
    index = Index.build(TEXTS, store_text=False)
    assert (index.titles, index.texts, index.title(0), index.text(0)) == (None, None, None, None)
    assert index.vector("1") == {"cat": 1, "sat": 1, "the": 1}


@pytest.mark.system
def test_the_analyzer_is_its_own():
    index = Index.build(TEXTS, Analyzer.for_language("english"))
    assert list(index.terms) == ["cat", "dog", "sat"]
    assert index.stats.T == 5  # the, a, another, and: left out
    assert str(index.analyzer) == "english:stop=sklearn,stem=english"
    assert repr(index) == "<Index of 3 documents, 3 terms, 4 postings; english:stop=sklearn,stem=english>"


@pytest.mark.system
def test_ordinary_text_gives_no_note():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Index.build(["👩\u200d👧 e\u0301 \x00"])


@pytest.mark.system
@pytest.mark.parametrize("source", [[], {}, iter(())])
def test_no_documents(source):
    with raising(DataError, "there is no document to index; an index needs at least one"):
        Index.build(source)


@pytest.mark.system
def test_of_several_doc_ids_given_twice_the_first_to_come_again_is_named():
    with pytest.raises(DataError, match="doc_id 'b' is given twice, by documents 2 and 4;"):
        Index.build([Document(doc_id, "x") for doc_id in ("a", "b", "c", "b", "b", "a", "c")])


@pytest.mark.system
@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document(7, "x"), "document 1 has the doc_id 7; expected a str, not int: write '7'"),
        (Document("7", None), "document 1 has the text None; expected a str, not NoneType"),
        (Document("7", "x", b"t"), "document 1 has the title b't'; expected a str, not bytes"),
    ],
)
def test_what_is_not_text(document, message):
    with raising(DataError, message):
        Index.build([document])


@pytest.mark.system
def test_an_index_needs_no_heavy_package():
    script = (
        "import sys; from toysearch import Analyzer, Index; Index.build(['a cat'], Analyzer.for_language('english'))\n"
        "print([name for name in ('sklearn', 'scipy', 'pooch', 'stopwordsiso') if name in sys.modules])"
    )
    plain = {**os.environ, "TOYSEARCH_PATH": ""}  # as it is chosen for so little text
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=plain)
    assert done.stdout == "[]\n"


# Numbers for terms: each distinct token is analysed once


@pytest.mark.parametrize(
    ("numbering", "options"),
    [(TermNumbers, {}), (GramNumbers, {"ngrams": (1, 2)}), (GramNumbers, {"char_ngrams": (3, 3)})],
)
def test_each_distinct_token_is_analysed_once(monkeypatch, numbering, options):
    asked = []
    term = Analyzer.term
    monkeypatch.setattr(Analyzer, "term", lambda self, token: asked.append(token) or term(self, token))
    numbers = numbering(Analyzer(stop=["the"], **options))
    for text in ("the cat the cat", "cat dog the"):
        list(numbers.of(text))
    assert asked == ["the", "cat", "dog"]


def test_document_lengths_count_ngrams():
    index = Index.build(["a cat sat down", "the cat"], Analyzer(stop=["the"], ngrams=(1, 2)))
    assert index.dl.tolist() == [5, 1]
    assert list(index.terms) == ["cat", "cat sat", "down", "sat", "sat down"]


def test_numbers_of_a_field_that_no_document_has():
    documents = [Document("1", "a cat"), Document("2", "a dog", "", {"text": "a dog", "year": "2010"})]
    assert Index.build(documents, values=["year"]).values["year"].numbers.tolist() == [2010]
    with pytest.raises(ArgumentError) as refusal:
        Index.build(documents, values=["year", "yaer"])
    assert str(refusal.value) == (
        "unknown field of the documents 'yaer'; did you mean 'year'? Fields of the documents: title, text, year"
    )
    index = Index.build(documents, values=["year"])
    assert index.add([Document("3", "a bird")]).values["year"].docs.tolist() == [1]  # some documents may lack it


def test_many_fields_of_a_small_file_are_refused_and_few_are_not(monkeypatch):
    texts = {f"f{number}": f"a{number} b" for number in range(70)}
    documents = [Document("d1", "a b", "", texts)]
    index = Index.build(documents, fields=[*texts])
    assert index.field_tf("f69", np.array([index.term_number("a69")])).tolist() == [1]
    monkeypatch.setattr(builder, "_CELLS_OF_MANY", 1_000)
    with pytest.raises(DataError, match=r"^70 separate fields are too many for 70 postings and 1 documents"):
        Index.build(documents, fields=[*texts])
    assert Index.build(documents, fields=[*texts][:64]).fields.names == [*texts][:64]


@pytest.mark.system
def test_more_fields_than_two_bytes_number():
    names = [f"f{number}" for number in range((1 << 15) + 1)]
    texts = {**dict.fromkeys(names, ""), names[0]: "dog dog", names[-1]: "cat"}
    index = Index.build([Document("1", "", "", texts)], fields=names)
    assert [index.fields.tf(name, 0, 2).tolist() for name in (names[0], names[-1])] == [[0, 2], [1, 0]]
    assert [index.fields.dl(name).tolist() for name in (names[0], names[1], names[-1])] == [[2], [0], [1]]


def test_a_field_with_a_minus_sign_is_told_how_a_difference_is_written():
    documents = [{"id": "1", "text": "a comet", "year": "1999"}]
    said = "no document has a field 'year-1990'; a difference has blanks around its sign: year - 1990"
    with pytest.raises(ArgumentError, match=said):
        Index.build(documents, values=["year-1990"])
    assert len(Searcher(documents, "bm25 + exp((prior:year - 1990)/5)").search("comet")) == 1


def test_what_is_computed_once_is_told_apart_by_the_names_of_arguments() -> None:
    calls = []

    @once_per_index
    def computed(index: Index, first: int, second: int) -> int:
        calls.append((first, second))
        return 10 * first + second

    index = Index.build(["a cat"])
    assert [computed(index, first=1, second=2), computed(index, second=1, first=2)] == [12, 21]
    assert [computed(index, second=2, first=1), computed(index, 1, 2)] == [12, 12]
    assert calls == [(1, 2), (2, 1), (1, 2)]


@pytest.mark.parametrize("n", [255, 256, 257, 270, 300])
@pytest.mark.parametrize("model", ["bm25", "cosine"])
def test_a_saved_index_of_about_a_byte_of_documents_is_searched_as_in_memory(n, model, tmp_path):
    """The last documents of blocks are stored as bytes or as larger numbers, whichever is shorter."""
    built = Index.build([f"cat w{number} " + "dog " * (number % 3) for number in range(n)])
    built.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    for text in ("cat", "dog", f"cat w250 w{n - 1}"):
        assert [*Searcher(opened, model).search(text, k=None)] == [*Searcher(built, model).search(text, k=None)]
