"""Decoded postings; counts in one byte each; the counts of separate fields, and of the whole collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from toysearch.base import ArgumentError, DataError, Remedy, StorageError, field_identifier, repeat_each, unknown
from toysearch.index.strings import strings_of

if TYPE_CHECKING:
    from toysearch.index.posting_blocks import PostingBlocks


class TermPostings(Protocol):
    """Postings of an index by term, in any layout."""

    @property
    def packed(self) -> PostingBlocks:
        """Pack the postings in blocks; those of a shard by its own numbers of terms."""

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it; int64."""

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """Return the postings from start up to stop, counted through all terms; by default all."""

    def of_terms(self, terms: np.ndarray) -> Postings:
        """Return the postings of the terms with these numbers, one term after the other."""

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """Return the first documents of each of some terms, at most 128."""

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """Return the postings of a term in some documents, given by rising number."""

    def of_document(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms of a document, by rising number, and their frequencies in it; int64."""


class TermPositions(Protocol):
    """Positions of an index by term, in any layout."""

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the tf of a term in documents that contain it, given by rising number, and its positions there."""


class Postings(NamedTuple):
    """Documents that contain a term, by rising number, and the aligned term frequencies."""

    docs: np.ndarray
    tf: np.ndarray


NO_NUMBERS = np.empty(0, np.int64)
"""No documents, terms or places."""


def offsets_of(lengths: Any) -> np.ndarray:
    """Return the starts of stretches of these lengths, and the end of the last; int64."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def places_of(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """List the places in all stretches, given by their starts and lengths, one stretch after the other."""
    ends = np.cumsum(lengths)
    return repeat_each(starts - ends + lengths, lengths) + np.arange(ends[-1] if ends.size else 0)


def ranges_of(offsets: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Divide stretches, given by their starts and the end of the last, into ranges of at most so much, or of one."""
    first = 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1)
        yield first, last
        first = last


