"""`toysearch convert`: what it writes, what it says, what it refuses; and the options that say how a source is read."""

from __future__ import annotations

import os
import re

import pytest
from shell import run

import toysearch


@pytest.mark.parametrize(
    ("to", "files"),
    [
        ("beir", "collection.toml, corpus.jsonl, qrels/test.tsv, queries.jsonl"),
        ("trec", "collection.toml, documents.trec, qrels/test.trec, topics.trec"),
        ("jsonl", "collection.toml, documents.jsonl, qrels/test.jsonl, queries.jsonl"),
    ],
)
def test_it_writes_a_folder_and_says_what_is_in_it_on_stderr(tmp_path, to, files):
    folder = tmp_path / "copy"
    result = run("convert", "cat-dog-parrot", "--to", to, "-o", folder)
    assert [result.exit_code, result.stdout] == [0, ""]
    assert re.fullmatch(rf"{re.escape(str(folder))}: 4 documents, 3 queries, \d\.\d kB: {files}\n", result.stderr)
    figures = [run("eval", source, "--model", "bm25", "--per-query").stdout for source in ("cat-dog-parrot", folder)]
    assert figures[0] == figures[1] != ""


def test_what_is_read_and_how_can_be_chosen(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "pets.csv").write_text("key;a;b\n7;Cats;train\n")
    topics = "<top><num>1<title>cat<desc>train</top>"
    (tmp_path / "own" / "topics").write_text(topics)
    options = ["--columns", "id=key,title=a,text=b", "--fields", "text", "--query-fields", "description"]
    assert run("convert", tmp_path / "own", *options, "--to", "beir", "-o", tmp_path / "copy").exit_code == 0
    collection = toysearch.load(tmp_path / "copy")
    assert [tuple(document)[:3] for document in collection.documents] == [("7", "train", "Cats")]
    assert list(collection.queries) == [("1", "train")]
    shown = run("search", tmp_path / "own", *options[:4], "train", "--tsv")
    assert shown.stdout.splitlines()[1].split("\t")[:2] == ["1", "7"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "trek"], "unknown layout 'trek'; did you mean 'trec'? Layouts: beir, trec, jsonl"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, arguments, message):
    result = run("convert", "cat-dog-parrot", "-o", tmp_path / "copy", *arguments)
    assert [result.exit_code, result.stderr] == [2, f"toysearch: {message}\n"]
    assert os.listdir(tmp_path) == []


def test_an_index_is_no_collection(tmp_path):
    assert run("index", "cat-dog-parrot", "-o", tmp_path / "pets.idx").exit_code == 0
    result = run("convert", tmp_path / "pets.idx", "--to", "trec", "-o", tmp_path / "copy")
    assert [result.exit_code, result.stderr] == [
        2,
        f"toysearch: '{tmp_path / 'pets.idx'}' is an index, which holds no queries; name the collection that it was "
        "built from\n",
    ]


def test_a_run_is_scored_whatever_its_queries_were(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 mine\n")
    result = run("eval", tmp_path / "run", tmp_path / "qrels", "--query-fields", "title", "--columns", "id=key")
    assert result.exit_code == 2
    assert "--columns, --query-fields: only with one COLLECTION; run files are scored as they are" in result.stderr
