"""Odd mails: read by their raw headers, or refused by their file and number."""

from pathlib import Path

import pytest
from error_messages import raising
from shell import done

import toysearch
from toysearch.base import bordered
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


FIELDS = {
    "Date: Mon, 03 Jun 2024 10:00:00 +0200": "2024-06-03T08:00:00Z",
    "Date: Tue, 31 Dec 2024 23:30:00 -0800 (PST)": "2025-01-01T07:30:00Z",
    "Date: 5 May 20 10:00": "2020-05-05T10:00:00Z",
    "Date: Thu, 1 Jan 0900 00:00:00 +0000": "0900-01-01T00:00:00Z",
    "Date: Fri, 31 Dec 9999 23:59:59 -1200": "Fri, 31 Dec 9999 23:59:59 -1200",
    "Date: Tue, 35 May 2020 10:00:00 +0200": "Tue, 35 May 2020 10:00:00 +0200",
    "Date: yesterday": "yesterday",
    "To: ann@example.org": "ann@example.org",
    "To: undisclosed-recipients:;": "undisclosed-recipients:;",
    "To: Zoë <z@example.org>": "Zoë <z@example.org>",
    'To: =?utf-8?q?Zo=C3=AB?= <z@b.org>,\n "M, B" <m@b.org>': 'Zoë <z@b.org>\x1f"M, B" <m@b.org>',
    "To: ann@example.org, ben@": "ann@example.org, ben@",
    f"To: {'a@b.org, ' * 500}c@d.org": f"{'a@b.org, ' * 500}c@d.org",
}


@pytest.mark.parametrize("header", FIELDS, ids=range(len(FIELDS)))
def test_a_date_is_a_time_in_utc_and_recipients_are_a_list(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.eml").write_text(f"{header}\n\na cat\n", encoding="utf-8")
    (document,) = toysearch.load(tmp_path).documents
    assert bordered(document.fields[header.partition(":")[0].lower()]) == FIELDS[header]


@pytest.mark.parametrize("saved", [False, True])
def test_mails_are_sorted_and_filtered_by_their_dates(tmp_path: Path, saved: bool) -> None:
    dates = {"new": "Fri, 12 Jul 2024 09:00:00 +0100", "old": "Wed, 04 Jan 2023 09:00:00 +0100"}
    dates |= {"mid": "Tue, 05 Mar 2024 09:00:00 +0100", "late": "Mon, 03 Jun 2024 10:00:00 +0200"}
    folder = tmp_path / "mails"
    folder.mkdir()
    for name, date in dates.items():
        (folder / f"{name}.eml").write_text(f"From: Ann Lee <ann@example.org>\nDate: {date}\n\nbill\n")
    source = tmp_path / "mails.idx" if saved else folder
    if saved:
        done("index", folder, "-o", source, "--values", "date,from")

    def found(*arguments: str) -> list[str]:
        lines = done("search", source, *arguments, "--format", "tsv").stdout.splitlines()[1:]
        return [line.split()[1] for line in lines]

    assert found("bill", "--sort", "-date") == ["new.eml", "late.eml", "mid.eml", "old.eml"]
    assert {*found("+date:2024 bill")} == {"new.eml", "late.eml", "mid.eml"}
    assert {*found("bill", "--where", "date > 2024-03-05")} == {"new.eml", "late.eml"}
    for query in (["+from:ann bill"], ["bill", "--where", "from = ann"]):
        assert (
            "no 'from' is 'ann' as a whole; for values that hold it: from:*ann*"
            in done("search", source, *query).stderr
        )
    assert "as a whole" not in done("search", source, "+from:anne bill").stderr
    assert len(found("+from:*ann* bill")) == len(found("bill", "--where", "from:*ann*")) == 4


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
