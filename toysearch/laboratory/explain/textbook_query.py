"""The parts of a query as textbooks work them out: edit distances, wildcards, then merges."""

from __future__ import annotations

from collections.abc import Iterator

from toysearch.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.laboratory.explain.edit_matrix import EditMatrix, edit_matrix
from toysearch.laboratory.explain.postings_merge import Merge, query_merges
from toysearch.laboratory.explain.wildcard_lookup import WildcardLookup, wildcard_lookup
from toysearch.query.syntax import Fuzzy, Node, Wildcard, parts
from toysearch.search.edit_distance import terms_within

__all__ = ["textbook_query"]

_NEAREST = 3  # terms near a word


@checked
def textbook_query(tree: Node, index: Index) -> list[EditMatrix | WildcardLookup | Merge]:
    """The steps that find the documents of a query in an index.

    Parameters
    ----------
    tree : Node
        The query.
    index : Index
        The index searched.

    Returns
    -------
    list
        For each word with edits, the matrices of its nearest terms; for each wildcard, its lookup; for each `AND`, `OR`
        and `NOT`, its merge.

    Examples
    --------
    >>> index = Index.build(["a tick", "a trick", "tock"])
    >>> steps = textbook_query(Fuzzy("tik") & Wildcard("t*k"), index)
    >>> [type(step).__name__ for step in steps]
    ['EditMatrix', 'WildcardLookup', 'Merge']
    >>> steps[0].rows[-1]
    [3, 2, 1, 1, 1]
    """
    return [*_of_patterns(tree, index), *query_merges(tree, index)]


def _of_patterns(node: Node, index: Index) -> Iterator[EditMatrix | WildcardLookup]:
    """The steps of the patterns in a query, in its order."""
    prepared = index.analyzer.tokenizer.prepared
    if isinstance(node, Wildcard):
        yield wildcard_lookup(index.terms, prepared(node.pattern))
    elif isinstance(node, Fuzzy):
        word = prepared(node.word)
        near = terms_within(index, word, node.edits)
        nearest = sorted(zip(near.edits.tolist(), index.terms.take(near.numbers), strict=True))[:_NEAREST]
        for _, term in nearest:
            yield edit_matrix(word, term)
    for part in parts(node):
        yield from _of_patterns(part, index)
