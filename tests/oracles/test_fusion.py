"""Fused scores against ranx, on random runs without ties.

What differs, and is kept out of the comparison or undone in it:

- Weights: ranx has none for these methods (its wsum and wmnz are other names for a weighted combsum and combmnz).
- logISR has no part for a single run in either, ln 1 = 0.
- A ranking whose scores are all equal: ranx divides by 1e-9 in the place of 0, so min-max gives 0 even to the best
  and only document; here it is 1 (toysearch.fuse says so). The formula itself says 0 / 0.
- A query that one run lacks: ranx refuses it; here it is fused from the others.
- Ties: ranx sorts them as they come.

ranx compiles at first use, which takes a while; it belongs to the extra `oracles`, and this is skipped without it.
"""

import random

import pytest

from toysearch import fuse
from toysearch.retrieval.fusion import FUSION_METHODS

ranx = pytest.importorskip("ranx", reason="ranx is not installed: pip install -e '.[oracles]'")

THEIRS = {
    "rrf": "rrf",
    "isr": "isr",
    "logisr": "log_isr",
    "borda": "bordafuse",
    "combsum": "sum",
    "combmnz": "mnz",
    "combanz": "anz",
    "combmax": "max",
    "combmin": "min",
    "combmed": "med",
}
NORMS = {"min-max": "min-max", "sum": "sum", "z-score": "zmuv", "rank": "rank", "none": None}


def made(seed: int) -> list[dict[str, dict[str, float]]]:
    """Two to four runs of the same queries, without ties, two documents a query at least."""
    rng = random.Random(seed)
    doc_ids = [f"d{place}" for place in range(25)]
    runs = []
    for _ in range(rng.randint(2, 4)):
        found = {f"q{query}": rng.sample(doc_ids, rng.randint(2, 15)) for query in range(3)}
        runs.append({q: {doc_id: rng.uniform(-2, 9) for doc_id in ids} for q, ids in found.items()})
    return runs


CASES = [(method, None) for method, facts in FUSION_METHODS.items() if not facts.by_score]
CASES += [(method, norm) for method, facts in FUSION_METHODS.items() if facts.by_score for norm in NORMS]


@pytest.mark.parametrize(("method", "norm"), CASES)
def test_each_document_has_the_score_of_ranx(method, norm):
    for seed in range(10):
        runs = made(seed)
        theirs = ranx.fuse([ranx.Run(run) for run in runs], norm=NORMS.get(norm), method=THEIRS[method])
        ours = fuse(runs, method, normalise=norm, k=None)
        for query_id in ours.query_ids:
            assert ours[query_id] == pytest.approx(dict(theirs.run[query_id]), abs=1e-12), (seed, query_id)


def test_ranx_gives_nothing_to_a_document_found_alone():
    runs = [{"q": {"a": 0.2}}, {"q": {"b": 9.0, "a": 1.0}}]
    theirs = ranx.fuse([ranx.Run(run) for run in runs], norm="min-max", method="sum")
    assert dict(theirs.run["q"]) == {"a": 0.0, "b": 1.0}
    assert fuse(runs, "combsum")["q"] == {"a": 1.0, "b": 1.0}
