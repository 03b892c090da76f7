"""Tables in JSON: objects on lines or in a list, objects and lists by their keys, and those inside an object."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from toysearch.base import malformed
from toysearch.files.nested_fields import MOST_KEYS
from toysearch.files.numbers import finite_number
from toysearch.files.problems import Problems
from toysearch.files.source import AnyPath, Line, Source, numbered_lines, open_bytes, whole_text
from toysearch.files.syntaxes.trec import LOOKED_AT
from toysearch.files.table import KEY, VALUE, Cells, Row, Table
from toysearch.files.unpacking import DAMAGE

LONGEST_OBJECT = 1 << 20
"""Bytes of a first object."""

_FEW = 5  # objects that show what the others have

_BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder()
_DEEPEST = 4
_MARK = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
BEGINS = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*\{)")
"""Beginning of an object or of an array of objects."""

_NEXT_LINE = re.compile(r"[^\[,:\s]\s*\n\{")
"""Border of two objects on lines."""

_MOST_MISSED = 8
"""Rows that may be missing in a text, which is read to its end for each, before their lines are given up."""

_CLOSED = {"{": "}", "[": "]"}

_RRE = "(groups)"

_Rows = Sequence[Cells]


def tables(source: Source) -> list[Table]:
    """Return the tables of a file: of its objects; of one object, each way to take it and what is in it."""
    if "tables" not in source.known:
        source.known["tables"] = _tables(source)
    return [*source.known["tables"]]


def _tables(source: Source) -> list[Table]:
    text = source.head.decode(errors="replace").lstrip()
    if not source.whole and len(_first_items(text.removeprefix("["))) < _FEW and source.path != "-":  # long objects
        with open_bytes(source) as file, suppress(*DAMAGE):  # the reader reports the damage
            text = file.read(LONGEST_OBJECT).decode(errors="replace").lstrip("\ufeff \t\r\n")
    items = _first_items(text[1:]) if text.startswith("[") else []
    is_export = bool(items) and items[0].cells.get("type") == "header"
    if text.startswith("[") and not is_export:
        return [_of_objects(source, items)]
    value, end = _value_at(text)
    if end < 0:
        value, end = partial_value(text), len(text)
    if text[end:].strip():
        return [_of_objects(source, _first_items(text))]
    value = _of_export(value)
    if not isinstance(value, dict):
        return [Table(source, (), (), partial(rows_in_object, source, ""), "json")]
    return [
        Table(
            source,
            [*rows[0]],
            [Row(1, row) for row in rows[:LOOKED_AT]],
            partial(rows_in_object, source, name),
            "json" if name else "lines",
            1,
            name,
        )
        for name, rows in tables_in(value)
    ]


def tables_if_any(source: Source) -> list[Table]:
    """Return the tables of a file that begins like objects; none of another."""
    return tables(source) if BEGINS.match(source.text) else []


def _value_at(text: str, place: int = 0) -> tuple[Any, int]:
    """Return the value of JSON at a place of a text, and where it ends; None and -1 if there is none."""
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None, -1


def _of_export(value: Any) -> Any:
    """Return the tables of an export of phpMyAdmin by their names; any other value as it is."""
    if not isinstance(value, list):
        return value
    return {item["name"]: item.get("data", []) for item in value if item.get("type") == "table"}


def is_object(source: Source) -> bool:
    """True if a file that begins like an object may be a single one: it is whole, or is cut within its first one."""
    text = source.head.decode(errors="replace").lstrip()
    end = _value_at(text)[1]
    return not text[end:].strip() if end >= 0 else not source.whole and not _NEXT_LINE.search(text)


def is_one_object(source: Source) -> bool:
    """True for `is_object` in braces, and not in a list."""
    return source.text.lstrip()[:1] == "{" and is_object(source)


def _first_items(text: str) -> list[Row]:
    """Return the objects at the beginning of a text, with commas or line ends between."""
    items, place = list[Row](), 0
    while len(items) < LOOKED_AT and (match := re.compile(r"[\s,]*(?=\{)").match(text, place)):
        item, place = _value_at(text, match.end())
        if place < 0:
            cut = partial_value(text[match.end() :]) if not items else None
            return [Row(1, cut)] if isinstance(cut, dict) else items
        items.append(Row(text.count("\n", 0, match.end()) + 1, item))
    return items


def _of_objects(source: Source, head: Sequence[Row]) -> Table:
    return Table(source, [*head[0].cells] if head else [], head, partial(_object_rows, source), "lines")


def _object_rows(source: AnyPath) -> Iterator[Row]:
    for number, text in object_lines(source):
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Row(number, {}, f"expected a JSON object; {error}")
            continue
        if isinstance(item, dict):
            yield Row(number, item)
        else:
            yield Row(number, {}, f"expected a JSON object, found {text[:60]}")


def partial_value(text: str) -> Any:
    """Return what the beginning of a value of JSON holds; None if that is nothing.

    >>> partial_value('{"q1": {"d1": 2, "d2": 0}, "q2": {"d7": 1, "d')
    {'q1': {'d1': 2, 'd2': 0}, 'q2': {'d7': 1}}
    """
    opened, end = list[str](), 0  # where a whole value ends, and what is open there
    for match in _MARK.finditer(text):
        mark = match[0]
        if mark in _CLOSED:
            opened.append(mark)
            end = match.end()
        elif mark in "}]" and opened:
            opened.pop()
            end = match.end()
        elif mark == ",":
            end = match.start()
    try:
        return json.loads(text[:end] + "".join(map(_CLOSED.__getitem__, reversed(opened))))
    except (ValueError, RecursionError):
        return None


def tables_in(value: Cells, name: str = "", depth: int = 0) -> Iterator[tuple[str, _Rows]]:
    """Yield the rows in an object by their names: of itself, of its keys, of its columns, of what is in it.

    >>> [rows for _, rows in tables_in({"q1": ["d7", "d2"], "q2": []})]  # doctest: +ELLIPSIS
    [[{'q1': ['d7', 'd2'], 'q2': []}], [{'(key)': 'q1', '(value)': ['d7', 'd2']}, {'(key)': 'q2', '(value)': []}]]
    """
    yield name, [value]
    if "pandas_version" in (value.get("schema") or ()) and (rows := value.get("data")):
        yield f"{name}[]", [{label: cell for label, cell in row.items() if label != "index"} for row in rows]
        return
    values = [*value.values()]
    kinds = {*map(type, values)}
    mostly = not name and 2 * sum(isinstance(one, dict | list) for one in values) >= len(values)
    if values and (mostly or kinds in ({dict}, {list}, {str}) or kinds <= {int, float}):
        yield f"{name}{KEY}", [{KEY: key, VALUE: one} for key, one in value.items()]
    if kinds == {dict}:
        yield f"{name}{VALUE}", [{KEY: key, **one} for key, one in value.items()]
    if framed := _rows_of_frame(value):
        yield f"{name}[]", framed
    elif kinds == {list} and len({*map(len, values)}) == 1 and not all(_of_objects_alone(one) for one in values):
        yield f"{name}[]", [dict(zip(value, row, strict=True)) for row in zip(*values, strict=True)]
    if "topics" in value and (groups := _groups_of_rre(value)):
        yield f"{name}{_RRE}", groups
    most = MOST_KEYS if kinds == {dict} else LOOKED_AT  # the keys of more records are ids
    for key, one in value.items() if depth < _DEEPEST and kinds != {str} else ():
        inner = f"{name}.{key}" if name else key
        if isinstance(one, list) and one and _of_objects_alone(one):
            yield inner, one
        elif isinstance(one, dict) and one and len(values) <= most:
            yield from tables_in(one, inner, depth + 1)


def _of_objects_alone(items: Sequence[Any]) -> bool:
    return all(isinstance(item, dict) for item in items)


def _rows_of_frame(value: Cells) -> _Rows:
    """Return the rows of a data frame of pandas, in any orient of its `to_json` that has columns.

    >>> _rows_of_frame({"columns": ["id"], "index": [0], "data": [["d7"]]}), _rows_of_frame({"id": {"0": "d7"}})
    ([{'id': 'd7'}], [{'id': 'd7'}])
    """
    columns, rows = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(rows, list):
        are_rows = all(isinstance(row, list) and len(row) == len(columns) for row in rows)
        return [dict(zip(map(str, columns), row, strict=True)) for row in rows] if are_rows else []
    first = next(iter(value.values()), None)
    counted = [str(number) for number in range(len(first))] if isinstance(first, dict) else []
    if not counted or any(not isinstance(one, dict) or [*one] != counted for one in value.values()):
        return []
    return [{label: column[row] for label, column in value.items()} for row in counted]


def _groups_of_rre(value: Cells) -> _Rows:
    """Return the queries of RRE, where a group of them has the same relevant documents, by grade or by id."""
    rows = []
    groups = [group for topic in _objects_at(value, "topics") for group in _objects_at(topic, "query_groups")]
    for group in groups:
        relevant = group.get("relevant_documents")
        grades: dict[str, Any] = {}
        for key, one in relevant.items() if isinstance(relevant, dict) else ():
            if isinstance(one, list):  # documents of one grade
                grades |= dict.fromkeys((doc_id for doc_id in one if isinstance(doc_id, str)), finite_number(key))
            elif isinstance(one, dict):
                grades[key] = one.get("gain")
        for query in _objects_at(group, "queries"):
            texts = query.get("placeholders")
            texts = texts if isinstance(texts, dict) else {}
            rows.append({"query_id": texts.get("$query", next(iter(texts.values()), None)), "ratings": grades})
    return rows


def _objects_at(value: Cells, key: str) -> list[dict[str, Any]]:
    """Return the objects in the list under a key."""
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def rows_in_object(source: AnyPath, *names: str) -> Iterator[Row]:
    """Yield the rows of tables inside the only object of a file, in its order."""
    value, text = whole_object(source)
    wanted, rows = {*names}, list[Cells]()
    for name, some in tables_in(value):
        if name in wanted:
            wanted.remove(name)
            rows += some
        if not wanted:
            break
    place = line = n_missed = 0
    for row in rows:
        shown = next((cell for cell in row.values() if isinstance(cell, str | int)), "")
        if n_missed < _MOST_MISSED:
            found = text.find(json.dumps(shown, ensure_ascii=text.isascii()), place)
            n_missed += found < 0
            line += text.count("\n", place, found) if found >= 0 else 0
            place = max(place, found)
        yield Row(line + 1, row)


def whole_object(source: AnyPath) -> tuple[Cells, str]:
    """Read the only value of a file, and its text; refuse a key that occurs twice."""
    text = whole_text(source)
    repeated: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.append(next(key for key, count in counts.items() if count > 1))
        return values

    try:
        value = json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" starting at")
        raise malformed(source, error.lineno, f"expected JSON; {why} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or as many nested brackets
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise malformed(source, 1, f"expected JSON; {why}") from None
    problems = Problems(source)
    for key in repeated:
        line = line_of(text, key, key)
        problems.add(line, f"'{key}' is a key of one object twice, and JSON keeps only one; remove the other")
    problems.refuse()
    return _of_export(value), text


def line_of(text: str, *keys: str) -> int:
    """Find the line of the last key, each key searched for after the previous one."""
    place = -1
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=text.isascii()), place + 1))
    return text.count("\n", 0, max(place, 0)) + 1


def line_in(source: AnyPath, *keys: str) -> int:
    """Find the line of the last key in a file, which is read again."""
    return line_of(whole_text(source), *keys)


def object_lines(path: AnyPath) -> Iterator[Line]:
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
    is_list = first.lstrip().startswith("[")
    if is_line(first) and not is_list:
        yield from (line for line in chain([(number, first)], lines) if line[1].strip())
        return
    rest = [*lines]
    text = "\n".join([first, *(line for _, line in rest)])
    if is_list or _value_at(text, _past_blanks(text, 0))[1] >= 0:
        yield from _values_in(path, number, text, listed=is_list)
    else:  # its reader says what is wrong with the first line
        yield from (line for line in [(number, first), *rest] if line[1].strip())


def _values_in(path: AnyPath, first: int, text: str, *, listed: bool) -> Iterator[Line]:
    """Yield the values of a text as JSON, each with the line on which it begins.

    listed : whether they are the elements of an array, or stand one after the other
    """
    place, counted, line = _past_blanks(text, text.index("[") + 1 if listed else 0), 0, first
    expected = "expected an array of JSON objects" if listed else "expected JSON objects, one after the other"
    while listed or place < len(text):
        line, counted = line + text.count("\n", counted, place), place
        if listed and text[place : place + 1] == "]":
            place = _past_blanks(text, place + 1)
            if place < len(text):
                raise malformed(path, line, f"text follows the end of the array: '{text[place : place + 40]}'")
            return
        try:
            _, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            problem = f"{expected}; {error}"
            if listed and isinstance(error, json.JSONDecodeError):
                line, problem = (
                    first + text.count("\n", 0, error.pos),
                    f"{expected}, or an object on each line; {error.msg}",
                )
            raise malformed(path, line, problem) from None
        yield line, text[place:end]
        place = _past_blanks(text, end)
        if listed and text[place : place + 1] == ",":
            place = _past_blanks(text, place + 1)
        elif listed and text[place : place + 1] != "]":
            at = first + text.count("\n", 0, place)
            raise malformed(path, at, "the array is not closed or lacks a comma between two objects")


def is_line(text: str) -> bool:
    """True if a line is an object by itself, or nothing of JSON."""
    text = text.strip(_BLANKS)
    if not text.startswith("{"):
        return True
    end = _value_at(text)[1]
    return end >= 0 and text[end:].lstrip(_BLANKS)[:1] != "{"


def _past_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANKS:
        place += 1
    return place
