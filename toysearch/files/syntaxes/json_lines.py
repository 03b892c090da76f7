"""JSON Lines and arrays of objects: one record per object."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from os import PathLike
from typing import Any

from toysearch.base import DataError, JoinedText, bordered, counted, encodable, malformed, note, unknown
from toysearch.files import (
    Record,
    RecordFile,
    field_names,
    holds_text,
    listed_labels,
    parts_of,
    without_text,
)
from toysearch.files.claims import Clues, What, named_like_text
from toysearch.files.columns import longer, parts_with_id, places_of, role_by_id
from toysearch.files.encodings import mended_bytes
from toysearch.files.source import ENOUGH, Source, numbered_lines, open_bytes, raw_lines, source_of, tell_replaced
from toysearch.files.unpacking import DAMAGE

_ARRAY = re.compile(rb"\s*\[\s*\{")
_BULK = (
    "expected a document, found an action of a bulk request of Elasticsearch; "
    "keep every second line: sed -n 'n;p' {} > documents.jsonl"
)
LONGEST_OBJECT = 1 << 20
"""Bytes of a first object."""

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


def claims(source: Source, clues: Clues) -> What | None:
    """Claim JSON with an object per line, or a run or judgments in one object, but not a text in brackets."""
    item, rows = first_object(source.head.decode(errors="replace")), clues.rows
    if item is None and len(source.head) > ENOUGH >> 1 and rows.form != "json" and source.path != "-":
        with open_bytes(source) as file, contextlib.suppress(*DAMAGE):  # perhaps a long first object
            item = first_object(file.read(LONGEST_OBJECT).removeprefix(b"\xef\xbb\xbf").decode(errors="replace"))
    labels = clues.columns.get("documents", {}).values()
    present = [label for label in labels if item and reached(item, label) is not None]
    if present and (len(present) == len(labels) or any("." in label for label in present)):
        return What(clues.role, "jsonl", "its first object has the keys that are named")
    if rows.form == "lines" and not (rows.role == "run" and item and holds_text(item)):  # like a table of hits
        return rows._replace(form="jsonl")
    if item is None and not rows.role:
        return None if named_like_text(clues.name) else What(clues.role, "jsonl", "it begins like JSON")
    if item is None or rows.form == "json":
        return rows._replace(form="")
    form = "beir" if "_id" in item and "text" in item else "jsonl"
    return What(role_by_id(item) or clues.role, form, [*item])


def is_document(item: Mapping[str, Any] | None, places: Mapping[str, int] | None = None) -> bool:
    """True if an object has the text or the title of a document, and no score; places: of its keys, if known.

    >>> is_document({"id": "1", "title": "Cats"}), is_document({"docno": "1", "title": "Cats", "score": 2})
    (True, False)
    """
    if not item or {"score", "rank"} & (places or places_of(item)).keys():
        return False
    return any(isinstance(item[key], str) for part, key in parts_of([*item]).items() if part != "id")


def first_object(text: str) -> dict[str, Any] | None:
    r"""Return the first object of a JSON text, either on its own line or in an array; None if there is none.

    >>> first_object('{"a": 1}\n{"a": 2}\n'), first_object('[\n {"a":\n 1}'), first_object("[1]")
    ({'a': 1}, {'a': 1}, None)
    """
    try:
        item, _ = _DECODER.raw_decode(text.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def object_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""Yield the JSON texts of the objects of a file, lines or elements of an array, each with its first line number.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "pets.json")
    >>> _ = path.write_text('[{"id": 1},\n {"id":\n  2}]\n')
    >>> list(object_lines(path))
    [(1, '{"id": 1}'), (2, '{"id":\n  2}')]
    """
    # Blank lines are left out. What is no lines of objects is read as a whole.
    lines = numbered_lines(path)
    number, first = next((line for line in lines if line[1].strip()), (0, ""))
    if not first.lstrip().startswith("[") and (_is_line(first) or not first):
        yield from (line for line in chain([(number, first)], lines) if line[1].strip())
        return
    text = "\n".join([first, *(line for _, line in lines)])
    is_array = first.lstrip().startswith("[")
    yield from array_elements(path, number, text) if is_array else _after_each_other(path, number, text)


