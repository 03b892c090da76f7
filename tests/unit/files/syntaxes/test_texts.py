"""Folders of texts: which files are documents, their ids, and what is refused."""

import gzip
import json
import os
import re
from functools import partial
from pathlib import Path

import bs4
import pytest
import shell
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch.base.errors import ArgumentError, DataError, ToysearchNote
from toysearch.files.document_formats import read_records
from toysearch.files.syntaxes import page_tree
from toysearch.files.syntaxes.texts import html_parts, markdown_parts

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
        (1, "a.text", {"title": "", "text": "", "name": "a", "path": "a.text"}),
        (1, "b.txt", {"title": "", "text": "two\nlines", "name": "b", "path": "b.txt"}),
        (1, "b/a.html.gz", {"title": "Dogs & co", "text": "a dog", "name": "a", "path": "b/a.html.gz"}),
        (1, "b/deep/Z.MD", {"title": "Z", "text": "intro", "name": "Z", "path": "b/deep/Z.MD"}),
        (1, "b/plain.tar.rst", {"title": "", "text": "Title\n=====", "name": "plain.tar", "path": "b/plain.tar.rst"}),
    ]


def test_a_notebook_is_the_sources_of_its_cells(tmp_path: Path) -> None:
    code = {"cell_type": "code", "source": "import numpy\n# no title", "outputs": [{"text": "7"}]}
    cells = [{"cell_type": "markdown", "source": ["# Oaks\n", "Tall *trees*."]}, code]
    path = tmp_path / "oaks.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"title": "no"}, "nbformat": 4}))
    expected = [("oaks.ipynb", "Oaks", "Oaks Tall trees.\nimport numpy\n# no title")]
    for source in (path, tmp_path):
        assert [(one.doc_id, one.title, one.text) for one in toysearch.load(source).documents] == expected
    path.write_text('{"worksheets": []}')
    with pytest.raises(DataError, match=r"oaks\.ipynb:1: expected a notebook of Jupyter, as of 2015 or later; load"):
        list(toysearch.load(path).documents)


def test_a_file_without_a_title_is_called_by_its_name(tmp_path: Path) -> None:
    for name in ("a.md", "b.markdown.gz", "c.HTM", "d.xhtml", "e.mdx", "f.Rmd"):
        (tmp_path / name).write_text("text")
    documents = toysearch.load(tmp_path).documents
    assert [(document.title, document.text) for document in documents] == [(name, "text") for name in "abcdef"]
    documents = toysearch.load(tmp_path, fields="name,text").documents
    assert [document.text for document in documents] == [f"{name} text" for name in "abcdef"]


@pytest.mark.usefixtures("without_libraries")
def test_other_files_are_counted_and_hidden_ones_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("a.txt", "b.png", "b2.png", "c.pdf", "README", ".hidden.txt", ".git/d.txt"):
        (tmp_path / name).write_text("\0" if name.endswith(("png", "pdf")) else "text")
    with noted() as notes:
        assert [doc_id for _, doc_id, _ in read_folder(tmp_path)] == ["a.txt"]
    assert notes == [
        f"{tmp_path}: 4 files of another kind left out (2 .png, 1 .pdf, 1 no suffix); documents are named "
        ".txt .text .rst .md .markdown .mdx .rmd .qmd .html .htm .xhtml .org .tex .adoc .ipynb .eml .mbox; "
        "to read .pdf: pip install 'toysearch[files]'"
    ]


