"""Tables in XML: the element that occurs again and again is a row, the elements in it are its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple
from xml.parsers import expat

from toysearch.base import INLINE, malformed
from toysearch.files.claims import Clues, What
from toysearch.files.columns import parts_of
from toysearch.files.source import AnyPath, Source, text_blocks
from toysearch.files.syntaxes.sgml import TAG
from toysearch.files.table import Row, Table

_NAME = re.compile(r"\sname\s*=\s*[\"']([^\"']+)")
_PARAGRAPH = "p"
_HTML = ("html", "head", "body")


def claims(source: Source, clues: Clues) -> What | None:
    """Claim XML in which an element is repeated, or is alone, and has a title or a text."""
    name = record_element(source)
    return What(clues.role, "xml", f"its records are <{name}>") if name else None


def record_element(source: Source) -> str:
    """Return the outermost element that occurs again beside itself, or is the last one below the root; "" of others.

    Those with a title or a text come first.
    """
    counts, inside, opened = Counter[tuple[str, ...]](), dict[tuple[str, ...], set[str]](), list[str]()
    for match in TAG.finditer(source.head.decode(errors="replace")):
        closes, name, is_empty = match[1], match[2], match[3]
        if closes:
            while opened and opened.pop() != name:
                pass
            continue
        path = (*opened, name)
        counts[path] += 1
        labelled = _NAME.search(match[0])
        for depth in range(1, len(path)):
            inside.setdefault(path[:depth], set()).add(labelled[1] if labelled else name)
        if not is_empty:
            opened.append(name)
    if not counts or next(iter(counts))[0].lower() in _HTML:
        return ""
    below_root = [path for path in counts if len(path) == 2][-1:]
    found = sorted({*(path for path in counts if counts[path] > 1), *below_root}, key=len)
    found = [path for path in found if len(path) > 1 and (path in inside or counts[path] > 1)]
    with_text = (path for path in found if {"title", "text"} & parts_of([*inside.get(path, ())]).keys())
    return next(with_text, (found or [("",)])[0])[-1]


def tables(source: Source) -> list[Table]:
    """Return the table of the records of a file; none without any."""
    name = record_element(source)
    if not name:
        return []
    head = [_row(each, name) for each in _Reader(source, [name]).feed(source.head.decode(errors="ignore"))]
    labels = dict.fromkeys(label for row in head for label in row.cells)
    return [Table(source, [*labels], head, lambda: (_row(each, name) for each in elements(source, [name])), "lines")]


class XmlElement(NamedTuple):
    """Element of XML as it stands in a file."""

    line: int  # on which it begins
    attributes: Mapping[str, str]
    texts: Mapping[str, list[str]]  # those of the elements in it by their names; "" is for text outside of them


def elements(source: AnyPath, names: Collection[str], nested: bool = True) -> Iterator[XmlElement]:
    r"""Read the elements of an XML file that have one of these names, in lower case, and are in no other one.

    nested : whether each element in it has a text of its own, or the outermost have all; of one name, outer ones count

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "wt09.xml")
    >>> _ = path.write_text('<topics>\n<topic number="1"><query>obama</query></topic>\n</topics>')
    >>> [(each.line, each.attributes, each.texts["query"]) for each in elements(path, ["topic"])]
    [(2, {'number': '1'}, ['obama'])]
    """
    reader = _Reader(source, names, nested)
    for _, block in text_blocks(source):
        yield from reader.feed(f"{block}\n")
    yield from reader.feed("", last=True)


def _row(element: XmlElement, name: str) -> Row:
    """Return an element as a row: its attributes, and the texts in it without runs of white space."""
    cells: dict[str, Any] = {**element.attributes}
    for label, texts in element.texts.items():
        some = [" ".join(text.split()) for text in texts if text.strip()]
        if some:
            cells[label or name] = some[0] if len(some) == 1 else some
    return Row(element.line, cells)


class _Reader:
    def __init__(self, source: AnyPath, names: Collection[str], nested: bool = True) -> None:
        self.source, self.nested = source, nested
        self.names = {*map(str.lower, names)}
        self.parser = expat.ParserCreate("utf-8")  # the text is already decoded, whatever the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.words
        self.parser.EntityDeclHandler = self.refuse_entity
        self.finished: list[XmlElement] = []
        self.element: XmlElement | None = None
        self.opened: list[str] = []  # names of the elements in it that are open, the innermost last
        self.depths: dict[str, int] = {}  # name → the depth of those that count

    def feed(self, text: str, last: bool = False) -> list[XmlElement]:
        self.finished = []
        try:
            self.parser.Parse(text.encode(), last)
        except expat.ExpatError as error:
            problem = f"expected well-formed XML; {expat.ErrorString(error.code)} at column {error.offset + 1}"
            raise malformed(self.source, error.lineno, problem) from None
        return self.finished

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.element is None:
            if name.lower() in self.names:
                self.element = XmlElement(self.parser.CurrentLineNumber, attributes, {})
                self.opened, self.depths = [], {}
        elif name.lower() not in INLINE:
            self.words(" ")
            if self.nested and name.lower() == _PARAGRAPH:
                return
            self.opened.append(attributes.get("name", name) if self.nested else name)
            if self.nested or len(self.opened) == 1:
                self.begin(self.element.texts)  # type: ignore[arg-type]

    def begin(self, texts: dict[str, list[str]]) -> None:
        """Begin a text of the innermost element, unless an outer one of the same name has some."""
        label, depth = self.opened[-1], len(self.opened)
        at = self.depths.setdefault(label, depth)
        if depth < at:
            texts[label], self.depths[label] = [], depth
        if depth <= at:
            texts.setdefault(label, []).append("")

    def end(self, name: str) -> None:
        if self.element is None or name.lower() in INLINE:
            return
        is_paragraph = self.nested and name.lower() == _PARAGRAPH
        if not is_paragraph and not self.opened:
            self.finished.append(self.element)
            self.element = None
            return
        if not is_paragraph:
            self.opened.pop()
        self.words(" ")

    def words(self, text: str) -> None:
        if self.element is None:
            return
        inside = self.opened[-1:] if self.nested else self.opened[:1]
        label, depth = (inside or [""])[0], len(self.opened) if self.nested else 1
        if self.depths.setdefault(label, depth) == depth or not inside:
            texts: dict[str, list[str]] = self.element.texts  # type: ignore[assignment]
            pieces = texts.setdefault(label, [""])
            pieces[-1] += text

    def refuse_entity(self, name: str, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        problem = f"expected XML that declares no entities, found one named '{name[:60]}'; write out its text"
        raise malformed(self.source, line, problem)
