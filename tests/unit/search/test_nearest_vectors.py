from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.search import nearest_vectors
from toysearch.search.nearest_vectors import Points, nearest


def plain(matrix, query, cosine):
    """Each score by itself, in 64-bit floats."""
    found = []
    for row in np.asarray(matrix, dtype=np.float64):
        lengths = np.sqrt(np.square(row).sum()) * np.sqrt(np.square(query).sum())
        score = (row * query).sum()
        found.append((score / lengths if lengths else 0.0) if cosine else score)
    return np.array(found)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(["<f2", "<f4", "<f8"]), st.integers(1, 60))
def test_the_best_are_those_of_all_scores_in_any_blocks_and_any_order(seed, cosine, dtype, block):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    rounded = rng.integers(0, 2)  # whole numbers: many ties and zeros
    matrix = rng.normal(size=(n, d)).round(0 if rounded else 3).astype(dtype)
    docs = rng.permutation(n)
    queries = [rng.normal(size=d).round(1) for _ in range(3)]
    k = int(rng.integers(1, n + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_vectors, "_BLOCK", block)
        points = Points(matrix, cosine, docs)
        for query, (best, scores) in zip(queries, nearest(points, queries, k), strict=True):
            expected = np.empty(n)
            expected[docs] = plain(matrix, query, cosine)
            order = np.argsort(-expected, kind="stable")[:k]
            assert best.tolist() == order.tolist()
            assert scores.tolist() == expected[order].tolist()
            assert points.all_scores(query).tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_vectors_outside_the_range_of_32_bits_are_scored_in_64(scale):
    matrix = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * scale
    [(docs, scores)] = nearest(Points(matrix, cosine=True), [np.array([1.0, 0.5]) * scale], 2)
    assert docs.tolist() == [1, 0]
    assert scores == pytest.approx([0.9486833, 0.8944272])


def test_ties_within_the_error_of_32_bits_are_decided_exactly():
    matrix = np.array([[1.0, 0.0], [1.0, 1e-9], [1.0, 2e-9]])
    [(docs, _)] = nearest(Points(matrix, cosine=False), [np.array([1.0, 1.0])], 2)
    assert docs.tolist() == [2, 1]
