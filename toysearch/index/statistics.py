"""What is known of a collection as a whole: the numbers that ranking models name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CollectionStats(NamedTuple):
    """Counts over all documents, those without any term included."""

    N: int  # documents, empty ones included
    T: int  # tokens: the sum of all document lengths (stop words that the analyzer leaves out are not counted)
    avgdl: float  # T / N, tokens a document
    avg_distinct: float  # n_postings / N, distinct terms a document
    n_terms: int  # distinct terms
    n_postings: int  # pairs of a term and a document that holds it
    n_empty: int  # documents without any term


class TermCount(NamedTuple):
    """A term, the number of documents that hold it, and how often it occurs in all."""

    term: str
    df: int
    cf: int


def collection_stats(dl: np.ndarray, n_terms: int, n_postings: int) -> CollectionStats:
    """The statistics of a collection of at least one document.

    dl: (N,) int.

    >>> collection_stats(np.array([3, 0]), n_terms=2, n_postings=2)
    CollectionStats(N=2, T=3, avgdl=1.5, avg_distinct=1.0, n_terms=2, n_postings=2, n_empty=1)
    """
    N, T = len(dl), int(dl.sum(dtype=np.int64))
    return CollectionStats(N, T, T / N, n_postings / N, n_terms, n_postings, int(np.count_nonzero(dl == 0)))
