"""Vectors with ids: a NumPy array with a file of ids, Parquet, JSON Lines, or a FLEX folder of pyterrier_dr."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError, malformed
from toysearch.formats.jsonl import object_lines
from toysearch.formats.text_files import numbered_lines, refuse_unreadable
from toysearch.wording import counted

_IDS = ("_id", "id", "doc_id", "docid", "docno", "query_id", "qid")
_VECTORS = ("vector", "embedding", "doc_vec", "query_vec")
_FLEX = "pt_meta.json"
_FORMATS = ".npy, .parquet, .jsonl, or a FLEX folder of pyterrier_dr"


class IdentifiedVectors(NamedTuple):
    """Vectors and their ids, aligned; the matrix may be mapped from a file."""

    ids: Sequence[str]
    matrix: Any  # (n, d), a type of numbers


def read_vectors(source: str, ids: str = "") -> IdentifiedVectors:
    """The vectors of a file or a folder; `ids` is the file with the ids of an array, by default the one beside it."""
    path = Path(source)
    reader = _flex if path.is_dir() else _READERS.get(path.name.removesuffix(".gz").rpartition(".")[2].lower())
    if reader is None:
        raise ArgumentError(f"{source}: expected vectors as {_FORMATS}")
    if ids and reader is not _array:
        raise ArgumentError(f"{source} has its own ids; leave out ids={ids}")
    if not path.is_dir():
        refuse_unreadable(path)
    found = reader(path, Path(ids) if ids else path.with_suffix(".ids"))
    _check(source, found)
    return found


def _check(source: str, found: IdentifiedVectors) -> None:
    """Refuse an array of another shape or type, a number of ids that differs from that of the vectors, and repeats."""
    shape, kind = found.matrix.shape, found.matrix.dtype
    if len(shape) != 2 or not shape[1]:
        raise DataError(f"{source} is an array of the shape {shape}; expected one row per vector, as in (1400, 384)")
    if kind.kind not in "fiu" or kind.itemsize > 8:
        raise DataError(f"{source} is an array of type {kind}; expected numbers such as float32")
    if shape[0] != len(found.ids):
        raise DataError(f"{source} has {counted(shape[0], 'vector')} and {counted(len(found.ids), 'id')}")
    places: dict[str, int] = {}
    for place, each in enumerate(found.ids):
        first = places.setdefault(each, place)
        if first != place:
            raise DataError(f"{source}: the id '{each}' is that of vector {first + 1} and of vector {place + 1}")


def _array(path: Path, ids: Path) -> IdentifiedVectors:
    """A NumPy array, mapped, and its ids."""
    if not ids.is_file():
        raise DataError(f"{ids}: there is no such file; it has the ids of {path}, one on each line (or name ids=FILE)")
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise DataError(f"{path} is not a NumPy array of numbers: {error}") from None
    if not isinstance(matrix, np.ndarray):
        raise DataError(f"{path} is an archive of arrays; expected one array, as numpy.save writes it")
    return IdentifiedVectors(_lines(ids), matrix)


def _lines(path: Path) -> list[str]:
    """The ids of a file, one per line."""
    return [line.strip() for _, line in numbered_lines(path) if line.strip()]


def _json_lines(path: Path, _: Path) -> IdentifiedVectors:
    """Objects with an id and a vector."""
    ids: list[str] = []
    rows: list[np.ndarray] = []
    for line, text in object_lines(path):
        try:
            item = json.loads(text)
        except ValueError as error:
            raise malformed(
                path, line, f"expected a JSON object with _id and vector, found malformed JSON: {error}"
            ) from None
        known = item if isinstance(item, Mapping) else {}
        key, column = (next((name for name in names if name in known), None) for names in (_IDS, _VECTORS))
        if key is None or column is None:
            raise malformed(
                path, line, f"expected an object with {_IDS[0]} and {_VECTORS[0]}, found {text.strip()[:40]}"
            )
        values = known[column]
        if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
            raise malformed(path, line, f"expected a list of numbers as {column}, found {str(values)[:40]}")
        if rows and len(values) != len(rows[0]):
            raise malformed(
                path, line, f"the vector has {len(values)} numbers, and those before it have {len(rows[0])}"
            )
        ids.append(str(known[key]))
        rows.append(np.array(values, dtype=np.float64))
    return IdentifiedVectors(ids, np.array(rows) if rows else np.empty((0, 1)))


def _parquet(path: Path, _: Path) -> IdentifiedVectors:
    """A table with a column of ids and a column of lists."""
    parquet = _extra("pyarrow.parquet", "pyarrow")
    try:
        table = parquet.read_table(path)
    except (ValueError, OSError) as error:
        raise DataError(f"{path} cannot be read as Parquet: {error}") from None
    names = table.column_names
    key, column = (next((name for name in known if name in names), None) for known in (_IDS, _VECTORS))
    if key is None or column is None:
        raise DataError(f"{path} has the columns {', '.join(names)}; expected {_IDS[0]} and {_VECTORS[0]}")
    lists = table.column(column).combine_chunks()
    lengths = np.array(lists.value_lengths().to_numpy(zero_copy_only=False), dtype=np.float64)
    if lengths.size and not (lengths == lengths[0]).all():
        place = int(np.flatnonzero(lengths != lengths[0])[0])
        raise DataError(f"{path}: vector {place + 1} has another length than the first, or none")
    values = lists.flatten().to_numpy(zero_copy_only=False)
    return IdentifiedVectors([str(each) for each in table.column(key).to_pylist()], values.reshape(len(lists), -1))


def _flex(path: Path, _: Path) -> IdentifiedVectors:
    """A folder with the vectors as 32-bit floats, ids and a description."""
    try:
        about = json.loads((path / _FLEX).read_text(encoding="utf-8"))
        shape = (int(about["doc_count"]), int(about["vec_size"]))
        kind = about["format"]
    except (OSError, ValueError, LookupError, TypeError):
        raise DataError(f"{path} is not a FLEX folder: its {_FLEX} is missing or malformed") from None
    vectors = path / "vecs.f4"
    size = vectors.stat().st_size if vectors.is_file() else -1
    if kind != "flex" or min(shape) < 1 or size != 4 * shape[0] * shape[1]:
        raise DataError(f"{path}: expected vecs.f4 with {shape[0]} vectors of {shape[1]} numbers, as {_FLEX} says")
    lookup = _extra("npids", "npids").Lookup(str(path / "docnos.npids"))
    return IdentifiedVectors([str(each) for each in lookup], np.memmap(vectors, "<f4", "r", shape=shape))


def _extra(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise ArgumentError(
            f"these vectors need the package {package}, a part of an extra: pip install 'toysearch[vectors]'"
        ) from None


_READERS: Mapping[str, Callable[[Path, Path], IdentifiedVectors]] = {
    "npy": _array,
    "parquet": _parquet,
    "jsonl": _json_lines,
    "json": _json_lines,
}
