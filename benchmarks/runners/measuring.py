"""What all runners share: their command line, the time since their start, and one line of JSON as their result."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

SPAWNED = "BENCHMARK_SPAWNED"
"""The environment variable that holds the moment at which the process was started, by the clock of `perf_counter`."""


def arguments(task: str, *tasks: str, variants: Iterable[str] = ()) -> argparse.Namespace:
    """What benchmarks/run.py tells a runner: the folder of the workload, and what to do with it."""
    parser = argparse.ArgumentParser(description="Measure one tool on one workload; benchmarks/run.py starts this.")
    parser.add_argument("workload", type=Path)
    parser.add_argument("--task", choices=[task, *tasks], default=task)
    parser.add_argument("--variant", choices=list(variants))
    parser.add_argument("--index", type=Path, help="the folder of the saved index")
    parser.add_argument("--set", default="rare", help="the queries: rare or mix")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--queries", type=int, default=1_000, help="how many of them")
    return parser.parse_args()


def since_start() -> float:
    """The seconds since this process was started: Python itself and the imports so far."""
    return time.perf_counter() - float(os.environ[SPAWNED])


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Id and text of each line of a JSON Lines file."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield record["_id"], record["text"]


def versions(packages: Iterable[str]) -> str:
    """The names and versions of packages."""
    return ", ".join(f"{package} {version(package)}" for package in packages)


def report(result: dict[str, Any]) -> None:
    """Print the result as the last line, for the process that started this one."""
    sys.stdout.flush()
    print(json.dumps(result), flush=True)
