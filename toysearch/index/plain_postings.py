"""Postings and positions as plain arrays, and the choice between them and packed blocks.

A small index in memory keeps plain arrays, which are packed once it is saved or searched by compiled loops. A large
index, and every index in files, has blocks (`posting_blocks`, `position_blocks`). Both layouts give the same postings.

Start with `PlainPostings`: two arrays, documents and term frequencies, of which a term has a slice.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from toysearch.index.posting_blocks import BLOCK, PostingBlocks, packed
from toysearch.index.postings import Counts, Postings, TermPositions, TermPostings, places_of, read_only, rows_of

MOST = 1 << 20
"""Largest number of postings of an index in memory that stay plain: 12 bytes each, and 4 per position."""

PACKED = dict.fromkeys(("postings", "gap_bits", "highest_tf", "last_docs", "least_dl"))
PACKED_POSITIONS = dict.fromkeys(("positions", "positions_offsets", "position_bits"))
"""Names of packed arrays, with None for each: their places among columns that `with_postings` takes."""


def with_postings(columns: dict[str, Any]) -> Mapping[str, Any]:
    """Make the arrays of an index from columns that have plain `docs`, `tf` and perhaps `places`, and None as packed.

    >>> columns = {**PACKED, "docs": np.array([0, 1]), "tf": np.array([1, 2]), "offsets": np.array([0, 2])}
    >>> arrays = with_postings(columns | {"dl": np.array([1, 2])})
    >>> list(arrays), arrays["highest_tf"].tolist()
    (['postings', 'gap_bits', 'highest_tf', 'last_docs', 'least_dl', 'offsets', 'dl'], [2])
    """
    if "docs" not in columns:
        return read_only(columns)
    docs, tf, places = columns.pop("docs"), columns.pop("tf"), columns.pop("places", None)
    if docs.size > MOST:
        return read_only(columns | _packed(columns, docs, tf if isinstance(tf, Counts) else Counts.of(tf), places))
    wide = {} if places is None else {"places": np.asarray(places, np.int32)}  # an added document may have higher
    return PlainArrays(read_only(columns), read_only({"docs": docs, "tf": np.asarray(tf, np.int64), **wide}))


def _packed(columns: Mapping[str, Any], docs: np.ndarray, tf: Counts, places: np.ndarray | None) -> dict[str, Any]:
    arrays = packed(docs, tf, columns["offsets"], columns["dl"])
    if places is not None:
        from toysearch.index.position_blocks import packed_positions  # most indexes keep no positions

        arrays |= packed_positions(places, docs, tf, columns["offsets"], columns["dl"], columns["holes"])
    return arrays


class PlainArrays(UserDict[str, Any]):
    """Arrays of a small index in memory, by name: postings are packed when a packed array is first needed."""

    def __init__(self, columns: Mapping[str, Any], plain: Mapping[str, np.ndarray]) -> None:
        super().__init__(columns)
        self.plain = plain

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            docs, tf, places = (self.plain.get(column) for column in ("docs", "tf", "places"))
            assert docs is not None
            self.data |= read_only(_packed(self.data, docs, Counts.of(np.asarray(tf)), places))
        return self.data[name]


def with_more(arrays: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arrays of an index with some that are new, or replace others."""
    if isinstance(arrays, PlainArrays):
        return PlainArrays({**arrays.data, **read_only(dict(more))}, arrays.plain)
    return {**arrays, **read_only(dict(more))}


def term_postings(arrays: Mapping[str, Any]) -> TermPostings:
    """Return the postings of an index with these arrays, in the layout that it has."""
    return PlainPostings(arrays) if isinstance(arrays, PlainArrays) else PostingBlocks(arrays, arrays["offsets"])


def term_positions(arrays: Mapping[str, Any], postings: TermPostings) -> TermPositions | None:
    """Return the positions of an index with these arrays and postings; None if it has none."""
    if "positions" not in arrays:
        return None
    if isinstance(postings, PlainPostings):
        return PlainPositions(postings, postings.arrays.plain["places"])
    from toysearch.index.position_blocks import PositionBlocks  # most indexes keep no positions

    return PositionBlocks(arrays, postings.packed)


class PlainPostings:
    """Postings of an index as plain arrays, one term after the other."""

    def __init__(self, arrays: PlainArrays) -> None:
        self.arrays = arrays
        self.docs, self.tf, self.offsets = arrays.plain["docs"], arrays.plain["tf"], arrays["offsets"]

    @cached_property
    def packed(self) -> PostingBlocks:
        """Pack the postings in blocks."""
        return PostingBlocks(self.arrays, self.offsets)

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it; int64."""
        return self.offsets[terms], self.offsets[terms + 1]

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """Return the postings from start up to stop, counted through all terms; by default all."""
        return Postings(self.docs[start:stop], self.tf[start:stop])

    def of_terms(self, terms: np.ndarray) -> Postings:
        """Return the postings of the terms with these numbers, one term after the other."""
        if terms.size == 1:
            [term] = terms.tolist()
            return self.span(*self.offsets[term : term + 2].tolist())
        starts, stops = self.spans(terms)
        rows = places_of(starts, stops - starts)
        return Postings(self.docs[rows], self.tf[rows])

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """Return the first documents of each of some terms, at most 128."""
        starts, stops = self.spans(terms)
        stops = np.minimum(stops, starts + BLOCK)
        return [self.docs[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """Return the postings of a term in some documents, given by rising number."""
        postings = self.span(*self.offsets[term : term + 2].tolist())
        rows = rows_of(docs, postings.docs)
        return Postings(postings.docs[rows], postings.tf[rows])

    def of_document(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms of a document, by rising number, and their frequencies in it; int64."""
        rows = np.flatnonzero(self.docs == number)
        return np.searchsorted(self.offsets, rows, side="right") - 1, self.tf[rows]


class PlainPositions:
    """Positions of an index as a plain array, those of one posting after the other."""

    def __init__(self, postings: PlainPostings, places: np.ndarray) -> None:
        self._postings, self._places = postings, places
        self._starts = np.cumsum(postings.tf) - postings.tf

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the tf of a term in documents that contain it, given by rising number, and its positions there."""
        start, stop = self._postings.offsets[term : term + 2].tolist()
        rows = start + rows_of(docs, self._postings.docs[start:stop])
        tf = self._postings.tf[rows]
        return tf, self._places[places_of(self._starts[rows], tf)]
