"""Folder of texts: one document per file, plain, Markdown, HTML or PDF."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from toysearch.base import (
    UNSEEN,
    WITHIN_WORDS,
    ArgumentError,
    DataError,
    JoinedText,
    ReadingNote,
    Remedy,
    bordered,
    counted,
    encodable,
    groups_of,
    malformed,
    note,
)
from toysearch.base.optional_packages import present
from toysearch.files import Record, RecordFile, numbered_lines
from toysearch.files.claims import MAIL, MARKDOWN, MARKUP, NOTEBOOK, Clues, What, named_like_text
from toysearch.files.document_formats import text_patterns
from toysearch.files.encodings import known_encoding, mended_bytes
from toysearch.files.reading import ReadingReport
from toysearch.files.recognise import what_is
from toysearch.files.source import (
    INSTALL,
    AnyPath,
    Source,
    refuse_bytes,
    refuse_folder,
    source_of,
    tell_replaced_in,
    tell_utf8,
    unread,
    whole_text,
)
from toysearch.files.syntaxes import pdf
from toysearch.files.unpacking import DAMAGE, damaged, unpacked_name

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag as Element


NO_TEXT = re.compile(r"(readme|licen[cs]e|copying|changelog|notice)\b", re.IGNORECASE)
"""Beginning of the name of a readme or a licence."""
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_MOST_TAGS = 200_000  # of a page, or lines of Markdown: the tree of a larger one takes gigabytes
_CHARSET = re.compile(rb"<meta\s[^>]{0,1000}charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"(?P<mark>---|\+\+\+)[ \t]*\n(?P<settings>(?:.*\n)*?)(?:(?P=mark)|\.\.\.)[ \t]*(?:\n|\Z)")
_SETTING = re.compile(r"^[\w-]+[ \t]*[:=]", re.MULTILINE)
_HEADING = re.compile(
    r"^(?:#\+title:[ \t]*(?P<org>.*?)[ \t]*$|\\title\{(?P<tex>[^{}]*)\}|\A\s*=[ \t]+(?P<adoc>.*?)[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
_FROM_LINE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\n]*\n")
_MAIL_BEGINS = re.compile(
    rb"(?i)(?=(?:.+\n)*?(?:Message-ID|Subject):)(?=(?:.+\n)*?From:)(?:[!-9;-~]+:.*\n(?:[ \t].*\n)*){3}"
)
"""Headers of a mail."""
DATED = re.compile(r"^\W{0,2}\d{1,4}([-./])\d\d?\1\d{1,4}(?:\W{1,3}|T)\d\d?:\d\d", re.MULTILINE)
"""Beginning of a message in a log or a chat, whose other lines go on with it."""
_MOST_SHOWN = 5  # endings in a note
_ENDING = re.compile(r"\.[\w+-]+")  # one that is no pattern itself
_TITLE = re.compile(
    r"^title[ \t]*[:=][ \t]*"
    r"(?:[|>][-+\d]*[ \t]*(?P<lines>(?:\n[ \t]+.*)+)|(?P<quote>[\"']?)(?P<title>.*?)(?P=quote)[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that is named like a text, and not like a readme or licence."""
    if named_like_text(clues.name) and not NO_TEXT.match(clues.name.rpartition("/")[2]):
        return What("documents", "folder", "its name ends like that of a text")
    return None


def claims_markup(source: Source, clues: Clues) -> What | None:
    """Claim PDF, a log or chat alone, and Markdown and HTML, where a line may look like anything, as `claims` does."""
    is_text = clues.place and named_like_text(clues.name, _TEXT)
    if is_text and DATED.match(source.text) and len(DATED.findall(source.text)) > 1:
        return What(clues.role, "lines", "its lines begin with dates")
    if clues.place and named_like_text(clues.name, (".log",)):
        return What(clues.role, "lines", "its name ends like that of a log")
    if pdf.is_one(source):
        return What("documents", "folder", "it begins, or its name ends, like a PDF")
    return claims(source, clues) if named_like_text(clues.name, MARKUP) else None


