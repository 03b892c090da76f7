"""How flat a surface is, on values made for it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.tuning import plateau

NOISE = np.array([0.1, -0.1, 0.05, -0.05, 0.2, -0.2])


def along(values, means, best, axis=None, *, noise=NOISE):
    axis = axis or Axis("b", tuple(values))
    tried = [
        (value, np.full(6, mean) + (0 if value == best else noise)) for value, mean in zip(values, means, strict=True)
    ]
    return plateau(axis, best, tried, lambda row: float(row.mean()), 0.05)


def test_as_good_is_within_one_percent_of_the_best():
    found = along([0.0, 0.25, 0.5, 0.75, 1.0], [0.98, 0.9901, 1.0, 0.99, 0.9899], 0.5)
    assert found.near == (0.25, 0.5, 0.75)
    assert found.tried == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert (found.name, found.best, found.ordered, found.at_end) == ("b", 0.5, True, False)


def test_what_lies_behind_a_poor_value_is_not_part_of_the_plateau():
    assert along([1.0, 2.0, 3.0, 4.0], [1.0, 0.5, 1.0, 1.0], 4.0).near == (3.0, 4.0)


def test_of_settings_drawn_at_random_a_poor_one_says_nothing_of_its_neighbours():
    tried = [(value, np.full(2, mean)) for value, mean in ((1.0, 1.0), (2.0, 0.5), (3.0, 1.0), (4.0, 0.5))]
    found = plateau(Axis("b", (1.0,)), 3.0, tried, lambda row: float(row.mean()), 0.05, unbroken=False)
    assert found.near == found.alike == (1.0, 3.0)


def test_numbers_are_put_in_order():
    found = along([3.0, 1.0, 2.0], [0.5, 1.0, 1.0], 1.0)
    assert (found.near, found.tried) == ((1.0, 2.0), (1.0, 2.0, 3.0))


def test_texts_have_no_order():
    axis = Axis("tf", ("raw", "log", "binary"))
    found = along(axis.values, [1.0, 0.5, 1.0], "raw", axis)
    assert (found.near, found.ordered, found.at_end) == (("raw", "binary"), False, False)
    mixed = Axis("k3", (None, 8.0))
    assert along(mixed.values, [1.0, 1.0], None, mixed).near == (None, 8.0)


def test_not_told_apart_is_what_a_paired_t_test_cannot_tell_from_the_best():
    """The same mean difference, 0.05: with a little noise p is below 0.05, with much it is not."""
    assert along([1.0, 2.0], [1.0, 0.95], 1.0, noise=NOISE / 10).alike == (1.0,)
    assert along([1.0, 2.0], [1.0, 0.95], 1.0).alike == (1.0, 2.0)
    assert 0.02 < stats.ttest_1samp(0.05 - NOISE / 3.2, 0).pvalue < 0.05
    assert along([1.0, 2.0], [1.0, 0.95], 1.0, noise=NOISE / 3.2).alike == (1.0,)


def test_a_value_that_comes_several_times_counts_by_the_best():
    tried = [(1.0, np.array([0.5, 0.5])), (2.0, np.array([0.1, 0.1])), (2.0, np.array([0.5, 0.5]))]
    found = plateau(Axis("b", (1.0, 2.0)), 1.0, tried, lambda row: float(row.mean()), 0.05)
    assert (found.near, found.alike, found.tried) == ((1.0, 2.0), (1.0, 2.0), (1.0, 2.0))


@pytest.mark.parametrize(
    ("best", "limits", "at_end"),
    [
        (1.0, (None, None), True),
        (3.0, (0, None), True),
        (2.0, (None, None), False),
        (3.0, (0, 3), False),
        (1.0, (1, None), False),
        (1.0, (0, 3), True),
    ],
)
def test_at_the_end_of_what_was_tried_but_not_of_what_is_allowed(best, limits, at_end):
    axis = Axis("b", (3.0, 1.0, 2.0), limits=limits)
    assert along(axis.values, [1.0, 1.0, 1.0], best, axis).at_end is at_end


def test_one_value_is_no_end():
    assert not along([1.0], [1.0], 1.0).at_end


def test_negative_values_where_lower_is_better():
    tried = [(1.0, np.array([0.2, 0.2])), (2.0, np.array([0.201, 0.201])), (3.0, np.array([0.21, 0.21]))]
    found = plateau(Axis("b", (1.0, 2.0, 3.0)), 1.0, tried, lambda row: -float(row.mean()), 0.05)
    assert found.near == (1.0, 2.0)


def test_undefined_values_are_left_out_of_the_test():
    tried = [(1.0, np.array([0.2, np.nan, 0.3])), (2.0, np.array([np.nan, 0.1, np.nan]))]
    found = plateau(Axis("b", (1.0, 2.0)), 1.0, tried, lambda row: float(np.nanmean(row)), 0.05)
    assert found.alike == (1.0, 2.0)
