"""Which documents are near a document: all, ranked, and a few among each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.index.index import Index
from toysearch.models.mixture import ModelLike
from toysearch.records import Ranking
from toysearch.search.scoring import QueryTerms, top
from toysearch.search.searcher import IndexLike, Searcher, SearcherLike, index_of


def similar(
    source: SearcherLike,
    doc_id: str,
    model: ModelLike = "cosine",
    k: int | None = 10,
) -> Ranking:
    """The documents nearest to a document: those that a model ranks highest for the document's terms as the query.

    The document itself is left out. As in a search, documents that share no term with it are not ranked, and equal
    scores keep the order of the collection.

    Parameters
    ----------
    source : Index or Searcher
        What to search; a searcher has its own model.
    doc_id : str
        The document.
    model : str, function, Model or Mixture
        How to rank, for an index; see `Searcher`. Default "cosine".
    k : int or None
        The maximum number of documents; None means all that share a term.

    Returns
    -------
    Ranking
        Its query_id is `doc_id`.

    Raises
    ------
    ArgumentError
        If the index has no such document, there is no such model, or k is not a positive whole number.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat", "no one"])
    >>> similar(index, "1", "jaccard")
    <Ranking of 2 documents: 3 0.5000, 2 0.2000>
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1):
        raise ArgumentError(f"k must be a whole number of at least 1 (or None for all), not {k!r}")
    searcher = source if isinstance(source, Searcher) else Searcher(source, model)
    docs, scores = searcher.scores(document_terms(searcher.index, doc_id))
    others = docs != searcher.index.doc_number(doc_id)
    docs, scores = docs[others], scores[others]
    best = top(scores, k)
    return Ranking(doc_id, searcher.index.doc_ids.take(docs[best]), scores[best])


def similarity_matrix(index: IndexLike, doc_ids: Sequence[str], model: ModelLike = "jaccard") -> np.ndarray:
    """The similarities of a few documents to each other; each of them is one search of the whole index.

    Parameters
    ----------
    index : Index
        Where the documents are.
    doc_ids : sequence of str
        The documents.
    model : str, function, Model or Mixture
        How to score; the query is the document of the row. See `Searcher`. Default "jaccard".

    Returns
    -------
    ndarray of float64, shape (n, n)
        0 where two documents share no term. Under cosine, dice and jaccard it is symmetric (to rounding).

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or there is no such model.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> similarity_matrix(index, ["1", "2", "3"])
    array([[1. , 0.2, 0.5],
           [0.2, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """
    index = index_of(index)
    numbers = [index.doc_number(doc_id) for doc_id in doc_ids]
    searcher = Searcher(index, model)
    matrix = np.zeros((len(numbers), len(numbers)))
    every = np.zeros(index.stats.N)
    for row, doc_id in enumerate(doc_ids):
        docs, scores = searcher.scores(document_terms(searcher.index, doc_id))
        every[docs] = scores
        matrix[row] = every[numbers]
        every[docs] = 0.0
    return matrix


def document_terms(index: Index, doc_id: str) -> QueryTerms:
    """The terms of a document as a query.

    It looks through all postings, since an index knows documents by term.
    """
    positions = np.flatnonzero(np.asarray(index.docs) == index.doc_number(doc_id))
    terms = np.searchsorted(index.offsets, positions, side="right") - 1
    tf = [float(index.tf(position, position + 1)[0]) for position in positions.tolist()]
    return QueryTerms(terms, np.array(tf, dtype=np.float64), {})
