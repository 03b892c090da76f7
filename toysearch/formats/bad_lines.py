"""What is wrong with the lines of a file: told all at once, so that it is mended all at once."""

from __future__ import annotations

from pathlib import Path

from toysearch.errors import DataError, malformed, note
from toysearch.formats.text_files import counted
from toysearch.records import Qrels

MOST_SHOWN = 20
"""So many lines are told one by one; of more, the number."""


class Problems:
    """The lines of a file that cannot be read, each with the reason."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.count = 0
        self._first: list[tuple[int, str]] = []

    def add(self, line: int, problem: str) -> None:
        """One more line that cannot be read."""
        self.count += 1
        if len(self._first) < MOST_SHOWN:
            self._first.append((line, problem))

    def refuse(self, *, among: bool = True) -> None:
        """Raise one error that names every line, if there is any."""
        if self.count == 1 or (self.count and not among):
            raise malformed(self.path, *self._first[0])
        if self.count:
            details = [f"line {line}: {problem}" for line, problem in self._first]
            if self.count > len(details):
                details.append(f"and {self.count - len(details)} more")
            raise DataError(f"{self.path}: {self.count} lines cannot be read:", details)


class Judgments:
    """Judgments, taken line by line.

    A pair that is judged a second time is left out with a note if the grade is the same, and is a problem if it
    is another one.
    """

    def __init__(self, path: str | Path) -> None:
        self.problems = Problems(path)
        self._grades: dict[str, dict[str, float]] = {}
        self._lines: dict[tuple[str, str], int] = {}
        self._again: list[tuple[int, int]] = []
        self._without: list[int] = []

    def add(self, line: int, query_id: str, doc_id: str, grade: float) -> None:
        """One more judgment."""
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
        """A pair on a sheet that nobody has judged yet."""
        self._without.append(line)

    def qrels(self) -> Qrels:
        """All judgments, queries and documents in the order of the lines; notes tell what was left out."""
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
