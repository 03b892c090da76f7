"""A connection to Dask workers: processes of this machine, or those of a scheduler that is running."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import socket
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import COPIES, ArgumentError, ToysearchError, ToysearchNote, note
from toysearch.base.optional_packages import of_cluster
from toysearch.base.wording import counted
from toysearch.cluster.worker_versions import other_version, own_version, refuse_other_versions
from toysearch.compiled.plain_or_compiled import beside
from toysearch.corpus.shares import not_in_files

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection

__all__ = ["connected"]

_SECONDS = 10  # for a scheduler to answer
_LOST = 60  # seconds without any worker after which none is expected again
_ADDRESS = re.compile(r"[a-z]+://\S+|[^\s:/]+:\d+|\[[0-9a-fA-F:]+\]:\d+")
_TOPIC = "toysearch-progress"
_PAUSE = 0.2  # seconds between two reports of a task

Tell = Callable[[int], object]


@contextlib.contextmanager
@checked
def connected(workers: int | None = None, cluster: str | None = None, *, dashboard: bool = False) -> Iterator[Any]:
    """A client of Dask workers, which are closed at the end if they were started here.

    Parameters
    ----------
    workers : int, optional
        The number of processes to start on this machine. No other machine can reach them, but every user of this one
        can, and can run code as you: start none on a machine whose users you do not trust.
    cluster : str, optional
        The address of a scheduler that is running, such as ``tcp://HOST:8786``, or the path of its file.
    dashboard : bool
        Whether processes started here show what they do, at http://127.0.0.1:8787. Default False.

    Raises
    ------
    ArgumentError
        If both or neither are given, the extra is not installed, or the scheduler does not answer.
    """
    if (workers is None) == (cluster is None):
        raise ArgumentError("give a number of workers or the address of a cluster, one of them")
    if workers is not None and workers < 1:
        raise ArgumentError(f"the number of workers must be at least 1, not {workers}")
    distributed = of_cluster("distributed")
    for name in ("distributed", *(each for each in logging.root.manager.loggerDict if each.startswith("distributed."))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # an error is one sentence, not a log of Dask
    with contextlib.ExitStack() as stack:
        settings = {
            "distributed.comm.timeouts.connect": f"{_SECONDS}s",
            "distributed.admin.log-length": 0,
            # A worker is lost when its connection ends, not when this process was too busy for minutes to hear it.
            "distributed.scheduler.worker-ttl": None,
            "distributed.worker.profile.enabled": dashboard,  # only there is it seen
        }
        stack.enter_context(of_cluster("dask").config.set(settings))
        if workers is not None:
            cluster = stack.enter_context(_processes(distributed, workers, dashboard))
        yield stack.enter_context(_client(distributed, cluster))


@contextlib.contextmanager
def _processes(distributed: Any, workers: int, dashboard: bool) -> Iterator[Any]:
    """Processes that no other machine can reach; killed ones are started again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s)Port .* is already in use")  # the link names the other port
        made = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:8787" if dashboard else None,
            silence_logs=logging.CRITICAL + 1,
        )
    if dashboard:
        note(f"the workers show what they do at {made.dashboard_link}")
    try:
        yield made
    finally:
        with contextlib.suppress(Exception):
            made.close(timeout=_SECONDS)


@contextlib.contextmanager
def _client(distributed: Any, cluster: Any) -> Iterator[Any]:
    """A client of a cluster, given by itself, its address or the file of its scheduler."""
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
    """The address of a scheduler, given by itself or a file, once it has answered."""
    # A client of Dask tries for a long time, and then leaves a traceback.
    address = _address(cluster)
    try:
        socket.create_connection(distributed.comm.get_address_host_port(address), _SECONDS).close()

        async def kind() -> Any:
            async with distributed.rpc(address) as scheduler:
                return (await asyncio.wait_for(scheduler.identity(), _SECONDS))["type"]

        with ThreadPoolExecutor(1) as beside:  # a notebook has a loop already
            found = beside.submit(asyncio.run, kind()).result()
    except (OSError, ValueError, TypeError, LookupError, ImportError) as error:
        raise _silent(cluster, error) from None
    if found != "Scheduler":
        raise ArgumentError(f"{cluster} is not the scheduler of a cluster, but its {str(found).lower()}")
    return address


def _address(cluster: str) -> str:
    """The address of a scheduler, from its file or as it is given."""
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
            f"'{cluster}' is neither the address of a scheduler, such as tcp://HOST:8786, nor a file that is there"
        )
    return cluster


