"""The processes that a benchmark is made of: each is started, measured and logged; what is logged is not done again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
TIMEOUT = 3600
LONG = 20.0
"""A process that takes more seconds than this twice is not repeated; the first time it may fill a cache."""
SPAWNED = "BENCHMARK_SPAWNED"  # as in runners/measuring.py
Line = dict[str, Any]


class Unavailable(Exception):
    """Something that cannot be had on this machine; the message says why."""


class Job(NamedTuple):
    """A process to measure.

    Attributes
    ----------
    table : str
        What it is measured for.
    workload : str
        The name of the workload's folder, which also tells its size.
    tool : str
        What tables call the tool.
    part : str
        What the process does.
    round : int
        Which of its repetitions this is.
    command : list of str
        What starts it.
    version : str
        The state of the tool's source code; a line of the log with another one does not count.
    cores : int
        How many cores it may use; 0 is all.
    prepare : callable
        Makes what the process needs, where it is not there; raises `Unavailable`.
    reads : Path or None
        A folder whose files are read just before, so that they are in the page cache.
    makes : Path or None
        What the process leaves behind; if it is missing, the process runs again.
    """

    table: str
    workload: str
    tool: str
    part: str
    round: int
    command: list[str]
    version: str = ""
    cores: int = 1
    prepare: Callable[[], object] = lambda: None
    reads: Path | None = None
    makes: Path | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its line in the log from others."""
        return (self.table, self.workload, self.tool, self.part, str(self.round), self.version)


def key_of(line: Line) -> tuple[str, ...]:
    """The key of the job that a line of the log is about."""
    return tuple(str(line[name]) for name in ("table", "workload", "tool", "part", "round", "version_of_source"))


class Log:
    """The results so far, one line of JSON per process, in a file that grows.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []

    def add(self, line: Line) -> None:
        """Write a line."""
        self.lines.append(line)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def forget(self, forgotten: Callable[[Line], bool]) -> None:
        """Remove lines, so that their processes run again."""
        self.lines = [line for line in self.lines if not forgotten(line)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")

    def of(self, table: str, workload: str) -> list[Line]:
        """What was found for a table on a workload; of several states of a tool's code the last."""
        found = [line for line in self.lines if (line["table"], line["workload"]) == (table, workload)]
        latest = {line["tool"]: line["version_of_source"] for line in found}
        return [line for line in found if line["version_of_source"] == latest[line["tool"]]]


def run(jobs: Iterable[Job], log: Log) -> None:
    """Start the processes one after the other, those that the log does not have."""
    done = {key_of(line): line for line in log.lines}
    missing: set[str] = set()
    for job in jobs:
        keys = (job._replace(round=turn).key for turn in range(job.round))
        earlier = [done[key] for key in keys if key in done]
        if any(line["failure"] for line in earlier):
            continue
        if len(earlier) > 1 and min(line["process"] for line in earlier) > LONG:
            continue
        if job.key in done and (job.makes is None or job.makes.exists()):
            continue
        try:
            job.prepare()
        except Unavailable as error:
            if str(error) not in missing:
                print(f"left out: {error}", file=sys.stderr)
            missing.add(str(error))
            continue
        print(f"{job.workload}: {job.tool}, {job.part}, round {job.round + 1}", file=sys.stderr, flush=True)
        line = {**_described(job), **measured(job)}
        done[job.key] = line
        log.add(line)


def _described(job: Job) -> Line:
    """The beginning of the job's line in the log."""
    return {
        "table": job.table,
        "workload": job.workload,
        "tool": job.tool,
        "part": job.part,
        "round": job.round,
        "version_of_source": job.version,
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "load": os.getloadavg()[0],
    }


def measured(job: Job) -> Line:
    """Run a job's process: what it printed last as JSON, its wall time in seconds and its peak memory in MB."""
    read_through(job.reads)
    every = os.sched_getaffinity(0)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        os.sched_setaffinity(0, set(sorted(every)[-job.cores :]))  # a child inherits it
        began = time.perf_counter()
        environment[SPAWNED] = str(began)
        process = subprocess.Popen(job.command, stdout=output, stderr=errors, env=environment)
        os.sched_setaffinity(0, every)
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.perf_counter()
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        output.seek(0)
        errors.seek(0)
        lines, complaints = output.read().splitlines(), errors.read().strip().splitlines()
    if process.returncode:
        return {"failure": (complaints or [f"exit code {process.returncode}"])[-1]}
    whole = {"failure": "", "process": ended - began, "process_mb": usage.ru_maxrss * 1024 / 1e6}
    try:
        return {**dict(json.loads(lines[-1])), **whole}
    except (IndexError, TypeError, ValueError):
        return whole


def read_through(folder: Path | None) -> None:
    """Read the files of a folder, a megabyte at a time: the memory of this process would count as its child's."""
    for path in folder.rglob("*") if folder else ():
        if path.is_file():
            with open(path, "rb") as file:
                while file.read(1 << 20):
                    pass


def in_rounds(rounds: int, jobs: Callable[[int], Iterator[Job]]) -> Iterator[Job]:
    """The jobs of each round after those of the round before, so that a slow minute meets all tools alike."""
    for number in range(rounds):
        yield from jobs(number)
