"""Whole processes, from the shell's view: what one command costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import asked_once
from peers import OURS, SEARCHERS
from plan import Plan, command, make, our_version, version_of
from processes import Job, Log, Unavailable, in_rounds
from report import Best, number, table, tools_of

NAME = "commands"
COLLECTION = "cranfield"

HOW = """\
Whole processes on one core, from the shell's view: the least time of several. The peak of a small process is that of
the one that starts it."""


def collections(plan: Plan) -> list[str]:
    """That of the saved indexes, and a judged one."""
    return [asked_once.workload(plan), COLLECTION]


def searches(plan: Plan) -> Iterator[Job]:
    """One query to the saved indexes of the first table, each tool its own."""
    name = asked_once.workload(plan)
    for tool in plan.tools(SEARCHERS):
        index = plan.cache / "indexes" / name / tool.family
        options = ("--task", "one", "--index", str(index), "--queries", "1")
        line = plan.runner("search", tool, plan.cache / name, *options)
        job = Job(NAME, name, tool.name, "one query", 0, line, version_of(tool), reads=index)
        yield job._replace(prepare=partial(_built, index))
        if tool == OURS:
            line = [command("toysearch"), "search", str(index), _first_query(plan.cache / name / "rare.jsonl")]
            yield job._replace(tool="toysearch search", command=line, prepare=partial(_built, index))


def _built(index: Path) -> None:
    if not (index / "built").exists():
        raise Unavailable(f"no index in {index}: run the table '{asked_once.NAME}' first")


def _first_query(path: Path) -> str:
    return str(json.loads(path.open(encoding="utf-8").readline())["text"]) if path.exists() else ""


def others(plan: Plan) -> Iterator[Job]:
    """Python, imports, and commands on a judged collection."""
    python, tool, scratch = sys.executable, command("toysearch"), plan.cache / "scratch"
    lines = {
        "python, nothing else": [python, "-c", "pass"],
        "import numpy": [python, "-c", "import numpy"],
        "import toysearch": [python, "-c", "import toysearch"],
        f"toysearch eval {COLLECTION}": [tool, "eval", COLLECTION, "--model", "bm25"],
        f"toysearch index {COLLECTION}": [tool, "index", COLLECTION, "-o", str(scratch / "index")],
    }
    for name, line in lines.items():
        prepare = partial(make, plan.cache / COLLECTION) if COLLECTION in name else lambda: None
        yield Job(NAME, COLLECTION, name, "process", 0, line, our_version(), prepare=prepare)


def jobs(plan: Plan) -> Iterator[Job]:
    """All of them, in rounds."""

    def turn(number: int) -> Iterator[Job]:
        for job in (*searches(plan), *others(plan)):
            yield job._replace(round=number)

    return in_rounds(plan.rounds, turn)


def tables(plan: Plan, log: Log) -> str:
    """Two tables: one query, and other commands."""
    parts = ["## Whole processes", HOW]
    for workload, part in zip(collections(plan), ("one query", "process"), strict=True):
        lines = log.of(NAME, workload)
        rows = []
        for tool in tools_of(lines):
            best = Best(lines, tool)
            rows.append([tool, number(best(part, "process")), number(best(part, "process_mb"))])
        if rows and workload != COLLECTION:
            parts.append(f"Open the saved index of {asked_once.title(workload)}, ask one query (k = 10):")
        parts += [table(["", "s", "peak MB"], rows)] if rows else []
    return "\n\n".join(parts) if len(parts) > 2 else ""
