"""ranx, compiled by numba when it is first called; ties stay in the order of its sorting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ranx
from scoring import Judgments, Run, main

NAMES = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg@10",
    "P@10": "precision@10",
    "R@100": "recall@100",
    "RR": "mrr",
    "Rprec": "r-precision",
}


def read(run: Path, qrels: Path) -> Any:
    return ranx.Run.from_file(str(run), kind="trec"), ranx.Qrels.from_file(str(qrels), kind="trec")


def take(run: Run, qrels: Judgments) -> Any:
    return ranx.Run(run), ranx.Qrels(qrels)


def score(taken: Any) -> dict[str, float]:
    run, qrels = taken
    means = ranx.evaluate(qrels, run, list(NAMES.values()))
    return {ours: float(means[theirs]) for ours, theirs in NAMES.items()}


if __name__ == "__main__":
    main(read, take, score, ("ranx", "numba"), "Run and Qrels from_file (kind=trec) or of dicts; evaluate")
