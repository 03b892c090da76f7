"""How flat a surface is, what is said of a tuning, and what its trials prepare and tell."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

import toysearch
from toysearch import Document, Qrels, Query
from toysearch.corpus.collection import Collection
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.stats.significance import TestResult
from toysearch.laboratory.experiments.tuning import Fold, Plateau, Trial, Trials, Tuning, plateau
from toysearch.laboratory.study import Study

NOISE = np.array([0.1, -0.1, 0.05, -0.05, 0.2, -0.2])


def along(values, means, best, axis=None, *, noise=NOISE):
    axis = axis or Axis("b", tuple(values))
    tried = [
        (value, np.full(6, mean) + (0 if value == best else noise)) for value, mean in zip(values, means, strict=True)
    ]
    return plateau(axis, best, tried, lambda row: float(row.mean()), 0.05)


def test_of_settings_drawn_at_random_a_poor_one_says_nothing_of_its_neighbours():
    tried = [(value, np.full(2, mean)) for value, mean in ((1.0, 1.0), (2.0, 0.5), (3.0, 1.0), (4.0, 0.5))]
    found = plateau(Axis("b", (1.0,)), 3.0, tried, lambda row: float(row.mean()), 0.05, unbroken=False)
    assert found.near == found.alike == (1.0, 3.0)


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


def test_undefined_values_are_left_out_of_the_test():
    tried = [(1.0, np.array([0.2, np.nan, 0.3])), (2.0, np.array([np.nan, 0.1, np.nan]))]
    found = plateau(Axis("b", (1.0, 2.0)), 1.0, tried, lambda row: float(np.nanmean(row)), 0.05)
    assert found.alike == (1.0, 2.0)


NONE = np.empty(0)


def tuning(**changes):
    best = Trial({"b": 0.5}, 0.4, NONE)
    made = Tuning(
        **{"collection": "made", "model": "bm25", "analyzer": "plain", "measure": "AP", "search": "grid", "seed": 0},
        **{"axes": (Axis("b", (0.0, 0.5, 1.0)),), "query_ids": ("1", "2"), "trials": (best,), "best": best},
        **{"default": None, "held_out": Trial({}, 0.3, NONE), "gain": None, "plateaus": (), "alpha": 0.05, "sign": 1},
        folds=(Fold(("1",), {"b": 0.5}, 0.5, 0.3), Fold(("2",), {"b": 1.0}, 0.5, 0.3)),
    )
    return dataclasses.replace(made, **changes)


def flat(near, tried, best=0.5, *, ordered=True, at_end=False):
    return Plateau("b", best, near, (best,), tried, ordered, at_end)


THREE, LETTERS, MATTERS = (0.0, 0.5, 1.0), ("log", "raw", "none"), "hardly matters: all values tried, 0 to"


@pytest.mark.parametrize(
    ("plateau", "search", "said"),
    [
        (flat((0.5,), THREE), "grid", ""),
        (flat((0.5, 1.0), THREE), "grid", ": any value from 0.5 to 1 is as good (within 1 % of the best)."),
        (flat(THREE, THREE), "ascent", f" {MATTERS} 1, are within 1 % of the best."),
        (flat((0.5, 1.0), THREE), "random", ": settings within 1 % of the best have 0.5 to 1."),
        (flat((0.5,), (0.5,)), "grid", ""),
        (
            flat(("log", "raw"), LETTERS, "log", ordered=False),
            "grid",
            ": log, raw are as good (within 1 % of the best).",
        ),
        (
            flat((0.0,), (0.0, 0.5), 0.0, at_end=True),
            "grid",
            ": the best, 0, is the first value tried; a better one may lie beyond it.",
        ),
        (
            flat((0.5,), (0.0, 0.5), at_end=True),
            "grid",
            ": the best, 0.5, is the last value tried; a better one may lie beyond it.",
        ),
        (flat((0.0, 0.5), (0.0, 0.5), at_end=True), "grid", f" {MATTERS} 0.5, are within 1 % of the best."),
    ],
)
def test_flatness(plateau, search, said):
    assert tuning(plateaus=(plateau,), search=search).sentences()[2:] == ([f"b{said}"] if said else [])


def gained(mean, p, sign=1):
    gain = TestResult("t", 2, mean, -1.0, 1.0, p, 0.5)
    return {"gain": gain, "default": Trial({"b": 0.75}, 0.2, NONE), "sign": sign}


def held_out(value, sign=1):
    return {"held_out": Trial({}, value, NONE), "sign": sign}


def chose(*values):
    return {"folds": tuple(Fold((str(number),), {"b": b}, 0.5, 0.3) for number, b in enumerate(values))}


ON, GIVEN = "On held-out queries,", "the model as given (p"
BEST = "The best setting has 0.4000 on the queries that chose it, which is"
ALL = "the setting that is best on all queries"
DIFFER = f"{ALL}, b=0.5; the folds choose 2 different settings."


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        (gained(0.1, 0.01), 0, f"{ON} tuning is better than {GIVEN} 0.0100)."),
        (gained(-0.1, 0.01), 0, f"{ON} tuning is worse than {GIVEN} 0.0100)."),
        (gained(-0.1, 0.00001, -1), 0, f"{ON} tuning is better than {GIVEN} <0.0001)."),
        (gained(0.1, 0.05), 0, f"{ON} no difference from the model as given is shown (p 0.0500)."),
        (held_out(0.3), 0, f"{BEST} optimistic by 0.1000."),
        (held_out(0.4), 0, f"{BEST} no better than the held-out value."),
        (held_out(0.5), 0, f"{BEST} no better than the held-out value."),
        (held_out(0.5, -1), 0, f"{BEST} optimistic by 0.1000."),
        (held_out(0.3, -1), 0, f"{BEST} no better than the held-out value."),
        (chose(0.5, 0.5), 1, f"All 2 folds choose {ALL}: b=0.5."),
        (chose(0.5, 1.0), 1, f"1 of 2 folds chooses {DIFFER}"),
        (chose(1.0, 0.0), 1, f"None of 2 folds choose {DIFFER}"),
    ],
)
def test_the_sentences(changes, place, said):
    assert tuning(**changes).sentences()[place] == said


AXES = [Axis("stem", ("none", "english", "porter"), of_analysis=True), Axis("b", (0.0, 1.0))]
TEXTS, QUERIES, QRELS = {"a": "cat", "b": "the cats sat"}, {"1": "cat", "2": "sat"}, {"1": {"b": 1}, "2": {"b": 1}}


@pytest.fixture
def built(monkeypatch):
    """The analyzers whose indexes are built, in order."""
    analyzers, build = [], Study._built
    monkeypatch.setattr(Study, "_built", lambda study: analyzers.append(study.analyzer) or build(study))
    return analyzers


def trials(**options):
    documents = [Document(doc_id, text) for doc_id, text in TEXTS.items()]
    queries = [Query(query_id, text) for query_id, text in QUERIES.items()]
    collection = Collection("texts", documents, queries, Qrels.from_dict(QRELS))
    study = Study.of(collection, analyzer=toysearch.Analyzer(stem=None))
    return Trials(study, toysearch.model("bm25"), AXES, parse_measures("RR")[0], **options)


SETTINGS = [{"stem": stem, "b": b} for stem, b in (("english", 0.0), ("none", 0.0), ("porter", 0.0), ("english", 1.0))]
SETTINGS.append({})
WITH_STEMS, WITHOUT = [0.5, 1.0], [0.0, 1.0]


@pytest.mark.parametrize(("keep", "stems"), [(False, 3), (True, 2)])
def test_what_is_prepared(built, keep, stems):
    made = trials(keep=keep, threads=1)
    values = [row.tolist() for row in made.values(SETTINGS)]
    assert values == [WITH_STEMS, WITHOUT, WITH_STEMS, WITH_STEMS, WITHOUT]
    assert [bool(analyzer.stem) for analyzer in built].count(True) == stems
    assert len(built) == stems + 1
    made.values(SETTINGS[::-1])
    assert len(built) == stems + 1  # each setting once


def test_each_is_told_once_in_its_order():
    told = []
    made = trials(threads=3, tell=lambda setting, row: told.append((setting, row.tolist())))
    made.values([*SETTINGS, *SETTINGS])
    assert [setting for setting, _ in told] == SETTINGS
    assert told[0] == ({"stem": "english", "b": 0.0}, WITH_STEMS)
