"""Folders of texts: which files are documents, their ids, and what is refused."""

import gzip
import os
from functools import partial
from pathlib import Path

import bs4
import pytest
from noted import noted
from raising import raising

from toysearch.base.errors import DataError, ToysearchNote
from toysearch.formats.document_formats import read_records
from toysearch.formats.text_folder import html_parts, markdown_parts

pytestmark = pytest.mark.system

read_folder = partial(read_records, "folder", "documents")

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
    with noted() as notes:
        assert [doc_id for _, doc_id, _ in read_folder(tmp_path)] == ["a.txt"]
    assert notes == [
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


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    named = "expected files named .txt .text .rst .md .markdown .html .htm .xhtml"
    with raising(DataError, f"{tmp_path} holds no document; {named}"):
        list(read_folder(tmp_path))
    (tmp_path / "a.pdf").write_text("")
    with raising(DataError, f"{tmp_path} holds no document, only 1 other file; {named}"):
        list(read_folder(tmp_path))


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        os.listdir(tmp_path / "none")
    with raising(DataError, f"{tmp_path / 'none'} cannot be read: {missing.value.strerror}"):
        list(read_folder(tmp_path / "none"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with raising(DataError, f"{tmp_path / 'a.txt'} cannot be read: Permission denied"):
        list(read_folder(tmp_path))


def test_a_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.txt"
    try:
        Path(os.fsdecode(name)).write_text("a")
    except (OSError, UnicodeDecodeError):  # Windows has the latter
        pytest.skip("the file system takes names in UTF-8 only")
    with pytest.raises(DataError, match="expected a name in UTF-8, as the id of the document; rename it"):
        list(read_folder(tmp_path))


HTML = {
    "a page": (
        "<html><head><title>\n Cats\n and  dogs</title><style>p {color: red}</style></head><body><h1>Pets</h1>"
        "<!-- not seen --><script>var x = '<p>no</p>';</script><p>how to\ntrain</p></body></html>",
        ("Cats and dogs", "Pets\nhow to\ntrain"),
    ),
    "words go on within a block": (
        "<p>H<sub>2</sub>O, <b>re</b>run<a href=x>s</a> <span>a</span>b</p>",
        ("", "H2O, reruns ab"),
    ),
    "words end with a block": (
        "a<div>b</div>c<br>d<table><tr><td>1</td><td>2</td></tr><tr><th>3</table><unheard-of>e</unheard-of>f",
        ("", "a\nb\nc\nd\n1\n2\n3\ne\nf"),
    ),
    "entities": ("<p>&lt;p&gt; caf&eacute; &#233;&#xe9; a&nbsp;b AT&T", ("", "<p> café éé a b AT&T")),
    "pictures": ('<p>see <img src="x.png" alt="a cat"> and <img src="y.png">', ("", "see a cat and")),
    "not for readers": ("<template>a</template><noscript>b</noscript><?php d ?>e<!---->f", ("", "ef")),
    "the first h1 where there is no title": (
        "<h1>Cats <i>and</i> dogs</h1><p>purr<h1>More</h1>",
        ("Cats and dogs", "purr\nMore"),
    ),
    "XHTML": ("<?xml version='1.0'?><html xmlns='x'><title/><p>a<br/>b <![CDATA[c]]></p></html>", ("", "a\nb c")),
    "sections of other programs": ("a<![if !IE]> b <![endif]><![x[ y ]]>c<![CDATA[ d ]]>", ("", "a b c d")),
    "never closed": ("<p>a<p>b<ul><li>c<li>d", ("", "a\nb\nc\nd")),
    "no markup": ("only text.html", ("", "only text.html")),
    "nothing": ("", ("", "")),
}


def test_html_that_cannot_be_parsed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise bs4.exceptions.ParserRejectedMarkup(AssertionError("unknown status keyword"))

    monkeypatch.setattr(bs4, "BeautifulSoup", refuse)
    said = "cannot be read as HTML (AssertionError: unknown status keyword); correct it or remove it from the folder"
    with raising(DataError, f"page.html {said}"):
        html_parts("page.html", "<p>a")


@pytest.mark.parametrize("page", ["<div>" * 20_000 + "a cat", "<p>a cat" * 20_000, "<b>a cat" * 5_000])
def test_large_pages_take_no_longer_than_they_are(page: str) -> None:
    assert html_parts("page.html", page)[1].startswith("a cat")


MARKDOWN = {
    "blocks": (
        "# Cats *and* `dogs`\n\nhow to\n**train**\n\n- one\n- two\n\n> quoted\n\n```python\nx = 1 < 2\n```\n\n"
        "    code\n",
        ("Cats and dogs", "how to\ntrain\none\ntwo\nquoted\nx = 1 < 2\ncode"),
    ),
    "another heading is text": ("Cats\n====\n\n## Food\n\nfish\n", ("Cats", "Food\nfish")),
    "the first heading is the title, wherever": ("intro\n\n### Third\n\n# First\n", ("Third", "intro\nFirst")),
    "links and pictures": (
        "[a link](there.md) ![a cat](cat.png 'no') <https://x.org>",
        ("", "a link a cat https://x.org"),
    ),
    "tables": ("| a | b |\n|---|---|\n| 1 | 2 |\n", ("", "a\nb\n1\n2")),
    "HTML within": ("a <b>bold</b>ly\n\n<div>\n<!-- no -->\nblock\n</div>\n", ("", "a boldly\nblock")),
    "settings": ('---\ntitle: "A: cat"\ntags: [x]\n---\ntext\n', ("A: cat", "text")),
    "settings and a heading": ("---\ntitle: A cat\n---\n# Cats\n", ("Cats", "")),
    "settings without a title": ("---\nlayout: post\n---\ntext\n", ("", "text")),
    "a rule is no setting": ("a\n\n---\n\nb\n", ("", "a\nb")),
    "entities": ("a &amp; b &copy; \\*c\\*", ("", "a & b © *c*")),
}


PAGES = [(html_parts, *each) for each in HTML.values()] + [(markdown_parts, *each) for each in MARKDOWN.values()]


@pytest.mark.parametrize(("parts", "text", "expected"), PAGES, ids=[*HTML, *MARKDOWN])
def test_titles_and_texts(parts, text: str, expected: tuple[str, str]) -> None:
    assert parts("page", text) == expected


def test_lists_nested_deep_are_read_to_the_end() -> None:
    text = "".join(f"{'  ' * level}- level {level}\n" for level in range(40))
    assert markdown_parts("page.md", text) == ("", "\n".join(f"level {level}" for level in range(40)))


def test_what_no_one_nests_so_deep_is_no_error() -> None:
    assert markdown_parts("page.md", "# Cats\n\n" + "> " * 5000 + "a cat\n")[0] == "Cats"
