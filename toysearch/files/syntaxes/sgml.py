"""TREC documents in SGML, and the reader of tags that topics share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape, unescape
from typing import NamedTuple

from toysearch.base import BORDER, INLINE, JoinedText, groups_of, malformed, note
from toysearch.files import Record, RecordFile, text_blocks
from toysearch.files.claims import Clues, What
from toysearch.files.source import AnyPath, Source, source_of

# Not html.parser: it reads <TITLE>, <SCRIPT> and others as raw text, so that an unclosed one swallows the document,
# and the list of these elements differs between patch releases of Python.
TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*)(?:\s[^<>]*?)?(/?)>")
"""Tag: a slash if it closes, its name, a slash if it is empty. Any other ``<`` is text."""

_SOLR = re.compile(rb"<doc[^<>]*>\s*<field\s+name=")
_DECLARATION = re.compile(r"<[!?][^<>]*>")
_LONGEST_TAG = 1 << 16  # characters; anything longer is text with a stray <


class Element(NamedTuple):
    r"""Document or topic, as written in a file."""

    line: int  # the line on which it begins
    tag: str  # the tag that begins it
    # the content up to its closing tag, with ``\n`` as line ends; only the line ends of comments are kept
    text: str


def sgml_elements(path: AnyPath, name: str) -> Iterator[Element]:
    r"""Yield the elements of one name; each ends at its closing tag, at the next element or at the end of the file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "pets")
    >>> _ = path.write_text("<docs>\n<doc> cat\n<DOC n=2>dog<!-- no\n --></DOC>\n</docs>\n")
    >>> for element in sgml_elements(path, "doc"):
    ...     print(element)
    Element(line=2, tag='<doc>', text=' cat\n')
    Element(line=3, tag='<DOC n=2>', text='dog\n')
    """
    # Other tags, declarations and comments may stand between them, but no text. One element at a time is in memory.
    begun: tuple[int, str] | None = None
    pieces: list[str] = []
    for line, mark, text in _cut(path, name):
        if mark:
            if begun:
                yield Element(*begun, "".join(pieces))
            begun, pieces = None if mark.startswith("</") else (line, mark), []
        elif begun:
            pieces.append(text)
        else:
            bare = without_tags(text).rstrip()
            if words := bare.lstrip():
                line += bare.count("\n", 0, len(bare) - len(words))
                problem = (
                    f"expected <{name.upper()}>, found '{words.splitlines()[0][:60]}' outside any <{name.upper()}>"
                )
                raise malformed(path, line, problem)
    if begun:
        yield Element(*begun, "".join(pieces))
        note(f"{path}: the last <{name.upper()}>, on line {begun[0]}, is not closed; the file may be truncated")


def _cut(path: AnyPath, name: str) -> Iterator[tuple[int, str, str]]:
    """Split the file at the tags of one name: line and tag, or line and the text between two tags."""
    marks = re.compile(rf"<(?:!--(?:.*?-->|.*\Z)|/?{name}(?:\s[^<>]*)?>)", re.IGNORECASE | re.DOTALL)
    line, comment, tail = 1, 0, ""
    for _, block in text_blocks(path):
        text, place = f"{tail}{block}\n".replace("\r\n", "\n"), 0
        if comment:
            end = text.find("-->") + 3
            place, comment = (end, 0) if end > 2 else (len(text), comment)
            yield line, "", _line_ends(text[:place])
            line += text.count("\n", 0, place)
        for match in marks.finditer(text, place):
            yield line, "", text[place : match.start()]
            line += text.count("\n", place, match.start())
            mark = match[0]
            if not mark.startswith("<!--"):
                yield line, mark, ""
            else:
                comment = 0 if mark.endswith("-->") else line
                yield line, "", _line_ends(mark)
            line += mark.count("\n")
            place = match.end()
        start = text.rfind("<", place)
        unfinished = 0 <= len(text) - start < _LONGEST_TAG and start >= 0 and ">" not in text[start:]
        tail = text[start:] if unfinished else ""
        yield line, "", text[place : len(text) - len(tail)]
        line += text.count("\n", place, len(text) - len(tail))
    if comment:
        raise malformed(path, comment, "the comment that begins here has no end; expected -->")
    yield line, "", tail


def _line_ends(text: str) -> str:
    """Keep the line ends of a text, so that line numbers stay right where the text is left out."""
    return "\n" * text.count("\n")


def without_tags(text: str) -> str:
    """Remove tags and declarations from a text, except for their line ends."""
    for markup in (_DECLARATION, TAG):
        text = markup.sub(lambda found: _line_ends(found[0]), text)
    return text


def split_at_tags(text: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return the text before the first tag, and of each tag its slash, its name, its slash at the end, and the text.

    >>> split_at_tags("a <B>cat</B>")
    ('a ', [('', 'b', '', 'cat'), ('/', 'b', '', '')])
    """
    first, *rest = TAG.split(text)
    return first, [*zip(rest[0::4], map(str.lower, rest[1::4]), rest[2::4], rest[3::4], strict=True)]


