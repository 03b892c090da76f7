"""JSON Lines and arrays of objects: one record per object."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from toysearch.base import DataError, JoinedText, bordered, counted, encodable, malformed, note, unknown, without_html
from toysearch.files import (
    Record,
    RecordFile,
    field_names,
    holds_text,
    listed_labels,
    parts_of,
    plain_label,
    without_text,
)
from toysearch.files.claims import NOTEBOOK, Clues, What, named_like_text
from toysearch.files.columns import (
    OF_WORDS,
    TableHead,
    is_prose,
    named_like,
    names_query,
    parts_inside,
    role_by_id,
    words_of,
)
from toysearch.files.encodings import mended_bytes
from toysearch.files.labels import DESCRIPTIONS, KINDS, NO_TITLES, PERHAPS_IDS
from toysearch.files.nested_fields import inner_texts, nested_texts, reached, unwrapped
from toysearch.files.record_tables import record_table
from toysearch.files.source import AnyPath, Source, raw_lines, source_of, tell_replaced
from toysearch.files.syntaxes.json_tables import (
    is_line,
    is_one_object,
    object_lines,
    tables,
)
from toysearch.files.syntaxes.trec import LOOKED_AT
from toysearch.files.table import Cells, Table, text_of
from toysearch.files.unpacking import table_name

_ARRAY = re.compile(rb"\s*\[\s*[{\"]")
_LIKE_JSON = re.compile(rb"\s*(?:\{|\[[\s\[]*(?:[{\"\]]|[\d.eE+-]+\s*,|(?:true|false|null)\b|\Z))")
_OF_RECORDS = ("metadata", "meta")
"""Keys of the object that describes the text beside it."""
_TEXTS = {str}
_Raw: TypeAlias = bytes | str | Cells  # of a line, a problem, or a row
_CERTAIN = [{name, "text"} for name in ("_id", "id", "doc_id", "docno")]  # names that no run and no judgments have


def certain_documents(source: Source) -> What | None:
    r"""Claim lines that can be nothing but documents: each an object of texts, under an id, text and perhaps title.

    >>> certain_documents(Source("corpus.jsonl", data=b'{"_id": "1", "text": "a cat"}\n')).form
    'beir'
    """
    lines = filter(str.strip, source.text.split("\n"))
    try:
        items = [json.loads(line) for line in itertools.islice(lines, LOOKED_AT)]
    except (ValueError, RecursionError):
        return None
    keys = [*items[0]] if items and isinstance(items[0], dict) else []
    are_alike = all(isinstance(item, dict) and [*item] == keys for item in items)
    are_texts = are_alike and all({*map(type, item.values())} == _TEXTS for item in items)
    is_known = {*keys} - {"title"} in _CERTAIN
    return What("documents", _form(source.path, keys), keys) if is_known and are_texts else None


def _form(name: str, keys: Iterable[str]) -> str:
    """Return the format of objects with these keys in a file: BEIR's by the name that it has there."""
    is_beir = {"_id", "text"} <= {*keys} and re.match(r"(?:.*/)?(?:corpus|queries)\.", name)
    return "beir" if is_beir else "jsonl"


