"""Ranks: shared where a difference can be chance, whatever else is on the board."""

import math
from itertools import combinations

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from on_windows import is_private
from scipy import stats

from toysearch.base.errors import DataError, StorageError
from toysearch.classroom.competition.history import CLOSED, HistoryLine, append, read_history
from toysearch.classroom.competition.leaderboard import distinguishable, shared_places
from toysearch.evaluation import Measure
from toysearch.evaluation.intervals import mean_interval
from toysearch.study.compare.power import detectable_difference
from toysearch.study.compare.significance import paired_test

AP = Measure.parse("AP")
RNG = np.random.default_rng(7)
BASE = RNG.random(60) * 0.5


def p_by_hand(values):
    """Paired t of all pairs by scipy, Holm's correction written out."""
    pairs = list(combinations(range(values.shape[1]), 2))
    raw = {pair: stats.ttest_rel(values[:, pair[0]], values[:, pair[1]]).pvalue for pair in pairs}
    corrected, worst = {}, 0.0
    for left, pair in zip(range(len(pairs), 0, -1), sorted(pairs, key=raw.get), strict=True):
        worst = max(worst, min(1.0, raw[pair] * left))
        corrected[pair] = corrected[pair[::-1]] = worst
    return corrected


def test_ranks_intervals_and_p_against_scipy():
    noise = RNG.normal(0, 0.05, (60, 4))
    values = np.stack([BASE, BASE + 0.1, BASE + 0.1, BASE + 0.3], axis=1) + noise
    found = shared_places(values, AP)
    p = p_by_hand(values)
    order = sorted(range(4), key=lambda system: -values[:, system].mean())
    assert [place.system for place in found] == order
    assert [place.rank for place in found] == [1, 2, 2, 4]
    assert [place.shared for place in found] == [False, True, True, False]
    best_of_pair, other = order[1], order[2]
    assert found[2].p == pytest.approx(p[best_of_pair, other], abs=1e-9)
    assert found[2].behind == pytest.approx(values[:, best_of_pair].mean() - values[:, other].mean(), abs=1e-12)
    for place in found:
        column = values[:, place.system]
        low, high = stats.t.interval(0.95, 59, column.mean(), stats.sem(column))
        assert (place.mean, place.low, place.high) == pytest.approx((column.mean(), low, high), abs=1e-9)


def test_an_interval_ends_where_the_measure_does():
    values = np.array([[0.0, 1.0], [0.5, 1.0], [0.0, 0.5]])
    found = shared_places(values, AP)
    assert [(place.low, place.high) for place in found] == [mean_interval(AP, column)[:2] for column in values.T[::-1]]
    assert (found[0].high, found[1].low) == (1, 0)


def test_the_first_that_is_told_apart_begins_the_next_group():
    noise = RNG.normal(0, 0.1, (60, 5))
    values = np.stack([BASE + 0.03 * step for step in range(5)], axis=1) + noise
    p = p_by_hand(values)
    found = shared_places(values, AP)
    leader = found[0].system
    for place, before in zip(found[1:], found, strict=False):
        if place.rank == before.rank:
            assert p[leader, place.system] > 0.05
        else:
            assert p[leader, place.system] <= 0.05
            leader = place.system
            assert place.behind == 0
            assert place.p == 1


def test_alpha_decides():
    values = np.stack([BASE, BASE + 0.02 + RNG.normal(0, 0.1, 60)], axis=1)
    p = shared_places(values, AP, alpha=1e-6)[1].p
    assert [place.rank for place in shared_places(values, AP, alpha=p * 1.01)] == [1, 2]
    assert [place.rank for place in shared_places(values, AP, alpha=p * 0.99)] == [1, 1]
    narrow, wide = shared_places(values, AP, alpha=0.5)[0], shared_places(values, AP, alpha=0.01)[0]
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_lowest_can_be_the_best():
    values = np.stack([BASE + 0.3, BASE], axis=1)
    found = shared_places(values, Measure.parse("SetE"))
    assert [(place.rank, place.system) for place in found] == [(1, 1), (2, 0)]
    assert all(place.behind >= 0 for place in found)
    assert [(place.rank, place.shared) for place in shared_places(BASE[:, np.newaxis], AP)] == [(1, False)]
    apart = np.stack([BASE, BASE + 0.05 + RNG.normal(0, 0.05, 60)], axis=1)
    poor = np.concatenate([apart, np.zeros((60, 3))], axis=1)  # very poor systems do not bring others together
    assert [place.rank for place in shared_places(poor, AP)] == [1, 2, 3, 3, 3]