def html_parts(path: AnyPath, html: str) -> tuple[str, str]:
    """Return the title of an HTML page, "" if it has none, and its text, one line per block."""
    # The title is the `<title>`, else the first `<h1>`, which is then left out of the text. Scripts, styles, templates,
    # comments and `<noscript>` elements are left out; a picture is replaced by its alternative text.
    soup = _parsed(path, html)
    title = _taken(soup, ["title"]) or _taken(soup, ["h1"])
    return title, _text(soup)


def markdown_parts(path: AnyPath, markdown: str) -> tuple[str, str]:
    """Return the title of a Markdown text, "" if it has none, and the rest of its text, one line per block."""
    # The title is that in the front matter between two lines `---` or `+++`, which is not part of the text, else the
    # first heading, which then is left out of the text.
    from markdown_it import MarkdownIt

    if markdown.count("\n") > _MOST_TAGS:
        raise DataError(f"{path} has more than {_MOST_TAGS:,} lines of Markdown; split it, or rename it to .txt")
    settings = ""
    if (matter := _FRONT_MATTER.match(markdown)) and _SETTING.search(matter["settings"]):
        settings, markdown = matter["settings"], markdown[matter.end() :]
    soup = _parsed(path, MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").render(markdown))
    setting = _TITLE.search(settings)
    title = " ".join((setting["lines"] or setting["title"] or "").split()) if setting else ""
    heading = soup.find(_HEADINGS)
    if not title or (heading and _text(heading) == title):
        title = _taken(soup, _HEADINGS)
    return title, _text(soup)


def _parsed(path: AnyPath, html: str) -> BeautifulSoup:
    if html.count("<") > _MOST_TAGS:
        raise DataError(f"{path} has more than {_MOST_TAGS:,} tags; split it, or remove it from the folder")
    from bs4.exceptions import ParserRejectedMarkup

    from toysearch.files.syntaxes.page_tree import PageTree

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a short page can look like a file name
            return PageTree(html)
    except (ParserRejectedMarkup, RecursionError) as error:
        why = str(error).splitlines()[-1].strip()
        raise DataError(f"{path} cannot be read as HTML ({why}); correct it or remove it from the folder") from None


def _taken(soup: BeautifulSoup, names: list[str]) -> str:
    """Remove the first element with one of these names from the tree, and return its text."""
    element = soup.find(names)
    return "" if element is None else " ".join(element.extract().get_text().split())


def _text(soup: Element) -> str:
    """Return the text of a page: blocks are separate lines, and no line is empty."""
    from bs4.element import CData, NavigableString, Tag

    pieces: list[str] = []  # the visible strings, and a line end where each block begins or ends
    inside = [iter(soup.contents)]  # no recursion: some pages nest deeper than Python does
    ends = [""]
    while inside:
        node = next(inside[-1], None)
        if node is None:
            inside.pop()
            pieces.append(ends.pop())
        elif isinstance(node, Tag) and node.name not in UNSEEN:
            end = "" if node.name in WITHIN_WORDS else "\n"
            pieces.append(end if node.name != "img" else str(node.get("alt") or ""))
            inside.append(iter(node.contents))
            ends.append(end)
        elif type(node) in (NavigableString, CData):  # not a subclass, such as comments
            pieces.append(str(node))
    lines = map(str.split, "".join(pieces).split("\n"))
    return "\n".join(" ".join(words) for words in lines if words)


_TEXT = (".txt", ".text", ".rst")
_HTML = (".html", ".htm", ".xhtml")
_OTHERS = (".org", ".tex", ".adoc")
SUFFIXES = (*_TEXT, *MARKDOWN, *_HTML, *_OTHERS, NOTEBOOK, *MAIL)
"""Suffixes of documents, in any case; ``.gz`` may follow."""


def read_folder(folder: RecordFile) -> Iterator[Record]:
    """Read the documents of a folder and its subfolders, one per file, by path."""
    # The id of a document is its path below the folder, with `/` between the names; the field `path` repeats it, and
    # the field `name`, which is shown where there is no title, is the name of the file without its suffix. The title is
    # the first heading of a Markdown file, the `<title>` or `<h1>` of an HTML file, the subject of a mail, `#+title:`,
    # `\\title{}` or `= `; the text is the rest, without markup, scripts, styles and comments. Each mail of an `.mbox`
    # is a document. If no file has such a suffix, texts without one are documents. A link is read as its file. Files of
    # other kinds and links to folders or to nothing are left out, and a note counts them; hidden files are skipped.
    root, reading, sources = Path(folder.source), folder.source.reading, folder.source.files
    scans: list[str] = []
    suffixes = (*SUFFIXES, pdf.SUFFIX) if present(pdf.LIBRARY) else SUFFIXES
    if alone := root.is_file():
        root, paths, sources = root.parent, [root], {str(root): folder.source}
    else:
        paths = _texts_in(folder, root, suffixes)
    in_utf8, replaced = list[str](), list[tuple[str, int, str]]()
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix()):
        doc_id, (stem, kind) = path.relative_to(root).as_posix(), _stem_and_kind(path)
        source = sources.get(str(path)) or Source(str(path), reading)
        if kind in MAIL or (not kind and _MAIL_BEGINS.match(source.head)):
            yield from _mails(folder, source, doc_id)
            continue
        if (kind == pdf.SUFFIX and pdf.SUFFIX in suffixes) or (alone and pdf.is_one(source)):
            yield from _pdf(folder, source, doc_id, scans)
            continue
        with folder.part(path):
            declared = _declared_encoding(source) if kind in _HTML and reading.codec is None else None
            report = ReadingReport(replaced=replaced, in_utf8=[] if declared else in_utf8)
            source = source.read_as(encoding=declared or reading.encoding, report=report)
            title, text = _title_and_text(path, kind, whole_text(source))
            yield 1, doc_id, {"title": title, "text": text, "name": stem, "path": doc_id}
    _tell_scans(scans)
    tell_utf8(in_utf8, reading, len(paths))
    tell_replaced_in(replaced, len(paths))


