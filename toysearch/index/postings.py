"""Postings packed, counts in one byte and document numbers in two; the counts of each field, and of all documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, unknown
from toysearch.index.strings import Strings
from toysearch.spec import field_identifier


class Postings(NamedTuple):
    """The documents that contain a term, by rising number, and the aligned term frequencies."""

    docs: np.ndarray
    tf: np.ndarray


class Inserted:
    """The result of `np.insert` in chunks, so that it can go to a file without being in memory as a whole.

    >>> both = Inserted(np.array([1, 2, 3]), np.array([7, 8]), np.array([0, 3]))
    >>> both.size, both[2:4].tolist(), np.asarray(both).tolist()
    (5, [2, 8], [7, 1, 2, 8, 3])
    """

    def __init__(self, others: Any, values: np.ndarray, places: np.ndarray) -> None:
        self._others, self._values, self._places = others, values, places
        self.dtype: np.dtype[Any] = others.dtype
        self.size: int = others.size + values.size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, where: slice) -> np.ndarray:
        start, stop, _ = where.indices(self.size)
        first, last = np.searchsorted(self._places, (start, stop))
        put = self._places[first:last] - start
        kept = np.ones(stop - start, dtype=bool)
        kept[put] = False
        part = np.empty(stop - start, dtype=self.dtype)
        part[put] = self._values[first:last]
        part[kept] = self._others[start - first : stop - last]
        return part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)

    def tobytes(self) -> bytes:
        """All bytes."""
        return self[:].tobytes()


MOST_IN_LOW = 1 << 16
"""The number of documents that two bytes can number."""

_BITS = 16


def planes(numbers: np.ndarray, n_documents: int) -> Iterator[np.ndarray]:
    """The one or two arrays of document numbers, as views."""
    pairs = np.ascontiguousarray(numbers, dtype="<i4").view("<u2")
    yield pairs[0::2]
    if n_documents > MOST_IN_LOW << 8:
        yield pairs[1::2]
    elif n_documents > MOST_IN_LOW:
        yield pairs.view("|u1")[2::4]


class DocNumbers:
    """Document numbers as two arrays, in memory or mapped from files; slices are int32.

    A slice costs about a nanosecond per number. ``np.asarray`` returns all of them.

    >>> numbers = DocNumbers.of(np.array([7, 70_000], dtype=np.int32), 80_000)
    >>> numbers.low.tolist(), numbers.high.tolist(), numbers[0:2].tolist(), len(numbers)
    ([7, 4464], [0, 1], [7, 70000], 2)
    """

    def __init__(self, low: Any, high: Any = None) -> None:
        self.low = low
        self.high = high

    @classmethod
    def of(cls, numbers: np.ndarray, n_documents: int) -> DocNumbers:
        """The given numbers (int32), in an index of so many documents."""
        return cls(*(plane.copy() for plane in planes(numbers, n_documents)))

    def whole(self) -> DocNumbers:
        """Document numbers from arrays in memory or in files; those of a changed index are made at first use."""
        return DocNumbers(*map(np.asarray, self.planes))

    @property
    def planes(self) -> list[np.ndarray]:
        """The arrays: one or two."""
        return [self.low] if self.high is None else [self.low, self.high]

    @property
    def size(self) -> int:
        """The number of postings."""
        return int(self.low.size)

    def __len__(self) -> int:
        return int(self.low.size)

    def __getitem__(self, where: Any) -> Any:
        if self.high is None:
            return self.low[where].astype(np.int32)
        numbers = self.high[where].astype(np.int32)
        numbers <<= _BITS
        numbers |= self.low[where]
        return numbers

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)


_LARGE = 255  # the largest byte; it marks counts that are stored separately


class Counts(NamedTuple):
    """Non-negative whole numbers, most of them small.

    >>> counts = Counts.of(np.array([1, 300, 2]))
    >>> counts.small.tolist(), counts.large_positions.tolist(), counts.span(0, 2).tolist()
    ([1, 255, 2], [1], [1, 300])
    """

    small: np.ndarray  # each number; 255 means 255 or more
    large_positions: np.ndarray  # the positions of the numbers of 255 or more, ascending
    large: np.ndarray  # these numbers, aligned

    @classmethod
    def of(cls, numbers: np.ndarray) -> Counts:
        """The numbers given."""
        positions = np.flatnonzero(numbers >= _LARGE)
        small = np.minimum(numbers, _LARGE).astype(np.uint8)
        return cls(small, positions.astype(np.int64), numbers[positions].astype(np.int64))

    def span(self, start: int, stop: int) -> np.ndarray:
        """The numbers from start up to stop; int64, shape (stop - start,)."""
        numbers = self.small[start:stop].astype(np.int64)
        first, last = np.searchsorted(self.large_positions, (start, stop))
        numbers[self.large_positions[first:last] - start] = self.large[first:last]
        return numbers

    def at(self, positions: np.ndarray) -> np.ndarray:
        """The numbers at any positions; int64, aligned."""
        numbers: np.ndarray = self.small[positions].astype(np.int64)
        large = np.flatnonzero(numbers == _LARGE)
        numbers[large] = self.large[np.searchsorted(self.large_positions, positions[large])]
        return numbers


class CollectionStats(NamedTuple):
    """Counts over all documents, including those without terms."""

    N: int  # documents, empty ones included
    T: int  # tokens: the sum of all document lengths, without stop words
    avgdl: float  # T / N, tokens per document
    avg_distinct: float  # n_postings / N, distinct terms per document
    n_terms: int  # distinct terms
    n_postings: int  # pairs of a term and a document that contains it
    n_empty: int  # documents without any term

    @classmethod
    def of(cls, dl: np.ndarray, n_terms: int, n_postings: int) -> CollectionStats:
        """The statistics of a collection of at least one document.

        >>> CollectionStats.of(np.array([3, 0]), n_terms=2, n_postings=2)
        CollectionStats(N=2, T=3, avgdl=1.5, avg_distinct=1.0, n_terms=2, n_postings=2, n_empty=1)
        """
        # dl: (N,) int.
        N, T = len(dl), int(dl.sum(dtype=np.int64))
        return cls(N, T, T / N, n_postings / N, n_terms, n_postings, int(np.count_nonzero(dl == 0)))


class TermCount(NamedTuple):
    """A term, its document frequency and its collection frequency."""

    term: str
    df: int
    cf: int


class FieldCounts:
    """The counts of the separate fields of an index; postings are numbered as in the index."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        apart = "fields" in arrays
        self.names: list[str] = list(Strings(arrays["fields"], arrays["fields_offsets"])) if apart else []
        self._postings = arrays["docs"].size
        if apart:
            self._tf = Counts(np.asarray(arrays["field_tf"]), arrays["field_large_positions"], arrays["field_large_tf"])
            self._dl = arrays["field_dl"].reshape(len(self.names), -1)

    def tf(self, field: str, start: int, stop: int) -> np.ndarray:
        """The term frequencies in a field of the postings from start up to stop; int64."""
        first = self._number(field) * self._postings
        return self._tf.span(first + start, first + stop)

    def dl(self, field: str) -> np.ndarray:
        """The length of a field in each document, in tokens; int32, shape (N,)."""
        number = self._number(field)
        lengths: np.ndarray = self._dl[number]
        return lengths

    def _number(self, field: str) -> int:
        """The number of a field, by its name or its form as an identifier: head-line is head_line."""
        known = [field_identifier(name) for name in self.names]
        if field_identifier(field) not in known:
            if not known:
                raise ArgumentError(
                    f"this index counts all fields together and cannot separate '{field}'; build it again with "
                    "separate fields: toysearch index SOURCE -o DIR --apart (Index.build(…, fields=…) in Python)"
                )
            example = ",".join(f"{name}=1" for name in known)
            raise ArgumentError(
                f"{unknown('field', field, self.names)}; an example for this index: bm25f:{example}; other fields are "
                "searched if --fields names them (Index.build(…, fields=…) in Python)"
            )
        return known.index(field_identifier(field))
