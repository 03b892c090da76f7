"""ir_measures, with the providers it chooses by itself (pytrec_eval for these measures)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
from scoring import MEASURES, main

PARSED = {name: ir_measures.parse_measure(name) for name in MEASURES}


def read(run: Path, qrels: Path) -> tuple[list[Any], list[Any]]:
    return list(ir_measures.read_trec_run(str(run))), list(ir_measures.read_trec_qrels(str(qrels)))


def score(parsed: tuple[list[Any], list[Any]]) -> dict[str, float]:
    run, qrels = parsed
    means = ir_measures.calc_aggregate(list(PARSED.values()), qrels, run)
    return {name: means[measure] for name, measure in PARSED.items()}


if __name__ == "__main__":
    main(
        read, score, ("ir_measures", "pytrec_eval-terrier"), "read_trec_run, read_trec_qrels into lists, calc_aggregate"
    )