def array_elements(path: str | PathLike[str], first: int, text: str, begin: int = -1) -> Iterator[tuple[int, str]]:
    """Yield the elements of an array as JSON, each with the line on which it begins.

    begin : the place of the array in an object
    """
    place, counted, line = (text.index("[") if begin < 0 else begin) + 1, 0, first
    while True:
        place = _past_blanks(text, place)
        line, counted = line + text.count("\n", counted, place), place
        if text[place : place + 1] == "]":
            place = _past_blanks(text, place + 1)
            if place < len(text) and begin < 0:
                raise malformed(path, line, f"text follows the end of the array: '{text[place : place + 40]}'")
            return
        try:
            _, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            problem = f"expected an array of JSON objects, or an object on each line; {error.msg}"
            raise malformed(path, first + text.count("\n", 0, error.pos), problem) from None
        except (ValueError, RecursionError) as error:
            raise malformed(path, line, f"expected an array of JSON objects; {error}") from None
        yield line, text[place:end]
        place = _past_blanks(text, end)
        if text[place : place + 1] == ",":
            place += 1
        elif text[place : place + 1] != "]":
            at = first + text.count("\n", 0, place)
            raise malformed(path, at, "the array is not closed or lacks a comma between two objects")


def _is_line(text: str) -> bool:
    """True if a line is an object by itself, or nothing of JSON."""
    text = text.strip(_BLANKS)
    if not text.startswith("{"):
        return True
    try:
        item, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip(_BLANKS)[:1] != "{" and not (list in map(type, item.values()) and _list_key(item))


def _list_key(item: Mapping[str, Any]) -> str:
    """Return the key of the only list of documents in an object that is no document; "" if there is none."""
    keys = [
        key
        for key, value in item.items()
        if isinstance(value, list) and value and isinstance(value[0], dict) and is_document(value[0])
    ]
    return keys[0] if len(keys) == 1 and not {"id", "text"} & parts_of([*item]).keys() - {*keys} else ""


def _objects_in(path: str | PathLike[str], first: int, text: str) -> Iterator[tuple[int, str]] | None:
    """Return the objects of a text that are not lines: one after the other, or in one list; None if there are none."""
    place = _past_blanks(text, 0)
    try:
        item, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    key, rest = _list_key(item), _past_blanks(text, end)
    if not key or rest < len(text):
        return _after_each_other(path, first, text)
    place += 1
    while True:
        place = _past_blanks(text, place)
        name, end = _DECODER.raw_decode(text, place)
        place = _past_blanks(text, _past_blanks(text, end) + 1)  # past the colon
        if name == key:
            return array_elements(path, first, text, place)
        _, end = _DECODER.raw_decode(text, place)
        place = _past_blanks(text, end) + 1  # past the comma


def _after_each_other(path: str | PathLike[str], first: int, text: str) -> Iterator[tuple[int, str]]:
    place, counted, line = _past_blanks(text, 0), 0, first
    while place < len(text):
        line, counted = line + text.count("\n", counted, place), place
        try:
            _, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise malformed(path, line, f"expected JSON objects, one after the other; {error}") from None
        yield line, text[place:end]
        place = _past_blanks(text, end)


def _past_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANKS:
        place += 1
    return place


