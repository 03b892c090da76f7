"""The models of the page: a fixed list, parameters in their ranges; nothing that is typed is run or opened."""

import pytest

pytest.importorskip("starlette")

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.page.model_picker import chosen_model, name_in_list, sliders

MIXTURE = toysearch.model("0.7*bm25 + 0.3*dph")
MIXTURES = ["0.7*min-max(bm25) + 0.3*min-max(lsa:200)", "rm3(bm25)", "sdm(lm-dirichlet:mu=1000)"]
MIXTURES += ["rocchio(bm25:b=0.4, docs=5)", "rrf(bm25, dph)", "2.5*bm25 + dph", "bm25 + 0.1*prior:topic", "lsa:20"]
LISTED = toysearch.MODELS | {str(each): each for each in map(toysearch.model, MIXTURES)}
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
    ("asked", "model"),
    [
        ({"model": "rm3(bm25)", "of": "rm3(bm25)", "p.docs": "5", "p.b": "0.4"}, "rm3(bm25:b=0.4, docs=5)"),
        ({"model": "rm3(bm25:b=0.4, docs=5)"}, "rm3(bm25:b=0.4, docs=5)"),
        ({"model": "rocchio(bm25)"}, "rocchio(bm25)"),
        ({"model": "2.5*bm25 + dph", "p.weight1": "0"}, "0*bm25 + dph"),
        ({"model": "bm25+2*dph"}, "bm25 + 2*dph"),
        ({"model": "0.5*rrf(bm25) + rrf(dph)"}, "0.5*rrf(bm25) + rrf(dph)"),
        ({"model": "bm25 + 0.2*prior:topic"}, "bm25 + 0.2*prior:topic"),
        ({"model": "lsa:30"}, "lsa:30"),
    ],
)
def test_a_mixture_of_the_list_has_sliders_and_an_address(asked, model):
    found = chosen_model(LISTED, asked)
    assert str(found) == model
    assert str(chosen_model(LISTED, {"model": str(found)})) == model
    assert name_in_list(LISTED, found) in LISTED
    assert {each["default"] for each in sliders(found, LISTED)} == {
        each["value"] for each in sliders(LISTED[name_in_list(LISTED, found)])
    }


# As parts of a mixture of the list
OTHERS = ["rm3(mine.py:rank)", "rm3(tfidf)", "sdm(sdm(bm25))"]
OTHERS += ["2*mine.py:rank + dph", "bm25 + 0.1*prior:/etc/passwd.csv", "bm25 + 0.1*learned:/tmp"]
OTHERS += ["bm25 + dense:/etc/passwd", "impact:/etc/passwd", "min-max(" * 110 + "bm25" + ")" * 110]
OTHERS += ["rm3(bm25, docs=-1)", "rm3(bm25:b=nan)", "nan*bm25 + dph", "1e400*bm25 + dph"]
UNLISTED = ["mine.py:rank", "/tmp/mine.py:rank", "0.5*bm25 + 0.5*mine.py:rank", "rm3(mine.py:rank)", "formula:tf"]
UNLISTED += ["learned:/tmp/ranker", "dense:docs=/etc/passwd", "bm25 + prior:/etc/passwd.csv", "lsa:100"]
UNLISTED += ["__import__('os')", "", ":"]


@pytest.mark.parametrize(
    ("models", "text"), [*((LISTED, text) for text in OTHERS), *((MODELS, text) for text in UNLISTED)]
)
def test_what_is_not_in_the_list_is_neither_run_nor_opened(models, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(ArgumentError):
        chosen_model(models, {"model": text})


@pytest.mark.parametrize("asked", [{"p.b": "2"}, {"p.b": "nan"}, {"p.b": "x"}, {"p.c": "1"}, {"p.": "1"}])
def test_values_outside_the_range_are_refused(asked):
    with pytest.raises(ArgumentError):
        chosen_model(MODELS, {"model": "bm25", "of": "bm25"} | asked)
    with pytest.raises(ArgumentError):
        chosen_model(MODELS, {"model": str(MIXTURE)} | asked)


@pytest.mark.parametrize("model", [*MODELS.values(), *map(toysearch.model, MIXTURES)], ids=str)
def test_a_form_that_is_sent_as_it_is_shown_changes_nothing(model):
    models = MODELS | LISTED
    name = name_in_list(models, model)
    shown = {f"p.{each['name']}": each["value"] for each in sliders(model)}
    assert str(chosen_model(models, {"model": name, "of": name} | shown)) == str(model)


@pytest.mark.parametrize("model", [*LISTED.values(), toysearch.model("bm25:k1=77.7,b=0.123")], ids=str)
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