def test_a_link_is_read_as_its_file_and_one_to_a_folder_or_to_nothing_is_counted(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    (folder / "sub" / "a.txt").write_text("inside")
    (outside / "b.txt").write_text("outside")
    (folder / "again.txt").symlink_to(folder / "sub" / "a.txt")
    (folder / "leak.txt").symlink_to(outside / "b.txt")
    (folder / "gone.txt").symlink_to(outside / "none.txt")
    (folder / "round.txt").symlink_to("round.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to(outside)
    with pytest.warns(ToysearchNote, match=r"4 files of another kind left out \(4 linked\)"):
        records = list(read_folder(folder))
    assert [(doc_id, fields["text"]) for _, doc_id, fields in records] == [
        ("again.txt", "inside"),
        ("leak.txt", "outside"),
        ("sub/a.txt", "inside"),
    ]


@pytest.mark.parametrize("name", ["h.txt", "h"])
def test_a_folder_of_links_is_searched_and_checked(name: str, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "1f3c").write_text("a hedgehog in the old garden\n")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / name).symlink_to("../store/1f3c")
    (tmp_path / "texts" / "loop").symlink_to(".")
    found = shell.done("search", tmp_path / "texts", "hedgehog")
    assert name in found.stdout
    assert "1 file of another kind left out (1 linked)" in found.stderr
    checked = shell.run("check", tmp_path / "texts")
    assert "1 document, " in checked.stdout
    assert "1 file of another kind left out (1 linked)" in checked.stdout + checked.stderr


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    os.mkfifo(tmp_path / "b.txt")
    with pytest.warns(ToysearchNote, match="1 file of another kind left out"):
        assert len(list(read_folder(tmp_path))) == 1


@pytest.mark.usefixtures("without_libraries")
def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    named = (
        "expected files named .txt .text .rst .md .markdown .mdx .rmd .qmd .html .htm .xhtml .org .tex .adoc .ipynb "
        ".eml .mbox"
    )
    with raising(DataError, f"{tmp_path} holds no document; {named}"):
        list(read_folder(tmp_path))
    (tmp_path / "a.pdf").write_text("")
    with raising(
        DataError,
        f"{tmp_path} holds no document, only 1 other file; {named}; to read .pdf: pip install 'toysearch[files]'",
    ):
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


def test_what_word_writes_in_comments_is_no_text() -> None:
    page = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><title>Ferry</title>"
        "<!--[if gte mso 9]><xml><o:Author>secret</o:Author></xml><![endif]--><!--[if !mso]><!--><style>p{}</style>"
        "<!--<![endif]--></head><body><![if !supportLists]><span>1.</span><![endif]><p>the ferry</p>"
        "<!--[if supportFields]>hidden<![endif]--><p>is late</p>"
    )
    assert html_parts("f.html", page) == ("Ferry", "1.\nthe ferry\nis late")


CHARSETS = {
    "windows-1252": '<meta http-equiv=Content-Type content="text/html; charset=windows-1252">',
    "cp1251": "<meta charset='windows-1251'>",
    "koi8-r": '<META CHARSET="KOI8-R" />',
    "shift_jis": "<meta charset=Shift_JIS>",
    "utf-8": "<meta charset=iso-8859-1>",  # which the bytes refute
    "cp1252": '<meta charset="iso-8859-1">',  # as browsers read it
}


@pytest.mark.parametrize("encoding", CHARSETS)
def test_a_page_is_read_as_it_declares(tmp_path: Path, encoding: str) -> None:
    word = {"cp1251": "поезд", "koi8-r": "поезд", "shift_jis": "電車"}.get(encoding, "café – “thé”")
    (tmp_path / "page.htm").write_bytes(f"<html><head>{CHARSETS[encoding]}</head><p>{word}</p>".encode(encoding))
    with noted() as notes:
        [(_, _, fields)] = read_folder(tmp_path)
    assert (fields["text"], notes) == (word, [])


@pytest.mark.parametrize("declared", ["utf-8", "utf-16", "nonsense", "shift_jis", "idna"])
def test_a_page_that_declares_wrongly_is_mended(tmp_path: Path, declared: str) -> None:
    (tmp_path / "page.html").write_bytes(f"<meta charset={declared}><p>caf\xe9".encode("latin-1"))
    with noted() as notes:
        [(_, _, fields)] = read_folder(tmp_path)
    assert fields["text"] == "caf\ufffd"
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("cp1252", "koi8", "said"),
    [
        (1, 0, "{first}: not UTF-8 in 1 place, read as U+FFFD; it looks like cp1252: load(…, encoding='cp1252')"),
        (2, 0, "2 of 3 files, the first {first}: not UTF-8 in 2 places, read as U+FFFD; they look like cp1252: {load}"),
        (
            2,
            1,
            "3 of 4 files, the first {first}: not UTF-8 in 3 places, read as U+FFFD; 2 of them look like cp1252: "
            "{load}",
        ),
    ],
)
def test_one_note_tells_of_all_files_that_are_not_utf8(tmp_path: Path, cp1252: int, koi8: int, said: str) -> None:
    for number in range(cp1252):
        (tmp_path / f"a{number}.txt").write_bytes(b"the caf\xe9")
    for number in range(koi8):
        (tmp_path / f"b{number}.txt").write_bytes(b"the caf\x81")
    (tmp_path / "c.txt").write_text("the café", encoding="utf-8")
    with noted() as notes:
        assert len([*read_folder(tmp_path)]) == cp1252 + koi8 + 1
    assert notes == [said.format(first=tmp_path / "a0.txt", load="load(…, encoding='cp1252')")]


