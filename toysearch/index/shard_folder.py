"""An index in shards on disk: a folder with the folders of the shards, and one manifest that is replaced last.

The manifest names each shard by its checksum, and the files with the statistics of all documents. A crash at any moment
leaves the old index or the new one.
"""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, repeat, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import Remedy, StorageError, checked, counted, note
from toysearch.base.platform import LOCK, replace, sync
from toysearch.index.checksums import damaged
from toysearch.index.content_checks import check_index
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
from toysearch.index.opened_files import index_files, map_array, wrong_files
from toysearch.index.postings import CollectionStats
from toysearch.index.replacement import is_there, put_in_place, saving
from toysearch.index.sharded_index import Shard, ShardedIndex, WholeStatistics
from toysearch.index.strings import Strings

__all__ = ["open_shards"]

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
    if home.name != name:
        if (folder / name).exists():  # the same content
            shutil.rmtree(home, ignore_errors=True)
        else:
            place = folder / name
            try:
                replace(home, place)
            except PermissionError:  # Windows renames no folder with files that an opened index maps
                copied = folder / BUILDING / "copied"
                shutil.copytree(home, copied)
                replace(copied, place)
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
def open_shards(folder: str | Path, *, partial: bool = False) -> ShardedIndex:
    """The index in shards saved in a folder, possibly without those that are missing.

    `Index.open` opens it too, if no shard is missing.

    Parameters
    ----------
    folder : str or Path
        Where the index was saved.
    partial : bool
        Whether shards that are missing or damaged are left out, with a note. The statistics, and so the scores of the
        other documents, are still those of all shards. Default False: they are refused.

    Raises
    ------
    StorageError
        If the folder holds no index in shards, or a damaged one.

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
        raise StorageError(f"{folder} is not an index in shards, some of which could be left out: it is one index")
    manifest = read_manifest(folder, SHARDED)
    entries = _entries(folder, manifest)
    whole = _whole(folder, manifest, entries)
    parts, numbers, lost = [], [], []
    for entry, term_numbers in zip(entries, whole.numbers, strict=True):
        try:
            parts.append(open_shard(folder, entry, partial=partial))
            numbers.append(term_numbers)
        except StorageError as error:
            if not partial:
                raise
            lost.append(str(error))
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            raise StorageError(
                f"{folder} has {counted(len(entries), 'shard')}, more than this process may open at once; raise the "
                "limit (ulimit -n), or build the index with fewer shards"
            ) from None
    if not parts:
        raise StorageError(f"{folder}: no shard of {len(entries)} can be opened; build the index again")
    index = ShardedIndex(parts, whole._replace(numbers=tuple(numbers)))
    index._folder = folder
    if lost:
        verb = "is" if len(parts) == 1 else "are"
        searched = f"{len(parts)} of {counted(len(entries), 'shard')} {verb} searched"
        note(f"partial: {searched}, {len(index):,} of {counted(whole.stats.N, 'document')}; {lost[0]}")
        index.left_out = f"-partial-{len(parts)}-of-{len(entries)}-shards"
    return index


def open_shard(folder: Path, entry: ShardEntry, *, partial: bool = False) -> Index:
    """The index of a shard, refused if it is not the one that the statistics count."""
    path = folder / entry.folder
    others = Remedy("toysearch.index.shard_folder.open_shards", partial=True)
    restore = f"restore it, {'' if partial else f'search the others with {others}, '}or build the index again"
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
