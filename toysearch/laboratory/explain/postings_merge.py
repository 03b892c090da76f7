"""The merge of two postings lists as textbooks work it out: comparison by comparison."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import And, Field, Node, Not, Optional, Or, Term, parts
from toysearch.search.matching import Matcher

__all__ = ["Merge", "MergeStep", "merge_postings", "query_merges"]

Operator = Literal["AND", "OR", "AND NOT"]


class MergeStep(NamedTuple):
    """A comparison of the next documents of two lists, and whether the smaller one is kept."""

    first: int
    second: int
    kept: bool


class Merge(NamedTuple):
    """The merge of two postings lists.

    Attributes
    ----------
    operator : {"AND", "OR", "AND NOT"}
        What is kept: the documents of both lists, of either, or those of the first that the second lacks.
    names : tuple of str
        The names of the lists.
    lengths : tuple of int
        The numbers of their documents.
    comparisons : list of MergeStep
        All comparisons, in order; documents are numbered as they were given.
    rest : list of int
        The documents that are kept after the end of one list, without a comparison.
    documents : list of int
        All documents that are kept.
    """

    operator: Operator
    names: tuple[str, str]
    lengths: tuple[int, int]
    comparisons: list[MergeStep]
    rest: list[int]
    documents: list[int]


@checked
def merge_postings(
    first: Sequence[int], second: Sequence[int], operator: Operator = "AND", names: tuple[str, str] = ("a", "b")
) -> Merge:
    """Merge two lists of rising document numbers, and keep each comparison.

    Manning, Raghavan & Schütze 2008, fig. 1.6, and the same for OR and AND NOT.

    Parameters
    ----------
    first, second : sequence of int
        Document numbers, rising.
    operator : {"AND", "OR", "AND NOT"}, default "AND"
        What is kept.
    names : tuple of str, default ("a", "b")
        The names of the lists.

    Raises
    ------
    ArgumentError
        If the numbers of a list are not rising.

    Examples
    --------
    >>> merge = merge_postings([2, 4, 7, 9], [4, 8, 9], "AND NOT")
    >>> len(merge.comparisons), merge.documents
    (5, [2, 7])
    >>> merge.comparisons[0]
    MergeStep(first=2, second=4, kept=True)
    """
    for name, documents in zip(names, (first, second), strict=True):
        if any(later <= earlier for earlier, later in pairwise(documents)):
            raise ArgumentError(f"the document numbers of '{name}' must be rising, not {list(documents)!r:.60}")
    comparisons, found, i, j = [], [], 0, 0
    while i < len(first) and j < len(second):
        in_first, in_second = first[i] <= second[j], second[j] <= first[i]
        kept = {"AND": in_first and in_second, "OR": True, "AND NOT": not in_second}[operator]
        comparisons.append(MergeStep(int(first[i]), int(second[j]), kept))
        found += [int(min(first[i], second[j]))] if kept else []
        i, j = i + in_first, j + in_second
    rest = {"AND": [], "OR": [*first[i:], *second[j:]], "AND NOT": [*first[i:]]}[operator]
    rest = [int(document) for document in rest]
    return Merge(operator, names, (len(first), len(second)), comparisons, rest, [*found, *rest])


@checked
def query_merges(tree: Node, index: Index) -> list[Merge]:
    """The merges of all `AND`, `OR` and `NOT` of a query, from left to right; inner parts before outer ones.

    Parameters
    ----------
    tree : Node
        The query.
    index : Index
        The index searched.

    Returns
    -------
    list of Merge
        One for each part after the first, prohibited parts last; documents are numbered from 1, as in textbooks. A part
        that analysis leaves out has none, and neither has an optional part.

    Examples
    --------
    >>> index = Index.build(["a cat", "a cat and a dog", "a dog"])
    >>> for merge in query_merges(Term("cat") & ~Term("dog"), index):
    ...     print(merge.operator, merge.names, len(merge.comparisons), merge.documents)
    AND NOT ('cat', 'dog') 2 [1]
    """
    return _merges(tree, Matcher(index), None)


def _merges(node: Node, matcher: Matcher, field: str | None) -> list[Merge]:
    """The merges of a node and of its parts."""
    field = node.name if isinstance(node, Field) else field
    found = [merge for part in parts(node) for merge in _merges(part, matcher, field)]
    if not isinstance(node, And | Or):
        return found
    members = [part for part in node.nodes if not isinstance(part, Optional) and _has_terms(part, matcher)]
    if isinstance(node, And):
        members.sort(key=lambda part: isinstance(part, Not))
    lists = [(_listed(part, matcher, field, isinstance(node, And)), part) for part in members]
    if len(lists) < 2 or any(
        isinstance(part, Not) and (isinstance(node, Or) or part is members[0]) for part in members
    ):
        return found  # NOT alone is no merge of two lists
    (documents, name), *others = [(docs, _name(part)) for docs, part in lists]
    for (more, other), (_, part) in zip(others, lists[1:], strict=True):
        operator: Operator = "OR" if isinstance(node, Or) else "AND NOT" if isinstance(part, Not) else "AND"
        found.append(merge_postings(documents, more, operator, (name, other)))
        documents, name = found[-1].documents, "result"
    return found


def _inner(part: Node) -> Node:
    """What a part prohibits, or the part itself."""
    return part.node if isinstance(part, Not) else part


def _name(part: Node) -> str:
    """The name of a part's list."""
    inner = _inner(part)
    return f"({inner})" if isinstance(inner, And | Or) else str(inner)


def _has_terms(part: Node, matcher: Matcher) -> bool:
    """Whether analysis leaves something of a part."""
    word = _inner(part)
    return not isinstance(word, Term) or bool(matcher.terms(word.word))


def _listed(part: Node, matcher: Matcher, field: str | None, every: bool) -> list[int]:
    """The documents of a part, or those that it prohibits, from 1."""
    inner = _inner(part)
    meant = And(inner) if every and isinstance(inner, Term) else inner
    docs = matcher.matches(meant if field is None else Field(field, meant))
    return [doc + 1 for doc in docs.tolist()]
