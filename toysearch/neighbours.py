"""Which documents are near a document: ranked, explained by shared terms, and among a few of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.index.index import Index
from toysearch.ranking.mixture import Mixture
from toysearch.ranking.model import Model
from toysearch.ranking.scoring import QueryTerms, added, document_part, every_part, finish, plan
from toysearch.ranking.similarity import MEETS
from toysearch.ranking.topk import top
from toysearch.records import Ranking
from toysearch.searcher import Searcher


class SharedTerm(NamedTuple):
    """What a term that two documents share does for their similarity.

    Attributes
    ----------
    term : str
        The term.
    df : int
        The documents that hold it.
    tf, other_tf : int
        How often the document holds it, and the other one.
    share : float
        Its share of the score.
    """

    term: str
    df: int
    tf: int
    other_tf: int
    share: float


def similar(
    source: Index | Searcher,
    doc_id: str,
    model: str | Callable[..., Any] | Model | Mixture = "cosine",
    k: int | None = 10,
) -> Ranking:
    """The documents nearest to a document: those that a model ranks highest when its terms are the query.

    The document itself is left out. As in a search, documents that share no term with it are not ranked, and equal
    scores stand in the order of the collection.

    Parameters
    ----------
    source : Index or Searcher
        What to look in; a searcher brings its own model.
    doc_id : str
        The document.
    model : str, function, Model or Mixture
        How to rank, for an index; see `Searcher`. Default "cosine".
    k : int or None
        How many documents at the most; None means all that share a term.

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
    number = searcher.index.doc_number(doc_id)
    docs, scores = _scores(searcher, number)
    others = docs != number
    docs, scores = docs[others], scores[others]
    best = top(scores, k)
    return Ranking(doc_id, searcher.index.doc_ids.take(docs[best]), scores[best])


def similarity_matrix(
    index: Index, doc_ids: Sequence[str], model: str | Callable[..., Any] | Model | Mixture = "jaccard"
) -> np.ndarray:
    """The similarities of some documents to each other; meant for a few, since each asks the whole index.

    Parameters
    ----------
    index : Index
        Where the documents are.
    doc_ids : sequence of str
        The documents.
    model : str, function, Model or Mixture
        How to score, a row's document being the query; see `Searcher`. Default "jaccard".

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
    numbers = [index.doc_number(doc_id) for doc_id in doc_ids]
    searcher = Searcher(index, model)
    matrix = np.zeros((len(numbers), len(numbers)))
    every = np.zeros(index.stats.N)
    for row, number in enumerate(numbers):
        docs, scores = _scores(searcher, number)
        every[docs] = scores
        matrix[row] = every[numbers]
        every[docs] = 0.0
    return matrix


def shared_terms(searcher: Searcher, doc_id: str, other: str) -> list[SharedTerm]:
    """Why two documents are similar: the terms of both, with their shares of the score, the largest first.

    The shares add up to the score, but for what a model adds to a document whatever its terms.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    doc_id : str
        The document whose terms are the query.
    other : str
        The one that is scored.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or the model is a mixture.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> [(shared.term, shared.share) for shared in shared_terms(Searcher(index, "jaccard"), "1", "3")]
    [('sat', 0.25), ('the', 0.25)]
    """
    index, weights = searcher.index, searcher.weights
    planned = plan(weights, _terms_of(index, index.doc_number(doc_id)))
    number = index.doc_number(other)
    places = [int(np.searchsorted(term.docs, number)) for term in planned.terms]
    held = [
        row
        for row, (place, term) in enumerate(zip(places, planned.terms, strict=True))
        if place < len(term.docs) and term.docs[place] == number
    ]
    if not held:
        return []
    own = np.array([planned.terms[row].weights[places[row]] for row in held], dtype=np.float64)
    products = MEETS[weights.model.similarity.meet](planned.query_weights[held], own)
    docs, total = np.array([number]), added(products)
    whole = (total + every_part(planned)) + float(document_part(weights, planned, docs)[0])
    scale = float(finish(weights, planned, docs, np.array([total]))[0]) / whole if whole else 0.0
    terms, found = planned.query.numbers[held].tolist(), []
    for row, term, product in zip(held, terms, products.tolist(), strict=True):
        position = int(index.offsets[term]) + places[row]
        other_tf = int(index.tf(position, position + 1)[0])
        qtf = int(planned.query.qtf[row])
        found.append(SharedTerm(index.term(term), int(index.df[term]), qtf, other_tf, product * scale))
    return sorted(found, key=lambda shared: (-shared.share, shared.term))


def _terms_of(index: Index, number: int) -> QueryTerms:
    """The terms of a document by its number; looks through all postings, since an index knows documents by term."""
    positions = np.flatnonzero(index.docs == number)
    terms = np.searchsorted(index.offsets, positions, side="right") - 1
    tf = [float(index.tf(position, position + 1)[0]) for position in positions.tolist()]
    return QueryTerms(terms, np.array(tf, dtype=np.float64), {})


def _scores(searcher: Searcher, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The documents that share a term with a document, itself included, and their scores."""
    terms = _terms_of(searcher.index, number)
    if not len(terms.numbers):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return searcher.scores(terms)
