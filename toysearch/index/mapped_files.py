"""The files of arrays, mapped into memory: small ones are verified at once, and large ones page by page when read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.index.checksums import CHANGED, PAGE, Paged, damaged, is_large
from toysearch.index.file_layout import MANIFEST, NO_PAGES, PAGES, label_of, plain_size

Described = Mapping[str, Any]
"""What the manifest says of a file: its size and checksum."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<size>..)"
    rb"\{'descr': '(?P<kind>[<|][iuf][1248])', 'fortran_order': False, 'shape': \((?P<length>\d{1,18}),\), \} *\n",
    re.DOTALL,
)
_LONGEST_HEADER = 1024  # bytes


def page_checksums(folder: Path, files: Mapping[str, Described]) -> dict[str, np.ndarray]:
    """The checksums of the pages of each large file."""
    sizes = {file: described["bytes"] for file, described in files.items()}
    own = [file for file in files if label_of(file) == PAGES]
    n = {file: -(-size // PAGE) for file, size in sizes.items() if is_large(size) and file not in own}
    if len(own) != bool(n):
        raise damaged(folder / MANIFEST, f"it names {len(own)} files of {PAGES}, not {int(bool(n))}")
    if not own:
        return {}
    path, total = folder / own[0], sum(n.values())
    if sizes[own[0]] > total * NO_PAGES.itemsize + _LONGEST_HEADER:
        raise damaged(path, f"it is too large for {total} pages")
    found = np.asarray(map_array(path, files[own[0]], None))
    if found.dtype != NO_PAGES.dtype or found.size != total:
        raise damaged(path, f"it has {found.size} checksums of type {found.dtype.str}, not {total} of <u4")
    return dict(zip(n, np.split(found, np.cumsum([*n.values()])[:-1]), strict=True))


def map_array(path: Path, described: Described, pages: np.ndarray | None) -> np.ndarray | Paged:
    """An array mapped from its file; without checksums of pages, that of the file is verified."""
    # The header is read here, because the numpy reader is slow and sometimes fails in two threads at once, like the
    # parser of literals in Python 3.11.
    found, size = plain_size(path), described["bytes"]
    if found != size:
        raise damaged(path, f"it has {found} bytes, not {size}")
    with open(path, "rb") as file:
        start = file.read(_LONGEST_HEADER)
        if pages is None and hashlib.sha256(start + file.read()).hexdigest() != described["sha256"]:
            raise damaged(path, CHANGED)
    header = _HEADER.match(start)
    if header is None:
        raise damaged(path, "its header was not written by toysearch")
    offset, length = header.end(), int(header["length"])
    kind = np.dtype(header["kind"].decode())
    if int.from_bytes(header["size"], "little") != offset - 10 or offset + length * kind.itemsize != size:
        raise damaged(path, "its header does not fit its length")
    if pages is not None:
        return Paged(path, np.asarray(np.memmap(path, np.uint8, "r", 0, (size,))), offset, kind, pages)
    # A plain array over the same pages: slices of a memmap take longer to make.
    return np.asarray(np.memmap(path, kind, "r", offset, (length,)))
