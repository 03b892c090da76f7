"""What can be turned, and where a value stands in its range."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch.laboratory.explain.rank_flip import TunableParameter, tunable_parameters

SPANS = [(0, 1), (-2, 5), (0.001, 1e6), (0, None), (2, None), (None, 3), (None, None)]


def parameter(span, usual=1.0, value=None) -> TunableParameter:
    return TunableParameter("x", usual if value is None else value, span, usual, lambda given: toysearch.model("bm25"))


@pytest.mark.parametrize("span", SPANS)
@given(place=st.floats(0.0001, 0.9999))
def test_a_place_is_the_place_of_its_value(span, place):
    one = parameter(span)
    assert one.place(one.at(place)) == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize("span", SPANS)
@given(first=st.floats(0, 0.999), second=st.floats(0, 0.999))
def test_places_rise_with_values_and_stay_in_the_range(span, first, second):
    one = parameter(span)
    low, high = one.at(min(first, second)), one.at(max(first, second))
    assert low <= high
    assert all((span[0] is None or value >= span[0]) and (span[1] is None or value <= span[1]) for value in (low, high))


def test_the_ends_of_a_range_and_its_middle():
    assert [parameter((0, 1)).at(place) for place in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
    assert parameter((0.001, 1000.0)).place(1.0) == pytest.approx(0.5)  # by magnitude
    assert [parameter((0, None), 1.2).at(place) for place in (0.0, 0.5, 1.0)] == [0.0, 1.2, math.inf]
    assert [parameter((None, None), 0.7).at(place) for place in (0.0, 0.5, 0.75, 1.0)] == [
        -math.inf,
        0.0,
        0.7,
        math.inf,
    ]
    assert [parameter((None, 3)).at(place) for place in (0.0, 0.5, 1.0)] == [-math.inf, 1.0, 3.0]
    assert parameter((4, 4), 4.0).place(4.0) == 0.0
    # Without a declared value the present one is the measure; without either, 1.
    assert parameter((None, None), math.nan, 5.0).place(5.0) == 0.75
    assert parameter((0, None), 0.0, 0.0).place(1.0) == 0.5


def test_the_parameters_of_a_model():
    found = {one.name: one for one in tunable_parameters(toysearch.model("smart:Lnu.ltc"))}
    assert list(found) == ["weights", "base", "pivot", "slope", "alpha"]
    assert [one.is_number for one in found.values()] == [False, True, True, True, True]
    assert found["weights"].choices == ()
    assert str(found["slope"].with_value(0.5)) == "smart:weights=Lnu.ltc,slope=0.5"
    with pytest.raises(toysearch.ArgumentError, match="alpha"):
        found["alpha"].with_value(0.1)
    [tf] = [one for one in tunable_parameters(toysearch.model("cosine:tf=log")) if one.name == "tf"]
    assert (tf.value, tf.choices) == ("log", ("raw", "log", "sqrt", "binary", "augmented"))
    assert (tunable_parameters(toysearch.model("dph")), tunable_parameters(toysearch.model("lm-jm"))[0].name) == (
        [],
        "lambda",
    )


def test_a_mixture_has_the_weights_and_the_parameters_of_all_its_models():
    mixture = toysearch.model("0.5*pl2*prior:year + min-max(pl2:c=2) + dph")
    found = {one.name: one for one in tunable_parameters(mixture)}
    assert {name: one.value for name, one in found.items()} == {
        "weight of pl2*prior:year": 0.5,
        "c of pl2": 1.0,
        "weight of pl2 (2)": 1.0,
        "c of pl2 (2)": 2.0,
        "weight of dph": 1.0,
    }
    assert str(found["c of pl2 (2)"].with_value(7)) == "0.5*pl2*prior:year + min-max(pl2:c=7) + dph"
    assert str(found["weight of dph"].with_value(-3)) == "0.5*pl2*prior:year + min-max(pl2:c=2) + -3*dph"
    assert found["weight of dph"].range == "a finite number"
