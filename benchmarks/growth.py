"""How cost grows: the first table for 250,000, one, four and eight million documents, beside tantivy and PISA."""

from __future__ import annotations

from collections.abc import Iterator

import asked_once
from peers import SEARCHERS
from plan import Plan, synthetic_name
from processes import Job, Log
from report import Best, number, pair, table

NAME = "growth"
DOCUMENTS = (250_000, 1_000_000, 4_000_000, 8_000_000)
TOOLS = ("toysearch", "tantivy", "PISA, block-max MaxScore")

HOW = """\
From the file to the saved index, without the texts, whole process, all cores (tantivy writes with one thread, so that
it makes one segment); then fresh processes on one core that open the index and answer 1,000 different queries, each for
the first time, as above (ms, rare / mix)."""


def counts(plan: Plan) -> list[int]:
    """The numbers of documents."""
    return [plan.count(full, full // 1_000) for full in DOCUMENTS]


def collections(plan: Plan) -> list[str]:
    """A collection for each of them."""
    return [synthetic_name(n) for n in counts(plan)]


def jobs(plan: Plan) -> Iterator[Job]:
    """Build and ask, the small ones first; the first table has compared the documents."""
    tools = plan.tools(tuple(tool for tool in SEARCHERS if tool.name in TOOLS))
    for collection in collections(plan):
        found = asked_once.on(plan, NAME, collection, tools)
        yield from (job for job in found if not job.part.startswith("top "))


def tables(plan: Plan, log: Log) -> str:
    """Two tables: the index, and the queries."""
    built, asked = [], []
    for n, collection in zip(counts(plan), collections(plan), strict=True):
        lines = log.of(NAME, collection)
        for tool in TOOLS:
            of_index, best = Best(lines, tool.partition(",")[0]), Best(lines, tool)
            seconds, memory, size = (of_index("build", key) for key in ("process", "process_mb", "size_mb"))
            if seconds and memory and size:
                per_document = [number(seconds / n * 1e6), number(memory / n * 1e6), number(size / n * 1e6)]
                built.append([f"{n:,}", tool, number(seconds), *per_document])
            if best("one", "open"):
                pairs = [pair(best, f"one {{}} {k}", "mean") for k in asked_once.K]
                pairs += [pair(best, f"batch {{}} {k}", "call") for k in asked_once.K]
                asked.append([f"{n:,}", tool, number(best("one", "open")), pair(best, "one {} 10", "first"), *pairs])
    if not built:
        return ""
    index = ["documents", "", "index, s", "µs per document", "MB of memory per million", "bytes per document"]
    queries = ["documents", "", "open", "first", "k=10", "k=1000", "one call, k=10", "one call, k=1000"]
    return "\n\n".join(["## How cost grows", HOW, table(index, built), table(queries, asked)])
