"""Models of one function name are told apart by their files, and NAME=MODEL names one, in every command."""

import json

import pytest
from shell import every_command, run
from tiers import exhaustive

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.models.model import public_name
from toysearch.models.registry import distinct

CALLS = {  # what each command needs beside --model
    "search": "cat-dog-parrot cat --json",
    "similar": "cat-dog-parrot 1 --json",
    "run": "cat-dog-parrot -o new.run",
    "eval": "cat-dog-parrot -m AP",
    "compare": "cat-dog-parrot -m AP",
    "diff": "cat-dog-parrot -m AP",
    "report": "cat-dog-parrot -o new.html",
    "tune": "cat-dog-parrot --grid k=1,2 -m AP --folds 2",
    "ablate": "cat-dog-parrot -m AP",
    "robustness": "cat-dog-parrot -m AP",
    "judge rejudge": "cat-dog-parrot --by cat-dog-parrot -m AP",
    "explain": "cat-dog-parrot 1 --query cat",
}
SERVERS = ("serve",)
SLOW = ("report", "robustness")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with two functions of one name."""
    for name, body in (("mine", "tf / (tf + k)"), ("other", "tf * tf + k")):
        (tmp_path / f"{name}.py").write_text(f"def rank(tf, *, k=1.0):\n    return {body}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def given(name: str, *texts: str) -> list[str]:
    """The options for models."""
    return [part for text in texts for part in ("--model", text)]


def with_model():
    """The commands that take --model, and whether they take several."""
    return {
        name: option.multiple
        for name, command in every_command()
        for option in command.params
        if "--model" in option.opts
    }


def test_every_command_with_a_model_is_tried():
    assert {*with_model()} == {*CALLS, *SERVERS}


@pytest.mark.parametrize("name", [pytest.param(name, marks=exhaustive if name in SLOW else ()) for name in CALLS])
def test_a_name_for_a_model_works_everywhere(name, folder):
    several = with_model()[name]
    models = given(name, "new=mine.py:rank", *(["old=other.py:rank"] if several else []))
    shown = run(*name.split(), *CALLS[name].split(), *models)
    assert shown.exit_code == 0, shown.stderr
    printed = shown.stdout + shown.stderr + "".join(file.read_text() for file in folder.glob("new.*"))
    assert "new" in printed
    assert "old" in printed or not several
    if several:  # without names, by their files
        clash = run(*name.split(), *CALLS[name].split(), "--model", "mine.py:rank", "--model", "other.py:rank")
        assert clash.exit_code == 0, clash.stderr
        printed = clash.stdout + clash.stderr + "".join(file.read_text() for file in folder.glob("new.*"))
        assert "mine.py:rank" in printed
        assert "other.py:rank" in printed


def test_names_in_a_table_are_exact():
    def systems(*models):
        options = [part for model in models for part in ("--model", model)]
        shown = json.loads(run("eval", "cat-dog-parrot", "-m", "AP", "--json", *options).stdout)
        return [each["system"] for each in shown["systems"]]

    assert systems("mine.py:rank", "bm25") == ["rank", "bm25"]
    assert systems("mine.py:rank", "other.py:rank", "bm25") == ["mine.py:rank", "other.py:rank", "bm25"]
    assert systems("mine.py:rank:k=2", "other.py:rank") == ["rank:k=2", "rank"]
    assert systems("a=bm25:b=0.3", "b=rm3(bm25)") == ["a", "b"]


def test_functions_inside_wrappers_and_in_python(folder):
    models = [toysearch.model("rm3(mine.py:rank, docs=5)"), toysearch.model("rm3(other.py:rank, docs=5)")]
    assert [str(each) for each in distinct(models)] == ["rm3(mine.py:rank, docs=5)", "rm3(other.py:rank, docs=5)"]
    (folder / "below").mkdir()
    (folder / "below" / "mine.py").write_text((folder / "other.py").read_text())
    same = distinct([toysearch.model("mine.py:rank"), toysearch.model("below/mine.py:rank")])
    assert [str(each) for each in same] == [f"{folder / 'mine.py'}:rank", f"{folder / 'below' / 'mine.py'}:rank"]
    found = toysearch.compare(["mine.py:rank", "other.py:rank"], "cat-dog-parrot", "AP")
    assert {*found.means["AP"]} == {"mine.py:rank", "other.py:rank"}
    assert str(toysearch.model("new=bm25:b=0.4").bind(b=0.3)) == "bm25:b=0.3"


ENDS = [
    (name, parameter, place, end)
    for name, made in toysearch.MODELS.items()
    for parameter, span in made.ranges.items()
    for place, end in enumerate(span[:2])
    if isinstance(end, float | int) and name != "smart"  # whose weights say which parameters it has
]


@pytest.mark.parametrize(("name", "parameter", "place", "end"), ENDS)
def test_the_range_that_is_told_is_the_one_that_is_taken(name, parameter, place, end):
    made = toysearch.MODELS[name]
    if place == 0 and made.describe_range(parameter).startswith("above"):
        with pytest.raises(ArgumentError, match="smooths nothing"):
            made.bind(**{parameter: end})
    else:
        assert made.bind(**{parameter: end}).parameters[parameter] == end


NUMBERS = [
    (made, name)
    for made in toysearch.MODELS.values()
    for name, value in made.parameters.items()
    if isinstance(value, float | int) and made.name != "smart"
]


@pytest.mark.parametrize(("made", "name"), NUMBERS, ids=[f"{each}.{name}" for each, name in NUMBERS])
def test_a_value_beside_a_name_is_that_of_its_text(made, name):
    value = made.parameters[name] / 2 or 0.5
    asked = toysearch.model(f"{made.name}:{public_name(name)}={value}")
    assert toysearch.model(made.name, **{name: value}) == asked
    assert toysearch.model(made, **{public_name(name): value}) == asked
    assert asked.parameters[name] == value != made.parameters[name]


def test_values_beside_a_name_join_those_of_its_text():
    assert repr(toysearch.model("bm25:b=0.4", k1=2.0)) == "bm25:k1=2,b=0.4"
    assert str(toysearch.model("bm25f:body=3", k1=2)) == "bm25f:k1=2,body=3"
    named = toysearch.model("mine=bm25", b=0.4)
    assert (str(named), named.parameters["b"]) == ("mine", 0.4)


@pytest.mark.parametrize(
    ("what", "values", "said"),
    [
        ("bm25", {"K1": 1}, "bm25 has no parameter 'K1'; did you mean 'k1'?"),
        ("bm25", {"k1": float("nan")}, "k1 of bm25 must be at least 0, not nan"),
        ("rm3(bm25)", {"b": 0.4}, "'rm3(bm25)' takes values in its text alone, as in 'rm3(bm25:b=0.4)'; write b"),
        ("lsa:50", {"b": 0.4}, "'lsa:50' takes values in its text alone, as in 'rm3(bm25:b=0.4)'; write b there"),
    ],
)
def test_values_that_a_model_does_not_take_are_refused(what, values, said):
    with pytest.raises(ArgumentError) as refused:
        toysearch.model(what, **values)
    assert str(refused.value).startswith(said)
