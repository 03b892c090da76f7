"""What every tool goes through that says how good the ranking would be with other parameters.

Each script tweak_with_*.py has `prepare(documents, queries, qrels)`, which may do once whatever does not depend on the
parameters, and gives a function of k1 and b: the means of AP, nDCG@10 and P@10 over all queries, to depth 1000.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

from measuring import arguments, records, report, versions

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
    """Try one setting, then a grid of others, each once, and print the milliseconds of the first and of the others."""
    folder: Path = arguments("tweak").workload
    documents, queries = (dict(records(folder / name)) for name in ("corpus.jsonl", "queries.jsonl"))
    tweak = prepare(documents, queries, judgments(folder / "qrels"))
    started = time.perf_counter()
    values = tweak(1.2, 0.75)
    first = time.perf_counter()
    others = [setting for setting in SETTINGS if setting != (1.2, 0.75)]
    for k1, b in others:
        tweak(k1, b)
    mean = (time.perf_counter() - first) / len(others) * 1000
    result = {"first": (first - started) * 1000, "mean": mean, "values": values}
    report({**result, "version": versions(packages), "settings": settings})
