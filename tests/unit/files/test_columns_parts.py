"""Parts of records: which label plays which, and what the fields are called."""

import pytest

from toysearch.files.columns import (
    TableHead,
    is_value,
    listed_labels,
    parts_of,
    record_parts,
    without_text,
)

DOCUMENTS = {  # labels → the id, the title, the text, and what is searched beside these
    "docno _id doc_id": "doc_id - - docno",
    "Artikelnummer Bezeichnung Farbe": "Artikelnummer Bezeichnung - Farbe",
    "Signatur title text": "- title text Signatur",
    "category_id user_id author_id name": "- name -",
    "name details summary": "- name summary details",
    "Question Answer": "- Question - Answer",
    "name question answer": "- name - question answer",
    "query text": "- - text query",
    "colour size": "- - - colour size",
    "id text url imageUrl price created_at lang score body_html metadata.kind _seq": "id - text body_html",
    "id body body_html": "id - body",
    "post.id post.title post.kind of.body": "post.id post.title - post.kind of.body",
    "paragraphs.context paragraphs.qas.question paragraphs.qas.answers.text": "- - paragraphs.context",
}
QUERIES = {  # labels → the id, the title, the text
    "id title description narrative": "id title -",
    "input context": "- - input",
    "question document": "- - question",
    "id description": "id - -",
    "query text": "- - text",
    "query_id query text": "query_id - query",
    "nr Frage Antwort": "nr - Frage",
    "id my_query passage": "id - my_query",
}


@pytest.mark.parametrize(("labels", "parts"), DOCUMENTS.items())
def test_the_parts_of_documents_by_their_names(labels: str, parts: str) -> None:
    found = record_parts(labels.split())
    more = [label for part, label in found.items() if part not in ("id", "title", "text")]
    assert " ".join([*(found.get(part, "-") for part in ("id", "title", "text")), *more]) == parts


@pytest.mark.parametrize(("labels", "parts"), QUERIES.items())
def test_the_parts_of_queries_by_their_names(labels: str, parts: str) -> None:
    found = record_parts(labels.split(), role="queries")
    assert [found.get(part, "-") for part in ("id", "title", "text")] == parts.split()


VALUES = ["7", "-1.5e3", "1,776", "85 %", "€ 3", "2020-05-01T10:00:00Z", "1/2/2020", "3 May 2020", "10:30", "TRUE"]
VALUES += ["https://a.org/b", "www.a.org", "a.b@c.org"]
TEXTS = ["1776 rebels", "red", "C3PO", "a.b", "May 3", "10:30 at night", "see https://a.org", "5 kg", "B-101"]


def test_a_cell_is_a_text_or_not_by_itself() -> None:
    assert [cell for cell in VALUES if not is_value(cell)] == []
    assert [cell for cell in TEXTS if is_value(cell)] == []


def test_the_order_of_names_decides_before_the_order_of_labels() -> None:
    assert parts_of(["query", "text", "number", "qid"]) == {"id": "qid", "text": "text"}


def test_of_labels_that_are_alike_the_first_plays_the_part() -> None:
    assert parts_of(["Doc ID", "doc-id", "Title", "title"]) == {"id": "Doc ID", "title": "Title"}


def test_a_name_in_a_namespace_is_known_unless_it_stands_alone_too() -> None:
    assert parts_of(["@id", "dc:title", "g:text"]) == {"id": "@id", "title": "dc:title", "text": "g:text"}
    assert parts_of(["dc:title", "title"]) == {"title": "title"}


def test_a_name_is_known_with_more_in_brackets() -> None:
    assert parts_of(["Title (en)", "Body (HTML)"]) == {"title": "Title (en)", "text": "Body (HTML)"}


def test_a_summary_is_the_title_of_another_text_only() -> None:
    assert parts_of(["Summary", "Description"]) == {"title": "Summary", "text": "Description"}
    assert parts_of(["summary"]) == {"text": "summary"}
    assert parts_of(["title", "summary"]) == {"title": "title", "text": "summary"}


def test_a_context_of_json_ld_is_not_a_text() -> None:
    assert parts_of(["@context", "@id"]) == {"id": "@id"}
    assert parts_of(["context"]) == {"text": "context"}


def test_a_label_plays_one_part() -> None:
    assert parts_of(["id", "title"], {"text": "title"}) == {"id": "id", "text": "title"}
    assert parts_of(["id", "title", "name"], {"text": "title"}) == {"id": "id", "title": "name", "text": "title"}


def test_a_label_that_is_not_there_plays_none() -> None:
    assert parts_of(["id", "text"], {"text": "body"}) == {"id": "id"}


def test_an_exact_label_goes_before_one_that_is_alike() -> None:
    assert parts_of(["BODY", "body"], {"text": "body"}) == {"text": "body"}
    assert parts_of(["BODY", "Body"], {"text": "body"}) == {"text": "BODY"}


def test_long_lists_of_labels_are_cut_short() -> None:
    labels = [f"c{place}" for place in range(21)]
    assert listed_labels(labels[:20], "column") == ", ".join(labels[:20])
    assert listed_labels(labels, "column") == ", ".join(labels[:20]) + ", …"


def test_the_example_is_a_label_that_plays_no_part() -> None:
    assert without_text(TableHead.of_rows(["id", "claim"]), {"id": "id"}, "key", "a key").endswith(
        "columns='text=claim')"
    )
    assert without_text(TableHead.of_rows(["id"]), {"id": "id"}, "key", "a key").endswith("columns='text=NAME')")
