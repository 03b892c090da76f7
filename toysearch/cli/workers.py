"""The workers of a command: processes started here or those of a scheduler, which search, rank and index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import toysearch
from toysearch.base import ArgumentError
from toysearch.cli.options import Decorator, option
from toysearch.cli.output import progress
from toysearch.rings import ring

if TYPE_CHECKING:
    from toysearch.base import Run
    from toysearch.study.study import Study


class Workers(NamedTuple):
    """Workers that a command asks for: the number to start here, or the address or file of a scheduler."""

    workers: int | str | None = None

    @property
    def wanted(self) -> bool:
        """True if any are asked for."""
        return self.workers is not None

    @property
    def elsewhere(self) -> bool:
        """True if they are those of a scheduler, perhaps on other machines."""
        return isinstance(self.workers, str)

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Return a client of the workers; None if none are asked for, and then nothing of Dask is loaded."""
        if self.workers is None:
            yield None
            return
        with ring("workers").connected(self.workers) as client:
            before = _client.set(client)
            try:
                yield client
            finally:
                _client.reset(before)


def spread_work(
    index: toysearch.Index,
    source: str,
    *,
    whole_systems: bool = False,
    tell: Callable[[int, int], object] | None = None,
) -> None:
    """Let the workers of the command search the shards of an index; of one index, only whole systems are spread.

    tell: called with the number of queries answered, and with that of all.
    """
    client = _client.get()
    if client is None or (whole_systems and not index.shards):
        return
    if not index.shards:
        raise ArgumentError(
            f"'{source}' is not an index in shards, which workers could search at once; make one with "
            "toysearch index SOURCE -o DIR --shards N, or leave out --workers"
        )
    ring("distributed search").spread_over(client, index, tell)


_client: ContextVar[Any] = ContextVar("the client of the workers of a command", default=None)


def _number_or_address(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
    return int(value) if value is not None and value.isdecimal() else value


def _worker_option(brief: str = "") -> Decorator:
    return option(
        "--workers",
        metavar="N|ADDRESS",
        callback=_number_or_address,
        into=("workers", Workers),
        heading="Workers",
        brief=brief,
        help="Number of processes to start on this machine, which its other users can reach; or the address or file "
        "of a Dask scheduler: tcp://HOST:8786.",
    )


worker_option = _worker_option()
"""--workers; the command gets `Workers`."""

named_worker_option = _worker_option("toysearch index")
"""--workers, which the help only names."""


def ranked(study: Study) -> list[Run]:
    """Return the runs of a study that is ready, those of files first; models rank now, on workers if there are any."""
    runs, total, elsewhere = list[Any](study.fixed_runs), len(study.models), None
    if runs and not total:
        return runs
    with progress("ranking", "models done") as tell:
        if (client := _client.get()) is not None:
            study.rankers("--workers")
            of_queries = tell and (lambda done, queries: tell(len(runs), total, f"{done:,}/{queries:,} queries"))
            index, n_queries = study.index(), max(1, len(study.queries()))
            spread_work(index, study.given.name, whole_systems=True, tell=of_queries)
            if not index.shards:
                whole = tell and (lambda count: tell(count // n_queries, total))
                elsewhere = ring("distributed search").ranked_by(client, index, study.judged(), whole)
        for run in study.runs(elsewhere):
            runs.append(run)
            if tell and not elsewhere:
                tell(len(runs))
    return runs
