"""Sequential dependence: neighbouring words of a query count as pairs, next to each other and near each other."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from toysearch.index.inverted_index import Index
from toysearch.search.derived_terms import DerivedTerm
from toysearch.search.phrases import TermPlaces, Words, occurrences, places_of
from toysearch.search.scoring import QueryTerms

MEMORY = 1 << 26
"""The limit in bytes for the places of pairs that are kept for an index."""

_PAIR = 1 << 10  # bytes of a pair besides its places


@dataclass
class _Pair:
    """The places of two terms, and the last terms derived from them."""

    places: TermPlaces
    derived: dict[tuple[tuple[int, ...], bool], DerivedTerm] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """About the memory that it takes: a derived term has at most one document per place."""
        columns = [self.places.docs, *self.places.of_terms.values(), *self.places.fields.values()]
        return _PAIR + 2 * sum(column.nbytes for column in columns)


class _Pairs:
    """The pairs of an index that were found last: they depend on no weight and on no model."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], _Pair] = {}  # in the order in which they were found
        self._bytes = 0
        self._lock = threading.Lock()

    def term(self, index: Index, words: Words) -> DerivedTerm:
        """The occurrences of two words as a term."""
        terms = tuple(sorted(words.terms))
        pair = self._kept.get(terms)
        if pair is None:
            pair = _Pair(places_of(index, terms))
            self._keep(terms, pair)
        key = words.terms, words.slop > 0
        found = pair.derived.get(key)
        if found is None or found.phrases != (words,):
            first, second = map(index.term, words.terms)
            text = f'"{first} {second}"' + (f"~{words.slop}" if words.slop else "")
            found = pair.derived[key] = DerivedTerm(text, *occurrences(index, words, pair.places), (words,))
        return found

    def _keep(self, terms: tuple[int, ...], pair: _Pair) -> None:
        """Keep a pair, and drop the oldest ones above the limit."""
        with self._lock:
            if terms in self._kept:  # another thread has found it meanwhile
                return
            self._kept[terms] = pair
            self._bytes += pair.n_bytes
            while self._bytes > MEMORY:
                self._bytes -= self._kept.pop(next(iter(self._kept))).n_bytes


_of_index: WeakKeyDictionary[Index, _Pairs] = WeakKeyDictionary()


def sdm(
    index: Index, query: QueryTerms, *, terms: float, ordered: float, unordered: float, window: float
) -> QueryTerms:
    """The terms of a query, its neighbouring pairs in order, and these pairs in any order within a window.

    Each has its weight as qtf, times its count in the query (Metzler & Croft 2005: weights 0.85, 0.10 and 0.05, windows
    of 8 positions). Pairs are made of the terms after analysis, and pairs that no document contains are left out.
    """
    found = _of_index.setdefault(index, _Pairs())
    pairs: dict[Words, float] = {}
    derived: dict[Words, DerivedTerm] = {}
    for first, second in pairwise(query.sequence):
        if first < 0 or second < 0:
            continue
        for slop, weight in ((0, ordered), (int(window), unordered)):
            words = Words((min(first, second), max(first, second)) if slop else (first, second), (0, 1), slop)
            if weight and words not in derived:
                derived[words] = found.term(index, words)
            if weight and derived[words].df:
                pairs[words] = pairs.get(words, 0.0) + weight
    first_number = index.stats.n_terms + len(query.derived)
    return query._replace(
        numbers=np.concatenate([query.numbers, np.arange(first_number, first_number + len(pairs))]),
        qtf=np.concatenate([query.qtf * terms, [*pairs.values()]]),
        derived=(*query.derived, *(derived[words] for words in pairs)),
    )
