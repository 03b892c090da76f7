"""`toysearch textbook`: its commands print what the functions return, and tell what they cannot read."""

import json
from pathlib import Path

import pytest
import shell

from toysearch import Searcher
from toysearch.classroom.textbook_pages import hubs_and_authorities, page_rank, relevance_weights


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_links_are_read_from_a_file():
    Path("links.txt").write_text("a c\na d\n\nb c\nb c\n", encoding="utf-8")
    run = shell.run("textbook", "links", "links.txt", "--method", "hits", "--json")
    assert json.loads(run.stdout) == hubs_and_authorities({"a": ["c", "d"], "b": ["c", "c"]}).data()
    run = shell.run("textbook", "links", "links.txt", "--method", "pagerank:teleport=0.3", "-k", "2", "--json")
    assert json.loads(run.stdout) == page_rank({"a": ["c", "d"], "b": ["c", "c"]}, teleport=0.3, steps=2).data()
    told = shell.refusal("textbook", "links", "links.txt", "--method", "hits:teleport=0.3")
    assert told.endswith("hits has no settings; leave out teleport")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a b\na b c\n", "links.txt:2: expected two pages, from and to, found 'a b c'"),
        ("\n", "links.txt: expected a link per line, two pages, found no line"),
    ],
)
def test_a_file_that_holds_no_links_is_told(content, sentence):
    Path("links.txt").write_text(content, encoding="utf-8")
    run = shell.run("textbook", "links", "links.txt")
    assert (run.exit_code, run.stderr.strip()) == (2, f"toysearch: {sentence}")


def test_relevance_weights_are_printed():
    index = Searcher("cat-dog-parrot").index
    printed = shell.run("textbook", "relevance", "cat-dog-parrot", "train dog", "--relevant", "2", "--json").stdout
    assert shell.json_of(printed) == relevance_weights(index, "train dog", ["2"]).data()
