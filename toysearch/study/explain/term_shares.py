"""Shares of the query terms in a score."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.base import Explanation

__all__ = ["TermShare"]


class TermShare(NamedTuple):
    """Share of one query term in a document's score.

    Attributes
    ----------
    term : str
        The term.
    qtf : float
        Its count in the query.
    query_weight : float
        q, its weight in the query.
    statistics : dict of str to float
        The statistics of the posting that the model uses: tf, df, dl, …
    parts : dict of str to float
        The named intermediate values of the model's code: idf, length, …
    weight : float
        d, the term's weight in the document.
    share : float
        Its share of the score.
    """

    term: str
    qtf: float
    query_weight: float
    statistics: dict[str, float]
    parts: dict[str, float]
    weight: float
    share: float


def term_shares(score: Explanation) -> list[TermShare]:
    """List the query terms in a document, in the order in which they are added: a row for each term of a score.

    >>> import toysearch
    >>> why = toysearch.explain(toysearch.Searcher(["the cat sat", "a cat", "the dog"], "overlap"), "cat dog", "1")
    >>> term_shares(why.tree)[0]
    TermShare(term='cat', qtf=1.0, query_weight=1.0, statistics={'tf': 1.0}, parts={}, weight=1.0, share=1.0)
    """
    shares = []
    for term in score.of_kind("term"):
        weight, query = term.parts[:2]
        statistics = {name: value for name, value in term.quantities.items() if name != "positions"}
        of_weight = {**weight.quantities}, weight.value
        shares.append(TermShare(term.label, query.quantities["qtf"], query.value, statistics, *of_weight, term.value))
    return shares
