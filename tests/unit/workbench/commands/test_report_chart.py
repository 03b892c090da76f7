"""`toysearch report --chart`: a picture in each form, and what it refuses."""

import pytest
import shell
from error_messages import raising

import toysearch
from toysearch.base.errors import ArgumentError

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
        ("depth", "Judged and unjudged documents on cat-dog-parrot"),
    ],
)
def test_svg(folder, name, title):
    assert run(name, *PETS, "-o", "a.svg").startswith("a.svg: ")
    picture = (folder / "a.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert title in picture


@pytest.mark.system
def test_png_and_html(folder):
    run("pr", *PETS, "-o", "a.png")
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    run("pr", *PETS, "-o", "a.html")
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert '"chosen"' in (folder / "a.html").read_text(encoding="utf-8")


@pytest.mark.system
@pytest.mark.parametrize("name", ["pr", "depth"])
def test_one_system_is_enough(folder, name):
    run(name, "cat-dog-parrot", "--model", "bm25", "-o", "a.svg")
    assert "bm25" in (folder / "a.svg").read_text(encoding="utf-8")


def test_what_cannot_be_drawn(folder):
    told = shell.refusal("report", "--chart", "box", *PETS, "-o", "e.svg")
    assert told == "Error: Invalid value for '--chart': 'box' is not one of 'pr', 'queries', 'depth'."
    assert [*folder.iterdir()] == []


def test_what_cannot_be_plotted():
    with raising(ArgumentError, "depth is drawn from a comparison, not from 'a.jsonl'"):
        toysearch.plot("depth", "a.jsonl")
