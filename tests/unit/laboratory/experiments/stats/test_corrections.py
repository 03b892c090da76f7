"""Corrections of p-values: published numbers, definitions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.stats.corrections import CORRECTIONS, corrected

# Benjamini & Hochberg 1995, §4.1: fifteen comparisons of two treatments of myocardial infarction.
INFARCTION = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
    1.0000,
]  # fmt: skip


@pytest.mark.parametrize(("method", "rejected"), [("none", 9), ("bonferroni", 3), ("holm", 3), ("bh", 4)])
def test_as_many_are_rejected_as_benjamini_and_hochberg_say(method, rejected):
    assert (corrected(INFARCTION, method) <= 0.05).sum() == rejected


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [0.01, 0.04, 0.03, 0.005]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        ("holm", [0.03, 0.06, 0.06, 0.02]),  # sorted: 4 · 0.005, 3 · 0.01, 2 · 0.03, then not less than that
        ("bh", [0.02, 0.04, 0.04, 0.02]),  # sorted: 4/4 · 0.04, 4/3 · 0.03, 4/2 · 0.01, 4/1 · 0.005
    ],
)
def test_four_by_hand(method, expected):
    assert corrected([0.01, 0.04, 0.03, 0.005], method) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("method", CORRECTIONS)
def test_nothing_passes_1_and_the_shape_stays(method):
    found = corrected([[0.5, 0.9], [0.7, 1.0]], method)
    assert found.shape == (2, 2)
    assert found.max() <= 1


@pytest.mark.parametrize("method", CORRECTIONS)
def test_what_could_not_be_compared_does_not_count(method):
    found = corrected([0.02, np.nan, 0.01], method)
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx(corrected([0.02, 0.01], method))


@pytest.mark.parametrize("method", CORRECTIONS)
def test_of_none_and_of_one(method):
    assert corrected([], method).size == 0
    assert np.isnan(corrected([np.nan], method)).all()
    assert corrected([0.04], method).tolist() == [0.04]


def test_the_input_is_left_as_it_was():
    given = np.array([0.04, 0.03])
    corrected(given, "bonferroni")
    assert given.tolist() == [0.04, 0.03]


def test_an_unknown_method_and_no_probability_are_refused():
    with pytest.raises(ArgumentError) as refused:
        corrected([0.1], "hommel")
    assert str(refused.value).startswith("unknown correction 'hommel'")
    with pytest.raises(ArgumentError, match=r"^a p-value is a number from 0 to 1, not 1\.2$"):
        corrected([0.1, 1.2])
