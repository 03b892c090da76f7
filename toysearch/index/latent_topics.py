"""Latent topics: documents and terms as points of a space of few dimensions, in which related ones are near.

The matrix of the index, one row per document, has the weights log(1 + tf) · idf with idf = ln(1 + (N − df + 0.5) /
(df + 0.5)), and each row has length 1. A truncated singular value decomposition of it (Deerwester et al. 1990) gives
the topics, strongest first. A topic is a direction in the space of terms. The decomposition is exact to rounding: its
values are those of `numpy.linalg.svd`, and nothing in it is random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, StorageError, counted, note
from toysearch.index.file_layout import Arrays
from toysearch.rings import ring

MOST = 5_000
"""Largest number of topics: the decomposition holds as many numbers for each document and each term."""

NOISE = 1e-6
"""Smallest share of its length that a document or query keeps among the topics: less is a rounding error and counts
as nothing. So does a topic with less than this share of the strongest one.
"""


_ZERO = 1e-8  # about the rounding error of a 32-bit float of the size of an entry


class LatentTopics(NamedTuple):
    """Topics of an index: the place of each document, and the direction of each topic in the space of terms."""

    dimensions: int  # as asked for; an index of few documents or terms has fewer topics
    documents: np.ndarray  # (N, topics) float32: the rows of the matrix times `terms`; zeros for an empty document
    terms: np.ndarray  # (V, topics) float32: columns of length 1, at right angles

    @property
    def strengths(self) -> np.ndarray:
        """Singular value of each topic, falling; float64."""
        return np.asarray(np.sqrt(np.square(self.documents, dtype=np.float64).sum(axis=0)))


def idf(df: np.ndarray, n_documents: int) -> np.ndarray:
    """Return the idf of latent topics, which is that of BM25: ln(1 + (N − df + 0.5) / (df + 0.5)); float64."""
    return np.log(1 + (n_documents - df + 0.5) / (df + 0.5))


def latent_arrays(arrays: Arrays, dimensions: int) -> dict[str, np.ndarray]:
    """Compute the arrays of the topics of an index from its other arrays."""
    check_size(dimensions)
    documents, terms = ring("latent topics").decomposed(arrays, dimensions)
    documents[np.sqrt(np.square(documents).sum(axis=1)) < NOISE] = 0.0
    if terms.shape[1] < dimensions:
        note(
            f"lsa:{dimensions}: {counted(len(documents), 'document')} with only {counted(terms.shape[1], 'topic')}; "
            "all are used, so documents are compared by their words alone"
        )
    return {
        "latent": np.array([dimensions], np.int64),
        "latent_documents": _rounded(documents),
        "latent_terms": _rounded(terms),
    }


def _rounded(entries: np.ndarray) -> np.ndarray:
    """Round entries to 32-bit floats, one row after the other; what is 0 but for rounding becomes 0."""
    return np.where(np.abs(entries) < _ZERO, 0.0, entries).astype(np.float32).ravel()


def check_size(dimensions: int) -> None:
    """Refuse a number of topics that is out of range."""
    if not 1 <= dimensions <= MOST:
        raise ArgumentError(f"the number of latent topics must be from 1 to {MOST:,}, not {dimensions}")


def stored_topics(arrays: Arrays) -> LatentTopics | None:
    """Return the topics stored with an index; None if it has none."""
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
    """Compute the topics of an index that stores none, or another number of them."""
    topics = stored_topics({name: arrays[name] for name in ("dl", "cf")} | latent_arrays(arrays, dimensions))
    assert topics is not None
    return topics
