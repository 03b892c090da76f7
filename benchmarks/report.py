"""RESULTS.md: the results of benchmarks/run.py as tables."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Result = dict[str, Any]
Titles = dict[str, tuple[str, str]]
OURS = "toysearch"

HOW_TO_READ = """\
Made by `make bench`. Each tool runs in a process of its own, pinned to one core where nothing else is said, the tools
one after the other; times are the least of several, and of a query the least for that query, *first* being the mean of
the first round. **×** is how many times as long as toysearch a tool takes: above 1, toysearch is faster. Queries are
timed from their text to the hits. Memory while indexing is the peak above the texts that are given; MB are millions of
bytes. *Same 10* is the part of toysearch's first ten documents that another tool has among its own."""


def rendered(results: list[Result], titles: Titles) -> str:
    """The whole report.

    Parameters
    ----------
    results : list of dict
        What the runners printed, with workload, tool and task.
    titles : mapping of workload to its title and its size
        In the order of the report.
    """
    parts = ["# Benchmarks", HOW_TO_READ, _machine()]
    for name, (title, size) in titles.items():
        of_workload = [result for result in results if result["workload"] == name]
        done = [result for result in of_workload if not result["failure"]]
        parts += [f"## {title}", size, *_tables(done)]
        parts += [f"{r['tool']} ({r['task']}) failed: {r['failure']}" for r in of_workload if r["failure"]]
    return "\n\n".join([*parts, _settings(results)]) + "\n"


