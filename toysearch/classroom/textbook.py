"""Parts of a query as textbooks work them out: the edits of words, then merges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from toysearch import Index
from toysearch.base import (
    ArgumentError,
    Column,
    counted,
    expect,
    expect_list,
    expect_name,
    render,
)
from toysearch.query.syntax import (
    And,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Term,
    parts,
)
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within
from toysearch.retrieval.matching import Matcher, with_joined_words

__all__ = [
    "EditMatrix",
    "Merge",
    "MergeStep",
    "TextbookStep",
    "edit_matrix",
    "merge_postings",
    "query_merges",
    "textbook_query",
]

Rows = list[list[int]]


class EditMatrix(NamedTuple):
    """Distances of all beginnings of two words.

    Attributes
    ----------
    first, second : str
        The words.
    rows : list of list of int
        Row i, column j: the edits that turn the first i characters of `first` into the first j of `second`.
    edits : list of str
        The edits of one shortest way, from the beginning of the words to their end.
    """

    first: str
    second: str
    rows: Rows
    edits: list[str]

    @property
    def distance(self) -> int:
        """Count the edits that turn the first word into the second."""
        return self.rows[-1][-1]

    def __str__(self) -> str:
        """Show the matrix with a column for each letter of the second word, and the edits of one shortest way."""
        wide = max(len(str(distance)) for row in self.rows for distance in row)
        head = "     " + " " * wide + "".join(f"  {letter:>{wide}}" for letter in self.second)
        lines = [
            f"  {letter}" + "".join(f"  {distance:>{wide}}" for distance in row)
            for letter, row in zip(f" {self.first}", self.rows, strict=True)
        ]
        edits = ", ".join(self.edits) or "the words are equal"
        title = f"{self.first} → {self.second}: {counted(self.distance, 'edit')}\n"
        return "\n".join([title, head, *lines, f"\n{edits}"])


def edit_matrix(first: str, second: str) -> EditMatrix:
    """Compute the edit distance of two words, with its matrix.

    An edit inserts, deletes or replaces a character, or exchanges two neighbours; no part is edited twice (optimal
    string alignment). A cell is the least of four: the cell above plus 1 (delete), the cell to the left plus 1
    (insert), the cell above on the left, plus 1 unless the two characters are equal (replace), and the cell two rows
    above and two columns to the left, plus 1, if the last two characters of one word are those of the other exchanged.

    Parameters
    ----------
    first, second : str
        The words.

    Returns
    -------
    EditMatrix
        The matrix has len(first) + 1 rows and len(second) + 1 columns.

    References
    ----------
    Manning, Raghavan & Schütze 2008, fig. 3.5, without exchanges. Exchanges: Damerau, A technique for computer
    detection and correction of spelling errors, CACM 7(3), 1964.

    Examples
    --------
    >>> matrix = edit_matrix("tikc", "stick")
    >>> matrix.rows[-1]
    [4, 4, 4, 3, 2, 2]
    >>> matrix.distance, matrix.edits
    (2, ['insert s', 'exchange k and c'])
    """
    expect(str, first=first, second=second)
    rows: Rows = [[*range(len(second) + 1)]]
    for i in range(1, len(first) + 1):
        rows.append([i])
        for j in range(1, len(second) + 1):
            rows[i].append(min(distance for distance, *_ in _ways(first, second, rows, i, j)))
    edits, i, j = [], len(first), len(second)
    while i or j:
        _, i, j, edit = next(way for way in _ways(first, second, rows, i, j) if way[0] == rows[i][j])
        edits.append(edit)
    return EditMatrix(first, second, rows, [edit for edit in reversed(edits) if edit])


def _ways(first: str, second: str, rows: Rows, i: int, j: int) -> list[tuple[int, int, int, str]]:
    """Return the ways to reach a cell: the distance, the cell before, and the edit, empty if characters are equal."""
    ways = []
    if i and j:
        a, b = first[i - 1], second[j - 1]
        ways.append((rows[i - 1][j - 1] + (a != b), i - 1, j - 1, f"replace {a} by {b}" if a != b else ""))
    if min(i, j) > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
        ways.append((rows[i - 2][j - 2] + 1, i - 2, j - 2, f"exchange {first[i - 2]} and {first[i - 1]}"))
    if i:
        ways.append((rows[i - 1][j] + 1, i - 1, j, f"delete {first[i - 1]}"))
    if j:
        ways.append((rows[i][j - 1] + 1, i, j - 1, f"insert {second[j - 1]}"))
    return ways


def _check_rising(numbers: Sequence[int], what: str) -> None:
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise ArgumentError(f"{what} must be rising, not {list(numbers)!r:.60}")


Operator = Literal["AND", "OR", "AND NOT"]


class MergeStep(NamedTuple):
    """Comparison of the next documents of two lists, and whether the smaller one is kept."""

    first: int
    second: int
    kept: bool


class Merge(NamedTuple):
    """Merge of two postings lists.

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

    def __str__(self) -> str:
        """Show one line per comparison, and the documents that are kept."""
        (first, second), (longest, other) = self.names, self.lengths

        def outcome(step: MergeStep) -> str:
            sign = "=" if step.first == step.second else "<" if step.first < step.second else ">"
            onward = {"=": "on in both", "<": f"on in {first}", ">": f"on in {second}"}[sign]
            kept = f"{min(step.first, step.second)} is kept, " * step.kept
            return f"{step.first} {sign} {step.second}: {kept}{onward}"

        ending = f"kept without a comparison, after the end of one list: {_first_of(self.rest)}"
        return "\n".join(
            [
                f"{first} {self.operator} {second}: {longest:,} and {counted(other, 'document')}, numbered from 1\n",
                *_comparisons(self.comparisons, self.names, outcome),
                *([ending] if self.rest else []),
                f"{counted(len(self.comparisons), 'comparison')} of at most {longest:,} + {other:,}; "
                f"{counted(len(self.documents), 'document')}: {_first_of(self.documents)}",
            ]
        )


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
        If the numbers of a list are not rising, or the operator is unknown.

    Examples
    --------
    >>> merge = merge_postings([2, 4, 7, 9], [4, 8, 9], "AND NOT")
    >>> len(merge.comparisons), merge.documents
    (5, [2, 7])
    >>> merge.comparisons[0]
    MergeStep(first=2, second=4, kept=True)
    """
    expect_list(int, first=first, second=second)
    expect_name("operator", operator, get_args(Operator))
    for name, documents in zip(names, (first, second), strict=True):
        _check_rising(documents, f"the document numbers of '{name}'")
    comparisons, result, i, j = [], [], 0, 0
    while i < len(first) and j < len(second):
        in_first, in_second = first[i] <= second[j], second[j] <= first[i]
        matches = {"AND": in_first and in_second, "OR": True, "AND NOT": not in_second}[operator]
        comparisons.append(MergeStep(int(first[i]), int(second[j]), matches))
        result += [int(min(first[i], second[j]))] if matches else []
        i, j = i + in_first, j + in_second
    rest = {"AND": [], "OR": [*first[i:], *second[j:]], "AND NOT": [*first[i:]]}[operator]
    rest = [int(document) for document in rest]
    return Merge(operator, names, (len(first), len(second)), comparisons, rest, [*result, *rest])


def query_merges(tree: Node, index: Index) -> list[Merge]:
    """Merge the lists of all `AND`, `OR` and `NOT` of a query, from left to right; inner parts before outer ones.

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
    expect(Node, tree=tree)
    expect(Index, index=index)
    return _merges(with_joined_words(tree, index.analyzer), Matcher(index), None)


