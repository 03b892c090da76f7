"""How long whole processes take, from the shell's view: wall time and peak memory, minimum of several.

    TOYSEARCH_CORPORA=FOLDER python benchmarks/cold_starts.py [--repeat 5] [--only NAME] [--large WORKLOAD] [--json]

FOLDER holds cranfield/; WORKLOAD is a folder that benchmarks/workloads.py made, whose first query is put to a saved
index of its documents. Peers (bm25s, scikit-learn) do the same search on the same tokens from an index of their
own; one that is not installed is left out with a word. Ratios are to toysearch's search, in this run on this machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

QUERY = "what similarity laws must be obeyed when constructing aeroelastic models of heated high speed aircraft"

SEARCH = "toysearch search, saved Cranfield index"

BM25S_SEARCH = """
import json, re, sys, bm25s
retriever = bm25s.BM25.load(sys.argv[1])
tokens = re.findall(r"(?u)\\b\\w\\w+\\b", sys.argv[2].lower())
documents, scores = retriever.retrieve([tokens], k=10, show_progress=False)
print(documents, scores)
"""
SKLEARN_SEARCH = """
import pickle, sys
with open(sys.argv[1], "rb") as file:
    vectorizer, matrix = pickle.load(file)
scores = (matrix @ vectorizer.transform([sys.argv[2]]).T).toarray()[:, 0]
best = (-scores).argsort(kind="stable")[:10]
print(best, scores[best])
"""


COMPILING = """
import os, sys, tempfile
with tempfile.TemporaryDirectory() as fresh:
    os.environ.pop("NUMBA_CACHE_DIR", None)
    os.environ.update(TOYSEARCH_PATH="compiled", XDG_CACHE_HOME=sys.argv[2] if len(sys.argv) > 2 else fresh)
    import toysearch
    collection = toysearch.load("cranfield")
    index = toysearch.Index.build(collection)
    run = toysearch.Searcher(index).run(collection.queries)
    toysearch.write_run(run, sys.argv[1] + "/run")
    toysearch.write_qrels(collection.qrels, sys.argv[1] + "/qrels")
    toysearch.evaluate(sys.argv[1] + "/run", sys.argv[1] + "/qrels")
"""
"""Indexing, searching, reading and evaluating by compiled code, in a fresh folder of caches or in a given one."""


PREPARE = "--prepare"


def prepare(folder: Path, large: Path | None) -> None:
    """Make the indexes that the commands search, each tool its own, in a folder."""
    import toysearch

    if large:
        documents = toysearch.load(str(large / "corpus.jsonl")).documents
        toysearch.Index.build(documents).save(folder / "large")
    collection, analyzer = toysearch.load("cranfield"), toysearch.Analyzer()
    toysearch.Index.build(collection, analyzer).save(folder / "cranfield")
    texts = collection.documents.texts
    if importlib.util.find_spec("bm25s"):
        import bm25s

        retriever = bm25s.BM25(k1=1.2, b=0.75)
        retriever.index([analyzer(text) for text in texts], show_progress=False)
        retriever.save(str(folder / "bm25s"))
    if importlib.util.find_spec("sklearn"):
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer()
        with open(folder / "sklearn.pickle", "wb") as file:
            pickle.dump((vectorizer, vectorizer.fit_transform(texts)), file)


def jobs(folder: Path, large: Path | None = None) -> Iterator[tuple[str, list[str]]]:
    """Name and command of each process to measure."""
    python, tool = sys.executable, str(Path(sys.executable).with_name("toysearch"))
    yield "python, nothing else", [python, "-c", "pass"]
    yield "import toysearch", [python, "-c", "import toysearch"]
    yield "import numpy", [python, "-c", "import numpy"]
    yield SEARCH, [tool, "search", str(folder / "cranfield"), QUERY]
    yield "toysearch eval cranfield, raw files, 225 queries", [tool, "eval", "cranfield", "--model", "bm25"]
    yield "toysearch index cranfield", [tool, "index", "cranfield", "-o", str(folder / "again")]
    if large:
        documents = json.loads((folder / "large" / "manifest.json").read_text())["counts"]["documents"]
        with open(large / "rare.jsonl", encoding="utf-8") as file:
            query = json.loads(file.readline())["text"]
        name = f"toysearch search, saved index of {documents:,} documents"
        yield name, [tool, "search", str(folder / "large"), query]
        yield "all compiled code on Cranfield, compiled first", [python, "-c", COMPILING, str(folder)]
        kept = str(folder / "caches")
        yield "all compiled code on Cranfield, from the cache", [python, "-c", COMPILING, str(folder), kept]
    if (folder / "bm25s").exists():
        yield "bm25s search, saved index", [python, "-c", BM25S_SEARCH, str(folder / "bm25s"), QUERY]
    if (folder / "sklearn.pickle").exists():
        yield (
            "scikit-learn TF-IDF search, pickled",
            [python, "-c", SKLEARN_SEARCH, str(folder / "sklearn.pickle"), QUERY],
        )


def measure(command: list[str], repeat: int) -> tuple[float, float]:
    """Minimum wall time in seconds and maximum resident memory in MB of the counted runs, after a warm-up."""
    best, memory = float("inf"), 0.0
    for turn in range(repeat + 1):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - started
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"failed: {' '.join(command)}")
        if turn:
            best, memory = min(best, elapsed), max(memory, usage.ru_maxrss / 1024)
    return best, memory


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="counted runs of each command (default 5)")
    parser.add_argument("--only", default="", help="only commands whose name contains this")
    parser.add_argument("--large", metavar="WORKLOAD", type=Path, help="search this collection too, and compile all")
    parser.add_argument("--json", action="store_true", help="print names, seconds and MB as JSON")
    parser.add_argument(PREPARE, metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.prepare:
        import toysearch

        try:
            prepare(arguments.prepare, arguments.large)
        except toysearch.ToysearchError as error:
            raise SystemExit(str(error)) from None
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # byte code is cached for users, so for the measurement too
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: a child's peak memory counts that of the parent it was forked from.
        large = ["--large", str(arguments.large)] if arguments.large else []
        if subprocess.run([sys.executable, __file__, PREPARE, folder, *large]).returncode:
            raise SystemExit(1)
        wanted = [(name, command) for name, command in jobs(Path(folder), arguments.large) if arguments.only in name]
        measured = {name: measure(command, arguments.repeat) for name, command in wanted}
    if arguments.json:
        print(json.dumps({"processes": [(name, *found) for name, found in measured.items()]}))
        return
    ours = measured.get(SEARCH, (float("nan"), 0.0))[0]
    print("| whole process | seconds | peak MB | × toysearch search |\n| --- | ---: | ---: | ---: |")
    for name, (seconds, memory) in measured.items():
        print(f"| {name} | {seconds:.3f} | {memory:.0f} | {seconds / ours:.2f} |")


if __name__ == "__main__":
    main()
