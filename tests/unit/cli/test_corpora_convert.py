"""`toysearch convert`: what it writes, what it says, what it refuses; and the options that say how a source is read."""

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
