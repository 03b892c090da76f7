"""What every evaluator goes through: read a run and judgments and score them, then score what has been read.

Each script evaluate_with_*.py has two functions, `read(run, qrels)` and `score(parsed)`, which gives the mean of each
measure over all queries under the names of MEASURES.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import arguments, cores, fastest, peak, report, reset_peak, versions

MEASURES = ("AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec")

Read = Callable[[Path, Path], Any]
Score = Callable[[Any], dict[str, float]]


def main(read: Read, score: Score, packages: tuple[str, ...], settings: str) -> None:
    """Do what the command line says and print the result."""
    told = arguments("evaluate", "once")
    run, qrels = told.workload / "run", told.workload / "qrels"
    result: dict[str, Any] = {"cores": cores()}
    if told.task == "once":
        result["values"] = score(read(run, qrels))
    else:
        before = reset_peak()
        result["first"] = fastest(lambda: score(read(run, qrels)), 1, 0).seconds
        files = fastest(lambda: score(read(run, qrels)), told.repeat, told.budget)
        result |= {"files": files.seconds, "files_cpu": files.cpu, "peak_mb": peak() - before, "values": files.result}
        parsed = read(run, qrels)
        score(parsed)
        memory = fastest(lambda: score(parsed), told.repeat, told.budget)
        result |= {"memory": memory.seconds, "memory_cpu": memory.cpu, "repeats": files.repeats}
    report({**result, "version": versions(packages), "settings": settings})
