"""Many strings in two arrays: their concatenated UTF-8 bytes, and the offset of each."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from toysearch import loops
from toysearch.base import ArgumentError, JoinedText, StorageError, a, counted
from toysearch.base.plain_or_compiled import compiled
from toysearch.index.checksums import Paged

if TYPE_CHECKING:
    from toysearch.base import Utf8
    from toysearch.index.letter_sets import LetterSets

FULL = 1 << 26
"""Bytes from which on a string may end a part; one of twice that size ends in any case."""

_ENDS = 256  # a string ends a part if its length leaves 1 when divided by this


class Pieces:
    """Bytes of strings in several arrays, in sequence; no string spans two arrays.

    It can take the place of an array in `Strings`, and has the attributes that are needed there.
    """

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.arrays: list[Any] = list(arrays)  # ndarrays, or `Paged` ones
        self._starts = [0, *accumulate(piece.size for piece in arrays)]
        self.size = self._starts.pop()

    @property
    def data(self) -> Pieces:
        """Source of slices of bytes: this object."""
        return self

    def __getitem__(self, where: slice) -> Any:
        piece = bisect_right(self._starts, where.start) - 1
        start = self._starts[piece]
        return self.arrays[piece].data[where.start - start : where.stop - start]

    def tobytes(self) -> bytes:
        """Return all bytes."""
        return b"".join(piece.tobytes() for piece in self.arrays)

    def span(self, start: int, stop: int) -> np.ndarray:
        """Return the bytes from start up to stop, without copying if they are in one array."""
        inside = self.within(start, stop).arrays
        return np.asarray(inside[0]) if len(inside) == 1 else np.concatenate(inside)

    def within(self, start: int, stop: int) -> Pieces:
        """Return the pieces from start up to stop, without copying."""
        inside = []
        for first, piece in zip(self._starts, self.arrays, strict=True):
            if start <= first and first + piece.size <= stop:
                inside.append(piece)
            elif first < stop and start < first + piece.size:
                edges = max(start - first, 0), min(stop - first, piece.size)
                inside.append(piece.part(*edges) if isinstance(piece, Paged) else piece[slice(*edges)])
        return pieces_of(*inside)


Blob = np.ndarray | Paged | Pieces


def pieces_of(*blobs: Blob) -> Pieces:
    """Join several sequences of bytes as one, without copying."""
    arrays = chain.from_iterable(blob.arrays if isinstance(blob, Pieces) else [blob] for blob in blobs)
    return Pieces([piece for piece in arrays if piece.size] or [np.empty(0, np.uint8)])


def parts(blob: Blob, offsets: np.ndarray) -> list[Blob]:
    """Divide the bytes of strings into parts, uncopied; at least one."""
    # offsets: (n + 1,) int, where each string begins, and where the last ends.
    offsets = np.asarray(offsets, np.int64)
    edges, size = [0], int(offsets[-1])
    while end := end_of_part(offsets, edges[-1]):
        edges.append(end)
    if edges[-1] < size or not size:
        edges.append(size)
    pieces = pieces_of(blob)
    cut = [pieces.within(start, stop) for start, stop in pairwise(edges)]
    return [part.arrays[0] if len(part.arrays) == 1 else part for part in cut]


def end_of_part(offsets: np.ndarray, start: int, size: int = 0) -> int:
    """Return where a part ends that has `size` bytes before the byte `start` of some strings; 0 if it goes on."""
    # A string more or fewer rarely moves this end, and then not the later ones: other parts stay as they are.
    begins = start - size
    first, last = np.searchsorted(offsets, [max(begins + FULL, start + 1), begins + 2 * FULL]).tolist()
    ending = np.flatnonzero(np.diff(offsets[first - 1 : last + 1]) % _ENDS == 1)
    last = first + int(ending[0]) if ending.size else last
    return int(offsets[last]) if last < len(offsets) else 0


_FEW = 64  # up to this many strings are decoded one by one


class Strings(Sequence[str]):
    """Immutable sequence of strings stored in two arrays, in memory or mapped from a file.

    offsets: (n + 1,) int32 or int64; string i is ``blob[offsets[i]:offsets[i + 1]]``; or `Starts`.
    """

    def __init__(self, blob: Blob, offsets: Any) -> None:
        self.blob: Any = blob
        self._starts: Any = offsets
        self._buffer = blob.data
        self._all: list[str] | None = None

    @classmethod
    def of(cls, strings: Iterable[str], surrogates: str = "strict") -> Strings:
        """Store strings; surrogates: how lone ones are encoded, as `str.encode` takes it; by default none is."""
        from toysearch.base import Utf8  # an opened index has its strings

        return cls(*Utf8.of([text.encode(errors=surrogates) for text in strings]))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """Return the two arrays, under their names in an index."""
        return {name: self.blob, f"{name}_offsets": self.offsets}

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each string begins, and where the last ends."""
        return np.asarray(self._starts)

    def __len__(self) -> int:
        return int(self._starts.size) - 1

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self[:3]))
        return f"<{counted(len(self), 'string')}{': ' if first else ''}{first}{', …' if len(self) > 3 else ''}>"

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> list[str]: ...
    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return self.take(range(*position.indices(len(self))))
        number = range(len(self))[position]  # negative positions and IndexError as in a list
        return self._decoded([self.raw(number)])[0]

    def raw(self, number: int) -> bytes:
        """Return the UTF-8 bytes of one string (0 ≤ number < len)."""
        return bytes(self._buffer[self.offsets[number] : self.offsets[number + 1]])

    def take(self, numbers: Iterable[int] | np.ndarray) -> list[str]:
        """Return the strings at many positions (each 0 ≤ number < len), in the given order."""
        # All strings are decoded and cached once a single call asks for many of them.
        listed = numbers if isinstance(numbers, np.ndarray) else list(numbers)
        places, text = np.asarray(listed, np.int64), self._buffer
        if self._all is None and len(places) > _FEW and len(places) > len(self) // 4:
            data = self.blob.tobytes()
            self._all = self._decoded(data[start:stop] for start, stop in pairwise(self.offsets.tolist()))
        if self._all is not None:
            return [self._all[number] for number in places.tolist()]
        if self.table is not None:
            try:
                texts: list[str] = self.table.take(places)
                return texts
            except UnicodeDecodeError:
                raise not_utf8() from None
        starts, stops = self.offsets[places], self.offsets[places + 1]
        if isinstance(text, Paged):  # verified together, which is faster
            text.verify(starts, stops)
            text = text.unverified.data
        if isinstance(text, Pieces) and places.size and np.array_equal(starts[1:], stops[:-1]):  # side by side
            first, last = int(starts[0]), int(stops[-1])
            text, starts, stops = text.span(first, last).data, starts - first, stops - first
        return self._decoded(text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True))

    def equal(self, numbers: np.ndarray, texts: Sequence[str]) -> list[bool]:
        """Tell for each of some positions, at least one, whether the string there is a text."""
        if (np.diff(numbers) == 1).all():  # side by side: their bytes are compared at once
            given = [text.encode("utf-8", "surrogatepass") for text in texts]
            offsets = self.offsets[numbers[0] : numbers[-1] + 2]
            own = pieces_of(self.blob).span(int(offsets[0]), int(offsets[-1]))
            if np.diff(offsets).tolist() == [*map(len, given)] and own.tobytes() == b"".join(given):
                return [True] * len(given)
        return [text == other for text, other in zip(self.take(numbers), texts, strict=True)]

    @staticmethod
    def _decoded(parts: Iterable[Any]) -> list[str]:
        try:
            return [str(part, "utf-8") for part in parts]
        except UnicodeDecodeError:
            raise not_utf8() from None

    @cached_property
    def table(self) -> loops.StringTable | None:
        """Strings as compiled loops read them; None without these, or if the bytes are in several arrays."""
        if isinstance(self.blob, Pieces) or not compiled():
            return None
        starts = self._starts
        columns = [np.asarray(starts, np.int64)] if isinstance(starts, np.ndarray) else starts.compact
        return loops.StringTable(self.blob, *columns)

    @cached_property
    def letters(self) -> LetterSets:
        """Letters of each string."""
        from toysearch.index.letter_sets import LetterSets  # most searches take words as they are

        return LetterSets.of(self.text, np.asarray(self.offsets))

    @cached_property
    def by_length(self) -> loops.NearStrings:
        """Strings as compiled loops look for near ones."""
        return loops.NearStrings(self.text, np.asarray(self.offsets, np.int64), *self.letters)

    @property
    def text(self) -> np.ndarray:
        """Bytes of all strings in one array."""
        return self.blob.span(0, self.blob.size) if isinstance(self.blob, Pieces) else np.asarray(self.blob)

    def find(self, string: str, order: np.ndarray | None = None) -> int:
        """Find the position of a string by binary search, -1 if it is absent."""
        # order: (len(self),) int, the positions in the order of their UTF-8 bytes; None if the strings are sorted.
        if not isinstance(string, str):
            raise ArgumentError(f"a term or an id is a text, not {a(string)}")
        raw = string.encode(errors="surrogatepass")
        numbers: Sequence[int] | np.ndarray = range(len(self)) if order is None else order
        if order is None and self.table is not None:
            return int(self.table.find(raw))
        if self._all is None:
            place = bisect_left(numbers, raw, key=self.raw)
        else:  # characters have the order of their UTF-8 bytes
            place = bisect_left(numbers, string, key=self._all.__getitem__)
        if place == len(self):
            return -1
        number = int(numbers[place])
        return number if self.raw(number) == raw else -1

    def starting_with(self, beginning: str) -> range:
        """Find the positions of the strings that start with a text, if all are sorted by their UTF-8 bytes.

        >>> Strings.of(["ca", "cat", "catch", "dog"]).starting_with("cat")
        range(1, 3)
        """
        start = beginning.encode(errors="surrogatepass")
        first = bisect_left(range(len(self)), start, key=self.raw)
        return range(
            first, bisect_left(range(len(self)), True, first, key=lambda place: self.raw(place)[: len(start)] > start)
        )

    def holding(self, part: str) -> np.ndarray:
        """Find the ascending positions of the strings that contain a text."""
        pattern = re.escape(part.encode(errors="surrogatepass"))
        places = [match.start() for match in re.finditer(pattern, self.blob.tobytes())]
        return np.unique(np.searchsorted(self.offsets, places, side="right") - 1)


