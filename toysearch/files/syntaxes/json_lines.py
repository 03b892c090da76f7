"""JSON Lines and arrays of objects: one record per object."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    ASKED,
    OF_WORDS,
    ByPart,
    TableHead,
    is_prose,
    is_title,
    named_like,
    names_query,
    of_documents,
    of_queries,
    parts_inside,
    parts_with_id,
    role_by_id,
    texts_beside,
    with_more,
    words_of,
)
from toysearch.files.encodings import mended_bytes
from toysearch.files.labels import KINDS, NO_TITLES, PARTS, PEOPLE, PERHAPS_IDS
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
_OF_PLACES = {"row", "idx", "index", "cursor"}
"""Words in the name of a key that counts the objects around records."""
_OF_RECORDS = ("metadata", "meta")
"""Keys of the object that describes the text beside it."""
_TEXTS = {str}
_Raw: TypeAlias = bytes | str | Cells  # of a line, a problem, or a row
_CERTAIN = [{name, "text"} for name in ("_id", "id", "doc_id", "docno")]  # names that no run and no judgments have


def certain_documents(source: Source) -> What | None:
    r"""Claim lines that can be nothing but documents: each an object of texts, under an id, text and perhaps title.

    >>> certain_documents(Source("pets.jsonl", data=b'{"_id": "1", "text": "a cat"}\n')).form
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
    return What("documents", "beir" if "_id" in keys else "jsonl", keys) if is_known and are_texts else None


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
    texts = {label: [cell for cell in found[0].cells(label) if isinstance(cell, str)] for label in found[0].labels}
    beside = clues.place == "documents" and rows.form == "lines" and texts_beside(TableHead(texts))
    if may_be_rows and (texts_beside_lists or beside or record_table(source, clues.place)):
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
    form = "beir" if "_id" in item and "text" in item else "jsonl"
    return What(role_by_id(item) or clues.role, form, [*item], sure=is_sure)


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
    other = objects.other
    if not other and file.role == "documents" and "title" not in objects.parts:
        other = next(filter(is_title, objects.nested), "")
    file.take(objects.labels, objects.parts, objects.texts, other, objects.values, objects.called)
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
        self.parts: dict[str, str] = {}  # part → its key
        self.surrogates = self.broken = 0  # lone surrogates, and sequences that are not UTF-8
        self.without_text = 0
        self.texts: Mapping[str, str] = {}  # the longest text of each key
        self.nested: list[str] = []  # the dotted keys of the texts in objects of the first one
        self.labels: list[str] = []  # its keys
        self.values: list[str] = []  # those of its numbers
        self.called = {**table.called} if table else {}
        self.other = ""  # the key of another text that may be meant
        self._file, self._path = file, file.source
        self._keys: tuple[str, ...] = ()  # of the last object
        self._names: dict[str, str] = {}  # key → the name of its field
        self._id_key: str | None = None  # if such an object of texts is its fields, but for the id
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
        for label in self._dotted:
            if label not in item and (value := reached(item, label)) is not None:
                item[label] = value
        self._count(number, item)
        parts = self.parts
        if "id" not in parts:
            record_id = self._file.numbered()
        elif self._file.unnamed and item.get(parts["id"]) in (None, ""):
            record_id = self._file.name_of(number)
        else:
            key = parts["id"]
            if key not in item:
                raise malformed(self._path, number, f"expected the key {key}, found {listed_labels(list(item), 'key')}")
            record_id = item[key]
            if type(record_id) is int:  # not bool, a subclass of int
                record_id = str(record_id)
            elif not isinstance(record_id, str):
                raise malformed(
                    self._path, number, f"{key} must be a text or a whole number, found {kind_of_value(record_id)}"
                )
            elif not record_id:
                raise malformed(self._path, number, f"{key} must not be empty")
        fields = _fields(self._path, number, item, parts, self._names)
        self.without_text += not fields.get("text") and item.get(parts.get("text", "")) is None
        if escaped:
            record_id, fields, replaced = mended(record_id, fields)
            self.surrogates += replaced
        return number, record_id, fields

    def _first_items(self) -> list[Cells]:
        """Return the objects at the beginning of the file."""
        found = [self._table] if self._table else tables(source_of(self._path))[:1]
        return [row.cells for table in found for row in table.head]

    def _join(self, item: dict[str, Any]) -> None:
        """Join the texts in an object under the title or the text, such as those of languages."""
        for part in ("title", "text"):
            label = self.parts.get(part, "")
            value = item.get(label)
            if isinstance(value, list) and dict in map(type, value):  # text and links, or the blocks of rich text
                blocks = (JoinedText.joined(_different_texts("", one).values()) for one in value)
                item[label] = [*filter(None, blocks)] or None
            elif isinstance(value, dict):
                texts = _different_texts(label, value) or nested_texts(label, value, _only_text)
                item[label] = JoinedText.joined(texts.values()) if texts else value
                if not self._file.count:
                    self.called[label] = " + ".join(texts)

    def _count(self, number: int, item: dict[str, Any]) -> None:
        """Count an object, and check its keys if they differ from those of the previous object."""
        parts, columns = self.parts, self._file.columns
        weights = item.get(_WEIGHTS)
        if isinstance(weights, dict):  # learned weights of terms, whose terms may be all there is to read
            are_terms = {*map(type, weights.values())} <= {int, float} and parts.get("text", _WEIGHTS) == _WEIGHTS
            item[_WEIGHTS] = [*weights] if are_terms else None
        for key, value in item.items():
            if isinstance(value, dict):
                item[key] = unwrapped(value)
            elif value != value:  # NaN, as a data frame writes what is missing
                item[key] = None
        keys = tuple(item)
        is_new, labels, found = keys != self._keys, list[str](), parts
        if is_new:
            records = [key for key, value in item.items() if isinstance(value, dict) and _is_record(value)]
            labels = [key for key in keys if key in columns.values() or key not in records]
            found = parts_of(labels, columns)
            if self._file.role == "queries":
                found = of_queries(found, columns, TableHead({key: [item[key]] for key in labels}))
            elif found.get("text", "").lower() in ASKED and "text" not in columns:
                found = of_documents(
                    found, TableHead({key: [item[key]] for key in labels if isinstance(item[key], str)})
                )
        if not self._file.count:
            self._settle(number, item, labels, found)
            parts, keys = self.parts, tuple(item)  # those inside objects too
        if not {dict, list}.isdisjoint(map(type, item.values())):
            self._join(item)
        self._file.count += 1
        if self._file.count == _FEW:
            with contextlib.suppress(ImportError):  # without it, the Python parser reads everything
                import orjson  # it agrees but for some numbers, and refuses NaN and lone surrogates

                self._loads = orjson.loads
        if is_new:
            self._keys = keys
            for part, key in found.items():
                if part != "id":
                    parts.setdefault(part, key)
            text = {"text": found["text"]} if "text" in found and parts["text"] not in item else {}
            parts = {**parts, **text}
            self._names = field_names(keys, parts)
            renamed = any(name != key for key, name in self._names.items())
            usual = not (self._dotted or renamed or parts.keys() - PARTS.keys()) and parts.get("text") in self._keys
            self._id_key = parts.get("id") if usual else None

    def _settle(self, number: int, item: dict[str, Any], labels: list[str], found: dict[str, str]) -> None:
        """Settle the parts of all objects by the first ones; found: those that the labels of the first one name."""
        columns = self._file.columns
        if "id" not in columns and item.get(found.get("id", ""), "") is None:  # null is no id
            labels.remove(found["id"])
            found = parts_of(labels, columns)
        for part in ("id", "text"):
            if part in columns and part not in found:
                inner = (nested_texts(key, value, text_of) for key, value in item.items())
                names = dict.fromkeys([*item, *itertools.chain.from_iterable(inner)])
                raise malformed(self._path, number, str(unknown("key", columns[part], names)))
        self.parts = found
        if (
            len(found) < len(labels) or "text" not in labels or self._table
        ):  # another key may be the id, the title or the text
            self._settle_by_values(number, item, labels)
        self.labels += [
            key
            for key, value in item.items()
            if isinstance(value, str) or key in self.texts or text_of(value) is not None or _has_objects(value)
        ]
        self.values = [key for key in self.labels if isinstance(item[key], int | float)]
        inside = {label: reached(item, label) for label in self.parts.values() if label not in item}
        self._dotted += inside
        item |= inside
        if opened := {label.partition(".")[0] for label in inside}:
            others = [label for label in self.nested if label.partition(".")[0] in opened and label not in inside]
            others.sort(key=lambda label: -len(self.texts.get(label, "")))
            self.labels = [key for key in self.labels if key not in opened] + others
        self.texts = {label: text for label, text in self.texts.items() if label in item}

    def _settle_by_values(self, number: int, item: dict[str, Any], labels: Sequence[str]) -> None:
        """Settle the parts by the values in the first objects."""
        columns, role, items = self._file.columns, self._file.role, self._first_items()
        head = _head_of(items, labels)
        parts = parts_with_id(head, columns, role)
        weights = item.get(_WEIGHTS)
        if isinstance(weights, list) and {*map(type, weights)} == _TEXTS:
            parts.setdefault("text", _WEIGHTS)
        if role == "queries":
            parts = of_queries(parts, columns, head)
        elif "id" not in parts:
            parts |= _id_inside(items)
        for key, value in item.items():
            if isinstance(value, dict | list) and key not in parts.values() and text_of(value) is None:
                names = nested_texts(key, value, _only_text)
                self.nested += [label for label in names if reached(item, label) is not None]
        if not {"title", "text"} & parts.keys():
            counts_rows = "id" not in self.parts and words_of(parts.get("id", "")) & _OF_PLACES
            parts = parts | parts_inside(item) if counts_rows else parts_inside(item) | parts
        frequent = list[str]()
        if "text" not in parts:  # the first object may be the head of the others, or lack what most of them have
            counts = Counter(key for one in items for key, value in one.items() if isinstance(value, str) and value)
            frequent = [key for key in counts if 2 * counts[key] >= len(items)]
            later = {part: key for part, key in parts_of(frequent, columns).items() if part != "id"}
            parts |= later if "text" in later and "title" not in parts else {}
        also = frequent if role == "documents" else []
        beside = [label for label in (*self.nested, *parts.values(), *also) if label not in labels]
        head = TableHead({**head.cells, **_head_of(items, beside, text_of).cells})
        parts, self.other = self._file.settled(parts, head)
        if not {"title", "text"} & parts.keys():
            shown = [key for key in head.cells if key in self.nested or text_of(item.get(key)) is not None]
            known = TableHead({key: head.cells[key] for key in shown})
            raise malformed(self._path, number, without_text(known, parts, "key", "a key", role))
        if role == "documents" and "title" not in parts:
            titles = [label for label in self.nested if is_title(label) and label not in parts.values()]
            if parts["text"] not in self.nested:  # it is the title of another thing, such as a series
                titles = [label for label in titles if label.partition(".")[0] in _OF_RECORDS]
            parts |= dict(zip(["title"], titles, strict=False))
        self.parts, self.texts = parts, head.texts


