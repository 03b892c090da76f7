"""The similarity of two documents explained by the terms that they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.index.index import Index
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, explain_plan
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, explain_terms
from toysearch.search.scoring import plan
from toysearch.search.searcher import SearcherLike, searcher_of
from toysearch.search.similar_documents import document_terms


class SharedTerm(NamedTuple):
    """The share of one common term in the similarity of two documents.

    Attributes
    ----------
    term : str
        The term.
    df : int
        The number of documents that hold it.
    tf, other_tf : int
        Its count in the document, and in the other one.
    share : float
        Its share of the score.
    """

    term: str
    df: int
    tf: int
    other_tf: int
    share: float


def explain_similar(searcher: SearcherLike, doc_id: str, other: str) -> ScoreExplanation | MixtureExplanation:
    """The full explanation of a document's score in `similar`.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture.
    doc_id : str
        The document whose terms are the query.
    other : str
        The document that is scored.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents.

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> why = explain_similar(Searcher(index, "0.5*jaccard + 0.5*dice"), "1", "3")
    >>> [round(product.share, 4) for product in why.products], round(why.score, 4)
    ([0.25, 0.3333], 0.5833)
    """
    searcher = searcher_of(searcher)
    return explain_terms(searcher.scorer, document_terms(searcher.index, doc_id), other)


def shared_terms(searcher: SearcherLike, doc_id: str, other: str) -> list[SharedTerm]:
    """Why two documents are similar: the terms of both, with their shares of the score, the largest first.

    The shares add up to the score, except for what a model adds to a document independently of its terms.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    doc_id : str
        The document whose terms are the query.
    other : str
        The document that is scored.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or the model is a mixture (see `explain_similar`).

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> [(shared.term, shared.share) for shared in shared_terms(Searcher(index, "jaccard"), "1", "3")]
    [('sat', 0.25), ('the', 0.25)]
    """
    searcher = searcher_of(searcher)
    index, weights = searcher.index, searcher.weights
    why = explain_plan(weights, plan(weights, document_terms(index, doc_id)), other)
    number = index.doc_number(other)
    found = []
    for share in why.terms:
        term = index.term_number(share.term)
        tf = _count(index, term, number)
        found.append(SharedTerm(share.term, int(index.df[term]), int(share.qtf), tf, share.share))
    return sorted(found, key=lambda shared: (-shared.share, shared.term))


def _count(index: Index, term: int, number: int) -> int:
    """How often a document holds a term that it has."""
    start, stop = int(index.offsets[term]), int(index.offsets[term + 1])
    position = start + int(np.searchsorted(index.docs[start:stop], number))
    return int(index.tf(position, position + 1)[0])
