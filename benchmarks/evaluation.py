"""How long it takes to score a TREC run, from files and in memory, here and with pytrec_eval, minimum of several.

    python benchmarks/evaluation.py [--queries 1000] [--depth 1000] [--repeat 3] [--tweaks COLLECTION]

Both read the same two files and compute the same seven measures for every query. pytrec_eval reads them with its
own parsers, in Python, and scores in C; the values of the two are compared. A seeded run: 200 judged documents a
query, a tenth of them relevant, scores with ties. Each is called once before it is measured; then whole processes
are measured, which also tells the memory. With --tweaks: how long one setting of a model takes on a judged collection,
by an `Evaluator`, and by a run and its evaluation.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.evaluation.evaluate import Evaluation

MEASURES = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
}


def write_files(folder: Path, queries: int, depth: int) -> tuple[Path, Path]:
    """A run and judgments in TREC's formats."""
    rng = np.random.default_rng(0)
    run, qrels = folder / "run", folder / "qrels"
    with open(run, "w") as run_file, open(qrels, "w") as qrels_file:
        for query in range(queries):
            doc_ids = rng.choice(100_000, depth, replace=False)
            scores = np.sort(rng.gamma(2.0, 4.0, depth).round(3))[::-1]
            run_file.writelines(
                f"{query} Q0 doc{doc_id:06} {rank} {score} bench\n"
                for rank, (doc_id, score) in enumerate(zip(doc_ids, scores, strict=True), 1)
            )
            judged = rng.choice(doc_ids, min(depth, 200), replace=False)
            qrels_file.writelines(f"{query} 0 doc{doc_id:06} {int(rng.random() < 0.1)}\n" for doc_id in judged)
    return run, qrels


Values = dict[str, dict[str, float]]


def with_toysearch(run: Path, qrels: Path) -> tuple[Callable[[], Values], Callable[[], Values]]:
    """Read and score here; score here what has been read."""
    import toysearch

    parsed = toysearch.read_run(run), toysearch.read_qrels(qrels)
    return (
        lambda: toysearch.evaluate(run, qrels, list(MEASURES)).per_query,
        lambda: toysearch.evaluate(*parsed, list(MEASURES)).per_query,
    )


def with_pytrec_eval(run: Path, qrels: Path) -> tuple[Callable[[], Values], Callable[[], Values]]:
    """Read and score there; score there what has been read."""
    import pytrec_eval

    def read() -> tuple[Any, Any]:
        with open(run) as run_file, open(qrels) as qrels_file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels_file), set(MEASURES.values()))
            return evaluator, pytrec_eval.parse_run(run_file)

    def from_files() -> Values:
        evaluator, parsed = read()
        return evaluator.evaluate(parsed)

    evaluator, parsed = read()
    return from_files, lambda: evaluator.evaluate(parsed)


def fastest(function: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The minimum time of some calls in seconds, and what the last one returned."""
    best, result = float("inf"), function()  # what is compiled or mapped at first use is not measured
    for _ in range(repeat):
        started = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - started)
    return best, result


def whole_process(tool: str, run: Path, qrels: Path) -> tuple[float, float]:
    """Seconds and megabytes of a process that reads and scores the files."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from pathlib import Path; import evaluation; "
        f"evaluation.once({tool!r}, Path({str(run)!r}), Path({str(qrels)!r}))"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return time.perf_counter() - started, float(done.stdout)


def once(tool: str, run: Path, qrels: Path) -> None:
    """Read and score the files, and print the most memory that the process had, in megabytes."""
    if tool == "toysearch":
        import toysearch

        toysearch.evaluate(run, qrels, list(MEASURES))
    else:
        import pytrec_eval

        with open(run) as run_file, open(qrels) as qrels_file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels_file), set(MEASURES.values()))
            evaluator.evaluate(pytrec_eval.parse_run(run_file))
    status = Path("/proc/self/status")
    # Where there is no such file, the number is never below what the parent process had.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if status.exists():
        most = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    print(most / 1024)


def tweaks(name: str, repeat: int) -> None:
    """Print how long one setting of BM25 takes, and that the values are those of a run."""
    import toysearch

    collection = toysearch.load(name)
    index, qrels = toysearch.Index.build(collection), collection.qrels
    queries, measures, limit = collection.judged_queries, "AP nDCG@10 P@10", collection.threshold
    evaluator = toysearch.Evaluator(index, queries, qrels, measures, threshold=limit)

    def by_run() -> Evaluation:
        return toysearch.evaluate(toysearch.Searcher(index, "bm25").run(queries), qrels, measures, threshold=limit)

    (one, ours), (run, theirs) = fastest(lambda: evaluator("bm25"), 50 * repeat), fastest(by_run, repeat)
    print(f"\none setting on {name} ({len(queries)} queries to depth 1000, {measures}): ", end="")
    print(
        f"{one * 1e3:.2f} ms, by a run {run * 1e3:.1f} ms; the values are {'equal' if ours == theirs else 'NOT EQUAL'}"
    )


def main() -> None:
    """Measure, compare the values, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tweaks", metavar="COLLECTION", help="a judged collection, such as cranfield")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = write_files(Path(folder), arguments.queries, arguments.depth)
        megabytes = run.stat().st_size / 1e6
        pairs = zip(with_toysearch(run, qrels), with_pytrec_eval(run, qrels), strict=True)
        measured = [(fastest(ours, arguments.repeat), fastest(theirs, arguments.repeat)) for ours, theirs in pairs]
        tools = ("toysearch", "pytrec_eval")
        (own_time, own_memory), (their_time, their_memory) = (
            min(whole_process(tool, run, qrels) for _ in range(arguments.repeat)) for tool in tools
        )
    print(f"{arguments.queries} queries × {arguments.depth} documents ({megabytes:.0f} MB), {len(MEASURES)} measures\n")
    print("| in one process | toysearch, s | pytrec_eval, s | ratio |\n| --- | ---: | ---: | ---: |")
    for what, ((ours, _), (theirs, _)) in zip(("from files", "in memory"), measured, strict=True):
        print(f"| {what} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} |")
    print(f"| whole process | {own_time:.3f} | {their_time:.3f} | {their_time / own_time:.2f} |")
    print(f"\npeak memory of the process: toysearch {own_memory:.0f} MB, pytrec_eval {their_memory:.0f} MB")
    largest = max(
        abs(values[name] - their_values[query_id][theirs_name])
        for (_, our_values), (_, their_values) in measured
        for query_id, values in our_values.items()
        for name, theirs_name in MEASURES.items()
    )
    print(f"largest difference of a value: {largest:.1e}")
    if arguments.tweaks:
        tweaks(arguments.tweaks, arguments.repeat)


if __name__ == "__main__":
    main()
