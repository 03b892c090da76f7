"""Records of exports in signs of their own, as objects: SQL, bulk requests, references, contacts, subtitles, blocks."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from toysearch.base import groups_of
from toysearch.files.source import Source, whole_text
from toysearch.files.syntaxes import id_lists
from toysearch.files.table import KEY, TEXT, VALUE, Cells

_NAME = r"([^\s(]+)"
_CREATED = re.compile(
    rf"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}\s*"
    r"\(((?:[^()']|'[^']*'|\((?:[^()]|\([^()]*\))*\))*)\)",
    re.IGNORECASE,
)
_INSERTED = re.compile(
    rf"^[ \t]*INSERT\s+(?:IGNORE\s+)?INTO\s+{_NAME}\s*(?:\(([^()]*)\)\s*)?VALUES", re.IGNORECASE | re.MULTILINE
)
_COPIED = re.compile(
    rf"^COPY\s+{_NAME}\s*\(([^()]*)\)\s*FROM\s+stdin;\n((?:(?!\\\.).*\n)*)", re.IGNORECASE | re.MULTILINE
)
_INSERT_ENDS = re.compile(r"\s*(?:;|\Z|ON\s|RETURNING\s)", re.IGNORECASE)
_OF_TABLE = re.compile(r"\s*(?:PRIMARY|UNIQUE|FOREIGN|FULLTEXT|CONSTRAINT|CHECK|KEY|INDEX)\b", re.IGNORECASE)
"""What stands among the columns of a table and is none."""
_TEXTS = (r"(?:[^']|'')*", r"(?:[^'\\]|\\.|'')*")
_PLAIN, _ESCAPED = (
    (
        re.compile(rf"[\s,]*\(((?:[^()']|'{text}'(?!')|\([^()]*\))*)\)", re.DOTALL),
        re.compile(rf"[EN]?'({text})'(?!')|([^\s,']+)", re.DOTALL),
    )
    for text in _TEXTS
)
"""Row, and text or word in it; in SQL of MySQL a backslash escapes."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "0": ""}
_ENTRY = re.compile(r"^@\w+\s*\{\s*([^\s,{}=]+)\s*,", re.MULTILINE)
_FIELD = re.compile(r'([\w-]+)\s*=\s*(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|"((?:[^"{}]|\{[^{}]*\})*)"|(\w+))')
_TAGGED = re.compile(r"^([A-Z][A-Z\d]{1,3}) *- ?(.*(?:\n(?![A-Z][A-Z\d]{1,3} *-).*)*)", re.MULTILINE)
_RECORD_ENDS = re.compile(r"^ER *-.*\n", re.MULTILINE)
_BLANK = re.compile(r"^\s*\n", re.MULTILINE)
_TAGS = {"TI": "title", "T1": "title", "AB": "abstract", "N2": "abstract", "ID": "key"}
_CARD = re.compile(r"^BEGIN:(VCARD|VEVENT|VTODO|VJOURNAL)\n(.*?)^END:\1", re.MULTILINE | re.DOTALL)
_FOLDED = re.compile(r"\n[ \t]|^BEGIN:VALARM.*?^END:VALARM\n", re.MULTILINE | re.DOTALL)
"""What goes on on the next line, or reminds of an event."""
_PROPERTY = re.compile(r"^(?:\w+\.)?([\w-]+)(?:;(?:\"[^\"]*\"|[^:\n])*)?:(.*\S)", re.MULTILINE)
_TAGS |= {"FN": "title", "SUMMARY": "title", "NOTE": "text", "DESCRIPTION": "text", "UID": "id"}
_ACCENT = re.compile(r"\\(?:([\"'`^~=.]|[cvHuk](?![A-Za-z]))\s*\{?\\?([A-Za-z])\}?|(ss)\b)")
"""Letter with an accent, or ß, as TeX writes it."""
_MARKS = dict(
    zip("\"'`^~=.cvHuk", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0327\u030c\u030b\u0306\u0328", strict=True)
)
_CUE = re.compile(r"(\d[\d:.,]+) --> (\S+).*\n((?:(?!(?:\d+\s*\n)?\d[\d:.,]+ -->).*\S.*(?:\n|\Z))*)")
_MARKUP = re.compile(r"<[^<>]*>")
_Records = Iterator[Cells]


def objects_in(source: Source, roles: Sequence[str]) -> str | None:
    """Return the records of an export as JSON: an object on each line, or one; None for any other file.

    roles : those it may have; only documents and queries are texts in blocks, and only a run or judgments nested XML
    """
    readers: dict[str, Callable[[str], Iterable[Cells]]] = {
        r"\{": _of_bulk,
        r"(?:\d+\.\s+)?(?:TY|PMID) *- ": _of_tags,
        "BEGIN:V": _of_cards,
        r"(?:%.*\n\s*)*@": _of_bibtex,
        r"(?:WEBVTT|\d+\s*\n\d[\d:.,]+ -->)": _of_cues,
        r"(?i)--|/\*|(?:PRAGMA|BEGIN|SET|DROP|CREATE|INSERT|COPY)\s": _of_sql,
    }
    if not {"documents", "queries"}.isdisjoint(roles):
        readers[r"(?:[^\W\d_]+[ \t]+)?\d+\s*\n"] = lambda _: _of_blocks(source)
    else:
        readers["<"] = _of_xml
    head = source.text.lstrip()
    read = next((reader for sign, reader in readers.items() if re.match(sign, head)), None)
    if read is None:
        return None
    text = whole_text(source)
    try:
        return "\n".join(json.dumps(item, ensure_ascii=False) for item in read(text)) or None
    except (ValueError, TypeError, AttributeError, ElementTree.ParseError):  # it only begins like one
        return None


def _of_blocks(source: Source) -> _Records:
    for row in id_lists.texts_in_blocks(source):
        yield {"id": row.cells[KEY], "text": " ".join(row.cells[VALUE])}


def _of_bulk(text: str) -> _Records:
    """Read each action of a bulk request of Elasticsearch with the document on the next line."""
    items = [json.loads(line) for line in text.split("\n") if line.strip()]
    for action, document in zip(items[::2], items[1::2], strict=True):
        (named,) = action.values()
        yield ({"_id": named["_id"]} if "_id" in named else {}) | document


def _of_xml(text: str) -> _Records:
    if "<!ENTITY" in text:
        raise ValueError("found an entity")
    yield {"xml": _nested(ElementTree.fromstring(text))}


def _nested(element: ElementTree.Element) -> Any:
    """Return an element as an object of its attributes and lists of its elements; one without any is its text."""
    inside = groups_of((child.tag, _nested(child)) for child in element)
    texts = {tag: items[0] if [*map(type, items)] == [str] else items for tag, items in inside.items()}
    cells, text = {**texts, **element.attrib}, (element.text or "").strip()
    return {**cells, TEXT: text} if cells and text else cells or text


def _of_sql(text: str) -> _Records:
    """Read the rows that a dump of a database inserts or copies, by table."""
    columns, tables = dict[str, list[str]](), dict[str, list[Cells]]()
    for name, body in _CREATED.findall(text):
        parts = re.sub(r"'[^']*'|\((?:[^()]|\([^()]*\))*\)", "", body).split(",")
        columns[_plain(name)] = [_plain(part.split()[0]) for part in parts if not _OF_TABLE.match(part)]
    found = [(match[1], match[2], _values(text, match.end())) for match in _INSERTED.finditer(text)]
    found += [(name, labels, _copied(lines)) for name, labels, lines in _COPIED.findall(text)]
    for name, listed, rows in found:
        table = _plain(name)
        labels = [*map(_plain, listed.split(","))] if listed else columns.get(table)
        for row in rows:
            names = labels or [f"column_{place}" for place in range(1, len(row) + 1)]
            tables.setdefault(table, []).append(dict(zip(names, row, strict=True)))
    yield from [tables] if tables else []


def _plain(name: str) -> str:
    """Return a name of SQL without its schema and its marks."""
    return name.strip().rpartition(".")[2].strip('`"[]')


def _copied(lines: str) -> Iterator[list[Any]]:
    for line in lines.splitlines():
        yield [None if cell == "\\N" else _ESCAPE.sub(_meant, cell) for cell in line.split("\t")]


def _values(text: str, place: int) -> Iterator[list[Any]]:
    """Yield the rows behind VALUES."""
    row, cell = _ESCAPED if "`" in text else _PLAIN
    while match := row.match(text, place):
        place = match.end()
        yield [_written(*found, escaped=row is _ESCAPED[0]) for found in cell.findall(match[1])]
    if not _INSERT_ENDS.match(text, place):
        raise ValueError("found a row in other signs")


def _written(text: str, word: str, *, escaped: bool) -> Any:
    """Return the text between quotation marks, or a word."""
    if word:
        return None if word.upper() == "NULL" else word
    text = text.replace("''", "'")
    return _ESCAPE.sub(_meant, text) if escaped else text


def _meant(match: re.Match[str]) -> str:
    return _SIGNS.get(match[1], match[1])


def _of_bibtex(text: str) -> _Records:
    _, *parts = _ENTRY.split(text)
    for key, fields in zip(parts[::2], parts[1::2], strict=True):
        found = {name.lower(): _ACCENT.sub(_accented, "".join(some)) for name, *some in _FIELD.findall(fields)}
        cells = {name: " ".join(re.sub("[{}]", "", text).split()) for name, text in found.items()}
        yield {"id": key, **cells}


def _accented(match: re.Match[str]) -> str:
    return "ß" if match[3] else unicodedata.normalize("NFC", match[2] + _MARKS[match[1]])


def _of_tags(text: str) -> _Records:
    """Read references with a tag on each line, as of RIS and PubMed."""
    ends = _RECORD_ENDS if _RECORD_ENDS.search(f"{text}\n") else _BLANK  # those of PubMed have no tag at their end
    for record in filter(str.strip, ends.split(f"{text}\n")):
        yield _by_tag((tag, " ".join(words.split())) for tag, words in _TAGGED.findall(record))


def _of_cards(text: str) -> _Records:
    """Read contacts and events, with a property on each line."""
    for _, lines in _CARD.findall(_FOLDED.sub("", text)):
        yield _by_tag((tag, _ESCAPE.sub(_meant, value)) for tag, value in _PROPERTY.findall(lines))


def _by_tag(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    cells = groups_of((_TAGS.get(tag, tag.lower()), text) for tag, text in pairs)
    return {label: "; ".join(texts) for label, texts in cells.items()}


def _of_cues(text: str) -> _Records:
    """Read the cues of subtitles."""
    for start, end, words in _CUE.findall(text):
        yield {"start": start, "end": end, "text": " ".join(_MARKUP.sub("", words).split())}
