"""Derived terms: a phrase, a group of terms or a term of one field, with postings and statistics of its own.

A derived term is counted exactly, so every model can weigh it like a term of the index: tf is the number of its
occurrences in a document, df the number of documents with an occurrence, cf the number of occurrences in all documents.
The documents' own statistics, such as dl, are those of the whole documents.

An occurrence of a phrase is counted at the position where it starts. Words in a fixed order start at the first word.
Words in any order start at each of their positions from which a window of the given width contains them all. So
occurrences may overlap, as in Indri.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Remedy, StorageError, count_each, gather_at, repeat_each
from toysearch.base.plain_or_compiled import compiled
from toysearch.index import NO_NUMBERS, Index, common_postings, rows_of
from toysearch.index.position_blocks import PositionBlocks
from toysearch.retrieval.query_terms import QueryTerms, in_blocks

_DOCUMENT = 32  # an occurrence is a number: its document above this bit, its position below


class Words(NamedTuple):
    """Analysed words of a phrase: terms by number, and their distances from the first."""

    terms: tuple[int, ...]
    offsets: tuple[int, ...]
    slop: int = 0  # above 0: the width of a window with the words in any order
    gap: int = 1  # above 1: the largest distance between neighbours, in order

    def starts(self, places: Mapping[int, np.ndarray]) -> np.ndarray:
        """Find the positions where the words start, from the places of their terms.

        >>> places = {7: np.array([1, 5]), 8: np.array([3])}
        >>> [Words((7, 8), (0, 1), slop=width).starts(places).tolist() for width in (2, 3)]
        [[], [1, 3]]
        """
        beyond = np.iinfo(np.int64).max
        if self.slop:  # the starts of windows that contain all words, each as often as in the phrase
            starts = np.sort(np.concatenate([places[term] for term in {*self.terms}]))
            for term, times in Counter(self.terms).items():
                last = np.append(places[term], [beyond] * times)[np.searchsorted(places[term], starts) + times - 1]
                starts = starts[last - starts < self.slop]
            return starts
        if self.gap == 1:
            starts = places[self.terms[0]]
            for term, offset in zip(self.terms[1:], self.offsets[1:], strict=True):
                starts = starts[rows_of(places[term], starts + offset)]
            return starts
        good = places[self.terms[-1]]  # the places from which the rest of the words can follow
        for term in reversed(self.terms[:-1]):
            starts = places[term]
            following = np.searchsorted(good, starts, side="right")
            good = starts[np.append(good, beyond)[following] - starts <= self.gap]
        return good


class TermPlaces(NamedTuple):
    """Documents that contain all of some terms, and the places and fields of each term there."""

    docs: np.ndarray
    of_terms: Mapping[int, np.ndarray]
    fields: Mapping[int, np.ndarray]  # empty in an index without separate fields


def places_of(index: Index, terms: tuple[int, ...], field: str | None = None) -> TermPlaces:
    """Find the places of terms in the documents that contain them all, possibly in one separate field only."""
    docs, _ = common_postings(index.blocks, np.array(sorted({*terms})))
    return _places(index, terms, docs, field)


def occurrences(index: Index, text: str, words: Words, places: TermPlaces, field: str | None = None) -> DerivedTerm:
    """Count the occurrences of a phrase, from the places of its terms, in the documents or in one separate field."""
    docs, names = places.docs, index.fields.names
    starts = words.starts(places.of_terms)
    tf = count_each(starts >> _DOCUMENT, minlength=len(docs))
    field_tf = {name: np.zeros_like(tf) for name in names}
    if field is not None:
        field_tf[field] = tf
    elif names:
        every, of_every = (np.concatenate([*columns.values()]) for columns in (places.of_terms, places.fields))
        order = np.argsort(every)
        of_start = of_every[order][np.searchsorted(every[order], starts)]
        for number, name in enumerate(names):
            field_tf[name] = count_each(starts[of_start == number] >> _DOCUMENT, minlength=len(docs))
    return DerivedTerm(text, docs, tf, field_tf, (words,), field=field).at(np.flatnonzero(tf))


def positions(index: Index, words: Words, doc: int, field: str | None = None) -> list[int]:
    """Find the positions in a document where a phrase starts, or a single term stands."""
    docs = np.array([doc])
    if any(not len(index.blocks.in_documents(term, docs).docs) for term in words.terms):
        return []
    starts: list[int] = words.starts(_places(index, words.terms, docs, field).of_terms).tolist()
    return starts


def _places(index: Index, terms: Sequence[int], docs: np.ndarray, field: str | None) -> TermPlaces:
    distinct, fields = sorted({*terms}), {}
    if index.position_blocks is None:
        places = _places_in_texts(index, distinct, docs)
    else:
        places = {}
        for term in distinct:
            tf, positions = index.position_blocks.of_term(term, docs)
            places[term] = (repeat_each(np.arange(len(docs), dtype=np.int64), tf) << _DOCUMENT) + positions
    if index.fields.names:
        fields = {term: _fields(index, term, docs) for term in places}
    if field is not None:
        number = index.fields.names.index(field)
        places = {term: positions[fields[term] == number] for term, positions in places.items()}
    return TermPlaces(docs, places, fields)


def without_positions(index: Index) -> ArgumentError:
    """Return the error for a phrase in an index that cannot tell the order of words."""
    if index.analyzer.makes_grams:
        n_grams = f"the analyzer {index.analyzer} makes n-grams"
        also = "" if index.analyzer.ngrams is None else ", among them the phrases of as many words in a row"
        return ArgumentError(f"a phrase needs the positions of words, and {n_grams}{also}")
    return ArgumentError(
        "a phrase needs the positions of words, and this index keeps neither positions nor texts; build it again "
        f"with them: {Remedy('Index.build', positions=True)}"
    )


def _places_in_texts(index: Index, terms: list[int], docs: np.ndarray) -> dict[int, np.ndarray]:
    analyzer, texts = index.analyzer, index.texts
    if texts is None and index.word_counts:
        from toysearch.collection.catalog import without_texts  # most documents are texts

        raise without_texts("a phrase or a window needs the order of words", index.collection)
    if texts is None or analyzer.makes_grams:
        raise without_positions(index)
    places_of_term: dict[str, list[int]] = {index.term(term): [] for term in terms}
    for rank, text in enumerate(texts.take(docs)):
        for position, token in analyzer.tokenizer.placed(text):
            term = analyzer.term(token)
            if term in places_of_term:
                places_of_term[term].append((rank << _DOCUMENT) + position)
    return {term: np.array(places, np.int64) for term, places in zip(terms, places_of_term.values(), strict=True)}


def _fields(index: Index, term: int, docs: np.ndarray) -> np.ndarray:
    """Number of the separate field of each place of a term in documents: fields follow each other in a text."""
    postings = index.blocks.of_terms(np.array([term]))
    rows = np.searchsorted(postings.docs, docs)
    counts = np.stack([index.field_tf(name, np.array([term]))[rows] for name in index.fields.names], axis=1)
    tf = postings.tf[rows]
    if (counts > tf[:, None]).any() or (counts.sum(axis=1) != tf).any():
        raise StorageError("the index is damaged: its field_tf do not fit its postings; build it again")
    return repeat_each(np.tile(np.arange(counts.shape[1]), len(docs)), counts.ravel())


_MANY = 200  # terms of a pattern that are not looked for one by one
_SORTED = 16  # at most one occurrence per this many documents is sorted; more are counted for all documents


class DerivedTerm(NamedTuple):
    """Derived term: its text in the query language, its postings, and its parts."""

    text: str
    docs: np.ndarray  # (df,) int32, rising
    tf: np.ndarray  # (df,) int64
    field_tf: Mapping[str, np.ndarray]  # for each separate field of the index: (df,) int64
    phrases: tuple[Words, ...] = ()  # the phrases that count as one
    terms: np.ndarray = NO_NUMBERS  # the single terms that count as one with them, by number
    field: str | None = None  # the field, if it is of one field only
    counts: tuple[int, int] | None = None  # df and cf in all documents, if the postings are those of a shard

    @property
    def df(self) -> int:
        """Number of documents with an occurrence."""
        return len(self.docs) if self.counts is None else self.counts[0]

    @property
    def cf(self) -> int:
        """Number of occurrences."""
        return int(self.tf.sum()) if self.counts is None else self.counts[1]

    def between(self, start: int, stop: int) -> DerivedTerm:
        """Return the same term in the documents from start up to stop, renumbered from 0."""
        part = self.at(slice(*np.searchsorted(self.docs, (start, stop)).tolist()))
        return part._replace(docs=part.docs - np.int32(start), counts=(self.df, self.cf))

    def at(self, rows: np.ndarray | slice) -> DerivedTerm:
        """Return the term with some of its postings."""
        field_tf = {name: counts[rows] for name, counts in self.field_tf.items()}
        return self._replace(docs=self.docs[rows], tf=self.tf[rows], field_tf=field_tf)

    def positions(self, index: Index, doc: int) -> list[int]:
        """Positions in a document where the term occurs, rising; empty for many terms, or if the index cannot tell."""
        if len(self.terms) > _MANY:
            return []
        if index.position_blocks is None and (index.texts is None or index.analyzer.makes_grams):
            return []
        parts = [*self.phrases, *(Words((term,), (0,)) for term in self.terms.tolist())]
        return sorted(place for part in parts for place in positions(index, part, doc, self.field))


def of_terms(index: Index, text: str, numbers: np.ndarray) -> DerivedTerm:
    """Count terms of the index as one."""
    # numbers: (n,) int64, each once.
    if len(numbers) == 1:
        docs, tf = index.blocks.of_terms(numbers)
        return DerivedTerm(
            text, docs, tf, {name: index.field_tf(name, numbers) for name in index.fields.names}, terms=numbers
        )
    names, N = index.fields.names, len(index)
    sums = {name: np.zeros(N, np.int32) for name in names}  # no sum exceeds the length of a document
    tf = np.zeros(N, np.int32)
    for block in in_blocks(index, numbers):
        postings = index.blocks.of_terms(block)
        if len(block) == len(numbers) and not names and int(postings.tf.sum()) <= N // _SORTED:
            every = np.sort(repeat_each(postings.docs, postings.tf))
            first = np.flatnonzero(np.diff(every, prepend=np.int32(-1)) != 0)
            return DerivedTerm(text, every[first], np.diff(first, append=len(every)), {}, terms=numbers)
        np.add.at(tf, postings.docs, postings.tf.astype(np.int32))
        for name, counts in sums.items():
            np.add.at(counts, postings.docs, index.field_tf(name, block).astype(np.int32))
    docs = np.flatnonzero(tf != 0).astype(np.int32)
    field_tf = {name: counts[docs].astype(np.int64) for name, counts in sums.items()}
    return DerivedTerm(text, docs, tf[docs].astype(np.int64), field_tf, terms=numbers)


def united(index: Index, text: str, parts: list[DerivedTerm]) -> DerivedTerm:
    """Count derived terms as one: their frequencies add up."""
    every = np.concatenate([part.docs for part in parts]).astype(np.int64)
    docs, places = np.unique(every, return_inverse=True)

    def total(counts: list[np.ndarray]) -> np.ndarray:
        sums = np.zeros(len(docs), np.int64)
        gather_at(np.add, sums, places, np.concatenate(counts))
        return sums

    names = index.fields.names
    field_tf = {name: total([part.field_tf[name] for part in parts]) for name in names}
    phrases, terms = tuple(phrase for part in parts for phrase in part.phrases), [part.terms for part in parts]
    tf = total([part.tf for part in parts])
    return DerivedTerm(text, docs.astype(np.int32), tf, field_tf, phrases, np.concatenate(terms), parts[0].field)


def phrase(index: Index, text: str, words: Words, field: str | None) -> DerivedTerm:
    """Derive the term of words near each other, in the documents or in one separate field."""
    positions = index.position_blocks
    if isinstance(positions, PositionBlocks) and compiled() and not (words.slop or words.gap > 1 or index.fields.names):
        return DerivedTerm(text, *positions.phrase(words.terms, words.offsets), {}, (words,))
    return occurrences(index, text, words, places_of(index, words.terms, field), field)


def in_field(text: str, term: DerivedTerm, field: str) -> DerivedTerm:
    """Restrict a derived term to its occurrences in one separate field."""
    tf = term.field_tf[field]
    rows = np.flatnonzero(tf)
    nothing = np.zeros(len(rows), np.int64)
    field_tf = {name: tf[rows] if name == field else nothing for name in term.field_tf}
    return DerivedTerm(text, term.docs[rows], tf[rows], field_tf, term.phrases, term.terms, field)


MEMORY = 1 << 26
"""Limit in bytes for the places of pairs that are kept for an index."""

_PAIR = 1 << 10  # bytes of a pair besides its places


@dataclass
class _Pair:
    places: TermPlaces
    derived: dict[tuple[tuple[int, ...], bool], DerivedTerm] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """Estimate the memory of the pair: a derived term has at most one document per place."""
        columns = [self.places.docs, *self.places.of_terms.values(), *self.places.fields.values()]
        return _PAIR + 2 * sum(column.nbytes for column in columns)


class _Pairs:
    """Recently used pairs of an index: they depend on no weight and on no model."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], _Pair] = {}  # oldest first
        self._bytes = 0
        self._lock = threading.Lock()

    def term(self, index: Index, words: Words) -> DerivedTerm:
        terms = tuple(sorted(words.terms))
        pair = self._kept.get(terms)
        if pair is None:
            pair = _Pair(places_of(index, terms))
            self._keep(terms, pair)
        key = words.terms, words.slop > 0
        derived = pair.derived.get(key)
        if derived is None or derived.phrases != (words,):
            first, second = map(index.term, words.terms)
            text = f'"{first} {second}"' + (f"~{words.slop}" if words.slop else "")
            derived = pair.derived[key] = occurrences(index, text, words, pair.places)
        return derived

    def _keep(self, terms: tuple[int, ...], pair: _Pair) -> None:
        with self._lock:
            if terms in self._kept:  # another thread was faster
                return
            self._kept[terms] = pair
            self._bytes += pair.n_bytes
            while self._bytes > MEMORY:
                self._bytes -= self._kept.pop(next(iter(self._kept))).n_bytes