def _silent(cluster: Any, error: Exception) -> ArgumentError:
    """The error for a cluster that cannot be connected to."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return ArgumentError(f"the cluster {cluster} does not answer: {reason}")


def done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> list[Any]:
    """The results of a task for several arguments, in their order, as `each_done` makes them."""
    return list(each_done(client, task, arguments, tell))


def each_done(
    client: Any, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], tell: Tell | None = None
) -> Iterator[Any]:
    """The result of a task for each of several arguments, in their order, each as soon as it and those before are done.

    Workers do the tasks; one that ends is replaced, and its tasks are repeated. The notes of the tasks are issued here,
    each once. tell: called with the sum of what the tasks report.
    """
    distributed = of_cluster("distributed")
    sharing = min(_neighbours(workers_of(client)), len(arguments))
    reported: dict[int, int] = {}

    def hear(event: tuple[float, tuple[str, int, int]]) -> None:
        own, number, count = event[1]
        with hearing:
            if tell and own == topic:  # not of an earlier call, whose reports may come late
                reported[number] = max(count, reported.get(number, 0))
                tell(sum(reported.values()))

    topic, hearing = uuid.uuid4().hex, threading.Lock()
    said: set[str] = set()
    if tell:
        client.subscribe_topic(_TOPIC, hear)
    futures: list[Any] = []
    try:
        for number, own in enumerate(arguments):
            futures.append(client.submit(_told, task, (topic, number), own, sharing, own_version(), pure=False))
        futures.reverse()
        while futures:
            result, sentences = _result(client, futures.pop())
            for sentence in sentences:
                if sentence not in said:
                    said.add(sentence)
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
        futures.clear()  # which cancels those that are left
        if tell:
            with hearing:
                topic = ""
            with contextlib.suppress(Exception):
                client.unsubscribe_topic(_TOPIC)


def _result(client: Any, future: Any) -> Any:
    """The result of a task; refused if the processes that the command has started are all gone and none comes back."""
    gone = 0
    while True:
        try:
            return future.result(timeout=_SECONDS)
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
    """What Dask says of each worker of a client, by its address; there is at least one."""
    found: Mapping[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    if not found and client.cluster is not None:  # the command has started some, which are on their way
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=_LOST)
        found = client.scheduler_info(n_workers=-1)["workers"]
    if not found:
        raise ToysearchError("the cluster has no workers; start some, and run the command again")
    return found


def _neighbours(workers: Mapping[str, Any]) -> int:
    """The most tasks that a machine of the workers does at the same time."""
    together = Counter[str]()
    for worker in workers.values():
        together[worker["host"]] += worker["nthreads"]
    return max(together.values())


class SharedPlace(NamedTuple):
    """A file or a folder, or the name of a collection, that the command and its workers read."""

    path: str
    address: str = ""  # if the path is that of the command's copy

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> SharedPlace:
        """The place of what the command reads."""
        if not os.path.exists(source):
            return cls(os.fspath(source))
        return cls(os.path.abspath(source), COPIES.get(os.fspath(source), ""))

    def here(self) -> str:
        """The path in a worker, which makes its own copy if its machine lacks the command's."""
        if not self.address or os.path.exists(self.path):
            return self.path
        from toysearch.formats.remote_files import copy_like

        return str(copy_like(self.path, self.address))


def place_of_documents(collection: Collection) -> tuple[SharedPlace, dict[str, Any]]:
    """Where workers read the documents of a collection, and with which other arguments of `load`."""
    if collection.read_from is None:
        raise not_in_files(collection)
    place, reading = collection.read_from
    return SharedPlace(place, COPIES.get(place, "")), {**reading, "topics": False}


class _Doing:
    """What a worker does, and how much of it is done; it tells the command so at most a few times per second."""

    def __init__(self, topic: str, number: int) -> None:
        self._of, self._count, self._told = (topic, number), 0, 0.0

    def report(self, count: int) -> None:
        """Report how much is done."""
        self._count = count
        if time.monotonic() >= self._told + _PAUSE:
            self.tell()

    def tell(self) -> None:
        """Tell the command what was reported last."""
        self._told = time.monotonic()
        with contextlib.suppress(ValueError):  # not in a worker
            of_cluster("distributed").get_worker().log_event(_TOPIC, (*self._of, self._count))


_doing: ContextVar[_Doing | None] = ContextVar("the task of a worker", default=None)


def _told(
    task: Callable[..., Any], doing: tuple[str, int], arguments: tuple[Any, ...], sharing: int, ours: tuple[str, str]
) -> tuple[Any, list[str]]:
    """The result of a task in a worker, and its notes; sharing: how many tasks share the cores of the machine."""
    if ours != own_version():  # a worker that has come later than the command
        raise other_version(own_version(), ours)
    own = _Doing(*doing)
    before, token = _doing.set(own), beside.set(sharing)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ToysearchNote)
            result = task(*arguments)
        own.tell()
    finally:
        _doing.reset(before)
        beside.reset(token)
    return result, [str(each.message) for each in caught if issubclass(each.category, ToysearchNote)]


def report(count: int) -> None:
    """Report from a task how much it has done; outside of workers, nothing."""
    doing = _doing.get()
    if doing is not None:
        doing.report(count)