def test_html_that_cannot_be_parsed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise bs4.exceptions.ParserRejectedMarkup(AssertionError("unknown status keyword"))

    monkeypatch.setattr(page_tree, "PageTree", refuse)
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
    "settings and a heading": ("---\ntitle: A cat\n---\n# Cats\n", ("A cat", "Cats")),
    "settings that repeat the heading": ("---\nTitle: 'Cats'\n---\n# Cats\n\ntext\n", ("Cats", "text")),
    "a title of several lines": ("---\ntitle: |\n  A red\n  cat\ntags: x\n---\n# Care\n", ("A red cat", "Care")),
    "a text between two rules": ("---\nA red cat.\n\n---\n# Cats\n", ("Cats", "A red cat.")),
    "settings of TOML": ('+++\ntitle = "A cat"\n+++\n# Care\n', ("A cat", "Care")),
    "no title in the settings": ("---\ntitle:\ntags: x\n---\n# Cats\n", ("Cats", "")),
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


MAIL = (
    "From: Ada <ada@example.org>\r\nSubject: =?utf-8?q?Caf=C3=A9_at_noon?=\r\nDate: Tue, 5 May 2020 10:00:00 +0200\r\n"
    "MIME-Version: 1.0\r\nContent-Type: {0}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{1}\r\n"
)
PLAIN = MAIL.format("text/plain; charset=latin-1", "M=FCsli, please")
AS_HTML = MAIL.format("text/html; charset=utf-8", "<p>M=C3=BCsli, <b>please</b></p><script>no</script>")
HELD = {
    "a.eml": (PLAIN, "Café at noon", "Müsli, please"),
    "b.eml": (AS_HTML, "Café at noon", "Müsli, please"),
    "c.eml": ("just a text", "", "just a text"),
    "d.eml": (MAIL.format("text/plain; charset=none-such", "plain"), "Café at noon", "plain"),
    "e.org": ("#+TITLE: Plans\n* One\ntext\n", "Plans", "#+TITLE: Plans\n* One\ntext"),
    "f.tex": (
        "\\documentclass{a}\n\\title{On ferries}\n",
        "On ferries",
        "\\documentclass{a}\n\\title{On ferries}",
    ),
    "f.adoc": ("= On oaks\n:toc:\n\n== Acorns\n", "On oaks", "= On oaks\n:toc:\n\n== Acorns"),
    "h.tex": ("\\begin{align}\n= x\n", "", "\\begin{align}\n= x"),
    "g.rst": ("query_id doc_id\n", "", "query_id doc_id"),
}


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("packed", [False, True])
def test_the_title_and_the_text_of_each_kind(tmp_path: Path, name: str, packed: bool) -> None:
    content, title, text = HELD[name]
    data = content.encode()
    (tmp_path / (name + ".gz" * packed)).write_bytes(gzip.compress(data) if packed else data)
    (document,) = toysearch.load(tmp_path).documents
    assert (document.fields["title"], document.fields["text"]) == (title, text)
    assert document.title == (title or name[0])
    if "Subject" in content:
        assert document.fields["from"] == "Ada <ada@example.org>"
        assert document.fields["date"] == "2020-05-05T08:00:00Z"


@pytest.mark.parametrize("alone", [False, True])
def test_each_mail_of_a_mailbox_is_a_document(tmp_path: Path, alone: bool) -> None:
    path = tmp_path / "in.mbox"
    mails = [PLAIN, AS_HTML.replace("M=C3=BCsli", "From here on")]
    path.write_text("".join(f"From ada Tue May  5 10:00:00 2020\r\n{mail}\r\n" for mail in mails), newline="")
    documents = toysearch.load(path if alone else tmp_path).documents
    assert documents.doc_ids == ["in.mbox#1", "in.mbox#2"]
    assert documents.titles == ["Café at noon"] * 2
    assert documents[1].fields["text"] == "From here on, please"


def test_texts_without_a_suffix_are_documents_where_no_other_file_is(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "49960").write_text("From: ada\n\nThe ferry is late\n")
    (tmp_path / "news" / "50001").write_text("Rain.\n")
    (tmp_path / "README").write_text("about")
    (tmp_path / "image").write_bytes(b"\0\1\2")
    (tmp_path / "news" / "50002").write_text("")
    assert [doc_id for _, doc_id, _ in read_folder(tmp_path)] == ["news/49960", "news/50001", "news/50002"]
    assert toysearch.load(tmp_path).documents.doc_ids == ["news/49960", "news/50001", "news/50002"]
    (tmp_path / "a.txt").write_text("a")
    assert [doc_id for _, doc_id, _ in read_folder(tmp_path)] == ["a.txt"]


