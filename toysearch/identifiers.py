"""Many ids in a few arrays: what the compiled loops compare, made into texts only where someone looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np


class Identifiers(NamedTuple):
    """Ids as their UTF-8 bytes, one after the other.

    >>> blob = np.frombuffer("catStraße".encode(), np.uint8)
    >>> ids = Identifiers(blob, np.array([0, 3, 10]), np.zeros(2, np.uint32))
    >>> ids.texts(0, 2)
    ['cat', 'Straße']
    """

    blob: np.ndarray  # the bytes of all ids
    offsets: np.ndarray  # (n + 1,) int64; id i is ``blob[offsets[i]:offsets[i + 1]]``
    # (n,) uint32; a number of each, the same for the same id: those whose numbers differ need not be compared
    hashes: np.ndarray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Identifiers:
        """The ids given; a lone surrogate, which no file can hold, stays one."""
        from toysearch.compiled.utf8 import hash_ids

        raw = [text.encode(errors="surrogatepass") for text in texts]
        offsets = np.zeros(len(raw) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, raw), np.int64, len(raw)), out=offsets[1:])
        blob = np.frombuffer(bytearray().join(raw), dtype=np.uint8)
        ids = cls(blob, offsets, np.empty(len(raw), dtype=np.uint32))
        hash_ids(*ids)
        return ids

    def texts(self, start: int, stop: int) -> list[str]:
        """The ids from start up to stop, as texts."""
        first, *_ = bounds = self.offsets[start : stop + 1].tolist()
        data = self.blob[first : bounds[-1]].tobytes()
        cut: Iterator[tuple[int, int]] = pairwise(bounds)
        if data.isascii():  # as most are: one text is made for all, and cut
            text = data.decode("ascii")
            return [text[begin - first : end - first] for begin, end in cut]
        return [data[begin - first : end - first].decode(errors="surrogatepass") for begin, end in cut]
