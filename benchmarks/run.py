"""toysearch and its peers on the same work: make bench.

    python benchmarks/run.py [--only WORKLOAD] [--peer NAME] [--scale 0.01] [--repeat N] [--cache FOLDER]
    python benchmarks/run.py --again toysearch     one tool anew; of the others, what the last run found
    python benchmarks/run.py --smoke      a minute, with what is installed, no peers' environment
    python benchmarks/run.py --growth     how cost grows with documents, terms and k; an hour's work, not in the others

Every tool runs in a process of its own, pinned to one core (and once more with all), one after the other. A whole run
writes benchmarks/RESULTS.md; a part of it (--only, --peer, --scale, --smoke) is printed instead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import report
import workloads
from peers import EVALUATORS, OURS, SEARCHERS, TWEAKERS, Tool, environment, installed

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
TIMEOUT = 3600
Result = dict[str, Any]


class Workload(NamedTuple):
    """Something to measure on.

    Attributes
    ----------
    name : str
        What --only calls it.
    title : str
        The heading of its tables.
    make : callable
        From the cache folder and the scale to the folder of its files.
    kind : {'search', 'evaluate', 'tweak'}
        What is done with it.
    tasks : tuple of str
        Which tasks of the runners, and in this order.
    """

    name: str
    title: str
    make: Callable[[Path, float], Path]
    kind: str
    tasks: tuple[str, ...]


def scaled(count: int, scale: float, least: int) -> int:
    """A count at a scale, but not too few."""
    return max(least, round(count * scale))


WORKLOADS = (
    Workload("cranfield", "Cranfield", lambda cache, _: workloads.cranfield(cache), "search", ("search",)),
    Workload(
        "packages",
        "Descriptions of Debian's packages",
        lambda cache, _: workloads.packages(cache),
        "search",
        ("search", "save"),
    ),
    Workload(
        "synthetic",
        "Synthetic documents of about 55 tokens",
        lambda cache, scale: workloads.synthetic(cache, scaled(1_000_000, scale, 2_000)),
        "search",
        ("search", "cores", "save"),
    ),
    Workload(
        "long",
        "Synthetic documents of about 1,000 tokens",
        lambda cache, scale: workloads.synthetic(cache, scaled(100_000, scale, 200), tokens=1_000),
        "search",
        ("search", "cores"),
    ),
    Workload(
        "evaluation",
        "Evaluation of a run: judgments, seven measures",
        lambda cache, scale: workloads.evaluation(cache, scaled(1_000, scale, 50)),
        "evaluate",
        ("evaluate", "once"),
    ),
    Workload(
        "evaluation-large",
        "Evaluation of a run ten times as large",
        lambda cache, scale: workloads.evaluation(cache, scaled(10_000, scale, 100)),
        "evaluate",
        ("evaluate", "once"),
    ),
    Workload(
        "tweaks",
        "A tweak: other parameters, and the measures again",
        lambda cache, _: workloads.cranfield(cache),
        "tweak",
        ("tweak",),
    ),
)
TOOLS = {"search": SEARCHERS, "evaluate": EVALUATORS, "tweak": TWEAKERS}
SMOKE = ("cranfield", "synthetic", "evaluation", "tweaks")


def made(name: str, cache: Path, scale: float) -> Path:
    """The folder of a workload, whose files are there."""
    return next(workload for workload in WORKLOADS if workload.name == name).make(cache, scale)


def described(workload: Workload, folder: Path) -> str:
    """How large the files of a workload are, and the beginning of their checksum."""
    path = folder / ("run" if workload.kind == "evaluate" else "corpus.jsonl")
    with open(path, "rb") as file:
        lines = sum(1 for _ in file)
    size, digest = path.stat().st_size / 1e6, workloads.checksum(path)[:16]
    return f"{path.name}: {lines:,} lines, {size:.1f} MB, SHA-256 {digest}…"


def command(workload: Workload, tool: Tool, task: str, folder: Path, python: Path) -> list[str]:
    """What starts a runner."""
    script = HERE / "runners" / f"{'tweak' if task == 'tweak' else workload.kind}_with_{tool.script}.py"
    options = ["--variant", tool.variant] if tool.variant else []
    if workload.kind != "tweak":
        options += ["--task", task]
    interpreter = sys.executable if tool is OURS else str(python)
    return [interpreter, str(script), str(folder), *options]


def started(arguments: list[str], cores: set[int]) -> tuple[Result, str]:
    """Run a process on some cores: what it printed last as JSON, its wall time and its peak memory."""
    mine = os.sched_getaffinity(0)
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        begun = time.perf_counter()
        os.sched_setaffinity(0, cores)  # a child inherits it
        process = subprocess.Popen(arguments, stdout=output, stderr=errors)
        os.sched_setaffinity(0, mine)
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        whole = {"process": time.perf_counter() - begun, "process_mb": usage.ru_maxrss * 1024 / 1e6}
        output.seek(0)
        errors.seek(0)
        lines, complaints = output.read().splitlines(), errors.read().strip().splitlines()
    if process.returncode:
        return {}, (complaints or [f"exit code {process.returncode}"])[-1]
    try:
        return {**json.loads(lines[-1]), **whole}, ""
    except (IndexError, ValueError):
        return whole, ""


def saved_by_the_command(folder: Path, cores: set[int]) -> Iterator[tuple[str, Result, str]]:
    """What `toysearch index` takes from the file to the saved index, with the texts and without."""
    tool = str(Path(sys.executable).with_name("toysearch"))
    for name, options in (("toysearch, texts stored too", []), ("toysearch", ["--no-text"])):
        with tempfile.TemporaryDirectory() as scratch:
            index = Path(scratch, "index")
            result, failure = started([tool, "index", str(folder / "corpus.jsonl"), "-o", str(index), *options], cores)
            size = sum(path.stat().st_size for path in index.rglob("*")) / 1e6 if index.exists() else None
        yield name, {**result, "size_mb": size}, failure


def measured(workload: Workload, folder: Path, python: Path, options: argparse.Namespace) -> Iterator[Result]:
    """The results of all tools, one after the other."""
    megabytes = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    one, every = {max(os.sched_getaffinity(0))}, os.sched_getaffinity(0)
    tasks = workload.tasks[:1] if options.smoke else workload.tasks
    available = installed(python)
    for tool in TOOLS[workload.kind]:
        if options.peer and tool is not OURS and options.peer not in tool.name:
            continue
        if options.again and options.again != tool.name:
            continue
        if not available.issuperset(tool.modules) or megabytes > tool.most_mb:
            continue
        for task in tasks:
            if (task == "cores" and len(every) == 1) or (tool.plain and task != tasks[0]):
                continue
            common = {"workload": workload.name, "tool": tool.name, "task": task}
            print(f"{workload.name}: {tool.name}, {task}", file=sys.stderr, flush=True)
            if task == "save" and tool is OURS:
                for name, result, failure in saved_by_the_command(folder, one):
                    yield {**common, "tool": name, **result, "failure": failure}
                continue
            runner = [*command(workload, tool, task, folder, python), "--repeat", str(options.repeat)]
            runner += ["--budget", "1.5" if options.smoke else "60"]
            result, failure = started(runner, every if task == "cores" or not tool.pinned else one)
            if not tool.pinned and task != "cores":
                result.pop("batch", None)  # it had all cores
            yield {**common, **result, "failure": failure}


def cold_starts(folder: Path | None, options: argparse.Namespace) -> list[Result]:
    """Whole processes, from the shell's view, on one core."""
    arguments = [sys.executable, str(HERE / "cold_starts.py"), "--json", "--repeat", str(options.repeat)]
    if folder:
        arguments += ["--large", str(folder)]
    print("cold starts", file=sys.stderr, flush=True)
    result, failure = started(arguments, {max(os.sched_getaffinity(0))})
    return [{"workload": "cold", "tool": OURS.name, "task": "cold", **result, "failure": failure}]


