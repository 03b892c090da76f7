"""Ranks of judged documents by both forms of the loops, compared with sorted lists."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_forms import both_forms

from toysearch.compiled import run_ranks

SCORES = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2, -3]), st.integers(-9, 9).map(lambda number: number / 4))
IDS = st.sampled_from([f"d{number}" for number in range(60)])
RUN = st.lists(st.dictionaries(IDS, SCORES, max_size=60), min_size=1, max_size=3)


def by_rank(group: dict[str, float]) -> list[str]:
    """The documents of a query in the order of trec_eval."""
    return sorted(sorted(group, reverse=True), key=lambda doc_id: -group[doc_id])


def offsets(groups) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)])


def read(form, run, judged=()):
    """What the loop finds in dicts: whether they are usual, their numbers, and the ranks of judged documents."""
    values, ends = np.zeros(sum(map(len, run))), offsets(judged)
    bounds = np.stack([ends[:-1], ends[1:]], axis=1) if judged else np.zeros((len(run), 2), np.int64)
    ranks = np.zeros(ends[-1], np.int64)
    usual = form.read_dicts(run, offsets(run), values, [*judged] or [[]] * len(run), bounds, ranks)
    return usual, values.tolist(), ranks.tolist()


@given(run=RUN, judged=st.lists(st.lists(IDS, unique=True), min_size=3, max_size=3))
def test_documents_of_dicts_are_ranked_by_score_and_id(run, judged):
    judged = judged[: len(run)]
    expected = [
        by_rank(group).index(doc_id) + 1 if doc_id in group else 0
        for group, doc_ids in zip(run, judged, strict=True)
        for doc_id in doc_ids
    ]
    for form in both_forms("run_ranks"):
        assert read(form, run, judged) == (True, [value for group in run for value in group.values()], expected)


def test_ids_may_be_of_a_subclass_of_str():
    run, judged = [{np.str_("a"): 1.0, "b": 1.0, "c": 2.0}], [["b", np.str_("c"), np.str_("a")]]
    for form in both_forms("run_ranks"):
        assert read(form, run, judged) == (True, [1.0, 1.0, 2.0], [2, 1, 3])


@pytest.mark.parametrize("group", [{1: 2.0}, {"a": "2"}, {"a": True}, {"a": None}, {"a": np.float32(1)}])
def test_unusual_dicts_are_left_to_others(group):
    for form in both_forms("run_ranks"):
        assert not read(form, [{"b": 1.0}, group])[0]


def test_a_number_that_no_float_holds_is_refused():
    for form in both_forms("run_ranks"):
        with pytest.raises(OverflowError, match="int too large to convert to float"):
            read(form, [{"a": 10**400}])


def test_scores_beyond_32_bits_are_infinite():
    run, judged = [{"a": -1e39, "b": 1e39, "c": 2e39, "d": 1.0}], [["a", "b", "c", "d"]]
    assert read(run_ranks, run, judged) == (True, [-1e39, 1e39, 2e39, 1.0], [4, 2, 1, 3])


@pytest.mark.parametrize("sizes", [[1, 2], [2, 2], [3, 1]])
def test_dicts_that_have_changed_since_they_were_counted_are_left_to_others(sizes):
    run = [{"a": 1.0, "b": 2.0}, {"a": 1.0}]
    ends = np.cumsum([0, *sizes])
    for form in both_forms("run_ranks"):
        assert not form.read_dicts(run, ends, np.zeros(ends[-1]), [[], []], np.zeros((2, 2), np.int64), offsets([]))


@pytest.mark.parametrize("ids", [[], ["a", "b"], {"a": 1, "b": 1}])
def test_judged_ids_that_have_changed_since_they_were_counted_are_left_to_others(ids):
    for form in both_forms("run_ranks"):
        ranks, bounds = np.zeros(1, np.int64), np.array([[0, 1]])
        assert not form.read_dicts([{"a": 1.0}], np.array([0, 1]), np.zeros(1), [ids], bounds, ranks)


@given(st.lists(st.lists(SCORES, max_size=50), min_size=1, max_size=3))
def test_parts_are_sorted_with_their_rows(parts):
    bounds, cells = offsets(parts), np.array([value for part in parts for value in part], np.float32)
    for form in both_forms("run_ranks"):
        rising, rows = cells.copy(), np.arange(cells.size)
        assert bool(form.in_order(rising, bounds)) == all(part == sorted(part) for part in parts)
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


def test_a_rank_beyond_the_longest_ranking_is_left_out():
    for form in both_forms("run_ranks"):
        row_of, ranks, grades = np.full(2, -1), np.full((1, 2), np.inf), np.full((1, 2), np.nan)
        bounds, ranks_of = np.array([0, 2]), np.array([1, 10**9])
        assert form.arrange(bounds, ranks_of, np.array([3.0, 4.0]), row_of, ranks, grades) == 1
        assert ranks.tolist() == [[1.0, np.inf]]