class SearchedTexts(Strings):
    r"""Searched texts of documents, with their borders.

    >>> SearchedTexts.of(["The red lamp\x1fharbour"])[0].borders
    (13,)
    """

    def take(self, numbers: Iterable[int] | np.ndarray) -> list[str]:
        """Return the texts at many positions."""
        return [*map(JoinedText.of, super().take(numbers))]

    @staticmethod
    def _decoded(parts: Iterable[Any]) -> list[str]:
        return [*map(JoinedText.of, Strings._decoded(parts))]


def not_utf8() -> StorageError:
    """Return the error for strings of a damaged index that are not UTF-8."""
    return StorageError(
        "the index is damaged: some of its text is not UTF-8; toysearch check DIR shows the damaged files"
    )


def strings_in_one(each: Sequence[Strings]) -> Strings:
    """Join all strings of several sequences."""
    ends = np.cumsum([0, *(strings.blob.size for strings in each)])
    offsets = [strings.offsets[:-1] + start for strings, start in zip(each, ends[:-1], strict=True)]
    return Strings(np.concatenate([strings.blob for strings in each]), np.concatenate([*offsets, ends[-1:]]))


def strings_of(arrays: Mapping[str, Any], name: str, kind: type[Strings] = Strings) -> Strings:
    """Return the strings of two arrays."""
    blob, offsets = arrays[name], arrays[f"{name}_offsets"]
    if offsets[-1] != blob.size:
        raise StorageError(f"the index is damaged: its {name}_lengths do not fit its {name}; build it again")
    return kind(blob, offsets)


