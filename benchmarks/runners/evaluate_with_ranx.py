"""ranx: compiled by numba, once before the clock starts; ties stay in the order of its sorting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ranx
from scoring import main

NAMES = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg@10",
    "P@10": "precision@10",
    "R@100": "recall@100",
    "RR": "mrr",
    "Rprec": "r-precision",
}


def read(run: Path, qrels: Path) -> tuple[Any, Any]:
    return ranx.Run.from_file(str(run), kind="trec"), ranx.Qrels.from_file(str(qrels), kind="trec")


def score(parsed: tuple[Any, Any]) -> dict[str, float]:
    run, qrels = parsed
    means = ranx.evaluate(qrels, run, list(NAMES.values()))
    return {ours: float(means[theirs]) for ours, theirs in NAMES.items()}


if __name__ == "__main__":
    main(read, score, ("ranx", "numba"), "Run.from_file, Qrels.from_file (kind=trec), evaluate; compiled before")
