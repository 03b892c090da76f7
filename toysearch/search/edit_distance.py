"""Terms within a few edits of a word: a character inserted, deleted or replaced, or two neighbours exchanged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError
from toysearch.index.inverted_index import Index
from toysearch.index.strings import Pieces, Strings

__all__ = ["NearTerms", "terms_within"]

_LENGTHS = (512, 64, 8, 1)  # of the runs of neighbouring terms that are read together
_RUNS = 32  # the fewest runs of a length
_BLOCK = 1 << 9  # runs that are read at a time, before they are cut: limits memory
_NONE = np.empty(0, dtype=np.int64)
_END = np.zeros(1, dtype=np.uint8)  # read where there is no text

_FIRST = np.arange(256)
_SIZES = (1 + (_FIRST >= 0xC0) + (_FIRST >= 0xE0) + (_FIRST >= 0xF0)).astype(np.uint8)
"""By the first byte of a character: the number of its bytes."""
_BITS = (np.array([0, 0x7F, 0x1F, 0x0F, 0x07])[_SIZES] & _FIRST).astype(np.int32)
"""By the first byte of a character: the first bits of its code point."""


class NearTerms(NamedTuple):
    """The terms near a word: their rising numbers and their distances from it; (n,) int64, aligned."""

    numbers: np.ndarray
    edits: np.ndarray


@checked
def terms_within(index: Index, word: str, edits: int = 2) -> NearTerms:
    """The terms of an index that a few edits turn into a word.

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
    Many terms are read at the same time, one character per step, by the automaton of Wu and Manber: bit i of state e
    is set if the characters read are within e edits of the first i characters of the word. A term whose states have no
    bit set is dropped. Exchanges, which their automaton lacks, use the states of two steps before.

    The terms are sorted, so neighbours begin alike. The beginning that the first and the last term of a run share is
    read once, and if no term near the word begins so, the others are not read at all. What is left is cut into shorter
    runs, down to single terms.

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
    return strings_within(index.terms, word, edits)


def strings_within(strings: Strings, word: str, edits: int, ending: int = 0) -> NearTerms:
    """The strings that a few edits turn into a word, or into all but its last letters (at most `ending`)."""
    # strings: sorted by their UTF-8 bytes.
    if edits < 0:
        raise ArgumentError(f"edits must be 0 or more, not {edits}")
    offsets = np.asarray(strings.offsets)
    if edits > len(word):  # no distance is larger than the longer of the two
        edits = min(edits, max(len(word), int(np.diff(offsets).max(initial=0))))
    blob = strings.blob.span(0, strings.blob.size) if isinstance(strings.blob, Pieces) else np.asarray(strings.blob)
    sizes = [len(character.encode(errors="surrogatepass")) for character in word]
    shortest = sum(sizes[: max(len(word) - ending, 0)]) - edits * max(sizes, default=0)
    longest = sum(sizes) + edits * int(_SIZES[blob.max(initial=0)])
    lengths = [length for length in _LENGTHS if length == 1 or length * _RUNS <= len(strings)]
    search = _Search(
        lengths, blob if blob.size else _END, offsets, range(shortest, longest + 1), _Automaton(word, edits, ending)
    )
    first = np.arange(0, len(strings), lengths[0])
    found = [search.near(first[start : start + _BLOCK]) for start in range(0, len(first), _BLOCK)]
    numbers, distances = (np.concatenate(column) for column in zip((_NONE, _NONE), *found, strict=True))
    numbers, distances = numbers[distances <= edits], distances[distances <= edits]
    order = np.argsort(numbers)
    return NearTerms(numbers[order], distances[order])


class _Runs(NamedTuple):
    """Runs of neighbouring strings: the first of each, how far it has been read, and the states after that."""

    first: np.ndarray
    at: np.ndarray  # the next byte of the first string
    states: _States

    def of(self, which: np.ndarray) -> _Runs:
        """Some of the runs."""
        return _Runs(self.first[which], self.at[which], self.states.of(which))


