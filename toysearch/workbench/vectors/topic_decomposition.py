"""Decomposition that makes latent topics: exact to rounding, and nothing in it is random.

The matrix and its topics are those of `toysearch.index.latent_topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toysearch.base import gather_at, repeat_each
from toysearch.index.file_layout import Arrays
from toysearch.index.latent_topics import NOISE, idf
from toysearch.index.plain_postings import term_postings

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_SMALL = 600  # documents or terms up to which all topics are computed, which is then the quickest
_LEVEL = 1 - 1e-6  # the share of the furthest entry from which another is equal to it but for rounding


def decomposed(arrays: Arrays, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the documents among the topics, and the directions of the topics; float64."""
    matrix = _matrix(arrays)
    terms = _topics(matrix, min(dimensions, *matrix.shape))
    return np.asarray(matrix @ terms), terms


def _matrix(arrays: Arrays) -> csr_array:
    """Return the weights of the documents: one row per document, of length 1, one column per term."""
    from scipy.sparse import csc_array, csr_array

    offsets, n_documents = np.asarray(arrays["offsets"], dtype=np.int64), arrays["dl"].size
    docs, tf = term_postings(arrays).span()
    df = np.diff(offsets)
    weights = np.log1p(tf.astype(np.float64)) * repeat_each(idf(df, n_documents), df)
    squares = np.zeros(n_documents)
    gather_at(np.add, squares, docs, np.square(weights))
    matrix = csr_array(csc_array((weights / np.sqrt(squares[docs]), docs, offsets), shape=(n_documents, df.size)))
    matrix.sort_indices()
    return matrix


def _topics(matrix: csr_array, n_topics: int) -> np.ndarray:
    """Return the directions of the strongest topics of a matrix, strongest first, as columns; float64.

    They are eigenvectors of the products of all terms, or follow from those of all documents, whichever are fewer.
    """
    rows = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    few = rows.shape[0] <= max(_SMALL, 4 * n_topics)
    squares, vectors = _all_eigenvectors(rows) if few else _first_eigenvectors(rows, n_topics)
    strengths = np.sqrt(np.maximum(squares, 0.0))
    strongest = np.argsort(-strengths, kind="stable")[:n_topics]
    strongest = strongest[strengths[strongest] > NOISE * strengths.max(initial=0.0)]
    vectors = vectors[:, strongest]
    return _with_signs(vectors if rows is not matrix else np.asarray(rows.T @ vectors) / strengths[strongest])


def _all_eigenvectors(rows: csr_array) -> tuple[np.ndarray, np.ndarray]:
    from threadpoolctl import threadpool_limits

    products = (rows @ rows.T).toarray()
    with threadpool_limits(1):  # several threads would add in another order, and change the last bits between two runs
        return np.linalg.eigh(products)


def _first_eigenvectors(rows: csr_array, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the n largest of them, by Lanczos iterations until they change no more (ARPACK with the tolerance 0)."""
    from scipy.sparse.linalg import LinearOperator, eigsh
    from threadpoolctl import threadpool_limits

    size, columns = rows.shape[0], rows.T.tocsr()
    products = LinearOperator((size, size), matvec=lambda vector: rows @ (columns @ vector), dtype=np.float64)
    start = np.random.RandomState(0).uniform(-1, 1, size)  # at right angles to no topic, and the same in each run
    with threadpool_limits(1):
        squares, vectors = eigsh(products, n, v0=start)
    return np.asarray(squares), np.asarray(vectors)


def _with_signs(directions: np.ndarray) -> np.ndarray:
    """Fix the signs that a decomposition leaves open: the first of the entries furthest from 0 becomes positive."""
    if not directions.size:
        return directions
    sizes = np.abs(directions)
    furthest = (sizes >= _LEVEL * sizes.max(axis=0)).argmax(axis=0)
    return np.asarray(directions * np.sign(directions[furthest, np.arange(directions.shape[1])]))
