"""`toysearch models` and `similarity`: what is refused."""

import json
import re

import pytest
from shell import run

import toysearch
from toysearch.models.composed_models import COMPOSED, STAGES, WRAPPERS


@pytest.mark.parametrize("command", [["models"], ["measures"], ["textbook", "means", "1", "2"], ["fuse"]])
def test_formulas_are_written_with_characters_that_pdflatex_knows(command):
    printed = run(*command, "--format", "latex").stdout
    assert printed.startswith(r"\begin{tabular}")
    assert {character for character in printed if character > "\u00ff"} == set()


@pytest.mark.parametrize("name", toysearch.MODELS)
def test_every_model_has_a_page_with_its_code(name):
    shown = run("models", name).stdout
    assert shown.startswith(f"{name}\n\n")
    assert "References\n----------" in shown
    function = toysearch.MODELS[name].function.__code__.co_name  # "weight" where a table makes it
    assert f"\ndef {function}(" in shown
    code = shown.partition("Code\n----\n")[2]
    assert "\n    return " in code
    assert '"""' not in code


def test_what_is_named_like_a_model_is_listed_too():
    assert [name for name, each in COMPOSED.items() if each.form.endswith("(MODEL)")] == [*WRAPPERS, *STAGES]
    lines = run("models").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*toysearch.MODELS, *(each.form for each in COMPOSED.values())]


@pytest.mark.parametrize("name", COMPOSED)
def test_each_of_them_has_a_page_of_its_own(name):
    about = COMPOSED[name]
    shown = run("models", name).stdout
    assert shown.startswith(f"{about.form}\n\n{about.summary}\n\n{about.formula[:40]}")
    for each in about.settings:
        assert re.search(rf"^{re.escape(each.name)} +{re.escape(each.default)}", shown, re.MULTILINE)
    assert "Example: --model " in shown
    page = json.loads(run("models", name, "--json").stdout)
    assert [page["formula"], page["example"], page["source"]] == [about.formula, about.example, about.source]
    if name in WRAPPERS:  # in every form, with the values that are typed
        assert run("models", f"{name}(bm25)").stdout == shown
        own = next(iter(WRAPPERS[name]))
        changed = json.loads(run("models", f"{name}:{own}=1", "--json").stdout)
        assert changed["parameters"][0] | {"value": "1"} == changed["parameters"][0]


def test_wrappers_inside_each_other_have_a_page_each():
    shown = run("models", "rm3(sdm(bm25:window=4))").stdout
    assert shown.index("rm3(MODEL)") < shown.index("sdm(MODEL)")
    assert re.search(r"^window +4 +8 +a whole number, at least 2$", shown, re.MULTILINE)
