"""The workers of a command: processes started here or those of a scheduler, which index, and search shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import toysearch
from toysearch.base import ArgumentError
from toysearch.cli.options import Read, option
from toysearch.rings import ring


class Workers(NamedTuple):
    """Workers that a command asks for: the number to start here, or the address or file of a scheduler."""

    workers: int | str | None = None

    @property
    def wanted(self) -> bool:
        """True if any are asked for."""
        return self.workers is not None

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Return a client of the workers; None if none are asked for, and then nothing of Dask is loaded."""
        if self.workers is None:
            yield None
            return
        with ring("workers").connected(self.workers) as client:
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
    into=("workers", Workers),
    heading="Workers",
    help="Number of processes to start on this machine, which its other users can reach; or the address or file "
    "of a Dask scheduler: tcp://HOST:8786.",
)
"""--workers; the command gets `Workers`."""
