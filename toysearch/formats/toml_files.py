"""TOML files, as collection.toml and the files of a gate are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from toysearch.errors import DataError, malformed
from toysearch.formats.text_files import numbered_lines

_MOST_BYTES = 1 << 23
_MOST_PARTS = 64
_PART = r"(?:[A-Za-z0-9_-]{1,999}|\"[^\"\n]{0,999}\"|'[^'\n]{0,999}')"
_DEEP = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{_MOST_PARTS}}}")
_PLACE = re.compile(r"(?P<message>.*) \(at line (?P<line>\d+), column \d+\)", re.DOTALL)


def read_toml(path: str | Path) -> tuple[dict[str, Any], list[str]]:
    """The table that a file holds, and its lines."""
    import tomllib

    lines: list[str] = []
    size = 0
    for number, line in numbered_lines(path):
        lines.append(line)
        size += len(line)
        if size > _MOST_BYTES:
            raise DataError(f"{path} has more than {_MOST_BYTES >> 20} MB; expected a short file of TOML")
        if line.count(".") > _MOST_PARTS and _DEEP.search(line):
            raise malformed(path, number, f"expected TOML; a key has more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads("\n".join(lines)), lines
    except (ValueError, RecursionError) as error:  # ValueError: numbers of thousands of digits too
        if found := _PLACE.fullmatch(str(error)):
            raise malformed(path, int(found["line"]), f"expected TOML; {found['message']}") from None
        raise DataError(f"{path}: expected TOML; {error}") from None
