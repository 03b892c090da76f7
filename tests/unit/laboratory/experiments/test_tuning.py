"""Tuning: settings, folds, held-out values."""

import dataclasses
import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lengths import thinned
from noisy import collection
from raising import raising

import toysearch
from toysearch import Index, tune
from toysearch.base.errors import ArgumentError, DataError, ModelError
from toysearch.laboratory.experiments.grids import setting_text
from toysearch.laboratory.experiments.tuning import Trials, fold_numbers
from toysearch.laboratory.study import Study

GRID = {"k1": "0.5,1.2,3", "b": "0:1:0.5"}


@pytest.fixture(scope="module")
def made():
    return collection(1, by_words=True)


def same(one, other):
    assert str(dataclasses.asdict(one)) == str(dataclasses.asdict(other))


@pytest.mark.system
@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_threads_change_nothing(made, tmp_path, monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    grid = {**GRID, "stem": "none,english"}
    found = [tune(made, grid=grid, threads=n, results=tmp_path / f"{n}.jsonl") for n in (1, 4)]
    same(*found)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "4.jsonl").read_bytes()
    same(tune(made, grid=GRID, ascent=True, threads=1), tune(made, grid=GRID, ascent=True, threads=4))


class Stopped(BaseException):
    """As a user's Ctrl-C."""


STOPS = product([{}, {"random": 7, "seed": 3}, {"ascent": True}], [1, 3], [1, 4, 6])


@pytest.mark.system
@pytest.mark.parametrize(("search", "threads", "after"), thinned(STOPS, 5))
def test_stopped_and_taken_up_again_it_is_as_if_never_stopped(made, tmp_path, search, threads, after):
    grid = {"stem": "none,english", "k1": "0.5,1,3", "b": "0,0.5,1"}
    whole = tune(made, grid=grid, results=tmp_path / "whole.jsonl", threads=1, **search)
    parts = tmp_path / "parts.jsonl"

    def stop(progress):
        if progress.done == after:
            raise Stopped

    with pytest.raises(Stopped):
        tune(made, grid=grid, results=parts, threads=threads, progress=stop, **search)
    assert len(parts.read_text().splitlines()) == 1 + after
    with parts.open("a") as file:  # as if it had been killed in the middle of the next line
        file.write('{"setting": {"stem": "no')
    same(tune(made, grid=grid, results=parts, threads=threads, **search), whole)
    assert parts.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_what_is_in_the_file_is_not_computed_again(made, tmp_path, monkeypatch):
    first = tune(made, grid=GRID, results=tmp_path / "a.jsonl")
    monkeypatch.setattr(Trials, "_kept", lambda *_: pytest.fail("nothing is left to compute"))
    same(tune(made, grid=GRID, results=tmp_path / "a.jsonl"), first)
    other = tune(made, grid=GRID, results=tmp_path / "a.jsonl", folds=3, seed=9)  # the file holds for other folds, too
    assert len(other.folds) == 3
    assert other.best.setting == first.best.setting


def test_the_file_says_what_it_holds(made, tmp_path):
    found = tune(made, grid={"b": "0,1"}, results=tmp_path / "a.jsonl", default=False)
    header, *lines = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert (header["kind"], header["toysearch"], len(header["data"])) == ("toysearch-tune", toysearch.__version__, 16)
    assert (header["grid"], header["queries"]) == ({"b": [0.0, 1.0]}, list(found.query_ids))
    assert [line["setting"] for line in lines] == [{"b": 0.0}, {"b": 1.0}]
    assert [line["values"] for line in lines] == [trial.per_query.tolist() for trial in found.trials]


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"measure": "RR"}, "its measure: AP, not RR"),
        ({"model": "bm25:k3=8"}, "its model: bm25, not bm25:k3=8"),
        ({"analyzer": toysearch.Analyzer(stem="english")}, "its analyzer: plain, not plain:stem=english"),
        ({"grid": {"b": "0,1"}}, 'its grid: {"k1": [0.5, 1.2, 3.0], "b": [0.0, 0.5, 1.0]}, not {"b": [0.0, 1.0]}'),
        ({"ascent": True}, "its search: grid, not ascent"),
    ],
)
def test_the_file_of_another_experiment_is_refused(made, tmp_path, change, shown):
    path = tmp_path / "a.jsonl"
    tune(made, grid=GRID, results=path)
    before = path.read_bytes()
    with raising(DataError, f"{path} holds another experiment: {shown}; choose another file, or delete this one"):
        tune(made, **{"grid": GRID, **change}, results=path)
    assert path.read_bytes() == before


