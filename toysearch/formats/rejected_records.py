"""Records that cannot be read: refused, or left out and kept in a file of rejects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from toysearch.base import StorageError, counted
from toysearch.formats.writing import write_texts

ON_ERROR = ("refuse", "skip")
"""The choices for a record that cannot be read."""

IDS = ("refuse", "first", "last", "number")
"""The choices for records whose id is missing or repeated."""


class Rejected:
    """The records left out, each with its file, its line and the reason.

    >>> rejected = Rejected()
    >>> rejected.add("pets.jsonl", 17, "expected a JSON object", "{oops")
    >>> list(rejected.told())
    ['pets.jsonl: 1 record left out, on line 17: expected a JSON object']
    """

    def __init__(self, target: str | Path | None = None) -> None:
        self._target = None if target is None else Path(target)
        self._rows: dict[tuple[str, int], tuple[str, str]] = {}
        self._written = ""

    def add(self, path: str | Path, line: int, reason: str, text: str) -> None:
        """Add a record; a record that is read twice counts once."""
        self._rows.setdefault((str(path), line), (reason, text))

    def of_files(self) -> dict[str, list[tuple[int, str]]]:
        """File → the line and the reason of each record left out, by line."""
        files: dict[str, list[tuple[int, str]]] = {}
        for (path, line), (reason, _) in sorted(self._rows.items()):
            files.setdefault(path, []).append((line, reason))
        return files

    def told(self) -> Iterator[str]:
        """One sentence per file: the number of records left out, the first of them and the reason."""
        place = f"; all are in {self._target}" if self._target else ""
        for path, rows in self.of_files().items():
            line, reason = rows[0]
            first = f"on line {line}" if len(rows) == 1 else f"the first on line {line}"
            yield f"{path}: {counted(len(rows), 'record')} left out, {first}: {reason}{place}"

    def write(self) -> None:
        """Write the records left out so far to the file."""
        if self._target is None or not self._rows:
            return
        rows = (
            {"file": path, "line": line, "reason": reason, "text": text}
            for (path, line), (reason, text) in sorted(self._rows.items())
        )
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if content == self._written:
            return
        if self._target.exists() and not self._is_ours(content):
            raise StorageError(f"{self._target} already exists; name another file for the rejected records")
        write_texts([content], self._target)
        self._written = content

    def _is_ours(self, content: str) -> bool:
        """Whether the file holds only records that this reading rejects."""
        try:
            content_now = self._target.read_text(encoding="utf-8") if self._target else ""
        except (OSError, UnicodeDecodeError):
            return False
        return content_now in (self._written or content, content)
