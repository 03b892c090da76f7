"""Problems: the lines of a file, or the rows of a table, that cannot be read, each with the reason."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

from toysearch.base import DataError, Remedy, ToysearchError, malformed, note, one_line
from toysearch.files.reading import Reading
from toysearch.files.source import AnyPath, Source, unit_of
from toysearch.files.unpacking import damaged

MOST_SHOWN = 20
"""Most lines reported one by one; of the rest, only the number is reported."""

_SKIPPED = Remedy("", on_error="skip")
_TOLD = (ToysearchError, OSError, MemoryError, ImportError, Warning)
"""What is no fault of a reader: errors in sentences, and those of the machine."""

Reader = TypeVar("Reader", bound=Callable[..., Any])


def refused(path: AnyPath, error: Exception) -> Exception:
    """Return what a reader raised as a sentence with the file; what was not foreseen keeps its name."""
    if isinstance(error, _TOLD) or "\0" in str(path):  # which another sentence refuses
        return error
    if isinstance(error, EOFError | zlib.error):
        return damaged(path, error)
    return DataError(f"{path} cannot be read: {type(error).__name__}: {one_line(str(error))}")


@contextmanager
def refusing(path: AnyPath) -> Iterator[None]:
    """Refuse a file in a sentence, whatever its reader raises."""
    try:
        yield
    except Exception as error:  # a reader may raise anything
        problem = refused(path, error)
        if problem is error:
            raise
        raise problem from error


def reader(function: Reader) -> Reader:
    """Let a function whose first argument is a file refuse it as `refusing` does."""

    @wraps(function)
    def read(path: AnyPath, *arguments: Any, **settings: Any) -> Any:
        with refusing(path):
            return function(path, *arguments, **settings)

    return cast(Reader, read)


class Problems:
    """Lines of a file, or rows of a table, that cannot be read, each with the reason."""

    def __init__(self, source: AnyPath, unit: str = "line") -> None:
        self.path, self.unit = source, unit_of(source) if unit == "line" else unit
        self._reading = source.reading if isinstance(source, Source) else Reading()
        self.count = 0
        self.advice = ""  # what to do about all of them, instead of leaving them out
        self._first: list[tuple[int, str]] = []
        self._nouns: set[str] = set()  # what cannot be read: the whole of a line, or a part of it
        self._taken: dict[int, str] = {}  # all of them, if they are taken

    @property
    def skips(self) -> bool:
        """True if lines that cannot be read are left out."""
        return self._reading.on_error == "skip"

    def add(self, line: int, problem: str, part: str = "") -> None:
        """Add a line that cannot be read, or a part of it: the rest of the line then stays."""
        self.count += 1
        self._nouns.add(part or self.unit)
        if len(self._first) < MOST_SHOWN:
            self._first.append((line, problem))
        if self.skips and self._reading.report.left_out is not None:
            self._taken.setdefault(line, problem)

    def refuse(self, *, among: bool = True) -> None:
        """Raise one error that names every bad line, if any; only note them if they are left out and others stay."""
        if not self.count:
            return
        if among and self.skips:
            line, problem = min(self._first)
            noun = self._nouns.pop() if len(self._nouns) == 1 else self.unit
            lines = f"{self.count} {noun}s" if self.count > 1 else f"1 {noun}"
            first = "the first on" if self.count > 1 and noun != self.unit else "the first" if self.count > 1 else "on"
            note(f"{self.path}: {lines} left out, {first} {self.unit} {line}: {problem}")
            if (take := self._reading.report.left_out) is not None:
                take(self.path, self._taken)
            return
        can_skip = among and self._reading.on_error is not None  # else nobody can ask for it
        if self.count == 1 or not among:
            line, problem = self._first[0]
            remedy = self.advice or (f"{_SKIPPED} leaves it out" if can_skip else "")
            problem += f"; {remedy}" if remedy else ""
            if self.unit != unit_of(self.path):
                raise DataError(f"{self.unit} {line} of {self.path}: {problem}")
            raise malformed(self.path, line, problem)
        details = [f"{self.unit} {line}: {problem}" for line, problem in sorted(self._first)]
        if self.count > len(details):
            details.append(f"and {self.count - len(details)} more")
        if self.advice or can_skip:
            details.append(self.advice or f"{_SKIPPED} leaves them out")
        raise DataError(f"{self.path}: {self.count} {self.unit}s cannot be read:", details)
