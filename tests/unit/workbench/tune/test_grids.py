"""Axes of values, and the grids that they span."""

import numpy as np
import pytest
from error_messages import raising

import toysearch
from toysearch import Analyzer
from toysearch.base.errors import ArgumentError
from toysearch.workbench.tune.grids import (
    Axis,
    axes_of,
    own_values,
    setting_text,
    settings_of,
)

BM25 = toysearch.model("bm25")
K = toysearch.formula("tf/(tf+k)", k=1.2)


def axis(name, values, model=BM25):
    return axes_of({name: values}, model, Analyzer())[0]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.2:1:0.2", (0.2, 0.4, 0.6, 0.8, 1.0)),  # to the digits typed, not 0.6000000000000001
        ("0.2:1:0.3", (0.2, 0.5, 0.8)),
        ("1:1:1", (1.0,)),
        (" 2 , 0.5,2", (2.0, 0.5)),
        ("0:10", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)),
        ("1:1000", (1.0, 1.995, 3.981, 7.943, 15.85, 31.62, 63.1, 125.9, 251.2, 501.2, 1000.0)),
        ([1, "2"], (1.0, 2.0)),
        (np.array([0.5, 0.25]), (0.5, 0.25)),
    ],
)
def test_values(text, values):
    assert axis("k1", text).values == values


def test_what_a_model_declares():
    assert axis("b", None).values == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert axis("b", None).limits == (0, 1)
    k1 = axis("k1", None)
    assert k1.values == (0.15, 0.2121, 0.3, 0.4243, 0.6, 0.8485, 1.2, 1.697, 2.4, 3.394, 4.8, 6.788, 9.6)
    assert k1.limits == (0, None)
    assert axis("tf", None, toysearch.model("tfidf")).values == toysearch.model("tfidf").ranges["tf_"]
    assert axis("lambda", "0.1,0.7", toysearch.model("lm-jm")).values == (0.1, 0.7)
    assert axis("k", None, K).values[6] == 1.2
    assert axis("k3", "none,8").values == (None, 8.0)
    assert not axis("k3", "none,8").ordered


def test_a_declared_range_with_one_end_does_not_reach_beyond_it():
    made = toysearch.model(lambda tf, *, c=1.0: tf * c, name="mine", c=(0.5, None))
    assert axis("c", None, made).values == (0.5, 0.7071, 1.0, 1.414, 2.0, 2.828, 4.0, 5.657, 8.0)
    made = toysearch.model(lambda tf, *, c=1.0: tf * c, name="mine", c=(None, 2))
    assert axis("c", None, made).values[-1] == 2.0


def test_the_analysis_comes_first_and_the_last_axis_changes_first():
    axes = axes_of({"b": "0,1", "fold-accents": "no,yes", "stem": ["none", "english"]}, BM25, Analyzer())
    assert [(each.name, each.of_analysis) for each in axes] == [("fold_accents", True), ("stem", True), ("b", False)]
    assert [setting_text(setting) for setting in settings_of(axes)[:4]] == [
        "fold_accents=no,stem=none,b=0",
        "fold_accents=no,stem=none,b=1",
        "fold_accents=no,stem=english,b=0",
        "fold_accents=no,stem=english,b=1",
    ]


def test_a_parameter_goes_before_a_choice_of_the_analysis():
    made = toysearch.model(lambda tf, *, stem=1.0: tf * stem, name="mine")
    assert axis("stem", "2,3", made) == Axis("stem", (2.0, 3.0))


@pytest.mark.parametrize(
    ("grid", "problem"),
    [
        ({"b": "0:1.2:0.4"}, "b of bm25 must be from 0 to 1, not 1.2"),
        ({"k1": "-1,2"}, "k1 of bm25 must be at least 0, not -1"),
        ({"k1": "a"}, "k1 of bm25 must be a number, not 'a'"),
        ({"k1": "1:2:3:4"}, "k1=1:2:3:4 is not a range; expected low:high:step or low:high, as in k1=0.2:3:0.2"),
        ({"k1": "1:inf:1"}, "k1=1:inf:1 is not a range; expected low:high:step or low:high, as in k1=0.2:3:0.2"),
        ({"k1": "3:1:1"}, "k1=3:1:1 is empty; expected an ascending range with a step above 0, as in k1=0.2:3:0.2"),
        ({"k1": []}, "k1 has no values to try; give some, such as k1=0.5,1,2"),
        ({"k1": "0:1:1e-9"}, "k1=0:1:1e-9 has 1,000,000,001 values, and at most 100,000 settings are tried"),
        ({"k3": None}, "the range of k3 of bm25 does not say what to try; give values, such as k3=1,2,4"),
        ({"stem": None}, "stem: expected the choices to try, such as stem=none,english"),
        ({"html": "perhaps"}, "an analyzer's html is yes or no, not 'perhaps'"),
        (
            {"k2": "1"},
            "unknown parameter of bm25 or choice of the analysis 'k2'; did you mean 'k1'? What can be tried: k1, b, "
            "k3, analyzer, language, tokens, stop, stem, html, fold_accents, cjk, numbers, min_length, max_length, "
            "ngrams, char_ngrams",
        ),
    ],
)
def test_what_is_refused(grid, problem):
    with raising(ArgumentError, problem):
        axes_of(grid, BM25, Analyzer())


NOTHING = toysearch.model(lambda tf, *, c=0.0: tf + c, name="mine")


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda: axis("c", None, NOTHING), "the range of c of mine has no end; give values or a range"),
        (lambda: axis("weights", None, toysearch.model("smart")), "the range of weights of smart does not say what to"),
        (
            lambda: settings_of([Axis(name, tuple(map(float, range(47)))) for name in "abc"]),
            "the grid has 103,823 settings, and at most 100,000 are tried",
        ),
    ],
)
def test_what_cannot_be_tried(ask, problem):
    with pytest.raises(ArgumentError, match=problem):
        ask()


def test_own_values():
    axes = axes_of({"b": "0,1", "stem": "none,english"}, toysearch.model("bm25:b=0.3"), Analyzer())
    own = own_values(axes, toysearch.model("bm25:b=0.3"), Analyzer.for_language("german"))
    assert own == {"stem": "german", "b": 0.3}
