"""Builder of an index in shards of consecutive documents, or of one index joined from them; workers may make them."""

from __future__ import annotations

import gc
import math
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby, islice
from pathlib import Path
from traceback import clear_frames
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.base import (
    DataError,
    Tell,
    all_done,
    expect_count,
    report,
    without_notes,
    workers_of,
)
from toysearch.collection.catalog import load
from toysearch.collection.collection import Collection
from toysearch.index.builder import analyzer_for_script, refuse_missing, refuse_texts_needed
from toysearch.index.document_columns import RepeatedIdError, name_lines, order_of_ids
from toysearch.index.inverted_index import Index
from toysearch.index.latent_topics import latent_arrays
from toysearch.index.merge import refuse_counts
from toysearch.index.saving import only_writer, refuse_foreign, save, saving
from toysearch.index.stored_values import kept_fields
from toysearch.workbench.shards.document_shares import (
    NoDocuments,
    Share,
    cut_in_shares,
    has_late_title,
    of_share,
    place_of_documents,
)
from toysearch.workbench.shards.shard_folder import BUILDING, refuse_other_content, remove_unnamed_shards, save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex


class _Task(NamedTuple):
    number: int
    place: str
    reading: Mapping[str, Any]
    share: Share
    analyzer: Analyzer
    settings: Mapping[str, Any]  # of `Index.build`
    folder: Path


def index_in_shards(
    collection: Collection,
    folder: str | Path,
    analyzer: AnalyzerLike | None,
    settings: Mapping[str, Any],
    *,
    shards: int,
    joined: bool,
    lsa: int | None = None,
    client: Any = None,
    progress: Tell | None = None,
) -> Index:
    """Build the index of a collection in at most so many shards of consecutive documents, and save it to a folder.

    The shards have about the same number of bytes, or of documents if the files are not JSON Lines.

    analyzer, settings: as in `Index.build`; threads are those of each worker. joined: whether one index is saved, byte
    for byte the one that `Index.build` makes, which may store latent topics (lsa). client: of Dask workers that make
    the shards; without one, this process makes them, one after the other. progress: called now and then with the number
    of documents done.
    """
    expect_count(shards=shards)
    folder, (place, reading) = Path(folder).absolute(), place_of_documents(collection)
    (refuse_foreign if joined else refuse_other_content)(folder)
    if analyzer is None:
        analyzer = Analyzer.for_language(**collection.analysis)
        if analyzer == Analyzer() and not collection.word_counts:
            analyzer = analyzer_for_script(collection, islice(collection.batches(), 1))
    analyzer = Analyzer.of(analyzer)
    if collection.word_counts:
        stored = settings.get("values") or ()
        refuse_texts_needed(collection, analyzer, bool(settings.get("positions")), stored)
    fields = settings.get("fields")
    values = kept_fields(collection, settings.get("values"))
    settings = {**settings, "values": values, "fields": collection.separate_fields() if fields is None else fields}
    with _room(folder, joined) as room:
        pattern = _Task(0, place, reading, Share(None), analyzer, settings, room)
        index = _index_of_shares(collection, pattern, shards, client, progress, joined=joined, needed=values)
        try:
            if joined:
                save(
                    folder,
                    index._description,
                    index.arrays if lsa is None else {**index.arrays, **latent_arrays(index.arrays, lsa)},
                )
            else:
                save_shards(folder, index)
        finally:
            del index
            gc.collect()  # it may refer to itself, and Windows removes no file that is mapped
    return Index.open(folder)


@contextmanager
def index_to_add(
    collection: Collection,
    folder: str | Path,
    index: Index,
    *,
    shards: int,
    joined: bool = True,
    client: Any = None,
    progress: Tell | None = None,
) -> Iterator[ShardedIndex]:
    """Build the index of documents to add to one in a folder, in shards that exist inside the context.

    joined: whether the shards are joined afterwards, so that they may be of any number.
    """
    refuse_counts(index, collection)
    folder, (place, reading) = Path(folder).absolute(), place_of_documents(collection)
    settings = {
        "store_text": index.texts is not None,
        "fields": index.fields.names,
        "values": list(index.values),
        "positions": index.position_blocks is not None,
    }
    with _room(folder, joined=True, inside=not joined) as room:
        pattern = _Task(0, place, reading, Share(None), index.analyzer, settings, room)
        yield _index_of_shares(collection, pattern, shards, client, progress, joined=joined)


class _Built(NamedTuple):
    """Folder of the index of a share, its documents (0: none and no folder), and the fields that they have."""

    folder: Path
    documents: int
    fields: Mapping[str, None]


