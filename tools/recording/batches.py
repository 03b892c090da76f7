"""Runs batches of calls, each in a process of its own that a parent with everything imported forks.

No batch sees what another one left in memory, so the record is the same with any number of workers. A batch that dies
is a line of the record, not the end of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 300
"""CPU seconds after which a batch is killed, whatever it does."""
CALL_SECONDS = 20.0
"""CPU seconds after which a call is ended; of the process, so that other work on the machine changes nothing."""

Line = dict[str, Any]


class OutOfTime(BaseException):
    """What ends a call after its time limit; nothing catches it but the recorder."""


class Batch(NamedTuple):
    """Calls that share a process and a folder."""

    part: str
    name: str
    lines: Callable[[], Iterable[Line]]


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """End what a block does after some CPU seconds."""

    def ring(*_: object) -> None:
        raise OutOfTime

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, CALL_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def recorded(batches: Iterable[Batch], workers: int, folder: Path) -> Iterator[list[Line]]:
    """The lines of each batch, in the order of the batches."""
    waiting, running, ended, given = [*batches], {}, {}, 0
    for number, batch in enumerate(waiting):
        while given < len(waiting) and len(running) < workers:
            running[_fork(waiting[given], folder / str(given))] = given
            given += 1
        while number not in ended:
            pid, status = os.wait()
            ended[running.pop(pid)] = status
            if given < len(waiting):
                running[_fork(waiting[given], folder / str(given))] = given
                given += 1
        yield _read(batch, folder / str(number), ended.pop(number))


def _fork(batch: Batch, place: Path) -> int:
    """Start a process that writes the lines of a batch to `place`.jsonl; it works in the folder `place`."""
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        place.mkdir()
        os.chdir(place)
        tempfile.tempdir = str(place)
        os.environ.update(HOME=str(place), TOYSEARCH_CACHE=str(place / ".cache"))
        with place.with_suffix(".jsonl").open("w", encoding="utf-8", errors="backslashreplace") as out:
            for line in batch.lines():
                out.write(json.dumps(line, default=repr, sort_keys=True) + "\n")
                out.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _read(batch: Batch, place: Path, status: int) -> list[Line]:
    """The lines that a batch wrote, and one more if it did not end well."""
    written = place.with_suffix(".jsonl")
    rows = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
    lines = [{"part": batch.part, "case": batch.name, **json.loads(row)} for row in rows]
    if status:
        lines.append({"part": batch.part, "case": batch.name, "call": "end of the batch", "died": status})
    return lines
