"""The annexes: what stands beside the core, and is found through this table alone.

`course` teaches, `page` shows, `cluster` spreads work over machines, and `exchange` speaks with other tools. They use
public names of the core. The core imports none of them, and runs without their folders.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from toysearch.base.errors import ArgumentError

COMMANDS = {
    "serve": "toysearch.page.serve",
    "labs": "toysearch.course.shell.labs",
    "leaderboard": "toysearch.course.shell.leaderboard",
    "textbook": "toysearch.course.shell.textbook",
}
"""The commands of annexes, each with the module that holds its click command under the name NAME_command."""

ABILITIES = {
    "trec_eval": "toysearch.exchange.trec_eval",
    "workers": "toysearch.cluster.connection",
    "notebooks": "toysearch.course.grading.graded_notebook",
    "worked queries": "toysearch.course.textbook",
}
"""What the commands of the core can do with the help of an annex, each with the module that does it."""


def annex(name: str) -> ModuleType:
    """The module behind a command or an ability of the tables; refused if the folder of its annex is missing."""
    module = {**COMMANDS, **ABILITIES}[name]
    folder = ".".join(module.split(".")[:2])
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != folder:
            raise
        place = folder.replace(".", "/")
        raise ArgumentError(f"{name}: the folder {place} is missing from this installation of toysearch") from None


Tell = Callable[[int], object]

REPORT: ContextVar[Tell | None] = ContextVar("what a task reports to", default=None)
"""What is called with the count of each report of the task that this thread does; None outside of workers."""


def each_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> Iterator[Any]:
    """The result of a task for each of several arguments, in their order, each as soon as it and those before are done.

    The workers of the client do the tasks. tell: called with the sum of what the tasks report.
    """
    results: Iterator[Any] = annex("workers").each_done(client, task, arguments, tell)
    return results


def all_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> list[Any]:
    """The results of a task for several arguments, in their order, as `each_done` makes them."""
    return list(each_done(client, task, arguments, tell))


def workers_of(client: Any) -> Mapping[str, Any]:
    """The workers of a client by address, each with its ``memory_limit`` and ``nthreads``; there is at least one."""
    workers: Mapping[str, Any] = annex("workers").workers_of(client)
    return workers


def report(count: int) -> None:
    """Report from a task how much it has done; outside of workers, nothing."""
    tell = REPORT.get()
    if tell is not None:
        tell(count)
