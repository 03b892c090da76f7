"""Tables in XML: the element that occurs again and again is a row, the elements in it are its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from xml.parsers import expat

from toysearch.base import INLINE, malformed
from toysearch.files.claims import Clues, What
from toysearch.files.columns import parts_of
from toysearch.files.source import Source, text_blocks
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
    head = _Records(source, name).feed(source.head.decode(errors="ignore"))
    labels = dict.fromkeys(label for row in head for label in row.cells)
    return [Table(source, [*labels], head, lambda: _rows(source, name), "lines", name=name)]


def _rows(source: Source, name: str) -> Iterator[Row]:
    records = _Records(source, name)
    for _, block in text_blocks(source):
        yield from records.feed(f"{block}\n")
    yield from records.feed("", last=True)


class _Records:
    """Reader of the records, each with the text of the elements in it; of one name, only the outer ones count."""

    def __init__(self, source: Source, name: str) -> None:
        self.source, self.name = source, name
        self.parser = expat.ParserCreate("utf-8")  # the text is already decoded, whatever the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.words
        self.parser.EntityDeclHandler = self.refuse_entity
        self.finished: list[Row] = []
        self.line = 0  # on which the record begins; 0 outside of one
        self.opened: list[str] = []  # the labels of the elements in it, the innermost last
        self.found: dict[str, tuple[int, list[str]]] = {}  # label → its depth, its texts

    def feed(self, text: str, last: bool = False) -> Sequence[Row]:
        self.finished = []
        try:
            self.parser.Parse(text.encode(), last)
        except expat.ExpatError as error:
            problem = f"expected well-formed XML; {expat.ErrorString(error.code)} at column {error.offset + 1}"
            raise malformed(self.source, error.lineno, problem) from None
        return self.finished

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.line:
            if name == self.name:
                self.line, self.opened = self.parser.CurrentLineNumber, []
                self.found = {label: (0, [value]) for label, value in attributes.items()}
        elif name.lower() == _PARAGRAPH:
            self.words(" ")
        elif name.lower() not in INLINE:
            self.opened.append(attributes.get("name", name))
            self.begin(len(self.opened))

    def begin(self, depth: int) -> None:
        """Begin a text of the innermost element, unless an outer one of the same name has some."""
        label = self.opened[-1]
        at, texts = self.found.setdefault(label, (depth, []))
        if depth < at:
            texts = []
            self.found[label] = depth, texts
        if depth <= at:
            texts.append("")

    def end(self, name: str) -> None:
        if not self.line or name.lower() in INLINE:
            return
        if name.lower() == _PARAGRAPH:
            self.words(" ")
        elif self.opened:
            self.opened.pop()
        else:
            cells: dict[str, Any] = {}
            for label, (_, texts) in self.found.items():
                some = [" ".join(text.split()) for text in texts if text.strip()]
                cells[label] = some[0] if len(some) == 1 else some
            self.finished.append(Row(self.line, {label: cell for label, cell in cells.items() if cell}))
            self.line = 0

    def words(self, text: str) -> None:
        if self.line:
            label = self.opened[-1] if self.opened else self.name
            at, texts = self.found.setdefault(label, (len(self.opened), [""]))
            if at == len(self.opened):
                texts[-1] += text

    def refuse_entity(self, name: str, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        problem = f"expected XML that declares no entities, found one named '{name[:60]}'; write out its text"
        raise malformed(self.source, line, problem)