def sdm(
    index: Index, query: QueryTerms, *, terms: float, ordered: float, unordered: float, window: float
) -> QueryTerms:
    """Return the terms of a query, its neighbouring pairs in order, and these pairs in any order within a window.

    Each has its weight as qtf, times its count in the query (Metzler & Croft 2005: weights 0.85, 0.10 and 0.05, windows
    of 8 positions). Pairs are made of the terms after analysis, and pairs that no document contains are left out.
    """
    kept_pairs = index.memo.setdefault(_Pairs, _Pairs())
    pairs: dict[Words, float] = {}
    derived = {}
    for first, second in pairwise(query.sequence):
        if first < 0 or second < 0:
            continue
        for slop, weight in ((0, ordered), (int(window), unordered)):
            words = Words((min(first, second), max(first, second)) if slop else (first, second), (0, 1), slop)
            if weight and words not in derived:
                derived[words] = kept_pairs.term(index, words)
            if weight and derived[words].df:
                pairs[words] = pairs.get(words, 0.0) + weight
    first_number = index.stats.n_terms + len(query.derived)
    numbers = np.concatenate([query.numbers, np.arange(first_number, first_number + len(pairs))])
    qtf = np.concatenate([query.qtf * terms, [*pairs.values()]])
    return query._replace(numbers=numbers, qtf=qtf, derived=query.derived + tuple(derived[words] for words in pairs))