@given(arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 6)), elements=st.floats(0, 1, width=16)))
def test_ranks_follow_the_means(values):
    found = shared_places(values, AP)
    assert sorted(place.system for place in found) == list(range(values.shape[1]))
    means = [round(place.mean, 12) for place in found]
    assert means == sorted(means, reverse=True)
    assert [place.rank for place in found] == sorted(place.rank for place in found)
    for position, place in enumerate(found, 1):
        assert place.rank <= position
        assert place.shared == (sum(other.rank == place.rank for other in found) > 1)
        assert place.rank == 1 or found[place.rank - 1].rank == place.rank  # its group's best stands at that place


def test_the_difference_that_can_be_shown_is_that_of_the_median_pair():
    values = np.random.default_rng(0).random((40, 3))
    spreads = sorted(np.std(values[:, a] - values[:, b], ddof=1) for a, b in ((0, 1), (0, 2), (1, 2)))
    expected = detectable_difference(spreads[1], 40, alpha=0.05 / 3)
    assert distinguishable(values) == pytest.approx(expected)
    # and it is shown so often, where the differences are normal
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        first = rng.normal(size=40)
        pair = np.stack([first, first + rng.normal(expected, spreads[1], size=40)], axis=1)
        found += paired_test(pair[:, 0] - pair[:, 1], "t").p <= 0.05 / 3
    assert 0.72 < found / 300 < 0.88


@pytest.mark.parametrize("values", [np.zeros((1, 2)), np.zeros((5, 1)), np.zeros((5, 2))])
def test_where_nothing_can_be_shown(values):
    assert distinguishable(values) == math.inf


# The history grows by whole lines, and what a crash left behind does no harm.


FIRST = HistoryLine("text", "2026-01-01T00:00:00+00:00", 1, "Ada é", False, "bm25", "ab", "", {"AP": 0.5}, {"AP": 0.25})
SECOND = HistoryLine(CLOSED, "2026-01-02T00:00:00+00:00")


def test_what_was_appended_is_read(tmp_path):
    path = tmp_path / "history.jsonl"
    assert read_history(path) == []
    for entry in (FIRST, SECOND):
        append(path, entry)
    assert read_history(path) == [FIRST, SECOND]
    assert path.read_bytes().count(b"\n") == 2
    assert is_private(path)


def test_a_line_cut_short_does_not_count_and_spoils_nothing(tmp_path):
    path = tmp_path / "history.jsonl"
    append(path, FIRST)
    whole = path.read_bytes()
    for length in (*range(1, len(whole) - 1, 9), len(whole) - 1):
        path.write_bytes(whole + whole[:length])
        append(path, SECOND)
        found = read_history(path)
        assert found[0] == FIRST
        assert found[-1] == SECOND
        # without its end alone a line is whole: it was being written when the next one came
        assert len(found) == (3 if length == len(whole) - 1 else 2)


def test_a_line_of_something_else_is_refused(tmp_path):
    path = tmp_path / "history.jsonl"
    append(path, FIRST)
    with path.open("a") as file:
        file.write('{"other": 1}\n')
    with raising(DataError, f"{path}:2: expected a line that `toysearch leaderboard submit` wrote; restore the line"):
        read_history(path)
    with pytest.raises(StorageError, match="cannot be opened for appending"):
        append(tmp_path / "none" / "history.jsonl", FIRST)
