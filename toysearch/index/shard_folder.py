"""An index in shards on disk: a folder with the folders of the shards, and one manifest that is replaced last.

The manifest names each shard by its checksum, and the files with the statistics of all documents. A crash at any moment
leaves the old index or the new one.
"""

from __future__ import annotations

import errno
import gc
import math
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, groupby, repeat, starmap
from pathlib import Path
from traceback import clear_frames
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import (
    LOCK,
    ArgumentError,
    DataError,
    StorageError,
    all_done,
    checked,
    counted,
    replace,
    report,
    sync,
    without_notes,
    workers_of,
)
from toysearch.corpus import (
    Collection,
    NoDocuments,
    Share,
    cut_in_shares,
    has_late_title,
    load,
    of_share,
    place_of_documents,
)
from toysearch.index.builder import refuse_missing, refuse_texts_needed
from toysearch.index.checksums import damaged
from toysearch.index.content_checks import check_index
from toysearch.index.document_columns import kept_fields, lines_of_repeats, order_of_ids
from toysearch.index.file_layout import (
    MANIFEST,
    SHARDED,
    Entry,
    Starts,
    array_entry,
    is_sharded,
    read_manifest,
    seal,
    sealed,
)
from toysearch.index.inverted_index import Index
from toysearch.index.latent_topics import latent_arrays
from toysearch.index.merge import refuse_counts
from toysearch.index.opened_files import index_files, map_array, wrong_files
from toysearch.index.postings import CollectionStats
from toysearch.index.replacement import is_there, only_writer, put_in_place, refuse_foreign, save, saving, unsaved
from toysearch.index.sharded_index import Shard, ShardedIndex, WholeStatistics
from toysearch.index.strings import Strings

__all__ = ["build_shards", "open_shards"]

BUILDING = "toysearch-building"
"""The folder inside the index in which new shards are made."""

_SHARD = re.compile("shard-[0-9a-f]{16}")
_FILE = re.compile("(terms|terms_lengths|df|cf|numbers)-[0-9a-f]{16}[.]npy")
_TEMPORARY = "toysearch-saving.tmp"
_OTHER_FOLDER = "choose a new folder or an empty one"
_STATISTICS = ("terms", "terms_lengths", "df", "cf")


class ShardEntry(NamedTuple):
    """What the manifest says of a shard."""

    folder: str
    sha256: str  # the checksum at the end of its own manifest
    documents: int
    terms: int
    numbers: str  # the file with the number among all terms of each of its terms


def save_shards(folder: Path, index: ShardedIndex) -> None:
    """Save an index in shards; those that are in the folder already stay or are only renamed."""
    with saving(folder):
        whole = index.whole
        numbers = [_write(folder, "numbers", column.astype("<i4")) for column in whole.numbers]
        entries = [_placed(folder, part, file.name) for part, file in zip(index.parts, numbers, strict=True)]
        arrays = {
            "terms": np.asarray(whole.terms.blob),
            "terms_lengths": np.diff(whole.terms.offsets).astype("<i4"),
            "df": whole.df.astype("<i8"),
            "cf": whole.cf.astype("<i8"),
        }
        written = [*numbers, *(_write(folder, *item) for item in arrays.items())]
        files = {entry.name: entry.described for entry in written}
        description = {
            "collection": index.collection,
            "analyzer": index.analyzer.to_dict(),
            "counts": {"documents": whole.stats.N, "terms": len(whole.terms), "postings": whole.stats.n_postings},
            "statistics": whole.stats._asdict(),
            "field_tokens": dict(whole.field_tokens),
            "shards": [entry._asdict() for entry in entries],
        }
        (folder / _TEMPORARY).write_bytes(sealed(description, files, SHARDED))
        replace(folder / _TEMPORARY, folder / MANIFEST)
        remove_unnamed_shards(folder)


def _placed(folder: Path, part: Index, numbers: str) -> ShardEntry:
    """The entry of a shard, whose folder is put in its place; numbers: the file of those of its terms."""
    home = part.folder
    if home is None or folder not in (home.parent, home.parent.parent):
        home = folder / BUILDING / "changed"
        part.save(home)
    checksum = seal((home / MANIFEST).read_bytes())
    name = f"shard-{checksum[:16]}"
    place = folder / name
    if home.name != name and not place.exists():
        with suppress(PermissionError):  # Windows renames no folder with files that an opened index maps
            replace(home, place)
    if home.exists() and home != place:
        place.mkdir(exist_ok=True)
        for file in (*read_manifest(home)["files"], MANIFEST):
            if not (place / file).exists():  # those that are mapped have stayed there when the others were removed
                shutil.copyfile(home / file, place / _TEMPORARY)
                with open(place / _TEMPORARY, "r+b") as copied:
                    sync(copied.fileno())
                replace(place / _TEMPORARY, place / file)
        shutil.rmtree(home, ignore_errors=True)
    return ShardEntry(name, checksum, len(part), part.arrays["cf"].size, numbers)


