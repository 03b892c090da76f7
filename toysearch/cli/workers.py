"""The options for Dask workers, and the connection that a command opens with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import click

import toysearch
from toysearch import laboratory, search
from toysearch.base import ArgumentError, annex
from toysearch.cli.options import INTO, POSITIVE, Decorator, option, together
from toysearch.cli.output import Tell


class Workers(NamedTuple):
    """The workers that a command asks for."""

    workers: int | None = None
    cluster: str | None = None
    dashboard: bool = False

    @property
    def wanted(self) -> bool:
        """Whether any are asked for."""
        return self.workers is not None or self.cluster is not None

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """A client of the workers; None if none are asked for, and then nothing of Dask is loaded."""
        if self.workers is not None and self.cluster is not None:
            raise click.UsageError("choose --workers or --cluster, not both")
        if self.dashboard and self.workers is None:
            raise click.UsageError("--dashboard: only with --workers")
        if not self.wanted:
            yield None
            return
        with annex("workers").connected(self.workers, self.cluster, dashboard=self.dashboard) as client:
            before = _client.set(client)
            try:
                yield client
            finally:
                _client.reset(before)


NO_WORKERS = Workers()


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
            "toysearch index SOURCE -o DIR --shards N, or leave out --workers and --cluster"
        )
    search.spread_over(client, index, tell)


def on_line_of_models(tell: Tell | None, runs: Sequence[Any], total: int) -> Callable[[int, int], object] | None:
    """What tells the progress of the queries of a model on the line of the models, if there is one."""
    return tell and (lambda done, queries: tell(len(runs), total, f"{done:,}/{queries:,} queries"))


def ranked_elsewhere(study: laboratory.Study, tell: Tell | None = None) -> search.RankedElsewhere | None:
    """What makes the runs of whole models by the workers of the command, if there are any and the index is one."""
    client = _client.get()
    if client is None or study.index.shards:
        return None
    queries, models = max(1, len(study.queries)), len(study.models)
    return search.ranked_by(client, study.index, study.judged, tell and (lambda count: tell(count // queries, models)))


_client: ContextVar[Any] = ContextVar("the client of the workers of a command", default=None)


def _worker_options(brief: str = "") -> Decorator:
    shared: Any = {"into": ("workers", Workers), "heading": "Workers", "brief": brief}
    return together(
        option(
            "--workers",
            type=POSITIVE,
            help="Number of processes to start on this machine, which its other users can reach.",
            **shared,
        ),
        option("--cluster", metavar="ADDRESS", help="Address or file of a Dask scheduler: tcp://HOST:8786.", **shared),
        option("--dashboard", is_flag=True, help="With --workers: show their work at http://127.0.0.1:8787.", **shared),
    )


def _partial_option(brief: str = "") -> Decorator:
    text = "Search the shards that are left if some are missing."
    return option("--partial", is_flag=True, default=None, into=INTO, heading="Ranking", brief=brief, help=text)


worker_options = _worker_options()
"""--workers, --cluster and --dashboard; the command gets `Workers`."""

partial_option = _partial_option()

named_worker_options = _worker_options("toysearch index")
"""The options for workers, which the help only names."""

ranking_worker_options = together(_partial_option("toysearch run"), named_worker_options)
"""--partial and the options for workers, which the help only names."""
