"""Tables in XML: the element that occurs again and again is a row, the elements in it are its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple
from xml.parsers import expat

from toysearch.base import INLINE, JoinedText, groups_of, malformed
from toysearch.files.claims import Clues, What
from toysearch.files.columns import ByPart, is_prose, parts_of
from toysearch.files.source import AnyPath, Source, text_blocks
from toysearch.files.syntaxes.sgml import TAG
from toysearch.files.table import TEXT, Row, Table, text_of

_NAME = re.compile(r"\sname\s*=\s*[\"']([^\"']+)")
_NUMBER = re.compile(r"\d+")
_PARAGRAPH = "p"
_HTML = ("html", "head", "body")
_PROSE = ("abstract", "body", "content", "text")
_PARTS_OF_ARTICLES = ("response", "sub-article")
_DEEPEST = 64  # elements; no record lies deeper
_BLOCKS = {_PARAGRAPH, "sec", "section", "div"}


_Path = tuple[str, ...]
_TEXTS = {"title", "text"}  # parts


class Records(NamedTuple):
    """Elements that are the records of a file."""

    names: tuple[str, ...] = ()
    parent: _Path = ()  # the elements on the way to one that holds records alone, whatever their names; () if none does
    holders: frozenset[str] | None = frozenset()  # names of those in it that have all text within as theirs; None: all
    is_text: bool = False  # whether all text in one is its text
    texts: tuple[str, ...] = ()  # names of the elements whose texts are one: the abstract and the body of an article
    kinds: tuple[str, ...] = ()  # names of the other elements that occur again and have a title and a text
    groups: tuple[str, ...] = ()  # names of the elements around records, whose attributes these have


def claims(source: Source, clues: Clues) -> What | None:
    """Claim XML in which an element is repeated, or is alone, and has a title or a text."""
    listed = ", ".join(f"<{name}>" for name in records_of(source).names)
    return What(clues.role, "xml", f"its records are {listed}") if listed else None


def records_of(source: Source) -> Records:
    """Find the article of a file, else the outermost element that occurs again, or is the last one below the root.

    Repeated ones with a title or a text come first, then a single one, which may be what holds others.
    """
    counts, inside, n_prose, n_numbered = _elements_in(source.head.decode(errors="replace"))
    if not counts or next(iter(counts))[0].lower() in _HTML:
        return Records()
    children = groups_of((path[:-1], path) for path in counts)
    split = {path[-1] for path in inside if not _is_holder(path, inside[path], children[path])}
    holders = frozenset(path[-1] for path in inside) - split
    parts = {path: parts_of([*names]).keys() for path, names in inside.items()}
    with_text = {path for path in parts if _TEXTS & parts[path]}
    repeated = [path for path in parts if "text" in parts[path] and counts[path] > 1]
    wholes = [path for path in repeated if _plain(path[-1]) not in _PARTS_OF_ARTICLES]
    of_article = _prose_in(counts, inside)
    if article := _article_in(counts, of_article, wholes):
        return Records(article[-1:], holders=holders, texts=tuple(path[-1] for path in of_article))

    def order(path: _Path) -> tuple[bool, bool, int]:
        repeated = path in with_text and counts[path] > 1
        return not repeated, path not in with_text, len(path)

    found = [path for path in counts if len(path) > 1 and counts[path] > 1]
    found += [path for path in counts if len(path) == 2][-1:]
    first: _Path = min((path for path in found if path in inside or counts[path] > 1), key=order, default=())
    while counts[first] == 1 and len(inner := children.get(first, [])) == 1:
        is_wrapper = len(children[first[:-1]]) == 1 and first[-1].startswith(inner[0][-1])
        if first in with_text and not is_wrapper:
            break
        (first,) = inner  # <body> and <records> hold records
    named = {path: parts_of(path[-1:]).keys() for path in counts}
    prose = {path for path in counts if 2 * n_prose[path] > counts[path]}
    several = [path for path in inside if len(inside[path]) > 1]
    several += [path for path in prose if 10 * n_numbered[path] > 9 * counts[path] and not named[path]]  # as verses
    texts = {path for path in named if "text" in named[path]}
    titles = {path for path in named if "title" in named[path]}
    of_texts = {path[:-1]: texts | titles | prose for path in prose} | dict.fromkeys(repeated, texts)
    outermost = len(first)
    while grouped := [path for path in several if _is_group(first, path, counts, of_texts.get(path))]:
        first = grouped[0]
    groups = first[outermost - 1 : -1] if outermost else ()
    beside = [path for path in counts if path[:-1] == first[:-1]]
    is_part = any(path[-1] in inside.get(first, ()) for path in beside)  # such as a header of all, and of each
    apart = [path for path in repeated if "title" in parts[path] and path not in beside]
    apart = [path for path in apart if _common([path, first]) not in (path, first)]
    kinds = tuple(path[-1] for path in apart)
    records = Records(first[-1:], holders=holders, kinds=kinds, groups=groups)
    if first in with_text and with_text.issuperset(beside) and not is_part:
        return records._replace(names=tuple(path[-1] for path in beside), parent=first[:-1])
    return records


def _is_group(outer: _Path, inner: _Path, counts: Counter[_Path], texts: set[_Path] | None) -> bool:
    """True if elements of a path hold nothing but others, or each holds several, and none of some texts beside them.

    texts : None if the others have no text
    """
    if inner[: len(outer)] != outer or counts[inner] <= counts[outer]:
        return False
    within = [path for path in counts if path[: len(outer)] == outer and _common([path, inner]) not in (path, inner)]
    return not within or (texts is not None and counts[inner] >= 2 * counts[outer] and texts.isdisjoint(within))


def _is_holder(outer: _Path, names: Iterable[str], children: Iterable[_Path]) -> bool:
    """True if an element named like a title or a text has words and marks, not the parts of a record, within."""
    if not _TEXTS & parts_of(outer[-1:]).keys() or {"id", "text"} & parts_of([*names]).keys():
        return False
    is_abstract = _plain(outer[-1]) == "abstract"  # which may have a title of its own
    return is_abstract or "title" not in parts_of([path[-1] for path in children])


def _prose_in(counts: Counter[_Path], inside: Mapping[_Path, Iterable[str]]) -> list[_Path]:
    """Return the only elements of their paths that hold paragraphs or sections and are named like texts."""
    found = list[_Path]()
    for path in inside:
        is_outermost = _plain(path[-1]) in _PROSE and {*map(_plain, path[:-1])}.isdisjoint(_PROSE)
        if is_outermost and not _BLOCKS.isdisjoint(map(_plain, inside[path])):
            is_single = all(counts[path[:depth]] == 1 for depth in range(1, len(path) + 1))
            found += [path] if is_single else []
    return found


def _article_in(paths: Iterable[_Path], prose: Collection[_Path], repeated: Iterable[_Path]) -> _Path:
    """Return the element that has the title and the text of a file that is an article, as of JATS; () without one.

    repeated : elements with a text that occur again
    """
    if not prose or any(all(path[: len(one)] != one for one in prose) for path in repeated):
        return ()
    titles = (path for path in paths if "title" in parts_of(path[-1:]) and {*map(_plain, path)}.isdisjoint(_PROSE))
    return max((_common([title[:-1], *(path[:-1] for path in prose)]) for title in titles), key=len, default=())


def _common(paths: Iterable[_Path]) -> _Path:
    """Return the beginning that paths have in common."""
    names = takewhile(lambda alike: len({*alike}) == 1, zip(*paths, strict=False))
    return tuple(name for name, *_ in names)


def _plain(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _elements_in(text: str) -> tuple[Counter[_Path], dict[_Path, dict[str, None]], Counter[_Path], Counter[_Path]]:
    """Count the elements of a text by their paths, and collect the names in each; count prose and numbers."""
    counts, inside, opened = Counter[_Path](), dict[_Path, dict[str, None]](), list[str]()
    n_prose, n_numbered = Counter[_Path](), Counter[_Path]()
    last: dict[_Path, dict[str, int]] = {}  # path of the last element there → the number of the last one in it, by name
    for match in TAG.finditer(text):
        closes, name, is_empty = match[1], match[2], match[3]
        if closes:
            while opened and opened.pop() != name:
                pass
            continue
        if len(opened) >= _DEEPEST:
            continue
        path = (*opened, name)
        counts[path] += 1
        n_prose[path] += not is_empty and is_prose(text[match.end() : text.find("<", match.end())])
        siblings, last[path] = last.get(path[:-1], {}), {}
        numbers = _NUMBER.findall(match[0], len(name) + 1) if name.lower() not in _BLOCKS else []
        for number in map(int, numbers[-1:]):
            n_numbered[path] += siblings.get(name, number - 1) == number - 1
            siblings[name] = number
        labelled = _NAME.search(match[0])
        for depth in range(1, len(path)):
            inside.setdefault(path[:depth], {})[labelled[1] if labelled else name] = None
        if not is_empty:
            opened.append(name)
    return counts, inside, n_prose, n_numbered


def table_of(source: Source, columns: ByPart | None = None) -> Table | None:
    """Return the table of the records of a file, with those of other kinds that are like them; None without any."""
    records = records_of(source)
    if not records.names:
        return None
    table = _table(source, records, columns)
    others = {kind: _table(source, records._replace(names=(kind,), parent=()), columns) for kind in records.kinds}
    alike = [kind for kind, other in others.items() if table.is_like(other)]
    left_out = [kind for kind in others if kind not in alike]
    if alike:
        joined = _table(source, records._replace(names=(*records.names, *alike), parent=()), columns)
        table = joined.with_labels_of(parts_of(table.labels))
    return replace(table, beside=left_out)


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
        if records.parent and texts_in.keys() <= {""}:
            continue  # a mark beside the records, such as a resumptionToken
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
        parent, holders = self.records.parent, self.records.holders
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
        elif tuple(self.outer) == parent if parent else name.lower() in self.names:
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
