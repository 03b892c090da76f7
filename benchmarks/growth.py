"""How cost grows: the first table for toysearch alone, with 250,000, one million and four million documents."""

from __future__ import annotations

from collections.abc import Iterator

import asked_once
from peers import OURS
from plan import Plan, synthetic_name
from processes import Job, Log
from report import Best, number, pair, table

NAME = "growth"
DOCUMENTS = (250_000, 1_000_000, 4_000_000)

HOW = """\
toysearch from the file to the saved index, without the texts, whole process, all cores; then fresh processes on one
core that answer 1,000 different queries, each for the first time, as above (ms, rare / mix)."""


def counts(plan: Plan) -> list[int]:
    """The numbers of documents."""
    return [plan.count(full, full // 1_000) for full in DOCUMENTS]


def collections(plan: Plan) -> list[str]:
    """A collection for each of them."""
    return [synthetic_name(n) for n in counts(plan)]


def jobs(plan: Plan) -> Iterator[Job]:
    """Build and ask, the small ones first."""
    for collection in collections(plan):
        yield from asked_once.on(plan, NAME, collection, [OURS])


def tables(plan: Plan, log: Log) -> str:
    """Two tables: the index, and the queries."""
    built, asked = [], []
    for n, collection in zip(counts(plan), collections(plan), strict=True):
        best = Best(log.of(NAME, collection), OURS.name)
        seconds, size = best("build", "process"), best("build", "size_mb")
        if seconds and size:
            memory = number(best("build", "process_mb"))
            built.append([f"{n:,}", number(seconds), number(seconds / n * 1e6), memory, number(size / n * 1e6)])
        pairs = [pair(best, f"one {{}} {k}", "mean") for k in asked_once.K]
        pairs += [pair(best, f"batch {{}} {k}", "call") for k in asked_once.K]
        if best("one", "open"):
            asked.append([f"{n:,}", number(best("one", "open")), pair(best, "one {} 10", "first"), *pairs])
    if not built:
        return ""
    index = table(["documents", "index, s", "µs per document", "peak MB", "bytes per document"], built)
    queries = table(["documents", "open", "first", "k=10", "k=1000", "one call, k=10", "one call, k=1000"], asked)
    return "\n\n".join(["## How cost grows", HOW, index, queries])
