"""Exports in signs of their own, as objects: references, and bulk requests of Elasticsearch."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping

from toysearch.base import groups_of
from toysearch.files.source import Source, whole_text
from toysearch.files.table import Cells

_ENTRY = re.compile(r"^@\w+\s*\{\s*([^\s,{}=]+)\s*,", re.MULTILINE)
_FIELD = re.compile(r'([\w-]+)\s*=\s*(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|"((?:[^"{}]|\{[^{}]*\})*)"|(\w+))')
_TAGGED = re.compile(r"^([A-Z][A-Z\d]{1,3}) *- ?(.*(?:\n(?![A-Z][A-Z\d]{1,3} *-).*)*)", re.MULTILINE)
_RECORD_ENDS = re.compile(r"^ER *-.*\n", re.MULTILINE)
_BLANK = re.compile(r"^\s*\n", re.MULTILINE)
_TAGS = {"TI": "title", "T1": "title", "AB": "abstract", "N2": "abstract", "ID": "key"}
_ACCENT = re.compile(r"\\(?:([\"'`^~=.]|[cvHuk](?![A-Za-z]))\s*\{?\\?([A-Za-z])\}?|(ss)\b)")
"""Letter with an accent, or ß, as TeX writes it."""
_MARKS = dict(
    zip("\"'`^~=.cvHuk", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0327\u030c\u030b\u0306\u0328", strict=True)
)
_Records = Iterator[Cells]


def objects_in(source: Source) -> str | None:
    """Return the records of an export as JSON, an object on each line; None for any other file."""
    head = source.text.lstrip()
    read = next((reader for sign, reader in _READERS.items() if re.match(sign, head)), None)
    if read is None:
        return None
    try:
        return "\n".join(json.dumps(item, ensure_ascii=False) for item in read(whole_text(source))) or None
    except (ValueError, AttributeError):  # it only begins like one
        return None


def _of_bulk(text: str) -> _Records:
    """Read each action of a bulk request of Elasticsearch with the document on the next line."""
    items = [json.loads(line) for line in text.split("\n") if line.strip()]
    for action, document in zip(items[::2], items[1::2], strict=True):
        (named,) = action.values()
        yield ({"_id": named["_id"]} if "_id" in named else {}) | document


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


def _by_tag(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    cells = groups_of((_TAGS.get(tag, tag.lower()), text) for tag, text in pairs)
    return {label: "; ".join(texts) for label, texts in cells.items()}


_READERS: Mapping[str, Callable[[str], _Records]] = {
    r"\{\s*\"(?:index|create)\"\s*:\s*\{": _of_bulk,
    r"(?:\d+\.\s+)?(?:TY|PMID) *- ": _of_tags,
    r"(?:%.*\n\s*)*@\w+\s*\{": _of_bibtex,
}
"""Beginning of a file → its reader."""