def order_of(arrays: Mapping[str, Any]) -> np.ndarray:
    """Return the document numbers in the order of their ids; refuse one that is not a document."""
    order = np.asarray(arrays["doc_ids_order"])
    if order.size and not (int(order.min()) >= 0 and int(order.max()) < order.size):
        raise StorageError("the index is damaged: its doc_ids_order has a number beyond its documents; build it again")
    return order


class Positions(dict[str, int]):
    """Positions of sorted strings, each looked up once and then cached; -1 for any other string."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, string: str) -> int:
        position = self._strings.find(string)
        if position >= 0:  # absent strings would only fill the memory
            self[string] = position
        return position

    def of_each(self, strings: list[str]) -> list[int]:
        """Look up the positions of strings, one by one."""
        table = self._strings.table
        return [self[string] for string in strings] if table is None else table.positions(strings, self)


class Picked(NamedTuple):
    """Strings at some positions, decoded on demand."""

    strings: Strings  # all of them
    numbers: np.ndarray  # (n,) int64; the positions

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Decode some of the picked strings."""
        return self.strings.take(self.numbers[rows])

    def numbers_of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the position of each text, int64; −1 for one that is not picked."""
        is_picked = np.zeros(len(self.strings), bool)
        is_picked[self.numbers] = True
        numbers = np.flatnonzero(is_picked)
        known = dict(zip(self.strings.take(numbers), numbers.tolist(), strict=True))
        return np.array([known.get(text, -1) for text in texts], np.int64)


class GrowingStrings:
    """Collector of strings in the two arrays of `Strings`, without keeping them as objects."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self._lengths = bytearray(8)  # int64; the leading 0 is the start of the first string

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""
        self._blob += strings.blob.data
        self._lengths += np.diff(strings.offsets).tobytes()

    def finish(self) -> Strings:
        """Return all strings added; nothing can be added afterwards."""
        offsets = np.frombuffer(self._lengths, np.int64)
        return Strings(np.frombuffer(self._blob, np.uint8), np.cumsum(offsets, out=offsets))


