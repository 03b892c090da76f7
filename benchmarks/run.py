"""toysearch and its peers on the same work, asked for the first time: make bench.

    python benchmarks/run.py                    what is not measured yet; writes RESULTS.md
    python benchmarks/run.py once growth        some tables only, printed: once, evaluation, growth, scale, …
    python benchmarks/run.py once --again       measure it anew
    python benchmarks/run.py once --tool PISA   only toysearch and the tools whose names contain this
    python benchmarks/run.py once --scale 0.02  a fiftieth of the documents, printed
    python benchmarks/run.py --smoke            half a minute, with what is installed beside toysearch

A whole run writes benchmarks/RESULTS.md. In full size, `once` is also written into docs/understand/speed.md, and
`scale` into benchmarks/SCALE.md, which quote nothing else. Every process is logged in measured.jsonl in the cache
folder when it ends, so a run that is cut short goes on where it stopped. What toysearch did with other source code is
measured again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import asked_once
import commands
import evaluation
import growth
import report
import scale
import tweaks
from peers import OURS, environment, installed
from plan import Plan, user_cache
from processes import HERE, Line, Log, run

RESULTS, DOCS = HERE / "RESULTS.md", HERE.parent / "docs"
QUOTING = {
    asked_once.NAME: (DOCS / "understand" / "speed.md", asked_once.quotation),
    scale.NAME: (HERE / "SCALE.md", scale.quotation),
}
"""The pages that quote a table: nothing else in them is measured."""
TABLES = {module.NAME: module for module in (asked_once, evaluation, growth, scale, commands, tweaks)}
NOT_IN_SMOKE = ("growth", "scale", "numba", "rank_bm25")
"""The first table with other numbers; workers, whose start takes seconds; what bm25s compiles anew in each process;
seconds for each setting."""


def options_given() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)} (default: all)")
    parser.add_argument("--again", action="store_true", help="measure anew what is in the log")
    parser.add_argument("--tool", default="", help="besides toysearch only tools whose names contain this")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the documents and queries (default 1)")
    parser.add_argument("--rounds", type=int, default=5, help="processes, of which the fastest counts (default 5)")
    parser.add_argument("--cache", type=Path, help="where workloads, indexes and peers are kept; default: the user's")
    parser.add_argument("--smoke", action="store_true", help="small, with the tools that are installed here")
    options = parser.parse_args()
    if unknown := [name for name in options.tables if name not in TABLES]:
        parser.error(f"no table '{unknown[0]}'; the tables: {', '.join(TABLES)}")
    return options


def planned(options: argparse.Namespace) -> Plan:
    """The settings, with an interpreter that has the peers."""
    cache = (options.cache or user_cache()).resolve()
    python = Path(sys.executable) if options.smoke else environment(cache)
    available = frozenset(installed(python))
    if options.smoke:
        return Plan(cache, python, available.difference(NOT_IN_SMOKE), 0.002, 1, options.tool)
    return Plan(cache, python, available, options.scale, options.rounds, options.tool)


def main() -> None:
    """Measure what is missing; write RESULTS.md or print."""
    options = options_given()
    plan = planned(options)
    names = options.tables or [name for name in TABLES if not (options.smoke and name in NOT_IN_SMOKE)]
    log = Log(plan.cache / ("smoke.jsonl" if options.smoke else "measured.jsonl"))
    if options.again or options.smoke:
        log.forget(lambda line: line["table"] in names and (line["tool"] == OURS.name or options.tool in line["tool"]))
    for name in names:
        run(TABLES[name].jobs(plan), log)
    lines = shown(plan, log, names)
    text = report.rendered((TABLES[name].tables(plan, log) for name in names), lines)
    failed = [line for line in lines if line["failure"] and line["version_of_source"]]  # peers may fail
    partly = bool(options.tool or options.smoke or options.scale != 1)
    written = dict[Path, str]()
    for name in [] if partly or failed else [name for name in names if name in QUOTING]:
        path, quotation = QUOTING[name]
        page = written.get(path) or path.read_text(encoding="utf-8")
        written[path] = report.quoted(page, name, quotation(plan, log))
    if options.tables or partly:
        print(text)
    else:
        written[RESULTS] = text
    for path, page in written.items():
        path.write_text(page, encoding="utf-8")
        print(f"written: {path}", file=sys.stderr)
    if failed:
        raise SystemExit("\n".join(f"{line['workload']}: {line['part']}: {line['failure']}" for line in failed))


def shown(plan: Plan, log: Log, names: list[str]) -> list[Line]:
    """The lines of the log that belong to the tables of this size."""
    pairs = ((name, collection) for name in names for collection in TABLES[name].collections(plan))
    return [line for name, collection in pairs for line in log.of(name, collection)]


if __name__ == "__main__":
    main()
