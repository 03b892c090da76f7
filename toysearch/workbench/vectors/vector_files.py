"""Vectors with ids: a NumPy array with a file of ids, Parquet, JSON Lines, or a FLEX folder of pyterrier_dr."""

from __future__ import annotations

import importlib
import json
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, DataError, ToysearchError, counted, loading, malformed
from toysearch.files import numbered_lines, object_lines, open_bytes
from toysearch.files.unpacking import unpacked_name

_IDS = ("_id", "id", "doc_id", "docid", "docno", "query_id", "qid")
_VECTORS = ("vector", "embedding", "doc_vec", "query_vec")
_FLEX = "pt_meta.json"
_LARGEST = 1 << 26  # bytes of memory that a table of any size may take
_DENSEST = 100  # bytes of memory for each byte of a larger table
_ROWS = 256  # of a table read at once
_FORMATS = ".npy, .parquet, .jsonl, or a FLEX folder of pyterrier_dr"


_HIGHEST = sys.float_info.max


class IdentifiedVectors(NamedTuple):
    """Vectors and their ids, aligned; the matrix may be mapped from a file."""

    ids: Sequence[str]
    matrix: Any  # (n, d), a type of numbers


def read_vectors(source: str, ids: str = "") -> IdentifiedVectors:
    """Read the vectors of a file or a folder; `ids` names the ids of an array, by default beside it."""
    path = Path(source)
    reader = _flex if path.is_dir() else _READERS.get(unpacked_name(path.name).rpartition(".")[2].lower())
    if reader is None:
        raise ArgumentError(f"{source}: expected vectors as {_FORMATS}")
    if ids and reader is not _array:
        raise ArgumentError(f"{source} has its own ids; leave out ids={ids}")
    if not path.is_dir():
        _refuse_odd_file(path)
        with open_bytes(path):  # a missing one is a sentence
            pass
    try:
        vectors = reader(path, Path(ids) if ids else path.with_suffix(".ids"))
    except (ToysearchError, MemoryError):
        raise
    except Exception as error:  # of a damaged file, numpy, pyarrow and npids raise errors of many kinds
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise DataError(f"{source} cannot be read as vectors: {reason:.200}") from None
    shape, kind = vectors.matrix.shape, vectors.matrix.dtype
    if len(shape) != 2 or not shape[1]:
        raise DataError(f"{source} is an array of the shape {shape}; expected one row per vector, as in (1400, 384)")
    if kind.kind not in "fiu" or kind.itemsize > 8:
        raise DataError(f"{source} is an array of type {kind}; expected numbers such as float32")
    if shape[0] != len(vectors.ids):
        raise DataError(f"{source} has {counted(shape[0], 'vector')} and {counted(len(vectors.ids), 'id')}")
    places: dict[str, int] = {}
    for place, vector_id in enumerate(vectors.ids):
        first = places.setdefault(vector_id, place)
        if first != place:
            raise DataError(f"{source}: the id '{vector_id}' is that of vector {first + 1} and of vector {place + 1}")
    return vectors


def _refuse_odd_file(path: Path) -> None:
    """Refuse a pipe or a device, which may never end."""
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is not a plain file, which vectors and their ids are read from")


def _array(path: Path, ids: Path) -> IdentifiedVectors:
    _refuse_odd_file(ids)
    if not ids.is_file():
        raise DataError(f"{ids}: there is no such file; it has the ids of {path}, one on each line (or name ids=FILE)")
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise DataError(f"{path} is not a NumPy array of numbers: {error}") from None
    if not isinstance(matrix, np.ndarray):
        raise DataError(f"{path} is an archive of arrays; expected one array, as numpy.save writes it")
    return IdentifiedVectors([line.strip() for _, line in numbered_lines(ids) if line.strip()], matrix)


def _json_lines(path: Path, _: Path) -> IdentifiedVectors:
    ids: list[str] = []
    rows: list[np.ndarray] = []
    for line, vector_id, column, values in _vector_lines(path):
        if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
            raise malformed(path, line, f"expected a list of numbers as {column}, found {str(values)[:40]}")
        if not all(abs(value) <= _HIGHEST for value in values if isinstance(value, int)):
            raise malformed(path, line, f"a number as {column} is outside the range of 64-bit floats")
        if rows and len(values) != len(rows[0]):
            raise malformed(
                path, line, f"the vector has {len(values)} numbers, and those before it have {len(rows[0])}"
            )
        ids.append(vector_id)
        rows.append(np.array(values, dtype=np.float64))
    return IdentifiedVectors(ids, np.array(rows) if rows else np.empty((0, 1)))


def _vector_lines(path: Path) -> Iterator[tuple[int, str, str, Any]]:
    for line, text in object_lines(path):
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise malformed(
                path, line, f"expected a JSON object with _id and vector, found malformed JSON: {error}"
            ) from None
        keys = item if isinstance(item, Mapping) else {}
        key, column = (next((name for name in names if name in keys), None) for names in (_IDS, _VECTORS))
        if key is None or column is None:
            raise malformed(
                path, line, f"expected an object with {_IDS[0]} and {_VECTORS[0]}, found {text.strip()[:40]}"
            )
        if not isinstance(keys[key], str | int):
            raise malformed(path, line, f"expected a text or a number as {key}, found {str(keys[key])[:40]}")
        yield line, str(keys[key]), column, keys[column]