def _write(folder: Path, label: str, values: np.ndarray) -> Entry:
    """Write an array, and return the entry of its file."""
    with open(folder / _TEMPORARY, "wb") as file:
        entry = array_entry(label, values, file.write)
        file.flush()
        sync(file.fileno())
    put_in_place(folder / _TEMPORARY, entry)
    return entry


def remove_unnamed_shards(folder: Path) -> None:
    """Remove shards and files of statistics that the manifest does not name, and nothing else."""
    names: set[str] = set()
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder, SHARDED)
        names = {MANIFEST, *manifest["files"], *(entry.folder for entry in _entries(folder, manifest))}
    for entry in list(folder.iterdir()):
        if entry.name in names:
            continue
        if _FILE.fullmatch(entry.name) or entry.name == _TEMPORARY:
            with suppress(OSError):  # Windows removes no file that is mapped; the next saving does
                entry.unlink()
        elif _SHARD.fullmatch(entry.name) or entry.name == BUILDING:
            shutil.rmtree(entry, ignore_errors=True)


def refuse_other_content(folder: Path) -> None:
    """Refuse a folder that holds anything but an index in shards."""
    if not is_there(folder):
        return
    if (folder / MANIFEST).exists() and not is_sharded(folder):
        raise StorageError(f"{folder} holds a {MANIFEST} that does not belong to an index in shards; {_OTHER_FOLDER}")
    own_names = (MANIFEST, BUILDING, LOCK, _TEMPORARY)
    names = sorted(entry.name for entry in folder.iterdir())
    others = [name for name in names if name not in own_names and not (_SHARD.fullmatch(name) or _FILE.fullmatch(name))]
    if others:
        raise StorageError(f"{folder} holds other files, such as '{others[0]}'; {_OTHER_FOLDER}")


@checked
def open_shards(folder: str | Path) -> ShardedIndex:
    """The index in shards saved in a folder, as `Index.open` opens it.

    Parameters
    ----------
    folder : str or Path
        Where the index was saved.

    Raises
    ------
    StorageError
        If the folder holds no index in shards, or one with a missing or damaged shard.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_shards(folder, ShardedIndex([Index.build({"1": "a cat"}), Index.build({"2": "a dog"})]))
    >>> list(open_shards(folder).doc_ids)
    ['1', '2']
    """
    folder = Path(folder)
    if (folder / MANIFEST).is_file() and not is_sharded(folder):
        raise StorageError(f"{folder} is not an index in shards: it is one index")
    manifest = read_manifest(folder, SHARDED)
    entries = _entries(folder, manifest)
    whole = _whole(folder, manifest, entries)
    parts = []
    for entry in entries:
        try:
            parts.append(open_shard(folder, entry))
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            raise StorageError(
                f"{folder} has {counted(len(entries), 'shard')}, more than this process may open at once; raise the "
                "limit (ulimit -n), or build the index with fewer shards"
            ) from None
    index = ShardedIndex(parts, whole)
    index._folder = folder
    return index


def open_shard(folder: Path, entry: ShardEntry) -> Index:
    """The index of a shard, refused if it is not the one that the statistics count."""
    path = folder / entry.folder
    restore = "restore it, or build the index again"
    if not (path / MANIFEST).is_file():
        raise StorageError(f"{path}: this shard of the index is missing; {restore}")
    if seal((path / MANIFEST).read_bytes()) != entry.sha256:
        raise StorageError(
            f"{path}: this shard has been changed by itself, and the statistics do not count it; {restore}"
        )
    return Index.open(path)


def one_shard(folder: Path, checksum: str, name: str) -> Shard:
    """A shard of an index, opened alone with the statistics of all; the checksum is that of the manifest."""
    if seal((folder / MANIFEST).read_bytes() if (folder / MANIFEST).is_file() else b"") != checksum:
        raise StorageError(f"{folder} is not the index that the command opened: it is changed, or another computer's")
    manifest = read_manifest(folder, SHARDED)
    [entry] = [entry for entry in _entries(folder, manifest) if entry.folder == name]
    whole = _whole(folder, manifest, [entry])
    return Shard(open_shard(folder, entry), whole, whole.numbers[0])


