"""The workers of a command: processes started here or those of a scheduler, which index, and search shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import toysearch
from toysearch.base import ArgumentError
from toysearch.cli.options import Read, option
from toysearch.rings import ring


@contextmanager
def connected(workers: int | str | None) -> Iterator[Any]:
    """Return a client of --workers; None if none are asked for, and then nothing of Dask is loaded."""
    if workers is None:
        yield None
        return
    with ring("workers").connected(workers) as client:
        yield client


def spread_over(client: Any, index: toysearch.Index, source: str, tell: Callable[[int, int], object] | None) -> None:
    """Let workers search the shards of an index; tell: called with the number of queries answered, and of all."""
    if not index.shards:
        raise ArgumentError(
            f"'{source}' is not an index in shards, which workers could search at once; make one with "
            "toysearch index SOURCE -o DIR --shards N, or leave out --workers"
        )
    ring("distributed search").spread_over(client, index, tell)


worker_option = option(
    "--workers",
    metavar="N|ADDRESS",
    type=Read(lambda text: int(text) if text.isdecimal() else text),
    heading="Workers",
    help="Number of processes to start on this machine, which its other users can reach; or the address or file "
    "of a Dask scheduler: tcp://HOST:8786.",
)
"""--workers: the number to start here, or the address or file of a scheduler; None if none are asked for."""
