"""Files of a saved index: mapped into memory, verified, and listed.

Small files are verified when they are mapped, and large ones page by page when they are read.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.tokenizer import refuse_endless
from toysearch.base import StorageError, ToysearchError
from toysearch.base.errors import OtherFunction
from toysearch.index.checksums import CHANGED, PAGE, Paged, damaged, is_large, shown
from toysearch.index.file_layout import (
    IN_PARTS,
    MANIFEST,
    NO_PAGES,
    OF_FORMAT_4,
    PAGES,
    VALUES,
    array_problem,
    index_problem,
    is_sharded,
    label_of,
    manifest_of,
    opened,
    plain_size,
    read_manifest,
)
from toysearch.index.strings import strings_of

if TYPE_CHECKING:
    from toysearch.files.source import AnyPath

__all__ = ["index_files"]

ATTEMPTS = 10  # at files of an index that is replaced meanwhile
Described = Mapping[str, Any]
"""Size and checksum of a file in the manifest."""


Files = Mapping[str, Described]  # of the manifest: file → its size and checksum


opened_folders: set[str] = set()
"""Indexes that this process has opened."""


_SOME_TERMS = 20


def load(folder: AnyPath) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description saved with an index, and its arrays, those of large files mapped into memory."""
    # Sizes, types, lengths and small files are verified; `check_index` verifies every byte.
    for _ in range(ATTEMPTS):
        manifest = read_manifest(folder)
        opened_folders.add(os.fspath(folder))
        try:
            by_label: dict[str, list[Any]] = {}
            pages = page_checksums(folder, manifest["files"])
            for file, described in manifest["files"].items():
                label = label_of(file)
                if label is None:
                    raise damaged(manifest_of(folder), f"it names a file '{file}', which no index of this format has")
                if label == PAGES:
                    continue
                if label in by_label and label not in IN_PARTS:
                    raise damaged(manifest_of(folder), f"it names two files of {label}")
                path = os.path.join(folder, file)
                array: Any = map_array(path, described, pages.get(file))
                by_label.setdefault(label, []).append(array)
                if problem := array_problem(label, array, manifest["counts"]):
                    raise damaged(path, problem)
            arrays = opened(by_label)
            if "value_kinds" not in arrays and not arrays.keys().isdisjoint(VALUES | OF_FORMAT_4):
                from toysearch.index.stored_values import of_format_4  # most indexes keep no values, or are newer

                arrays = of_format_4(arrays)
            if problem := index_problem(arrays):
                raise StorageError(wrong_content(folder, problem))
            return manifest, arrays
        except FileNotFoundError as error:
            # The index may have been replaced since its manifest was read: read the new one.
            missing = error.filename
    raise StorageError(f"{shown(missing)} is missing; build the index again")


def analyzer_of(description: Mapping[str, Any], folder: AnyPath) -> Analyzer:
    """Return the analyzer that a manifest describes; refuse a pattern of tokens that may never end."""
    try:
        analyzer = Analyzer.from_dict(description["analyzer"])
        refuse_endless(description["analyzer"]["tokens"])
        return analyzer
    except OtherFunction as error:
        raise StorageError(f"the index in {shown(folder)} {error}") from None
    except ToysearchError as error:
        problem = f"its analyzer cannot be restored ({error})"
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        problem = "its analyzer cannot be restored"
    raise damaged(manifest_of(folder), problem)


def without_words(analyzer: Analyzer, arrays: Mapping[str, Any]) -> str:
    """Return the problem of an analyzer that finds no word in the terms of its index, as no query would, else ""."""
    if analyzer.char_ngrams or not (isinstance(analyzer.tokens, str) and isinstance(analyzer.stem, str | None)):
        return ""  # such terms need not be words
    terms = strings_of(arrays, "terms")
    some = terms.take(np.linspace(0, len(terms) - 1, min(len(terms), _SOME_TERMS)).astype(int))
    has_words = not some or any(analyzer.tokenizer(term) for term in some)
    return "" if has_words else f"its analyzer finds no word in '{some[0]}', a term of the index"


