"""Tables in XML: the element that occurs again and again is a row, the elements in it are its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
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


_Path = tuple[str, ...]


class Records(NamedTuple):
    """Elements that are the records of a file."""

    names: tuple[str, ...] = ()
    parent: _Path = ()  # the elements on the way to one that holds records alone, whatever their names; () if none does


def claims(source: Source, clues: Clues) -> What | None:
    """Claim XML in which an element is repeated, or is alone, and has a title or a text."""
    listed = ", ".join(f"<{name}>" for name in records_of(source).names)
    return What(clues.role, "xml", f"its records are {listed}") if listed else None


def records_of(source: Source) -> Records:
    """Find the outermost element that occurs again beside itself, or is the last one below the root.

    Repeated ones with a title or a text come first, then a single one, which may be what holds others.
    """
    counts, inside = _elements_in(source.head.decode(errors="replace"))
    if not counts or next(iter(counts))[0].lower() in _HTML:
        return Records()
    below_root = [path for path in counts if len(path) == 2]
    with_text = {path for path, names in inside.items() if {"title", "text"} & parts_of([*names]).keys()}

    def order(path: _Path) -> tuple[bool, bool, int]:
        repeated = path in with_text and counts[path] > 1
        return not repeated, path not in with_text, len(path)

    found = [path for path in counts if len(path) > 1 and counts[path] > 1]
    found += [path for path in below_root[-1:] if path in inside]
    first = min(found, key=order, default=())
    beside = [path for path in counts if path[:-1] == first[:-1]]
    if first in with_text and with_text.issuperset(beside):
        return Records(tuple(path[-1] for path in beside), first[:-1])
    return Records(first[-1:])


def _elements_in(text: str) -> tuple[Counter[_Path], dict[_Path, dict[str, None]]]:
    """Count the elements of a text by their paths, and collect the names in each."""
    counts, inside, opened = Counter[_Path](), dict[_Path, dict[str, None]](), list[str]()
    for match in TAG.finditer(text):
        closes, name, is_empty = match[1], match[2], match[3]
        if closes:
            while opened and opened.pop() != name:
                pass
            continue
        path = (*opened, name)
        counts[path] += 1
        labelled = _NAME.search(match[0])
        for depth in range(1, len(path)):
            inside.setdefault(path[:depth], {})[labelled[1] if labelled else name] = None
        if not is_empty:
            opened.append(name)
    return counts, inside


def tables(source: Source) -> list[Table]:
    """Return the table of the records of a file; none without any."""
    records = records_of(source)
    if not records.names:
        return []
    reader = _Reader(source, records.names, parent=records.parent)
    head = [*_rows_of(reader.feed(source.head.decode(errors="ignore")), records)]
    labels = dict.fromkeys(label for row in head for label in row.cells)
    return [Table(source, [*labels], head, lambda: _rows_of(elements(source, *records), records), "lines")]


class XmlElement(NamedTuple):
    """Element of XML as it stands in a file."""

    name: str
    line: int  # on which it begins
    attributes: Mapping[str, str]
    texts: Mapping[str, list[str]]  # those of the elements in it by their names; "" is for text outside of them


def elements(source: AnyPath, names: Collection[str], parent: _Path = (), nested: bool = True) -> Iterator[XmlElement]:
    r"""Read the elements of an XML file that have one of these names, in lower case, and are in no other one.

    parent : the path of the element whose elements are read instead, whatever their names
    nested : whether each element in it has a text of its own, or the outermost have all; of one name, outer ones count

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "wt09.xml")
    >>> _ = path.write_text('<topics>\n<topic number="1"><query>obama</query></topic>\n</topics>')
    >>> [(each.line, each.attributes, each.texts["query"]) for each in elements(path, ["topic"])]
    [(2, {'number': '1'}, ['obama'])]
    """
    reader = _Reader(source, names, parent, nested)
    for _, block in text_blocks(source):
        yield from reader.feed(f"{block}\n")
    yield from reader.feed("", last=True)


def _rows_of(found: Iterable[XmlElement], records: Records) -> Iterator[Row]:
    """Yield elements as rows: their attributes, and the texts in them without runs of white space."""
    for name, line, attributes, texts_in in found:
        if records.parent and texts_in.keys() <= {""}:
            continue  # a mark beside the records, such as a resumptionToken
        cells: dict[str, Any] = {**attributes}
        for label, texts in texts_in.items():
            some = [" ".join(text.split()) for text in texts if text.strip()]
            if some:
                cells[label or name] = some[0] if len(some) == 1 else some
        yield Row(line, cells)


class _Reader:
    def __init__(self, source: AnyPath, names: Collection[str], parent: _Path = (), nested: bool = True) -> None:
        self.source, self.parent, self.nested = source, parent, nested
        self.names = {*map(str.lower, names)}
        self.parser = expat.ParserCreate("utf-8")  # the text is already decoded, whatever the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.words
        self.parser.EntityDeclHandler = self.refuse_entity
        self.finished: list[XmlElement] = []
        self.element: XmlElement | None = None
        self.outer: list[str] = []  # names of the elements that are open outside of it
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
            if tuple(self.outer) == self.parent if self.parent else name.lower() in self.names:
                self.element = XmlElement(name, self.parser.CurrentLineNumber, attributes, {})
                self.opened, self.depths = [], {}
            else:
                self.outer.append(name)
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
        if self.element is None:
            self.outer.pop()
            return
        if name.lower() in INLINE:
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
