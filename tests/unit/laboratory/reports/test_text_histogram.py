"""Histograms of text: every value is in one one, the edges are those printed, a line fits the terminal."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from toysearch.laboratory.reports.text_charts import binned, histogram

unit = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([i / 10 for i in range(11)])), max_size=50)


@given(unit)
def test_each_value_is_in_the_bin_whose_edges_hold_it(values):
    bins = binned(values)
    assert sum(one.number for one in bins) == len(values)
    for place, one in enumerate(bins):
        last = place == len(bins) - 1
        assert one.number == sum(one.low <= value < one.high or (last and value == one.high) for value in values)


@given(unit)
def test_lines_fit_80_columns_and_what_is_there_is_seen(values):
    for line, one in zip(histogram(binned(values)).splitlines(), binned(values), strict=True):
        assert len(line) <= 80
        assert (line[-1] in "█▏▎▍▌▋▊▉") == bool(one.number)


def test_what_is_undefined_is_in_no_bin_and_what_is_outside_widens_the_limits():
    assert [one.number for one in binned([math.nan, 0.5], bins=2)] == [0, 1]
    assert [(one.low, one.high) for one in binned([-1.0, 3.0], bins=2)] == [(-1.0, 1.0), (1.0, 3.0)]


def test_bars_are_in_proportion():
    lines = histogram(binned([0.0] * 8 + [1.0], bins=2)).splitlines()
    assert lines == ["0.0–0.5  8  " + "█" * 50, "0.5–1.0  1  " + "█" * 6 + "▎"]


def test_no_values_make_an_empty_histogram():
    assert [line[-1] for line in histogram(binned([])).splitlines()] == ["0"] * 10


def test_infinite_values_have_a_bin_of_their_own_and_equal_values_one_of_some_width():
    bins = binned([0.0, math.inf, math.inf], high=0.0, bins=2)
    assert [(one.low, one.high, one.number) for one in bins] == [(0.0, 0.5, 1), (0.5, 1.0, 0), (math.inf, math.inf, 2)]
    assert histogram(bins).splitlines()[2] == "infinite  2  " + "█" * 50
