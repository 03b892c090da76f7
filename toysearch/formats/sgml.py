"""TREC documents: SGML, each a ``<DOC>`` with a ``<DOCNO>`` and fields (AP, WSJ, FT, LA Times, FBIS, .GOV)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from html import unescape
from pathlib import Path

from toysearch.errors import DataError, malformed
from toysearch.formats.markup_tags import INLINE, TAG, Element, elements, first_element, one_id, plain_declarations
from toysearch.formats.text_files import Record

TITLES = ("title", "headline", "head", "hl", "ti", "ttl")
"""Elements that hold a title: the first of these that a document has is its title."""

ADMINISTRATIVE = frozenset(
    "docno docid docoldno dochdr docsrc doctype fileid parent profile header trailer first second an access "  # noqa: SIM905
    "dd date date1 date_time datetime time year so pub page pages length type url".split()
)
"""Elements that say where and when a document came from; what they hold is no part of its text."""

_BODIES = frozenset(["text", "body"])  # inside them any tag is markup, but for titles
_BLOCKS = "p br hr h1 h2 h3 h4 h5 h6 table tr td th ul ol li div center pre blockquote f"
_MARKUP = INLINE.union(_BLOCKS.split())
_CODE = frozenset(["script", "style"])
_DEEPEST = 64  # elements; a file that nests more is no document that people wrote
_ID = re.compile(r"<(docno|docid)(?:\s[^<>]*)?>([^<]*)", re.IGNORECASE)
_ID_ATTRIBUTE = re.compile(r"\s(?:id|docno)\s*=\s*[\"']?([^\"'\s<>]+)", re.IGNORECASE)

_Run = tuple[
    str, bool, str
]  # the field that words stand in ("" for none), whether they are part of the text, the words


def read_trec_documents(path: str | Path) -> Iterator[Record]:
    r"""The documents of a file in TREC's SGML.

    A document is what stands between ``<DOC>`` and ``</DOC>``, or the next ``<DOC>``. Its id is in ``<DOCNO>``,
    else in ``<DOCID>``, else the attribute ``id`` of ``<DOC>``. Its fields are its elements, by their names in
    lower case; several of one name are joined. Two are always there:

    - ``title``: the first of `TITLES` that holds anything, or "";
    - ``text``: in the order of the file all that stands neither in that title nor in an element of
      `ADMINISTRATIVE`: mostly ``<TEXT>``, but ``<LEADPARA>``, ``<BYLINE>`` or ``<SUBJECT>`` too.

    An element whose closing tag is missing ends at the next tag that is not inline. Inside ``<TEXT>`` and ``<BODY>``
    only titles are elements of their own, all else is markup. Tags are removed: inline ones (``<b>``, ``<sub>``, all of
    `toysearch.formats.markup_tags.INLINE`) leave nothing, so that ``H<sub>2</sub>O`` is one word; any other (``<P>``,
    ``<BR>``, ``<TD>``) leaves a blank. A ``<`` that begins no tag is text. Entities are read as in HTML (``&amp;``,
    ``&#233;``); comments, declarations, scripts and styles are left out. One document at a time is in memory.
    """
    found = False
    for element in elements(path, "doc"):
        found = True
        doc_id, where = _doc_id(path, element)
        yield element.line, doc_id, _fields(_runs(plain_declarations(element.text)), where)
    if not found:
        raise DataError(f"{path} holds no document; expected TREC documents, each <DOC> … </DOC> with a <DOCNO>")


def looks_like_trec_documents(head: bytes) -> bool:
    r"""Whether a file that begins like this holds TREC documents: nothing but markup up to the first ``<DOC>``."""
    return first_element(head, "doc") == "doc"


def _doc_id(path: str | Path, element: Element) -> tuple[str, str]:
    """The id of a document, and the name of the element that holds it ("" for an attribute)."""
    given = list(_ID.finditer(element.text))
    for name in ("docno", "docid"):
        ids: list[str] = []
        for found in given:
            if found[1].lower() == name:
                line = element.line + _lines_before(element, found.start())
                ids.append(one_id(path, line, unescape(found[2]), f"<{name.upper()}>"))
                if ids[-1] != ids[0]:
                    problem = f"the document of line {element.line} has two ids, '{ids[0]}' and '{ids[-1]}'"
                    raise malformed(path, line, f"{problem}; expected one: is a <DOC> missing before this line?")
        if ids:
            return ids[0], name
    if attribute := _ID_ATTRIBUTE.search(element.tag):
        return unescape(attribute[1]), ""
    raise malformed(path, element.line, "this <DOC> has no <DOCNO>; expected one, which holds the document's id")


def _lines_before(element: Element, place: int) -> int:
    """How many lines an element goes on before this place in its text."""
    return element.tag.count("\n") + element.text.count("\n", 0, place)


def _runs(text: str) -> list[_Run]:
    """The words of a document between its tags, each with the field that it stands in."""
    first, *rest = TAG.split(text)
    slashes, names, empties = rest[0::4], [name.lower() for name in rest[1::4]], rest[2::4]
    closed = {name for slash, name in zip(slashes, names, strict=True) if slash}
    inside: list[str] = []  # the fields that are open, the innermost last
    runs = [("", True, first)]
    for slash, name, empty, words in zip(slashes, names, empties, rest[3::4], strict=True):
        if name not in INLINE:
            while inside and inside[-1] not in closed:
                inside.pop()
            if slash:
                _close(inside, name)
            elif not empty and _is_field(name, inside):
                inside.append(name)
            words = f" {words}"
        is_text = ADMINISTRATIVE.isdisjoint(inside) or not _BODIES.isdisjoint(inside)
        runs.append((inside[-1] if inside else "", is_text, words))
    return runs


def _close(inside: list[str], name: str) -> None:
    """Close a field and those inside it; a closing tag without its opening one closes nothing."""
    if name in inside:
        while inside.pop() != name:
            pass


def _is_field(name: str, inside: Collection[str]) -> bool:
    """Whether an element of this name is a field, and not markup of the one that it stands in."""
    if name in _MARKUP or len(inside) >= _DEEPEST:
        return False
    return name in TITLES or name in _CODE or _BODIES.isdisjoint(inside)


def _fields(runs: list[_Run], id_element: str) -> dict[str, str]:
    """The fields of a document: title, text, and its elements that are not empty."""
    parts: dict[str, list[str]] = {}
    for name, _, words in runs:
        if name not in _CODE:
            parts.setdefault(name, []).append(words)
    own = {name: _joined(words) for name, words in parts.items()}
    title = next((name for name in TITLES if own.get(name)), "title")
    text = _joined(words for name, is_text, words in runs if is_text and name != title and name not in _CODE)
    fields = {"title": own.get(title, ""), "text": text}
    return fields | {name: words for name, words in own.items() if words and name not in ("", id_element, *fields)}


def _joined(pieces: Iterable[str]) -> str:
    """The pieces of a text as one, entities read."""
    text = "".join(pieces)
    return (unescape(text) if "&" in text else text).strip()