def _entries(folder: Path, manifest: Mapping[str, Any]) -> list[ShardEntry]:
    """The shards that a manifest names."""
    try:
        entries = [ShardEntry(**shard) for shard in manifest["shards"]]
        fits = all(
            _SHARD.fullmatch(shard.folder)
            and isinstance(shard.sha256, str)
            and shard.documents > 0
            and shard.terms >= 0
            and shard.numbers in manifest["files"]
            for shard in entries
        )
    except (LookupError, TypeError, ValueError):
        fits = False
    if not fits or not entries:
        raise damaged(folder / MANIFEST, "its shards are missing or have the wrong type")
    return entries


def _whole(folder: Path, manifest: Mapping[str, Any], entries: Sequence[ShardEntry]) -> WholeStatistics:
    """The statistics of all shards, from their files, which are verified; the numbers only of some shards."""
    files = dict(_files(folder, manifest))
    kinds = {name.partition("-")[0]: name for name in files}
    try:
        arrays = {kind: np.asarray(map_array(folder / kinds[kind], files[kinds[kind]], None)) for kind in _STATISTICS}
        numbers = tuple(np.asarray(map_array(folder / entry.numbers, files[entry.numbers], None)) for entry in entries)
        described = manifest["statistics"]
        for name, value in described.items():
            whole = not name.startswith("avg")
            if not (type(value) is int if whole else type(value) in (int, float)) or not 0 <= value < 1 << 62:
                raise ValueError(name)
        stats = CollectionStats(**described)
        field_tokens = {str(name): int(tokens) for name, tokens in manifest["field_tokens"].items()}
        n_terms = arrays["df"].size
        fits = (
            n_terms == arrays["cf"].size == arrays["terms_lengths"].size == stats.n_terms
            and int(arrays["terms_lengths"].sum()) == arrays["terms"].size
            and all(map(_fits, numbers, (entry.terms for entry in entries), repeat(n_terms)))
        )
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise damaged(folder / MANIFEST, "its statistics do not fit each other")
    terms = Strings(arrays["terms"], np.asarray(Starts(arrays["terms_lengths"])))
    return WholeStatistics(terms, arrays["df"], arrays["cf"], numbers, stats, field_tokens)


def _fits(numbers: np.ndarray, n: int, n_terms: int) -> bool:
    """Whether these are the numbers of n terms among all."""
    rise = bool((np.diff(numbers) > 0).all())
    return numbers.size == n and rise and (not n or 0 <= int(numbers[0]) <= int(numbers[-1]) < n_terms)


