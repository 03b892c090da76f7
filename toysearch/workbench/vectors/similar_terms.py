"""Terms near a term, in the space of latent topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError
from toysearch.models import ModelLike
from toysearch.models.calls import LSA
from toysearch.models.registry import model as find_model
from toysearch.retrieval.searcher import IndexLike, index_of
from toysearch.workbench.vectors.nearest_vectors import Points, nearest
from toysearch.workbench.vectors.vector_scorer import topics_of

__all__ = ["SimilarTerm", "similar_terms"]


class SimilarTerm(NamedTuple):
    """Term, its document frequency, and its cosine with another term."""

    term: str
    df: int
    similarity: float


def similar_terms(index: IndexLike, term: str, model: ModelLike = "lsa", k: int = 10) -> list[SimilarTerm]:
    """Find the terms nearest to a term in the space of latent topics.

    The vector of a term is its row of the decomposed matrix: its entries in the topics, times their strengths. So two
    terms are near if their documents are, even if they share none.

    Parameters
    ----------
    index : Index
        The documents.
    term : str
        A term in the form of the analyzer: lower-cased, stemmed.
    model : str or Ranker
        A model of latent topics. Default "lsa".
    k : int
        The maximum number of terms.

    Raises
    ------
    ArgumentError
        If the index does not contain the term, or the model is another one.

    Examples
    --------
    >>> from toysearch import Index
    >>> index = Index.build(["car engine", "automobile engine", "cat fur", "dog fur"], lsa=2)
    >>> [(each.term, round(each.similarity, 4)) for each in similar_terms(index, "car", "lsa:2", k=3)]
    [('automobile', 1.0), ('engine', 1.0), ('cat', 0.0)]
    """
    index, ranker = index_of(index), find_model(model)
    if ranker.call != LSA:
        raise ArgumentError(f"terms are compared by latent topics, not by '{ranker}'; an example: lsa:100")
    if term not in index:
        raise ArgumentError(f"the index does not contain the term '{term}'")
    topics = topics_of(index, ranker)
    points = Points(topics.terms * topics.strengths, cosine=True)
    number = index.term_number(term)
    if not points.lengths[number]:
        return []
    [(terms, scores)] = nearest(points, [points.row(number)], k + 1)
    others = np.flatnonzero(terms != number)[:k].tolist()
    return [SimilarTerm(index.term(int(terms[n])), int(index.df[terms[n]]), float(scores[n])) for n in others]