def claims(source: Source, clues: Clues) -> What | None:
    """Claim JSON with an object per line, or records in one object, but neither a text in brackets nor a notebook."""
    if named_like_text(clues.name, (NOTEBOOK,)):
        return None
    rows, found = clues.rows, tables(source)
    head = found[0].head
    item = head[0].cells if head else {}
    labels = clues.columns.get(clues.place or "documents", {}).values()
    present = [label for label in labels if reached(item, label) is not None]
    if present and (len(present) == len(labels) or any("." in label for label in present)):
        return What(clues.role, "jsonl", "its first object has the keys that are named")
    parts = parts_of([*item])
    texts_beside_lists = list in map(type, item.values()) and {"title", "text"} & parts.keys()
    may_be_rows = clues.place and (rows.role in ("qrels", "run") or rows.form == "lines")
    is_described = rows.form == "lines" and not {*map(plain_label, item)}.isdisjoint(DESCRIPTIONS)
    if may_be_rows and (texts_beside_lists or is_described or record_table(source, clues.place)):
        return What(clues.place, "jsonl", [*item])
    is_described = "title" in parts and not names_query(parts.get("text", "query")) and not rows.role
    is_text = is_described or (rows.role in ("run", "") and holds_text(item))  # like a table of hits
    if rows.form == "lines" and not is_text:
        return rows._replace(form="jsonl")
    if not head:
        may_be = _LIKE_JSON.match(source.head) and not named_like_text(clues.name)
        return What(clues.role, "jsonl", "it begins like JSON") if may_be else None
    if rows.form == "json" and (rows.role or not record_table(source, clues.role)):
        return rows._replace(form="")
    is_file = clues.name.lower().removesuffix(".gz").endswith(".json")
    is_one = is_file and is_one_object(source)
    is_sure = bool(labels) or not is_one or _has_text(source, item)
    return What(role_by_id(item) or clues.role, _form(clues.name, item), [*item], sure=is_sure)


def _has_text(source: Source, item: Cells) -> bool:
    """True if the only object of a file holds records, an id, or a text, and not only values such as settings."""
    table = record_table(source, "documents")
    cells = table.head[0].cells if table else item
    known = {"id", "text"} & (parts_of([*cells]).keys() | parts_inside(cells).keys())
    is_numbered = known or any(plain_label(label) in PERHAPS_IDS for label in cells)
    return bool(is_numbered or (table and len(table.head) > 1) or any(map(is_prose, cells.values())))


def claims_texts(source: Source, clues: Clues) -> What | None:
    """Claim JSON Lines of texts."""
    is_json = table_name(clues.name.lower()).endswith((".json", ".jsonl", ".ndjson"))
    return What(clues.role, "jsonl", "its lines are texts of JSON") if is_json else None


def _have_texts(source: Source) -> bool:
    """True for objects on lines of which the first two have a text: no list in them holds the records."""
    try:
        first, second = map(json.loads, source.lines[:2])
    except (ValueError, RecursionError):  # also where there is one line
        return False
    return all(isinstance(item, dict) and "text" in parts_of([*item]) for item in (first, second))


_FEW = 500  # objects; for so few, importing a fast parser does not pay
_WEIGHTS = "vector"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read_jsonl(file: RecordFile) -> Iterator[Record]:
    """Read the records of a JSON Lines file, or of an array of JSON objects: documents or queries."""
    # Each line, or each element of the array, is an object. The first object decides which key holds the id (`_id`,
    # `id`, `doc_id`, …: a string or a whole number) and which the text (`text`, `body`, …); the title may first occur
    # later. Without an id the objects are numbered from 1, and a line says so. The other keys are fields too: strings
    # unchanged, numbers, true and false as JSON writes them, lists of strings joined by blanks; null is left out; an
    # object such as MongoDB's {"$oid": "65f0"} is its value, and what is in any other, or in those of a list, has its
    # dotted key. Objects may also stand one after the other, over several lines, or in the only list of an object.
    # Without a text an object has an empty one, and a note counts these; if none has a key for it, the title is
    # searched. Blank lines are skipped. A lone surrogate, which no file can hold as text, becomes U+FFFD; a note says
    # how many.
    path = source_of(file.source)
    is_certain = not file.columns and (_have_texts(path) or certain_documents(path) is not None)
    table = None if is_certain else record_table(path, file.role, file.columns)
    if path.stem:  # in a folder
        is_one = is_one_object(path) if table is None else len(table.head) == 1
        file.stem = path.stem if is_one else ""
    objects = _Objects(file, table)
    rows: Iterable[tuple[int, _Raw]]
    with contextlib.ExitStack() as stack:
        if table:
            rows = ((row.line, row.problem or row.cells) for row in table.rows())
        elif is_certain or (not _ARRAY.match(path.head) and is_line(next(iter(path.lines), ""))):
            rows = enumerate(raw_lines(path, stack.enter_context(path.open())), 1)
        else:
            rows = ((number, text.encode(errors="surrogatepass")) for number, text in object_lines(path))
        yield from file.records(rows, objects.record, _as_text)
    if objects.broken or (path.begun.encoding and not table):
        tell_replaced(path, objects.broken)
    if not file.count:
        raise DataError(f"{path} holds no record; expected one JSON object per line, with _id and text")
    named = file.columns.get("title", "")
    if named and plain_label(named) != plain_label(objects.parts.get("title", "")):
        note(f"{path}: no object has the key '{named}', which was named for the title")
    file.take([*objects.labels], objects.parts, objects.called)
    if table and table.beside and file.role == "documents":
        file.remark = f"not read: {listed_labels(table.beside, '')}"
    if "text" in objects.parts and objects.without_text:
        note(f"{path}: {counted(objects.without_text, 'record')} without a text")
    if objects.surrogates:
        note(f"{path}: {counted(objects.surrogates, 'lone surrogate')} read as U+FFFD")


