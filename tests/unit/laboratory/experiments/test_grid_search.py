"""Coordinate ascent, on surfaces whose top is known."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.laboratory.experiments.grid_search import ascent, nearest
from toysearch.laboratory.experiments.grids import Axis

AXES = [Axis("x", tuple(map(float, range(6)))), Axis("y", tuple(map(float, range(5))))]


def climb(surface, start):
    asked = []

    def score(settings):
        asked.extend((setting["x"], setting["y"]) for setting in settings)
        return [surface(setting["x"], setting["y"]) for setting in settings]

    past = [(setting["x"], setting["y"]) for setting in ascent(AXES, start, score)]
    return past, asked


@pytest.mark.parametrize("start", [{"x": float(x), "y": float(y)} for x, y in itertools.product(range(6), range(5))])
def test_it_reaches_the_top_of_a_surface_with_one_top(start):
    past, asked = climb(lambda x, y: -abs(x - 4) - 2 * abs(y - 1), start)
    assert max(past, key=lambda at: -abs(at[0] - 4) - 2 * abs(at[1] - 1)) == (4.0, 1.0)
    assert len(past) < 30
    assert list(dict.fromkeys(asked)) == past  # in the order in which they were asked for


def test_it_goes_up_in_as_many_rounds_as_it_needs():
    ridge = {(0, 0): 1, (0, 1): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5, (2, 3): 6, (3, 3): 7}
    past, _ = climb(lambda x, y: ridge.get((x, y), 0), {"x": 0.0, "y": 0.0})
    assert (3.0, 3.0) in past


def test_it_stays_where_nothing_is_better():
    past, _ = climb(lambda x, y: 1.0, {"x": 2.0, "y": 2.0})
    assert past[0] == (2.0, 2.0)
    assert len(past) == 6 + 5 - 1


@given(values=st.lists(st.integers(0, 9), min_size=30, max_size=30), x=st.integers(0, 5), y=st.integers(0, 4))
def test_no_change_of_one_parameter_is_better_than_where_it_ends(values, x, y):
    def surface(x, y):
        return values[int(x) * 5 + int(y)]

    past, _ = climb(surface, {"x": float(x), "y": float(y)})
    top = max(past, key=lambda at: surface(*at))
    assert all(surface(x, top[1]) <= surface(*top) for x in range(6))
    assert all(surface(top[0], y) <= surface(*top) for y in range(5))


def test_the_nearest_values():
    axes = [Axis("k", (None, 1.0, 3.0)), Axis("b", (0.5, 0.0))]
    assert nearest(axes, {"k": None, "b": 0.1}) == {"k": None, "b": 0.0}
    assert nearest(axes, {"k": 2.1, "b": 0.25}) == {"k": 3.0, "b": 0.5}  # of equally near ones the first
    assert nearest([Axis("tf", ("raw", "log"))], {"tf": "log"}) == {"tf": "log"}
    assert nearest([Axis("tf", ("raw", "log"))], {"tf": "binary"}) == {"tf": "raw"}
