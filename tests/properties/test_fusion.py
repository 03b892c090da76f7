"""What holds for any runs that are fused."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Run, fuse
from toysearch.base.errors import ToysearchNote
from toysearch.retrieval.fusion import FUSION_METHODS

pytestmark = pytest.mark.system

doc_ids = st.sampled_from([f"d{place}" for place in range(8)])
rankings = st.dictionaries(doc_ids, st.integers(-5, 5).map(float), min_size=1)
runs = st.lists(st.dictionaries(st.sampled_from(["q1", "q2"]), rankings, min_size=1), min_size=2, max_size=4)
methods = st.sampled_from(sorted(FUSION_METHODS))


def fused(given_runs, method, **options) -> Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        return fuse(given_runs, method, **options)


@given(runs, methods)
def test_every_document_of_every_run_is_there_once_and_best_first(made, method):
    result = fused(made, method)
    for query_id in {query_id for run in made for query_id in run}:
        ranking = result.ranking(query_id)
        assert sorted(ranking.doc_ids) == sorted(set().union(*(run.get(query_id, {}) for run in made)))
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)


@given(runs, methods)
def test_scores_are_the_same_to_the_last_bit_in_any_order_of_the_runs(made, method):
    one, other = fused(made, method), fused(made[::-1], method)
    for query_id in one.query_ids:
        assert one[query_id] == other[query_id]


@given(runs, methods, st.sampled_from([0.25, 2.0, 8.0]))
def test_weights_that_are_all_larger_change_no_order(made, method, factor):
    weighted = fused(made, method, weights=[factor] * len(made))
    assert weighted.doc_ids == fused(made, method).doc_ids


@given(rankings, methods)
def test_a_run_with_itself_keeps_its_order(ranking, method):
    """But logisr, of which every document found by as many has one order; ties may come from equal scores only."""
    alone = Run.from_dict({"q": ranking})
    from toysearch.base import ordered

    expected = ordered(alone)[0].doc_ids
    assert fused([alone, alone], method).doc_ids == expected
