"""Similar documents: those nearest to one document, a matrix of a few, and near duplicates among all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Ranking, count_each, expect, expect_list, repeat_each
from toysearch.index import Index, Picked, offsets_of, ranges_of
from toysearch.models import MODELS, Model, ModelLike
from toysearch.models.registry import model as find_model
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import Weights, highest
from toysearch.retrieval.searcher import IndexLike, Searcher, SearcherLike, check_request, index_of
from toysearch.retrieval.typed_query import IndexTexts

if TYPE_CHECKING:
    from scipy.sparse import csr_array


__all__ = [
    "SimilarPair",
    "duplicate_groups",
    "near_duplicates",
    "similar",
    "similarity_matrix",
]


SYMMETRIC = ("cosine", "dice", "jaccard")
"""Models with equal term weights on both sides, so that the similarity of a pair is symmetric."""

TOLERANCE = 1e-12
"""Tolerance of the limit: two equal documents can have a cosine of 1 - 2⁻⁵³."""

_WORK = 1 << 21  # postings processed together: bounds memory without changing results
_UNITS = 1 << 32  # the sum of a vector's squares, scaled to whole numbers so that adding them is exact


class SimilarPair(NamedTuple):
    """Two documents, in the order of the collection, and their similarity."""

    first: str
    second: str
    similarity: float


def near_duplicates(
    index: IndexLike, similarity: float = 0.9, model: str | Callable[..., Any] | Model = "jaccard"
) -> Iterator[SimilarPair]:
    """Yield every pair of documents with at least a given similarity, exactly, in the order of the collection.

    With the terms of all documents sorted from rare to frequent, the rarest shared term of a near pair stands early in
    both documents (Bayardo, Ma & Srikant 2007, "Scaling up all pairs similarity search"). Only pairs with such a term
    in common are compared in full. Memory is a small multiple of the postings, whatever the number of pairs.

    Parameters
    ----------
    index : Index
        The documents.
    similarity : float
        The least similarity, above 0 and at most 1; a lower limit takes longer. Default 0.9.
    model : str or Model
        cosine, dice or jaccard, with any parameters. Default "jaccard".

    Yields
    ------
    SimilarPair
        A similarity below the limit by no more than rounding (1e-12) counts as reaching it.

    Raises
    ------
    ArgumentError
        If `similarity` is out of range, or the model is another one.

    Examples
    --------
    >>> from toysearch import Index
    >>> index = Index.build(["the cat sat", "sat the cat", "the dog sat", "no one"])
    >>> list(near_duplicates(index, 0.5))[0]
    SimilarPair(first='1', second='2', similarity=1.0)
    >>> len(list(near_duplicates(index, 0.5)))
    3
    """
    index = index_of(index)
    ranker = find_model(model)
    single = ranker.single
    # A custom model may have the name of one of these.
    if single is None or single.name not in SYMMETRIC or single.function is not MODELS[single.name].function:
        raise ArgumentError(
            f"near duplicates are found by {', '.join(SYMMETRIC[:-1])} or {SYMMETRIC[-1]}, not by '{ranker}': "
            "their similarity must be symmetric"
        )
    expect(float, similarity=similarity)
    if not 0 < similarity <= 1:
        raise ArgumentError(
            f"the least similarity of near duplicates must be above 0 and at most 1, not {similarity!r}"
        )
    return _pairs(Weights(index, single), similarity)


def duplicate_groups(pairs: Iterable[SimilarPair]) -> list[list[str]]:
    """Group the documents of pairs: documents joined by a pair, or by a chain of pairs, are in one group.

    Parameters
    ----------
    pairs : iterable of SimilarPair
        For example from `near_duplicates`.

    Returns
    -------
    list of list of str
        The largest group first; groups of one size, and documents, in the order in which the pairs name them.

    Examples
    --------
    >>> duplicate_groups([SimilarPair("a", "b", 1.0), SimilarPair("c", "d", 1.0), SimilarPair("d", "e", 0.9)])
    [['c', 'd', 'e'], ['a', 'b']]
    """
    expect_list(SimilarPair, pairs=pairs)
    group_of: dict[str, list[str]] = {}
    for first, second, _ in pairs:
        one, other = group_of.setdefault(first, [first]), group_of.setdefault(second, [second])
        if one is not other:
            smaller, larger = sorted((one, other), key=len)
            larger += smaller
            group_of.update(dict.fromkeys(smaller, larger))
    places = {doc_id: place for place, doc_id in enumerate(group_of)}
    groups = {id(group): group for group in group_of.values()}
    return sorted((sorted(group, key=places.__getitem__) for group in groups.values()), key=len, reverse=True)


def _pairs(weights: Weights, above: float) -> Iterator[SimilarPair]:
    doc_ids, similarity = weights.index.doc_ids, weights.model.similarity.function
    vectors, squares = _vectors(weights), weights.squared_norms
    sets, lengths = (vectors.data == 1).all(), np.diff(vectors.indptr)
    # For norms x and y, x² + y² ≥ 2xy. So Dice D is never above the cosine, and Jaccard is D / (2 - D).
    least_cosine = 2 * above / (1 + above) if weights.model.name == "jaccard" else above
    for first, second in _candidates(_prefixes(vectors, squares, least_cosine)):
        dd, qq = squares[first], squares[second]
        # Two documents share at most the product of their norms (Cauchy–Schwarz); sets, the size of the smaller one.
        near = _reaching(similarity, above, np.minimum(dd, qq) if sets else np.sqrt(dd * qq), dd, qq)[0]
        first, second = first[near], second[near]
        for start, stop in ranges_of(offsets_of(lengths[first] + lengths[second]), _WORK):
            one, other = first[start:stop], second[start:stop]
            shared = np.asarray(vectors[one].multiply(vectors[other]).sum(axis=1)).ravel()
            near, values = _reaching(similarity, above, shared, squares[one], squares[other])
            yield from map(SimilarPair, doc_ids.take(one[near]), doc_ids.take(other[near]), values.tolist())


def _reaching(
    similarity: Callable[..., Any], above: float, shared: np.ndarray, dd: np.ndarray, qq: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the pairs whose shared sums reach the limit, and their similarities."""
    values = similarity(s=shared, dd=dd, qq=qq)
    near = np.flatnonzero(values >= above - TOLERANCE)
    return near, values[near]