def _texts_in(folder: RecordFile, root: Path, suffixes: Sequence[str]) -> list[Path]:
    """Find the texts of a folder; refuse one without any, and note what else is in it."""
    reading, sources, patterns = folder.source.reading, folder.source.files, text_patterns(folder.form)
    paths, others = _files_below(root, suffixes, patterns)
    named = " ".join([*suffixes, *patterns])
    if not paths:
        bare = {path: None for path in others if is_bare_text(sources.get(str(path)) or Source(str(path), reading))}
        if bare:  # an empty one is a document too, as it is with a suffix
            unnamed = (path for path in others if not path.suffix and path.is_file())
            bare |= dict.fromkeys(path for path in unnamed if not path.stat().st_size)
        paths, others = [*bare], [path for path in others if path not in bare]
    if not paths:
        instead = f", only {counted(len(others), 'other file')}" if others else ""
        raise DataError(f"{root} holds no document{instead}; expected files named {named}{_also(others, patterns)}")
    # A file of another part of the collection is not left out.
    others = [path for path in others if not ((file := sources.get(str(path))) and what_is(file).role)]
    if others:
        note(f"{root}: {left_out_of(others)}; documents are named {named}{_also(others, patterns)}", ReadingNote)
    return paths


def left_out_of(others: Sequence[Path]) -> str:
    """Say how many files of each other kind are not read.

    >>> left_out_of([Path("load.py"), Path("test.py"), Path("LICENSE")])
    '3 files of another kind left out (2 .py, 1 no suffix)'
    """
    kinds = ("linked" if path.is_symlink() else _stem_and_kind(path)[1] or "no suffix" for path in others)
    listed = ", ".join(f"{number} {kind}" for kind, number in Counter(kinds).most_common(_MOST_SHOWN))
    return f"{counted(len(others), 'file')} of another kind left out ({listed})"


