"""Files of an index as they are written: their content, their checksums, and their entries in the manifest."""

from __future__ import annotations

import hashlib
import io
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from toysearch.index.checksums import PAGE, is_large
from toysearch.index.file_layout import (
    GROUPS,
    HASH_LENGTH,
    IN_PARTS,
    LARGE,
    LAYOUT,
    NO_PAGES,
    PAGES,
    STORED,
    Arrays,
    counts_of,
    lengths_of,
    seal,
    sealed,
)
from toysearch.index.posting_blocks import starts_of_groups
from toysearch.index.postings import Counts
from toysearch.index.strings import Blob, Pieces, parts


class Checksums:
    """Checksums of a file that is being written.

    >>> sums = Checksums()
    >>> sums.update(b"a" * 5000)
    >>> sums.update(b"cat")
    >>> sums.size, sums.sha256[:8], sums.pages.tolist() == [crc32(b"a" * 4096), crc32(b"a" * 904 + b"cat")]
    (5003, '6f85f505', True)
    """

    def __init__(self) -> None:
        self.size = 0
        self._whole = hashlib.sha256()
        self._pages = array("L")

    def update(self, chunk: Any) -> None:
        """Add the next bytes."""
        self._whole.update(chunk)
        data = memoryview(chunk)
        begun = min(-self.size % PAGE, len(data))  # the rest of a page
        if begun:
            self._pages[-1] = crc32(data[:begun], self._pages[-1])
        self._pages.extend(crc32(data[start : start + PAGE]) for start in range(begun, len(data), PAGE))
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """Checksum of the file, in hexadecimal digits."""
        return self._whole.hexdigest()

    @property
    def pages(self) -> np.ndarray:
        """CRC-32 of each page; uint32."""
        return np.array(self._pages, "<u4")


def stored(name: str, arrays: Arrays) -> Iterator[tuple[str, Blob]]:
    """Yield the files of an array: their labels, and their content in the types of files."""
    values, layout = arrays[name], LAYOUT[name]
    if name in IN_PARTS:
        for number, part in enumerate(parts(values, np.asarray(arrays[f"{name}_offsets"]))):
            yield f"{name}-{number}", part
    elif name == "holes" and not np.asarray(values).any():
        yield name, np.empty(0, STORED[0])
    elif layout.whole:
        label = layout.label or name
        yield from _narrowest(label, lengths_of(arrays, name) if name.endswith("offsets") else values)
        if name == "offsets":
            yield GROUPS, starts_of_groups(np.asarray(values), arrays["gap_bits"], arrays["highest_tf"]).ravel()
    elif name == "doc_ids_order" and np.array_equal(values, np.arange(values.size)):
        yield name, np.empty(0, layout.dtype)
    else:
        yield name, np.ascontiguousarray(values, layout.dtype)


def _narrowest(label: str, values: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield whole numbers in the narrowest type, or, if that is smaller, as bytes and an array of the large ones."""
    if isinstance(values, Counts) and not values.large.size:
        values = values.small
    numbers = np.asarray(values)
    most = int(numbers.max(initial=0))
    dtype = np.dtype(next(kind for kind in STORED if np.iinfo(kind).max >= most))
    counts = values if isinstance(values, Counts) else Counts.of(numbers)
    if numbers.size * (dtype.itemsize - 1) > 8 * counts.large.size:
        yield label, np.ascontiguousarray(counts.small)
        yield label + LARGE, np.ascontiguousarray(counts.large, "<i8")
    else:
        yield label, np.ascontiguousarray(numbers, dtype)


_CHUNK = 1 << 20  # values


def array_chunks(values: Blob) -> Iterator[Any]:
    """Yield an array in the numpy file format: the header, then the numbers in chunks."""
    arrays = values.arrays if isinstance(values, Pieces) else [values]
    header = io.BytesIO()
    shape = {"descr": arrays[0].dtype.str, "fortran_order": False, "shape": (values.size,)}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    for piece in arrays:
        for start in range(0, piece.size, _CHUNK):
            yield np.ascontiguousarray(piece[start : start + _CHUNK]).view(np.uint8).data


class Entry(NamedTuple):
    """File of an index: its name, what the manifest says of it, and the checksums of its pages if it is large."""

    name: str
    described: Mapping[str, Any]
    pages: np.ndarray  # uint32

    @classmethod
    def of(cls, label: str, sums: Checksums) -> Entry:
        """Make the entry of a file with these checksums, of an array or of a part of it, such as texts-0."""
        described = {"bytes": sums.size, "sha256": sums.sha256}
        name = f"{label}-{sums.sha256[:HASH_LENGTH]}.npy"
        return cls(name, described, sums.pages if is_large(sums.size) else NO_PAGES)


def array_entry(label: str, values: Blob, write: Callable[[Any], object] = lambda chunk: None) -> Entry:
    """Write the content of an array, and return the entry of its file."""
    sums = Checksums()
    for chunk in array_chunks(values):
        sums.update(chunk)
        write(chunk)
    return Entry.of(label, sums)


def entries_with_pages(entries: Iterable[Entry], made: Callable[[str, np.ndarray], Entry]) -> dict[str, Any]:
    """Return the manifest's entries of files, and that of a file with the checksums of all pages, if there are any."""
    every = list(entries)
    pages = np.concatenate([NO_PAGES, *(entry.pages for entry in every)])
    if pages.size:
        every.append(made(PAGES, pages))
    return {entry.name: entry.described for entry in every}


def index_checksum(description: Mapping[str, Any], arrays: Arrays) -> str:
    """Compute the checksum that would end the manifest of the index if it were saved; nothing is written."""
    labelled = (labelled_array for name in arrays for labelled_array in stored(name, arrays))
    files = entries_with_pages((array_entry(label, values) for label, values in labelled), array_entry)
    return seal(sealed({**description, "counts": counts_of(arrays)}, files))
