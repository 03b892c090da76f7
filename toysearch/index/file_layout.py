"""The arrays of an index: their types in memory and in files, their lengths, and their file names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.index.postings import MOST_IN_LOW, DocNumbers, Inserted, planes
from toysearch.index.strings import Blob, Pieces, parts

Arrays = Mapping[str, Any]
"""Arrays by name; in an opened index, `docs` is `DocNumbers`, and titles and texts may be `Pieces`."""

Values = Blob | Inserted
"""The content of a file."""

Counts = Mapping[str, int]

HASH_LENGTH = 16  # hexadecimal digits of the checksum in a file's name


_ANY_SIZE = ("|u1", "<u2", "<i4", "<i8")
_SIGNED = ("<i4", "<i8")


class Layout(NamedTuple):
    """The layout of an array."""

    dtype: str  # its type in memory
    length: Callable[[Counts], int] | None = None  # its length; None for any
    # its possible types in a file: the first that holds all values is used; empty for the type in memory
    stored: tuple[str, ...] = ()

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The allowed types in a file."""
        return self.stored or (self.dtype,)


def _documents(counts: Counts) -> int:
    return counts["documents"]


def _postings(counts: Counts) -> int:
    return counts["postings"]


def _strings(name: str, count: str) -> dict[str, Layout]:
    return {name: Layout("|u1"), f"{name}_offsets": Layout("<i8", lambda counts: counts[count] + 1, _SIGNED)}


def _names(name: str) -> dict[str, Layout]:
    return {name: Layout("|u1"), f"{name}_offsets": Layout("<i8")}


STORED_TEXT = _strings("titles", "documents") | _strings("texts", "documents")
"""The additional arrays of an index with stored text."""

FIELDS = _names("fields") | {
    "field_tf": Layout("|u1"),
    "field_large_positions": Layout("<i8"),
    "field_large_tf": Layout("<i8"),
    "field_dl": Layout("<i4"),
}
"""The additional arrays of an index with separate fields."""

VALUES = _names("value_names") | {"values": Layout("<f8")}
"""The additional arrays of an index with numbers of its documents."""

_GROUPS = (STORED_TEXT, FIELDS, VALUES)
_ROWS = {
    "field_tf": ("fields", "postings"),
    "field_dl": ("fields", "documents"),
    "values": ("value_names", "documents"),
}

LAYOUT = {
    **_strings("doc_ids", "documents"),
    "doc_ids_order": Layout("<i4", _documents),
    "dl": Layout("<i4", _documents, _ANY_SIZE[:3]),
    "distinct": Layout("<i4", _documents, _ANY_SIZE[:3]),
    "max_tf": Layout("<i4", _documents, _ANY_SIZE[:3]),
    "bytes": Layout("<i8", _documents, _ANY_SIZE),
    **_strings("terms", "terms"),
    "cf": Layout("<i8", lambda counts: counts["terms"], _ANY_SIZE),
    "offsets": Layout("<i8", lambda counts: counts["terms"] + 1, _ANY_SIZE),
    "docs_low": Layout("<u2", _postings),
    "docs_high": Layout("<u2", _postings, ("|u1", "<u2")),
    "tf": Layout("|u1", _postings),
    "large_positions": Layout("<i8"),
    "large_tf": Layout("<i8"),
    **STORED_TEXT,
    **FIELDS,
    **VALUES,
}
"""All arrays of a saved index by name; docs/look-up/index-format.md describes each."""

_STRINGS = ("doc_ids", "terms", "titles", "texts", "fields", "value_names")
_OFFSETS_OF = {"offsets": "docs"} | {f"{name}_offsets": name for name in _STRINGS}
IN_PARTS = ("titles", "texts")
_LABELS = [rf"{name}-\d+" if name in IN_PARTS else name for name in LAYOUT]
_CHECKSUM = rf"[0-9a-f]{{{HASH_LENGTH}}}"
_FILE_NAME = re.compile(rf"({'|'.join(_LABELS)})-{_CHECKSUM}\.npy")
_ANY_FILE_NAME = re.compile(rf"(?:{'|'.join(LAYOUT)}|docs)(?:-\d+)?-{_CHECKSUM}\.npy")


def file_name(label: str, checksum: str) -> str:
    """The file name of an array, or of a part of it, with this checksum.

    >>> file_name("tf", "0123456789abcdef0123"), file_name("texts-0", "0123456789abcdef0123")
    ('tf-0123456789abcdef.npy', 'texts-0-0123456789abcdef.npy')
    """
    return f"{label}-{checksum[:HASH_LENGTH]}.npy"


