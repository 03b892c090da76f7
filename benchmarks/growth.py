"""How cost grows, with documents, with the terms of a query, and with k: python benchmarks/run.py --growth.

Collections are indexed by the command, from the file; queries are put one at a time on one core, term weights warm.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import report
import workloads

HEADING = "## How cost grows"
DOCUMENTS = (10_000, 100_000, 1_000_000, 4_000_000)
TERMS = (2, 4, 8, 16, 32)
K = (10, 30, 100, 300, 1000)
MIDDLE = 1_000_000
"""The collection on which terms and k grow."""
ASK = "--ask"


def measured(cache: Path, scale: float) -> str:
    """The section of RESULTS.md: three tables and a plot.

    Parameters
    ----------
    cache : Path
        Where the collections are kept.
    scale : float
        Part of the documents.
    """
    rows, terms_table, k_table = [], "", ""
    for full in DOCUMENTS:
        n = max(1_000, round(full * scale))
        folder = workloads.apart(workloads.synthetic, cache, n)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            seconds, memory = _indexed(folder, Path(scratch, "index"))
            size = sum(path.stat().st_size for path in Path(scratch, "index").iterdir())
            asked = _asked(folder, Path(scratch, "index"))
        rows.append((n, seconds, memory, size / n, asked["rare"], asked["mix"]))
        if full == MIDDLE:
            terms_table, k_table = _table("terms", n, asked["terms"]), _table("k", n, asked["k"])
    return "\n\n".join([_documents_table(rows), _plot(rows), terms_table, k_table])


def _indexed(folder: Path, index: Path) -> tuple[float, float]:
    """Seconds and peak memory in MB of `toysearch index` without the texts."""
    tool = str(Path(sys.executable).with_name("toysearch"))
    began = time.perf_counter()
    process = subprocess.Popen([tool, "index", str(folder / "corpus.jsonl"), "-o", str(index), "--no-text"])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"toysearch index failed for {folder}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e6


def _asked(folder: Path, index: Path) -> dict[str, Any]:
    """What a process of its own measured with an index."""
    command = [sys.executable, __file__, ASK, str(folder), str(index)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(found.stdout.splitlines()[-1]))


def ask(folder: Path, index: Path) -> dict[str, Any]:
    """Mean ms of queries: the two sets, queries of so many terms, and so many documents."""
    import toysearch

    sets = {
        kind: [json.loads(line)["text"] for line in (folder / f"{kind}.jsonl").read_text().splitlines()]
        for kind in ("rare", "mix")
    }
    searcher = toysearch.Searcher(toysearch.Index.open(index))
    words = " ".join(sets["mix"]).split()
    rng = np.random.default_rng(5)
    of_terms = {n: [" ".join(rng.choice(words, n, replace=False)) for _ in range(200)] for n in TERMS}
    return {
        **{kind: _mean(searcher, texts, 10) for kind, texts in sets.items()},
        "terms": {n: _mean(searcher, texts, 10) for n, texts in of_terms.items()},
        "k": {k: _mean(searcher, sets["mix"], k) for k in K},
    }


def _mean(searcher: Any, texts: list[str], k: int) -> float:
    """Mean ms of a query, each query's the least of three after one that is not counted."""
    best = [float("inf")] * len(texts)
    for turn in range(4):
        for number, text in enumerate(texts):
            began = time.perf_counter()
            searcher.search(text, k)
            if turn:
                best[number] = min(best[number], time.perf_counter() - began)
    return sum(best) / len(best) * 1000


def _documents_table(rows: list[tuple[Any, ...]]) -> str:
    header = ["documents", "index, s", "µs a document", "peak MB", "bytes a document", "rare, ms", "mix, ms"]
    lines = [
        [f"{n:,}", *map(report.number, (seconds, seconds / n * 1e6, memory, size, rare, mix))]
        for n, seconds, memory, size, rare, mix in rows
    ]
    what = "Documents: `toysearch index --no-text` on all cores, then queries of 3 to 8 terms, k = 10:"
    return f"{what}\n\n{report.table(header, lines)}"


def _plot(rows: list[tuple[Any, ...]]) -> str:
    from toysearch.laboratory.reports.text_charts import text_plot

    documents = [row[0] for row in rows]
    series = {"rare": (documents, [row[4] for row in rows]), "mix": (documents, [row[5] for row in rows])}
    plot = text_plot(series, x_label="documents", y_label="ms a query", log_x=True, log_y=True)
    return f"```\n{plot.rstrip()}\n```"


def _table(what: str, n: int, means: dict[str, float]) -> str:
    names = {"terms": "Terms of a query (k = 10, words of the mixed queries)", "k": "k (mixed queries)"}
    lines = [[value, report.number(mean)] for value, mean in means.items()]
    return f"{names[what]}, {n:,} documents:\n\n{report.table([what, 'ms'], lines)}"


if __name__ == "__main__" and sys.argv[1:2] == [ASK]:
    print(json.dumps(ask(Path(sys.argv[2]), Path(sys.argv[3]))))
