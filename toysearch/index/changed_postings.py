"""Postings of an index that loses some documents and gains others: only blocks that differ are packed again.

A block differs if a posting leaves it or joins it, if it comes after such a block of its term, or if a document leaves
or comes between its documents, as one gap changes then. All other blocks are copied as bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import count_each, repeat_each
from toysearch.index.file_layout import Arrays
from toysearch.index.plain_postings import PlainArrays, term_postings
from toysearch.index.position_blocks import PositionBlocks, joined_positions, positions_in_blocks
from toysearch.index.posting_blocks import WORD, bit_lengths, copy_bits, cut_in_blocks, packed
from toysearch.index.postings import LARGE_COUNT, Counts, offsets_of, places_of
from toysearch.index.strings import Places

_AT_ONCE = 1 << 19  # postings or blocks


class Change(NamedTuple):
    """Documents that leave an index, and the places where others come.

    >>> change = Change.of(3, np.array([0]), np.array([2, 3]))
    >>> change.numbers.tolist(), change.new_numbers.tolist()
    ([0, 0, 2], [1, 3])
    """

    gone: np.ndarray  # (n,) int64, rising
    at: np.ndarray  # (m,) int64, rising: the old document before which each new one comes, N after the last
    stays: np.ndarray  # (N,) bool
    numbers: np.ndarray  # (N,) int32: the new number of each old document; those that leave have that of a neighbour
    new_numbers: np.ndarray  # (m,) int32

    @classmethod
    def of(cls, N: int, gone: np.ndarray, at: np.ndarray) -> Change:
        """Number the documents anew."""
        stays = np.ones(N, dtype=bool)
        stays[gone] = False
        shift = np.zeros(N + 2, dtype=np.int32)
        np.add.at(shift, at, 1)
        shift[gone + 1] -= 1
        numbers = np.arange(N, dtype=np.int32) + np.cumsum(shift, dtype=np.int32)[:N]
        new_numbers = at - np.searchsorted(gone, at) + np.arange(at.size)
        return cls(gone, at, stays, numbers, new_numbers.astype(np.int32))

    def between(self, after: np.ndarray, last: np.ndarray) -> np.ndarray:
        """True for each two old documents if one leaves or comes after the first, up to the last."""
        events = np.zeros(self.stays.size + 2, dtype=np.int32)
        events[np.append(self.gone, self.at) + 1] = 1
        n_events = np.cumsum(events, dtype=np.int32)
        changes: np.ndarray = n_events[last + 1] != n_events[after + 1]
        return changes


def spliced(values: Any, gone: np.ndarray, at: np.ndarray, new: Any) -> Any:
    """Return numbers without those in some places, and with new ones before others; places are old ones, and rise.

    >>> spliced(np.array([5, 6, 7]), np.array([1]), np.array([2, 3]), np.array([8, 300])).tolist()
    [5, 8, 7, 300]
    """
    if isinstance(values, Counts):
        new = Counts.of(np.asarray(new))
        small = np.asarray(values.small)
        large_gone, large_at = gone[small[gone] == LARGE_COUNT], at[new.small == LARGE_COUNT]
        places = np.searchsorted(values.large_places, large_gone), np.searchsorted(values.large_places, large_at)
        return Counts(spliced(small, gone, at, new.small), spliced(values.large, *places, new.large))
    values, new = np.asarray(values), np.asarray(new)
    dtype = np.result_type(values, new)
    left = np.delete(values, gone) if gone.size else values
    return np.insert(left.astype(dtype, copy=False), at - np.searchsorted(gone, at), new)


class _NewPostings(NamedTuple):
    """Postings to insert, by stretch of the old blocks that they join, and then by document."""

    docs: np.ndarray  # new numbers; int32
    tf: np.ndarray
    places: np.ndarray | None
    stretches: np.ndarray

    def between(self, first: int, last: int) -> _NewPostings:
        """Return the postings of the stretches from first up to last."""
        a, b = np.searchsorted(self.stretches, [first, last]).tolist()
        places = self.places
        if places is not None:
            start = int(self.tf[:a].sum())
            places = places[start : start + int(self.tf[a:b].sum())]
        return _NewPostings(self.docs[a:b], self.tf[a:b], places, self.stretches[a:b] - first)


def _new_postings(arrays: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    blocks = term_postings(arrays)
    docs, tf = blocks.span()
    if "positions" not in arrays:
        return docs, tf, None
    if isinstance(arrays, PlainArrays):
        return docs, tf, arrays.plain["places"]
    return docs, tf, PositionBlocks(arrays, blocks.packed).decoded()[1]


class ChangedPostings:
    """Postings of an index after a change of its documents."""

    def __init__(self, first: Arrays, second: Arrays, terms: Places, change: Change) -> None:
        # terms: the place of each term of the second index among those of the first.
        self._first, self._second, self._change = first, second, change
        self._blocks = term_postings(first).packed
        self._positions = PositionBlocks(first, self._blocks) if "positions" in first else None
        self._whole, self._old = self._blocks.terms.whole, self._blocks.terms.whole.columns
        first_blocks, n_terms = self._whole.first_blocks, self._blocks.n_terms
        self._terms = repeat_each(np.arange(n_terms, dtype=np.int32), np.diff(first_blocks))  # of each block

        docs, tf, places = _new_postings(second)
        docs, df = change.new_numbers[docs], np.diff(np.asarray(second["offsets"], dtype=np.int64))
        known = repeat_each(terms.found, df)
        joined = self._joined(repeat_each(terms.before, df)[known], docs[known])
        touched = change.between(self._old.before, self._old.last_docs)
        left, left_tf = self._left(np.flatnonzero(touched))
        self._touch(touched, np.concatenate([left, joined]))
        if self._positions is not None:
            touched[:] = True  # no array says where the positions of a single block begin

        self.df = np.diff(self._whole.offsets) - count_each(self._terms[left], minlength=n_terms)
        self.cf = np.array(first["cf"], dtype=np.int64)
        np.subtract.at(self.cf, self._terms[left], left_tf)

        # Blocks are packed in stretches, each of one term. The stretch of a new term has no old blocks.
        begins = touched.copy()
        begins[1:] &= ~touched[:-1] | (np.diff(self._terms) > 0)
        starts, new = np.flatnonzero(begins), np.flatnonzero(~terms.found)
        new_starts = first_blocks[terms.before[new]]
        of_old = np.arange(starts.size) + np.searchsorted(new_starts, starts, side="right")
        of_new = np.arange(new.size) + np.searchsorted(starts, new_starts)
        self._starts, self._before = np.empty((2, starts.size + new.size), dtype=np.int64)
        self._starts[of_old], self._starts[of_new] = starts, new_starts
        before = self._old.before[starts]
        self._before[of_old], self._before[of_new] = np.where(before < 0, -1, change.numbers[before]), -1
        self._touched, self._copied = np.flatnonzero(touched), ~touched
        self._stretches = of_old[np.cumsum(begins[self._touched]) - 1]  # of each touched block
        self._ends = self._starts + count_each(self._stretches, minlength=self._starts.size)
        stretches = np.empty(docs.size, dtype=np.int64)
        stretches[known] = self._stretches[np.searchsorted(self._touched, joined)]
        stretches[~known] = repeat_each(of_new, df[new])
        self._new = _NewPostings(docs, tf, places, stretches)

    def _left(self, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the postings in blocks whose documents leave: the block of each, and its frequency."""
        found, frequencies = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for start in range(0, blocks.size if self._change.gone.size else 0, _AT_ONCE):
            some = blocks[start : start + _AT_ONCE]
            postings, where = self._blocks.among(self._old.at(some), self._change.gone)
            found.append(some[where])
            frequencies.append(postings.tf)
        return np.concatenate(found), np.concatenate(frequencies)

    def _joined(self, terms: np.ndarray, docs: np.ndarray) -> np.ndarray:
        """Find the block that each new posting of a known term joins."""
        if not docs.size:
            return np.empty(0, dtype=np.int64)
        blocks = np.searchsorted(_keys(self._terms, self._change.numbers[self._old.last_docs]), _keys(terms, docs))
        joined: np.ndarray = np.minimum(blocks, self._whole.first_blocks[terms + 1] - 1)
        return joined

    def _touch(self, touched: np.ndarray, changed: np.ndarray) -> None:
        """Touch all blocks of a term from the first one on that a posting leaves or joins."""
        changed = np.sort(changed)
        terms, places = np.unique(self._terms[changed], return_index=True)
        steps = np.zeros(touched.size + 1, dtype=np.int8)
        steps[changed[places]] += 1
        steps[self._whole.first_blocks[terms + 1]] -= 1
        touched |= np.cumsum(steps[:-1], dtype=np.int8) > 0

    def arrays(self, dl: np.ndarray, holes: np.ndarray) -> dict[str, Any]:
        """Pack the postings that differ, and join them with the others; dl, holes: of all documents."""
        parts = [self._packed(first, last, dl, holes) for first, last in self._ranges()]
        new = {name: np.concatenate([empty, *(part[name] for part in parts)]) for name, empty in _EMPTY.items()}
        at, nothing = offsets_of(self._copied)[new["starts"]], np.empty(0, dtype=np.int64)
        columns = {
            "gap_bits": self._old.gap_bits,
            "highest_tf": self._old.highest_tf,
            "last_docs": self._change.numbers[self._old.last_docs],
            "least_dl": np.asarray(self._first["least_dl"], dtype=np.int32),
        }
        for name, values in columns.items():
            columns[name] = spliced(values[self._copied], nothing, at, new[name])
        columns["postings"] = self._words(parts, new["bits"])
        if "field_tf" in self._first:
            n, size = self._first["fields_offsets"].size - 1, int(self._whole.offsets[-1])
            gone, before = (in_rows(new[name], n, size) for name in ("gone", "before"))
            columns["field_tf"] = spliced(self._first["field_tf"], gone, before, self._second["field_tf"])
        return columns if self._positions is None else columns | joined_positions(parts)

    def _words(self, parts: list[dict[str, np.ndarray]], sizes: np.ndarray) -> np.ndarray:
        """Join packed stretches of these numbers of bits, and what is between them."""
        edges = np.append(self._old.starts, self._whole.bits)
        starts, ends = edges[self._starts], edges[self._ends]
        shifts = offsets_of(sizes - (ends - starts))
        words = np.zeros(int(edges[-1] + shifts[-1]) // WORD + 2, dtype=np.uint64)
        copied = np.append(0, ends)
        old, lengths = np.asarray(self._first["postings"]), np.append(starts, edges[-1]) - copied
        copy_bits(old, copied, lengths, words, copied + shifts)
        positions = starts + shifts[:-1]
        for part in parts:
            n = part["bits"].size
            copy_bits(part["postings"], offsets_of(part["bits"])[:-1], part["bits"], words, positions[:n])
            positions = positions[n:]
        return words

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of stretches, each with some postings to pack."""
        n = self._starts.size
        sizes = count_each(self._stretches, self._old.counts[self._touched], minlength=n)
        ends = np.cumsum(sizes + count_each(self._new.stretches, minlength=n))
        edges = np.searchsorted(ends, np.arange(_AT_ONCE, ends[-1] if n else 0, _AT_ONCE))
        return pairwise(np.unique([0, *edges.tolist(), n]).tolist())

    def _packed(self, first: int, last: int, dl: np.ndarray, holes: np.ndarray) -> dict[str, np.ndarray]:
        """Pack the postings of some stretches; also say which old postings are gone, and where new ones come."""
        a, b = np.searchsorted(self._stretches, [first, last]).tolist()
        docs, tf, places = self._decoded(self._touched[a:b])
        stretches = repeat_each(self._stretches[a:b] - first, self._old.counts[self._touched[a:b]])
        new, starts, numbers = self._new.between(first, last), self._starts[first:last], self._change.numbers[docs]
        gone = np.flatnonzero(~self._change.stays[docs])
        at = np.searchsorted(_keys(stretches, numbers), _keys(new.stretches, new.docs))
        made: dict[str, np.ndarray] = {}
        if "field_tf" in self._first:
            first_rows = offsets_of(count_each(stretches, minlength=last - first))[:-1]
            shift = self._first_postings[starts] - first_rows
            made |= {"gone": gone + shift[stretches[gone]], "before": at + shift[new.stretches]}

        if places is not None:
            rows = offsets_of(tf)
            gone_places = places_of(rows[gone], tf[gone])
            places = spliced(places, gone_places, repeat_each(rows[at], new.tf), new.places)
        docs, counts = spliced(numbers, gone, at, new.docs), Counts.of(spliced(tf, gone, at, new.tf))
        df = count_each(spliced(stretches, gone, at, new.stretches), minlength=last - first)
        some = np.flatnonzero(df)
        offsets = offsets_of(df[some])
        made |= packed(docs, counts, offsets, dl, self._before[first:last][some])
        if places is not None:
            made |= positions_in_blocks(places, docs, counts, offsets, dl, holes)
        first_blocks, sizes = cut_in_blocks(offsets)
        sizes = sizes * (made["gap_bits"] + bit_lengths(made["highest_tf"] - 1))
        stretches = repeat_each(some, np.diff(first_blocks))
        made |= {"starts": starts[stretches], "bits": count_each(stretches, sizes, last - first).astype(np.int64)}
        return _EMPTY | made

    def _decoded(self, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        if self._positions is None or not blocks.size:
            return *self._blocks.of_columns(self._old.at(blocks)), None if self._positions is None else _NONE
        return self._positions.between(int(blocks[0]), int(blocks[-1]) + 1)

    @cached_property
    def _first_postings(self) -> np.ndarray:
        return offsets_of(self._old.counts)


_NONE = np.empty(0, dtype=np.int32)
_EMPTY: dict[str, np.ndarray] = {
    "gap_bits": np.empty(0, dtype=np.uint8),
    **dict.fromkeys(("highest_tf", "last_docs", "least_dl"), _NONE),
    **dict.fromkeys(("bits", "starts", "gone", "before"), np.empty(0, dtype=np.int64)),
}


def _keys(stretches: np.ndarray, docs: np.ndarray) -> np.ndarray:
    """Return numbers that rise by stretch, and then by document."""
    keys: np.ndarray = stretches.astype(np.int64) << 32 | docs
    return keys


def in_rows(places: np.ndarray, n: int, size: int) -> np.ndarray:
    """Return the same places in each of n rows of so many columns, one row after the other."""
    return np.concatenate([places + row * size for row in range(n)])
