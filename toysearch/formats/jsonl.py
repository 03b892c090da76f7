"""JSON Lines and arrays of objects: one record per object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from toysearch.base import DataError, counted, encodable, malformed, note, unknown
from toysearch.formats.column_names import checked_columns, field_names, listed_labels, parts_of, without_text
from toysearch.formats.rejected_records import Rejected
from toysearch.formats.text_files import (
    Record,
    beginning,
    mended_bytes,
    numbered_lines,
    open_bytes,
    raw_lines,
    tell_called,
    tell_replaced,
)

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


def object_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""The JSON texts of the objects of a file, lines or elements of an array, each with its first line number.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.json")
    >>> _ = path.write_text('[{"id": 1},\n {"id":\n  2}]\n')
    >>> list(object_lines(path))
    [(1, '{"id": 1}'), (2, '{"id":\n  2}')]
    """
    # Blank lines are left out. An array is read as a whole.
    lines = numbered_lines(path)
    first = next((each for each in lines if each[1].strip()), None)
    if first is None:
        return
    if not first[1].lstrip().startswith("["):
        yield from (each for each in chain([first], lines) if each[1].strip())
        return
    yield from array_elements(path, first[0], "\n".join([first[1], *(line for _, line in lines)]))


def is_array(path: str | Path) -> bool:
    """Whether a file begins like an array of objects."""
    head = beginning(path).lstrip()
    return head.startswith(b"[") and head[1:].lstrip()[:1] == b"{"


def array_elements(path: str | Path, first: int, text: str) -> Iterator[tuple[int, str]]:
    """The elements of an array as JSON, each with the line on which it begins."""
    place, counted, line = text.index("[") + 1, 0, first
    while True:
        place = _past_blanks(text, place)
        line, counted = line + text.count("\n", counted, place), place
        if text[place : place + 1] == "]":
            place = _past_blanks(text, place + 1)
            if place < len(text):
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


def _past_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANKS:
        place += 1
    return place


_FEW = 500  # objects; for so few, importing a fast parser does not pay
_TEXTS = {str}
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read_jsonl(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    rejected: Rejected | None = None,
    unnamed: bool = False,
) -> Iterator[Record]:
    """The records of a JSON Lines file, or of an array of JSON objects: documents or queries."""
    # Each line, or each element of the array, is an object. The first object decides which key holds the id (`_id`,
    # `id`, `doc_id`, …: a string or a whole number) and which the text (`text`, `body`, …); the title may first occur
    # later. Without an id the objects are numbered from 1, and a note says so. The other keys are fields too: strings
    # unchanged, numbers, true and false as JSON writes them, lists of strings joined by blanks; objects and null are
    # left out. Blank lines are skipped. A lone surrogate, which no file can hold as text, becomes U+FFFD; a note says
    # how many.
    reader = JsonLines(path, columns, rejected, unnamed)
    if is_array(path):
        for number, text in object_lines(path):
            if record := reader.record(number, text.encode(errors="surrogatepass")):
                yield record
    else:
        with open_bytes(path) as file:
            for number, raw in enumerate(raw_lines(path, file), 1):
                if record := reader.record(number, raw):
                    yield record
    reader.finish()


class JsonLines:
    """The reader of a file, whose first object decides the keys."""

    def __init__(
        self,
        path: str | Path,
        columns: Mapping[str, str] | None = None,
        rejected: Rejected | None = None,
        unnamed: bool = False,
    ) -> None:
        self.count = 0
        self.keys: tuple[str, ...] = ()
        self.names: dict[str, str] = {}
        self.id_key: str | None = None
        self._path = path
        self._given = checked_columns(columns) if columns else {}
        self._dotted = [label for label in self._given.values() if "." in label]
        self._rejected, self._unnamed = rejected, unnamed
        self._called: list[int] = []
        self._parts: dict[str, str] = {}
        self._loads: Callable[[bytes], Any] | None = None
        self._surrogates = self._broken = 0

    def record(self, number: int, raw: bytes) -> Record | None:
        """The record of a line; None if the line is blank or rejected."""
        if self._rejected is None:
            return self._record(number, raw)
        try:
            return self._record(number, raw)
        except DataError as error:
            text = mended_bytes(raw)[0].rstrip("\r\n")
            self._rejected.add(self._path, number, str(error).removeprefix(f"{self._path}:{number}: "), text)
            return None

    def _record(self, number: int, raw: bytes) -> Record | None:
        """The record of a line; None if the line is blank."""
        item = _quickly(self._loads, raw) if self._loads else None
        id_key = self.id_key
        if item and tuple(item) == self.keys and id_key in item and {*map(type, item.values())} == _TEXTS:
            if record_id := item.pop(id_key):  # true of nearly all lines
                self.count += 1
                return number, record_id, item
            item = None
        escaped = False
        if item is None or not _same(item):
            line, bad = mended_bytes(raw)
            self._broken += bad
            if not line.strip():
                return None
            item, escaped = _object(self._path, number, line.rstrip("\r\n")), "\\ud" in line or "\\uD" in line
        for label in self._dotted:
            if label not in item and (value := reached(item, label)) is not None:
                item[label] = value
        self._begin(number, item)
        parts = self._parts
        if "id" not in parts:
            record_id = str(self.count)
        elif self._unnamed and item.get(parts["id"]) in (None, ""):
            record_id = f"line-{number}"
            self._called.append(number)
        else:
            record_id = _record_id(self._path, number, item, parts["id"])
        fields = _fields(self._path, number, item, parts, self.names)
        if escaped:
            record_id, fields, replaced = mended(record_id, fields)
            self._surrogates += replaced
        return number, record_id, fields

    def _begin(self, number: int, item: dict[str, Any]) -> None:
        """Count an object, and check its keys if they differ from those of the previous object."""
        if not self.count:
            self._parts = _parts(self._path, number, item, self._given)
        parts = self._parts
        self.count += 1
        if self.count == _FEW:
            self._loads = _quick_parser()
        if tuple(item) != self.keys:
            self.keys = tuple(item)
            if "title" not in parts and (title := parts_of(self.keys, self._given).get("title")):
                parts["title"] = title
            self.names = field_names(self.keys, parts)
            usual = (
                not self._dotted
                and parts["text"] in self.keys
                and all(map(str.__eq__, self.names, self.names.values()))
            )
            self.id_key = parts.get("id") if usual else None

    def finish(self) -> None:
        """Refuse a file without records; note what the user should know about the others."""
        tell_replaced(self._path, self._broken)
        tell_called(self._path, self._called)
        _tell(self._path, self.count, self._surrogates, self._parts, self._given)


