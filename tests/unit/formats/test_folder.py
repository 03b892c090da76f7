"""Folders of texts: which files are documents, their ids, and what is refused."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from toysearch.errors import DataError, ToysearchNote
from toysearch.formats.folder import read_folder

PAGE = b"<!doctype html><title>Dogs &amp; co</title><p>a dog"


def test_files_of_every_kind_by_path(tmp_path: Path) -> None:
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbftwo\r\nlines\r\n")
    (tmp_path / "b" / "deep" / "Z.MD").write_text("intro\n\n## Z\n")
    (tmp_path / "b" / "a.html.gz").write_bytes(gzip.compress(PAGE))
    (tmp_path / "b" / "plain.tar.rst").write_text("Title\n=====\n")
    (tmp_path / "a.text").write_text("")
    assert list(read_folder(tmp_path)) == [
        (1, "a.text", {"title": "a", "text": "", "path": "a.text"}),
        (1, "b.txt", {"title": "b", "text": "two\nlines", "path": "b.txt"}),
        (1, "b/a.html.gz", {"title": "Dogs & co", "text": "a dog", "path": "b/a.html.gz"}),
        (1, "b/deep/Z.MD", {"title": "Z", "text": "intro", "path": "b/deep/Z.MD"}),
        (1, "b/plain.tar.rst", {"title": "plain.tar", "text": "Title\n=====", "path": "b/plain.tar.rst"}),
    ]


def test_a_file_without_a_title_is_called_by_its_name(tmp_path: Path) -> None:
    for name in ("a.md", "b.markdown.gz", "c.HTM", "d.xhtml"):
        (tmp_path / name).write_text("text")
    assert [fields["title"] for _, _, fields in read_folder(tmp_path)] == ["a", "b", "c", "d"]


def test_other_files_are_counted_and_hidden_ones_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("a.txt", "b.png", "c.pdf", "README", ".hidden.txt", ".git/d.txt"):
        (tmp_path / name).write_text("text")
    with pytest.warns(ToysearchNote) as notes:
        assert [doc_id for _, doc_id, _ in read_folder(tmp_path)] == ["a.txt"]
    assert [str(note.message) for note in notes] == [
        f"{tmp_path}: 3 files of another kind left out; documents are named .txt .text .rst .md .markdown .html .htm "
        ".xhtml"
    ]


def test_links_are_followed_within_the_folder_only(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    (folder / "sub" / "a.txt").write_text("inside")
    (outside / "b.txt").write_text("outside")
    (folder / "again.txt").symlink_to(folder / "sub" / "a.txt")
    (folder / "leak.txt").symlink_to(outside / "b.txt")
    (folder / "gone.txt").symlink_to(outside / "none.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to(outside)
    with pytest.warns(ToysearchNote, match="4 files of another kind left out"):
        records = list(read_folder(folder))
    assert [(doc_id, fields["text"]) for _, doc_id, fields in records] == [
        ("again.txt", "inside"),
        ("sub/a.txt", "inside"),
    ]


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    os.mkfifo(tmp_path / "b.txt")
    with pytest.warns(ToysearchNote, match="1 file of another kind left out"):
        assert len(list(read_folder(tmp_path))) == 1


def test_bytes_that_are_no_utf8_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# \xe9t\xe9\n")
    with pytest.warns(ToysearchNote, match=r"a\.md: 2 sequences of bytes that are no UTF-8 read as U\+FFFD"):
        assert next(read_folder(tmp_path))[2]["title"] == "\ufffdt\ufffd"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "{folder} holds no document; expected files named .txt .text .rst .md .markdown .html .htm .xhtml"),
        (
            ["a.pdf"],
            "{folder} holds no document, only 1 other file; expected files named .txt .text .rst .md .markdown .html "
            ".htm .xhtml",
        ),
    ],
)
def test_a_folder_without_documents_is_refused(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(DataError) as error:
        list(read_folder(tmp_path))
    assert str(error.value) == message.format(folder=tmp_path)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        list(read_folder(tmp_path / "none"))
    assert str(error.value) == f"{tmp_path / 'none'} cannot be read: No such file or directory"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(DataError) as error:
        list(read_folder(tmp_path))
    assert str(error.value) == f"{tmp_path / 'a.txt'} cannot be read: Permission denied"


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a cat " * 100)[:20])
    with pytest.raises(DataError, match=r"a\.txt\.gz cannot be read to its end, it is damaged or cut short"):
        list(read_folder(tmp_path))


def test_a_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.txt"
    try:
        Path(os.fsdecode(name)).write_text("a")
    except OSError:
        pytest.skip("the file system takes names in UTF-8 only")
    with pytest.raises(DataError, match="expected a name in UTF-8, which is the document's id; rename it"):
        list(read_folder(tmp_path))
