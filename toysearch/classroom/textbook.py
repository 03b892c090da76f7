"""Parts of a query as textbooks work them out: words, patterns, phrases, then merges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from toysearch import Index
from toysearch.base import (
    ArgumentError,
    Column,
    counted,
    expect,
    expect_list,
    expect_name,
    number_columns,
    render,
    table_columns,
)
from toysearch.index import common_postings
from toysearch.query.syntax import (
    And,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Phrase,
    Term,
    Wildcard,
    parts,
)
from toysearch.retrieval.derived_terms import Words, positions
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within, wildcard
from toysearch.retrieval.matching import Matcher, with_joined_words

__all__ = [
    "EditMatrix",
    "Gram",
    "Merge",
    "MergeStep",
    "PositionStep",
    "PositionalMerge",
    "TextbookStep",
    "WildcardLookup",
    "edit_matrix",
    "merge_positions",
    "merge_postings",
    "phrase_merge",
    "query_merges",
    "rotations",
    "textbook_query",
    "wildcard_lookup",
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


END = "$"


class Gram(NamedTuple):
    """Sequence of k letters, and the number of terms that contain it."""

    gram: str
    n_terms: int


class WildcardLookup(NamedTuple):
    """Lookup of the terms of a wildcard in a permuterm index and in a k-gram index.

    Attributes
    ----------
    pattern : str
        The wildcard.
    rotation : str
        The pattern rotated so that it ends with its star. What stands between several of ``*`` and ``?`` is checked
        later.
    rotated : list of tuple of str
        The rotations that begin so, each with its term, sorted.
    grams : list of Gram
        The k-grams of the pattern, where ``$`` marks both ends of a term.
    candidates : list of str
        The terms that contain all k-grams, sorted; all terms if the pattern has no k-gram.
    terms : list of str
        The terms that fit the pattern, sorted: both indexes end with these, after a check.
    """

    pattern: str
    rotation: str
    rotated: list[tuple[str, str]]
    grams: list[Gram]
    candidates: list[str]
    terms: list[str]

    def __str__(self) -> str:
        """Show the rotation of a wildcard and its k-grams, and the terms found by each."""
        grams = table_columns("k-gram", number_columns(",", "terms"))
        rest = len(self.rotated) - _SOME
        failed = [term for term in self.candidates if term not in set(self.terms)]
        lines = [f"{self.pattern} in a permuterm index: look up {self.rotation}\n", "no rotation begins so"]
        if self.rotated:
            lines[1] = render(table_columns(["rotation", "term"]), self.rotated[:_SOME])
        if rest > 0:
            lines.append(f"… {rest:,} more")
        lines += (f"\nall rotations of {term}: {' '.join(rotations(term))}" for term in self.terms[:1])
        lines += [
            f"\n{self.pattern} in a k-gram index: merge these lists by AND\n",
            render(grams, self.grams) if self.grams else "the pattern has no k-gram, so every term is a candidate",
            f"\n{counted(len(self.candidates), 'candidate')}: {_first_of(self.candidates)}",
            f"candidates that do not fit: {_first_of(failed)}",
            f"{counted(len(self.terms), 'term')}: {_first_of(self.terms)}",
        ]
        return "\n".join(lines)


def rotations(term: str) -> list[str]:
    """Rotate a term and its end mark, as a permuterm index stores them.

    Parameters
    ----------
    term : str
        The term.

    Examples
    --------
    >>> rotations("cat")
    ['cat$', 'at$c', 't$ca', '$cat']
    """
    expect(str, term=term)
    marked = term + END
    return [marked[at:] + marked[:at] for at in range(len(marked))]


def wildcard_lookup(terms: Iterable[str], pattern: str, k: int = 2) -> WildcardLookup:
    """Find the terms of a wildcard by a permuterm index and by a k-gram index.

    Manning, Raghavan & Schütze 2008, 3.2.1 and 3.2.2.

    Parameters
    ----------
    terms : iterable of str
        The dictionary.
    pattern : str
        A wildcard: ``*`` stands for any characters, ``?`` for one.
    k : int, default 2
        The number of letters of a k-gram, 2 or more.

    Raises
    ------
    ArgumentError
        If the pattern has neither ``*`` nor ``?``, or k is less than 2.

    Examples
    --------
    >>> found = wildcard_lookup(["cart", "cat", "chest", "cut", "cactus", "dog"], "c*t")
    >>> found.rotation, found.rotated[:2]
    ('t$c*', [('t$ca', 'cat'), ('t$car', 'cart')])
    >>> found.grams
    [Gram(gram='$c', n_terms=5), Gram(gram='t$', n_terms=4)]
    >>> found.terms
    ['cart', 'cat', 'chest', 'cut']
    >>> wildcard_lookup(["retired", "red", "redo"], "red*").candidates
    ['red', 'redo', 'retired']
    """
    expect_list(str, ordered=False, terms=terms)
    if k < 2:
        raise ArgumentError(f"k must be 2 or more, not {k}")
    pieces, expression = wildcard(Wildcard(pattern).pattern)
    vocabulary = sorted(set(terms))
    begin, end = pieces[0], pieces[-1]
    rotation = end + END + begin
    rotated = sorted((turned, term) for term in vocabulary for turned in rotations(term) if turned.startswith(rotation))
    marked = {term: f"{END}{term}{END}" for term in vocabulary}
    of_pattern = [END + begin, *pieces[1:-1], end + END]
    grams = list(dict.fromkeys(piece[at : at + k] for piece in of_pattern for at in range(len(piece) - k + 1)))
    counts = [Gram(gram, sum(gram in term_grams for term_grams in marked.values())) for gram in grams]
    candidates = [term for term, term_grams in marked.items() if all(gram in term_grams for gram in grams)]
    fitting_terms = [term for term in vocabulary if expression.match(term)]
    return WildcardLookup(pattern, f"{rotation}*", rotated, counts, candidates, fitting_terms)


Near = Literal["at", "up to", "within"]
_TRIED = 100  # documents in which an occurrence is looked for


class PositionStep(NamedTuple):
    """Comparison of two positions, and whether an occurrence starts at one of them."""

    first: int
    second: int
    kept: bool


class PositionalMerge(NamedTuple):
    """Merge of the positions of two words in a document.

    Attributes
    ----------
    text : str
        The phrase; of more than two words, the first two are merged.
    doc_id : str
        The document: the first one with an occurrence.
    near : {"at", "up to", "within"}
        Whether the second word is `distance` words after the first, at most so many, or in any order in a window of so
        many words.
    distance : int
        The number of words.
    words : tuple of str
        The terms of the two words.
    lengths : tuple of int
        The numbers of their positions.
    comparisons : list of PositionStep
        All comparisons, in order; the first word of a document has the position 0.
    starts : list of int
        The positions where an occurrence starts.
    """

    text: str
    doc_id: str
    near: Near
    distance: int
    words: tuple[str, str]
    lengths: tuple[int, int]
    comparisons: list[PositionStep]
    starts: list[int]

    def __str__(self) -> str:
        """Show one line per comparison of two positions in a document, and where an occurrence starts."""
        first, second = self.words
        rule = {
            "at": f"{second} {counted(self.distance, 'word')} after {first}",
            "up to": f"{second} at most {counted(self.distance, 'word')} after {first}",
            "within": f"both within {counted(self.distance, 'word')}",
        }[self.near]

        def outcome(step: PositionStep) -> str:
            apart = step.second - step.first
            least = {"at": self.distance, "up to": 1, "within": 0}[self.near]
            onward = f"on in {second if apart < least else first}"
            start = f"an occurrence at {min(step.first, step.second)}, " * step.kept
            return f"{step.second} − {step.first} = {apart}: {start}{onward}"

        return "\n".join(
            [
                f"{self.text} in document {self.doc_id}; its first word has the position 0",
                f"an occurrence: {rule}\n",
                *_comparisons(self.comparisons, self.words, outcome),
                f"{counted(len(self.comparisons), 'comparison')} of at most {self.lengths[0]:,} + {self.lengths[1]:,}; "
                f"occurrences at: {_first_of(self.starts)}",
            ]
        )


def _check_rising(numbers: Sequence[int], what: str) -> None:
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise ArgumentError(f"{what} must be rising, not {list(numbers)!r:.60}")


def merge_positions(
    first: Sequence[int], second: Sequence[int], near: Near = "at", distance: int = 1
) -> list[PositionStep]:
    """Compare the rising positions of two words, as in a merge of postings lists.

    Manning, Raghavan & Schütze 2008, fig. 2.12, for one document.

    Parameters
    ----------
    first, second : sequence of int
        The positions of each word, rising.
    near : {"at", "up to", "within"}, default "at"
        Whether the second word stands `distance` words after the first, at most so many, or with it in a window of so
        many words.
    distance : int, default 1
        The number of words.

    Raises
    ------
    ArgumentError
        If positions are not rising, or `near` is not one of these.

    Examples
    --------
    >>> [step for step in merge_positions([2, 10, 30], [3, 12, 20], "up to", 4) if step.kept]
    [PositionStep(first=2, second=3, kept=True), PositionStep(first=10, second=12, kept=True)]
    """
    expect_list(int, first=first, second=second)
    expect(int, distance=distance)
    expect_name("kind", near, get_args(Near))
    for listed in (first, second):
        _check_rising(listed, "positions")
    steps, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        apart = second[j] - first[i]
        is_occurrence = abs(apart) < distance if near == "within" else 0 < apart <= distance
        if near == "at":
            is_occurrence = apart == distance
        steps.append(PositionStep(first[i], second[j], is_occurrence))
        if apart < {"at": distance, "up to": 1, "within": 0}[near]:
            j += 1
        else:
            i += 1
    return steps


def phrase_merge(index: Index, node: Phrase, field: str | None = None) -> PositionalMerge | None:
    """Merge the first two words of a phrase, in the first document with an occurrence of both.

    Parameters
    ----------
    index : Index
        The index searched.
    node : Phrase
        The phrase.
    field : str, optional
        The field searched, if it is only one.

    Returns
    -------
    PositionalMerge or None
        None if the phrase has fewer than two different terms, or no document contains both.

    Examples
    --------
    >>> merge = phrase_merge(Index.build(["a dog", "the dog and the cat", "the cat"]), Phrase("the", "cat"))
    >>> merge.doc_id, merge.starts
    ('2', [3])
    >>> merge.comparisons
    [PositionStep(first=0, second=4, kept=False), PositionStep(first=3, second=4, kept=True)]
    """
    expect(Index, index=index)
    expect(Phrase, node=node)
    analyzer = index.analyzer
    terms = [analyzer.term(token) for token in analyzer.tokenizer(" ".join(node.words))]
    first_words = [(place, term) for place, term in enumerate(terms) if term is not None][:2]
    numbers = tuple(index.term_number(term) for _, term in first_words)
    if len({*numbers}) < 2 or min(numbers) < 0:
        return None
    offset = first_words[1][0] - first_words[0][0]
    near: Near = "within" if node.slop else "up to" if node.gap > 1 else "at"
    distance = node.slop or (node.gap if node.gap > 1 else offset)
    first_document = None
    docs, _ = common_postings(index.blocks, np.array(sorted(numbers)))
    for doc in docs[:_TRIED].tolist():
        first, second = (positions(index, Words((number,), (0,)), doc, field) for number in numbers)
        steps = merge_positions(first, second, near, distance)
        starts = [min(step.first, step.second) for step in steps if step.kept]
        if first_document is None or starts:
            lengths = len(first), len(second)
            words = first_words[0][1], first_words[1][1]
            first_document = PositionalMerge(
                str(node), index.doc_ids[doc], near, distance, words, lengths, steps, starts
            )
        if starts:
            break
    return first_document


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


TextbookStep: TypeAlias = EditMatrix | WildcardLookup | PositionalMerge | Merge
"""Step that finds terms, occurrences or documents."""


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
        For each word with edits, the matrices of its nearest terms; for each wildcard, its lookup; for each phrase,
        the positions of two words in a document; then for each `AND`, `OR` and `NOT`, its merge.

    Examples
    --------
    >>> index = Index.build(["a tick", "a trick", "tock"])
    >>> steps = textbook_query(Fuzzy("tik") & Wildcard("t*k"), index)
    >>> [type(step).__name__ for step in steps]
    ['EditMatrix', 'WildcardLookup', 'Merge']
    >>> steps[0].rows[-1]
    [3, 2, 1, 1, 1]
    """
    expect(Node, tree=tree)
    expect(Index, index=index)
    return [*_of_parts(tree, index, None), *query_merges(tree, index)]


def _of_parts(node: Node, index: Index, field: str | None) -> Iterator[TextbookStep]:
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
    elif isinstance(node, Phrase) and (merge := phrase_merge(index, node, field)):
        yield merge
    for part in parts(node):
        yield from _of_parts(part, index, field)


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
