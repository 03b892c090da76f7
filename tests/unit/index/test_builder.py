"""Numbers for terms: each distinct token is analysed once."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch import Analyzer, Document, Index
from toysearch.base.errors import ArgumentError, DataError
from toysearch.index import builder
from toysearch.index.builder import GramNumbers, TermNumbers


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
    assert Index.build(documents, values=["year"]).values["year"].tolist()[1] == 2010
    with pytest.raises(ArgumentError) as refusal:
        Index.build(documents, values=["year", "yaer"])
    assert str(refusal.value) == (
        "unknown field of the documents 'yaer'; did you mean 'year'? Fields of the documents: title, text, year"
    )
    index = Index.build(documents, values=["year"])
    assert index.add([Document("3", "a bird")]).values["year"].tolist()[1] == 2010  # some documents may lack it


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
    index = Index.build([Document("1", "", "", {names[0]: "dog dog", names[-1]: "cat"})], fields=names)
    assert [index.fields.tf(name, 0, 2).tolist() for name in (names[0], names[-1])] == [[0, 2], [1, 0]]
    assert [index.fields.dl(name).tolist() for name in (names[0], names[1], names[-1])] == [[2], [0], [1]]