def _quick_parser() -> Callable[[bytes], Any] | None:
    """A fast parser that agrees with the Python parser except for some numbers, and refuses NaN and lone surrogates."""
    try:
        import orjson
    except ImportError:  # the Python parser reads everything
        return None
    return orjson.loads


def _quickly(loads: Callable[[bytes], Any], line: bytes) -> dict[str, Any] | None:
    """The object on a line; None if there is none or the parser refuses it."""
    try:
        item = loads(line)
    except ValueError:
        return None
    return item if type(item) is dict else None


def _same(value: object) -> bool:
    """Whether both parsers agree on a value: the fast one makes floats of large whole numbers."""
    if isinstance(value, dict | list):
        return all(map(_same, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float)


def _object(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        # json.loads spends a third of its time on white space around a value, which is mostly absent.
        item, end = _DECODER.raw_decode(line) if line.startswith("{") else (None, -1)
        if end != len(line):
            item = json.loads(line)
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" starting at")
        raise malformed(
            path,
            number,
            f"expected a JSON object with _id and text; {why} at column {error.colno}",
        ) from None
    except (ValueError, RecursionError) as error:
        raise malformed(path, number, f"expected a JSON object with _id and text; {error}") from None
    if not isinstance(item, dict):
        raise malformed(path, number, f"expected a JSON object with _id and text, found {_kind(item)}")
    return item


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


def _parts(path: str | Path, number: int, item: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """The keys of the parts in the first object; the text and the keys that the user names are required."""
    keys = list(item)
    parts = parts_of(keys, given)
    nested = [f"{key}.{name}" for key, value in item.items() if isinstance(value, dict) for name in value]
    for part in ("id", "text"):
        if part in given and part not in parts:
            raise malformed(path, number, str(unknown("key", given[part], [*keys, *nested])))
    if "text" not in parts:
        raise malformed(path, number, without_text([*keys, *nested], parts, "key", "a key"))
    return parts


def _record_id(path: str | Path, number: int, item: dict[str, Any], key: str) -> str:
    if key not in item:
        raise malformed(path, number, f"expected the key {key}, found {listed_labels(list(item), 'key')}")
    record_id = item[key]
    if type(record_id) is int:  # not bool, a subclass of int
        return str(record_id)
    if not isinstance(record_id, str):
        raise malformed(path, number, f"{key} must be a text or a whole number, found {_kind(record_id)}")
    if not record_id:
        raise malformed(path, number, f"{key} must not be empty")
    return record_id


def _fields(
    path: str | Path, number: int, item: dict[str, Any], parts: Mapping[str, str], names: Mapping[str, str]
) -> dict[str, str]:
    fields: dict[str, str] = {}
    for key, value in item.items():
        if key not in names:
            continue  # the id
        text = value if isinstance(value, str) else text_of(value)
        if text is not None:
            fields[names[key]] = text
    text_key, title_key = parts["text"], parts.get("title", "")
    if text_key not in item:
        raise malformed(path, number, f"expected the key {text_key}, found {listed_labels(list(item), 'key')}")
    if not _readable(item[text_key]):
        raise malformed(path, number, f"{text_key} must be a text, found {_kind(item[text_key])}")
    if item.get(title_key) is not None and not _readable(item[title_key]):
        raise malformed(path, number, f"{title_key} must be a text, found {_kind(item[title_key])}")
    return fields


def _readable(value: object) -> bool:
    """Whether a value can be a title or a text: a string, or a list of strings (such as sentences)."""
    return isinstance(value, str | list) and text_of(value) is not None


def reached(item: Mapping[str, Any], label: str) -> Any:
    """The value of a key, or of a dotted key in nested objects; None if it is missing."""
    value: Any = item
    for key in [label] if label in item else label.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(value: object) -> str | None:
    """The text of a value in a field; None for objects and null."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return " ".join(value) if all(isinstance(piece, str) for piece in value) else None
    return json.dumps(value) if isinstance(value, int | float) else None


def mended(record_id: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str], int]:
    r"""The id and the fields with each lone surrogate replaced by U+FFFD, and the number of them."""
    record_id, surrogates = encodable(record_id)
    whole: dict[str, str] = {}
    for name, value in fields.items():
        (name, in_name), (value, in_value) = encodable(name), encodable(value)
        whole[name] = value
        surrogates += in_name + in_value
    return record_id, whole, surrogates


def _tell(path: str | Path, count: int, surrogates: int, parts: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Refuse a file without records; note what the user should know about the others."""
    if not count:
        raise DataError(f"{path} holds no record; expected one JSON object per line, with _id and text")
    if "id" not in parts:
        note(f"{path}: no key holds the ids; the objects are numbered from 1")
    if "title" in given and "title" not in parts:
        note(f"{path}: no object has the key '{given['title']}', which was named for the title")
    if surrogates:
        note(f"{path}: {counted(surrogates, 'lone surrogate')} read as U+FFFD")
