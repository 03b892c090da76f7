"""Workers that are this process: what goes to them and back is pickled, as between processes; and real processes."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
from on_windows import NO_CLOCK, NotOnWindows, has_a_clock_for_dask
from waiting import until

from toysearch.workbench.shards import connection

distributed = pytest.importorskip("distributed")

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that ends a process at once; Windows has one for it."""


def _no_clock(timer: Any) -> None:
    raise NotOnWindows(NO_CLOCK)


if not has_a_clock_for_dask():
    distributed.metrics._WindowsTime.resync = _no_clock


class WorkersHere:
    """A client of Dask as `each_done` uses it: a task is done when its result is asked for.

    limit: the memory limit of each worker, in bytes. lost: whether the scheduler ends before the first result.
    away: how often a result is asked for in vain while there are no workers. cluster: what the command has started.
    """

    def __init__(self, n: int = 2, limit: int = 0, lost: bool = False, away: int = 0, cluster: Any = None) -> None:
        self.workers = {
            f"tcp://127.0.0.1:{number + 1}": {"memory_limit": limit, "host": "127.0.0.1", "nthreads": 1}
            for number in range(n)
        }
        self.sent: list[int] = []  # the bytes of each task
        self.lost, self.away, self.cluster = lost, away, cluster

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1
        return {"workers": {} if self.sent and self.away else self.workers}

    def submit(self, function: Any, *arguments: Any, **_: Any) -> "_Later":
        data = cloudpickle.dumps((function, arguments))
        self.sent.append(len(data))
        return _Later(self, data)

    def run(self, function: Any, on_error: str = "raise") -> dict[str, Any]:
        return {address: cloudpickle.loads(cloudpickle.dumps(function))() for address in self.workers}

    def subscribe_topic(self, *_: Any) -> None:
        pass

    def unsubscribe_topic(self, *_: Any) -> None:
        pass


class _Later:
    def __init__(self, client: WorkersHere, data: bytes) -> None:
        self.client, self.data = client, data

    def done(self) -> bool:
        return False

    def result(self, timeout: float | None = None) -> Any:
        if self.client.away:
            self.client.away -= 1
            raise TimeoutError
        if self.client.lost:
            raise distributed.client.FutureCancelledError("task", "scheduler-connection-lost")
        function, arguments = cloudpickle.loads(self.data)
        try:
            return cloudpickle.loads(cloudpickle.dumps(function(*arguments)))
        except Exception as error:
            raise cloudpickle.loads(cloudpickle.dumps(error)) from None


def connect(monkeypatch: Any, client: Any) -> None:
    """Let the commands use a client."""

    @contextlib.contextmanager
    def connected(*_: Any, **__: Any) -> Iterator[Any]:
        yield client

    monkeypatch.setattr(connection, "connected", connected)


def settled(client: Any) -> Any:
    """A client of processes, when each one that a test has killed has been started again.

    One that is killed while it is being started stays away.
    """

    def runs() -> bool:
        nannies = client.cluster.workers.values()
        known = client.scheduler_info(n_workers=-1)["workers"]
        return len(known) == len(nannies) and all(each.status.name == "running" for each in nannies)

    until(runs)
    return client


SCHEDULER = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
WORKER = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--death-timeout", "60"]


@contextlib.contextmanager
def scheduler_with_workers(place: Path, workers: int, *options: str, **environment: str) -> Iterator[int]:
    """A scheduler in a process of its own, which writes the file at a place, with workers; its process id."""
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    own = ["--no-dashboard", "--scheduler-file", str(place)]
    scheduler = subprocess.Popen([*SCHEDULER, *own], **quiet)
    made = [scheduler]
    try:
        until(lambda: scheduler.poll() is not None or (place.exists() and place.read_text().endswith("}")))
        assert scheduler.poll() is None
        for _ in range(workers):
            made.append(subprocess.Popen([*WORKER, *own, *options], env={**os.environ, **environment}, **quiet))
        with connection.connected(str(place)) as client:
            client.wait_for_workers(workers, timeout=60)
        yield scheduler.pid
    finally:
        for process in made:
            process.kill()
            process.wait()
