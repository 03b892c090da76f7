"""Checks of a saved index: of its files, then of their content, for unchanged files may contradict each other."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base import StorageError, count_each, gather_at, reduce_at, repeat_each
from toysearch.index.file_layout import MANIFEST, Arrays, is_sharded, read_manifest, widened
from toysearch.index.latent_topics import NOT_FINITE
from toysearch.index.listed_files import wrong_files
from toysearch.index.opened_files import ATTEMPTS, analyzer_of, load, opened_folders, without_words, wrong_content
from toysearch.index.position_blocks import PositionBlocks, gaps_of
from toysearch.index.posting_blocks import BLOCK, PostingBlocks, ends_in_zeros, packed, starts_of_groups
from toysearch.index.postings import NO_NUMBERS, Counts, offsets_of, ranges_of
from toysearch.index.stored_values import numbers_problem, values_problem
from toysearch.index.strings import Pieces
from toysearch.rings import ring

__all__ = ["check_index"]


def damage_of(folder: str | Path) -> str:
    """Read all files of an index, and return a sentence if they are damaged, else ""."""
    return f"the index in {folder} is damaged; toysearch check {folder} shows where" if check_index(folder) else ""


def damage_of_opened() -> str:
    """Return the damage of an index that this process has opened, else "": a possible cause of an error.

    >>> damage_of_opened()
    ''
    """
    return next(filter(None, map(damage_of, sorted(map(Path, opened_folders)))), "")


def check_index(folder: str | Path) -> list[str]:
    """Return the problems of a saved index, one sentence each, found by reading every byte; empty if there are none.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.

    Raises
    ------
    StorageError
        If the folder does not exist or has no manifest.

    Examples
    --------
    >>> import tempfile
    >>> from toysearch.index.inverted_index import Index
    >>> folder = tempfile.mkdtemp()
    >>> Index.build(["a cat", "a dog"]).save(folder)
    >>> check_index(folder)
    []
    """
    folder = Path(folder)
    if is_sharded(folder):
        of_shards: list[str] = ring("shards").problems_of_shards(folder)
        return of_shards
    if not os.path.lexists(folder / MANIFEST):
        read_manifest(folder)
    problems = []
    for _ in range(ATTEMPTS):
        try:
            manifest = read_manifest(folder)
            problems = wrong_files(folder, manifest["files"])
            if not problems:
                analyzer, (_, arrays) = analyzer_of(manifest, folder), load(folder)
                problem = without_words(analyzer, arrays) or content_problem(arrays)
                return [wrong_content(folder, problem)] if problem else []
            if manifest == read_manifest(folder):  # else the index was replaced meanwhile
                return problems
        except StorageError as error:
            return [str(error)]
    return problems


_POSTINGS = 1 << 22  # checked at a time


_CONTINUES = 0xC0, 0x80  # the two highest bits of a byte of UTF-8 that does not begin a character


_STRINGS = ("doc_ids", "terms", "titles", "texts", "fields", "value_names", "value_texts")


def content_problem(arrays: Arrays) -> str:
    """Read the whole index, and return a contradiction in it, else ""."""
    groups = getattr(arrays["offsets"], "groups", None)
    arrays = widened(arrays)
    texts = (partial(_text_problem, name=name) for name in _STRINGS if name in arrays)
    checks: tuple[Callable[[Arrays], str], ...] = (
        *texts,
        _order_problem,
        partial(_sums_problem, groups=groups),
        _numbers_problem,
        _positions_problem,
    )
    return next(filter(None, (check(arrays) for check in checks)), "")


def _text_problem(arrays: Arrays, name: str) -> str:
    blob, offsets = arrays[name], np.asarray(arrays[f"{name}_offsets"], np.int64)
    if (np.diff(offsets) < 0).any():
        return f"its {name}_lengths are below 0"
    if offsets[-1] != blob.size:
        return f"its {name}_lengths do not fit its {name}"
    start = 0
    for piece in blob.arrays if isinstance(blob, Pieces) else [blob]:
        edges = offsets[(offsets > start) & (offsets < start + piece.size)] - start
        try:
            str(np.asarray(piece).data, "utf-8")
        except UnicodeDecodeError:
            return f"its {name} are not UTF-8"
        if (np.asarray(piece)[edges] & _CONTINUES[0] == _CONTINUES[1]).any():
            return f"its {name}_lengths split a character"
        start += piece.size
    return ""


def _order_problem(arrays: Arrays) -> str:
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


def _sums_problem(arrays: Arrays, groups: np.ndarray | None) -> str:
    offsets, n_documents = arrays["offsets"], arrays["dl"].size
    blocks = PostingBlocks(arrays, offsets)
    whole = blocks.terms.whole
    if not ends_in_zeros(blocks.words, whole.bits):
        return "its postings do not end with the last block"
    cf = np.zeros(offsets.size - 1, np.int64)
    dl, distinct, max_tf = (np.zeros(n_documents, np.int64) for _ in range(3))
    of_blocks = whole.columns.gap_bits, whole.columns.highest_tf
    if groups is not None and not np.array_equal(groups, starts_of_groups(offsets, *of_blocks)):
        return "its groups do not fit its postings"
    for first, last in ranges_of(whole.offsets, _POSTINGS):
        docs, tf = blocks.of_terms(np.arange(first, last))
        expected = packed(docs, Counts.of(tf), offsets[first : last + 1] - offsets[first], arrays["dl"])
        rows = slice(*whole.first_blocks[[first, last]].tolist())
        for name in ("gap_bits", "highest_tf", "last_docs", "least_dl"):
            if not np.array_equal(expected[name], arrays[name][rows]):
                return f"its {name} do not fit its postings"
        cf[first:last] = reduce_at(np.add, tf, offsets[first:last] - offsets[first])
        distinct += count_each(docs, minlength=n_documents)
        gather_at(np.add, dl, docs, tf)
        gather_at(np.maximum, max_tf, docs, tf)
    sums: dict[str, Any] = {"cf": cf, "dl": dl, "distinct": distinct, "max_tf": max_tf}
    for name, values in sums.items():
        if not np.array_equal(arrays[name], values):
            return f"its {name} do not fit its postings"
    return ""


def _numbers_problem(arrays: Arrays) -> str:
    if (np.asarray(arrays["bytes"]) < 0).any():
        return "a document has a negative number of bytes"
    if problem := values_problem(arrays) or numbers_problem(arrays):
        return problem
    if any(not np.isfinite(arrays[name]).all() for name in ("latent_documents", "latent_terms") if name in arrays):
        return NOT_FINITE
    if "fields" not in arrays:
        return ""
    n_documents, n_postings = arrays["dl"].size, int(arrays["offsets"][-1])
    docs = PostingBlocks(arrays, arrays["offsets"]).span().docs
    lengths = arrays["field_dl"].reshape(-1, n_documents)
    if arrays["field_tf"].size != len(lengths) * n_postings:
        return "its field_tf do not fit its postings"
    for field_dl, tf in zip(lengths, arrays["field_tf"].reshape(len(lengths), -1), strict=True):
        expected = np.zeros(n_documents, np.int64)
        gather_at(np.add, expected, docs, tf)
        if not np.array_equal(field_dl, expected):
            return "its field_dl do not fit its postings"
    return ""


def _positions_problem(arrays: Arrays) -> str:
    if "positions" not in arrays:
        return ""
    postings = PostingBlocks(arrays, arrays["offsets"])
    columns = postings.terms.whole.columns
    blocks, n_blocks, step = PositionBlocks(arrays, postings), columns.counts.size, _POSTINGS // BLOCK
    if not ends_in_zeros(blocks.words, int(blocks.offsets[-1])):
        return "its positions do not end with the last block"
    starts, T = offsets_of(blocks.n_places), int(arrays["dl"].sum(dtype=np.int64))
    if int(blocks.offsets[-1]) < T:
        return "its positions are fewer than its tokens"
    dense = int(starts[-1]) <= 8 * T  # one byte per place takes no more memory than one int64 per token
    occupied, numbers = np.zeros(starts[-1] if dense else 0, bool), [NO_NUMBERS]
    n_places = np.zeros_like(blocks.n_places)
    for first in range(0, n_blocks, step):
        last = min(first + step, n_blocks)
        (docs, tf), places = blocks.decoded(first, last)
        rows = offsets_of(columns.counts[first:last])
        several = columns.highest_tf[first:last] > 1
        if (gaps_of(places, tf, rows)[1][several] != blocks.block_bits[first:last][several]).any():
            return "its position_bits do not fit its positions"
        np.maximum.at(n_places, docs, places[np.cumsum(tf) - 1] + np.int32(1))
        at = repeat_each(starts[docs], tf) + places
        if dense:
            occupied[at] = True
        else:
            numbers.append(at)
    if not np.array_equal(n_places, blocks.n_places):
        return "its holes do not fit its positions"
    if (np.count_nonzero(occupied) if dense else np.unique(np.concatenate(numbers)).size) != T:
        return "its positions put two terms in one place"
    return ""
