"""How a record is put down in each layout, and what its fields are called there."""

from __future__ import annotations

import pytest

from toysearch.corpus.conversion import TARGETS, ExportedRecord, Writing

RECORD = ExportedRecord("7", "Cats & dogs", "how to\n<train> a cat", {"Author": "Doe", "year": "2011"})


def written(to: str, part: str, record: ExportedRecord) -> tuple[str, Writing]:
    """The text of a record, and what happened to it."""
    target = TARGETS[to]
    put, writing = (
        (target.document, target.document_names()) if part == "document" else (target.query, target.query_names())
    )
    return put(record, writing), writing


def test_a_document() -> None:
    line = '"title": "Cats & dogs", "text": "how to\\n<train> a cat", "Author": "Doe", "year": "2011"}\n'
    assert written("beir", "document", RECORD)[0] == f'{{"_id": "7", {line}'
    assert written("jsonl", "document", RECORD)[0] == f'{{"doc_id": "7", {line}'
    text, writing = written("trec", "document", RECORD)
    assert text == (
        "<DOC>\n<DOCNO>7</DOCNO>\n<TITLE>Cats &amp; dogs</TITLE>\n<HEADER>\n<AUTHOR>Doe</AUTHOR>\n<YEAR>2011</YEAR>\n"
        "</HEADER>\n<TEXT>how to\n&lt;train&gt; a cat</TEXT>\n</DOC>\n"
    )
    assert writing.notes() == ["of a document, the field 'Author' is called 'author'"]
    assert writing.filled == {"title", "text", "author", "year"}


def test_a_query() -> None:
    record = ExportedRecord("7", "", "train  a cat", {"description": "how?", "query": "cat"})
    line = '"text": "train  a cat", "description": "how?", "query": "cat"}\n'
    assert written("beir", "query", record)[0] == f'{{"_id": "7", {line}'
    assert written("jsonl", "query", record)[0] == f'{{"query_id": "7", {line}'
    text, writing = written("trec", "query", record)
    assert text == (
        "<top>\n<num> Number: 7 </num>\n<title> Topic: train a cat </title>\n<desc> Description: how? </desc>\n"
        "<query_> cat </query_>\n</top>\n"
    )
    assert writing.notes() == [
        "1 query with line breaks or repeated spaces, which become one space",
        "of a query, the field 'query' is called 'query_'",
    ]


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["author", "date"], ["author", "date"]),
        (["Author", "author", "AUTHOR"], ["author", "author_", "author__"]),
        (["text_", "text"], ["text_", "text__"]),
        (["B", "headline", "docno"], ["b_", "headline_", "docno_"]),
        (["3", "é", "x y", "_"], ["field_3", "field_", "x_y", "field__"]),
    ],
)
def test_names_of_tags(names: list[str], called: list[str]) -> None:
    writing = TARGETS["trec"].document_names()
    assert [writing.name_of(name) for name in names] == called
    assert [writing.name_of(name) for name in names] == called


def test_names_of_keys() -> None:
    writing = TARGETS["jsonl"].document_names()
    names = ["Author", "ID", "doc-id", "text", "x\ud800"]
    assert [writing.name_of(name) for name in names] == ["Author", "ID_", "doc-id_", "text_", "x\ufffd"]
    assert TARGETS["beir"].document_names().name_of("id") == "id"
