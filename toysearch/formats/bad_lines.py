"""Bad lines and records: refused with their places, or left out and kept in a file of rejects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from toysearch.errors import DataError, StorageError, malformed, note
from toysearch.formats.writing import write_texts
from toysearch.records import Qrels
from toysearch.wording import counted

MOST_SHOWN = 20
"""Up to this many lines are reported one by one; of the rest, only the number."""


class Problems:
    """The lines of a file that cannot be read, each with the reason."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.count = 0
        self._first: list[tuple[int, str]] = []

    def add(self, line: int, problem: str) -> None:
        """Add a line that cannot be read."""
        self.count += 1
        if len(self._first) < MOST_SHOWN:
            self._first.append((line, problem))

    def refuse(self, *, among: bool = True) -> None:
        """Raise one error that names every line, if any line was bad."""
        if self.count == 1 or (self.count and not among):
            raise malformed(self.path, *self._first[0])
        if self.count:
            details = [f"line {line}: {problem}" for line, problem in self._first]
            if self.count > len(details):
                details.append(f"and {self.count - len(details)} more")
            raise DataError(f"{self.path}: {self.count} lines cannot be read:", details)


class JudgmentLines:
    """Judgments, collected line by line.

    A pair that is judged again with the same grade is left out with a note; with another grade, it is a problem.
    """

    def __init__(self, path: str | Path) -> None:
        self.problems = Problems(path)
        self._grades: dict[str, dict[str, float]] = {}
        self._lines: dict[tuple[str, str], int] = {}
        self._again: list[tuple[int, int]] = []
        self._without: list[int] = []

    def add(self, line: int, query_id: str, doc_id: str, grade: float) -> None:
        """Add a judgment."""
        of_query = self._grades.setdefault(query_id, {})
        first = self._lines.setdefault((query_id, doc_id), line)
        if first == line:
            of_query[doc_id] = grade
        elif of_query[doc_id] == grade:
            self._again.append((line, first))
        else:
            pair = f"query '{query_id}' and document '{doc_id}'"
            problem = f"{pair} have grade {grade:g} here and {of_query[doc_id]:g} on line {first}"
            self.problems.add(line, f"{problem}; keep one of the two lines")

    def add_unjudged(self, line: int) -> None:
        """Add a row of a sheet that has no grade yet."""
        self._without.append(line)

    def qrels(self) -> Qrels:
        """All judgments, with queries and documents in the order of the lines; notes report the rows left out."""
        self.problems.refuse(among=bool(self._grades))
        path = self.problems.path
        if self._again:
            line, first = self._again[0]
            lines = counted(len(self._again), "line judges", "lines judge")
            pairs = "a pair" if len(self._again) == 1 else "pairs"
            note(f"{path}: {lines} {pairs} again with the same grade, the first line {line} (as line {first})")
        if self._without and self._grades:
            rows = counted(len(self._without), "row", "rows")
            note(f"{path}: {rows} without a grade left out as unjudged, the first line {self._without[0]}")
        return Qrels.from_dict(self._grades)


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
        kept = f"; all are in {self._target}" if self._target else ""
        for path, rows in self.of_files().items():
            line, reason = rows[0]
            first = f"on line {line}" if len(rows) == 1 else f"the first on line {line}"
            yield f"{path}: {counted(len(rows), 'record')} left out, {first}: {reason}{kept}"

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
            held = self._target.read_text(encoding="utf-8") if self._target else ""
        except (OSError, UnicodeDecodeError):
            return False
        return held in (self._written or content, content)