@pytest.mark.system
def test_the_file_of_other_documents_or_another_function_is_refused(made, tmp_path):
    path, mine = tmp_path / "a.jsonl", tmp_path / "mine.py"
    mine.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    tune(made, f"{mine}:rank", {"k": "1,2"}, results=path)
    mine.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf - k)\n")
    with pytest.raises(DataError, match=r"holds another experiment: its code: [0-9a-f]{16}, not [0-9a-f]{16};"):
        tune(made, f"{mine}:rank", {"k": "1,2"}, results=path)
    words = tmp_path / "words.txt"
    words.write_text("w1\n")
    tune(made, grid={"stop": f"none,{words}"}, results=tmp_path / "c.jsonl")
    words.write_text("w2\n")
    with pytest.raises(DataError, match=r"its choices: [0-9a-f]{16}, not [0-9a-f]{16};"):
        tune(made, grid={"stop": f"none,{words}"}, results=tmp_path / "c.jsonl")
    tune(made, grid=GRID, results=tmp_path / "b.jsonl")
    for part in ("documents", "queries", "qrels"):
        parts = {name: getattr(made, name) for name in ("documents", "queries", "qrels")}
        other = toysearch.Collection("noise1", **{**parts, part: getattr(collection(2, by_words=True), part)})
        with pytest.raises(DataError, match=r"its data: [0-9a-f]{16}, not"):
            tune(other, grid=GRID, results=tmp_path / "b.jsonl")


def test_progress_counts_and_knows_the_best_so_far(made):
    told = []
    found = tune(made, grid=GRID, progress=told.append, threads=2)
    assert [(each.done, each.total) for each in told] == [(number, 10) for number in range(1, 11)]
    values = [found.default, *found.trials]
    for number, each in enumerate(told, 1):
        assert each.best.value == max(trial.value for trial in values[:number])
    assert told[0].best.setting == {}
    told.clear()
    tune(made, grid=GRID, progress=told.append, ascent=True)
    assert {each.total for each in told} == {None}


def test_an_index_is_used_as_it_is(made):
    index = Index.build(made, toysearch.Analyzer(stem="english"))
    found = tune(made, grid=GRID, index=index)
    assert found.analyzer == "plain:stem=english"
    expected = tune(made, grid=GRID, analyzer=index.analyzer)
    same(found, expected)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"measure": "AP RR"}, "expected exactly one measure, found 2: AP RR"),
        ({"measure": "NumRet"}, "of NumRet neither high nor low values are better; name a measure of quality"),
        ({"random": 3, "ascent": True}, "settings are either drawn at random or found by ascent; give one of the two"),
        ({"folds": 21}, "the number of folds must be from 2 to 20, the number of judged queries, not 21"),
        ({"threads": 0}, "threads must be a whole number of at least 1 (or None for all cores), not 0"),
        ({"grid": {"b": "0:2:1"}}, "b of bm25 must be from 0 to 1, not 2"),
    ],
)
def test_what_is_refused(made, arguments, problem):
    with raising(ArgumentError, problem):
        tune(made, **{"grid": GRID, **arguments})


def test_a_setting_at_which_the_model_breaks_is_an_error_and_what_was_done_is_kept(made, tmp_path):
    broken = toysearch.formula("tf/k", k=1)
    with pytest.raises(ModelError, match="gives inf for the term"):
        tune(made, broken, {"k": "1,2,0,3"}, results=tmp_path / "a.jsonl", threads=1)
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 1 + 3


def test_geometric_means_decide_where_the_measure_says_so(made):
    found = tune(made, grid=GRID, measure="GMAP")
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
        return Study.of(toysearch.load(path, fields=",".join(fields)), queries=queries, qrels=judged).judged

    return make


def test_every_searched_field_can_be_tuned(products):
    made = products("title", "text", "brand")
    index = Index.build(made, fields=made.searched_fields)
    found = tune(made, "bm25f", {"brand": "0.5,2", "b_brand": "0,1"}, "RR", folds=2)
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
