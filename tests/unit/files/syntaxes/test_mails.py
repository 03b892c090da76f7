"""Odd mails: read by their raw headers, or refused by their file and number."""

from pathlib import Path

import pytest
from raising import raising

import toysearch
from toysearch.base.errors import DataError

HEADERS = {
    'From: "\n': '"',
    "From: a b:<\n": "a b:<",
    f"From: {'(' * 2000}\n": "(" * 2000,
    f"From: {'a,' * 60_000}\n": "a," * 60_000,
    f"From: {'a' * 1001}\n": "a" * 1001,
    "From: Ada <ada@example.org>\n": "Ada <ada@example.org>",
    "From: =?utf-8?q?Ad=C3=A4?= <ada@example.org>\n": "Adä <ada@example.org>",
}


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_a_sender_is_read_or_stays_as_it_is_written(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.eml").write_text(f"{header}Subject: a subject\n\na cat\n")
    (document,) = toysearch.load(tmp_path).documents
    assert document.fields["from"] == HEADERS[header]
    assert (document.fields["title"], document.fields["text"]) == ("a subject", "a cat")


@pytest.mark.parametrize("charset", ["idna", "punycode", "undefined", "rot13", "utf-8\0", "none-such", "a" * 900])
def test_a_text_in_no_encoding_of_texts_is_read_as_utf8(tmp_path: Path, charset: str) -> None:
    (tmp_path / "a.eml").write_text(f"Content-Type: text/plain; charset={charset}\n\nMüsli\n", encoding="utf-8")
    assert [document.fields["text"] for document in toysearch.load(tmp_path).documents] == ["Müsli"]


def nested(depth: int) -> str:
    """A mail with parts inside each other, the innermost a text."""
    outer = (f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth))
    return f"Subject: deep\n{''.join(outer)}Content-Type: text/plain\n\na cat\n"


def test_parts_inside_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text(nested(100))
    assert [document.fields["text"] for document in toysearch.load(tmp_path).documents] == ["a cat"]
    (tmp_path / "a.eml").write_text(nested(1000))
    refusal = "the mail has more than 100 parts inside each other; load(…, on_error='skip') leaves it out"
    with raising(DataError, f"{tmp_path / 'a.eml'}:1: {refusal}"):
        list(toysearch.load(tmp_path).documents)


def test_a_refused_mail_of_a_mailbox_is_named_and_can_be_skipped(tmp_path: Path) -> None:
    mails = ["Subject: one\n\na cat\n", nested(300), "Subject: three\n\na dog\n"]
    path = tmp_path / "in.mbox"
    path.write_text("".join(f"From ada\n{mail}\n" for mail in mails))
    problem = "mail 2 has more than 100 parts inside each other"
    with raising(DataError, f"{path}:7: {problem}; load(…, on_error='skip') leaves it out"):
        list(toysearch.load(tmp_path).documents)
    with pytest.warns(toysearch.ToysearchNote, match=f"1 record left out, on line 7: {problem}$"):
        documents = list(toysearch.load(tmp_path, on_error="skip").documents)
    assert [document.doc_id for document in documents] == ["in.mbox#1", "in.mbox#3"]


def test_a_page_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<b>" * 200_001)
    (tmp_path / "b.txt").write_text("a cat")
    with pytest.warns(toysearch.ToysearchNote, match=r"a\.html: 1 record left out, on line 1: .* 200,000 tags"):
        documents = list(toysearch.load(tmp_path, on_error="skip").documents)
    assert [document.doc_id for document in documents] == ["b.txt"]
