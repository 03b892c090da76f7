"""Curves of precision and recall, and what stands at each rank, against the measures that count the same."""

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Qrels, Run, evaluate
from toysearch.base.errors import ArgumentError
from toysearch.workbench.report.documents_by_rank import by_rank
from toysearch.workbench.report.measure_curve import curve

RUN = {"1": ["a", "x", "y", "b"], "2": ["x", "c"], "3": ["z"]}
QRELS = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "4": {"d": 1}}


def test_precision_against_recall_at_eleven_points() -> None:
    found = curve(RUN, QRELS)
    assert found.measure == "IPrec"
    assert found.at.tolist() == pytest.approx([level / 10 for level in range(11)])
    assert found.per_query["1"].tolist() == [1] * 6 + [0.5] * 5
    assert found.per_query["2"].tolist() == [0.5] * 11
    assert found.per_query["4"].tolist() == [0] * 11
    assert found.mean.tolist() == pytest.approx([0.5] * 6 + [1 / 3] * 5)
    assert found.points[0] == (0, 0.5)
    assert list(found.per_query) == ["1", "2", "4"]


def test_recall_against_rank() -> None:
    found = curve(RUN, QRELS, "R", depth=5)
    assert found.at.tolist() == [1, 2, 3, 4, 5]
    assert found.per_query["1"].tolist() == [0.5, 0.5, 0.5, 1, 1]
    assert found.mean.tolist() == pytest.approx([0.5 / 3, 0.5, 0.5, 2 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("Rprec", {}, "Rprec takes no cutoff; write Rprec without @1"),
        ("IPrec", {"points": 1}, "points=1: expected 2 to 10,000 points, such as 11 or 101"),
        ("IPrec", {"points": 10**30}, f"points={10**30}: expected 2 to 10,000 points, such as 11 or 101"),
        ("GMAP", {}, "GMAP@1 is not a mean over queries; compare AP, from whose values it is computed"),
        ("IPrec", {"depth": 5}, "a curve of IPrec takes no depth"),
        ("R", {"depth": 0}, "depth=0: expected a last rank from 1 to 10,000, such as depth=100"),
        ("R", {"points": 11}, "a curve of R takes no points"),
    ],
)
def test_what_is_refused(measure: str, options: dict[str, int], message: str) -> None:
    with raising(ArgumentError, message):
        curve(RUN, QRELS, measure, **options)


IDS = "abcdef"
RUNS = st.dictionaries(
    st.sampled_from("12345"), st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1), min_size=1
)
JUDGED = st.dictionaries(
    st.sampled_from("12345"), st.dictionaries(st.sampled_from(IDS), st.integers(-1, 2), min_size=1), min_size=1
)


def test_what_stands_at_each_rank_by_hand():
    run = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1, "d": 0}, "3": {"a": 1}})
    qrels = Qrels.from_dict({"1": {"a": 0, "b": 2, "c": -1, "d": 1}, "2": {"a": 1}})
    found = by_rank(run, qrels, threshold=2, depth=5)
    assert [counts.tolist() for counts in found] == [[0, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 2]]
    assert by_rank(run, qrels).nothing.tolist() == [1, 1, 1, 1, *[2] * 16]  # of 20 ranks
    ranked = Run(["1"], [0, 2], ["b", "a"], [1.0, 1.0], ranked=True)
    for ties, relevant in [(None, [1, 0]), ("rank", [1, 0]), ("trec_eval", [1, 0]), ("average", [1, 0])]:
        assert by_rank(ranked, Qrels.from_dict({"1": {"b": 1}}), depth=2, ties=ties).relevant.tolist() == relevant
    for ties, relevant in [(None, [1, 0]), ("rank", [0, 1]), ("trec_eval", [1, 0])]:
        scored = Run.from_dict({"1": {"a": 1, "b": 1}})
        assert by_rank(scored, Qrels.from_dict({"1": {"b": 1}}), depth=2, ties=ties).relevant.tolist() == relevant


@pytest.mark.system
@given(RUNS, JUDGED)
def test_added_up_they_are_precision_and_the_judged(run, qrels):
    found = by_rank(Run.from_dict(run), Qrels.from_dict(qrels), depth=4)
    assert (np.sum(found, axis=0) == len(qrels)).all()
    assert min(map(np.min, found)) >= 0
    for k in range(1, 5):
        if set(run) & set(qrels):
            means = evaluate(run, qrels=qrels, measures=f"P@{k}", threshold=1).means
            assert found.relevant[:k].sum() == pytest.approx(means[f"P@{k}"] * k * len(qrels))
        unjudged = sum(
            doc_id not in qrels[query]
            for query in set(run) & set(qrels)
            for doc_id in sorted(run[query], key=lambda doc_id: (run[query][doc_id], doc_id), reverse=True)[:k]
        )
        assert found.unjudged[:k].sum() == unjudged


@pytest.mark.system
def test_a_depth_of_none_is_refused():
    with pytest.raises(ArgumentError, match=r"depth=0: expected a last rank of at least 1"):
        by_rank(Run.from_dict({"1": {"a": 1}}), Qrels.from_dict({"1": {"a": 1}}), depth=0)
