"""Terms within a few edits of a word: a character inserted, deleted or replaced, or two neighbours exchanged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError
from toysearch.index.inverted_index import Index
from toysearch.index.strings import Pieces, Strings

__all__ = ["NearTerms", "terms_within"]

_SHARED = 16  # the average number of terms that must share a beginning
_BLOCK = 1 << 14  # terms whose beginnings are read at a time: these arrays stay in the cache
_FEW = 4  # if fewer than one byte per so many terms is beyond ASCII, only terms with such bytes are decoded
_NONE = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


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
    All terms are read at the same time, one character per step, by the automaton of Wu and Manber: bit i of state e
    is set if the characters read are within e edits of the first i characters of the word. A term whose states have no
    bit set is dropped. Exchanges, which their automaton lacks, use the states of two steps before. All characters that
    the word lacks have the same effect, so there are few different beginnings, and their states are computed once.

    ASCII terms are read where they are; others are decoded first. If most are not ASCII, that takes the most time.

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
    if edits < 0:
        raise ArgumentError(f"edits must be 0 or more, not {edits}")
    offsets = np.asarray(strings.offsets)
    if edits > len(word):  # no distance is larger than the longer of the two
        edits = min(edits, max(len(word), int(np.diff(offsets).max(initial=0))))
    blob = strings.blob.span(0, strings.blob.size) if isinstance(strings.blob, Pieces) else np.asarray(strings.blob)
    automaton = _Automaton(word, edits, ending, len(strings))
    wide = _beyond_ascii(blob, offsets)
    if wide is None:
        return _sorted(_found(*_decoded(blob, offsets), _NONE[0], automaton), edits)
    found = _found(blob, offsets, wide, automaton)
    if len(wide):
        numbers, distances = _joined(_found(*_decoded(*_copied(blob, offsets, wide)), _NONE[0], automaton))
        found.append((wide[numbers], distances))
    return _sorted(found, edits)


def _found(
    text: np.ndarray, offsets: np.ndarray, skipped: np.ndarray, automaton: _Automaton
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The terms near the word of an automaton, with their distances; some terms are skipped."""
    every, beginnings = _beginnings(text, offsets, skipped, automaton)
    found = [_NONE]
    for start in range(0, len(every), _BLOCK):
        numbers, states = every[start : start + _BLOCK], automaton.states.of(beginnings[start : start + _BLOCK])
        at = offsets[numbers] + automaton.depth
        while len(numbers):
            ended = at == offsets[numbers + 1]
            found.append((numbers[ended], automaton.edits(states.of(np.flatnonzero(ended)))))
            live = np.flatnonzero(states.near() & ~ended)
            numbers, at, states = numbers[live], at[live], states.of(live)
            states = automaton.step(states, automaton.classes[text[at]])
            at += 1
    return found


def _beginnings(
    text: np.ndarray, offsets: np.ndarray, skipped: np.ndarray, automaton: _Automaton
) -> tuple[np.ndarray, np.ndarray]:
    """The terms whose length and beginning may be near the word, and the beginning of each as a number."""
    near, found = automaton.states.near(), [_NONE]
    for start in range(0, len(offsets) - 1, _BLOCK):
        edges = offsets[start : start + _BLOCK + 1]
        lengths = np.diff(edges)
        first, last = np.searchsorted(skipped, (start, start + _BLOCK))
        lengths[skipped[first:last] - start] = -1
        numbers = np.flatnonzero((lengths >= automaton.shortest) & (lengths <= automaton.longest))
        at, beginnings = edges[numbers], np.zeros(len(numbers), dtype=np.int64)
        for _ in range(automaton.depth):
            beginnings *= automaton.n_classes
            beginnings += automaton.classes[text[at]]
            at += 1
        live = near[beginnings]
        found.append((numbers[live] + start, beginnings[live]))
    return _joined(found)


