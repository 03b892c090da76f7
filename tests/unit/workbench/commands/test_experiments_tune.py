"""`toysearch tune`: what is printed, refused, kept when it is interrupted; that its values are right: tests/oracles."""

import json
from functools import partial

import pytest
import shell
from random_collections import collection, write

import toysearch

RANK = """
def rank(tf, df, N, *, k=1.0):
    return tf / (tf + k) * N / df
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(collection(1, by_words=True), tmp_path_factory.mktemp("tune") / "made")


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)


run = partial(shell.run, "tune")


def test_the_whole_output():
    result = run("made", "--grid", "k1=0.5,1.2,3", "--grid", "b=0:1:0.5")
    assert result.exit_code == 0
    assert (
        result.stdout
        == """\
system                          AP    diff.         95% CI       p    d_z
tuned, held out (5 folds)   0.5458  +0.1199  +0.068 +0.172  0.0001  +1.07
tuned, on the same queries  0.5458  +0.1199
as given (bm25)             0.4258

parameter  as given  best  in the folds  as good  indistinguishable
k1              1.2     3  3             3        3
b              0.75     1  1             1        1
as good: within 1% of the best · indistinguishable: p ≥ 0.05, uncorrected

- On held-out queries, tuning is better than the model as given (p 0.0001).
- The best setting has 0.5458 on the queries that chose it, which is no better than the held-out value.
- All 5 folds choose the setting that is best on all queries: k1=3,b=1.
- k1: the best, 3, is the highest value tried; a better one may lie beyond it.
"""
    )
    assert result.stderr == "made · plain · 20 queries · 9 settings\n"


def test_a_formula_whose_name_has_no_value_has_no_default():
    result = run("made", "--formula", "tf/(tf+k)*log(N/df)/dl", "--grid", "k=0.5,4")
    assert result.stdout.splitlines()[:3] == [
        "system                          AP",
        "tuned, held out (5 folds)   0.6248",
        "tuned, on the same queries  0.6248",
    ]
    assert "model as given" not in result.stdout
    given = run("made", "--formula", "tf/(tf+k)*log(N/df)/dl", "--grid", "k=0.5,4", "--set", "k=1")
    assert "as given (formula:tf/(tf+k)*log(N/df)/dl:k=1)" in given.stdout


def test_a_function_of_the_users(folder):
    (folder.parent / "mine.py").write_text(RANK)
    data = json.loads(run("made", "--model", "mine.py:rank", "--grid", "k=1,2", "--json").stdout)
    assert (data["model"], data["grid"]) == ("rank", {"k": [1.0, 2.0]})


def test_json_has_all_of_it():
    data = json.loads(run("made", "--grid", "b=0,1", "--grid", "stem=none,english", "--seed", "4", "--json").stdout)
    found = toysearch.tune("bm25", "made", {"b": "0,1", "stem": "none,english"}, seed=4)
    assert data["settings"] == [{"setting": trial.setting, "value": trial.value} for trial in found.trials]
    assert data["held_out"]["per_query"] == dict(zip(found.query_ids, found.held_out.per_query.tolist(), strict=True))
    gain = found.gain._asdict()
    assert data["held_out_difference"] == {"difference": gain["mean"]} | {
        name: gain[name] for name in ("low", "high", "p", "effect")
    }
    assert data["folds"][0] == {
        "query_ids": list(found.folds[0].query_ids),
        "setting": found.folds[0].setting,
        "on_rest": found.folds[0].on_rest,
        "held_out": found.folds[0].held_out,
    }
    assert data["folds_that_choose_the_best"] == found.agreeing
    assert [each["name"] for each in data["parameters"]] == ["stem", "b"]
    assert (data["as_given"]["setting"], data["gap"]) == ({"stem": "none", "b": 0.75}, found.gap)


def test_an_index_of_a_named_collection(folder):
    toysearch.Index.build(toysearch.load("cat-dog-parrot")).save(folder.parent / "pets.idx")
    assert "plain · 3 queries · 3 settings" in run("pets.idx", "--grid", "b=0:1:0.5").stderr
    assert run("pets.idx", "--grid", "stem=none").stderr == (
        "toysearch: an index stores its own analysis: stem cannot be varied on it; name the collection instead of the "
        "index\n"
    )


@pytest.mark.system
def test_without_a_grid_a_few_values_of_each_parameter_are_tried():
    few = ["--grid", "k1=0.15,0.4243,1.2,3.394,9.6", "--grid", "b=0,0.2,0.4,0.6,0.75,0.8,1"]
    alone, named = run("made", "--json").stdout, run("made", *few, "--json").stdout
    assert shell.json_of(alone) == shell.json_of(named)
    for model in ("dph", "2*dph"):
        result = run("made", "--model", model)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{model} declares no range to try; name parameters or choices of the analysis" in result.stderr


def test_ctrl_c_says_what_is_best_so_far(tmp_path):
    model = f"{tmp_path / 'mine.py'}:rank"
    (tmp_path / "mine.py").write_text(
        "def rank(tf, *, k=0.0):\n    if k == 2:\n        raise KeyboardInterrupt\n    return tf + k\n"
    )
    done = toysearch.tune(model, "made", {"k": "1"}, folds=2)
    result = run("made", "--model", model, "--grid", "k=1,2", "--threads", "1")
    assert result.exit_code == 130
    assert result.stderr == (
        f"2 of 3 settings are done, the best so far AP {done.best.value:.4f} at k=1\ntoysearch: interrupted\n"
    )


def test_a_searched_field_beside_title_and_text(tmp_path):
    rows = [{"id": str(n), "title": f"red w{n}", "text": "shoe", "brand": f"b{n % 3}"} for n in range(6)]
    (tmp_path / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "topics.tsv").write_text("q0\tred b0\nq1\tred b1\nq2\tred b2\n")
    (tmp_path / "qrels.txt").write_text("q0 0 0 1\nq1 0 4 1\nq2 0 2 1\n")
    source = [str(tmp_path / "documents.jsonl"), "--fields", "title,text,brand", "--folds", "3"]
    judged = ["--queries", str(tmp_path / "topics.tsv"), "--qrels", str(tmp_path / "qrels.txt")]
    result = run(*source, *judged, "--model", "bm25f", "--grid", "brand=0.5,2", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["model"] == "bm25f:title=2,text=1,brand=0"
    assert found["best_setting"]["setting"] == {"brand": 0.5}
