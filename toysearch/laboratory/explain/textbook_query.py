"""The parts of a query as textbooks work them out: words, patterns, phrases, ranges, groups, then merges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from toysearch.base.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.laboratory.explain.edit_matrix import EditMatrix, edit_matrix
from toysearch.laboratory.explain.positional_merge import PositionalMerge, phrase_merge
from toysearch.laboratory.explain.postings_merge import Merge, query_merges
from toysearch.laboratory.explain.range_lookup import RangeLookup, range_lookup
from toysearch.laboratory.explain.synonym_counts import SynonymCounts, synonym_counts
from toysearch.laboratory.explain.term_scan import TermScan, term_scan
from toysearch.laboratory.explain.wildcard_lookup import WildcardLookup, wildcard_lookup
from toysearch.query.syntax import Field, Fuzzy, Node, Phrase, Range, Regex, Synonyms, Wildcard, parts
from toysearch.search.fitting_terms import terms_within

__all__ = ["TextbookStep", "textbook_query"]

_NEAREST = 3  # terms near a word


TextbookStep: TypeAlias = EditMatrix | WildcardLookup | TermScan | PositionalMerge | RangeLookup | SynonymCounts | Merge
"""A step that finds terms, occurrences or documents."""


@checked
def textbook_query(tree: Node, index: Index) -> list[TextbookStep]:
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
        For each word with edits, the matrices of its nearest terms; for each wildcard, its lookup; for each regular
        expression, the terms that fit; for each phrase, the positions of two words in a document; for each range, its
        binary searches; for each group of synonyms, its counts; then for each `AND`, `OR` and `NOT`, its merge.

    Examples
    --------
    >>> index = Index.build(["a tick", "a trick", "tock"])
    >>> steps = textbook_query(Fuzzy("tik") & Wildcard("t*k"), index)
    >>> [type(step).__name__ for step in steps]
    ['EditMatrix', 'WildcardLookup', 'Merge']
    >>> steps[0].rows[-1]
    [3, 2, 1, 1, 1]
    """
    return [*_of_parts(tree, index, None), *query_merges(tree, index)]


def _of_parts(node: Node, index: Index, field: str | None) -> Iterator[TextbookStep]:
    """The steps of the parts of a query, in its order."""
    prepared = index.analyzer.tokenizer.prepared
    field = node.name if isinstance(node, Field) else field
    if isinstance(node, Wildcard):
        yield wildcard_lookup(index.terms, prepared(node.pattern))
    elif isinstance(node, Fuzzy):
        word = prepared(node.word)
        near = terms_within(index, word, node.edits)
        nearest = sorted(zip(near.edits.tolist(), index.terms.take(near.numbers), strict=True))[:_NEAREST]
        for _, term in nearest:
            yield edit_matrix(word, term)
    elif isinstance(node, Regex):
        yield term_scan(index, node)
    elif isinstance(node, Phrase):
        if merge := phrase_merge(index, node, field):
            yield merge
    elif isinstance(node, Range):
        if node.field in index.values:
            yield range_lookup(index, node)
    elif isinstance(node, Synonyms):
        yield synonym_counts(index, node, field)
    for part in parts(node):
        yield from _of_parts(part, index, field)
