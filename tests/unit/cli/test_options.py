"""--method: a name with its settings, which are what Python takes as arguments."""

import json

import pytest
from raising import raising
from shell import done, refusal

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli.options import method_of

METHODS = {"walk": {}, "jump": {"height": float, "times": int}}


def test_settings_by_place_and_by_name():
    assert method_of("walk", METHODS) == ("walk", {})
    assert method_of("jump", METHODS) == ("jump", {})
    assert method_of("jump:0.5,times=3", METHODS) == ("jump", {"height": 0.5, "times": 3})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fly", "unknown method 'fly'. Methods: walk, jump"),
        ("walk:3", "walk has no settings; leave out 3"),
        ("jump:1,2,3", "jump has no setting '3'. Settings of jump: height, times"),
        ("jump:hight=1", "jump has no setting 'hight'; did you mean 'height'? Settings of jump: height, times"),
        ("jump:times=1.5", "times of jump must be a whole number, not '1.5'"),
        ("jump:high", "height of jump must be a number, not 'high'"),
    ],
)
def test_what_is_no_method(text, sentence):
    with raising(ArgumentError, sentence):
        method_of(text, METHODS)


def test_fusing_is_that_of_python(tmp_path):
    runs = []
    for model in ("bm25", "tfidf"):
        done("run", "companions", "--model", model, "-k", "20", "-o", tmp_path / f"{model}.run")
        runs.append(toysearch.read_run(tmp_path / f"{model}.run"))
    for typed, how in (
        ("rrf:k=7", {"method": "rrf", "rrf_k": 7}),
        ("combmnz:normalise=z-score", {"method": "combmnz", "normalise": "z-score"}),
        ("combmnz:sum", {"method": "combmnz", "normalise": "sum"}),
    ):
        out = tmp_path / "out.json"
        done("fuse", tmp_path / "bm25.run", tmp_path / "tfidf.run", "--method", typed, "-o", out, "--force")
        again = tmp_path / "again.json"
        toysearch.write_run(toysearch.fuse(runs, **how), str(again))
        assert json.loads(out.read_text()) == json.loads(again.read_text()), typed


def test_tuning_is_that_of_python():
    for typed, how in (("random:3", {"random": 3}), ("ascent", {"ascent": True}), ("grid", {})):
        shown = done("tune", "cat-dog-parrot", "--grid", "b=0,0.5,1", "--grid", "k1=1,2", "--method", typed, "--json")
        tuned = toysearch.tune("cat-dog-parrot", "bm25", {"b": "0,0.5,1", "k1": "1,2"}, **how)
        assert json.loads(shown.stdout) == json.loads(json.dumps(tuned.data())), typed
    told = refusal("tune", "cat-dog-parrot", "--grid", "b=0,1", "--method", "random")
    assert told.endswith("--method random needs a number of settings, such as random:50")
