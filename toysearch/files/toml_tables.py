"""TOML: the table that a file holds, within bounds."""

from __future__ import annotations

import re
from typing import Any

from toysearch.base import DataError, malformed
from toysearch.files.source import AnyPath, numbered_lines

_MOST_BYTES = 1 << 23
_MOST_PARTS = 64
_PART = r"(?:[A-Za-z0-9_-]{1,999}|\"[^\"\n]{0,999}\"|'[^'\n]{0,999}')"
_DEEP = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{_MOST_PARTS}}}"
# An error of tomllib has the place as attributes only since Python 3.14.
_PLACE = r"(?s)(?P<message>.*) \(at line (?P<line>\d+), column \d+\)"


def read_toml(path: AnyPath) -> tuple[dict[str, Any], list[str]]:
    """Read the table that a file holds, and its lines."""
    import tomllib

    lines: list[str] = []
    size = 0
    for number, line in numbered_lines(path):
        lines.append(line)
        size += len(line)
        if size > _MOST_BYTES:
            raise DataError(f"{path} has more than {_MOST_BYTES >> 20} MB; expected a short file of TOML")
        if line.count(".") > _MOST_PARTS and re.search(_DEEP, line):
            raise malformed(path, number, f"expected TOML; a key has more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads("\n".join(lines)), lines
    except (ValueError, RecursionError) as error:  # ValueError: numbers of thousands of digits too
        if place := re.fullmatch(_PLACE, str(error)):
            raise malformed(path, int(place["line"]), f"expected TOML; {place['message']}") from None
        raise DataError(f"{path}: expected TOML; {error}") from None
