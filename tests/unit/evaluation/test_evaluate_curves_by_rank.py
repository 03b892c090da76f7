"""What stands at each rank, against the measures that count the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Qrels, Run, evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.evaluate import by_rank

pytestmark = pytest.mark.system

IDS = "abcdef"
RUNS = st.dictionaries(
    st.sampled_from("12345"), st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1), min_size=1
)
QRELS = st.dictionaries(
    st.sampled_from("12345"), st.dictionaries(st.sampled_from(IDS), st.integers(-1, 2), min_size=1), min_size=1
)


def test_by_hand():
    run = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1, "d": 0}, "3": {"a": 1}})
    qrels = Qrels.from_dict({"1": {"a": 0, "b": 2, "c": -1, "d": 1}, "2": {"a": 1}})
    found = by_rank(run, qrels, threshold=2, depth=5)
    assert [counts.tolist() for counts in found] == [[0, 1, 0, 0, 0], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [1, 1, 1, 1, 2]]


def test_the_order_of_ties_is_that_of_the_evaluation():
    run = Run.from_dict({"1": {"a": 1, "b": 1}})
    qrels = Qrels.from_dict({"1": {"a": 1}})
    assert by_rank(run, qrels, depth=2).relevant.tolist() == [0, 1]
    assert by_rank(run, qrels, depth=2, ties="rank").relevant.tolist() == [1, 0]


@given(RUNS, QRELS)
def test_added_up_they_are_precision_and_the_judged(run, qrels):
    found = by_rank(Run.from_dict(run), Qrels.from_dict(qrels), depth=4)
    assert (np.sum(found, axis=0) == len(qrels)).all()
    assert min(map(np.min, found)) >= 0
    for k in range(1, 5):
        if set(run) & set(qrels):
            means = evaluate(run, qrels=qrels, measures=f"P@{k}", threshold=1).means
            assert found.relevant[:k].sum() == pytest.approx(means[f"P@{k}"] * k * len(qrels))
        unjudged = sum(
            qrels[query].get(doc_id, -1) < 0
            for query in set(run) & set(qrels)
            for doc_id in sorted(run[query], key=lambda doc_id: (run[query][doc_id], doc_id), reverse=True)[:k]
        )
        assert found.unjudged[:k].sum() == unjudged


def test_a_depth_of_none_is_refused():
    with pytest.raises(ArgumentError, match=r"depth=0: expected a last rank of at least 1"):
        by_rank(Run.from_dict({"1": {"a": 1}}), Qrels.from_dict({"1": {"a": 1}}), depth=0)
