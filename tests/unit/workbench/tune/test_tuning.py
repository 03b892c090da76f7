"""Tuning: settings, folds, held-out values; how flat a surface is, and what is said of it."""

import dataclasses
import json

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from random_collections import collection
from scipy import stats

import toysearch
from toysearch import Collection, Document, Index, Qrels, Query, tune
from toysearch.base import ArgumentError, ModelError, TextNeeds
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.study.compare.significance import TestResult
from toysearch.study.study import Study
from toysearch.workbench.tune.grids import Axis, setting_text
from toysearch.workbench.tune.tuning import Fold, Objective, Plateau, Trial, Trials, Tuning, fold_numbers, plateau

GRID = {"k1": "0.5,1.2,3", "b": "0:1:0.5"}


@pytest.fixture(scope="module")
def made():
    return collection(1, by_words=True)


def same(one, other):
    assert str(dataclasses.asdict(one)) == str(dataclasses.asdict(other))


@pytest.mark.system
@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_threads_change_nothing(made, monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    grid = {**GRID, "stem": "none,english"}
    same(*[tune("bm25", made, grid=grid, threads=n) for n in (1, 4)])


def test_progress_counts_and_knows_the_best_so_far(made):
    told = []
    found = tune("bm25", made, grid=GRID, progress=lambda *state: told.append(state), threads=2)
    assert [state[:2] for state in told] == [(number, 10) for number in range(1, 11)]
    values = [found.default.value, *(trial.value for trial in found.trials)]
    for number, (*_, best) in enumerate(told, 1):
        assert best.startswith(f"AP {max(values[:number]):.4f} at ")
    assert told[0][2].endswith(" at default")


def test_an_index_is_used_as_it_is(made):
    index = Index.build(made, toysearch.Analyzer(stem="english"))
    found = tune("bm25", made, grid=GRID, index=index)
    assert found.analyzer == "plain:stem=english"
    expected = tune("bm25", made, grid=GRID, analyzer=index.analyzer)
    same(found, expected)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"measure": "AP RR"}, "expected exactly one measure, found 2: AP RR"),
        ({"measure": "NumRet"}, "of NumRet neither high nor low values are better; name a measure of quality"),
        ({"folds": 21}, "the number of folds must be from 2 to 20, the number of judged queries, not 21"),
        ({"threads": 0}, "threads must be a whole number of at least 1 (or None for all cores), not 0"),
        ({"grid": {"b": "0:2:1"}}, "b of bm25 must be from 0 to 1, not 2"),
    ],
)
def test_what_is_refused(made, arguments, problem):
    with raising(ArgumentError, problem):
        tune("bm25", made, **{"grid": GRID, **arguments})


@pytest.mark.parametrize(
    ("grid", "best"),
    [
        ({"b": "0,0.5,0.75,1"}, {"b": 0.75}),
        ({"k1": "0.5,1.2", "b": "0,0.5"}, {"k1": 1.2, "b": 0.0}),
        ({"k1": "0.5,2"}, {"k1": 0.5}),
    ],
)
def test_of_equal_settings_the_best_changes_the_fewest_values_of_the_model(grid, best):
    queries = [Query("1", "cat"), Query("2", "dog")]
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1}})
    found = tune("bm25", Collection("pets", {"a": "cat", "b": "dog"}, queries, qrels), grid)
    assert {trial.value for trial in found.trials} == {1}
    assert [found.best.setting, *(fold.setting for fold in found.folds)] == [best] * 3


def test_a_setting_at_which_the_model_breaks_is_an_error(made):
    broken = toysearch.formula("tf/k", k=1)
    with pytest.raises(ModelError, match="gives inf for the term"):
        tune(broken, made, {"k": "1,2,0,3"}, threads=1)


