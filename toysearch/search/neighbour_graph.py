"""A graph of neighbours (HNSW), made by usearch: it finds most of the nearest vectors and reads few of the others.

Malkov & Yashunin, Efficient and robust approximate nearest neighbor search using hierarchical navigable small world
graphs, TPAMI 2020.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base.errors import StorageError, note
from toysearch.base.optional_packages import of_usearch, version_of
from toysearch.base.user_cache import neighbour_graphs
from toysearch.base.wording import counted
from toysearch.formats.writing import replacing_bytes
from toysearch.models.model import Array
from toysearch.search.nearest_vectors import Points, blocks

_NEIGHBOURS, _CANDIDATES = 16, 128  # of a vector in the graph, and while it is added; the defaults of usearch
_AT_ONCE = 1 << 10  # vectors that are added together: an interruption waits for them
_KEPT_FROM = 5_000  # vectors; a smaller graph is built in about a second


class NeighbourGraph:
    """The graph of some vectors: the one in the user's cache, or a new one."""

    # One thread adds the vectors in their order, so that the same vectors give the same graph. Vectors are scaled
    # before: the dot products of the scaled ones have the order of the cosines or dot products that are asked for.

    def __init__(self, points: Points) -> None:
        self.points = points
        self._usearch = of_usearch()
        lengths = points.lengths if points.cosine else np.full_like(points.lengths, points.lengths.max(initial=0.0))
        self._scale = np.where(lengths > 0, lengths, 1.0)
        kept = len(points.matrix) >= _KEPT_FROM
        name = self._fingerprint() if kept else ""
        self._graph = (self._opened(name) if kept else None) or self._built(name)

    def nearest(self, query: Array, n: int) -> np.ndarray:
        """About the n rows with the highest scores for a query, found with as many candidates."""
        if n >= len(self._graph):
            return np.arange(len(self._graph))
        query = query / (np.abs(query).max() or 1.0)  # squares of very large numbers would not be finite
        unit = query / (np.sqrt(np.square(query).sum()) or 1.0)
        self._graph.expansion_search = n
        found = self._graph.search(unit.astype(np.float32), n, threads=1)
        return np.asarray(found.keys, dtype=np.int64)

    def _empty(self) -> Any:
        settings = {"connectivity": _NEIGHBOURS, "expansion_add": _CANDIDATES}
        return self._usearch.Index(ndim=self.points.matrix.shape[1], metric="ip", dtype="f32", **settings)

    def _built(self, name: str) -> Any:
        """A new graph, kept in the user's cache if it has a name."""
        matrix = self.points.matrix
        if name:
            note(
                f"a graph of {counted(len(matrix), 'vector')} is built for the approximate search; it is kept for "
                "later searches (`toysearch cache`)"
            )
        graph = self._empty()
        for start in range(0, len(matrix), _AT_ONCE):
            rows = np.arange(start, min(start + _AT_ONCE, len(matrix)))
            scaled = np.asarray(matrix[rows], dtype=np.float64) / self._scale[rows, None]
            graph.add(rows, scaled.astype(np.float32), threads=1)
        if name:
            content = graph.save()
            path = neighbour_graphs() / f"{name}-{hashlib.sha256(content).hexdigest()}.usearch"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing_bytes(path) as file:
                    file.write(content)
            except (OSError, StorageError) as error:
                note(f"the graph is not kept: {error}")
        return graph

    def _opened(self, name: str) -> Any:
        """The graph in the user's cache, mapped; None if there is none, or only a damaged one."""
        for path in sorted(neighbour_graphs().glob(f"{name}-*.usearch")):
            if _checksum(path) == path.stem.rpartition("-")[2]:
                graph = self._empty()
                graph.view(path)
                return graph
            note(f"{path} is damaged: its checksum does not match; the graph is built again")
            with suppress(OSError):
                path.unlink()
        return None

    def _fingerprint(self) -> str:
        """A checksum of all that the graph is made from."""
        matrix = self.points.matrix
        made = (version_of("usearch"), _NEIGHBOURS, _CANDIDATES, self.points.cosine, matrix.shape, matrix.dtype.str)
        digest = hashlib.sha256(repr(made).encode())
        for rows in blocks(matrix):
            digest.update(np.ascontiguousarray(matrix[rows]).data)
        return digest.hexdigest()[:32]


def _checksum(path: Path) -> str:
    """The checksum of a file; "" if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
