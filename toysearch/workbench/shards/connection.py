"""Connection to Dask workers: processes of this machine, or those of a scheduler that is running."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
import multiprocessing.connection
import re
import socket
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from toysearch.base import (
    ArgumentError,
    Tell,
    ToysearchError,
    ToysearchNote,
    awaited,
    counted,
    loading,
    note,
    pool,
    refuse_in_a_tab,
    totals,
)
from toysearch.base.interrupts import Interruptible
from toysearch.base.platform import beside, spare_interrupts
from toysearch.base.worker_tasks import REPORT

__all__ = ["connected"]

_SECONDS = 10  # for a scheduler to answer
_LOST = 60  # seconds without any worker after which none is expected again
_ADDRESS = re.compile(r"[a-z]+://\S+|[^\s:/]+:\d+|\[[0-9a-fA-F:]+\]:\d+")
_TOPIC = "toysearch-progress"
_LOOK = 0.2  # seconds between two answers to Ctrl-C
_PAUSE = 0.2  # seconds between two reports of a task

Version = tuple[str, str]
"""Version of toysearch, and the checksum of its code."""


@contextlib.contextmanager
def connected(workers: int | str) -> Iterator[Any]:
    """Yield a client of Dask workers, which are closed at the end if they were started here.

    Parameters
    ----------
    workers : int or str
        The number of processes to start on this machine. No other machine can reach them, but every user of this one
        can, and can run code as you: start none on a machine whose users you do not trust. Or the address of a
        scheduler that is running, such as ``tcp://HOST:8786``, or the path of its file.

    Raises
    ------
    ArgumentError
        If the number is 0, the extra is not installed, or the scheduler does not answer.
    """
    if isinstance(workers, int) and workers < 1:
        raise ArgumentError(f"the number of workers must be at least 1, not {workers}")
    refuse_in_a_tab("workers", "work in this process, without workers")
    distributed = _dask("distributed")
    loggers = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in ("distributed", *loggers):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # an error is one sentence, not a log of Dask
    with contextlib.ExitStack() as stack:
        settings = {
            # A process that is started again on a busy machine may need long to reach the scheduler.
            "distributed.comm.timeouts.connect": f"{_LOST if isinstance(workers, int) else _SECONDS}s",
            "distributed.admin.log-length": 0,
            # A worker is lost when its connection ends, not when this process was too busy for minutes to hear it.
            "distributed.scheduler.worker-ttl": None,
            "distributed.worker.profile.enabled": False,  # nobody looks at it
        }
        stack.enter_context(_dask("dask").config.set(settings))
        cluster = stack.enter_context(_processes(distributed, workers)) if isinstance(workers, int) else workers
        yield stack.enter_context(_client(distributed, cluster))


def _dask(module: str) -> Any:
    with loading("workers need the package {}", "a part of an extra: pip install 'toysearch[cluster]'", module):
        return importlib.import_module(module)


@contextlib.contextmanager
def _processes(distributed: Any, workers: int) -> Iterator[Any]:
    """Start processes that no other machine can reach; killed ones are started again, until the last is ended."""
    others = {*multiprocessing.active_children()}

    def kill() -> None:
        for process in {*multiprocessing.active_children()} - others:
            with contextlib.suppress(ValueError):  # it has ended
                process.kill()
                multiprocessing.connection.wait([process.sentinel])

    def start() -> Any:
        spare_interrupts()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s)Port .* is already in use")  # then another one is taken
            return distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.CRITICAL + 1,
            )

    with pool(1) as thread:
        starting = thread.submit(start)
        try:
            cluster = awaited(starting)
            cluster.kill_processes = kill
            yield cluster
            with contextlib.suppress(Exception):
                cluster.close(timeout=_SECONDS)
        except BaseException:
            # They may be at work for long, or still be starting, or be started again.
            ending = thread.submit(lambda: starting.result().close(timeout=_SECONDS))
            while not ending.done():
                kill()
                time.sleep(_LOOK)
            raise


@contextlib.contextmanager
def _client(distributed: Any, cluster: Any) -> Iterator[Any]:
    address = _answering(distributed, cluster) if isinstance(cluster, str) else cluster
    try:
        client = distributed.Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise _silent(cluster, error) from None
    try:
        refuse_other_versions(client)
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=_SECONDS)


def _answering(distributed: Any, cluster: str) -> str:
    """Return the address of a scheduler, given by itself or a file, once it has answered."""
    # A client of Dask tries for a long time, and then leaves a traceback.
    address = _address(cluster)
    try:
        socket.create_connection(distributed.comm.get_address_host_port(address), _SECONDS).close()

        async def kind() -> Any:
            async with distributed.rpc(address) as scheduler:
                return (await asyncio.wait_for(scheduler.identity(), _SECONDS))["type"]

        with pool(1) as thread:  # a notebook has a loop already
            answer = str(awaited(thread.submit(asyncio.run, kind())))
    except (OSError, ValueError, TypeError, LookupError, ImportError) as error:
        raise _silent(cluster, error) from None
    if answer != "Scheduler":
        raise ArgumentError(f"{cluster} is not the scheduler of a cluster, but its {answer.lower()}")
    return address


def _address(cluster: str) -> str:
    path = Path(cluster)
    if path.is_file():
        try:
            address = json.loads(path.read_bytes())["address"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            address = None
        if not isinstance(address, str):
            raise ArgumentError(
                f"{cluster} is not the file of a scheduler; dask scheduler --scheduler-file {cluster} writes it"
            )
        return address
    if not _ADDRESS.fullmatch(cluster):
        raise ArgumentError(
            f"'{cluster}' is neither a number of processes from 1 on, nor the address of a scheduler, such as "
            "tcp://HOST:8786, nor a file that is there"
        )
    return cluster


def _silent(cluster: Any, error: Exception) -> ArgumentError:
    reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return ArgumentError(f"the cluster {cluster} does not answer: {reason}")


def each_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> Iterator[Any]:
    """Yield the results of a task for several arguments, in their order, each as soon as it can be.

    Workers do the tasks; one that ends is replaced, and its tasks are repeated. The notes of the tasks are issued here,
    each once. tell: called with the sum of what the tasks report.
    """
    distributed = _dask("distributed")
    together = totals((worker["host"], worker["nthreads"]) for worker in workers_of(client).values())
    sharing = min(max(together.values()), len(arguments))  # the most tasks that a machine does at the same time
    reported: dict[int, int] = {}

    def hear(event: tuple[float, tuple[str, int, int]]) -> None:
        source, number, count = event[1]
        with hearing:
            if tell and source == topic:  # not of an earlier call, whose reports may come late
                reported[number] = max(count, reported.get(number, 0))
                tell(sum(reported.values()))

    topic, hearing = uuid.uuid4().hex, threading.Lock()
    issued: set[str] = set()
    if tell:
        client.subscribe_topic(_TOPIC, hear)
    futures = []
    try:
        for number, values in enumerate(arguments):
            reports = _Reports(topic, number)
            futures.append(client.submit(_done_here, task, reports, values, sharing, own_version(), pure=False))
        futures.reverse()
        while futures:
            result, sentences = _result(client, futures[-1])
            futures.pop()
            for sentence in sentences:
                if sentence not in issued:
                    issued.add(sentence)
                    note(sentence)
            yield result
    except ToysearchError:
        raise
    except distributed.KilledWorker as error:
        raise ToysearchError(
            f"{counted(error.allowed_failures + 1, 'worker')} ended while doing the same task, perhaps for want of "
            "memory; nothing is changed: give workers more memory, or take more shards"
        ) from None
    except (distributed.client.FutureCancelledError, distributed.CancelledError, OSError) as error:
        raise ToysearchError(
            f"the scheduler of the cluster is gone ({type(error).__name__}); nothing is changed"
        ) from None
    finally:
        if futures:
            futures.clear()  # which cancels them
            getattr(client.cluster, "kill_processes", bool)()  # they write no more to folders that will be removed
        if tell:
            with hearing:
                topic = ""
            with contextlib.suppress(Exception):
                client.unsubscribe_topic(_TOPIC)


def _result(client: Any, future: Any) -> Any:
    """Return the result of a task; refuse it if all processes that the command started are gone for good."""
    gone = 0
    while True:
        for _ in range(round(_SECONDS / _LOOK)):
            try:
                with Interruptible():
                    return future.result(timeout=_LOOK)
            except TimeoutError:
                if future.done():  # meanwhile, or the task itself has raised it
                    return future.result()
        gone = 0 if client.scheduler_info(n_workers=-1)["workers"] else gone + 1
        if client.cluster is None:  # others started it, and may start workers
            if gone == 1:
                note("the cluster has no workers at the moment; this command waits for some")
        elif gone * _SECONDS >= _LOST:
            raise ToysearchError("all workers have ended and none has started again; nothing is changed")


def workers_of(client: Any) -> Mapping[str, Any]:
    """Return what Dask says of each worker of a client, by its address; refuse a cluster without any."""
    workers: Mapping[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    if not workers and client.cluster is not None:  # the command has started some, which are on their way
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=_LOST)
        workers = client.scheduler_info(n_workers=-1)["workers"]
    if not workers:
        raise ToysearchError("the cluster has no workers; start some, and run the command again")
    return workers


class _Reports:
    """Count of what a worker has done of a task; the command hears of it at most a few times per second."""

    def __init__(self, topic: str, number: int) -> None:
        self._task, self._count, self._sent = (topic, number), 0, 0.0

    def __call__(self, count: int) -> None:
        self._count = count
        if time.monotonic() >= self._sent + _PAUSE:
            self.send()

    def send(self) -> None:
        self._sent = time.monotonic()
        with contextlib.suppress(ValueError):  # not in a worker
            _dask("distributed").get_worker().log_event(_TOPIC, (*self._task, self._count))


def _done_here(
    task: Callable[..., Any], reports: _Reports, arguments: tuple[Any, ...], sharing: int, version: Version
) -> tuple[Any, list[str]]:
    """Do a task in a worker; return its result and its notes.

    sharing: how many tasks share the cores of the machine.
    """
    if version != own_version():  # a worker that has come later than the command
        raise other_version(own_version(), version)
    report_token, cores_token = REPORT.set(reports), beside.set(sharing)
    try:
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", ToysearchNote)
            result = task(*arguments)
        reports.send()
    finally:
        REPORT.reset(report_token)
        beside.reset(cores_token)
    return result, [str(entry.message) for entry in notes if issubclass(entry.category, ToysearchNote)]


def refuse_other_versions(client: Any) -> None:
    """Refuse a cluster that has a worker with another toysearch."""
    if client.cluster is not None:  # the command has started them
        return
    for address, theirs in client.run(_asking(), on_error="return").items():
        if theirs != own_version():
            raise other_version(theirs, own_version(), f"the worker {address}")


def other_version(theirs: Any, ours: Version, who: str = "a worker") -> ToysearchError:
    """Return the error for a worker with another version and checksum, or the error of a worker that was asked."""
    way_out = "start every worker in the environment of this command"
    if not isinstance(theirs, tuple):
        return ToysearchError(f"{who} cannot import toysearch; {way_out}")
    if theirs[0] == ours[0]:
        return ToysearchError(f"{who} has toysearch {theirs[0]} with other code than this command; {way_out}")
    return ToysearchError(f"{who} has toysearch {theirs[0]}, and this command {ours[0]}; {way_out}")


@cache
def own_version() -> Version:
    """Return the version of toysearch in this process, and the checksum of its code."""
    version: Version = _asking()()
    return version


def _asking() -> Callable[[], Version]:
    """Return a function that goes to a worker with its code, because a worker with another toysearch may lack it."""

    def version_and_checksum() -> Version:
        import hashlib
        from pathlib import Path

        import toysearch

        package, code = Path(toysearch.__file__).parent, hashlib.sha256()
        for path in sorted(package.rglob("*.py")):
            code.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
        return toysearch.__version__, code.hexdigest()

    return version_and_checksum
