"""Why one document ranks above another: two scores side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Query, checked
from toysearch.base.result_tables import Column, Part, Result, ResultTable, number_columns
from toysearch.laboratory.explain.score_explanation import (
    PartDifference,
    ScoreExplanation,
    explain,
    explain_plan,
    explain_terms,
    part_differences,
    parts,
    term_shares,
)
from toysearch.query.syntax import Node
from toysearch.search.scoring import QueryTerms, plan
from toysearch.search.searcher import SearcherLike, searcher_of
from toysearch.search.similar_documents import document_terms

__all__ = ["OrderExplanation", "SharedTerm", "explain_order", "explain_similar", "shared_terms", "standing"]


class Standing(NamedTuple):
    """The rank (from 1) and the score of a document for a query, both None if it is not ranked."""

    rank: int | None
    score: float | None


@dataclass(frozen=True, repr=False)
class OrderExplanation(Result):
    """Two documents of a ranking side by side.

    Attributes
    ----------
    above, below : ScoreExplanation
        The explanation of each score; ``above`` is the document that is ranked higher.
    ranks : tuple of int or None
        Their ranks, from 1; None for a document that holds no term of the query.
    parts : list of PartDifference
        ``first`` is the part of ``below``, ``second`` the part of ``above``. The differences, largest first, add up to
        the lead of ``above``.
    """

    above: ScoreExplanation
    below: ScoreExplanation
    ranks: tuple[int | None, int | None]
    parts: list[PartDifference]

    @property
    def ahead(self) -> float | None:
        """The lead of the higher document; None if one of the two is not ranked."""
        if self.above.score is None or self.below.score is None:
            return None
        return self.above.score - self.below.score

    def __repr__(self) -> str:
        return f"<OrderExplanation of {self.above.doc_id} above {self.below.doc_id} under {self.above.model}>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The parts of both scores and their differences."""
        numbers = number_columns(".6g", "above", "below", "ahead")
        rows = [[part.kind, part.name, part.second, part.first, part.difference] for part in self.parts]
        return [ResultTable([Column("kind"), Column("name"), *numbers], rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Both documents side by side, and the largest differences of the parts."""
        from toysearch.laboratory.explain.document_comparison import order_text

        return [order_text(self, width, wrap)]

    def data(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        from toysearch.laboratory.explain.document_comparison import order_data

        return order_data(self)


@checked
def explain_order(
    searcher: SearcherLike, text: str | Node | Query | QueryTerms, doc_id: str, other: str
) -> OrderExplanation:
    """Why one of two documents ranks above the other for a query.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture.
    text : str, Node, Query or QueryTerms
        The query.
    doc_id, other : str
        The documents, in either order.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or both are the same.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = explain_order(toysearch.Searcher(index, "bm25"), "cat", "1", "2")
    >>> why.above.doc_id, why.ranks, round(why.ahead, 4)
    ('2', (1, 2), 0.0549)
    >>> [(part.name, round(part.difference, 4)) for part in why.parts]
    [('cat', 0.0549)]
    """
    searcher = searcher_of(searcher)
    if doc_id == other:
        raise ArgumentError(f"document '{doc_id}' cannot rank above itself; name two different documents")
    mine, theirs = (standing(searcher, text, document) for document in (doc_id, other))
    above, below = (doc_id, other) if _rank(mine) <= _rank(theirs) else (other, doc_id)
    whys = [explain(searcher, text, document) for document in (above, below)]
    ranks = (mine.rank, theirs.rank) if above == doc_id else (theirs.rank, mine.rank)
    return OrderExplanation(whys[0], whys[1], ranks, part_differences(parts(whys[1]), parts(whys[0])))


@checked
def standing(searcher: SearcherLike, text: str | Node | Query | QueryTerms, doc_id: str) -> Standing:
    """The rank of a document for a query, among all ranked documents, and its score.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    text : str, Node, Query or QueryTerms
        The query; the result of ``searcher.terms(text)``, to read it once for several documents.
    doc_id : str
        The document.

    Raises
    ------
    ArgumentError
        If the index has no such document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> searcher = toysearch.Searcher(index, "overlap")
    >>> standing(searcher, "cat", "2")
    Standing(rank=2, score=1.0)
    >>> standing(searcher, "cat -sat", "2")
    Standing(rank=1, score=1.0)
    """
    searcher = searcher_of(searcher)
    number = searcher.index.doc_number(doc_id)
    docs, scores = searcher.scores(searcher.terms(text))
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Standing(None, None)
    above = int((scores > scores[place]).sum() + (scores[:place] == scores[place]).sum())
    return Standing(above + 1, float(scores[place]))


def _rank(where: Standing) -> float:
    return float("inf") if where.rank is None else where.rank


class SharedTerm(NamedTuple):
    """The share of one common term in the similarity of two documents.

    Attributes
    ----------
    term : str
        The term.
    df : int
        Its document frequency.
    tf, other_tf : int
        Its term frequency in the document and in the other document.
    share : float
        Its share of the score.
    """

    term: str
    df: int
    tf: int
    other_tf: int
    share: float


@checked
def explain_similar(searcher: SearcherLike, doc_id: str, other: str) -> ScoreExplanation:
    """The full explanation of the score of a document in `similar`.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture.
    doc_id : str
        The document whose terms are the query.
    other : str
        The scored document.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents.

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> why = explain_similar(Searcher(index, "0.5*jaccard + 0.5*dice"), "1", "3")
    >>> [round(product.value, 4) for product in why.tree.parts], round(why.score, 4)
    ([0.25, 0.3333], 0.5833)
    """
    searcher = searcher_of(searcher)
    return explain_terms(searcher.scorer, document_terms(searcher.index, doc_id), other)


@checked
def shared_terms(searcher: SearcherLike, doc_id: str, other: str) -> list[SharedTerm]:
    """Why two documents are similar: their common terms with their shares of the score, largest first.

    The shares add up to the score, except for what a model adds to a document independently of its terms.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    doc_id : str
        The document whose terms are the query.
    other : str
        The scored document.

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
    rows = []
    for share in term_shares(why):
        term = index.term_number(share.term)
        docs, counts = index.blocks.of_terms(np.array([term]))
        tf = int(counts[np.searchsorted(docs, number)])
        rows.append(SharedTerm(share.term, int(index.df[term]), int(share.qtf), tf, share.share))
    return sorted(rows, key=lambda shared: (-shared.share, shared.term))