def _candidates(prefixes: csr_array) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from scipy.sparse import csr_array

    holders = csr_array(prefixes.T)
    # The cost of a row is the number of rows in its columns: it has at most that many candidates.
    leads = offsets_of(np.diff(holders.indptr)[prefixes.indices])
    for start, stop in ranges_of(leads[prefixes.indptr], _WORK):
        pairs = (prefixes[start:stop] @ holders).tocoo()
        first, second = pairs.row + start, pairs.col
        later = np.flatnonzero(second > first)
        order = later[np.lexsort((second[later], first[later]))]
        yield first[order], second[order]


def _vectors(weights: Weights) -> csr_array:
    """Weights of documents: one row per document, one column per term, from rare to frequent terms."""
    from scipy.sparse import csc_array, csr_array

    index = weights.index
    order = np.argsort(index.df, kind="stable")
    values = [term.weights for term in weights.of_terms(range(len(order)))]
    offsets = offsets_of(index.df[order])
    if not order.size:
        return csr_array((index.stats.N, 0))
    docs = index.blocks.of_terms(order).docs
    columns = (np.concatenate([values[term] for term in order.tolist()]), docs, offsets)
    return csr_array(csc_array(columns, shape=(index.stats.N, len(order))))


def _prefixes(vectors: csr_array, squares: np.ndarray, least: float) -> csr_array:
    """Prefix of each vector, as ones: it contains the rarest term that the vector shares with a near one."""
    # All shared terms of a pair are in the suffixes from that term on. So the cosine is at most the norm of a row's
    # suffix divided by the norm of the row: the squares of the suffix sum to at least least² of all squares.
    from scipy.sparse import csr_array

    rows = repeat_each(np.arange(len(squares)), np.diff(vectors.indptr))
    # Squares are rounded up, so no suffix is underestimated; the product with least² gets a tolerance of 16 units.
    shares = np.ceil(vectors.data**2 / np.where(squares > 0, squares, 1.0)[rows] * _UNITS).astype(np.int64)
    running = offsets_of(shares)
    rest = running[vectors.indptr[1:]][rows] - running[:-1]
    in_prefix = rest >= least**2 * _UNITS - 16
    counts = count_each(rows[in_prefix], minlength=len(squares))
    columns = np.ones(in_prefix.sum(), np.int32), vectors.indices[in_prefix], offsets_of(counts)
    return csr_array(columns, shape=vectors.shape)


def similar(
    index: SearcherLike,
    doc_id: str,
    model: ModelLike = "cosine",
    k: int | None = 10,
) -> Ranking:
    """Rank the documents nearest to a document by a model, with the terms of the document as the query.

    The document itself is left out. As in a search, documents that share no term with it are not ranked, and equal
    scores keep the order of the collection.

    Parameters
    ----------
    index : Index or Searcher
        The documents to search; a searcher has its own model.
    doc_id : str
        The document.
    model : str, function, Model or Ranker
        The ranking model for an index; see `Searcher`. Default "cosine".
    k : int or None
        The maximum number of documents; None means all that share a term.

    Returns
    -------
    Ranking
        Its query_id is `doc_id`. `near_duplicates` and `similarity_matrix` compare many documents.

    Raises
    ------
    ArgumentError
        If the document or the model is unknown, or k is not a positive whole number.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat", "no one"])
    >>> similar(index, "1", "jaccard")
    <Ranking of 2 documents: 3 0.5000, 2 0.2000>
    """
    check_request(k)
    searcher = index if isinstance(index, Searcher) else Searcher(index, model)
    docs, scores = searcher.scores(document_terms(searcher.index, doc_id))
    others = docs != searcher.index.doc_number(doc_id)
    docs, scores = highest((docs[others], scores[others]), k)
    return Ranking.of_index(
        doc_id, Picked(searcher.index.doc_ids, docs), scores, IndexTexts(searcher.index, "", "plain")
    )


def similarity_matrix(index: IndexLike, doc_ids: Sequence[str], model: ModelLike = "jaccard") -> np.ndarray:
    """Similarities of a few documents to each other; each document takes one search of the whole index.

    Parameters
    ----------
    index : Index
        The index of the documents.
    doc_ids : sequence of str
        The documents.
    model : str, function, Model or Ranker
        The model; the query is the document of the row. See `Searcher`. Default "jaccard".

    Returns
    -------
    ndarray of float64, shape (n, n)
        0 if two documents share no term. For cosine, dice and jaccard it is symmetric up to rounding.

    Raises
    ------
    ArgumentError
        If a document or the model is unknown.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> similarity_matrix(index, ["1", "2", "3"])
    array([[1. , 0.2, 0.5],
           [0.2, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """
    expect_list(str, doc_ids=doc_ids)
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
    """Return the terms of a document as a query."""
    number = index.doc_number(doc_id)
    terms, tf = index.blocks.of_document(number)
    return QueryTerms(terms, tf.astype(np.float64), {}, document=number)
