"""What a peer does on some versions of Python only, and random collections to compare peers on."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

ir_measures = pytest.importorskip("ir_measures")

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def ir_measure(name: str) -> Any:
    """A measure of ir_measures by its name; the test is skipped if ir_measures cannot read it on this Python."""
    try:
        return ir_measures.parse_measure(name)
    except AttributeError as error:
        if "ast" not in str(error):
            raise
        pytest.skip(f"ir_measures {ir_measures.__version__} cannot read {name} since Python 3.14")


def random_collection(seed: int, sizes: Sequence[int], queries: Sequence[str]) -> tuple[Scores, Grades]:
    """A run without the fifth query, and judgments without the sixth.

    As the seed goes, there are many ties, scores that 32 bits cannot tell apart, or neither.
    """
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(chance.choice(sizes))]
    score = [lambda: float(chance.randint(0, 3)), lambda: 10 + chance.random() * 1e-6, lambda: chance.gauss(0, 5)]
    run = {q: {d: score[seed % 3]() for d in chance.sample(docs, chance.randint(1, len(docs)))} for q in queries}
    qrels = {
        q: {d: chance.choice([-2, -1, 0, 0, 1, 2, 3]) for d in chance.sample(docs, chance.randint(1, len(docs)))}
        for q in queries
    }
    for grades in qrels.values():
        grades[docs[0]] = chance.choice([0, 1])
    del run[queries[4]], qrels[queries[5]]
    return run, qrels


def labelled(scores: np.ndarray, grades: np.ndarray) -> dict[str, Any]:
    """What `evaluate` takes: one query, of which every document is retrieved and judged."""
    names = [f"d{number}" for number in range(len(grades))]
    run, qrels = (dict(zip(names, values.tolist(), strict=True)) for values in (scores, grades))
    return {"run": {"1": run}, "qrels": {"1": qrels}}
