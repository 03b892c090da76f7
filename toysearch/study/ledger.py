"""Result files from which an interrupted `tune` is resumed: the values of settings."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from toysearch.base import NO_JUDGMENTS, DataError, Qrels, cut, malformed
from toysearch.files import AppendLog, finite_value
from toysearch.index.inverted_index import Index
from toysearch.models import Model, Ranker, Value, is_shipped
from toysearch.models.rankers import functions_in, parts_of
from toysearch.retrieval import Searcher

_DIGITS = 16  # of a checksum: enough to distinguish files, short enough to read


def data_fingerprint(index: Index, queries: Mapping[str, str], qrels: Qrels) -> str:
    """Return a checksum of the counts of an index, of queries and of judgments."""
    digest = hashlib.sha256()
    for strings in (index.doc_ids, index.terms, *queries.items(), qrels.query_ids, qrels.doc_ids):
        for text in strings:
            digest.update(text.encode(errors="surrogatepass") + b"\0")
        digest.update(b"\n")
    of_fields = [index.fields.dl(name) for name in index.fields.names]
    counts = [*reversed(index.blocks.span()), index.offsets, index.dl, index.bytes, *of_fields]
    for array in (*counts, qrels.relevance, qrels.offsets):
        digest.update(np.ascontiguousarray(array, "<f8").data)
    return digest.hexdigest()[:_DIGITS]


def checksum(content: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def code_fingerprint(model: Model | Ranker) -> str:
    """Return a checksum of the files with a model's functions, vectors and rankers; "" if there are none."""
    # The checksums of the files of vectors, of the functions that make those of queries, and of learned rankers.
    files = {}
    for path in (path for part in parts_of(model) for path in getattr(part, "files", ())):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                with file.open("rb") as opened:
                    files[str(file)] = hashlib.file_digest(opened, "sha256").digest()
    for function in functions_in(model):
        code = getattr(function, "__code__", None)
        if code is not None and not is_shipped(function) and Path(code.co_filename).is_file():
            files[code.co_filename] = Path(code.co_filename).read_bytes()
    if not files:
        return ""
    return checksum(b"\0".join(files[name] for name in sorted(files)))


def run_fingerprint(searcher: Searcher, queries: Mapping[str, str], *how: object) -> str:
    """Return a checksum of the inputs of a run: counts of the index, queries, the model with its code, and settings."""
    data, model = data_fingerprint(searcher.index, queries, NO_JUDGMENTS), searcher.model
    parts = data, searcher.index.analyzer, model, code_fingerprint(model), *how
    return checksum("\0".join(map(str, parts)).encode())


KIND = "toysearch-tune"
_LONGEST = 60  # characters of a header value shown in an error


def _is_same_grid(name: str, item: Mapping[str, Any], header: Mapping[str, Any]) -> bool:
    """Return True for a grid of the same parameters: settings in the file are not computed again."""
    grid = item.get(name)
    return name == "grid" and header.get("search") == name and isinstance(grid, dict) and [*grid] == [*header[name]]


class Ledger:
    """Setting → the value of each query, in a file that grows by whole lines and can be resumed.

    The first line is the header: the measure and its data. An incomplete last line, left by a program that was
    killed, is removed when the file is opened. Use it as a context manager.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.found: dict[Any, Any] = {}
        first = {"kind": KIND, **header}
        stranger = DataError(f"{path}: this is not a file of results of `tune`; choose another name")

        def whole(data: bytes) -> int:
            """Return the size of the whole lines of the file, which must be results of this experiment."""
            lines = data.split(b"\n")[:-1]
            if lines:
                item = _parsed(lines[0])
                if item.get("kind") != KIND:
                    raise stranger
                for name, value in json.loads(json.dumps(header)).items():
                    if item.get(name) != value and not _is_same_grid(name, item, header):
                        raise DataError(
                            f"{self.path} holds another experiment: its {name}: {_shown(item.get(name))}, not "
                            f"{_shown(value)}; choose another file, or delete this one"
                        )
                self._take(lines[1:], header)
            elif not json.dumps(first, ensure_ascii=False).encode().startswith(data):
                raise stranger
            return data.rfind(b"\n") + 1

        self._file = AppendLog(self.path, sync=False, keep=whole)
        if not self.path.stat().st_size:
            try:
                self._file.append(first)
            except BaseException:
                self._file.close()
                raise

    def _take(self, lines: Iterable[bytes], header: Mapping[str, Any]) -> None:
        settings = _entries(self.path, lines, len(header["queries"]))
        self.found.update((key(setting), values) for setting, values in settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, setting: Mapping[str, Value], values: np.ndarray) -> None:
        """Record the values of a setting."""
        # values: (queries,) float64.
        numbers = [None if math.isnan(value) else value for value in values.tolist()]
        self._file.append({"setting": setting, "values": numbers})


def read_ledger(path: str | Path) -> tuple[dict[str, Any], list[tuple[dict[str, Value], np.ndarray]]]:
    """Read the header of a results file, and its settings with the values of the queries; the file is not changed."""
    lines = Path(path).read_bytes().split(b"\n")[:-1]
    header = _parsed(lines[0]) if lines else {}
    if header.get("kind") != KIND:
        raise DataError(
            f"{path}: this is not a file of results of `tune`; create one with toysearch tune COLLECTION … -o FILE"
        )
    return header, list(_entries(Path(path), lines[1:], len(header.get("queries", ()))))


def _entries(path: Path, lines: Iterable[bytes], n_queries: int) -> Iterator[tuple[dict[str, Value], np.ndarray]]:
    for number, line in enumerate(lines, 2):
        entry = _parsed(line)
        setting, values = entry.get("setting"), entry.get("values", ())
        right = isinstance(values, list) and all(value is None or finite_value(value) is not None for value in values)
        if not isinstance(setting, dict) or not right or len(values) != n_queries:
            raise malformed(
                path,
                number,
                f"expected a setting with {n_queries} values, one per query; delete this line and those after it, or "
                "choose another file",
            )
        yield setting, np.array([math.nan if value is None else value for value in values], float)


def key(setting: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """Return a key that equal settings share, whatever the order of their names."""
    return tuple(sorted(setting.items()))


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def _shown(value: Any) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _LONGEST)
