"""ir_measures, with the providers it chooses by itself (pytrec_eval for these measures)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
from scoring import MEASURES, Judgments, Run, main

PARSED = {name: ir_measures.parse_measure(name) for name in MEASURES}


def read(run: Path, qrels: Path) -> Any:
    return ir_measures.read_trec_run(str(run)), ir_measures.read_trec_qrels(str(qrels))


def take(run: Run, qrels: Judgments) -> Any:
    return run, qrels


def score(taken: Any) -> dict[str, float]:
    run, qrels = taken
    means = ir_measures.calc_aggregate(list(PARSED.values()), qrels, run)
    return {name: means[measure] for name, measure in PARSED.items()}


if __name__ == "__main__":
    packages = ("ir_measures", "pytrec_eval-terrier")
    main(read, take, score, packages, "read_trec_run, read_trec_qrels; calc_aggregate")