def _joined(found: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Several pairs of arrays as one pair."""
    numbers, others = zip(*found, strict=True)
    return np.concatenate(numbers), np.concatenate(others)


def _beyond_ascii(blob: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
    """The rising numbers of the strings that are not ASCII; None if they are many."""
    signed = blob.view(np.int8)  # bytes beyond ASCII are negative
    if signed.min(initial=0) >= 0:
        return _NONE[0]
    beyond = signed < 0
    if np.count_nonzero(beyond) * _FEW > len(offsets):
        return None
    owners = np.searchsorted(offsets, np.flatnonzero(beyond), side="right") - 1
    return np.asarray(owners[np.diff(owners, prepend=-1) > 0])


def _copied(blob: np.ndarray, offsets: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of some strings, and where each begins, with the end of the last."""
    sizes = offsets[numbers + 1] - offsets[numbers]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return blob[np.arange(starts[-1]) + np.repeat(offsets[numbers] - starts[:-1], sizes)], starts


def _decoded(blob: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The characters of strings as numbers, and where each string begins, with the end of the last."""
    [text] = Strings(blob, np.array([0, blob.size]))
    starts, later = np.empty_like(offsets), 0  # later: how many bytes so far were not the first of a character
    for start in range(0, len(offsets) - 1, _BLOCK):
        edges = offsets[start : start + _BLOCK + 1]
        counts = np.cumsum(np.append(later, blob[edges[0] : edges[-1]].view(np.int8) < -64), dtype=np.int64)
        starts[start : start + _BLOCK + 1] = edges - counts[edges - edges[0]]
        later = counts[-1]
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), starts


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

    def near(self) -> np.ndarray:
        """Whether a beginning can still become a term that is near the word; bool."""
        return np.asarray(self.now[-1] != 0)


class _Automaton:
    """Reads many terms at once and tells their distances from a word."""

    def __init__(self, word: str, edits: int, ending: int, n_terms: int) -> None:
        self.shortest, self.longest = max(len(word) - ending - edits, 0), len(word) + edits
        self._all = (2 << len(word)) - 1
        self._ends = self._all & ~((1 << max(len(word) - ending, 0)) - 1)
        # Python's integers for a word with more characters than a machine word has bits
        dtype: Any = next(
            (kind for kind in (np.uint16, np.uint32, np.uint64) if self._all <= np.iinfo(kind).max), object
        )
        places: dict[str, int] = {}
        for place, character in enumerate(word, 1):
            places[character] = places.get(character, 0) | 1 << place
        self.n_classes = len(places) + 1  # each character of the word, and all others
        self.classes = np.zeros(sys.maxunicode + 1, dtype=np.uint16 if self.n_classes < 1 << 16 else np.int32)
        self.classes[[*map(ord, places)]] = np.arange(1, self.n_classes)
        self._places = np.array([0, *places.values()], dtype=dtype)
        start = np.array([[min((2 << e) - 1, self._all)] for e in range(edits + 1)], dtype=dtype)
        # The states after all possible beginnings, whose length is `depth`, in the order of their classes.
        self.depth, self.states = 0, _States(start, np.zeros_like(start), np.zeros_like(start[0]))
        while self.depth < self.shortest and len(self.states.last) * self.n_classes * _SHARED <= n_terms:
            n = len(self.states.last)
            longer = self.states.of(np.repeat(np.arange(n), self.n_classes))
            self.depth, self.states = self.depth + 1, self.step(longer, np.tile(np.arange(self.n_classes), n))

    def step(self, states: _States, classes: np.ndarray) -> _States:
        """The states after one more character of each term, given by its class."""
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


def _sorted(found: Sequence[tuple[np.ndarray, np.ndarray]], edits: int) -> NearTerms:
    """The terms found that are near enough, by number."""
    numbers, distances = _joined(found)
    numbers, distances = numbers[distances <= edits], distances[distances <= edits]
    order = np.argsort(numbers)
    return NearTerms(numbers[order], distances[order])
