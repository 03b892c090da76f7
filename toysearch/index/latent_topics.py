"""Latent topics: documents and terms as points of a space of few dimensions, in which related ones are near.

The matrix of the index, one row per document, has the weights log(1 + tf) · idf with idf = ln(1 + (N − df + 0.5) /
(df + 0.5)), and each row has length 1. A truncated singular value decomposition of it (Deerwester et al. 1990) gives
the topics, strongest first. A topic is a direction in the space of terms. The decomposition is exact to rounding: its
values are those of `numpy.linalg.svd`, and nothing in it is random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, StorageError, counted, gather_at, note, repeat_each
from toysearch.index.file_layout import Arrays
from toysearch.index.plain_postings import term_postings

if TYPE_CHECKING:
    from scipy.sparse import csr_array


MOST = 5_000
"""The largest number of topics: the decomposition holds as many numbers for each document and each term."""

NOISE = 1e-6
"""The share of its length that a document, or a query, keeps at least among the topics: less is a rounding error, and
counts as nothing. So does a topic with less than this share of the strongest one."""


_ZERO = 1e-8  # about the rounding error of a 32-bit float of the size of an entry
_SMALL = 600  # documents or terms up to which all topics are computed, which is then the quickest
_LEVEL = 1 - 1e-6  # the share of the furthest entry from which another is equal to it but for rounding


class LatentTopics(NamedTuple):
    """The topics of an index: the place of each document, and the direction of each topic in the space of terms."""

    dimensions: int  # as asked for; an index of few documents or terms has fewer topics
    documents: np.ndarray  # (N, topics) float32: the rows of the matrix times `terms`; zeros for an empty document
    terms: np.ndarray  # (V, topics) float32: columns of length 1, at right angles

    @property
    def strengths(self) -> np.ndarray:
        """The singular value of each topic, falling; float64."""
        return np.asarray(np.sqrt(np.square(self.documents, dtype=np.float64).sum(axis=0)))


def idf(df: np.ndarray, n_documents: int) -> np.ndarray:
    """The idf of latent topics, which is that of BM25: ln(1 + (N − df + 0.5) / (df + 0.5)); float64."""
    return np.asarray(np.log(1 + (n_documents - df + 0.5) / (df + 0.5)))


def latent_arrays(arrays: Arrays, dimensions: int) -> dict[str, np.ndarray]:
    """The arrays of the topics of an index, for its other arrays."""
    check_size(dimensions)
    matrix = _matrix(arrays)
    terms = _decomposed(matrix, min(dimensions, *matrix.shape))
    documents = np.asarray(matrix @ terms)
    documents[np.sqrt(np.square(documents).sum(axis=1)) < NOISE] = 0.0
    if terms.shape[1] < dimensions:
        note(
            f"lsa:{dimensions}: {counted(matrix.shape[0], 'document')} with only {counted(terms.shape[1], 'topic')}; "
            "all are used, so documents are compared by their words alone"
        )
    return {
        "latent": np.array([dimensions], dtype=np.int64),
        "latent_documents": _rounded(documents),
        "latent_terms": _rounded(terms),
    }


def _rounded(entries: np.ndarray) -> np.ndarray:
    """Entries as 32-bit floats, one row after the other; what is 0 but for rounding becomes 0."""
    return np.where(np.abs(entries) < _ZERO, 0.0, entries).astype(np.float32).ravel()


def check_size(dimensions: int) -> None:
    """Refuse a number of topics that is out of range."""
    if not 1 <= dimensions <= MOST:
        raise ArgumentError(f"the number of latent topics must be from 1 to {MOST:,}, not {dimensions}")


def _matrix(arrays: Arrays) -> csr_array:
    """The weights of the documents: one row per document, of length 1, one column per term."""
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


def _decomposed(matrix: csr_array, n_topics: int) -> np.ndarray:
    """The directions of the strongest topics of a matrix, strongest first, as columns; float64.

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
    """The eigenvalues and eigenvectors of the products of all rows of a matrix."""
    from threadpoolctl import threadpool_limits

    products = (rows @ rows.T).toarray()
    with threadpool_limits(1):  # several threads would add in another order, and change the last bits between two runs
        return np.linalg.eigh(products)


def _first_eigenvectors(rows: csr_array, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n largest of them, by Lanczos iterations until they change no more (ARPACK with the tolerance 0)."""
    from scipy.sparse.linalg import LinearOperator, eigsh
    from threadpoolctl import threadpool_limits

    size, columns = rows.shape[0], rows.T.tocsr()
    products = LinearOperator((size, size), matvec=lambda vector: rows @ (columns @ vector), dtype=np.float64)
    start = np.random.RandomState(0).uniform(-1, 1, size)  # at right angles to no topic, and the same in each run
    with threadpool_limits(1):
        squares, vectors = eigsh(products, n, v0=start)
    return np.asarray(squares), np.asarray(vectors)


def _with_signs(directions: np.ndarray) -> np.ndarray:
    """Columns with the signs that a decomposition leaves open: the first of the entries furthest from 0 is positive."""
    if not directions.size:
        return directions
    sizes = np.abs(directions)
    furthest = (sizes >= _LEVEL * sizes.max(axis=0)).argmax(axis=0)
    return np.asarray(directions * np.sign(directions[furthest, np.arange(directions.shape[1])]))


def stored_topics(arrays: Arrays) -> LatentTopics | None:
    """The topics stored with an index; None if it has none."""
    if "latent" not in arrays:
        return None
    [dimensions] = np.asarray(arrays["latent"]).tolist()
    documents, terms = (np.asarray(arrays[name]) for name in ("latent_documents", "latent_terms"))
    if not (np.isfinite(documents).all() and np.isfinite(terms).all()):
        raise StorageError(f"the index is damaged: {NOT_FINITE}; build it again")
    n_documents = arrays["dl"].size
    n_topics = documents.size // n_documents
    shapes = (n_documents, n_topics), (arrays["cf"].size, n_topics)
    return LatentTopics(dimensions, documents.reshape(shapes[0]), terms.reshape(shapes[1]))


NOT_FINITE = "a number of its latent topics is not finite"


def computed_topics(arrays: Arrays, dimensions: int) -> LatentTopics:
    """The topics of an index that stores none, or another number of them."""
    topics = stored_topics({name: arrays[name] for name in ("dl", "cf")} | latent_arrays(arrays, dimensions))
    assert topics is not None
    return topics
