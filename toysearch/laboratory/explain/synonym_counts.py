"""The postings of words that count as one term: their lists are united, and their frequencies added."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import Field, Node, Synonyms
from toysearch.search.matching import Matcher

__all__ = ["SynonymCounts", "synonym_counts"]


class SynonymCounts(NamedTuple):
    """The frequencies of a group of synonyms in each document.

    Attributes
    ----------
    node : str
        The group.
    members : list of str
        Its words, phrases and patterns.
    rows : list of tuple of int
        For each document with one of them: its number, from 1, the tf of each member, and their sum.
    df : list of int
        The number of documents with each member, and with any of them.
    """

    node: str
    members: list[str]
    rows: list[tuple[int, ...]]
    df: list[int]


@checked
def synonym_counts(index: Index, node: Synonyms, field: str | None = None) -> SynonymCounts:
    """Unite the postings of a group of synonyms.

    Parameters
    ----------
    index : Index
        The index searched.
    node : Synonyms
        The group.
    field : str, optional
        The field searched, if it is only one.

    Examples
    --------
    >>> from toysearch.query.syntax import Term
    >>> index = Index.build(["a dog and a puppy", "a cat", "the dog"])
    >>> counts = synonym_counts(index, Synonyms(Term("dog"), Term("puppy")))
    >>> counts.rows, counts.df
    ([(1, 1, 1, 2), (3, 1, 0, 1)], [2, 1, 2])
    """
    matcher = Matcher(index)

    def postings(part: Node) -> dict[int, int]:
        """Document → tf."""
        group = Synonyms(part)
        terms = matcher.query_terms(group if field is None else Field(field, group)).derived
        return {doc: tf for term in terms for doc, tf in zip(term.docs.tolist(), term.tf.tolist(), strict=True)}

    lists = [postings(part) for part in node.nodes]
    rows = [(doc + 1, *(tf := [own.get(doc, 0) for own in lists]), sum(tf)) for doc in sorted(set[int]().union(*lists))]
    return SynonymCounts(str(node), [str(part) for part in node.nodes], rows, [*map(len, lists), len(rows)])
