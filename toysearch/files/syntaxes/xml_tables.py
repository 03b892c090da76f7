"""Tables in XML: each element of a known or a named kind is a row, the elements in it are its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from xml.parsers import expat

from toysearch.base import INLINE, JoinedText, groups_of, malformed
from toysearch.files.claims import Clues, What
from toysearch.files.columns import ByPart, parts_of
from toysearch.files.source import AnyPath, Source, text_blocks
from toysearch.files.syntaxes.sgml import TAG
from toysearch.files.table import TEXT, Row, Table, text_of

_NAME = re.compile(r"\sname\s*=\s*[\"']([^\"']+)")
_PARAGRAPH = "p"
_HTML = ("html", "head", "body")
_PROSE = ("abstract", "body", "content", "text")
RECORDS = (
    *("page", "pubmedarticle", "article", "tei", "record", "entry", "item", "document", "doc", "row", "product"),
    *("post", "verse", "tu", "trans-unit", "outline"),
)
"""Names of elements that are records: the first that a file has."""
_DEEPEST = 64  # elements; no record lies deeper
_BLOCKS = {_PARAGRAPH, "sec", "section", "div"}


_Path = tuple[str, ...]
_TEXTS = {"title", "text"}  # parts


class Records(NamedTuple):
    """Elements that are the records of a file."""

    names: tuple[str, ...] = ()
    holders: frozenset[str] | None = frozenset()  # names of those in it that have all text within as theirs; None: all
    is_text: bool = False  # whether all text in one is its text
    texts: tuple[str, ...] = ()  # names of the elements whose texts are one: the abstract and the body of an article
    groups: tuple[str, ...] = ()  # names of the elements around records, whose attributes these have
    beside: tuple[str, ...] = ()  # names of the elements beside records that have a title or a text too


def claims(source: Source, clues: Clues) -> What | None:
    """Claim XML with an element that is known, or named, as a record."""
    listed = ", ".join(f"<{name}>" for name in records_of(source).names)
    return What(clues.role, "xml", f"its records are {listed}") if listed else None


def records_of(source: Source) -> Records:
    """Find the element that the user names, else the first that is known; no records without one."""
    counts, inside = _elements_in(source)
    found: dict[str, _Path] = {}
    for path in sorted(counts, key=len):
        found.setdefault(_plain(path[-1]), path)
    named = source.reading.records
    names = (_plain(named),) if named else RECORDS
    first: _Path = next((found[name] for name in names if name in found), ())
    if not first:
        return Records()
    children = groups_of((path[:-1], path) for path in counts)
    split = {path[-1] for path in inside if not _is_holder(path, inside[path], children[path])}
    holders = frozenset(path[-1] for path in inside) - split
    siblings = (path for path in counts if path[:-1] == first[:-1] != () and path != first)
    beside = tuple(path[-1] for path in siblings if _TEXTS & parts_of([*inside.get(path, ())]).keys())
    prose = [path for path in inside if path[: len(first)] == first and _plain(path[-1]) in _PROSE]
    texts = tuple(path[-1] for path in prose if not _BLOCKS.isdisjoint(map(_plain, inside[path])))
    is_article = _plain(first[-1]) == "article" and "body" in map(_plain, texts)
    return Records(first[-1:], holders, texts=texts * is_article, groups=first[1:-1], beside=beside)


def likely_records(source: Source) -> list[str]:
    """Return the names of at most two elements that may be the records of a file: with texts, and outermost."""
    counts, inside = _elements_in(source) if source.head.lstrip().startswith(b"<") else (Counter[_Path](), {})
    with_text = {path for path in inside if _TEXTS & parts_of([*inside[path]]).keys()}
    several = [path for path in counts if len(path) > 1 and counts[path] > 1]
    several = [path for path in several if path in inside] or several
    several.sort(key=lambda path: (path not in with_text, len(path)))
    return [*dict.fromkeys(path[-1] for path in several)][:2]


def _is_holder(outer: _Path, names: Iterable[str], children: Iterable[_Path]) -> bool:
    """True if an element named like a title or a text has words and marks, not the parts of a record, within."""
    if not _TEXTS & parts_of(outer[-1:]).keys() or {"id", "text"} & parts_of([*names]).keys():
        return False
    is_abstract = _plain(outer[-1]) == "abstract"  # which may have a title of its own
    return is_abstract or "title" not in parts_of([path[-1] for path in children])


def _plain(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _elements_in(source: Source) -> tuple[Counter[_Path], dict[_Path, dict[str, None]]]:
    """Count the elements at the beginning of a file by their paths, and collect the names in each; none of HTML."""
    counts, inside, opened = Counter[_Path](), dict[_Path, dict[str, None]](), list[str]()
    for match in TAG.finditer(source.head.decode(errors="replace")):
        closes, name, is_empty = match[1], match[2], match[3]
        if closes:
            while opened and opened.pop() != name:
                pass
            continue
        if len(opened) >= _DEEPEST:
            continue
        path = (*opened, name)
        if not counts and name.lower() in _HTML:
            break
        counts[path] += 1
        labelled = _NAME.search(match[0])
        for depth in range(1, len(path)):
            inside.setdefault(path[:depth], {})[labelled[1] if labelled else name] = None
        if not is_empty:
            opened.append(name)
    return counts, inside


def table_of(source: Source, columns: ByPart | None = None) -> Table | None:
    """Return the table of the records of a file; None without any."""
    records = records_of(source)
    return replace(_table(source, records, columns), beside=[*records.beside]) if records.names else None


def _table(source: Source, records: Records, columns: ByPart | None) -> Table:
    head = [*_Reader(source, records).feed(source.head.decode(errors="ignore"))]
    rows = [*_rows_of(head, records)]
    labels = [*dict.fromkeys(label for row in rows for label in row.cells)]
    has_words = any(any(map(str.strip, each.words)) for each in head)
    if has_words and not records.is_text and not _TEXTS & parts_of(labels, columns).keys():
        return _table(source, records._replace(is_text=True), columns)
    called = f"all text of <{records.names[0]}>" if records.is_text else " + ".join(records.texts)
    table = Table(source, labels, rows, lambda: _rows_of(elements(source, records), records), "lines")
    return replace(table, called={TEXT: called}) if called else table


class XmlElement(NamedTuple):
    """Element of XML as it stands in a file."""

    name: str
    line: int  # on which it begins
    attributes: Mapping[str, str]
    texts: Mapping[str, list[str]]  # those of the elements in it by their names; "" is for text outside of them
    words: list[str]  # all that is in it, in pieces


def elements(source: AnyPath, records: Records) -> Iterator[XmlElement]:
    r"""Read the elements of an XML file that have one of some names, in any case, and are in no other one.

    Of the texts of one name in it, the outer ones count.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "wt09.xml")
    >>> _ = path.write_text('<topics>\n<topic number="1"><query>obama</query></topic>\n</topics>')
    >>> [(each.line, each.attributes, each.texts["query"]) for each in elements(path, Records(("topic",)))]
    [(2, {'number': '1'}, ['obama'])]
    """
    reader = _Reader(source, records)
    for _, block in text_blocks(source):
        yield from reader.feed(f"{block}\n")
    yield from reader.feed("", last=True)


def _rows_of(found: Iterable[XmlElement], records: Records) -> Iterator[Row]:
    """Yield elements as rows: their attributes, and the texts in them without runs of white space."""
    for name, line, attributes, texts_in, words in found:
        cells: dict[str, Any] = {**attributes}
        for label, texts in texts_in.items():
            some = [" ".join(text.split()) for text in texts if text.strip()]
            if some:
                cells[label or name] = some[0] if len(some) == 1 else some
        if records.is_text:
            cells = {**attributes, TEXT: " ".join("".join(words).split())}
        elif any(label in cells for label in records.texts):
            parts = (text_of(cells.pop(label, None)) for label in records.texts)
            cells[TEXT] = JoinedText.joined(filter(None, parts))
        yield Row(line, cells)


class _Reader:
    def __init__(self, source: AnyPath, records: Records) -> None:
        self.source, self.records = source, records
        self.names = {*map(str.lower, records.names)}
        self.parser = expat.ParserCreate("utf-8")  # the text is already decoded, whatever the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.refuse_entity
        self.finished: list[XmlElement] = []
        self.element: XmlElement | None = None
        self.texts: dict[str, list[str]] = {}  # of the element
        self.around: dict[str, dict[str, str]] = {}  # name of a group → its attributes, by their names behind its own
        self.outer: list[str] = []  # names of the elements that are open outside of it
        self.opened: list[str] = []  # names of the elements in it that are open, the innermost last
        self.marks: list[bool] = []  # of all elements in it that are open: whether their text is that of an outer one
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
        holders = self.records.holders
        if self.element is not None and name == self.element.name and self._has_attributes_alone(self.element):
            self.finished.append(self.element)  # as an outline that holds others
            self.outer.append(name)
            self.element = None
        if self.element is not None:
            if name.lower() in INLINE:
                return
            self.characters(" ")
            if holders is None:
                is_part = bool(self.opened)
            else:
                is_part = name.lower() == _PARAGRAPH or not holders.isdisjoint(self.opened[-1:])
            self.marks.append(is_part)
            if not is_part:
                self.begin(attributes.get("name", name))
        elif name.lower() in self.names:
            for inherited in self.around.values():
                attributes = {**attributes, **inherited}
            self.opened, self.marks, self.depths, self.texts = [], [], {}, {}
            self.element = XmlElement(name, self.parser.CurrentLineNumber, attributes, self.texts, [])
        else:
            self.outer.append(name)
            if name in self.records.groups:
                self.around[name] = {f"{name}.{label}": text for label, text in attributes.items()}

    def _has_attributes_alone(self, element: XmlElement) -> bool:
        is_empty = not self.marks and not "".join(element.words).strip()
        return is_empty and bool(_TEXTS & parts_of([*element.attributes]).keys())

    def begin(self, label: str) -> None:
        """Begin a text, unless an outer one of the same name has some."""
        self.opened.append(label)
        depth = len(self.opened)
        at = self.depths.setdefault(label, depth)
        if depth < at:
            self.texts[label], self.depths[label] = [], depth
        if depth <= at:
            self.texts.setdefault(label, []).append("")

    def end(self, name: str) -> None:
        if self.element is None:
            self.outer.pop()
        elif name.lower() in INLINE:
            return
        elif not self.marks:
            self.finished.append(self.element)
            self.element = None
        else:
            if not self.marks.pop():
                self.opened.pop()
            self.characters(" ")

    def characters(self, text: str) -> None:
        if self.element is None:
            return
        self.element.words.append(text)
        label, depth = self.opened[-1] if self.opened else "", len(self.opened)
        if not depth or self.depths[label] == depth:
            self.texts.setdefault(label, [""])[-1] += text

    def refuse_entity(self, name: str, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        problem = f"expected XML that declares no entities, found one named '{name[:60]}'; write out its text"
        raise malformed(self.source, line, problem)