def array_of(name: str) -> str | None:
    """The array stored, completely or in part, in a file of this name; None if it is not a file of an index.

    >>> array_of("tf-0123456789abcdef.npy"), array_of("texts-3-0123456789abcdef.npy"), array_of("tf.npy")
    ('tf', 'texts', None)
    """
    match = _FILE_NAME.fullmatch(name)
    return match[1].partition("-")[0] if match else None


def is_data_file(name: str) -> bool:
    """Whether a file is named like an array of an index in this or an earlier format."""
    return _ANY_FILE_NAME.fullmatch(name) is not None


def stored(name: str, arrays: Arrays) -> Iterator[tuple[str, Values]]:
    """The file content of an array: labels for the file names, and arrays of file types."""
    values = arrays[name]
    if name == "docs":
        both = values.planes if isinstance(values, DocNumbers) else planes(values, arrays["dl"].size)
        yield from zip(("docs_low", "docs_high"), both, strict=False)
    elif name in IN_PARTS:
        for number, part in enumerate(parts(values, arrays[f"{name}_offsets"])):
            yield f"{name}-{number}", part
    elif isinstance(values, Inserted):
        yield name, values
    else:
        most = int(values.max(initial=0)) if LAYOUT[name].stored else 0
        dtype = next(dtype for dtype in LAYOUT[name].dtypes if not most or np.iinfo(dtype).max >= most)
        yield name, np.ascontiguousarray(values, dtype=dtype)


def opened(found: Mapping[str, Sequence[np.ndarray]]) -> dict[str, Any]:
    """The arrays of an index from those of its files."""
    arrays: dict[str, Any] = {}
    for name, values in found.items():
        if name == "docs_low":
            arrays["docs"] = DocNumbers(values[0], *found.get("docs_high", [])[:1])
        elif name != "docs_high":
            arrays[name] = values[0] if len(values) == 1 else Pieces(values)
    return arrays


def widened(arrays: Arrays, but: str = "") -> dict[str, Any]:
    """The arrays with their types in memory, for calculation; one is unchanged."""
    wide = {}
    for name, values in arrays.items():
        if name in (*IN_PARTS, but):
            wide[name] = values
        else:
            wide[name] = np.asarray(values, dtype="<i4" if name == "docs" else LAYOUT[name].dtype)
    return wide


def counts_of(arrays: Arrays) -> dict[str, int]:
    """The numbers of documents, terms and postings, which determine the lengths of all arrays."""
    return {"documents": arrays["dl"].size, "terms": arrays["cf"].size, "postings": arrays["docs"].size}


def array_problem(name: str, values: np.ndarray, counts: Counts) -> str:
    """The problem with the type or the length of an array, else ""."""
    layout = LAYOUT[name]
    if values.dtype.str not in layout.dtypes:
        return f"its values are of type {values.dtype.str}, not {' or '.join(layout.dtypes)}"
    length = layout.length(counts) if layout.length else values.size
    if values.shape != (length,):
        return f"its shape is {values.shape}, not {(length,)}"
    return ""


def index_problem(arrays: Arrays) -> str:
    """The problem with the arrays as a whole, else ""."""
    missing = {"docs", *LAYOUT} - {"docs_low", "docs_high"} - set(arrays)
    for group in _GROUPS:
        if missing.issuperset(group):
            missing -= set(group)
    if missing:
        return f"it has no {min(missing)}"
    if (arrays["docs"].high is None) != (arrays["dl"].size <= MOST_IN_LOW):
        return "its docs_high do not fit its documents"
    for offsets, values in _OFFSETS_OF.items():
        if offsets in arrays and (
            not arrays[offsets].size or arrays[offsets][0] != 0 or arrays[offsets][-1] != arrays[values].size
        ):
            return f"its {offsets} do not fit its {values}"
    for name, (rows, columns) in _ROWS.items():
        if name in arrays and arrays[name].size != (arrays[f"{rows}_offsets"].size - 1) * counts_of(arrays)[columns]:
            return f"its {name} do not fit its {rows}"
    for prefix in ("", "field_"):
        positions, large = f"{prefix}large_positions", f"{prefix}large_tf"
        if positions in arrays and arrays[positions].size != arrays[large].size:
            return f"its {positions} do not fit its {large}"
    return ""
