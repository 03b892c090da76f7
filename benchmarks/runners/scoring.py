"""What every evaluator does, once in a fresh process: score a run against judgments, from files or from dicts.

Each script evaluate_with_*.py has three functions: `read(run, qrels)` reads TREC files, `take(run, qrels)` takes dicts
of dicts, and `score(taken)` gives the mean of each measure over all queries under the names of MEASURES.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import arguments, report, since_start, versions

MEASURES = ("AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec")

Read = Callable[[Path, Path], Any]
Run = dict[str, dict[str, float]]
Judgments = dict[str, dict[str, int]]
Take = Callable[[Run, Judgments], Any]
Score = Callable[[Any], dict[str, float]]


def dicts(run: Path, qrels: Path, order: str) -> tuple[Run, Judgments]:
    """A run and judgments as dicts of dicts, the documents of each query by their names or at random."""
    scores: Run = {}
    for line in run.read_text().splitlines():
        query_id, _, doc_id, _, score, _ = line.split()
        scores.setdefault(query_id, {})[doc_id] = float(score)
    grades: Judgments = {}
    for line in qrels.read_text().splitlines():
        query_id, _, doc_id, grade = line.split()
        grades.setdefault(query_id, {})[doc_id] = int(grade)
    return _ordered(scores, order), _ordered(grades, order)


def _ordered(values: dict[str, dict[str, Any]], order: str) -> dict[str, dict[str, Any]]:
    rng, found = random.Random(0), {}
    for query_id, row in values.items():
        pairs = sorted(row.items())
        if order == "random":
            rng.shuffle(pairs)
        found[query_id] = dict(pairs)
    return found


def main(read: Read, take: Take, score: Score, packages: tuple[str, ...], settings: str) -> None:
    """Do what the command line says and print the milliseconds that it took, and the means."""
    start = since_start() * 1000
    told = arguments("files", "sorted", "random")
    run, qrels = told.workload / "run", told.workload / "qrels"
    given: Any = (run, qrels) if told.task == "files" else dicts(run, qrels, told.task)
    started = time.perf_counter()
    values = score((read if told.task == "files" else take)(*given))
    call = (time.perf_counter() - started) * 1000
    report({"start": start, "call": call, "values": values, "version": versions(packages), "settings": settings})
