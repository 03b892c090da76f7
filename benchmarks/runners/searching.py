"""What every engine goes through: build, answer one query at a time, answer all at once, save.

Each script search_with_*.py defines an engine and calls `main`. Times of queries are from the text of the query to
the hits as the engine gives them, whether document numbers or ids.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from measuring import arguments, cores, fastest, no_garbage, peak, records, report, reset_peak, size_of, versions

K = (10, 1000)
COMPARED = 200
"""So many queries' first ten documents are compared."""


class Engine(Protocol):
    """A search engine under test. It is made anew for each build."""

    packages: ClassVar[tuple[str, ...]]
    settings: ClassVar[str]

    def __init__(self, folder: Path, threads: int) -> None:
        """An engine that may write into an empty folder and use so many threads."""

    def take(self, documents: Iterable[tuple[str, str]]) -> Any:
        """The documents in the form in which the engine wants them in memory; not timed."""

    def build(self, documents: Any) -> None:
        """Make an index that is ready for queries."""

    def save(self) -> Path | None:
        """Put the index down, without the texts, and say in which folder; None if it has no such thing."""

    def analyse(self, text: str) -> Any:
        """The query as the engine's searching function takes it."""

    def search(self, text: str, k: int) -> Any:
        """The k best documents."""

    def batch(self, texts: list[str], k: int) -> Any:
        """The k best documents for each of many queries."""

    def doc_ids(self, hits: Any) -> list[str]:
        """The ids of the hits of one search; not timed."""


Make = Callable[[Path, int], Engine]


def one_by_one(engine: Engine, texts: list[str], k: int, told: Namespace) -> dict[str, Any]:
    """Mean, median and 99th percentile of the time of a query in ms, each query's the minimum of several rounds.

    The first round ends after a quarter of the budget, the others after a twelfth: then it is so many queries less.
    """
    best = [float("inf")] * len(texts)
    first = 0.0
    with no_garbage():
        for turn in range(told.repeat + 1):
            began = time.perf_counter()
            for number, text in enumerate(texts):
                started = time.perf_counter()
                engine.search(text, k)
                ended = time.perf_counter()
                best[number] = min(best[number], ended - started)
                if ended - began > told.budget / (12 if turn else 4):
                    texts = texts[: number + 1]
                    break
            if not turn:
                first = (time.perf_counter() - began) / len(texts)
    times = sorted(seconds * 1000 for seconds in best[: len(texts)])
    return {
        "queries": len(times),
        "first": first * 1000,
        "mean": sum(times) / len(times),
        "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100],
    }


def built(make: Make, scratch: Path, told: Namespace) -> tuple[Engine, dict[str, Any]]:
    """The engine with its index, and what building it took."""
    documents = make(scratch, cores()).take(records(told.workload / "corpus.jsonl"))
    peaks, before = [], reset_peak()

    def build() -> Engine:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        engine = make(scratch, cores())
        engine.build(documents)
        peaks.append(peak() - before)
        return engine

    timing = fastest(build, told.repeat, told.budget)
    taken = {"seconds": timing.seconds, "cpu": timing.cpu, "repeats": timing.repeats, "peak_mb": peaks[0]}
    return timing.result, {"index": taken}


def queries_of(workload: Path) -> dict[str, list[str]]:
    """The texts of each set of queries in a workload's folder."""
    files = [path for path in sorted(workload.glob("*.jsonl")) if path.stem != "corpus"]
    return {path.stem: [text for _, text in records(path)] for path in files}


def measure(make: Make, scratch: Path, told: Namespace) -> dict[str, Any]:
    """Build and search; with all cores only what they change."""
    engine, result = built(make, scratch, told)
    full = told.task == "search"
    sets = queries_of(told.workload)
    engine.search("nothing", 10)  # what is compiled or loaded at the first call is not a query's time
    engine.batch(["nothing"] * 2, 10)
    if full:
        result["one"] = {name: {str(k): one_by_one(engine, texts, k, told) for k in K} for name, texts in sets.items()}
        texts = [text for texts in sets.values() for text in texts]
        seconds = fastest(lambda: [engine.analyse(text) for text in texts], told.repeat, told.budget).seconds
        result["analysis"] = seconds / len(texts) * 1000
        result["top"] = {
            name: [engine.doc_ids(engine.search(text, 10)) for text in texts[:COMPARED]] for name, texts in sets.items()
        }
        folder = engine.save()
        result["size_mb"] = size_of(folder) if folder else None
    # An engine that needs long for one query is not asked a thousand at once.
    slow = full and any(found["10"]["queries"] < len(sets[name]) / 5 for name, found in result["one"].items())
    if not slow:
        result["batch"] = {name: {str(k): _speed(engine, texts, k, told) for k in K} for name, texts in sets.items()}
    return result


def _speed(engine: Engine, texts: list[str], k: int, told: Namespace) -> float:
    """Queries a second when all are put at once."""
    return len(texts) / fastest(partial(engine.batch, texts, k), told.repeat, told.budget / 4).seconds


def main(make: Any, **variants: Any) -> None:
    """Do what the command line says with an engine, or with one of several variants, and print the result."""
    told = arguments("search", "cores", "save", variants=variants)
    make = variants[told.variant] if told.variant else make
    result: dict[str, Any] = {"cores": cores()}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder, "index")
        if told.task == "save":
            scratch.mkdir()
            engine = make(scratch, cores())
            engine.build(engine.take(records(told.workload / "corpus.jsonl")))
            saved = engine.save()
            result["size_mb"] = size_of(saved) if saved else None
        else:
            result |= measure(make, scratch, told)
    report({**result, "version": versions(make.packages), "settings": make.settings})
