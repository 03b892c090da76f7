"""Dice, Jaccard and cosine of two things, against worked examples and hand arithmetic."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from toysearch.base.errors import ArgumentError
from toysearch.models.similarity import similarity

DOCUMENT = "How to train a cat".lower().split()
OTHER = "How to train a dog".lower().split()


def test_sums_are_added_one_by_one_from_the_first():
    """The built-in sum rounds otherwise from Python 3.12 on, and a matrix product as the machine likes."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 200))
    plain = 0.0
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        plain += a * b
    names = [f"{number:03}" for number in range(200)]
    assert similarity(x, y).xy == plain
    assert similarity(dict(zip(names, x, strict=True)), dict(zip(names, y, strict=True))).xy == plain


def test_sets_mappings_vectors_and_sparse_rows_agree():
    x, y = [1.0, 0.0, 2.0], [3.0, 4.0, 1.0]
    dense = similarity(x, y)
    assert dense == (5.0, 5.0, 26.0)
    assert similarity({"a": 1, "c": 2}, {"a": 3, "b": 4, "c": 1}) == dense
    assert similarity(csr_array([x]), csr_array([y])) == dense
    assert similarity(np.array(x), np.array([y])) == dense
    assert similarity(DOCUMENT, OTHER) == similarity(set(DOCUMENT), set(OTHER)) == (4.0, 5.0, 5.0)
    assert dense.jaccard == 5 / 26
    assert dense.dice == 10 / 31
    assert dense.cosine == 5 / np.sqrt(130)
    assert dense.jaccard_euclidean == pytest.approx(5 / (np.sqrt(5) + np.sqrt(26) - 5), rel=1e-15)


def test_nothing_is_similar_to_nothing():
    empty = similarity(set(), set())
    assert (empty.dice, empty.jaccard, empty.cosine, empty.dice_euclidean) == (0.0, 0.0, 0.0, 0.0)
    assert similarity([], {"cat"}).dice == 0.0


def test_two_kinds_or_lengths_are_refused():
    with pytest.raises(ArgumentError, match="needs two sets, two mappings or two vectors, not one of each"):
        similarity({"cat"}, [1.0])
    with pytest.raises(ArgumentError, match="the vectors have different lengths: 2 and 3"):
        similarity([1, 2], [1, 2, 3])
    with pytest.raises(ArgumentError, match=r"needs vectors or single rows, not an array of shape \(2, 2\)"):
        similarity(np.eye(2), np.eye(2))
