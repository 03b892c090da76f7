"""Many texts in a few arrays: UTF-8 bytes one after the other, as the compiled loops read and compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, groupby, islice, pairwise
from operator import itemgetter
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from toysearch.base.groups import repeat_each
from toysearch.base.plain_or_compiled import compiled


class Utf8(NamedTuple):
    """Texts as UTF-8, one after the other.

    >>> both = Utf8.of([b"a cat", "ein Rüde".encode()])
    >>> both.texts(), Utf8.joined([both, both]).offsets.tolist()
    (['a cat', 'ein Rüde'], [0, 5, 14, 19, 28])
    """

    blob: np.ndarray  # the bytes of all texts
    offsets: np.ndarray  # (n + 1,) int64; text i is ``blob[offsets[i]:offsets[i + 1]]``; the first begins at 0

    @classmethod
    def of(cls, raws: Sequence[bytes]) -> Utf8:
        """Join texts in UTF-8."""
        offsets = np.zeros(len(raws) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, raws), dtype=np.int64, count=len(raws)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(raws), dtype=np.uint8), offsets)

    @classmethod
    def joined(cls, several: Sequence[Utf8]) -> Utf8:
        """Join the texts of one or more objects; those of a single object are not copied."""
        if len(several) == 1:
            return several[0]
        lengths = np.concatenate([[0], *(np.diff(strings.offsets) for strings in several)])
        return cls(np.concatenate([strings.blob for strings in several]), np.cumsum(lengths))

    def raws(self) -> list[bytes]:
        """Return each text by itself, in UTF-8."""
        data = self.blob.tobytes()
        return [data[start:stop] for start, stop in pairwise(self.offsets.tolist())]

    def texts(self) -> list[str]:
        """Return each text by itself."""
        return [raw.decode() for raw in self.raws()]


WORD = 8
"""Bytes in a number of 64 bits."""

_LARGER, _LITTLE = 4, 1 << 16  # times; bytes
_FACTOR, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def too_wide(n_ids: int, width: int, n_bytes: int) -> bool:
    """True if ids of a number of words each take much more space than a number of bytes."""
    return WORD * n_ids * width > _LARGER * n_bytes + _LITTLE


@runtime_checkable
class Texts(Protocol):
    """Column of ids, which may be decoded into texts only on access."""

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Return the ids of some rows."""


@runtime_checkable
class Numbered(Protocol):
    """Column of ids that stand for numbers, such as those of documents."""

    numbers: np.ndarray  # (n,) int64, at least 0

    def numbers_of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the number of each text, int64; −1 for one that is not in the column."""


class Listed(list[str]):
    """Column of ids that are texts already.

    >>> Listed(["cat", "dog", "parrot"]).at(np.array([2, 0]))
    ['parrot', 'cat']
    """

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Return the ids of some rows."""
        return self[rows] if isinstance(rows, slice) else [self[row] for row in rows.tolist()]