_FEW = 500  # objects; for so few, importing a fast parser does not pay
_TEXTS = {str}
_WEIGHTS = "vector"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read_jsonl(file: RecordFile) -> Iterator[Record]:
    """Read the records of a JSON Lines file, or of an array of JSON objects: documents or queries."""
    # Each line, or each element of the array, is an object. The first object decides which key holds the id (`_id`,
    # `id`, `doc_id`, …: a string or a whole number) and which the text (`text`, `body`, …); the title may first occur
    # later. Without an id the objects are numbered from 1, and a note says so. The other keys are fields too: strings
    # unchanged, numbers, true and false as JSON writes them, lists of strings joined by blanks; objects and null are
    # left out; an object such as MongoDB's {"$oid": "65f0"} is its value. Objects may also stand one after the other,
    # over several lines, or in the only list of an object. Without a text an object has an empty one, and a note counts
    # these; if none has a key for it, the title is searched. Blank lines are skipped. A lone surrogate, which no file
    # can hold as text, becomes U+FFFD; a note says how many.
    path, objects = source_of(file.source), _Objects(file)
    rows: Iterable[tuple[int, bytes]]
    with contextlib.ExitStack() as stack:
        if _ARRAY.match(path.head):
            rows = ((number, text.encode(errors="surrogatepass")) for number, text in object_lines(path))
        else:
            rows = objects.rows(raw_lines(path, stack.enter_context(path.open())))
        yield from file.records(rows, objects.record, lambda raw: mended_bytes(raw)[0].rstrip("\r\n"))
    if objects.broken:
        tell_replaced(path, objects.broken)
    if not file.count:
        raise DataError(f"{path} holds no record; expected one JSON object per line, with _id and text")
    file.finish("" if "id" in objects.parts else "no key holds the ids; the objects")
    if "title" in file.columns and "title" not in objects.parts:
        note(f"{path}: no object has the key '{file.columns['title']}', which was named for the title")
    if "text" not in objects.parts:
        note(f"{path}: no key holds the text; the title is searched{longer(objects.texts, 'title', file.option)}")
    elif objects.without_text:
        note(f"{path}: {counted(objects.without_text, 'record')} without a text")
    if objects.surrogates:
        note(f"{path}: {counted(objects.surrogates, 'lone surrogate')} read as U+FFFD")


def _values_in(source: Source, keys: Iterable[str]) -> Iterator[list[object]]:
    """Yield the values of some keys in the objects that are lines at the beginning of a file."""
    for line in source.lines:
        with contextlib.suppress(ValueError, RecursionError):
            item = json.loads(line.strip("[], \t\r"))
            yield [item.get(key, "") for key in keys] if isinstance(item, dict) else []


