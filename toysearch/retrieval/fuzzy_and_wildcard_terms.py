"""Terms of an index that are within a few edits of a word, or fit a pattern.

All terms are read at the same time, one character of each per step. An edit is a character inserted, deleted or
replaced, or two neighbours exchanged.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, expect
from toysearch.base.plain_or_compiled import compiled
from toysearch.index import NO_NUMBERS, Index, Strings
from toysearch.index.letter_sets import set_of

__all__ = ["NearTerms", "fitting", "terms_within", "wildcard"]


_BLOCK = 1 << 16  # strings that are read at a time: limits memory
_MOST_EDITS, _MOST_LETTERS = 2, 62  # of a word that compiled loops compare

_FIRST = np.arange(256)
_SIZES = (1 + (_FIRST >= 0xC0) + (_FIRST >= 0xE0) + (_FIRST >= 0xF0)).astype(np.uint8)
"""Number of bytes of a character, by its first byte."""
_BITS = (np.array([0, 0x7F, 0x1F, 0x0F, 0x07])[_SIZES] & _FIRST).astype(np.int32)
"""First bits of a character's code point, by its first byte."""


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
    An edit changes few letters, so most terms are excluded by the set of their letters. The others are read at the same
    time, one character per step, by the automaton of Wu and Manber: bit i of state e is set if the characters read are
    within e edits of the first i characters of the word. Exchanges, which their automaton lacks, use the states of two
    steps before.

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
    lengths = strings.letters.lengths
    if edits > len(word):  # no distance is larger than the longer of the two
        edits = min(edits, max(len(word), int(lengths.max(initial=0))))
    numbers = strings.letters.near(word, edits, ending)
    numbers = numbers[np.argsort(lengths[numbers], kind="stable")]
    text, starts = strings.text, np.asarray(strings.offsets)
    automaton = _Automaton(word, edits, ending)
    some = (numbers[first : first + _BLOCK] for first in range(0, len(numbers), _BLOCK))
    distances = [_distances(text, starts[part], lengths[part], automaton) for part in some]
    edits_of = np.concatenate([NO_NUMBERS, *distances])
    numbers, edits_of = numbers[edits_of <= edits], edits_of[edits_of <= edits]
    order = np.argsort(numbers)
    return NearTerms(numbers[order], edits_of[order])


def _distances(text: np.ndarray, at: np.ndarray, lengths: np.ndarray, automaton: _Automaton) -> np.ndarray:
    """Distances of strings, given from the shortest to the longest by their first bytes and lengths."""
    distances, n_read, states = [], 0, automaton.start(len(at))
    for length in dict.fromkeys(lengths.tolist()):  # rising
        for _ in range(n_read, length):
            characters, sizes = characters_at(text, at)
            states, at = automaton.step(states, characters), at + sizes
        n_read, ended = length, int(np.searchsorted(lengths, length, side="right"))
        finished, states = states.cut(ended)
        distances.append(automaton.edits(finished))
        at, lengths = at[ended:], lengths[ended:]
    return np.concatenate(distances)


def characters_at(text: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decode the characters that begin at some bytes of a text in UTF-8: their numbers, and how many bytes each has."""
    first = text.take(at, mode="clip")  # beyond the end, and in damaged text, any character
    characters, sizes = _BITS.take(first), _SIZES.take(first)
    for place in range(1, int(sizes.max(initial=1))):
        rows = np.flatnonzero(sizes > place)
        characters[rows] = characters[rows] << 6 | text.take(at[rows] + place, mode="clip") & 0x3F
    return characters, sizes


class _States(NamedTuple):
    # now, before: (edits + 1, n) unsigned; bit i of row e is set if the characters read, or all but the last of them,
    # are within e edits of the first i characters of the word
    now: np.ndarray
    before: np.ndarray
    last: np.ndarray  # (n,): bit i is set if the last character read is character i of the word, counted from 1

    def cut(self, n: int) -> tuple[_States, _States]:
        finished = _States(*(column[..., :n] for column in self))
        return finished, _States(*(column[..., n:] for column in self))


class _Automaton:
    def __init__(self, word: str, edits: int, ending: int) -> None:
        self._all = (2 << len(word)) - 1
        self._ends = self._all & ~((1 << max(len(word) - ending, 0)) - 1)
        # Python's integers for a word with more characters than a machine word has bits
        dtype: Any = next(
            (kind for kind in (np.uint16, np.uint32, np.uint64) if self._all <= np.iinfo(kind).max), object
        )
        places: dict[int, int] = {}
        for place, character in enumerate(map(ord, word), 1):
            places[character] = places.get(character, 0) | 1 << place
        self._places = np.zeros(max(places, default=0) + 2, dtype)  # 0 for the last one and all beyond
        for character, bits in places.items():
            self._places[character] = bits
        self._start = np.array([min((2 << e) - 1, self._all) for e in range(edits + 1)], dtype)

    def start(self, n: int) -> _States:
        now = np.repeat(self._start[:, None], n, axis=1)
        return _States(now, np.zeros_like(now), np.zeros_like(now[0]))

    def step(self, states: _States, characters: np.ndarray) -> _States:
        places: np.ndarray = self._places.take(characters, mode="clip")
        exchanged = (places << 1) & states.last
        now = states.now << 1
        replaced = now[:-1].copy()
        now &= places
        now[1:] |= replaced
        now[1:] |= states.now[:-1]  # the character is deleted
        now[1:] |= (states.before[:-1] << 2) & exchanged
        for e in range(1, len(now)):
            now[e] |= now[e - 1] << 1  # another one is inserted
        now &= self._all
        return _States(now, states.now, places)

    def edits(self, states: _States) -> np.ndarray:
        """Distances of the whole word from terms read to their end, `edits` + 1 if larger; int64."""
        reached = states.now & self._ends != 0
        return np.asarray(len(reached) - reached.sum(axis=0), np.int64)


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
