"""RESULTS.md: numbers as people read them, and tables in Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

from peers import OURS
from processes import Line

Row = list[str]

HOW_TO_READ = """\
Made by `make bench`. Every figure is of a process of its own, started for it, the tools one after the other in each
round; times are the least of several such processes, in which nothing was asked or scored before. Where a figure is
for repeated work in a warm process, the heading says so. MB are millions of bytes."""


END = "<!-- measured: end -->\n"


def quoted(page: str, name: str, text: str) -> str:
    """A page of the documentation with a text between the two marks of a table."""
    begin = f"<!-- measured: {name} -->\n"
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n\n{END}{rest.partition(END)[2]}"


class Best:
    """The least number that the processes of a tool found."""

    def __init__(self, lines: list[Line], tool: str) -> None:
        self.lines = [line for line in lines if line["tool"] == tool and not line["failure"]]

    def __call__(self, part: str, key: str) -> float | None:
        """The least of the parts that begin so; None if there is none."""
        found = [line[key] for line in self.lines if f"{line['part']} ".startswith(f"{part} ") and key in line]
        return min(found, default=None)


def tools_of(lines: list[Line]) -> list[str]:
    """The names of the tools, toysearch first, the others as they were measured."""
    return sorted(dict.fromkeys(line["tool"] for line in lines), key=lambda tool: tool != OURS.name)


def rendered(sections: Iterable[str], lines: list[Line]) -> str:
    """The whole report."""
    failures = [f"{x['workload']}: {x['tool']} ({x['part']}) failed: {x['failure']}" for x in lines if x["failure"]]
    parts = ["# Benchmarks", HOW_TO_READ, f"{_when(lines)}; {machine()}.", *sections, *dict.fromkeys(failures)]
    return "\n\n".join([*(part for part in parts if part), _settings(lines)]) + "\n"


def _when(lines: list[Line]) -> str:
    """The days on which was measured."""
    days = sorted({line["when"][:10] for line in lines}) or ["not measured"]
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def machine() -> str:
    """The processor, its cores, the memory, the system, Python."""
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return (
        f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GB; "
        f"{platform.system()} {platform.release()}, {platform.python_implementation()} {platform.python_version()}"
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
    if value >= 999.5:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 100 or not value else f"{value:#.3g}"


def ratio(value: float | None, ours: float | None) -> str:
    """How many times as long as toysearch, or a dash."""
    return number(value / ours) if value and ours else "–"


def pair(best: Best, part: str, key: str) -> str:
    """A number for rare words and one with frequent ones; {} in the name of the part is the set of queries."""
    return " / ".join(number(best(part.format(kind), key)) for kind in ("rare", "mix"))


def ratios(best: Best, ours: Best | None, part: str, key: str) -> str:
    """How many times as long as toysearch, for both sets of queries."""
    parts = [part.format(kind) for kind in ("rare", "mix")]
    return " / ".join(ratio(best(name, key), ours(name, key) if ours else None) for name in parts)


def _settings(lines: list[Line]) -> str:
    told = {f"- {line['tool']} ({line['version']}): {line['settings']}." for line in lines if "settings" in line}
    return "\n".join(["## Settings", "", *sorted(told)])
