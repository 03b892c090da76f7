"""Workers that search the shards of an index; each opens a shard once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from toysearch.base import ArgumentError, all_done, report
from toysearch.index import MANIFEST, Index
from toysearch.index.file_layout import seal
from toysearch.workbench.shards.document_shares import shared_path
from toysearch.workbench.shards.sharded_index import Shard, ShardedIndex, one_shard
from toysearch.workbench.shards.sharded_scorer import QUERIES

__all__ = ["spread_over"]

_OPEN = 64  # shards that a worker keeps open


def spread_over(client: Any, index: Index, progress: Callable[[int, int], object] | None = None) -> None:
    """Let workers search the shards of an index from now on, all queries of a run at once in each shard.

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
    place = shared_path(index.folder)
    checksum = seal((index.folder / MANIFEST).read_bytes())
    names = [part.folder.name for part in index.parts if part.folder is not None]

    def spread(task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        tasks = [(place, checksum, name, task, values) for name, values in zip(names, arguments, strict=True)]
        total = len(arguments[0][QUERIES])
        tell = None if progress is None else lambda count: progress(count // len(tasks), total)
        return all_done(client, _shard_result, tasks, tell)

    index.spread = spread


def _shard_result(place: str, checksum: str, name: str, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return task(_opened_shard(place, checksum, name), *arguments, tell=report)


@lru_cache(_OPEN)
def _opened_shard(place: str, checksum: str, name: str) -> Shard:
    return one_shard(Path(place), checksum, name)
