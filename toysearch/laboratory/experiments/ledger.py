"""The file in which an experiment notes what it has found: JSON Lines, of which each is whole or does not count."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from toysearch.errors import DataError, malformed
from toysearch.formats.text_files import finite_value
from toysearch.laboratory.experiments.grids import Setting
from toysearch.models.parameter_ranges import Value

KIND = "toysearch-tune"
_LONGEST = 60  # characters of a header's value that an error shows


class Ledger:
    """Setting → the value of each query, in a file that grows by whole lines and can be taken up again.

    The first line is the header: what was measured, on what. A last line without its end, left by a program that was
    killed, is cut off when the file is opened. Use it as a context manager.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path, self._n_queries = Path(path), len(header["queries"])
        self.found: dict[tuple[tuple[str, Value], ...], np.ndarray] = {}
        first = _line({"kind": KIND, **header})
        self._file: BinaryIO = self.path.open("a+b")
        try:
            self._hold()
            self._file.seek(0)
            data = self._file.read()
            whole = data[: data.rfind(b"\n") + 1]
            if not whole and not first.startswith(data):
                raise DataError(f"{path}: this is no file of results of `tune`; choose another name")
            if whole:
                self._read(whole, header)
            self._file.truncate(len(whole))
            if not whole:
                self._write(first)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, setting: Setting, values: np.ndarray) -> None:
        """Note the values of a setting.

        values: (queries,) float64.
        """
        numbers = [None if math.isnan(value) else value for value in values.tolist()]
        self._write(_line({"setting": setting, "values": numbers}))

    def _hold(self) -> None:
        """Keep other processes from writing the same settings; a killed holder lets go (Windows has no such locks)."""
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                problem = "another process is writing results to it; choose another name, or wait until it has ended"
                raise DataError(f"{self.path}: {problem}") from None
            except OSError:  # no locks here
                pass

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def _read(self, whole: bytes, header: Mapping[str, Any]) -> None:
        lines = whole.split(b"\n")[:-1]
        _compare(self.path, lines[0], header)
        self.found.update((key(setting), values) for setting, values in _entries(self.path, lines[1:], self._n_queries))


def read_ledger(path: str | Path) -> tuple[dict[str, Any], list[tuple[Setting, np.ndarray]]]:
    """What a file of results holds: its header, and settings with the values of the queries. It stays as it is."""
    lines = Path(path).read_bytes().split(b"\n")[:-1]
    header = _parsed(lines[0]) if lines else {}
    if header.get("kind") != KIND:
        raise DataError(f"{path}: this is no file of results of `tune`; toysearch tune COLLECTION … -o FILE makes one")
    return header, list(_entries(Path(path), lines[1:], len(header.get("queries", ()))))


def _entries(path: Path, lines: Iterable[bytes], n_queries: int) -> Iterator[tuple[Setting, np.ndarray]]:
    """The settings of a file's lines after the first, with their values."""
    for number, line in enumerate(lines, 2):
        entry = _parsed(line)
        setting, values = entry.get("setting"), entry.get("values", ())
        if not isinstance(setting, dict) or not _are_values(values, n_queries):
            raise malformed(
                path,
                number,
                f"expected a setting with {n_queries} values, one a query; delete this line and those after it, or "
                "choose another file",
            )
        yield setting, np.array([math.nan if each is None else each for each in values], dtype=float)


def _are_values(values: Any, n_queries: int) -> bool:
    """Whether they are a number or null for each query."""
    return (
        isinstance(values, list)
        and len(values) == n_queries
        and all(each is None or finite_value(each) is not None for each in values)
    )


def key(setting: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """What two equal settings have in common, whatever the order of their names."""
    return tuple(sorted(setting.items()))


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    """The object on a line; an empty one where there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _compare(path: Path, line: bytes, header: Mapping[str, Any]) -> None:
    """Refuse a file that is no ledger, or that of another experiment."""
    found = _parsed(line)
    if found.get("kind") != KIND:
        raise DataError(f"{path}: this is no file of results of `tune`; choose another name")
    wanted = _parsed(_line(header))
    for name, value in wanted.items():
        if found.get(name) != value:
            raise DataError(
                f"{path} holds another experiment: its {name}: {_shown(found.get(name))}, not {_shown(value)}; "
                "choose another file, or delete this one"
            )


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