def term_vectors(source: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the ids and the learned weights of terms in a file of JSON Lines; weights of 0 are left out."""
    path, lines = Path(source), dict[str, int]()
    _refuse_odd_file(path)
    for line, vector_id, column, values in _vector_lines(path):
        if (first := lines.setdefault(vector_id, line)) != line:
            raise malformed(path, line, f"the id '{vector_id}' is that of line {first} too")
        try:
            yield vector_id, weights_of(values)
        except ArgumentError as error:
            raise malformed(path, line, f"{column}: {error}") from None


def weights_of(values: Any) -> dict[str, float]:
    """Return the weights of the terms of a vector, without those of 0.

    >>> weights_of({"cat": 1.25, "dog": 0})
    {'cat': 1.25}
    """
    if not isinstance(values, Mapping):
        raise ArgumentError(f"expected an object of terms and their weights, found {str(values)[:40]}")
    for term, weight in values.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not abs(weight) <= _HIGHEST:
            raise ArgumentError(f"expected a finite number as the weight of '{term}', found {str(weight)[:40]}")
    return {str(term): float(weight) for term, weight in values.items() if weight}


def _parquet(path: Path, _: Path) -> IdentifiedVectors:
    parquet, types = (_extra(module, "pyarrow") for module in ("pyarrow.parquet", "pyarrow.types"))
    file = parquet.ParquetFile(path)
    names = file.schema_arrow.names
    key, column = (next((name for name in synonyms if name in names), None) for synonyms in (_IDS, _VECTORS))
    if key is None or column is None:
        raise DataError(f"{path} has the columns {', '.join(names)}; expected {_IDS[0]} and {_VECTORS[0]}")
    kind, of_ids = (file.schema_arrow.field(name).type for name in (column, key))
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    if not lists or not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        raise DataError(f"{path}: the column {column} has values of type {kind}; expected lists of numbers")
    if not any(is_kind(of_ids) for is_kind in (types.is_string, types.is_large_string, types.is_integer)):
        raise DataError(f"{path}: the column {key} has values of type {of_ids}; expected texts or numbers")
    # A few bytes of a packed table may stand for any number of values.
    groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    counts = [chunk.num_values for chunk in chunks if chunk.path_in_schema.split(".")[0] == column]
    most, size = max(_LARGEST, _DENSEST * path.stat().st_size), int(sum(counts) * kind.value_type.bit_width // 8)
    ids: list[str] = []
    rows: list[np.ndarray] = [np.empty((0, 1))]
    for batch in file.iter_batches(_ROWS, columns=[key, column]) if size <= most else ():
        size += batch.nbytes
        if size > 2 * most:
            break
        ids += map(str, batch.column(key).to_pylist())
        lists = batch.column(column)
        lengths = np.array(lists.value_lengths().to_numpy(zero_copy_only=False), dtype=np.float64)
        if not (lengths == lengths[0]).all():
            place = int(np.flatnonzero(lengths != lengths[0])[0]) + len(ids) - len(lengths)
            raise DataError(f"{path}: vector {place + 1} has another length than the first, or none")
        rows.append(lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lengths), -1))
    if size > 2 * most or (size > most and not ids):
        raise DataError(f"{path} has {path.stat().st_size:,} bytes, and its vectors or ids more than {most:,}")
    if len({row.shape[1] for row in rows[1:]}) > 1:
        raise DataError(f"{path}: its vectors do not all have the same length")
    return IdentifiedVectors(ids, np.concatenate(rows[1:] or rows))


def _flex(path: Path, _: Path) -> IdentifiedVectors:
    for name in (_FLEX, "vecs.f4", "docnos.npids"):
        _refuse_odd_file(path / name)
    try:
        about = json.loads((path / _FLEX).read_text(encoding="utf-8"))
        shape = (operator.index(about["doc_count"]), operator.index(about["vec_size"]))
        kind = about["format"]
    except (ArithmeticError, LookupError, OSError, RecursionError, TypeError, ValueError):
        raise DataError(f"{path} is not a FLEX folder: its {_FLEX} is missing or malformed") from None
    vectors = path / "vecs.f4"
    size = vectors.stat().st_size if vectors.is_file() else -1
    if kind != "flex" or min(shape) < 1 or size != 4 * shape[0] * shape[1]:
        raise DataError(f"{path}: expected vecs.f4 with {shape[0]} vectors of {shape[1]} numbers, as {_FLEX} says")
    lookup = _extra("npids", "npids").Lookup(str(path / "docnos.npids"))
    return IdentifiedVectors([str(vector_id) for vector_id in lookup], np.memmap(vectors, "<f4", "r", shape=shape))


def _extra(module: str, package: str) -> Any:
    with loading(f"these vectors need the package {package}", "a part of an extra: pip install 'toysearch[vectors]'"):
        return importlib.import_module(module)


_READERS: Mapping[str, Callable[[Path, Path], IdentifiedVectors]] = {
    "npy": _array,
    "parquet": _parquet,
    "jsonl": _json_lines,
    "json": _json_lines,
}