def replace_all_but(path: Path, text: str, heading: str) -> None:
    """Write the report, and keep the section of one heading that it may have at its end."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    _, found, kept = old.partition(f"{heading}\n")
    path.write_text(f"{text}\n{heading}\n{kept}" if found else text, encoding="utf-8")


def replace_section(path: Path, heading: str, text: str) -> None:
    """Put a section at the end of the report, in place of the one of the same heading."""
    old = path.read_text(encoding="utf-8") if path.exists() else "# Benchmarks\n\n"
    before = old.partition(f"{heading}\n")[0].rstrip()
    path.write_text(f"{before}\n\n{heading}\n\n{text}\n", encoding="utf-8")


def _machine() -> str:
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return (
        f"{time.strftime('%Y-%m-%d')}; {model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GB; "
        f"{platform.system()} {platform.release()}, {platform.python_implementation()} {platform.python_version()}."
    )


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Markdown: the first column to the left, the others to the right."""
    names = list(header)
    lines = [names, ["---", *["---:"] * (len(names) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None) -> str:
    """Three digits that count, or a dash for nothing."""
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 100 or not value else f"{value:#.3g}"


def _ratio(results: list[Result], get: Callable[[Result], Any], of_speed: bool = False) -> Callable[[Result], str]:
    """How many times as long as toysearch; of speeds, how many times as slow."""
    ours = next((get(result) for result in results if result["tool"] == OURS), None)

    def ratio(result: Result) -> str:
        value = get(result)
        if not ours or not value:
            return "–"
        return number(ours / value if of_speed else value / ours)

    return ratio


def _tables(results: list[Result]) -> list[str]:
    by_task: dict[str, list[Result]] = {}
    for result in results:
        by_task.setdefault(result["task"], []).append(result)
    makers = {
        "search": lambda found: _searching(found, by_task.get("cores", [])),
        "save": _saving,
        "evaluate": lambda found: [_evaluating(found, by_task.get("once", []))],
        "tweak": _tweaking,
        "cold": _cold,
    }
    return [text for task, found in by_task.items() if task in makers for text in makers[task](found)]


def _searching(results: list[Result], cores: list[Result]) -> list[str]:
    with_cores = {result["tool"]: result for result in cores}
    parts = ["**Indexing**, from texts in memory until a query can be asked:", _indexing(results, with_cores)]
    for name in results[0]["one"]:
        asked = max(result["one"][name]["10"]["queries"] for result in results)
        parts += [f"**{asked:,} queries, {name}**, one at a time, ms:", _one_at_a_time(results, name)]
        parts += [f"**The same at once**, {name}, queries a second:", _batch(results, with_cores, name)]
    analysis = ", ".join(f"{r['tool']} {number(r['analysis'] * 1000)}" for r in results)
    return [*parts, f"Of the time of a query, analysing its text takes (µs): {analysis}."]


def _indexing(results: list[Result], with_cores: dict[str, Result]) -> str:
    def seconds(result: Result) -> float:
        return float(result["index"]["seconds"])

    ratio = _ratio(results, seconds)
    rows = []
    for result in results:
        other = with_cores.get(result["tool"])
        rows.append(
            [
                result["tool"],
                number(seconds(result)),
                ratio(result),
                number(other and seconds(other)),
                number(result["index"]["peak_mb"]),
                number(result["size_mb"]),
            ]
        )
    return table(["", "s", "×", "s, all cores", "peak MB", "index MB"], rows)


def _one_at_a_time(results: list[Result], name: str) -> str:
    def mean(k: str) -> Callable[[Result], float]:
        return lambda result: float(result["one"][name][k]["mean"])

    ratios = {k: _ratio(results, mean(k)) for k in ("10", "1000")}
    rows = []
    for result in results:
        row = [result["tool"]]
        for k, ratio in ratios.items():
            found = result["one"][name][k]
            row += [*(number(found[key]) for key in ("mean", "p50", "p99", "first")), ratio(result)]
        row.append(_overlap(results[0], result, name))
        rows.append(row)
    columns = [
        f"k={k}: {what}" if what == "mean" else what for k in ratios for what in ("mean", "p50", "p99", "first", "×")
    ]
    return table(["", *columns, "same 10"], rows)


def _overlap(ours: Result, theirs: Result, name: str) -> str:
    """The part of toysearch's first ten documents that another tool has among its own."""
    pairs = [
        (set(mine), set(others)) for mine, others in zip(ours["top"][name], theirs["top"][name], strict=True) if mine
    ]
    if ours["tool"] != OURS or not pairs or not any(others for _, others in pairs):
        return "–"
    return f"{sum(len(mine & others) / len(mine) for mine, others in pairs) / len(pairs):.1%}"


def _batch(results: list[Result], with_cores: dict[str, Result], name: str) -> str:
    ratios = {k: _ratio(results, _speed(name, k), of_speed=True) for k in ("10", "1000")}
    rows = []
    for result in results:
        row = [result["tool"]]
        for k, ratio in ratios.items():
            other = with_cores.get(result["tool"], {})
            row += [number(_speed(name, k)(result)), ratio(result), number(_speed(name, k)(other))]
        rows.append(row)
    return table(["", *(column for k in ratios for column in (f"k={k}", "×", "all cores"))], rows)


def _speed(name: str, k: str) -> Callable[[Result], float | None]:
    return lambda result: result.get("batch", {}).get(name, {}).get(k)


def _saving(results: list[Result]) -> list[str]:
    ratio = _ratio(results, lambda result: result["process"])
    rows = [
        [
            result["tool"],
            number(result["process"]),
            ratio(result),
            number(result["process_mb"]),
            number(result["size_mb"]),
        ]
        for result in results
    ]
    header = ["", "s", "×", "peak MB of the process", "index MB"]
    return ["**From the file to a saved index**, whole process:", table(header, rows)]


def _evaluating(results: list[Result], once: list[Result]) -> str:
    whole = {result["tool"]: result["process"] for result in once}
    files, memory = _ratio(results, lambda r: r["files"]), _ratio(results, lambda r: r["memory"])
    ours = results[0]["values"]
    rows = [
        [
            result["tool"],
            number(result["files"]),
            files(result),
            number(result["memory"]),
            memory(result),
            number(result["first"]),
            number(whole.get(result["tool"])),
            number(result["peak_mb"]),
            f"{max(abs(value - ours[name]) for name, value in result['values'].items()):.0e}",
        ]
        for result in results
    ]
    header = ["", "from files, s", "×", "in memory, s", "×", "first call", "whole process", "peak MB"]
    return table([*header, f"mean differs from {results[0]['tool']}'s"], rows)


def _tweaking(results: list[Result]) -> list[str]:
    ratio = _ratio(results, lambda result: result["least"])
    rows = [
        [
            result["tool"],
            number(result["least"]),
            ratio(result),
            number(result["mean"]),
            number(1000 / result["mean"]),
            *(f"{value:.4f}" for value in result["values"].values()),
        ]
        for result in results
    ]
    header = ["", "least, ms", "×", "mean, ms", "tweaks a second", *results[0]["values"]]
    return [
        "225 queries to depth 1000, BM25 with k1 and b of a grid; the measures at k1 = 1.2, b = 0.75:",
        table(header, rows),
    ]


def _cold(results: list[Result]) -> list[str]:
    rows = [[name, number(seconds), number(memory)] for name, seconds, memory in results[0]["processes"]]
    return [table(["", "s", "peak MB"], rows)]


def _settings(results: list[Result]) -> str:
    lines = {
        f"- {result['tool']} ({result['version']}): {result['settings']}." for result in results if "settings" in result
    }
    return "\n".join(["## Settings", "", *sorted(lines)])
