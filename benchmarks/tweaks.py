"""Other parameters, and the measures again: the one table of a warm process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peers import OURS, TWEAKERS
from plan import Plan, make, version_of
from processes import Job, Log, in_rounds
from report import Best, number, ratio, table, tools_of

NAME = "tweaks"
COLLECTION = "cranfield"

HOW = """\
The 225 queries of Cranfield to depth 1000, BM25; one core. A process prepares what does not depend on k1 and b, tries
one setting (*first*), then 29 others, each once: queries are repeated, and only the parameters are new. Milliseconds
per setting; the measures are those of k1 = 1.2, b = 0.75."""


def collections(plan: Plan) -> list[str]:
    """The one it is measured on."""
    return [COLLECTION]


def jobs(plan: Plan) -> Iterator[Job]:
    """Each tool once per round."""
    return in_rounds(plan.rounds, partial(_tried, plan))


def _tried(plan: Plan, turn: int) -> Iterator[Job]:
    prepare = partial(make, plan.cache / COLLECTION)
    for tool in plan.tools(TWEAKERS):
        line = plan.runner("tweak", tool, plan.cache / COLLECTION)
        yield Job(NAME, COLLECTION, tool.name, "tweak", turn, line, version_of(tool), prepare=prepare)


def tables(plan: Plan, log: Log) -> str:
    """One table."""
    lines = log.of(NAME, COLLECTION)
    values = {line["tool"]: line["values"] for line in lines if "values" in line}
    ours, rows = Best(lines, OURS.name)("tweak", "mean"), []
    for tool in filter(values.get, tools_of(lines)):
        best, found = Best(lines, tool), values[tool]
        mean = best("tweak", "mean")
        row = [tool, number(best("tweak", "first")), number(mean), ratio(mean, ours)]
        rows.append([*row, *(f"{value:.4f}" for value in found.values())])
    if not rows:
        return ""
    header = ["", "first", "the others", "×", *next(iter(values.values()))]
    return "\n\n".join(["## Repeated queries in a warm process: other parameters", HOW, table(header, rows)])