def _merges(node: Node, matcher: Matcher, field: str | None) -> list[Merge]:
    field = node.name if isinstance(node, Field) else field
    merges = [merge for part in parts(node) for merge in _merges(part, matcher, field)]
    if not isinstance(node, And | Or):
        return merges
    members = [
        part
        for part in node.nodes
        if not isinstance(part, Optional)
        and (not isinstance(word := _inner(part), Term) or matcher.terms(word.word))  # analysis leaves something of it
    ]
    if isinstance(node, And):
        members.sort(key=lambda part: isinstance(part, Not))
    lists: list[tuple[list[int], str]] = []  # documents from 1, also of a prohibited part, and the part's name
    for part in members:
        inner = _inner(part)
        searched = And(inner) if isinstance(node, And) and isinstance(inner, Term) else inner
        docs = matcher.matches(searched if field is None else Field(field, searched))
        lists.append(([doc + 1 for doc in docs.tolist()], f"({inner})" if isinstance(inner, And | Or) else str(inner)))
    alone = members if isinstance(node, Or) else members[:1]
    if len(lists) < 2 or any(isinstance(part, Not) for part in alone):
        return merges  # NOT alone is no merge of two lists
    (documents, name), *others = lists
    for (more, other), part in zip(others, members[1:], strict=True):
        operator: Operator = "OR" if isinstance(node, Or) else "AND NOT" if isinstance(part, Not) else "AND"
        merges.append(merge_postings(documents, more, operator, (name, other)))
        documents, name = merges[-1].documents, "result"
    return merges


def _inner(part: Node) -> Node:
    return part.node if isinstance(part, Not) else part


_NEAREST = 3  # terms near a word


TextbookStep: TypeAlias = EditMatrix | Merge
"""Step that finds terms or documents."""


def textbook_query(tree: Node, index: Index) -> list[TextbookStep]:
    """Return the steps that find the documents of a query in an index.

    Parameters
    ----------
    tree : Node
        The query.
    index : Index
        The index searched.

    Returns
    -------
    list
        For each word with edits, the matrices of its nearest terms; then for each `AND`, `OR` and `NOT`, its merge.

    Examples
    --------
    >>> index = Index.build(["a tick", "a trick", "tock"])
    >>> steps = textbook_query(Fuzzy("tik") & Term("tick"), index)
    >>> [type(step).__name__ for step in steps]
    ['EditMatrix', 'Merge']
    >>> steps[0].rows[-1]
    [3, 2, 1, 1, 1]
    """
    expect(Node, tree=tree)
    expect(Index, index=index)
    return [*_of_parts(tree, index), *query_merges(tree, index)]


def _of_parts(node: Node, index: Index) -> Iterator[TextbookStep]:
    if isinstance(node, Fuzzy):
        word = index.analyzer.tokenizer.prepared(node.word)
        near = terms_within(index, word, node.edits)
        nearest = sorted(zip(near.edits.tolist(), index.terms.take(near.numbers), strict=True))[:_NEAREST]
        for _, term in nearest:
            yield edit_matrix(word, term)
    for part in parts(node):
        yield from _of_parts(part, index)


_ROWS = 12  # comparisons that are shown
_SOME = 6  # terms and documents that are listed


def _comparisons(steps: Sequence[Any], names: tuple[str, str], outcome: Callable[[Any], str]) -> list[str]:
    columns = [*(Column(name, justify="right") for name in ("step", *names)), Column("outcome")]
    rows = [(number, step.first, step.second, outcome(step)) for number, step in enumerate(steps[:_ROWS], 1)]
    rest = len(steps) - _ROWS
    return [render(columns, rows), *([f"… {rest:,} more"] if rest > 0 else []), ""]


def _first_of(items: list[int] | list[str]) -> str:
    first = " ".join(map(str, items[:_SOME]))
    return f"{first} … ({len(items) - _SOME:,} more)" if len(items) > _SOME else first or "none"
