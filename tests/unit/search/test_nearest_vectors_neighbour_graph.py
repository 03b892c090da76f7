from __future__ import annotations

import hashlib

import numpy as np
import pytest
from noted import noted

from toysearch.base.errors import ToysearchNote
from toysearch.search import nearest_vectors
from toysearch.search.nearest_vectors import NeighbourGraph, Points

MATRIX = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
QUERIES = np.random.default_rng(1).normal(size=(20, 8))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of graphs; every graph is kept."""
    monkeypatch.setattr(nearest_vectors, "neighbour_graphs", lambda: tmp_path / "graphs")
    monkeypatch.setattr(nearest_vectors, "_KEPT_FROM", 1)
    return tmp_path / "graphs"


def found(matrix=MATRIX, cosine=True, n=10):
    graph = NeighbourGraph(Points(matrix, cosine))
    return [graph.nearest(query, n).tolist() for query in QUERIES]


def plain(matrix, query, cosine):
    """The rows by falling score, computed one by one."""
    scores = []
    for row in np.asarray(matrix, dtype=np.float64):
        lengths = np.sqrt((row**2).sum() * (query**2).sum()) if cosine else 1.0
        scores.append(float((row * query).sum() / lengths) if lengths else 0.0)
    return sorted(range(len(scores)), key=lambda place: -scores[place])


@pytest.mark.parametrize("cosine", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e15])
def test_most_of_the_nearest_rows_are_found(cosine, scale):
    matrix = np.vstack([MATRIX.astype(np.float64) * scale, np.zeros((1, 8))])
    for rows, query in zip(found(matrix, cosine, n=40), QUERIES, strict=True):
        assert len(set(rows)) == 40
        assert len({*rows} & {*plain(matrix, query, cosine)[:40]}) >= 36


def test_very_large_queries_are_scaled():
    graph = NeighbourGraph(Points(MATRIX, cosine=False))
    assert graph.nearest(QUERIES[0] * 1e200, 10).tolist() == graph.nearest(QUERIES[0], 10).tolist()


def test_as_many_candidates_as_rows_are_all_rows():
    assert found(MATRIX[:5], n=5)[0] == found(MATRIX[:5], n=9)[0] == [0, 1, 2, 3, 4]
    assert found(MATRIX[:0], n=3)[0] == []


def test_a_graph_is_built_once_and_then_opened(folder):
    with pytest.warns(ToysearchNote, match=r"^a graph of 300 vectors is built for the approximate search; it is kept"):
        first = found()
    [path] = folder.iterdir()
    content = path.read_bytes()
    assert path.stem.endswith(hashlib.sha256(content).hexdigest())
    assert found() == first  # a note would be an error
    with pytest.warns(ToysearchNote):
        found(MATRIX * 2, cosine=False)
    path.unlink()
    with pytest.warns(ToysearchNote):
        assert found() == first
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "change", [lambda matrix: matrix[::-1], lambda matrix: matrix + np.float32(1e-6), lambda matrix: matrix[:-1]]
)
def test_a_graph_of_other_vectors_is_never_used(folder, change):
    for matrix in (MATRIX, change(MATRIX)):
        with pytest.warns(ToysearchNote, match="is built"):
            found(matrix)
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("damage", [b"", b"x" * 100])
def test_a_damaged_graph_is_built_again(folder, damage):
    with pytest.warns(ToysearchNote):
        first = found()
    [path] = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:5000] + damage + whole[5000 + len(damage) :] if damage else whole[:-1])
    with noted() as notes:
        assert found() == first
    assert notes[0] == (f"{path} is damaged: its checksum does not match; the graph is built again")
    assert path.read_bytes() == whole


def test_without_a_place_for_it_a_graph_is_not_kept(folder):
    folder.write_text("a file")
    with noted() as notes:
        assert found()[0]
    assert notes[1].startswith("the graph is not kept: ")