_BYTES = 7  # bytes of a string in a key
_ALL = 8  # if there is one wanted string per so many, the keys of all are made at once
_LEFT = np.uint64(0xFF)  # the lowest byte of a key: how many bytes were left


class Places(NamedTuple):
    """Places of wanted strings among sorted strings: how many come before each, and whether it is one of them."""

    before: np.ndarray
    found: np.ndarray


def places(strings: Strings, order: np.ndarray, wanted: Strings) -> Places:
    """Find where each wanted string belongs among sorted strings.

    >>> found = places(Strings.of(["cat", "dog"]), np.arange(2), Strings.of(["dog", "catfish", ""]))
    >>> found.before.tolist(), found.found.tolist()
    ([1, 1, 0], [True, False, False])
    """
    # order: (len(strings),) int, the positions of the strings in the order of their UTF-8 bytes.
    ours, theirs = Keys(strings), Keys(wanted)
    low = np.zeros(len(wanted), np.int64)
    high = np.full(len(wanted), len(strings), np.int64)
    undecided, depth = np.arange(len(wanted)), 0
    while undecided.size:
        # The candidates for a wanted string equal it so far; keep those with the same next bytes.
        keys = _keys(theirs, undecided, depth)
        if depth == 0 and len(wanted) * _ALL > len(strings):  # keys of all strings, for numpy's own, fast search
            every = _keys(ours, order, 0)
            start, stop = np.searchsorted(every, keys), np.searchsorted(every, keys, side="right")
        else:
            start = _narrowed(ours, order, depth, keys, low[undecided], high[undecided])
            stop = _narrowed(ours, order, depth, keys + np.uint64(1), start, high[undecided])
        low[undecided], high[undecided] = start, stop
        ended = keys & _LEFT <= _BYTES
        undecided = undecided[(start < stop) & ~ended]
        depth += 1
    return Places(low, low < high)


