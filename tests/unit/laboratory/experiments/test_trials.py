"""Settings are valued once, and what was prepared for some choices of the analysis goes when others follow."""

from __future__ import annotations

import pytest

import toysearch
from toysearch import Evaluator, Index
from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.trials import Trials

AXES = [Axis("stem", ("none", "english"), of_analysis=True), Axis("b", (0.0, 1.0))]
TEXTS, QUERIES, QRELS = {"a": "cat", "b": "the cats sat"}, {"1": "cat", "2": "sat"}, {"1": {"b": 1}, "2": {"b": 1}}


@pytest.fixture
def asked():
    return []


def trials(asked, **options):
    def evaluator_of(choices):
        asked.append(dict(choices))
        index = Index.build(TEXTS, toysearch.Analyzer(stem=choices.get("stem")))
        return Evaluator(index, QUERIES, QRELS, "RR")

    return Trials(evaluator_of, toysearch.model("bm25"), AXES, **options)


SETTINGS = [{"stem": "none", "b": 0.0}, {"stem": "english", "b": 0.0}, {"stem": "none", "b": 1.0}, {}]


@pytest.mark.parametrize(("keep", "times"), [(False, 4), (True, 3)])
def test_what_is_prepared(asked, keep, times):
    made = trials(asked, keep=keep, threads=1)
    assert [row.tolist() for row in made.values(SETTINGS)] == [[0.0, 1.0], [0.5, 1.0], [0.0, 1.0], [0.0, 1.0]]
    assert len(asked) == times
    assert asked[:2] == [{"stem": "none"}, {"stem": "english"}]
    made.values(SETTINGS[::-1])
    assert len(asked) == times  # each setting once


def test_each_is_told_once_in_its_order(asked):
    told = []
    made = trials(asked, threads=3, tell=lambda setting, row: told.append((setting, row.tolist())))
    made.values([*SETTINGS, *SETTINGS])
    assert [setting for setting, _ in told] == SETTINGS
    assert told[1] == ({"stem": "english", "b": 0.0}, [0.5, 1.0])


def test_the_model_of_a_setting(asked):
    made = trials(asked)
    assert [str(made.model(setting)) for setting in SETTINGS] == ["bm25:b=0", "bm25:b=0", "bm25:b=1", "bm25"]
