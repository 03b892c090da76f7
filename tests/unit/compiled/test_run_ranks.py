"""Ranks of judged documents by both forms of the loops, compared with sorted lists."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from both_forms import both_forms
from hypothesis import given
from hypothesis import strategies as st

from toysearch.compiled import run_ranks

SCORES = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2, -3]), st.integers(-9, 9).map(lambda number: number / 4))
IDS = st.sampled_from([f"d{number}" for number in range(60)])
RUN = st.lists(st.dictionaries(IDS, SCORES, max_size=60), min_size=1, max_size=3)


def by_rank(group: dict[str, float]) -> list[str]:
    """The documents of a query in the order of trec_eval."""
    return sorted(sorted(group, reverse=True), key=lambda doc_id: -group[doc_id])


def offsets(groups) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)])


def read(form, run):
    """What the loop finds in dicts: whether they are usual, their numbers, these by rank, their rows, tied texts."""
    n = sum(map(len, run))
    values, rising, rows, tied = np.zeros(n), np.zeros(n, np.float32), np.zeros(n, np.int64), {}
    return form.read_scores(run, values, rising, rows, tied), values, rising, rows, tied


@given(run=RUN, judged=st.lists(st.lists(IDS, unique=True), min_size=3, max_size=3))
def test_documents_of_dicts_are_ranked_by_score_and_id(run, judged):
    starts, judged = offsets(run), judged[: len(run)]
    expected = [
        [by_rank(group).index(doc_id) + 1 if doc_id in group else 0 for doc_id in doc_ids]
        for group, doc_ids in zip(run, judged, strict=True)
    ]
    for form in both_forms("run_ranks"):
        usual, values, rising, rows, tied = read(form, run)
        assert usual
        assert values.tolist() == [value for group in run for value in group.values()]
        assert rising.tolist() == (-values[rows]).tolist()
        keys = [doc_id for group in run for doc_id in group]
        assert all(keys[row] == doc_id for row, doc_id in tied.items())
        doc_ids, ranks = [*chain.from_iterable(judged)], np.zeros(sum(map(len, judged)), np.int64)
        bounds = np.stack([starts[:-1], starts[1:]], axis=1)
        form.rank_in_dicts(run, doc_ids, offsets(judged), rising, rows, bounds, tied, ranks)
        assert ranks.tolist() == [*chain.from_iterable(expected)]


@pytest.mark.parametrize("group", [{1: 2.0}, {"a": "2"}, {"a": True}, {"a": None}, {"a": np.float32(1)}])
def test_unusual_dicts_are_left_to_others(group):
    for form in both_forms("run_ranks"):
        assert not read(form, [{"b": 1.0}, group])[0]


def test_a_number_that_no_float_holds_is_refused():
    for form in both_forms("run_ranks"):
        with pytest.raises(OverflowError, match="int too large to convert to float"):
            read(form, [{"a": 10**400}])


def test_scores_beyond_32_bits_are_infinite():
    usual, _, rising, _, _ = read(run_ranks, [{"a": -1e39, "b": 1.0}])
    assert usual
    assert rising.tolist() == [-1.0, np.inf]


@given(st.lists(st.lists(SCORES, max_size=50), min_size=1, max_size=3))
def test_parts_are_sorted_with_their_rows(parts):
    bounds, cells = offsets(parts), np.array([value for part in parts for value in part], np.float32)
    for form in both_forms("run_ranks"):
        rising, rows = cells.copy(), np.arange(cells.size)
        moved = form.sort(rising, rows, bounds)
        assert bool(moved) == any(part != sorted(part) for part in parts)
        assert rising.tolist() == cells[rows].tolist() == [value for part in parts for value in sorted(part)]
        assert np.unique(rows).size == rows.size


@given(part=st.lists(SCORES, min_size=1, max_size=40), scores=st.lists(SCORES | st.just(float("nan")), max_size=9))
def test_ranks_and_groups_of_equal_scores(part, scores):
    rising = np.array([9.0, *sorted(part), 9.0], np.float32)
    of_judged, table = np.array(scores, np.float32), np.zeros((len(scores), 3), np.int64)
    expected = [0 if score != score else sum(value < score for value in part) + 1 for score in scores]
    groups = [(row, rank, part.count(scores[row])) for row, rank in enumerate(expected) if part.count(scores[row]) > 1]
    for form in both_forms("run_ranks"):
        ranks = np.zeros(len(scores), np.int64)
        bounds, judged_bounds = np.array([[1, len(part) + 1]]), np.array([0, len(scores)])
        n = form.rank(rising, bounds, judged_bounds, of_judged, ranks, table)
        assert ranks.tolist() == expected
        assert [(row, first, last - first) for row, first, last in table[:n].tolist()] == groups


@given(st.lists(st.lists(st.integers(0, 20)), min_size=1, max_size=4))
def test_judged_documents_are_arranged_by_rank(ranks):
    ranks = [[rank if rank not in row[:place] else 0 for place, rank in enumerate(row)] for row in ranks]
    ranks_of = np.array([*chain.from_iterable(ranks)], np.int64)
    width = max(map(len, ranks))
    for form in both_forms("run_ranks"):
        by_rank, grades = np.full((len(ranks), width), np.inf), np.full((len(ranks), width), np.nan)
        row_of = np.full(21, -1)
        grades_of = np.arange(ranks_of.size) / 2
        most = form.arrange(offsets(ranks), ranks_of, grades_of, row_of, by_rank, grades)
        assert most == max(sum(rank > 0 for rank in row) for row in ranks)
        assert set(row_of.tolist()) == {-1}
        for query, start in enumerate(offsets(ranks)[:-1].tolist()):
            rows = sorted((rank, (start + place) / 2) for place, rank in enumerate(ranks[query]) if rank)
            assert by_rank[query].tolist() == [*(rank for rank, _ in rows), *[np.inf] * (width - len(rows))]
            assert grades[query, : len(rows)].tolist() == [grade for _, grade in rows]
            assert np.isnan(grades[query, len(rows) :]).all()