class _Objects:
    def __init__(self, file: RecordFile) -> None:
        self.parts: dict[str, str] = {}  # part → its key
        self.surrogates = self.broken = 0  # lone surrogates, and sequences that are not UTF-8
        self.without_text = 0
        self.texts: dict[str, str] = {}  # the texts of the first object
        self._file, self._path = file, file.source
        self._keys: tuple[str, ...] = ()  # of the last object
        self._names: dict[str, str] = {}  # key → the name of its field
        self._id_key: str | None = None  # if such an object of texts is its fields, but for the id
        self._dotted = [label for label in file.columns.values() if "." in label]
        self._loads: Callable[[bytes], Any] = lambda _: None

    def rows(self, lines: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
        """Yield the objects of a file that is no array, each with its first line."""
        rows = enumerate(lines, 1)
        first = next((row for row in rows if row[1].strip()), None)
        if first is None:
            return
        if _is_line(first[1].decode(errors="replace")):
            yield first
            yield from rows
            return
        all_rows = [first, *rows]
        text, broken = mended_bytes(b"".join(raw for _, raw in all_rows))
        objects = _objects_in(self._path, first[0], text)
        self.broken += 0 if objects is None else broken
        yield from (
            all_rows if objects is None else ((line, one.encode(errors="surrogatepass")) for line, one in objects)
        )

    def record(self, number: int, raw: bytes) -> Record | None:
        try:
            item = self._loads(raw)
        except ValueError:  # the Python parser reads it, or says what is wrong
            item = None
        if (
            type(item) is dict
            and tuple(item) == self._keys
            and self._id_key in item
            and {*map(type, item.values())} == _TEXTS
        ):
            if record_id := item.pop(self._id_key):  # true of nearly all lines
                self._file.count += 1
                return number, record_id, item
            item = None
        escaped = False
        if type(item) is not dict or not _same(item):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line, bad = mended_bytes(raw)
                self.broken += bad
            if not line.strip():
                return None
            item, escaped = _object(self._path, number, line.rstrip("\r\n")), "\\ud" in line or "\\uD" in line
        for label in self._dotted:
            if label not in item and (value := reached(item, label)) is not None:
                item[label] = value
        self._count(number, item)
        parts = self.parts
        if "id" not in parts:
            record_id = str(self._file.count)
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
        self.without_text += item.get(parts.get("text", "")) is None
        if escaped:
            record_id, fields, replaced = mended(record_id, fields)
            self.surrogates += replaced
        return number, record_id, fields

    def _count(self, number: int, item: dict[str, Any]) -> None:
        """Count an object, and check its keys if they differ from those of the previous object."""
        parts, columns = self.parts, self._file.columns
        if isinstance(item.get(_WEIGHTS), dict):  # learned weights of terms, whose terms may be all there is to read
            item[_WEIGHTS] = [*item[_WEIGHTS]] if parts.get("text", _WEIGHTS) == _WEIGHTS else None
        for key, value in item.items():
            if isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$"):
                item[key] = next(iter(value.values()))
        keys = tuple(item)
        found = parts if keys == self._keys else parts_of(keys, columns)
        if not self._file.count:
            parts = found if "id" in found else parts_with_id(keys, columns, _values_in(source_of(self._path), keys))
            self.texts = {key: value for key, value in item.items() if isinstance(value, str)}
            if item.get(_WEIGHTS):
                parts.setdefault("text", _WEIGHTS)
            nested = [f"{key}.{name}" for key, value in item.items() if isinstance(value, dict) for name in value]
            for part in ("id", "text"):
                if part in columns and part not in parts:
                    raise malformed(self._path, number, str(unknown("key", columns[part], [*item, *nested])))
            if not {"title", "text"} & parts.keys():
                if keys in (("index",), ("create",)) and all(isinstance(action, dict) for action in item.values()):
                    raise malformed(self._path, number, _BULK.format(shlex.quote(str(self._path))))
                labels, option = [*item, *nested], self._file.option
                raise malformed(self._path, number, without_text(labels, parts, "key", "a key", self.texts, option))
            self.parts = parts
        self._file.count += 1
        if self._file.count == _FEW:
            with contextlib.suppress(ImportError):  # without it, the Python parser reads everything
                import orjson  # it agrees but for some numbers, and refuses NaN and lone surrogates

                self._loads = orjson.loads
        if keys != self._keys:
            self._keys = keys
            for part, key in found.items():
                if part != "id":
                    parts.setdefault(part, key)
            self._names = field_names(self._keys, parts)
            renamed = any(name != key for key, name in self._names.items())
            usual = not (self._dotted or renamed) and parts.get("text") in self._keys
            self._id_key = parts.get("id") if usual else None


def _same(value: object) -> bool:
    """True if both parsers agree on a value: the fast one makes floats of large whole numbers."""
    if isinstance(value, dict | list):
        return all(map(_same, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float)


def _object(path: str | PathLike[str], number: int, line: str) -> dict[str, Any]:
    try:
        # json.loads spends a third of its time on white space around a value, which is mostly absent.
        item, end = _DECODER.raw_decode(line) if line.startswith("{") else (None, -1)
        if end != len(line):
            item = json.loads(line)
        if isinstance(item, dict):
            return item
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
    path: str | PathLike[str], number: int, item: dict[str, Any], parts: Mapping[str, str], names: Mapping[str, str]
) -> dict[str, str]:
    fields: dict[str, str] = {}
    for key, value in item.items():
        if key not in names:
            continue  # the id
        text = value if isinstance(value, str) else text_of(value)
        if text is not None:
            fields[names[key]] = text
    for part in ("title", "text"):
        key = parts.get(part, "")
        value = item.get(key)
        is_text = isinstance(value, str | list) and names[key] in fields  # a list of strings, such as sentences
        if not is_text and value is not None:
            raise malformed(path, number, f"{key} must be a text, found {kind_of_value(value)}")
    if "text" in parts:
        fields.setdefault("text", "")
    return fields


def reached(item: Mapping[str, Any], label: str) -> Any:
    """Return the value of a key, or of a dotted key in nested objects; None if it is missing."""
    value: Any = item
    for key in [label] if label in item else label.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(value: object) -> str | None:
    """Return the text of a value in a field; None for objects and null."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return JoinedText.joined(value) if all(isinstance(piece, str) for piece in value) else None
    return json.dumps(value) if isinstance(value, int | float) else None


def mended(record_id: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str], int]:
    r"""Replace each lone surrogate in the id and the fields by U+FFFD, and count them."""
    record_id, surrogates = encodable(record_id)
    whole: dict[str, str] = {}
    for name, value in fields.items():
        (name, in_name), (value, in_value) = encodable(name), encodable(bordered(value))
        whole[name] = JoinedText.of(value)
        surrogates += in_name + in_value
    return record_id, whole, surrogates
