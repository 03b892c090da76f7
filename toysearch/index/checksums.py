"""The checksums of an index: of each array as a file, and of all of them together."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from toysearch.index.chunked_bytes import Pieces
from toysearch.index.file_layout import Arrays, Values, counts_of, file_name, stored
from toysearch.index.manifest import seal, sealed

_CHUNK = 1 << 20  # values


def array_chunks(values: Values) -> Iterator[Any]:
    """An array in numpy's file format: the header, and the numbers some at a time, to be used one after the other."""
    arrays = values.arrays if isinstance(values, Pieces) else [values]
    header = io.BytesIO()
    shape = {"descr": arrays[0].dtype.str, "fortran_order": False, "shape": (values.size,)}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    for array in arrays:
        for start in range(0, array.size, _CHUNK):
            yield np.ascontiguousarray(array[start : start + _CHUNK]).view(np.uint8).data


def array_entry(
    label: str, values: Values, write: Callable[[Any], object] = lambda chunk: None
) -> tuple[str, dict[str, Any]]:
    """The name of an array's file, and its entry in the manifest."""
    digest, size = hashlib.sha256(), 0
    for chunk in array_chunks(values):
        digest.update(chunk)
        write(chunk)
        size += len(chunk)
    checksum = digest.hexdigest()
    return file_name(label, checksum), {"bytes": size, "sha256": checksum}


def index_checksum(description: Mapping[str, Any], arrays: Arrays) -> str:
    """The checksum that ends the manifest of an index once it is saved; nothing is written."""
    labelled = (each for name in arrays for each in stored(name, arrays))
    files = dict(array_entry(label, values) for label, values in labelled)
    return seal(sealed({**description, "counts": counts_of(arrays)}, files))
