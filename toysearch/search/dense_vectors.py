"""Vectors that the user brings: those of the documents from files, those of queries from files or a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from toysearch.base.errors import ArgumentError, DataError, note, unknown
from toysearch.base.user_code import IN_FILE, functions_of, line_in, module_of
from toysearch.base.wording import counted
from toysearch.formats.vector_files import IdentifiedVectors, read_vectors
from toysearch.index.inverted_index import Index
from toysearch.models.model import Array
from toysearch.models.vector_models import DenseVectors
from toysearch.search.nearest_vectors import Points
from toysearch.search.neighbour_graph import NeighbourGraph
from toysearch.search.scoring import QueryTerms

_TEXTS = 1 << 12  # whose vectors a function makes once


class UserVectors:
    """The vectors of a file for the documents of an index, and those of queries."""

    def __init__(self, index: Index, model: DenseVectors) -> None:
        found = read_vectors(model.source, model.ids)
        rows, docs = _aligned(model, index, found)
        self.model = model
        self.points = Points(found.matrix if rows is None else found.matrix[rows], model.similarity == "cosine", docs)
        _refuse_wrong(
            model.source, self.points.lengths, found.ids if rows is None else [found.ids[row] for row in rows]
        )
        self._of_text = self._of_id = None
        if IN_FILE.fullmatch(model.queries):
            self._of_text = lru_cache(_TEXTS)(_function(model.queries))
        elif model.queries:
            queries = read_vectors(model.queries)
            _refuse_wrong(model.queries, Points(queries.matrix, cosine=False).lengths, queries.ids)
            self._of_id = {each: np.asarray(row, np.float64) for each, row in zip(*queries, strict=True)}

    @cached_property
    def graph(self) -> NeighbourGraph:
        """The graph for an approximate search."""
        return NeighbourGraph(self.points)

    def of_query(self, query: QueryTerms) -> Array | None:
        """The vector of a query, by its id or made from its text; None for zeros, which have no direction."""
        found = self.points.row(query.document) if query.document >= 0 else self._made(query)
        d = self.points.matrix.shape[1]
        if found.shape != (d,) or not np.isfinite(found).all():
            given = "numbers that are not finite" if found.shape == (d,) else f"an array of the shape {found.shape}"
            raise DataError(f"{self.model.queries} gives {given} for a query; expected {counted(d, 'number')}")
        return found if found.any() or not self.points.cosine else None

    def _made(self, query: QueryTerms) -> Array:
        if self._of_text is not None:
            return self._of_text(query.text)
        if self._of_id is None:
            raise ArgumentError(f"'{self.model}' has no vectors of queries; add queries=FILE or queries=mine.py:embed")
        if not query.query_id:
            raise ArgumentError(
                f"{self.model.queries} has vectors of queries by their ids; give the id of a query, or a function "
                "that makes vectors of texts, queries=mine.py:embed"
            )
        if query.query_id not in self._of_id:
            raise DataError(f"{self.model.queries} has no vector of query '{query.query_id}'")
        return self._of_id[query.query_id]


def _aligned(
    model: DenseVectors, index: Index, found: IdentifiedVectors
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The rows of the documents of an index, None for all, and the document of each, None for that order."""
    doc_ids = list(index.doc_ids)
    if list(found.ids) == doc_ids:
        return None, None
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    docs = np.array([numbers.get(each, -1) for each in found.ids], dtype=np.int64)
    rows = np.flatnonzero(docs >= 0)
    if len(rows) < len(doc_ids):
        missing = np.setdiff1d(np.arange(len(doc_ids)), docs)
        others = f" and {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise DataError(
            f"{model.source} has no vector of document '{doc_ids[int(missing[0])]}'{others}; each document needs one"
        )
    if len(rows) == len(docs):
        return None, docs
    note(f"{model.source}: {counted(len(docs) - len(rows), 'vector')} of documents that the index does not have")
    return rows, docs[rows]


def _refuse_wrong(source: str, lengths: np.ndarray, ids: Any) -> None:
    """Refuse vectors with NaN or an infinity."""
    wrong = np.flatnonzero(~np.isfinite(lengths))
    if len(wrong):
        raise DataError(
            f"{source}: the vector of '{ids[int(wrong[0])]}' has a number that is not finite, or is too long"
        )


def _function(name: str) -> Callable[[str], Array]:
    """The function of the user that makes the vector of a text."""
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
        raise unknown(f"function in {path}", match["name"], functions_of(module), f"functions of {path}")

    def made(text: str) -> Array:
        try:
            return np.asarray(function(text), dtype=np.float64)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise ArgumentError(
                f"{path}:{line_in(error, str(path))}: {name} raised {problem}, for {text!r:.60}"
            ) from error

    return made


_kept: WeakKeyDictionary[Index, dict[DenseVectors, tuple[list[tuple[int, int]], UserVectors]]] = WeakKeyDictionary()


def user_vectors(index: Index, model: DenseVectors) -> UserVectors:
    """The vectors of a model, read once for an index as long as their files do not change."""
    stamps = [(path.stat().st_mtime_ns, path.stat().st_size) for path in map(Path, model.files) if path.exists()]
    kept = _kept.setdefault(index, {})
    if model not in kept or kept[model][0] != stamps:
        kept.pop(model, None)  # first, so that both versions are never in memory
        kept[model] = stamps, UserVectors(index, model)
    return kept[model][1]