def _narrowed(
    strings: Keys, order: np.ndarray, depth: int, keys: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Find, for each key, the first place from low up to high where the key at this depth is not less than it."""
    low, high = low.copy(), high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        less = _keys(strings, order[middle], depth) < keys[open_]
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
    return low


def _keys(strings: Keys, numbers: np.ndarray, depth: int) -> np.ndarray:
    """Read seven bytes of each string as a number with the same order: the first seven at depth 0, then the next."""
    # The lowest byte is the number of bytes left, at most eight, so that a prefix comes before a longer string.
    depth *= _BYTES
    keys = strings.at(numbers, depth) & ~_LEFT
    keys |= strings.left(numbers, depth).astype(np.uint64)
    return keys


KEY_BYTES = 8  # bytes of a string in a key
_FIRST = np.array([(1 << 64) - (1 << 8 * (KEY_BYTES - n)) for n in range(KEY_BYTES + 1)], np.uint64)
"""Mask that keeps the bytes left of a key, by their number."""

_BEGINNING = np.uint64(48)  # the lower bits of a key, after the first two bytes
_AT_ONCE = 1 << 15  # strings that are sorted at a time, more if they begin with the same two bytes
_COLUMNS = 3  # keys per string; strings with equal keys are compared as a whole


def byte_order(strings: Strings) -> np.ndarray:
    """Sort the positions of strings by their UTF-8 bytes, equal ones in the given order; int64."""
    lengths, keys, most = np.diff(strings.offsets), Keys(strings), KEY_BYTES * _COLUMNS
    depths = range(0, min(int(lengths.max(initial=0)), most), KEY_BYTES)
    # A key has zeros after the end of its string. A string with zero bytes there is longer: lengths decide.
    lengths = np.minimum(lengths, most + 1).astype(np.uint8)
    beginnings = (keys.at(np.arange(len(strings)), 0) >> _BEGINNING).astype(np.uint16)
    order = np.argsort(beginnings, kind="stable")
    changes = np.flatnonzero(np.diff(beginnings[order])) + 1
    cuts = changes[np.diff(changes // _AT_ONCE, prepend=0) > 0]
    for part in np.split(order, cuts):  # in parts, between which Ctrl-C is answered
        columns = [keys.at(part, depth) for depth in reversed(depths)]
        part[:] = part[np.lexsort([lengths[part], *columns])]
    longer = lengths[order] > most
    if not longer.any():
        return order
    alike = longer[1:] & longer[:-1]
    for depth in depths:
        alike &= np.diff(keys.at(order, depth)) == 0
    # Runs of longer strings with equal keys.
    edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]]).astype(np.int8)))
    for start, stop in edges.reshape(-1, 2).tolist():
        order[start : stop + 1] = sorted(order[start : stop + 1].tolist(), key=strings.raw)
    return order


def repeated(strings: Strings, order: np.ndarray) -> np.ndarray:
    """Tell for each sorted string whether it equals the one before it; bool, the first is False."""
    equal, lengths, keys = np.zeros(len(order), bool), np.diff(strings.offsets), Keys(strings)
    for first in range(1, len(order), _AT_ONCE):
        places, depth = np.arange(first, min(first + _AT_ONCE, len(order))), 0
        places = places[lengths[order[places]] == lengths[order[places - 1]]]
        while places.size:
            ended = lengths[order[places]] <= depth
            equal[places[ended]] = True
            places = places[~ended]
            same = keys.at(order[places], depth) == keys.at(order[places - 1], depth)
            places, depth = places[same], depth + KEY_BYTES
    return equal


class Keys:
    """Strings as numbers, eight bytes at a time."""

    def __init__(self, strings: Strings) -> None:
        self._offsets, self._size = strings.offsets, strings.blob.size
        padded = np.concatenate([strings.blob, np.zeros(KEY_BYTES, np.uint8)])
        # The eight bytes from every place on, as big-endian numbers.
        self._eights = np.ndarray((self._size + 1,), dtype=">u8", buffer=padded.data, strides=(1,))

    def left(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """Return the number of bytes of each string from a depth on, 0 to 8; int64."""
        starts = self._offsets[numbers].astype(np.int64) + depth
        lengths: np.ndarray = np.clip(self._offsets[numbers + 1] - starts, 0, KEY_BYTES)
        return lengths

    def at(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """Read eight bytes of each string from a depth on as a number, with zeros after its end; uint64."""
        keys = np.empty(len(numbers), np.uint64)
        for first in range(0, len(numbers), _AT_ONCE):  # in parts, whose arrays stay in the processor's cache
            some = numbers[first : first + _AT_ONCE]
            starts = self._offsets[some].astype(np.int64) + depth
            eights = self._eights[np.minimum(starts, self._size)].astype(np.uint64)
            keys[first : first + _AT_ONCE] = eights & _FIRST[self.left(some, depth)]
        return keys