def wrong_content(folder: AnyPath, problem: str) -> str:
    """Return the sentence about an index whose files are unchanged but contradict each other."""
    return f"the index in {shown(folder)} is damaged: {problem}; build it again"


def wrong_files(folder: AnyPath, files: Files) -> list[str]:
    """Return the problems of some files of an index, one sentence each."""
    problems = []
    for name, entry in files.items():
        path = os.path.join(folder, name)
        try:
            plain_size(path)
            with open(path, "rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
            if checksum != entry["sha256"]:
                raise damaged(path, CHANGED)
        except OSError as error:
            problems.append(f"{shown(path)} cannot be read: {error.strerror}; build the index again")
        except StorageError as error:
            problems.append(str(error))
    return problems


def index_files(folder: AnyPath) -> dict[str, int]:
    """Return the size in bytes of each file of a saved index by name, the manifest last.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.

    Raises
    ------
    StorageError
        If there is no index, or its manifest is damaged or newer.
    """
    if is_sharded(folder):
        from toysearch.rings import ring  # most indexes are whole

        sizes: dict[str, int] = ring("files of shards").files_of_shards(folder)
    else:
        sizes = {name: described["bytes"] for name, described in read_manifest(folder)["files"].items()}
    return {**sizes, MANIFEST: os.path.getsize(manifest_of(folder))}


_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<size>..)"
    rb"\{'descr': '(?P<kind>[<|][iuf][1248])', 'fortran_order': False, 'shape': \((?P<length>\d{1,18}),\), \} *\n",
    re.DOTALL,
)


_LONGEST_HEADER = 1024  # bytes


def page_checksums(folder: AnyPath, files: Files) -> dict[str, np.ndarray]:
    """Read the checksums of the pages of each large file."""
    sizes = {file: described["bytes"] for file, described in files.items()}
    page_files = [file for file in files if label_of(file) == PAGES]
    n = {file: -(-size // PAGE) for file, size in sizes.items() if is_large(size) and file not in page_files}
    if len(page_files) != bool(n):
        raise damaged(manifest_of(folder), f"it names {len(page_files)} files of {PAGES}, not {int(bool(n))}")
    if not page_files:
        return {}
    path, total = os.path.join(folder, page_files[0]), sum(n.values())
    if sizes[page_files[0]] > total * NO_PAGES.itemsize + _LONGEST_HEADER:
        raise damaged(path, f"it is too large for {total} pages")
    sums = np.asarray(map_array(path, files[page_files[0]], None))
    if sums.dtype != NO_PAGES.dtype or sums.size != total:
        raise damaged(path, f"it has {sums.size} checksums of type {sums.dtype.str}, not {total} of <u4")
    return dict(zip(n, np.split(sums, np.cumsum([*n.values()])[:-1]), strict=True))


def map_array(path: AnyPath, described: Described, pages: np.ndarray | None) -> np.ndarray | Paged:
    """Map an array from its file; without checksums of pages, read and verify all of the file."""
    # The header is read here, because the numpy reader is slow and sometimes fails in two threads at once, like the
    # parser of literals in Python 3.11.
    actual_size, size = plain_size(path), described["bytes"]
    if actual_size != size:
        raise damaged(path, f"it has {actual_size} bytes, not {size}")
    with open(path, "rb") as file:
        content: Any = file.read() if pages is None else mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    if pages is None and hashlib.sha256(content).hexdigest() != described["sha256"]:
        raise damaged(path, CHANGED)
    header = _HEADER.match(content, 0, _LONGEST_HEADER)
    if header is None:
        raise damaged(path, "its header was not written by toysearch")
    offset, length = header.end(), int(header["length"])
    kind = np.dtype(header["kind"].decode())
    if int.from_bytes(header["size"], "little") != offset - 10 or offset + length * kind.itemsize != size:
        raise damaged(path, "its header does not fit its length")
    if pages is not None:
        return Paged(path, content, offset, kind, pages)
    return np.frombuffer(content, kind, length, offset)