def _files_below(root: Path, suffixes: Sequence[str], patterns: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Return the files below a folder that are named like texts, and all others; hidden ones are left out."""
    paths, others = list[Path](), list[Path]()
    for parent, folders, names in os.walk(root, onerror=refuse_folder):
        folders[:] = [name for name in folders if not (name.startswith(".") or _is_of_page(name, names))]
        for name in names:
            if name.startswith(".") or (name == "collection.toml" and parent == str(root)):
                continue
            path = Path(parent, name)
            is_named = _stem_and_kind(path)[1] in suffixes or is_named_by(patterns, path.relative_to(root).as_posix())
            if not (is_named and path.is_file()):
                others.append(path)
                continue
            try:
                str(path).encode()
            except UnicodeEncodeError:
                raise DataError(
                    f"{str(path)!r}: expected a name in UTF-8, as the id of the document; rename it"
                ) from None
            paths.append(path)
        others += [path for path in (Path(parent, name) for name in folders) if path.is_symlink()]  # not followed
    return paths, others


def _title_and_text(path: Path, kind: str, text: str) -> tuple[str, str]:
    """Return the title and the text of a file by its kind."""
    if kind in (*MARKDOWN, NOTEBOOK):
        return markdown_parts(path, text if kind != NOTEBOOK else _markdown_of(path, text))
    if kind in _HTML:
        return html_parts(path, text)
    heading = _HEADING.search(text) if kind in _OTHERS else None
    return (heading[heading.lastgroup or 0] if heading else ""), text


def _markdown_of(path: Path, notebook: str) -> str:
    """Return the sources of the cells of a notebook, code between fences."""
    try:
        cells = [("".join(cell["source"]), cell["cell_type"]) for cell in json.loads(notebook)["cells"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise malformed(path, 1, "expected a notebook of Jupyter, as of 2015 or later") from None
    return "\n\n".join(text if kind == "markdown" else f"~~~\n{text}\n~~~" for text, kind in cells)


def _is_of_page(folder: str, names: Collection[str]) -> bool:
    """True if a folder has the pictures and styles of a page that a browser saved beside it."""
    stem = folder.removesuffix("_files")
    return stem != folder and any(f"{stem}{kind}" in names for kind in _HTML)


def _declared_encoding(source: Source) -> str | None:
    """Return the encoding that an HTML page declares; None for UTF-8, and for one that is unknown or not its own."""
    if (charset := _CHARSET.search(source.head)) is None:
        return None
    name = charset[1].decode().lower()
    # Browsers read Latin-1 as Windows-1252, and no page of ASCII characters is UTF-16. A damaged page is read next.
    with suppress(ArgumentError, UnicodeError, *DAMAGE):
        encoding = known_encoding("cp1252" if name in ("iso-8859-1", "latin1", "ascii", "us-ascii") else name)
        if encoding and not encoding.startswith(("utf-16", "utf-32")):
            with source.read_as(encoding="utf-8").open() as file:
                file.read().decode(encoding)
            return encoding
    return None


def _mails(folder: RecordFile, source: Source, doc_id: str) -> Iterator[Record]:
    """Read the mails of a file: the subject is the title, the sender, the recipients and the date are fields."""
    from toysearch.files.syntaxes.mails import read_mail  # most folders hold none

    path = source.path
    stem, kind = _stem_and_kind(Path(path))
    several, data, spans = kind == ".mbox", b"", list[tuple[int, int]]()
    with folder.part(path), source.read_as(encoding="utf-8").open() as file:
        data = file.read()
        spans = [*_spans(data)] if several else [(0, len(data))]
    line, last = 1, 0
    for number, (start, stop) in enumerate(spans, 1):
        line += data.count(b"\n", last, start)
        last, mail = start, data[start:stop]
        with folder.part(path, line, mended_bytes(mail)[0]):
            place = f"mail {number} of {path}" if several else path
            try:
                headers, content, is_html = read_mail(mail, f"mail {number}" if several else "the mail")
            except DataError as error:
                raise malformed(path, line, str(error)) from None
            text = html_parts(place, content)[1] if is_html else content.strip().replace("\r\n", "\n")
            fields = {"title": headers.pop("subject", ""), "text": text, "name": stem, "path": doc_id, **headers}
            mended = {name: JoinedText.of(encodable(bordered(value))[0]) for name, value in fields.items()}
            yield line, f"{doc_id}#{number}" if several else doc_id, mended


def _pdf(folder: RecordFile, source: Source, doc_id: str, scans: list[str]) -> Iterator[Record]:
    """Read the text of a PDF; scans: takes the path of one without any."""
    with folder.part(source.path), source.read_as(encoding="utf-8").open() as file:
        try:
            title, text = pdf.pdf_parts(source, file.read())
        except DAMAGE as error:
            raise damaged(source, error) from None
        except DataError as error:
            raise error if source is folder.source else folder.left_out(error) from None
        if not text:
            scans.append(source.path)
        yield 1, doc_id, {"title": title, "text": text, "name": _stem_and_kind(Path(source.path))[0], "path": doc_id}


def _tell_scans(paths: Sequence[str]) -> None:
    if paths:
        many = f", and {counted(len(paths) - 1, 'other PDF')}" if len(paths) > 1 else ""
        note(f"{paths[0]}{many}: no page holds text, as in a scan; recognise the text first (OCR)")


def _spans(mailbox: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each mail of a mailbox begins and ends, without the line From that precedes it."""
    start = 0
    for border in _FROM_LINE.finditer(mailbox):
        if border.start() > start:
            yield start, border.start()
        start = border.end()
    if len(mailbox) > start:
        yield start, len(mailbox)


def read_lines(file: RecordFile) -> Iterator[Record]:
    """Read a document from each line that is not blank, with the number of the line as its id.

    Behind a first line that begins with a date, others go on with the last one that does, unless lines are asked for.
    """
    numbered = ((number, line.strip()) for number, line in numbered_lines(file.source) if line.strip())
    number, text = next(numbered, (0, ""))
    are_dated = not file.source.reading.input_format and DATED.match(text)
    for at, line in numbered:
        if are_dated and not DATED.match(line):
            text = f"{text}\n{line}"
        else:
            yield number, str(number), {"text": text}
            number, text = at, line
    if number:
        yield number, str(number), {"text": text}


def _also(others: list[Path], patterns: tuple[str, ...]) -> str:
    kinds = {_stem_and_kind(path)[1] for path in others}
    suffixes = " ".join(suffix for suffix in unread().values() if suffix in kinds)
    advice = [text_endings(others, patterns), f"to read {suffixes}: {INSTALL}" if suffixes else ""]
    return "".join(f"; {each}" for each in advice if each)


def text_endings(paths: list[Path], patterns: tuple[str, ...] = (), how: str = "too") -> str:
    """Advise to read other files as texts, by their most frequent suffixes; "" if all of these have other files.

    how : "too", or "instead" of the documents
    """
    files = groups_of((_stem_and_kind(path)[1], path) for path in paths)
    most = sorted(filter(None, files), key=lambda ending: (-len(files[ending]), ending))[:_MOST_SHOWN]
    globs = [f"*{ending}" for ending in most if _ENDING.fullmatch(ending) and all(map(_is_unknown_text, files[ending]))]
    if not globs:
        return ""
    remedy = Remedy("load", input_format=f"folder:{','.join([*patterns, *globs])}")
    return f"to read {' '.join(globs)} {how}: {remedy}"


def is_named_by(patterns: Iterable[str], name: str) -> bool:
    """True if the path of a file below a folder, or the end of it, matches a pattern, in any case.

    >>> is_named_by(["*.log", "old/*.cfg"], "sub/A.LOG"), is_named_by(["old/*.cfg"], "new/a.cfg")
    (True, False)
    """
    names = (f"/{name.lower()}", f"/{unpacked_name(name.lower())}")
    return any(fnmatchcase(name, f"*/{pattern.lower()}") for pattern in patterns for name in names)


def _is_unknown_text(path: Path) -> bool:
    source = _source_of_text(path)
    return source is not None and not what_is(source).role


def _source_of_text(path: AnyPath) -> Source | None:
    """Return the source of a file that begins like a text; None for any other."""
    if not os.path.isfile(path):
        return None
    source = source_of(path)
    with suppress(DataError):
        refuse_bytes(path, source.head)
        return source if source.head.strip() and b"\0" not in source.head else None
    return None


def is_bare_text(path: AnyPath) -> bool:
    """True if a file has no suffix, is not named like a readme, and begins like a text."""
    name = Path(path)
    return not (_stem_and_kind(name)[1] or NO_TEXT.match(name.name)) and _source_of_text(path) is not None


def _stem_and_kind(path: Path) -> tuple[str, str]:
    """Return the name of a file without its suffix, and the suffix in lower case; ``.gz`` is part of neither."""
    stem, kind = os.path.splitext(unpacked_name(path.name))
    return stem, kind.lower() if kind != "." else ""
