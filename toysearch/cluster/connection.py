"""A connection to Dask workers: processes of this machine, or those of a scheduler that is running."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.argument_checks import checked
from toysearch.compiled.plain_or_compiled import beside
from toysearch.corpus.shares import not_in_files
from toysearch.errors import COPIES, ArgumentError, ToysearchError, ToysearchNote, note
from toysearch.optional_packages import of_cluster
from toysearch.wording import counted

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection

__all__ = ["connected"]

_SECONDS = 10  # for a scheduler to answer
_LOST = 60  # seconds without any worker after which none is expected again
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
        The number of processes to start on this machine; only this machine can reach them.
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
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)  # an error is one sentence, not a log of Dask
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
    """Processes of this machine, which nothing else can reach; killed ones are started again."""
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
    given: dict[str, Any] = {"address": cluster}
    if isinstance(cluster, str) and Path(cluster).is_file():
        given = {"scheduler_file": cluster}
    try:
        client = distributed.Client(**given, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error) or type(error).__name__
        raise ArgumentError(f"the cluster {cluster} does not answer: {reason}") from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=_SECONDS)


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
            futures.append(client.submit(_told, task, (topic, number), own, sharing, pure=False))
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
    task: Callable[..., Any], doing: tuple[str, int], arguments: tuple[Any, ...], sharing: int
) -> tuple[Any, list[str]]:
    """The result of a task in a worker, and its notes; sharing: how many tasks share the cores of the machine."""
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
