"""Consistency checks of the content of an index: checksums show only that the files are unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from toysearch.index.file_layout import Arrays
from toysearch.index.postings import Counts
from toysearch.index.strings import Pieces

_BLOCK = 1 << 22  # postings checked at a time
_CONTINUES = 0xC0, 0x80  # the two highest bits of a byte of UTF-8 that does not begin a character
_STRINGS = ("doc_ids", "terms", "titles", "texts", "fields", "value_names")


def postings_problem(arrays: Arrays) -> str:
    """The problem that would lead compiled loops out of their arrays, where document numbers are positions; else ""."""
    offsets, n_documents = np.asarray(arrays["offsets"], dtype=np.int64), arrays["dl"].size
    if (np.diff(offsets) < 1).any():
        return "its offsets do not rise"
    for first, last in _blocks(offsets):
        docs = arrays["docs"][int(offsets[first]) : int(offsets[last])]
        rises = np.diff(docs) > 0
        rises[offsets[first + 1 : last] - offsets[first] - 1] = True  # from one term to the next
        if docs.min() < 0 or docs.max() >= n_documents or not rises.all():
            return "the document numbers of a term do not rise or are out of range"
    for prefix in ("", "field_") if "fields" in arrays else ("",):
        if problem := _counts_problem(arrays, prefix):
            return problem
    return ""


def content_problem(arrays: Arrays) -> str:
    """A contradiction in an index, found by reading all of it; "" if there is none."""
    found = (_text_problem(arrays, name) for name in _STRINGS if name in arrays)
    problem = next(filter(None, found), "") or postings_problem(arrays) or _order_problem(arrays)
    return problem or _sums_problem(arrays) or _numbers_problem(arrays)


def _blocks(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of term numbers with about `_BLOCK` postings each."""
    first, n_terms = 0, offsets.size - 1
    while first < n_terms:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _BLOCK, side="right")) - 1)
        yield first, last
        first = last


def _counts_problem(arrays: Arrays, prefix: str) -> str:
    """The problem with the counts that do not fit in a byte, else ""."""
    tf, places, large = (arrays[f"{prefix}{name}"] for name in ("tf", "large_positions", "large_tf"))
    if not np.array_equal(np.flatnonzero(np.asarray(tf) == 255), places) or (np.asarray(large) < 255).any():
        return f"its {prefix}large_tf do not fit its {prefix}tf"
    return "" if prefix or np.asarray(tf).all() else "a term frequency is 0"


def _text_problem(arrays: Arrays, name: str) -> str:
    """The problem with the offsets or the UTF-8 of strings, else ""."""
    blob, offsets = arrays[name], np.asarray(arrays[f"{name}_offsets"], dtype=np.int64)
    if (np.diff(offsets) < 0).any():
        return f"its {name}_offsets fall"
    start = 0
    for piece in blob.arrays if isinstance(blob, Pieces) else [blob]:
        edges = offsets[(offsets > start) & (offsets < start + piece.size)] - start
        try:
            str(piece.data, "utf-8")
        except UnicodeDecodeError:
            return f"its {name} are not UTF-8"
        if (piece[edges] & _CONTINUES[0] == _CONTINUES[1]).any():
            return f"its {name}_offsets split a character"
        start += piece.size
    return ""


def _order_problem(arrays: Arrays) -> str:
    """The problem with the order of terms and document ids, else ""."""
    order = np.asarray(arrays["doc_ids_order"])
    if not np.array_equal(np.sort(order), np.arange(order.size)):
        return "its doc_ids_order does not name each document once"
    for name, places in (("terms", None), ("doc_ids", order)):
        data, offsets = arrays[name].tobytes(), np.asarray(arrays[f"{name}_offsets"]).tolist()
        strings = [data[start:stop] for start, stop in pairwise(offsets)]
        if places is not None:
            strings = [strings[place] for place in places.tolist()]
        if any(one >= other for one, other in pairwise(strings)):
            return f"its {name} are out of order, or one occurs twice"
    return ""


def _sums_problem(arrays: Arrays) -> str:
    """The problem with the statistics of terms and documents, else ""."""
    offsets, n_documents = np.asarray(arrays["offsets"], dtype=np.int64), arrays["dl"].size
    counts = Counts(*(np.asarray(arrays[name]) for name in ("tf", "large_positions", "large_tf")))
    cf = np.zeros(offsets.size - 1, np.int64)
    dl, distinct, max_tf = (np.zeros(n_documents, np.int64) for _ in range(3))
    for first, last in _blocks(offsets):
        start, stop = int(offsets[first]), int(offsets[last])
        docs, tf = arrays["docs"][start:stop], counts.span(start, stop)
        cf[first:last] = np.add.reduceat(tf, offsets[first:last] - start)
        distinct += np.bincount(docs, minlength=n_documents)
        np.add.at(dl, docs, tf)
        np.maximum.at(max_tf, docs, tf)
    found: dict[str, Any] = {"cf": cf, "dl": dl, "distinct": distinct, "max_tf": max_tf}
    for name, values in found.items():
        if not np.array_equal(arrays[name], values):
            return f"its {name} do not fit its postings"
    return ""


def _numbers_problem(arrays: Arrays) -> str:
    """The problem with the arrays beside the postings, else ""."""
    if (np.asarray(arrays["bytes"]) < 0).any():
        return "a document has a negative number of bytes"
    if "values" in arrays and np.isinf(arrays["values"]).any():
        return "a stored value is not finite"
    if "fields" not in arrays:
        return ""
    n_documents, n_postings = arrays["dl"].size, arrays["docs"].size
    counts = Counts(*(np.asarray(arrays[f"field_{name}"]) for name in ("tf", "large_positions", "large_tf")))
    for number, lengths in enumerate(np.asarray(arrays["field_dl"]).reshape(-1, n_documents)):
        dl = np.zeros(n_documents, np.int64)
        for start in range(0, n_postings, _BLOCK):
            stop = min(n_postings, start + _BLOCK)
            tf = counts.span(number * n_postings + start, number * n_postings + stop)
            np.add.at(dl, arrays["docs"][start:stop], tf)
        if not np.array_equal(lengths, dl):
            return "its field_dl do not fit its postings"
    return ""
