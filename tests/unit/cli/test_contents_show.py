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
    zipf, heaps = data["zipf"], data["heaps"]
    assert list(zipf) == ["c", "slope", "r_squared", "first", "last"]
    assert (zipf["first"], zipf["last"]) == (1, 5)
    # Documents of 5 and 5 tokens, of 3 terms and 2 new ones: 3 = k · 5^b, 5 = k · 10^b.
    assert heaps == pytest.approx({"k": 3 / 5 ** math.log2(5 / 3), "b": math.log2(5 / 3), "r_squared": 1})
    counts = {"documents": 3, "empty_documents": 1, "tokens": 10, "terms": 5, "postings": 7}
    counts |= {"tokens_per_document": 10 / 3, "distinct_terms_per_document": 7 / 3}
    counts |= {"text_stored": True, "positions_stored": False, "bytes": sum(sizes.values()), "files": sizes}
    assert {name: data[name] for name in counts} == counts
    frequent = [(row["term"], row["df"], row["cf"]) for row in data["frequent_terms"]]
    assert frequent == [("the", 2, 3), ("cats", 1, 2), ("dog", 1, 2), ("sat", 2, 2), ("on", 1, 1)]
    lines = run(folder, "--tsv").stdout.splitlines()
    assert lines[:3] == ["property\tvalue", "collection\t", "analyzer\tplain"]
    laws = [*(f"zipf_{name}" for name in zipf), *(f"heaps_{name}" for name in heaps)]
    assert [line.split("\t")[0] for line in lines[13:21]] == laws
    assert lines[-6:-4] == ["term\tdf\tcf", "the\t2\t3"]
