"""A JSON array of objects, read as if each stood on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from toysearch.errors import malformed
from toysearch.formats.peek import beginning
from toysearch.formats.text_files import numbered_lines

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


def object_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""The objects of a file as JSON, each with the line on which it begins: its lines, or the elements of its array.

    Blank lines are left out. An array is read as a whole.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.json")
    >>> _ = path.write_text('[{"id": 1},\n {"id":\n  2}]\n')
    >>> list(object_lines(path))
    [(1, '{"id": 1}'), (2, '{"id":\n  2}')]
    """
    lines = numbered_lines(path)
    first = next((each for each in lines if each[1].strip()), None)
    if first is None:
        return
    if not first[1].lstrip().startswith("["):
        yield from (each for each in chain([first], lines) if each[1].strip())
        return
    yield from elements(path, first[0], "\n".join([first[1], *(line for _, line in lines)]))


def is_array(path: str | Path) -> bool:
    """Whether a file begins like an array of objects."""
    head = beginning(path).lstrip()
    return head.startswith(b"[") and head[1:].lstrip()[:1] == b"{"


def elements(path: str | Path, first: int, text: str) -> Iterator[tuple[int, str]]:
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
