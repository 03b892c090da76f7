"""What every engine does: build an index from a file and save it; in another process, open it and answer queries.

Each script search_with_*.py defines an engine and calls `main`. A process answers one set of queries once, so every
query is answered for the first time.
"""

from __future__ import annotations

import itertools
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Protocol

from measuring import arguments, cores, records, report, since_start, versions

COMPARED = 200
"""The first ten documents of so many queries are compared."""


class Engine(Protocol):
    """A search engine under test."""

    packages: ClassVar[tuple[str, ...]]
    settings: ClassVar[str]

    def __init__(self, folder: Path, threads: int) -> None:
        """An engine whose index is in a folder, and which may use so many threads."""

    def build(self, corpus: Path) -> None:
        """Index the documents of a JSON Lines file, without their texts, and save the index into the empty folder."""

    def open(self) -> None:
        """Open the saved index."""

    def search(self, text: str, k: int) -> Any:
        """The k best documents."""

    def batch(self, texts: list[str], k: int) -> Any:
        """The k best documents for each of many queries, in one call."""

    def documents(self, hits: Any) -> list[str] | list[int]:
        """The ids or the numbers of the hits of one search; not timed."""


def one_by_one(engine: Engine, texts: list[str], k: int) -> dict[str, Any]:
    """Milliseconds: the first query, the mean of all, and the mean of all but the first."""
    started = time.perf_counter()
    engine.search(texts[0], k)
    first = time.perf_counter()
    for text in texts[1:]:
        engine.search(text, k)
    ended = time.perf_counter()
    return {
        "first": (first - started) * 1000,
        "mean": (ended - started) / len(texts) * 1000,
        "others": (ended - first) / max(1, len(texts) - 1) * 1000,
    }


def in_one_call(engine: Engine, texts: list[str], k: int) -> dict[str, Any]:
    """Milliseconds that all queries take together."""
    started = time.perf_counter()
    engine.batch(texts, k)
    return {"call": (time.perf_counter() - started) * 1000}


def first_ten(engine: Engine, texts: list[str], corpus: Path) -> dict[str, Any]:
    """The ids of the first ten documents of some queries."""
    found = [engine.documents(engine.search(text, 10)) for text in texts[:COMPARED]]
    names = [doc_id for doc_id, _ in records(corpus)]
    return {"top": [[names[hit] if isinstance(hit, int) else hit for hit in hits] for hits in found]}


def answered(engine: Engine, told: Namespace) -> dict[str, Any]:
    """What a fresh process takes to open the index and to answer."""
    texts = [text for _, text in itertools.islice(records(told.workload / f"{told.set}.jsonl"), told.queries)]
    started = time.perf_counter()
    engine.open()
    opened = {"open": (time.perf_counter() - started) * 1000}
    if told.task == "top":
        return first_ten(engine, texts, told.workload / "corpus.jsonl")
    return opened | (one_by_one if told.task == "one" else in_one_call)(engine, texts, told.k)


def main(make: Callable[[Path, int], Engine], **variants: Any) -> None:
    """Do what the command line says with an engine, or with one of several variants, and print the result."""
    result: dict[str, Any] = {"start": since_start() * 1000}
    told = arguments("build", "one", "batch", "top", variants=variants)
    made: Any = variants[told.variant] if told.variant else make
    engine: Engine = made(told.index, cores())
    if told.task == "build":
        told.index.mkdir(parents=True)
        engine.build(told.workload / "corpus.jsonl")
        result["size_mb"] = sum(path.stat().st_size for path in told.index.rglob("*") if path.is_file()) / 1e6
    else:
        result |= {**answered(engine, told), "whole": since_start() * 1000}
    report({**result, "version": versions(made.packages), "settings": made.settings})
