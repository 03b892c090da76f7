"""What every tool goes through that says how good the ranking would be with other parameters.

Each script tweak_with_*.py has `prepare(documents, queries, qrels)`, which may do once whatever does not depend on the
parameters, and gives a function of k1 and b: the means of AP, nDCG@10 and P@10 over all queries, to depth 1000.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

from measuring import arguments, cores, no_garbage, records, report, versions

DEPTH = 1000
SETTINGS = list(itertools.product((0.6, 0.9, 1.2, 1.5, 2.0), (0.0, 0.25, 0.4, 0.5, 0.75, 0.9)))

Texts = dict[str, str]
Judgments = dict[str, dict[str, int]]
Tweak = Callable[[float, float], dict[str, float]]


def judgments(path: Path) -> Judgments:
    """Grades by query and document from a file in TREC's format."""
    found: Judgments = {}
    for line in path.read_text().splitlines():
        query_id, _, doc_id, grade = line.split()
        found.setdefault(query_id, {})[doc_id] = int(float(grade))
    return found


def main(prepare: Callable[[Texts, Texts, Judgments], Tweak], packages: tuple[str, ...], settings: str) -> None:
    """Try a grid of parameters and print the time of the fastest and the mean of all."""
    told = arguments("tweak")
    folder: Path = told.workload
    documents, queries = (dict(records(folder / name)) for name in ("corpus.jsonl", "queries.jsonl"))
    tweak = prepare(documents, queries, judgments(folder / "qrels"))
    times, values = [], tweak(1.2, 0.75)
    began = time.perf_counter()
    with no_garbage():
        for k1, b in SETTINGS * told.repeat:
            started = time.perf_counter()
            tweak(k1, b)
            times.append(time.perf_counter() - started)
            if time.perf_counter() - began > told.budget / 2:
                break
    result = {
        "least": min(times) * 1000,
        "mean": sum(times) / len(times) * 1000,
        "tweaks": len(times),
        "values": values,
    }
    report({**result, "cores": cores(), "version": versions(packages), "settings": settings})
