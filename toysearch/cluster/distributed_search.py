"""Shards searched by workers: each opens the shards that it is asked for, and keeps them open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError
from toysearch.cluster.connection import SharedPlace, done, report
from toysearch.index.file_layout import MANIFEST, seal
from toysearch.index.inverted_index import Index
from toysearch.index.shard_folder import one_shard
from toysearch.index.sharded_index import Shard, ShardedIndex
from toysearch.search.sharded_scorer import QUERIES

__all__ = ["spread_over"]

_OPEN = 64  # shards that a worker keeps open


@checked
def spread_over(client: Any, index: Index, progress: Callable[[int, int], object] | None = None) -> None:
    """Nothing; workers search the shards of an index from now on, all queries of a run at once in each shard.

    Parameters
    ----------
    client : distributed.Client
        The Dask workers, which must be able to read the folder of the index.
    index : Index
        An index in shards, opened from a folder.
    progress : callable, optional
        Called now and then with the number of queries that the shards have answered, on average, and with that of all.

    Raises
    ------
    ArgumentError
        If the index has no shards, or is not in a folder.
    """
    if not isinstance(index, ShardedIndex) or index.folder is None:
        raise ArgumentError("workers search an index in shards, opened from a folder that all of them can read")
    place = SharedPlace.of(index.folder)
    checksum = seal((index.folder / MANIFEST).read_bytes())
    names = [part.folder.name for part in index.parts if part.folder is not None]

    def spread(task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The results of a function of each shard."""
        tasks = [(place, checksum, name, task, own) for name, own in zip(names, arguments, strict=True)]
        total = len(arguments[0][QUERIES])
        told = None if progress is None else lambda count: progress(count // len(tasks), total)
        return done(client, _of_shard, tasks, told)

    index.spread = spread


def _of_shard(
    place: SharedPlace, checksum: str, name: str, task: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """The result of a function of a shard, in a worker."""
    return task(_opened(place, checksum, name), *arguments, tell=report)


@lru_cache(_OPEN)
def _opened(place: SharedPlace, checksum: str, name: str) -> Shard:
    """A shard, opened once by each worker."""
    return one_shard(Path(place.here()), checksum, name)
