"""Index in shards on disk: a folder with the folders of the shards, and one manifest that is replaced last.

The manifest names each shard by its checksum, and the files with the statistics of all documents. A crash at any moment
leaves the old index or the new one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from toysearch.base import LOCK, StorageError, counted, replace, sync
from toysearch.index.checksums import damaged
from toysearch.index.file_layout import (
    MANIFEST,
    SHARDED,
    Starts,
    is_sharded,
    manifest_of,
    read_manifest,
    seal,
    sealed,
)
from toysearch.index.listed_files import index_files
from toysearch.index.opened_files import map_array
from toysearch.index.postings import CollectionStats
from toysearch.index.saving import TEMPORARY, is_there, saving, write_array
from toysearch.index.strings import Strings
from toysearch.workbench.shards.joined_shards import WholeStatistics

if TYPE_CHECKING:
    from toysearch.files.source import AnyPath
    from toysearch.index.inverted_index import Index
    from toysearch.workbench.shards.sharded_index import ShardedIndex

Opened = TypeVar("Opened")

BUILDING = "toysearch-building"
"""Folder inside the index in which new shards are made."""

_OTHER_FOLDER = "choose a new folder or an empty one"
SHARD_NAME = "shard-[0-9a-f]{16}"
STATISTICS_NAME = "(terms|terms_lengths|df|cf|numbers)-[0-9a-f]{16}[.]npy"


class ShardEntry(NamedTuple):
    """Shard as its manifest describes it."""

    folder: str
    sha256: str  # the checksum at the end of its own manifest
    documents: int
    terms: int
    numbers: str  # the file with the number among all terms of each of its terms


def shard_entries(folder: AnyPath, manifest: Mapping[str, Any]) -> list[ShardEntry]:
    """Return the shards that a manifest names."""
    try:
        entries = [ShardEntry(**shard) for shard in manifest["shards"]]
        fits = all(
            re.fullmatch(SHARD_NAME, shard.folder)
            and isinstance(shard.sha256, str)
            and shard.documents > 0
            and shard.terms >= 0
            and shard.numbers in manifest["files"]
            for shard in entries
        )
    except (LookupError, TypeError, ValueError):
        fits = False
    if not fits or not entries:
        raise damaged(manifest_of(folder), "its shards are missing or have the wrong type")
    return entries


def statistics_files(folder: AnyPath, manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the files of statistics that a manifest names."""
    for name, described in manifest["files"].items():
        if not re.fullmatch(STATISTICS_NAME, name):
            raise damaged(manifest_of(folder), f"it names a file '{name}', which no index of this format has")
        yield name, described


def files_of_shards(folder: AnyPath) -> dict[str, int]:
    """Return the size in bytes of each file of an index in shards by name."""
    manifest = read_manifest(folder, SHARDED)
    sizes = {
        f"{shard.folder}/{name}": size
        for shard in shard_entries(folder, manifest)
        for name, size in index_files(os.path.join(folder, shard.folder)).items()
    }
    return sizes | {name: described["bytes"] for name, described in statistics_files(folder, manifest)}


def save_shards(folder: Path, index: ShardedIndex) -> None:
    """Save an index in shards; those that are in the folder already stay or are only renamed."""
    with saving(folder):
        whole = index.whole
        numbers = [write_array(folder, "numbers", column.astype("<i4")) for column in whole.numbers]
        entries = [_placed(folder, part, file.name) for part, file in zip(index.parts, numbers, strict=True)]
        arrays = {
            "terms": np.asarray(whole.terms.blob),
            "terms_lengths": np.diff(whole.terms.offsets).astype("<i4"),
            "df": whole.df.astype("<i8"),
            "cf": whole.cf.astype("<i8"),
        }
        written = numbers + [write_array(folder, *item) for item in arrays.items()]
        files = {entry.name: entry.described for entry in written}
        description = {
            "collection": index.collection,
            "analyzer": index.analyzer.to_dict(),
            "counts": {"documents": whole.stats.N, "terms": len(whole.terms), "postings": whole.stats.n_postings},
            "statistics": whole.stats._asdict(),
            "field_tokens": dict(whole.field_tokens),
            "shards": [entry._asdict() for entry in entries],
        }
        (folder / TEMPORARY).write_bytes(sealed(description, files, SHARDED))
        replace(folder / TEMPORARY, folder / MANIFEST)
        remove_unnamed_shards(folder)


def _placed(folder: Path, part: Index, numbers: str) -> ShardEntry:
    """Put the folder of a shard in its place and return its entry; numbers: the file of those of its terms."""
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
                shutil.copyfile(home / file, place / TEMPORARY)
                with open(place / TEMPORARY, "r+b") as copied:
                    sync(copied.fileno())
                replace(place / TEMPORARY, place / file)
        shutil.rmtree(home, ignore_errors=True)
    return ShardEntry(name, checksum, len(part), part.arrays["cf"].size, numbers)


