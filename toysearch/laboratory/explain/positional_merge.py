"""The occurrences of two words near each other, as textbooks find them: a merge of their positions in a document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import Phrase
from toysearch.search.derived_terms import Words, positions

__all__ = ["PositionStep", "PositionalMerge", "merge_positions", "phrase_merge"]

Near = Literal["at", "up to", "within"]
_TRIED = 100  # documents in which an occurrence is looked for


class PositionStep(NamedTuple):
    """A comparison of two positions, and whether an occurrence starts at one of them."""

    first: int
    second: int
    kept: bool


class PositionalMerge(NamedTuple):
    """The merge of the positions of two words in a document.

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


@checked
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
        If positions are not rising.

    Examples
    --------
    >>> [step for step in merge_positions([2, 10, 30], [3, 12, 20], "up to", 4) if step.kept]
    [PositionStep(first=2, second=3, kept=True), PositionStep(first=10, second=12, kept=True)]
    """
    for listed in (first, second):
        if any(later <= earlier for earlier, later in pairwise(listed)):
            raise ArgumentError(f"positions must be rising, not {list(listed)!r:.60}")
    steps, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        apart = second[j] - first[i]
        kept = abs(apart) < distance if near == "within" else 0 < apart <= distance
        if near == "at":
            kept = apart == distance
        steps.append(PositionStep(first[i], second[j], kept))
        least = {"at": distance, "up to": 1, "within": 0}[near]
        if apart < least:
            j += 1
        else:
            i += 1
    return steps


@checked
def phrase_merge(index: Index, node: Phrase, field: str | None = None) -> PositionalMerge | None:
    """The merge of the first two words of a phrase, in the first document with an occurrence of both.

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
    analyzer = index.analyzer
    terms = [analyzer.term(token) for token in analyzer.tokenizer(" ".join(node.words))]
    kept = [(place, term) for place, term in enumerate(terms) if term is not None][:2]
    numbers = tuple(index.term_number(term) for _, term in kept)
    if len({*numbers}) < 2 or min(numbers) < 0:
        return None
    offset = kept[1][0] - kept[0][0]
    near: Near = "within" if node.slop else "up to" if node.gap > 1 else "at"
    distance = node.slop or (node.gap if node.gap > 1 else offset)
    found = None
    docs, _ = index.blocks.of_all(np.array(sorted(numbers)))
    for doc in docs[:_TRIED].tolist():
        first, second = (positions(index, Words((number,), (0,)), doc, field) for number in numbers)
        steps = merge_positions(first, second, near, distance)
        starts = [min(step.first, step.second) for step in steps if step.kept]
        if found is None or starts:
            lengths = len(first), len(second)
            words = kept[0][1], kept[1][1]
            found = PositionalMerge(str(node), index.doc_ids[doc], near, distance, words, lengths, steps, starts)
        if starts:
            break
    return found
