"""What is said of a tuning, sentence by sentence."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.stats.significance import TestResult
from toysearch.laboratory.experiments.tuning import Fold, Plateau, Trial, Tuning

NONE = np.empty(0)


def tuning(**changes):
    best = Trial({"b": 0.5}, 0.4, NONE)
    made = Tuning(
        collection="made",
        model="bm25",
        analyzer="plain",
        measure="AP",
        axes=(Axis("b", (0.0, 0.5, 1.0)),),
        search="grid",
        seed=0,
        query_ids=("1", "2"),
        trials=(best,),
        best=best,
        default=None,
        folds=(Fold(("1",), {"b": 0.5}, 0.5, 0.3), Fold(("2",), {"b": 1.0}, 0.5, 0.3)),
        held_out=Trial({}, 0.3, NONE),
        gain=None,
        plateaus=(),
        alpha=0.05,
        sign=1,
    )
    return dataclasses.replace(made, **changes)


def flat(near, tried, best=0.5, *, ordered=True, at_end=False):
    return Plateau("b", best, near, (best,), tried, ordered, at_end)


@pytest.mark.parametrize(
    ("plateau", "search", "said"),
    [
        (flat((0.5,), (0.0, 0.5, 1.0)), "grid", []),
        (
            flat((0.5, 1.0), (0.0, 0.5, 1.0)),
            "grid",
            ["b: any value from 0.5 to 1 is as good (within 1 % of the best)."],
        ),
        (
            flat((0.0, 0.5, 1.0), (0.0, 0.5, 1.0)),
            "ascent",
            ["b hardly matters: all values tried, 0 to 1, are within 1 % of the best."],
        ),
        (flat((0.5, 1.0), (0.0, 0.5, 1.0)), "random", ["b: settings within 1 % of the best have 0.5 to 1."]),
        (flat((0.5,), (0.5,)), "grid", []),
        (
            flat(("log", "raw"), ("log", "raw", "none"), "log", ordered=False),
            "grid",
            ["b: log, raw are as good (within 1 % of the best)."],
        ),
        (
            flat((0.0,), (0.0, 0.5), 0.0, at_end=True),
            "grid",
            ["b: the best, 0, is the first value tried; a better one may lie beyond it."],
        ),
        (
            flat((0.5,), (0.0, 0.5), at_end=True),
            "grid",
            ["b: the best, 0.5, is the last value tried; a better one may lie beyond it."],
        ),
        (
            flat((0.0, 0.5), (0.0, 0.5), at_end=True),
            "grid",
            ["b hardly matters: all values tried, 0 to 0.5, are within 1 % of the best."],
        ),
    ],
)
def test_flatness(plateau, search, said):
    assert tuning(plateaus=(plateau,), search=search).sentences()[2:] == said


@pytest.mark.parametrize(
    ("mean", "p", "sign", "said"),
    [
        (0.1, 0.01, 1, "On held-out queries, tuning is better than the model as given (p 0.0100)."),
        (-0.1, 0.01, 1, "On held-out queries, tuning is worse than the model as given (p 0.0100)."),
        (-0.1, 0.00001, -1, "On held-out queries, tuning is better than the model as given (p <0.0001)."),
        (0.1, 0.05, 1, "On held-out queries, no difference from the model as given is shown (p 0.0500)."),
    ],
)
def test_the_verdict(mean, p, sign, said):
    gain = TestResult("t", 2, mean, -1.0, 1.0, p, 0.5)
    assert tuning(gain=gain, default=Trial({"b": 0.75}, 0.2, NONE), sign=sign).sentences()[0] == said


@pytest.mark.parametrize(
    ("value", "sign", "said"),
    [
        (0.3, 1, "optimistic by 0.1000"),
        (0.4, 1, "no better than the held-out value"),
        (0.5, 1, "no better than the held-out value"),
        (0.5, -1, "optimistic by 0.1000"),
        (0.3, -1, "no better than the held-out value"),
    ],
)
def test_the_gap(value, sign, said):
    sentences = tuning(held_out=Trial({}, value, NONE), sign=sign).sentences()
    assert sentences[0] == f"The best setting has 0.4000 on the queries that chose it, which is {said}."


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ([0.5, 0.5], "All 2 folds choose the setting that is best on all queries: b=0.5."),
        (
            [0.5, 1.0],
            "1 of 2 folds chooses the setting that is best on all queries, b=0.5; "
            "the folds choose 2 different settings.",
        ),
        (
            [1.0, 0.0],
            "None of 2 folds choose the setting that is best on all queries, b=0.5; "
            "the folds choose 2 different settings.",
        ),
    ],
)
def test_stability(chosen, said):
    folds = tuple(Fold((str(number),), {"b": b}, 0.5, 0.3) for number, b in enumerate(chosen))
    assert tuning(folds=folds).sentences()[1] == said


def test_many_choices_are_counted():
    values = (0.0, 0.1, 0.2, 0.3, 0.4)
    folds = tuple(Fold((str(b),), {"b": b}, 0.5, 0.3) for b in values)
    names = tuple("abcdef")
    plateaus = (flat((0.5,), values), Plateau("b", "a", names[:5], names, names, False, False))
    _, rows = tuning(folds=folds, plateaus=plateaus).axes_table()[:2]
    assert rows == [
        ["b", None, "0.5", "5 different", "0.5", "0.5"],
        ["b", None, "a", "5 different", "5 of 6", "6 of 6"],
    ]


def test_without_a_default_there_is_nothing_to_differ_from():
    columns, rows, *_ = tuning().tables("csv")[0]
    assert [column.name for column in columns] == ["system", "value"]
    assert rows == [["tuned, held out (2 folds)", 0.3], ["tuned, on the same queries", 0.4]]
