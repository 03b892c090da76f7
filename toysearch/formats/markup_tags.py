"""Files marked up with tags that need not be well-formed: SGML as TREC's documents and topics have it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from toysearch.errors import malformed, note
from toysearch.formats.text_files import text_blocks

# Not html.parser: it takes the text of <TITLE>, <SCRIPT> and others for raw text, so that one which is never closed
# swallows the document, and which elements these are differs between patch releases of Python.
TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*)(?:\s[^<>]*?)?(/?)>")
"""A tag: a slash if it closes, its name, a slash if it is empty. Any other ``<`` is text."""

INLINE = frozenset(
    "a abbr acronym b bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong "  # noqa: SIM905
    "sub sup tt u var".split()
)
"""Tags that may stand in the middle of a word; any other parts the words before it from those behind it."""

_DECLARATION = re.compile(r"<[!?][^<>]*>")
_LONGEST_TAG = 1 << 16  # characters; what is longer is text with a stray <


class Element(NamedTuple):
    r"""A document or a topic, as it stands in a file."""

    line: int  # the line on which it begins
    tag: str  # the tag that begins it
    # what follows, up to the tag that closes it, line ends as ``\n``, in place of comments their line ends only
    text: str


def elements(path: str | Path, name: str) -> Iterator[Element]:
    r"""The elements of one name, whether they are closed or the next one or the end of the file ends them.

    Between them there may be other tags, declarations and comments, but no text. No more than one element is in
    memory at a time.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets")
    >>> _ = path.write_text("<docs>\n<doc> cat\n<DOC n=2>dog<!-- no\n --></DOC>\n</docs>\n")
    >>> for element in elements(path, "doc"):
    ...     print(element)
    Element(line=2, tag='<doc>', text=' cat\n')
    Element(line=3, tag='<DOC n=2>', text='dog\n')
    """
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
            _refuse_text(path, name, line, text)
    if begun:
        yield Element(*begun, "".join(pieces))
        note(f"{path}: the last <{name.upper()}>, on line {begun[0]}, is not closed; the file may have been cut short")


def _cut(path: str | Path, name: str) -> Iterator[tuple[int, str, str]]:
    """The file cut at the tags of one name: line and tag, or line and the text between two of them."""
    marks = re.compile(rf"<(?:!--(?:.*?-->|.*\Z)|/?{name}(?:\s[^<>]*)?>)", re.IGNORECASE | re.DOTALL)
    line, comment, tail = 1, 0, ""
    for _, block in text_blocks(path):
        text, place = f"{tail}{block}\n".replace("\r\n", "\n"), 0
        if comment:
            end = text.find("-->") + 3
            place, comment = (end, 0) if end > 2 else (len(text), comment)
            yield line, "", _line_ends(text[:place])
            line += text.count("\n", 0, place)
        for found in marks.finditer(text, place):
            yield line, "", text[place : found.start()]
            line += text.count("\n", place, found.start())
            mark = found[0]
            if not mark.startswith("<!--"):
                yield line, mark, ""
            else:
                comment = 0 if mark.endswith("-->") else line
                yield line, "", _line_ends(mark)
            line += mark.count("\n")
            place = found.end()
        tail = _unfinished_tag(text, place)
        yield line, "", text[place : len(text) - len(tail)]
        line += text.count("\n", place, len(text) - len(tail))
    if comment:
        raise malformed(path, comment, "the comment that begins here has no end; expected -->")
    yield line, "", tail


def _line_ends(text: str) -> str:
    """As many line ends as the text has: line numbers stay right where it is left out."""
    return "\n" * text.count("\n")


def _unfinished_tag(text: str, place: int) -> str:
    """The end of the text, from its last ``<``, if that may be a tag which goes on in the next block."""
    start = text.rfind("<", place)
    unfinished = 0 <= len(text) - start < _LONGEST_TAG and start >= 0 and ">" not in text[start:]
    return text[start:] if unfinished else ""


def without_tags(text: str) -> str:
    """The text without tags and declarations; their line ends are kept."""
    for markup in (_DECLARATION, TAG):
        text = markup.sub(lambda found: _line_ends(found[0]), text)
    return text


def _refuse_text(path: str | Path, name: str, line: int, text: str) -> None:
    """Refuse text where only tags and declarations may stand."""
    bare = without_tags(text).rstrip()
    if not (words := bare.lstrip()):
        return
    line += bare.count("\n", 0, len(bare) - len(words))
    tag = name.upper()
    raise malformed(path, line, f"expected <{tag}>, found '{words.splitlines()[0][:60]}' outside any <{tag}>")


def plain_declarations(text: str) -> str:
    """The text without declarations, and with what is marked as CDATA written as text without markup.

    >>> plain_declarations("<?xml?>a <![CDATA[<b> & ]]>")
    ' a &lt;b&gt; &amp; '
    """
    from html import escape

    if "<!" not in text and "<?" not in text:
        return text
    text = re.sub(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", lambda found: escape(found[1], quote=False), text, flags=re.DOTALL)
    return _DECLARATION.sub(" ", text)


def one_id(path: str | Path, line: int, words: str, where: str) -> str:
    """An id, from the words that stand where it should be."""
    ids = words.split()
    if len(ids) != 1:
        found = f"found '{' '.join(ids)[:60]}'" if ids else "found nothing"
        raise malformed(path, line, f"expected one id without blanks in {where}, {found}")
    return ids[0]


def first_element(head: bytes, names: str) -> str:
    """The first element of these names in a file, if only other tags, comments and declarations are before it; else "".

    >>> first_element(b"<?xml?><!-- pets --><root><DOC>", "doc"), first_element(b"Write <DOC>.", "doc")
    ('doc', '')
    """
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", head.decode(errors="replace").removeprefix("\ufeff"), flags=re.DOTALL)
    found = re.search(rf"<({names})[\s>]", text, re.IGNORECASE)
    return found[1].lower() if found and not without_tags(text[: found.start()]).strip() else ""
