"""`toysearch index`: what it makes, what it says, what it refuses."""

import json
import re
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "index")


@pytest.mark.system
def test_it_saves_an_index_and_says_what_is_in_it_on_stderr(tmp_path):
    folder = tmp_path / "pets.idx"
    result = run("cat-dog-parrot", "-o", folder)
    assert [result.exit_code, result.stdout] == [0, ""]
    assert re.fullmatch(
        rf"{re.escape(str(folder))}: 4 documents, 7 terms, 16 postings, \d+\.\d kB, \d+\.\d\d s\n"
        r"plain · searched: title, text\n",
        result.stderr,
    )
    kept = run("companions", "-o", folder, "--fields", "text", "--language", "none")
    assert kept.stderr.endswith("\nplain · searched: text · values kept: date, topic\n")
    run("cat-dog-parrot", "-o", folder)
    index = toysearch.Index.open(folder)
    assert [index.collection, str(index.analyzer), index.text(2)] == [
        "cat-dog-parrot",
        "plain",
        "How to train a parrot",
    ]


@pytest.mark.parametrize("more", [[], ["--shards", "2"], ["--apart"]])
def test_its_figures_as_json(tmp_path, more):
    folder = tmp_path / "pets.idx"
    result = run("cat-dog-parrot", "-o", folder, "--json", *more)
    figures = json.loads(result.stdout)
    assert figures.pop("bytes") == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert figures.pop("seconds") > 0
    assert figures == {
        "folder": str(folder),
        "collection": "cat-dog-parrot",
        "analyzer": "plain",
        "documents": 4,
        "terms": 7,
        "postings": 16,
        "avgdl": 4.0,
        "searched": ["title", "text"],
        "fields": ["title", "text"] if more == ["--apart"] else [],
        "values": [],
    }
    assert result.stderr == ""


def test_the_options_reach_the_index(tmp_path):
    folder = tmp_path / "pets.idx"
    assert run("cat-dog-parrot", "-o", folder, "--language", "english", "--no-text").exit_code == 0
    index = toysearch.Index.open(folder)
    assert list(index.terms) == ["cat", "dog", "hamster", "parrot", "train"]
    assert index.text(0) is None


def test_positions_reach_the_index(tmp_path):
    assert shell.run("index", "cat-dog-parrot", "-o", tmp_path / "pets.idx", "--positions").exit_code == 0
    assert toysearch.Index.open(tmp_path / "pets.idx").positions("train", "2").tolist() == [2]
    refused = shell.run(
        "index", "cat-dog-parrot", "-o", tmp_path / "x.idx", "--positions", "--analyzer", "plain:ngrams=1-2"
    )
    assert refused.exit_code == 2
    assert "makes n-grams; build the index without positions" in " ".join(refused.stderr.split())
    assert not (tmp_path / "x.idx").exists()


@pytest.mark.parametrize("threads", ["1", "3"])
def test_threads_change_nothing(tmp_path, monkeypatch, threads):
    run("cat-dog-parrot", "-o", tmp_path / "expected")
    monkeypatch.setenv("TOYSEARCH_PATH", "compiled")
    assert run("cat-dog-parrot", "-o", tmp_path / "found", "--threads", threads).exit_code == 0
    expected, found = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("expected", "found")
    )
    assert found == expected
