"""Many strings in two arrays: their UTF-8 bytes one after the other, and where each begins."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np

from toysearch.encoded_texts import Utf8
from toysearch.errors import StorageError
from toysearch.index.chunked_bytes import Blob

_FEW = 64  # below this, decoding one by one is quicker than looking whether all of them are decoded


class Strings(Sequence[str]):
    """An immutable sequence of strings that lives in two arrays, in memory or mapped from a file.

    offsets: (n + 1,) int32 or int64; string i is ``blob[offsets[i]:offsets[i + 1]]``.
    """

    __slots__ = ("_all", "_buffer", "blob", "offsets")

    def __init__(self, blob: Blob, offsets: np.ndarray) -> None:
        self.blob: Any = blob
        self.offsets = offsets
        self._buffer = blob.data
        self._all: list[str] | None = None

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """The strings given, which must be encodable (no lone surrogates)."""
        return cls(*Utf8.of([*map(str.encode, strings)]))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """The two arrays, as an index calls them."""
        return {name: self.blob, f"{name}_offsets": self.offsets}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> list[str]: ...
    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return self.take(range(*position.indices(len(self))))
        number = range(len(self))[position]  # negative positions and IndexError as a list has them
        return self._decoded([self.raw(number)])[0]

    def raw(self, number: int) -> bytes:
        """The UTF-8 bytes of one string (0 ≤ number < len)."""
        return bytes(self._buffer[self.offsets[number] : self.offsets[number + 1]])

    def take(self, numbers: Iterable[int] | np.ndarray) -> list[str]:
        """The strings at many positions (each 0 ≤ number < len), in the order asked.

        All strings are decoded, and kept decoded, once a single call asks for a good part of them.
        """
        wanted = numbers.tolist() if isinstance(numbers, np.ndarray) else list(numbers)
        if self._all is None and len(wanted) > max(_FEW, len(self) // 4):
            data = self.blob.tobytes()
            self._all = self._decoded(data[start:stop] for start, stop in pairwise(self.offsets.tolist()))
        if self._all is not None:
            return [self._all[number] for number in wanted]
        places, text = np.asarray(wanted, dtype=np.int64), self._buffer
        starts, stops = self.offsets[places].tolist(), self.offsets[places + 1].tolist()
        return self._decoded(text[start:stop] for start, stop in zip(starts, stops, strict=True))

    @staticmethod
    def _decoded(parts: Iterable[Any]) -> list[str]:
        """Bytes as texts; those of a damaged index may be anything."""
        try:
            return [str(part, "utf-8") for part in parts]
        except UnicodeDecodeError:
            problem = "the index is damaged: some of its text is not UTF-8; toysearch check DIR tells where"
            raise StorageError(problem) from None

    def find(self, string: str, order: np.ndarray | None = None) -> int:
        """The position of a string by binary search, -1 if it is not there.

        order: (len(self),) int, the positions in the order of their UTF-8 bytes; None where the strings stand in it.
        """
        wanted = string.encode(errors="surrogatepass")
        numbers: Sequence[int] | np.ndarray = range(len(self)) if order is None else order
        place = bisect_left(numbers, wanted, key=self.raw)
        if place == len(self):
            return -1
        number = int(numbers[place])
        return number if self.raw(number) == wanted else -1

    def holding(self, part: str) -> np.ndarray:
        """The positions of the strings that a text is a part of, rising."""
        pattern = re.escape(part.encode(errors="surrogatepass"))
        places = [match.start() for match in re.finditer(pattern, self.blob.tobytes())]
        return np.unique(np.searchsorted(self.offsets, places, side="right") - 1)


class Positions(dict[str, int]):
    """The position of each of sorted strings, found when it is asked for and then remembered; -1 for any other text."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, string: str) -> int:
        position = self._strings.find(string)
        if position >= 0:  # what is not there would only fill the memory
            self[string] = position
        return position


class Picked(NamedTuple):
    """Strings at some positions, made into texts only where someone looks at them."""

    strings: Strings  # all of them
    numbers: np.ndarray  # (n,) int64; the positions

    def texts(self, start: int, stop: int) -> list[str]:
        """Those from one place up to another."""
        return self.strings.take(self.numbers[start:stop])


class GrowingStrings:
    """Collects strings one by one in the two arrays of `Strings`, without keeping them as objects."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self._lengths = array("q", [0])  # the first stands for where the first string begins

    def append(self, raw: bytes) -> None:
        """Add a string, as UTF-8."""
        self._blob += raw
        self._lengths.append(len(raw))

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""
        self._blob += strings.blob.data
        self._lengths.frombytes(np.diff(strings.offsets).tobytes())

    def finish(self) -> Strings:
        """All strings added; nothing can be added afterwards."""
        return Strings(np.frombuffer(self._blob, dtype=np.uint8), np.cumsum(self._lengths, dtype=np.int64))
