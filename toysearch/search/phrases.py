"""Phrases and windows: where words occur next to each other, or near each other.

An occurrence is counted at the position where it starts. Words in a fixed order start at the first word. Words in any
order start at each of their positions from which a window of the given width contains them all. So occurrences may
overlap, as in Indri.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base.errors import ArgumentError, StorageError
from toysearch.base.remedies import Remedy
from toysearch.base.wide_counts import count_each, repeat_each
from toysearch.index.inverted_index import Index
from toysearch.index.postings import rows_of

_DOCUMENT = 32  # an occurrence is a number: its document above this bit, its position below


class Words(NamedTuple):
    """The analysed words of a phrase: terms by number, and their distances from the first."""

    terms: tuple[int, ...]
    offsets: tuple[int, ...]
    slop: int = 0  # above 0: the width of a window with the words in any order
    gap: int = 1  # above 1: the largest distance between neighbours, in order


class Occurrences(NamedTuple):
    """The documents with a phrase, and its number of occurrences in each, also by the field where it starts."""

    docs: np.ndarray
    tf: np.ndarray
    field_tf: Mapping[str, np.ndarray]


class TermPlaces(NamedTuple):
    """The documents that contain some terms all, and the places and fields of each term there."""

    docs: np.ndarray
    of_terms: Mapping[int, np.ndarray]
    fields: Mapping[int, np.ndarray]  # empty in an index without separate fields


def places_of(index: Index, terms: tuple[int, ...], field: str | None = None) -> TermPlaces:
    """The places of terms in the documents that contain them all, possibly in one separate field only."""
    docs, _ = index.blocks.of_all(np.array(sorted({*terms})))
    return TermPlaces(docs, *_places(index, terms, docs, field))


def occurrences(index: Index, words: Words, places: TermPlaces, field: str | None = None) -> Occurrences:
    """The occurrences of a phrase, from the places of its terms."""
    docs, names = places.docs, index.fields.names
    starts = _starts(words, places.of_terms)
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
    held = np.flatnonzero(tf)
    return Occurrences(docs[held], tf[held], {name: counts[held] for name, counts in field_tf.items()})


def positions(index: Index, words: Words, doc: int, field: str | None = None) -> list[int]:
    """The positions in a document where a phrase starts, or a single term stands."""
    docs = np.array([doc])
    if any(not len(index.blocks.in_documents(term, docs).docs) for term in words.terms):
        return []
    places, _ = _places(index, words.terms, docs, field)
    found: list[int] = _starts(words, places).tolist()
    return found


def _starts(words: Words, places: Mapping[int, np.ndarray]) -> np.ndarray:
    """The starts of a phrase, from the places of its terms."""
    return _in_window(words, places) if words.slop else _in_order(words, places)


def _in_order(words: Words, places: Mapping[int, np.ndarray]) -> np.ndarray:
    """The starts of the words in their order."""
    if words.gap == 1:
        starts = places[words.terms[0]]
        for term, offset in zip(words.terms[1:], words.offsets[1:], strict=True):
            starts = starts[rows_of(places[term], starts + offset)]
        return starts
    good = places[words.terms[-1]]  # the places from which the rest of the words can follow
    for term in reversed(words.terms[:-1]):
        starts = places[term]
        following = np.searchsorted(good, starts, side="right")
        near = np.append(good, np.iinfo(np.int64).max)[following] - starts <= words.gap
        good = starts[near]
    return good


def _in_window(words: Words, places: Mapping[int, np.ndarray]) -> np.ndarray:
    """The starts of windows that contain all words, each as often as in the phrase."""
    starts = np.sort(np.concatenate([places[term] for term in {*words.terms}]))
    for term, times in Counter(words.terms).items():
        own = np.append(places[term], [np.iinfo(np.int64).max] * times)
        last = own[np.searchsorted(places[term], starts) + times - 1]
        starts = starts[last - starts < words.slop]
    return starts


def _places(
    index: Index, terms: Sequence[int], docs: np.ndarray, field: str | None
) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
    """The places of terms in documents that contain them all, possibly in one field, and the field of each place."""
    distinct, fields = sorted({*terms}), {}
    if index.position_blocks is None:
        places = _places_in_texts(index, distinct, docs)
    else:
        places = {}
        for term in distinct:
            tf, found = index.position_blocks.of_term(term, docs)
            places[term] = (repeat_each(np.arange(len(docs), dtype=np.int64), tf) << _DOCUMENT) + found
    if index.fields.names:
        fields = {term: _fields(index, term, docs) for term in places}
    if field is not None:
        number = index.fields.names.index(field)
        places = {term: found[fields[term] == number] for term, found in places.items()}
    return places, fields


def _places_in_texts(index: Index, terms: list[int], docs: np.ndarray) -> dict[int, np.ndarray]:
    """The places of terms in the stored texts of documents."""
    analyzer, texts = index.analyzer, index.texts
    if texts is None or analyzer.makes_grams:
        raise ArgumentError(
            "a phrase needs the positions of words, and this index keeps neither positions nor texts; build it again "
            f"with them: {Remedy('Index.build', positions=True)}"
            if texts is None
            else f"a phrase needs the positions of words, and the analyzer {analyzer} makes n-grams"
        )
    found: dict[str, list[int]] = {index.term(term): [] for term in terms}
    for rank, text in enumerate(texts.take(docs)):
        for position, token in enumerate(analyzer.tokenizer(text)):
            term = analyzer.term(token)
            if term in found:
                found[term].append((rank << _DOCUMENT) + position)
    return {term: np.array(places, dtype=np.int64) for term, places in zip(terms, found.values(), strict=True)}


def _fields(index: Index, term: int, docs: np.ndarray) -> np.ndarray:
    """The number of the separate field of each place of a term in documents: fields follow each other in a text."""
    postings = index.blocks.of_terms(np.array([term]))
    rows = np.searchsorted(postings.docs, docs)
    counts = np.stack([index.field_tf(name, np.array([term]))[rows] for name in index.fields.names], axis=1)
    tf = postings.tf[rows]
    if (counts > tf[:, None]).any() or (counts.sum(axis=1) != tf).any():
        raise StorageError("the index is damaged: its field_tf do not fit its postings; build it again")
    return repeat_each(np.tile(np.arange(counts.shape[1]), len(docs)), counts.ravel())
