"""Compiled loops, blocks of queries, and the scoring of models without runs give what `evaluate` gives, to the bit."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import often
from ways import way

from toysearch import MEASURES, Qrels, Ranking, Run, evaluate
from toysearch.encoded_texts import Identifiers
from toysearch.evaluation import join as module
from toysearch.evaluation.evaluate import evaluated, resolve
from toysearch.evaluation.join import blocks, join
from toysearch.records import rows_in_order

IDS = st.sampled_from([*(f"d{number}" for number in range(40)), "é", "日本", "😀", "", "d", "\ud800", "\uffff"])
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 1 - 1e-9, -1.0, 1e39, 2e39, -1e39, float("inf"), float("-inf")]),
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False),
)
QUERIES = st.sampled_from(["1", "2", "3", "4", "other"])
RUNS = st.dictionaries(QUERIES, st.dictionaries(IDS, SCORES, min_size=1, max_size=45), min_size=1).filter(
    lambda run: run.keys() & {"1", "2", "3", "4"}
)
GRADES = st.one_of(st.integers(-2, 4).map(float), st.sampled_from([0.5, 2.5]))
QRELS = st.dictionaries(st.sampled_from("1234"), st.dictionaries(IDS, GRADES, min_size=1), min_size=4, max_size=4)


def needs_nothing(name: str) -> str:
    """A measure's name with what has to be given."""
    definition = MEASURES[name]
    given = ",".join(f"{each}={definition.parameters[each].needed}" for each in definition.needs)
    cutoff = {"needed": "@5", "recall": "@0.3"}.get(definition.cutoff, "")
    return name + (f"({given})" if given else "") + cutoff


ALL = [needs_nothing(name) for name in MEASURES]
SOME = "AP nDCG@5 P@5 RR Rprec Bpref infAP Judged@10 Q NumRelRet AP(judged_only=True)"


def with_equal_hashes(rows: Any) -> None:
    """Let all ids have one hash, so that only their bytes tell them apart."""
    ids = rows.packed_ids
    rows.packed_ids = Identifiers(ids.blob, ids.offsets, np.zeros_like(ids.hashes))


@pytest.mark.parametrize("collide", [False, True])
@given(run=RUNS, qrels=QRELS, ties=st.sampled_from(["trec_eval", "rank"]))
def test_order_and_join(collide: bool, run: dict[str, Any], qrels: dict[str, Any], ties: str) -> None:
    found = []
    for chosen in ("plain", "compiled"):
        rows, grades = Run.from_dict(run), Qrels.from_dict(qrels)
        with way(chosen):
            if collide and chosen == "compiled":
                with_equal_hashes(rows)
                with_equal_hashes(grades)
            order, rule = rows_in_order(rows, ties)
            found.append((None if order is None else order.tolist(), rule, join(rows, grades, 1.0, order)))
    (order, rule, plain), (other_order, other_rule, compiled) = found
    assert (order, rule) == (other_order, other_rule)
    assert plain.query_ids == compiled.query_ids
    assert (plain.threshold, plain.top) == (compiled.threshold, compiled.top)
    for name in ("retrieved", "ranks", "grades", "ideal"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name))


@given(run=RUNS, qrels=QRELS, data=st.data())
def test_rankings_keep_their_order(run: dict[str, Any], qrels: dict[str, Any], data: st.DataObject) -> None:
    rankings = [
        Ranking(query_id, data.draw(st.permutations(list(rows))), np.zeros(len(rows))) for query_id, rows in run.items()
    ]
    results = []
    for chosen in ("plain", "compiled"):
        with way(chosen):
            results.append(evaluate(Run.from_rankings(rankings), qrels, "AP nDCG Bpref NumRet"))
    assert results[0] == results[1]


@settings(max_examples=often(25))
@given(run=RUNS, qrels=QRELS)
def test_every_measure(run: dict[str, Any], qrels: dict[str, Any]) -> None:
    with way("plain"):
        plain = evaluate(run, qrels=qrels, measures=ALL, undefined="nan")
    with way("compiled"):
        compiled = evaluate(run, qrels=qrels, measures=ALL, undefined="nan")
    assert str(plain.per_query) == str(compiled.per_query)  # as texts, in which NaN is NaN
    assert str(plain.extremes) == str(compiled.extremes)


@settings(max_examples=often(30))
@given(
    run=RUNS,
    qrels=QRELS,
    convention=st.sampled_from(["trec_eval", "textbook", "sklearn"]),
    cells=st.sampled_from([1, 10, 60]),
    only_retrieved=st.booleans(),
)
def test_some_queries_at_a_time(
    run: dict[str, Any], qrels: dict[str, Any], convention: str, cells: int, only_retrieved: bool
) -> None:
    """Sums over rows of other widths may round otherwise in the last place."""
    rows, grades = Run.from_dict(run), Qrels.from_dict(qrels)
    rules = resolve(SOME, None, only_retrieved, None, convention, None)
    whole = evaluated(rows, grades, rules, 1.0)
    with mock.patch.object(module, "CELLS", cells):
        assert cells > 1 or list(blocks(grades)) == [slice(query, query + 1) for query in range(4)]
        parts = evaluated(rows, grades, rules, 1.0)
        parts_extremes = parts.extremes
    assert whole.per_query.keys() == parts.per_query.keys()
    for name in ("missing", "without_relevant", "unjudged", "threshold", "ties"):
        assert getattr(whole, name) == getattr(parts, name)
    for one, other in ((whole.per_query, parts.per_query), *zip(whole.extremes[:2], parts_extremes[:2], strict=True)):
        for query_id, values in one.items():
            assert other[query_id] == pytest.approx(values, abs=1e-12, nan_ok=True)
    assert whole.extremes.refused.keys() == parts_extremes.refused.keys()
