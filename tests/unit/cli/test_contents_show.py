"""`toysearch show`: an index, a term, a document; whole outputs on documents small enough to count by hand."""

import json
import math
from functools import partial

import pytest
import shell

import toysearch

DOCUMENTS = [
    toysearch.Document("a", "The cats sat. The cats!", "Of cats"),
    toysearch.Document("b", "A dog\tsat on the dog"),
    toysearch.Document("c", ""),
]


@pytest.fixture
def folder(tmp_path):
    toysearch.Index.build(DOCUMENTS).save(tmp_path / "own.idx")
    return tmp_path / "own.idx"


run = partial(shell.run, "show")


def test_the_counts_in_full_for_programs(folder):
    data = json.loads(run(folder, "--json").stdout)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    laws = {name: data.pop(name) for name in ("zipf", "heaps")}
    assert list(laws["zipf"]) == ["c", "slope", "r_squared", "first", "last"]
    assert (laws["zipf"]["first"], laws["zipf"]["last"]) == (1, 5)
    # Documents of 5 and 5 tokens, of 3 terms and 2 new ones: 3 = k · 5^b, 5 = k · 10^b.
    assert laws["heaps"] == pytest.approx({"k": 3 / 5 ** math.log2(5 / 3), "b": math.log2(5 / 3), "r_squared": 1})
    assert data == {
        "collection": None,
        "analyzer": "plain",
        "documents": 3,
        "empty_documents": 1,
        "tokens": 10,
        "tokens_per_document": 10 / 3,
        "distinct_terms_per_document": 7 / 3,
        "terms": 5,
        "postings": 7,
        "text_stored": True,
        "positions_stored": False,
        "bytes": sum(sizes.values()),
        "files": sizes,
        "frequent_terms": [
            {"term": "the", "df": 2, "cf": 3},
            {"term": "cats", "df": 1, "cf": 2},
            {"term": "dog", "df": 1, "cf": 2},
            {"term": "sat", "df": 2, "cf": 2},
            {"term": "on", "df": 1, "cf": 1},
        ],
    }
    lines = run(folder, "--tsv").stdout.splitlines()
    assert lines[:3] == ["property\tvalue", "collection\t", "analyzer\tplain"]
    assert [line.split("\t")[0] for line in lines[13:21]] == [
        "zipf_c",
        "zipf_slope",
        "zipf_r_squared",
        "zipf_first",
        "zipf_last",
        "heaps_k",
        "heaps_b",
        "heaps_r_squared",
    ]
    assert lines[-6:-4] == ["term\tdf\tcf", "the\t2\t3"]