def plain_declarations(text: str) -> str:
    """Remove declarations from a text, and escape CDATA sections as plain text.

    >>> plain_declarations("<?xml?>a <![CDATA[<b> & ]]>")
    ' a &lt;b&gt; &amp; '
    """
    if "<!" not in text and "<?" not in text:
        return text
    text = re.sub(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", lambda found: escape(found[1], quote=False), text, flags=re.DOTALL)
    return _DECLARATION.sub(" ", text)


def one_id(path: AnyPath, line: int, words: str, where: str) -> str:
    """Return an id, from the words in its place."""
    ids = words.split()
    if len(ids) != 1:
        instead = f"found '{' '.join(ids)[:60]}'" if ids else "found nothing"
        raise malformed(path, line, f"expected one id without blanks in {where}, {instead}")
    return ids[0]


def first_element(head: bytes, names: str) -> str:
    """Return the first element with one of these names, if only markup comes before it; else "".

    >>> first_element(b"<?xml?><!-- pets --><root><DOC>", "doc"), first_element(b"Write <DOC>.", "doc")
    ('doc', '')
    """
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", head.decode(errors="replace").removeprefix("\ufeff"), flags=re.DOTALL)
    match = re.search(rf"<({names})[\s>]", text, re.IGNORECASE)
    return match[1].lower() if match and not without_tags(text[: match.start()]).strip() else ""


TITLES = ("title", "headline", "head", "hl", "ti", "ttl")
"""Elements that hold a title; the first one present is the title of a document."""

ADMINISTRATIVE = frozenset(
    "docno docid docoldno dochdr docsrc doctype fileid parent profile header trailer first second an access "  # noqa: SIM905
    "dd date date1 date_time datetime time year so pub page pages length type url".split()
)
"""Elements about the origin and date of a document, which are not part of its text."""

_BODIES = frozenset(["text", "body"])  # inside them every tag but a title is markup
_BLOCKS = "p br hr h1 h2 h3 h4 h5 h6 table tr td th ul ol li div center pre blockquote f"
_MARKUP = INLINE.union(_BLOCKS.split())
_CODE = frozenset(["script", "style"])
_RECORDS = "doc|reuters"
_ITEM = "d"  # of Reuters: each topic of a story
_ALWAYS_FIELDS = _CODE.union(TITLES)  # fields even inside a body
_DEEPEST = 64  # elements; no document written by people nests deeper
_ID = re.compile(r"<(docno|docid)(?:\s[^<>]*)?>([^<]*)", re.IGNORECASE)
_ID_ATTRIBUTE = re.compile(r"\s(?:id|docno|newid)\s*=\s*[\"']?([^\"'\s<>]+)", re.IGNORECASE)

_Run = tuple[str, bool, str]  # the field of the words ("" for none), whether they are part of the text, the words


def read_trec_documents(file: RecordFile) -> Iterator[Record]:
    r"""Read the documents of a file in TREC's SGML.

    A document extends from ``<DOC>`` to ``</DOC>`` or the next ``<DOC>``. Its id is in ``<DOCNO>``, else in
    ``<DOCID>``, else the attribute ``id`` of ``<DOC>``; of the stories of Reuters-21578, each in ``<REUTERS>``, it is
    the attribute ``newid``, their text is ``<TEXT>`` alone, and each ``<D>`` is an item of a list.

    Its fields are its elements, named in lower case; elements of one name are joined. Two fields are always present:

    - ``title``: the first of `TITLES` that holds anything, or "";
    - ``text``: everything outside that title and the elements of `ADMINISTRATIVE`, in the order of the file:
      mostly ``<TEXT>``, but also ``<LEADPARA>``, ``<BYLINE>`` or ``<SUBJECT>``.

    An element without a closing tag ends at the next tag that is not inline. Inside ``<TEXT>`` and ``<BODY>`` only
    titles are separate elements; all other tags are markup. Tags are removed: inline tags (``<b>``, ``<sub>``, all of
    `toysearch.base.markup.INLINE`) leave nothing, so that ``H<sub>2</sub>O`` is one word; any other tag (``<P>``,
    ``<BR>``, ``<TD>``) leaves a blank. A ``<`` that does not begin a tag is text. Entities are read as in HTML
    (``&amp;``, ``&#233;``); comments, declarations, scripts and styles are left out. Documents are read one at a time.
    """
    root = first_element(source_of(file.source).head, _RECORDS) or "doc"
    is_news = root != "doc"
    for element in sgml_elements(file.source, root):
        doc_id, where = _doc_id(file.source, element)
        runs = _runs(plain_declarations(element.text), is_news=is_news)
        parts = groups_of((name, words) for name, _, words in runs if name not in _CODE)
        texts = {name: _joined(words) for name, words in parts.items()}
        if is_news:
            items = {name: map(str.strip, text.split(BORDER)) for name, text in texts.items()}
            texts = {name: JoinedText.joined(filter(None, items[name])) for name in items}
        title = next((name for name in TITLES if texts.get(name)), "title")
        text = _joined(words for name, is_text, words in runs if is_text and name != title and name not in _CODE)
        fields = {"title": texts.get(title, ""), "text": text}
        others = {name: words for name, words in texts.items() if words and name not in ("", where, *fields)}
        yield element.line, doc_id, fields | others


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file if only markup precedes its first ``<DOC>``, which holds no ``<field>`` as those of Solr do."""
    name = first_element(source.head, _RECORDS)
    is_trec = name and not _SOLR.search(source.head)
    return What("documents", "trec", f"it begins with <{name.upper()}>") if is_trec else None


def _doc_id(path: AnyPath, element: Element) -> tuple[str, str]:
    found = groups_of((match[1].lower(), match) for match in _ID.finditer(element.text))
    for name in [name for name in ("docno", "docid") if name in found]:
        first = ""
        for match in found[name]:
            line = element.line + element.tag.count("\n") + element.text.count("\n", 0, match.start())
            doc_id = one_id(path, line, unescape(match[2]), f"<{name.upper()}>")
            first = first or doc_id
            if doc_id != first:
                problem = f"the document of line {element.line} has two ids, '{first}' and '{doc_id}'"
                raise malformed(path, line, f"{problem}; expected one: is a <DOC> missing before this line?")
        return first, name
    if attribute := _ID_ATTRIBUTE.search(element.tag):
        return unescape(attribute[1]), ""
    raise malformed(path, element.line, "this <DOC> has no <DOCNO>; expected one with the id of the document")


def _runs(text: str, *, is_news: bool = False) -> list[_Run]:
    """Split a document into the words of its fields; is_news: whether only those inside a body are its text."""
    markup = _MARKUP | {_ITEM} if is_news else _MARKUP
    first, tags = split_at_tags(text)
    closed = {name for slash, name, _, _ in tags if slash}
    inside: list[str] = []  # the fields that are open, the innermost last
    runs = [("", True, first)]
    for slash, name, empty, words in tags:
        if name not in INLINE:
            while inside and inside[-1] not in closed:
                inside.pop()
            in_body = not _BODIES.isdisjoint(inside)
            if slash:
                if name in inside:
                    while inside.pop() != name:
                        pass
            elif (
                not empty and name not in markup and len(inside) < _DEEPEST and (name in _ALWAYS_FIELDS or not in_body)
            ):
                inside.append(name)
            words = f"{BORDER if is_news and name == _ITEM else ' '}{words}"
        is_text = (not is_news and ADMINISTRATIVE.isdisjoint(inside)) or not _BODIES.isdisjoint(inside)
        runs.append((inside[-1] if inside else "", is_text, words))
    return runs


def _joined(pieces: Iterable[str]) -> str:
    return unescape("".join(pieces)).strip()
