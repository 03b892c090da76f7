"""What an index consists of: its arrays, their types and lengths, and the names of their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

Arrays = Mapping[str, np.ndarray]
Counts = Mapping[str, int]

HASH_LENGTH = 16  # hexadecimal digits of the checksum in a file's name


class Layout(NamedTuple):
    """What is fixed about an array: its type, and its length as a function of the counts (None: any length)."""

    dtype: str
    length: Callable[[Counts], int] | None = None


def _documents(counts: Counts) -> int:
    return counts["documents"]


def _postings(counts: Counts) -> int:
    return counts["postings"]


def _strings(name: str, count: str) -> dict[str, Layout]:
    return {name: Layout("|u1"), f"{name}_offsets": Layout("<i8", lambda counts: counts[count] + 1)}


def _names(name: str) -> dict[str, Layout]:
    return {name: Layout("|u1"), f"{name}_offsets": Layout("<i8")}


STORED_TEXT = _strings("titles", "documents") | _strings("texts", "documents")
"""The arrays that only an index with stored text has."""

FIELDS = _names("fields") | {
    "field_tf": Layout("|u1"),
    "field_large_positions": Layout("<i8"),
    "field_large_tf": Layout("<i8"),
    "field_dl": Layout("<i4"),
}
"""The arrays that only an index has whose fields are counted apart."""

VALUES = _names("value_names") | {"values": Layout("<f8")}
"""The arrays that only an index with numbers of its documents has."""

WEIGHTS = _names("weight_names") | {"weights": Layout("<f8")}
"""The arrays that only an index has in which a model's weights are stored."""

_GROUPS = (STORED_TEXT, FIELDS, VALUES, WEIGHTS)
_ROWS = {
    "field_tf": ("fields", "postings"),
    "field_dl": ("fields", "documents"),
    "values": ("value_names", "documents"),
    "weights": ("weight_names", "postings"),
}

LAYOUT = {
    **_strings("doc_ids", "documents"),
    "doc_ids_order": Layout("<i4", _documents),
    "dl": Layout("<i4", _documents),
    "distinct": Layout("<i4", _documents),
    "max_tf": Layout("<i4", _documents),
    "bytes": Layout("<i8", _documents),
    **_strings("terms", "terms"),
    "cf": Layout("<i8", lambda counts: counts["terms"]),
    "offsets": Layout("<i8", lambda counts: counts["terms"] + 1),
    "docs": Layout("<i4", _postings),
    "tf": Layout("|u1", _postings),
    "large_positions": Layout("<i8"),
    "large_tf": Layout("<i8"),
    **STORED_TEXT,
    **FIELDS,
    **VALUES,
    **WEIGHTS,
}
"""All arrays of an index by name; docs/index-format.md says what each holds."""

_STRINGS = ("doc_ids", "terms", "titles", "texts", "fields", "value_names", "weight_names")
_OFFSETS_OF = {"offsets": "docs"} | {f"{name}_offsets": name for name in _STRINGS}
_FILE_NAME = re.compile(rf"({'|'.join(LAYOUT)})-[0-9a-f]{{{HASH_LENGTH}}}\.npy")


def file_name(array: str, checksum: str) -> str:
    """The name of the file of an array whose content has this checksum.

    Examples
    --------
    >>> file_name("docs", "0123456789abcdef0123")
    'docs-0123456789abcdef.npy'
    """
    return f"{array}-{checksum[:HASH_LENGTH]}.npy"


def array_of(name: str) -> str | None:
    """The array that a file of this name holds, None if no file of an index is called so.

    Examples
    --------
    >>> array_of("docs-0123456789abcdef.npy"), array_of("docs.npy")
    ('docs', None)
    """
    match = _FILE_NAME.fullmatch(name)
    return match[1] if match else None


def counts_of(arrays: Arrays) -> dict[str, int]:
    """The numbers of documents, terms and postings, which give the lengths of all other arrays."""
    return {"documents": arrays["dl"].size, "terms": arrays["cf"].size, "postings": arrays["docs"].size}


def array_problem(name: str, values: np.ndarray, counts: Counts) -> str:
    """What is wrong about the type or the length of an array, "" if nothing is."""
    layout = LAYOUT[name]
    if values.dtype.str != layout.dtype:
        return f"its values are of type {values.dtype.str}, not {layout.dtype}"
    length = layout.length(counts) if layout.length else values.size
    if values.shape != (length,):
        return f"its shape is {values.shape}, not {(length,)}"
    return ""


def index_problem(arrays: Arrays) -> str:
    """What is wrong about the arrays as a whole, "" if nothing is."""
    missing = set(LAYOUT) - set(arrays)
    for group in _GROUPS:
        if missing.issuperset(group):
            missing -= set(group)
    if missing:
        return f"it has no {min(missing)}"
    for offsets, values in _OFFSETS_OF.items():
        if offsets in arrays and (arrays[offsets][0] != 0 or arrays[offsets][-1] != arrays[values].size):
            return f"its {offsets} do not fit its {values}"
    for name, (rows, columns) in _ROWS.items():
        if name in arrays and arrays[name].size != (arrays[f"{rows}_offsets"].size - 1) * counts_of(arrays)[columns]:
            return f"its {name} do not fit its {rows}"
    for prefix in ("", "field_"):
        positions, large = f"{prefix}large_positions", f"{prefix}large_tf"
        if positions in arrays and arrays[positions].size != arrays[large].size:
            return f"its {positions} do not fit its {large}"
    return ""
