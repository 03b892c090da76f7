"""Evaluation, each in a fresh process: from files, from dicts, and the commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peers import EVALUATORS, OURS
from plan import Plan, command, evaluation_name, make, our_version, version_of
from processes import Job, Log, in_rounds
from report import Best, number, ratio, table, tools_of

NAME = "evaluation"
MEASURES = ("AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec")
PARTS = {"files": "files", "sorted": "dicts, names in order", "random": "dicts, names in random order"}

HOW = """\
A run of {queries} queries × 1,000 documents, 200 of them judged per query; seven measures. The first call of a fresh
process on one core, ms: *start* is Python with the imports of the tool (toysearch imports what it needs in the call);
*files* reads and scores two TREC files; *dicts* scores dicts of dicts that are in memory, with the documents of each
query in the order of their names, or in random order. *Whole* is the process that reads the files, from the shell's
view."""


def workload(plan: Plan) -> str:
    """The name of the folder of the run and the judgments."""
    return evaluation_name(plan.count(1_000, 50))


def collections(plan: Plan) -> list[str]:
    """The one it is measured on."""
    return [workload(plan)]


def commands(plan: Plan) -> dict[str, list[str]]:
    """The commands that score the two files."""
    run, qrels = (str(plan.cache / workload(plan) / name) for name in ("run", "qrels"))
    found = {
        "toysearch eval": [command("toysearch"), "eval", run, qrels, "-m", " ".join(MEASURES)],
    }
    if "ir_measures" in plan.available:
        found["ir_measures"] = [str(plan.python), "-m", "ir_measures", qrels, run, *MEASURES]
    return found


def jobs(plan: Plan) -> Iterator[Job]:
    """Each tool with files and dicts, then the commands, in rounds."""
    return in_rounds(plan.rounds, partial(_scored, plan))


def _scored(plan: Plan, turn: int) -> Iterator[Job]:
    name = workload(plan)
    folder, prepare = plan.cache / name, partial(make, plan.cache / name)
    for part in PARTS:
        for tool in plan.tools(EVALUATORS):
            line = plan.runner("evaluate", tool, folder, "--task", part)
            yield Job(NAME, name, tool.name, part, turn, line, version_of(tool), prepare=prepare, reads=folder)
    for tool, line in commands(plan).items():
        version = our_version() if OURS.name in tool else ""
        yield Job(NAME, name, tool, "command", turn, line, version, prepare=prepare, reads=folder)


def tables(plan: Plan, log: Log) -> str:
    """A table of the tools and one of the commands."""
    lines = log.of(NAME, workload(plan))
    if not lines:
        return ""
    ours, rows, whole = Best(lines, OURS.name), [], []
    values = {line["tool"]: line["values"] for line in lines if "values" in line}
    for tool in tools_of(lines):
        best = Best(lines, tool)
        if best("command", "process"):
            whole.append([f"`{tool}`", number(best("command", "process")), number(best("command", "process_mb"))])
        if tool not in values:
            continue
        row = [tool, number(best("files", "start"))]
        for part in PARTS:
            row += [number(best(part, "call")), ratio(best(part, "call"), ours(part, "call"))]
        row += [
            number((best("files", "process") or 0) * 1000),
            ratio(best("files", "process"), ours("files", "process")),
        ]
        rows.append([*row, number(best("files", "process_mb")), _difference(values, tool)])
    header = ["", "start", *(text for title in PARTS.values() for text in (title, "×")), "whole", "×", "peak MB"]
    queries = workload(plan).partition("-")[2].partition("x")[0]
    parts = ["## Evaluation", HOW.format(queries=f"{int(queries):,}"), table([*header, "mean differs by"], rows)]
    return "\n\n".join([*parts, "The commands, whole processes:", table(["", "s", "peak MB"], whole)])


def _difference(values: dict[str, dict[str, float]], tool: str) -> str:
    """The largest difference of a mean from ours."""
    ours = values.get(OURS.name, {})
    return f"{max((abs(value - ours[name]) for name, value in values[tool].items() if name in ours), default=0):.0e}"
