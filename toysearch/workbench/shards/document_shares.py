"""Shares of the documents of a collection: consecutive ones, which workers read for themselves.

Files of JSON Lines are cut into ranges of bytes, so that a worker reads its own lines only. Of other files, a worker
reads all documents up to its last one, and takes its own.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, DataError
from toysearch.collection.collection import Collection
from toysearch.collection.document_batches import Batch
from toysearch.files import PARTS, parts_of
from toysearch.files.source import ByteRange

_TITLE = re.compile(f'"(?:{"|".join(PARTS["title"])})"'.encode(), re.IGNORECASE)


class Share(NamedTuple):
    """Consecutive documents of a collection."""

    # of the files, by their number; None: of all documents, those from first up to stop
    ranges: Mapping[int, ByteRange] | None
    first: int = 0
    stop: int = 0
    number: int = 0  # among the shares asked for, of which empty ones are left out
    size: int = 0  # the bytes of all files


def cut_in_shares(
    collection: Collection, n: int, have_late_titles: Callable[[list[Share]], Iterable[bool]] | None = None
) -> list[Share]:
    """Cut the documents of a collection into at most n shares of about the same size, each with at least one line.

    have_late_titles: `has_late_title` of each of some shares, as workers find it; by default they are read here.
    """
    if collection.reading is None or collection.read_from is None:
        raise not_in_files(collection)
    size, files = collection.reading.size, collection.reading.line_files()
    parts = [_first_parts(path) for path in files]
    if files and all({"id", "text"} <= first_parts for first_parts in parts):
        cut = _numbers([Share(ranges) if ranges else None for ranges in _by_bytes(files, n)], size)
        if all("title" in first_parts for first_parts in parts):
            return cut
        if not any(have_late_titles(cut) if have_late_titles else (has_late_title(collection, share) for share in cut)):
            return cut
    count = sum(1 for _ in collection.stream())
    edges = [count * number // n for number in range(n + 1)]
    return _numbers([Share(None, first, stop) if first < stop else None for first, stop in pairwise(edges)], size)


def not_in_files(collection: Collection) -> ArgumentError:
    """Return the error for a collection that workers cannot read."""
    return ArgumentError(
        f"the documents of '{collection.name}' are not in files, which workers could read; "
        "name a collection, a folder or a file"
    )


def _numbers(every: Sequence[Share | None], size: int) -> list[Share]:
    return [share._replace(number=number, size=size) for number, share in enumerate(every) if share]


def _first_parts(path: Path) -> set[str]:
    """Return the parts of a document that the first line names, if each line can then be read by itself.

    Without a title by its name, the cells of the first lines decide whether another key holds it.
    """
    with open(path, "rb") as file:
        try:
            item = json.loads(file.readline(1 << 20))
        except ValueError:  # gzipped, an array over several lines, or a problem that the reader describes
            return set()
    if not isinstance(item, dict):
        return set()
    parts = parts_of([*item])
    others = [key for key in item if key not in parts.values() and not isinstance(item[key], int | float)]
    return set(parts) if "title" in parts or not others else set()


def has_late_title(collection: Collection, share: Share) -> bool:
    """True if a share cut by bytes has a title in a file whose first line has none.

    The first title that occurs in a file decides which key holds the titles of all later documents.
    """
    assert collection.reading is not None
    files = collection.reading.line_files()
    for place, byte_range in (share.ranges or {}).items():
        if "title" not in _first_parts(files[place]):
            with open(files[place], "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if _TITLE.search(data, byte_range.start, byte_range.stop):
                    return True
    return False


def _by_bytes(files: Sequence[Path], n: int) -> list[dict[int, ByteRange]]:
    sizes = [path.stat().st_size for path in files]
    total = sum(sizes)
    ranges_of: list[dict[int, ByteRange]] = [{} for _ in range(n)]
    before = 0
    for place, (path, size) in enumerate(zip(files, sizes, strict=True)):
        with open(path, "rb") as file:
            first, start = len(file.readline()), 0
            for number in range(before * n // total, n):
                end = total * (number + 1) // n - before
                file.seek(min(max(end - 1, 0), size))
                file.readline()
                stop = size if end >= size else file.tell()
                if stop > start:
                    ranges_of[number][place] = ByteRange(first if start else 0, start, stop)
                    start = stop
                if stop == size:
                    break
        before += size
    return ranges_of


class NoDocuments(Exception):
    """Share whose lines are all blank."""


def of_share(collection: Collection, share: Share) -> Collection:
    """Return the collection with the documents of a share only."""
    reading = collection.reading
    assert reading is not None
    assert reading.batches is not None
    if reading.size != share.size:
        raise DataError(
            f"the files of '{collection.name}' have {reading.size:,} bytes here and {share.size:,} bytes where the "
            "command reads them; all workers must see the same files"
        )
    batches, ranges, first, size = reading.batches, share.ranges, share.first, reading.size
    byte_ranges: dict[str, ByteRange] | None = None
    if ranges is not None:
        files = reading.line_files()
        byte_ranges = {os.path.abspath(files[place]): byte_range for place, byte_range in ranges.items()}
        size = sum(byte_range.stop - byte_range.start for byte_range in ranges.values())
        first = int(any(byte_range.first for byte_range in ranges.values()))

    def part() -> Iterator[Batch]:
        empty = ranges is not None
        for batch in _numbered(batches(byte_ranges), first, share.stop or None):
            empty = False
            yield batch
        if empty:
            raise NoDocuments

    other = copy(collection)
    other.reading = reading._replace(batches=part, size=size, seen_fields={})
    other._documents = None  # those of all shares
    other._read = lambda: chain.from_iterable(batch.documents() for batch in part())
    return other


def _numbered(batches: Iterable[Batch], first: int, stop: int | None) -> Iterator[Batch]:
    number = 0
    for batch in batches:
        n = len(batch.doc_ids)
        low, high = max(first - number, 0), n if stop is None else min(stop - number, n)
        if low < high:
            columns: list[Any] = [column[low:high] for column in batch]
            yield Batch(*columns)
        number += n
        if stop is not None and number >= stop:
            return


def shared_path(source: str | os.PathLike[str]) -> str:
    """Return the path by which workers read what the command reads; the name of a collection stays as it is."""
    return os.path.abspath(source) if os.path.exists(source) else os.fspath(source)


def place_of_documents(collection: Collection) -> tuple[str, dict[str, Any]]:
    """Return where workers read the documents of a collection, and with which other arguments of `load`."""
    if collection.read_from is None:
        raise not_in_files(collection)
    path, reading = collection.read_from
    return path, {**reading, "topics": False}