def _as_text(raw: _Raw) -> str:
    """Return an object as it stands in the file."""
    return mended_bytes(raw)[0].rstrip("\r\n") if isinstance(raw, bytes) else json.dumps(raw, ensure_ascii=False)


class _Objects:
    def __init__(self, file: RecordFile, table: Table | None) -> None:
        self._table = table  # whose rows they are; None for those of lines or of an array
        self.parts: dict[str, str] = {}  # part → its key, in the objects so far
        self.labels: dict[str, None] = {}  # their keys
        self.surrogates = self.broken = 0  # lone surrogates, and sequences that are not UTF-8
        self.without_text = 0
        self.called = {**table.called} if table else {}
        self._file, self._path = file, file.source
        self._keys: tuple[str, ...] = ()  # of the last object
        self._id_key: str | None = None  # if such an object of texts is its fields, but for the id
        self._layouts: dict[tuple[str, ...], tuple[dict[str, str], dict[str, str]]] = {}  # labels → parts and names
        self._dotted = [label for label in file.columns.values() if "." in label]
        self._loads: Callable[[bytes], Any] = lambda _: None

    def record(self, number: int, raw: _Raw) -> Record | None:
        if isinstance(raw, str):
            raise malformed(self._path, number, raw)
        if not isinstance(raw, bytes):
            return self._record(number, dict(raw), escaped=True)
        try:
            item = self._loads(raw)
        except ValueError:  # the Python parser reads it, or says what is wrong
            item = None
        if (
            type(item) is dict
            and tuple(item) == self._keys
            and item.get(self._id_key)
            and {*map(type, item.values())} == _TEXTS
        ):  # true of nearly all lines
            self._file.count += 1
            return number, item.pop(self._id_key), item
        escaped = False
        if type(item) is not dict or not _same(item):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line, bad = mended_bytes(raw)
                self.broken += bad
            if not line.strip():
                return None
            is_text = self._keys in ((), ("text",))
            item = _object(self._path, number, line.rstrip("\r\n"), is_text)
            escaped = "\\ud" in line or "\\uD" in line
        return self._record(number, item, escaped)

    def _record(self, number: int, item: dict[str, Any], escaped: bool) -> Record:
        """Make the record of an object; escaped: whether it may hold lone surrogates."""
        item = _cleaned(item)
        for label in self._dotted:
            if label not in item and (value := reached(item, label)) is not None:
                item[label] = value
        self._join(item)
        if not self._file.count:
            self._begin(number, item)
        self._file.count += 1
        if self._file.count == _FEW:
            with contextlib.suppress(ImportError):  # without it, the Python parser reads everything
                import orjson  # it agrees but for some numbers, and refuses NaN and lone surrogates

                self._loads = orjson.loads
        record_id, texts = self._id_of(number, item), self._texts_of(item)
        parts, names = self._layout(tuple(texts), tuple(item))
        fields = self._file.with_parts({names[label]: text for label, text in texts.items()}, parts)
        if "text" in self.parts:
            fields.setdefault("text", "")
        self.without_text += not fields.get("text") and item.get(self.parts.get("text", "")) is None
        if escaped:
            record_id, fields, replaced = mended(record_id, fields)
            self.surrogates += replaced
        return number, record_id, fields

    def _begin(self, number: int, item: dict[str, Any]) -> None:
        """Choose the id of all objects by the keys of the first one."""
        columns = self._file.columns
        texts = self._texts_of(item)
        for part in ("id", "text"):
            if part in columns and columns[part] not in item:
                raise malformed(self._path, number, str(unknown("key", columns[part], {**item, **texts})))
        label = self._file.parts([*texts, *(key for key in item if isinstance(item[key], list))]).get("id", "")
        value = reached(item, label)
        if label in columns.values() or (
            value is not None and not (isinstance(value, list) and ("." in label or self._table))
        ):
            self.parts["id"] = label
        if not self._layout(tuple(texts), ())[0] and not self._has_later_texts():
            head = TableHead({label: [text] for label, text in texts.items()})
            raise malformed(self._path, number, without_text(head, self.parts, "key", "a key", self._file.role))
        if "." in label and label in self.parts.values():
            self._dotted.append(label)
            item[label] = value

    def _has_later_texts(self) -> bool:
        """True if one of the first objects has a text that the first one lacks."""
        found = [self._table] if self._table else tables(source_of(self._path))[:1]
        heads = [self._texts_of(row.cells) for table in found for row in table.head]
        return bool(self._file.parts([*dict.fromkeys(label for head in heads for label in head)], id=""))

    def _id_of(self, number: int, item: Cells) -> str:
        key = self.parts.get("id")
        if key is None:
            return self._file.numbered()
        if self._file.unnamed and item.get(key) in (None, ""):
            return self._file.name_of(number)
        if key not in item:
            raise malformed(self._path, number, f"expected the key {key}, found {listed_labels(list(item), 'key')}")
        record_id = item[key]
        if type(record_id) is int:  # not bool, a subclass of int
            return str(record_id)
        if not isinstance(record_id, str):
            kind = kind_of_value(record_id)
            raise malformed(self._path, number, f"{key} must be a text or a whole number, found {kind}")
        if not record_id:
            raise malformed(self._path, number, f"{key} must not be empty")
        return record_id

    def _texts_of(self, item: Cells) -> dict[str, str]:
        """Return the texts of an object by their keys, dotted ones in nested objects; without the id."""
        texts: dict[str, str] = {}
        for key, value in item.items():
            text = value if isinstance(value, str) else text_of(value)
            if text is not None:
                texts[key] = text
            elif isinstance(value, dict | list):
                nested = nested_texts(key, value, text_of)
                texts |= {name: nested[name] for name in nested if name not in item}
        texts.pop(self.parts.get("id", ""), None)
        return texts

    def _layout(self, labels: tuple[str, ...], keys: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the parts of an object with these texts and keys, and the names of its fields."""
        if labels not in self._layouts:
            parts = self._file.parts(labels, id="")
            if not parts and _WEIGHTS in labels:
                parts = {"text": _WEIGHTS}
            self._layouts[labels] = parts, field_names(labels, parts)
            self.parts = {**parts, **self.parts}
            self.labels |= dict.fromkeys(labels)
        parts, names = self._layouts[labels]
        if keys != self._keys:
            self._keys, key = keys, self.parts.get("id")
            is_plain = parts.keys() <= {"title", "text"} and all(part == label for part, label in parts.items())
            self._id_key = key if is_plain and "text" in parts and {*keys} == {*labels, key} else None
        return parts, names

    def _join(self, item: dict[str, Any]) -> None:
        """Join the texts in an object under the title or the text, such as those of languages."""
        parts = parts_of([*item], self._file.columns) if {dict, list} & {*map(type, item.values())} else {}
        for part in ("title", "text"):
            label = parts.get(part, "")
            value = item.get(label)
            if isinstance(value, list) and dict in map(type, value):  # text and links, or the blocks of rich text
                blocks = (JoinedText.joined(_different_texts("", one).values()) for one in value)
                item[label] = [*filter(None, blocks)] or None
            elif isinstance(value, dict) and not _is_record(value):
                texts = _different_texts(label, value) or nested_texts(label, value, _only_text)
                item[label] = JoinedText.joined(texts.values()) if texts else value
                if not self._file.count:
                    self.called[label] = " + ".join(texts)


def _cleaned(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with what is in its `_source`, without what stands for a missing or a wrapped value."""
    cleaned, source = dict(item), item.get("_source")
    if isinstance(source, dict):
        del cleaned["_source"]
        cleaned |= source
    weights = item.get(_WEIGHTS)
    if isinstance(weights, dict):  # learned weights of terms, whose terms may be all there is to read
        are_terms = {*map(type, weights.values())} <= {int, float} and "text" not in parts_of([*item])
        cleaned = {**cleaned, _WEIGHTS: [*weights] if are_terms else None}
    for key, value in cleaned.items():
        if isinstance(value, dict):
            cleaned[key] = unwrapped(value)
        elif value != value:  # NaN, as a data frame writes what is missing
            cleaned[key] = None
    return cleaned


def _is_record(item: Cells) -> bool:
    """True for an object with an id and a title or a text, such as the document in a hit, or with another id alone."""
    parts = parts_of([*item])
    return len(parts) > 1 if "id" in parts else not parts and any(named_like(key) == "ids" for key in item)


def _different_texts(label: str, value: Any) -> dict[str, str]:
    """Return the texts in an object that differ in more than tags: the named ones, if no prose is longer, else all.

    >>> _different_texts("body", {"value": "An old oak", "format": "html", "processed": "<p>An old oak</p>"})
    {'body.value': 'An old oak'}
    """
    texts = nested_texts(label, value, _only_text)
    keys = {name: name.rpartition(".")[2] for name in texts}
    visible = {name: " ".join(without_html(text).split()) for name, text in texts.items()}
    longest = max((len(text) for text in visible.values() if is_prose(text)), default=1)
    named = [name for name in texts if {"title", "text"} & parts_of([keys[name]]).keys()]
    if not any(len(visible[name]) >= longest for name in named):
        wordy = [name for name in texts if OF_WORDS.fullmatch(texts[name]) and not named_like(keys[name])]
        named = [name for name in wordy if words_of(keys[name]).isdisjoint(NO_TITLES | KINDS)]
    first = {visible[name]: name for name in reversed(named)}
    return {name: texts[name] for name in named if name in first.values()}


def _only_text(value: object) -> str | None:
    texts = inner_texts(value) if isinstance(value, list) else [value]
    return text_of(value) if all(isinstance(text, str) for text in texts) else None


def _same(value: object) -> bool:
    """True if both parsers agree on a value: the fast one makes floats of large whole numbers."""
    if isinstance(value, dict | list):
        return all(map(_same, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float)


def _object(path: AnyPath, number: int, line: str, is_text: bool) -> dict[str, Any]:
    """Read the object on a line; is_text: whether a text may stand for one."""
    try:
        item = json.loads(line)
        if isinstance(item, dict):
            return item
        if is_text and isinstance(item, str):
            return {"text": item}
        problem = f", found {kind_of_value(item)}"
    except json.JSONDecodeError as error:
        problem = f"; {error.msg.removesuffix(' starting at')} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        problem = f"; {error}"
    raise malformed(path, number, f"expected a JSON object with _id and text{problem}")


def kind_of_value(value: object) -> str:
    """Name the kind of a value of JSON."""
    return _KINDS.get(type(value), "a number")


def mended(record_id: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str], int]:
    r"""Replace each lone surrogate in the id and the fields by U+FFFD, and count them."""
    record_id, surrogates = encodable(record_id)
    whole: dict[str, str] = {}
    for name, value in fields.items():
        (name, in_name), (value, in_value) = encodable(name), encodable(bordered(value))
        whole[name] = JoinedText.of(value)
        surrogates += in_name + in_value
    return record_id, whole, surrogates
