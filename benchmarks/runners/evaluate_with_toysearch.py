"""toysearch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring import MEASURES, Judgments, Run, main

import toysearch


def read(run: Path, qrels: Path) -> Any:
    return run, qrels


def take(run: Run, qrels: Judgments) -> Any:
    return run, qrels


def score(taken: Any) -> dict[str, float]:
    run, qrels = taken
    return dict(toysearch.evaluate(run, qrels=qrels, measures=MEASURES).means)


if __name__ == "__main__":
    main(read, take, score, ("toysearch", "numpy"), "evaluate(run, qrels), of paths or dicts")