class Identifiers(NamedTuple):
    """Ids as UTF-8 bytes, eight per number, so that many are compared at once.

    >>> ids = Identifiers.of(["cat", "Straße", "photosynthesis"])
    >>> ids.words.shape, ids.at(slice(0, 2))
    ((3, 2), ['cat', 'Straße'])
    """

    words: np.ndarray  # (n, width) uint64, the first character in the lowest byte, 0 beyond the end of an id

    @classmethod
    def of(cls, texts: Sequence[str]) -> Identifiers | None:
        """Encode ids; None if one contains a null character, or if a few long ones would take most of the space."""
        return cls.of_utf8([text.encode(errors="surrogatepass") for text in texts])

    @classmethod
    def of_utf8(cls, raw: Sequence[bytes]) -> Identifiers | None:
        """Put encoded ids into words; None as above."""
        width = max(1, -(-max(map(len, raw), default=1) // WORD))
        whole = b"".join(raw)
        if b"\0" in whole or too_wide(len(raw), width, len(whole)):
            return None
        return cls(np.array(raw, dtype=f"S{WORD * width}").view("<u8").astype(np.uint64).reshape(-1, width))

    @classmethod
    def joined(cls, several: Sequence[Identifiers]) -> Identifiers:
        """Join the ids of several objects, one after the other."""
        width = max(ids.words.shape[1] for ids in several)
        return cls(np.concatenate([ids.widened(width).words for ids in several]))

    def widened(self, width: int) -> Identifiers:
        """Give the same ids room for at least as many words."""
        more = width - self.words.shape[1]
        return Identifiers(np.pad(self.words, ((0, 0), (0, more)))) if more > 0 else self

    def in_groups(self, groups: np.ndarray) -> np.ndarray:
        """Hash each id with its group; uint64."""
        hashes = groups.astype(np.uint64)
        hashes *= _STEP
        hashes += self.words[:, 0]
        for column in self.words.T[1:]:
            hashes ^= hashes >> np.uint64(32)
            hashes *= _FACTOR
            hashes += column
        hashes *= _FACTOR
        hashes ^= hashes >> np.uint64(32)
        hashes *= _FACTOR
        return hashes

    def found_in(self, others: GroupedIds, groups: np.ndarray) -> np.ndarray | None:
        """Find each id's position among others of the same group, −1 if absent, by a compiled loop.

        None without compiled loops, and for two with equal hashes: then their texts are looked up.
        """
        # groups: (n,) int64, the group of each id; −1 for an id of none.
        if not compiled():
            return None
        from toysearch.compiled.id_hashes import find

        width = others.ids.words.shape[1]
        wide = self.widened(width).words
        may_be = np.flatnonzero((groups >= 0) & ~wide[:, width:].any(axis=1))  # no longer than any of the others
        ids, groups = Identifiers(np.ascontiguousarray(wide[may_be, :width])), groups[may_be]
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        bounds, found = np.append(firsts, groups.size), np.full(groups.size, -1)
        of_others = others.hashes, others.ids.words, others.offsets
        if not find(ids.in_groups(groups), ids.words, bounds, groups[firsts], *of_others, found):
            return None
        places = np.full(len(wide), -1)
        places[may_be] = found
        return places

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Decode some of the ids."""
        chosen = np.ascontiguousarray(self.words[rows], dtype="<u8")
        raw = chosen.view(f"S{WORD * chosen.shape[1]}").ravel().tolist()
        return b"\0".join(raw).decode(errors="surrogatepass").split("\0") if raw else []


class GroupedIds(NamedTuple):
    """Ids group by group, with a hash of each."""

    ids: Identifiers
    offsets: np.ndarray  # (n_groups + 1,) int64; where each group begins
    hashes: np.ndarray  # (n,) uint64; of each id and the number of its group

    @classmethod
    def of(cls, ids: Identifiers, offsets: np.ndarray) -> GroupedIds:
        """Hash ids in their groups."""
        return cls(ids, offsets, ids.in_groups(repeat_each(np.arange(len(offsets) - 1), np.diff(offsets))))

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Decode some of the ids."""
        return self.ids.at(rows)

    def repeated(self) -> bool:
        """True if two ids of a group are equal, or at least have equal hashes."""
        if compiled():
            from toysearch.compiled.id_hashes import repeated

            return bool(repeated(self.hashes, self.offsets))
        rising = np.sort(self.hashes)
        return bool((rising[1:] == rising[:-1]).any())


class DictKeys(NamedTuple):
    """Keys of dicts, one dict after the other, which are read only on access."""

    groups: Sequence[Mapping[str, float]]
    offsets: np.ndarray  # (len(groups) + 1,) int64; where the keys of each begin

    def at(self, rows: np.ndarray | slice) -> list[str]:
        """Return the keys at some positions, in the order of the dicts."""
        if isinstance(rows, slice):
            first, last = np.searchsorted(self.offsets, (rows.start, rows.stop), side="right").tolist()
            skipped = int(self.offsets[first - 1])
            keys_of_some = chain.from_iterable(self.groups[first - 1 : last])
            return list(islice(keys_of_some, rows.start - skipped, rows.stop - skipped))
        texts: list[str] = []
        owners = np.searchsorted(self.offsets, rows, side="right") - 1
        for owner, same in groupby(zip(owners.tolist(), rows.tolist(), strict=True), key=itemgetter(0)):
            keys, before = list(self.groups[owner]), int(self.offsets[owner])
            texts += [keys[row - before] for _, row in same]
        return texts
