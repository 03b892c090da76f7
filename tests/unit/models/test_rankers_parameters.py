"""Wrappers of models: their texts, their parameters, and where these are varied."""

import pytest

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.models.tunable_parameters import tunable_parameters

pytestmark = pytest.mark.system


def test_parameters_are_bound_by_name():
    model = toysearch.model("rm3(sdm(bm25:k1=2), docs=5)")
    assert {**model.parameters} == {
        "docs": 5, "terms": 30, "lambda": 0.5, "df": 0.1, "ordered": 0.1, "unordered": 0.05, "window": 8,
        "k1": 2.0, "b": 0.75, "k3": None,
    }  # fmt: skip
    changed = model.bind(**{"lambda": "0.4", "terms": 10, "window": 4, "b": 0.5})
    assert str(changed) == "rm3(sdm(bm25:k1=2,b=0.5, window=4), docs=5, terms=10, lambda=0.4)"
    assert toysearch.model(str(changed)) == changed
    assert model.bind() is model


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"docs": 1.5}, "docs of rm3 must be a whole number of at least 0"),
        ({"lambda": 2}, "lambda of rm3 must be a number from 0 to 1"),
        ({"lambda": "x"}, "lambda of rm3 must be a number from 0 to 1"),
        ({"b": 2}, "b of bm25 must be from 0 to 1, not 2"),
        ({"dcos": 3}, "rm3(bm25) has no parameter 'dcos'; did you mean 'docs'?"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises(ArgumentError) as caught:
        toysearch.model("rm3(bm25)").bind(**values)
    assert str(caught.value).startswith(message)


def test_a_name_of_both_is_the_wrapper_s():
    model = toysearch.model("rm3(lm-jm:lambda=0.7, lambda=0.4)")
    assert {**model.parameters}["lambda"] == 0.4
    assert str(model.bind(**{"lambda": 0.2})) == "rm3(lm-jm:lambda=0.7, lambda=0.2)"


def test_a_sum_has_the_parameters_inside_that_mean_one_thing():
    mixture = toysearch.model("0.5*rm3(bm25) + 0.5*sdm(bm25)")
    assert str(mixture.bind(docs=3, window=4, weight1=1)) == "rm3(bm25, docs=3) + 0.5*sdm(bm25, window=4)"
    assert [*mixture.tuned] == ["weight1", "weight2"]
    for twice in ("terms", "b"):
        with pytest.raises(ArgumentError, match=f"has no parameter '{twice}'"):
            mixture.bind(**{twice: 1})


def test_tuning_tries_whole_numbers_where_they_are_needed():
    found = toysearch.tune("rm3(bm25)", "companions", {"docs": None, "lambda": "0.5,1"}, folds=2)
    docs, share = found.axes
    assert all(value == int(value) for value in docs.values)
    assert share.values == (0.5, 1.0)
    given = toysearch.tune("rm3(bm25, docs=2)", "companions", {"docs": "1:3", "k1": "1,2"}, folds=2)
    assert given.axes[0].values == (1.0, 2.0, 3.0)


def test_ablation_takes_wrappers_off():
    found = toysearch.ablate("rm3(bm25, docs=2)", "companions")
    assert found.means["AP"]["rm3 off"] == pytest.approx(toysearch.ablate("bm25", "companions").value, abs=1e-15)


def test_parameters_of_wrappers_can_swap_documents():
    names = [each.name for each in tunable_parameters(toysearch.model("rm3(sdm(bm25)) + bm25"))]
    assert names[:8] == [
        "weight1", "k1 of bm25", "b of bm25", "k3 of bm25",
        "lambda of rm3", "df of rm3", "terms of sdm", "ordered of sdm",
    ]  # fmt: skip
    [turned] = [each for each in tunable_parameters(toysearch.model("rm3(sdm(bm25))")) if each.name == "terms of sdm"]
    assert str(turned.with_value(0.5)) == "rm3(sdm(bm25, terms=0.5))"