def contained(wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Tell for each wanted number, all at least 0, whether it is one of the rising values; bool.

    >>> contained(np.array([5, 1]), np.array([1, 2, 3])).tolist()
    [False, True]
    """
    is_contained: np.ndarray = np.append(values, -1)[np.searchsorted(values, wanted)] == wanted
    return is_contained


def rows_of(wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Find the places of the wanted numbers among values, without those that are absent; both rise, and are at least 0.

    >>> rows_of(np.array([1, 5, 9]), np.array([1, 2, 5])).tolist()
    [0, 2]
    """
    if len(values) < len(wanted):  # the shorter is looked up in the longer
        return np.flatnonzero(contained(values, wanted))
    rows = np.searchsorted(values, wanted)
    own_rows: np.ndarray = rows[np.append(values, -1)[rows] == wanted]
    return own_rows


def refuse_positions(most: int) -> None:
    """Refuse a document whose positions 32 bits do not hold."""
    if most > np.iinfo(np.int32).max:
        raise DataError("a document has more than 2,147,483,647 positions; make several documents of it")


LARGE_COUNT = 255
"""Largest byte, which marks counts that are stored separately."""


class Counts:
    """Whole numbers, most of them small: one byte for each, and a second array of the large ones.

    >>> counts = Counts.of(np.array([1, 300, 2]))
    >>> counts.small.tolist(), counts.large.tolist(), counts[0:2].tolist(), np.asarray(counts).tolist()
    ([1, 255, 2], [300], [1, 300], [1, 300, 2])
    """

    def __init__(self, small: Any, large: Any) -> None:
        self.small = small  # each number; 255 means 255 or more
        self.large = large  # the numbers of 255 or more, in their order

    @classmethod
    def of(cls, numbers: np.ndarray) -> Counts:
        """Store numbers in this form."""
        small = np.minimum(numbers, LARGE_COUNT).astype(np.uint8)
        return cls(small, np.asarray(numbers)[small == LARGE_COUNT].astype(np.int64))

    @property
    def size(self) -> int:
        """Number of numbers."""
        return int(self.small.size)

    @cached_property
    def large_places(self) -> np.ndarray:
        """Places of the large numbers."""
        positions = np.flatnonzero(np.asarray(self.small) == LARGE_COUNT)
        if positions.size != self.large.size or (self.large.size and int(np.asarray(self.large).min()) < LARGE_COUNT):
            raise StorageError("the index is damaged: its large counts do not fit the small ones; build it again")
        return positions

    def between(self, start: int, stop: int, first: int, last: int) -> np.ndarray:
        """Return the numbers from start up to stop, of which the large ones are those from first up to last; int64."""
        small = self.small[start:stop]
        numbers: np.ndarray = small.astype(np.int64)
        places, large = np.flatnonzero(small == LARGE_COUNT), np.asarray(self.large[first:last])
        if places.size != large.size or (large.size and int(large.min()) < LARGE_COUNT):
            raise StorageError("the index is damaged: its large counts do not fit the small ones; build it again")
        numbers[places] = large
        return numbers

    def sum(self) -> int:
        """Add up all numbers."""
        excess = int(np.asarray(self.large).sum()) - LARGE_COUNT * int(self.large_places.size)
        return int(np.asarray(self.small).sum(dtype=np.int64)) + excess

    def at(self, places: np.ndarray) -> np.ndarray:
        """Return the numbers in some places; int64."""
        numbers: np.ndarray = np.asarray(self.small)[places].astype(np.int64)
        large = np.flatnonzero(numbers == LARGE_COUNT)
        if large.size:
            numbers[large] = np.asarray(self.large)[np.searchsorted(self.large_places, places[large])]
        return numbers

    def __getitem__(self, where: slice) -> np.ndarray:
        """Return the numbers of a range; int64."""
        edges = where.indices(self.size)[:2]
        return self.between(*edges, *np.searchsorted(self.large_places, edges).tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.between(0, self.small.size, 0, self.large.size), dtype)


def numbers_in(values: Any, places: np.ndarray) -> np.ndarray:
    """Return the numbers in some places of an array or of `Counts`, widened alone; int64."""
    numbers: np.ndarray = values.at(places) if isinstance(values, Counts) else np.asarray(values)[places]
    return numbers.astype(np.int64, copy=False)


def read_only(arrays: dict[str, Any]) -> dict[str, Any]:
    """Make arrays read-only."""
    for values in arrays.values():
        for array in (values.small, values.large) if isinstance(values, Counts) else (values,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return arrays


class CollectionStats(NamedTuple):
    """Counts over all documents, including those without terms."""

    N: int  # documents, empty ones included
    T: int  # tokens: the sum of all document lengths, without stop words
    avgdl: float  # T / N, tokens per document
    avg_distinct: float  # n_postings / N, distinct terms per document
    n_terms: int  # distinct terms
    n_postings: int  # pairs of a term and a document that contains it
    n_empty: int  # documents without any term

    def __call__(self) -> CollectionStats:
        """Return the counts, for those who type ``index.stats()``."""
        return self

    @classmethod
    def of(cls, dl: np.ndarray | Counts, n_terms: int, n_postings: int) -> CollectionStats:
        """Count the statistics of a collection of at least one document.

        >>> CollectionStats.of(np.array([3, 0]), n_terms=2, n_postings=2)
        CollectionStats(N=2, T=3, avgdl=1.5, avg_distinct=1.0, n_terms=2, n_postings=2, n_empty=1)
        """
        # dl: (N,) int.
        small = np.asarray(dl.small if isinstance(dl, Counts) else dl)
        N, T = small.size, dl.sum() if isinstance(dl, Counts) else int(small.sum(dtype=np.int64))
        return cls(N, T, T / N, n_postings / N, n_terms, n_postings, N - int(np.count_nonzero(small)))


class TermCount(NamedTuple):
    """Term with its document frequency and its collection frequency."""

    term: str
    df: int
    cf: int


class FieldCounts:
    """Counts of the separate fields of an index; postings are numbered as in the index."""

    def __init__(self, arrays: Mapping[str, Any], n_postings: int) -> None:
        apart = "fields" in arrays
        self.names: list[str] = list(strings_of(arrays, "fields")) if apart else []
        self._postings = n_postings
        if apart:
            self._tf: Counts | np.ndarray = arrays["field_tf"]
            if self._tf.size != len(self.names) * n_postings:
                raise StorageError("the index is damaged: its field_tf do not fit its postings; build it again")
            self._dl = np.asarray(arrays["field_dl"], np.int32).reshape(len(self.names), -1)

    def tf(self, field: str, start: int, stop: int) -> np.ndarray:
        """Return the term frequencies in a field of the postings from start up to stop; int64."""
        first = self._number(field) * self._postings
        return self._tf[first + start : first + stop].astype(np.int64)

    def dl(self, field: str) -> np.ndarray:
        """Return the length of a field in each document, in tokens; int32, shape (N,)."""
        number = self._number(field)
        lengths: np.ndarray = self._dl[number]
        return lengths

    def name(self, field: str) -> str:
        """Return the name of a field, given by it or by its form as an identifier."""
        return self.names[self._number(field)]

    def _number(self, field: str) -> int:
        """Return the number of a field, by its name or its form as an identifier: head-line is head_line."""
        identifiers = [field_identifier(name) for name in self.names]
        if field_identifier(field) not in identifiers:
            if not identifiers:
                raise ArgumentError(
                    f"this index counts all fields together and cannot separate '{field}'; build it again with "
                    f"separate fields: {Remedy('Index.build', fields=...)}"
                )
            example = ",".join(f"{name}=1" for name in identifiers)
            raise ArgumentError(
                f"{unknown('field', field, self.names)}; an example for this index: bm25f:{example}; other fields are "
                f"searched if they are named: {Remedy('load', fields=...)}"
            )
        return identifiers.index(field_identifier(field))