def everything(options: argparse.Namespace, cache: Path) -> tuple[list[Result], dict[str, tuple[str, str]]]:
    """All results, and title and size of each workload that could be had."""
    python = Path(sys.executable) if options.smoke else environment(cache)
    earlier = json.loads((cache / "results.json").read_text()) if options.again else []
    results: list[Result] = []
    titles: dict[str, tuple[str, str]] = {}
    large = None
    for workload in WORKLOADS:
        if (options.only and options.only != workload.name) or (options.smoke and workload.name not in SMOKE):
            continue
        try:
            folder = workloads.apart(made, workload.name, cache, options.scale)
        except workloads.Unavailable as error:
            print(f"{workload.name}: left out: {error}", file=sys.stderr)
            continue
        titles[workload.name] = (workload.title, described(workload, folder))
        large = folder if workload.name == "synthetic" else large
        for result in measured(workload, folder, python, options):
            results.append(result)
            kept = [found for found in earlier if not _same(found, results)]
            (cache / "results.json").write_text(json.dumps(results + kept))  # so that a run cut short is not lost
        results += [found for found in earlier if found["workload"] == workload.name and not _same(found, results)]
    if options.only in ("", "cold") and _cranfield_is_there(cache):
        titles["cold"] = ("Cold starts", "whole processes, from the shell's view")
        results += cold_starts(None if options.smoke else large, options)
    return results, titles


def _same(found: Result, results: list[Result]) -> bool:
    """Whether what an earlier run found has been measured again."""
    return any(all(found[key] == result[key] for key in ("workload", "tool", "task")) for result in results)


def _cranfield_is_there(cache: Path) -> bool:
    """Whether the cold starts have something to start on; the workload has said if not."""
    try:
        workloads.apart(workloads.cranfield, cache)
    except workloads.Unavailable:
        return False
    return True


def options_given() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [workload.name for workload in WORKLOADS] + ["cold"]
    parser.add_argument("--only", choices=names, default="", help="one workload")
    parser.add_argument("--peer", default="", help="besides toysearch only tools whose name contains this")
    parser.add_argument("--again", default="", metavar="TOOL", help="this tool only; the others' rows stay")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the documents and queries (default 1)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the fastest counts (default 3)")
    parser.add_argument("--cache", type=Path, help="where workloads and peers are kept; default: the user's cache")
    parser.add_argument("--smoke", action="store_true", help="small, with the peers that are installed here")
    parser.add_argument("--growth", action="store_true", help="how cost grows; into RESULTS.md as a section of its own")
    return parser.parse_args()


def main() -> None:
    """Measure; write RESULTS.md or print."""
    options = options_given()
    cache = options.cache or workloads.user_cache()
    if options.growth:
        import growth

        section = growth.measured(cache, options.scale)
        if options.scale == 1:
            report.replace_section(RESULTS, growth.HEADING, section)
        else:
            print(section)
        return
    if options.smoke:
        options.scale, options.repeat = 0.002, 1
    results, titles = everything(options, cache)
    text = report.rendered(results, titles)
    if options.only or options.peer or options.smoke or options.scale != 1:
        print(text)
    else:
        report.replace_all_but(RESULTS, text, "## How cost grows")
    failed = [result for result in results if result["failure"] and result["tool"].startswith(OURS.name)]
    if failed:
        raise SystemExit("\n".join(f"{result['workload']}: {result['failure']}" for result in failed))


if __name__ == "__main__":
    main()
