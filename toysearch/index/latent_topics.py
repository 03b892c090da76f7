"""Latent topics: documents and terms as points of a space of few dimensions, in which related ones are near.

The matrix of the index, one row per document, has the weights log(1 + tf) · idf with idf = ln(1 + (N − df + 0.5) /
(df + 0.5)), and each row has length 1. A truncated singular value decomposition of it (Deerwester et al. 1990) gives
the topics, strongest first. A topic is a direction in the space of terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, StorageError, note
from toysearch.index.file_layout import Arrays
from toysearch.index.posting_blocks import PostingBlocks
from toysearch.wide_counts import repeat_each
from toysearch.wording import counted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from toysearch.index.inverted_index import Index

MOST = 5_000
"""The largest number of topics: the decomposition holds as many numbers for each document and each term."""

NOISE = 1e-6
"""The share of its length that a document, or a query, keeps at least among the topics: less is a rounding error, and
counts as nothing. So does a topic with less than this share of the strongest one."""


_ZERO = 1e-8  # about the rounding error of a 32-bit float of the size of an entry


class LatentTopics(NamedTuple):
    """The topics of an index: the place of each document, and the direction of each topic in the space of terms."""

    dimensions: int  # as asked for; an index of few documents or terms has fewer topics
    seed: int
    documents: np.ndarray  # (N, topics) float32: the rows of the matrix times `terms`; zeros for an empty document
    terms: np.ndarray  # (V, topics) float32: columns of length 1, at right angles

    @property
    def strengths(self) -> np.ndarray:
        """The singular value of each topic, falling; float64."""
        return np.asarray(np.sqrt(np.square(self.documents, dtype=np.float64).sum(axis=0)))


def idf(df: np.ndarray, n_documents: int) -> np.ndarray:
    """The idf of latent topics, which is that of BM25: ln(1 + (N − df + 0.5) / (df + 0.5)); float64."""
    return np.asarray(np.log(1 + (n_documents - df + 0.5) / (df + 0.5)))


def latent_arrays(arrays: Arrays, dimensions: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The arrays of the topics of an index, for its other arrays."""
    check_size(dimensions, seed)
    matrix = _matrix(arrays)
    terms = _decomposed(matrix, min(dimensions, *matrix.shape), seed)
    documents = np.asarray(matrix @ terms)
    documents[np.sqrt(np.square(documents).sum(axis=1)) < NOISE] = 0.0
    # The entry of a topic that is furthest from 0 is positive: a decomposition leaves the sign open.
    signs = np.sign(terms[np.abs(terms).argmax(axis=0), np.arange(terms.shape[1])]) if terms.size else 1.0
    strengths = np.sqrt(np.square(documents).sum(axis=0))
    kept = np.argsort(-strengths, kind="stable")
    kept = kept[strengths[kept] > NOISE * strengths.max(initial=0.0)]
    return {
        "latent": np.array([dimensions, seed], dtype=np.int64),
        "latent_documents": _rounded((documents * signs)[:, kept]),
        "latent_terms": _rounded((terms * signs)[:, kept]),
    }


def _rounded(entries: np.ndarray) -> np.ndarray:
    """Entries as 32-bit floats, one row after the other; what is 0 but for rounding becomes 0."""
    return np.where(np.abs(entries) < _ZERO, 0.0, entries).astype(np.float32).ravel()


def check_size(dimensions: int, seed: int) -> None:
    """Refuse a number of topics or a seed that is out of range."""
    if not 1 <= dimensions <= MOST:
        raise ArgumentError(f"the number of latent topics must be from 1 to {MOST:,}, not {dimensions}")
    if not 0 <= seed < 1 << 32:
        raise ArgumentError(f"the seed of latent topics must be from 0 to {(1 << 32) - 1:,}, not {seed}")


