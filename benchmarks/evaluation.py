"""How long it takes to score a TREC run, from files and in memory, here and with pytrec_eval, minimum of several.

    python benchmarks/evaluation.py [--queries 1000] [--depth 1000] [--repeat 3]

Both read the same two files and compute the same seven measures for every query. pytrec_eval reads them with its
own parsers, in Python, and scores in C; the values of the two are compared. A seeded run: 200 judged documents a
query, a tenth of them relevant, scores with ties.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

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
    best, result = float("inf"), None
    for _ in range(repeat):
        started = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - started)
    return best, result


def main() -> None:
    """Measure, compare the values, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = write_files(Path(folder), arguments.queries, arguments.depth)
        megabytes = run.stat().st_size / 1e6
        pairs = zip(with_toysearch(run, qrels), with_pytrec_eval(run, qrels), strict=True)
        measured = [(fastest(ours, arguments.repeat), fastest(theirs, arguments.repeat)) for ours, theirs in pairs]
    print(f"{arguments.queries} queries × {arguments.depth} documents ({megabytes:.0f} MB), {len(MEASURES)} measures\n")
    print("| in one process | toysearch, s | pytrec_eval, s | ratio |\n| --- | ---: | ---: | ---: |")
    for what, ((ours, _), (theirs, _)) in zip(("from files", "in memory"), measured, strict=True):
        print(f"| {what} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} |")
    largest = max(
        abs(values[name] - their_values[query_id][theirs_name])
        for (_, our_values), (_, their_values) in measured
        for query_id, values in our_values.items()
        for name, theirs_name in MEASURES.items()
    )
    print(f"\nlargest difference of a value: {largest:.1e}")


if __name__ == "__main__":
    main()
