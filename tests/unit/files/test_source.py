"""Numbered lines of any file: gzip, byte order marks, line ends, damaged bytes."""

import gzip
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from shell import done, refusal, run

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.folder_layout import layout_of_file
from toysearch.files.reading import Reading
from toysearch.files.runs_and_judgments import read_qrels, read_run
from toysearch.files.source import Source, numbered_lines, refuse_unreadable, sha256, source_of, text_blocks


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes bytes to a file of a given name."""

    def write(content: bytes, name: str = "a.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\r\n\r\ntwo", ["one", "", "two"]),
        (b"\xef\xbb\xbfone\n", ["one"]),
        (b"a\x0cb\x1cc\x85d\n".replace(b"\x85", "\u2028".encode()), ["a\x0cb\x1cc\u2028d"]),
        (b"blank at the end \n", ["blank at the end "]),
    ],
)
def test_lines_end_at_lf_and_crlf_alone(written, content: bytes, lines: list[str]) -> None:
    assert list(numbered_lines(written(content))) == list(enumerate(lines, 1))


def test_a_gzipped_file_is_told_by_its_bytes_not_its_name(written) -> None:
    assert list(numbered_lines(written(gzip.compress(b"one\r\ntwo"), "a.txt"))) == [(1, "one"), (2, "two")]
    assert list(numbered_lines(written(b"plain", "a.gz"))) == [(1, "plain")]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"one\ntwo\n"))))
    assert list(numbered_lines("-")) == [(1, "one"), (2, "two")]


def test_bytes_that_are_no_utf8_are_replaced_and_counted(written) -> None:
    path = written(b"caf\xe9 \xed\xa0\x80\ngenuine \xef\xbf\xbd\n")
    with noted() as notes:
        lines = [line for _, line in numbered_lines(path)]
        list(numbered_lines(written("genuine \ufffd\n".encode(), "sound.txt")))  # gives no note
    assert lines == ["caf\ufffd \ufffd\ufffd\ufffd", "genuine \ufffd"]
    assert notes == [f"{path}: not UTF-8 in 4 places, read as U+FFFD; load(…, encoding=…)"]


IN_ENCODINGS = [
    ("cp1252", "id;Größe\n1;“Käse” für zwölf Euro (9 €)\n"),
    ("cp1252", "id,text\n1,that’s £900 – or €950\n"),
    ("cp1250", "id;treść\n1;żółta łódź płynie wąską rzeką\n"),
    ("iso8859-2", "id;treść\n1;żółta łódź płynie wąską rzeką\n"),
    ("cp1251", "id;Описание\n1;Масло для стола из дерева\n"),
    ("koi8-r", "id;Описание\n1;Масло для стола из дерева\n"),
    ("cp1253", "id;Περιγραφή\n1;Το τραπέζι είναι από ξύλο\n"),
    ("cp932", "id,説明\n1,木のテーブルにぬるあぶら\n"),
    ("euc_jp", "id,説明\n1,木のテーブルにぬるあぶら\n"),
    ("cp949", "id,설명\n1,나무로 만든 책상에 바르는 기름이다\n"),
    ("gb18030", "id,说明\n1,这是我们家的木桌，不大也不小\n"),
    ("big5", "id,說明\n1,這是我們家的木桌，不大也不小\n"),
]


@pytest.mark.parametrize(("encoding", "text"), IN_ENCODINGS, ids=[name for name, _ in IN_ENCODINGS])
def test_letters_show_the_encoding_and_a_note_names_it(written, encoding: str, text: str) -> None:
    path = written(text.encode(encoding), "shop.csv")
    with noted() as notes:
        read = "".join(f"{line}\n" for _, line in numbered_lines(path))
        blocks = "".join(f"{block}\n" for _, block in text_blocks(path))
    assert read == blocks == text
    assert notes == 2 * [f"{path}: not UTF-8, read as {encoding} by its letters; if that is wrong, save it as UTF-8"]
    assert source_of(path).head.decode() == text
    assert sha256(path) == hashlib.sha256(text.encode(encoding)).hexdigest()  # of what the file has


def test_an_encoding_that_pictures_may_have_is_only_named(written) -> None:
    text = "id;Größe\n1;Käse für zwölf Leute\n"
    path = written(text.encode("mac_roman"), "shop.csv")
    with noted() as notes:
        list(numbered_lines(path))
    assert notes[0].endswith("it looks like mac_roman: load(…, encoding='mac_roman')")
    assert "".join(f"{line}\n" for _, line in numbered_lines(source_of(path, encoding="mac_roman"))) == text


def test_utf8_that_is_named_is_not_read_otherwise(written) -> None:
    path = written("Käse".encode("cp1252"))
    assert list(numbered_lines(source_of(path, encoding="utf-8"))) == [(1, "K\ufffdse")]


def test_letters_behind_the_beginning_are_replaced(written) -> None:
    path = written(b"oak\n" * 20_000 + "Käse\n".encode("cp1252"))
    with noted() as notes:
        assert list(numbered_lines(path))[-1] == (20_001, "K\ufffdse")
    assert "not UTF-8 in 1 place, read as U+FFFD" in notes[0]


def test_a_pdf_is_not_read_as_letters(written) -> None:
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
    with source_of(written(data)).open() as file:
        assert file.read() == data


def test_damaged_utf8_is_not_called_another_encoding(written) -> None:
    path = written("größer, schöner, älter".encode() + b" caf\xe9\n")
    with noted() as notes:
        list(numbered_lines(path))
    assert notes == [f"{path}: not UTF-8 in 1 place, read as U+FFFD; load(…, encoding=…)"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
def test_wide_characters_are_read_with_a_mark_or_without(written, encoding: str) -> None:
    lines = ["the ferry to Zürich is late", "and late again — добрый день"]
    path = written("\n".join(lines).encode(encoding))
    with noted() as notes:
        assert [line for _, line in numbered_lines(path)] == lines
        assert source_of(path).head.startswith(b"the ferry to Z\xc3\xbcrich")
    assert not notes


@pytest.mark.parametrize("data", [b"\0" * 64, b"a\0" * 8 + b"bb" * 40, b"a\0b\0"])
def test_other_bytes_are_no_wide_characters(written, data: bytes) -> None:
    assert not source_of(written(data)).head.startswith(b"ab")


def test_files_that_cannot_be_read(written, tmp_path: Path) -> None:
    cases = {
        tmp_path / "absent": "{path}: there is no such file",
        tmp_path: "{path} is a folder; expected a file",
        written(b"PK\x03\x04 xl/workbook.xml", "wide.txt"): "{path} is an Excel workbook; save the sheet as CSV",
        written(gzip.compress(b"one\n" * 99)[:-9], "cut.gz"): (
            "{path} cannot be read to its end because it is damaged or truncated: "
            "Compressed file ended before the end-of-stream marker was reached"
        ),
    }
    for path, message in cases.items():
        with raising(DataError, message.format(path=path)):
            list(numbered_lines(path))


def test_checksum_is_of_the_unpacked_file_with_lf(written, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"one\ntwo\r three\n" * 200_000
    expected = hashlib.sha256(content).hexdigest()
    assert sha256(written(content, "lf")) == expected
    assert sha256(written(content.replace(b"\n", b"\r\n"), "crlf")) == expected
    assert sha256(written(gzip.compress(content.replace(b"\n", b"\r\n"), 1), "packed")) == expected


def test_checksum_of_a_crlf_that_falls_between_two_chunks(written) -> None:
    chunk = 1 << 20
    for tail in (b"\r\nb", b"\r\r\nb", b"\r"):
        content = b"a" * (chunk - 1) + tail
        assert sha256(written(content)) == hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_a_file_begins_with(tmp_path: Path, pack) -> None:
    (tmp_path / "file").write_bytes(pack(b"\xef\xbb\xbf cat\n" * 2))
    assert source_of(tmp_path / "file").head == b" cat\n\xef\xbb\xbf cat\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_nothing_of_standard_input_is_used_up(monkeypatch, pack) -> None:
    packed = pack(b"\xef\xbb\xbfcat\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed))))
    assert source_of("-").head == b"cat\n"
    assert sys.stdin.buffer.read() == packed


def test_a_damaged_file_has_no_beginning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(b"cat" * 99)[:12])
    assert source_of(tmp_path / "file").head == b""
    with pytest.raises(DataError, match="damaged or truncated"):
        refuse_unreadable(tmp_path / "file")
    (tmp_path / "file").write_bytes(b"cat")
    refuse_unreadable(tmp_path / "file")


@pytest.mark.waits
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
@pytest.mark.parametrize("read", [read_run, read_qrels, layout_of_file])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, read) -> None:
    """To read its beginning would empty it, and what follows would be called an empty file."""
    os.mkfifo(tmp_path / "pipe")
    errors: list[str] = []

    def reading() -> None:
        try:
            read(tmp_path / "pipe")
        except DataError as error:
            errors.append(str(error))

    thread = threading.Thread(target=reading, daemon=True)
    thread.start()
    thread.join(60)  # it waits for nothing
    assert errors == [
        f"{tmp_path / 'pipe'} is a pipe, which can be read only once, and detecting its format takes one reading; save "
        "it to a file, or pipe it into standard input and name it -"
    ]


# Files in other encodings, and files that are not text.

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


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", "\ufeff"), ("utf-16-be", "\ufeff"), ("utf-8", "\ufeff")])
def test_what_a_shell_of_windows_has_redirected_is_read(tmp_path, encoding, mark, line_end):
    """In PowerShell 5, > writes UTF-16 with a mark and CRLF."""
    names = ("r.run", "j.csv", "d.csv", "q.csv")
    for name, text in zip(names, (RUN, QRELS, DOCUMENTS, QUERIES), strict=True):
        (tmp_path / name).write_text(text)
        (tmp_path / f"shell-{name}").write_bytes((mark + text.replace("\n", line_end)).encode(encoding))
    plain, redirected = ([tmp_path / f"{before}{name}" for name in names] for before in ("", "shell-"))
    for files in (redirected, [redirected[0], plain[1]], [plain[0], redirected[1]]):
        assert done("eval", *files[:2]).stdout == done("eval", *plain[:2]).stdout
    piped = run("eval", "-", plain[1], stdin=redirected[0].read_bytes())
    assert piped.stdout == done("eval", *plain[:2]).stdout
    judged = run("eval", plain[0], "-", stdin=redirected[1].read_bytes())
    assert judged.stdout == done("eval", *plain[:2]).stdout
    of_documents = [done("eval", files[2], "--queries", files[3], "--qrels", files[1]) for files in (redirected, plain)]
    assert of_documents[0].stdout.replace("shell-", "") == of_documents[1].stdout


def test_a_search_reads_the_encoding_that_the_letters_show(tmp_path):
    (tmp_path / "d.csv").write_bytes(DOCUMENTS.encode("cp1252"))
    shown = done("search", tmp_path / "d.csv", "café")
    assert shown.stderr == f"note: {tmp_path / 'd.csv'}: not UTF-8, read as cp1252 by its letters; --notes says more\n"
    full = done("search", tmp_path / "d.csv", "café", "--notes")
    assert "d.csv: not UTF-8, read as cp1252 by its letters; if that is wrong, save it as UTF-8" in full.stderr
    named = done("search", tmp_path / "d.csv", "café", "--encoding", "cp1252")
    assert (named.stdout, named.stderr) == (shown.stdout, "")


def test_a_list_of_words_is_read_in_the_named_encoding_or_in_that_of_its_letters(tmp_path):
    (tmp_path / "d.csv").write_bytes(DOCUMENTS.encode("cp1252"))
    (tmp_path / "words.txt").write_bytes("café\n".encode("cp1252"))
    line = ["search", tmp_path / "d.csv", "café", "--encoding", "cp1252"]
    assert "on the list of stop words" in run(*line, "--stop", tmp_path / "words.txt").stderr
    noted = run(*line, "--analyzer", f"plain:stop={tmp_path / 'words.txt'}").stderr
    assert "words.txt: not UTF-8, read as cp1252 by its letters; --notes says more" in noted


def test_another_encoding_than_the_named_one_is_refused(tmp_path):
    path = tmp_path / "d.txt"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(DataError) as error:
        list(numbered_lines(Source(str(path), Reading(encoding="ascii"))))
    assert str(error.value) == f"{path} is not in ascii: it has the bytes e9; name another encoding"
    without_mark = r"d\.txt is not in utf-16: it does not begin with a byte order mark; name"
    with pytest.raises(DataError, match=without_mark):
        list(numbered_lines(Source(str(path), Reading(encoding="utf-16"))))
    with pytest.raises(ArgumentError, match="unknown encoding 'cp9999'"):
        toysearch.load(path, encoding="cp9999")
    for name in ("idna", "punycode", "rot13", "base64", "undefined"):
        with pytest.raises(ArgumentError, match=f"'{name}' is not an encoding of texts; usual ones are utf-8, "):
            toysearch.load(path, encoding=name)


INSTALL = ", or install what reads it: pip install 'toysearch[files]'"


@pytest.mark.usefixtures("without_libraries")
def test_what_is_not_text_is_named_by_every_reader(tmp_path):
    book, word, plain = (tmp_path / name for name in ("r.xlsx", "r.docx", "r.zip"))
    for path, inside in ((book, "xl/workbook.xml"), (word, "word/document.xml"), (plain, "a.txt")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(inside, "text")
    (tmp_path / "r.pdf").write_bytes(b"%PDF-1.7\n\x00")
    (tmp_path / "good.run").write_text("q1 Q0 1 1 2 t\n")
    kinds = {
        book: f"is an Excel workbook; save the sheet as CSV{INSTALL}",
        word: "is a Word document; save it as plain text",
        plain: f"is a zip archive; unpack it, as with `python -m zipfile -e {plain} {plain.with_suffix('')}_unpacked`, "
        "and name that folder",
        tmp_path / "r.pdf": f"is a PDF; save its text as a plain text file{INSTALL}",
    }
    for path, what in kinds.items():
        assert refusal("eval", tmp_path / "good.run", "--qrels", path) == f"toysearch: {path} {what}"
        for reader in (toysearch.read_run, toysearch.read_qrels):
            with raising(DataError, f"{path} {what}"):
                reader(path)


def test_check_names_a_file_that_is_not_in_the_named_encoding(tmp_path):
    path = tmp_path / "corpus.csv"
    path.write_bytes(DOCUMENTS.encode("cp1252"))
    assert f"error: readable: {path} is not in utf-16" in run("check", tmp_path, "--encoding", "utf-16").stdout


def test_a_tar_archive_is_refused_packed_or_not(tmp_path) -> None:
    (tmp_path / "owl.txt").write_text("The owl hunts.")
    for name, mode in (("birds.tar", "w"), ("birds.tar.gz", "w:gz")):
        with tarfile.open(tmp_path / name, mode) as archive:
            archive.add(tmp_path / "owl.txt", "owl.txt")
        said = r"is a tar archive; unpack it, as with `(.*)`, and name that folder$"
        with pytest.raises(DataError, match=said) as refused:
            refuse_unreadable(tmp_path / name)
        command = shlex.split(re.search(said, str(refused.value))[1])
        subprocess.run([sys.executable, *command[1:]], check=True)
        assert len(toysearch.load(command[-1]).documents) == 1
