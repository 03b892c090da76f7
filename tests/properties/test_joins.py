"""Ids as texts, in dicts and as numbers, and blocks of queries, give the same join and the same values."""

import contextlib
import copy
from operator import itemgetter
from typing import Any
from unittest import mock

import numpy as np
import pytest
from every_measure import DEFINITIONS
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch import Qrels, Ranking, Run
from toysearch.base.encoded_texts import GroupedIds, Identifiers
from toysearch.base.run_order import order_of
from toysearch.evaluation import joined_run as module
from toysearch.evaluation.evaluate import evaluated, resolve
from toysearch.evaluation.joined_run import blocks, join

pytestmark = pytest.mark.system

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
    definition = DEFINITIONS[name]
    given = ",".join(f"{each}={definition.parameters[each].needed}" for each in definition.needs)
    cutoff = {"needed": "@5", "recall": "@0.3"}.get(definition.cutoff, "")
    return name + (f"({given})" if given else "") + cutoff


ALL = [needs_nothing(name) for name in DEFINITIONS]
SOME = "AP nDCG@5 P@5 RR Rprec Bpref infAP Judged@10 Q NumRelRet AP(judged_only=True)"


def as_words(rows: Any) -> Any:
    """The same rows with ids that are compared many at a time, as those of a file."""
    made = copy.copy(rows)
    ids = Identifiers.of(rows.doc_ids)
    made.ids = made.ids if ids is None else GroupedIds.of(ids, rows.offsets)
    return made


@pytest.mark.parametrize("collide", [False, True])
@given(run=RUNS, qrels=QRELS, ties=st.sampled_from(["trec_eval", "rank"]))
def test_order_and_join(collide: bool, run: dict[str, Any], qrels: dict[str, Any], ties: str) -> None:
    """Texts, dicts and numbers as ids give the same ranks, also where all ids have one hash."""
    rows, grades = Run.from_dict(run), Qrels.from_dict(qrels)
    expected = join(*ordered_by_text(rows, ties), grades)
    hashes = mock.patch.object(Identifiers, "in_groups", lambda _, groups: np.zeros(groups.size, np.uint64))
    with hashes if collide else contextlib.nullcontext():
        for each in (rows, Run.of_groups(run), Run.of_groups(run, judged=grades), as_words(rows)):
            for judged in (grades, as_words(grades)):
                found = join(each, judged, 1.0, order_of(each, ties))
                assert expected.query_ids == found.query_ids
                assert (expected.threshold, expected.top) == (found.threshold, found.top)
                for name in ("retrieved", "ranks", "grades", "ideal"):
                    np.testing.assert_array_equal(getattr(expected, name), getattr(found, name))


def ordered_by_text(run: Run, ties: str) -> tuple[Run]:
    """The run with its documents sorted, one query after the other."""
    rankings = []
    for query_id in run.query_ids:
        pairs = list(run[query_id].items())
        if ties == "trec_eval":
            with np.errstate(over="ignore"):
                pairs = [(doc_id, float(np.float32(score))) for doc_id, score in pairs]
            pairs.sort(key=itemgetter(0), reverse=True)
        pairs.sort(key=itemgetter(1), reverse=True)
        rankings.append(Ranking(query_id, [doc_id for doc_id, _ in pairs], [score for _, score in pairs]))
    return (Run.from_rankings(rankings),)


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