def test_geometric_means_decide_where_the_measure_says_so(made):
    found = tune("bm25", made, grid=GRID, measure="GMAP")
    for trial in found.trials:
        logs = np.log(np.maximum(trial.per_query, 0.00001))
        assert trial.value == pytest.approx(np.exp(logs.mean()))
    assert found.best.value == max(trial.value for trial in found.trials)
    assert found.gain is None  # its values for queries are those of AP, whose differences say nothing of its own
    assert str(found).splitlines()[:4][-1].split()[:3] == ["as", "given", "(bm25)"]


@pytest.fixture
def products(tmp_path):
    """Makes a collection of documents with these fields, of which the last tells best what is asked for."""

    def make(*fields):
        rows = [
            {"id": str(n), "text": "x"} | {f: f"all w{(n + place) % 4} w{n}" for place, f in enumerate(fields)}
            for n in range(8)
        ]
        path = tmp_path / "products.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        queries = {f"q{n}": f"w{n % 4}" for n in range(6)}
        judged = {f"q{n}": {str((n + 2) % 8): 1} for n in range(6)}
        return Study.of(toysearch.load(path, fields=",".join(fields)), queries, judged).judged()

    return make


def test_every_searched_field_can_be_tuned(products):
    made = products("title", "text", "brand")
    index = Index.build(made, fields=made.searched_fields)
    found = tune("bm25f", made, {"brand": "0.5,2", "b_brand": "0,1"}, "RR", folds=2)
    assert found.model == "bm25f:title=2,text=1,brand=0"
    assert found.default.setting == {"brand": 0.0, "b_brand": 0.75}

    def values(model):
        run = toysearch.Searcher(index, model).run(made.judged_queries)
        return [row["RR"] for row in toysearch.evaluate(run, made, "RR").per_query.values()]

    with pytest.warns(toysearch.ToysearchNote, match="leaves out the field brand"):
        assert found.default.per_query.tolist() == values("bm25f")
    for trial in found.trials:
        given = setting_text(trial.setting)
        assert trial.per_query.tolist() == values(f"bm25f:title=2,text=1,{given}")
    assert len({tuple(trial.per_query) for trial in (*found.trials, found.default)}) > 1


@given(n=st.integers(2, 60), data=st.data(), seed=st.integers(0, 1000))
def test_every_query_has_a_fold_and_all_folds_have_nearly_the_same_size(n, data, seed):
    k = data.draw(st.integers(2, n))
    found = fold_numbers(n, k, seed)
    sizes = np.bincount(found, minlength=k)
    assert sizes.sum() == n
    assert len(sizes) == k
    assert sizes.max() - sizes.min() <= 1
    assert (found == fold_numbers(n, k, seed)).all()


@pytest.mark.parametrize(
    ("n", "k", "problem"),
    [
        (1, None, "cross-validation needs at least 2 judged queries; the collection has 1"),
        (3, 2.5, "the number of folds must be from 2 to 3, the number of judged queries, not 2.5"),
    ],
)
def test_how_many_folds_there_can_be(n, k, problem):
    with raising(ArgumentError, problem):
        fold_numbers(n, k)


NOISE = np.array([0.1, -0.1, 0.05, -0.05, 0.2, -0.2])


def along(values, means, best, axis=None, *, noise=NOISE):
    axis = axis or Axis("b", tuple(values))
    tried = [
        (value, np.full(6, mean) + (0 if value == best else noise)) for value, mean in zip(values, means, strict=True)
    ]
    return plateau(axis, best, tried, np.nanmean, 0.05)


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
    found = plateau(Axis("b", (1.0, 2.0)), 1.0, tried, np.nanmean, 0.05)
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
    found = plateau(Axis("b", (1.0, 2.0)), 1.0, tried, np.nanmean, 0.05)
    assert found.alike == (1.0, 2.0)


NONE = np.empty(0)