def _index_of_shares(
    collection: Collection,
    pattern: _Task,
    shards: int,
    client: Any,
    progress: Any,
    *,
    joined: bool,
    needed: Sequence[str] = (),
) -> ShardedIndex:
    """Build the index of all shares that have documents, with the settings of a task; joined: of any number.

    A field that is needed and that no document has is refused.
    """
    blocks = _blocks_per_shard(collection, shards, client)

    def tasks(shares: Sequence[Share]) -> list[tuple[_Task]]:
        return [(pattern._replace(number=number, share=share),) for number, share in enumerate(shares)]

    def all_built(shares: Sequence[Share]) -> list[_Built]:
        if client is not None:
            return all_done(client, index_share, tasks(shares), progress)
        parts: list[_Built] = []
        for (task,) in tasks(shares):
            before = sum(part.documents for part in parts)
            tell = None if progress is None else lambda count, before=before: progress(before + count)
            parts.append(index_share(task, tell))
        return parts

    look = None if client is None else lambda shares: all_done(client, _has_late_title, tasks(shares))
    try:
        shares = cut_in_shares(collection, shards * blocks, look)
        built = all_built(shares)
    except DataError:
        with without_notes():
            for _ in collection.stream():  # says the line in the whole file, and what was wrong first
                pass
        raise
    refuse_missing(needed, {name: None for part in built for name in part.fields})
    parts = {share.number: Index.open(part.folder) for share, part in zip(shares, built, strict=True) if part.documents}
    if not parts:
        raise DataError(f"collection '{collection.name}' has no documents; an index needs at least one")
    index = ShardedIndex([*parts.values()] if joined else _shards_of(parts, blocks, pattern.folder))
    try:
        order_of_ids(index.doc_ids)
    except RepeatedIdError:
        name_lines(collection)
        raise
    return index


def _blocks_per_shard(collection: Collection, shards: int, client: Any) -> int:
    """Return the number of parts of a shard that workers index one by one, so that each has the memory for it."""
    if client is None or collection.reading is None:
        return 1
    workers = workers_of(client).values()
    limits: list[float] = [worker["memory_limit"] / worker["nthreads"] for worker in workers if worker["memory_limit"]]
    if not limits:
        return 1
    room = max(min(limits) / 2 - 300_000_000, min(limits) / 10)  # a process that has loaded all code has so many bytes
    # A byte of documents takes three of memory; measured: 0.5, and 1.7 with positions.
    return max(1, math.ceil(3 * collection.reading.size / (room * shards)))


def _shards_of(parts: Mapping[int, Index], blocks: int, room: Path) -> list[Index]:
    """Join numbered parts to shards, as many in each shard, of which empty ones are left out."""
    result = []
    for shard, numbers in groupby(parts, lambda number: number // blocks):
        indexes = [parts[number] for number in numbers]
        if len(indexes) > 1:
            folder = room / f"shard-{shard}"
            ShardedIndex(indexes).save(folder)
            indexes = [Index.open(folder)]
        result += indexes
    return result


def index_share(task: _Task, tell: Tell | None = None) -> _Built:
    """Read a share and save its index to a folder of its own."""
    folder = task.folder / f"{task.number}-{uuid.uuid4().hex}"  # a repeated task does not disturb the first
    with saving(folder):
        folder.mkdir()  # not its parents: they are gone if the command has ended without this worker
    part = of_share(_collection_of(task), task.share)
    try:
        index = Index.build(part, task.analyzer, **task.settings, folder=folder, progress=tell or report)
    except NoDocuments:
        return _Built(folder, 0, {})
    return _Built(folder, len(index), (part.reading and part.reading.seen_fields) or {})


def _has_late_title(task: _Task) -> bool:
    return has_late_title(_collection_of(task), task.share)


def _collection_of(task: _Task) -> Collection:
    with without_notes():  # those on the whole collection, which the command has issued
        return load(task.place, **task.reading)


@contextmanager
def _released() -> Iterator[None]:
    """Run a block after which no shard is open any more: Windows removes no file that is mapped."""
    try:
        yield
    except BaseException as error:
        clear_frames(error.__traceback__)
        raise
    finally:
        gc.collect()  # a shard and its arrays refer to each other


@contextmanager
def _room(folder: Path, joined: bool, inside: bool = False) -> Iterator[Path]:
    """Yield a folder for new shards, removed at the end; an index folder made for it is removed after a failure."""
    # inside: of an index in shards that is locked; what a killed process leaves there, the next saving removes.
    existed, parent = folder.exists(), folder / BUILDING if inside else folder.parent
    try:
        with saving(folder):
            if joined:
                parent.mkdir(parents=True, exist_ok=True)
                room = Path(tempfile.mkdtemp(prefix=f"{folder.name}-building-", dir=parent))
                try:
                    with _released():
                        yield room
                finally:
                    shutil.rmtree(room, ignore_errors=True)
                    if inside:
                        with suppress(OSError):  # gone, or another process works in it
                            parent.rmdir()
                return
            folder.mkdir(parents=True, exist_ok=True)
            with only_writer(folder):
                remove_unnamed_shards(folder)
                try:
                    (folder / BUILDING).mkdir(exist_ok=True)  # Windows may have kept it
                    with _released():
                        yield folder / BUILDING
                finally:
                    remove_unnamed_shards(folder)
    finally:
        if not existed and not joined and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