def _files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The files of statistics that a manifest names."""
    for name, described in manifest["files"].items():
        if not _FILE.fullmatch(name):
            raise damaged(folder / MANIFEST, f"it names a file '{name}', which no index of this format has")
        yield name, described


def check_shards(folder: Path, each: Callable[..., Iterable[list[str]]] | None = None) -> list[str]:
    """The problems of an index in shards, one sentence each, found by reading every byte; empty if there are none.

    each: calls a function with several tuples of arguments, by workers; by default, the shards are checked here.
    """
    try:
        manifest = read_manifest(folder, SHARDED)
        entries = _entries(folder, manifest)
        problems = wrong_files(folder, dict(_files(folder, manifest)))
        shards = [(folder, entry) for entry in entries]
        of_shards = starmap(_problems, shards) if each is None else each(_problems, shards)
        problems += chain.from_iterable(of_shards)
        if problems:
            return problems
        index = open_shards(folder)
        counted_again, saved = WholeStatistics.of(index.parts), index.whole
        equal = (
            counted_again.stats == saved.stats
            and list(counted_again.terms) == list(saved.terms)
            and np.array_equal(counted_again.df, saved.df)
            and np.array_equal(counted_again.cf, saved.cf)
            and all(map(np.array_equal, counted_again.numbers, saved.numbers))
            and dict(counted_again.field_tokens) == dict(saved.field_tokens)
        )
        wrong = f"the index in {folder} is damaged: its statistics are not those of its shards; build it again"
        return [] if equal else [wrong]
    except StorageError as error:
        return [str(error)]


def _problems(folder: Path, entry: ShardEntry) -> list[str]:
    """The problems of a shard."""
    try:
        open_shard(folder, entry)
        return check_index(folder / entry.folder)
    except StorageError as error:
        return [str(error)]


def shard_files(folder: Path) -> dict[str, int]:
    """The size in bytes of each file of an index in shards, by its path in the folder, the manifest last."""
    manifest = read_manifest(folder, SHARDED)
    sizes = {
        f"{entry.folder}/{name}": size
        for entry in _entries(folder, manifest)
        for name, size in index_files(folder / entry.folder).items()
    }
    sizes |= {name: described["bytes"] for name, described in _files(folder, manifest)}
    return {**sizes, MANIFEST: (folder / MANIFEST).stat().st_size}


class _Task(NamedTuple):
    """The index of a share, as a worker makes it."""

    number: int
    place: str
    reading: Mapping[str, Any]
    share: Share
    analyzer: Analyzer
    settings: Mapping[str, Any]  # of `Index.build`
    folder: Path


class ShardSettings(TypedDict, total=False):
    """The keyword arguments of `build_shards` that `Index.build` documents."""

    store_text: bool
    fields: Sequence[str] | None
    values: Sequence[str]
    keywords: Sequence[str]
    positions: bool
    threads: int | None


@checked
def build_shards(
    source: str | os.PathLike[str],
    folder: str | Path,
    *,
    shards: int,
    joined: bool = False,
    analyzer: Analyzer | None = None,
    reading: Mapping[str, Any] | None = None,
    client: Any = None,
    progress: Callable[[int], object] | None = None,
    **settings: Unpack[ShardSettings],
) -> Index:
    """An index of a collection, made in shards of consecutive documents, and saved to a folder.

    Parameters
    ----------
    source : str or path
        The name of a collection, a folder or a file, which all workers can read.
    folder : str or Path
        The folder to save to, which all workers can write.
    shards : int
        The largest number of shards. They have about the same number of bytes, or of documents if the files are not
        JSON Lines.
    joined : bool
        Whether one index is saved, byte for byte the one that `Index.build` makes. Default False: an index in shards.
    analyzer
        As in `Index.build`.
    reading : mapping, optional
        Other arguments of `toysearch.load` for the source.
    client : distributed.Client, optional
        The Dask workers that make the shards. Default: this process makes them, one after the other.
    progress : callable, optional
        Called now and then with the number of documents done.
    **settings
        store_text, fields, values, keywords, positions and threads, as in `Index.build`; threads are those of each
        worker.

    Raises
    ------
    ArgumentError
        If the documents are not in files, or a setting does not fit.
    DataError
        If there is no document, or a doc_id is repeated.
    StorageError
        If the folder holds something else, or cannot be written.
    """
    collection = load(source, **{**(reading or {}), "topics": False})
    how: dict[str, Any] = {"shards": shards, "joined": joined, "client": client, "progress": progress}
    return index_in_shards(collection, folder, analyzer, settings, **how)


def index_in_shards(
    collection: Collection,
    folder: str | Path,
    analyzer: Analyzer | None,
    settings: Mapping[str, Any],
    *,
    shards: int,
    joined: bool,
    lsa: int | None = None,
    client: Any = None,
    progress: Callable[[int], object] | None = None,
) -> Index:
    """The index of a collection as `build_shards` makes it; one that is joined may store latent topics."""
    if shards < 1:
        raise ArgumentError(f"shards must be a whole number of at least 1, not {shards}")
    folder, (place, reading) = Path(folder).absolute(), place_of_documents(collection)
    (refuse_foreign if joined else refuse_other_content)(folder)
    if analyzer is None:
        analyzer = Analyzer.for_language(**collection.analysis)
    if collection.word_counts:
        stored = [*(settings.get("values") or ()), *(settings.get("keywords") or ())]
        refuse_texts_needed(collection, analyzer, bool(settings.get("positions")), stored)
    fields = settings.get("fields")
    columns = kept_fields(collection, settings.get("values"), settings.get("keywords"))
    settings = {**settings, **columns._asdict(), "fields": collection.separate_fields() if fields is None else fields}
    with _room(folder, joined) as room:
        pattern = _Task(0, place, reading, Share(None), analyzer, settings, room)
        needed = [*columns.values, *columns.keywords]
        index = _index_of_shares(collection, pattern, shards, client, progress, joined=joined, needed=needed)
        try:
            if joined:
                save(
                    folder,
                    index._description,
                    index._arrays if lsa is None else {**index._arrays, **latent_arrays(index._arrays, lsa)},
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
    client: Any = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[ShardedIndex]:
    """The index of documents to add to one in a folder, made in shards that exist inside the context."""
    refuse_counts(index, collection)
    folder, (place, reading) = Path(folder).absolute(), place_of_documents(collection)
    settings = {
        "store_text": index.texts is not None,
        "fields": index.fields.names,
        "values": list(index.values),
        "keywords": list(index.keywords),
        "positions": index.position_blocks is not None,
    }
    with _room(folder, joined=True) as room:
        pattern = _Task(0, place, reading, Share(None), index.analyzer, settings, room)
        yield _index_of_shares(collection, pattern, shards, client, progress, joined=True)


class _Built(NamedTuple):
    """The folder of the index of a share, its documents (0: none and no folder), and the fields that they have."""

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
    """The index of all shares that have documents, made with the settings of a task; joined: of any number.

    A field that is needed and that no document has is refused.
    """
    blocks = _blocks_per_shard(collection, shards, client)

    def tasks(shares: Sequence[Share]) -> list[tuple[_Task]]:
        return [(pattern._replace(number=number, share=share),) for number, share in enumerate(shares)]

    def all_built(shares: Sequence[Share]) -> list[_Built]:
        """The indexes of shares, made by workers, or one after the other in this process."""
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
    with lines_of_repeats(collection):
        order_of_ids(index.doc_ids)
    return index


def _blocks_per_shard(collection: Collection, shards: int, client: Any) -> int:
    """The number of parts of a shard that workers index one by one, so that each has the memory for it."""
    if client is None or collection.reading is None:
        return 1
    workers = workers_of(client).values()
    limits: list[float] = [worker["memory_limit"] / worker["nthreads"] for worker in workers if worker["memory_limit"]]
    if not limits:
        return 1
    room = max(min(limits) / 2 - _FIXED, min(limits) / 10)
    return max(1, math.ceil(collection.reading.size * _PER_BYTE / (room * shards)))


_FIXED = 300_000_000  # bytes of memory of a process that has loaded all code
_PER_BYTE = 3  # bytes of memory for each byte of documents; measured: 0.5, and 1.7 with positions


def _shards_of(parts: Mapping[int, Index], blocks: int, room: Path) -> list[Index]:
    """The shards, given their parts by number, as many in each shard, of which empty ones are left out."""
    result = []
    for shard, numbers in groupby(parts, lambda number: number // blocks):
        indexes = [parts[number] for number in numbers]
        if len(indexes) > 1:
            folder = room / f"shard-{shard}"
            ShardedIndex(indexes).save(folder)
            indexes = [Index.open(folder)]
        result += indexes
    return result


def index_share(task: _Task, tell: Callable[[int], object] | None = None) -> _Built:
    """Read a share and save its index to a folder of its own."""
    folder = task.folder / f"{task.number}-{uuid.uuid4().hex}"  # a repeated task does not disturb the first
    try:
        folder.mkdir()  # not its parents: they are gone if the command has ended without this worker
    except OSError as error:
        raise unsaved(folder, error) from error
    with of_share(_collection_of(task), task.share) as part:
        try:
            index = Index.build(part, task.analyzer, **task.settings, folder=folder, progress=tell or report)
        except NoDocuments:
            return _Built(folder, 0, {})
        return _Built(folder, len(index), (part.reading and part.reading.seen_fields) or {})


def _has_late_title(task: _Task) -> bool:
    """Whether a share cannot be read by itself."""
    return has_late_title(_collection_of(task), task.share)


def _collection_of(task: _Task) -> Collection:
    """The collection, as a worker reads it."""
    with without_notes():  # those on the whole collection, which the command has issued
        return load(task.place, **task.reading)


@contextmanager
def _released() -> Iterator[None]:
    """A block after which no shard is open any more: Windows removes no file that is mapped."""
    try:
        yield
    except BaseException as error:
        clear_frames(error.__traceback__)
        raise
    finally:
        gc.collect()  # a shard and its arrays refer to each other


@contextmanager
def _room(folder: Path, joined: bool) -> Iterator[Path]:
    """A folder for new shards, removed at the end; an index folder made for it is removed after a failure."""
    existed = folder.exists()
    try:
        if joined:
            folder.parent.mkdir(parents=True, exist_ok=True)
            room = Path(tempfile.mkdtemp(prefix=f"{folder.name}-building-", dir=folder.parent))
            try:
                with _released():
                    yield room
            finally:
                shutil.rmtree(room, ignore_errors=True)
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
    except OSError as error:
        raise unsaved(folder, error) from error
    finally:
        if not existed and not joined and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