def _head_of(
    items: Sequence[Cells], keys: Iterable[str], write: Callable[[Any], Any] = lambda value: value
) -> TableHead:
    """Return the values of some keys in the first objects, as they are or written as texts."""
    cells = {key: [write(reached(item, key)) for item in items] for key in keys}
    return TableHead({key: ["" if value is None else value for value in values] for key, values in cells.items()})


def _id_inside(items: Sequence[Cells]) -> dict[str, str]:
    """Return the id in an object of each record, if it is the only one there, and no two are the same; else {}."""
    objects = {key: value for item in items[:1] for key, value in item.items() if isinstance(value, dict)}
    inside = [f"{key}.{label}" for key, value in objects.items() for label in value if named_like(label) == "ids"]
    labels = [label for label in inside if label.rpartition(".")[2] in PARTS["id"]] or inside
    ids = {str(found) for item in items for label in labels if (found := reached(item, label)) is not None}
    is_own = len(labels) == 1 and words_of(labels[0]).isdisjoint(PEOPLE | KINDS)
    return {"id": labels[0]} if is_own and len(ids) == len(items) > 1 else {}


def _has_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict | list) for one in value)


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


def _fields(
    path: AnyPath, number: int, item: dict[str, Any], parts: ByPart, names: Mapping[str, str]
) -> dict[str, str]:
    fields: dict[str, str] = {}
    for key, value in item.items():
        if key not in names:
            continue  # the id
        text = value if isinstance(value, str) else text_of(value)
        if text is not None:
            fields[names[key]] = text
        elif isinstance(value, dict | list) and key not in parts.values():
            for name, nested in nested_texts(names[key], value, text_of).items():
                if name not in item:  # nor named for a part
                    fields[name] = nested
    for part in ("title", "text"):
        key = parts.get(part, "")
        value = item.get(key)
        texts = inner_texts(value) if isinstance(value, list) else [value]  # such as sentences
        if value is not None and not all(isinstance(text, str) for text in texts):
            raise malformed(path, number, f"{key} must be a text, found {kind_of_value(value)}")
    if "text" in parts:
        fields.setdefault("text", "")
    return with_more(fields, parts)


def mended(record_id: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str], int]:
    r"""Replace each lone surrogate in the id and the fields by U+FFFD, and count them."""
    record_id, surrogates = encodable(record_id)
    whole: dict[str, str] = {}
    for name, value in fields.items():
        (name, in_name), (value, in_value) = encodable(name), encodable(bordered(value))
        whole[name] = JoinedText.of(value)
        surrogates += in_name + in_value
    return record_id, whole, surrogates
