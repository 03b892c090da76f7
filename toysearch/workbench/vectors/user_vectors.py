"""Vectors that a user brings, of the documents of an index and of queries: in files, or made by a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    IN_FILE,
    ArgumentError,
    DataError,
    counted,
    functions_of,
    has_no,
    line_in,
    module_of,
    note,
)
from toysearch.collection.catalog import bundled, is_name
from toysearch.index import Index
from toysearch.models.model import Array
from toysearch.retrieval.query_terms import QueryTerms, whole_text
from toysearch.workbench.vectors.nearest_vectors import Points
from toysearch.workbench.vectors.vector_files import read_vectors


class VectorFiles(NamedTuple):
    """Files of ``dense:…`` or ``impact:…``."""

    source: str  # the file or the folder with the vectors of the documents
    queries: str = ""  # the file with the vectors of the queries, or the function that makes them, mine.py:embed
    similarity: str = "cosine"
    ids: str = ""  # the file with the ids of an array; by default the one beside it


def with_bundled(given: VectorFiles) -> VectorFiles:
    """Return the files of a collection that comes with toysearch, if its name is given: dense:companions."""
    if not is_name(given.source) or not (folder := bundled(given.source)).is_dir():
        return given  # the code beside the vectors of a stranger is not run
    files = sorted(folder.rglob("vectors.npy"))
    if not files:
        raise ArgumentError(f"collection '{given.source}' comes without vectors; name a file: dense:vectors.npy")
    return given._replace(source=str(files[0]), queries=given.queries or f"{files[0].with_name('embed.py')}:embed")


_TEXTS = 1 << 12  # whose vectors a function makes once


class UserVectors:
    """Vectors of a file for the documents of an index, and those of queries."""

    def __init__(self, index: Index, model: VectorFiles) -> None:
        self.model = model
        ids, matrix = read_vectors(model.source, model.ids)
        rows, docs = in_index(index, model.source, ids)
        if docs is not None and len(rows) < len(ids):
            matrix, ids = matrix[rows], [ids[row] for row in rows.tolist()]
        self.points = Points(matrix, model.similarity == "cosine", docs)
        _refuse_wrong(model.source, self.points.lengths, ids)
        self._of_words = query_vectors(model, _vectors_by_id, lambda vector: np.asarray(vector, dtype=np.float64))

    def of_query(self, query: QueryTerms) -> Array | None:
        """Return the vector of a query, by its id or made from its text; None for zeros, which have no direction.

        A filter alone has none either.
        """
        if query.is_filter:
            return None
        vector = self.points.row(query.document) if query.document >= 0 else self._of_words(query)
        d = self.points.matrix.shape[1]
        if vector.shape != (d,) or not np.isfinite(vector).all():
            wrong = "numbers that are not finite" if vector.shape == (d,) else f"an array of the shape {vector.shape}"
            raise DataError(f"{self.model.queries} gives {wrong} for a query; expected {counted(d, 'number')}")
        return vector if vector.any() or not self.points.cosine else None


def in_index(index: Index, source: str, ids: Sequence[str]) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the rows of an index's documents, and the numbers of these; None if both have one order."""
    doc_ids = list(index.doc_ids)
    if list(ids) == doc_ids:
        return np.arange(len(doc_ids)), None
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    docs = np.array([numbers.get(doc_id, -1) for doc_id in ids], dtype=np.int64)
    rows = np.flatnonzero(docs >= 0)
    if len(rows) < len(doc_ids):
        missing = np.setdiff1d(np.arange(len(doc_ids)), docs)
        others = f" and {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise DataError(
            f"{source} has no vector of document '{doc_ids[int(missing[0])]}'{others}; each document needs one"
        )
    if len(rows) < len(docs):
        note(f"{source}: {counted(len(docs) - len(rows), 'vector')} of documents that the index does not have")
    return rows, docs[rows]


def _vectors_by_id(source: str) -> dict[str, Array]:
    queries = read_vectors(source)
    _refuse_wrong(source, Points(queries.matrix, cosine=False).lengths, queries.ids)
    return {query_id: np.asarray(row, np.float64) for query_id, row in zip(*queries, strict=True)}


def query_vectors(
    model: VectorFiles, read: Callable[[str], Mapping[str, Any]], convert: Callable[[Any], Any]
) -> Callable[[QueryTerms], Any]:
    """Return a function that finds the vector of a query: the user's, by its text, or a file, by its id."""
    if IN_FILE.fullmatch(model.queries):
        of_text = lru_cache(_TEXTS)(_function(model.queries, convert))
        return lambda query: of_text(whole_text(query, model.queries))
    by_id = read(model.queries) if model.queries else None

    def of_id(query: QueryTerms) -> Any:
        if by_id is None:
            raise ArgumentError(
                f"{model.source} comes without vectors of queries; add queries=FILE or queries=mine.py:embed"
            )
        whole_text(query, model.queries)
        if not query.query_id:
            raise ArgumentError(
                f"{model.queries} has vectors of queries by their ids; give the id of a query, or a function "
                "that makes vectors of texts, queries=mine.py:embed"
            )
        if query.query_id not in by_id:
            raise DataError(f"{model.queries} has no vector of query '{query.query_id}'")
        return by_id[query.query_id]

    return of_id


def _refuse_wrong(source: str, lengths: np.ndarray, ids: Any) -> None:
    wrong = np.flatnonzero(~np.isfinite(lengths))
    if len(wrong):
        raise DataError(
            f"{source}: the vector of '{ids[int(wrong[0])]}' has a number that is not finite, or is too long"
        )


def _function(name: str, convert: Callable[[Any], Any]) -> Callable[[str], Any]:
    match = IN_FILE.fullmatch(name)
    assert match is not None
    path = Path(match["file"])
    if match["parameters"]:
        raise ArgumentError(f"'{name}': expected a file and the name of a function in it, as in mine.py:embed")
    try:
        module = module_of(path, path.read_bytes(), ArgumentError)
    except OSError as error:
        raise ArgumentError(
            f"{path}: {error.strerror}; a function that makes vectors is given as FILE.py:NAME"
        ) from None
    function = getattr(module, match["name"], None)
    if not callable(function):
        raise has_no(str(path), "function", match["name"], functions_of(module))

    def vector(text: str) -> Any:
        try:
            return convert(function(text))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise ArgumentError(
                f"{path}:{line_in(error, str(path))}: {name} raised {problem}, for {text!r:.60}"
            ) from error

    return vector


def user_vectors(index: Index, files: VectorFiles, read: Callable[[Index, Any], Any] = UserVectors) -> Any:
    """Read the vectors of some files, once for an index as long as the files do not change."""
    # Files and folders, those of functions, and those of ids beside arrays.
    names = (files.source, files.queries, files.ids)
    codes = [f"{name.partition('.py:')[0]}.py" if ".py:" in name else name for name in names if name]
    codes += [f"{name.removesuffix('.npy')}.ids" for name in codes if name.endswith(".npy")]
    there = [path.stat() for path in map(Path, codes) if path.exists()]
    stamps = [(status.st_mtime_ns, status.st_size) for status in there]
    if files not in index.memo or index.memo[files][0] != stamps:
        index.memo.pop(files, None)  # first, so that both versions are never in memory
        index.memo[files] = stamps, read(index, files)
    return index.memo[files][1]
