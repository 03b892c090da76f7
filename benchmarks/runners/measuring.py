"""The clock and the memory that all runners measure with, and what they print: one line of JSON."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple


class Timing(NamedTuple):
    """The fastest of some calls: seconds on the clock and of the processor, how many calls, what the last returned."""

    seconds: float
    cpu: float
    repeats: int
    result: Any


def arguments(task: str, *tasks: str, variants: Iterable[str] = ()) -> argparse.Namespace:
    """What benchmarks/run.py tells a runner: the workload's folder, and how to measure."""
    parser = argparse.ArgumentParser(description="Measure one tool on one workload; benchmarks/run.py starts this.")
    parser.add_argument("workload", type=Path)
    parser.add_argument("--task", choices=[task, *tasks], default=task)
    parser.add_argument("--variant", choices=list(variants))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds after which nothing is repeated once more")
    return parser.parse_args()


def fastest(function: Callable[[], Any], repeat: int, budget: float) -> Timing:
    """Call a function several times, without looking for garbage meanwhile; not again after so many seconds."""
    best = Timing(float("inf"), float("inf"), 0, None)
    started = time.perf_counter()
    with no_garbage():
        for turn in range(1, repeat + 1):
            best = best._replace(result=None)  # what the call before returned is not kept beside the new
            clock, cpu = time.perf_counter(), time.process_time()
            result = function()
            clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
            best = Timing(min(best.seconds, clock), min(best.cpu, cpu), turn, result)
            if time.perf_counter() - started > budget:
                break
    return best


@contextmanager
def no_garbage() -> Iterator[None]:
    """Collect garbage now and not again before the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def reset_peak() -> float:
    """Forget the highest memory so far; what is in use now, in MB."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _memory("VmRSS")


def peak() -> float:
    """The highest memory since `reset_peak`, in MB."""
    return _memory("VmHWM")


def _memory(field: str) -> float:
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) * 1024 / 1e6


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Id and text of each line of a JSON Lines file."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield record["_id"], record["text"]


def size_of(folder: Path) -> float:
    """The bytes of a folder's files in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def versions(packages: Iterable[str]) -> str:
    """The names and versions of packages."""
    return ", ".join(f"{package} {version(package)}" for package in packages)


def report(result: dict[str, Any]) -> None:
    """Print the result as the last line, for the one who started this process."""
    sys.stdout.flush()
    print(json.dumps(result), flush=True)
