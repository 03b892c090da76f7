"""Files in other encodings, and files that are not text."""

from __future__ import annotations

import zipfile

import pytest
from raising import raising
from shell import done, refusal, run

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.formats.text_files import in_encoding, numbered_lines

DOCUMENTS = "id,title,text\n1,Café,un café noir à Paris\n2,Thé,thé vert\n"
QUERIES = "query_id,text\nq1,café\nq2,thé\n"
QRELS = "query,document,grade\nq1,1,2\nq2,2,1\n"
RUN = "q1 Q0 1 1 2.5 é\nq2 Q0 2 1 2.5 é\n"
ENCODINGS = ("cp1252", "latin-1", "cp850", "utf-16-le", "utf-8")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_documents_queries_judgments_and_runs_are_read_in_an_encoding(tmp_path, encoding):
    for name, text in (("d.csv", DOCUMENTS), ("q.csv", QUERIES), ("j.csv", QRELS), ("r.run", RUN)):
        (tmp_path / name).write_bytes(text.encode(encoding))
    files = ("--queries", tmp_path / "q.csv", "--qrels", tmp_path / "j.csv", "--encoding", encoding)
    assert "bm25\t1.0\n" in done("eval", tmp_path / "d.csv", *files, "-m", "AP", "--tsv").stdout
    judged = done("eval", tmp_path / "r.run", tmp_path / "j.csv", "--encoding", encoding, "-m", "AP", "--tsv").stdout
    assert judged.splitlines()[1] == "é\t1.0"
    collection = toysearch.load(tmp_path / "d.csv", encoding=encoding)
    assert [document.title for document in collection.stream()] == ["Café", "Thé"]  # read when the context has ended


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path, encoding):
    (tmp_path / "d.csv").write_bytes(DOCUMENTS.encode(encoding))
    assert [document.title for document in toysearch.load(tmp_path / "d.csv").stream()] == ["Café", "Thé"]


def test_the_likely_encoding_is_named_and_following_the_advice_works(tmp_path):
    (tmp_path / "d.csv").write_bytes(DOCUMENTS.encode("cp1252"))
    note = run("search", tmp_path / "d.csv", "café").stderr
    assert "5 sequences of bytes that are not UTF-8 read as U+FFFD; it looks like cp1252: --encoding cp1252" in note
    assert done("search", tmp_path / "d.csv", "café", "--encoding", "cp1252").stderr == ""


def test_another_encoding_than_the_named_one_is_refused(tmp_path):
    path = tmp_path / "d.txt"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(DataError) as error, in_encoding("ascii"):
        list(numbered_lines(path))
    assert str(error.value) == f"{path} is not in ascii: it has the bytes e9; name another encoding"
    with pytest.raises(ArgumentError, match="unknown encoding 'cp9999'"):
        toysearch.load(path, encoding="cp9999")


def test_what_is_not_text_is_named_by_every_reader(tmp_path):
    book, word, plain = (tmp_path / name for name in ("r.xlsx", "r.docx", "r.zip"))
    for path, inside in ((book, "xl/workbook.xml"), (word, "word/document.xml"), (plain, "a.txt")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(inside, "text")
    (tmp_path / "r.pdf").write_bytes(b"%PDF-1.7\n\x00")
    (tmp_path / "good.run").write_text("q1 Q0 1 1 2 t\n")
    kinds = {
        book: "is an Excel workbook; save the sheet as CSV",
        word: "is a Word document; save it as plain text",
        plain: "is a zip archive; unpack it and name a file in it",
        tmp_path / "r.pdf": "is a PDF; save its text as a plain text file",
    }
    for path, what in kinds.items():
        assert refusal("eval", tmp_path / "good.run", "--qrels", path) == f"toysearch: {path} {what}"
        for reader in (toysearch.read_run, toysearch.read_qrels):
            with raising(DataError, f"{path} {what}"):
                reader(path)
