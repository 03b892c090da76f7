"""toysearch."""

from __future__ import annotations

from pathlib import Path

from scoring import MEASURES, main

import toysearch


def read(run: Path, qrels: Path) -> tuple[toysearch.Run, toysearch.Qrels]:
    return toysearch.read_run(run), toysearch.read_qrels(qrels)


def score(parsed: tuple[toysearch.Run, toysearch.Qrels]) -> dict[str, float]:
    return dict(toysearch.evaluate(*parsed, MEASURES).means)


if __name__ == "__main__":
    main(read, score, ("toysearch", "numpy", "numba"), "read_run, read_qrels, evaluate; ties as trec_eval orders them")
