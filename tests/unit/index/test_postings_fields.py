"""What an index keeps of single fields, and numbers of documents."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Analyzer, Document, Index, Searcher
from toysearch.base.errors import ArgumentError, StorageError
from toysearch.collection.document_batches import Batch
from toysearch.index.content_checks import check_index
from toysearch.index.document_columns import field_texts
from toysearch.index.postings import Counts
from toysearch.index.saving import save
from toysearch.index.typed_values import number_in

DOCUMENTS = [
    Document("1", "Cats how to train a cat", "Cats", {"title": "Cats", "text": "how to train a cat"}),
    Document("2", "the dog dog dog", "", {"title": "the dog", "text": "dog dog", "year": "2024-07-01"}),
    Document("3", "", "", {}),
]


@given(st.lists(st.tuples(*[st.text("ab cd", max_size=12)] * 2), min_size=1, max_size=6))
def test_the_fields_counts_add_up_to_the_whole(texts):
    analyzer = Analyzer(tokens=r"\w+")
    documents = [Document(str(n), f"{one} {two}", "", {"A": one, "B": two}) for n, (one, two) in enumerate(texts)]
    apart = Index.build(documents, analyzer, fields=("A", "B"))
    together = Index.build(documents, analyzer)
    assert list(apart.terms) == list(together.terms)
    assert apart.docs().tolist() == together.docs().tolist()
    assert apart.tf().tolist() == together.tf().tolist()
    n = apart.stats.n_postings
    assert (apart.fields.tf("A", 0, n) + apart.fields.tf("B", 0, n)).tolist() == apart.tf(0, n).tolist()
    for field, side in (("A", 0), ("B", 1)):
        for number, pair in enumerate(texts):
            counts = Counter(analyzer(pair[side]))
            assert apart.fields.dl(field)[number] == sum(counts.values())
            for term, count in counts.items():
                first = int(apart.offsets[apart.term_number(term)])
                position = first + int(np.searchsorted(apart.postings(term).docs, number))
                assert apart.fields.tf(field, position, position + 1).tolist() == [count]


def test_large_counts_of_a_field_are_exact():
    long = "dog " * 300
    index = Index.build([Document("1", "", "", {"A": "dog", "B": long})], fields=("A", "B"))
    assert index.fields.tf("A", 0, 1).tolist() == [1]
    assert index.fields.tf("B", 0, 1).tolist() == [300]


def test_a_saved_index_keeps_fields_and_numbers(tmp_path):
    Index.build(DOCUMENTS, fields=("title", "text"), values=("year",)).save(tmp_path / "idx")
    index = Index.open(tmp_path / "idx")
    assert index.fields.names == ["title", "text"]
    assert index.fields.tf("title", 0, index.stats.n_postings).sum() == 3
    assert index.values["year"].docs.tolist() == [1]
    assert index.values["year"].numbers.tolist() == [pytest.approx(2024.4973, abs=1e-4)]
    assert check_index(tmp_path / "idx") == []


def test_an_index_without_fields_says_how_to_get_them():
    index = Index.build(DOCUMENTS)
    assert index.fields.names == []
    assert index.values == {}
    with pytest.raises(ArgumentError, match="fields together and cannot separate 'title'; build it"):
        index.fields.dl("title")
    apart = Index.build(DOCUMENTS, fields=("title", "text"))
    with pytest.raises(ArgumentError, match="unknown field 'titel'; did you mean 'title'"):
        apart.fields.tf("titel", 0, 1)


def test_a_field_is_found_by_a_name_that_python_can_write():
    index = Index.build([Document("1", "", "", {"head-line": "dog"})], fields=("head-line",))
    assert index.fields.dl("head_line").tolist() == [1]


@pytest.mark.parametrize("array", ["field_dl", "value_numbers", "value_codes"])
def test_a_damaged_folder_is_refused(tmp_path, array):
    index = Index.build(DOCUMENTS, fields=("title", "text"), values=("year",))
    cut = {**index.arrays, array: index.arrays[array][:-1]}
    save(tmp_path / "idx", {"collection": "", "analyzer": index.analyzer.to_dict()}, cut)
    with pytest.raises(StorageError, match=f"its {array} do not fit its"):
        Index.open(tmp_path / "idx")


def test_a_group_of_arrays_is_whole_or_absent(tmp_path):
    index = Index.build(DOCUMENTS, fields=("title", "text"))
    lacking = {name: values for name, values in index.arrays.items() if name != "field_dl"}
    save(tmp_path / "idx", {"collection": "", "analyzer": index.analyzer.to_dict()}, lacking)
    with pytest.raises(StorageError, match="it has no field_dl"):
        Index.open(tmp_path / "idx")


def test_a_field_that_is_no_text_is_refused():
    with pytest.raises(ArgumentError, match="document 1: expected a text, a number or a list as A, not a dict"):
        Index.build([Document("1", "", "", {"A": {"B": "c"}})], fields=("A",))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12.0),
        (" 1e3 ", 1000.0),
        ("-2.5", -2.5),
        ("2024", 2024.0),
        ("2024-01-01", 2024.0),
        ("2023-07", 2023 + 181 / 365),
    ],
)
def test_numbers_and_dates_are_read(text, number):
    assert number_in(text) == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize("text", ["", "soon", "2024-13-01", "2024-02-30", "1_000", "nan", "inf"])
def test_what_is_no_number_is_none(text):
    assert math.isnan(number_in(text))


def test_a_document_without_fields_has_its_title_and_text():
    batch = Batch.of([Document("1", "how to", "Cats")])
    assert [field_texts(batch, name) for name in ("title", "text", "W")] == [["Cats"], ["how to"], [""]]


@given(st.lists(st.integers(0, 1000), max_size=20), st.data())
def test_counts_come_back(numbers, data):
    counts = Counts.of(np.array(numbers, dtype=np.int64))
    start = data.draw(st.integers(0, len(numbers)))
    stop = data.draw(st.integers(start, len(numbers)))
    assert counts[start:stop].tolist() == numbers[start:stop]


def answers(index, query, model):
    return [(hit.doc_id, hit.score) for hit in Searcher(index, model).search(query)]


@pytest.mark.parametrize("fields", [["title", "text", "more"], ["text", "title"], ["more"]])
@pytest.mark.parametrize("model", ["bm25", "sdm(bm25)", "passages(bm25, words=3, stride=2)"])
def test_phrases_are_looked_up_in_the_fields_that_are_counted(fields, model):
    """Texts that are kept answer as positions do, whatever fields documents have beside title and text."""
    records = [
        {"doc_id": "1", "title": "dogs", "text": "lamp here", "more": "cat lamp"},
        {"doc_id": "2", "title": "cat", "text": "dog cat", "more": ["lamp", "cat dog"]},
    ]
    texts, positions = (Index.build(records, fields=fields, positions=kept) for kept in (False, True))
    for query in ('"cat lamp"', f'{fields[0]}:"dog cat"', f'{fields[-1]}:"cat lamp"', "cat dog lamp", '"lamp cat"'):
        assert answers(texts, query, model) == answers(positions, query, model)
    added = Index.build(records[:1], fields=fields).add(records[1:])
    assert answers(added, '"cat lamp"', model) == answers(positions, '"cat lamp"', model)
