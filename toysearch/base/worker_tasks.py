"""Tasks for workers: functions with arguments, done elsewhere, whose results come back in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from toysearch.rings import ring

Tell = Callable[[int], object]

REPORT: ContextVar[Tell | None] = ContextVar("what a task reports to", default=None)
"""What is called with the count of each report of the task that this thread does; None outside of workers."""


def each_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> Iterator[Any]:
    """The result of a task for each of several arguments, in their order, each as soon as it and those before are done.

    The workers of the client do the tasks. tell: called with the sum of what the tasks report.
    """
    results: Iterator[Any] = ring("workers").each_done(client, task, arguments, tell)
    return results


def all_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> list[Any]:
    """The results of a task for several arguments, in their order, as `each_done` makes them."""
    return list(each_done(client, task, arguments, tell))


def workers_of(client: Any) -> Mapping[str, Any]:
    """The workers of a client by address, each with its ``memory_limit`` and ``nthreads``; there is at least one."""
    workers: Mapping[str, Any] = ring("workers").workers_of(client)
    return workers


def report(count: int) -> None:
    """Report from a task how much it has done; outside of workers, nothing."""
    tell = REPORT.get()
    if tell is not None:
        tell(count)