def tuning(**changes):
    best = Trial({"b": 0.5}, 0.4, NONE)
    made = Tuning(
        **{"collection": "made", "model": "bm25", "analyzer": "plain", "measure": "AP", "seed": 0},
        **{"axes": (Axis("b", (0.0, 0.5, 1.0)),), "query_ids": ("1", "2"), "trials": (best,), "best": best},
        **{"default": None, "held_out": Trial({}, 0.3, NONE), "gain": None, "plateaus": (), "alpha": 0.05, "sign": 1},
        needs=TextNeeds(),
        folds=(Fold(("1",), {"b": 0.5}, 0.5, 0.3), Fold(("2",), {"b": 1.0}, 0.5, 0.3)),
    )
    return dataclasses.replace(made, **changes)


def flat(near, tried, best=0.5, *, ordered=True, at_end=False):
    return Plateau("b", best, near, (best,), tried, ordered, at_end)


THREE, LETTERS, MATTERS = (0.0, 0.5, 1.0), ("log", "raw", "none"), "hardly matters: all values tried, 0 to"


@pytest.mark.parametrize(
    ("plateau", "said"),
    [
        (flat((0.5,), THREE), ""),
        (flat((0.5, 1.0), THREE), ": any value from 0.5 to 1 is as good (within 1% of the best)."),
        (flat(THREE, THREE), f" {MATTERS} 1, are within 1% of the best."),
        (flat((0.5,), (0.5,)), ""),
        (
            flat(("log", "raw"), LETTERS, "log", ordered=False),
            ": log, raw are as good (within 1% of the best).",
        ),
        (
            flat((0.0,), (0.0, 0.5), 0.0, at_end=True),
            ": the best, 0, is the lowest value tried; a better one may lie beyond it.",
        ),
        (
            flat((0.5,), (0.0, 0.5), at_end=True),
            ": the best, 0.5, is the highest value tried; a better one may lie beyond it.",
        ),
        (flat((0.0, 0.5), (0.0, 0.5), at_end=True), f" {MATTERS} 0.5, are within 1% of the best."),
    ],
)
def test_flatness(plateau, said):
    assert tuning(plateaus=(plateau,)).sentences()[2:] == ([f"b{said}"] if said else [])


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
    analyzers, build = [], toysearch.Index.build

    def noted(documents, analyzer, **how):
        analyzers.append(analyzer)
        return build(documents, analyzer, **how)

    monkeypatch.setattr(toysearch.Index, "build", noted)
    return analyzers


def trials(**options):
    documents = [Document(doc_id, text) for doc_id, text in TEXTS.items()]
    queries = [Query(query_id, text) for query_id, text in QUERIES.items()]
    collection = Collection("texts", documents, queries, Qrels.from_dict(QRELS))
    study = Study.of(collection).with_index(analyzer=toysearch.Analyzer(stem=None))
    return Trials(study, toysearch.model("bm25"), AXES, Objective(parse_measures("RR")[0]), **options)


SETTINGS = [{"stem": stem, "b": b} for stem, b in (("english", 0.0), ("none", 0.0), ("porter", 0.0), ("english", 1.0))]
SETTINGS.append({})
WITH_STEMS, WITHOUT = [0.5, 1.0], [0.0, 1.0]


def test_what_is_prepared(built):
    made = trials(threads=1)
    values = [row.tolist() for row in made.values(SETTINGS)]
    assert values == [WITH_STEMS, WITHOUT, WITH_STEMS, WITH_STEMS, WITHOUT]
    assert [bool(analyzer.stem) for analyzer in built].count(True) == 3
    assert len(built) == 4
    made.values(SETTINGS[::-1])
    assert len(built) == 4  # each setting once


def test_each_is_told_once_in_its_order():
    told = []
    made = trials(threads=3, tell=lambda setting, row: told.append((setting, row.tolist())))
    made.values([*SETTINGS, *SETTINGS])
    assert [setting for setting, _ in told] == SETTINGS
    assert told[0] == ({"stem": "english", "b": 0.0}, WITH_STEMS)