def remove_unnamed_shards(folder: Path) -> None:
    """Remove shards and files of statistics that the manifest does not name, and nothing else."""
    names = set()
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder, SHARDED)
        names = {MANIFEST, *manifest["files"], *(entry.folder for entry in shard_entries(folder, manifest))}
    for entry in list(folder.iterdir()):
        if entry.name in names:
            continue
        if re.fullmatch(STATISTICS_NAME, entry.name) or entry.name == TEMPORARY:
            with suppress(OSError):  # Windows removes no file that is mapped; the next saving does
                entry.unlink()
        elif re.fullmatch(SHARD_NAME, entry.name) or entry.name == BUILDING:
            shutil.rmtree(entry, ignore_errors=True)


def refuse_other_content(folder: Path) -> None:
    """Refuse a folder that holds anything but an index in shards."""
    if not is_there(folder):
        return
    if (folder / MANIFEST).exists() and not is_sharded(folder):
        raise StorageError(f"{folder} holds a {MANIFEST} that does not belong to an index in shards; {_OTHER_FOLDER}")
    own_names = (MANIFEST, BUILDING, LOCK, TEMPORARY)
    names = sorted(entry.name for entry in folder.iterdir())
    others = [
        name
        for name in names
        if name not in own_names and not (re.fullmatch(SHARD_NAME, name) or re.fullmatch(STATISTICS_NAME, name))
    ]
    if others:
        raise StorageError(f"{folder} holds other files, such as '{others[0]}'; {_OTHER_FOLDER}")


def read_shards(folder: Path, name: str = "") -> tuple[list[ShardEntry], WholeStatistics]:
    """Read the shards of an index, or the one of a name, and the statistics of all documents."""
    if (folder / MANIFEST).is_file() and not is_sharded(folder):
        raise StorageError(f"{folder} is not an index in shards: it is one index")
    manifest = read_manifest(folder, SHARDED)
    entries = [entry for entry in shard_entries(folder, manifest) if name in ("", entry.folder)]
    return entries, _statistics(folder, manifest, entries)


def place_of_shard(folder: Path, entry: ShardEntry) -> Path:
    """Return the folder of a shard; refuse one that does not hold the shard that the statistics count."""
    path = folder / entry.folder
    restore = "restore it, or build the index again"
    if not (path / MANIFEST).is_file():
        raise StorageError(f"{path}: this shard of the index is missing; {restore}")
    if seal((path / MANIFEST).read_bytes()) != entry.sha256:
        raise StorageError(
            f"{path}: this shard has been changed by itself, and the statistics do not count it; {restore}"
        )
    return path


def open_each(folder: Path, entries: Sequence[ShardEntry], opened: Callable[[Path], Opened]) -> list[Opened]:
    """Return what a function opens in the folder of each shard."""
    try:
        return [opened(place_of_shard(folder, entry)) for entry in entries]
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        raise StorageError(
            f"{folder} has {counted(len(entries), 'shard')}, more than this process may open at once; raise the "
            "limit (ulimit -n), or build the index with fewer shards"
        ) from None


def _statistics(folder: Path, manifest: Mapping[str, Any], entries: Sequence[ShardEntry]) -> WholeStatistics:
    """Read and verify the statistics of all shards; the numbers only of some shards."""
    files = dict(statistics_files(folder, manifest))
    kinds = {name.partition("-")[0]: name for name in files}

    def mapped(name: str) -> np.ndarray:
        return np.asarray(map_array(folder / name, files[name], None))

    try:
        arrays = {kind: mapped(kinds[kind]) for kind in ("terms", "terms_lengths", "df", "cf")}
        numbers = tuple(mapped(entry.numbers) for entry in entries)
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
            and all(_fits(column, entry.terms, n_terms) for column, entry in zip(numbers, entries, strict=True))
        )
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise damaged(folder / MANIFEST, "its statistics do not fit each other")
    terms = Strings(arrays["terms"], np.asarray(Starts(arrays["terms_lengths"])))
    return WholeStatistics(terms, arrays["df"], arrays["cf"], numbers, stats, field_tokens)


def _fits(numbers: np.ndarray, n: int, n_terms: int) -> bool:
    """True if these can be the numbers of n terms among all."""
    rise = bool((np.diff(numbers) > 0).all())
    return numbers.size == n and rise and (not n or 0 <= int(numbers[0]) <= int(numbers[-1]) < n_terms)