@pytest.mark.parametrize("name", ["dump.txt", "server.log", "dump"])
def test_a_document_on_each_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"the ferry, late\r\n\n{rain}\n")
    documents = toysearch.load(path, input_format="lines").documents
    assert [(document.doc_id, document.text) for document in documents] == [("1", "the ferry, late"), ("3", "{rain}")]
    if name == "dump.txt":
        with pytest.raises(DataError, match=r"a single text; .* or load.* input_format=.lines"):
            toysearch.load(path)
    path.write_text("\n")
    with raising(DataError, f"{path} holds no document; expected one on each line"):
        list(toysearch.load(path, input_format="lines").stream())


def test_dice_and_jaccard_count_no_file_names(tmp_path: Path) -> None:
    """By hand: the query has 3 terms, the document 5, and 3 are in both: 2 · 3 / (3 + 5) and 3 / 5."""
    (tmp_path / "d2.txt").write_text("home sales rise in july")
    searcher = toysearch.Searcher(toysearch.Index.build(toysearch.load(tmp_path)), "dice")
    assert searcher.search("home sales july").scores.tolist() == [0.75]
    searcher = toysearch.Searcher(toysearch.Index.build(toysearch.load(tmp_path)), "jaccard")
    assert searcher.search("home sales july").scores.tolist() == [0.6]


@pytest.fixture
def machines(tmp_path: Path) -> Path:
    """A folder of texts, of which most have other suffixes."""
    texts = {"a.txt": "the printer", "b.log": "a jam", "sub/c.CFG": "jam: 3 pages", "d.log": "a jam again"}
    others = {"queries.tsv": "id\ttext\n1\tjam\n", "x.png": "\x89PNG\r\n\x1a\n\0", "e.dat": " "}
    (tmp_path / "sub").mkdir()
    for name, text in (texts | others).items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    return tmp_path


def test_files_of_other_suffixes_are_read_as_the_note_says(machines: Path) -> None:
    with noted() as notes:
        assert toysearch.load(machines).documents.doc_ids == ["a.txt"]
    advice = re.search(r"to read \*\.log \*\.cfg too: load\(…, input_format='(folder:\*\.log,\*\.cfg)'", notes[-1])
    assert advice
    (machines / "collection.toml").write_text(f'input_format = "{advice[1]}"\n')
    for options in ({}, {"input_format": advice[1]}):
        with noted() as notes:
            collection = toysearch.load(machines, **options)
            texts = {document.doc_id: document.text for document in collection.documents}
        assert texts == {"a.txt": "the printer", "b.log": "a jam", "d.log": "a jam again", "sub/c.CFG": "jam: 3 pages"}
        assert list(collection.queries.texts) == ["jam"]
        assert "to read" not in notes[-1]
    collection = toysearch.load(machines, input_format="folder:sub/*")  # instead of those in collection.toml
    assert collection.documents.doc_ids == ["a.txt", "sub/c.CFG"]


def test_a_folder_of_one_other_suffix_says_how_to_read_it(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text("a jam")
    advice = re.escape("found b.log (unknown); to read *.log too: load(…, input_format='folder:*.log')")
    with pytest.raises(DataError, match=advice):
        toysearch.load(tmp_path)
    assert toysearch.load(tmp_path, input_format="folder:*.log").documents.doc_ids == ["b.log"]
    with pytest.raises(ArgumentError, match="unknown input format 'folder:,'"):
        toysearch.load(tmp_path, input_format="folder:,")


def test_mails_without_an_ending_and_saved_pages(tmp_path) -> None:
    mail = "Message-ID: <1@a>\nDate: Mon, 14 May 2001 16:39:00 -0700\nFrom: ann@a\nSubject: Coal\n\nIt burns.\n"
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "1.").write_text(mail)
    ((_, doc_id, fields),) = read_records("folder", "documents", tmp_path)
    assert (doc_id, fields["title"], fields["text"], fields["from"]) == ("inbox/1.", "Coal", "It burns.", "ann@a")
    (tmp_path / "inbox" / "2.").write_text(
        "From: ann@a (Ann)\nSubject: Ash\nOrganization: Coal Ltd\nLines: 1\n\nIt stays.\n"
    )
    (tmp_path / "inbox" / "3.").write_text("From: here on\nSubject: to change\n\nThe prices rise.\n")
    _, (_, _, fields), (_, _, text) = read_records("folder", "documents", tmp_path)
    assert (fields["title"], fields["text"], text["title"]) == ("Ash", "It stays.", "")
    (tmp_path / "Owl_files").mkdir()
    for name in ("Owl.html", "Owl_files/ad.html"):
        (tmp_path / name).write_text("<p>Owls</p>")
    with noted():
        assert [doc_id for _, doc_id, _ in read_records("folder", "documents", tmp_path)] == ["Owl.html"]
