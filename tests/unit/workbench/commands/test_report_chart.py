"""`toysearch report --chart`: a picture in each form, and what it refuses."""

import pytest
import shell
from raising import raising

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.workbench.clicks.group_exposure import exposure

PETS = ("cat-dog-parrot", "--model", "bm25", "--model", "jaccard", "-m", "AP RR")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(chart, *arguments):
    result = shell.run("report", "--chart", chart, *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.system
@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("pr", "Precision and recall on cat-dog-parrot"),
        ("queries", "AP of jaccard minus AP of bm25 on cat-dog-parrot"),
        ("box", "Values of the queries on cat-dog-parrot"),
        ("unjudged", "Judged and unjudged documents on cat-dog-parrot"),
    ],
)
def test_svg(folder, name, title):
    assert run(name, *PETS, "-o", "a.svg").startswith("a.svg: ")
    picture = (folder / "a.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert title in picture


@pytest.mark.system
def test_png_and_html(folder):
    run("pr:1", *PETS, "-o", "a.png")
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    run("pr", *PETS, "-o", "a.html")
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert '"chosen"' in (folder / "a.html").read_text(encoding="utf-8")


@pytest.mark.system
@pytest.mark.parametrize("name", ["pr", "box", "unjudged"])
def test_one_system_is_enough(folder, name):
    run(name, "cat-dog-parrot", "--model", "bm25", "-o", "a.svg")
    assert "bm25" in (folder / "a.svg").read_text(encoding="utf-8")


@pytest.mark.system
def test_one_system_minus_the_baseline(folder):
    run("queries:tfidf", *PETS, "--model", "tfidf", "-o", "a.svg")
    assert "AP of tfidf minus AP of bm25" in (folder / "a.svg").read_text(encoding="utf-8")


def test_a_surface(folder):
    toysearch.tune("cat-dog-parrot", "bm25", {"k1": [1, 2], "b": [0, 1]}, "AP", results="tuned.jsonl")
    assert run("surface", "tuned.jsonl", "-o", "a.svg").startswith("a.svg: the values in a results file of `tune`")
    assert "AP of bm25 on cat-dog-parrot: best 1.0000 at k1=1,b=0" in (folder / "a.svg").read_text(encoding="utf-8")


@pytest.mark.system
def test_the_attention_to_groups_has_the_numbers_of_the_table():
    result = exposure({"1": ["a", "b", "c"]}, {"1": {"a": 1, "c": 1}}, {"a": "x", "b": "x", "c": "y"}, p=0.5)
    chart = toysearch.plot("exposure", result)
    [rows] = chart["datasets"].values()
    assert rows == [
        {"group": "x", "exposure": 0.857143, "relevant": 0.5},
        {"group": "y", "exposure": 0.142857, "relevant": 0.5},
    ]
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["bar", "tick"]
    assert chart["description"].endswith("35.7% of the attention would have to move to be in proportion to relevance.")


@pytest.mark.system
def test_the_attention_to_groups(folder):
    assert run("exposure:topic", "companions", "--model", "bm25", "-o", "a.svg") == (
        "a.svg: the attention to each group of documents, beside its share of what is relevant\n"
    )
    assert ">health</text>" in (folder / "a.svg").read_text(encoding="utf-8")


FORMS = "expected one of pr[:ID], queries[:SYSTEM], box, unjudged, exposure:FIELD, surface, found"
NEEDED = "exposure needs a field whose values are the groups: toysearch report COLLECTION --model bm25"


@pytest.mark.system
@pytest.mark.parametrize(
    ("chart", "n_models", "said"),
    [
        ("exposure", 0, f"{NEEDED} --chart exposure:FIELD -o FILE"),
        ("box:topic", 0, f"{FORMS} 'box:topic'"),
        ("exposure:", 0, f"{FORMS} 'exposure:'"),
        ("exposure:topic", 2, "exposure draws one system: give one model or run"),
        ("exposure:topics", 1, "unknown field 'topics'; did you mean 'topic'? Fields: date, text, title, topic"),
    ],
)
def test_what_cannot_be_drawn(folder, chart, n_models, said):
    models = PETS[1 : 1 + 2 * n_models]
    assert shell.refusal("report", "--chart", chart, "companions", *models, "-o", "e.svg").endswith(said)
    assert [*folder.iterdir()] == []


@pytest.mark.system
def test_what_cannot_be_plotted():
    with raising(ArgumentError, "exposure is drawn from the result of `exposure`, not from a file"):
        toysearch.plot("exposure", "a.jsonl")
    result = exposure({"1": ["a"]}, {"1": {"a": 1}}, {"a": "x"})
    with raising(ArgumentError, "box is drawn from a comparison, not from an exposure"):
        toysearch.plot("box", result)