class _Search(NamedTuple):
    """The sorted strings that are searched, and the automaton that reads them."""

    lengths: Sequence[int]  # of runs
    text: np.ndarray
    offsets: np.ndarray
    sizes: range  # in bytes, of those that may be near
    automaton: _Automaton

    def near(self, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The strings near the word in the longest runs that begin with these, with their distances."""
        runs = _Runs(first, self.offsets[first], self.automaton.states.of(np.zeros_like(first)))
        for length, shorter in pairwise((*self.lengths, 0)):
            different = [runs.of(_NONE)]
            while len(runs.first):
                alike, characters, sizes = self._shared(runs, length)
                different.append(runs.of(np.flatnonzero(~alike)))
                runs = self._read(runs, np.flatnonzero(alike), characters, sizes)
            first, at, states = zip(*different, strict=True)
            columns = (np.concatenate(column, axis=-1) for column in zip(*states, strict=True))
            runs = _Runs(np.concatenate(first), np.concatenate(at), _States(*columns))
            if shorter:
                runs = self._cut(runs, length, shorter)
        return runs.first, self.automaton.edits(runs.states)

    def _shared(self, runs: _Runs, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether all strings of each run share the next character; the next one of the first, and its bytes."""
        characters, sizes = _characters(self.text, runs.at)
        alike = runs.at < self.offsets[runs.first + 1]
        if length > 1:
            last = np.minimum(runs.first + length, len(self.offsets) - 1) - 1
            at = runs.at - self.offsets[runs.first] + self.offsets[last]
            alike &= characters == _characters(self.text, at)[0]
        return alike, characters, sizes

    def _read(self, runs: _Runs, which: np.ndarray, characters: np.ndarray, sizes: np.ndarray) -> _Runs:
        """Some of the runs after their next character, without those whose strings cannot be near the word."""
        states = self.automaton.step(runs.states.of(which), characters[which])
        live = np.flatnonzero(states.now[-1])
        which = which[live]
        return _Runs(runs.first[which], runs.at[which] + sizes[which], states.of(live))

    def _cut(self, runs: _Runs, length: int, shorter: int) -> _Runs:
        """Runs cut into shorter ones, or into strings, without those of other sizes."""
        parts = length // shorter
        places = runs.first[:, None] + np.arange(0, length + shorter, shorter)
        fit = places[:, :-1] < len(self.offsets) - 1
        if shorter == 1:
            sizes = np.diff(self.offsets.take(places, mode="clip"), axis=1)
            fit &= sizes >= self.sizes.start
            fit &= sizes < self.sizes.stop
        cut = np.flatnonzero(fit)
        owners = cut // parts
        first = runs.first[owners] + cut % parts * shorter
        read = runs.at - self.offsets[runs.first]
        return _Runs(first, self.offsets[first] + read[owners], runs.states.of(owners))


def _characters(text: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The characters that begin at some bytes of a text in UTF-8, as numbers, and how many bytes each has."""
    first = text.take(at, mode="clip")  # beyond the end, and in damaged text, any character
    characters, sizes = _BITS.take(first), _SIZES.take(first)
    for place in range(1, int(sizes.max(initial=1))):
        rows = np.flatnonzero(sizes > place)
        characters[rows] = characters[rows] << 6 | text.take(at[rows] + place, mode="clip") & 0x3F
    return characters, sizes


class _States(NamedTuple):
    """The states of an automaton after reading some beginnings."""

    # now, before: (edits + 1, n) unsigned; bit i of row e is set if the characters read, or all but the last of them,
    # are within e edits of the first i characters of the word
    now: np.ndarray
    before: np.ndarray
    last: np.ndarray  # (n,): bit i is set if the last character read is character i of the word, counted from 1

    def of(self, which: np.ndarray) -> _States:
        """The states of some beginnings."""
        return _States(self.now.take(which, axis=1), self.before.take(which, axis=1), self.last.take(which))


class _Automaton:
    """Reads many terms at once and tells their distances from a word."""

    def __init__(self, word: str, edits: int, ending: int) -> None:
        self._all = (2 << len(word)) - 1
        self._ends = self._all & ~((1 << max(len(word) - ending, 0)) - 1)
        # Python's integers for a word with more characters than a machine word has bits
        dtype: Any = next(
            (kind for kind in (np.uint16, np.uint32, np.uint64) if self._all <= np.iinfo(kind).max), object
        )
        places: dict[str, int] = {}
        for place, character in enumerate(word, 1):
            places[character] = places.get(character, 0) | 1 << place
        n_classes = len(places) + 1  # each character of the word, and all others
        self._classes = np.zeros(sys.maxunicode + 1, dtype=np.uint16 if n_classes < 1 << 16 else np.int32)
        self._classes[[*map(ord, places)]] = np.arange(1, n_classes)
        self._places = np.array([0, *places.values()], dtype=dtype)
        start = np.array([[min((2 << e) - 1, self._all)] for e in range(edits + 1)], dtype=dtype)
        self.states = _States(start, np.zeros_like(start), np.zeros_like(start[0]))  # before any character

    def step(self, states: _States, characters: np.ndarray) -> _States:
        """The states after one more character of each term."""
        classes: np.ndarray = self._classes.take(characters, mode="clip")
        places = self._places[classes]
        exchanged = (places << 1) & states.last
        now = np.empty_like(states.now)
        now[0] = (states.now[0] << 1) & places
        for e in range(1, len(now)):
            fewer = states.now[e - 1]
            row = (states.now[e] << 1) & places
            row |= fewer  # the character is deleted
            row |= (fewer | now[e - 1]) << 1  # it is replaced, or another one inserted
            row |= (states.before[e - 1] << 2) & exchanged
            now[e] = row & self._all
        return _States(now, states.now, places)

    def edits(self, states: _States) -> np.ndarray:
        """The distances of the whole word from terms read to their end, `edits` + 1 if larger; int64."""
        reached = states.now & self._ends != 0
        return np.asarray(len(reached) - reached.sum(axis=0), dtype=np.int64)
