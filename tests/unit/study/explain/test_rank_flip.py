"""What turns two documents round: made-up models whose turning points are known, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.study.explain.rank_flip import TunableParameter, tunable_parameters, turning_points

TEXTS = ["ant", "bee bee", "cat cat cat"]  # documents 1, 2, 3 hold one word once, twice, three times
TEXT = "ant bee"


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def turns(index, function, above="1", below="2", text=TEXT, **ranges):
    searcher = Searcher(index, toysearch.model(function, **ranges))
    return turning_points(searcher, text, above, below)


def of(index, gap, value, span, **options):
    """The turn of a model that puts document 2 ahead of document 1 by -gap(x): document 1 scores 0."""

    def made(tf, *, x=value):
        return np.where(tf == 1, 0.0, -gap(x))

    return turns(index, made, x=span, **options)[0]


def test_a_line_that_crosses_once_turns_right_behind_the_crossing(index):
    turn = of(index, lambda x: x - 0.5, 0.75, (0, 1))
    assert (turn.parameter, turn.value, turn.turns, turn.range) == ("x", 0.75, True, "from 0 to 1")
    assert turn.turned == 0.4999  # at 0.5 both score alike, and document 1 comes first
    assert turn.change == pytest.approx(0.75 - turn.turned)
    assert turn.ahead == pytest.approx(0.5 - turn.turned)


@pytest.mark.system
def test_a_dip_between_two_places_is_found(index):
    # Below 0 within 0.0004 of 0.4012 only, a twelfth of the distance between two places.
    turn = of(index, lambda x: (x - 0.4012) ** 2 - 0.0004**2, 0.75, (0, 1))
    assert turn.turned == pytest.approx(0.4016, abs=1.1e-4)
    assert not of(index, lambda x: (x - 0.4012) ** 2 + 1e-9, 0.75, (0, 1)).turns


@pytest.mark.system
@pytest.mark.parametrize(
    ("gap", "value", "span", "low", "high"),
    [
        # as many digits as it takes: turned from 0.40123 to 0.40127, 0.4012 and 0.4013 are not
        (lambda x: (x - 0.40125) ** 2 - 0.00002**2, 0.75, (0, 1), 0.401268, 0.40127),
        (lambda x: 0.60004 - x, 0.5, (0, 1), 0.6001, 0.6001),
        (lambda x: 0.50004321 - x, 0.5, (0, 1), 0.5000432, 0.50004324),
        (lambda x: x + 1e-300, 2.0, (None, None), -1e-8, -1e-300),
        # both ends of a range
        (lambda x: x - 1e-5, 0.5, (0, 1), 0, 1e-5),
        (lambda x: 1 - 1e-5 - x, 0.5, (0, 1), 1 - 1e-5, 1),
        (lambda x: x - 1e-5, 5.0, (0, None), 0, 1e-5),
        # far along one without an end
        (lambda x: 100 - x, 1.0, (0, None), 99, 101),
        (lambda x: x + 30, 1.0, (None, None), -30.6, -29.4),
    ],
)
def test_where_a_gap_closes(index, gap, value, span, low, high):
    assert low <= of(index, gap, value, span).turned <= high


@pytest.mark.system
def test_what_closes_nowhere(index):
    assert not of(index, lambda x: 1e-6 + x, 0.5, (0, 1)).turns
    assert not of(index, lambda x: 1e9 - x, 1.0, (0, None)).turns


@pytest.mark.system
def test_equal_scores_stand_as_in_the_collection(index):
    # From 0.5 on both score alike, and document 1 comes first; 2 above 1 is turned by that, 1 above 2 is not.
    def made(tf, *, x=0.2):
        return np.where(tf == 1, 0.0, np.maximum(0.5 - x, 0.0))

    [turn] = turns(index, made, "2", "1", x=(0, 1))
    assert (turn.turned, turn.ahead) == (0.5, 0.0)

    def other(tf, *, x=0.2):
        return np.where(tf == 2, 0.0, np.maximum(0.5 - x, 0.0))

    [turn] = turns(index, other, x=(0, 1))
    assert not turn.turns


def test_rounding_turns_nothing(index):
    """0.1 + 0.2 and 0.3 differ in the last bit; so may scores that are equal but for the order of additions."""

    def made(tf, *, x=0.5):
        return np.where(tf == 1, 1.0, 1.0 + np.where(x > 0.6, 1e-15, -1e-15))

    [turn] = turns(index, made, x=(0, 1))
    assert not turn.turns


def test_texts_to_choose_from_are_tried_in_their_order(index):
    def made(tf, *, kind="a", size=1.0):
        return np.where(tf == 1, 2.0, {"a": 1.0, "b": 1.5, "c": 3.0, "d": 4.0}[kind])

    found = turns(index, made, kind=("a", "b", "c", "d"))
    assert [(turn.parameter, turn.turned, turn.turns, turn.change) for turn in found] == [
        ("kind", "c", True, None),
        ("size", None, False, None),
    ]
    assert found[0].ahead == 1.0


@pytest.mark.system
def test_a_parameter_that_is_none_has_its_lowest_value_and_one_that_can_be_none_is_tried_so(index):
    def made(tf, *, x=None):
        return np.where(tf == 1, 2.0, 0.0 if x is None else x)

    [turn] = turns(index, made, x=(0, None))
    assert (turn.value, turn.turns, turn.change) == (None, True, None)
    assert turn.turned == pytest.approx(2, abs=0.001)
    assert turn.turned > 2

    def other(tf, *, x=None):
        return np.where(tf == 1, 2.0, 3.0 if x is None else 1.0)

    bound = toysearch.model(other, x=(0, None)).bind(x=1)
    [turn] = turning_points(Searcher(index, bound), TEXT, "1", "2")
    assert (turn.value, turn.turned, turn.turns, turn.change, turn.ahead) == (1.0, None, True, None, 1.0)


@pytest.mark.system
def test_the_smallest_change_comes_first_and_what_turns_nothing_last(index):
    def made(tf, *, never=0.5, far=0.5, near=0.5, kind="a"):
        return np.where(tf == 1, 0.0, (near > 0.6) * 1.0 + (far > 0.9) * 1.0 + (kind == "b") * 1.0 - 0.5 + 0 * never)

    found = turns(index, made, near=(0, 1), far=(0, 1), never=(0, 1), kind=("a", "b"))
    assert [turn.parameter for turn in found] == ["near", "far", "kind", "never"]


def test_some_parameters_alone(index):
    searcher = Searcher(index, "bm25")
    assert [turn.parameter for turn in turning_points(searcher, TEXT, "2", "1", ["b"])] == ["b"]
    with pytest.raises(ArgumentError, match="bm25 has no parameter 'd'"):
        turning_points(searcher, TEXT, "2", "1", ["d"])
    assert turning_points(Searcher(index, "dph"), TEXT, "1", "2") == []


def test_what_no_parameter_changes_is_refused(index):
    searcher = Searcher(index, "bm25")
    with pytest.raises(ArgumentError, match="document '3' is not ranked for this query; compare two ranked documents"):
        turning_points(searcher, TEXT, "1", "3")
    with pytest.raises(ArgumentError, match="is not ranked for this query"):
        turning_points(searcher, "unheard", "1", "2")
    with pytest.raises(ArgumentError, match="no document 'x'"):
        turning_points(searcher, TEXT, "x", "1")
    above, below = searcher.search(TEXT).doc_ids
    with pytest.raises(ArgumentError, match=f"'{below}' does not rank above '{above}' for this query"):
        turning_points(searcher, TEXT, below, above)


SPANS = [(0, 1), (-2, 5), (0.001, 1e6), (0, None), (2, None), (None, 3), (None, None)]


def parameter(span, usual=1.0, value=None) -> TunableParameter:
    return TunableParameter("x", usual if value is None else value, span, usual, lambda given: toysearch.model("bm25"))


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
    with pytest.raises(ArgumentError, match="alpha"):
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
        "weight1": 0.5,
        "c of pl2": 1.0,
        "weight2": 1.0,
        "c of pl2 (2)": 2.0,
        "weight3": 1.0,
    }
    assert str(found["c of pl2 (2)"].with_value(7)) == "0.5*pl2*prior:year + min-max(pl2:c=7) + dph"
    assert str(found["weight3"].with_value(-3)) == "0.5*pl2*prior:year + min-max(pl2:c=2) - 3*dph"
    assert found["weight3"].range == "a finite number"
    weights = {name for name in found if name.startswith("weight")}
    assert weights <= mixture.parameters.keys()  # named as `tune` takes them


@pytest.mark.system
def test_a_document_that_another_value_does_not_rank_is_below():
    """With lambda = 1 nothing is added to the query, so the document without its word is not found."""
    index = Index.build(["cat rug", "mat mat rug rug", "cat mat mat mat mat", "rug", "hen"])
    searcher = Searcher(index, "rm3(bm25, docs=1, terms=3, lambda=0, df=0.9)")
    ranked = searcher.search("cat", None).doc_ids
    above, below = "2", next(each for each in ranked if each != "2" and ranked.index(each) > ranked.index("2"))
    turns = {turn.parameter: turn for turn in turning_points(searcher, "cat", above, below)}
    again = Searcher(index, "rm3(bm25, docs=1, terms=3, lambda=1, df=0.9)").search("cat", None).doc_ids
    assert above not in again
    assert below in again
    assert turns["lambda of rm3"].turns
    assert "weight1" not in turns
    parameters = {each.name: each for each in tunable_parameters(searcher.model)}
    for name, turn in turns.items():
        if turn.turns:
            found = Searcher(index, parameters[name].with_value(turn.turned)).search("cat", None).doc_ids
            assert below in found
            assert (turn.ahead is None) == (above not in found)
    assert turns["df of rm3"].turned == 0.5999  # the other word of the first document is in three of five
    assert turns["df of rm3"].ahead is None


def test_each_ranking_is_told(index):
    told = []
    turning_points(Searcher(index, "bm25"), TEXT, "2", "1", ["b"], progress=told.append)
    assert told == list(range(1, len(told) + 1))
    assert len(told) >= 100


@pytest.mark.parametrize("span", SPANS)
@given(place=st.floats(0.0001, 0.9999))
def test_a_place_is_the_place_of_its_value(span, place):
    one = parameter(span)
    assert one.place(one.at(place)) == pytest.approx(place, abs=1e-9)


def test_values_that_the_model_refuses_are_passed_over(index):
    def made(tf, *, x=0.8):
        return np.where(tf == 1, 0.5, x) if 0.4 < x < 0.6 else np.where(tf == 1, 1.0, np.where(x < 0.2, 2.0, 0.0))

    def check(*, x):
        return "not in the middle" if 0.3 < x < 0.7 else None

    [turn] = turns(index, made, x=(0, 1), check=check)
    assert turn.turned == pytest.approx(0.2, abs=0.01)