def _matrix(arrays: Arrays) -> csr_array:
    """The weights of the documents: one row per document, of length 1, one column per term."""
    from scipy.sparse import csc_array, csr_array

    offsets, n_documents = np.asarray(arrays["offsets"], dtype=np.int64), arrays["dl"].size
    docs, tf = PostingBlocks(arrays, offsets).span()
    df = np.diff(offsets)
    weights = np.log1p(tf.astype(np.float64)) * repeat_each(idf(df, n_documents), df)
    squares = np.zeros(n_documents)
    np.add.at(squares, docs, np.square(weights))
    matrix = csr_array(csc_array((weights / np.sqrt(squares[docs]), docs, offsets), shape=(n_documents, df.size)))
    matrix.sort_indices()
    return matrix


def _decomposed(matrix: csr_array, n_topics: int, seed: int) -> np.ndarray:
    """The directions of the strongest topics of a matrix, as columns; float64."""
    if matrix.shape[1] < 2:  # scikit-learn wants two terms
        return np.ones((matrix.shape[1], n_topics))
    from sklearn.decomposition import TruncatedSVD
    from threadpoolctl import threadpool_limits

    # Several threads would add in another order, and change the last bits from one run to the next.
    with threadpool_limits(1), np.errstate(invalid="ignore"):  # of documents that are all equal, it divides 0 by 0
        return np.asarray(TruncatedSVD(n_topics, random_state=seed).fit(matrix).components_.T)


def stored_topics(arrays: Arrays) -> LatentTopics | None:
    """The topics stored with an index; None if it has none."""
    if "latent" not in arrays:
        return None
    dimensions, seed = np.asarray(arrays["latent"]).tolist()
    documents, terms = (np.asarray(arrays[name]) for name in ("latent_documents", "latent_terms"))
    if not (np.isfinite(documents).all() and np.isfinite(terms).all()):
        raise StorageError(f"the index is damaged: {NOT_FINITE}; build it again")
    n_documents = arrays["dl"].size
    n_topics = documents.size // n_documents
    shapes = (n_documents, n_topics), (arrays["cf"].size, n_topics)
    return LatentTopics(dimensions, seed, documents.reshape(shapes[0]), terms.reshape(shapes[1]))


NOT_FINITE = "a number of its latent topics is not finite"


def topics(self: Index, dimensions: int, seed: int = 0) -> LatentTopics:
    """The latent topics of the documents: those that are stored, or computed and kept while the index is open.

    Parameters
    ----------
    dimensions : int
        The number of topics; there are fewer if the documents do not have so many.
    seed : int
        The seed of the decomposition. Default 0.

    Raises
    ------
    ArgumentError
        If one of them is out of range, or an index opened from a folder stores other topics or none.

    Examples
    --------
    >>> from toysearch import Index
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> index.topics(2).documents.shape
    (3, 2)
    """
    check_size(dimensions, seed)
    stored = self.latent_topics
    if stored is not None and (stored.dimensions, stored.seed) == (dimensions, seed):
        return stored
    if self._folder is not None:
        has = f"stores lsa:{stored.dimensions},seed={stored.seed}" if stored else "stores no latent topics"
        raise ArgumentError(
            f"the index in {self._folder} {has}; build it with --lsa {dimensions}"
            f"{f',seed={seed}' if seed else ''}, or name the collection instead of the index"
        )
    key = dimensions, seed
    if key not in self._topics:
        note(
            f"lsa:{dimensions},seed={seed}: the topics of {counted(self.stats.N, 'document')} are computed for this "
            "search; toysearch index with --lsa stores them"
        )
        self._topics[key] = computed_topics(self._arrays, dimensions, seed)
    return self._topics[key]


def computed_topics(arrays: Arrays, dimensions: int, seed: int) -> LatentTopics:
    """The topics of an index that stores none of this size, or with another seed."""
    found = stored_topics({**arrays, **latent_arrays(arrays, dimensions, seed)})
    assert found is not None
    return found
