"""What `toysearch serve` may cost: bytes of the first load, a slider, a million documents, thirty clients at once.

    python benchmarks/page_budget.py                       all, on Cranfield and 1,000,000 synthetic documents
    python benchmarks/page_budget.py --documents 50000     the same with fewer documents

Times are those of whole answers over HTTP, from a server of its own process, on an otherwise idle machine. A line that
is above its limit ends with *above*, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from urllib.parse import quote, urljoin

import workloads

FIRST_LOAD = 40.0
"""kB of the empty search page with its scripts and styles."""

SLIDER = 0.150
"""Seconds of a slider move, in the median."""

LARGE = 0.3
"""Seconds of a search in a million documents, in the median."""

CLIENTS = 1.0
"""Seconds of an answer while thirty clients ask at the same time, in the median."""

_AT_ONCE = 30
_STEPS = 21  # of the slider b from 0 to 1
_QUERIES = 20
_MOVING = {"x-toysearch-part": "moving"}


@contextlib.contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of a server of some sources, which ends with the block."""
    command = [sys.executable, "-m", "toysearch", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def seconds(address: str, headers: dict[str, str] | None = None) -> float:
    """How long an answer takes, with all its bytes."""
    begin = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {}), timeout=300) as reply:
        reply.read()
    return time.perf_counter() - begin


def first_load(address: str) -> float:
    """The kB of the empty search page and of what it loads."""
    loaded: list[bytes] = []
    paths = [address]
    for path in paths:
        request = urllib.request.Request(urljoin(address, path), headers={"accept-encoding": "gzip"})
        with urllib.request.urlopen(request) as reply:
            loaded.append(reply.read())
        if path == address:
            paths += re.findall(r'(?:src|href)="(/static/[^"]+)"', gzip.decompress(loaded[0]).decode())
    return sum(map(len, loaded)) / 1000


def indexed(cache: Path, n: int) -> tuple[Path, list[str]]:
    """The folder of an index of synthetic documents, made if it is not there, and queries."""
    texts = workloads.synthetic(cache, n)
    folder = texts / "index-of-page"
    if not folder.exists():
        subprocess.run(
            [sys.executable, "-m", "toysearch", "index", str(texts / "corpus.jsonl"), "-o", str(folder)], check=True
        )
    with (texts / "rare.jsonl").open(encoding="utf-8") as file:
        return folder, [json.loads(line)["text"] for line in islice(file, _QUERIES)]


def lines(cache: Path, n: int) -> Iterator[tuple[str, float, float, str]]:
    """What is measured: its name, its value, its limit and its unit."""
    with served("cranfield") as address:
        search, compare = f"{address}cranfield/search", f"{address}cranfield/compare"
        yield "first load", first_load(search), FIRST_LOAD, "kB"
        values = [step / (_STEPS - 1) for step in range(_STEPS)]
        views = {"a topic": f"{search}?topic=1&model=", "a comparison": f"{compare}?b=lm-dirichlet&a="}
        for name, view in views.items():
            seconds(f"{view}bm25")
            times = [seconds(f"{view}bm25:b={value:g}", _MOVING) for value in values]
            yield f"a slider, {name}", statistics.median(times), SLIDER, "s"
        asked = [f"{search}?topic={number}" for number in range(1, _AT_ONCE + 1)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield f"{_AT_ONCE} clients at once", statistics.median(pool.map(seconds, asked)), CLIENTS, "s"
    folder, queries = indexed(cache, n)
    with served(str(folder)) as address:
        times = [seconds(f"{address}index-of-page/search?q={quote(query)}") for query in queries]
        yield f"a search in {n:,} documents", statistics.median(times), LARGE, "s"


def main() -> int:
    """Print what is measured beside its limits."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "toysearch" / "benchmarks")
    options = parser.parse_args()
    above = False
    for name, value, limit, unit in lines(options.cache, options.documents):
        above |= value > limit
        print(f"{name:<32} {value:8.3f} of {limit:g} {unit}{'  above' if value > limit else ''}", flush=True)
    return int(above)


if __name__ == "__main__":
    sys.exit(main())
