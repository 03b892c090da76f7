"""Addresses: each way to name what is read refuses them in one sentence; no index is saved to one."""

import pytest
from error_messages import raising
from shell import done, refusal

import toysearch
from toysearch.base.errors import ArgumentError, ToysearchError
from toysearch.collection.queries import read_queries

ADDRESS = "https://example.org/pets.jsonl"
SAYS = f"{ADDRESS} is an address; download it first, and give its path"
RUN = {"1": {"a": 1.0}}


@pytest.mark.parametrize(
    "read",
    [
        toysearch.load,
        toysearch.read_run,
        toysearch.read_qrels,
        toysearch.Index.open,
        toysearch.Searcher,
        read_queries,
        lambda address: toysearch.evaluate(RUN, address, "AP"),
        lambda address: toysearch.evaluate(address, RUN, "AP"),
    ],
)
def test_in_python(read):
    with raising(ArgumentError, SAYS):
        read(ADDRESS)


@pytest.mark.parametrize("address", [ADDRESS, "http://127.0.0.1:9/mine.run", "s3://bucket/pets.idx"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "ADDRESS", "cat"],
        ["index", "ADDRESS", "-o", "pets.idx"],
        ["eval", "ADDRESS", "--model", "bm25"],
        ["eval", "ADDRESS", "cat-dog-parrot"],
        ["eval", "cat-dog-parrot", "--qrels", "ADDRESS"],
        ["run", "cat-dog-parrot", "--queries", "ADDRESS", "-o", "-"],
        ["compare", "ADDRESS", "ADDRESS", "--qrels", "cat-dog-parrot"],
        ["check", "ADDRESS"],
        ["judge", "merge", "ada=ADDRESS"],
    ],
    ids=" ".join,
)
def test_in_the_shell(arguments, address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = refusal(*(argument.replace("ADDRESS", address) for argument in arguments))
    assert said == f"toysearch: {address} is an address; download it first, and give its path"
    assert list(tmp_path.iterdir()) == []


def test_the_text_of_a_query_is_not_an_address():
    assert done("search", "cat-dog-parrot", "cat https://example.org/cat", "--tsv").stdout.count("\n") > 1


def test_no_index_is_saved_to_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = "s3:/bucket/x is an address, where no index can be saved: save it to a folder, and copy that"
    for make in (toysearch.Index.build(["a cat"]).save, lambda folder: toysearch.Index.build(["a cat"], folder=folder)):
        with raising(ToysearchError, said):
            make("s3://bucket/x")
    assert list(tmp_path.iterdir()) == []
