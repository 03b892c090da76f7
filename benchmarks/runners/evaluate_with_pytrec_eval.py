"""pytrec_eval: parsers in Python, scores by trec_eval's own code in C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytrec_eval
from scoring import Judgments, Run, main

NAMES = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
}


def read(run: Path, qrels: Path) -> Any:
    with open(run) as run_file, open(qrels) as qrels_file:
        return take(pytrec_eval.parse_run(run_file), pytrec_eval.parse_qrel(qrels_file))


def take(run: Run, qrels: Judgments) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values())), run


def score(taken: Any) -> dict[str, float]:
    evaluator, run = taken
    values = evaluator.evaluate(run)
    return {ours: sum(query[theirs] for query in values.values()) / len(values) for ours, theirs in NAMES.items()}


if __name__ == "__main__":
    main(read, take, score, ("pytrec_eval-terrier",), "parse_run, parse_qrel; RelevanceEvaluator, evaluate, means")
