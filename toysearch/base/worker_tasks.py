"""Tasks for workers: functions with arguments, done elsewhere, whose results come back in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from toysearch.rings import ring

Tell = Callable[[int], object]

REPORT: ContextVar[Tell | None] = ContextVar("what a task reports to", default=None)
"""Function called with the count of each report of the task that this thread does; None outside of workers."""


def all_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> list[Any]:
    """Return the results of a task for each of several arguments, in their order, done by the workers of a client.

    tell: called with the sum of what the tasks report.
    """
    return list(ring("workers").each_done(client, task, arguments, tell))


def workers_of(client: Any) -> Mapping[str, Any]:
    """Return the workers of a client by address, at least one, each with its ``memory_limit`` and ``nthreads``."""
    workers: Mapping[str, Any] = ring("workers").workers_of(client)
    return workers


def report(count: int) -> None:
    """Report from a task how much it has done; do nothing outside of workers."""
    tell = REPORT.get()
    if tell is not None:
        tell(count)
