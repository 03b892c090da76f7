"""The models of the page: a fixed list, parameters in their ranges; nothing that is typed is run or opened."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

import toysearch
from toysearch.errors import ArgumentError
from toysearch.page.model_picker import chosen_model, name_in_list, sliders

MIXTURE = toysearch.model("0.7*bm25 + 0.3*dph")
MODELS = toysearch.MODELS | {str(MIXTURE): MIXTURE, "bm25:b=0.4": toysearch.model("bm25:b=0.4")}


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        ({}, next(iter(toysearch.MODELS))),
        ({"model": "bm25"}, "bm25"),
        ({"model": "bm25:k1=0.9,b=0.4"}, "bm25:k1=0.9,b=0.4"),
        ({"model": "bm25", "of": "bm25", "p.b": "0.3", "p.k1": "1.2", "p.k3": "none"}, "bm25:b=0.3"),
        ({"model": "bm25:b=0.4", "of": "bm25:b=0.4", "p.b": "0.5"}, "bm25:b=0.5"),
        ({"model": "dph", "of": "bm25", "p.b": "0.3"}, "dph"),
        ({"model": "lm-jm", "of": "lm-jm", "p.lambda": "0.3"}, "lm-jm:lambda=0.3"),
        ({"model": "smart", "of": "smart", "p.weights": "lnc.ltc", "p.base": "none", "p.pivot": "none"}, "smart"),
        ({"model": "bm25", "p.b": ""}, "bm25"),
        ({"model": str(MIXTURE)}, str(MIXTURE)),
    ],
)
def test_a_model_is_of_the_list_with_the_values_of_its_sliders(asked, model):
    assert str(chosen_model(MODELS, asked)) == model


@pytest.mark.parametrize(
    "text",
    [
        "mine.py:rank",
        "/tmp/mine.py:rank",
        "0.5*bm25 + 0.5*mine.py:rank",
        "rm3(mine.py:rank)",
        "formula:tf",
        "learned:/tmp/ranker",
        "dense:docs=/etc/passwd",
        "bm25 + prior:/etc/passwd.csv",
        "lsa:100",
        "__import__('os')",
        "",
        ":",
    ],
)
def test_what_is_not_in_the_list_is_neither_run_nor_opened(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(ArgumentError):
        chosen_model(MODELS, {"model": text})


@pytest.mark.parametrize("asked", [{"p.b": "2"}, {"p.b": "nan"}, {"p.b": "x"}, {"p.c": "1"}, {"p.": "1"}])
def test_values_outside_the_range_are_refused(asked):
    with pytest.raises(ArgumentError):
        chosen_model(MODELS, {"model": "bm25", "of": "bm25"} | asked)
    with pytest.raises(ArgumentError):
        chosen_model(MODELS, {"model": str(MIXTURE)} | asked)


@pytest.mark.parametrize("model", MODELS.values(), ids=str)
def test_a_form_that_is_sent_as_it_is_shown_changes_nothing(model):
    name = name_in_list(MODELS, model)
    shown = {f"p.{each['name']}": each["value"] for each in sliders(model)}
    assert str(chosen_model(MODELS, {"model": name, "of": name} | shown)) == str(model)


@pytest.mark.parametrize("model", [*toysearch.MODELS.values(), toysearch.model("bm25:k1=77.7,b=0.123")], ids=str)
def test_a_browser_keeps_the_values_of_the_sliders(model):
    for each in sliders(model):
        if each["kind"] == "slider":
            value, low, high = float(each["value"]), each["low"], each["high"]
            assert low <= value <= high
            assert low < high
            if each["step"] != "any":  # else a browser would round the value
                steps = (value - low) / each["step"]
                assert abs(steps - round(steps)) < 1e-6
            for end in (low, high):
                model.bind(**{each["name"]: end})
