"""Terms of an index that are within a few edits of a word, or fit a pattern.

Terms that share enough letters with the word are compared with it one by one. An edit is a character inserted, deleted
or replaced, or two neighbours exchanged.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, edits_from_beginnings, expect
from toysearch.base.plain_or_compiled import compiled
from toysearch.index import Index, Strings
from toysearch.index.letter_sets import set_of

__all__ = ["NearTerms", "fitting", "terms_within", "wildcard"]


_MOST_EDITS, _MOST_LETTERS = 2, 62  # of a word that compiled loops compare


class NearTerms(NamedTuple):
    """Terms near a word: their rising numbers and their distances from it; (n,) int64, aligned."""

    numbers: np.ndarray
    edits: np.ndarray


def terms_within(index: Index, word: str, edits: int = 2) -> NearTerms:
    """Find the terms of an index that a few edits turn into a word.

    An edit inserts, deletes or replaces a character, or exchanges two neighbours. No part is edited twice: the distance
    is optimal string alignment, the restricted form of Damerau's distance.

    Parameters
    ----------
    index : Index
        The index.
    word : str
        A word in the form of a term: lower-cased, stemmed.
    edits : int, default 2
        The largest distance, 0 or more.

    Returns
    -------
    NearTerms
        The numbers and distances of the terms.

    Raises
    ------
    ArgumentError
        If `edits` is negative.

    Notes
    -----
    An edit changes few letters, so most terms are excluded by the set of their letters. Compiled loops read the others
    one character per step, by the automaton of Wu and Manber: bit i of state e is set if the characters read are within
    e edits of the first i characters of the word. Exchanges, which their automaton lacks, use the states of two steps
    before. Without these loops, or for more edits than two, a table of the distances between beginnings is filled in.

    References
    ----------
    Wu & Manber, Fast text searching allowing errors, CACM 35(10), 1992, section 3. Hyyrö, A bit-vector algorithm for
    computing Levenshtein and Damerau edit distances, Nordic Journal of Computing 10(1), 2003.

    Examples
    --------
    >>> index = Index.build(["a tick", "trick or treat", "ticks", "click"])
    >>> near = terms_within(index, "tikc", 2)
    >>> list(zip(index.terms.take(near.numbers), near.edits.tolist()))
    [('tick', 1), ('ticks', 2), ('trick', 2)]
    """
    expect(Index, index=index)
    expect(str, word=word)
    expect(int, edits=edits)
    return strings_within(index.terms, word, edits)


def strings_within(strings: Strings, word: str, edits: int, ending: int = 0) -> NearTerms:
    """Find the strings that a few edits turn into a word, or into all but its last letters (at most `ending`)."""
    if edits < 0:
        raise ArgumentError(f"edits must be 0 or more, not {edits}")
    if edits <= _MOST_EDITS and len(word) <= _MOST_LETTERS and compiled():
        sets = int(set_of(word)), int(set_of(word[: max(len(word) - ending, 0)]))
        near = np.array(strings.by_length.near(word, edits, ending, sets), np.int64)
        return NearTerms(*near[:, np.argsort(near[0])])
    if edits > len(word):  # no distance is larger than the longer of the two
        edits = min(edits, max(len(word), int(strings.letters.lengths.max(initial=0))))
    numbers, shortest = strings.letters.near(word, edits, ending), max(len(word) - ending, 0)
    distances = [min(edits_from_beginnings(text, word, edits)[shortest:]) for text in strings.take(numbers)]
    edits_of = np.array(distances, np.int64)
    return NearTerms(numbers[edits_of <= edits], edits_of[edits_of <= edits])


def wildcard(pattern: str, prepared: Callable[[str], str] = str) -> tuple[list[str], re.Pattern[str]]:
    r"""Return the texts around the * and ? of a wildcard, prepared like words; and what matches whole terms.

    >>> texts, expression = wildcard(r"c?t\*")
    >>> texts, [term for term in ("cat*", "cats") if expression.match(term)]
    (['c', 't*'], ['cat*'])
    """
    expect(str, pattern=pattern)
    pieces = [""]
    for escaped, sign in re.findall(r"(?s)\\(.)|(.)", pattern):
        if sign in ("*", "?"):
            pieces += [sign, ""]
        else:
            pieces[-1] += escaped or sign
    pieces[::2] = texts = [prepared(text) for text in pieces[::2]]
    pieces[::2] = [re.sub(r"[*?\[]", r"[\g<0>]", text) for text in texts]
    return texts, re.compile(fnmatch.translate("".join(pieces)))


def fitting(strings: Strings, numbers: np.ndarray, pattern: re.Pattern[str]) -> np.ndarray:
    """Return the numbers, among the given ones, of the strings that a pattern matches.

    >>> fitting(Strings.of(["color", "colors", "colour"]), np.arange(3), wildcard("col*r")[1])
    array([0, 2])
    """
    expect(Strings, strings=strings)
    fits = np.array([pattern.match(string) is not None for string in strings.take(numbers)], bool)
    return np.asarray(numbers[fits])
